// Errors of phoca as the exceptions of SEAL.

import { cppMessage, type Texts } from 'phoca/seal-compat'
import { LibraryErrors } from './exception.js'

/** Calls, and throws SEAL's exception where phoca throws an error. `texts` are for faults that SEAL words differently here. */
export function translated<R>(call: () => R, texts?: Texts): R {
  try {
    return call()
  } catch (error) {
    const message = cppMessage(error, texts)
    throw message === undefined ? error : LibraryErrors.of(message)
  }
}
