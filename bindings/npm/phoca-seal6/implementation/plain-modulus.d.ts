// Choices of the plain modulus.

import type { Modulus } from './modulus'
import type { Vector } from './vector'

export type { Dependencies as PlainModulusDependencies, Dependencies as PlainModulusDependencyOptions } from './seal'

export interface PlainModulusConstructorOptions {
  (): PlainModulus
}

export interface PlainModulus {
  /** The largest prime of so many bits that gives slots. */
  readonly Batching: (polyModulusDegree: number, bitSize: number) => Modulus
  readonly BatchingVector: (polyModulusDegree: number, bitSizes: Int32Array) => Vector
}
