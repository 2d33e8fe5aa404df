// The library object.

import type { Context } from '../implementation/context.js'
import type { EncryptionParameters } from '../implementation/encryption-parameters.js'
import type { SEALLibrary } from '../implementation/seal.js'
import { makeCipher } from './ciphertext.js'
import { makeContext, makeContextData, makeQualifiers } from './context.js'
import { makeBatchEncoder, makeCkksEncoder } from './encoders.js'
import { makeDecryptor, makeEncryptor } from './encryptor.js'
import { ComprModeType, MemoryPoolHandle, SchemeType, SecurityLevel } from './enums.js'
import { Exception } from './errors.js'
import { makeEvaluator } from './evaluator.js'
import { makeGaloisKeys, makeKeyGenerator, makePublicKey, makeRelinKeys, makeSecretKey, makeSerializable } from './keys.js'
import { CoeffModulus, makeModulus, PlainModulus } from './modulus.js'
import { makeParameters, makeParmsId } from './parameters.js'
import { makePlain } from './plaintext.js'
import { makeVector } from './vector.js'

/** The version that this package stands in for. */
const VERSION = '6.0.3'

/** The library; `allowTransparent` is what its two builds differ in. */
export function library(allowTransparent: boolean): SEALLibrary {
  return {
    BatchEncoder: makeBatchEncoder,
    CipherText: (params) => makeCipher(params),
    CKKSEncoder: makeCkksEncoder,
    CoeffModulus,
    ComprModeType,
    ContextData: () => makeContextData(),
    Context: (parameters: EncryptionParameters, expandChain = true, level: unknown = SecurityLevel.tc128): Context =>
      makeContext(parameters, expandChain, level, allowTransparent),
    Decryptor: makeDecryptor,
    EncryptionParameterQualifiers: () => makeQualifiers(),
    EncryptionParameters: (scheme) => makeParameters(scheme),
    Encryptor: makeEncryptor,
    Evaluator: makeEvaluator,
    Exception,
    GaloisKeys: () => makeGaloisKeys(),
    KeyGenerator: makeKeyGenerator,
    MemoryPoolHandle,
    Modulus: (value) => makeModulus(value),
    ParmsIdType: () => makeParmsId(),
    PlainText: (params) => makePlain(params),
    PlainModulus,
    PublicKey: () => makePublicKey(),
    RelinKeys: () => makeRelinKeys(),
    SchemeType,
    SecretKey: () => makeSecretKey(),
    SecurityLevel,
    Serializable: () => makeSerializable(),
    Vector: () => makeVector(),
    Version: VERSION,
  }
}
