// Operations on plaintexts and ciphertexts: of the right kind and of every wrong one.

import { decrypt, encode, encrypt } from '../fixtures.mjs'

/** @yields {[string, () => unknown]} what is tried with the objects of one scheme, and the call */
export function* operationCases(seal, schemes, own) {
  const other = own.scheme === 'bfv' ? schemes.bgv : schemes.bfv
  for (const cases of [evaluatorCases, levelCases, nttCases, keyCases, scaleCases, ciphertextCases, plaintextCases, encryptionCases]) {
    yield* cases(seal, own, other, schemes)
  }
}

/** What there is to be seen of a ciphertext. */
const shape = (cipher) => [cipher.size(), cipher.coeffModulusSize(), cipher.isNttForm(), cipher.isTransparent(), cipher.parmsId().values()]

function* evaluatorCases(seal, own, other) {
  const { evaluator, relinKeys, galoisKeys, context } = own
  const last = context.lastParmsId()
  const pool = seal.MemoryPoolHandle.Global()
  const operations = {
    negate: [], add: [own.cipher], sub: [encrypt(own, encode(own, [5]))], multiply: [own.cipher], square: [], relinearize: [relinKeys],
    exponentiate: [2n, relinKeys], addPlain: [own.plain], subPlain: [own.plain], multiplyPlain: [own.plain],
    cipherModSwitchToNext: [], cipherModSwitchTo: [last], rescaleToNext: [], rescaleTo: [last],
    cipherTransformToNtt: [], cipherTransformFromNtt: [], applyGalois: [3, galoisKeys], rotateRows: [1, galoisKeys],
    rotateColumns: [galoisKeys], rotateVector: [1, galoisKeys], complexConjugate: [galoisKeys],
    ...(own.scheme === 'bfv' ? {} : { modReduceToNext: [], modReduceTo: [last] }),
  }
  for (const [name, operands] of Object.entries(operations)) {
    // Where the scale is gone the values are noise.
    const isReadable = (cipher) => cipher.isNttForm() === (own.scheme !== 'bfv') && (own.scheme !== 'ckks' || cipher.scale() > 2 ** 20)
    const value = (cipher) => cipher.size() === 2 && isReadable(cipher) ? decrypt(own, cipher) : 'unreadable'
    yield [name, () => {
      const out = new seal.Ciphertext()
      evaluator[name](own.cipher, ...operands, out)
      return [shape(out), value(out)]
    }]
    yield [`${name}Inplace`, () => {
      const out = own.cipher.copy()
      evaluator[`${name}Inplace`](out, ...operands)
      return [shape(out), value(out)]
    }]
    if (evaluator[`${name}WithPool`]) {
      yield [`${name}WithPool`, () => {
        const out = new seal.Ciphertext()
        evaluator[`${name}WithPool`](own.cipher, ...operands, out, pool)
        return shape(out)
      }]
      yield [`${name}InplaceWithPool`, () => {
        const out = own.cipher.copy()
        evaluator[`${name}InplaceWithPool`](out, ...operands, pool)
        return shape(out)
      }]
      yield [`${name}WithPool without one`, () => evaluator[`${name}WithPool`](own.cipher, ...operands, new seal.Ciphertext())]
    }
    yield [`${name} of nothing`, () => evaluator[name](new seal.Ciphertext(), ...operands, new seal.Ciphertext())]
    yield [`${name} of another context's`, () => evaluator[name](other.cipher, ...operands, new seal.Ciphertext())]
    yield [`${name} onto its operand`, () => { const out = own.cipher.copy(); evaluator[name](out, ...operands, out); return shape(out) }]
    if (operands[0] instanceof seal.Ciphertext) {
      yield [`${name} with nothing`, () => evaluator[name](own.cipher, new seal.Ciphertext(), new seal.Ciphertext())]
      yield [`${name} with another context's`, () => evaluator[name](own.cipher, other.cipher, new seal.Ciphertext())]
    }
  }
  yield ['sub of itself', () => evaluator.sub(own.cipher, own.cipher, new seal.Ciphertext())]
  yield ['sub of itself in place', () => { const out = own.cipher.copy(); evaluator.subInplace(out, out) }]
  yield ['multiplyPlain by zero', () => evaluator.multiplyPlain(own.cipher, encode(own, [0]), new seal.Ciphertext())]
  yield ['addPlain of nothing', () => {
    const out = new seal.Ciphertext()
    evaluator.addPlain(own.cipher, new seal.Plaintext(), out)
    return decrypt(own, out)
  }]
  yield ['subPlain of nothing', () => {
    const out = new seal.Ciphertext()
    evaluator.subPlain(own.cipher, new seal.Plaintext(), out)
    return decrypt(own, out)
  }]
  yield ['multiplyPlain of nothing', () => evaluator.multiplyPlain(own.cipher, new seal.Plaintext(), new seal.Ciphertext())]
}

function* levelCases(seal, own) {
  const { evaluator, context, cipher, plain } = own
  const [first, last, key] = [context.firstParmsId(), context.lastParmsId(), context.keyParmsId()]
  const none = new seal.ParmsIdType()
  const lowered = () => { const out = new seal.Ciphertext(); evaluator.cipherModSwitchTo(cipher, last, out); return out }
  for (const name of ['cipherModSwitchTo', 'modReduceTo', 'rescaleTo']) {
    yield [`${name} up`, () => evaluator[`${name}Inplace`](lowered(), first)]
    yield [`${name} of no level`, () => evaluator[name](cipher, none, new seal.Ciphertext())]
    yield [`${name} of the key level`, () => evaluator[name](cipher, key, new seal.Ciphertext())]
    yield [`${name} of its own level`, () => { const out = new seal.Ciphertext(); evaluator[name](cipher, first, out); return shape(out) }]
    yield [`${name} of an id of another class`, () => evaluator[name](cipher, context, new seal.Ciphertext())]
  }
  for (const name of ['cipherModSwitchToNext', 'modReduceToNext', 'rescaleToNext']) yield [`${name} at the end`, () => evaluator[`${name}Inplace`](lowered())]
  for (const name of ['add', 'sub', 'multiply']) yield [`${name} of two levels`, () => evaluator[name](lowered(), cipher, new seal.Ciphertext())]
  for (const name of ['addPlain', 'multiplyPlain']) {
    yield [`${name} at a lower level`, () => {
      const out = new seal.Ciphertext()
      evaluator[name](lowered(), plain, out)
      return shape(out)
    }]
  }
  for (const [name, operands] of [['plainModSwitchToNext', []], ['plainModSwitchTo', [last]], ['plainModSwitchTo', [none]], ['plainModSwitchTo', [key]]]) {
    yield [`${name} of ${operands.map((id) => id.values()[0])}`, () => {
      const out = new seal.Plaintext()
      evaluator[name](plain, ...operands, out)
      return [out.coeffCount(), out.parmsId().values()]
    }]
  }
  yield ['plainModSwitchToNext at the end', () => {
    const out = plain.copy()
    evaluator.plainModSwitchToInplace(out, last)
    evaluator.plainModSwitchToNextInplace(out)
  }]
}

function* nttCases(seal, own) {
  const { evaluator, context, cipher, plain, relinKeys, galoisKeys } = own
  for (const [name, id] of Object.entries({ first: context.firstParmsId(), last: context.lastParmsId(), key: context.keyParmsId(), none: new seal.ParmsIdType() })) {
    yield [`plainTransformToNtt at ${name}`, () => {
      const out = new seal.Plaintext()
      evaluator.plainTransformToNtt(plain, id, out)
      return [out.isNttForm(), out.coeffCount(), out.parmsId().values()]
    }]
  }
  if (own.scheme !== 'bfv') return
  const toNtt = () => { const out = new seal.Ciphertext(); evaluator.cipherTransformToNtt(cipher, out); return out }
  const plainNtt = () => { const out = new seal.Plaintext(); evaluator.plainTransformToNtt(plain, context.firstParmsId(), out); return out }
  yield ['product in NTT form', () => {
    const out = toNtt()
    evaluator.multiplyPlainInplace(out, plainNtt())
    evaluator.cipherTransformFromNttInplace(out)
    return decrypt(own, out)
  }]
  yield ['twice into NTT form', () => evaluator.cipherTransformToNttInplace(toNtt())]
  yield ['twice into NTT form, plain', () => evaluator.plainTransformToNttInplace(plainNtt(), context.firstParmsId())]
  yield ['plainModSwitchToNext', () => {
    const out = plainNtt()
    evaluator.plainModSwitchToNextInplace(out)
    return [out.coeffCount(), out.parmsId().values()]
  }]
  yield ['add of two forms', () => evaluator.addInplace(toNtt(), cipher)]
  yield ['multiply of two forms', () => evaluator.multiplyInplace(toNtt(), cipher)]
  yield ['multiply in NTT form', () => evaluator.multiplyInplace(toNtt(), toNtt())]
  yield ['square in NTT form', () => evaluator.squareInplace(toNtt())]
  yield ['relinearize in NTT form', () => evaluator.relinearizeInplace(toNtt(), relinKeys)]
  yield ['addPlain in NTT form', () => evaluator.addPlainInplace(toNtt(), plain)]
  yield ['addPlain of NTT form', () => evaluator.addPlain(cipher, plainNtt(), new seal.Ciphertext())]
  yield ['rotate in NTT form', () => evaluator.rotateRowsInplace(toNtt(), 1, galoisKeys)]
  yield ['switch in NTT form', () => evaluator.cipherModSwitchToNextInplace(toNtt())]
  yield ['decrypt in NTT form', () => decrypt(own, toNtt())]
  yield ['encrypt in NTT form', () => encrypt(own, plainNtt())]
  yield ['toString in NTT form', () => plainNtt().toString()]
  yield ['resize in NTT form', () => plainNtt().resize(3)]
  yield ['setZero in NTT form', () => {
    const zero = plainNtt()
    zero.setZero()
    return [zero.isZero(), zero.isNttForm(), zero.parmsId().values()]
  }]
}

function* keyCases(seal, own, other) {
  const { evaluator, cipher, relinKeys, galoisKeys, keys } = own
  const out = () => new seal.Ciphertext()
  const rotate = own.scheme === 'ckks' ? 'rotateVector' : 'rotateRows'
  for (const element of [0, 1, 3, 4, 9, 8191, 8193, -1]) {
    yield [`applyGalois ${element}`, () => evaluator.applyGalois(cipher, element, galoisKeys, out())]
    yield [`getIndex of element ${element}`, () => galoisKeys.getIndex(element)]
    yield [`hasKey of element ${element}`, () => galoisKeys.hasKey(element)]
  }
  for (const steps of [0, 1, 1.9, 2, 3, -1, 2047, 2048, 5000, -4096]) yield [`rotate ${steps}`, () => evaluator[rotate](cipher, steps, galoisKeys, out())]
  for (const power of [0, 1, 2, 3, 5, -1]) {
    yield [`getIndex of power ${power}`, () => relinKeys.getIndex(power)]
    yield [`hasKey of power ${power}`, () => relinKeys.hasKey(power)]
  }
  yield ['rotate in parts', () => {
    const all = keys.createGaloisKeys()
    const rotated = out()
    evaluator[rotate](cipher, 2, all, rotated)
    evaluator[rotate](rotated, -5, all, rotated)
    evaluator[rotate](rotated, 3, all, rotated)
    return [all.size(), decrypt(own, rotated)]
  }]
  yield ['rotate without keys', () => evaluator[rotate](cipher, 1, new seal.GaloisKeys(), out())]
  yield ['rotate with relinearization keys', () => evaluator[rotate](cipher, 1, relinKeys, out())]
  yield ["rotate with another context's keys", () => evaluator[rotate](cipher, 1, other.galoisKeys, out())]
  yield ['relinearize without keys', () => evaluator.relinearize(cipher, new seal.RelinKeys(), out())]
  yield ["relinearize with another context's keys", () => evaluator.relinearize(cipher, other.relinKeys, out())]
  yield ['exponentiate without keys', () => evaluator.exponentiate(cipher, 2n, new seal.RelinKeys(), out())]
  for (const exponent of [0n, 1n, -1n, 3, '2', 1.5, null]) yield [`exponentiate ${typeof exponent} ${exponent}`, () => {
    const power = out()
    evaluator.exponentiate(cipher, exponent, relinKeys, power)
    return shape(power)
  }]
  yield ['rotate three polynomials', () => {
    const square = out()
    evaluator.square(cipher, square)
    evaluator[rotate](square, 1, galoisKeys, out())
  }]
  if (own.scheme !== 'ckks') {
    yield ['relinearize four polynomials', () => {
      const cube = out()
      evaluator.square(cipher, cube)
      evaluator.multiplyInplace(cube, cipher)
      evaluator.relinearizeInplace(cube, relinKeys)
    }]
  }
  for (const steps of [[], [1], [1, 1, 0, -1], [5000], [2048]]) {
    yield [`keys for steps ${steps}`, () => keys.createGaloisKeysWithSteps(Int32Array.from(steps)).size()]
  }
  yield ['keys for steps in an array', () => keys.createGaloisKeysWithSteps([1])]
  yield ['sizes', () => [relinKeys.size(), galoisKeys.size(), new seal.KSwitchKeys().size()]]
  yield ['empty keys', () => [new seal.RelinKeys().hasKey(2), new seal.GaloisKeys().hasKey(3), new seal.RelinKeys().size()]]
  yield ['copies of keys', () => {
    const [copy, assigned] = [relinKeys.copy(), new seal.GaloisKeys()]
    assigned.assign(galoisKeys)
    copy.assign(copy)
    return [copy.hasKey(2), assigned.hasKey(3), copy.isAliasOf(relinKeys)]
  }]
  for (const name of ['SecretKey', 'PublicKey', 'RelinKeys', 'GaloisKeys']) {
    yield [`assign of another class to ${name}`, () => new seal[name]().assign(new seal.Plaintext())]
  }
  yield ['generator without a key', () => new seal.KeyGenerator(own.context, new seal.SecretKey())]
  yield ["generator with another context's key", () => new seal.KeyGenerator(own.context, other.secretKey)]
  yield ['generator with a key', () => new seal.KeyGenerator(own.context, own.secretKey).secretKey() instanceof seal.SecretKey]
}

function* scaleCases(seal, own) {
  const { evaluator, cipher, context } = own
  const scaled = (scale) => { const copy = cipher.copy(); copy.setScale(scale); return copy }
  for (const scale of [0, 2, 2 ** 80, NaN]) {
    yield [`negate at scale ${scale}`, () => { const out = scaled(scale); evaluator.negateInplace(out); return out.scale() }]
    yield [`add at scale ${scale}`, () => evaluator.addInplace(scaled(scale), cipher)]
    yield [`save at scale ${scale}`, () => {
      const loaded = new seal.Ciphertext()
      loaded.loadFromArray(context, scaled(scale).saveToArray(seal.ComprModeType.none))
      return loaded.scale()
    }]
  }
  yield ['square at a large scale', () => evaluator.squareInplace(scaled(2 ** 80))]
  yield ['decrypt at scale 2', () => own.decryptor.decrypt(scaled(2), new seal.Plaintext())]
  yield ['addPlain at scale 2', () => {
    const plain = own.plain.copy()
    plain.setScale(2)
    evaluator.addPlain(cipher, plain, new seal.Ciphertext())
  }]
  yield ['encrypt at scale 2', () => { const plain = own.plain.copy(); plain.setScale(2); return encrypt(own, plain).scale() }]
  yield ['a scale that is shared', () => {
    const copy = cipher.copy()
    copy.setScale(3)
    return [cipher.scale() === 3, copy.scale(), copy.clone().scale()]
  }]
}

/** Ciphertexts of zeros: they are in coefficient form in every scheme, unless they were something else before. */
function* zeroCases(seal, { cipher, plain, context, evaluator, decryptor, relinKeys }) {
  const none = (size = 2) => { const zeros = new seal.Ciphertext(context); zeros.resize(size); return zeros }
  const look = (zeros) => [zeros.isNttForm(), zeros.size(), zeros.isTransparent()]
  const reloaded = (zeros) => { const other = new seal.Ciphertext(); other.loadFromArray(context, zeros.saveToArray(seal.ComprModeType.zlib)); return other }
  const to = () => new seal.Ciphertext()
  for (const size of [0, 2, 3]) {
    yield [`zeros of size ${size}`, () => look(none(size))]
    yield [`zeros of size ${size} in a file`, () => none(size).saveToArray(seal.ComprModeType.none)]
    yield [`zeros of size ${size} from a file`, () => look(reloaded(none(size)))]
    yield [`resized to 0 and ${size}`, () => { const copy = cipher.copy(); copy.resize(0); copy.resize(size); return look(copy) }]
  }
  yield ['zeros from a file and a file', () => reloaded(reloaded(none(0))).saveToArray(seal.ComprModeType.none)]
  yield ['zeros decrypt', () => { const plain = new seal.Plaintext(); decryptor.decrypt(none(), plain); return plain.isZero() }]
  yield ['zeros have a budget', () => decryptor.invariantNoiseBudget(none()) > 0]
  const operations = {
    negate: (zeros) => evaluator.negate(zeros, to()), add: (zeros) => evaluator.add(cipher, zeros, to()), double: (zeros) => evaluator.add(zeros, zeros, to()),
    multiply: (zeros) => evaluator.multiply(zeros, cipher, to()), square: (zeros) => evaluator.square(zeros, to()),
    addPlain: (zeros) => evaluator.addPlain(zeros, plain, to()), multiplyPlain: (zeros) => evaluator.multiplyPlain(zeros, plain, to()),
    toNtt: (zeros) => evaluator.cipherTransformToNtt(zeros, to()), fromNtt: (zeros) => evaluator.cipherTransformFromNtt(zeros, to()),
    modSwitch: (zeros) => evaluator.cipherModSwitchToNext(zeros, to()), relinearize: (zeros) => evaluator.relinearize(zeros, relinKeys, to()),
  }
  yield ['a budget in the other form', () => {
    const other = cipher.copy()
    if (other.isNttForm()) evaluator.cipherTransformFromNttInplace(other)
    else evaluator.cipherTransformToNttInplace(other)
    return decryptor.invariantNoiseBudget(other)
  }]
  for (const [name, call] of Object.entries(operations)) yield [`zeros: ${name}`, () => call(none())]
}

function* ciphertextCases(seal, own, other) {
  const { cipher, context, evaluator } = own
  const look = (cipher) => [
    cipher.size(), cipher.sizeCapacity(), cipher.polyModulusDegree(), cipher.coeffModulusSize(), cipher.scale(), cipher.isTransparent(),
    cipher.parmsId().values(),
  ]
  const after = (change, from = cipher) => { const copy = from.copy(); change(copy); return look(copy) }
  yield ['fresh', () => look(cipher)]
  yield ['empty', () => look(new seal.Ciphertext())]
  yield ['copy of empty', () => look(new seal.Ciphertext().copy())]
  for (const size of [0, 1, 2, 3, 16, 17, -1]) {
    yield [`resize to ${size}`, () => after((copy) => copy.resize(size))]
    yield [`empty resize to ${size}`, () => after((copy) => copy.resize(size), new seal.Ciphertext(context))]
    yield [`reserve ${size}`, () => after((copy) => copy.reserve(context, size))]
    yield [`with room for ${size}`, () => look(new seal.Ciphertext(context, context.lastParmsId(), size))]
  }
  yield* zeroCases(seal, own)
  yield ['resize and decrypt', () => { const copy = cipher.copy(); copy.resize(3); return decrypt(own, copy) }]
  yield ['resize down and decrypt', () => { const copy = cipher.copy(); copy.resize(4); copy.resize(2); return decrypt(own, copy) }]
  yield ["reserve for another context's", () => after((copy) => copy.reserve(context, 4), other.cipher)]
  yield ['reserve at a lower level', () => after((copy) => { evaluator.cipherModSwitchToNextInplace(copy); copy.reserve(context, 4) })]
  yield ['release', () => after((copy) => copy.release())]
  yield ['of a context', () => look(new seal.Ciphertext(context))]
  yield ['of a level', () => look(new seal.Ciphertext(context, context.lastParmsId()))]
  yield ['of no level', () => look(new seal.Ciphertext(context, new seal.ParmsIdType()))]
  yield ['withPool', () => look(seal.Ciphertext.withPool(seal.MemoryPoolHandle.New(true)))]
  yield ['withContextAndPool', () => look(seal.Ciphertext.withContextAndPool(context, seal.MemoryPoolHandle.New(true)))]
  yield ['withContextAndParmsIdTypeAndPool', () => {
    return look(seal.Ciphertext.withContextAndParmsIdTypeAndPool(context, context.lastParmsId(), seal.MemoryPoolHandle.ThreadLocal()))
  }]
  yield ['withContextAndParmsIdTypeAndCapacityAndPool', () => {
    return look(seal.Ciphertext.withContextAndParmsIdTypeAndCapacityAndPool(context, context.lastParmsId(), 5, seal.MemoryPoolHandle.Global()))
  }]
  yield ['at the key level', () => {
    const key = new seal.Ciphertext(context, context.keyParmsId())
    key.resize(2)
    evaluator.negateInplace(key)
  }]
  yield ['assign', () => { const out = new seal.Ciphertext(); out.assign(cipher); out.assign(out); return [look(out), decrypt(own, out)] }]
  yield ['assign of another class', () => new seal.Ciphertext().assign(own.plain)]
  yield ['copies change alone', () => {
    const copy = cipher.copy()
    evaluator.negateInplace(copy)
    return [decrypt(own, cipher), decrypt(own, copy)]
  }]
  yield ['clones change together', () => {
    const clone = cipher.copy().clone()
    const second = clone.clone()
    evaluator.negateInplace(clone)
    clone.delete()
    return decrypt(own, second)
  }]
  yield ['pool', () => cipher.pool() instanceof seal.MemoryPoolHandle]
}

function* plaintextCases(seal, own) {
  const look = (plain) => [
    plain.capacity(), plain.coeffCount(), plain.significantCoeffCount(), plain.nonzeroCoeffCount(), plain.isZero(), plain.isNttForm(),
    plain.scale(), plain.parmsId().values(),
  ]
  yield ['plain', () => look(own.plain)]
  if (own.scheme !== 'ckks') {
    yield ['decrypted plain', () => {
      const plain = new seal.Plaintext()
      own.decryptor.decrypt(own.cipher, plain)
      return [plain.coeffCount(), plain.toString().length, plain.toString().slice(0, 200)]
    }]
  }
  const changes = {
    resize: (plain) => plain.resize(3), grow: (plain) => plain.resize(5000), release: (plain) => plain.release(), setZero: (plain) => plain.setZero(),
    reserve: (plain) => plain.reserve(6000), 'reserve less': (plain) => plain.reserve(3), shrinkToFit: (plain) => plain.shrinkToFit(),
    'resize -1': (plain) => plain.resize(-1), 'reserve -1': (plain) => plain.reserve(-1), assign: (plain) => plain.assign(plain),
    setScale: (plain) => plain.setScale(7.5), 'assign another class': (plain) => plain.assign(own.cipher),
  }
  for (const [name, change] of Object.entries(changes)) {
    yield [`plain ${name}`, () => { const copy = own.plain.copy(); change(copy); return look(copy) }]
    yield [`empty plain ${name}`, () => { const plain = new seal.Plaintext(10, 5); change(plain); return [look(plain), plain.toString()] }]
  }
  yield ['toString', () => own.plain.toString()]
  for (const args of [[], [5], [10, 5], [5, 10], [0], [-1], [1.5]]) yield [`new Plaintext(${args})`, () => look(new seal.Plaintext(...args))]
  yield ['plain withPool', () => look(seal.Plaintext.withPool(seal.MemoryPoolHandle.Global()))]
  yield ['plain withCoeffCountAndPool', () => look(seal.Plaintext.withCoeffCountAndPool(5, seal.MemoryPoolHandle.Global()))]
  yield ['plain withCapAndCoeffCountAndPool', () => look(seal.Plaintext.withCapAndCoeffCountAndPool(10, 5, seal.MemoryPoolHandle.Global()))]
  yield ['plain copies change alone', () => {
    const copy = own.plain.copy()
    copy.release()
    return [own.plain.coeffCount() > 0, copy.coeffCount()]
  }]
}

function* encryptionCases(seal, own, other, { bfv, ckks }) {
  const { encryptor, decryptor, context, publicKey, secretKey } = own
  const foreign = own.scheme === 'ckks' ? bfv.plain : ckks.plain
  yield ['encrypt', () => decrypt(own, encrypt(own, own.plain))]
  yield ['encryptSymmetric', () => {
    const out = new seal.Ciphertext()
    encryptor.encryptSymmetric(own.plain, out)
    return decrypt(own, out)
  }]
  yield ['encryptZero', () => { const out = new seal.Ciphertext(); encryptor.encryptZero(out); return [shape(out), out.scale()] }]
  yield ["encrypt another context's", () => encrypt(own, foreign)]
  yield ['encrypt nothing', () => shape(encrypt(own, new seal.Plaintext()))]
  yield ['encrypt zeros', () => shape(encrypt(own, new seal.Plaintext(5)))]
  yield ['encrypt too many', () => encrypt(own, new seal.Plaintext(5000))]
  for (const name of ['encrypt', 'encryptSymmetric', 'encryptZero']) {
    const operands = name === 'encryptZero' ? [] : [own.plain]
    const pool = seal.MemoryPoolHandle.Global()
    yield [`${name}WithPool`, () => {
      const out = new seal.Ciphertext()
      encryptor[`${name}WithPool`](...operands, out, pool)
      return shape(out)
    }]
    yield [`${name}Serializable`, () => encryptor[`${name}Serializable`](...operands).saveToArray(seal.ComprModeType.none).length]
    yield [`${name}SerializableWithPool`, () => {
      return encryptor[`${name}SerializableWithPool`](...operands, pool) instanceof seal.SerializableCiphertext
    }]
  }
  const half = () => new seal.Encryptor(context, publicKey)
  yield ['encryptSymmetric without a key', () => half().encryptSymmetric(own.plain, new seal.Ciphertext())]
  yield ['encryptSymmetricSerializable without a key', () => half().encryptSymmetricSerializable(own.plain)]
  yield ['setSecretKey', () => {
    const both = half()
    both.setSecretKey(secretKey)
    both.encryptSymmetric(own.plain, new seal.Ciphertext())
  }]
  yield ['setPublicKey', () => { const both = half(); both.setPublicKey(publicKey); both.encrypt(own.plain, new seal.Ciphertext()) }]
  yield ['setPublicKey without a key', () => half().setPublicKey(new seal.PublicKey())]
  yield ["setPublicKey with another context's", () => half().setPublicKey(other.publicKey)]
  yield ["setSecretKey with another context's", () => half().setSecretKey(other.secretKey)]
  yield ['encryptor without a key', () => new seal.Encryptor(context, new seal.PublicKey())]
  yield ["encryptor with another context's key", () => new seal.Encryptor(context, other.publicKey)]
  yield ['encryptor without a secret key', () => new seal.Encryptor(context, publicKey, new seal.SecretKey())]
  yield ['decryptor without a key', () => new seal.Decryptor(context, new seal.SecretKey())]
  yield ["decryptor with another context's key", () => new seal.Decryptor(context, other.secretKey)]
  yield ['decrypt nothing', () => decryptor.decrypt(new seal.Ciphertext(), new seal.Plaintext())]
  yield ["decrypt another context's", () => decryptor.decrypt(other.cipher, new seal.Plaintext())]
  yield ['noise budget', () => decryptor.invariantNoiseBudget(own.cipher) > 10]
  yield ['noise budget of nothing', () => decryptor.invariantNoiseBudget(new seal.Ciphertext())]
}

/** @yields {[string, () => unknown]} what is tried with contexts that lack something, and the call */
export function* contextCases(seal, { bfv, insecure, single, slotless }) {
  const classes = { KeyGenerator: [], Evaluator: [], BatchEncoder: [], CKKSEncoder: [], Ciphertext: [], Encryptor: [bfv.publicKey], Decryptor: [bfv.secretKey] }
  for (const [name, operands] of Object.entries(classes)) yield [`${name} of an insecure context`, () => new seal[name](insecure, ...operands)]
  yield ['load in an insecure context', () => {
    return new seal.Ciphertext().loadFromArray(insecure, bfv.cipher.saveToArray(seal.ComprModeType.none))
  }]
  yield ['BatchEncoder without slots', () => new seal.BatchEncoder(slotless)]
  for (const name of ['createPublicKey', 'createRelinKeys', 'createRelinKeysSerializable', 'createGaloisKeys', 'createGaloisKeysSerializable']) {
    yield [`${name} with one prime`, () => new seal.KeyGenerator(single)[name]() instanceof Object]
    yield [`${name} without slots`, () => new seal.KeyGenerator(slotless)[name]() instanceof Object]
  }
  yield ['createGaloisKeysWithSteps without slots', () => new seal.KeyGenerator(slotless).createGaloisKeysWithSteps(Int32Array.of(1))]
  const zeroOf = (context, use) => {
    const keys = new seal.KeyGenerator(context)
    const zero = new seal.Ciphertext()
    new seal.Encryptor(context, keys.createPublicKey()).encryptZero(zero)
    use(new seal.Evaluator(context), zero, keys)
  }
  yield ['relinearize with one prime', () => zeroOf(single, (evaluator, zero) => evaluator.relinearizeInplace(zero, bfv.relinKeys))]
  yield ['rotate without slots', () => {
    return zeroOf(slotless, (evaluator, zero, keys) => evaluator.rotateRowsInplace(zero, 1, keys.createGaloisKeys()))
  }]
}

/** @yields {[string, () => unknown]} what is tried with encoders, and the call */
export function* encoderCases(seal, { bfv, bgv, ckks }) {
  const out = () => new seal.Plaintext()
  yield ['slots', () => [bfv.encoder.slotCount(), bgv.encoder.slotCount(), ckks.encoder.slotCount()]]
  yield ['BatchEncoder for CKKS', () => new seal.BatchEncoder(ckks.context)]
  yield ['CKKSEncoder for BFV', () => new seal.CKKSEncoder(bfv.context)]
  for (const values of [[], [1n], [-1n], new Array(4096).fill(-516096n), new Array(4097).fill(0n)]) {
    for (const Type of [BigInt64Array, BigUint64Array]) {
      if (Type === BigUint64Array && values[0] < 0n) continue
      yield [`encode ${values.length} of ${values[0]} in ${Type.name}`, () => {
        const plain = out()
        bfv.encoder.encode(Type.from(values), plain)
        return [plain.coeffCount(), plain.toString().slice(0, 100), bfv.encoder.decodeBigInt64(plain).subarray(0, 3), bfv.encoder.decodeBigUint64(plain).subarray(0, 3)]
      }]
    }
  }
  yield ['encode Int32Array', () => bfv.encoder.encode(Int32Array.of(1), out())]
  yield ['decode with pools', () => {
    const pool = seal.MemoryPoolHandle.Global()
    return [bfv.encoder.decodeBigInt64WithPool(bfv.plain, pool).subarray(0, 3), bfv.encoder.decodeBigUint64WithPool(bfv.plain, pool).subarray(0, 3)]
  }]
  yield ["batch decode another encoder's", () => bfv.encoder.decodeBigInt64(ckks.plain)]
  yield ['batch decode nothing', () => bfv.encoder.decodeBigInt64(out()).length]
  for (const scale of [2 ** 30, 1, 0, -1, 2 ** 72, 2 ** 71]) {
    yield [`encode at scale 2^${Math.log2(scale)}`, () => {
      const plain = out()
      ckks.encoder.encodeWithPool(Float64Array.of(1), scale, plain, seal.MemoryPoolHandle.Global())
      return [plain.scale(), plain.parmsId().values(), plain.coeffCount()]
    }]
  }
  for (const count of [0, 2048, 2049]) {
    yield [`encode ${count} numbers`, () => {
      const plain = out()
      ckks.encoder.encode(new Float64Array(count), 2 ** 30, plain)
      return ckks.encoder.decodeFloat64(plain).length
    }]
  }
  yield ['encode numbers in an array', () => ckks.encoder.encode([1], 2 ** 30, out())]
  yield ['encode a number too large', () => { ckks.encoder.encode(Float64Array.of(2 ** 60), 2 ** 30, out()) }]
  yield ["decode another encoder's", () => ckks.encoder.decodeFloat64(bfv.plain)]
  yield ['decode nothing', () => ckks.encoder.decodeFloat64(out())]
  yield ['decode with a pool', () => Math.round(ckks.encoder.decodeFloat64WithPool(ckks.plain, seal.MemoryPoolHandle.New(false))[1])]
}
