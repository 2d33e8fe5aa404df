// Objects of WebAssembly's memory, and how that memory is freed.
//
// The garbage collector neither sees how large an object in WebAssembly's memory is, nor runs finalizers while a program stays
// in one task. So ciphertexts and plaintexts live there only up to a budget: the ones that were not used for longest move into an
// ArrayBuffer, which is ordinary garbage once its owner is, and move back when they are used. A program that never calls delete()
// therefore runs in bounded memory; one that does never pays for a move. Keys and contexts stay where they are, and finalizers
// free them.

import { core } from './core.js'
import { argumentError, DeletedError } from './errors.js'

/** What the core's objects have. */
export interface Handle {
  free(): void
}

const MEBIBYTE = 1 << 20
const DEFAULT_BUDGET = 32 * MEBIBYTE
/** The most objects that one call of the core's takes by their handles, which have to stay valid until it is made. */
const OPERANDS = 2

let budget = DEFAULT_BUDGET
let used = 0
/** Those in WebAssembly's memory, the one that was not used for longest first. */
const resident = new Set<Place<Handle>>()

/**
 * Sets how many bytes of ciphertexts and plaintexts stay in WebAssembly's memory, 32 MiB unless set. Others wait outside of it
 * until they are used again.
 */
export function setMemoryBudget(bytes: number): void {
  if (!(bytes >= 0)) throw argumentError('bytes', 'a number of bytes', bytes)
  budget = bytes
  shrink()
}

/** How much memory is in use, in bytes. */
export function memoryUsage(): { resident: number, budget: number, wasm: number } {
  return { resident: used, budget, wasm: core().memoryBytes() }
}

type AnyArray = Uint8Array | Int32Array | Uint32Array | Float64Array | BigInt64Array | BigUint64Array
type ArrayClass = new (buffer: ArrayBufferLike, offset: number, length: number) => AnyArray
const ARRAYS: ArrayClass[] = [Uint8Array, Int32Array, Uint32Array, Float64Array, BigInt64Array, BigUint64Array]

/** A view of an array without what a subclass makes of it, such as another length: the module relies on that. */
export function plain<A extends AnyArray>(array: A): A {
  const Class = ARRAYS.find((Class) => array instanceof Class)!
  try {
    return new Class(array.buffer, array.byteOffset, array.length) as A
  } catch {
    throw argumentError('array', 'an array of its own length that was not transferred', array)
  }
}

/** The same for an array that the module copies into its memory, where no room would be the end of it. */
export function passable<A extends AnyArray>(array: A): A {
  const view = plain(array)
  if (view.byteLength > MEBIBYTE) core().requireMemory(view.byteLength)
  return view
}

/** How an object moves between memories. */
export interface Mover<H extends Handle> {
  /** Its bytes, or nothing where it has to stay. */
  store(handle: H): Uint8Array | undefined
  restore(bytes: Uint8Array): H
}

/**
 * Where an object is. A finalizer holds on to its place until it runs, and in one task none runs: so a place leads to the object's
 * bytes never, and to the object only while that is in WebAssembly's memory.
 */
class Place<H extends Handle> {
  handle: H | undefined
  owner: Movable<H> | undefined
  readonly size: number

  constructor(size: number) {
    this.size = size
  }

  free(): void {
    this.leave()
    this.handle?.free()
    this.handle = undefined
  }

  enter(handle: H, owner: Movable<H>): void {
    this.handle = handle
    this.owner = owner
    resident.add(this)
    used += this.size
  }

  /** Stops counting; the handle stays. */
  leave(): void {
    if (!resident.delete(this)) return
    this.owner = undefined
    used -= this.size
  }
}

/** An object that may be in either memory. */
export class Movable<H extends Handle> {
  readonly place: Place<H>
  #bytes: Uint8Array | undefined
  readonly #mover: Mover<H>

  constructor(handle: H, size: number, mover: Mover<H>) {
    this.place = new Place(size)
    this.#mover = mover
    this.place.enter(handle, this)
    shrink()
  }

  /** The core's object, for one call. */
  get(): H {
    const { place } = this
    if (place.handle === undefined) {
      place.enter(this.#mover.restore(this.#bytes!), this)
      this.#bytes = undefined
      // What moves in may be all that happens: reading many objects makes none.
      shrink(OPERANDS)
    } else if (resident.delete(place)) {
      // Now it is the one that was used last.
      resident.add(place)
    }
    return place.handle!
  }

  free(): void {
    this.place.free()
    this.#bytes = undefined
  }

  /** Moves out of WebAssembly's memory, unless it has to stay; then it counts no more. */
  moveOut(): void {
    const { place } = this
    place.leave()
    this.#bytes = this.#mover.store(place.handle!)
    if (this.#bytes === undefined) return
    place.free()
    // Nothing is left to finalize; in one task without end what is registered would pile up.
    registry.unregister(place)
  }

  get isOut(): boolean {
    return this.#bytes !== undefined
  }
}

/** Moves objects out until the rest is within the budget; the newest stay, since they are about to be used. */
function shrink(kept = 1): void {
  // Firefox updates every iterator of a set that was left before its end, until it is collected: so none is made for nothing.
  if (used <= budget) return
  for (const oldest of resident) {
    if (used <= budget || resident.size <= kept) return
    oldest.owner!.moveOut()
  }
}

const registry = new FinalizationRegistry<Handle>((held) => held.free())

/** An object of the core's that is freed once nothing leads to it. */
export class Kept<H extends Handle> {
  readonly handle: H

  constructor(handle: H) {
    this.handle = handle
    registry.register(this, handle)
  }
}

/** The symbol of `using`; engines without it get the one that compilers put in its place. */
export const dispose: typeof Symbol.dispose = Symbol.dispose ?? Symbol.for('Symbol.dispose')

/** Objects with memory that can be freed at once: by `delete()`, by `using`, or some time by the garbage collector. */
export abstract class Owned<H extends Handle> {
  #handle: H | undefined

  protected constructor(handle: H) {
    this.#handle = handle
    this.#register(handle)
  }

  #register(handle: H): void {
    const held = handle instanceof Movable ? handle.place : handle
    registry.register(this, held, held)
  }

  /** Frees the memory now. The object cannot be used any more; further calls do nothing. */
  delete(): void {
    if (this.#handle === undefined) return
    registry.unregister(this.#handle instanceof Movable ? this.#handle.place : this.#handle)
    this.#handle.free()
    this.#handle = undefined
  }

  /** Whether `delete()` was called. */
  get isDeleted(): boolean {
    return this.#handle === undefined
  }

  [dispose](): void {
    this.delete()
  }

  /** @internal */
  get handle(): H {
    if (this.#handle === undefined) {
      // Bundlers put an underscore before the names of classes that name themselves.
      const name = this.constructor.name.replace(/^_/, '')
      throw new DeletedError('Deleted', `this ${name} was deleted; it cannot be used any more`, { object: name })
    }
    // It is about to move in again.
    if (this.#handle instanceof Movable && this.#handle.isOut) this.#register(this.#handle)
    return this.#handle
  }
}

/** Calls `use` with a list of the core's that is freed afterwards. */
export function withList<L extends Handle & { push(item: I): void }, I, R>(List: new () => L, items: Iterable<I>, use: (list: L) => R): R {
  const list = new List()
  try {
    for (const item of items) list.push(item)
    return use(list)
  } finally {
    list.free()
  }
}
