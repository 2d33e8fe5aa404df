// The library in workers: the same classes, whose methods run there and give promises, so that a page never waits.
//
// An object stays in the worker that made it; what the page holds is its number. Calls are sent at once and run in order, so that a
// result can be used in the next call without waiting for it. Values (typed arrays, numbers) come back as promises.

import type { InitializeOptions } from './core.js'
import { DeletedError, fromSent, PhocaError, type SentError, toSent } from './errors.js'
import type * as library from './library.js'
import { type Host, type Script, startHost } from './worker-host.js'

type Library = typeof library
type Constructors = { [K in keyof Library as Library[K] extends abstract new (...args: never[]) => unknown ? K : never]: Library[K] }

/** What a method gives from afar: objects as remote objects at once, lists of them and values as promises. */
export type Remote<T> =
  T extends library.AnyObject ? RemoteObject<T>
    : T extends readonly (infer E extends library.AnyObject)[] ? Promise<RemoteObject<E>[]>
      : Promise<Awaited<T>>

/** An argument from afar: remote objects stand for objects. */
export type RemoteArgument<T> = T extends library.AnyObject ? RemoteObject<T> : { [K in keyof T]: RemoteArgument<T[K]> } & {}

/** An object in a worker: each method is called there, and each property is a promise. */
export type RemoteObject<T> = {
  readonly [K in Exclude<keyof T, 'delete' | 'save' | 'handle' | symbol>]:
    T[K] extends (...args: infer A) => infer R
      ? (...args: { [I in keyof A]: RemoteArgument<A[I]> }) => Remote<R>
      : T[K] extends library.AnyObject ? RemoteObject<T[K]> : Promise<T[K]>
} & {
  /** Frees it in its worker. */
  delete(): void
  /** Done once it exists; rejected where making it failed. Every use of an object that could not be made is rejected too. */
  readonly ready: Promise<void>
}

/** A class in a worker: called without `new`, with its static functions. */
type RemoteClass<C> = (C extends new (...args: infer A) => infer T ? (...args: { [I in keyof A]: RemoteArgument<A[I]> }) => RemoteObject<T> : {}) & {
  readonly [K in Exclude<keyof C, 'prototype' | 'loadStream'>]:
    C[K] extends (...args: infer A) => infer R ? (...args: { [I in keyof A]: RemoteArgument<A[I]> }) => Remote<R> : never
}

/** The classes of the package in one worker. */
export type RemoteLibrary = { readonly [K in keyof Constructors]: RemoteClass<Constructors[K]> }

/** One request. The answer has its number. */
export type Request =
  | { id: number, op: 'initialize', options: InitializeOptions }
  | { id: number, op: 'new', name: string, args: unknown[] }
  | { id: number, op: 'static', name: string, method: string, args: unknown[] }
  | { id: number, op: 'call', target: Reference, method: string, args: unknown[] }
  | { id: number, op: 'get', target: Reference, property: string }
  | { id: number, op: 'delete', target: number }

export type Answer =
  | { id: number, kind: 'value', value: unknown }
  | { id: number, kind: 'object' }
  | { id: number, kind: 'list', ids: number[] }
  | { id: number, kind: 'error', error: SentError }

/** What stands for an object: its number, or why there is none. */
export type Reference = { $object: number } | { $failed: SentError }

const SCRIPT: Script = { name: './library-worker.js', web: () => new Worker(new URL('./library-worker.js', import.meta.url), { type: 'module' }) }

const REFERENCE = Symbol('what stands for a remote object')
const OWNER = Symbol('worker of a remote object')

/** One worker with the library in it. */
export class PhocaWorker {
  /** The classes, as {@link RemoteLibrary}. */
  readonly library: RemoteLibrary
  readonly #host: Host
  readonly #waiting: Map<number, (answer: Answer) => void>
  #next = 1
  #ended: Error | undefined

  private constructor(host: Host, waiting: Map<number, (answer: Answer) => void>) {
    this.#host = host
    this.#waiting = waiting
    this.library = new Proxy({}, { get: (_, name) => this.#class(String(name)) }) as RemoteLibrary
  }

  /** Starts a worker and loads the library in it. */
  static async start(options: InitializeOptions = {}): Promise<PhocaWorker> {
    const waiting = new Map<number, (answer: Answer) => void>()
    const host = await startHost(SCRIPT, {
      message: (data) => {
        const answer = data as Answer
        waiting.get(answer.id)?.(answer)
        waiting.delete(answer.id)
        if (waiting.size === 0) host.keep(false)
      },
      error: (error) => worker.#end(new PhocaError('Worker', `the worker failed: ${error.message}`, {}, { cause: error })),
    })
    const worker = new PhocaWorker(host, waiting)
    try {
      await worker.#value({ id: worker.#number(), op: 'initialize', options })
    } catch (error) {
      // Nobody else could.
      worker.terminate()
      throw error
    }
    return worker
  }

  /** Ends the worker at once, whatever it does. What was asked of it is rejected. */
  terminate(): void {
    this.#end(new PhocaError('Terminated', 'the worker was terminated'))
  }

  #end(error: Error): void {
    this.#ended ??= error
    this.#host.terminate()
    const sent = { kind: 'Terminated', message: this.#ended.message, fields: {} }
    for (const [id, settle] of this.#waiting) settle({ id, kind: 'error', error: sent })
    this.#waiting.clear()
  }

  #number(): number {
    return this.#next++
  }

  #send(request: Request): Promise<Answer> {
    if (this.#ended !== undefined) return Promise.reject(this.#ended)
    const answer = new Promise<Answer>((resolve) => this.#waiting.set(request.id, resolve))
    this.#host.keep(true)
    try {
      this.#host.post(request)
    } catch (error) {
      // Not every argument can be sent; for what was not, no answer comes.
      this.#waiting.delete(request.id)
      if (this.#waiting.size === 0) this.#host.keep(false)
      return Promise.reject(error)
    }
    return answer
  }

  async #value(request: Request): Promise<unknown> {
    const answer = await this.#send(request)
    if (answer.kind === 'error') throw fromSent(answer.error)
    if (answer.kind === 'list') return answer.ids.map((id) => this.#object(id, Promise.resolve()))
    return answer.kind === 'value' ? answer.value : this.#object(answer.id, Promise.resolve())
  }

  /** The result of a call: a promise of what it gives, and an object if it gives one. */
  #result(request: Request): object {
    const value = this.#value(request)
    return this.#object(request.id, value.then(() => {}), value)
  }

  #class(name: string): object {
    const make = (...args: unknown[]): object => this.#result({ id: this.#number(), op: 'new', name, args: this.#encode(args) })
    return new Proxy(make, {
      get: (_, method) => (...args: unknown[]) =>
        this.#result({ id: this.#number(), op: 'static', name, method: String(method), args: this.#encode(args) }),
    })
  }

  /**
   * The object with a number. Where it is not known yet whether a call gives an object, it is a promise as well; what it then
   * resolves to is not, or awaiting it would never end.
   */
  #object(id: number, ready: Promise<void>, value?: Promise<unknown>): object {
    let reference: Reference = { $object: id }
    ready.catch((error: unknown) => {
      // What is sent from now on says why itself, so that the worker may forget it.
      reference = { $failed: toSent(error) }
      this.#delete(id)
    })
    return new Proxy({}, {
      get: (_, property) => {
        if (property === REFERENCE) return reference
        if (property === OWNER) return this
        if (property === 'ready') return ready
        if (property === 'then' || property === 'catch' || property === 'finally') {
          return value === undefined ? undefined : (value[property] as (...args: unknown[]) => unknown).bind(value)
        }
        if (typeof property === 'symbol') return undefined
        if (property === 'delete') return () => this.#delete(id)
        return this.#member(() => reference, property)
      },
    })
  }

  #delete(target: number): void {
    this.#send({ id: this.#number(), op: 'delete', target }).catch(() => {})
  }

  /** A method to call, or a property to await. */
  #member(target: () => Reference, name: string): object {
    const call = (...args: unknown[]): object => this.#result({ id: this.#number(), op: 'call', target: target(), method: name, args: this.#encode(args) })
    let got: object | undefined
    const get = (): object => got ??= this.#result({ id: this.#number(), op: 'get', target: target(), property: name })
    return new Proxy(call, {
      get: (_, property) => {
        if (property === REFERENCE || property === OWNER || typeof property === 'string') return (get() as Record<string | symbol, unknown>)[property]
        return undefined
      },
    })
  }

  /** Arguments with numbers in the place of remote objects. */
  #encode(args: readonly unknown[]): unknown[] {
    return args.map((argument) => this.#encodeOne(argument))
  }

  #encodeOne(argument: unknown): unknown {
    if (argument === null || (typeof argument !== 'object' && typeof argument !== 'function') || ArrayBuffer.isView(argument)) return argument
    const { [REFERENCE]: reference, [OWNER]: owner } = argument as { [REFERENCE]?: Reference, [OWNER]?: PhocaWorker }
    if (reference !== undefined) {
      if (owner !== this) throw new DeletedError('Argument', 'the object lives in another worker; send its bytes instead', { argument: 'object' })
      return reference
    }
    if (Array.isArray(argument)) return argument.map((element) => this.#encodeOne(element))
    return Object.fromEntries(Object.entries(argument).map(([key, value]) => [key, this.#encodeOne(value)]))
  }
}

/**
 * Workers that share work on independent items.
 *
 * ```ts
 * const pool = await WorkerPool.start(2, ({ Context, Evaluator, GaloisKeys }) => {
 *   const context = Context(parameters)
 *   return { context, evaluator: Evaluator(context), keys: GaloisKeys.load(context, keyBytes) }
 * })
 * const rotated = await pool.map(ciphertexts, ({ context, evaluator, keys }, bytes, { Ciphertext }) =>
 *   evaluator.rotateVector(Ciphertext.load(context, bytes), 1, keys).toBytes())
 * ```
 */
export class WorkerPool<S> {
  readonly #members: { worker: PhocaWorker, state: S }[]

  private constructor(members: { worker: PhocaWorker, state: S }[]) {
    this.#members = members
  }

  /** Starts so many workers and calls `setup` for each: what it makes, such as a context and keys, is there for every task. */
  static async start<S>(workers: number, setup: (library: RemoteLibrary) => S | Promise<S>, options: InitializeOptions = {}): Promise<WorkerPool<S>> {
    const started = await Promise.allSettled(Array.from({ length: workers }, async () => {
      const worker = await PhocaWorker.start(options)
      try {
        return { worker, state: await setup(worker.library) }
      } catch (error) {
        worker.terminate()
        throw error
      }
    }))
    const members = started.flatMap((one) => one.status === 'fulfilled' ? [one.value] : [])
    const failure = started.find((one) => one.status === 'rejected')
    if (failure !== undefined) {
      for (const { worker } of members) worker.terminate()
      throw failure.reason
    }
    return new WorkerPool(members)
  }

  /** The results of `task` for each item, in order; each item goes to the first worker that is free. */
  async map<I, R>(items: Iterable<I>, task: (state: S, item: I, library: RemoteLibrary) => R | Promise<R>): Promise<Awaited<R>[]> {
    const results: Awaited<R>[] = []
    const queue = Array.from(items).entries()
    const work = async ({ worker, state }: { worker: PhocaWorker, state: S }): Promise<void> => {
      for (const [index, item] of queue) results[index] = await task(state, item, worker.library)
    }
    await Promise.all(this.#members.map(work))
    return results
  }

  /** Ends all workers at once. */
  terminate(): void {
    for (const { worker } of this.#members) worker.terminate()
  }
}
