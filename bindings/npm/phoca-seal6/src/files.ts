// Saving and loading.

import type { Compression } from 'phoca'
import { COMPRESSIONS, frame, fromBase64, headerFault, type Texts } from 'phoca/seal-compat'
import { ComprModeType, numberOf } from './enums.js'
import { bindingError, sealError } from './errors.js'

export { toBase64 } from 'phoca/seal-compat'

/** What makes a file: in a compression, or, for what is small, without one. */
export type Saver = (compression: Compression) => Uint8Array

/** The file in a compression, zstd unless one is given. */
export function saveArray(save: Saver, mode: unknown = ComprModeType.zstd): Uint8Array {
  const compression = COMPRESSIONS[numberOf(mode)]
  if (compression === undefined) throw new Error('unsupported compression mode')
  return save(compression)
}

/** A small file in the framing of a compression. */
export function framed(file: Uint8Array, compression: Compression): Uint8Array {
  return frame(file, COMPRESSIONS.indexOf(compression))
}

/** The bytes of base64. Text that is none gives no bytes, so that loading them says what is wrong. */
export function bytesOf(encoded: unknown): Uint8Array {
  if (typeof encoded !== 'string') throw bindingError('Cannot pass non-string to std::string')
  return fromBase64(encoded)
}

/** What has elements and a length, whatever its iterator gives. */
export function arrayLike(given: unknown): ArrayLike<number> {
  const { length } = given as ArrayLike<number>
  return { ...(given as ArrayLike<number>), length }
}

/** Loads a file; `texts` is what SEAL says of contents that do not fit. */
export function load<R>(given: unknown, texts: Texts, read: (bytes: Uint8Array) => R): R {
  const bytes = given instanceof Uint8Array ? given : Uint8Array.from(arrayLike(given))
  const fault = headerFault(bytes)
  if (fault !== undefined) throw new Error(fault[1])
  try {
    return read(bytes)
  } catch (error) {
    throw sealError(error, texts)
  }
}
