// The same program with node-seal 6 and with this package.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ours, real, setup, skip } from './helpers.mjs'
import run from './program/run.cjs'

test('a program computes the same', { skip }, async () => {
  assert.deepEqual(run(await ours()()), run(await real()()))
})

test('the builds differ in transparent results alone', { skip }, async () => {
  for (const factory of [real, ours]) {
    const { evaluator, cipher, decryptor, encoder } = setup(await factory('allows_wasm_node_umd')(), 'bfv')
    assert.ok(evaluator.sub(cipher, cipher).isTransparent)
    assert.ok(encoder.decode(decryptor.decrypt(evaluator.sub(cipher, cipher))).every((value) => value === 0))
    const strict = setup(await factory()(), 'bfv')
    assert.throws(() => strict.evaluator.sub(strict.cipher, strict.cipher), { message: 'result ciphertext is transparent' })
  }
})

test('a call that fails changes nothing', async () => {
  const { evaluator, cipher, plain, encoder, decryptor, seal, context } = setup(await ours()(), 'bfv')
  const destination = cipher.clone()
  const before = destination.save()
  assert.throws(() => evaluator.sub(cipher, cipher, destination))
  assert.throws(() => evaluator.add(cipher, seal.CipherText(), destination))
  assert.throws(() => evaluator.dotProduct(cipher, cipher, seal.RelinKeys(), seal.GaloisKeys(), seal.SchemeType.bfv, destination))
  assert.throws(() => destination.load(context, 'XqEQ'))
  assert.throws(() => destination.copy(plain))
  assert.throws(() => destination.resize(1))
  assert.equal(destination.save(), before)
  const target = plain.clone()
  assert.throws(() => encoder.encode(new Int32Array(5000), target))
  assert.throws(() => decryptor.decrypt(seal.CipherText(), target))
  assert.equal(target.toPolynomial(), plain.toPolynomial())
  const key = seal.SecretKey()
  assert.throws(() => key.load(context, cipher.save()))
  assert.equal(key.save(), seal.SecretKey().save())
})

test('what is shared lives until the last lets go', async () => {
  const { cipher, decryptor, encoder, seal } = setup(await ours()(), 'bfv')
  const other = seal.CipherText()
  other.unsafeInject(cipher.instance)
  cipher.delete()
  assert.equal(cipher.instance, undefined)
  assert.deepEqual([...encoder.decode(decryptor.decrypt(other)).slice(0, 3)], [1, 2, 3])
  other.delete()
  assert.throws(() => other.size, TypeError)
})

test('objects outlive what they were made of', { skip }, async () => {
  for (const factory of [real, ours]) {
    const { context, parameters, generator, secretKey, publicKey, encoder, encryptor, decryptor, evaluator, plain, cipher, relinKeys, seal } =
      setup(await factory()(), 'bfv')
    const { firstContextData } = context
    for (const object of [parameters, generator, secretKey, publicKey, context]) object.delete()
    const fresh = encryptor.encrypt(plain)
    const product = evaluator.relinearize(evaluator.multiply(fresh, cipher), relinKeys)
    assert.deepEqual([...encoder.decode(decryptor.decrypt(product)).slice(0, 3)], [1, 4, 9])
    assert.equal(evaluator.cipherModSwitchTo(fresh, firstContextData.nextContextData.parmsId).coeffModulusSize, 1)
    assert.throws(() => context.toHuman(), TypeError)
    assert.throws(() => seal.Evaluator(context), TypeError)
  }
})
