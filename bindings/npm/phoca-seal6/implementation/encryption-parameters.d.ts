// Encryption parameters.

import type { Loaded, Saved, UnsafelyInjected } from './common'
import type { Modulus } from './modulus'
import type { ParmsIdType } from './parms-id-type'
import type { SchemeType } from './scheme-type'
import type { Vector } from './vector'

export type { Dependencies as EncryptionParametersDependencies, Dependencies as EncryptionParametersDependencyOptions } from './seal'

export interface EncryptionParametersConstructorOptions {
  (schemeType?: SchemeType): EncryptionParameters
}

export interface EncryptionParameters extends UnsafelyInjected, Saved, Loaded {
  readonly setPolyModulusDegree: (polyModulusDegree: number) => void
  readonly setCoeffModulus: (coeffModulus: Vector) => void
  readonly setPlainModulus: (plainModulus: Modulus) => void
  readonly scheme: SchemeType
  readonly polyModulusDegree: number
  readonly coeffModulus: BigUint64Array
  readonly plainModulus: Modulus
  readonly parmsId: ParmsIdType
}
