// Runs the tests that compare with node-seal 7, for which it takes a Node of 22 or later.

import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { it } from 'node:test'
import { fileURLToPath } from 'node:url'

const at = (path) => fileURLToPath(new URL(path, import.meta.url))
const peer = at('../../../../.peers/node/node_modules/node-seal7/package.json')
const node22 = at('../../../../.peers/node22')
const isRecent = Number(process.versions.node.split('.')[0]) >= 22
const runtime = isRecent ? process.execPath : node22
const skip = existsSync(peer) && existsSync(runtime) ? false : 'bench/peers/setup.sh installs node-seal'

for (const name of ['names', 'misuse', 'values', 'files']) {
  it(`agrees with node-seal 7: ${name}`, { skip }, () => {
    // Without the environment of the runner, which would make the child report to it.
    const { NODE_TEST_CONTEXT: _, ...env } = process.env
    execFileSync(runtime, ['--test', at(`peer/${name}.peer.mjs`)], { env, stdio: ['ignore', 'pipe', 'pipe'], encoding: 'utf8' })
  })
}
