// A program that asks a worker for what cannot be sent, and then ends without terminating it.

import { PhocaWorker } from 'phoca'

const worker = await PhocaWorker.start()
await worker.library.Context(Symbol('a')).ready.catch((error) => console.log(error.name))
