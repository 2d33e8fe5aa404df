// The objects that the tests use, made by the same calls in node-seal 7 and in this package.

/** A context of a scheme: 4096 coefficients, three primes. */
export function makeContext(seal, scheme, { degree = 4096, sizes, plain, security = seal.SecLevelType.tc128, expand = true } = {}) {
  const parms = new seal.EncryptionParameters(seal.SchemeType[scheme])
  parms.setPolyModulusDegree(degree)
  parms.setCoeffModulus(sizes ? seal.CoeffModulus.Create(degree, Int32Array.from(sizes))
    : seal.CoeffModulus.BFVDefault(degree, seal.SecLevelType.tc128))
  if (scheme !== 'ckks') parms.setPlainModulus(plain ?? seal.PlainModulus.Batching(degree, 20))
  return new seal.SEALContext(parms, expand, security)
}

/** Everything for one scheme. */
export function makeScheme(seal, scheme, options) {
  const context = makeContext(seal, scheme, options)
  const keys = new seal.KeyGenerator(context)
  const secretKey = keys.secretKey()
  const publicKey = keys.createPublicKey()
  const all = {
    seal, scheme, context, keys, secretKey, publicKey,
    relinKeys: keys.createRelinKeys(),
    galoisKeys: keys.createGaloisKeysWithSteps(Int32Array.of(1, 0)),
    encryptor: new seal.Encryptor(context, publicKey, secretKey),
    decryptor: new seal.Decryptor(context, secretKey),
    evaluator: new seal.Evaluator(context),
    encoder: scheme === 'ckks' ? new seal.CKKSEncoder(context) : new seal.BatchEncoder(context),
  }
  all.plain = encode(all, [1, 2, -3])
  all.cipher = encrypt(all, all.plain)
  return all
}

export function encode({ seal, scheme, encoder }, values) {
  const plain = new seal.Plaintext()
  if (scheme === 'ckks') encoder.encode(Float64Array.from(values), 2 ** 30, plain)
  else encoder.encode(BigInt64Array.from(values, BigInt), plain)
  return plain
}

export function encrypt({ seal, encryptor }, plain) {
  const cipher = new seal.Ciphertext()
  encryptor.encrypt(plain, cipher)
  return cipher
}

/** The first values of a ciphertext, rounded for CKKS. */
export function decrypt({ seal, scheme, encoder, decryptor }, cipher, count = 4) {
  const plain = new seal.Plaintext()
  decryptor.decrypt(cipher, plain)
  const values = scheme === 'ckks' ? encoder.decodeFloat64(plain) : encoder.decodeBigInt64(plain)
  return Array.from(values.subarray(0, count), (value) => Number(Number(value).toFixed(2)) + 0)
}

/** What a call gives or throws, as text that is equal where both packages behave alike. */
export function outcome(call) {
  try {
    return `gives ${show(call())}`
  } catch (error) {
    if (Array.isArray(error?.message)) return `throws ${error.constructor.name} ${error instanceof Error} ${error.message.join(': ')}`
    return `throws ${error?.constructor?.name} ${error instanceof Error} ${error?.name} ${error?.message}`
  }
}

function show(value) {
  if (typeof value === 'bigint') return `${value}n`
  if (Array.isArray(value) || ArrayBuffer.isView(value)) return `${value.constructor.name}[${Array.from(value, show)}]`
  if (typeof value === 'function') return `function ${value.name}`
  if (typeof value === 'object' && value !== null) return `a ${value.constructor.name}`
  return JSON.stringify(value) ?? 'undefined'
}
