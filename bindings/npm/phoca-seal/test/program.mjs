// A program for node-seal 7. It prints what it has computed, which is the same whichever package answers to the name.

import SEAL from 'node-seal'

const seal = await SEAL()
const results = {}

function contextFor(scheme, coeffModulus, plainModulus) {
  const parms = new seal.EncryptionParameters(scheme)
  parms.setPolyModulusDegree(4096)
  parms.setCoeffModulus(coeffModulus)
  if (plainModulus) parms.setPlainModulus(plainModulus)
  const context = new seal.SEALContext(parms, true, seal.SecLevelType.tc128)
  if (!context.parametersSet()) throw new Error('these parameters cannot be used')
  return context
}

function setUp(context) {
  const generator = new seal.KeyGenerator(context)
  const [secretKey, publicKey] = [generator.secretKey(), generator.createPublicKey()]
  return {
    context,
    generator,
    secretKey,
    publicKey,
    relinKeys: generator.createRelinKeys(),
    galoisKeys: generator.createGaloisKeys(),
    encryptor: new seal.Encryptor(context, publicKey, secretKey),
    decryptor: new seal.Decryptor(context, secretKey),
    evaluator: new seal.Evaluator(context),
  }
}

/** Saves in one form and loads in a fresh object. */
function roundTrip(Class, context, object, mode) {
  const [one, two] = [new Class(), new Class()]
  one.loadFromArray(context, object.saveToArray(mode))
  two.loadFromBase64(context, one.saveToBase64(mode))
  one.delete()
  return two
}

function integers(name, scheme) {
  const context = contextFor(scheme, seal.CoeffModulus.BFVDefault(4096, seal.SecLevelType.tc128), seal.PlainModulus.Batching(4096, 20))
  const { generator, secretKey, relinKeys, galoisKeys, encryptor, decryptor, evaluator } = setUp(context)
  const encoder = new seal.BatchEncoder(context)
  const values = BigInt64Array.from({ length: encoder.slotCount() }, (_, index) => BigInt(index % 100) - 50n)
  const encode = (values) => {
    const plain = new seal.Plaintext()
    encoder.encode(values, plain)
    return plain
  }
  const encrypt = (values) => {
    const [plain, cipher] = [encode(values), new seal.Ciphertext()]
    encryptor.encrypt(plain, cipher)
    plain.delete()
    return cipher
  }
  const show = (cipher) => {
    const plain = new seal.Plaintext()
    decryptor.decrypt(cipher, plain)
    const shown = Array.from(encoder.decodeBigInt64(plain).subarray(0, 8), Number)
    plain.delete()
    return shown
  }
  const [x, three, out] = [encrypt(values), encode(new BigInt64Array(4096).fill(3n)), new seal.Ciphertext()]
  const run = (label, operation) => {
    operation()
    results[`${name} ${label}`] = show(out)
  }
  run('negate', () => evaluator.negate(x, out))
  run('add', () => evaluator.add(x, x, out))
  run('sub', () => evaluator.sub(x, out, out))
  run('addPlain', () => evaluator.addPlain(x, three, out))
  run('subPlain', () => evaluator.subPlainInplace(out, three))
  run('multiplyPlain', () => evaluator.multiplyPlain(x, three, out))
  run('multiply', () => evaluator.multiply(x, x, out))
  run('relinearize', () => evaluator.relinearizeInplace(out, relinKeys))
  run('modSwitchToNext', () => evaluator.cipherModSwitchToNextInplace(out))
  run('square', () => evaluator.square(x, out))
  run('exponentiate', () => evaluator.exponentiate(x, 2n, relinKeys, out))
  run('rotateRows', () => evaluator.rotateRows(x, 3, galoisKeys, out))
  run('rotateRows back', () => evaluator.rotateRowsInplace(out, -3, galoisKeys))
  run('rotateColumns', () => evaluator.rotateColumnsWithPool(x, galoisKeys, out, seal.MemoryPoolHandle.Global()))
  run('applyGalois', () => evaluator.applyGalois(x, 3, galoisKeys, out))
  run('modSwitchTo', () => evaluator.cipherModSwitchTo(x, context.lastParmsId(), out))
  if (name === 'bfv') {
    const ntt = new seal.Plaintext()
    evaluator.plainTransformToNtt(three, context.firstParmsId(), ntt)
    evaluator.cipherTransformToNtt(x, out)
    evaluator.multiplyPlainInplace(out, ntt)
    run('NTT', () => evaluator.cipherTransformFromNttInplace(out))
  }
  for (const mode of [seal.ComprModeType.none, seal.ComprModeType.zlib, seal.ComprModeType.zstd]) {
    results[`${name} saved ${mode.value}`] = show(roundTrip(seal.Ciphertext, context, x, mode))
  }
  const symmetric = new seal.Ciphertext()
  symmetric.loadFromArray(context, encryptor.encryptSymmetricSerializable(three).saveToArray(seal.ComprModeType.none))
  results[`${name} symmetric`] = show(symmetric)
  const loaded = roundTrip(seal.GaloisKeys, context, generator.createGaloisKeysWithSteps(Int32Array.of(1)), seal.ComprModeType.zstd)
  run('loaded keys', () => evaluator.rotateRows(x, 1, loaded, out))
  const other = new seal.KeyGenerator(context, roundTrip(seal.SecretKey, context, secretKey, seal.ComprModeType.zlib))
  const publicKey = new seal.PublicKey()
  publicKey.loadFromBase64(context, other.createPublicKeySerializable().saveToBase64(seal.ComprModeType.zstd))
  run('other key', () => new seal.Encryptor(context, publicKey).encrypt(three, out))
  results[`${name} budget`] = decryptor.invariantNoiseBudget(x) > 20
  results[`${name} parms`] = [context.toHuman(), Array.from(context.firstParmsId().values(), String)]
}

function reals() {
  const context = contextFor(seal.SchemeType.ckks, seal.CoeffModulus.Create(4096, Int32Array.of(40, 29, 40)))
  const { relinKeys, galoisKeys, encryptor, decryptor, evaluator } = setUp(context)
  const encoder = new seal.CKKSEncoder(context)
  const scale = 2 ** 26
  const encode = (values) => {
    const plain = new seal.Plaintext()
    encoder.encode(Float64Array.from(values), scale, plain)
    return plain
  }
  const [plain, x, out] = [encode([1.5, -2.25, 0.5, 4]), new seal.Ciphertext(), new seal.Ciphertext()]
  encryptor.encrypt(plain, x)
  const run = (label, operation) => {
    operation()
    const result = new seal.Plaintext()
    decryptor.decrypt(out, result)
    results[`ckks ${label}`] = Array.from(encoder.decodeFloat64(result).subarray(0, 6), (value) => Math.round(value * 20) / 20 + 0)
  }
  run('add', () => evaluator.add(x, x, out))
  run('addPlain', () => evaluator.addPlain(x, plain, out))
  run('multiplyPlain', () => evaluator.multiplyPlain(x, encode([2, 2, 2, 2]), out))
  run('multiply', () => evaluator.multiply(x, x, out))
  run('relinearize', () => evaluator.relinearizeInplace(out, relinKeys))
  run('rescaleToNext', () => evaluator.rescaleToNextInplace(out))
  run('modSwitchTo', () => evaluator.cipherModSwitchTo(x, context.lastParmsId(), out))
  run('rotateVector', () => evaluator.rotateVector(x, 1, galoisKeys, out))
  run('complexConjugate', () => evaluator.complexConjugateInplace(out, galoisKeys))
  run('loaded', () => out.assign(roundTrip(seal.Ciphertext, context, x, seal.ComprModeType.zstd)))
}

function errors() {
  const attempt = (label, call) => {
    try {
      call()
    } catch (error) {
      results[`error ${label}`] = [error.constructor.name, error instanceof Error, error.message]
    }
  }
  const context = contextFor(seal.SchemeType.bfv, seal.CoeffModulus.BFVDefault(4096, seal.SecLevelType.tc128), seal.PlainModulus.Batching(4096, 20))
  const evaluator = new seal.Evaluator(context)
  const cipher = new seal.Ciphertext()
  attempt('empty', () => evaluator.negateInplace(cipher))
  attempt('class', () => evaluator.negateInplace(new seal.Plaintext()))
  cipher.delete()
  attempt('deleted', () => evaluator.negateInplace(cipher))
}

integers('bfv', seal.SchemeType.bfv)
integers('bgv', seal.SchemeType.bgv)
reals()
errors()
console.log(JSON.stringify(results))
