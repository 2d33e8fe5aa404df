// A program for node-seal 6. It takes the library and returns what it computed, rounded where the scheme is not exact.

module.exports = function run(seal) {
  return { bfv: integers(seal, seal.SchemeType.bfv), bgv: integers(seal, seal.SchemeType.bgv), ckks: reals(seal), bytes: transfer(seal) }
}

function setup(seal, scheme, degree, coeffModulus, plainModulus) {
  const parameters = seal.EncryptionParameters(scheme)
  parameters.setPolyModulusDegree(degree)
  parameters.setCoeffModulus(coeffModulus)
  if (plainModulus) parameters.setPlainModulus(plainModulus)
  const context = seal.Context(parameters, true, seal.SecurityLevel.tc128)
  if (!context.parametersSet()) throw new Error('Could not set the parameters in the given context')
  const generator = seal.KeyGenerator(context)
  const secretKey = generator.secretKey()
  const publicKey = generator.createPublicKey()
  return {
    context,
    generator,
    secretKey,
    publicKey,
    relinKeys: generator.createRelinKeys(),
    galoisKeys: generator.createGaloisKeys(),
    encryptor: seal.Encryptor(context, publicKey, secretKey),
    decryptor: seal.Decryptor(context, secretKey),
    evaluator: seal.Evaluator(context),
  }
}

function integers(seal, scheme) {
  const degree = 8192
  const all = setup(seal, scheme, degree, seal.CoeffModulus.BFVDefault(degree), seal.PlainModulus.Batching(degree, 20))
  const { context, encryptor, decryptor, evaluator, relinKeys, galoisKeys } = all
  const encoder = seal.BatchEncoder(context)
  const x = Int32Array.from({ length: encoder.slotCount }, (_, index) => (index % 100) - 50)
  const y = Uint32Array.from({ length: 100 }, (_, index) => index)
  const plainX = encoder.encode(x)
  const plainY = encoder.encode(y)
  const a = encryptor.encrypt(plainX)
  const b = encryptor.encryptSymmetric(plainY)
  const values = (cipher) => {
    const decoded = encoder.decode(decryptor.decrypt(cipher))
    return [...decoded.slice(0, 8), ...decoded.slice(4096, 4100), decoded.reduce((sum, value) => (sum * 31 + value) | 0, 0)]
  }
  const zero = encryptor.encryptZero()
  const ntt = evaluator.plainTransformToNtt(plainX, context.firstParmsId)
  const result = {
    negate: values(evaluator.negate(a)),
    add: values(evaluator.add(a, b)),
    sub: values(evaluator.sub(a, b)),
    zero: values(evaluator.add(a, zero)),
    multiply: values(evaluator.multiply(a, b)),
    square: values(evaluator.square(a)),
    relinearize: values(evaluator.relinearize(evaluator.multiply(a, b), relinKeys)),
    exponentiate: values(evaluator.exponentiate(b, 3, relinKeys)),
    addPlain: values(evaluator.addPlain(a, plainY)),
    subPlain: values(evaluator.subPlain(a, plainY)),
    multiplyPlain: values(evaluator.multiplyPlain(a, plainY)),
    multiplyNtt: values(evaluator.multiplyPlain(b, ntt)),
    modSwitch: values(evaluator.cipherModSwitchToNext(a)),
    modSwitchTo: values(evaluator.cipherModSwitchTo(a, context.lastParmsId)),
    plainModSwitch: evaluator.plainModSwitchToNext(ntt).parmsId.values.join(),
    plainModSwitchTo: evaluator.plainModSwitchTo(ntt, context.lastParmsId).parmsId.values.join(),
    rotateRows: values(evaluator.rotateRows(a, 3, galoisKeys)),
    rotateRowsBack: values(evaluator.rotateRows(a, -5, galoisKeys)),
    rotateColumns: values(evaluator.rotateColumns(b, galoisKeys)),
    applyGalois: values(evaluator.applyGalois(a, 3, galoisKeys)),
    sumElements: values(evaluator.sumElements(a, galoisKeys, scheme)),
    dotProduct: values(evaluator.dotProduct(a, b, relinKeys, galoisKeys, scheme)),
    dotProductPlain: values(evaluator.dotProductPlain(a, plainY, galoisKeys, scheme)),
    decodeUnsigned: [...encoder.decode(decryptor.decrypt(a), false).slice(0, 4)],
    decodeBigInt: [...encoder.decodeBigInt(decryptor.decrypt(a)).slice(0, 4)].map(String),
    encodeBigInt: [...encoder.decode(encoder.encode(BigInt64Array.of(-7n, 8n))).slice(0, 3)],
    budget: decryptor.invariantNoiseBudget(a) > 20,
    human: context.toHuman(),
    polynomial: encoder.encode(Int32Array.of(1)).toPolynomial().slice(0, 40),
  }
  if (scheme === seal.SchemeType.bfv) {
    result.nttForm = values(evaluator.cipherTransformFromNtt(evaluator.multiplyPlain(evaluator.cipherTransformToNtt(b), ntt)))
  }
  // In place, into destinations, and objects that are copied, moved and deleted.
  const destination = seal.CipherText()
  evaluator.add(a, b, destination)
  evaluator.add(destination, b, destination)
  evaluator.square(destination, destination)
  evaluator.relinearize(destination, relinKeys, destination)
  const clone = destination.clone()
  const copy = seal.CipherText({ context })
  copy.copy(clone)
  const moved = seal.CipherText()
  moved.move(clone)
  destination.delete()
  destination.delete()
  result.inPlace = values(moved)
  result.copied = values(copy)
  result.states = [moved.size, moved.coeffModulusSize, moved.polyModulusDegree, moved.isTransparent, moved.scale, String(clone.instance)]
  for (const object of [a, b, plainX, plainY, ...Object.values(all)]) object.delete()
  return result
}

function reals(seal) {
  const degree = 8192
  const scheme = seal.SchemeType.ckks
  const { context, encryptor, decryptor, evaluator, relinKeys, galoisKeys } =
    setup(seal, scheme, degree, seal.CoeffModulus.Create(degree, Int32Array.from([60, 40, 40, 60])))
  const encoder = seal.CKKSEncoder(context)
  const scale = Math.pow(2, 40)
  const plainX = encoder.encode(Float64Array.from({ length: encoder.slotCount }, (_, index) => Math.sin(index)), scale)
  const plainY = encoder.encode(Float64Array.from({ length: 100 }, (_, index) => index / 10), scale)
  const a = encryptor.encrypt(plainX)
  const b = encryptor.encryptSymmetric(plainY)
  const values = (cipher) => {
    const decoded = encoder.decode(decryptor.decrypt(cipher))
    return [...decoded.slice(0, 8), ...decoded.slice(-2)].map((value) => Math.round(value * 1000) / 1000 + 0)
  }
  const product = evaluator.relinearize(evaluator.multiply(a, b), relinKeys)
  return {
    negate: values(evaluator.negate(a)),
    add: values(evaluator.add(a, b)),
    sub: values(evaluator.sub(a, b)),
    multiply: values(product),
    square: values(evaluator.square(a)),
    rescale: values(evaluator.rescaleToNext(product)),
    rescaleTo: values(evaluator.rescaleTo(product, evaluator.rescaleToNext(product).parmsId)),
    scales: [product.scale, evaluator.rescaleToNext(product).scale],
    addPlain: values(evaluator.addPlain(a, plainY)),
    subPlain: values(evaluator.subPlain(a, plainY)),
    multiplyPlain: values(evaluator.multiplyPlain(a, plainY)),
    modReduce: values(evaluator.modReduceToNext(a)),
    modReduceTo: values(evaluator.modReduceTo(a, context.lastParmsId)),
    modSwitch: values(evaluator.cipherModSwitchTo(a, context.lastParmsId)),
    plainModSwitch: evaluator.plainModSwitchToNext(plainX).coeffCount,
    rotate: values(evaluator.rotateVector(b, 5, galoisKeys)),
    conjugate: values(evaluator.complexConjugate(b, galoisKeys)),
    sumElements: values(evaluator.sumElements(b, galoisKeys, scheme)),
    dotProduct: values(evaluator.dotProduct(b, b, relinKeys, galoisKeys, scheme)),
    dotProductPlain: values(evaluator.dotProductPlain(b, plainY, galoisKeys, scheme)),
    human: context.toHuman(),
  }
}

/** A client and a server that exchange files. */
function transfer(seal) {
  const degree = 4096
  const scheme = seal.SchemeType.bfv
  const client = setup(seal, scheme, degree, seal.CoeffModulus.BFVDefault(degree), seal.PlainModulus.Batching(degree, 20))
  const encoder = seal.BatchEncoder(client.context)
  const files = {
    parameters: client.context.firstContextData.prevContextData.parms.save(),
    galoisKeys: client.generator.createGaloisKeysSerializable(Int32Array.from([1, 2])).save(),
    cipher: client.encryptor.encryptSymmetricSerializable(encoder.encode(Int32Array.of(1, 2, 3))).saveArray(seal.ComprModeType.none),
    secretKey: client.secretKey.saveArray(seal.ComprModeType.zlib),
  }
  const parameters = seal.EncryptionParameters()
  parameters.load(files.parameters)
  const context = seal.Context(parameters)
  const galoisKeys = seal.GaloisKeys()
  galoisKeys.load(context, files.galoisKeys)
  const cipher = seal.CipherText()
  cipher.loadArray(context, files.cipher)
  const answer = seal.Evaluator(context).rotateRows(cipher, 1, galoisKeys).save(seal.ComprModeType.zlib)
  const secretKey = seal.SecretKey()
  secretKey.loadArray(client.context, files.secretKey)
  const loaded = seal.CipherText()
  loaded.load(client.context, answer)
  const plain = seal.Decryptor(client.context, secretKey).decrypt(loaded)
  return { values: [...encoder.decode(plain).slice(0, 4)], seeded: files.cipher.length, keys: galoisKeys.size }
}
