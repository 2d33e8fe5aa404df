// The packages as users install them: packed, in an empty project, under the name `node-seal`.

import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { build } from 'esbuild'
import { HERE, PACKAGE, real, skip } from './helpers.mjs'
import run from './program/run.cjs'

const BUILDS = ['throws', 'allows']
const TARGETS = ['node', 'web', 'worker', 'cf_worker']
const FORMATS = ['umd', 'es']

let project

before(() => {
  project = mkdtempSync(join(tmpdir(), 'phoca-seal6-'))
  const pack = (folder) => execFileSync('npm', ['pack', '--silent', '--pack-destination', project], { cwd: folder, encoding: 'utf8' }).trim()
  const [phoca, seal6] = [pack(join(PACKAGE, '../phoca')), pack(PACKAGE)]
  // The registry has no say: both come from the files.
  writeFileSync(join(project, 'package.json'), JSON.stringify({
    private: true, dependencies: { 'node-seal': `file:./${seal6}`, phoca: `file:./${phoca}` },
  }))
  execFileSync('npm', ['install', '--offline', '--no-audit', '--no-fund', '--silent'], { cwd: project })
  cpSync(join(HERE, 'program'), project, { recursive: true })
})

after(() => rmSync(project, { recursive: true, force: true }))

const node = (...args) => execFileSync(process.execPath, args, { cwd: project, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] })

test('a program runs unchanged, by require and by import', { skip }, async () => {
  const expected = JSON.parse(JSON.stringify(run(await real()())))
  assert.deepEqual(JSON.parse(node('main.cjs')), expected)
  assert.deepEqual(JSON.parse(node('main.mjs')), expected)
})

/** Loads an entry and computes 1 - 1, which is where the builds differ. */
const CHECK = `
  const compute = (seal) => {
    const parameters = seal.EncryptionParameters(seal.SchemeType.bfv)
    parameters.setPolyModulusDegree(4096)
    parameters.setCoeffModulus(seal.CoeffModulus.BFVDefault(4096))
    parameters.setPlainModulus(seal.PlainModulus.Batching(4096, 20))
    const context = seal.Context(parameters)
    const encryptor = seal.Encryptor(context, seal.KeyGenerator(context).createPublicKey())
    const one = encryptor.encrypt(seal.BatchEncoder(context).encode(Int32Array.of(1)))
    try { return seal.Evaluator(context).sub(one, one).isTransparent } catch ({ message }) { return message }
  }
  const module = async () => {
    const { readFile } = await import('node:fs/promises')
    return WebAssembly.compile(await readFile('node_modules/node-seal/seal_' + build + '_wasm_cf_worker.wasm'))
  }
  const print = async (SEAL) => console.log(compute(await (target === 'cf_worker' ? SEAL(await module()) : SEAL())))
`

for (const build of BUILDS) {
  for (const target of TARGETS) {
    for (const format of FORMATS) {
      test(`${build}_wasm_${target}_${format} loads and computes`, () => {
        const entry = `node-seal/${build}_wasm_${target}_${format}`
        const head = `const build = '${build}', target = '${target}'; ${CHECK}`
        const expected = build === 'allows' ? 'true\n' : 'result ciphertext is transparent\n'
        const byImport = `${head}; const { default: SEAL } = await import('${entry}.js'); await print(SEAL)`
        assert.equal(node('--no-warnings', '--input-type=module', '-e', byImport), expected)
        if (format === 'umd') assert.equal(node('-e', `${head}; print(require('${entry}'))`), expected)
      })
    }
  }
}

test('without the files of the engine, the packed module serves', () => {
  // As when a bundler puts everything into one file, and leaves the modules behind.
  const file = join(project, 'node_modules/phoca/dist/wasm')
  cpSync(file, `${file}-away`, { recursive: true })
  rmSync(file, { recursive: true })
  try {
    assert.equal(node('-e', "require('node-seal')().then((seal) => console.log(seal.Modulus(17n).isPrime))"), 'true\n')
  } finally {
    cpSync(`${file}-away`, file, { recursive: true })
  }
})

for (const [platform, format] of [['browser', 'esm'], ['browser', 'cjs'], ['node', 'cjs']]) {
  test(`a bundler makes one file of the program, for ${platform} as ${format}`, async () => {
    const outfile = join(project, `bundle-${platform}.${format === 'esm' ? 'mjs' : 'cjs'}`)
    const contents = "import SEAL from 'node-seal'; SEAL().then((seal) => console.log(seal.Modulus(17n).isPrime))"
    await build({ stdin: { contents, resolveDir: project }, bundle: true, platform, format, outfile, logLevel: 'error' })
    assert.equal(node(outfile), 'true\n')
  })
}

test('the fields of the package that bundlers and compilers read are those of node-seal', { skip }, () => {
  const { main, module, browser, types } = JSON.parse(readFileSync(join(PACKAGE, 'package.json'), 'utf8'))
  const original = JSON.parse(readFileSync(join(PACKAGE, '../../../.peers/node/node_modules/node-seal6/package.json'), 'utf8'))
  assert.deepEqual({ main, module, browser, types }, {
    main: original.main, module: original.module, browser: original.browser, types: original.types,
  })
})
