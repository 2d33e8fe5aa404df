// Errors: a class for each group that a caller treats alike; `kind` and `fields` say the rest.

/** Values that belong to an error: both sides of what did not fit. */
export type ErrorFields = Readonly<Record<string, number | bigint | string>>

/**
 * What every error of this package is. `kind` is stable and made for code; `message` says what is wrong, names both sides, and
 * says what to do.
 */
export class PhocaError extends Error {
  /** The name of the fault, such as `ScaleMismatch`. */
  readonly kind: string
  /** Its numbers and names, such as `left` and `right`. */
  readonly fields: ErrorFields

  constructor(kind: string, message: string, fields: ErrorFields = {}, options?: ErrorOptions) {
    super(message, options)
    this.kind = kind
    this.fields = fields
  }

  override get name(): string {
    return this.constructor.name
  }
}

/** Parameters that cannot be used, or operations that they do not support. */
export class ParametersError extends PhocaError {}
/** A key that is missing, or objects that belong to different parameters. */
export class KeyError extends PhocaError {}
/** Levels, scales, forms or sizes of ciphertexts that do not fit together. */
export class OperandError extends PhocaError {}
/** Values that cannot be encoded, or arguments out of range. */
export class ValueError extends PhocaError {}
/** A result that would not decrypt, or that would decrypt without a key. */
export class NoiseError extends PhocaError {}
/** Bytes that are no object, are damaged, or belong to another context. */
export class FileError extends PhocaError {}
/** Memory that is not to be had. */
export class MemoryError extends PhocaError {}
/** An object that was used after `delete()`. */
export class DeletedError extends PhocaError {}

const CLASSES: Record<string, typeof PhocaError> = {
  BatchingUnsupported: ParametersError,
  InvalidParameters: ParametersError,
  KeySwitchingUnsupported: ParametersError,
  NoDefaultModulus: ParametersError,
  Threads: ParametersError,
  UnsupportedScheme: ParametersError,
  MissingGaloisKey: KeyError,
  MissingKey: KeyError,
  MissingRelinKey: KeyError,
  ParametersMismatch: KeyError,
  CannotRaiseLevel: OperandError,
  CountMismatch: OperandError,
  EmptyInput: OperandError,
  EndOfChain: OperandError,
  FormMismatch: OperandError,
  KeySwitchingAtKeyLevel: OperandError,
  LevelMismatch: OperandError,
  ScaleMismatch: OperandError,
  ScaleOutOfRange: OperandError,
  SizeOutOfRange: OperandError,
  Argument: ValueError,
  EncodedTooLarge: ValueError,
  InvalidScale: ValueError,
  NotFinite: ValueError,
  PolynomialText: ValueError,
  Ring: ValueError,
  TooManyValues: ValueError,
  ValueOutOfRange: ValueError,
  ZeroExponent: ValueError,
  NoiseExhausted: NoiseError,
  TransparentCiphertext: NoiseError,
  File: FileError,
  OutOfMemory: MemoryError,
  Deleted: DeletedError,
}

/** The error of a kind. */
export function errorFromCore(kind: string, message: string, fields: ErrorFields): PhocaError {
  const Class = Object.hasOwn(CLASSES, kind) ? CLASSES[kind]! : PhocaError
  return new Class(kind, message, fields)
}

/** An error on its way between threads. */
export interface SentError {
  kind: string
  message: string
  fields: ErrorFields
}

export function toSent(error: unknown): SentError {
  if (error instanceof PhocaError) return { kind: error.kind, message: error.message, fields: error.fields }
  return { kind: 'Worker', message: error instanceof Error ? error.message : String(error), fields: {} }
}

export function fromSent({ kind, message, fields }: SentError): PhocaError {
  return errorFromCore(kind, message, fields)
}

/** An argument of a type that the declaration does not allow. */
export function argumentError(argument: string, expected: string, got: unknown): ValueError {
  return new ValueError('Argument', `${argument} must be ${expected}, not ${describe(got)}`, { argument })
}

function describe(value: unknown): string {
  if (value === null) return 'null'
  if (typeof value === 'object') return value.constructor?.name ?? 'an object'
  if (typeof value === 'function') return 'a function'
  return typeof value === 'string' ? JSON.stringify(value.slice(0, 40)) : String(value)
}
