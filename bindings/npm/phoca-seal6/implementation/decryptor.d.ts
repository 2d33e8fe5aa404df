// Decryption.

import type { CipherText } from './cipher-text'
import type { UnsafelyInjected } from './common'
import type { Context } from './context'
import type { PlainText } from './plain-text'
import type { Instance, WithDestination } from './seal'
import type { SecretKey } from './secret-key'

export type { Dependencies as DecryptorDependencies, Dependencies as DecryptorDependencyOptions } from './seal'

export interface DecryptorConstructorOptions {
  (context: Context, secretKey: SecretKey): Decryptor
}

export interface Decryptor extends UnsafelyInjected {
  readonly decrypt: WithDestination<[cipherText: CipherText], PlainText>
  /** BFV and BGV: the bits of noise that are left until decryption fails. */
  readonly invariantNoiseBudget: (cipherText: CipherText) => number
}
