// What this package does otherwise than node-seal 7 on purpose.

import { decrypt } from '../fixtures.mjs'

/** @yields {[string, () => unknown]} what is tried, and the call */
export function* policyCases(seal, { bfv, bgv, ckks }) {
  const { none } = seal.ComprModeType
  const out = () => new seal.Plaintext()
  yield ['a value above the plain modulus', () => { bfv.encoder.encode(BigUint64Array.of(1n << 40n), out()) }]
  yield ['a value below half of the plain modulus', () => { bfv.encoder.encode(BigInt64Array.of(-1032193n), out()) }]
  yield ['a number that is none', () => { ckks.encoder.encode(Float64Array.of(NaN), 2 ** 30, out()) }]
  yield ['an infinite number', () => { ckks.encoder.encode(Float64Array.of(Infinity), 2 ** 30, out()) }]
  yield ['a scale that is no number', () => { ckks.encoder.encode(Float64Array.of(1), NaN, out()) }]
  yield ['encoding over a plaintext in NTT form', () => {
    const plain = bfv.plain.copy()
    bfv.evaluator.plainTransformToNttInplace(plain, bfv.context.firstParmsId())
    bfv.encoder.encode(BigInt64Array.of(7n), plain)
    return bfv.encoder.decodeBigInt64(plain)[0]
  }]
  for (const minor of [0, 3, 4]) {
    yield [`a file of SEAL 4.${minor}`, () => {
      const bytes = bfv.cipher.saveToArray(none)
      bytes[4] = minor
      const loaded = new seal.Ciphertext()
      loaded.loadFromArray(bfv.context, bytes)
      return loaded.size()
    }]
  }
  yield ['a file in a Buffer', () => {
    const loaded = new seal.Ciphertext()
    loaded.loadFromArray(bfv.context, Buffer.from(bfv.cipher.saveToArray(none)))
    return loaded.size()
  }]
  yield ['base64 with line breaks', () => {
    const loaded = new seal.Plaintext()
    loaded.loadFromBase64(bfv.context, bfv.plain.saveToBase64(none).replace(/(.{76})/g, '$1\n'))
    return loaded.coeffCount()
  }]
  yield ['a file with a scale that is no number', () => {
    const cipher = ckks.cipher.copy()
    cipher.setScale(NaN)
    new seal.Ciphertext().loadFromArray(ckks.context, cipher.saveToArray(none))
  }]
  yield ["relinearization keys of another context's", () => {
    new seal.RelinKeys().loadFromArray(ckks.context, bfv.relinKeys.saveToArray(none))
  }]
  yield ['a pool that was not initialized', () => {
    bfv.evaluator.multiplyWithPool(bfv.cipher, bfv.cipher, new seal.Ciphertext(), new seal.MemoryPoolHandle())
  }]
  yield ['modReduceToNext of BFV', () => {
    const cipher = new seal.Ciphertext()
    bfv.evaluator.modReduceToNext(bfv.cipher, cipher)
    return cipher.isNttForm()
  }]
  yield ['the correction factor of BGV', () => {
    const cipher = new seal.Ciphertext()
    bgv.evaluator.cipherModSwitchToNext(bgv.cipher, cipher)
    return cipher.correctionFactor() > 1
  }]
  yield ['a destination of an operation that fails', () => {
    const cipher = bfv.cipher.copy()
    try { bfv.evaluator.negate(new seal.Ciphertext(), cipher) } catch { return decrypt(bfv, cipher) }
  }]
  yield ['another level in reserve', () => {
    const cipher = bgv.cipher.copy()
    cipher.reserve(bfv.context, 4)
    return cipher.isTransparent()
  }]
}
