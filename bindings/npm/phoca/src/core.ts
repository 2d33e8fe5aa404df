// The WebAssembly module: which build, where it comes from, and the one instance that everything uses.

import * as glue from '../wasm/phoca.js'
import { errorFromCore, PhocaError } from './errors.js'

export type Core = typeof glue

/** A set of instructions that a build uses; each engine runs the ones before its best, too. */
export type Build = 'baseline' | 'simd' | 'relaxed'

export interface InitializeOptions {
  /** The build to load. Without it, the fastest that the engine runs. */
  build?: Build
  /**
   * The module itself, for hosts where nothing can be fetched (Cloudflare Workers, or a test): compiled, or its bytes, or a
   * response that brings them. Without it, the `.wasm` file beside this script is loaded.
   */
  module?: WebAssembly.Module | BufferSource | Response | Promise<Response>
  /**
   * How many threads work together on one operation. More than one needs a host with shared memory: Node, or a page that is
   * cross-origin isolated, and there only in a worker, since a page must not wait. 1 unless set.
   */
  threads?: number
}

/** What was loaded. */
export interface Environment {
  build: Build
  /** The kernels that the build found to be right and fastest: `portable`, `simd128`, or `relaxed` where products and sums are fused. */
  kernels: string
  threads: number
}

let loaded: { core: Core, environment: Environment } | undefined
let loading: Promise<Environment> | undefined

/**
 * Loads the WebAssembly module. Everything else needs this once; further calls give the same answer.
 *
 * ```ts
 * import { initialize } from 'phoca'
 *
 * const { build } = await initialize()
 * ```
 *
 * @throws {@link PhocaError} of kind `Load` where the module cannot be loaded; a later call tries again.
 */
export function initialize(options: InitializeOptions = {}): Promise<Environment> {
  loading ??= load(options).catch((error: unknown) => {
    loading = undefined
    throw error instanceof PhocaError ? error : new PhocaError('Load', `the WebAssembly module could not be loaded: ${String(error)}`, {}, { cause: error })
  })
  return loading
}

/** The environment, once {@link initialize} is done. */
export function environment(): Environment | undefined {
  return loaded?.environment
}

/** The module's exports. */
export function core(): Core {
  if (loaded === undefined) {
    throw new PhocaError('NotInitialized', 'the WebAssembly module is not loaded yet; await initialize() first')
  }
  return loaded.core
}

async function load(options: InitializeOptions): Promise<Environment> {
  const threads = options.threads ?? 1
  if (!Number.isInteger(threads) || threads < 1 || threads > 64) {
    throw new PhocaError('Argument', `threads must be an integer from 1 to 64, not ${threads}`, { argument: 'threads' })
  }
  const build = options.build ?? bestBuild()
  if (threads > 1) {
    const { loadThreaded } = await import('./threads.js')
    const core = await loadThreaded(build, threads, options.module)
    return finish(core, build, threads)
  }
  const source = await (options.module ?? wasmFile(build))
  const module = await compiled(source)
  if (module === undefined) await glue.default({ module_or_path: source })
  else glue.initSync({ module })
  return finish(glue, build, 1)
}

/**
 * The module, unless it is in a response. That is found out without a look at the class of responses: Node loads all that belongs to
 * `fetch` for it, which takes longer than everything else here.
 */
export async function compiled(source: WebAssembly.Module | BufferSource | Response): Promise<WebAssembly.Module | undefined> {
  if (source instanceof WebAssembly.Module) return source
  return ArrayBuffer.isView(source) || source instanceof ArrayBuffer ? WebAssembly.compile(source) : undefined
}

function finish(core: Core, build: Build, threads: number): Environment {
  core.setErrorFactory(errorFromCore)
  const environment = { build, kernels: core.kernels(), threads }
  loaded = { core, environment }
  return environment
}

/** The fastest build that the engine compiles. */
export function bestBuild(): Build {
  if (WebAssembly.validate(RELAXED)) return 'relaxed'
  return WebAssembly.validate(SIMD) ? 'simd' : 'baseline'
}

// Modules of one function that drops a vector: `f64x2.splat`, and `f64x2.relaxed_madd`.
const SIMD = Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0, 1, 4, 1, 96, 0, 0, 3, 2, 1, 0, 10, 16, 1, 14, 0,
  0x44, 0, 0, 0, 0, 0, 0, 0, 0, 0xfd, 0x14, 0x1a, 0x0b)
const RELAXED = Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0, 1, 4, 1, 96, 0, 0, 3, 2, 1, 0, 10, 41, 1, 39, 0,
  0x44, 0, 0, 0, 0, 0, 0, 0, 0, 0xfd, 0x14, 0x44, 0, 0, 0, 0, 0, 0, 0, 0, 0xfd, 0x14,
  0x44, 0, 0, 0, 0, 0, 0, 0, 0, 0xfd, 0x14, 0xfd, 0x87, 0x02, 0x1a, 0x0b)

// Each as a literal, which is how bundlers find the files that belong to a package.
const FILES: Record<Build | 'threads' | 'threads-relaxed', () => URL> = {
  baseline: () => new URL('./wasm/baseline.wasm', import.meta.url),
  simd: () => new URL('./wasm/simd.wasm', import.meta.url),
  relaxed: () => new URL('./wasm/relaxed.wasm', import.meta.url),
  threads: () => new URL('./wasm/threads.wasm', import.meta.url),
  'threads-relaxed': () => new URL('./wasm/threads-relaxed.wasm', import.meta.url),
}

/** A file of the package: a response, so that it compiles while it arrives, or its bytes in Node. */
export async function wasmFile(name: keyof typeof FILES): Promise<Response | BufferSource> {
  const url = FILES[name]()
  if (url.protocol !== 'file:') return fetch(url)
  const { readFile } = await import('node:fs/promises')
  return readFile(url)
}
