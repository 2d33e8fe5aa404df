// SEAL's checks of operands, in its order: which of several faults it names depends on that.

import type { Ciphertext, Context, GaloisKeys, Level, Plaintext, RelinKeys } from 'phoca'
import type { CiphertextBox } from './ciphertext.js'
import { LibraryErrors } from './exception.js'
import type { KeyBox } from './keys.js'
import type { PlaintextBox } from './plaintext.js'

/** Fails with an invalid argument unless a condition holds. */
export function check(condition: boolean, text: string): void {
  if (!condition) throw LibraryErrors.invalidArgument(text)
}

/** A ciphertext that is at a data level of the context and has its scale. */
export function validCiphertext(context: Context, box: CiphertextBox, name = 'encrypted'): Ciphertext {
  const { object } = box
  const level = object === undefined ? undefined : levelIn(context, object)
  const isAtDataLevel = level !== undefined && level.chainIndex <= context.firstLevel.chainIndex
  const isScaled = context.scheme === 'ckks' ? box.scale !== 0 : box.scale === 1
  check(isAtDataLevel && isScaled, `${name} is not valid for encryption parameters`)
  return object!
}

const levels = new WeakMap<Ciphertext, Level>()

/**
 * The level of a ciphertext in a context, which need not be the one that made it, but may be another one of the same parameters. In
 * its own it is looked up once, since each operation asks for it.
 */
export function levelIn(context: Context, ciphertext: Ciphertext): Level | undefined {
  if (ciphertext.context !== context) return context.level(ciphertext.parmsId)
  const level = levels.get(ciphertext) ?? ciphertext.level
  levels.set(ciphertext, level)
  return level
}

/** A plaintext whose level, if it has one, is one of the context's. */
export function validPlaintext(context: Context, box: PlaintextBox): Plaintext {
  const isKnown = !box.isNttForm || context.level(box.parmsId) !== undefined
  check(isKnown && box.coeffCount <= context.degree * context.keyLevel.primeCount, 'plain is not valid for encryption parameters')
  return box.object(context)
}

/** Keys of the context. */
export function validKeys<K extends RelinKeys | GaloisKeys>(context: Context, box: KeyBox<K>, name: 'relin_keys' | 'galois_keys'): K {
  const keys = box.require(name)
  const { parmsId } = keys
  check(context.keyLevel.parmsId.every((word, index) => word === parmsId[index]), `${name} is not valid for encryption parameters`)
  return keys
}

/** SEAL's word for the scheme. */
export function schemeLabel(context: Context): string {
  return context.scheme.toUpperCase()
}

/** Whether ciphertexts of the scheme are in NTT form between operations. */
export function isNttScheme(context: Context): boolean {
  return context.scheme !== 'bfv'
}

/** A ciphertext in the form of its scheme; `subject` is what the error calls it. */
export function checkForm(context: Context, isNttForm: boolean, subject: string): void {
  check(isNttForm === isNttScheme(context), `${subject} ${isNttScheme(context) ? 'must' : 'cannot'} be in NTT form`)
}
