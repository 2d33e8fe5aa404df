// The declarations: what node-seal's users write compiles, and where node-seal is there, all that it declares is declared alike.

import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { it } from 'node:test'
import { fileURLToPath } from 'node:url'

const at = (path) => fileURLToPath(new URL(path, import.meta.url))
const peer = at('../../../../.peers/node/node_modules/node-seal7/dist/seal_throws.js')
const ours = at('../dist/throws.js')

function compile(source) {
  const folder = mkdtempSync(join(dirname(ours), 'types-'))
  try {
    writeFileSync(join(folder, 'program.ts'), source)
    const options = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2022', '--lib', 'es2022,esnext.disposable,dom', '--skipLibCheck']
    execFileSync(process.execPath, [at('../../node_modules/typescript/bin/tsc'), ...options, join(folder, 'program.ts')], { encoding: 'utf8' })
    return ''
  } catch (error) {
    return error.stdout
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const PROGRAM = `
import SEAL, { initialize, type Ciphertext, type MainModule, type Plaintext, type SEALContext, type SchemeType } from '${ours}'
const seal: MainModule = await SEAL({ locateFile: (path: string) => path })
const scheme: SchemeType = seal.SchemeType.bfv
const context: SEALContext = new seal.SEALContext(new seal.EncryptionParameters(scheme), true, seal.SecLevelType.tc128)
const cipher: Ciphertext = new seal.Ciphertext(context, context.firstParmsId())
const plain: Plaintext = seal.Plaintext.withPool(seal.MemoryPoolHandle.Global())
new seal.Evaluator(context).addPlainInplaceWithPool(cipher.clone(), plain.copy(), seal.MemoryPoolHandle.New(true))
const bytes: Uint8Array = cipher.saveToArray(seal.ComprModeType.zstd)
const primes: bigint[] = seal.jsArrayFromVecModulus(seal.CoeffModulus.Create(4096, Int32Array.of(36)))
using keys = new seal.KeyGenerator(context)
export { bytes, initialize, keys, primes }
`

it('compile in a program', () => {
  assert.equal(compile(PROGRAM), '')
})

it('refuse what is wrong', () => {
  assert.match(compile(`${PROGRAM}\nseal.CoeffModulus.Create(4096, [36])\n`), /Int32Array/)
  assert.match(compile(`${PROGRAM}\nnew seal.Evaluator(context).add(cipher, plain, cipher)\n`), /Ciphertext/)
})

it('are those of node-seal 7', { skip: existsSync(peer) ? false : 'bench/peers/setup.sh installs node-seal' }, () => {
  const source = `
import type { MainModule as Theirs } from '${peer}'
import type { MainModule as Ours } from '${ours}'
declare const ours: Ours
export const theirs: Theirs = ours
`
  assert.equal(compile(source), '')
})
