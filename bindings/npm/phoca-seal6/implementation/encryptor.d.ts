// Encryption.

import type { CipherText } from './cipher-text'
import type { UnsafelyInjected } from './common'
import type { Context } from './context'
import type { MemoryPoolHandle } from './memory-pool-handle'
import type { PlainText } from './plain-text'
import type { PublicKey } from './public-key'
import type { Instance, WithDestination } from './seal'
import type { SecretKey } from './secret-key'
import type { Serializable } from './serializable'

export type { Dependencies as EncryptorDependencies, Dependencies as EncryptorDependencyOptions } from './seal'

export interface EncryptorConstructorOptions {
  (context: Context, publicKey: PublicKey, secretKey?: SecretKey): Encryptor
}

export interface Encryptor extends UnsafelyInjected {
  readonly encrypt: WithDestination<[plainText: PlainText], CipherText, [pool?: MemoryPoolHandle]>
  readonly encryptSerializable: (plainText: PlainText, pool?: MemoryPoolHandle) => Serializable
  readonly encryptSymmetric: WithDestination<[plainText: PlainText], CipherText, [pool?: MemoryPoolHandle]>
  /** Its file has half the size. */
  readonly encryptSymmetricSerializable: (plainText: PlainText, pool?: MemoryPoolHandle) => Serializable
  readonly encryptZero: WithDestination<[], CipherText, [pool?: MemoryPoolHandle]>
  readonly encryptZeroSerializable: (pool?: MemoryPoolHandle) => Serializable
}
