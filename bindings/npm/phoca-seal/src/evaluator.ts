// `Evaluator`: each operation in up to four forms.

import { Evaluator } from 'phoca'
import { type Class, int, nothing, type Type, uint, word } from './binding.js'
import type { CiphertextBox } from './ciphertext.js'
import type { ContextBox, ParmsId } from './context.js'
import type { Keys } from './keys.js'
import type { Library } from './library.js'
import { Operations } from './operations.js'
import type { PlaintextBox } from './plaintext.js'
import type { Pool } from './pools.js'

interface Classes {
  ParmsIdType: Class<ParmsId>
  Usable: Type<ContextBox>
  MemoryPoolHandle: Class<Pool>
  Plaintext: Class<PlaintextBox>
  Ciphertext: Class<CiphertextBox>
  keys: Keys
}

/** An object that takes what an operation gives. */
interface Destination<O> {
  put(object: O): void
}

/** Defines `Evaluator`. */
export function defineEvaluator(library: Library, classes: Classes): void {
  const { ParmsIdType, Usable, MemoryPoolHandle, Plaintext, Ciphertext, keys: { RelinKeys, GaloisKeys } } = classes
  const target = library.define<Operations>('Evaluator').init([Usable], (context) => new Operations(new Evaluator(context.require())))
  /** The forms of an operation: `rest` are the types of its operands after the first. */
  function define<B extends Destination<O>, A extends unknown[], O>(
    name: string, own: Class<B>, rest: [...{ [K in keyof A]: Type<A[K]> }], call: (self: Operations, first: B, ...rest: A) => O,
    hasPool: boolean,
  ): void {
    // Where a pool may be given, the forms without one are functions that give it.
    const self = hasPool ? 'function' : 'const*'
    const [plain, inPlace] = [[own, ...rest, own], [own, ...rest]] as [never, never]
    const run = (self: Operations, ...args: unknown[]): void => {
      (args[rest.length + 1] as B).put(call(self, args[0] as B, ...args.slice(1, rest.length + 1) as A))
    }
    const runInPlace = (self: Operations, ...args: unknown[]): void => {
      (args[0] as B).put(call(self, args[0] as B, ...args.slice(1, rest.length + 1) as A))
    }
    target.method(self, name, plain, nothing, run).method(self, `${name}Inplace`, inPlace, nothing, runInPlace)
    if (!hasPool) return
    const withPool = (types: unknown[]): never => [...types, MemoryPoolHandle] as never
    target.method('const*', `${name}WithPool`, withPool(plain), nothing, run)
    target.method('const*', `${name}InplaceWithPool`, withPool(inPlace), nothing, runInPlace)
  }
  /** The words of an id. */
  const id: Type<BigUint64Array> = { from: (value) => ParmsIdType.from(value).words, to: (value) => value }
  for (const name of ['negate', 'cipherTransformToNtt', 'cipherTransformFromNtt'] as const) {
    define(name, Ciphertext, [], (self, a) => self[name](a), false)
  }
  for (const name of ['add', 'sub'] as const) define(name, Ciphertext, [Ciphertext], (self, a, b) => self[name](a, b), false)
  for (const name of ['addPlain', 'subPlain', 'multiplyPlain'] as const) {
    define(name, Ciphertext, [Plaintext], (self, a, b) => self[name](a, b), true)
  }
  define('multiply', Ciphertext, [Ciphertext], (self, a, b) => self.multiply(a, b), true)
  for (const name of ['square', 'cipherModSwitchToNext', 'modReduceToNext', 'rescaleToNext'] as const) {
    define(name, Ciphertext, [], (self, a) => self[name](a), true)
  }
  for (const name of ['cipherModSwitchTo', 'modReduceTo', 'rescaleTo'] as const) {
    define(name, Ciphertext, [id], (self, a, id) => self[name](a, id), true)
  }
  define('relinearize', Ciphertext, [RelinKeys], (self, a, keys) => self.relinearize(a, keys), true)
  define('exponentiate', Ciphertext, [word, RelinKeys], (self, a, exponent, keys) => self.exponentiate(a, exponent, keys), true)
  define('plainModSwitchToNext', Plaintext, [], (self, plain) => self.plainModSwitchToNext(plain), false)
  define('plainModSwitchTo', Plaintext, [id], (self, plain, id) => self.plainModSwitchTo(plain, id), false)
  define('plainTransformToNtt', Plaintext, [id], (self, plain, id) => self.plainTransformToNtt(plain, id), true)
  define('applyGalois', Ciphertext, [uint, GaloisKeys], (self, a, element, keys) => self.applyGalois(a, element, keys), true)
  for (const name of ['rotateRows', 'rotateVector'] as const) {
    define(name, Ciphertext, [int, GaloisKeys], (self, a, steps, keys) => self[name](a, steps, keys), true)
  }
  for (const name of ['rotateColumns', 'complexConjugate'] as const) {
    define(name, Ciphertext, [GaloisKeys], (self, a, keys) => self[name](a, keys), true)
  }
}
