// The library in Node: the module is a file of the package `phoca`, or, where a bundler left that behind, the one within.

import { initialize } from 'phoca'
import type { SEALLibrary } from '../implementation/seal.js'
import { initializeInline } from './inline.js'
import { library } from './library.js'

async function load(allowTransparent: boolean): Promise<SEALLibrary> {
  await initialize().catch(() => initializeInline())
  return library(allowTransparent)
}

export const throws = (): Promise<SEALLibrary> => load(false)
export const allows = (): Promise<SEALLibrary> => load(true)
