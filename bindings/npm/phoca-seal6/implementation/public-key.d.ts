// The key that encrypts.

import type { ComprModeType } from './compr-mode-type'
import type { Context } from './context'
import type { Instance } from './seal'

export type { Dependencies as PublicKeyDependencies, Dependencies as PublicKeyDependencyOptions } from './seal'

export interface PublicKeyConstructorOptions {
  (): PublicKey
}

export interface PublicKey {
  /** The object within, which `inject` of another object of the same kind takes. */
  readonly instance: Instance
  readonly inject: (instance: Instance) => void
  /** Frees the memory now rather than some time later. Further calls do nothing. */
  readonly delete: () => void
  /** The file in base64; zstd unless another compression is given. */
  readonly save: (compression?: ComprModeType) => string
  readonly saveArray: (compression?: ComprModeType) => Uint8Array
  readonly load: (context: Context, encoded: string) => void
  readonly loadArray: (context: Context, array: Uint8Array) => void
  readonly copy: (key: PublicKey) => void
  readonly clone: () => PublicKey
  /** Takes the other's value; the other is deleted. */
  readonly move: (key: PublicKey) => void
}
