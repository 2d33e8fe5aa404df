// What several kinds of objects have.

import type { ComprModeType } from './compr-mode-type'
import type { Context } from './context'
import type { Instance } from './seal'

interface Handle {
  /** The object within, which `inject` or `unsafeInject` of another object of the same kind takes. */
  readonly instance: Instance
  /** Frees the memory now rather than some time later. Further calls do nothing. */
  readonly delete: () => void
}

export interface Injected extends Handle {
  readonly inject: (instance: Instance) => void
}

export interface UnsafelyInjected extends Handle {
  readonly unsafeInject: (instance: Instance) => void
}

export interface Saved {
  /** The file in base64; zstd unless another compression is given. */
  readonly save: (compression?: ComprModeType) => string
  readonly saveArray: (compression?: ComprModeType) => Uint8Array
}

/** Loaded without a context. */
export interface Loaded {
  readonly load: (encoded: string) => void
  readonly loadArray: (array: Uint8Array) => void
}

export interface LoadedInContext {
  readonly load: (context: Context, encoded: string) => void
  readonly loadArray: (context: Context, array: Uint8Array) => void
}

export interface Copied<T> {
  readonly copy: (other: T) => void
  readonly clone: () => T
  /** Takes the other's value; the other is deleted. */
  readonly move: (other: T) => void
}
