// The operations of the evaluator: SEAL's checks, then phoca's operation.

import type { Ciphertext, Context, Evaluator, GaloisKeys, Level, Plaintext, RelinKeys } from 'phoca'
import { check, checkForm, isNttScheme, levelIn, schemeLabel, validCiphertext, validKeys, validPlaintext } from './checks.js'
import type { CiphertextBox } from './ciphertext.js'
import { LibraryErrors } from './exception.js'
import { hasGaloisKey, type KeyBox } from './keys.js'
import type { PlaintextBox } from './plaintext.js'

const EXPONENT_LIMIT = 1n << 25n

type Galois = KeyBox<GaloisKeys>
type Relin = KeyBox<RelinKeys>

/** Operations on ciphertexts of one context. Each gives a new object and changes nothing. */
export class Operations {
  readonly #context: Context

  constructor(readonly evaluator: Evaluator) {
    this.#context = evaluator.context
  }

  release(): void {
    this.evaluator.delete()
  }

  negate(a: CiphertextBox): Ciphertext {
    return this.evaluator.negate(this.#valid(a))
  }

  add(a: CiphertextBox, b: CiphertextBox): Ciphertext {
    return this.evaluator.add(...this.#pair(a, b))
  }

  sub(a: CiphertextBox, b: CiphertextBox): Ciphertext {
    return this.evaluator.sub(...this.#pair(a, b))
  }

  multiply(a: CiphertextBox, b: CiphertextBox): Ciphertext {
    const left = validCiphertext(this.#context, a, 'encrypted1')
    const right = validCiphertext(this.#context, b, 'encrypted2')
    this.#checkSameLevel(left, right)
    checkForm(this.#context, left.isNttForm, 'encrypted1 or encrypted2')
    checkForm(this.#context, right.isNttForm, 'encrypted1 or encrypted2')
    return this.evaluator.multiply(left, right)
  }

  square(a: CiphertextBox): Ciphertext {
    const encrypted = this.#valid(a)
    checkForm(this.#context, encrypted.isNttForm, 'encrypted')
    return this.evaluator.square(encrypted)
  }

  relinearize(a: CiphertextBox, relin: Relin): Ciphertext {
    const encrypted = this.#valid(a)
    const keys = validKeys(this.#context, relin, 'relin_keys')
    check(encrypted.size - 2 <= keys.size, 'not enough relinearization keys')
    // Nothing is to be done, in whatever form.
    if (encrypted.size === 2) return encrypted.copy()
    checkForm(this.#context, encrypted.isNttForm, `${schemeLabel(this.#context)} encrypted`)
    return this.evaluator.relinearize(encrypted, keys)
  }

  exponentiate(a: CiphertextBox, exponent: bigint, relin: Relin): Ciphertext {
    const encrypted = this.#valid(a)
    const keys = validKeys(this.#context, relin, 'relin_keys')
    check(exponent !== 0n, 'exponent cannot be 0')
    // SEAL makes a list of so many factors.
    if (exponent > EXPONENT_LIMIT) throw LibraryErrors.of(['std::length_error', 'vector'])
    if (exponent === 1n) return encrypted.copy()
    if (this.#context.scheme === 'ckks') throw LibraryErrors.logic('unsupported scheme')
    checkForm(this.#context, encrypted.isNttForm, 'encrypted')
    return this.evaluator.exponentiate(encrypted, exponent, keys)
  }

  cipherModSwitchToNext(a: CiphertextBox): Ciphertext {
    const encrypted = this.#valid(a)
    this.#checkNotLast(encrypted)
    checkForm(this.#context, encrypted.isNttForm, `${schemeLabel(this.#context)} encrypted`)
    return this.evaluator.modSwitchToNext(encrypted)
  }

  cipherModSwitchTo(a: CiphertextBox, id: BigUint64Array): Ciphertext {
    const encrypted = this.#valid(a)
    const level = this.#target(this.#levelOf(encrypted), id)
    if (level === this.#levelOf(encrypted)) return encrypted.copy()
    checkForm(this.#context, encrypted.isNttForm, `${schemeLabel(this.#context)} encrypted`)
    return this.evaluator.modSwitchTo(encrypted, level)
  }

  modReduceToNext(a: CiphertextBox): Ciphertext {
    const encrypted = this.#valid(a)
    this.#checkNotLast(encrypted)
    return this.evaluator.modReduceToNext(encrypted)
  }

  modReduceTo(a: CiphertextBox, id: BigUint64Array): Ciphertext {
    const encrypted = this.#valid(a)
    const level = this.#target(this.#levelOf(encrypted), id)
    return this.evaluator.modReduceTo(encrypted, level)
  }

  rescaleToNext(a: CiphertextBox): Ciphertext {
    const encrypted = this.#valid(a)
    this.#checkNotLast(encrypted)
    this.#checkRescaling(encrypted)
    return this.evaluator.rescaleToNext(encrypted)
  }

  rescaleTo(a: CiphertextBox, id: BigUint64Array): Ciphertext {
    const encrypted = this.#valid(a)
    const level = this.#target(this.#levelOf(encrypted), id)
    this.#checkRescaling(encrypted)
    return this.evaluator.rescaleTo(encrypted, level)
  }

  addPlain(a: CiphertextBox, b: PlaintextBox): Ciphertext {
    return this.evaluator.addPlain(...this.#withPlain(a, b))
  }

  subPlain(a: CiphertextBox, b: PlaintextBox): Ciphertext {
    return this.evaluator.subPlain(...this.#withPlain(a, b))
  }

  multiplyPlain(a: CiphertextBox, b: PlaintextBox): Ciphertext {
    const encrypted = this.#valid(a)
    const plain = validPlaintext(this.#context, b)
    if (this.#context.scheme === 'ckks' && !plain.isNttForm) {
      // A transparent result comes before the form for SEAL.
      if (plain.isZero && !this.#context.options.allowTransparent) throw LibraryErrors.logic('result ciphertext is transparent')
      check(false, 'plain is not valid for encryption parameters')
    }
    if (encrypted.isNttForm && plain.isNttForm) {
      check(this.#levelOf(encrypted) === this.#plainLevel(plain), 'encrypted_ntt and plain_ntt parameter mismatch')
    }
    return this.evaluator.multiplyPlain(encrypted, plain)
  }

  cipherTransformToNtt(a: CiphertextBox): Ciphertext {
    const encrypted = this.#valid(a)
    check(!encrypted.isNttForm, 'encrypted is already in NTT form')
    return this.evaluator.toNtt(encrypted)
  }

  cipherTransformFromNtt(a: CiphertextBox): Ciphertext {
    const encrypted = this.#valid(a)
    check(encrypted.isNttForm, 'encrypted_ntt is not in NTT form')
    return this.evaluator.fromNtt(encrypted)
  }

  plainTransformToNtt(plain: PlaintextBox, id: BigUint64Array): Plaintext {
    const plaintext = validPlaintext(this.#context, plain)
    const level = this.#context.level(id)
    check(level !== undefined, 'parms_id is not valid for the current context')
    check(!plaintext.isNttForm, 'plain is already in NTT form')
    return this.evaluator.plainToNtt(plaintext, level!)
  }

  plainModSwitchToNext(plain: PlaintextBox): Plaintext {
    const plaintext = validPlaintext(this.#context, plain)
    check(plaintext.isNttForm, 'plain is not in NTT form')
    check(this.#context.nextLevel(this.#plainLevel(plaintext)) !== undefined, 'end of modulus switching chain reached')
    return this.evaluator.plainModSwitchToNext(plaintext)
  }

  plainModSwitchTo(plain: PlaintextBox, id: BigUint64Array): Plaintext {
    const plaintext = validPlaintext(this.#context, plain)
    check(plaintext.isNttForm, 'plain is not valid for encryption parameters')
    return this.evaluator.plainModSwitchTo(plaintext, this.#target(this.#plainLevel(plaintext), id))
  }

  applyGalois(a: CiphertextBox, element: number, galois: Galois): Ciphertext {
    const encrypted = this.#valid(a)
    const keys = validKeys(this.#context, galois, 'galois_keys')
    check(hasGaloisKey(keys, element), 'Galois key not present')
    check((element & 1) === 1, 'Galois element is not valid')
    this.#checkForKeySwitch(encrypted)
    return this.evaluator.applyGalois(encrypted, element, keys)
  }

  rotateRows(a: CiphertextBox, steps: number, galois: Galois): Ciphertext {
    this.#requireSlots('integers')
    return this.#rotate(a, steps, galois, (encrypted, keys) => this.evaluator.rotateRows(encrypted, steps, keys))
  }

  rotateColumns(a: CiphertextBox, galois: Galois): Ciphertext {
    this.#requireSlots('integers')
    return this.#rotate(a, undefined, galois, (encrypted, keys) => this.evaluator.rotateColumns(encrypted, keys))
  }

  rotateVector(a: CiphertextBox, steps: number, galois: Galois): Ciphertext {
    this.#requireSlots('numbers')
    return this.#rotate(a, steps, galois, (encrypted, keys) => this.evaluator.rotateVector(encrypted, steps, keys))
  }

  complexConjugate(a: CiphertextBox, galois: Galois): Ciphertext {
    this.#requireSlots('numbers')
    return this.#rotate(a, undefined, galois, (encrypted, keys) => this.evaluator.conjugate(encrypted, keys))
  }

  #valid(box: CiphertextBox): Ciphertext {
    return validCiphertext(this.#context, box)
  }

  #pair(a: CiphertextBox, b: CiphertextBox): [Ciphertext, Ciphertext] {
    const left = validCiphertext(this.#context, a, 'encrypted1')
    const right = validCiphertext(this.#context, b, 'encrypted2')
    this.#checkSameLevel(left, right)
    check(left.isNttForm === right.isNttForm, 'NTT form mismatch')
    return [left, right]
  }

  #withPlain(a: CiphertextBox, b: PlaintextBox): [Ciphertext, Plaintext] {
    const encrypted = this.#valid(a)
    const plain = validPlaintext(this.#context, b)
    const label = schemeLabel(this.#context)
    checkForm(this.#context, encrypted.isNttForm, `${label} encrypted`)
    check(plain.isNttForm === (label === 'CKKS'), `${label} plain ${label === 'CKKS' ? 'must' : 'cannot'} be in NTT form`)
    if (plain.isNttForm) check(this.#levelOf(encrypted) === this.#plainLevel(plain), 'encrypted and plain parameter mismatch')
    return [encrypted, plain]
  }

  #checkSameLevel(left: Ciphertext, right: Ciphertext): void {
    check(this.#levelOf(left) === this.#levelOf(right), 'encrypted1 and encrypted2 parameter mismatch')
  }

  /** The level of a ciphertext that is valid. */
  #levelOf(encrypted: Ciphertext): Level {
    return levelIn(this.#context, encrypted)!
  }

  /** The level of a plaintext that is valid and in NTT form. */
  #plainLevel(plain: Plaintext): Level {
    return this.#context.level(plain.parmsId)!
  }

  #checkNotLast(encrypted: Ciphertext): void {
    check(this.#context.nextLevel(this.#levelOf(encrypted)) !== undefined, 'end of modulus switching chain reached')
  }

  #checkRescaling(encrypted: Ciphertext): void {
    check(this.#context.scheme === 'ckks', 'unsupported operation for scheme type')
    check(encrypted.isNttForm, 'CKKS encrypted must be in NTT form')
  }

  /** The level to go to, at or below the one that an object is at. */
  #target(from: Level, id: BigUint64Array): Level {
    const level = this.#context.level(id)
    check(level !== undefined, 'parms_id is not valid for encryption parameters')
    check(from.chainIndex >= level!.chainIndex, 'cannot switch to higher level modulus')
    return level!
  }

  #requireSlots(kind: 'integers' | 'numbers'): void {
    if ((this.#context.scheme === 'ckks') !== (kind === 'numbers')) throw LibraryErrors.logic('unsupported scheme')
  }

  /** A rotation by steps, or without steps the one that swaps or conjugates. */
  #rotate(
    a: CiphertextBox, steps: number | undefined, galois: Galois, rotate: (encrypted: Ciphertext, keys: GaloisKeys) => Ciphertext,
  ): Ciphertext {
    const encrypted = this.#valid(a)
    if (!this.#context.supportsBatching) throw LibraryErrors.logic('encryption parameters do not support batching')
    const keys = validKeys(this.#context, galois, 'galois_keys')
    if (steps === 0) return encrypted.copy()
    check(Math.abs(steps ?? 0) < this.#context.degree / 2, 'step count too large')
    this.#checkForKeySwitch(encrypted)
    return rotate(encrypted, keys)
  }

  #checkForKeySwitch(encrypted: Ciphertext): void {
    check(encrypted.size === 2, 'encrypted size must be 2')
    const subject = `${schemeLabel(this.#context)} encrypted`
    check(encrypted.isNttForm === isNttScheme(this.#context), `${subject} ${isNttScheme(this.#context) ? 'must' : 'cannot'} be in NTT form`)
  }
}
