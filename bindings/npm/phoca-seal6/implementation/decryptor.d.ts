// Decryption.

import type { CipherText } from './cipher-text'
import type { Context } from './context'
import type { PlainText } from './plain-text'
import type { Instance, WithDestination } from './seal'
import type { SecretKey } from './secret-key'

export type { Dependencies as DecryptorDependencies, Dependencies as DecryptorDependencyOptions } from './seal'

export interface DecryptorConstructorOptions {
  (context: Context, secretKey: SecretKey): Decryptor
}

export interface Decryptor {
  /** The object within, which `unsafeInject` of another object of the same kind takes. */
  readonly instance: Instance
  readonly unsafeInject: (instance: Instance) => void
  /** Frees the memory now rather than some time later. Further calls do nothing. */
  readonly delete: () => void
  readonly decrypt: WithDestination<[cipherText: CipherText], PlainText>
  /** BFV and BGV: the bits of noise that are left until decryption fails. */
  readonly invariantNoiseBudget: (cipherText: CipherText) => number
}
