// The objects that programs hold: plain objects of functions and getters around one inner object each.
//
// `instance` is the inner object, which `unsafeInject` or `inject` of another object takes; `delete()` lets go of it. Inner
// objects count the objects around them, so that one that is shared lives until the last lets go.

import { bindingError, translate } from './errors.js'

/** An inner object. Its class's `name` is part of the interface, and so is written out where minifiers cannot reach it. */
export abstract class Inner {
  #owners = 0
  #deleted = false

  /** Frees what it holds. */
  protected abstract free(): void

  hold(): this {
    this.#owners++
    return this
  }

  letGo(): void {
    this.#owners--
    if (this.#owners <= 0) this.delete()
  }

  delete(): void {
    if (this.#deleted) return
    this.#deleted = true
    this.free()
  }

  isDeleted(): boolean {
    return this.#deleted
  }
}

export type InnerClass<I extends Inner> = { readonly name: string, readonly prototype: I } & (abstract new (...args: never[]) => I)

/** The inner object of an argument. */
export function inner<I extends Inner>(argument: { readonly instance: unknown }, Class: InnerClass<I>): I {
  return checkInner(argument.instance, Class)
}

/** Checks what stands for an inner object. */
export function checkInner<I extends Inner>(instance: unknown, Class: InnerClass<I>): I {
  const { name } = Class
  if (instance === undefined) throw new TypeError(`Cannot read properties of undefined: a deleted ${name}, or none, was given`)
  if (instance === null) throw bindingError(`null is not a valid ${name}`)
  if (!(instance instanceof Inner)) throw bindingError(`Cannot pass "${String(instance)}" as a ${name}`)
  if (!(instance instanceof Class)) {
    throw bindingError(`Expected null or instance of ${name}, got an instance of ${instance.constructor.name}`)
  }
  if (instance.isDeleted()) throw bindingError(`Cannot pass deleted object as a pointer of type ${name}*`)
  return instance
}

/** The place of an inner object in an object around it. */
export class Slot<I extends Inner> {
  #instance: I | undefined

  constructor(instance?: I) {
    this.#instance = instance?.hold()
  }

  get instance(): I | undefined {
    return this.#instance
  }

  /** The inner object, for the member of a name. */
  use(member: string): I {
    if (this.#instance === undefined) {
      throw new TypeError(`Cannot read properties of undefined (reading '${member}'): the object was deleted, or is empty`)
    }
    return this.#instance
  }

  replace(instance: I | undefined): void {
    const old = this.#instance
    this.#instance = instance?.hold()
    old?.letGo()
  }
}

/** How objects around a class of inner objects look. */
export interface Shape<I extends Inner> {
  Class: InnerClass<I>
  /** The name of the function that takes another's inner object. */
  inject: 'inject' | 'unsafeInject'
  /** Functions of the inner object, in order; those after `get ` are getters outside. */
  members: readonly string[]
  /** What becomes of an inner object that is taken: itself unless set. */
  take?: (instance: I) => I
}

/** An object around an inner object. */
export function facade<T, I extends Inner>(shape: Shape<I>, instance?: I): T {
  const slot = new Slot(instance)
  const self = handle(slot, shape.inject, (given) => {
    if (given === undefined && shape.take === undefined) return undefined
    const taken = checkInner(given, shape.Class)
    return shape.take?.(taken) ?? taken
  })
  for (const member of shape.members) {
    const isGetter = member.startsWith('get ')
    const name = isGetter ? member.slice(4) : member
    const call = (...args: unknown[]): unknown =>
      guarded(() => (slot.use(name) as unknown as Record<string, (...args: unknown[]) => unknown>)[name]!(...args), name)
    Object.defineProperty(self, name, isGetter
      ? { get: () => call(), enumerable: true, configurable: true }
      : { value: call, enumerable: true, configurable: true, writable: true })
  }
  return self as T
}

/** The members that every object has. */
export function handle<I extends Inner>(slot: Slot<I>, inject: string, take: (given: unknown) => I | undefined): object {
  return {
    get instance() {
      return slot.instance
    },
    [inject](given: unknown) {
      slot.replace(take(given))
    },
    delete() {
      slot.replace(undefined)
    },
  }
}

/** Calls a function; what it throws becomes what node-seal throws. */
export function guarded<R>(call: () => R, operation: string): R {
  try {
    return call()
  } catch (error) {
    throw translate(error, operation)
  }
}

/** A class of a name that is not known before. */
export function named<C extends object>(name: string, Class: C): C {
  return Object.defineProperty(Class, 'name', { value: name })
}
