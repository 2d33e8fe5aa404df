// Builds `phoca-seal6`: the bundles, the packed modules that they share, and the small files under node-seal's names.

import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'

const here = dirname(fileURLToPath(import.meta.url))
const phoca = join(here, '../phoca')

export const BUILDS = ['throws', 'allows']
export const TARGETS = { node: 'node', web: 'web', worker: 'web', cf_worker: 'cf-worker' }
const FORMATS = { esm: 'mjs', cjs: 'js' }

/** Builds into `dist`, and the entries beside it. */
export async function buildSeal6(common) {
  rmSync(join(here, 'dist'), { recursive: true, force: true })
  mkdirSync(join(here, 'dist'))
  packModules()
  for (const bundle of new Set(Object.values(TARGETS))) {
    for (const [format, extension] of Object.entries(FORMATS)) await build({ ...common, ...optionsOf(bundle, format, extension) })
  }
  for (const kind of BUILDS) {
    for (const [target, bundle] of Object.entries(TARGETS)) writeEntries(kind, target, bundle)
    // Both builds are one module, which has two names for the sake of imports.
    copyFileSync(join(phoca, 'wasm/simd/phoca_bg.wasm'), join(here, `seal_${kind}_wasm_cf_worker.wasm`))
  }
}

function packModules() {
  const packed = Object.fromEntries(['simd', 'relaxed'].map((name) =>
    [name, gzipSync(readFileSync(join(phoca, 'wasm', name, 'phoca_bg.wasm')), { level: 9 }).toString('base64')]))
  writeFileSync(join(here, 'dist/packed.mjs'), `export default ${JSON.stringify(packed)}\n`)
  writeFileSync(join(here, 'dist/packed.js'), `module.exports = ${JSON.stringify(packed)}\n`)
}

function optionsOf(bundle, format, extension) {
  const packed = {
    name: 'packed-modules',
    setup: (build) => build.onResolve({ filter: /^packed-modules$/ }, () => ({ path: `./packed.${extension}`, external: true })),
  }
  const options = {
    format,
    entryPoints: [join(here, 'src', `${bundle}.ts`)],
    outfile: join(here, 'dist', `${bundle}.${extension}`),
    plugins: [packed],
  }
  if (bundle === 'node') return { ...options, platform: 'node', external: ['phoca', 'phoca/seal-compat'] }
  // The engine is within, without what needs more files or Node: the files are not served where there is no bundler, and bundlers
  // would look for each `new URL` beside `import.meta.url`, and fail at each module of Node.
  const withoutFiles = {
    name: 'without-files',
    setup(build) {
      build.onResolve({ filter: /^\.\/threads\.js$|^node:/ }, ({ path }) => ({ path, namespace: 'left-out' }))
      build.onLoad({ filter: /.*/, namespace: 'left-out' }, () => ({ contents: 'module.exports = {}' }))
    },
  }
  return {
    ...options,
    platform: 'neutral',
    alias: { 'phoca/seal-compat': join(phoca, 'src/seal/index.ts'), phoca: join(phoca, 'src/index.ts') },
    define: { 'import.meta.url': 'undefined' },
    plugins: [packed, withoutFiles],
  }
}

function writeEntries(kind, target, bundle) {
  const name = join(here, `${kind}_wasm_${target}`)
  writeFileSync(`${name}_es.js`, `export { ${kind} as default } from './dist/${bundle}.mjs'\n`)
  writeFileSync(`${name}_umd.js`, target === 'node' ? `module.exports = require('./dist/node.js').${kind}\n` : umd(kind, bundle))
  const parameter = target === 'cf_worker' ? 'wasmBinary: WebAssembly.Module' : ''
  const types = `import type { SEALLibrary } from './implementation/seal'\n\ndeclare const _default: (${parameter}) => Promise<SEALLibrary>\nexport default _default\n`
  for (const format of ['es', 'umd']) writeFileSync(`${name}_${format}.d.ts`, types)
}

/** For CommonJS, AMD, and scripts of pages, for which the global `SEAL` loads the rest. */
function umd(kind, bundle) {
  return `(function (root, load) {
  if (typeof module === 'object' && module.exports) module.exports = require('./dist/${bundle}.js').${kind}
  else if (typeof define === 'function' && define.amd) define(load)
  else root.SEAL = load()
})(globalThis, function () {
  var script = typeof document === 'object' && document.currentScript
  var url = new URL('./dist/${bundle}.mjs', script ? script.src : location.href).href
  return function (module) {
    return import(/* webpackIgnore: true */ /* @vite-ignore */ url).then(function (library) { return library.${kind}(module) })
  }
})
`
}
