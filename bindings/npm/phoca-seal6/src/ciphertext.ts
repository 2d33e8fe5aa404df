// Ciphertexts: a changeable box around the engine's unchangeable ones.

import { Ciphertext as Core, type Context, type Level } from 'phoca'
import type { CipherText, CipherTextConstructorParams } from '../implementation/cipher-text.js'
import type { Context as ContextFacade } from '../implementation/context.js'
import type { ParmsIdType as ParmsIdFacade } from '../implementation/parms-id-type.js'
import { contextOfArgument } from './context.js'
import { checkPool, MemoryPoolHandle } from './enums.js'
import { facade, inner, Inner, type Shape } from './facade.js'
import { EMPTY_WORDS, fromBase64, joined, load, rawFile, saveArray, toBase64, words } from './files.js'
import { uint32 } from './numbers.js'
import { makeParmsId } from './parameters.js'

const MAX_SIZE = 16
/** Bytes of a file before its words, and where the size and the number of words are. */
const FILE = { words: 113, size: 16 + 32 + 1, wordCount: 105, inner: 89 }

/** Where a ciphertext belongs. */
interface Place {
  context: Context
  level: Level
}

export class Ciphertext extends Inner {
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
      this.#replace(resized(old, capacity))
    }
    this.#capacity = capacity
  }

  resize(given: unknown): void {
    const size = uint32(given)
    if (size === 1 || size > MAX_SIZE) throw new Error('invalid size')
    const old = this.#value
    if (old !== undefined) this.#replace(size === 0 ? undefined : resized(old, size))
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

  save(mode?: unknown): string {
    return toBase64(this.saveArray(mode))
  }

  saveArray(mode?: unknown): Uint8Array {
    const core = this.#scaled('encrypted')
    return saveArray((compression) => core?.toBytes({ compression, seeds: false }) ?? this.#emptyFile(compression), mode)
  }

  load(context: ContextFacade, encoded: unknown): void {
    const core = contextOfArgument(context).use()
    this.#load(core, fromBase64(encoded))
  }

  loadArray(context: ContextFacade, array: unknown): void {
    this.#load(contextOfArgument(context).use(), array)
  }

  copy(other: CipherText): void {
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

  move(other: CipherText): void {
    this.copy(other)
    other.delete()
  }

  protected free(): void {
    this.#value?.delete()
  }

  #load(context: Context, bytes: unknown): void {
    this.assign(load(bytes, 'ciphertext data is invalid', (array) => Core.load(context, array)))
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

  #emptyFile(compression: 'none' | 'zlib' | 'zstd'): Uint8Array {
    const id = this.#place?.level.parmsId ?? new BigUint64Array(4)
    const shape = words(BigInt(this.#size), BigInt(this.polyModulusDegree()), BigInt(this.coeffModulusSize()), this.#scale, 1n)
    return rawFile(joined(words(...id), Uint8Array.of(0), shape, EMPTY_WORDS), compression)
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

/** The same with zero polynomials behind, or without its last ones. */
function resized(core: Core, size: number): Core {
  const bytes = core.toBytes({ seeds: false })
  const wordCount = size * core.degree * core.primeCount
  return loadWords(core.context, bytes.subarray(0, FILE.words), bytes.subarray(FILE.words), size, wordCount)
}

/** Polynomials of zeros. */
function zeros({ context, level }: Place, size: number): Core {
  const shape = words(BigInt(size), BigInt(context.degree), BigInt(level.primeCount), 1, 1n)
  const isNtt = context.scheme === 'bfv' ? 0 : 1
  const head = rawFile(joined(words(...level.parmsId), Uint8Array.of(isNtt), shape, EMPTY_WORDS), 'none')
  return loadWords(context, head, new Uint8Array(), size, size * context.degree * level.primeCount)
}

/** The ciphertext of a file's head and its words, with another size. */
function loadWords(context: Context, head: Uint8Array, data: Uint8Array, size: number, wordCount: number): Core {
  const bytes = new Uint8Array(FILE.words + 8 * wordCount)
  bytes.set(head)
  bytes.set(data.subarray(0, 8 * wordCount), FILE.words)
  const view = new DataView(bytes.buffer)
  view.setBigUint64(8, BigInt(bytes.length), true)
  view.setBigUint64(FILE.size, BigInt(size), true)
  view.setBigUint64(FILE.inner + 8, BigInt(24 + 8 * wordCount), true)
  view.setBigUint64(FILE.wordCount, BigInt(wordCount), true)
  return Core.load(context, bytes)
}
