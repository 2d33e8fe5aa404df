// Memory pools: SEAL has them, and here they do nothing.

import { bool, type Class, word } from './binding.js'
import type { Library } from './library.js'

/** A pool is only passed on. */
export type Pool = object

/** Defines `MemoryPoolHandle`. */
export function definePools(library: Library): Class<Pool> {
  const MemoryPoolHandle = library.define<Pool>('MemoryPoolHandle').init([], () => ({}))
  return MemoryPoolHandle
    .static('Global', [], MemoryPoolHandle, () => ({}))
    .static('ThreadLocal', [], MemoryPoolHandle, () => ({}))
    .static('New', [bool], MemoryPoolHandle, () => ({}))
}

/** Defines `MemoryManager` and the profiles, which JavaScript cannot make. */
export function defineMemory(library: Library, MemoryPoolHandle: Class<Pool>): void {
  library.define('MemoryManager').static('GetPool', [word], MemoryPoolHandle, () => ({}))
  const MMProf = library.define('MMProf')
  for (const name of ['MMProfGlobal', 'MMProfNew', 'MMProfFixed', 'MMProfThreadLocal']) {
    library.define(name, MMProf).method('*', 'getPool', [word], MemoryPoolHandle, () => ({}))
  }
}
