// The declarations: the names that programs import are there, and what compiled with node-seal 6 compiles.

import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { HERE, PACKAGE, PEER, skip } from './helpers.mjs'

const tsc = createRequire(import.meta.url).resolve('typescript/bin/tsc')

/** Compiles the program against the declarations of a package. */
function compile(folder, settings) {
  const project = mkdtempSync(join(tmpdir(), 'phoca-seal6-types-'))
  try {
    mkdirSync(join(project, 'node_modules'))
    symlinkSync(folder, join(project, 'node_modules/node-seal'), 'dir')
    cpSync(join(HERE, 'program/types.ts'), join(project, 'types.ts'))
    const compilerOptions = { noEmit: true, strict: true, target: 'ES2022', lib: ['ES2022', 'DOM'], types: [], esModuleInterop: true, ...settings }
    writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['types.ts'] }))
    execFileSync(process.execPath, [tsc, '-p', project], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] })
  } catch (error) {
    assert.fail(error.stdout ?? error)
  } finally {
    rmSync(project, { recursive: true, force: true })
  }
}

for (const [name, settings] of Object.entries({
  'of bundlers': { module: 'ESNext', moduleResolution: 'Bundler' },
  'of CommonJS': { module: 'CommonJS', moduleResolution: 'Node10' },
})) {
  test(`a program in TypeScript compiles with the resolution ${name}`, { skip }, () => {
    compile(PEER, settings)
    compile(PACKAGE, settings)
  })
}

test('every type that node-seal 6 exports has its name', { skip }, () => {
  const exported = /^export (?:declare )?(?:interface|type|class) (\w+)|^export type \{ (.*) \} from/gm
  const namesOf = (file) => new Set([...readFileSync(file, 'utf8').matchAll(exported)].flatMap(([, name, list]) =>
    name === undefined ? list.split(', ').map((entry) => entry.split(' as ').at(-1)) : [name]))
  for (const folder of ['implementation', 'main']) {
    for (const file of readdirSync(join(PEER, folder)).filter((name) => name.endsWith('.d.ts'))) {
      assert.ok(existsSync(join(PACKAGE, folder, file)), file)
      const names = namesOf(join(PACKAGE, folder, file))
      const missing = [...namesOf(join(PEER, folder, file))].filter((name) => !names.has(name))
      assert.deepEqual(missing, [], file)
    }
  }
})
