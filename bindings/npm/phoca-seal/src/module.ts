// Puts a library object together.

import { hashWords, initialize as initializePhoca } from 'phoca'
import { any, makeFunction, typedArray } from './binding.js'
import { defineContexts } from './context.js'
import { defineEncoders } from './encoders.js'
import { defineEncryption } from './encryption.js'
import { defineEvaluator } from './evaluator.js'
import { getExceptionMessage } from './exception.js'
import { defineKeys } from './keys.js'
import { Library } from './library.js'
import { defineModuli } from './modulus.js'
import { defineCiphertext, definePlaintext } from './objects.js'
import { defineMemory, definePools } from './pools.js'
import type { InitializeOptions, MainModule } from './types.js'

const wordsOf = typedArray(BigUint64Array)

/** Loads phoca, once, and gives a library object of its own for each call. */
export async function makeModule(options: InitializeOptions, allowTransparent: boolean): Promise<MainModule> {
  await initializePhoca(await sourceOf(options))
  const library = new Library(allowTransparent)
  library.export('locateFile', options.locateFile ?? function locateFile(path: string) { return path })
  library.export('getExceptionMessage', getExceptionMessage)
  // Exceptions are ordinary objects here, which the garbage collector counts.
  library.export('incrementExceptionRefcount', function incrementExceptionRefcount(_exception: unknown) {})
  library.export('decrementExceptionRefcount', function decrementExceptionRefcount(_exception: unknown) {})
  library.export('calledRun', true)
  const hash = makeFunction('UtilHashFunction.hash', [any], any, (words) => hashWords(wordsOf(words)))
  const UtilHashFunction = library.define('UtilHashFunction').constant('hashBlockUint64Count', 4).constant('hashBlockByteCount', 32)
  Object.assign(UtilHashFunction.constructorFunction, { hash })
  const MemoryPoolHandle = definePools(library)
  defineMemory(library, MemoryPoolHandle)
  const moduli = defineModuli(library)
  const { ParmsIdType, Usable } = defineContexts(library, moduli)
  const basis = { ParmsIdType, Usable, MemoryPoolHandle }
  const [Plaintext, Ciphertext] = [definePlaintext(library, basis), defineCiphertext(library, basis)]
  const classes = { ...basis, Plaintext, Ciphertext, keys: defineKeys(library, Usable) }
  defineEncoders(library, classes)
  defineEvaluator(library, classes)
  defineEncryption(library, classes)
  return library.exports as unknown as MainModule
}

/** Where the module comes from: what `wasmBinary` or `instantiateWasm` would have given, if it is a module of phoca's. */
async function sourceOf({ wasmModule, wasmBinary }: InitializeOptions) {
  const module = wasmModule ?? wasmBinary
  return module === undefined ? {} : { module }
}
