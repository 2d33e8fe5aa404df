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

/** A worker script of the package: as a Web Worker, spelled as bundlers look for it, and its name beside this script for Node. */
export interface Script {
  name: string
  web: () => Worker
}

/** Web Workers that run: an engine may end one that nobody refers to, and with it the threads that others wait for. */
const running = new Set<Worker>()

/** Starts one of the package's worker scripts. */
export async function startHost({ name, web }: Script, listeners: Listeners): Promise<Host> {
  if (typeof Worker === 'undefined') {
    const { Worker: NodeWorker } = await import('node:worker_threads')
    const worker = new NodeWorker(new URL(name, import.meta.url))
    worker.on('message', (data) => listeners.message(data))
    worker.on('error', (error) => listeners.error(error as Error))
    return {
      post: (message, transfer = []) => worker.postMessage(message, transfer),
      terminate: () => void worker.terminate(),
      keep: (running) => running ? worker.ref() : worker.unref(),
    }
  }
  const worker = web()
  running.add(worker)
  worker.onmessage = ({ data }) => listeners.message(data)
  worker.onerror = (event) => listeners.error(new Error(event.message || `the script ${name} could not be started`))
  return {
    post: (message, transfer = []) => worker.postMessage(message, [...transfer]),
    terminate: () => {
      running.delete(worker)
      worker.terminate()
    },
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
