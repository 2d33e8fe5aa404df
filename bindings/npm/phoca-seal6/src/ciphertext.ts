// Ciphertexts: a changeable box around the engine's unchangeable ones.

import { Ciphertext as Core, type Compression, type Context, type Level } from 'phoca'
import { ciphertextFile, EMPTY_CIPHERTEXT } from 'phoca/seal-compat'
import type { CipherText, CipherTextConstructorParams } from '../implementation/cipher-text.js'
import type { Context as ContextFacade } from '../implementation/context.js'
import type { ParmsIdType as ParmsIdFacade } from '../implementation/parms-id-type.js'
import { contextOfArgument } from './context.js'
import { checkPool, MemoryPoolHandle } from './enums.js'
import { facade, inner, type Shape } from './facade.js'
import { framed, load } from './files.js'
import { uint32 } from './numbers.js'
import { makeParmsId } from './parameters.js'
import { Stored } from './stored.js'

const MAX_SIZE = 16

/** Where a ciphertext belongs. */
interface Place {
  context: Context
  level: Level
}

export class Ciphertext extends Stored {
  static override readonly name = 'Ciphertext'
  /** Nothing where there are no polynomials. */
  #value: Core | undefined
  /** Where one without polynomials belongs, if anywhere. */
  #place: Place | undefined
  /** The size of one that belongs nowhere. */
  #size = 0
  #capacity: number
  #scale = 1

  constructor(place?: Place, capacity = place === undefined ? 0 : 2) {
    super()
    this.#place = place
    this.#capacity = capacity
  }

  /** The engine's ciphertext, checked to be one of a context; `name` is what SEAL calls it. */
  operand(context: Context, name: string): Core {
    if (context.scheme === 'ckks' ? this.#scale === 0 : this.#scale !== 1) throw invalid(name)
    const core = this.#scaled(name)
    if (core === undefined || !(core.context === context || core.isValidFor(context))) throw invalid(name)
    return core
  }

  /** Whether there is nothing in it, but at a level of a context. */
  isEmptyFor(context: Context): boolean {
    return this.#value === undefined && this.#place !== undefined && context.level(this.#place.level.parmsId) !== undefined
  }

  /** Takes a result. */
  assign(value: Core, scale = value.scale): void {
    this.#replace(value)
    this.#scale = scale
    this.#capacity = Math.max(this.#capacity, value.size)
  }

  reserve(context: ContextFacade, given: unknown): void {
    const core = contextOfArgument(context).use()
    const capacity = checkCapacity(given)
    const old = this.#value
    if (old === undefined) {
      this.#place = { context: core, level: core.firstLevel }
    } else if (old.size > capacity) {
      this.#replace(old.resized(capacity))
    }
    this.#capacity = capacity
  }

  resize(given: unknown): void {
    const size = uint32(given)
    if (size === 1 || size > MAX_SIZE) throw new Error('invalid size')
    const old = this.#value
    if (old !== undefined) this.#replace(size === 0 ? undefined : old.resized(size))
    else if (this.#place === undefined) this.#size = size
    else if (size > 0) this.#replace(zeros(this.#place, size))
    if (this.#value !== undefined || this.#place !== undefined) this.#capacity = Math.max(this.#capacity, size)
  }

  release(): void {
    this.#replace(undefined)
    this.#place = undefined
    this.#size = this.#capacity = 0
    this.#scale = 1
  }

  coeffModulusSize(): number {
    return this.#value?.primeCount ?? this.#place?.level.primeCount ?? 0
  }

  polyModulusDegree(): number {
    return this.#value?.degree ?? this.#place?.context.degree ?? 0
  }

  size(): number {
    return this.#value?.size ?? this.#size
  }

  sizeCapacity(): number {
    return this.#capacity
  }

  isTransparent(): boolean {
    return this.#value?.isTransparent ?? true
  }

  isNttForm(): boolean {
    return this.#value?.isNttForm ?? false
  }

  parmsId(): ParmsIdFacade {
    return makeParmsId(this.#value?.parmsId ?? this.#place?.level.parmsId.slice() ?? new BigUint64Array(4))
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
    return this.#scaled('encrypted')?.toBytes({ compression, seeds: false }) ?? framed(this.#emptyFile(), compression)
  }

  copy(other: { readonly instance: unknown }): void {
    const from = inner(other, Ciphertext)
    if (from === this) return
    this.#replace(from.#value?.copy())
    this.#place = from.#place
    this.#size = from.#size
    this.#scale = from.#scale
    this.#capacity = Math.max(this.#capacity, from.size())
  }

  clone(): CipherText {
    const copy = new Ciphertext(this.#place, this.#capacity)
    copy.#value = this.#value?.copy()
    copy.#size = this.#size
    copy.#scale = this.#scale
    return wrapCipher(copy)
  }

  protected free(): void {
    this.#value?.delete()
  }

  protected read(context: Context, bytes: unknown): void {
    this.assign(load(bytes, { data: 'ciphertext' }, (array) => Core.load(context, array)))
  }

  /** The engine's ciphertext, with the scale that was set. */
  #scaled(name: string): Core | undefined {
    if (this.#value === undefined || this.#value.scale === this.#scale) return this.#value
    try {
      this.#replace(this.#value.withScale(this.#scale))
    } catch (cause) {
      throw invalid(name, cause)
    }
    return this.#value
  }

  #replace(value: Core | undefined): void {
    if (value === this.#value) return
    const old = this.#value
    if (old !== undefined && value === undefined) this.#place = { context: old.context, level: old.level }
    this.#value = value
    old?.delete()
  }

  #emptyFile(): Uint8Array {
    const { parmsId } = this.#place?.level ?? EMPTY_CIPHERTEXT
    return ciphertextFile({
      ...EMPTY_CIPHERTEXT,
      parmsId,
      size: this.#size,
      degree: this.polyModulusDegree(),
      primeCount: this.coeffModulusSize(),
      scale: this.#scale,
    }, new BigUint64Array())
  }
}

const SHAPE: Shape<Ciphertext> = {
  Class: Ciphertext,
  inject: 'unsafeInject',
  members: ['reserve', 'resize', 'release', 'get coeffModulusSize', 'get polyModulusDegree', 'get size', 'get sizeCapacity',
    'get isTransparent', 'get isNttForm', 'get parmsId', 'get scale', 'setScale', 'get pool', 'save', 'saveArray', 'load', 'loadArray',
    'copy', 'clone', 'move'],
}

export const wrapCipher = (ciphertext: Ciphertext): CipherText => facade(SHAPE, ciphertext)

export function makeCipher({ context, parmsId, sizeCapacity, pool }: CipherTextConstructorParams = {}): CipherText {
  const isComplete = context ? parmsId || sizeCapacity === undefined : !parmsId && sizeCapacity === undefined
  if (!isComplete) throw new Error('Must specify a (context), (context, parmsId), or (context, parmsId, sizeCapacity)')
  if (!context) {
    checkPool(pool)
    return wrapCipher(new Ciphertext())
  }
  const outer = contextOfArgument(context)
  const level = parmsId ? outer.levelOf(parmsId) : outer.use().firstLevel
  checkPool(pool)
  const place = { context: outer.use(), level }
  return wrapCipher(new Ciphertext(place, sizeCapacity === undefined ? 2 : checkCapacity(sizeCapacity)))
}

function checkCapacity(given: unknown): number {
  const capacity = uint32(given)
  if (capacity < 2 || capacity > MAX_SIZE) throw new Error('invalid size_capacity')
  return capacity
}

function invalid(name: string, cause?: unknown): Error {
  return new Error(`${name} is not valid for encryption parameters`, { cause })
}

/** Polynomials of zeros. */
function zeros({ context, level: { parmsId, primeCount } }: Place, size: number): Core {
  const empty = ciphertextFile({ ...EMPTY_CIPHERTEXT, parmsId, degree: context.degree, primeCount }, new BigUint64Array())
  return Core.load(context, empty).resized(size)
}
