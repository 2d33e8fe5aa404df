// Every example and every block of JavaScript in the READMEs runs, against packages that were packed and installed into an empty
// project.

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { browsers, launch } from './browsers.mjs'
import { serve } from './server.mjs'

const run = promisify(execFile)
const npmRoot = dirname(dirname(fileURLToPath(import.meta.url)))
const root = join(npmRoot, '../..')
let project

before(async () => {
  project = await mkdtemp(join(tmpdir(), 'phoca-npm-'))
  const { stdout } = await run('npm', ['pack', '--silent', '--pack-destination', project], { cwd: join(npmRoot, 'phoca') })
  await writeFile(join(project, 'package.json'), '{ "private": true, "type": "module" }')
  await run('npm', ['install', '--silent', '--no-audit', '--no-fund', '--offline', join(project, stdout.trim())], { cwd: project })
})
after(() => rm(project, { recursive: true, force: true }))

/** What a script prints in the project. */
async function output(name, source) {
  const path = join(project, name)
  if (source !== undefined) await writeFile(path, source)
  const { stdout } = await run(process.execPath, [path], { cwd: project })
  return stdout
}

describe('the package', () => {
  it('has what it needs and nothing else', async () => {
    const files = await readdir(join(project, 'node_modules/phoca'), { recursive: true })
    for (const file of ['dist/index.js', 'dist/index.cjs', 'dist/index.d.ts', 'dist/index.d.cts', 'dist/wasm/relaxed.wasm', 'README.md']) {
      assert.ok(files.includes(file), file)
    }
    assert.ok(!files.some((file) => /src|test|tsconfig/.test(file)))
  })

  it('type-checks in a strict project', async () => {
    await writeFile(join(project, 'types.ts'), `
      import { ckks, Context, coeffModulus, initialize, PhocaWorker, type PhocaError } from 'phoca'
      await initialize()
      const he = await ckks({ depth: 1 })
      const values: Float64Array = he.decrypt(he.encrypt([1]).mul(2))
      const context: Context = new Context({ scheme: 'bfv', degree: 4096, coeffModulus: coeffModulus.default(4096), plainModulus: 65537n })
      const worker = await PhocaWorker.start()
      const remote = worker.library.Context(context.parameters)
      const slots: number = await remote.slotCount
      const bytes: Uint8Array = await worker.library.KeyGenerator(remote).galoisKeys({ steps: [1] }).toBytes()
      const kind = (error: PhocaError): string => error.kind
      // @ts-expect-error the scheme has no such name
      new Context({ scheme: 'tfhe', degree: 4096, coeffModulus: coeffModulus.default(4096) })
      export { values, slots, bytes, kind }
    `)
    const tsc = join(npmRoot, 'node_modules/typescript/bin/tsc')
    for (const resolution of ['NodeNext', 'Bundler']) {
      const module = resolution === 'Bundler' ? 'ESNext' : resolution
      await run(process.execPath, [tsc, '--noEmit', '--strict', '--target', 'ES2022', '--lib', 'ES2022,DOM,ESNext.Disposable', '--module', module,
        '--moduleResolution', resolution, 'types.ts'], { cwd: project }).catch(({ stdout }) => assert.fail(stdout))
    }
  })

  it('takes a compiled module, as hosts without files give it', async () => {
    const printed = await output('given.mjs', `
      import { readFile } from 'node:fs/promises'
      import { createRequire } from 'node:module'
      import { initialize } from 'phoca'
      const module = new WebAssembly.Module(await readFile(createRequire(import.meta.url).resolve('phoca/wasm/baseline.wasm')))
      console.log((await initialize({ module, build: 'baseline' })).kernels)
    `)
    assert.equal(printed, 'portable\n')
  })
})

describe('examples', () => {
  for (const file of ['mean.mjs', 'mean.cjs']) {
    it(file, async () => {
      await cp(join(npmRoot, 'examples/node', file), join(project, file))
      assert.equal(await output(file), '21.8750\n')
    })
  }

  for (const [path, expected] of [['README.md', '9.5000'], ['bindings/npm/phoca/README.md', undefined]]) {
    it(`of ${path}`, async () => {
      const blocks = [...(await readFile(join(root, path), 'utf8')).matchAll(/```js\n([\s\S]*?)```/g)].map(([, block]) => block)
      assert.ok(blocks.length > 0)
      for (const [index, block] of blocks.entries()) {
        const printed = await output(`block${index}.mjs`, block)
        assert.ok(printed.trim().length > 0, block)
        if (expected !== undefined) assert.match(printed, new RegExp(expected))
        // A comment behind a call that prints says what it prints.
        const [, said] = /console\.log\([^\n]*\/\/ (\d+n?|about \[.*\])$/m.exec(block) ?? []
        if (said !== undefined && !said.startsWith('about')) assert.equal(printed.trim(), said)
      }
    })
  }
})

describe('examples of the stand-ins for node-seal', () => {
  for (const [name, extension] of [['phoca-seal', 'mjs'], ['phoca-seal6', 'cjs']]) {
    it(name, async () => {
      const folder = join(project, name)
      await mkdir(join(folder, 'node_modules'), { recursive: true })
      await symlink(join(npmRoot, name), join(folder, 'node_modules/node-seal'))
      const [, block] = /```js\n([\s\S]*?)```/.exec(await readFile(join(npmRoot, name, 'README.md'), 'utf8'))
      const [, said] = /console\.log\([^\n]*\/\/ (.*)$/m.exec(block)
      assert.equal((await output(`${name}/example.${extension}`, block)).trim(), said)
    })
  }
})

for (const browser of browsers) {
  const missing = browser.path === undefined
  describe(`examples in ${browser.name}`, { skip: missing && !process.env.PHOCA_REQUIRE_PEERS && `${browser.name} is not installed` }, () => {
    let instance
    before(async () => {
      assert.ok(!missing, `${browser.name} is not installed`)
      instance = await launch(browser)
    })
    after(() => instance?.close())

    async function shows(root, path, options) {
      const server = await serve(root, options)
      const page = await instance.newPage()
      try {
        await page.goto(`${server.origin}/${path}`)
        await page.waitForFunction("document.querySelector('#result').textContent !== '…'", { timeout: 60_000 })
        return await page.$eval('#result', (element) => element.textContent)
      } finally {
        await page.close()
        server.close()
      }
    }

    it('a page', async () => assert.equal(await shows(npmRoot, 'examples/page/index.html'), '10'))
    // Without the headers that threads need.
    it('a worker', async () => assert.equal(await shows(npmRoot, 'examples/worker/index.html', { isolated: false }), '10'))
    it('an app built with Vite', async () => {
      const app = join(npmRoot, 'examples/vite')
      await run(process.execPath, [join(npmRoot, 'node_modules/vite/bin/vite.js'), 'build'], { cwd: app })
      assert.equal(await shows(join(app, 'dist'), 'index.html', { isolated: false }), '10')
    })
  })
}
