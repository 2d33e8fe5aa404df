// Moduli, vectors of them, and how to choose them.

import { coeffModulus, isPrime, loadModulus, plainModulus } from 'phoca'
import { bitCount, frame, maxBitCount, modulusFile } from 'phoca/seal-compat'
import { any, bool, type Class, int32Array, int, makeFunction, nothing, type Type, uint, word } from './binding.js'
import { LibraryErrors } from './exception.js'
import type { Library } from './library.js'
import { type Saved, withLoading, withSaving } from './saving.js'

/** What SEAL says of a number that can be no modulus. */
export const INVALID_VALUE = 'value can be at most 61-bit and cannot be 1'

/** A number that is 0, or of 2 to 61 bits. */
export class ModulusBox implements Saved {
  constructor(public value: bigint) {
    checkModulus(value)
  }

  set(value: bigint): void {
    this.value = checkModulus(value)
  }

  save(mode: number): Uint8Array {
    return frame(modulusFile(this.value), mode)
  }
}

/** Far more moduli than parameters may have. */
const VECTOR_LIMIT = 1 << 20

/** Moduli one after another. */
export class ModulusVector {
  constructor(readonly values: bigint[] = []) {}

  resize(size: number, value: bigint): void {
    if (size > VECTOR_LIMIT) throw LibraryErrors.of(['std::length_error', 'vector'])
    const { values } = this
    while (values.length < size) values.push(value)
    values.length = size
  }
}

function checkModulus(value: bigint): bigint {
  if (value === 1n || value >= 1n << 61n) throw LibraryErrors.invalidArgument(INVALID_VALUE)
  return value
}

/** Defines `Modulus`, `VectorModulus`, `CoeffModulus` and `PlainModulus`. */
export function defineModuli(library: Library) {
  const { compression } = library.enums
  const Modulus = library.define<ModulusBox>('Modulus')
    .init([word], (value) => new ModulusBox(value))
    .method('const*', 'isZero', [], bool, (self) => self.value === 0n)
    .method('const*', 'isPrime', [], bool, (self) => self.value > 1n && isPrime(self.value))
    .method('const*', 'bitCount', [], int, (self) => bitCount(self.value))
  withSaving(Modulus, compression)
  withLoading(Modulus, [], { value: INVALID_VALUE }, (self, bytes) => self.set(loadModulus(bytes)))
    .method('function', 'setValue', [word], nothing, (self, value) => self.set(value))
    .method('const*', 'value', [], word, (self) => self.value)
  const VectorModulus = defineVector(library, Modulus)
  defineChoices(library, Modulus, VectorModulus)
  return { Modulus, VectorModulus }
}

function defineVector(library: Library, Modulus: Class<ModulusBox>): Class<ModulusVector> {
  const VectorModulus = library.define<ModulusVector>('VectorModulus')
    .init([], () => new ModulusVector())
    .method('function', 'push_back', [Modulus], nothing, (self, { value }) => void self.values.push(value))
    .method('function', 'resize', [uint, Modulus], nothing, (self, size, { value }) => self.resize(size, value))
    .method('function', 'size', [], uint, (self) => self.values.length)
    .method('function', 'get', [uint], any, (self, index) => {
      const value = self.values[index]
      return value === undefined ? undefined : Modulus.to(new ModulusBox(value))
    })
    .method('function', 'set', [uint, Modulus], bool, (self, index, { value }) => {
      // node-seal writes beyond the end, and says so of every index that it was set.
      if (index < self.values.length) self.values[index] = value
      return true
    })
  library.export('jsArrayFromVecModulus', makeFunction('jsArrayFromVecModulus', [VectorModulus], any, (vector) => [...vector.values]))
  library.export('vecFromArrayModulus', makeFunction('vecFromArrayModulus', [any], VectorModulus, (array) => {
    const elements = array as ArrayLike<unknown>
    return new ModulusVector(Array.from({ length: elements.length >>> 0 }, (_, index) => Modulus.from(elements[index]).value))
  }))
  return VectorModulus
}

function defineChoices(library: Library, Modulus: Class<ModulusBox>, VectorModulus: Class<ModulusVector>): void {
  const security: Type<number> = library.enums.security
  library.define('CoeffModulus')
    .static('MaxBitCount', [uint, security], int, maxBitCount)
    .static('BFVDefault', [uint, security], VectorModulus, (degree, security) => {
      if (![128, 192, 256].includes(security)) throw LibraryErrors.invalidArgument('invalid security level')
      return vectorOf(coeffModulus.default(degree, security as 128))
    })
    .static('Create', [uint, any], VectorModulus, (degree, sizes) => vectorOf(createPrimes(degree, int32Array(sizes), 'coeff')))
  library.define('PlainModulus')
    .static('Batching', [uint, int], Modulus, (degree, bits) => new ModulusBox(createPrimes(degree, Int32Array.of(bits), 'plain')[0]!))
    .static('BatchingVector', [uint, any], VectorModulus, (degree, sizes) => vectorOf(createPrimes(degree, int32Array(sizes), 'plain')))
}

function vectorOf(values: BigUint64Array): ModulusVector {
  return new ModulusVector([...values])
}

function createPrimes(degree: number, sizes: Int32Array, kind: 'coeff' | 'plain'): BigUint64Array {
  const isDegree = degree >= 2 && degree <= 131072 && (degree & (degree - 1)) === 0
  if (!isDegree) throw LibraryErrors.invalidArgument('poly_modulus_degree is invalid')
  if (sizes.length > 64) throw LibraryErrors.invalidArgument('bit_sizes is invalid')
  if (sizes.some((bits) => bits < 2 || bits > 60)) throw LibraryErrors.invalidArgument('bit_sizes is invalid')
  if (sizes.length === 0) return new BigUint64Array(0)
  try {
    return kind === 'coeff' ? coeffModulus.create(degree, sizes) : plainModulus.batchingMany(degree, sizes)
  } catch {
    throw LibraryErrors.logic('failed to find enough qualifying primes')
  }
}
