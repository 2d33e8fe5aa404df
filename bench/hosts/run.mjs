// Measures one kind of host: `node run.mjs node|chromium|firefox|webkit|package OPTIONS`, OPTIONS as JSON. Lines of JSON go to standard
// output; a host that this machine lacks is skipped by name.

import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { hosts, missing, root, say } from './places.mjs'

const [host, options] = process.argv.slice(2)
const reason = missing()
if (reason !== undefined) say({ kind: 'skipped', host, reason })
else if (host === 'node') nodes().forEach((node) => run(node, 'node.mjs', options))
else if (host === 'package') run(process.execPath, 'package.mjs', options)
else run(process.execPath, 'browser.mjs', host, options)

/** This Node, a current one, and those that `PHOCA_NODE` lists. */
function nodes() {
  const current = join(root, '.peers/node22')
  if (!existsSync(current)) say({ kind: 'skipped', host: 'node (current)', reason: 'it is not installed: bench/peers/setup.sh' })
  const more = (process.env.PHOCA_NODE ?? '').split(delimiter).filter((path) => path !== '')
  return [process.execPath, ...(existsSync(current) ? [current] : []), ...more]
}

function run(node, script, ...args) {
  const { status, error } = spawnSync(node, [join(hosts, script), ...args], { stdio: ['ignore', 'inherit', 'inherit'] })
  if (error !== undefined) say({ kind: 'error', message: `${node} could not be started: ${error.message}` })
  if (error !== undefined || status !== 0) process.exit(status || 1)
}
