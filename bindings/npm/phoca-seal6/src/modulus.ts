// Moduli, and choices of them.

import { coeffModulus, isPrime, loadModulus, PhocaError, plainModulus, saveModulus } from 'phoca'
import { bitCount, maxBitCount } from 'phoca/seal-compat'
import type { CoeffModulus as CoeffModuli } from '../implementation/coeff-modulus.js'
import type { Modulus as ModulusFacade } from '../implementation/modulus.js'
import type { PlainModulus as PlainModuli } from '../implementation/plain-modulus.js'
import { numberOf, SecurityLevel } from './enums.js'
import { checkInner, facade, guarded, Inner, type Shape } from './facade.js'
import { bytesOf, load, saveArray, toBase64 } from './files.js'
import { int32, uint32 } from './numbers.js'
import { bitSizesOf, makeVector, modulusOf, setModulusAccess, VectorModulus } from './vector.js'

export class Modulus extends Inner {
  static override readonly name = 'Modulus'

  constructor(private current: bigint) {
    super()
  }

  setValue(value: unknown): void {
    this.current = modulusOf(value)
  }

  value(): bigint {
    return this.current
  }

  bitCount(): number {
    return bitCount(this.current)
  }

  isZero(): boolean {
    return this.current === 0n
  }

  isPrime(): boolean {
    return isPrime(this.current)
  }

  save(mode?: unknown): string {
    return toBase64(this.saveArray(mode))
  }

  saveArray(mode?: unknown): Uint8Array {
    return saveArray((compression) => saveModulus(this.current, compression), mode)
  }

  load(encoded: unknown): void {
    this.loadArray(bytesOf(encoded))
  }

  loadArray(array: unknown): void {
    this.current = load(array, { data: 'modulus' }, loadModulus)
  }

  protected free(): void {}
}

const SHAPE: Shape<Modulus> = {
  Class: Modulus,
  inject: 'inject',
  members: ['setValue', 'get value', 'get bitCount', 'get isZero', 'get isPrime', 'save', 'saveArray', 'load', 'loadArray'],
  take: (other) => new Modulus(other.value()),
}

export const makeModulus = (value: unknown): ModulusFacade => facade(SHAPE, new Modulus(modulusOf(value)))

setModulusAccess((value) => new Modulus(value), (instance) => checkInner(instance, Modulus).value())

type Bits = 128 | 192 | 256

export const CoeffModulus: CoeffModuli = {
  MaxBitCount(degree, level = SecurityLevel.tc128) {
    return maxBitCount(uint32(degree), numberOf(level))
  },
  BFVDefault(degree, level = SecurityLevel.tc128) {
    const bits = numberOf(level)
    if (CoeffModulus.MaxBitCount(degree) === 0) throw new Error('non-standard poly_modulus_degree')
    if (bits === 0) throw new Error('invalid security level')
    return makeVector('Modulus', coeffModulus.default(uint32(degree), bits as Bits))
  },
  Create(degree, bitSizes) {
    if (bitSizes.constructor !== Int32Array) throw new Error('Unsupported argument type! `bitSizes` must be an Int32Array')
    return makeVector('Modulus', primes(degree, bitSizes, (n) => coeffModulus.create(n, bitSizes)))
  },
}

export const PlainModulus: PlainModuli = {
  Batching(degree, bitSize) {
    const bits = int32(bitSize)
    return makeModulus(primes(degree, Int32Array.of(bits), (n) => BigUint64Array.of(plainModulus.batching(n, bits)))[0])
  },
  BatchingVector(degree, bitSizes) {
    const sizes = bitSizesOf(bitSizes)
    const vector = makeVector('Modulus', primes(degree, sizes, (n) => plainModulus.batchingMany(n, sizes)))
    // What node-seal returns here has this class.
    return Object.defineProperty(vector, 'constructor', { value: VectorModulus, configurable: true, writable: true })
  },
}

/** Calls a search for primes after the checks of what is asked for. */
function primes(degree: unknown, bitSizes: Int32Array, search: (degree: number) => BigUint64Array): BigUint64Array {
  const n = uint32(degree)
  if (n < 2 || n > 131072 || (n & (n - 1)) !== 0) throw new Error('poly_modulus_degree is invalid')
  if (bitSizes.length === 0) return new BigUint64Array()
  if (bitSizes.length > 256) throw new Error('bit_sizes is invalid')
  if (bitSizes.some((bits) => bits < 2 || bits > 60)) throw new Error('bit_sizes is invalid')
  return guarded(() => {
    try {
      return search(n)
    } catch (error) {
      if (error instanceof PhocaError) throw new Error('failed to find enough qualifying primes', { cause: error })
      throw error
    }
  }, 'Create')
}
