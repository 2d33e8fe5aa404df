// The name of a level.

import type { Injected } from './common'

export type { Dependencies as ParmsIdTypeDependencies, Dependencies as ParmsIdTypeDependencyOptions } from './seal'

export interface ParmsIdTypeConstructorOptions {
  (): ParmsIdType
}

export interface ParmsIdType extends Injected {
  /** Four words. */
  readonly values: BigUint64Array
}
