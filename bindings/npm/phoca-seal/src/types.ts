// The types of the library object, by the names that they have in node-seal 7.

import type {
  BatchEncoder, CKKSEncoder, Ciphertext, Decryptor, Encryptor, GaloisKeys, KeyGenerator, KSwitchKeys, Plaintext, PublicKey, RelinKeys,
  SecretKey,
} from './types-objects.js'
import type { Evaluator } from './types-evaluator.js'

export type * from './types-objects.js'
export type * from './types-evaluator.js'

/** What may be given to the function that loads the library. */
export interface InitializeOptions {
  /** Accepted, and not used: the files are found beside the scripts. */
  locateFile?: (path: string) => string
  /** The bytes of one of phoca's modules, in the place of the file. */
  wasmBinary?: ArrayBuffer | Uint8Array
  /** One of phoca's modules, compiled, for hosts that load nothing, such as Cloudflare Workers. */
  wasmModule?: WebAssembly.Module
  /** Other options of Emscripten's, which have no meaning here. */
  [option: string]: any
}

/** What every object of a class has. */
export interface ClassHandle {
  /** Whether both are handles of one object. */
  isAliasOf(other: ClassHandle): boolean
  /** Frees the object with its last handle. Without this, the garbage collector does, later. */
  delete(): void
  /** Marks the handle for deletion: the garbage collector does the rest. */
  deleteLater(): this
  isDeleted(): boolean
  [Symbol.dispose](): void
  /** Another handle of the same object; `copy` gives another object. */
  clone(): this
}

/** The text of a string in UTF-8, or the string. */
export type EmbindString = ArrayBuffer | Uint8Array | Uint8ClampedArray | Int8Array | string

/** A member of an enumeration. */
export interface SchemeTypeValue<T extends number> { value: T }
/** BFV and BGV compute on integers, CKKS on real numbers. */
export type SchemeType = SchemeTypeValue<0> | SchemeTypeValue<1> | SchemeTypeValue<2> | SchemeTypeValue<3>

/** A member of an enumeration. */
export interface SecLevelTypeValue<T extends number> { value: T }
/** Bits of security that parameters are checked for; `none` checks nothing. */
export type SecLevelType = SecLevelTypeValue<0> | SecLevelTypeValue<128> | SecLevelTypeValue<192> | SecLevelTypeValue<256>

/** A member of an enumeration. */
export interface ComprModeTypeValue<T extends number> { value: T }
/** How a file is compressed. */
export type ComprModeType = ComprModeTypeValue<0> | ComprModeTypeValue<1> | ComprModeTypeValue<2>

/** What can be saved. */
export interface Savable {
  saveToBase64(mode: ComprModeType): string
  saveToArray(mode: ComprModeType): Uint8Array
}

/** What can be loaded without a context. */
export interface Loadable {
  loadFromBase64(base64: EmbindString): void
  loadFromArray(bytes: Uint8Array): void
}

/** What can be loaded, checked against a context. */
export interface ContextLoadable {
  loadFromBase64(context: SEALContext, base64: EmbindString): void
  loadFromArray(context: SEALContext, bytes: Uint8Array): void
}

/** What can be copied. */
export interface Copyable {
  /** A copy with contents of its own. */
  copy(): this
  /** Takes the contents of another object. */
  assign(other: this): void
}

/** A modulus: 0, or a number of 2 to 61 bits. */
export interface Modulus extends ClassHandle, Savable, Loadable {
  isZero(): boolean
  isPrime(): boolean
  bitCount(): number
  setValue(value: bigint): void
  value(): bigint
}

/** Moduli one after another. */
export interface VectorModulus extends ClassHandle {
  push_back(modulus: Modulus): void
  resize(size: number, value: Modulus): void
  size(): number
  /** A copy of one modulus; nothing beyond the end. */
  get(index: number): Modulus | undefined
  set(index: number, value: Modulus): boolean
}

/** The id of a set of parameters, or of a level. */
export interface ParmsIdType extends ClassHandle {
  /** Four words. */
  values(): BigUint64Array
}

/** Functions only. */
export interface CoeffModulus extends ClassHandle {}
/** Functions only. */
export interface PlainModulus extends ClassHandle {}
/** Functions only. */
export interface UtilHashFunction extends ClassHandle {}

/** Parameters of a scheme; nothing is checked until a context is made of them. */
export interface EncryptionParameters extends ClassHandle, Savable, Loadable {
  scheme(): SchemeType
  polyModulusDegree(): number
  coeffModulus(): VectorModulus
  plainModulus(): Modulus
  parmsId(): ParmsIdType
  setPolyModulusDegree(degree: number): void
  setCoeffModulus(coeffModulus: VectorModulus): void
  setPlainModulus(plainModulus: Modulus): void
}

/** What is known of parameters. */
export interface EncryptionParameterQualifiers extends ClassHandle {
  parametersSet(): boolean
  usingFFT: boolean
  usingNTT: boolean
  usingBatching: boolean
  usingFastPlainLift: boolean
  usingDescendingModulusChain: boolean
  securityLevel: SecLevelType
}

/** A level of a context. Where there is none, an object whose numbers are 0. */
export interface ContextData extends ClassHandle {
  parms(): EncryptionParameters
  parmsId(): ParmsIdType
  qualifiers(): EncryptionParameterQualifiers
  totalCoeffModulusBitCount(): number
  prevContextData(): ContextData
  nextContextData(): ContextData
  chainIndex(): number
}

/** Checked parameters with all that is computed from them. Whether they can be used, {@link parametersSet} says. */
export interface SEALContext extends ClassHandle {
  copy(): SEALContext
  assign(other: SEALContext): void
  getContextData(parmsId: ParmsIdType): ContextData
  keyContextData(): ContextData
  firstContextData(): ContextData
  lastContextData(): ContextData
  keyParmsId(): ParmsIdType
  firstParmsId(): ParmsIdType
  lastParmsId(): ParmsIdType
  parametersSet(): boolean
  usingKeyswitching(): boolean
  /** The parameters as a box of text. */
  toHuman(): string
}

/** Accepted wherever SEAL takes one; it has no effect. */
export interface MemoryPoolHandle extends ClassHandle {}
export interface MemoryManager extends ClassHandle {}
export interface MMProf extends ClassHandle {}
export interface MMProfGlobal extends MMProf { getPool(options: bigint): MemoryPoolHandle }
export interface MMProfNew extends MMProf { getPool(options: bigint): MemoryPoolHandle }
export interface MMProfFixed extends MMProf { getPool(options: bigint): MemoryPoolHandle }
export interface MMProfThreadLocal extends MMProf { getPool(options: bigint): MemoryPoolHandle }

/** What `await SEAL()` gives. */
export interface MainModule {
  SchemeType: { none: SchemeTypeValue<0>, bfv: SchemeTypeValue<1>, ckks: SchemeTypeValue<2>, bgv: SchemeTypeValue<3> }
  SecLevelType: { none: SecLevelTypeValue<0>, tc128: SecLevelTypeValue<128>, tc192: SecLevelTypeValue<192>, tc256: SecLevelTypeValue<256> }
  ComprModeType: { none: ComprModeTypeValue<0>, zlib: ComprModeTypeValue<1>, zstd: ComprModeTypeValue<2> }
  Modulus: { new(value: bigint): Modulus }
  VectorModulus: { new(): VectorModulus }
  ParmsIdType: { new(): ParmsIdType, new(other: ParmsIdType): ParmsIdType }
  CoeffModulus: {
    /** The most bits that all primes together may have. */
    MaxBitCount(degree: number, security: SecLevelType): number
    /** SEAL's default primes. */
    BFVDefault(degree: number, security: SecLevelType): VectorModulus
    /** One prime for each size in bits. */
    Create(degree: number, bitSizes: Int32Array): VectorModulus
  }
  PlainModulus: {
    /** The largest prime of so many bits that gives slots. */
    Batching(degree: number, bitSize: number): Modulus
    BatchingVector(degree: number, bitSizes: Int32Array): VectorModulus
  }
  UtilHashFunction: {
    /** SEAL's hash of words, four words. */
    hash(words: BigUint64Array): BigUint64Array
    readonly hashBlockUint64Count: number
    readonly hashBlockByteCount: number
  }
  EncryptionParameters: { new(scheme: SchemeType): EncryptionParameters }
  EncryptionParameterQualifiers: {}
  ContextData: {}
  SEALContext: { new(parms: EncryptionParameters, expandModChain: boolean, security: SecLevelType): SEALContext }
  KeyGenerator: { new(context: SEALContext): KeyGenerator, new(context: SEALContext, secretKey: SecretKey): KeyGenerator }
  SecretKey: { new(): SecretKey }
  PublicKey: { new(): PublicKey }
  KSwitchKeys: { new(): KSwitchKeys }
  RelinKeys: { new(): RelinKeys }
  GaloisKeys: { new(): GaloisKeys }
  SerializablePublicKey: {}
  SerializableRelinKeys: {}
  SerializableGaloisKeys: {}
  SerializableCiphertext: {}
  Plaintext: {
    new(): Plaintext
    new(coeffCount: number): Plaintext
    new(capacity: number, coeffCount: number): Plaintext
    withPool(pool: MemoryPoolHandle): Plaintext
    withCoeffCountAndPool(coeffCount: number, pool: MemoryPoolHandle): Plaintext
    withCapAndCoeffCountAndPool(capacity: number, coeffCount: number, pool: MemoryPoolHandle): Plaintext
  }
  Ciphertext: {
    new(): Ciphertext
    new(context: SEALContext): Ciphertext
    new(context: SEALContext, parmsId: ParmsIdType): Ciphertext
    new(context: SEALContext, parmsId: ParmsIdType, sizeCapacity: number): Ciphertext
    withPool(pool: MemoryPoolHandle): Ciphertext
    withContextAndPool(context: SEALContext, pool: MemoryPoolHandle): Ciphertext
    withContextAndParmsIdTypeAndPool(context: SEALContext, parmsId: ParmsIdType, pool: MemoryPoolHandle): Ciphertext
    withContextAndParmsIdTypeAndCapacityAndPool(
      context: SEALContext, parmsId: ParmsIdType, sizeCapacity: number, pool: MemoryPoolHandle): Ciphertext
  }
  BatchEncoder: { new(context: SEALContext): BatchEncoder }
  CKKSEncoder: { new(context: SEALContext): CKKSEncoder }
  Encryptor: {
    new(context: SEALContext, publicKey: PublicKey): Encryptor
    new(context: SEALContext, publicKey: PublicKey, secretKey: SecretKey): Encryptor
  }
  Decryptor: { new(context: SEALContext, secretKey: SecretKey): Decryptor }
  Evaluator: { new(context: SEALContext): Evaluator }
  MemoryPoolHandle: {
    new(): MemoryPoolHandle
    Global(): MemoryPoolHandle
    ThreadLocal(): MemoryPoolHandle
    New(clearOnDestruction: boolean): MemoryPoolHandle
  }
  MemoryManager: { GetPool(options: bigint): MemoryPoolHandle }
  MMProf: {}
  MMProfGlobal: {}
  MMProfNew: {}
  MMProfFixed: {}
  MMProfThreadLocal: {}
  jsArrayFromVecModulus(vector: VectorModulus): bigint[]
  vecFromArrayModulus(array: readonly Modulus[]): VectorModulus
  /** The C++ type and the text of an error of the library, which are its `message` too. */
  getExceptionMessage(exception: unknown): [type: string, text: string]
  incrementExceptionRefcount(exception: unknown): void
  decrementExceptionRefcount(exception: unknown): void
}
