// The packages as they are published, in an empty project, under the name node-seal.

import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, it } from 'node:test'
import { fileURLToPath } from 'node:url'

const at = (path) => fileURLToPath(new URL(path, import.meta.url))
const peers = at('../../../../.peers')
const peer = join(peers, 'node/node_modules/node-seal7')

let folder
before(() => { folder = mkdtempSync(join(tmpdir(), 'phoca-seal-')) })
after(() => rmSync(folder, { recursive: true, force: true }))

/** An empty project with the program in it. */
function project(name) {
  const root = join(folder, name)
  mkdirSync(join(root, 'node_modules'), { recursive: true })
  copyFileSync(at('program.mjs'), join(root, 'program.mjs'))
  return root
}

function run(runtime, root) {
  return JSON.parse(execFileSync(runtime, ['program.mjs'], { cwd: root, encoding: 'utf8', maxBuffer: 1 << 24 }))
}

function pack(name, root) {
  const [{ filename }] = JSON.parse(execFileSync('npm', ['pack', '--json', '--pack-destination', root], { cwd: at(`../../${name}`), encoding: 'utf8' }))
  return `file:${filename}`
}

it('installs by npm and runs a program for node-seal unchanged, with the same values', () => {
  const root = project('ours')
  const dependencies = { 'node-seal': pack('phoca-seal', root), phoca: pack('phoca', root) }
  writeFileSync(join(root, 'package.json'), JSON.stringify({ private: true, dependencies }))
  execFileSync('npm', ['install', '--offline', '--no-audit', '--no-fund'], { cwd: root, stdio: 'pipe' })
  const results = run(process.execPath, root)
  assert.deepEqual(results['bfv add'], [-100, -98, -96, -94, -92, -90, -88, -86])
  assert.deepEqual(results['ckks rescaleToNext'], [2.25, 5.05, 0.25, 16, 0, 0])
  // The README's example.
  writeFileSync(join(root, 'readme.mjs'), readFileSync(at('../README.md'), 'utf8').match(/```js\n(.*?)```/s)[1])
  assert.match(execFileSync(process.execPath, ['readme.mjs'], { cwd: root, encoding: 'utf8' }), /\[ 2n, 4n, -6n \]/)
  if (!existsSync(peer)) return
  const other = project('theirs')
  symlinkSync(peer, join(other, 'node_modules/node-seal'))
  assert.deepEqual(results, run(join(peers, 'node22'), other))
})
