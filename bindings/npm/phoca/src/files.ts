// SEAL's files, whole or as streams.

import { argumentError } from './errors.js'
import { plain } from './memory.js'

/** How a file is compressed. Ciphertexts hardly shrink; keys in seeded form do not at all. */
export type Compression = 'none' | 'zlib' | 'zstd'

/** The version of SEAL that a file is for: 4.1 is what node-seal reads, 4.4 reads all. */
export type FileVersion = '4.0' | '4.1' | '4.3' | '4.4'

export interface SaveOptions {
  /** None unless set. */
  compression?: Compression
  /** 4.1 unless set. */
  version?: FileVersion
  /** Whether a fresh key or symmetric ciphertext is written with the seed of its random half: half the size. On unless set. */
  seeds?: boolean
}

/** What the core's objects that have files have. */
export interface Savable {
  save(receiver: (piece: Uint8Array) => void, compression: number, minor: number, full: boolean): void
  saveRange(start: number, length: number, minor: number, full: boolean): Uint8Array
  savedLength(full: boolean): number
}

const COMPRESSIONS: readonly Compression[] = ['none', 'zlib', 'zstd']
const VERSIONS: readonly FileVersion[] = ['4.0', '4.1', '4.3', '4.4']
/** Bytes of one chunk of a stream. */
const CHUNK = 1 << 20

export function compressionNumber(compression: Compression): number {
  const number = COMPRESSIONS.indexOf(compression)
  if (number < 0) throw argumentError('compression', "'none', 'zlib' or 'zstd'", compression)
  return number
}

function settings(options: SaveOptions): { compression: number, minor: number, full: boolean } {
  const { compression = 'none', version = '4.1', seeds = true } = options
  if (!VERSIONS.includes(version)) throw argumentError('version', "'4.0', '4.1', '4.3' or '4.4'", version)
  return { compression: compressionNumber(compression), minor: Number(version.slice(2)), full: !seeds }
}

/** The whole file. */
export function collect(object: Savable, options: SaveOptions): Uint8Array {
  const { compression, minor, full } = settings(options)
  if (compression === 0) {
    // The length is known, so that the pieces go to their places.
    const bytes = new Uint8Array(object.savedLength(full))
    for (let start = 0; start < bytes.length; start += CHUNK) bytes.set(object.saveRange(start, CHUNK, minor, full), start)
    return bytes
  }
  const made: Uint8Array[] = []
  object.save((piece) => void made.push(piece), compression, minor, full)
  return concatenate(made)
}

/**
 * The file in chunks of at most 1 MiB, each made when it is asked for, so that it is never in memory as a whole. Compressed files
 * are made at once.
 */
export function stream(object: () => Savable, options: SaveOptions): ReadableStream<Uint8Array> {
  const { compression, minor, full } = settings(options)
  const length = compression === 0 ? object().savedLength(full) : 0
  const whole = compression === 0 ? undefined : collect(object(), options)
  let start = 0
  return new ReadableStream<Uint8Array>({
    pull(controller) {
      const chunk = whole?.subarray(start, start + CHUNK) ?? object().saveRange(start, CHUNK, minor, full)
      start += chunk.length
      if (chunk.length > 0) controller.enqueue(chunk)
      if (start >= (whole?.length ?? length)) controller.close()
    },
  }, { highWaterMark: 0 })
}

/** Bytes, or a stream of them: a response's body, a file's, a blob's. */
export type Source = Uint8Array | ReadableStream<Uint8Array> | AsyncIterable<Uint8Array>

/** The pieces of a source. */
export async function* pieces(source: Source): AsyncGenerator<Uint8Array> {
  if (source instanceof Uint8Array) {
    yield source
  } else if (Symbol.asyncIterator in source) {
    for await (const piece of source) yield checkBytes(piece)
  } else if (typeof (source as Partial<ReadableStream> | null)?.getReader === 'function') {
    // Not every engine's streams are async iterables.
    const reader = (source as ReadableStream<Uint8Array>).getReader()
    try {
      for (let next = await reader.read(); !next.done; next = await reader.read()) yield checkBytes(next.value)
    } finally {
      await reader.cancel()
    }
  } else {
    throw argumentError('source', 'a Uint8Array, a ReadableStream or an async iterable of them', source)
  }
}

/** All bytes of a source. */
export async function readAll(source: Source): Promise<Uint8Array> {
  const all: Uint8Array[] = []
  for await (const piece of pieces(source)) all.push(piece)
  return concatenate(all)
}

/** Whether the bytes start an uncompressed object of SEAL 4 or of 3.5 and later. */
export function startsUncompressed(bytes: Uint8Array): boolean {
  return bytes[0] === 0x5e && bytes[1] === 0xa1 && bytes[2] === 16 && bytes[5] === 0
}

export function concatenate(pieces: readonly Uint8Array[]): Uint8Array {
  if (pieces.length === 1) return pieces[0]!
  const bytes = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0))
  let offset = 0
  for (const piece of pieces) {
    bytes.set(piece, offset)
    offset += piece.length
  }
  return bytes
}

export function checkBytes(bytes: unknown): Uint8Array {
  if (!(bytes instanceof Uint8Array)) throw argumentError('bytes', 'a Uint8Array', bytes)
  return plain(bytes)
}
