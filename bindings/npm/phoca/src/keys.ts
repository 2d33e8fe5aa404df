// Keys and their generator.

import { core } from './core.js'
import { checkDegree, type Context } from './context.js'
import { argumentError } from './errors.js'
import { checkBytes, collect, concatenate, pieces, readAll, type SaveOptions, type Source, startsUncompressed, stream } from './files.js'
import { Owned, passable } from './memory.js'
import { checkElement, checkStep } from './objects.js'
import type * as glue from '../wasm/phoca.js'

/** Bytes of the header in front of a file. */
const HEADER = 16

type KeyHandle = glue.SecretKey | glue.PublicKey | glue.RelinKeys | glue.GaloisKeys

/** What all keys have. */
abstract class Key<H extends KeyHandle> extends Owned<H> {
  /** @internal */
  constructor(handle: H) {
    super(handle)
  }

  /** The file, in SEAL's format. */
  toBytes(options: SaveOptions = {}): Uint8Array {
    return collect(this.handle, options)
  }

  /** The file as a stream, which never holds more than a chunk of it. */
  save(options: SaveOptions = {}): ReadableStream<Uint8Array> {
    return stream(() => this.handle, options)
  }

  /** The id of the parameters. */
  get parmsId(): BigUint64Array {
    return this.handle.parmsId
  }

  /** Whether the context can use it. */
  isValidFor(context: Context): boolean {
    return this.handle.isValidFor(context.handle)
  }
}

/** The key that decrypts. Its memory is wiped when it is freed: call `delete()` where that matters. */
export class SecretKey extends Key<glue.SecretKey> {
  static load(context: Context, bytes: Uint8Array): SecretKey {
    return new SecretKey(core().SecretKey.load(checkBytes(bytes), context.handle))
  }

  /** As {@link load}, from a stream. */
  static async loadStream(context: Context, source: Source): Promise<SecretKey> {
    return SecretKey.load(context, await readAll(source))
  }

  copy(): SecretKey {
    return new SecretKey(this.handle.copy())
  }
}

/** The key that encrypts. */
export class PublicKey extends Key<glue.PublicKey> {
  static load(context: Context, bytes: Uint8Array): PublicKey {
    return new PublicKey(core().PublicKey.load(checkBytes(bytes), context.handle))
  }

  /** As {@link load}, from a stream. */
  static async loadStream(context: Context, source: Source): Promise<PublicKey> {
    return PublicKey.load(context, await readAll(source))
  }

  copy(): PublicKey {
    return new PublicKey(this.handle.copy())
  }
}

/** The keys that products need. */
export class RelinKeys extends Key<glue.RelinKeys> {
  static load(context: Context, bytes: Uint8Array): RelinKeys {
    return new RelinKeys(core().RelinKeys.load(checkBytes(bytes), context.handle))
  }

  /** As {@link load}, from a stream. */
  static async loadStream(context: Context, source: Source): Promise<RelinKeys> {
    return RelinKeys.load(context, await readAll(source))
  }

  /** Powers of the secret that have a key. */
  get size(): number {
    return this.handle.size
  }

  /** Whether there is a key for a power of the secret, 2 or more. */
  hasKey(power: number): boolean {
    return power === power >>> 0 && this.handle.hasKey(power)
  }

  copy(): RelinKeys {
    return new RelinKeys(this.handle.copy())
  }
}

/** The keys that rotations need: one for each Galois element. */
export class GaloisKeys extends Key<glue.GaloisKeys> {
  /** With `elements`, only their keys are kept. */
  static load(context: Context, bytes: Uint8Array, elements?: readonly number[]): GaloisKeys {
    const { GaloisKeys: Core } = core()
    return new GaloisKeys(elements === undefined
      ? Core.load(checkBytes(bytes), context.handle)
      : Core.loadElements(checkBytes(bytes), context.handle, passable(Uint32Array.from(elements, checkElement))))
  }

  /** As {@link load}, key by key as the bytes arrive: a set is never in memory twice, unless its file is compressed. */
  static async loadStream(context: Context, source: Source): Promise<GaloisKeys> {
    const parts = pieces(source)
    const head: Uint8Array[] = []
    // The header tells whether the rest is compressed.
    for (let length = 0; length < HEADER;) {
      const { value, done } = await parts.next()
      if (done) return GaloisKeys.load(context, concatenate(head))
      head.push(value)
      length += value.length
    }
    const first = concatenate(head)
    if (!startsUncompressed(first)) return GaloisKeys.load(context, concatenate([first, await readAll(parts)]))
    const loader = new (core().GaloisLoader)(context.handle)
    try {
      loader.push(passable(first))
      for await (const piece of parts) loader.push(passable(piece))
    } catch (error) {
      loader.free()
      throw error
    }
    return new GaloisKeys(loader.finish())
  }

  /** Elements that have a key. */
  get size(): number {
    return this.handle.size
  }

  /** The elements, ascending. */
  get elements(): Uint32Array {
    return this.handle.elements()
  }

  hasKey(element: number): boolean {
    return element === element >>> 0 && this.handle.hasKey(element)
  }

  copy(): GaloisKeys {
    return new GaloisKeys(this.handle.copy())
  }
}

/** Which Galois keys to make: for steps (0 is the conjugation or column swap), or for elements. */
export type GaloisSelection = { steps: readonly number[] | Int32Array } | { elements: readonly number[] | Uint32Array }

/** The Galois element of a rotation by `step` to the left; 0 is the conjugation or column swap. */
export function galoisElement(degree: number, step: number): number {
  return core().galoisElement(checkDegree(degree), checkStep(step))
}

/**
 * Makes a secret key and the keys that belong to it.
 *
 * ```ts
 * const generator = new KeyGenerator(context)
 * const publicKey = generator.publicKey()
 * ```
 */
export class KeyGenerator extends Owned<glue.KeyGenerator> {
  constructor(context: Context, secretKey?: SecretKey) {
    const { KeyGenerator: Core } = core()
    super(secretKey === undefined ? new Core(context.handle) : Core.fromSecretKey(context.handle, secretKey.handle))
  }

  secretKey(): SecretKey {
    return new SecretKey(this.handle.secretKey())
  }

  publicKey(): PublicKey {
    return new PublicKey(this.handle.publicKey())
  }

  /** Keys for `s^2` to `s^maxPower`; 2 is enough where every product is relinearized. */
  relinKeys(maxPower = 2): RelinKeys {
    if (maxPower !== maxPower >>> 0) throw argumentError('maxPower', 'an integer from 2 to 15', maxPower)
    return new RelinKeys(this.handle.relinKeys(maxPower))
  }

  /** Keys for chosen rotations; without a choice the `2·log2(n) - 2` keys from which any rotation can be put together. */
  galoisKeys(selection?: GaloisSelection): GaloisKeys {
    if (selection === undefined) return new GaloisKeys(this.handle.galoisKeys())
    return new GaloisKeys('steps' in selection
      ? this.handle.galoisKeys(passable(Int32Array.from(selection.steps, checkStep)))
      : this.handle.galoisKeysForElements(passable(Uint32Array.from(selection.elements, checkElement))))
  }
}
