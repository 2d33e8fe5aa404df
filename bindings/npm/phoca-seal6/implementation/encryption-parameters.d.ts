// Encryption parameters.

import type { ComprModeType } from './compr-mode-type'
import type { Modulus } from './modulus'
import type { ParmsIdType } from './parms-id-type'
import type { SchemeType } from './scheme-type'
import type { Instance } from './seal'
import type { Vector } from './vector'

export type { Dependencies as EncryptionParametersDependencies, Dependencies as EncryptionParametersDependencyOptions } from './seal'

export interface EncryptionParametersConstructorOptions {
  (schemeType?: SchemeType): EncryptionParameters
}

export interface EncryptionParameters {
  /** The object within, which `unsafeInject` of another object of the same kind takes. */
  readonly instance: Instance
  readonly unsafeInject: (instance: Instance) => void
  /** Frees the memory now rather than some time later. Further calls do nothing. */
  readonly delete: () => void
  readonly setPolyModulusDegree: (polyModulusDegree: number) => void
  readonly setCoeffModulus: (coeffModulus: Vector) => void
  readonly setPlainModulus: (plainModulus: Modulus) => void
  readonly scheme: SchemeType
  readonly polyModulusDegree: number
  readonly coeffModulus: BigUint64Array
  readonly plainModulus: Modulus
  readonly parmsId: ParmsIdType
  /** The file in base64; zstd unless another compression is given. */
  readonly save: (compression?: ComprModeType) => string
  readonly saveArray: (compression?: ComprModeType) => Uint8Array
  readonly load: (encoded: string) => void
  readonly loadArray: (array: Uint8Array) => void
}
