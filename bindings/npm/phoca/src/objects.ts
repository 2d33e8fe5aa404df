// Plaintexts and ciphertexts.

import { core } from './core.js'
import type { Context, Level } from './context.js'
import { argumentError } from './errors.js'
import { checkBytes, collect, readAll, type SaveOptions, type Source, stream } from './files.js'
import { Kept, Movable, type Mover, Owned, passable } from './memory.js'
import type * as glue from '../wasm/phoca.js'

/**
 * A plaintext: what an encoder makes and a decryptor gives. Immutable.
 */
export class Plaintext extends Owned<Movable<glue.Plaintext>> {
  /** The context that it is used with. */
  readonly context: Context

  /** @internal */
  constructor(handle: glue.Plaintext, context: Context) {
    super(new Movable(handle, 8 * handle.coeffCount, moversOf(context).plaintext))
    this.context = context
  }

  /** The plaintext with these coefficients, the constant one first. */
  static fromCoefficients(context: Context, coefficients: BigUint64Array): Plaintext {
    if (!(coefficients instanceof BigUint64Array)) throw argumentError('coefficients', 'a BigUint64Array', coefficients)
    return new Plaintext(core().Plaintext.fromCoefficients(passable(coefficients)), context)
  }

  /**
   * The plaintext that a polynomial in SEAL's notation denotes: `1Fx^3 + 2x^1 + 7`, terms from high to low, coefficients in
   * hexadecimal.
   */
  static parse(context: Context, polynomial: string): Plaintext {
    const text = String(polynomial)
    core().requireMemory(4 * text.length)
    return new Plaintext(core().Plaintext.parse(text), context)
  }

  /** The plaintext in a file of SEAL's. */
  static load(context: Context, bytes: Uint8Array): Plaintext {
    return new Plaintext(core().Plaintext.load(checkBytes(bytes), context.handle), context)
  }

  /** As {@link load}, from a stream. */
  static async loadStream(context: Context, source: Source): Promise<Plaintext> {
    return Plaintext.load(context, await readAll(source))
  }

  /** The file, in SEAL's format. */
  toBytes(options: SaveOptions = {}): Uint8Array {
    return collect(this.handle.get(), options)
  }

  /** The file as a stream. */
  save(options: SaveOptions = {}): ReadableStream<Uint8Array> {
    return stream(() => this.handle.get(), options)
  }

  /** The polynomial in SEAL's notation; an error in NTT form, in which there are no coefficients. */
  toPolynomial(): string {
    return this.handle.get().format()
  }

  /** The words: coefficients, or residues in NTT form, prime after prime. */
  words(): BigUint64Array {
    return this.handle.get().words()
  }

  get coeffCount(): number {
    return this.handle.get().coeffCount
  }

  /** Coefficients up to the last that is not zero. */
  get significantCoeffCount(): number {
    return this.handle.get().significantCoeffCount
  }

  get nonzeroCoeffCount(): number {
    return this.handle.get().nonzeroCoeffCount
  }

  get isZero(): boolean {
    return this.handle.get().isZero
  }

  get isNttForm(): boolean {
    return this.handle.get().isNttForm
  }

  /** The id of its level; zero in coefficient form. */
  get parmsId(): BigUint64Array {
    return this.handle.get().parmsId
  }

  /** CKKS: what the values were multiplied by. */
  get scale(): number {
    return this.handle.get().scale
  }

  /** The same with another scale, which multiplies the values by the ratio of both. */
  withScale(scale: number): Plaintext {
    return new Plaintext(this.handle.get().withScale(checkNumber('scale', scale)), this.context)
  }

  /** Whether words and metadata are equal. */
  equals(other: Plaintext): boolean {
    return this.handle.get().equals(other.handle.get())
  }

  /** Whether the context can use it. */
  isValidFor(context: Context): boolean {
    return this.handle.get().isValidFor(context.handle)
  }

  /** A copy that is freed by itself. */
  copy(): Plaintext {
    return new Plaintext(this.handle.get().copy(), this.context)
  }
}

/**
 * A ciphertext. Immutable: each operation gives a new one.
 */
export class Ciphertext extends Owned<Movable<glue.Ciphertext>> {
  /** The context that it belongs to. */
  readonly context: Context

  /** @internal */
  constructor(handle: glue.Ciphertext, context: Context) {
    super(new Movable(handle, handle.byteLength, moversOf(context).ciphertext))
    this.context = context
  }

  /** The ciphertext in a file of SEAL's. What is known about its noise is not in the file. */
  static load(context: Context, bytes: Uint8Array): Ciphertext {
    return new Ciphertext(core().Ciphertext.load(checkBytes(bytes), context.handle), context)
  }

  /** As {@link load}, from a stream. */
  static async loadStream(context: Context, source: Source): Promise<Ciphertext> {
    return Ciphertext.load(context, await readAll(source))
  }

  /** The file, in SEAL's format. */
  toBytes(options: SaveOptions = {}): Uint8Array {
    return collect(this.handle.get(), options)
  }

  /** The file as a stream. */
  save(options: SaveOptions = {}): ReadableStream<Uint8Array> {
    return stream(() => this.handle.get(), options)
  }

  /** Its polynomials: 2 unless a product was not relinearized. */
  get size(): number {
    return this.handle.get().size
  }

  get degree(): number {
    return this.handle.get().degree
  }

  /** The primes that are left at its level. */
  get primeCount(): number {
    return this.handle.get().primeCount
  }

  get isNttForm(): boolean {
    return this.handle.get().isNttForm
  }

  /** Whether it decrypts without a key. */
  get isTransparent(): boolean {
    return this.handle.get().isTransparent
  }

  /** Whether its file holds a seed in the place of its random half. */
  get isSeeded(): boolean {
    return this.handle.get().isSeeded
  }

  get parmsId(): BigUint64Array {
    return this.handle.get().parmsId
  }

  /** Its level. */
  get level(): Level {
    return this.context.level(this.parmsId)!
  }

  /** CKKS: what the values are multiplied by. */
  get scale(): number {
    return this.handle.get().scale
  }

  /** BGV: the factor that modulus switching leaves on the message; 1 otherwise. */
  get correctionFactor(): bigint {
    return this.handle.get().correctionFactor
  }

  /** Bytes of its words. */
  get byteLength(): number {
    return this.handle.get().byteLength
  }

  /** The words of a polynomial, prime after prime. */
  polynomial(index: number): BigUint64Array | undefined {
    return this.handle.get().polynomial(index)
  }

  /** The same with another scale, which multiplies the values by the ratio of both. */
  withScale(scale: number): Ciphertext {
    return new Ciphertext(this.handle.get().withScale(checkNumber('scale', scale)), this.context)
  }

  /** The same without its last polynomials, or with zero ones appended, which do not change what it decrypts to. */
  resized(size: number): Ciphertext {
    if (size !== size >>> 0) throw argumentError('size', '0, or from 2 to 16', size)
    return new Ciphertext(this.handle.get().resized(size), this.context)
  }

  /**
   * BFV and BGV: how many bits of noise budget are left, without a key: for sure (`worst`), and in all but 2^-40 of cases
   * (`likely`). 0 where nothing is known, as after loading.
   */
  noiseBudget(): { worst: number, likely: number } {
    const handle = this.handle.get()
    const context = this.context.handle
    return { worst: handle.predictedBudget(context, true), likely: handle.predictedBudget(context, false) }
  }

  /** CKKS: a bound on the error of every slot, without a key; as {@link noiseBudget}. Infinite where nothing is known. */
  errorBound(): { worst: number, likely: number } {
    const handle = this.handle.get()
    const context = this.context.handle
    return { worst: handle.predictedError(context, true), likely: handle.predictedError(context, false) }
  }

  /** Whether words and metadata are equal. */
  equals(other: Ciphertext): boolean {
    return this.handle.get().equals(other.handle.get())
  }

  /** Whether the context can use it. */
  isValidFor(context: Context): boolean {
    return this.handle.get().isValidFor(context.handle)
  }

  /** A copy that is freed by itself. */
  copy(): Ciphertext {
    return new Ciphertext(this.handle.get().copy(), this.context)
  }
}

/** A rotation's step, of 32 bits: others would become one modulo 2^32, or lose their fraction. */
export function checkStep(step: number): number {
  if (!Number.isInteger(step) || step !== (step | 0)) throw argumentError('steps', 'an integer of 32 bits', step)
  return step
}

/** A Galois element, for the same reason. */
export function checkElement(element: number): number {
  if (element !== element >>> 0) throw argumentError('element', 'an odd number below 2n', element)
  return element
}

export function checkNumber(name: string, value: unknown): number {
  if (typeof value !== 'number') throw argumentError(name, 'a number', value)
  return value
}

/** How the objects of a context move between memories. */
interface Movers {
  plaintext: Mover<glue.Plaintext>
  ciphertext: Mover<glue.Ciphertext>
}

const allMovers = new WeakMap<Context, Movers>()

function moversOf(context: Context): Movers {
  let movers = allMovers.get(context)
  if (movers === undefined) {
    movers = makeMovers(context)
    allMovers.set(context, movers)
  }
  return movers
}

function makeMovers(context: Context): Movers {
  // Objects outlive a context that is deleted, and those outside need it to come back. Without any, it is freed at once.
  let kept: Kept<glue.Context> | undefined
  const keep = (): glue.Context | undefined => {
    if (!context.isDeleted) kept ??= new Kept(context.handle.share())
    return kept?.handle
  }
  return {
    plaintext: {
      store: (handle) => mayBeInFile(handle, context) && keep() !== undefined ? handle.store() : undefined,
      restore: (bytes) => core().Plaintext.restore(bytes, keep()!),
    },
    ciphertext: {
      store(handle) {
        const core = keep()
        return core && handle.store(core)
      },
      restore: (bytes) => core().Ciphertext.restore(bytes, keep()!),
    },
  }
}

/** Whether a plaintext is not at the level of keys, which files cannot have and products with diagonals take. */
function mayBeInFile(handle: glue.Plaintext, context: Context): boolean {
  if (!handle.isNttForm) return true
  const level = context.level(handle.parmsId)
  return level !== undefined && level.chainIndex <= context.firstLevel.chainIndex
}
