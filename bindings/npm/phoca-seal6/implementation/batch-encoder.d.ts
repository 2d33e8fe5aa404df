// Integers in the slots of BFV and BGV plaintexts.

import type { UnsafelyInjected } from './common'
import type { Context } from './context'
import type { MemoryPoolHandle } from './memory-pool-handle'
import type { PlainText } from './plain-text'
import type { Instance, WithDestination } from './seal'

export type { Dependencies as BatchEncoderDependencies, Dependencies as BatchEncoderDependencyOptions } from './seal'

export interface BatchEncoderConstructorOptions {
  (context: Context): BatchEncoder
}

export type BatchEncoderTypes = Int32Array | Uint32Array | BigInt64Array | BigUint64Array

export interface BatchEncoder extends UnsafelyInjected {
  readonly encode: WithDestination<[array: BatchEncoderTypes], PlainText>
  /** Signed unless `signed` is false; values that do not fit in 32 bits are cut. */
  readonly decode: (plainText: PlainText, signed?: boolean, pool?: MemoryPoolHandle) => Int32Array | Uint32Array
  readonly decodeBigInt: (plainText: PlainText, signed?: boolean, pool?: MemoryPoolHandle) => BigInt64Array | BigUint64Array
  readonly slotCount: number
}
