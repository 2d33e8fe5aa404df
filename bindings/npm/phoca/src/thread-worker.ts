// One thread of the pool.

import * as glue from '../wasm/phoca_threads.js'

interface Message {
  module: WebAssembly.Module
  memory: WebAssembly.Memory
}

function run({ module, memory }: Message, ready: () => void): void {
  glue.initSync({ module, memory })
  ready()
  glue.runThread()
}

if (typeof self === 'undefined' || typeof (self as { postMessage?: unknown }).postMessage === 'undefined') {
  const { parentPort, workerData } = await import('node:worker_threads')
  run(workerData as Message, () => parentPort!.postMessage('ready'))
} else {
  self.onmessage = ({ data }: MessageEvent<Message>) => {
    // The thread never returns to its events while the pool lives.
    run(data, () => self.postMessage('ready'))
  }
}
