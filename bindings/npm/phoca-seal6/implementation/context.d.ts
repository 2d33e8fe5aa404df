// Checked parameters, and everything that is computed from them.

import type { UnsafelyInjected } from './common'
import type { ContextData } from './context-data'
import type { EncryptionParameters } from './encryption-parameters'
import type { ParmsIdType } from './parms-id-type'
import type { SecurityLevel } from './security-level'

export type { Dependencies as ContextDependencies, Dependencies as ContextDependencyOptions } from './seal'

export interface ContextConstructorOptions {
  (encryptionParams: EncryptionParameters, expandModChain?: boolean, securityLevel?: SecurityLevel): Context
}

export interface Context extends UnsafelyInjected {
  readonly toHuman: () => string
  readonly getContextData: (parmsId: ParmsIdType) => ContextData
  readonly keyContextData: ContextData
  readonly firstContextData: ContextData
  readonly lastContextData: ContextData
  /** Whether the parameters can be used. */
  readonly parametersSet: () => boolean
  readonly keyParmsId: ParmsIdType
  readonly firstParmsId: ParmsIdType
  readonly lastParmsId: ParmsIdType
  readonly usingKeyswitching: boolean
}
