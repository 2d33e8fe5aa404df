// Inside of a worker: carries out what a page asks of the library.

import { initialize } from './core.js'
import { fromSent, PhocaError, type SentError, toSent } from './errors.js'
import * as library from './library.js'
import { Owned } from './memory.js'
import type { Answer, Reference, Request } from './remote.js'
import { serve } from './worker-host.js'

type Methods = Record<string, (...args: unknown[]) => unknown>

/** Objects by number, or why there is none, until the page knows. */
const objects = new Map<number, object | SentError>()
/** Objects in lists get numbers of the worker's own. */
let nextOwn = -1
/** Each request waits for the one before. */
let last: Promise<void> = Promise.resolve()

const answer = await serve<Request>((request) => {
  last = last.then(() => handle(request))
})

async function handle(request: Request): Promise<void> {
  try {
    const { message, transfer } = toAnswer(request, await perform(request))
    answer(message, transfer)
  } catch (error) {
    const sent = toSent(error)
    objects.set(request.id, sent)
    answer({ id: request.id, kind: 'error', error: sent } satisfies Answer)
  }
}

function perform(request: Request): unknown {
  switch (request.op) {
    case 'initialize':
      return initialize(request.options)
    case 'new': {
      const Class = classOf(request.name) as unknown as new (...args: unknown[]) => object
      return new Class(...request.args.map(decode))
    }
    case 'static':
      return method(classOf(request.name), request.method)(...request.args.map(decode))
    case 'call':
      return method(objectOf(request.target), request.method)(...request.args.map(decode))
    case 'get':
      return (objectOf(request.target) as Record<string, unknown>)[request.property]
    case 'delete': {
      const object = objects.get(request.target)
      objects.delete(request.target)
      if (object instanceof Owned) object.delete()
      return undefined
    }
  }
}

function classOf(name: string): object {
  const Class = Object.hasOwn(library, name) ? (library as Record<string, unknown>)[name] : undefined
  if (typeof Class !== 'function') throw new PhocaError('Argument', `there is no class ${name}`, { argument: 'name' })
  return Class
}

function method(object: object, name: string): (...args: unknown[]) => unknown {
  const found = (object as Methods)[name]
  if (typeof found !== 'function') throw new PhocaError('Argument', `there is no method ${name}`, { argument: 'method' })
  return found.bind(object)
}

function objectOf(reference: Reference): object {
  if ('$failed' in reference) throw fromSent(reference.$failed)
  const id = reference.$object
  const object = objects.get(id)
  if (object === undefined) throw new PhocaError('Deleted', 'the object was deleted; it cannot be used any more', { object: id })
  if (object instanceof Owned) return object
  throw fromSent(object as SentError)
}

function decode(argument: unknown): unknown {
  if (argument === null || typeof argument !== 'object' || ArrayBuffer.isView(argument)) return argument
  if ('$object' in argument || '$failed' in argument) return objectOf(argument as Reference)
  if (Array.isArray(argument)) return argument.map(decode)
  return Object.fromEntries(Object.entries(argument).map(([key, value]) => [key, decode(value)]))
}

function toAnswer({ id, op }: Request, result: unknown): { message: Answer, transfer: ArrayBuffer[] } {
  if (result instanceof Owned) {
    objects.set(id, result)
    return { message: { id, kind: 'object' }, transfer: [] }
  }
  if (Array.isArray(result) && result.length > 0 && result.every((element) => element instanceof Owned)) {
    const ids = result.map((element: object) => {
      objects.set(nextOwn, element)
      return nextOwn--
    })
    return { message: { id, kind: 'list', ids }, transfer: [] }
  }
  // What a method gives is the caller's alone, unless it is a view of something larger; a property may be kept by its object.
  const buffer = op !== 'get' && ArrayBuffer.isView(result) && result.byteLength === result.buffer.byteLength ? result.buffer : undefined
  return { message: { id, kind: 'value', value: result }, transfer: buffer instanceof ArrayBuffer ? [buffer] : [] }
}
