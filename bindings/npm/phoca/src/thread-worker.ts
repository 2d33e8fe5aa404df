// One thread of the pool that works on one operation.

import * as glue from '../wasm/phoca_threads.js'
import { serve } from './worker-host.js'

interface Start {
  module: WebAssembly.Module
  memory: WebAssembly.Memory
}

const answer = await serve<Start>(({ module, memory }) => {
  glue.initSync({ module, memory })
  answer('ready')
  // It returns to its messages only when the pool ends.
  glue.runThread()
})
