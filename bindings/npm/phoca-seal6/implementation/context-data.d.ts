// One level of a context.

import type { EncryptionParameterQualifiers } from './encryption-parameter-qualifiers'
import type { EncryptionParameters } from './encryption-parameters'
import type { ParmsIdType } from './parms-id-type'
import type { Instance } from './seal'

export type { Dependencies as ContextDataDependencies, Dependencies as ContextDataDependencyOptions } from './seal'

export interface ContextDataConstructorOptions {
  (): ContextData
}

export interface ContextData {
  /** The object within, which `unsafeInject` of another object of the same kind takes. */
  readonly instance: Instance
  readonly unsafeInject: (instance: Instance) => void
  /** Frees the memory now rather than some time later. Further calls do nothing. */
  readonly delete: () => void
  readonly parms: EncryptionParameters
  readonly parmsId: ParmsIdType
  readonly qualifiers: EncryptionParameterQualifiers
  readonly totalCoeffModulusBitCount: number
  /** The level with a prime more. */
  readonly prevContextData: ContextData
  /** The level with a prime less. */
  readonly nextContextData: ContextData
  readonly chainIndex: number
}
