// The type of the evaluator.

import type { Ciphertext, GaloisKeys, Plaintext, RelinKeys } from './types-objects.js'
import type { ClassHandle, MemoryPoolHandle, ParmsIdType } from './types.js'

/**
 * Computes with ciphertexts. Each operation has a form that writes its result into a destination and one, `Inplace`, that
 * replaces its first operand; those that SEAL gives memory for have both with a pool, too. An operation that throws changes
 * nothing.
 */
export interface Evaluator extends ClassHandle {
  /** `-encrypted`. */
  negate(encrypted: Ciphertext, destination: Ciphertext): void
  negateInplace(encrypted: Ciphertext): void
  /** The sum of two ciphertexts. */
  add(encrypted1: Ciphertext, encrypted2: Ciphertext, destination: Ciphertext): void
  addInplace(encrypted1: Ciphertext, encrypted2: Ciphertext): void
  /** The difference of two ciphertexts. */
  sub(encrypted1: Ciphertext, encrypted2: Ciphertext, destination: Ciphertext): void
  subInplace(encrypted1: Ciphertext, encrypted2: Ciphertext): void
  /** The product of two ciphertexts, of three polynomials; {@link relinearize} brings two back. */
  multiply(encrypted1: Ciphertext, encrypted2: Ciphertext, destination: Ciphertext): void
  multiplyWithPool(encrypted1: Ciphertext, encrypted2: Ciphertext, destination: Ciphertext, pool: MemoryPoolHandle): void
  multiplyInplace(encrypted1: Ciphertext, encrypted2: Ciphertext): void
  multiplyInplaceWithPool(encrypted1: Ciphertext, encrypted2: Ciphertext, pool: MemoryPoolHandle): void
  /** The product of a ciphertext with itself. */
  square(encrypted: Ciphertext, destination: Ciphertext): void
  squareWithPool(encrypted: Ciphertext, destination: Ciphertext, pool: MemoryPoolHandle): void
  squareInplace(encrypted: Ciphertext): void
  squareInplaceWithPool(encrypted: Ciphertext, pool: MemoryPoolHandle): void
  /** BFV and BGV: the power with an exponent of at least 1. */
  exponentiate(encrypted: Ciphertext, exponent: bigint, relinKeys: RelinKeys, destination: Ciphertext): void
  exponentiateWithPool(encrypted: Ciphertext, exponent: bigint, relinKeys: RelinKeys, destination: Ciphertext, pool: MemoryPoolHandle): void
  exponentiateInplace(encrypted: Ciphertext, exponent: bigint, relinKeys: RelinKeys): void
  exponentiateInplaceWithPool(encrypted: Ciphertext, exponent: bigint, relinKeys: RelinKeys, pool: MemoryPoolHandle): void
  /** The same value in two polynomials. */
  relinearize(encrypted: Ciphertext, relinKeys: RelinKeys, destination: Ciphertext): void
  relinearizeWithPool(encrypted: Ciphertext, relinKeys: RelinKeys, destination: Ciphertext, pool: MemoryPoolHandle): void
  relinearizeInplace(encrypted: Ciphertext, relinKeys: RelinKeys): void
  relinearizeInplaceWithPool(encrypted: Ciphertext, relinKeys: RelinKeys, pool: MemoryPoolHandle): void
  /** The same value with one prime less. */
  cipherModSwitchToNext(encrypted: Ciphertext, destination: Ciphertext): void
  cipherModSwitchToNextWithPool(encrypted: Ciphertext, destination: Ciphertext, pool: MemoryPoolHandle): void
  cipherModSwitchToNextInplace(encrypted: Ciphertext): void
  cipherModSwitchToNextInplaceWithPool(encrypted: Ciphertext, pool: MemoryPoolHandle): void
  /** The same value at a lower level. */
  cipherModSwitchTo(encrypted: Ciphertext, parmsId: ParmsIdType, destination: Ciphertext): void
  cipherModSwitchToWithPool(encrypted: Ciphertext, parmsId: ParmsIdType, destination: Ciphertext, pool: MemoryPoolHandle): void
  cipherModSwitchToInplace(encrypted: Ciphertext, parmsId: ParmsIdType): void
  cipherModSwitchToInplaceWithPool(encrypted: Ciphertext, parmsId: ParmsIdType, pool: MemoryPoolHandle): void
  /** The same with its last prime dropped. */
  modReduceToNext(encrypted: Ciphertext, destination: Ciphertext): void
  modReduceToNextWithPool(encrypted: Ciphertext, destination: Ciphertext, pool: MemoryPoolHandle): void
  modReduceToNextInplace(encrypted: Ciphertext): void
  modReduceToNextInplaceWithPool(encrypted: Ciphertext, pool: MemoryPoolHandle): void
  /** The same with its last primes dropped down to a level. */
  modReduceTo(encrypted: Ciphertext, parmsId: ParmsIdType, destination: Ciphertext): void
  modReduceToWithPool(encrypted: Ciphertext, parmsId: ParmsIdType, destination: Ciphertext, pool: MemoryPoolHandle): void
  modReduceToInplace(encrypted: Ciphertext, parmsId: ParmsIdType): void
  modReduceToInplaceWithPool(encrypted: Ciphertext, parmsId: ParmsIdType, pool: MemoryPoolHandle): void
  /** CKKS: value and scale divided by the last prime. */
  rescaleToNext(encrypted: Ciphertext, destination: Ciphertext): void
  rescaleToNextWithPool(encrypted: Ciphertext, destination: Ciphertext, pool: MemoryPoolHandle): void
  rescaleToNextInplace(encrypted: Ciphertext): void
  rescaleToNextInplaceWithPool(encrypted: Ciphertext, pool: MemoryPoolHandle): void
  /** CKKS: value and scale divided by the last primes down to a level. */
  rescaleTo(encrypted: Ciphertext, parmsId: ParmsIdType, destination: Ciphertext): void
  rescaleToWithPool(encrypted: Ciphertext, parmsId: ParmsIdType, destination: Ciphertext, pool: MemoryPoolHandle): void
  rescaleToInplace(encrypted: Ciphertext, parmsId: ParmsIdType): void
  rescaleToInplaceWithPool(encrypted: Ciphertext, parmsId: ParmsIdType, pool: MemoryPoolHandle): void
  /** The sum with a plaintext. */
  addPlain(encrypted: Ciphertext, plain: Plaintext, destination: Ciphertext): void
  addPlainWithPool(encrypted: Ciphertext, plain: Plaintext, destination: Ciphertext, pool: MemoryPoolHandle): void
  addPlainInplace(encrypted: Ciphertext, plain: Plaintext): void
  addPlainInplaceWithPool(encrypted: Ciphertext, plain: Plaintext, pool: MemoryPoolHandle): void
  /** The difference to a plaintext. */
  subPlain(encrypted: Ciphertext, plain: Plaintext, destination: Ciphertext): void
  subPlainWithPool(encrypted: Ciphertext, plain: Plaintext, destination: Ciphertext, pool: MemoryPoolHandle): void
  subPlainInplace(encrypted: Ciphertext, plain: Plaintext): void
  subPlainInplaceWithPool(encrypted: Ciphertext, plain: Plaintext, pool: MemoryPoolHandle): void
  /** The product with a plaintext. */
  multiplyPlain(encrypted: Ciphertext, plain: Plaintext, destination: Ciphertext): void
  multiplyPlainWithPool(encrypted: Ciphertext, plain: Plaintext, destination: Ciphertext, pool: MemoryPoolHandle): void
  multiplyPlainInplace(encrypted: Ciphertext, plain: Plaintext): void
  multiplyPlainInplaceWithPool(encrypted: Ciphertext, plain: Plaintext, pool: MemoryPoolHandle): void
  /** BFV: into NTT form, in which products with plaintexts in NTT form are cheapest. */
  cipherTransformToNtt(encrypted: Ciphertext, destination: Ciphertext): void
  cipherTransformToNttInplace(encrypted: Ciphertext): void
  /** Back from NTT form. */
  cipherTransformFromNtt(encrypted: Ciphertext, destination: Ciphertext): void
  cipherTransformFromNttInplace(encrypted: Ciphertext): void
  /** A plaintext in NTT form at a level. */
  plainTransformToNtt(plain: Plaintext, parmsId: ParmsIdType, destination: Plaintext): void
  plainTransformToNttWithPool(plain: Plaintext, parmsId: ParmsIdType, destination: Plaintext, pool: MemoryPoolHandle): void
  plainTransformToNttInplace(plain: Plaintext, parmsId: ParmsIdType): void
  plainTransformToNttInplaceWithPool(plain: Plaintext, parmsId: ParmsIdType, pool: MemoryPoolHandle): void
  /** A plaintext in NTT form with one prime less. */
  plainModSwitchToNext(plain: Plaintext, destination: Plaintext): void
  plainModSwitchToNextInplace(plain: Plaintext): void
  /** A plaintext in NTT form at a lower level. */
  plainModSwitchTo(plain: Plaintext, parmsId: ParmsIdType, destination: Plaintext): void
  plainModSwitchToInplace(plain: Plaintext, parmsId: ParmsIdType): void
  /** The automorphism of a Galois element. */
  applyGalois(encrypted: Ciphertext, galoisElt: number, galoisKeys: GaloisKeys, destination: Ciphertext): void
  applyGaloisWithPool(
    encrypted: Ciphertext, galoisElt: number, galoisKeys: GaloisKeys, destination: Ciphertext, pool: MemoryPoolHandle): void
  applyGaloisInplace(encrypted: Ciphertext, galoisElt: number, galoisKeys: GaloisKeys): void
  applyGaloisInplaceWithPool(encrypted: Ciphertext, galoisElt: number, galoisKeys: GaloisKeys, pool: MemoryPoolHandle): void
  /** BFV and BGV: both rows rotated to the left. */
  rotateRows(encrypted: Ciphertext, steps: number, galoisKeys: GaloisKeys, destination: Ciphertext): void
  rotateRowsWithPool(encrypted: Ciphertext, steps: number, galoisKeys: GaloisKeys, destination: Ciphertext, pool: MemoryPoolHandle): void
  rotateRowsInplace(encrypted: Ciphertext, steps: number, galoisKeys: GaloisKeys): void
  rotateRowsInplaceWithPool(encrypted: Ciphertext, steps: number, galoisKeys: GaloisKeys, pool: MemoryPoolHandle): void
  /** BFV and BGV: the rows swapped. */
  rotateColumns(encrypted: Ciphertext, galoisKeys: GaloisKeys, destination: Ciphertext): void
  rotateColumnsWithPool(encrypted: Ciphertext, galoisKeys: GaloisKeys, destination: Ciphertext, pool: MemoryPoolHandle): void
  rotateColumnsInplace(encrypted: Ciphertext, galoisKeys: GaloisKeys): void
  rotateColumnsInplaceWithPool(encrypted: Ciphertext, galoisKeys: GaloisKeys, pool: MemoryPoolHandle): void
  /** CKKS: the slots rotated to the left. */
  rotateVector(encrypted: Ciphertext, steps: number, galoisKeys: GaloisKeys, destination: Ciphertext): void
  rotateVectorWithPool(encrypted: Ciphertext, steps: number, galoisKeys: GaloisKeys, destination: Ciphertext, pool: MemoryPoolHandle): void
  rotateVectorInplace(encrypted: Ciphertext, steps: number, galoisKeys: GaloisKeys): void
  rotateVectorInplaceWithPool(encrypted: Ciphertext, steps: number, galoisKeys: GaloisKeys, pool: MemoryPoolHandle): void
  /** CKKS: the complex conjugates of the slots. */
  complexConjugate(encrypted: Ciphertext, galoisKeys: GaloisKeys, destination: Ciphertext): void
  complexConjugateWithPool(encrypted: Ciphertext, galoisKeys: GaloisKeys, destination: Ciphertext, pool: MemoryPoolHandle): void
  complexConjugateInplace(encrypted: Ciphertext, galoisKeys: GaloisKeys): void
  complexConjugateInplaceWithPool(encrypted: Ciphertext, galoisKeys: GaloisKeys, pool: MemoryPoolHandle): void
}
