// Calls at the edges and wrong calls: the same result, or the same error with the same text.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ours, outcome, real, setup, skip } from './helpers.mjs'

/** All that the calls use, for one library. */
function world(seal) {
  const deleted = seal.CipherText()
  deleted.delete()
  const invalid = seal.Context(seal.EncryptionParameters(seal.SchemeType.bfv))
  const bfv = setup(seal, 'bfv')
  return {
    seal, deleted, invalid, bfv,
    ckks: setup(seal, 'ckks'),
    bgv: setup(seal, 'bgv'),
    small: setup1024(seal),
    parameters: (scheme) => seal.EncryptionParameters(seal.SchemeType[scheme]),
    ntt: (plain = bfv.plain) => bfv.evaluator.plainTransformToNtt(plain, bfv.context.firstParmsId),
  }
}

/** A context without key switching. */
function setup1024(seal) {
  const parameters = seal.EncryptionParameters(seal.SchemeType.bfv)
  parameters.setPolyModulusDegree(1024)
  parameters.setCoeffModulus(seal.CoeffModulus.BFVDefault(1024))
  parameters.setPlainModulus(seal.PlainModulus.Batching(1024, 15))
  const context = seal.Context(parameters)
  return { context, generator: seal.KeyGenerator(context) }
}

const EVALUATOR = {
  'a deleted operand': ({ bfv: { evaluator, cipher }, deleted }) => evaluator.add(deleted, cipher),
  'a null operand': ({ bfv: { evaluator, cipher } }) => evaluator.add(null, cipher),
  'no operands': ({ bfv: { evaluator } }) => evaluator.add(),
  'a plaintext for a ciphertext': ({ bfv: { evaluator, cipher, plain } }) => evaluator.add(plain, cipher),
  'an object without an instance': ({ bfv: { evaluator, cipher } }) => evaluator.add({}, cipher),
  'a null instance': ({ bfv: { evaluator, cipher } }) => evaluator.add({ instance: null }, cipher),
  'a deleted destination': ({ bfv: { evaluator, cipher }, deleted }) => evaluator.add(cipher, cipher, deleted),
  'a plaintext as destination': ({ bfv: { evaluator, cipher, plain } }) => evaluator.add(cipher, cipher, plain),
  'a null destination': ({ bfv: { evaluator, cipher } }) => evaluator.add(cipher, cipher, null),
  'an empty first operand': ({ bfv: { evaluator, cipher }, seal }) => evaluator.add(seal.CipherText(), cipher),
  'an empty second operand': ({ bfv: { evaluator, cipher }, seal }) => evaluator.add(cipher, seal.CipherText()),
  'an empty single operand': ({ bfv: { evaluator }, seal }) => evaluator.negate(seal.CipherText()),
  'operands of another scheme': ({ bfv: { evaluator, cipher }, bgv }) => evaluator.add(bgv.cipher, cipher),
  'a difference of zero': ({ bfv: { evaluator, cipher } }) => evaluator.sub(cipher, cipher),
  'a product with zero': ({ bfv: { evaluator, cipher }, seal }) => evaluator.multiplyPlain(cipher, seal.PlainText({ coeffCount: 1 })),
  'a difference of zero in CKKS': ({ ckks: { evaluator, cipher } }) => evaluator.sub(cipher, cipher),
  'a pool that is none': ({ bfv: { evaluator, cipher } }) => evaluator.multiply(cipher, cipher, undefined, {}),
  'a null pool': ({ bfv: { evaluator, cipher } }) => evaluator.multiply(cipher, cipher, undefined, null),
  'a pool': ({ bfv: { evaluator, cipher }, seal }) => evaluator.multiply(cipher, cipher, undefined, seal.MemoryPoolHandle.threadLocal),
  'exponent 0': ({ bfv: { evaluator, cipher, relinKeys } }) => evaluator.exponentiate(cipher, 0, relinKeys),
  'exponent 1': ({ bfv: { evaluator, cipher, relinKeys } }) => evaluator.exponentiate(cipher, 1, relinKeys),
  'exponent 1.5': ({ bfv: { evaluator, cipher, relinKeys } }) => evaluator.exponentiate(cipher, 1.5, relinKeys),
  'an exponent in a string': ({ bfv: { evaluator, cipher, relinKeys } }) => evaluator.exponentiate(cipher, '2', relinKeys),
  'an exponent as bigint': ({ bfv: { evaluator, cipher, relinKeys } }) => evaluator.exponentiate(cipher, 2n, relinKeys),
  'no exponent': ({ bfv: { evaluator, cipher, relinKeys } }) => evaluator.exponentiate(cipher, undefined, relinKeys),
  'powers in CKKS': ({ ckks: { evaluator, cipher, relinKeys } }) => evaluator.exponentiate(cipher, 2, relinKeys),
  'the first power in CKKS': ({ ckks: { evaluator, cipher, relinKeys } }) => evaluator.exponentiate(cipher, 1, relinKeys),
  'a vector rotation in BFV': ({ bfv: { evaluator, cipher, galoisKeys } }) => evaluator.rotateVector(cipher, 1, galoisKeys),
  'a conjugation in BFV': ({ bfv: { evaluator, cipher, galoisKeys } }) => evaluator.complexConjugate(cipher, galoisKeys),
  'a row rotation in CKKS': ({ ckks: { evaluator, cipher, galoisKeys } }) => evaluator.rotateRows(cipher, 1, galoisKeys),
  'a column rotation in CKKS': ({ ckks: { evaluator, cipher, galoisKeys } }) => evaluator.rotateColumns(cipher, galoisKeys),
  'no steps': ({ bfv: { evaluator, cipher, galoisKeys } }) => evaluator.rotateRows(cipher, 0, galoisKeys),
  'too many steps': ({ bfv: { evaluator, cipher, galoisKeys } }) => evaluator.rotateRows(cipher, 5000, galoisKeys),
  'as many steps as a row has': ({ bfv: { evaluator, cipher, galoisKeys } }) => evaluator.rotateRows(cipher, 2048, galoisKeys),
  'steps in a string': ({ bfv: { evaluator, cipher, galoisKeys } }) => evaluator.rotateRows(cipher, '1', galoisKeys),
  'empty Galois keys': ({ bfv: { evaluator, cipher }, seal }) => evaluator.rotateRows(cipher, 1, seal.GaloisKeys()),
  'a rotation without its key': ({ bfv: { evaluator, cipher, generator } }) => evaluator.rotateRows(cipher, 7, generator.createGaloisKeys(Int32Array.of(1))),
  'a rotation of a product': ({ bfv: { evaluator, cipher, galoisKeys } }) => evaluator.rotateRows(evaluator.square(cipher), 1, galoisKeys),
  'columns of a product': ({ bfv: { evaluator, cipher, galoisKeys } }) => evaluator.rotateColumns(evaluator.square(cipher), galoisKeys),
  'an automorphism of a product': ({ bfv: { evaluator, cipher, galoisKeys } }) => evaluator.applyGalois(evaluator.square(cipher), 3, galoisKeys),
  'a vector of a product': ({ ckks: { evaluator, cipher, galoisKeys } }) => evaluator.rotateVector(evaluator.square(cipher), 1, galoisKeys),
  'a conjugate of a product': ({ ckks: { evaluator, cipher, galoisKeys } }) => evaluator.complexConjugate(evaluator.square(cipher), galoisKeys),
  ...Object.fromEntries([0, 1, 2, 5, -1, 8193].map((element) =>
    [`Galois element ${element}`, ({ bfv: { evaluator, cipher, galoisKeys } }) => evaluator.applyGalois(cipher, element, galoisKeys)])),
  'relinearizing what needs it not': ({ bfv: { evaluator, cipher, relinKeys } }) => evaluator.relinearize(cipher, relinKeys),
  'empty relinearization keys': ({ bfv: { evaluator, cipher }, seal }) => evaluator.relinearize(cipher, seal.RelinKeys()),
  'too few relinearization keys': ({ bfv: { evaluator, cipher, relinKeys } }) => evaluator.relinearize(evaluator.multiply(evaluator.square(cipher), cipher), relinKeys),
  'rescaling in BFV': ({ bfv: { evaluator, cipher } }) => evaluator.rescaleToNext(cipher),
  'rescaling to a level in BFV': ({ bfv: { evaluator, cipher, context } }) => evaluator.rescaleTo(cipher, context.lastParmsId),
  'rescaling in BGV': ({ bgv: { evaluator, cipher } }) => evaluator.rescaleToNext(cipher),
  'rescaling too far': ({ ckks: { evaluator, cipher } }) => evaluator.rescaleToNext(evaluator.rescaleToNext(cipher)),
  'rescaling upwards': ({ ckks: { evaluator, cipher, context } }) => evaluator.rescaleTo(cipher, context.keyParmsId),
  'rescaling to where it is': ({ ckks: { evaluator, cipher, context } }) => evaluator.rescaleTo(cipher, context.firstParmsId).scale,
  'rescaling to an unknown level': ({ ckks: { evaluator, cipher }, bfv }) => evaluator.rescaleTo(cipher, bfv.context.firstParmsId),
  'NTT form twice': ({ bfv: { evaluator, cipher } }) => evaluator.cipherTransformToNtt(evaluator.cipherTransformToNtt(cipher)),
  'NTT form in CKKS': ({ ckks: { evaluator, cipher } }) => evaluator.cipherTransformToNtt(cipher),
  'coefficients of coefficients': ({ bfv: { evaluator, cipher } }) => evaluator.cipherTransformFromNtt(cipher),
  'a sum in two forms': ({ bfv: { evaluator, cipher } }) => evaluator.add(evaluator.cipherTransformToNtt(cipher), cipher),
  'a product in NTT form': ({ bfv: { evaluator, cipher } }) => evaluator.multiply(evaluator.cipherTransformToNtt(cipher), cipher),
  'a square in NTT form': ({ bfv: { evaluator, cipher } }) => evaluator.square(evaluator.cipherTransformToNtt(cipher)),
  'a plaintext in coefficients for an NTT form': ({ bfv: { evaluator, cipher, plain } }) => evaluator.multiplyPlain(evaluator.cipherTransformToNtt(cipher), plain),
  'a plaintext in NTT form for coefficients': ({ bfv: { evaluator, cipher }, ntt }) => evaluator.multiplyPlain(cipher, ntt()).isNttForm,
  'a sum with a plaintext in NTT form': ({ bfv: { evaluator, cipher }, ntt }) => evaluator.addPlain(cipher, ntt()),
  'a sum in NTT form with a plaintext': ({ bfv: { evaluator, cipher, plain } }) => evaluator.subPlain(evaluator.cipherTransformToNtt(cipher), plain),
  'a sum in BGV with a plaintext in NTT form': ({ bgv: { evaluator, cipher, plain, context } }) => evaluator.addPlain(cipher, evaluator.plainTransformToNtt(plain, context.firstParmsId)),
  'a plaintext in NTT form twice': ({ bfv: { evaluator, context }, ntt }) => evaluator.plainTransformToNtt(ntt(), context.firstParmsId),
  'a plaintext at an empty level': ({ bfv: { evaluator, plain }, seal }) => evaluator.plainTransformToNtt(plain, seal.ParmsIdType()),
  'a plaintext at an unknown level': ({ bfv: { evaluator, plain }, ckks }) => evaluator.plainTransformToNtt(plain, ckks.context.firstParmsId),
  'switching too far': ({ bfv: { evaluator, cipher } }) => evaluator.cipherModSwitchToNext(evaluator.cipherModSwitchToNext(cipher)),
  'switching upwards': ({ bfv: { evaluator, cipher, context } }) => evaluator.cipherModSwitchTo(cipher, context.keyParmsId),
  'switching to where it is': ({ bfv: { evaluator, cipher, context } }) => evaluator.cipherModSwitchTo(cipher, context.firstParmsId),
  'switching to an unknown level': ({ bfv: { evaluator, cipher }, ckks }) => evaluator.cipherModSwitchTo(cipher, ckks.context.firstParmsId),
  'dropping too far': ({ ckks: { evaluator, cipher } }) => evaluator.modReduceToNext(evaluator.modReduceToNext(cipher)),
  'dropping upwards': ({ bfv: { evaluator, cipher, context } }) => evaluator.modReduceTo(cipher, context.keyParmsId),
  'a sum over levels': ({ bfv: { evaluator, cipher } }) => evaluator.add(cipher, evaluator.cipherModSwitchToNext(cipher)),
  'a product over levels': ({ bfv: { evaluator, cipher } }) => evaluator.multiply(cipher, evaluator.cipherModSwitchToNext(cipher)),
  'switching a plaintext of coefficients': ({ bfv: { evaluator, plain } }) => evaluator.plainModSwitchToNext(plain),
  'switching a plaintext of coefficients to a level': ({ bfv: { evaluator, plain, context } }) => evaluator.plainModSwitchTo(plain, context.lastParmsId),
  'switching a plaintext too far': ({ bfv: { evaluator }, ntt }) => evaluator.plainModSwitchToNext(evaluator.plainModSwitchToNext(ntt())),
  'switching a plaintext upwards': ({ ckks: { evaluator, plain, context } }) => evaluator.plainModSwitchTo(plain, context.keyParmsId),
  'switching a plaintext to an unknown level': ({ ckks: { evaluator, plain }, bfv }) => evaluator.plainModSwitchTo(plain, bfv.context.firstParmsId),
  'a product of too many polynomials': ({ bfv: { evaluator, cipher } }) => {
    let power = cipher
    for (let count = 0; count < 5; count++) power = evaluator.multiply(power, power)
  },
  'different scales': ({ ckks: { evaluator, cipher, encryptor, encoder } }) => evaluator.add(cipher, encryptor.encrypt(encoder.encode(Float64Array.of(1), 2 ** 21))),
  'a plaintext of another scale': ({ ckks: { evaluator, cipher, encoder } }) => evaluator.addPlain(cipher, encoder.encode(Float64Array.of(1), 2 ** 21)),
  'a plaintext of BFV in a sum': ({ ckks: { evaluator, cipher }, bfv }) => evaluator.addPlain(cipher, bfv.plain),
  'a plaintext of BFV in a product': ({ ckks: { evaluator, cipher }, bfv }) => evaluator.multiplyPlain(cipher, bfv.plain),
  'a sum with a plaintext of another level': ({ ckks: { evaluator, cipher, plain } }) => evaluator.addPlain(evaluator.cipherModSwitchToNext(cipher), plain),
  'a product with a plaintext of another level': ({ ckks: { evaluator, cipher, plain } }) => evaluator.multiplyPlain(evaluator.cipherModSwitchToNext(cipher), plain),
  ...Object.fromEntries(['multiply', 'square', 'multiplyPlain'].map((operation) =>
    [`too large a scale for ${operation}`, ({ ckks: { evaluator, encryptor, encoder } }) => {
      const plain = encoder.encode(Float64Array.of(1), 2 ** 40)
      const cipher = encryptor.encrypt(plain)
      return operation === 'square' ? evaluator.square(cipher) : evaluator[operation](cipher, operation === 'multiply' ? cipher : plain)
    }])),
  'a sum of slots with the wrong scheme': ({ bfv: { evaluator, cipher, galoisKeys }, seal }) => evaluator.sumElements(cipher, galoisKeys, seal.SchemeType.ckks),
  'a sum of slots with no scheme': ({ bfv: { evaluator, cipher, galoisKeys }, seal }) => evaluator.sumElements(cipher, galoisKeys, seal.SchemeType.none),
  'a sum of slots without a scheme': ({ bfv: { evaluator, cipher, galoisKeys } }) => evaluator.sumElements(cipher, galoisKeys),
  'a sum of slots with a null scheme': ({ bfv: { evaluator, cipher, galoisKeys } }) => evaluator.sumElements(cipher, galoisKeys, null),
  'a sum of slots as in BFV in CKKS': ({ ckks: { evaluator, cipher, galoisKeys }, seal }) => evaluator.sumElements(cipher, galoisKeys, seal.SchemeType.bfv),
}

const OBJECTS = {
  'a deleted ciphertext has no size': ({ deleted }) => deleted.size,
  'a deleted ciphertext is not saved': ({ deleted }) => deleted.save(),
  'a deleted ciphertext has no clone': ({ deleted }) => deleted.clone(),
  'a deleted ciphertext is not copied': ({ deleted, seal }) => seal.CipherText().copy(deleted),
  'a plaintext is not copied to a ciphertext': ({ bfv, seal }) => seal.CipherText().copy(bfv.plain),
  'a plaintext is not moved to a ciphertext': ({ bfv, seal }) => seal.CipherText().move(bfv.plain),
  'null is not copied': ({ seal }) => seal.CipherText().copy(null),
  ...Object.fromEntries([1, 0, 17, -1, 3, '4'].flatMap((size) => [
    [`a ciphertext of size ${JSON.stringify(size)}`, ({ bfv }) => {
      const cipher = bfv.cipher.clone()
      cipher.resize(size)
      return [cipher.size, cipher.sizeCapacity, cipher.isTransparent]
    }],
    [`a ciphertext of capacity ${JSON.stringify(size)}`, ({ bfv: { context }, seal }) => {
      const cipher = seal.CipherText({ context, parmsId: context.lastParmsId, sizeCapacity: size })
      return [cipher.size, cipher.sizeCapacity, cipher.coeffModulusSize, cipher.polyModulusDegree, cipher.isNttForm]
    }],
    [`a ciphertext that reserves ${JSON.stringify(size)}`, ({ bfv: { context }, seal }) => {
      const cipher = seal.CipherText()
      cipher.reserve(context, size)
      return [cipher.size, cipher.sizeCapacity, cipher.coeffModulusSize, cipher.parmsId.values]
    }],
    [`a plaintext of ${JSON.stringify(size)}`, ({ seal }) => [seal.PlainText({ coeffCount: size }).coeffCount, seal.PlainText({ coeffCount: size }).capacity]],
    [`a plaintext that reserves ${JSON.stringify(size)}`, ({ seal }) => {
      const plain = seal.PlainText({ coeffCount: 2 })
      plain.reserve(size)
      return [plain.coeffCount, plain.capacity]
    }],
    [`a plaintext resized to ${JSON.stringify(size)}`, ({ bfv }) => {
      const plain = bfv.plain.clone()
      plain.resize(size)
      return [plain.coeffCount, plain.capacity, plain.toPolynomial(), plain.nonzeroCoeffCount]
    }],
  ])),
  'a ciphertext with a capacity alone': ({ seal }) => seal.CipherText({ sizeCapacity: 5 }),
  'a ciphertext from null': ({ seal }) => seal.CipherText(null),
  'a ciphertext for an invalid context': ({ seal, invalid }) => seal.CipherText({ context: invalid }),
  'a ciphertext at an unknown level': ({ bfv: { context }, ckks, seal }) => seal.CipherText({ context, parmsId: ckks.context.firstParmsId }),
  'a ciphertext with a null pool': ({ seal }) => seal.CipherText({ pool: null }),
  'a ciphertext that is released': ({ bfv }) => {
    const cipher = bfv.cipher.clone()
    cipher.release()
    return [cipher.size, cipher.sizeCapacity, cipher.parmsId.values, cipher.scale, cipher.isTransparent]
  },
  'zeros decrypt': ({ bfv: { context, decryptor }, seal }) => {
    const cipher = seal.CipherText({ context })
    cipher.resize(2)
    return decryptor.decrypt(cipher).toPolynomial()
  },
  ...Object.fromEntries(['bfv', 'bgv', 'ckks'].flatMap((scheme) => Object.entries({
    decrypt: ({ decryptor }, zeros) => decryptor.decrypt(zeros).isZero,
    budget: ({ decryptor }, zeros) => decryptor.invariantNoiseBudget(zeros) > 0,
    negate: ({ evaluator }, zeros) => evaluator.negate(zeros),
    add: ({ evaluator, cipher }, zeros) => evaluator.add(zeros, cipher).isNttForm,
    square: ({ evaluator }, zeros) => evaluator.square(zeros),
    multiply: ({ evaluator, cipher }, zeros) => evaluator.multiply(zeros, cipher),
    addPlain: ({ evaluator, plain }, zeros) => evaluator.addPlain(zeros, plain),
    cipherModSwitchToNext: ({ evaluator }, zeros) => evaluator.cipherModSwitchToNext(zeros),
    cipherTransformToNtt: ({ evaluator }, zeros) => evaluator.cipherTransformToNtt(zeros),
    look: (own, zeros) => [zeros.isNttForm, zeros.size, zeros.isTransparent],
  }).map(([name, call]) => [`${scheme} zeros: ${name}`, (all) => {
    const zeros = all.seal.CipherText({ context: all[scheme].context })
    zeros.resize(2)
    return call(all[scheme], zeros)
  }]))),
  'nothing does not decrypt': ({ bfv: { context, decryptor }, seal }) => decryptor.decrypt(seal.CipherText({ context })),
  'a scale in BFV': ({ bfv: { cipher, evaluator } }) => {
    const scaled = cipher.clone()
    scaled.setScale(2)
    return evaluator.negate(scaled)
  },
  'a scale of 0': ({ ckks: { cipher, evaluator } }) => {
    const scaled = cipher.clone()
    scaled.setScale(0)
    return evaluator.negate(scaled)
  },
  'a scale in a string': ({ ckks: { cipher } }) => {
    const scaled = cipher.clone()
    scaled.setScale('2')
    return scaled.scale
  },
  'a scale too large to decode': ({ ckks: { cipher, decryptor, encoder } }) => {
    const scaled = cipher.clone()
    scaled.setScale(2 ** 200)
    return encoder.decode(decryptor.decrypt(scaled))
  },
  'a plaintext with a capacity alone': ({ seal }) => seal.PlainText({ capacity: 10 }),
  'a plaintext larger than its capacity': ({ seal }) => seal.PlainText({ capacity: 2, coeffCount: 5 }),
  'a plaintext larger than memory': ({ seal }) => seal.PlainText({ coeffCount: 1e9 }),
  'a plaintext in NTT form is not resized': ({ ckks }) => ckks.plain.clone().resize(3),
  'a plaintext in NTT form has no polynomial': ({ ckks }) => ckks.plain.toPolynomial(),
  'a plaintext in NTT form set to zero': ({ ckks }) => {
    const plain = ckks.plain.clone()
    plain.setZero()
    return [plain.isZero, plain.isNttForm, plain.coeffCount, plain.scale]
  },
  'a plaintext that shrinks': ({ seal }) => {
    const plain = seal.PlainText({ capacity: 10, coeffCount: 5 })
    plain.shrinkToFit()
    return [plain.capacity, plain.coeffCount, plain.isZero, plain.significantCoeffCount]
  },
  'a plaintext that is released': ({ ckks }) => {
    const plain = ckks.plain.clone()
    plain.release()
    return [plain.capacity, plain.coeffCount, plain.isNttForm, plain.scale]
  },
  'a plaintext moved to itself': ({ bfv }) => {
    const plain = bfv.plain.clone()
    plain.move(plain)
    return plain.instance
  },
  'keys of other kinds are not injected': ({ bfv, seal }) => String(outcome(() => seal.SecretKey().inject(bfv.publicKey.instance))),
  'Galois keys are injected': ({ bfv, seal }) => {
    const keys = seal.GaloisKeys()
    keys.inject(bfv.galoisKeys.instance)
    return keys.size
  },
  ...Object.fromEntries([0, 1, 2, 3, 5, -1, 99999, '3', undefined].flatMap((number) => [
    [`Galois key ${number}`, ({ bfv }) => bfv.galoisKeys.hasKey(number)],
    [`index of Galois key ${number}`, ({ bfv }) => bfv.galoisKeys.getIndex(number)],
    [`relinearization key ${number}`, ({ bfv }) => bfv.relinKeys.hasKey(number)],
    [`index of relinearization key ${number}`, ({ bfv }) => bfv.relinKeys.getIndex(number)],
  ])),
  'nothing is serializable': ({ seal }) => seal.Serializable().save(),
}

const SETTINGS = {
  'no context': ({ seal }) => seal.Context(),
  'a context of a context': ({ seal, bfv }) => seal.Context(bfv.context),
  'a context of nothing': ({ seal }) => seal.Context(seal.EncryptionParameters()).parametersSet(),
  'an unknown level of security': ({ seal, bfv }) => seal.Context(bfv.parameters, true, 5).keyContextData.qualifiers.securityLevel,
  'too much security': ({ seal, bfv }) => {
    const context = seal.Context(bfv.parameters, true, seal.SecurityLevel.tc256)
    const { qualifiers } = context.keyContextData
    return [context.parametersSet(), context.usingKeyswitching, context.firstParmsId.values, qualifiers.usingFFT, qualifiers.usingNTT,
      qualifiers.securityLevel, context.toHuman()]
  },
  ...Object.fromEntries(['KeyGenerator', 'Evaluator', 'BatchEncoder', 'CKKSEncoder', 'Encryptor', 'Decryptor'].map((name) =>
    [`${name} for an invalid context`, ({ seal, invalid, bfv }) => seal[name](invalid, name === 'Decryptor' ? bfv.secretKey : bfv.publicKey)])),
  'loading for an invalid context': ({ seal, invalid, bfv }) => seal.CipherText().load(invalid, bfv.cipher.save()),
  'a CKKS encoder in BFV': ({ seal, bfv }) => seal.CKKSEncoder(bfv.context),
  'a batch encoder in CKKS': ({ seal, ckks }) => seal.BatchEncoder(ckks.context),
  'an encryptor without a key': ({ seal, bfv }) => seal.Encryptor(bfv.context, seal.PublicKey()),
  'an encryptor with a null key': ({ seal, bfv }) => seal.Encryptor(bfv.context, null),
  'an encryptor with a secret for a public key': ({ seal, bfv }) => seal.Encryptor(bfv.context, bfv.secretKey),
  'an encryptor with an empty secret key': ({ seal, bfv }) => seal.Encryptor(bfv.context, bfv.publicKey, seal.SecretKey()),
  'an encryptor with a null secret key': ({ seal, bfv }) => seal.Encryptor(bfv.context, bfv.publicKey, null),
  'a decryptor without a key': ({ seal, bfv }) => seal.Decryptor(bfv.context, seal.SecretKey()),
  'a generator with an empty key': ({ seal, bfv }) => seal.KeyGenerator(bfv.context, seal.SecretKey()),
  'symmetric encryption without a key': ({ seal, bfv }) => seal.Encryptor(bfv.context, bfv.publicKey).encryptSymmetric(bfv.plain),
  'encrypting a ciphertext': ({ bfv }) => bfv.encryptor.encrypt(bfv.cipher),
  'encrypting nothing': ({ bfv, seal }) => bfv.encryptor.encrypt(seal.PlainText()),
  'encrypting too much': ({ bfv, seal }) => bfv.encryptor.encrypt(seal.PlainText({ coeffCount: 5000 })),
  'encrypting an NTT form': ({ bfv, ntt }) => bfv.encryptor.encrypt(ntt()),
  'encrypting for another scheme': ({ bfv, ckks }) => [outcome(() => ckks.encryptor.encrypt(bfv.plain)), outcome(() => bfv.encryptor.encrypt(ckks.plain))],
  'decrypting a plaintext': ({ bfv }) => bfv.decryptor.decrypt(bfv.plain),
  'decrypting an NTT form': ({ bfv }) => bfv.decryptor.decrypt(bfv.evaluator.cipherTransformToNtt(bfv.cipher)),
  'a budget in CKKS': ({ ckks }) => ckks.decryptor.invariantNoiseBudget(ckks.cipher),
  'a budget of an NTT form': ({ bfv }) => bfv.decryptor.invariantNoiseBudget(bfv.evaluator.cipherTransformToNtt(bfv.cipher)),
  'a budget of nothing': ({ bfv, seal }) => bfv.decryptor.invariantNoiseBudget(seal.CipherText()),
  ...Object.fromEntries(['createRelinKeys', 'createGaloisKeys', 'createRelinKeysSerializable', 'createGaloisKeysSerializable'].map((name) =>
    [`${name} without key switching`, ({ small }) => small.generator[name]()])),
  'steps in an array': ({ bfv }) => bfv.generator.createGaloisKeys([1, 2]).size,
  'steps twice': ({ bfv }) => bfv.generator.createGaloisKeys(Int32Array.of(1, 1, 0)).size,
  'steps of null': ({ bfv }) => bfv.generator.createGaloisKeys(null).size,
  'too large steps': ({ bfv }) => bfv.generator.createGaloisKeys(Int32Array.of(4096)),
  ...Object.fromEntries([0n, 1n, 5n, 5, '5', -1n, 1n << 61n, (1n << 61n) - 1n, (1n << 64n) + 5n, undefined, null, 1.5].map((value) =>
    [`modulus ${value}`, ({ seal }) => {
      const modulus = seal.Modulus(value)
      return [modulus.value, modulus.bitCount, modulus.isZero, modulus.isPrime]
    }])),
  ...Object.fromEntries([0, 3, 1024, 4096, '4096', 100, -4096, 131072].flatMap((degree) => [
    [`primes for degree ${degree}`, ({ seal }) => seal.CoeffModulus.Create(degree, Int32Array.of(30, 40)).toArray()],
    [`default primes for degree ${degree}`, ({ seal }) => seal.CoeffModulus.BFVDefault(degree).toArray()],
    [`most bits for degree ${degree}`, ({ seal }) => seal.CoeffModulus.MaxBitCount(degree, seal.SecurityLevel.tc192)],
    [`plain modulus for degree ${degree}`, ({ seal }) => seal.PlainModulus.Batching(degree, 20).value],
  ])),
  ...Object.fromEntries([61, 60, 10, 2, 1, -1].flatMap((bits) => [
    [`primes of ${bits} bits`, ({ seal }) => seal.CoeffModulus.Create(4096, Int32Array.of(bits)).toArray()],
    [`plain modulus of ${bits} bits`, ({ seal }) => seal.PlainModulus.Batching(4096, bits).value],
  ])),
  'no sizes': ({ seal }) => seal.CoeffModulus.Create(4096, Int32Array.of()).size,
  'sizes in an array': ({ seal }) => seal.CoeffModulus.Create(4096, [36]),
  'sizes of null': ({ seal }) => seal.CoeffModulus.Create(4096, null),
  'plain sizes in an array': ({ seal }) => seal.PlainModulus.BatchingVector(4096, [20]),
  'plain sizes as numbers': ({ seal }) => seal.PlainModulus.BatchingVector(4096, Float64Array.of(20)),
  'most bits without security': ({ seal }) => seal.CoeffModulus.MaxBitCount(4096, seal.SecurityLevel.none),
  'default primes without security': ({ seal }) => seal.CoeffModulus.BFVDefault(4096, seal.SecurityLevel.none),
  'security of null': ({ seal }) => seal.CoeffModulus.MaxBitCount(4096, null),
  ...Object.fromEntries([5, -5, '8', 1.5, 2 ** 40].map((degree) => [`setting degree ${degree}`, ({ parameters }) => {
    const values = parameters('bfv')
    values.setPolyModulusDegree(degree)
    return values.polyModulusDegree
  }])),
  'a degree without a scheme': ({ parameters }) => parameters('none').setPolyModulusDegree(4),
  'primes without a scheme': ({ parameters, seal }) => parameters('none').setCoeffModulus(seal.CoeffModulus.BFVDefault(4096)),
  'a plain modulus without a scheme': ({ parameters, seal }) => parameters('none').setPlainModulus(seal.Modulus(5n)),
  'a plain modulus in CKKS': ({ parameters, seal }) => parameters('ckks').setPlainModulus(seal.Modulus(5n)),
  'no primes': ({ parameters, seal }) => parameters('bfv').setCoeffModulus(seal.CoeffModulus.Create(4096, Int32Array.of())),
  'primes in a vector of numbers': ({ parameters, seal }) => {
    const vector = seal.Vector()
    vector.from(Int32Array.of(5))
    return parameters('bfv').setCoeffModulus(vector)
  },
  'primes in an array': ({ parameters }) => parameters('bfv').setCoeffModulus([5n]),
  'a number as plain modulus': ({ parameters }) => parameters('bfv').setPlainModulus(5),
  'null as scheme': ({ seal }) => seal.EncryptionParameters(null).scheme,
  'a string as scheme': ({ seal }) => seal.EncryptionParameters('bfv').scheme,
  ...Object.fromEntries(['none', 'bfv', 'ckks', 'bgv'].map((scheme) => [`name of empty ${scheme}`, ({ parameters }) => parameters(scheme).parmsId.values])),
  'Exception.safe': ({ seal: { Exception } }) => ['abc', '', undefined, new RangeError('x'), {}].map((error) => `${Exception.safe(error).name}: ${Exception.safe(error).message}`),
}

const VALUES = {
  'too many values': ({ bfv }) => bfv.encoder.encode(new Int32Array(4097)),
  'values in an array': ({ bfv }) => bfv.encoder.encode([1]),
  'real values': ({ bfv }) => bfv.encoder.encode(Float64Array.of(1)),
  'null values': ({ bfv }) => bfv.encoder.encode(null),
  'no values': ({ bfv }) => [bfv.encoder.encode(Int32Array.of()).coeffCount, bfv.encoder.encode(Int32Array.of()).isZero],
  'values a little too large': ({ bfv }) => bfv.encoder.decode(bfv.encoder.encode(Int32Array.of(1032193 + 5, -600000, 516096, 516097))),
  'unsigned values': ({ bfv }) => bfv.encoder.decode(bfv.encoder.encode(Uint32Array.of(1032192, 5)), false),
  'a ciphertext as destination': ({ bfv }) => bfv.encoder.encode(Int32Array.of(1), bfv.cipher),
  'decoding an NTT form': ({ bfv, ckks }) => bfv.encoder.decode(ckks.plain),
  'decoding a ciphertext': ({ bfv }) => bfv.encoder.decode(bfv.cipher),
  'decoding null': ({ bfv }) => bfv.encoder.decode(null),
  'decoding nothing': ({ bfv, seal }) => bfv.encoder.decode(seal.PlainText()),
  'decoding too much': ({ bfv, seal }) => bfv.encoder.decode(seal.PlainText({ coeffCount: 5000 })),
  'decoding with null for signed': ({ bfv }) => bfv.encoder.decode(bfv.plain, null),
  'decoding with a pool that is none': ({ bfv }) => bfv.encoder.decode(bfv.plain, true, {}),
  'decoding large values': ({ bfv }) => [bfv.encoder.decodeBigInt(bfv.encoder.encode(BigInt64Array.of(-5n))), bfv.encoder.decodeBigInt(bfv.encoder.encode(BigInt64Array.of(-5n)), false)],
  'reals in an array': ({ ckks }) => ckks.encoder.encode([1], 2 ** 20),
  ...Object.fromEntries([0, -1, 2 ** 80, 2 ** 72, 2 ** 71, 2 ** 70, 2 ** -5, '1048576'].map((scale) =>
    [`scale ${scale}`, ({ ckks }) => ckks.encoder.encode(Float64Array.of(0.0001), scale).scale])),
  'too large reals': ({ ckks }) => ckks.encoder.encode(Float64Array.of(1e30), 2 ** 20),
  'too many reals': ({ ckks }) => ckks.encoder.encode(new Float64Array(2049), 2 ** 20),
  'decoding integers as reals': ({ ckks, bfv }) => ckks.encoder.decode(bfv.plain),
  ...Object.fromEntries([Uint8Array, Int32Array, Uint32Array, Float64Array, BigInt64Array, BigUint64Array].map((Type) =>
    [`a vector of ${Type.name}`, ({ seal }) => {
      const vector = seal.Vector()
      const one = Type.name.startsWith('Big') ? 1n : 1
      const returned = vector.from(Type.of(one, one))
      vector.resize(4, Type.name.startsWith('Big') ? 7n : 7)
      return [returned, vector.type, vector.size, vector.getValue(0), vector.getValue(9), vector.toArray()]
    }])),
  'a vector of bytes with signs': ({ seal }) => seal.Vector().from(Int8Array.of(1)),
  'a vector of an array': ({ seal }) => seal.Vector().from([1]),
  'a vector of null': ({ seal }) => seal.Vector().from(null),
  'a vector of an unknown type': ({ seal }) => seal.Vector().from(Int32Array.of(1), 'foo'),
  'a vector as another type': ({ seal }) => {
    const vector = seal.Vector()
    vector.from(Float64Array.of(1.5, -2.7), 'Int32Array')
    return [vector.type, vector.toArray()]
  },
  'the type of a vector is not that of its values': ({ seal }) => {
    const vector = seal.Vector()
    vector.from(Int32Array.of(1))
    vector.setType('Uint32Array')
    return vector.toArray()
  },
  'an empty vector': ({ seal }) => ['type', 'instance'].map((name) => seal.Vector()[name]),
  'an empty vector has no size': ({ seal }) => seal.Vector().size,
  'an empty vector is no array': ({ seal }) => seal.Vector().toArray(),
  'a vector that cannot grow so': ({ seal }) => {
    const vector = seal.Vector()
    vector.from(Int32Array.of(1))
    vector.resize(-1, 0)
  },
  'a modulus of a vector': ({ seal }) => seal.CoeffModulus.BFVDefault(4096).getValue(1).value(),
}

const FILES = {
  'bytes that are no file': ({ seal }) => seal.Modulus(5n).loadArray(Uint8Array.of(1, 2, 3)),
  'text that is no file': ({ seal }) => ['abc', ''].map((text) => outcome(() => seal.Modulus(5n).load(text))),
  'no text': ({ seal }) => [undefined, 5].map((text) => outcome(() => seal.Modulus(5n).load(text))),
  'bytes of null': ({ seal }) => seal.Modulus(5n).loadArray(null),
  'bytes in an array': ({ seal }) => {
    const modulus = seal.Modulus(5n)
    modulus.loadArray([...seal.Modulus(65537n).saveArray(seal.ComprModeType.none)])
    return modulus.value
  },
  'bytes in a buffer': ({ seal }) => {
    const modulus = seal.Modulus(5n)
    modulus.loadArray(Buffer.from(seal.Modulus(65537n).saveArray()))
    return modulus.value
  },
  'a null compression': ({ seal }) => seal.Modulus(5n).save(null),
  'a compression that is none': ({ seal }) => seal.Modulus(5n).save(5),
  'a file of another scheme': ({ seal, bfv, ckks }) => seal.CipherText().load(ckks.context, bfv.cipher.save()),
  'a null context': ({ seal, bfv }) => seal.CipherText().load(null, bfv.cipher.save()),
  'a file without a context': ({ seal, bfv }) => seal.CipherText().load(bfv.cipher.save()),
  ...Object.fromEntries([[0, 'magic'], [4, 'version'], [5, 'compression'], [20, 'level'], [206, 'words']].map(([at, what]) =>
    [`a damaged ${what}`, ({ seal, bfv }) => {
      const bytes = bfv.cipher.saveArray(seal.ComprModeType.none)
      bytes.fill(255, at, at + 2)
      seal.CipherText().loadArray(bfv.context, bytes)
    }])),
  'keys of another scheme': ({ seal, bfv, ckks }) => ['publicKey', 'secretKey', 'relinKeys'].map((name) =>
    outcome(() => seal[name[0].toUpperCase() + name.slice(1)]().load(ckks.context, bfv[name].save()))),
  'an empty ciphertext': ({ seal, bfv }) => seal.CipherText().load(bfv.context, seal.CipherText().save()),
  'an empty plaintext': ({ seal, bfv }) => seal.PlainText().load(bfv.context, seal.PlainText().save()),
  'an empty public key': ({ seal, bfv }) => seal.PublicKey().load(bfv.context, seal.PublicKey().save()),
  'a plaintext of another scheme': ({ seal, bfv, ckks }) => seal.PlainText().load(bfv.context, ckks.plain.save()),
  'a plaintext with too large a word': ({ seal, bfv }) => {
    const bytes = bfv.plain.saveArray(seal.ComprModeType.none)
    bytes.fill(255, 100, 108)
    seal.PlainText().loadArray(bfv.context, bytes)
  },
  'a public key for a secret one': ({ seal, bfv }) => seal.SecretKey().load(bfv.context, bfv.publicKey.save()),
  'a modulus for parameters': ({ seal }) => seal.EncryptionParameters().load(seal.Modulus(5n).save()),
}

let worlds
const both = async () => worlds ??= [world(await real()()), world(await ours()())]

for (const [group, calls] of Object.entries({ EVALUATOR, OBJECTS, SETTINGS, VALUES, FILES })) {
  test(`${group.toLowerCase()}: ${Object.keys(calls).length} calls at the edges`, { skip }, async () => {
    const [theirs, mine] = await both()
    const differences = []
    for (const [name, call] of Object.entries(calls)) {
      const [expected, got] = [outcome(() => call(theirs)), outcome(() => call(mine))]
      try {
        assert.deepEqual(got, expected)
      } catch {
        differences.push({ name, got, expected })
      }
    }
    assert.deepEqual(differences, [])
  })
}
