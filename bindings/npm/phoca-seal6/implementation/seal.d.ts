// The library object, and types that the other files share.

import type { BatchEncoderConstructorOptions } from './batch-encoder'
import type { CipherTextConstructorOptions } from './cipher-text'
import type { CKKSEncoderConstructorOptions } from './ckks-encoder'
import type { CoeffModulus } from './coeff-modulus'
import type { ComprModeType } from './compr-mode-type'
import type { ContextConstructorOptions } from './context'
import type { ContextDataConstructorOptions } from './context-data'
import type { DecryptorConstructorOptions } from './decryptor'
import type { EncryptionParameterQualifiersConstructorOptions } from './encryption-parameter-qualifiers'
import type { EncryptionParametersConstructorOptions } from './encryption-parameters'
import type { EncryptorConstructorOptions } from './encryptor'
import type { EvaluatorConstructorOptions } from './evaluator'
import type { Exception } from './exception'
import type { GaloisKeysConstructorOptions } from './galois-keys'
import type { KeyGeneratorConstructorOptions } from './key-generator'
import type { MemoryPoolHandle } from './memory-pool-handle'
import type { ModulusConstructorOptions } from './modulus'
import type { ParmsIdTypeConstructorOptions } from './parms-id-type'
import type { PlainModulus } from './plain-modulus'
import type { PlainTextConstructorOptions } from './plain-text'
import type { PublicKeyConstructorOptions } from './public-key'
import type { RelinKeysConstructorOptions } from './relin-keys'
import type { SchemeType } from './scheme-type'
import type { SecretKeyConstructorOptions } from './secret-key'
import type { SecurityLevel } from './security-level'
import type { SerializableConstructorOptions } from './serializable'
import type { VectorConstructorOptions } from './vector'

/** What an object wraps. */
export type Instance = any
export type Loader = any
export type Library = any
export type Dependencies = any

export interface LoaderOptions {
  readonly loader: Loader
}

/**
 * A function with an optional destination: without one it returns a new object, with one it returns nothing and the result is in
 * the destination.
 */
export interface WithDestination<Operands extends unknown[], Result, Rest extends unknown[] = []> {
  (...args: Operands): Result
  (...args: [...operands: Operands, destination: Result, ...rest: Rest]): void
  (...args: [...operands: Operands, destination?: Result, ...rest: Rest]): Result | void
}

/** The library. Objects are made by calling its functions, without `new`. */
export interface SEALLibrary {
  readonly BatchEncoder: BatchEncoderConstructorOptions
  readonly CipherText: CipherTextConstructorOptions
  readonly CKKSEncoder: CKKSEncoderConstructorOptions
  readonly CoeffModulus: CoeffModulus
  readonly ComprModeType: ComprModeType
  readonly ContextData: ContextDataConstructorOptions
  readonly Context: ContextConstructorOptions
  readonly Decryptor: DecryptorConstructorOptions
  readonly EncryptionParameterQualifiers: EncryptionParameterQualifiersConstructorOptions
  readonly EncryptionParameters: EncryptionParametersConstructorOptions
  readonly Encryptor: EncryptorConstructorOptions
  readonly Evaluator: EvaluatorConstructorOptions
  readonly Exception: Exception
  readonly GaloisKeys: GaloisKeysConstructorOptions
  readonly KeyGenerator: KeyGeneratorConstructorOptions
  readonly MemoryPoolHandle: MemoryPoolHandle
  readonly Modulus: ModulusConstructorOptions
  readonly ParmsIdType: ParmsIdTypeConstructorOptions
  readonly PlainText: PlainTextConstructorOptions
  readonly PlainModulus: PlainModulus
  readonly PublicKey: PublicKeyConstructorOptions
  readonly RelinKeys: RelinKeysConstructorOptions
  readonly SchemeType: SchemeType
  readonly SecretKey: SecretKeyConstructorOptions
  readonly SecurityLevel: SecurityLevel
  readonly Serializable: SerializableConstructorOptions
  readonly Vector: VectorConstructorOptions
  /** The version of node-seal that this package stands in for. */
  readonly Version: string
}
