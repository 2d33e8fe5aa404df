// Errors.

export type { Dependencies as ExceptionDependencies } from './seal'

export interface ExceptionConstructorOptions {
  (): Exception
}

export type SealError = number | Error | string

export interface Exception {
  /** An `Error` of whatever was thrown. */
  readonly safe: (e: SealError) => Error
}
