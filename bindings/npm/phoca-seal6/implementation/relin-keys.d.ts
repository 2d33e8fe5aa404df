// The keys that relinearization needs.

import type { ComprModeType } from './compr-mode-type'
import type { Context } from './context'
import type { Instance } from './seal'

export type { Dependencies as RelinKeysDependencies, Dependencies as RelinKeysDependencyOptions } from './seal'

export interface RelinKeysConstructorOptions {
  (): RelinKeys
}

export interface RelinKeys {
  /** The object within, which `inject` of another object of the same kind takes. */
  readonly instance: Instance
  readonly inject: (instance: Instance) => void
  /** Frees the memory now rather than some time later. Further calls do nothing. */
  readonly delete: () => void
  readonly size: number
  readonly getIndex: (keyPower: number) => number
  readonly hasKey: (keyPower: number) => boolean
  /** The file in base64; zstd unless another compression is given. */
  readonly save: (compression?: ComprModeType) => string
  readonly saveArray: (compression?: ComprModeType) => Uint8Array
  readonly load: (context: Context, encoded: string) => void
  readonly loadArray: (context: Context, array: Uint8Array) => void
  readonly copy: (key: RelinKeys) => void
  readonly clone: () => RelinKeys
  /** Takes the other's value; the other is deleted. */
  readonly move: (key: RelinKeys) => void
}
