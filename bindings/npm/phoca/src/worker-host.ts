// Workers of either kind behind one face: Web Workers, and the worker threads of Node.

/** A worker that takes and gives messages. */
export interface Host {
  post(message: unknown, transfer?: readonly ArrayBuffer[]): void
  /** Ends it at once. */
  terminate(): void
  /** Says whether the program has to wait for it, where that is a question. */
  keep(running: boolean): void
}

/** What a worker says. */
export interface Listeners {
  message(data: unknown): void
  error(error: Error): void
}

/** Starts one of the package's worker scripts. */
export async function startHost(script: URL, listeners: Listeners): Promise<Host> {
  if (typeof Worker === 'undefined') {
    const { Worker: NodeWorker } = await import('node:worker_threads')
    const worker = new NodeWorker(script)
    worker.on('message', (data) => listeners.message(data))
    worker.on('error', (error) => listeners.error(error as Error))
    return {
      post: (message, transfer = []) => worker.postMessage(message, transfer),
      terminate: () => void worker.terminate(),
      keep: (running) => running ? worker.ref() : worker.unref(),
    }
  }
  const worker = new Worker(script, { type: 'module' })
  worker.onmessage = ({ data }) => listeners.message(data)
  worker.onerror = (event) => listeners.error(new Error(event.message || `the worker ${script.href} could not be started`))
  return {
    post: (message, transfer = []) => worker.postMessage(message, [...transfer]),
    terminate: () => worker.terminate(),
    keep: () => {},
  }
}

/** Inside of a worker: calls `receive` with each message, and gives the function that answers. */
export async function serve<M>(receive: (message: M) => void): Promise<(message: unknown, transfer?: readonly ArrayBuffer[]) => void> {
  if (typeof self !== 'undefined' && 'postMessage' in self) {
    self.onmessage = ({ data }: MessageEvent<M>) => receive(data)
    return (message, transfer = []) => self.postMessage(message, { transfer: [...transfer] })
  }
  const { parentPort } = await import('node:worker_threads')
  parentPort!.on('message', receive)
  return (message, transfer = []) => parentPort!.postMessage(message, transfer)
}
