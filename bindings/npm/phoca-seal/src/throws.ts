// The default entry: operations whose result would decrypt without a key throw.

import { makeModule } from './module.js'
import type { InitializeOptions, MainModule } from './types.js'

export type * from './types.js'

/**
 * Loads the library.
 *
 * ```ts
 * import SEAL from 'node-seal'
 *
 * const seal = await SEAL()
 * ```
 */
export async function initialize(options: InitializeOptions = {}): Promise<MainModule> {
  return makeModule(options, false)
}

export default initialize
