// Operations on ciphertexts.

import { type Ciphertext as Core, type Context, Evaluator as CoreEvaluator, type Level, type Plaintext as CorePlain } from 'phoca'
import type { CipherText } from '../implementation/cipher-text.js'
import type { Context as ContextFacade } from '../implementation/context.js'
import type { Evaluator as EvaluatorFacade } from '../implementation/evaluator.js'
import type { GaloisKeys as GaloisKeysFacade } from '../implementation/galois-keys.js'
import type { ParmsIdType as ParmsIdFacade } from '../implementation/parms-id-type.js'
import type { PlainText } from '../implementation/plain-text.js'
import type { RelinKeys as RelinKeysFacade } from '../implementation/relin-keys.js'
import { Ciphertext, makeCipher } from './ciphertext.js'
import { contextOfArgument, type SEALContext } from './context.js'
import { checkPool, numberOf } from './enums.js'
import { facade, guarded, inner, Inner, type Shape } from './facade.js'
import { GaloisKeys, RelinKeys } from './keys.js'
import { int32, uint32 } from './numbers.js'
import { makePlain, Plaintext } from './plaintext.js'
import { SCHEMES } from './parameters.js'

type MaybeCipher = CipherText | void
type MaybePlain = PlainText | void

class Evaluator extends Inner {
  static override readonly name = 'Evaluator'
  readonly #outer: SEALContext
  readonly #context: Context
  readonly #core: CoreEvaluator

  constructor(outer: SEALContext) {
    super()
    this.#outer = outer
    this.#context = outer.use()
    this.#core = new CoreEvaluator(this.#context)
  }

  negate(encrypted: CipherText, destination?: CipherText): MaybeCipher {
    return this.#unary(encrypted, destination, undefined, (a) => this.#core.negate(a))
  }

  add(a: CipherText, b: CipherText, destination?: CipherText): MaybeCipher {
    return this.#binary(a, b, destination, undefined, (x, y) => this.#core.add(x, y))
  }

  sub(a: CipherText, b: CipherText, destination?: CipherText): MaybeCipher {
    return this.#binary(a, b, destination, undefined, (x, y) => this.#core.sub(x, y))
  }

  multiply(a: CipherText, b: CipherText, destination?: CipherText, pool?: unknown): MaybeCipher {
    return this.#binary(a, b, destination, pool, (x, y) => this.#core.multiply(x, y))
  }

  square(encrypted: CipherText, destination?: CipherText, pool?: unknown): MaybeCipher {
    return this.#unary(encrypted, destination, pool, (a) => this.#core.square(a))
  }

  relinearize(encrypted: CipherText, relinKeys: RelinKeysFacade, destination?: CipherText, pool?: unknown): MaybeCipher {
    const keys = inner(relinKeys, RelinKeys)
    return this.#unary(encrypted, destination, pool, (a) => this.#core.relinearize(a, keys.operand(this.#context, 'relin_keys')))
  }

  cipherModSwitchToNext(encrypted: CipherText, destination?: CipherText, pool?: unknown): MaybeCipher {
    return this.#unary(encrypted, destination, pool, (a) => this.#core.modSwitchToNext(this.#checkForm(a)))
  }

  cipherModSwitchTo(encrypted: CipherText, parmsId: ParmsIdFacade, destination?: CipherText, pool?: unknown): MaybeCipher {
    return this.#toLevel(encrypted, parmsId, destination, pool, (a, level) => this.#core.modSwitchTo(a, level))
  }

  plainModSwitchToNext(plain: PlainText, destination?: PlainText): MaybePlain {
    return this.#plain(plain, destination, undefined, (a) => this.#core.plainModSwitchToNext(a))
  }

  plainModSwitchTo(plain: PlainText, parmsId: ParmsIdFacade, destination?: PlainText): MaybePlain {
    return this.#plain(plain, destination, undefined, (a) => {
      if (!a.isNttForm) throw new Error('plain is not valid for encryption parameters')
      return this.#core.plainModSwitchTo(a, this.#outer.levelOf(parmsId))
    })
  }

  rescaleToNext(encrypted: CipherText, destination?: CipherText, pool?: unknown): MaybeCipher {
    return this.#unary(encrypted, destination, pool, (a) => this.#core.rescaleToNext(a))
  }

  rescaleTo(encrypted: CipherText, parmsId: ParmsIdFacade, destination?: CipherText, pool?: unknown): MaybeCipher {
    return this.#toLevel(encrypted, parmsId, destination, pool, (a, level) => this.#core.rescaleTo(a, level))
  }

  modReduceToNext(encrypted: CipherText, destination?: CipherText, pool?: unknown): MaybeCipher {
    return this.#unary(encrypted, destination, pool, (a) => this.#core.modReduceToNext(a))
  }

  modReduceTo(encrypted: CipherText, parmsId: ParmsIdFacade, destination?: CipherText, pool?: unknown): MaybeCipher {
    return this.#toLevel(encrypted, parmsId, destination, pool, (a, level) => this.#core.modReduceTo(a, level))
  }

  exponentiate(encrypted: CipherText, exponent: unknown, relinKeys: RelinKeysFacade, destination?: CipherText, pool?: unknown): MaybeCipher {
    const power = BigInt(uint32(exponent))
    const keys = inner(relinKeys, RelinKeys)
    return this.#unary(encrypted, destination, pool, (a) =>
      power === 1n ? a.copy() : this.#core.exponentiate(a, power, keys.operand(this.#context, 'relin_keys')))
  }

  addPlain(encrypted: CipherText, plain: PlainText, destination?: CipherText, pool?: unknown): MaybeCipher {
    return this.#withPlain(encrypted, plain, destination, pool, (a, b) => this.#core.addPlain(a, b), this.#checkForms)
  }

  subPlain(encrypted: CipherText, plain: PlainText, destination?: CipherText, pool?: unknown): MaybeCipher {
    return this.#withPlain(encrypted, plain, destination, pool, (a, b) => this.#core.subPlain(a, b), this.#checkForms)
  }

  multiplyPlain(encrypted: CipherText, plain: PlainText, destination?: CipherText, pool?: unknown): MaybeCipher {
    return this.#withPlain(encrypted, plain, destination, pool, (a, b) => this.#multiplyPlain(a, b))
  }

  plainTransformToNtt(plain: PlainText, parmsId: ParmsIdFacade, destination?: PlainText, pool?: unknown): MaybePlain {
    return this.#plain(plain, destination, pool, (a) =>
      this.#core.plainToNtt(a, this.#outer.levelOf(parmsId, 'parms_id is not valid for the current context')))
  }

  cipherTransformToNtt(encrypted: CipherText, destination?: CipherText): MaybeCipher {
    return this.#unary(encrypted, destination, undefined, (a) => {
      if (a.isNttForm) throw new Error('encrypted is already in NTT form')
      return this.#core.toNtt(a)
    })
  }

  cipherTransformFromNtt(encrypted: CipherText, destination?: CipherText): MaybeCipher {
    return this.#unary(encrypted, destination, undefined, (a) => this.#core.fromNtt(a))
  }

  applyGalois(encrypted: CipherText, element: unknown, galoisKeys: GaloisKeysFacade, destination?: CipherText, pool?: unknown): MaybeCipher {
    return this.#rotated(encrypted, galoisKeys, destination, pool, (a, keys) => {
      const number = uint32(element)
      if (!keys.hasKey(number)) throw new Error('Galois key not present')
      return this.#core.applyGalois(a, number, keys)
    })
  }

  rotateRows(encrypted: CipherText, steps: unknown, galoisKeys: GaloisKeysFacade, destination?: CipherText, pool?: unknown): MaybeCipher {
    return this.#rotated(encrypted, galoisKeys, destination, pool, (a, keys) => this.#core.rotateRows(a, this.#steps(steps), keys))
  }

  rotateColumns(encrypted: CipherText, galoisKeys: GaloisKeysFacade, destination?: CipherText, pool?: unknown): MaybeCipher {
    return this.#rotated(encrypted, galoisKeys, destination, pool, (a, keys) => this.#core.rotateColumns(a, keys))
  }

  rotateVector(encrypted: CipherText, steps: unknown, galoisKeys: GaloisKeysFacade, destination?: CipherText, pool?: unknown): MaybeCipher {
    return this.#rotated(encrypted, galoisKeys, destination, pool, (a, keys) => this.#core.rotateVector(a, this.#steps(steps), keys))
  }

  complexConjugate(encrypted: CipherText, galoisKeys: GaloisKeysFacade, destination?: CipherText, pool?: unknown): MaybeCipher {
    return this.#rotated(encrypted, galoisKeys, destination, pool, (a, keys) => this.#core.conjugate(a, keys))
  }

  sumElements(encrypted: CipherText, galoisKeys: GaloisKeysFacade, scheme: unknown, destination?: CipherText, pool?: unknown): MaybeCipher {
    const number = numberOf(scheme)
    return this.#rotated(encrypted, galoisKeys, destination, pool, (a, keys) => this.#sum(a, keys, number))
  }

  dotProduct(
    a: CipherText, b: CipherText, relinKeys: RelinKeysFacade, galoisKeys: GaloisKeysFacade, scheme: unknown, destination?: CipherText,
    pool?: unknown,
  ): MaybeCipher {
    const keys = inner(relinKeys, RelinKeys)
    const rotations = inner(galoisKeys, GaloisKeys)
    const number = numberOf(scheme)
    return this.#binary(a, b, destination, pool, (x, y) => {
      const relin = keys.operand(this.#context, 'relin_keys')
      return this.#sum(this.#core.multiplyRelinearize(x, y, relin), rotations.operand(this.#context, 'galois_keys'), number)
    })
  }

  dotProductPlain(
    a: CipherText, b: PlainText, galoisKeys: GaloisKeysFacade, scheme: unknown, destination?: CipherText, pool?: unknown,
  ): MaybeCipher {
    const keys = inner(galoisKeys, GaloisKeys)
    const number = numberOf(scheme)
    return this.#withPlain(a, b, destination, pool, (x, y) =>
      this.#sum(this.#multiplyPlain(x, y), keys.operand(this.#context, 'galois_keys'), number))
  }

  protected free(): void {
    this.#core.delete()
  }

  /** The result in the destination, or in a new ciphertext. All arguments are checked before, so that a failure changes nothing. */
  #into(destination: CipherText | undefined, pool: unknown, compute: () => Core): MaybeCipher {
    const result = destination || makeCipher()
    const ciphertext = inner(result, Ciphertext)
    checkPool(pool)
    ciphertext.assign(compute())
    if (!destination) return result
  }

  #unary(encrypted: CipherText, destination: CipherText | undefined, pool: unknown, compute: (a: Core) => Core): MaybeCipher {
    const ciphertext = inner(encrypted, Ciphertext)
    return this.#into(destination, pool, () => compute(ciphertext.operand(this.#context, 'encrypted')))
  }

  #binary(
    a: CipherText, b: CipherText, destination: CipherText | undefined, pool: unknown, compute: (a: Core, b: Core) => Core,
  ): MaybeCipher {
    const left = inner(a, Ciphertext)
    const right = inner(b, Ciphertext)
    return this.#into(destination, pool, () =>
      compute(left.operand(this.#context, 'encrypted1'), right.operand(this.#context, 'encrypted2')))
  }

  #withPlain(
    encrypted: CipherText, plain: PlainText, destination: CipherText | undefined, pool: unknown, compute: (a: Core, b: CorePlain) => Core,
    check?: (a: Core, b: Plaintext) => void,
  ): MaybeCipher {
    const plaintext = inner(plain, Plaintext)
    return this.#unary(encrypted, destination, pool, (a) => {
      check?.(a, plaintext)
      return compute(a, plaintext.operand(this.#context))
    })
  }

  #rotated(
    encrypted: CipherText, galoisKeys: GaloisKeysFacade, destination: CipherText | undefined, pool: unknown,
    compute: (a: Core, keys: ReturnType<GaloisKeys['operand']>) => Core,
  ): MaybeCipher {
    const keys = inner(galoisKeys, GaloisKeys)
    return this.#unary(encrypted, destination, pool, (a) => compute(a, keys.operand(this.#context, 'galois_keys')))
  }

  #toLevel(
    encrypted: CipherText, parmsId: ParmsIdFacade, destination: CipherText | undefined, pool: unknown, compute: (a: Core, level: Level) => Core,
  ): MaybeCipher {
    return this.#unary(encrypted, destination, pool, (a) => compute(a, this.#outer.levelOf(parmsId)))
  }

  #plain(plain: PlainText, destination: PlainText | undefined, pool: unknown, compute: (a: CorePlain) => CorePlain): MaybePlain {
    const plaintext = inner(plain, Plaintext)
    const result = destination || makePlain()
    const into = inner(result, Plaintext)
    checkPool(pool)
    into.assign(compute(plaintext.operand(this.#context)))
    if (!destination) return result
  }

  /** Ciphertext and plaintext may each be in either form. */
  #multiplyPlain(a: Core, b: CorePlain): Core {
    if (a.isNttForm || !b.isNttForm) return this.#core.multiplyPlain(a, b)
    return this.#core.fromNtt(this.#core.multiplyPlain(this.#core.toNtt(a), b))
  }

  /** A ciphertext in the form of its scheme. */
  #checkForm(a: Core): Core {
    const { scheme } = this.#context
    if (a.isNttForm === (scheme !== 'bfv')) return a
    throw new Error(`${scheme.toUpperCase()} encrypted ${scheme === 'bfv' ? 'cannot' : 'must'} be in NTT form`)
  }

  /** The forms that sums with plaintexts need. */
  readonly #checkForms = (a: Core, b: Plaintext): void => {
    const { scheme } = this.#context
    this.#checkForm(a)
    if (scheme === 'ckks' && !b.isNttForm()) throw new Error('CKKS plain must be in NTT form')
    if (scheme !== 'ckks' && b.isNttForm()) throw new Error(`${scheme.toUpperCase()} plain cannot be in NTT form`)
  }

  /** Steps of a rotation, which are fewer than half the degree. */
  #steps(given: unknown): number {
    const steps = int32(given)
    if (Math.abs(steps) >= this.#context.degree / 2) throw new Error('step count too large')
    return steps
  }

  /** The sum of all slots in every slot: of both rows, and then of halves, quarters and so on. */
  #sum(a: Core, keys: ReturnType<GaloisKeys['operand']>, scheme: number): Core {
    if (SCHEMES[scheme] === undefined) throw new Error('unsupported scheme')
    const isVector = SCHEMES[scheme] === 'ckks'
    const core = this.#core
    let sum = isVector ? a : core.add(a, core.rotateColumns(a, keys))
    for (let steps = this.#context.degree / 4; steps >= 1; steps /= 2) {
      sum = core.add(sum, isVector ? core.rotateVector(sum, steps, keys) : core.rotateRows(sum, steps, keys))
    }
    return sum
  }
}

const SHAPE: Shape<Evaluator> = {
  Class: Evaluator,
  inject: 'unsafeInject',
  members: ['negate', 'add', 'sub', 'multiply', 'square', 'relinearize', 'cipherModSwitchToNext', 'cipherModSwitchTo',
    'plainModSwitchToNext', 'plainModSwitchTo', 'rescaleToNext', 'rescaleTo', 'modReduceToNext', 'modReduceTo', 'exponentiate',
    'addPlain', 'subPlain', 'multiplyPlain', 'plainTransformToNtt', 'cipherTransformToNtt', 'cipherTransformFromNtt', 'applyGalois',
    'rotateRows', 'rotateColumns', 'rotateVector', 'complexConjugate', 'sumElements', 'dotProduct', 'dotProductPlain'],
}

export const makeEvaluator = (context: ContextFacade): EvaluatorFacade =>
  guarded(() => facade(SHAPE, new Evaluator(contextOfArgument(context))), 'Evaluator')
