// Ciphertexts.

import type { ComprModeType } from './compr-mode-type'
import type { Context } from './context'
import type { MemoryPoolHandle } from './memory-pool-handle'
import type { ParmsIdType } from './parms-id-type'
import type { Instance } from './seal'

export type { Dependencies as CipherTextDependencies, Dependencies as CipherTextDependencyOptions } from './seal'

export interface CipherTextConstructorParams {
  context?: Context
  parmsId?: ParmsIdType
  sizeCapacity?: number
  pool?: MemoryPoolHandle
}

export type CipherTextConstructorOptions = (params?: CipherTextConstructorParams) => CipherText

export interface CipherText {
  /** The object within, which `unsafeInject` of another object of the same kind takes. */
  readonly instance: Instance
  readonly unsafeInject: (instance: Instance) => void
  /** Frees the memory now rather than some time later. Further calls do nothing. */
  readonly delete: () => void
  readonly reserve: (context: Context, capacity: number) => void
  readonly resize: (size: number) => void
  readonly release: () => void
  readonly coeffModulusSize: number
  readonly polyModulusDegree: number
  /** Its polynomials. */
  readonly size: number
  readonly sizeCapacity: number
  /** Whether it decrypts without a key. */
  readonly isTransparent: boolean
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
  readonly copy: (cipher: CipherText) => void
  readonly clone: () => CipherText
  /** Takes the other's value; the other is deleted. */
  readonly move: (cipher: CipherText) => void
}
