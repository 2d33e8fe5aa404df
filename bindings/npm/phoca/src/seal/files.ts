// Parts of SEAL's files that need no WebAssembly: headers, base64, and objects that belong to no context yet.

import type { CppMessage } from './faults.js'

/** How files are compressed: SEAL's numbers. */
export const COMPRESSIONS = ['none', 'zlib', 'zstd'] as const

const HEADER = 16

/** What is wrong with the header of a file, in the order in which SEAL looks. */
export function headerFault(bytes: Uint8Array): CppMessage | undefined {
  if (bytes.length < HEADER) return ['std::invalid_argument', 'insufficient size']
  const [magic0, magic1, size, major, minor, mode] = bytes as unknown as [number, number, number, number, number, number]
  const isCompatible = (major === 4 && minor <= 4) || (major === 3 && minor >= 4)
  if (!isCompatible) return ['std::logic_error', 'incompatible version']
  if (magic0 !== 0x5e || magic1 !== 0xa1 || size !== HEADER || mode > 2) return ['std::logic_error', 'loaded SEALHeader is invalid']
  return undefined
}

/** Bytes in base64, padded. */
export function toBase64(bytes: Uint8Array): string {
  const modern = (bytes as { toBase64?: () => string }).toBase64
  if (modern !== undefined) return modern.call(bytes)
  // By way of `globalThis`, so that no bundler packs a replacement.
  const { Buffer } = globalThis
  if (Buffer !== undefined) return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64')
  const CHUNK = 3 << 12
  let text = ''
  for (let start = 0; start < bytes.length; start += CHUNK) {
    text += btoa(String.fromCharCode(...bytes.subarray(start, start + CHUNK)))
  }
  return text
}

/** The bytes of base64: padded or not, of either alphabet, with white space; nothing where it is none. */
export function fromBase64(text: string): Uint8Array {
  try {
    const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/').replace(/[\s=]+/g, ''))
    const bytes = new Uint8Array(binary.length)
    for (let index = 0; index < bytes.length; index++) bytes[index] = binary.charCodeAt(index)
    return bytes
  } catch {
    return new Uint8Array(0)
  }
}

/** Puts numbers in the layout of SEAL's files one after another. */
class Writer {
  readonly #bytes: Uint8Array
  readonly #view: DataView
  #offset = 0

  constructor(length: number) {
    this.#bytes = new Uint8Array(length)
    this.#view = new DataView(this.#bytes.buffer)
    this.header(length, 0)
  }

  header(length: number, mode: number): this {
    return this.byte(0x5e).byte(0xa1).byte(HEADER).byte(4).byte(1).byte(mode).byte(0).byte(0).word(BigInt(length))
  }

  byte(value: number): this {
    this.#bytes[this.#offset++] = value
    return this
  }

  word(value: bigint): this {
    this.#view.setBigUint64(this.#offset, value, true)
    this.#offset += 8
    return this
  }

  words(values: Iterable<bigint>): this {
    for (const value of values) this.word(value)
    return this
  }

  real(value: number): this {
    this.#view.setFloat64(this.#offset, value, true)
    this.#offset += 8
    return this
  }

  /** An array with a header and its length in front. */
  array(values: BigUint64Array): this {
    return this.header(HEADER + 8 + 8 * values.length, 0).word(BigInt(values.length)).words(values)
  }

  finish(): Uint8Array {
    return this.#bytes
  }
}

/** What identifies parameters. */
export interface ParameterWords {
  scheme: number
  degree: number
  coeffModulus: readonly bigint[]
  plainModulus: bigint
}

/** The uncompressed file of a modulus. */
export function modulusFile(value: bigint): Uint8Array {
  return new Writer(HEADER + 8).word(value).finish()
}

/** The uncompressed file of parameters, whether they can be used or not. */
export function parametersFile({ scheme, degree, coeffModulus, plainModulus }: ParameterWords): Uint8Array {
  const writer = new Writer(57 + 24 * coeffModulus.length).byte(scheme).word(BigInt(degree)).word(BigInt(coeffModulus.length))
  for (const modulus of [...coeffModulus, plainModulus]) writer.header(HEADER + 8, 0).word(modulus)
  return writer.finish()
}

/** The uncompressed file of a plaintext. */
export function plaintextFile(parmsId: BigUint64Array, scale: number, words: BigUint64Array): Uint8Array {
  return new Writer(88 + 8 * words.length).words(parmsId).word(BigInt(words.length)).real(scale).array(words).finish()
}

/** What a ciphertext has beside its words. */
export interface CiphertextShape {
  parmsId: BigUint64Array
  isNttForm: boolean
  size: number
  degree: number
  primeCount: number
  scale: number
  correctionFactor: bigint
}

/** The shape of a ciphertext of no parameters. */
export const EMPTY_CIPHERTEXT: CiphertextShape = {
  parmsId: new BigUint64Array(4), isNttForm: false, size: 0, degree: 0, primeCount: 0, scale: 1, correctionFactor: 1n,
}

/** The uncompressed file of a ciphertext. */
export function ciphertextFile(shape: CiphertextShape, words: BigUint64Array): Uint8Array {
  const { parmsId, isNttForm, size, degree, primeCount, scale, correctionFactor } = shape
  return new Writer(113 + 8 * words.length).words(parmsId).byte(Number(isNttForm)).word(BigInt(size)).word(BigInt(degree))
    .word(BigInt(primeCount)).real(scale).word(correctionFactor).array(words).finish()
}

/** The uncompressed file of key-switching keys without a key. */
export function emptyKeysFile(): Uint8Array {
  return new Writer(56).finish()
}

/**
 * An uncompressed file in the framing of a compression, without being smaller: for objects that are small or that no context
 * has seen. Any decompressor reads it.
 */
export function frame(file: Uint8Array, compression: number): Uint8Array {
  if (compression === 0) return file
  const payload = file.subarray(HEADER)
  const body = compression === 1 ? zlibStored(payload) : zstdRaw(payload)
  const bytes = new Uint8Array(HEADER + body.length)
  const view = new DataView(bytes.buffer)
  bytes.set(file.subarray(0, HEADER))
  bytes[5] = compression
  view.setBigUint64(8, BigInt(bytes.length), true)
  bytes.set(body, HEADER)
  return bytes
}

/** A zlib stream (RFC 1950) of stored blocks. */
function zlibStored(payload: Uint8Array): Uint8Array {
  const LIMIT = 0xffff
  const blocks = Math.max(1, Math.ceil(payload.length / LIMIT))
  const bytes = new Uint8Array(2 + 5 * blocks + payload.length + 4)
  const view = new DataView(bytes.buffer)
  bytes.set([0x78, 0x01])
  let offset = 2
  for (let block = 0; block < blocks; block++) {
    const part = payload.subarray(block * LIMIT, (block + 1) * LIMIT)
    bytes[offset] = Number(block === blocks - 1)
    view.setUint16(offset + 1, part.length, true)
    view.setUint16(offset + 3, part.length ^ 0xffff, true)
    bytes.set(part, offset + 5)
    offset += 5 + part.length
  }
  view.setUint32(offset, adler32(payload))
  return bytes
}

function adler32(payload: Uint8Array): number {
  const PRIME = 65521
  let [low, high] = [1, 0]
  for (const byte of payload) {
    low = (low + byte) % PRIME
    high = (high + low) % PRIME
  }
  return ((high << 16) | low) >>> 0
}

/** A zstd frame (RFC 8878) of raw blocks, with the size of its content. */
function zstdRaw(payload: Uint8Array): Uint8Array {
  const LIMIT = 1 << 17
  const blocks = Math.max(1, Math.ceil(payload.length / LIMIT))
  const bytes = new Uint8Array(4 + 1 + 8 + 3 * blocks + payload.length)
  const view = new DataView(bytes.buffer)
  view.setUint32(0, 0xfd2fb528, true)
  // A single segment, its size in eight bytes.
  bytes[4] = 0xe0
  view.setBigUint64(5, BigInt(payload.length), true)
  let offset = 13
  for (let block = 0; block < blocks; block++) {
    const part = payload.subarray(block * LIMIT, (block + 1) * LIMIT)
    const head = (part.length << 3) | Number(block === blocks - 1)
    bytes.set([head & 0xff, (head >> 8) & 0xff, head >> 16], offset)
    bytes.set(part, offset + 3)
    offset += 3 + part.length
  }
  return bytes
}
