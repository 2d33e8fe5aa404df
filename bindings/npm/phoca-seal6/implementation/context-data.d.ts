// One level of a context.

import type { UnsafelyInjected } from './common'
import type { EncryptionParameterQualifiers } from './encryption-parameter-qualifiers'
import type { EncryptionParameters } from './encryption-parameters'
import type { ParmsIdType } from './parms-id-type'

export type { Dependencies as ContextDataDependencies, Dependencies as ContextDataDependencyOptions } from './seal'

export interface ContextDataConstructorOptions {
  (): ContextData
}

export interface ContextData extends UnsafelyInjected {
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
