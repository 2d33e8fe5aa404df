// The types of keys, plaintexts, ciphertexts, and of what makes them.

import type {
  ClassHandle, ContextLoadable, Copyable, MemoryPoolHandle, ParmsIdType, Savable, SEALContext,
} from './types.js'

/** The key that decrypts. */
export interface SecretKey extends ClassHandle, Copyable, Savable, ContextLoadable {}
/** The key that encrypts. */
export interface PublicKey extends ClassHandle, Copyable, Savable, ContextLoadable {}

/** Relinearization or Galois keys. */
export interface KSwitchKeys extends ClassHandle, Savable, ContextLoadable {
  /** How many keys there are. */
  size(): number
}

/** The keys that products need. */
export interface RelinKeys extends KSwitchKeys, Copyable {
  /** Where the key for a power of the secret is: the power less 2. */
  getIndex(power: number): number
  hasKey(power: number): boolean
}

/** The keys that rotations need. */
export interface GaloisKeys extends KSwitchKeys, Copyable {
  /** Where the key for a Galois element is. */
  getIndex(galoisElt: number): number
  hasKey(galoisElt: number): boolean
}

/** A key that can only be saved, in half of the space; load it into a {@link PublicKey}. */
export interface SerializablePublicKey extends ClassHandle, Savable {}
/** Keys that can only be saved, in half of the space; load them into {@link RelinKeys}. */
export interface SerializableRelinKeys extends ClassHandle, Savable {}
/** Keys that can only be saved, in half of the space; load them into {@link GaloisKeys}. */
export interface SerializableGaloisKeys extends ClassHandle, Savable {}
/** A ciphertext that can only be saved; made with the secret key it takes half of the space. */
export interface SerializableCiphertext extends ClassHandle, Savable {}

/** Makes keys for a secret key of its own, or for one that is given. */
export interface KeyGenerator extends ClassHandle {
  secretKey(): SecretKey
  createPublicKey(): PublicKey
  createPublicKeySerializable(): SerializablePublicKey
  createRelinKeys(): RelinKeys
  createRelinKeysSerializable(): SerializableRelinKeys
  /** Keys from which any rotation can be put together. */
  createGaloisKeys(): GaloisKeys
  /** Keys for some rotations; step 0 swaps the columns, or conjugates. */
  createGaloisKeysWithSteps(steps: Int32Array): GaloisKeys
  createGaloisKeysSerializable(): SerializableGaloisKeys
  createGaloisKeysSerializableWithSteps(steps: Int32Array): SerializableGaloisKeys
}

/** A plaintext: coefficients, or in NTT form. */
export interface Plaintext extends ClassHandle, Copyable, Savable, ContextLoadable {
  parmsId(): ParmsIdType
  pool(): MemoryPoolHandle
  reserve(capacity: number): void
  resize(coeffCount: number): void
  shrinkToFit(): void
  release(): void
  setZero(): void
  isZero(): boolean
  isNttForm(): boolean
  capacity(): number
  coeffCount(): number
  /** Coefficients up to the last that is not zero. */
  significantCoeffCount(): number
  nonzeroCoeffCount(): number
  scale(): number
  setScale(scale: number): void
  /** The polynomial, such as `1Fx^3 + 2x^1 + 7`, with coefficients in hexadecimal. */
  toString(): string
}

/** A ciphertext. */
export interface Ciphertext extends ClassHandle, Copyable, Savable, ContextLoadable {
  parmsId(): ParmsIdType
  pool(): MemoryPoolHandle
  reserve(context: SEALContext, sizeCapacity: number): void
  resize(size: number): void
  release(): void
  /** Whether it decrypts without a key. */
  isTransparent(): boolean
  isNttForm(): boolean
  coeffModulusSize(): number
  polyModulusDegree(): number
  /** How many polynomials it has. */
  size(): number
  sizeCapacity(): number
  scale(): number
  setScale(scale: number): void
  /** BGV: the factor that modulus switching leaves on the message; 1 otherwise. */
  correctionFactor(): number
}

/** BFV and BGV: integers modulo the plain modulus in the slots of a plaintext. */
export interface BatchEncoder extends ClassHandle {
  slotCount(): number
  encode(values: BigInt64Array | BigUint64Array, destination: Plaintext): void
  decodeBigInt64(plain: Plaintext): BigInt64Array
  decodeBigInt64WithPool(plain: Plaintext, pool: MemoryPoolHandle): BigInt64Array
  decodeBigUint64(plain: Plaintext): BigUint64Array
  decodeBigUint64WithPool(plain: Plaintext, pool: MemoryPoolHandle): BigUint64Array
}

/** CKKS: real numbers in the slots of a plaintext. */
export interface CKKSEncoder extends ClassHandle {
  slotCount(): number
  encode(values: Float64Array, scale: number, destination: Plaintext): void
  encodeWithPool(values: Float64Array, scale: number, destination: Plaintext, pool: MemoryPoolHandle): void
  decodeFloat64(plain: Plaintext): Float64Array
  decodeFloat64WithPool(plain: Plaintext, pool: MemoryPoolHandle): Float64Array
}

/** Encrypts: with the public key, or with the secret key (`Symmetric`). */
export interface Encryptor extends ClassHandle {
  setPublicKey(publicKey: PublicKey): void
  setSecretKey(secretKey: SecretKey): void
  encrypt(plain: Plaintext, destination: Ciphertext): void
  encryptWithPool(plain: Plaintext, destination: Ciphertext, pool: MemoryPoolHandle): void
  encryptSerializable(plain: Plaintext): SerializableCiphertext
  encryptSerializableWithPool(plain: Plaintext, pool: MemoryPoolHandle): SerializableCiphertext
  encryptSymmetric(plain: Plaintext, destination: Ciphertext): void
  encryptSymmetricWithPool(plain: Plaintext, destination: Ciphertext, pool: MemoryPoolHandle): void
  encryptSymmetricSerializable(plain: Plaintext): SerializableCiphertext
  encryptSymmetricSerializableWithPool(plain: Plaintext, pool: MemoryPoolHandle): SerializableCiphertext
  encryptZero(destination: Ciphertext): void
  encryptZeroWithPool(destination: Ciphertext, pool: MemoryPoolHandle): void
  encryptZeroSerializable(): SerializableCiphertext
  encryptZeroSerializableWithPool(pool: MemoryPoolHandle): SerializableCiphertext
}

/** Decrypts. */
export interface Decryptor extends ClassHandle {
  decrypt(encrypted: Ciphertext, destination: Plaintext): void
  /** BFV and BGV: bits of noise that are left until decryption fails. */
  invariantNoiseBudget(encrypted: Ciphertext): number
}
