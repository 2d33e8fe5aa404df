// Encoders between values and plaintexts.

import { BatchEncoder as CoreBatchEncoder, CkksEncoder as CoreCkksEncoder } from 'phoca'
import type { BatchEncoder as BatchFacade, BatchEncoderTypes } from '../implementation/batch-encoder.js'
import type { CKKSEncoder as CkksFacade } from '../implementation/ckks-encoder.js'
import type { Context as ContextFacade } from '../implementation/context.js'
import type { PlainText } from '../implementation/plain-text.js'
import { contextOfArgument } from './context.js'
import { checkPool } from './enums.js'
import { facade, guarded, inner, Inner, type Shape } from './facade.js'
import { makePlain, Plaintext } from './plaintext.js'

const INTEGERS: readonly unknown[] = [Int32Array, Uint32Array, BigInt64Array, BigUint64Array]

class BatchEncoder extends Inner {
  static override readonly name = 'BatchEncoder'

  constructor(private readonly core: CoreBatchEncoder) {
    super()
  }

  encode(array: BatchEncoderTypes, destination?: PlainText): PlainText | void {
    if (!INTEGERS.includes(array.constructor)) {
      throw new Error('Unsupported array type! `array` must be of type Int32Array, Uint32Array, BigInt64Array, or BigUint64Array.')
    }
    const result = destination || makePlain()
    inner(result, Plaintext).assign(this.core.encode(reduced(array, this.core.context.plainModulus)))
    if (!destination) return result
  }

  decode(plain: PlainText, signed: unknown = true, pool?: unknown): Int32Array | Uint32Array {
    const values = this.#decode(plain, signed, pool)
    return signed
      ? Int32Array.from(values, (value) => Number(BigInt.asIntN(32, value)))
      : Uint32Array.from(values, (value) => Number(BigInt.asUintN(32, value)))
  }

  decodeBigInt(plain: PlainText, signed: unknown = true, pool?: unknown): BigInt64Array | BigUint64Array {
    return this.#decode(plain, signed, pool)
  }

  slotCount(): number {
    return this.core.slotCount
  }

  protected free(): void {
    this.core.delete()
  }

  #decode(plain: PlainText, signed: unknown, pool: unknown): BigInt64Array | BigUint64Array {
    const plaintext = inner(plain, Plaintext)
    checkPool(pool)
    const core = plaintext.operand(this.core.context)
    return signed ? this.core.decodeSigned(core) : this.core.decode(core)
  }
}

/** The values modulo the plain modulus, where one is too large to be encoded as it is. */
function reduced(values: BatchEncoderTypes, modulus: bigint): BatchEncoderTypes {
  const isSigned = values instanceof Int32Array || values instanceof BigInt64Array
  const limit = isSigned ? modulus >> 1n : modulus - 1n
  const isSmall = (value: number | bigint): boolean => value <= limit && (!isSigned || value >= -limit)
  if ((values as Int32Array).every(isSmall as (value: number) => boolean)) return values
  return BigUint64Array.from(values as ArrayLike<number | bigint>, (value) => {
    const rest = BigInt(value) % modulus
    return rest < 0n ? rest + modulus : rest
  })
}

const BATCH: Shape<BatchEncoder> = {
  Class: BatchEncoder, inject: 'unsafeInject', members: ['encode', 'decode', 'decodeBigInt', 'get slotCount'],
}

export const makeBatchEncoder = (context: ContextFacade): BatchFacade =>
  guarded(() => facade(BATCH, new BatchEncoder(new CoreBatchEncoder(contextOfArgument(context).use()))), 'BatchEncoder')

class CKKSEncoder extends Inner {
  static override readonly name = 'CKKSEncoder'

  constructor(private readonly core: CoreCkksEncoder) {
    super()
  }

  encode(array: Float64Array, scale: unknown, destination?: PlainText, pool?: unknown): PlainText | void {
    if (array.constructor !== Float64Array) throw new Error('Unsupported array type! `array` must be of type Float64Array.')
    const result = destination || makePlain()
    const plaintext = inner(result, Plaintext)
    checkPool(pool)
    plaintext.assign(guarded(() => this.core.encode(array, +(scale as number)), 'encodeReal'))
    if (!destination) return result
  }

  decode(plain: PlainText, pool?: unknown): Float64Array {
    const plaintext = inner(plain, Plaintext)
    checkPool(pool)
    return this.core.decode(plaintext.operand(this.core.context))
  }

  slotCount(): number {
    return this.core.slotCount
  }

  protected free(): void {
    this.core.delete()
  }
}

const CKKS: Shape<CKKSEncoder> = { Class: CKKSEncoder, inject: 'unsafeInject', members: ['encode', 'decode', 'get slotCount'] }

export const makeCkksEncoder = (context: ContextFacade): CkksFacade =>
  guarded(() => facade(CKKS, new CKKSEncoder(new CoreCkksEncoder(contextOfArgument(context).use()))), 'CKKSEncoder')
