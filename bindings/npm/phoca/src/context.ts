// Parameters, contexts and their levels.

import { core } from './core.js'
import { argumentError, PhocaError } from './errors.js'
import { Owned, passable } from './memory.js'
import type * as glue from '../wasm/phoca.js'
import { checkBytes, collect, type Compression, compressionNumber, concatenate, type SaveOptions } from './files.js'

/** The three schemes: exact integers (BFV, BGV), or real and complex numbers with a small error (CKKS). */
export type Scheme = 'bfv' | 'ckks' | 'bgv'

const SCHEMES: readonly (Scheme | undefined)[] = [undefined, 'bfv', 'ckks', 'bgv']

/** Bits of classical security that parameters are checked for; `none` checks nothing. */
export type SecurityLevel = 128 | 192 | 256 | 'none'

/** The published table of the check: `2018` is HomomorphicEncryption.org's and SEAL's, `2024` the stricter ePrint 2024/463. */
export type SecurityTable = 2018 | 2024

/** Encryption parameters as they are written down. */
export interface Parameters {
  scheme: Scheme
  /** The degree `n` of the ring: a power of two. BFV and BGV have `n` slots, CKKS has `n/2`. */
  degree: number
  /** The primes, each 1 modulo `2n`; where there are several, the last is the special prime of key switching. */
  coeffModulus: BigUint64Array
  /** The plain modulus of BFV and BGV; 0, or left out, for CKKS. */
  plainModulus?: bigint
}

export interface ContextOptions {
  /** 128 unless set. */
  security?: SecurityLevel
  /** 2018 unless set. */
  table?: SecurityTable
  /** Whether results may be such that they decrypt without a key, such as a value minus itself. Off unless set. */
  allowTransparent?: boolean
  /** Whether there is a level for each number of primes. On unless set. */
  expandChain?: boolean
}

/** Choices of the coefficient primes. */
export const coeffModulus = {
  /** One prime for each size in bits; with a plain modulus, primes that are 1 modulo it too. */
  create(degree: number, bitSizes: readonly number[] | Int32Array, plainModulus?: bigint): BigUint64Array {
    const sizes = passable(Int32Array.from(bitSizes, checkBits))
    return plainModulus === undefined
      ? core().coeffModulusCreate(degree, sizes)
      : core().coeffModulusCreateFor(degree, checkWord('plainModulus', plainModulus), sizes)
  },
  /** SEAL's default primes, as many as the security allows. */
  default(degree: number, security: 128 | 192 | 256 = 128): BigUint64Array {
    return core().coeffModulusDefault(degree, security)
  },
  /** The most bits that all primes together may have; 0 where nothing is secure. */
  maxBitCount(degree: number, security: 128 | 192 | 256 = 128, table: SecurityTable = 2018): number {
    return core().maxBitCount(degree, security, tableNumber(table))
  },
}

/** Choices of the plain modulus. */
export const plainModulus = {
  /** The largest prime of so many bits that gives slots. */
  batching(degree: number, bits: number): bigint {
    return core().plainModulusBatching(degree, Int32Array.of(checkBits(bits)))[0]!
  },
  /** One such prime for each size in bits. */
  batchingMany(degree: number, bitSizes: readonly number[] | Int32Array): BigUint64Array {
    return core().plainModulusBatching(degree, passable(Int32Array.from(bitSizes, checkBits)))
  },
}

/** One level of a context: what is left of the primes. */
export interface Level {
  /** Four words that name the level in files. */
  readonly parmsId: BigUint64Array
  /** How many levels follow. */
  readonly chainIndex: number
  readonly primeCount: number
  /** Bits of the product of its primes. */
  readonly modulusBits: number
  /** Whether each prime is larger than the one after it. */
  readonly hasDescendingModuli: boolean
  /** Whether the plain modulus is smaller than every prime. */
  readonly hasFastPlainLift: boolean
}

/**
 * Checked parameters, and everything that is computed from them.
 *
 * ```ts
 * import { coeffModulus, Context, initialize } from 'phoca'
 *
 * await initialize()
 * const context = new Context({ scheme: 'ckks', degree: 8192, coeffModulus: coeffModulus.create(8192, [60, 40, 40, 60]) })
 * ```
 *
 * @throws {@link ParametersError} that says what is wrong with the parameters, and what to change.
 */
export class Context extends Owned<glue.Context> {
  readonly parameters: Readonly<Required<Parameters>>
  readonly options: Readonly<Required<ContextOptions>>
  /** The key level first, then the data levels, each with a prime less. */
  readonly levels: readonly Level[]
  /** The level of fresh ciphertexts. */
  readonly firstLevel: Level
  readonly lastLevel: Level

  constructor(parameters: Parameters, options: ContextOptions = {}) {
    const { security = 128, table = 2018, allowTransparent = false, expandChain = true } = options
    const { scheme, degree, coeffModulus, plainModulus = 0n } = parameters
    const number = schemeNumber(scheme)
    if (!(coeffModulus instanceof BigUint64Array)) throw argumentError('coeffModulus', 'a BigUint64Array', coeffModulus)
    const primes = passable(coeffModulus).slice()
    super(new (core().Context)(number, checkDegree(degree), primes, checkWord('plainModulus', plainModulus),
      security === 'none' ? 0 : security, tableNumber(table), allowTransparent, expandChain))
    this.parameters = { scheme, degree, coeffModulus: primes, plainModulus }
    this.options = { security, table, allowTransparent, expandChain }
    const handle = this.handle
    this.levels = Array.from({ length: handle.levelCount }, (_, position) => levelOf(handle.level(position)!))
    this.firstLevel = this.levels[handle.firstPosition]!
    this.lastLevel = this.levels.at(-1)!
  }

  get scheme(): Scheme {
    return this.parameters.scheme
  }

  get degree(): number {
    return this.parameters.degree
  }

  get plainModulus(): bigint {
    return this.parameters.plainModulus
  }

  /** The level with all primes, where keys are. */
  get keyLevel(): Level {
    return this.levels[0]!
  }

  /** The values of one plaintext. */
  get slotCount(): number {
    return this.handle.slotCount
  }

  /** Whether there is a special prime, so that products and rotations have keys. */
  get supportsKeySwitching(): boolean {
    return this.handle.supportsKeySwitching
  }

  /** Whether the plain modulus has slots. */
  get supportsBatching(): boolean {
    return this.handle.supportsBatching
  }

  /** The level with an id, if it is one of this context's. */
  level(parmsId: BigUint64Array): Level | undefined {
    return this.levels.find((level) => level.parmsId.every((word, index) => word === parmsId[index]))
  }

  /** The level after a level, with a prime less. */
  nextLevel(level: Level): Level | undefined {
    return this.levels[this.levels.indexOf(this.level(level.parmsId)!) + 1]
  }

  /** Whether it was made of the same parameters, so that objects of one can be used with the other. */
  isCompatible(other: Context): boolean {
    return this.level(other.keyLevel.parmsId) === this.levels[0]
  }

  /** Gives memory that is kept for later results back. */
  freeUnusedMemory(): void {
    this.handle.freeUnusedMemory()
  }
}

/** The file of parameters, in SEAL's format. */
export function saveParameters(parameters: Parameters, options: SaveOptions = {}): Uint8Array {
  const { scheme, degree, coeffModulus, plainModulus = 0n } = parameters
  if (!(coeffModulus instanceof BigUint64Array)) throw argumentError('coeffModulus', 'a BigUint64Array', coeffModulus)
  const object = new (core().Parameters)(schemeNumber(scheme), checkDegree(degree), passable(coeffModulus), checkWord('plainModulus', plainModulus))
  try {
    return collect(object, options)
  } finally {
    object.free()
  }
}

/** The parameters in a file of SEAL's; they are checked when a context is made of them. */
export function loadParameters(bytes: Uint8Array): Required<Parameters> {
  const object = core().Parameters.load(checkBytes(bytes))
  try {
    const scheme = SCHEMES[object.scheme]
    if (scheme === undefined) throw new PhocaError('File', `there is no scheme with number ${object.scheme}`)
    return { scheme, degree: object.degree, coeffModulus: object.coeffModulus, plainModulus: object.plainModulus }
  } finally {
    object.free()
  }
}

/** The file of a modulus, in SEAL's format. */
export function saveModulus(value: bigint, compression: Compression = 'none'): Uint8Array {
  const pieces: Uint8Array[] = []
  core().saveModulus(checkWord('value', value), (piece: Uint8Array) => void pieces.push(piece), compressionNumber(compression))
  return concatenate(pieces)
}

/** The modulus in a file of SEAL's. */
export function loadModulus(bytes: Uint8Array): bigint {
  return core().loadModulus(checkBytes(bytes))
}

/** The hash of SEAL's that names parameters: BLAKE2b with 32 bytes over little-endian words. */
export function hashWords(words: BigUint64Array): BigUint64Array {
  if (!(words instanceof BigUint64Array)) throw argumentError('words', 'a BigUint64Array', words)
  return core().hashWords(passable(words))
}

/** Whether a number of at most 61 bits is a prime. */
export function isPrime(value: bigint): boolean {
  return core().isPrime(checkWord('value', value))
}

export function schemeNumber(scheme: Scheme): number {
  const number = SCHEMES.indexOf(scheme)
  if (number < 1) throw argumentError('scheme', "'bfv', 'ckks' or 'bgv'", scheme)
  return number
}

export function checkWord(name: string, value: unknown): bigint {
  if (typeof value !== 'bigint' || value < 0n || value >= 1n << 64n) {
    throw argumentError(name, 'a bigint from 0 to 2^64 - 1', value)
  }
  return value
}

/** A size in bits: one that is no integer of 32 bits would become another one. */
function checkBits(bits: number): number {
  if (!Number.isInteger(bits) || bits !== (bits | 0)) throw argumentError('bits', 'a number of bits', bits)
  return bits
}

export function checkDegree(degree: unknown): number {
  if (typeof degree !== 'number' || !Number.isInteger(degree) || degree < 0 || degree > 0xffff_ffff) {
    throw argumentError('degree', 'a power of two from 2 to 131072', degree)
  }
  return degree
}

/** The id of a level. */
export function idOf(level: Level): BigUint64Array {
  const id: unknown = level?.parmsId
  if (!(id instanceof BigUint64Array)) throw argumentError('level', 'a level of a context', level)
  return passable(id)
}

function tableNumber(table: SecurityTable): number {
  if (table !== 2018 && table !== 2024) throw argumentError('table', '2018 or 2024', table)
  return table === 2018 ? 0 : 1
}

function levelOf(level: glue.Level): Level {
  const copy = {
    parmsId: level.parmsId,
    chainIndex: level.chainIndex,
    primeCount: level.primeCount,
    modulusBits: level.modulusBits,
    hasDescendingModuli: level.descendingModuli,
    hasFastPlainLift: level.fastPlainLift,
  }
  level.free()
  return copy
}
