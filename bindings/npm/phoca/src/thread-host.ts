// Starting a thread: a Web Worker, or a worker thread of Node.

/** Starts a worker that lends itself to the pool; done once it has the module. */
export async function startWorker(module: WebAssembly.Module, memory: WebAssembly.Memory): Promise<void> {
  if (typeof Worker === 'undefined') {
    const { Worker: NodeWorker } = await import('node:worker_threads')
    const worker = new NodeWorker(new URL('./thread-worker.js', import.meta.url), { workerData: { module, memory } })
    // It waits for work for as long as the program runs, and must not keep it running.
    await new Promise<void>((resolve, reject) => {
      worker.once('message', () => resolve())
      worker.once('error', reject)
    })
    worker.unref()
    return
  }
  const worker = new Worker(new URL('./thread-worker.js', import.meta.url), { type: 'module' })
  await new Promise<void>((resolve, reject) => {
    worker.onmessage = () => resolve()
    worker.onerror = (event) => reject(new Error(event.message))
    worker.postMessage({ module, memory })
  })
}
