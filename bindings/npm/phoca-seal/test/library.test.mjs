// What can be said without node-seal: loading, lifetimes, memory.

import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { before, describe, it } from 'node:test'
import { runInNewContext } from 'node:vm'
import { memoryUsage } from 'phoca'
import initialize, { initialize as named } from 'phoca-seal'
import allows from 'phoca-seal/allows'
import throws from 'phoca-seal/throws'
import { decrypt, encode, encrypt, makeScheme } from './fixtures.mjs'

let seal
before(async () => { seal = await initialize() })

describe('loading', () => {
  it('has one function under two names', () => {
    assert.equal(initialize, named)
    assert.equal(initialize, throws)
    assert.notEqual(initialize, allows)
  })

  it('takes what node-seal takes', async () => {
    const wasmBinary = await readFile(new URL('../../phoca/dist/wasm/simd.wasm', import.meta.url))
    const options = [undefined, {}, { locateFile: (path) => path }, { wasmBinary }, { instantiateWasm: () => ({}) }]
    for (const option of options) assert.equal(new (await initialize(option)).Modulus(17n).value(), 17n)
  })

  it('gives classes of its own to each library object', async () => {
    const other = await initialize()
    const context = makeScheme(seal, 'bfv').context
    assert.throws(() => new other.Evaluator(context), { name: 'BindingError', message: 'Expected null or instance of SEALContext, got an instance of SEALContext' })
  })
})

describe('errors of the library', () => {
  it('have the type in C++ and the text, and are no errors', () => {
    const { evaluator, cipher } = makeScheme(seal, 'bfv')
    let thrown
    try { evaluator.subInplace(cipher, cipher) } catch (error) { thrown = error }
    assert.deepEqual(thrown.message, ['std::logic_error', 'result ciphertext is transparent'])
    assert.equal(thrown.constructor.name, 'Exception')
    assert.equal(thrown instanceof Error, false)
    assert.deepEqual(seal.getExceptionMessage(thrown), thrown.message)
  })
})

describe('lifetimes', () => {
  it('keep an object while one of its handles is left', () => {
    const own = makeScheme(seal, 'bfv')
    const clones = Array.from({ length: 3 }, () => own.cipher.clone())
    own.cipher.delete()
    clones[0].delete()
    assert.deepEqual(decrypt(own, clones[1]), [1, 2, -3, 0])
    clones[1].delete()
    assert.deepEqual(decrypt(own, clones[2]), [1, 2, -3, 0])
    clones[2].delete()
    assert.throws(() => clones[2].size(), { name: 'BindingError' })
  })

  it('keep what a copy holds when the original is deleted or changed', () => {
    const own = makeScheme(seal, 'bfv')
    const [deleted, changed, assigned] = [own.cipher.copy(), own.cipher.copy(), new seal.Ciphertext()]
    assigned.assign(deleted)
    const copies = [deleted.copy(), changed.copy(), assigned]
    deleted.delete()
    own.evaluator.negateInplace(changed)
    for (const copy of copies) assert.deepEqual(decrypt(own, copy), [1, 2, -3, 0])
    assert.deepEqual(decrypt(own, changed), [-1, -2, 3, 0])
  })

  it('keep working with keys and contexts that are deleted after they were given', () => {
    const own = makeScheme(seal, 'bfv')
    for (const name of ['context', 'publicKey', 'secretKey', 'keys']) own[name].delete()
    own.evaluator.squareInplace(own.cipher)
    own.evaluator.relinearizeInplace(own.cipher, own.relinKeys)
    assert.deepEqual(decrypt(own, own.cipher), [1, 4, 9, 0])
    assert.deepEqual(decrypt(own, encrypt(own, encode(own, [5]))), [5, 0, 0, 0])
  })

  it('free what is replaced: a loop without delete stays within bounds', () => {
    const own = makeScheme(seal, 'bfv')
    const out = new seal.Ciphertext()
    const [before, grown] = [memoryUsage(), () => memoryUsage().wasm - before.wasm]
    for (let round = 0; round < 400; round++) own.evaluator.add(own.cipher, own.cipher, out)
    assert.ok(memoryUsage().resident - before.resident <= 4 << 20, 'results that were replaced are held')
    assert.ok(grown() <= 32 << 20, `the memory grew by ${grown()} bytes`)
  })
})

describe('arrays of another realm', () => {
  const foreign = (code) => runInNewContext(code)

  it('are taken as those of this one', () => {
    const own = makeScheme(seal, 'bfv')
    own.encoder.encode(foreign('BigInt64Array.of(5n, 6n)'), own.plain)
    assert.deepEqual(decrypt(own, encrypt(own, own.plain)), [5, 6, 0, 0])
    assert.equal(seal.CoeffModulus.Create(4096, foreign('Int32Array.of(36, 36)')).size(), 2)
    const bytes = new (foreign('Uint8Array'))(own.plain.saveToArray(seal.ComprModeType.none))
    own.plain.loadFromArray(own.context, bytes)
    assert.equal(own.plain.coeffCount(), 4096)
  })

  it('have to be arrays', () => {
    for (const value of [{ constructor: { name: 'Int32Array' } }, { constructor: Int32Array, length: 1 }]) {
      assert.throws(() => seal.CoeffModulus.Create(4096, value), (error) => error.message[1] === 'expected Int32Array')
    }
  })
})

describe('contexts of the same parameters', () => {
  for (const scheme of ['bfv', 'bgv', 'ckks']) {
    it(`take each other's objects: ${scheme}`, () => {
      const [one, two] = [1, 2].map(() => makeScheme(seal, scheme, scheme === 'ckks' ? { sizes: [36, 36, 37] } : {}))
      const { evaluator } = two
      const out = new seal.Ciphertext()
      const encryptor = new seal.Encryptor(two.context, one.publicKey, one.secretKey)
      encryptor.encrypt(one.plain, out)
      evaluator.addInplace(out, one.cipher)
      assert.deepEqual(decrypt(one, out), [2, 4, -6, 0])
      evaluator.multiply(one.cipher, one.cipher, out)
      evaluator.relinearizeInplace(out, one.relinKeys)
      assert.deepEqual(decrypt(one, out), [1, 4, 9, 0])
      evaluator.cipherModSwitchTo(one.cipher, two.context.firstParmsId(), out)
      evaluator.cipherModSwitchToNextInplace(out)
      evaluator.addPlain(one.cipher, two.plain, out)
      assert.deepEqual(decrypt(one, out), [2, 4, -6, 0])
      evaluator[scheme === 'ckks' ? 'rotateVector' : 'rotateRows'](one.cipher, 1, one.galoisKeys, out)
      assert.deepEqual(decrypt(one, out).slice(0, 2), [2, -3])
    })
  }
})

describe('an operation that throws', () => {
  it('changes neither its operands nor its destination', () => {
    const own = makeScheme(seal, 'bfv')
    const [destination, empty] = [own.cipher.copy(), new seal.Ciphertext()]
    for (const name of ['negate', 'square', 'cipherModSwitchToNext', 'rescaleToNext']) {
      assert.throws(() => own.evaluator[name](empty, destination), Boolean)
      assert.deepEqual(decrypt(own, destination), [1, 2, -3, 0])
    }
    assert.throws(() => own.evaluator.rescaleToNextInplace(destination), Boolean)
    assert.deepEqual(decrypt(own, destination), [1, 2, -3, 0])
    assert.equal(empty.size(), 0)
  })
})

describe('allows', () => {
  it('lets zeros pass that decrypt without a key', async () => {
    const own = makeScheme(await allows(), 'bfv')
    own.evaluator.subInplace(own.cipher, own.cipher)
    assert.equal(own.cipher.isTransparent(), true)
    assert.deepEqual(decrypt(own, own.cipher), [0, 0, 0, 0])
  })
})
