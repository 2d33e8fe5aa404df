// Plaintexts: coefficients that can be changed, or an object of phoca.

import { type Context, Plaintext } from 'phoca'
import { COMPRESSIONS, frame, plaintextFile } from 'phoca/seal-compat'
import { LibraryErrors } from './exception.js'
import type { Saved } from './saving.js'
import { Slot } from './slot.js'

const NO_ID = new BigUint64Array(4)
/** More coefficients than any plaintext has: the largest degree times the most primes. */
const LIMIT = 2 ** 25

/** A plaintext as SEAL has it: with a length and a capacity of its own. */
export class PlaintextBox implements Saved {
  /** The plaintext where phoca has made it. */
  readonly #slot = new Slot<Plaintext>()
  /** Its coefficients where there is no object. */
  #words = new BigUint64Array(0)
  scale = 1
  capacity: number

  constructor(capacity = 0, coeffCount = 0) {
    if (Math.max(capacity, coeffCount) > LIMIT) throw LibraryErrors.logic('unsigned overflow')
    if (capacity < coeffCount) throw LibraryErrors.invalidArgument('capacity cannot be smaller than size')
    this.capacity = capacity
    this.#words = new BigUint64Array(coeffCount)
  }

  /** Takes a plaintext of phoca's. */
  put(plaintext: Plaintext): void {
    this.#slot.put(plaintext)
    this.#words = NO_ID.slice(0, 0)
    this.scale = plaintext.scale
    this.capacity = Math.max(this.capacity, plaintext.coeffCount)
  }

  assign(other: PlaintextBox): void {
    this.#slot.share(other.#slot)
    this.#words = other.#words.slice()
    this.scale = other.scale
    this.capacity = Math.max(this.capacity, other.coeffCount)
  }

  copy(): PlaintextBox {
    const copy = new PlaintextBox()
    copy.assign(this)
    return copy
  }

  /** The plaintext for an operation in a context. */
  object(context: Context): Plaintext {
    const object = this.#slot.object ?? Plaintext.fromCoefficients(context, this.#words)
    const scaled = object.scale === this.scale ? object : object.withScale(this.scale)
    if (scaled !== this.#slot.object) this.#slot.put(scaled)
    this.#words = NO_ID.slice(0, 0)
    return scaled
  }

  get words(): BigUint64Array {
    return this.#slot.object?.words() ?? this.#words
  }

  get coeffCount(): number {
    return this.#slot.object?.coeffCount ?? this.#words.length
  }

  get significantCoeffCount(): number {
    const { words } = this
    let count = words.length
    while (count > 0 && words[count - 1] === 0n) count -= 1
    return count
  }

  get nonzeroCoeffCount(): number {
    return this.words.reduce((count, word) => word === 0n ? count : count + 1, 0)
  }

  get isZero(): boolean {
    return this.words.every((word) => word === 0n)
  }

  get isNttForm(): boolean {
    return this.#slot.object?.isNttForm ?? false
  }

  get parmsId(): BigUint64Array {
    return this.#slot.object?.parmsId ?? NO_ID
  }

  reserve(capacity: number): void {
    this.#requireCoefficients()
    if (capacity > LIMIT) throw LibraryErrors.logic('unsigned overflow')
    this.capacity = capacity
    if (capacity < this.coeffCount) this.#setWords(this.words.slice(0, capacity))
  }

  shrinkToFit(): void {
    this.capacity = this.coeffCount
  }

  release(): void {
    this.#setWords(NO_ID.slice(0, 0))
    this.scale = 1
    this.capacity = 0
  }

  resize(coeffCount: number): void {
    this.#requireCoefficients()
    if (coeffCount > LIMIT) throw LibraryErrors.logic('unsigned overflow')
    const words = new BigUint64Array(coeffCount)
    words.set(this.words.subarray(0, coeffCount))
    this.#setWords(words)
    this.capacity = Math.max(this.capacity, coeffCount)
  }

  setZero(): void {
    const { object } = this.#slot
    const zeros = new BigUint64Array(this.coeffCount)
    if (object?.isNttForm) this.#slot.put(Plaintext.load(object.context, plaintextFile(object.parmsId, 1, zeros)))
    else this.#setWords(zeros)
  }

  toString(): string {
    if (this.isNttForm) throw LibraryErrors.invalidArgument('cannot convert NTT transformed plaintext to string')
    const terms: string[] = []
    this.words.forEach((word, power) => {
      if (word !== 0n) terms.unshift(word.toString(16).toUpperCase() + (power === 0 ? '' : `x^${power}`))
    })
    return terms.join(' + ') || '0'
  }

  save(mode: number): Uint8Array {
    const { object } = this.#slot
    if (object === undefined) return frame(plaintextFile(NO_ID, this.scale, this.#words), mode)
    return this.object(object.context).toBytes({ compression: COMPRESSIONS[mode]! })
  }

  load(context: Context, bytes: Uint8Array): void {
    this.put(Plaintext.load(context, bytes))
  }

  #setWords(words: BigUint64Array<ArrayBuffer>): void {
    this.#slot.put(undefined)
    this.#words = words
  }

  #requireCoefficients(): void {
    if (this.isNttForm) throw LibraryErrors.logic('cannot reserve for an NTT transformed Plaintext')
  }
}
