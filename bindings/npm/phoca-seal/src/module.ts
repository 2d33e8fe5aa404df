// Puts a library object together.

import { hashWords, initialize as initializePhoca } from 'phoca'
import { any, typedArray } from './binding.js'
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
  await initializePhoca(sourceOf(options))
  const library = new Library(allowTransparent)
  library.export('locateFile', options.locateFile ?? function locateFile(path: string) { return path })
  library.export('getExceptionMessage', getExceptionMessage)
  // Exceptions are ordinary objects here, which the garbage collector counts.
  library.export('incrementExceptionRefcount', function incrementExceptionRefcount(_exception: unknown) {})
  library.export('decrementExceptionRefcount', function decrementExceptionRefcount(_exception: unknown) {})
  library.export('calledRun', true)
  library.define('UtilHashFunction')
    .constant('hashBlockUint64Count', 4)
    .constant('hashBlockByteCount', 32)
    .static('hash', [any], any, (words) => hashWords(wordsOf(words)))
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

/** Where phoca's module comes from; by itself it finds its files. */
function sourceOf({ wasmModule, wasmBinary }: InitializeOptions): { module?: WebAssembly.Module | BufferSource } {
  const module = wasmModule ?? wasmBinary
  return module === undefined ? {} : { module: module as BufferSource }
}
