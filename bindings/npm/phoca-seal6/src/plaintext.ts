// Plaintexts: a changeable box around the engine's unchangeable ones.

import { coeffModulus, type Compression, Context, Plaintext as Core } from 'phoca'
import type { Context as ContextFacade } from '../implementation/context.js'
import type { ParmsIdType as ParmsIdFacade } from '../implementation/parms-id-type.js'
import type { PlainText, PlainTextConstructorParams } from '../implementation/plain-text.js'
import { contextOfArgument } from './context.js'
import { checkPool, MemoryPoolHandle } from './enums.js'
import { facade, inner, type Shape } from './facade.js'
import { load } from './files.js'
import { wordCount } from './numbers.js'
import { makeParmsId } from './parameters.js'
import { Stored } from './stored.js'

export class Plaintext extends Stored {
  static override readonly name = 'Plaintext'
  /** Nothing while all coefficients are zero and no engine's object was needed. */
  #value: Core | undefined
  #zeros: number
  #capacity: number
  #scale = 1

  constructor(capacity = 0, coeffCount = 0) {
    super()
    this.#zeros = coeffCount
    this.#capacity = capacity
  }

  /** The engine's plaintext, for a context. */
  use(context: Context = detachedContext()): Core {
    this.#value ??= Core.fromCoefficients(context, new BigUint64Array(this.#zeros))
    if (this.#value.scale !== this.#scale) this.#replace(this.#value.withScale(this.#scale))
    return this.#value
  }

  /** Checks that a context can use it, and gives the engine's plaintext. */
  operand(context: Context): Core {
    const invalid = (cause?: unknown): Error => new Error('plain is not valid for encryption parameters', { cause })
    let core: Core
    try {
      core = this.use(context)
    } catch (cause) {
      throw invalid(cause)
    }
    if (!core.isValidFor(context)) throw invalid()
    return core
  }

  /** Takes a result. */
  assign(value: Core, scale = value.scale): void {
    this.#replace(value)
    this.#scale = scale
    this.#capacity = Math.max(this.#capacity, value.coeffCount)
  }

  reserve(given: unknown): void {
    const capacity = wordCount(given)
    this.#needCoefficients()
    if (capacity < this.coeffCount()) this.resize(capacity)
    this.#capacity = capacity
  }

  shrinkToFit(): void {
    this.#capacity = this.coeffCount()
  }

  release(): void {
    this.#replace(undefined)
    this.#zeros = this.#capacity = 0
    this.#scale = 1
  }

  resize(given: unknown): void {
    const count = wordCount(given)
    this.#needCoefficients()
    const old = this.#value
    if (old === undefined) {
      this.#zeros = count
    } else if (count !== old.coeffCount) {
      const coefficients = new BigUint64Array(count)
      coefficients.set(old.words().subarray(0, count))
      this.#replace(Core.fromCoefficients(old.context, coefficients))
    }
    this.#capacity = Math.max(this.#capacity, count)
  }

  setZero(): void {
    const old = this.#value
    if (old === undefined) return
    if (!old.isNttForm) {
      this.#zeros = old.coeffCount
      this.#replace(undefined)
      return
    }
    const bytes = old.toBytes()
    bytes.fill(0, bytes.length - 8 * old.coeffCount)
    this.#replace(Core.load(old.context, bytes))
  }

  isZero(): boolean {
    return this.#value?.isZero ?? true
  }

  capacity(): number {
    return this.#capacity
  }

  coeffCount(): number {
    return this.#value?.coeffCount ?? this.#zeros
  }

  significantCoeffCount(): number {
    return this.#value?.significantCoeffCount ?? 0
  }

  nonzeroCoeffCount(): number {
    return this.#value?.nonzeroCoeffCount ?? 0
  }

  toPolynomial(): string {
    if (this.isNttForm()) throw new Error('cannot convert NTT transformed plaintext to string')
    return this.#value?.toPolynomial() ?? '0'
  }

  isNttForm(): boolean {
    return this.#value?.isNttForm ?? false
  }

  parmsId(): ParmsIdFacade {
    return makeParmsId(this.#value?.parmsId ?? new BigUint64Array(4))
  }

  scale(): number {
    return this.#scale
  }

  setScale(scale: unknown): void {
    this.#scale = +(scale as number)
  }

  pool(): unknown {
    return MemoryPoolHandle.global
  }

  protected file(compression: Compression): Uint8Array {
    return this.use().toBytes({ compression })
  }

  /** One that cannot be used will do. */
  protected override contextOf(context: ContextFacade): Context {
    return contextOfArgument(context).context!
  }

  copy(other: { readonly instance: unknown }): void {
    const from = inner(other, Plaintext)
    if (from === this) return
    this.#replace(from.#value?.copy())
    this.#zeros = from.#zeros
    this.#scale = from.#scale
    this.#capacity = Math.max(this.#capacity, this.coeffCount())
  }

  clone(): PlainText {
    const copy = new Plaintext()
    copy.#value = this.#value?.copy()
    copy.#zeros = this.#zeros
    copy.#scale = this.#scale
    copy.#capacity = copy.coeffCount()
    return wrapPlain(copy)
  }

  protected free(): void {
    this.#value?.delete()
  }

  protected read(context: Context, bytes: unknown): void {
    this.assign(load(bytes, { data: 'Plaintext', metadata: 'plaintext' }, (array) => Core.load(context, array)))
  }

  #replace(value: Core | undefined): void {
    if (value === this.#value) return
    this.#value?.delete()
    this.#value = value
  }

  #needCoefficients(): void {
    if (this.isNttForm()) throw new Error('cannot reserve for an NTT transformed Plaintext')
  }
}

const SHAPE: Shape<Plaintext> = {
  Class: Plaintext,
  inject: 'unsafeInject',
  members: ['reserve', 'shrinkToFit', 'release', 'resize', 'setZero', 'get isZero', 'get capacity', 'get coeffCount',
    'get significantCoeffCount', 'get nonzeroCoeffCount', 'toPolynomial', 'get isNttForm', 'get parmsId', 'get scale', 'setScale', 'get pool',
    'save', 'saveArray', 'load', 'loadArray', 'copy', 'clone', 'move'],
}

export const wrapPlain = (plaintext: Plaintext): PlainText => facade(SHAPE, plaintext)

export function makePlain({ capacity, coeffCount, pool }: PlainTextConstructorParams = {}): PlainText {
  if (capacity !== undefined && coeffCount === undefined) throw new Error('Must specify a (coeffCount), (coeffCount, capacity)')
  checkPool(pool)
  const count = wordCount(coeffCount ?? 0)
  const size = capacity === undefined ? count : wordCount(capacity)
  if (size < count) throw new Error('capacity cannot be smaller than size')
  return wrapPlain(new Plaintext(size, count))
}

let detached: Context | undefined

/** A context for plaintexts that were not used with any. */
function detachedContext(): Context {
  detached ??= new Context({ scheme: 'ckks', degree: 8, coeffModulus: coeffModulus.create(8, [30]) }, { security: 'none' })
  return detached
}
