// What parameters allow.

import type { UnsafelyInjected } from './common'
import type { SecurityLevel } from './security-level'

export type { Dependencies as EncryptionParameterQualifiersDependencies } from './seal'

export interface EncryptionParameterQualifiersConstructorOptions {
  (): EncryptionParameterQualifiers
}

export interface EncryptionParameterQualifiers extends UnsafelyInjected {
  /** Whether the parameters can be used. */
  readonly parametersSet: () => boolean
  readonly usingFFT: boolean
  readonly usingNTT: boolean
  readonly usingBatching: boolean
  readonly usingFastPlainLift: boolean
  readonly usingDescendingModulusChain: boolean
  readonly securityLevel: SecurityLevel
}
