import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import * as phoca from 'phoca'

before(() => phoca.initialize())

function ckks(degree = 4096) {
  const context = new phoca.Context({ scheme: 'ckks', degree, coeffModulus: phoca.coeffModulus.create(degree, [36, 30, 36]) })
  const generator = new phoca.KeyGenerator(context)
  const secretKey = generator.secretKey()
  return {
    context, generator, secretKey,
    publicKey: generator.publicKey(),
    encoder: new phoca.CkksEncoder(context),
    evaluator: new phoca.Evaluator(context),
    decryptor: new phoca.Decryptor(context, secretKey),
  }
}

function exact(scheme, degree = 4096) {
  const plainModulus = phoca.plainModulus.batching(degree, 20)
  const context = new phoca.Context({ scheme, degree, coeffModulus: phoca.coeffModulus.default(degree), plainModulus })
  const generator = new phoca.KeyGenerator(context)
  const secretKey = generator.secretKey()
  return {
    context, generator, secretKey,
    publicKey: generator.publicKey(),
    encoder: new phoca.BatchEncoder(context),
    evaluator: new phoca.Evaluator(context),
    decryptor: new phoca.Decryptor(context, secretKey),
  }
}

function near(got, expected, error) {
  expected.forEach((value, index) => assert.ok(Math.abs(got[index] - value) <= error, `slot ${index}: ${got[index]}, not ${value}`))
}

describe('CKKS', () => {
  it('computes on real numbers within the bound that it states', () => {
    const { context, generator, publicKey, encoder, evaluator, decryptor } = ckks()
    const encryptor = new phoca.Encryptor(context, publicKey)
    const x = encryptor.encrypt(encoder.encode([1.5, -2.25, 3], 2 ** 30))
    const y = evaluator.multiplyRelinearizeRescale(x, x, generator.relinKeys())
    const { worst, likely } = y.errorBound()
    assert.ok(likely > 0 && likely < worst && worst < 0.1)
    near(encoder.decode(decryptor.decrypt(y)), [2.25, 5.0625, 9, 0], worst)
    const rotated = evaluator.rotateMany(x, [1, 2], generator.galoisKeys({ steps: [1, 2] }))
    near(encoder.decode(decryptor.decrypt(rotated[0])), [-2.25, 3, 0], 1e-3)
    near(encoder.decode(decryptor.decrypt(rotated[1])), [3, 0, 0], 1e-3)
  })

  it('encodes complex numbers', () => {
    const { context, encoder, secretKey, decryptor } = ckks()
    const encryptor = new phoca.Encryptor(context, secretKey)
    const plaintext = encoder.encodeComplex([{ re: 1, im: -2 }, { re: 0.5, im: 0.25 }], 2 ** 30)
    near(encoder.decodeComplex(decryptor.decrypt(encryptor.encryptSymmetric(plaintext))), [1, -2, 0.5, 0.25, 0], 1e-3)
  })
})

for (const scheme of ['bfv', 'bgv']) {
  describe(scheme.toUpperCase(), () => {
    it('computes on integers exactly', () => {
      const { context, generator, publicKey, encoder, evaluator, decryptor } = exact(scheme)
      const encryptor = new phoca.Encryptor(context, publicKey)
      const x = encryptor.encrypt(encoder.encode([7, -3, 100n]))
      const y = evaluator.multiplyRelinearize(x, x, generator.relinKeys())
      assert.deepEqual([...encoder.decodeSigned(decryptor.decrypt(y)).subarray(0, 4)], [49n, 9n, 10000n, 0n])
      assert.ok(y.noiseBudget().likely <= decryptor.noiseBudget(y))
      const swapped = evaluator.rotateColumns(x, generator.galoisKeys({ steps: [0] }))
      assert.equal(encoder.decodeSigned(decryptor.decrypt(swapped))[context.degree / 2 + 1], -3n)
    })
  })
}

describe('errors', () => {
  it('have a class, a kind and fields', () => {
    assert.throws(() => new phoca.Context({ scheme: 'bfv', degree: 4096, coeffModulus: phoca.coeffModulus.create(4096, [60, 60]), plainModulus: 65537n }),
      (error) => error instanceof phoca.ParametersError && error.kind === 'InvalidParameters' && error.fields.cause === 'Insecure'
        && error.fields.bits === 120 && error.fields.maxBits === 109)
    const { context, encoder, publicKey, evaluator } = ckks()
    const x = new phoca.Encryptor(context, publicKey).encrypt(encoder.encode([1], 2 ** 30))
    const y = new phoca.Encryptor(context, publicKey).encrypt(encoder.encode([1], 2 ** 29))
    assert.throws(() => evaluator.add(x, y), (error) => error instanceof phoca.OperandError && error.kind === 'ScaleMismatch' && error.fields.left === 2 ** 30)
    x.delete()
    assert.throws(() => evaluator.negate(x), phoca.DeletedError)
  })
})

describe('memory', () => {
  it('moves objects out and in without changing them', () => {
    const { context, encoder, secretKey, evaluator, decryptor } = ckks()
    const encryptor = new phoca.Encryptor(context, secretKey)
    const { budget } = phoca.memoryUsage()
    phoca.setMemoryBudget(1 << 20)
    const all = Array.from({ length: 40 }, (_, index) => encryptor.encryptSymmetric(encoder.encode([index], 2 ** 30)))
    assert.ok(phoca.memoryUsage().resident <= 1 << 20)
    const noise = all[0].errorBound()
    const sum = evaluator.addMany(all)
    near(encoder.decode(decryptor.decrypt(sum)), [780], 1e-2)
    assert.ok(all.every((ciphertext) => ciphertext.isSeeded))
    assert.ok(Math.abs(all[0].errorBound().worst / noise.worst - 1) < 1e-9)
    phoca.setMemoryBudget(budget)
  })

  it('stays within the budget where objects are only read', () => {
    const { context, encoder, secretKey } = ckks()
    const encryptor = new phoca.Encryptor(context, secretKey)
    const { budget } = phoca.memoryUsage()
    phoca.setMemoryBudget(1 << 20)
    const all = Array.from({ length: 40 }, (_, index) => encryptor.encryptSymmetric(encoder.encode([index], 2 ** 30)))
    for (const ciphertext of all) assert.equal(ciphertext.size, 2)
    assert.ok(phoca.memoryUsage().resident <= 1 << 20)
    // Both operands of a call stay, even where there is room for neither.
    phoca.setMemoryBudget(0)
    assert.ok(!all[0].equals(all[1]) && all[0].equals(all[0]))
    phoca.setMemoryBudget(budget)
  })

  it('keeps plaintexts that files cannot have', () => {
    const { context, generator, encoder, secretKey, evaluator, decryptor } = ckks()
    const { budget } = phoca.memoryUsage()
    phoca.setMemoryBudget(0)
    const diagonals = [2, 3].map((factor, step) => [step, encoder.encode(Array(2048).fill(factor), 2 ** 20, context.keyLevel)])
    const x = new phoca.Encryptor(context, secretKey).encryptSymmetric(encoder.encode([1, 10], 2 ** 30))
    const product = evaluator.multiplyDiagonals(x, diagonals, generator.galoisKeys({ steps: [1] }))
    near(encoder.decode(decryptor.decrypt(product)), [32, 20], 1e-2)
    phoca.setMemoryBudget(budget)
  })
})

describe('a deleted object', () => {
  it('is called by the name of its class', () => {
    const { context, encoder } = ckks()
    const plaintext = encoder.encode([1], 2 ** 30)
    plaintext.delete()
    assert.throws(() => plaintext.scale, { name: 'DeletedError', message: /^this Plaintext was deleted/, fields: { object: 'Plaintext' } })
    context.delete()
    assert.throws(() => new phoca.KeyGenerator(context), /^DeletedError: this Context was deleted/)
  })
})

describe('arguments', () => {
  it('do not become others modulo 2^32, nor lose fractions', () => {
    const { context, generator, encoder, secretKey, evaluator } = ckks()
    const keys = generator.galoisKeys({ steps: [1] })
    const x = new phoca.Encryptor(context, secretKey).encryptSymmetric(encoder.encode([1], 2 ** 30))
    const refused = [
      () => generator.galoisKeys({ steps: [1.5] }), () => generator.galoisKeys({ steps: [NaN] }), () => generator.galoisKeys({ elements: [2 ** 32 + 3] }),
      () => generator.relinKeys(2 ** 32 + 2), () => phoca.GaloisKeys.load(context, keys.toBytes(), [2 ** 32 + 3]),
      () => phoca.galoisElement(4096, 0.5), () => phoca.galoisElement(4096, 2 ** 32 + 1), () => phoca.galoisElement(2 ** 32 + 4096, 1),
      () => evaluator.applyGalois(x, 2 ** 32 + 3, keys), () => phoca.coeffModulus.create(4096, [36.5]), () => phoca.plainModulus.batching(4096, 2 ** 32 + 20),
      () => phoca.coeffModulus.create(4096, [36], 2n ** 64n + 3n), () => phoca.suggest('bfv', { plainModulus: 2n ** 64n + 65537n }),
    ]
    for (const call of refused) assert.throws(call, { kind: 'Argument' }, String(call))
    assert.ok(keys.hasKey(3) && !keys.hasKey(2 ** 32 + 3) && !keys.hasKey(3.5))
    assert.ok(!generator.relinKeys().hasKey(2 ** 32 + 2))
  })
})

describe('files', () => {
  it('come back, in each compression and as streams', async () => {
    const { context, generator, encoder, secretKey } = ckks()
    const ciphertext = new phoca.Encryptor(context, secretKey).encryptSymmetric(encoder.encode([1, 2], 2 ** 30))
    for (const compression of ['none', 'zlib', 'zstd']) {
      const bytes = ciphertext.toBytes({ compression })
      assert.ok(phoca.Ciphertext.load(context, bytes).equals(ciphertext), compression)
    }
    const keys = generator.galoisKeys({ steps: [1, 3] })
    const chunks = []
    for await (const chunk of keys.save()) chunks.push(chunk)
    assert.deepEqual(Buffer.concat(chunks), Buffer.from(keys.toBytes()))
    assert.deepEqual(phoca.GaloisKeys.load(context, keys.toBytes()).elements, keys.elements)
    assert.throws(() => phoca.Ciphertext.load(context, keys.toBytes()), phoca.FileError)
  })

  it('of Galois keys load from streams cut anywhere, or say that they are cut off', async () => {
    const { context, generator } = ckks()
    const keys = generator.galoisKeys({ steps: [1, 3, -2] })
    const bytes = keys.toBytes()
    async function* cut(end, size) {
      for (let start = 0; start < end; start += size) yield bytes.subarray(start, Math.min(end, start + size))
    }
    for (const size of [7001, 65536, bytes.length]) {
      const loaded = await phoca.GaloisKeys.loadStream(context, cut(bytes.length, size))
      assert.deepEqual(loaded.toBytes(), bytes)
    }
    assert.deepEqual((await phoca.GaloisKeys.loadStream(context, keys.save({ compression: 'zstd' }))).toBytes(), bytes)
    for (const end of [0, 10, 16, 55, 56, 100, bytes.length - 1]) {
      await assert.rejects(phoca.GaloisKeys.loadStream(context, cut(end, 5)), phoca.FileError, `cut at ${end}`)
    }
    const longer = new Uint8Array(bytes.length + 1)
    longer.set(bytes)
    await assert.rejects(phoca.GaloisKeys.loadStream(context, longer), phoca.FileError)
    const damaged = bytes.slice()
    damaged[8] ^= 1
    assert.throws(() => phoca.GaloisKeys.load(context, damaged), phoca.FileError)
    await assert.rejects(phoca.GaloisKeys.loadStream(context, damaged), phoca.FileError)
  })
})

describe('a program that frees nothing', () => {
  it('runs in bounded memory within one task', () => {
    const { context, publicKey, encoder, evaluator, decryptor } = exact('bfv', 1024 * 4)
    const encryptor = new phoca.Encryptor(context, publicKey)
    let peak = 0
    for (let round = 0; round < 2000; round++) {
      const x = encryptor.encrypt(encoder.encode([round]))
      const [value] = encoder.decodeSigned(decryptor.decrypt(evaluator.add(x, x)))
      assert.equal(value, BigInt(2 * round))
      peak = Math.max(peak, process.memoryUsage.rss())
    }
    // 2000 rounds make 600 MB.
    assert.ok(peak < 350e6, `${peak} bytes were resident`)
    assert.ok(phoca.memoryUsage().wasm < 120e6)
  })
})
