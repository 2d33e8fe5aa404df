// Builds the packages: bundles for ESM and CommonJS, declarations, and the WebAssembly modules beside them.
//
// Usage: node build.mjs [PACKAGE]...   (the modules come from scripts/build-wasm.sh)

import { execFileSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { buildSeal6 } from './phoca-seal6/build.mjs'

const root = dirname(fileURLToPath(import.meta.url))
const MODULES = ['baseline', 'simd', 'relaxed', 'threads', 'threads-relaxed']

const common = { bundle: true, target: 'es2022', logLevel: 'warning', legalComments: 'none', sourcemap: false }
/** What CommonJS has in the place of `import.meta.url`. */
const commonjs = {
  format: 'cjs',
  platform: 'node',
  define: { 'import.meta.url': 'importMetaUrl' },
  banner: { js: "const importMetaUrl = require('node:url').pathToFileURL(__filename).href;" },
}

async function buildPhoca() {
  const at = (...parts) => join(root, 'phoca', ...parts)
  rmSync(at('dist'), { recursive: true, force: true })
  // One glue serves all builds without threads, and one those with.
  for (const [from, to] of [['simd', 'phoca'], ['threads', 'phoca_threads']]) {
    for (const extension of ['js', 'd.ts']) copyFileSync(at('wasm', from, `phoca.${extension}`), at('wasm', `${to}.${extension}`))
  }
  mkdirSync(at('dist', 'wasm'), { recursive: true })
  for (const name of MODULES) {
    const module = at('wasm', name, 'phoca_bg.wasm')
    if (!existsSync(module)) throw new Error(`${module} is missing: run scripts/build-wasm.sh first`)
    copyFileSync(module, at('dist', 'wasm', `${name}.wasm`))
  }
  const esm = { ...common, format: 'esm', platform: 'neutral', external: ['node:*'], outdir: at('dist') }
  await build({ ...esm, entryPoints: [at('src/index.ts'), at('src/seal/index.ts'), at('src/thread-worker.ts'), at('src/library-worker.ts')], splitting: true })
  // One bundle, since its parts share the module; what is for the packages that stand in for node-seal is one name of it.
  const contents = "export * from './index.js'; export * as sealCompat from './seal/index.js'"
  await build({ ...common, ...commonjs, stdin: { contents, resolveDir: at('src') }, outfile: at('dist/index.cjs') })
  writeFileSync(at('dist/seal/index.cjs'), "module.exports = require('../index.cjs').sealCompat\n")
  declarations('phoca')
}

function emitDeclarations(name) {
  execFileSync(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', join(root, name), '--emitDeclarationOnly'], { stdio: 'inherit' })
}

/** Declarations for ESM, and the same for CommonJS. */
function declarations(name) {
  emitDeclarations(name)
  copyFileSync(join(root, name, 'dist/index.d.ts'), join(root, name, 'dist/index.d.cts'))
}

async function buildSeal7() {
  const at = (...parts) => join(root, 'phoca-seal', ...parts)
  rmSync(at('dist'), { recursive: true, force: true })
  const entryPoints = ['throws', 'allows'].map((name) => at('src', `${name}.ts`))
  await build({ ...common, format: 'esm', platform: 'neutral', packages: 'external', splitting: true, entryPoints, outdir: at('dist') })
  emitDeclarations('phoca-seal')
}

const builders = { phoca: buildPhoca, 'phoca-seal': buildSeal7, 'phoca-seal6': () => buildSeal6(common) }
const names = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(builders)
for (const name of names) await builders[name]()
