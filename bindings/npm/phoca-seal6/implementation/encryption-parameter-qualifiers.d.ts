// What parameters allow.

import type { Instance } from './seal'
import type { SecurityLevel } from './security-level'

export type { Dependencies as EncryptionParameterQualifiersDependencies } from './seal'

export interface EncryptionParameterQualifiersConstructorOptions {
  (): EncryptionParameterQualifiers
}

export interface EncryptionParameterQualifiers {
  /** The object within, which `unsafeInject` of another object of the same kind takes. */
  readonly instance: Instance
  readonly unsafeInject: (instance: Instance) => void
  /** Frees the memory now rather than some time later. Further calls do nothing. */
  readonly delete: () => void
  /** Whether the parameters can be used. */
  readonly parametersSet: () => boolean
  readonly usingFFT: boolean
  readonly usingNTT: boolean
  readonly usingBatching: boolean
  readonly usingFastPlainLift: boolean
  readonly usingDescendingModulusChain: boolean
  readonly securityLevel: SecurityLevel
}
