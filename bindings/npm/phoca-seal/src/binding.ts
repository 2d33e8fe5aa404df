// Classes that behave in JavaScript as node-seal's do: handles that are deleted by hand, clones that share an object, and
// arguments that are converted and checked in the same order, with the same errors.

import { translated } from './errors.js'
import { LibraryErrors } from './exception.js'

/** A wrong use of a class: a deleted object, an object of another class, a wrong number of arguments for a constructor. */
export class BindingError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'BindingError'
  }
}

/** How a value crosses the border: `from` JavaScript into an argument, `to` JavaScript as a result. */
export interface Type<T> {
  from(value: unknown): T
  to(value: T): unknown
}

const same = (value: unknown): unknown => value

/** A type whose results need no conversion. */
export function convert<T>(from: (value: any) => T): Type<T> {
  return { from, to: same }
}

// What WebAssembly does with arguments of its own types.
export const uint = convert((value): number => +value >>> 0)
export const int = convert((value): number => +value | 0)
export const double = convert((value): number => +value)
export const bool = convert((value): boolean => Boolean(value))
export const word = convert((value): bigint => BigInt.asUintN(64, BigInt(value)))
/** Any value; the function looks at it. */
export const any = convert((value): unknown => value)
export const nothing: Type<void> = { from: () => undefined, to: () => undefined }
/** A string, or its bytes in UTF-8. */
export const text = convert((value): string => {
  if (typeof value === 'string') return value
  if (value instanceof ArrayBuffer || value instanceof Uint8Array || value instanceof Uint8ClampedArray || value instanceof Int8Array) {
    return new TextDecoder().decode(value)
  }
  throw new BindingError('Cannot pass non-string to std::string')
})

type Local<A> = { readonly name: string, new(buffer: ArrayBufferLike, offset: number, length: number): A }

/** Takes a typed array of one class, from this realm or another one. Node's Buffer is an array of bytes. */
export function typedArray<A extends ArrayBufferView>(Local: Local<A>): (value: unknown) => A {
  const { name } = Local
  return (value) => {
    const found = (value as { constructor: { name: string } }).constructor.name
    const isNamed = found === name || (name === 'Uint8Array' && found === 'Buffer')
    if (!isNamed || !ArrayBuffer.isView(value)) throw LibraryErrors.invalidArgument(`expected ${name}`)
    return value instanceof Local ? value : new Local(value.buffer, value.byteOffset, (value as unknown as ArrayLike<unknown>).length)
  }
}

/** The only array of sizes or steps that node-seal takes. */
export const int32Array = typedArray(Int32Array)

/** A member of an enumeration: an object with its number. */
export interface EnumValue {
  readonly value: number
}

/** An enumeration: a function with its members as properties, as is its type. */
export function makeEnum(name: string, members: Record<string, number>): Type<number> & { readonly exported: unknown } {
  const exported = Object.assign(function ctor() {}, { values: {} as Record<number, EnumValue>, argCount: undefined })
  for (const [member, value] of Object.entries(members)) {
    const label = { [`${name}_${member}`]: function () {} }[`${name}_${member}`]!
    const object = Object.create(exported.prototype, { value: { value }, constructor: { value: label } }) as EnumValue
    exported.values[value] = object
    Object.assign(exported, { [member]: object })
  }
  return {
    exported,
    from: (value) => (value as EnumValue).value | 0,
    to: (value) => exported.values[value],
  }
}

/** The arguments that types convert to. */
type Values<T extends Type<any>[]> = { [K in keyof T]: T[K] extends Type<infer V> ? V : never }

/** What an instance has in its property `$$`. Clones have the same `owner`. */
interface Handle {
  of: Class<any>
  owner: { object: object, handles: number }
  isDeleted: boolean
  isScheduled: boolean
}

interface Instance {
  $$: Handle
}

/** What an object has that wants to know when it is deleted. */
interface Deletable {
  release?(): void
}

/** Whether a method is bound as a constant or mutable member, or as a function; the texts of errors tell. */
export type Self = 'const*' | '*' | 'function'

/** A class under construction, and the type of its instances. */
export class Class<T extends object> implements Type<T> {
  readonly constructorFunction: Function
  readonly #prototype: object
  readonly #constructors = new Map<number, (args: unknown[]) => T>()

  constructor(readonly name: string, readonly base: Class<any> | undefined, root: object) {
    const prototype = Object.create(base === undefined ? root : base.#prototype) as object
    const constructors = this.#constructors
    const self = this
    this.#prototype = prototype
    this.constructorFunction = named(name, function (this: Instance, ...args: unknown[]) {
      if (Object.getPrototypeOf(this) !== prototype) throw new BindingError(`Use 'new' to construct ${name}`)
      if (constructors.size === 0) throw new BindingError(`${name} has no accessible constructor`)
      const make = constructors.get(args.length)
      if (make === undefined) {
        const expected = [...constructors.keys()].sort().join()
        const got = `invalid number of parameters (${args.length}) - expected (${expected}) parameters instead!`
        throw new BindingError(`Tried to invoke ctor of ${name} with ${got}`)
      }
      attach(this, self, { object: translated(() => make(args)), handles: 1 })
    })
    Object.defineProperty(this.constructorFunction, 'prototype', { value: prototype, writable: false })
    Object.defineProperty(prototype, 'constructor', { value: this.constructorFunction })
    Object.assign(this.constructorFunction, { argCount: undefined })
  }

  /** A constructor; there is at most one for each number of arguments. */
  init<A extends Type<any>[]>(types: [...A], make: (...args: Values<A>) => T): this {
    this.#constructors.set(types.length, (args) => make(...convertAll(types, args)))
    return this
  }

  /** A method. Arguments that are missing are undefined, and further ones are ignored. */
  method<A extends Type<any>[], R>(
    self: Self, name: string, types: [...A], result: Type<R>, call: (self: T, ...args: Values<A>) => R,
  ): this {
    const type = self === 'function' ? this.name : `${this.name} ${self}`.replace(' *', '*')
    const of = this
    const method = named(`${this.name}.${name}`, function (this: unknown, ...args: unknown[]) {
      const object = of.#unwrap(this, type)
      const converted = convertAll(types, args)
      return result.to(translated(() => call(object, ...converted)))
    })
    Object.assign(this.#prototype, { [name]: method })
    return this
  }

  /** A static function. */
  static<T extends Type<any>[], R>(name: string, types: [...T], result: Type<R>, call: (...args: Values<T>) => R): this {
    Object.assign(this.constructorFunction, { [name]: makeFunction(`${this.name}.${name}`, types, result, call) })
    return this
  }

  /** A static property that cannot be set. */
  constant(name: string, value: unknown): this {
    Object.defineProperty(this.constructorFunction, name, {
      get: () => value,
      set: () => { throw new BindingError(`${this.name}.${name} is a read-only property`) },
      enumerable: true,
      configurable: true,
    })
    return this
  }

  /** A property of each instance. */
  property<K extends keyof T & string>(name: K, type: Type<T[K]>): this {
    const of = this
    const unwrap = (instance: unknown, accessor: string): T => {
      const handle = (instance as Instance).$$ as Handle | undefined
      if (handle?.isDeleted) {
        throw new BindingError(`cannot call emscripten binding method ${this.name}.${name} ${accessor} on deleted object`)
      }
      return of.#unwrap(instance, `${this.name} ${accessor}`)
    }
    Object.defineProperty(this.#prototype, name, {
      get() { return type.to(unwrap(this, 'getter')[name]) },
      set(value: unknown) { unwrap(this, 'setter')[name] = type.from(value) },
      enumerable: true,
      configurable: true,
    })
    return this
  }

  from(value: unknown): T {
    return this.#unwrap(value, this.name)
  }

  to(object: T): object {
    const instance = Object.create(this.#prototype) as Instance
    attach(instance, this, { object, handles: 1 })
    return instance
  }

  #unwrap(value: unknown, type: string): T {
    if (value === null) throw new BindingError(`null is not a valid ${type}`)
    const handle = (value as Partial<Instance>).$$
    if (handle === undefined) throw new BindingError(`Cannot pass "${represent(value)}" as a ${type}`)
    if (handle.isDeleted) throw new BindingError(`Cannot pass deleted object as a pointer of type ${type}`)
    let { of } = handle
    while (of !== this && of.base !== undefined) of = of.base
    if (of === this) return handle.owner.object as T
    throw new BindingError(`Expected null or instance of ${this.name}, got an instance of ${of.name}`)
  }
}

/** A function of the library object. */
export function makeFunction<T extends Type<any>[], R>(
  name: string, types: [...T], result: Type<R>, call: (...args: Values<T>) => R,
): Function {
  return named(name, function (...args: unknown[]) {
    const converted = convertAll(types, args)
    return result.to(translated(() => call(...converted)))
  })
}

/** The prototype under all classes of one library object. */
export function makeRoot(): object {
  function ClassHandle() {}
  const methods = {
    isAliasOf(this: Instance, other: unknown): boolean {
      const [own, others] = [handleOf(this), handleOf(other)]
      return own !== undefined && !own.isDeleted && others !== undefined && !others.isDeleted && own.owner === others.owner
    },
    clone(this: Instance): object {
      checkAlive(this)
      const { of, owner } = this.$$
      owner.handles += 1
      const clone = Object.create(Object.getPrototypeOf(this)) as Instance
      attach(clone, of, owner)
      return clone
    },
    delete(this: Instance): void {
      checkAlive(this)
      checkNotScheduled(this)
      const handle = this.$$
      handle.isDeleted = true
      handle.owner.handles -= 1
      if (handle.owner.handles === 0) (handle.owner.object as Deletable).release?.()
    },
    isDeleted(this: Instance): boolean {
      return this.$$.isDeleted
    },
    deleteLater(this: Instance): object {
      checkAlive(this)
      checkNotScheduled(this)
      // There is no event on which node-seal would delete; the garbage collector does it here.
      this.$$.isScheduled = true
      return this
    },
  }
  Object.assign(ClassHandle.prototype, methods)
  const dispose: symbol | undefined = Symbol.dispose
  if (dispose !== undefined) Object.assign(ClassHandle.prototype, { [dispose]: methods.delete })
  return ClassHandle.prototype
}

function attach(instance: object, of: Class<any>, owner: Handle['owner']): void {
  const handle: Handle = { of, owner, isDeleted: false, isScheduled: false }
  Object.defineProperty(instance, '$$', { value: handle, writable: true })
}

function handleOf(value: unknown): Handle | undefined {
  return (value as Partial<Instance> | null | undefined)?.$$
}

function checkAlive(instance: Instance): void {
  if (instance.$$.isDeleted) throw new BindingError(`${instance.$$.of.name} instance already deleted`)
}

function checkNotScheduled(instance: Instance): void {
  if (instance.$$.isScheduled) throw new BindingError('Object already scheduled for deletion')
}

function convertAll<T extends Type<any>[]>(types: [...T], args: unknown[]): Values<T> {
  return types.map((type, index) => type.from(args[index])) as Values<T>
}

function named<F extends Function>(name: string, target: F): F {
  return Object.defineProperty(target, 'name', { value: name, configurable: true })
}

function represent(value: unknown): string {
  return typeof value === 'object' || typeof value === 'function' ? (value as object).toString() : '' + (value as string)
}
