// Real numbers in the slots of CKKS plaintexts.

import type { UnsafelyInjected } from './common'
import type { Context } from './context'
import type { MemoryPoolHandle } from './memory-pool-handle'
import type { PlainText } from './plain-text'
import type { Instance, WithDestination } from './seal'

export type { Dependencies as CKKSEncoderDependencies, Dependencies as CKKSEncoderDependencyOptions } from './seal'

export interface CKKSEncoderConstructorOptions {
  (context: Context): CKKSEncoder
}

export type CKKSEncoderTypes = Float64Array

export interface CKKSEncoder extends UnsafelyInjected {
  readonly encode: WithDestination<[array: CKKSEncoderTypes, scale: number], PlainText, [pool?: MemoryPoolHandle]>
  readonly decode: (plainText: PlainText, pool?: MemoryPoolHandle) => CKKSEncoderTypes
  readonly slotCount: number
}
