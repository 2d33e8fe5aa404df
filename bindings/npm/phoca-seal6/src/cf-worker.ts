// The library where modules have to be imported, as in Cloudflare Workers: the caller brings the module.

import { initialize } from 'phoca'
import type { SEALLibrary } from '../implementation/seal.js'
import { library } from './library.js'

async function load(module: WebAssembly.Module, allowTransparent: boolean): Promise<SEALLibrary> {
  // The packaged module is the build with 128-bit vectors.
  await initialize({ module, build: 'simd' })
  return library(allowTransparent)
}

export const throws = (module: WebAssembly.Module): Promise<SEALLibrary> => load(module, false)
export const allows = (module: WebAssembly.Module): Promise<SEALLibrary> => load(module, true)
