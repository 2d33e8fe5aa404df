// Plaintexts.

import type { Copied, LoadedInContext, Saved, UnsafelyInjected } from './common'
import type { MemoryPoolHandle } from './memory-pool-handle'
import type { ParmsIdType } from './parms-id-type'

export type { Dependencies as PlainTextDependencies, Dependencies as PlainTextDependencyOptions } from './seal'

export interface PlainTextConstructorParams {
  capacity?: number
  coeffCount?: number
  pool?: MemoryPoolHandle
}

export type PlainTextConstructorOptions = (params?: PlainTextConstructorParams) => PlainText

export interface PlainText extends UnsafelyInjected, Saved, LoadedInContext, Copied<PlainText> {
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
}
