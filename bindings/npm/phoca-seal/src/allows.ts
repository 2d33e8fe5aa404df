// The entry that lets operations give results that decrypt without a key.

import { makeModule } from './module.js'
import type { InitializeOptions, MainModule } from './types.js'

export type * from './types.js'

/**
 * Loads the library.
 *
 * ```ts
 * import SEAL from 'node-seal/allows'
 *
 * const seal = await SEAL()
 * ```
 */
export async function initialize(options: InitializeOptions = {}): Promise<MainModule> {
  return makeModule(options, true)
}

export default initialize
