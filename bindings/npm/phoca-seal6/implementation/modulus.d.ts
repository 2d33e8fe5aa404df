// One modulus.

import type { ComprModeType } from './compr-mode-type'
import type { Instance } from './seal'

export type { Dependencies as ModulusDependencies, Dependencies as ModulusDependencyOptions } from './seal'

export interface ModulusConstructorOptions {
  /** 0, or 2 to 61 bits. */
  (value: bigint): Modulus
}

export interface Modulus {
  /** The object within, which `inject` of another object of the same kind takes. */
  readonly instance: Instance
  readonly inject: (instance: Instance) => void
  /** Frees the memory now rather than some time later. Further calls do nothing. */
  readonly delete: () => void
  readonly setValue: (value: bigint) => void
  readonly value: bigint
  readonly bitCount: number
  readonly isZero: boolean
  readonly isPrime: boolean
  /** The file in base64; zstd unless another compression is given. */
  readonly save: (compression?: ComprModeType) => string
  readonly saveArray: (compression?: ComprModeType) => Uint8Array
  readonly load: (encoded: string) => void
  readonly loadArray: (array: Uint8Array) => void
}
