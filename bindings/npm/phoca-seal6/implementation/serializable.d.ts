// Keys and ciphertexts that can only be saved; their files have half the size where a seed stands for the random half.

import type { ComprModeType } from './compr-mode-type'
import type { Instance } from './seal'

export type { Dependencies as SerializableDependencies, Dependencies as SerializableDependencyOptions } from './seal'

export interface SerializableConstructorOptions {
  (): Serializable
}

export interface Serializable {
  /** The object within, which `unsafeInject` of another object of the same kind takes. */
  readonly instance: Instance
  readonly unsafeInject: (instance: Instance) => void
  /** Frees the memory now rather than some time later. Further calls do nothing. */
  readonly delete: () => void
  /** The file in base64; zstd unless another compression is given. */
  readonly save: (compression?: ComprModeType) => string
  readonly saveArray: (compression?: ComprModeType) => Uint8Array
}
