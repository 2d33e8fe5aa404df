// What is in the module's memory, and what is not.

import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import * as phoca from 'phoca'

const degree = 1024
/** The memory of the module, as its instance exports it. */
let memory

before(async () => {
  const { Instance } = WebAssembly
  WebAssembly.Instance = class extends Instance {
    constructor(...args) {
      super(...args)
      memory = this.exports.memory
    }
  }
  await phoca.initialize({ build: 'simd' })
  WebAssembly.Instance = Instance
})

function contextOf(scheme) {
  const coeffModulus = phoca.coeffModulus.create(degree, [30, 30, 30])
  const plain = scheme === 'ckks' ? {} : { plainModulus: phoca.plainModulus.batching(degree, 14) }
  return new phoca.Context({ scheme, degree, coeffModulus, ...plain }, { security: 'none' })
}

describe('the file of a secret key', () => {
  const PIECE = 32
  let context, bytes

  /** How many pieces of the key's words are in the module's memory. */
  function found() {
    const all = Buffer.from(memory.buffer)
    let count = 0
    for (let start = 88; start + PIECE <= bytes.length; start += PIECE) count += Number(all.includes(bytes.subarray(start, start + PIECE)))
    return count
  }

  before(() => {
    context = contextOf('ckks')
    const generator = new phoca.KeyGenerator(context)
    const secretKey = generator.secretKey()
    bytes = secretKey.toBytes()
    assert.ok(found() > bytes.length / PIECE - 4, 'a key that is in use is found')
    secretKey.delete()
    generator.delete()
  })

  it('is wiped after saving', () => assert.equal(found(), 0))

  it('is wiped after saving as a stream', async () => {
    const secretKey = phoca.SecretKey.load(context, bytes)
    const saved = Buffer.from(await new Response(secretKey.save()).arrayBuffer())
    secretKey.delete()
    assert.equal(Buffer.compare(saved, bytes), 0)
    assert.equal(found(), 0)
  })

  it('is wiped after loading', async () => {
    phoca.SecretKey.load(context, bytes).delete()
    phoca.SecretKey.load(context, Buffer.from(bytes)).delete()
    const stream = await phoca.SecretKey.loadStream(context, new Response(bytes).body)
    stream.delete()
    assert.equal(found(), 0)
  })

  it('is wiped after a file that is cut off', () => {
    assert.throws(() => phoca.SecretKey.load(context, bytes.subarray(0, -8)), phoca.FileError)
    assert.equal(found(), 0)
  })
})

describe('objects that moved out of the memory', () => {
  before(() => phoca.setMemoryBudget(0))
  after(() => phoca.setMemoryBudget(32 << 20))

  /** A ciphertext and a plaintext that others pushed out. */
  function moved(scheme) {
    const context = contextOf(scheme)
    const generator = new phoca.KeyGenerator(context)
    const encoder = scheme === 'ckks' ? new phoca.CkksEncoder(context) : new phoca.BatchEncoder(context)
    const plaintext = encoder.encode([1, 2], 2 ** 20)
    const ciphertext = new phoca.Encryptor(context, generator.publicKey()).encrypt(plaintext)
    const evaluator = new phoca.Evaluator(context)
    return { context, encoder, plaintext, ciphertext, evaluator, decryptor: new phoca.Decryptor(context, generator.secretKey()) }
  }

  function values({ context, encoder, decryptor }, ciphertext) {
    const decoded = context.scheme === 'ckks' ? encoder.decode(decryptor.decrypt(ciphertext)) : encoder.decodeSigned(decryptor.decrypt(ciphertext))
    return Array.from(decoded.subarray(0, 3), (value) => Math.round(Number(value)) + 0)
  }

  for (const scheme of ['bfv', 'bgv', 'ckks']) {
    it(`come back after their ${scheme} context was deleted`, () => {
      const world = moved(scheme)
      const { context, plaintext, ciphertext, evaluator } = world
      const bytes = ciphertext.toBytes()
      const sum = evaluator.add(ciphertext, ciphertext)
      const other = evaluator.negate(ciphertext)
      context.delete()
      assert.deepEqual(ciphertext.toBytes(), bytes)
      assert.equal(plaintext.coeffCount, scheme === 'ckks' ? 2 * degree : degree)
      assert.deepEqual(values(world, sum), [2, 4, 0])
      assert.deepEqual(values(world, evaluator.add(sum, other)), [1, 2, 0])
      assert.deepEqual(values(world, other), [-1, -2, 0])
      // What asks the context itself says that it is not there.
      assert.throws(() => ciphertext.noiseBudget(), phoca.DeletedError)
      assert.throws(() => new phoca.Evaluator(context), phoca.DeletedError)
      assert.deepEqual(values(world, sum), [2, 4, 0])
    })
  }

  it('keep the form that their files lose', () => {
    const world = moved('bgv')
    const { ciphertext, evaluator } = world
    const coefficients = evaluator.fromNtt(ciphertext)
    for (let index = 0; index < 3; index++) evaluator.negate(ciphertext)
    assert.equal(coefficients.isNttForm, false)
    assert.deepEqual(values(world, evaluator.toNtt(coefficients)), [1, 2, 0])
  })
})

describe('the size of a ciphertext', () => {
  it('changes without its value', () => {
    for (const scheme of ['bfv', 'bgv', 'ckks']) {
      const context = contextOf(scheme)
      const zero = new phoca.Encryptor(context, new phoca.KeyGenerator(context).publicKey()).encryptZero()
      const longer = zero.resized(4)
      assert.equal(longer.size, 4)
      assert.ok(longer.polynomial(3).every((word) => word === 0n))
      assert.ok(longer.resized(2).equals(zero))
      assert.equal(longer.resized(0).size, 0)
      for (const size of [1, 17, -1, 1.5, 2 ** 32 + 2, '2', undefined]) assert.throws(() => zero.resized(size), phoca.PhocaError, String(size))
    }
  })
})

describe('arrays that the module cannot take', () => {
  class Long64 extends BigUint64Array { get length() { return 2 ** 30 } }
  class LongFloats extends Float64Array { get length() { return 2 ** 30 } }
  class Strange extends Uint8Array { subarray() { return new Uint8Array(3) } }
  const detached = (array) => {
    structuredClone(array.buffer, { transfer: [array.buffer] })
    return array
  }

  it('are errors, after which it goes on', () => {
    const context = contextOf('ckks')
    const batch = new phoca.BatchEncoder(contextOf('bfv'))
    const encoder = new phoca.CkksEncoder(context)
    const encryptor = new phoca.Encryptor(context, new phoca.KeyGenerator(context).publicKey())
    const zero = encryptor.encryptZero()
    // More than there can be beside what is there.
    const [words, floats] = [new BigUint64Array(2 ** 29), new Float64Array(2 ** 29)]
    const refused = {
      coefficients: () => phoca.Plaintext.fromCoefficients(context, words),
      hash: () => phoca.hashWords(words),
      primes: () => new phoca.Context({ scheme: 'ckks', degree, coeffModulus: words }),
      parameters: () => phoca.saveParameters({ scheme: 'ckks', degree, coeffModulus: words }),
      integers: () => batch.encode(words),
      numbers: () => encoder.encode(floats, 2 ** 20),
      parts: () => encoder.encodeComplex(floats, 2 ** 20),
      level: () => encryptor.encryptZero({ parmsId: words }),
      'no level': () => encryptor.encryptZero({}),
      'a length that is not its own': () => phoca.Plaintext.fromCoefficients(context, new Long64(4)),
      'numbers of such': () => encoder.encode(new LongFloats(4), 2 ** 20),
      detached: () => phoca.Plaintext.fromCoefficients(context, detached(new BigUint64Array(4))),
      'detached bytes': () => phoca.Ciphertext.load(context, detached(zero.toBytes())),
      'too many rotations': () => new phoca.Evaluator(context).rotateMany(zero, new Int32Array(2 ** 19), new phoca.KeyGenerator(context).galoisKeys({ steps: [1] })),
    }
    for (const [name, call] of Object.entries(refused)) assert.throws(call, phoca.PhocaError, name)
    assert.ok(phoca.Ciphertext.load(context, new Strange(zero.toBytes())).equals(zero))
  })
})
