// Vectors of numbers.

import type { Instance } from './seal'

export type { Dependencies as VectorDependencies, Dependencies as VectorDependencyOptions } from './seal'

export interface VectorConstructorOptions {
  (): Vector
}

export interface Vector {
  /** The object within; there is none before `from`. */
  readonly instance: Instance
  readonly unsafeInject: (instance: Instance) => void
  readonly delete: () => void
  /** Takes an array's values, as another type where one is given. */
  readonly from: (array: VectorTypes, type?: StringTypes) => Instance
  readonly type: string
  readonly setType: (type: StringTypes) => void
  readonly size: number
  readonly getValue: (index: number) => number
  readonly resize: (size: number, fill: number) => void
  /** A typed array of the type; of a vector of `Modulus` a BigUint64Array. */
  readonly toArray: () => VectorTypes
}

export type VectorTypes = Uint8Array | Int32Array | Uint32Array | Float64Array | BigInt64Array | BigUint64Array

export type StringTypes = 'Uint8Array' | 'Int32Array' | 'Uint32Array' | 'Float64Array' | 'BigInt64Array' | 'BigUint64Array' | 'Modulus'
