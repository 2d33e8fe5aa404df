// A scheme with parameters, keys and encoders in one object, and vectors with operations on them: the short way to a result.

import { checkWord, type Context, type ContextOptions, Context as ContextClass, type Parameters, type Scheme, schemeNumber, type SecurityTable } from './context.js'
import { Decryptor, Encryptor } from './cipher.js'
import { core, initialize } from './core.js'
import { BatchEncoder, CkksEncoder, type Integers } from './encoders.js'
import { argumentError, KeyError, OperandError } from './errors.js'
import { Evaluator } from './evaluator.js'
import { GaloisKeys, KeyGenerator, PublicKey, RelinKeys, SecretKey } from './keys.js'
import { dispose } from './memory.js'
import type { Ciphertext, Plaintext } from './objects.js'

/** What the parameters must provide. The smallest that do are found, and say why. */
export interface Goal {
  /** Multiplications one after another; 2 unless set. */
  depth?: number
  /** Values in one vector, at least. */
  slots?: number
  /** Bits of security; 128 unless set. */
  security?: 128 | 192 | 256
  /** The table of security; 2024 unless set. */
  table?: SecurityTable
  /** Which rotations have a key: steps, `all` (any can be put together, slower), or `none`. `all` unless set. */
  rotations?: 'all' | 'none' | readonly number[]
}

export interface CkksGoal extends Goal {
  /** Bits after the binary point that are right in the result; 20 unless set. */
  precision?: number
  /** Bits before the binary point that values may have; 10 unless set. */
  integerBits?: number
}

export interface ExactGoal extends Goal {
  /** The plain modulus. Without one, a prime of `plainBits` that has slots. */
  plainModulus?: bigint
  /** Bits of the plain modulus; 20 unless set. Values have a bit less and a sign. */
  plainBits?: number
}

/** A suggestion, with the reasons for it. */
export interface Suggestion {
  parameters: Parameters
  /** CKKS: the scale for encoding. */
  scale: number | undefined
  /** Why the parameters are what they are, a sentence each. */
  reasons: readonly string[]
}

/** The smallest parameters that do what is asked. Needs `initialize()`. */
export function suggest(scheme: Scheme, goal: CkksGoal & ExactGoal = {}): Suggestion {
  const { depth = 2, precision = 20, integerBits = 10, plainModulus, plainBits = 20, slots = 0, security = 128, table = 2024 } = goal
  for (const [name, value] of Object.entries({ depth, precision, integerBits, plainBits, slots })) {
    if (!Number.isInteger(value) || value < 0 || value > 0xffff_ffff) throw argumentError(name, 'an integer that is not negative', value)
  }
  if (plainModulus !== undefined) checkWord('plainModulus', plainModulus)
  const found = new (core().Suggestion)(schemeNumber(scheme), depth, precision, integerBits, plainModulus, plainBits, slots, security, table === 2018 ? 0 : 1)
  try {
    const { degree, coeffModulus } = found
    return { parameters: { scheme, degree, coeffModulus, plainModulus: found.plainModulus }, scale: found.scale, reasons: found.reasons }
  } finally {
    found.free()
  }
}

/**
 * CKKS: vectors of real numbers.
 *
 * ```ts
 * import { ckks } from 'phoca'
 *
 * const he = await ckks({ depth: 2, precision: 20 })
 * const x = he.encrypt([1.5, 2.5])
 * he.decrypt(x.mul(x).add(1))   // [3.25, 7.25] and zeros plus 1
 * ```
 */
export async function ckks(goal: CkksGoal = {}): Promise<CkksSession> {
  await initialize()
  const { parameters, scale, reasons } = suggest('ckks', goal)
  return new CkksSession(parameters, goal, reasons, scale!)
}

/** BFV: vectors of integers modulo the plain modulus, at any depth that the parameters allow. */
export async function bfv(goal: ExactGoal = {}): Promise<ExactSession> {
  return exact('bfv', goal)
}

/** BGV: as {@link bfv}, with levels; often faster for deep products. */
export async function bgv(goal: ExactGoal = {}): Promise<ExactSession> {
  return exact('bgv', goal)
}

async function exact(scheme: 'bfv' | 'bgv', goal: ExactGoal): Promise<ExactSession> {
  await initialize()
  const { parameters, reasons } = suggest(scheme, { slots: 1, ...goal })
  return new ExactSession(parameters, goal, reasons)
}

/** Values of a session: what its vectors hold. */
type Values<S> = S extends CkksSession ? Float64Array | readonly number[] : Integers

/** What both kinds of session have. */
abstract class Session<S extends Session<S>> {
  readonly context: Context
  readonly evaluator: Evaluator
  readonly publicKey: PublicKey
  readonly relinKeys: RelinKeys
  /** Nothing where `rotations` is `none`. */
  readonly galoisKeys: GaloisKeys | undefined
  /** Why the parameters are what they are. */
  readonly reasons: readonly string[]
  readonly #secretKey: SecretKey
  readonly #encryptor: Encryptor
  readonly #decryptor: Decryptor

  protected constructor(parameters: Parameters, goal: Goal, reasons: readonly string[]) {
    const options: ContextOptions = { security: goal.security ?? 128, table: goal.table ?? 2024 }
    this.context = new ContextClass(parameters, options)
    this.reasons = reasons
    const generator = new KeyGenerator(this.context)
    this.#secretKey = generator.secretKey()
    this.publicKey = generator.publicKey()
    this.relinKeys = generator.relinKeys()
    const rotations = goal.rotations ?? 'all'
    if (rotations !== 'none') this.galoisKeys = rotations === 'all' ? generator.galoisKeys() : generator.galoisKeys({ steps: rotations })
    generator.delete()
    this.evaluator = new Evaluator(this.context)
    this.#encryptor = new Encryptor(this.context, this.publicKey)
    this.#decryptor = new Decryptor(this.context, this.#secretKey)
  }

  /** Encrypts values, at most as many as there are slots. */
  encrypt(values: Values<S>): EncryptedVector<S> {
    const plaintext = this.encode(values)
    try {
      return this.wrap(this.#encryptor.encrypt(plaintext))
    } finally {
      plaintext.delete()
    }
  }

  /** The key that decrypts, for saving. Whoever has it reads everything. */
  exportSecretKey(): SecretKey {
    return this.#secretKey.copy()
  }

  /** Frees everything, and wipes the secret key. */
  delete(): void {
    const owned = [this.#decryptor, this.#encryptor, this.evaluator, this.#secretKey, this.publicKey, this.relinKeys, this.galoisKeys, this.context]
    for (const object of owned) object?.delete()
  }

  [dispose](): void {
    this.delete()
  }

  /** @internal */
  wrap(ciphertext: Ciphertext): EncryptedVector<S> {
    return new EncryptedVector<S>(this as unknown as S, ciphertext)
  }

  /** @internal */
  decryptPlain(vector: EncryptedVector<S>): Plaintext {
    return this.#decryptor.decrypt(vector.ciphertext)
  }

  /** @internal */
  requireGaloisKeys(): GaloisKeys {
    if (this.galoisKeys === undefined) {
      throw new KeyError('MissingGaloisKey', "this session has no keys for rotations; make it with rotations: 'all' or a list of steps")
    }
    return this.galoisKeys
  }

  /** @internal */
  abstract encode(values: Values<S>): Plaintext
  /** @internal A plaintext operand of a product or a sum with a ciphertext. */
  abstract encodeFor(ciphertext: Ciphertext, values: Values<S> | number | bigint): Plaintext
  /** @internal */
  abstract multiply(a: Ciphertext, b: Ciphertext): Ciphertext
  /** @internal */
  abstract multiplyPlain(a: Ciphertext, plaintext: Plaintext): Ciphertext
  /** @internal Both at one level and scale. */
  abstract align(a: Ciphertext, b: Ciphertext): [Ciphertext, Ciphertext]
  /** @internal */
  abstract rotate(a: Ciphertext, steps: number): Ciphertext
}

/** A CKKS session. */
export class CkksSession extends Session<CkksSession> {
  readonly scale: number
  readonly #encoder: CkksEncoder

  /** @internal */
  constructor(parameters: Parameters, goal: Goal, reasons: readonly string[], scale: number) {
    super(parameters, goal, reasons)
    this.scale = scale
    this.#encoder = new CkksEncoder(this.context)
  }

  get slotCount(): number {
    return this.context.slotCount
  }

  /** The values of all slots. */
  decrypt(vector: EncryptedVector<CkksSession>): Float64Array {
    return this.#encoder.decode(this.decryptPlain(vector))
  }

  /** @internal */
  encode(values: Float64Array | readonly number[]): Plaintext {
    return this.#encoder.encode(values, this.scale)
  }

  /** @internal */
  encodeFor(ciphertext: Ciphertext, values: Float64Array | readonly number[] | number | bigint): Plaintext {
    // For a product too: its scale is then that of a product of ciphertexts, so that both can be added.
    return this.#encoder.encode(typeof values === 'bigint' ? Number(values) : values, ciphertext.scale, ciphertext.level)
  }

  /** @internal */
  multiply(a: Ciphertext, b: Ciphertext): Ciphertext {
    return this.evaluator.multiplyRelinearizeRescale(a, b, this.relinKeys)
  }

  /** @internal */
  multiplyPlain(a: Ciphertext, plaintext: Plaintext): Ciphertext {
    return using(this.evaluator.multiplyPlain(a, plaintext), (product) => this.evaluator.rescaleToNext(product))
  }

  /** @internal */
  align(a: Ciphertext, b: Ciphertext): [Ciphertext, Ciphertext] {
    if (a.primeCount > b.primeCount) return [this.#lower(a, b), b]
    if (b.primeCount > a.primeCount) return [a, this.#lower(b, a)]
    // Every product squares the scale and divides by the level's last prime, so that values on one level have one scale but for
    // the rounding of doubles.
    return [a, Math.abs(b.scale / a.scale - 1) < 1e-12 ? b.withScale(a.scale) : b]
  }

  /** @internal */
  rotate(a: Ciphertext, steps: number): Ciphertext {
    return this.evaluator.rotateVector(a, steps, this.requireGaloisKeys())
  }

  /** At the level and the scale of `target`, exactly: times 1 with the scale that makes up for the difference. */
  #lower(a: Ciphertext, target: Ciphertext): Ciphertext {
    const above = this.context.levels[this.context.levels.indexOf(target.level) - 1]!
    return using(this.evaluator.modSwitchTo(a, above), (switched) => {
      const scale = target.scale * this.#lastPrime(switched) / switched.scale
      return using(this.#encoder.encode(1, scale, above), (one) => this.multiplyPlain(switched, one).withScale(target.scale))
    })
  }

  #lastPrime(ciphertext: Ciphertext): number {
    return Number(this.context.parameters.coeffModulus[ciphertext.primeCount - 1])
  }
}

/** A BFV or BGV session. */
export class ExactSession extends Session<ExactSession> {
  readonly #encoder: BatchEncoder

  /** @internal */
  constructor(parameters: Parameters, goal: Goal, reasons: readonly string[]) {
    super(parameters, goal, reasons)
    this.#encoder = new BatchEncoder(this.context)
  }

  get slotCount(): number {
    return this.context.slotCount
  }

  /** The values of all slots, from `-t/2` to `t/2`. */
  decrypt(vector: EncryptedVector<ExactSession>): BigInt64Array {
    return this.#encoder.decodeSigned(this.decryptPlain(vector))
  }

  /** @internal */
  encode(values: Integers): Plaintext {
    return this.#encoder.encode(values)
  }

  /** @internal */
  encodeFor(_: Ciphertext, values: Integers | number | bigint): Plaintext {
    const isOne = typeof values === 'number' || typeof values === 'bigint'
    return this.#encoder.encode(isOne ? new Array(this.slotCount).fill(values) : values)
  }

  /** @internal */
  multiply(a: Ciphertext, b: Ciphertext): Ciphertext {
    const isLast = a.level === this.context.lastLevel
    return this.context.scheme === 'bgv' && !isLast
      ? this.evaluator.multiplyRelinearizeModSwitch(a, b, this.relinKeys)
      : this.evaluator.multiplyRelinearize(a, b, this.relinKeys)
  }

  /** @internal */
  multiplyPlain(a: Ciphertext, plaintext: Plaintext): Ciphertext {
    return this.evaluator.multiplyPlain(a, plaintext)
  }

  /** @internal */
  align(a: Ciphertext, b: Ciphertext): [Ciphertext, Ciphertext] {
    if (a.primeCount > b.primeCount) return [this.evaluator.modSwitchTo(a, b.level), b]
    if (b.primeCount > a.primeCount) return [a, this.evaluator.modSwitchTo(b, a.level)]
    return [a, b]
  }

  /** @internal */
  rotate(a: Ciphertext, steps: number): Ciphertext {
    return this.evaluator.rotateRows(a, steps, this.requireGaloisKeys())
  }
}

/** An encrypted vector of a session. Immutable; each operation gives a new one. */
export class EncryptedVector<S extends Session<S> = CkksSession | ExactSession> {
  readonly session: S
  readonly ciphertext: Ciphertext

  /** @internal */
  constructor(session: S, ciphertext: Ciphertext) {
    this.session = session
    this.ciphertext = ciphertext
  }

  /** Slot by slot: plus a vector, values in the clear, or one value in every slot. */
  add(other: EncryptedVector<S> | Values<S> | number | bigint): EncryptedVector<S> {
    const { evaluator } = this.session
    return other instanceof EncryptedVector
      ? this.#aligned(other, (a, b) => evaluator.add(a, b))
      : this.#withPlain(other, (a, plaintext) => evaluator.addPlain(a, plaintext))
  }

  /** Minus. */
  sub(other: EncryptedVector<S> | Values<S> | number | bigint): EncryptedVector<S> {
    const { evaluator } = this.session
    return other instanceof EncryptedVector
      ? this.#aligned(other, (a, b) => evaluator.sub(a, b))
      : this.#withPlain(other, (a, plaintext) => evaluator.subPlain(a, plaintext))
  }

  /** Times, slot by slot. Uses a level of CKKS and BGV. */
  mul(other: EncryptedVector<S> | Values<S> | number | bigint): EncryptedVector<S> {
    return other instanceof EncryptedVector
      ? this.#aligned(other, (a, b) => this.session.multiply(a, b))
      : this.#withPlain(other, (a, plaintext) => this.session.multiplyPlain(a, plaintext))
  }

  neg(): EncryptedVector<S> {
    return this.session.wrap(this.session.evaluator.negate(this.ciphertext))
  }

  /** Slots moved to the left; in BFV and BGV within each half. */
  rotate(steps: number): EncryptedVector<S> {
    return this.session.wrap(this.session.rotate(this.ciphertext, steps))
  }

  /** The sum of all slots, in every slot. */
  sum(): EncryptedVector<S> {
    const { context, evaluator } = this.session
    const rotateAndAdd = (a: Ciphertext, rotated: Ciphertext): Ciphertext => using(rotated, () => evaluator.add(a, rotated))
    let total = this.ciphertext.copy()
    for (let step = context.degree / 4; step >= 1; step /= 2) {
      total = using(total, (a) => rotateAndAdd(a, this.session.rotate(a, step)))
    }
    if (context.scheme !== 'ckks') {
      total = using(total, (a) => rotateAndAdd(a, evaluator.rotateColumns(a, this.session.requireGaloisKeys())))
    }
    return this.session.wrap(total)
  }

  /** The sum of the products of slots, in every slot. */
  dot(other: EncryptedVector<S> | Values<S>): EncryptedVector<S> {
    const product = this.mul(other)
    try {
      return product.sum()
    } finally {
      product.delete()
    }
  }

  delete(): void {
    this.ciphertext.delete()
  }

  [dispose](): void {
    this.delete()
  }

  #aligned(other: EncryptedVector<S>, operation: (a: Ciphertext, b: Ciphertext) => Ciphertext): EncryptedVector<S> {
    if (other.session !== this.session) {
      throw new OperandError('SessionMismatch', 'the vectors belong to different sessions, and so to different keys; encrypt both in one')
    }
    const [a, b] = this.session.align(this.ciphertext, other.ciphertext)
    try {
      return this.session.wrap(operation(a, b))
    } finally {
      if (a !== this.ciphertext) a.delete()
      if (b !== other.ciphertext) b.delete()
    }
  }

  #withPlain(values: Values<S> | number | bigint, operation: (a: Ciphertext, plaintext: Plaintext) => Ciphertext): EncryptedVector<S> {
    const plaintext = this.session.encodeFor(this.ciphertext, values)
    return this.session.wrap(using(plaintext, () => operation(this.ciphertext, plaintext)))
  }
}

/** Calls `use` with an object that is freed afterwards. */
function using<T extends { delete(): void }, R>(object: T, use: (object: T) => R): R {
  try {
    return use(object)
  } finally {
    object.delete()
  }
}
