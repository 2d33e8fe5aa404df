// node-seal's side of the rows, for both releases. Each operation writes to a destination that is made before, which is the fastest
// way to use either; keys are new objects, deleted inside of the clock.

/** Release 6: factory functions. `seal` is its library. */
export function dialect6(seal) {
  return {
    make: (name, ...args) => seal[NAMES6[name] ?? name](...args),
    security: seal.SecurityLevel.tc128,
    chain(primes) {
      const chain = seal.Vector()
      chain.from(primes.map((prime) => seal.Modulus(prime).instance), 'Modulus')
      return chain
    },
    galoisKeys: (keys, steps) => keys.createGaloisKeys(steps),
    decodeIntegers: (encoder, plain) => encoder.decodeBigInt(plain, false),
    decodeReals: (encoder, plain) => encoder.decode(plain),
    parmsId: (cipher) => cipher.parmsId,
    plainToNtt: (evaluator, plain, level, destination) => evaluator.plainTransformToNtt(plain, level, destination),
    scheme: (name) => seal.SchemeType[name],
  }
}

const NAMES6 = { SEALContext: 'Context', Plaintext: 'PlainText', Ciphertext: 'CipherText' }

/** Release 7: classes. */
export function dialect7(seal) {
  return {
    make: (name, ...args) => new seal[name](...args),
    security: seal.SecLevelType.tc128,
    chain(primes) {
      const chain = new seal.VectorModulus()
      for (const prime of primes) chain.push_back(new seal.Modulus(prime))
      return chain
    },
    galoisKeys: (keys, steps) => keys.createGaloisKeysWithSteps(steps),
    decodeIntegers: (encoder, plain) => encoder.decodeBigUint64(plain),
    decodeReals: (encoder, plain) => encoder.decodeFloat64(plain),
    parmsId: (cipher) => cipher.parmsId(),
    plainToNtt: (evaluator, plain, level, destination) => evaluator.plainTransformToNtt(plain, level, destination),
    scheme: (name) => seal.SchemeType[name],
  }
}

/** Keys, operands and operations for one set of parameters. */
export function openNodeSeal(dialect, parameters, values) {
  const { scheme, scale, coeffModulus } = parameters
  const kept = []
  const keep = (object) => {
    kept.push(object)
    return object
  }
  const make = (...args) => keep(dialect.make(...args))
  const ckks = scheme === 'ckks'
  const context = make('SEALContext', encryptionParameters(dialect, parameters), true, dialect.security)
  if (!context.parametersSet()) throw new Error(`node-seal refused the parameters of ${scheme} at n = ${parameters.degree}`)
  const keys = make('KeyGenerator', context)
  const [publicKey, secretKey] = [keep(keys.createPublicKey()), keep(keys.secretKey())]
  const encoder = make(ckks ? 'CKKSEncoder' : 'BatchEncoder', context)
  const encode = (slots, plain) => (ckks ? encoder.encode(slots, scale, plain) : encoder.encode(slots, plain))
  const decode = (plain) => (ckks ? dialect.decodeReals(encoder, plain) : dialect.decodeIntegers(encoder, plain))
  const encryptor = make('Encryptor', context, publicKey, secretKey)
  const decryptor = make('Decryptor', context, secretKey)
  const evaluator = make('Evaluator', context)

  // One destination each, so that none has to change its size.
  const cipherInto = (call) => into(make('Ciphertext'), call)
  const plainInto = (call) => into(make('Plaintext'), call)
  const [plainA, plainB] = values.map((slots) => plainInto((plain) => encode(slots, plain)).run())
  const [a, b] = [plainA, plainB].map((plain) => cipherInto((cipher) => encryptor.encryptSymmetric(plain, cipher)).run())
  const product = cipherInto((cipher) => evaluator.multiply(a, b, cipher)).run()
  const rotate = (keys, cipher) => (ckks ? evaluator.rotateVector(a, 1, keys, cipher) : evaluator.rotateRows(a, 1, keys, cipher))
  const operations = {
    keygen_secret: owned(() => dialect.make('KeyGenerator', context)),
    keygen_public: owned(() => keys.createPublicKey()),
    encrypt_symmetric: cipherInto((cipher) => encryptor.encryptSymmetric(plainA, cipher)),
    encrypt_public: cipherInto((cipher) => encryptor.encrypt(plainA, cipher)),
    decrypt: plainInto((plain) => decryptor.decrypt(a, plain)),
    encode: plainInto((plain) => encode(values[0], plain)),
    decode: { run: () => decode(plainA), free: nothing },
    add: cipherInto((cipher) => evaluator.add(a, b, cipher)),
    add_plain: cipherInto((cipher) => evaluator.addPlain(a, plainB, cipher)),
    negate: cipherInto((cipher) => evaluator.negate(a, cipher)),
    sub: cipherInto((cipher) => evaluator.sub(a, b, cipher)),
    sub_plain: cipherInto((cipher) => evaluator.subPlain(a, plainB, cipher)),
    multiply: cipherInto((cipher) => evaluator.multiply(a, b, cipher)),
    multiply_plain: cipherInto((cipher) => evaluator.multiplyPlain(a, plainB, cipher)),
    square: cipherInto((cipher) => evaluator.square(a, cipher)),
  }
  const use = {
    keygen_public: (key) => cipherInto((cipher) => make('Encryptor', context, key).encrypt(plainA, cipher)).run(),
    keygen_relin: (keys) => cipherInto((cipher) => evaluator.relinearize(product, keys, cipher)).run(),
    keygen_galois: (keys) => cipherInto((cipher) => rotate(keys, cipher)).run(),
  }
  if (scheme === 'bfv') {
    const back = (transformed) => cipherInto((cipher) => evaluator.cipherTransformFromNtt(transformed, cipher))
    const transformed = cipherInto((cipher) => evaluator.cipherTransformToNtt(a, cipher)).run()
    const level = keep(dialect.parmsId(a))
    Object.assign(operations, {
      to_ntt: cipherInto((cipher) => evaluator.cipherTransformToNtt(a, cipher)),
      from_ntt: back(transformed),
      plain_to_ntt: plainInto((plain) => dialect.plainToNtt(evaluator, plainB, level, plain)),
    })
    use.to_ntt = (cipher) => back(cipher).run()
    use.plain_to_ntt = (plain) => back(cipherInto((cipher) => evaluator.multiplyPlain(transformed, plain, cipher)).run()).run()
  }
  if (coeffModulus.length > 1) {
    const relin = keep(keys.createRelinKeys())
    const galois = keep(dialect.galoisKeys(keys, Int32Array.of(0, 1)))
    const two = cipherInto((cipher) => evaluator.relinearize(product, relin, cipher)).run()
    Object.assign(operations, {
      keygen_relin: owned(() => keys.createRelinKeys()),
      keygen_galois: owned(() => dialect.galoisKeys(keys, Int32Array.of(1))),
      relinearize: cipherInto((cipher) => evaluator.relinearize(product, relin, cipher)),
      mod_switch: cipherInto((cipher) => evaluator.cipherModSwitchToNext(a, cipher)),
      rescale: cipherInto((cipher) => evaluator.rescaleToNext(two, cipher)),
      rotate: cipherInto((cipher) => rotate(galois, cipher)),
      rotate_columns: cipherInto((cipher) => evaluator.rotateColumns(a, galois, cipher)),
      conjugate: cipherInto((cipher) => evaluator.complexConjugate(a, galois, cipher)),
      multiply_relinearize_rescale: fused(make, evaluator, a, b, relin),
    })
  }
  const plainOf = (decryptor, cipher) => plainInto((plain) => decryptor.decrypt(cipher, plain)).run()
  return {
    operations,
    decode,
    decrypt: (cipher) => decode(plainOf(decryptor, cipher)),
    use,
    useSecret(generator) {
      const secret = generator.secretKey()
      const cipher = cipherInto((cipher) => make('Encryptor', context, generator.createPublicKey(), secret).encryptSymmetric(plainA, cipher)).run()
      return decode(plainOf(make('Decryptor', context, secret), cipher))
    },
    close() {
      for (const object of kept.reverse()) object.delete()
    },
  }
}

function encryptionParameters(dialect, { scheme, degree, coeffModulus, plainModulus }) {
  const native = dialect.make('EncryptionParameters', dialect.scheme(scheme))
  native.setPolyModulusDegree(degree)
  native.setCoeffModulus(dialect.chain([...coeffModulus]))
  if (scheme !== 'ckks') native.setPlainModulus(dialect.make('Modulus', plainModulus))
  return native
}

/** Its three calls, each to a destination of its own. */
function fused(make, evaluator, a, b, relin) {
  const [product, two] = [make('Ciphertext'), make('Ciphertext')]
  return into(make('Ciphertext'), (cipher) => {
    evaluator.multiply(a, b, product)
    evaluator.relinearize(product, relin, two)
    evaluator.rescaleToNext(two, cipher)
  })
}

function into(destination, call) {
  const run = () => {
    call(destination)
    return destination
  }
  return { run, free: nothing }
}

function owned(run) {
  return { run, free: (made) => made.delete() }
}

function nothing() {}
