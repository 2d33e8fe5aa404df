// Saving and loading: as arrays and as base64.

import { COMPRESSIONS, fromBase64, headerFault, type Texts, toBase64 } from 'phoca/seal-compat'
import { any, type Class, nothing, text, type Type, typedArray } from './binding.js'
import { translated } from './errors.js'
import { LibraryErrors } from './exception.js'

const bytesOf = typedArray(Uint8Array)

/** A compression by SEAL's number. */
export function checkMode(mode: number): number {
  if (COMPRESSIONS[mode] === undefined) throw LibraryErrors.invalidArgument('unsupported compression mode')
  return mode
}

/** An object with a file. */
export interface Saved {
  /** The file, by the number of the compression. */
  save(mode: number): Uint8Array
}

/** The methods that save. */
export function withSaving<T extends Saved>(target: Class<T>, mode: Type<number>): Class<T> {
  return target
    .method('function', 'saveToBase64', [mode], text, (self, mode) => toBase64(self.save(checkMode(mode))))
    .method('function', 'saveToArray', [mode], any, (self, mode) => self.save(checkMode(mode)))
}

/**
 * The methods that load with what comes before the bytes: a context, or nothing. `texts` says what SEAL says of contents that do
 * not fit.
 */
export function withLoading<T extends Saved, A extends unknown[]>(
  target: Class<T>, before: { [K in keyof A]: Type<A[K]> }, texts: Texts, load: (self: T, bytes: Uint8Array, ...before: A) => void,
): Class<T> {
  const checked = (self: T, bytes: Uint8Array, before: A): void => {
    const fault = headerFault(bytes)
    if (fault !== undefined) throw LibraryErrors.of(fault)
    // What is cut off inside of a compressed stream, no more bytes would help.
    const isWhole = bytes[5] !== 0 && new DataView(bytes.buffer, bytes.byteOffset).getBigUint64(8, true) <= bytes.length
    translated(() => load(self, bytes, ...before), isWhole ? { ...texts, stream: 'whole' } : texts)
  }
  return target
    .method('function', 'loadFromBase64', [...before, text] as never, nothing, (self, ...args: unknown[]) => {
      checked(self, fromBase64(args.pop() as string), args as A)
    })
    .method('function', 'loadFromArray', [...before, any] as never, nothing, (self, ...args: unknown[]) => {
      const bytes = bytesOf(args.pop())
      if (bytes.length === 0) throw LibraryErrors.invalidArgument('in cannot be null')
      checked(self, bytes, args as A)
    })
}
