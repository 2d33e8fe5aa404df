// Files that are whole, cut, damaged, or of something else.

/** @yields {[string, () => unknown]} what is tried, and the call */
export function* fileCases(seal, { bfv, ckks }) {
  const { context } = bfv
  const objects = {
    Modulus: new seal.Modulus(17n), EncryptionParameters: context.keyContextData().parms(), Plaintext: bfv.plain, Ciphertext: bfv.cipher,
    SecretKey: bfv.secretKey, PublicKey: bfv.publicKey, RelinKeys: bfv.relinKeys, GaloisKeys: bfv.galoisKeys,
  }
  const { none, zlib, zstd } = seal.ComprModeType
  for (const [name, object] of Object.entries(objects)) {
    const hasContext = name !== 'Modulus' && name !== 'EncryptionParameters'
    const make = () => name === 'Modulus' ? new seal.Modulus(0n) : name === 'EncryptionParameters' ? new seal.EncryptionParameters(seal.SchemeType.bfv) : new seal[name]()
    const load = (bytes, own = context) => {
      const made = make()
      made.loadFromArray(...hasContext ? [own, bytes] : [bytes])
      return made.saveToArray(none).length
    }
    const load64 = (text) => {
      const made = make()
      made.loadFromBase64(...hasContext ? [context, text] : [text])
      return made.saveToArray(none).length
    }
    const bytes = object.saveToArray(none)
    const edited = (edit) => { const copy = bytes.slice(); edit(copy, new DataView(copy.buffer)); return copy }

    yield [`${name}: size`, () => bytes.length]
    yield [`${name}: head`, () => bytes.subarray(0, 16)]
    if (name === 'EncryptionParameters' || name === 'Modulus') yield [`${name}: bytes`, () => bytes]
    yield [`${name}: whole`, () => load(bytes)]
    for (const length of [0, 8, 15, 16, 20, bytes.length - 1]) yield [`${name}: cut to ${length}`, () => load(bytes.slice(0, length))]
    yield [`${name}: longer`, () => { const longer = new Uint8Array(bytes.length + 5).fill(7); longer.set(bytes); return load(longer) }]
    yield [`${name}: magic`, () => load(edited((copy) => { copy[0] = 0 }))]
    yield [`${name}: size of the header`, () => load(edited((copy) => { copy[2] = 17 }))]
    yield [`${name}: version 5`, () => load(edited((copy) => { copy[3] = 5 }))]
    yield [`${name}: compression 9`, () => load(edited((copy) => { copy[5] = 9 }))]
    yield [`${name}: compression that it has not`, () => load(edited((copy) => { copy[5] = 1 }))]
    for (const size of [0, 17, bytes.length - 1, bytes.length + 1]) {
      yield [`${name}: declared ${size - bytes.length}`, () => load(edited((_, view) => view.setUint32(8, size, true)))]
    }
    if (hasContext) {
      yield [`${name}: another context's`, () => load(bytes, ckks.context)]
      yield [`${name}: last word`, () => load(edited((copy) => copy.fill(255, bytes.length - 8)))]
      yield [`${name}: empty`, () => [make().saveToArray(none), make().saveToBase64(none)]]
      yield [`${name}: no context`, () => make().loadFromArray(new Uint8Array(20))]
      yield [`${name}: failed load`, () => {
        const copy = object.copy()
        try { copy.loadFromArray(context, bytes.slice(0, 100)) } catch { return copy.saveToArray(none).every((byte, index) => byte === bytes[index]) }
      }]
    }
    for (const mode of [none, zlib, zstd]) yield [`${name}: saved in ${mode.value}`, () => load(object.saveToArray(mode))]
    yield [`${name}: saved in base64`, () => load64(object.saveToBase64(zstd))]
    yield [`${name}: cut zlib`, () => { const saved = object.saveToArray(zlib); return load(saved.slice(0, saved.length - 3)) }]
    yield [`${name}: damaged zlib`, () => load(object.saveToArray(zlib).fill(7, 18, 22))]
    yield [`${name}: damaged zstd`, () => load(object.saveToArray(zstd).fill(7, 16, 22))]
    for (const [kind, text] of Object.entries({ none: '', wrong: '!!!!', number: 5, null: null })) yield [`${name}: base64 ${kind}`, () => load64(text)]
    const text = object.saveToBase64(none)
    yield [`${name}: base64 in bytes`, () => load64(new TextEncoder().encode(text))]
    yield [`${name}: base64 unpadded`, () => load64(text.replace(/=+$/, ''))]
    yield [`${name}: base64 for URLs`, () => load64(text.replaceAll('+', '-').replaceAll('/', '_'))]
    for (const [kind, mode] of Object.entries({ undefined, null: null, number: 0, seven: { value: 7 }, object: {} })) {
      yield [`${name}: mode ${kind}`, () => object.saveToArray(mode).length]
    }
    for (const [kind, value] of Object.entries({ array: [1, 2, 3], Int8Array: new Int8Array(20), text: 'abc', null: null, undefined })) {
      yield [`${name}: ${kind}`, () => load(value)]
    }
  }
  yield ['KSwitchKeys: relinearization keys', () => {
    const keys = new seal.KSwitchKeys()
    keys.loadFromArray(context, bfv.relinKeys.saveToArray(zlib))
    return keys.size()
  }]
  yield ['KSwitchKeys: Galois keys', () => {
    const keys = new seal.KSwitchKeys()
    keys.loadFromArray(context, bfv.galoisKeys.saveToArray(zstd))
    return keys.size()
  }]
  yield* sizeCases(seal, bfv)
}

/** The sizes of what takes half the space. */
function* sizeCases(seal, { keys, encryptor, plain }) {
  const size = (object) => object.saveToArray(seal.ComprModeType.none).length
  yield ['serializable public key', () => size(keys.createPublicKeySerializable())]
  yield ['serializable relinearization keys', () => size(keys.createRelinKeysSerializable())]
  yield ['serializable Galois keys', () => size(keys.createGaloisKeysSerializable())]
  yield ['serializable Galois keys for steps', () => size(keys.createGaloisKeysSerializableWithSteps(Int32Array.of(1)))]
  yield ['Galois keys', () => size(keys.createGaloisKeys())]
  yield ['serializable ciphertext', () => size(encryptor.encryptSerializable(plain))]
  yield ['serializable symmetric ciphertext', () => size(encryptor.encryptSymmetricSerializable(plain))]
  yield ['symmetric ciphertext', () => { const out = new seal.Ciphertext(); encryptor.encryptSymmetric(plain, out); return size(out) }]
  yield ['plaintext without a context', () => size(new seal.Plaintext(5))]
}
