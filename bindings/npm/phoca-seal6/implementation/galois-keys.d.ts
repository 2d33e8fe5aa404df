// The keys that rotations need.

import type { ComprModeType } from './compr-mode-type'
import type { Context } from './context'
import type { Instance } from './seal'

export type { Dependencies as GaloisKeysDependencies, Dependencies as GaloisKeysDependencyOptions } from './seal'

export interface GaloisKeysConstructorOptions {
  (): GaloisKeys
}

export interface GaloisKeys {
  /** The object within, which `inject` of another object of the same kind takes. */
  readonly instance: Instance
  readonly inject: (instance: Instance) => void
  /** Frees the memory now rather than some time later. Further calls do nothing. */
  readonly delete: () => void
  readonly size: number
  readonly getIndex: (galoisElt: number) => number
  readonly hasKey: (galoisElt: number) => boolean
  /** The file in base64; zstd unless another compression is given. */
  readonly save: (compression?: ComprModeType) => string
  readonly saveArray: (compression?: ComprModeType) => Uint8Array
  readonly load: (context: Context, encoded: string) => void
  readonly loadArray: (context: Context, array: Uint8Array) => void
  readonly copy: (key: GaloisKeys) => void
  readonly clone: () => GaloisKeys
  /** Takes the other's value; the other is deleted. */
  readonly move: (key: GaloisKeys) => void
}
