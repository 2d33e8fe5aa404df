// What SEAL says: the C++ type and the text of its exception for each fault of this package.

import { PhocaError } from '../errors.js'

/** The type of an exception in C++, and its text. */
export type CppMessage = [type: string, text: string]

const INVALID = 'std::invalid_argument'
const LOGIC = 'std::logic_error'
const RUNTIME = 'std::runtime_error'

/**
 * Texts of invalid arguments in the place of the usual ones, where SEAL's operations differ; by the kind of the fault. For files,
 * `data` and `metadata` are the names of the object and of what has its id, `value` is what is said of a value in it, and `stream`
 * is set where all of a compressed stream is there.
 */
export type Texts = Readonly<Record<string, string>>

const FAULTS: Readonly<Record<string, CppMessage>> = {
  Argument: [INVALID, 'invalid argument'],
  BatchingUnsupported: [INVALID, 'encryption parameters are not valid for batching'],
  CannotRaiseLevel: [INVALID, 'cannot switch to higher level modulus'],
  EncodedTooLarge: [INVALID, 'encoded values are too large'],
  EndOfChain: [INVALID, 'end of modulus switching chain reached'],
  FormMismatch: [INVALID, 'NTT form mismatch'],
  InvalidParameters: [INVALID, 'encryption parameters are not set correctly'],
  InvalidScale: [INVALID, 'scale out of bounds'],
  KeySwitchingAtKeyLevel: [INVALID, 'encrypted is not valid for encryption parameters'],
  KeySwitchingUnsupported: [LOGIC, 'keyswitching is not supported by the context'],
  LevelMismatch: [INVALID, 'encrypted1 and encrypted2 parameter mismatch'],
  MissingGaloisKey: [INVALID, 'Galois key not present'],
  MissingRelinKey: [INVALID, 'not enough relinearization keys'],
  NoDefaultModulus: [INVALID, 'non-standard poly_modulus_degree'],
  NotFinite: [INVALID, 'values must be finite'],
  OutOfMemory: ['std::bad_alloc', 'std::bad_alloc'],
  ScaleMismatch: [INVALID, 'scale mismatch'],
  ScaleOutOfRange: [INVALID, 'scale out of bounds'],
  SizeOutOfRange: [INVALID, 'invalid size'],
  TooManyValues: [INVALID, 'plain is not valid for encryption parameters'],
  TransparentCiphertext: [LOGIC, 'result ciphertext is transparent'],
  UnsupportedScheme: [INVALID, 'unsupported scheme'],
  ValueOutOfRange: [INVALID, 'plain is not valid for encryption parameters'],
  ZeroExponent: [INVALID, 'exponent cannot be 0'],
}

const OBJECTS: Readonly<Record<string, string>> = {
  'the ciphertext': 'encrypted',
  'the first ciphertext': 'encrypted1',
  'the second ciphertext': 'encrypted2',
  'the plaintext': 'plain',
  'the public key': 'public key',
  'the secret key': 'secret key',
  'the relinearization keys': 'relin_keys',
  'the Galois keys': 'galois_keys',
}

/** What SEAL says in the place of an error; nothing where it is no error of this package. */
export function cppMessage(error: unknown, texts: Texts = {}): CppMessage | undefined {
  if (!(error instanceof PhocaError)) return undefined
  const { kind, fields } = error
  if (Object.hasOwn(texts, kind)) return [INVALID, texts[kind]!]
  if (kind === 'File') return fileMessage(String(fields.cause), texts)
  if (kind === 'ParametersMismatch') {
    return [INVALID, `${OBJECTS[String(fields.object)] ?? 'parms_id'} is not valid for encryption parameters`]
  }
  if (kind === 'MissingKey') return [LOGIC, `${fields.kind} key is not set`]
  return Object.hasOwn(FAULTS, kind) ? FAULTS[kind]! : [LOGIC, error.message]
}

function fileMessage(cause: string, texts: Texts): CppMessage {
  switch (cause) {
    case 'Truncated': if (texts.stream === undefined) return [RUNTIME, 'I/O error: input buffer ended unexpectedly']
    // What ends inside of a whole stream is damaged.
    case 'CorruptStream': return [LOGIC, 'stream decompression failed']
    case 'Size': case 'LongStream': return [LOGIC, 'invalid data size']
    case 'Header': return [LOGIC, 'loaded SEALHeader is invalid']
    case 'Version': return [LOGIC, 'incompatible version']
    // The id is checked with the part that has it, the rest with the whole.
    case 'ParmsId': return dataMessage(texts.metadata ?? texts.data, texts)
    default: return dataMessage(texts.data, texts)
  }
}

function dataMessage(name: string | undefined, { value }: Texts): CppMessage {
  return value === undefined ? [LOGIC, `${name ?? 'object'} data is invalid`] : [INVALID, value]
}
