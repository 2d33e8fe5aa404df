// Files: base64, compressions, and the few that the engine has no object for.

import { type Compression, PhocaError } from 'phoca'
import { ComprModeType, numberOf } from './enums.js'
import { bindingError } from './errors.js'

const COMPRESSIONS: readonly Compression[] = ['none', 'zlib', 'zstd']
const HEADER = 16

/** What makes a file. */
export type Saver = (compression: Compression) => Uint8Array

/** The file in a compression, zstd unless one is given. */
export function saveArray(save: Saver, mode: unknown = ComprModeType.zstd): Uint8Array {
  const compression = COMPRESSIONS[numberOf(mode)]
  if (compression === undefined) throw new Error('unsupported compression mode')
  return save(compression)
}

/** The bytes of a file in base64. Text that is none gives no bytes, so that loading them says what is wrong. */
export function fromBase64(encoded: unknown): Uint8Array {
  if (typeof encoded !== 'string') throw bindingError('Cannot pass non-string to std::string')
  if (typeof Buffer !== 'undefined') return new Uint8Array(Buffer.from(encoded, 'base64'))
  try {
    return Uint8Array.from(atob(encoded), (character) => character.charCodeAt(0))
  } catch {
    return new Uint8Array()
  }
}

export function toBase64(bytes: Uint8Array): string {
  if (typeof Buffer !== 'undefined') return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64')
  // In pieces of a length that gives no padding, and no more arguments than a call takes.
  const pieces: string[] = []
  for (let start = 0; start < bytes.length; start += 0x6000) {
    pieces.push(btoa(String.fromCharCode(...bytes.subarray(start, start + 0x6000))))
  }
  return pieces.join('')
}

/** What has elements and a length, whatever its iterator gives. */
export function arrayLike(given: unknown): ArrayLike<number> {
  const { length } = given as ArrayLike<number>
  return { ...(given as ArrayLike<number>), length }
}

/** Loads a file; `invalid` is SEAL's text for one that does not hold what it should. */
export function load<R>(bytes: unknown, invalid: string, read: (bytes: Uint8Array) => R): R {
  const array = bytes instanceof Uint8Array ? bytes : Uint8Array.from(arrayLike(bytes))
  checkHeader(array)
  try {
    return read(array)
  } catch (error) {
    throw error instanceof PhocaError ? new Error(invalid, { cause: error }) : error
  }
}

function checkHeader(bytes: Uint8Array): void {
  if (bytes.length < HEADER) throw new Error('insufficient size')
  const [magicLow, magicHigh, headerSize, major, minor, compression] = bytes as unknown as [number, number, number, number, number, number]
  const isHeader = magicLow === 0x5e && magicHigh === 0xa1 && headerSize === HEADER
  if (isHeader && !((major === 4 && minor <= 4) || (major === 3 && minor >= 4))) throw new Error('incompatible version')
  // A header of SEAL 3.4 has a zero, the compression and the size after the magic.
  const isOld = magicLow === 0x5e && magicHigh === 0xa1 && headerSize === 0
  if (!isOld && !(isHeader && compression <= 2)) throw new Error('loaded SEALHeader is invalid')
  const size = isOld ? BigInt(view(bytes).getUint32(4, true)) : view(bytes).getBigUint64(8, true)
  if (size > BigInt(bytes.length)) throw new Error('I/O error: input buffer ended unexpectedly')
}

function view(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

/** A file of the words and bytes after its header, stored rather than packed where a compression is asked for. */
export function rawFile(payload: Uint8Array, compression: Compression): Uint8Array {
  const body = compression === 'zstd' ? storedZstd(payload) : compression === 'zlib' ? storedZlib(payload) : payload
  const bytes = new Uint8Array(HEADER + body.length)
  bytes.set([0x5e, 0xa1, HEADER, 4, 1, COMPRESSIONS.indexOf(compression)])
  view(bytes).setBigUint64(8, BigInt(bytes.length), true)
  bytes.set(body, HEADER)
  return bytes
}

/** One frame with one raw block of less than 256 bytes (RFC 8878, sections 3.1.1 and 3.1.1.2.3). */
function storedZstd(payload: Uint8Array): Uint8Array {
  const block = (payload.length << 3) | 1
  return Uint8Array.of(0x28, 0xb5, 0x2f, 0xfd, 0x20, payload.length, block & 0xff, block >> 8, 0, ...payload)
}

/** One stored block (RFC 1950, RFC 1951 section 3.2.4). */
function storedZlib(payload: Uint8Array): Uint8Array {
  let low = 1
  let high = 0
  for (const byte of payload) {
    low = (low + byte) % 65521
    high = (high + low) % 65521
  }
  const length = payload.length
  return Uint8Array.of(0x78, 0x01, 1, length, 0, ~length & 0xff, 0xff, ...payload, high >> 8, high & 0xff, low >> 8, low & 0xff)
}

/** The payload of an array of words with nothing in it: a file within the file. */
export const EMPTY_WORDS = rawFile(new Uint8Array(8), 'none')

/** Bytes one after the other. */
export function joined(...parts: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0))
  let offset = 0
  for (const part of parts) {
    bytes.set(part, offset)
    offset += part.length
  }
  return bytes
}

/** 64-bit words, little-endian. */
export function words(...values: readonly (bigint | number)[]): Uint8Array {
  const bytes = new Uint8Array(8 * values.length)
  values.forEach((value, index) => {
    if (typeof value === 'bigint') view(bytes).setBigUint64(8 * index, value, true)
    else view(bytes).setFloat64(8 * index, value, true)
  })
  return bytes
}
