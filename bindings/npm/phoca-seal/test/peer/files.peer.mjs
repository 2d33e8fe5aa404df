// Whatever one of node-seal 7 and this package saves, the other one loads and goes on with.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { decrypt, encode, encrypt, makeScheme } from '../fixtures.mjs'
import { loadBoth } from './both.mjs'

const libraries = await loadBoth()
const MODES = ['none', 'zlib', 'zstd']
const FORMS = {
  array: (object, mode) => (target, ...context) => target.loadFromArray(...context, object.saveToArray(mode)),
  base64: (object, mode) => (target, ...context) => target.loadFromBase64(...context, object.saveToBase64(mode)),
}

/** The same schemes in both, with the keys of the writer. */
function move(from, reader, scheme, transfer) {
  const parms = new reader.EncryptionParameters(reader.SchemeType.bfv)
  transfer(from.context.keyContextData().parms(), parms)
  const context = new reader.SEALContext(parms, true, reader.SecLevelType.tc128)
  const get = (object, name) => { const target = new reader[name](); transfer(object, target, context); return target }
  const secretKey = get(from.secretKey, 'SecretKey')
  const to = {
    seal: reader, scheme, context, secretKey,
    publicKey: get(from.publicKey, 'PublicKey'),
    relinKeys: get(from.relinKeys, 'RelinKeys'),
    galoisKeys: get(from.galoisKeys, 'GaloisKeys'),
    decryptor: new reader.Decryptor(context, secretKey),
    evaluator: new reader.Evaluator(context),
    encoder: scheme === 'ckks' ? new reader.CKKSEncoder(context) : new reader.BatchEncoder(context),
  }
  to.encryptor = new reader.Encryptor(context, to.publicKey, secretKey)
  return { to, get }
}

for (const [writerName, readerName] of [['theirs', 'ours'], ['ours', 'theirs']]) {
  const [writer, reader] = [libraries[writerName], libraries[readerName]]
  for (const scheme of ['bfv', 'bgv', 'ckks']) {
    const from = makeScheme(writer, scheme, scheme === 'ckks' ? { sizes: [36, 36, 37] } : {})
    for (const mode of MODES) {
      for (const form of Object.keys(FORMS)) {
        it(`${scheme} written by ${writerName}, ${mode}, ${form}`, () => {
          const transfer = (object, target, ...context) => FORMS[form](object, writer.ComprModeType[mode])(target, ...context)
          const { to, get } = move(from, reader, scheme, transfer)
          assert.deepEqual(Array.from(to.context.keyParmsId().values()), Array.from(from.context.keyParmsId().values()))
          assert.deepEqual(decrypt(to, get(from.cipher, 'Ciphertext')), [1, 2, -3, 0])
          assert.deepEqual(decrypt(to, encrypt(to, get(from.plain, 'Plaintext'))), [1, 2, -3, 0])
          assert.deepEqual(decrypt(to, encrypt(to, encode(to, [4]))), [4, 0, 0, 0])
          const symmetric = get(from.encryptor.encryptSymmetricSerializable(from.plain), 'Ciphertext')
          assert.deepEqual(decrypt(to, symmetric), [1, 2, -3, 0])
          to.evaluator.squareInplace(symmetric)
          to.evaluator.relinearizeInplace(symmetric, get(from.keys.createRelinKeysSerializable(), 'RelinKeys'))
          assert.deepEqual(decrypt(to, symmetric), [1, 4, 9, 0])
          to.evaluator[scheme === 'ckks' ? 'rotateVectorInplace' : 'rotateRowsInplace'](symmetric, 1, to.galoisKeys)
          assert.deepEqual(decrypt(to, symmetric).slice(0, 3), [4, 9, 0])
          const seeded = get(from.keys.createPublicKeySerializable(), 'PublicKey')
          to.encryptor.setPublicKey(seeded)
          assert.deepEqual(decrypt(to, encrypt(to, encode(to, [5]))), [5, 0, 0, 0])
        })
      }
    }
  }
}

describe('objects without a context', () => {
  for (const mode of MODES) {
    it(`are read by node-seal: ${mode}`, () => {
      const { theirs, ours } = libraries
      const modulus = new theirs.Modulus(0n)
      modulus.loadFromArray(new ours.Modulus(65537n).saveToArray(ours.ComprModeType[mode]))
      assert.equal(modulus.value(), 65537n)
      const { context } = makeScheme(theirs, 'bfv')
      const plain = new theirs.Plaintext()
      // More than one block of each framing.
      plain.loadFromArray(context, new ours.Plaintext(4096).saveToArray(ours.ComprModeType[mode]))
      assert.equal(plain.coeffCount(), 4096)
    })
  }
})

it('writes the bytes of node-seal for what holds nothing random', () => {
  const { theirs, ours } = libraries
  const bytes = (seal, mode) => {
    const { context, plain } = makeScheme(seal, 'bfv')
    return [new seal.Modulus(65537n), context.keyContextData().parms(), plain, new seal.Ciphertext(), new seal.RelinKeys()]
      .map((object) => Buffer.from(object.saveToArray(seal.ComprModeType[mode])).toString('hex'))
  }
  assert.deepEqual(bytes(ours, 'none'), bytes(theirs, 'none'))
})
