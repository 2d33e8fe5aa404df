import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { after, before, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { Worker } from 'node:worker_threads'
import * as phoca from 'phoca'

const degree = 4096
let parameters

before(async () => {
  await phoca.initialize()
  parameters = { scheme: 'ckks', degree, coeffModulus: phoca.coeffModulus.create(degree, [36, 30, 36]) }
})

describe('a worker', () => {
  let worker
  before(async () => { worker = await phoca.PhocaWorker.start() })
  after(() => worker.terminate())

  it('computes with objects that stay in it', async () => {
    const { Context, KeyGenerator, Encryptor, Decryptor, Evaluator, CkksEncoder } = worker.library
    const context = Context(parameters)
    const generator = KeyGenerator(context)
    const secretKey = generator.secretKey()
    const encoder = CkksEncoder(context)
    const x = Encryptor(context, { secretKey }).encryptSymmetric(encoder.encode([1.5, -2], 2 ** 30))
    const keys = generator.galoisKeys({ steps: [1, 2] })
    const y = Evaluator(context).multiplyRelinearizeRescale(x, x, generator.relinKeys())
    const values = await encoder.decode(Decryptor(context, secretKey).decrypt(y))
    assert.ok(values instanceof Float64Array && Math.abs(values[0] - 2.25) < 1e-3 && Math.abs(values[1] - 4) < 1e-3)
    assert.equal(await y.size, 2)
    assert.deepEqual(await keys.elements, Uint32Array.of(3, 9))
    const rotated = await Evaluator(context).rotateMany(x, [1, 2], keys)
    assert.equal(rotated.length, 2)
    const first = await encoder.decode(Decryptor(context, secretKey).decrypt(rotated[0]))
    assert.ok(Math.abs(first[0] + 2) < 1e-3)
    // Awaiting an object gives the object.
    assert.equal(await (await y).primeCount, 1)
  })

  it('hands errors back with their classes, and goes on', async () => {
    const { Context, KeyGenerator, Evaluator } = worker.library
    const bad = Context({ ...parameters, degree: 1000 })
    await assert.rejects(bad.ready, phoca.ParametersError)
    await assert.rejects(KeyGenerator(bad).ready, phoca.ParametersError)
    const context = Context(parameters)
    await assert.rejects(Evaluator(context).nothing(1), /no method nothing/)
    const evaluator = Evaluator(context)
    evaluator.delete()
    await assert.rejects(evaluator.negate(1), phoca.DeletedError)
    assert.equal(await context.degree, degree)
  })

  it('forgets what failed, whose later uses still say why', async () => {
    const { postMessage } = Worker.prototype
    let thread, sent
    Worker.prototype.postMessage = function (message, ...rest) {
      thread = this
      sent ??= message
      return postMessage.call(this, message, ...rest)
    }
    const { Context, KeyGenerator } = worker.library
    const bad = Context({ ...parameters, degree: 1000 })
    // Sent before the answer.
    const early = KeyGenerator(bad)
    await assert.rejects(early.ready, phoca.ParametersError)
    await assert.rejects(bad.ready, phoca.ParametersError)
    await assert.rejects(bad.degree, phoca.ParametersError)
    await assert.rejects(bad.nothing(), phoca.ParametersError)
    await assert.rejects(KeyGenerator(bad).publicKey().size, phoca.ParametersError)
    Worker.prototype.postMessage = postMessage
    const answer = new Promise((resolve) => {
      thread.on('message', (message) => message.id === -1 && resolve(message))
    })
    thread.postMessage({ id: -1, op: 'get', target: { $object: sent.id }, property: 'degree' })
    assert.equal((await answer).error.kind, 'Deleted')
  })

  it('goes on after an argument that cannot be sent, and waits for no answer', async () => {
    const script = fileURLToPath(new URL('unsent-argument.mjs', import.meta.url))
    const { stdout } = await promisify(execFile)(process.execPath, [script], { timeout: 60_000 })
    assert.equal(stdout.trim(), 'DataCloneError')
  })

  it('is not a worker of another one', async () => {
    const other = await phoca.PhocaWorker.start()
    const context = other.library.Context(parameters)
    assert.throws(() => worker.library.Evaluator(context), /another worker/)
    other.terminate()
    await assert.rejects(context.degree, /terminated/)
  })
})

describe('a pool', () => {
  it('ends its workers where one cannot be set up', async () => {
    const libraries = []
    const pool = phoca.WorkerPool.start(2, (library) => {
      libraries.push(library)
      if (libraries.length === 2) throw new Error('no more')
    })
    await assert.rejects(pool, /no more/)
    for (const library of libraries) await assert.rejects(library.Context(parameters).ready, /terminated/)
  })

  it('shares items among workers, with results in order', async () => {
    const context = new phoca.Context(parameters)
    const generator = new phoca.KeyGenerator(context)
    const encoder = new phoca.CkksEncoder(context)
    const encryptor = new phoca.Encryptor(context, generator.secretKey())
    const decryptor = new phoca.Decryptor(context, generator.secretKey())
    const keyBytes = generator.galoisKeys({ steps: [1] }).toBytes()
    const inputs = [1, 2, 3, 4, 5].map((value) => encryptor.encryptSymmetric(encoder.encode([0, value], 2 ** 30)).toBytes())
    const pool = await phoca.WorkerPool.start(2, (library) => {
      const context = library.Context(parameters)
      return { context, evaluator: library.Evaluator(context), keys: library.GaloisKeys.load(context, keyBytes) }
    })
    const rotated = await pool.map(inputs, ({ context, evaluator, keys }, bytes, { Ciphertext }) =>
      evaluator.rotateVector(Ciphertext.load(context, bytes), 1, keys).toBytes())
    pool.terminate()
    const values = rotated.map((bytes) => Math.round(encoder.decode(decryptor.decrypt(phoca.Ciphertext.load(context, bytes)))[0]))
    assert.deepEqual(values, [1, 2, 3, 4, 5])
  })
})
