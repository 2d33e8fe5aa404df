import { PhocaWorker, initialize, coeffModulus } from 'phoca'

await initialize()
const worker = await PhocaWorker.start()
const { Context, KeyGenerator, BatchEncoder, Encryptor, Decryptor, Evaluator } = worker.library
const context = Context({ scheme: 'bfv', degree: 4096, coeffModulus: coeffModulus.default(4096), plainModulus: 1032193n })
const generator = KeyGenerator(context)
const encoder = BatchEncoder(context)
const x = Encryptor(context, generator.publicKey()).encrypt(encoder.encode([5]))
const values = await encoder.decodeSigned(Decryptor(context, generator.secretKey()).decrypt(Evaluator(context).add(x, x)))
document.querySelector('#result').textContent = values[0]
