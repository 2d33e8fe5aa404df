// Errors as node-seal throws them: ordinary ones with SEAL's texts.

import { DeletedError, PhocaError } from 'phoca'
import type { Exception as Exceptions, SealError } from '../implementation/exception.js'

/** An argument of the wrong class. */
export function bindingError(message: string): Error {
  const error = new Error(message)
  error.name = 'BindingError'
  return error
}

export const UNSUPPORTED_VECTOR_TYPE = 'Unsupported vector type'
export const INVALID_PARAMETERS = 'encryption parameters are not set correctly'
export const UNKNOWN_PARMS_ID = 'parms_id is not valid for encryption parameters'
const UNSUPPORTED_OPERATION = 'unsupported operation for scheme type'

/** A text, or one for each operation, `_` for all others. */
type Texts = string | { readonly _: string, readonly [operation: string]: string }

const TEXTS: Record<string, Texts> = {
  BatchingUnsupported: {
    _: 'encryption parameters do not support batching',
    BatchEncoder: 'encryption parameters are not valid for batching',
  },
  CannotRaiseLevel: 'cannot switch to higher level modulus',
  EncodedTooLarge: 'encoded values are too large',
  EndOfChain: 'end of modulus switching chain reached',
  FormMismatch: {
    _: 'NTT form mismatch',
    cipherTransformFromNtt: 'encrypted_ntt is not in NTT form',
    cipherTransformToNtt: 'encrypted is already in NTT form',
    decode: 'plain is not in NTT form',
    decrypt: 'encrypted cannot be in NTT form',
    dotProduct: 'encrypted1 or encrypted2 cannot be in NTT form',
    encrypt: 'plain cannot be in NTT form',
    exponentiate: 'encrypted cannot be in NTT form',
    invariantNoiseBudget: 'BFV encrypted cannot be in NTT form',
    multiply: 'encrypted1 or encrypted2 cannot be in NTT form',
    plainModSwitchTo: 'plain is not in NTT form',
    plainModSwitchToNext: 'plain is not in NTT form',
    plainTransformToNtt: 'plain is already in NTT form',
    square: 'encrypted cannot be in NTT form',
  },
  InvalidParameters: INVALID_PARAMETERS,
  InvalidScale: 'scale out of bounds',
  KeySwitchingUnsupported: 'keyswitching is not supported by the context',
  LevelMismatch: {
    _: 'encrypted1 and encrypted2 parameter mismatch',
    addPlain: 'encrypted and plain parameter mismatch',
    dotProductPlain: 'encrypted_ntt and plain_ntt parameter mismatch',
    multiplyPlain: 'encrypted_ntt and plain_ntt parameter mismatch',
    subPlain: 'encrypted and plain parameter mismatch',
  },
  MissingGaloisKey: 'Galois key not present',
  MissingRelinKey: 'not enough relinearization keys',
  NotFinite: 'values must be finite',
  ScaleMismatch: 'scale mismatch',
  ScaleOutOfRange: 'scale out of bounds',
  SizeOutOfRange: {
    _: 'invalid size',
    applyGalois: 'encrypted size must be 2',
    complexConjugate: 'encrypted size must be 2',
    rotateColumns: 'encrypted size must be 2',
    rotateRows: 'encrypted size must be 2',
    rotateVector: 'encrypted size must be 2',
    sumElements: 'encrypted size must be 2',
  },
  TooManyValues: { _: 'values_matrix size is too large', encodeReal: 'values_size is too large' },
  TransparentCiphertext: 'result ciphertext is transparent',
  UnsupportedScheme: {
    _: 'unsupported scheme',
    rescaleTo: UNSUPPORTED_OPERATION,
    rescaleToNext: UNSUPPORTED_OPERATION,
  },
  ZeroExponent: 'exponent cannot be 0',
}

/** The error that node-seal throws in the place of another, in an operation. Those of the engine stay as they are. */
export function translate(error: unknown, operation: string): unknown {
  if (!(error instanceof PhocaError)) return error
  if (error instanceof DeletedError) return new TypeError(error.message, { cause: error })
  const texts = Object.hasOwn(TEXTS, error.kind) ? TEXTS[error.kind]! : error.message
  const text = typeof texts === 'string' ? texts : texts[operation] ?? texts._
  return new Error(text, { cause: error })
}

export const Exception: Exceptions = {
  safe(error: SealError): Error {
    return error instanceof Error ? error : new Error((error as string) || 'Unknown Error!')
  },
}
