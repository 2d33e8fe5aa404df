// Ciphertexts.

import type { Copied, LoadedInContext, Saved, UnsafelyInjected } from './common'
import type { Context } from './context'
import type { MemoryPoolHandle } from './memory-pool-handle'
import type { ParmsIdType } from './parms-id-type'

export type { Dependencies as CipherTextDependencies, Dependencies as CipherTextDependencyOptions } from './seal'

export interface CipherTextConstructorParams {
  context?: Context
  parmsId?: ParmsIdType
  sizeCapacity?: number
  pool?: MemoryPoolHandle
}

export type CipherTextConstructorOptions = (params?: CipherTextConstructorParams) => CipherText

export interface CipherText extends UnsafelyInjected, Saved, LoadedInContext, Copied<CipherText> {
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
}
