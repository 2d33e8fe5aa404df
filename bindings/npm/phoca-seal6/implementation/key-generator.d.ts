// Making keys.

import type { UnsafelyInjected } from './common'
import type { Context } from './context'
import type { GaloisKeys } from './galois-keys'
import type { PublicKey } from './public-key'
import type { RelinKeys } from './relin-keys'
import type { SecretKey } from './secret-key'
import type { Serializable } from './serializable'

export type { Dependencies as KeyGeneratorDependencies, Dependencies as KeyGeneratorDependencyOptions } from './seal'

export interface KeyGeneratorConstructorOptions {
  /** Makes a secret key, unless one is given. */
  (context: Context, secretKey?: SecretKey): KeyGenerator
}

export interface KeyGenerator extends UnsafelyInjected {
  readonly secretKey: () => SecretKey
  readonly createPublicKeySerializable: () => Serializable
  readonly createPublicKey: () => PublicKey
  readonly createRelinKeysSerializable: () => Serializable
  readonly createRelinKeys: () => RelinKeys
  /** For rotations by these steps, or for all powers of two. */
  readonly createGaloisKeysSerializable: (steps?: Int32Array) => Serializable
  readonly createGaloisKeys: (steps?: Int32Array) => GaloisKeys
}
