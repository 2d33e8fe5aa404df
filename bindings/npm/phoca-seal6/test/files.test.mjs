// Files: each library reads what the other wrote, and their sizes are the same.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ours, real, setup, skip } from './helpers.mjs'

const MODES = ['none', 'zlib', 'zstd']
/** The factories of what has files, and the objects of them. */
const KINDS = {
  SecretKey: 'secretKey', PublicKey: 'publicKey', RelinKeys: 'relinKeys', GaloisKeys: 'galoisKeys', PlainText: 'plain', CipherText: 'cipher',
}

let pairs
const both = async () => pairs ??= [await real()(), await ours()()]

/** A copy of an object in another library, by way of base64 or of bytes. */
function carried(seal, kind, context, object, mode, asText) {
  const copy = seal[kind]()
  const compression = object.modes[mode]
  const file = asText ? object.value.save(compression) : object.value.saveArray(compression)
  if (asText) assert.match(file, /^XqEQBAE/)
  copy[asText ? 'load' : 'loadArray'](...context ? [context, file] : [file])
  return copy
}

for (const scheme of ['bfv', 'bgv', 'ckks']) {
  test(`${scheme}: keys, plaintexts and ciphertexts are read by the other library`, { skip }, async () => {
    const libraries = await both()
    for (const [from, to] of [[0, 1], [1, 0]]) {
      const source = setup(libraries[from], scheme)
      const seal = libraries[to]
      const modes = libraries[from].ComprModeType
      const parameters = carried(seal, 'EncryptionParameters', undefined, { value: source.parameters, modes }, 'zstd', true)
      const context = seal.Context(parameters)
      assert.deepEqual(context.firstParmsId.values, source.context.firstParmsId.values)
      for (const mode of MODES) {
        const objects = Object.fromEntries(Object.entries(KINDS).map(([kind, name]) =>
          [kind, carried(seal, kind, context, { value: source[name], modes }, mode, mode !== 'zlib')]))
        checkKeys(seal, scheme, context, objects)
        for (const [kind, name] of Object.entries(KINDS)) {
          const none = objects[kind].saveArray(seal.ComprModeType.none)
          assert.ok(Buffer.from(source[name].saveArray(modes.none)).equals(Buffer.from(none)), `${kind} changed on its way`)
        }
      }
    }
  })
}

/** Uses what was loaded: computes and decrypts. */
function checkKeys(seal, scheme, context, { SecretKey, PublicKey, RelinKeys, GaloisKeys, PlainText, CipherText }) {
  const encoder = scheme === 'ckks' ? seal.CKKSEncoder(context) : seal.BatchEncoder(context)
  const evaluator = seal.Evaluator(context)
  const decryptor = seal.Decryptor(context, SecretKey)
  const fresh = seal.Encryptor(context, PublicKey).encrypt(PlainText)
  const values = (cipher) => [...encoder.decode(decryptor.decrypt(cipher)).slice(0, 3)].map((value) => Math.round(value) + 0)
  assert.deepEqual(values(CipherText), [1, 2, 3])
  assert.deepEqual(values(evaluator.add(fresh, CipherText)), [2, 4, 6])
  assert.deepEqual(values(evaluator.relinearize(evaluator.multiply(fresh, CipherText), RelinKeys)), [1, 4, 9])
  const rotated = scheme === 'ckks' ? evaluator.rotateVector(fresh, 1, GaloisKeys) : evaluator.rotateRows(fresh, 1, GaloisKeys)
  assert.deepEqual(values(rotated).slice(0, 2), [2, 3])
}

test('files with seeds are read by the other library, and are as long', { skip }, async () => {
  const libraries = await both()
  const all = libraries.map((seal) => setup(seal, 'bfv'))
  const seeded = ({ encryptor, generator, plain }) => ({
    CipherText: encryptor.encryptSymmetricSerializable(plain),
    PublicKey: generator.createPublicKeySerializable(),
    RelinKeys: generator.createRelinKeysSerializable(),
    GaloisKeys: generator.createGaloisKeysSerializable(),
  })
  const written = all.map(seeded)
  for (const kind of Object.keys(written[0])) {
    const [theirs, mine] = written.map((objects, index) => objects[kind].saveArray(libraries[index].ComprModeType.none))
    assert.equal(mine.length, theirs.length, kind)
    for (const [from, to] of [[0, 1], [1, 0]]) {
      const loaded = libraries[to][kind]()
      loaded.load(all[to].context, written[from][kind].save())
      const again = libraries[from][kind]()
      again.loadArray(all[from].context, loaded.saveArray())
      const original = libraries[from][kind]()
      original.loadArray(all[from].context, from === 0 ? theirs : mine)
      assert.equal(again.save(), original.save(), kind)
    }
  }
  // Without a seed: what a public key encrypts, and what is not `Serializable`.
  const sizes = all.map(({ encryptor, plain, seal: { ComprModeType: { none } } }) => [
    encryptor.encryptSerializable(plain).saveArray(none).length,
    encryptor.encryptZeroSerializable().saveArray(none).length,
    encryptor.encryptSymmetric(plain).saveArray(none).length,
  ])
  assert.deepEqual(sizes[1], sizes[0])
  assert.deepEqual(sizes[1], [131185, 131185, 131185])
})

test('uncompressed files of moduli, parameters and empty objects are the same', { skip }, async () => {
  const [theirs, mine] = await both()
  const files = (seal) => {
    const { none } = seal.ComprModeType
    const { parameters } = setup(seal, 'bfv')
    const empty = ['EncryptionParameters', 'SecretKey', 'PublicKey', 'RelinKeys', 'GaloisKeys', 'PlainText', 'CipherText'].map((kind) => seal[kind]())
    const zeros = seal.PlainText({ coeffCount: 5 })
    return [seal.Modulus(65537n), seal.Modulus(0n), parameters, zeros, ...empty].map((object) => object.save(none))
  }
  assert.deepEqual(files(mine), files(theirs))
  assert.equal(mine.Modulus(65537n).save(mine.ComprModeType.zlib), 'XqEQBAEBAAAdAAAAAAAAAHicY2RgZAABAAAWAAM=')
})

test('compressed files of empty objects are read by the other library', { skip }, async () => {
  const libraries = await both()
  for (const [from, to] of [[0, 1], [1, 0]]) {
    const { context } = setup(libraries[to], 'bfv')
    for (const mode of MODES) {
      const plain = libraries[to].PlainText({ coeffCount: 5 })
      plain.load(context, libraries[from].PlainText().save(libraries[from].ComprModeType[mode]))
      assert.equal(plain.coeffCount, 0)
      const parameters = libraries[to].EncryptionParameters(libraries[to].SchemeType.bfv)
      parameters.load(libraries[from].EncryptionParameters().save(libraries[from].ComprModeType[mode]))
      assert.equal(parameters.scheme.value, 0)
    }
  }
})

test('levels have the same names, qualifiers and texts', { skip }, async () => {
  const describe = (seal) => ['bfv', 'bgv', 'ckks'].flatMap((scheme) => {
    const { context } = setup(seal, scheme)
    const levels = [context.keyContextData, context.firstContextData, context.lastContextData, context.firstContextData.prevContextData,
      context.firstContextData.nextContextData, context.getContextData(context.lastParmsId)]
    const unexpanded = seal.Context(context.keyContextData.parms, false, seal.SecurityLevel.none)
    return [context.toHuman(), context.usingKeyswitching, context.keyParmsId.values, unexpanded.lastContextData.chainIndex,
      ...[...levels, unexpanded.keyContextData, unexpanded.firstContextData].map((level) => [
        level.parmsId.values, level.parms.parmsId.values, level.parms.coeffModulus, level.parms.plainModulus.value, level.chainIndex,
        level.totalCoeffModulusBitCount, level.qualifiers.parametersSet(), level.qualifiers.usingFFT, level.qualifiers.usingNTT,
        level.qualifiers.usingBatching, level.qualifiers.usingFastPlainLift, level.qualifiers.usingDescendingModulusChain,
        level.qualifiers.securityLevel.constructor.name,
      ])]
  })
  const [theirs, mine] = await both()
  assert.deepEqual(describe(mine), describe(theirs))
  assert.deepEqual(setup(mine, 'bfv').context.firstParmsId.values,
    BigUint64Array.of(1873000747715295028n, 11215186030905010692n, 3414445251667737935n, 182315704735341130n))
})

test('levels outside of the chain are empty', async () => {
  const { context, seal } = setup(await ours()(), 'bfv')
  const outside = [context.keyContextData.prevContextData, context.lastContextData.nextContextData,
    context.getContextData(setup(seal, 'ckks').context.firstParmsId)]
  for (const level of [...outside, outside[0].nextContextData]) {
    assert.equal(level.chainIndex, 0)
    assert.equal(level.totalCoeffModulusBitCount, 0)
    assert.equal(level.qualifiers.parametersSet(), false)
    assert.equal(level.parms.polyModulusDegree, 0)
  }
})
