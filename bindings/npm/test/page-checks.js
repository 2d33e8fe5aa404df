// What is checked in each browser; each check throws where something is wrong.

import * as phoca from '../phoca/dist/index.js'

const DEGREE = 4096

function ensure(condition, what) {
  if (!condition) throw new Error(what)
}

function ckksParameters() {
  return { scheme: 'ckks', degree: DEGREE, coeffModulus: phoca.coeffModulus.create(DEGREE, [36, 30, 36]) }
}

/** Squares and rotates, and gives the largest error. */
function computeCkks() {
  const context = new phoca.Context(ckksParameters())
  const generator = new phoca.KeyGenerator(context)
  const encoder = new phoca.CkksEncoder(context)
  const evaluator = new phoca.Evaluator(context)
  const decryptor = new phoca.Decryptor(context, generator.secretKey())
  const values = Float64Array.from({ length: encoder.slotCount }, (_, index) => Math.sin(index))
  const x = new phoca.Encryptor(context, generator.publicKey()).encrypt(encoder.encode(values, 2 ** 30))
  const squared = evaluator.multiplyRelinearizeRescale(x, x, generator.relinKeys())
  const rotated = evaluator.rotateVector(squared, 5, generator.galoisKeys({ steps: [5] }))
  const decoded = encoder.decode(decryptor.decrypt(rotated))
  return Math.max(...values.map((_, index) => Math.abs(decoded[index] - values[(index + 5) % values.length] ** 2)))
}

/** A product of integers. */
function computeExact(scheme) {
  const context = new phoca.Context({
    scheme, degree: DEGREE, coeffModulus: phoca.coeffModulus.default(DEGREE), plainModulus: phoca.plainModulus.batching(DEGREE, 20),
  })
  const generator = new phoca.KeyGenerator(context)
  const encoder = new phoca.BatchEncoder(context)
  const x = new phoca.Encryptor(context, generator.publicKey()).encrypt(encoder.encode([3, -4, 5]))
  const product = new phoca.Evaluator(context).multiplyRelinearize(x, x, generator.relinKeys())
  return [...encoder.decodeSigned(new phoca.Decryptor(context, generator.secretKey()).decrypt(product)).subarray(0, 4)].join()
}

/** Encrypts, computes and goes through files with node-seal 7's classes, and gives what is in the slots then. */
function computeSeal7(seal, scheme) {
  const { zstd, zlib } = seal.ComprModeType
  const isReal = scheme === 'ckks'
  const parms = new seal.EncryptionParameters(seal.SchemeType[scheme])
  parms.setPolyModulusDegree(DEGREE)
  parms.setCoeffModulus(seal.CoeffModulus.Create(DEGREE, Int32Array.of(36, 30, 36)))
  if (!isReal) parms.setPlainModulus(seal.PlainModulus.Batching(DEGREE, 20))
  const context = new seal.SEALContext(parms, true, seal.SecLevelType.tc128)
  const generator = new seal.KeyGenerator(context)
  const [secretKey, relinKeys, galoisKeys] = [new seal.SecretKey(), new seal.RelinKeys(), new seal.GaloisKeys()]
  secretKey.loadFromBase64(context, generator.secretKey().saveToBase64(zstd))
  relinKeys.loadFromArray(context, generator.createRelinKeysSerializable().saveToArray(zstd))
  galoisKeys.loadFromArray(context, generator.createGaloisKeysWithSteps(Int32Array.of(1)).saveToArray(zlib))
  const [plain, fresh, cipher, result] = [new seal.Plaintext(), new seal.Ciphertext(), new seal.Ciphertext(), new seal.Plaintext()]
  const encoder = isReal ? new seal.CKKSEncoder(context) : new seal.BatchEncoder(context)
  if (isReal) encoder.encode(Float64Array.of(1.5, -2, 3), 2 ** 30, plain)
  else encoder.encode(BigInt64Array.of(5n, -2n, 3n), plain)
  new seal.Encryptor(context, generator.createPublicKey()).encrypt(plain, fresh)
  cipher.loadFromBase64(context, fresh.saveToBase64(zlib))
  const evaluator = new seal.Evaluator(context)
  evaluator.squareInplace(cipher)
  evaluator.relinearizeInplace(cipher, relinKeys)
  if (isReal) evaluator.rotateVectorInplace(cipher, 1, galoisKeys)
  else evaluator.rotateRowsInplace(cipher, 1, galoisKeys)
  new seal.Decryptor(context, secretKey).decrypt(cipher, result)
  return firstTwo(isReal ? encoder.decodeFloat64(result) : encoder.decodeBigInt64(result))
}

/** The same with node-seal 6's functions. */
function computeSeal6(seal, scheme) {
  const { zstd, zlib } = seal.ComprModeType
  const isReal = scheme === 'ckks'
  const parms = seal.EncryptionParameters(seal.SchemeType[scheme])
  parms.setPolyModulusDegree(DEGREE)
  parms.setCoeffModulus(seal.CoeffModulus.Create(DEGREE, Int32Array.of(36, 30, 36)))
  if (!isReal) parms.setPlainModulus(seal.PlainModulus.Batching(DEGREE, 20))
  const context = seal.Context(parms)
  const generator = seal.KeyGenerator(context)
  const [secretKey, relinKeys, galoisKeys, cipher] = [seal.SecretKey(), seal.RelinKeys(), seal.GaloisKeys(), seal.CipherText()]
  secretKey.load(context, generator.secretKey().save())
  relinKeys.loadArray(context, generator.createRelinKeysSerializable().saveArray(zstd))
  galoisKeys.loadArray(context, generator.createGaloisKeys(Int32Array.of(1)).saveArray(zlib))
  const encoder = isReal ? seal.CKKSEncoder(context) : seal.BatchEncoder(context)
  const plain = isReal ? encoder.encode(Float64Array.of(1.5, -2, 3), 2 ** 30) : encoder.encode(Int32Array.of(5, -2, 3))
  cipher.load(context, seal.Encryptor(context, generator.createPublicKey()).encrypt(plain).save(zlib))
  const evaluator = seal.Evaluator(context)
  evaluator.square(cipher, cipher)
  evaluator.relinearize(cipher, relinKeys, cipher)
  const rotated = isReal ? evaluator.rotateVector(cipher, 1, galoisKeys) : evaluator.rotateRows(cipher, 1, galoisKeys)
  return firstTwo(encoder.decode(seal.Decryptor(context, secretKey).decrypt(rotated)))
}

const firstTwo = (values) => Array.from(values.subarray(0, 2), (value) => Math.round(Number(value))).join()

/** Every scheme of a library that stands in for node-seal. */
async function checkStandIn(load, compute) {
  const seal = await load()
  for (const scheme of ['bfv', 'bgv', 'ckks']) {
    const values = compute(seal, scheme)
    ensure(values === '4,9', `${scheme}: ${values}`)
  }
}

export const checks = {
  async 'loads a build that the engine runs'() {
    const environment = await phoca.initialize()
    ensure(environment.build !== 'baseline', `the build is ${environment.build}`)
    return environment
  },

  'computes with CKKS'() {
    const error = computeCkks()
    ensure(error < 1e-3, `the error is ${error}`)
  },

  'computes with BFV and BGV'() {
    for (const scheme of ['bfv', 'bgv']) ensure(computeExact(scheme) === '9,16,25,0', scheme)
  },

  async 'saves and loads through streams'() {
    const context = new phoca.Context(ckksParameters())
    const keys = new phoca.KeyGenerator(context).galoisKeys({ steps: [1, 2] })
    const loaded = await phoca.GaloisKeys.loadStream(context, new Response(keys.save()).body)
    ensure(loaded.elements.join() === keys.elements.join(), 'other elements')
    for (const compression of ['zlib', 'zstd']) {
      phoca.GaloisKeys.load(context, keys.toBytes({ compression }))
    }
  },

  async 'works in workers while the page goes on'() {
    await phoca.initialize()
    const worker = await phoca.PhocaWorker.start()
    const { Context, KeyGenerator } = worker.library
    const context = Context({ ...ckksParameters(), degree: 8192, coeffModulus: phoca.coeffModulus.default(8192) })
    let frames = 0
    const timer = setInterval(() => frames++, 5)
    const size = await KeyGenerator(context).galoisKeys().size
    clearInterval(timer)
    worker.terminate()
    ensure(size === 24, `${size} keys`)
    ensure(frames > 3, `the page came to run only ${frames} times`)
  },

  async 'works with threads in a worker'() {
    ensure(crossOriginIsolated, 'the page is not isolated')
    await phoca.initialize()
    const worker = await phoca.PhocaWorker.start({ threads: 2 })
    const { Context, KeyGenerator, Encryptor, Decryptor, Evaluator, CkksEncoder } = worker.library
    const context = Context(ckksParameters())
    const generator = KeyGenerator(context)
    const secretKey = generator.secretKey()
    const encoder = CkksEncoder(context)
    const x = Encryptor(context, { secretKey }).encryptSymmetric(encoder.encode([3], 2 ** 30))
    const y = Evaluator(context).multiplyRelinearizeRescale(x, x, generator.relinKeys())
    const values = await encoder.decode(Decryptor(context, secretKey).decrypt(y))
    worker.terminate()
    ensure(Math.abs(values[0] - 9) < 1e-3, `9 is ${values[0]}`)
  },

  'throws errors with a kind'() {
    try {
      new phoca.Context({ ...ckksParameters(), degree: 1000 })
    } catch (error) {
      ensure(error instanceof phoca.ParametersError && error.kind === 'InvalidParameters', String(error))
      return
    }
    throw new Error('a degree of 1000 was taken')
  },

  async 'runs what is written for node-seal 7'() {
    for (const entry of ['throws', 'allows']) await checkStandIn((await import(`../phoca-seal/dist/${entry}.js`)).default, computeSeal7)
  },

  async 'runs what is written for node-seal 6'() {
    for (const entry of ['throws', 'allows']) await checkStandIn((await import(`../phoca-seal6/${entry}_wasm_web_es.js`)).default, computeSeal6)
  },
}
