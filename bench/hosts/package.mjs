// Facts about the package, a line of JSON each: sizes, the time until it is ready, memory.

import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { hosts, packages, say } from './places.mjs'

const STARTS = 15

const node = `node-${process.versions.node.split('.').slice(0, 2).join('.')}`
say({ kind: 'host', host: node, arch: '', threads: 1 })

const modules = join(packages, 'phoca/dist/wasm')
for (const file of readdirSync(modules).filter((name) => name.endsWith('.wasm'))) {
  const size = gzipSync(readFileSync(join(modules, file)), { level: 9 }).length
  say({ kind: 'fact', op: `Size/${file}`, n: 0, measure: 'kB after gzip', value: size / 1000, limit: 500 })
}

const times = Array.from({ length: STARTS }, () => Number(output('startup.mjs'))).sort((a, b) => a - b)
say({
  kind: 'fact', op: 'Start/FirstContext', n: 8192, measure: `milliseconds from import to the first context, median of ${STARTS} processes`,
  value: times[STARTS >> 1], limit: 60,
})
for (const what of ['rounds', 'save']) say(JSON.parse(output('memory.mjs', what)))

/** What a script prints. A passed limit is for the reader to see, not a failure. */
function output(script, ...args) {
  const { stdout, stderr } = spawnSync(process.execPath, [join(hosts, script), ...args], { encoding: 'utf8' })
  if (stdout === '') throw new Error(`${script} ${args.join(' ')} failed: ${stderr}`)
  return stdout
}
