// Every name of node-seal 6: of the library, and of each kind of object.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ours, real, setup, skip } from './helpers.mjs'

/** The names of an object, in order, and what they are. */
function describe(object) {
  const names = Object.entries(Object.getOwnPropertyDescriptors(object)).filter(([, descriptor]) => descriptor.enumerable)
  return names.map(([name, { get, configurable, writable }]) => `${name}${get ? ' is a getter' : ''} ${configurable} ${writable}`)
}

function objects(seal) {
  const { context, encryptor, plain, cipher, generator, ...rest } = setup(seal, 'bfv')
  delete rest.seal
  return {
    context, encryptor, plain, cipher, generator, ...rest,
    contextData: context.firstContextData,
    qualifiers: context.firstContextData.qualifiers,
    parmsId: context.firstParmsId,
    modulus: seal.Modulus(5n),
    emptyVector: seal.Vector(),
    vector: seal.CoeffModulus.BFVDefault(4096),
    ckksEncoder: setup(seal, 'ckks').encoder,
    serializableCipher: encryptor.encryptSymmetricSerializable(plain),
    serializablePublicKey: generator.createPublicKeySerializable(),
    serializableRelinKeys: generator.createRelinKeysSerializable(),
    serializableGaloisKeys: generator.createGaloisKeysSerializable(Int32Array.of(1)),
    emptySerializable: seal.Serializable(),
    emptyContextData: seal.ContextData(),
    emptyQualifiers: seal.EncryptionParameterQualifiers(),
    emptyParmsId: seal.ParmsIdType(),
    emptyKeys: seal.GaloisKeys(),
  }
}

test('the library has the same names', { skip }, async () => {
  const [expected, library] = [await real()(), await ours()()]
  assert.deepEqual(Object.keys(library), Object.keys(expected))
  for (const name of Object.keys(expected)) assert.equal(typeof library[name], typeof expected[name], name)
  for (const name of ['CoeffModulus', 'PlainModulus', 'Exception', 'MemoryPoolHandle', 'SchemeType', 'SecurityLevel', 'ComprModeType']) {
    assert.deepEqual(describe(library[name]), describe(expected[name]), name)
  }
  assert.equal(library.Version, expected.Version)
  for (const [type, names] of [['SchemeType', 'none bfv ckks bgv'], ['SecurityLevel', 'none tc128 tc192 tc256'], ['ComprModeType', 'none zlib zstd']]) {
    for (const name of names.split(' ')) {
      assert.equal(library[type][name].value, expected[type][name].value)
      assert.equal(library[type][name].constructor.name, expected[type][name].constructor.name)
      assert.equal(library[type][name], library[type][name])
    }
  }
  assert.equal(library.MemoryPoolHandle.global.constructor.name, expected.MemoryPoolHandle.global.constructor.name)
})

test('each kind of object has the same names, and the same class within', { skip }, async () => {
  const [expected, all] = [objects(await real()()), objects(await ours()())]
  for (const [kind, object] of Object.entries(expected)) {
    if (kind === 'scheme') continue
    assert.deepEqual(describe(all[kind]), describe(object), kind)
    assert.equal(all[kind].constructor, Object, kind)
    assert.equal(all[kind].instance?.constructor.name, object.instance?.constructor.name, kind)
  }
})

test('vectors have the same classes within', { skip }, async () => {
  for (const seal of [await real()(), await ours()()]) {
    const classes = [Uint8Array, Int32Array, Uint32Array, Float64Array, BigInt64Array, BigUint64Array].map((Type) => {
      const vector = seal.Vector()
      vector.from(new Type(2))
      return vector.instance.constructor.name
    })
    assert.deepEqual(classes, ['VectorU8', 'VectorI32', 'VectorU32', 'VectorF64', 'VectorI64', 'VectorU64'])
    assert.equal(seal.PlainModulus.BatchingVector(4096, Int32Array.of(20, 20)).constructor.name, 'VectorModulus')
  }
})
