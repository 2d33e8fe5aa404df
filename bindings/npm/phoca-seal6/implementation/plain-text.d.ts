// Plaintexts.

import type { ComprModeType } from './compr-mode-type'
import type { Context } from './context'
import type { MemoryPoolHandle } from './memory-pool-handle'
import type { ParmsIdType } from './parms-id-type'
import type { Instance } from './seal'

export type { Dependencies as PlainTextDependencies, Dependencies as PlainTextDependencyOptions } from './seal'

export interface PlainTextConstructorParams {
  capacity?: number
  coeffCount?: number
  pool?: MemoryPoolHandle
}

export type PlainTextConstructorOptions = (params?: PlainTextConstructorParams) => PlainText

export interface PlainText {
  /** The object within, which `unsafeInject` of another object of the same kind takes. */
  readonly instance: Instance
  readonly unsafeInject: (instance: Instance) => void
  /** Frees the memory now rather than some time later. Further calls do nothing. */
  readonly delete: () => void
  readonly reserve: (capacity: number) => void
  readonly shrinkToFit: () => void
  readonly release: () => void
  readonly resize: (coeffCount: number) => void
  readonly setZero: () => void
  readonly isZero: boolean
  readonly capacity: number
  readonly coeffCount: number
  readonly significantCoeffCount: number
  readonly nonzeroCoeffCount: number
  /** The polynomial as text, such as `1Fx^3 + 2x^1 + 7`. */
  readonly toPolynomial: () => string
  readonly isNttForm: boolean
  readonly parmsId: ParmsIdType
  readonly scale: number
  readonly setScale: (scale: number) => void
  readonly pool: MemoryPoolHandle
  /** The file in base64; zstd unless another compression is given. */
  readonly save: (compression?: ComprModeType) => string
  readonly saveArray: (compression?: ComprModeType) => Uint8Array
  readonly load: (context: Context, encoded: string) => void
  readonly loadArray: (context: Context, array: Uint8Array) => void
  readonly copy: (plain: PlainText) => void
  readonly clone: () => PlainText
  /** Takes the other's value; the other is deleted. */
  readonly move: (plain: PlainText) => void
}
