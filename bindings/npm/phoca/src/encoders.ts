// Encoders between values and plaintexts.

import { core } from './core.js'
import { type Context, idOf, type Level } from './context.js'
import { argumentError } from './errors.js'
import { Owned, passable } from './memory.js'
import { checkNumber, Plaintext } from './objects.js'
import type * as glue from '../wasm/phoca.js'

/** Integers for the slots of BFV and BGV. Unsigned arrays hold values below `t`, others values up to `t/2` in magnitude. */
export type Integers = BigInt64Array | BigUint64Array | Int32Array | Uint32Array | readonly (number | bigint)[]

/** BFV and BGV: a vector of integers modulo `t` in the slots of one plaintext. */
export class BatchEncoder extends Owned<glue.BatchEncoder> {
  readonly context: Context

  constructor(context: Context) {
    super(new (core().BatchEncoder)(context.handle))
    this.context = context
  }

  get slotCount(): number {
    return this.handle.slotCount
  }

  /** Encodes at most as many values as there are slots; the rest is zero. */
  encode(values: Integers): Plaintext {
    return new Plaintext(this.#encode(values), this.context)
  }

  #encode(values: Integers): glue.Plaintext {
    const handle = this.handle
    if (values instanceof BigInt64Array) return handle.encodeSigned(passable(values))
    if (values instanceof BigUint64Array) return handle.encode(passable(values))
    if (values instanceof Int32Array) return handle.encodeInt32(passable(values))
    if (values instanceof Uint32Array) return handle.encodeUint32(passable(values))
    if (Array.isArray(values)) return handle.encodeSigned(passable(BigInt64Array.from(values, toBigInt)))
    throw argumentError('values', 'a BigInt64Array, BigUint64Array, Int32Array, Uint32Array or an array of integers', values)
  }

  /** The values from 0 to `t - 1`. */
  decode(plaintext: Plaintext): BigUint64Array {
    return this.handle.decode(plaintext.handle.get())
  }

  /** The values from `-t/2` to `t/2`. */
  decodeSigned(plaintext: Plaintext): BigInt64Array {
    return this.handle.decodeSigned(plaintext.handle.get())
  }
}

/** A complex number. */
export interface Complex {
  re: number
  im: number
}

/** CKKS: real or complex numbers in the slots of one plaintext. */
export class CkksEncoder extends Owned<glue.CkksEncoder> {
  readonly context: Context

  constructor(context: Context) {
    super(new (core().CkksEncoder)(context.handle))
    this.context = context
  }

  get slotCount(): number {
    return this.handle.slotCount
  }

  /**
   * Encodes values times `scale`, a power of two from 2^20 to 2^60 as a rule: one number for all slots, or at most as many as
   * there are slots. At the first level unless another one is given.
   */
  encode(values: Float64Array | readonly number[] | number, scale: number, level: Level = this.context.firstLevel): Plaintext {
    checkNumber('scale', scale)
    if (typeof values === 'number') {
      return new Plaintext(this.handle.encodeScalar(values, scale, idOf(level)), this.context)
    }
    const array = values instanceof Float64Array ? values : Array.isArray(values) ? Float64Array.from(values) : undefined
    if (array === undefined) throw argumentError('values', 'a Float64Array, an array of numbers, or a number', values)
    return new Plaintext(this.handle.encode(passable(array), scale, idOf(level)), this.context)
  }

  /** As {@link encode}, for complex numbers, or for a Float64Array of a real and an imaginary part each. */
  encodeComplex(values: Float64Array | readonly Complex[] | Complex, scale: number, level: Level = this.context.firstLevel): Plaintext {
    checkNumber('scale', scale)
    if (values instanceof Float64Array || Array.isArray(values)) {
      const parts = values instanceof Float64Array ? values : Float64Array.from(values.flatMap(({ re, im }: Complex) => [re, im]))
      return new Plaintext(this.handle.encodeComplex(passable(parts), scale, idOf(level)), this.context)
    }
    const { re, im } = values as Complex
    return new Plaintext(this.handle.encodeComplexScalar(re, im, scale, idOf(level)), this.context)
  }

  /** Encodes one integer of at most 63 bits into all slots, exactly, with scale 1. */
  encodeInteger(value: bigint, level: Level = this.context.firstLevel): Plaintext {
    if (typeof value !== 'bigint' || BigInt.asIntN(64, value) !== value) throw argumentError('value', 'a bigint of 64 bits', value)
    return new Plaintext(this.handle.encodeInteger(value, idOf(level)), this.context)
  }

  /** The real parts of all slots. */
  decode(plaintext: Plaintext): Float64Array {
    return this.handle.decode(plaintext.handle.get())
  }

  /** All slots, a real and an imaginary part each. */
  decodeComplex(plaintext: Plaintext): Float64Array {
    return this.handle.decodeComplex(plaintext.handle.get())
  }
}

function toBigInt(value: number | bigint): bigint {
  const integer = BigInt(value)
  if (BigInt.asIntN(64, integer) !== integer) throw argumentError('values', 'integers of 64 bits', value)
  return integer
}
