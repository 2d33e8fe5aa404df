// Errors as node-seal throws them: ordinary ones with SEAL's texts.

import { DeletedError, PhocaError } from 'phoca'
import { cppMessage, type Texts } from 'phoca/seal-compat'
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

const IN_NTT_FORM = { FormMismatch: 'encrypted cannot be in NTT form' }
const SUM_WITH_PLAIN = { LevelMismatch: 'encrypted and plain parameter mismatch' }
const PRODUCT_WITH_PLAIN = { LevelMismatch: 'encrypted_ntt and plain_ntt parameter mismatch' }
const OF_FACTORS = { FormMismatch: 'encrypted1 or encrypted2 cannot be in NTT form' }
const OF_COEFFICIENTS = { FormMismatch: 'plain is not in NTT form' }
const RESCALING = { UnsupportedScheme: 'unsupported operation for scheme type' }
const ROTATION = {
  BatchingUnsupported: 'encryption parameters do not support batching',
  SizeOutOfRange: 'encrypted size must be 2',
}

/** Texts that operations have in the place of the usual ones. */
const TEXTS: Readonly<Record<string, Texts>> = {
  addPlain: SUM_WITH_PLAIN,
  applyGalois: ROTATION,
  cipherTransformFromNtt: { FormMismatch: 'encrypted_ntt is not in NTT form' },
  complexConjugate: ROTATION,
  decode: OF_COEFFICIENTS,
  decrypt: IN_NTT_FORM,
  dotProduct: OF_FACTORS,
  dotProductPlain: PRODUCT_WITH_PLAIN,
  encode: { TooManyValues: 'values_matrix size is too large' },
  encodeReal: { TooManyValues: 'values_size is too large' },
  encrypt: { FormMismatch: 'plain cannot be in NTT form' },
  exponentiate: IN_NTT_FORM,
  invariantNoiseBudget: { FormMismatch: 'BFV encrypted cannot be in NTT form' },
  multiply: OF_FACTORS,
  multiplyPlain: PRODUCT_WITH_PLAIN,
  plainModSwitchTo: OF_COEFFICIENTS,
  plainModSwitchToNext: OF_COEFFICIENTS,
  plainTransformToNtt: { FormMismatch: 'plain is already in NTT form' },
  rescaleTo: RESCALING,
  rescaleToNext: RESCALING,
  rotateColumns: ROTATION,
  rotateRows: ROTATION,
  rotateVector: ROTATION,
  square: IN_NTT_FORM,
  subPlain: SUM_WITH_PLAIN,
  sumElements: ROTATION,
}

/** The error that node-seal throws in the place of another, in an operation. Those of JavaScript stay as they are. */
export function translate(error: unknown, operation: string): unknown {
  return error instanceof DeletedError ? new TypeError(error.message, { cause: error }) : sealError(error, TEXTS[operation])
}

/** The same, with the texts of one place. */
export function sealError(error: unknown, texts?: Texts): unknown {
  const message = cppMessage(error, texts)
  return message === undefined ? error : new Error(ofScheme(message[1], error), { cause: error })
}

/** The texts say what BFV wants; the other schemes want the other form. */
function ofScheme(text: string, error: unknown): string {
  const wantsNtt = error instanceof PhocaError && error.kind === 'FormMismatch' && error.fields.expected === 'NTT'
  return wantsNtt ? text.replace('BFV', 'BGV').replace('cannot be', 'must be') : text
}

export const Exception: Exceptions = {
  safe(error: SealError): Error {
    return error instanceof Error ? error : new Error((error as string) || 'Unknown Error!')
  },
}
