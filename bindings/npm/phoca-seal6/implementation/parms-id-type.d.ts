// The name of a level.

import type { Instance } from './seal'

export type { Dependencies as ParmsIdTypeDependencies, Dependencies as ParmsIdTypeDependencyOptions } from './seal'

export interface ParmsIdTypeConstructorOptions {
  (): ParmsIdType
}

export interface ParmsIdType {
  /** The object within, which `inject` of another object of the same kind takes. */
  readonly instance: Instance
  readonly inject: (instance: Instance) => void
  /** Frees the memory now rather than some time later. Further calls do nothing. */
  readonly delete: () => void
  /** Four words. */
  readonly values: BigUint64Array
}
