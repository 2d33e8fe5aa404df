// Ciphertexts: the shape of one without polynomials, or an object of phoca.

import { Ciphertext, type Context } from 'phoca'
import { ciphertextFile, COMPRESSIONS, EMPTY_CIPHERTEXT, frame } from 'phoca/seal-compat'
import type { ContextBox } from './context.js'
import { LibraryErrors } from './exception.js'
import type { Saved } from './saving.js'
import { Slot } from './slot.js'

/** A ciphertext as SEAL has it: empty at first, with a capacity. */
export class CiphertextBox implements Saved {
  readonly #slot = new Slot<Ciphertext>()
  /** What is known where there is no object: its polynomials, if it has any, are zero. */
  #shape = EMPTY_CIPHERTEXT
  #context: Context | undefined
  scale = 1
  /** In words. */
  #capacity = 0

  /** A ciphertext with room for polynomials at a level. */
  static reserved(context: ContextBox, id?: BigUint64Array, capacity = 2): CiphertextBox {
    const box = new CiphertextBox()
    box.reserve(context, capacity, id ?? context.require().firstLevel.parmsId)
    return box
  }

  put(ciphertext: Ciphertext): void {
    this.#slot.put(ciphertext)
    this.#context = ciphertext.context
    this.scale = ciphertext.scale
    this.#capacity = Math.max(this.#capacity, this.#wordsOf(this.size))
  }

  assign(other: CiphertextBox): void {
    this.#slot.share(other.#slot)
    this.#shape = other.#shape
    this.#context = other.#context
    this.scale = other.scale
    this.#capacity = Math.max(this.#capacity, this.#wordsOf(this.size))
  }

  copy(): CiphertextBox {
    const copy = new CiphertextBox()
    copy.assign(this)
    return copy
  }

  /** The ciphertext with its scale, if it has polynomials and is at a level at which there are ciphertexts. */
  get object(): Ciphertext | undefined {
    this.#materialize()
    const { object } = this.#slot
    if (object === undefined || Object.is(object.scale, this.scale)) return object
    this.#slot.put(object.withScale(this.scale))
    return this.#slot.object
  }

  get size(): number {
    return this.#slot.object?.size ?? this.#shape.size
  }

  get degree(): number {
    return this.#slot.object?.degree ?? this.#shape.degree
  }

  get primeCount(): number {
    return this.#slot.object?.primeCount ?? this.#shape.primeCount
  }

  get sizeCapacity(): number {
    const words = this.#wordsOf(1)
    return words === 0 ? 0 : Math.floor(this.#capacity / words)
  }

  get isNttForm(): boolean {
    return this.#slot.object?.isNttForm ?? this.#shape.isNttForm
  }

  get isTransparent(): boolean {
    return this.#slot.object?.isTransparent ?? true
  }

  get parmsId(): BigUint64Array {
    return this.#slot.object?.parmsId ?? this.#shape.parmsId
  }

  get correctionFactor(): number {
    return Number(this.#slot.object?.correctionFactor ?? this.#shape.correctionFactor)
  }

  release(): void {
    this.#slot.release()
    this.#shape = EMPTY_CIPHERTEXT
    this.#context = undefined
    this.scale = 1
    this.#capacity = 0
  }

  /** Makes room at a level; polynomials that do not fit go, and those of another level become zero. */
  reserve(context: ContextBox, capacity: number, id: BigUint64Array): void {
    const usable = context.require()
    const level = usable.level(id)
    if (level === undefined) throw LibraryErrors.invalidArgument('parms_id is not valid for encryption parameters')
    if (capacity < 2 || capacity > 16) throw LibraryErrors.invalidArgument('invalid size_capacity')
    const { isNttForm, size } = this
    if (usable.level(this.parmsId) !== level) {
      this.#slot.release()
      this.#shape = { ...EMPTY_CIPHERTEXT, isNttForm, size, parmsId: level.parmsId, degree: usable.degree, primeCount: level.primeCount }
    }
    this.#context = usable
    if (size > capacity) this.resize(capacity)
    this.#capacity = this.#wordsOf(capacity)
  }

  /** Cuts polynomials off, or appends zeros. */
  resize(size: number): void {
    if (size === 1 || size > 16) throw LibraryErrors.invalidArgument('invalid size')
    const { object } = this.#slot
    if (object !== undefined && size > 0) this.#slot.put(object.resized(size))
    else this.#resizeShape(size)
    this.#capacity = Math.max(this.#capacity, this.#wordsOf(size))
  }

  #resizeShape(size: number): void {
    const { parmsId, isNttForm, degree, primeCount } = this
    this.#slot.release()
    this.#shape = { ...EMPTY_CIPHERTEXT, parmsId, isNttForm, degree, primeCount, size }
  }

  /** Makes the object of a shape whose polynomials are zero. */
  #materialize(): void {
    const context = this.#context
    const { size, parmsId } = this.#shape
    if (this.#slot.object !== undefined || size === 0 || context === undefined) return
    if (context.level(parmsId)!.chainIndex > context.firstLevel.chainIndex) return
    const empty = ciphertextFile({ ...this.#shape, scale: 1, size: 0 }, new BigUint64Array())
    this.#slot.put(Ciphertext.load(context, empty).resized(size))
  }

  save(mode: number): Uint8Array {
    const { object } = this
    if (object === undefined) {
      return frame(ciphertextFile({ ...this.#shape, scale: this.scale }, new BigUint64Array(this.#wordsOf(this.#shape.size))), mode)
    }
    return object.toBytes({ compression: COMPRESSIONS[mode]!, seeds: false })
  }

  load(context: Context, bytes: Uint8Array): void {
    this.put(Ciphertext.load(context, bytes))
  }

  #wordsOf(size: number): number {
    return size * this.degree * this.primeCount
  }
}

/** A ciphertext that can be saved only: its file has a seed in the place of its random half where there is one. */
export class SerializableBox implements Saved {
  readonly #slot = new Slot<{ toBytes: Ciphertext['toBytes'], delete(): void }>()

  constructor(object: { toBytes: Ciphertext['toBytes'], delete(): void }) {
    this.#slot.put(object)
  }

  save(mode: number): Uint8Array {
    return this.#slot.object!.toBytes({ compression: COMPRESSIONS[mode]! })
  }

  release(): void {
    this.#slot.release()
  }
}
