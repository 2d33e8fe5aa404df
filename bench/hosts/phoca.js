// Phoca's side of the rows. Every result is a new object; it is deleted inside of the clock.

/** Keys, operands and operations for one set of parameters. `phoca` is the package. */
export function openPhoca(phoca, parameters, values) {
  const { scheme, scale } = parameters
  const ckks = scheme === 'ckks'
  const context = new phoca.Context(parameters)
  const keys = new phoca.KeyGenerator(context)
  const [publicKey, secretKey] = [keys.publicKey(), keys.secretKey()]
  const encoder = new (ckks ? phoca.CkksEncoder : phoca.BatchEncoder)(context)
  const encode = (slots) => (ckks ? encoder.encode(slots, scale) : encoder.encode(slots))
  const encryptor = new phoca.Encryptor(context, { publicKey, secretKey })
  const decryptor = new phoca.Decryptor(context, secretKey)
  const evaluator = new phoca.Evaluator(context)
  const [plainA, plainB] = values.map(encode)
  // Under the secret key, as a public key at n = 1024 leaves hardly a bit for what follows.
  const [a, b] = [plainA, plainB].map((plain) => encryptor.encryptSymmetric(plain))
  const product = evaluator.multiply(a, b)
  const rotate = (keys) => (ckks ? evaluator.rotateVector(a, 1, keys) : evaluator.rotateRows(a, 1, keys))
  const calls = {
    keygen_secret: () => new phoca.KeyGenerator(context),
    keygen_public: () => keys.publicKey(),
    encrypt_symmetric: () => encryptor.encryptSymmetric(plainA),
    encrypt_public: () => encryptor.encrypt(plainA),
    decrypt: () => decryptor.decrypt(a),
    encode: () => encode(values[0]),
    decode: () => encoder.decode(plainA),
    add: () => evaluator.add(a, b),
    add_plain: () => evaluator.addPlain(a, plainB),
    negate: () => evaluator.negate(a),
    sub: () => evaluator.sub(a, b),
    sub_plain: () => evaluator.subPlain(a, plainB),
    multiply: () => evaluator.multiply(a, b),
    multiply_plain: () => evaluator.multiplyPlain(a, plainB),
    square: () => evaluator.square(a),
  }
  const use = {
    keygen_public: (key) => new phoca.Encryptor(context, key).encrypt(plainA),
    keygen_relin: (keys) => evaluator.relinearize(product, keys),
    keygen_galois: rotate,
  }
  const kept = [a, b, product, encoder, encryptor, decryptor, evaluator, publicKey, secretKey, keys]
  if (scheme === 'bfv') {
    const transformed = evaluator.toNtt(a)
    kept.push(transformed)
    calls.to_ntt = () => evaluator.toNtt(a)
    calls.from_ntt = () => evaluator.fromNtt(transformed)
    calls.plain_to_ntt = () => evaluator.plainToNtt(plainB, context.firstLevel)
    use.to_ntt = (cipher) => evaluator.fromNtt(cipher)
    use.plain_to_ntt = (plain) => evaluator.fromNtt(evaluator.multiplyPlain(transformed, plain))
  }
  if (context.supportsKeySwitching) {
    const relin = keys.relinKeys()
    const galois = keys.galoisKeys({ steps: [0, 1] })
    const two = evaluator.relinearize(product, relin)
    kept.push(two, relin, galois)
    Object.assign(calls, {
      keygen_relin: () => keys.relinKeys(),
      keygen_galois: () => keys.galoisKeys({ steps: [1] }),
      relinearize: () => evaluator.relinearize(product, relin),
      mod_switch: () => evaluator.modSwitchToNext(a),
      rescale: () => evaluator.rescaleToNext(two),
      rotate: () => rotate(galois),
      rotate_columns: () => evaluator.rotateColumns(a, galois),
      conjugate: () => evaluator.conjugate(a, galois),
      multiply_relinearize_rescale: () => evaluator.multiplyRelinearizeRescale(a, b, relin),
    })
  }
  const free = (made) => made.delete()
  return {
    operations: Object.fromEntries(Object.entries(calls).map(([name, run]) => [name, { run, free: name === 'decode' ? () => {} : free }])),
    decode: (plain) => encoder.decode(plain),
    decrypt: (cipher) => encoder.decode(decryptor.decrypt(cipher)),
    /** What to decrypt of results that are no ciphertexts in the form of their scheme. */
    use,
    /** The first operand, encrypted and decrypted under another secret key. */
    useSecret(generator) {
      const secret = generator.secretKey()
      const cipher = new phoca.Encryptor(context, secret).encryptSymmetric(plainA)
      return encoder.decode(new phoca.Decryptor(context, secret).decrypt(cipher))
    },
    close() {
      for (const object of [...kept, context]) object.delete()
    },
  }
}
