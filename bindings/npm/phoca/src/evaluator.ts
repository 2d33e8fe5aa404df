// Operations on ciphertexts.

import { checkWord, type Context, idOf, type Level } from './context.js'
import { core } from './core.js'
import type { GaloisKeys, RelinKeys } from './keys.js'
import { Owned, passable, withList } from './memory.js'
import { checkElement, checkStep, Ciphertext, Plaintext } from './objects.js'
import type * as glue from '../wasm/phoca.js'

/**
 * Computes with ciphertexts. No operand is changed; each result is new.
 *
 * ```ts
 * const evaluator = new Evaluator(context)
 * const product = evaluator.multiplyRelinearizeRescale(x, y, relinKeys)
 * ```
 */
export class Evaluator extends Owned<glue.Evaluator> {
  readonly context: Context

  constructor(context: Context) {
    super(new (core().Evaluator)(context.handle))
    this.context = context
  }

  /** `-a`. */
  negate(a: Ciphertext): Ciphertext {
    return new Ciphertext(this.handle.negate(a.handle.get()), this.context)
  }

  /** `a + b`. */
  add(a: Ciphertext, b: Ciphertext): Ciphertext {
    return new Ciphertext(this.handle.add(a.handle.get(), b.handle.get()), this.context)
  }

  /** `a - b`. */
  sub(a: Ciphertext, b: Ciphertext): Ciphertext {
    return new Ciphertext(this.handle.sub(a.handle.get(), b.handle.get()), this.context)
  }

  /** `a · b`, of three polynomials; {@link relinearize} brings two back. */
  multiply(a: Ciphertext, b: Ciphertext): Ciphertext {
    return new Ciphertext(this.handle.multiply(a.handle.get(), b.handle.get()), this.context)
  }

  /** `a · a`, cheaper than a product. */
  square(a: Ciphertext): Ciphertext {
    return new Ciphertext(this.handle.square(a.handle.get()), this.context)
  }

  /** `a` to the power `exponent`, at least 1, relinearized. */
  exponentiate(a: Ciphertext, exponent: bigint, keys: RelinKeys): Ciphertext {
    return new Ciphertext(this.handle.exponentiate(a.handle.get(), checkWord('exponent', exponent), keys.handle), this.context)
  }

  /** The same value in two polynomials. */
  relinearize(a: Ciphertext, keys: RelinKeys): Ciphertext {
    return new Ciphertext(this.handle.relinearize(a.handle.get(), keys.handle), this.context)
  }

  /** CKKS: relinearizes and rescales with one division, faster and more exact than both in turn. */
  relinearizeRescale(a: Ciphertext, keys: RelinKeys): Ciphertext {
    return new Ciphertext(this.handle.relinearizeRescale(a.handle.get(), keys.handle), this.context)
  }

  /** BGV: relinearizes and switches to the next level with one division. */
  relinearizeModSwitch(a: Ciphertext, keys: RelinKeys): Ciphertext {
    return new Ciphertext(this.handle.relinearizeModSwitch(a.handle.get(), keys.handle), this.context)
  }

  /** `a · b` in two polynomials. */
  multiplyRelinearize(a: Ciphertext, b: Ciphertext, keys: RelinKeys): Ciphertext {
    return new Ciphertext(this.handle.multiplyRelinearize(a.handle.get(), b.handle.get(), keys.handle), this.context)
  }

  /** CKKS: `a · b`, relinearized and rescaled with one division. */
  multiplyRelinearizeRescale(a: Ciphertext, b: Ciphertext, keys: RelinKeys): Ciphertext {
    return new Ciphertext(this.handle.multiplyRelinearizeRescale(a.handle.get(), b.handle.get(), keys.handle), this.context)
  }

  /** BGV: `a · b`, relinearized and at the next level with one division. */
  multiplyRelinearizeModSwitch(a: Ciphertext, b: Ciphertext, keys: RelinKeys): Ciphertext {
    return new Ciphertext(this.handle.multiplyRelinearizeModSwitch(a.handle.get(), b.handle.get(), keys.handle), this.context)
  }

  /** The same value at the next level, with less noise and one prime less. */
  modSwitchToNext(a: Ciphertext): Ciphertext {
    return new Ciphertext(this.handle.modSwitchToNext(a.handle.get()), this.context)
  }

  /** The same value at a lower level. */
  modSwitchTo(a: Ciphertext, level: Level): Ciphertext {
    return new Ciphertext(this.handle.modSwitchTo(a.handle.get(), idOf(level)), this.context)
  }

  /** The same with its last prime dropped. */
  modReduceToNext(a: Ciphertext): Ciphertext {
    return new Ciphertext(this.handle.modReduceToNext(a.handle.get()), this.context)
  }

  /** The same with its last primes dropped down to a level. */
  modReduceTo(a: Ciphertext, level: Level): Ciphertext {
    return new Ciphertext(this.handle.modReduceTo(a.handle.get(), idOf(level)), this.context)
  }

  /** CKKS: value and scale divided by the last prime. */
  rescaleToNext(a: Ciphertext): Ciphertext {
    return new Ciphertext(this.handle.rescaleToNext(a.handle.get()), this.context)
  }

  /** CKKS: value and scale divided by the last primes down to a level. */
  rescaleTo(a: Ciphertext, level: Level): Ciphertext {
    return new Ciphertext(this.handle.rescaleTo(a.handle.get(), idOf(level)), this.context)
  }

  /** `a` plus a plaintext. */
  addPlain(a: Ciphertext, plaintext: Plaintext): Ciphertext {
    return new Ciphertext(this.handle.addPlain(a.handle.get(), plaintext.handle.get()), this.context)
  }

  /** `a` minus a plaintext. */
  subPlain(a: Ciphertext, plaintext: Plaintext): Ciphertext {
    return new Ciphertext(this.handle.subPlain(a.handle.get(), plaintext.handle.get()), this.context)
  }

  /** `a` times a plaintext. */
  multiplyPlain(a: Ciphertext, plaintext: Plaintext): Ciphertext {
    return new Ciphertext(this.handle.multiplyPlain(a.handle.get(), plaintext.handle.get()), this.context)
  }

  /** BFV: in NTT form, in which products with plaintexts in NTT form are cheapest. */
  toNtt(a: Ciphertext): Ciphertext {
    return new Ciphertext(this.handle.toNtt(a.handle.get()), this.context)
  }

  /** Back in coefficient form. */
  fromNtt(a: Ciphertext): Ciphertext {
    return new Ciphertext(this.handle.fromNtt(a.handle.get()), this.context)
  }

  /** A plaintext in NTT form at a level. */
  plainToNtt(plaintext: Plaintext, level: Level): Plaintext {
    return new Plaintext(this.handle.plainToNtt(plaintext.handle.get(), idOf(level)), this.context)
  }

  /** A plaintext in NTT form at the next level. */
  plainModSwitchToNext(plaintext: Plaintext): Plaintext {
    return new Plaintext(this.handle.plainModSwitchToNext(plaintext.handle.get()), this.context)
  }

  /** A plaintext in NTT form at a lower level. */
  plainModSwitchTo(plaintext: Plaintext, level: Level): Plaintext {
    return new Plaintext(this.handle.plainModSwitchTo(plaintext.handle.get(), idOf(level)), this.context)
  }

  /** The automorphism of a Galois element, an odd number below `2n`. */
  applyGalois(a: Ciphertext, element: number, keys: GaloisKeys): Ciphertext {
    return new Ciphertext(this.handle.applyGalois(a.handle.get(), checkElement(element), keys.handle), this.context)
  }

  /** BFV and BGV: both rows rotated to the left. */
  rotateRows(a: Ciphertext, steps: number, keys: GaloisKeys): Ciphertext {
    return new Ciphertext(this.handle.rotateRows(a.handle.get(), checkStep(steps), keys.handle), this.context)
  }

  /** BFV and BGV: the rows swapped. */
  rotateColumns(a: Ciphertext, keys: GaloisKeys): Ciphertext {
    return new Ciphertext(this.handle.rotateColumns(a.handle.get(), keys.handle), this.context)
  }

  /** CKKS: the slots rotated to the left. */
  rotateVector(a: Ciphertext, steps: number, keys: GaloisKeys): Ciphertext {
    return new Ciphertext(this.handle.rotateVector(a.handle.get(), checkStep(steps), keys.handle), this.context)
  }

  /** CKKS: the complex conjugates of the slots. */
  conjugate(a: Ciphertext, keys: GaloisKeys): Ciphertext {
    return new Ciphertext(this.handle.conjugate(a.handle.get(), keys.handle), this.context)
  }

  /** The sum of at least one ciphertext. */
  addMany(operands: Iterable<Ciphertext>): Ciphertext {
    return this.#one(listOf(operands, (list) => this.handle.addMany(list)))
  }

  /** The product of at least one ciphertext, relinearized, in a tree of least depth. */
  multiplyMany(operands: Iterable<Ciphertext>, keys: RelinKeys): Ciphertext {
    return this.#one(listOf(operands, (list) => this.handle.multiplyMany(list, keys.handle)))
  }

  /** Several rotations of one ciphertext, which share most of their work. */
  rotateMany(a: Ciphertext, steps: readonly number[] | Int32Array, keys: GaloisKeys): Ciphertext[] {
    return this.#all(this.handle.rotateMany(a.handle.get(), passable(Int32Array.from(steps, checkStep)), keys.handle))
  }

  /** The sum of several rotations of one ciphertext, cheaper than {@link rotateMany} and {@link addMany}. */
  sumRotations(a: Ciphertext, steps: readonly number[] | Int32Array, keys: GaloisKeys): Ciphertext {
    return this.#one(this.handle.sumRotations(a.handle.get(), passable(Int32Array.from(steps, checkStep)), keys.handle))
  }

  /**
   * The sum of rotations, each times a plaintext in NTT form at the key level: the product of a matrix, given in diagonals, with
   * a vector.
   */
  multiplyDiagonals(a: Ciphertext, diagonals: Iterable<readonly [step: number, plaintext: Plaintext]>, keys: GaloisKeys): Ciphertext {
    const all = [...diagonals]
    const steps = Int32Array.from(all, ([step]) => checkStep(step))
    const plaintexts = all.map(([, plaintext]) => plaintext)
    return this.#one(plainListOf(plaintexts, (list) => this.handle.multiplyDiagonals(a.handle.get(), steps, list, keys.handle)))
  }

  /** The sum of the products of pairs, in three polynomials. */
  dotProduct(a: Iterable<Ciphertext>, b: Iterable<Ciphertext>): Ciphertext {
    return this.#one(listOf(a, (left) => listOf(b, (right) => this.handle.dotProduct(left, right))))
  }

  /** The sum of the products of ciphertexts with plaintexts. */
  dotProductPlain(a: Iterable<Ciphertext>, plaintexts: Iterable<Plaintext>): Ciphertext {
    return this.#one(listOf(a, (left) => plainListOf(plaintexts, (right) => this.handle.dotProductPlain(left, right))))
  }

  /** {@link relinearize} of each, reading the key once. */
  relinearizeBatch(batch: Iterable<Ciphertext>, keys: RelinKeys): Ciphertext[] {
    return this.#all(listOf(batch, (list) => this.handle.relinearizeBatch(list, keys.handle)))
  }

  /** CKKS: {@link multiplyRelinearizeRescale} of each pair. */
  multiplyRelinearizeRescaleBatch(a: Iterable<Ciphertext>, b: Iterable<Ciphertext>, keys: RelinKeys): Ciphertext[] {
    return this.#all(listOf(a, (left) => listOf(b, (right) => this.handle.multiplyRelinearizeRescaleBatch(left, right, keys.handle))))
  }

  /** The rotation of each. */
  rotateBatch(batch: Iterable<Ciphertext>, steps: number, keys: GaloisKeys): Ciphertext[] {
    return this.#all(listOf(batch, (list) => this.handle.rotateBatch(list, checkStep(steps), keys.handle)))
  }

  #one(handle: glue.Ciphertext): Ciphertext {
    return new Ciphertext(handle, this.context)
  }

  #all(handles: readonly glue.Ciphertext[]): Ciphertext[] {
    return handles.map((handle) => this.#one(handle))
  }
}

function listOf<R>(operands: Iterable<Ciphertext>, use: (list: glue.CiphertextList) => R): R {
  return withList(core().CiphertextList, handlesOf(operands), use)
}

function plainListOf<R>(operands: Iterable<Plaintext>, use: (list: glue.PlaintextList) => R): R {
  return withList(core().PlaintextList, handlesOf(operands), use)
}

/** One at a time, since each may have to move in, and so another one out. */
function* handlesOf<H>(operands: Iterable<{ handle: { get(): H } }>): Iterable<H> {
  for (const operand of operands) yield operand.handle.get()
}
