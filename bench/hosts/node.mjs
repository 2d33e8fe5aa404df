// The rows in this Node: `node node.mjs OPTIONS`, OPTIONS as JSON. Prints a line of JSON for the host and for each row.

import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { dialect6, dialect7 } from './node-seal.js'
import { modules, packages, say } from './places.mjs'
import { measure } from './rows.js'

const options = JSON.parse(process.argv[2])
const { threads = 1 } = options
const require = createRequire(import.meta.url)
const [major, minor] = process.versions.node.split('.')

// The two forms of the package share nothing, so that one can have threads and the other one not.
const phoca = await import(pathToFileURL(join(packages, 'phoca/dist/index.js')))
const environment = await phoca.initialize({ threads })
const one = threads > 1 ? require(join(packages, 'phoca/dist/index.cjs')) : undefined
await one?.initialize()

// Release 7 needs a Node of today.
const release = major < 22 ? 6 : 7
const folder = join(modules, `node-seal${release}`)
const peer = release === 6
  ? dialect6(await require(join(folder, 'throws_wasm_node_umd.js'))())
  : dialect7(await (await import(pathToFileURL(join(folder, 'dist/index_throws.js')))).default())

say({
  kind: 'host', host: `node-${major}.${minor}`, arch: environment.kernels, threads,
  peer: `node-seal ${require(join(folder, 'package.json')).version}`,
})
for await (const row of measure({ phoca, one, peer }, options)) say({ kind: 'row', ...row })
process.exit(0)
