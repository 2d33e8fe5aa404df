// The library in pages and workers: the module is within the script, so that nothing else has to be served.

import type { SEALLibrary } from '../implementation/seal.js'
import { initializeInline } from './inline.js'
import { library } from './library.js'

async function load(allowTransparent: boolean): Promise<SEALLibrary> {
  await initializeInline()
  return library(allowTransparent)
}

export const throws = (): Promise<SEALLibrary> => load(false)
export const allows = (): Promise<SEALLibrary> => load(true)
