// Where things are in the checkout, and the one way to print.

import { existsSync, writeSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))))
export const hosts = join(root, 'bench/hosts')
export const packages = join(root, 'bindings/npm')
/** node-seal, as bench/peers/setup.sh installs it. */
export const modules = join(root, '.peers/node/node_modules')

/** What keeps every host from being measured, if anything does. */
export function missing() {
  if (!existsSync(join(packages, 'phoca/dist/wasm/simd.wasm'))) return 'the npm package is not built: make npm'
  if (!existsSync(join(modules, 'node-seal6/package.json'))) return 'node-seal is not installed: bench/peers/setup.sh'
  return undefined
}

/** One line of JSON, written before this returns. */
export function say(line) {
  const bytes = Buffer.from(`${JSON.stringify(line)}\n`)
  for (let start = 0; start < bytes.length;) start += writeSync(1, bytes, start)
}
