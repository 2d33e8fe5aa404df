// What the driver of a browser calls: `start(options)` loads both libraries, `next()` measures the next row.

import * as phoca from '../../bindings/npm/phoca/dist/index.js'
import { dialect6, dialect7 } from './node-seal.js'
import { measure } from './rows.js'

let rows

/** The kernels, and the release of node-seal that the engine runs. */
window.start = async (options) => {
  const { kernels } = await phoca.initialize()
  const { version, peer } = await loadPeer()
  rows = measure({ phoca, peer }, options)
  return { arch: kernels, threads: 1, peer: `node-seal ${version}` }
}

window.next = async () => {
  const { value, done } = await rows.next()
  return done ? null : value
}

async function loadPeer() {
  const modules = '../../.peers/node/node_modules'
  const version = async (release) => (await (await fetch(`${modules}/node-seal${release}/package.json`)).json()).version
  try {
    const { default: initialize } = await import(`${modules}/node-seal7/dist/index_throws.js`)
    return { version: await version(7), peer: dialect7(await initialize()) }
  } catch (newer) {
    try {
      const { default: load } = await import(`${modules}/node-seal6/throws_wasm_web_es.js`)
      return { version: await version(6), peer: dialect6(await load()) }
    } catch (older) {
      throw new Error(`the engine runs no release of node-seal: 7: ${newer}; 6: ${older}`)
    }
  }
}

window.ready = true
