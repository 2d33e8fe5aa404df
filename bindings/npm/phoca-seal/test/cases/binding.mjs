// Uses of handles, arguments and constructors, right and wrong. Each gives the same in node-seal 7.

/** @yields {[string, () => unknown]} what is tried, and the call */
export function* bindingCases(seal, { bfv }) {
  const { cipher, plain, publicKey, secretKey, context, evaluator, relinKeys } = bfv
  const out = new seal.Ciphertext()
  const dead = new seal.Ciphertext()
  dead.delete()

  const strange = {
    missing: undefined, null: null, number: 5, text: 'abc', object: {}, array: [1, 2], bigint: 5n, bytes: new Uint8Array(2),
    plaintext: plain, deleted: dead, symbol: Symbol('x'), boolean: true,
  }
  for (const [name, value] of Object.entries(strange)) {
    yield [`add(${name}, …)`, () => evaluator.add(value, cipher, out)]
    yield [`add(…, ${name})`, () => evaluator.add(cipher, cipher, value)]
    yield [`new Evaluator(${name})`, () => new seal.Evaluator(value)]
    yield [`new Plaintext(${name})`, () => new seal.Plaintext(value).coeffCount()]
    yield [`new Modulus(${name})`, () => new seal.Modulus(value).value()]
    yield [`MaxBitCount(${name})`, () => seal.CoeffModulus.MaxBitCount(value, seal.SecLevelType.tc128)]
    yield [`Create(${name})`, () => seal.CoeffModulus.Create(4096, value)]
    yield [`hash(${name})`, () => seal.UtilHashFunction.hash(value)]
    yield [`encode(${name})`, () => bfv.encoder.encode(value, new seal.Plaintext())]
    yield [`loadFromArray(${name})`, () => new seal.Plaintext().loadFromArray(context, value)]
    yield [`setScale(${name})`, () => { const copy = cipher.copy(); copy.setScale(value); return copy.scale() }]
    yield [`jsArrayFromVecModulus(${name})`, () => seal.jsArrayFromVecModulus(value)]
    yield [`vecFromArrayModulus(${name})`, () => seal.vecFromArrayModulus(value).size()]
    yield [`isAliasOf(${name})`, () => cipher.isAliasOf(value)]
    yield [`isAliasOf of ${name}`, () => seal.Ciphertext.prototype.isAliasOf.call(value, cipher)]
    yield [`method of ${name}`, () => seal.Evaluator.prototype.add.call(value ?? 5, cipher, cipher, out)]
    yield [`GetPool(${name})`, () => seal.MemoryManager.GetPool(value)]
    yield [`setPolyModulusDegree(${name})`, () => {
      const parms = new seal.EncryptionParameters(seal.SchemeType.bfv)
      parms.setPolyModulusDegree(value)
      return parms.polyModulusDegree()
    }]
  }
  yield ['too few', () => evaluator.add(cipher, cipher)]
  yield ['too many', () => evaluator.add(cipher, cipher, out, 1)]
  yield ['unbound', () => { const { add } = evaluator; return add(cipher, cipher, out) }]

  for (const method of Object.keys(seal.Ciphertext.prototype).sort()) yield [`deleted.${method}()`, () => dead[method]()]
  for (const method of ['isAliasOf', 'clone', 'delete', 'isDeleted', 'deleteLater']) yield [`deleted.${method}()`, () => dead[method](cipher)]
  for (const [name, Class] of Object.entries(seal).sort(([a], [b]) => a < b ? -1 : 1)) {
    if (typeof Class !== 'function' || !/^[A-Z]/.test(name) || 'values' in Class) continue
    for (const count of [0, 1, 2, 3, 4]) {
      // Right counts fail for the type of the first argument.
      yield [`new ${name} with ${count}`, () => new Class(...new Array(count).fill({}))]
    }
    yield [`${name}()`, () => Class.call(undefined)]
    yield [`${name}.call({})`, () => Class.call({})]
    for (const method of Object.keys(Class.prototype).sort()) {
      if (typeof Object.getOwnPropertyDescriptor(Class.prototype, method).value !== 'function') continue
      yield [`${name}.prototype.${method}.call({})`, () => Class.prototype[method].call({})]
    }
  }
  yield ['Encryptor of a secret key', () => new seal.Encryptor(context, secretKey)]
  yield ['Encryptor with keys swapped', () => new seal.Encryptor(context, secretKey, publicKey)]

  yield ['clone', () => {
    const clone = cipher.clone()
    return [clone.isAliasOf(cipher), clone === cipher, clone instanceof seal.Ciphertext, clone.size()]
  }]
  yield ['clones share', () => {
    const one = new seal.Plaintext(5)
    const two = one.clone()
    two.resize(7)
    one.delete()
    return [one.isDeleted(), two.isDeleted(), two.coeffCount(), two.isAliasOf(one)]
  }]
  yield ['copies do not', () => {
    const one = new seal.Plaintext(5)
    const two = one.copy()
    two.resize(7)
    return [one.coeffCount(), two.coeffCount(), one.isAliasOf(two)]
  }]
  yield ['clone of a base class', () => [relinKeys instanceof seal.KSwitchKeys, relinKeys.clone() instanceof seal.RelinKeys]]
  yield ['delete twice', () => { const one = new seal.Plaintext(); one.delete(); one.delete() }]
  yield ['delete later', () => { const one = new seal.Plaintext(); return [one.deleteLater() === one, one.isDeleted()] }]
  yield ['delete later twice', () => { const one = new seal.Plaintext(); one.deleteLater(); one.deleteLater() }]
  yield ['delete after later', () => { const one = new seal.Plaintext(); one.deleteLater(); one.delete() }]
  yield ['dispose', () => {
    const one = new seal.Plaintext()
    one[Symbol.dispose]()
    return one.isDeleted()
  }]
  yield ['dispose twice', () => { const one = new seal.Plaintext(); one[Symbol.dispose](); one[Symbol.dispose]() }]
  yield ['keys of an instance', () => Reflect.ownKeys(cipher).map(String)]
  yield ['text of an instance', () => `${cipher} ${Object.prototype.toString.call(cipher)} ${JSON.stringify(cipher)}`]
  yield ['subclass', () => { class Mine extends seal.Plaintext {} return new Mine() }]

  const thrown = () => { try { evaluator.sub(cipher, cipher, out) } catch (error) { return error } }
  yield ['exception', () => {
    const error = thrown()
    return [String(error), Object.prototype.toString.call(error), error instanceof Error, Object.keys(error), JSON.stringify(error)]
  }]
  yield ['exception of WebAssembly', () => {
    return [thrown() instanceof WebAssembly.Exception, Reflect.ownKeys(Object.getPrototypeOf(thrown())).map(String)]
  }]
  yield ['getExceptionMessage', () => seal.getExceptionMessage(thrown())]
  yield ['exception counts', () => {
    const error = thrown()
    return [seal.incrementExceptionRefcount(error), seal.getExceptionMessage(error), seal.decrementExceptionRefcount(error)]
  }]
  for (const [name, value] of Object.entries({ number: 5, error: new Error('x'), missing: undefined })) {
    yield [`getExceptionMessage(${name})`, () => seal.getExceptionMessage(value)]
  }
  yield ['constants', () => [seal.UtilHashFunction.hashBlockUint64Count, seal.UtilHashFunction.hashBlockByteCount]]
  yield ['constants stay', () => { seal.UtilHashFunction.hashBlockByteCount = 1 }]
  yield ['hash', () => seal.UtilHashFunction.hash(BigUint64Array.of(1n, 2n))]
  yield ['hash of nothing', () => seal.UtilHashFunction.hash(new BigUint64Array(0))]
}
