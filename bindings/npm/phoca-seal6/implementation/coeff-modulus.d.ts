// Choices of the coefficient primes.

import type { SecurityLevel } from './security-level'
import type { Vector } from './vector'

export type { Dependencies as CoeffModulusDependencies, Dependencies as CoeffModulusDependencyOptions } from './seal'

export interface CoeffModulusConstructorOptions {
  (): CoeffModulus
}

export interface CoeffModulus {
  /** The most bits that all primes together may have: 0 where nothing is secure. */
  readonly MaxBitCount: (polyModulusDegree: number, securityLevel?: SecurityLevel) => number
  readonly BFVDefault: (polyModulusDegree: number, securityLevel?: SecurityLevel) => Vector
  /** One prime for each size in bits. */
  readonly Create: (polyModulusDegree: number, bitSizes: Int32Array) => Vector
}
