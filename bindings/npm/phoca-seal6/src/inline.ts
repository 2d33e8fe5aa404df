// The module within the script, packed.

import { bestBuild, type Environment, initialize } from 'phoca'
import { fromBase64 } from 'phoca/seal-compat'
import modules from 'packed-modules'

/** Loads the packed module of the fastest build that the engine runs; one without vectors is a file of `phoca`. */
export async function initializeInline(): Promise<Environment> {
  const build = bestBuild()
  const packed = build === 'baseline' ? undefined : modules[build]
  return packed === undefined ? initialize() : initialize({ module: await unpacked(packed), build })
}

async function unpacked(base64: string): Promise<ArrayBuffer> {
  return new Response(new Blob([fromBase64(base64) as BlobPart]).stream().pipeThrough(new DecompressionStream('gzip'))).arrayBuffer()
}
