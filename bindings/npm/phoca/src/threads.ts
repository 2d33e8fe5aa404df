// The builds with threads: a module over shared memory, and a worker for each thread.

import type { Build, Core, InitializeOptions } from './core.js'
import { compiled, wasmFile } from './core.js'
import { PhocaError } from './errors.js'
import * as glue from '../wasm/phoca_threads.js'
import { type Script, startHost } from './worker-host.js'

const SCRIPT: Script = { name: './thread-worker.js', web: () => new Worker(new URL('./thread-worker.js', import.meta.url), { type: 'module' }) }

/** Loads a build with threads and starts its workers. */
export async function loadThreaded(build: Build, threads: number, given?: InitializeOptions['module']): Promise<Core> {
  if (build === 'baseline') throw new PhocaError('Threads', 'threads need an engine with 128-bit vectors; use one thread')
  if (typeof SharedArrayBuffer === 'undefined') {
    throw new PhocaError('Threads', 'this page has no shared memory: serve it with the headers Cross-Origin-Opener-Policy: same-origin and '
      + 'Cross-Origin-Embedder-Policy: require-corp, or use one thread')
  }
  const source = await (given ?? wasmFile(build === 'relaxed' ? 'threads-relaxed' : 'threads'))
  const module = await compiled(source) ?? await WebAssembly.compileStreaming(source as Response)
  const memory = new WebAssembly.Memory({ initial: 64, maximum: 65536, shared: true })
  glue.initSync({ module, memory })
  // The declarations of both glues are equal but for the threads.
  const core = glue as unknown as Core & typeof glue
  core.startThreads(threads)
  // One after the other: Firefox sometimes never starts workers that a worker asks for at once.
  for (let started = 0; started < threads; started++) await startThread(module, memory)
  return core
}

/** Starts a worker that lends itself to the pool; done once it has the module. */
async function startThread(module: WebAssembly.Module, memory: WebAssembly.Memory): Promise<void> {
  let settle: { ready: () => void, failed: (error: Error) => void }
  const started = new Promise<void>((resolve, reject) => { settle = { ready: resolve, failed: reject } })
  const host = await startHost(SCRIPT, { message: () => settle.ready(), error: (error) => settle.failed(error) })
  host.post({ module, memory })
  await started
  host.keep(false)
}
