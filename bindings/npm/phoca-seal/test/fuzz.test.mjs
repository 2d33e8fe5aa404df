// Random calls with right and wrong arguments: none traps, and the module goes on working.

import assert from 'node:assert/strict'
import { it } from 'node:test'
import initialize from 'phoca-seal'
import { decrypt, encode, encrypt, makeScheme } from './fixtures.mjs'

const CALLS = 6000

/** Numbers from 0 to 1: mulberry32. */
function generator(seed) {
  return () => {
    seed = (seed + 0x6d2b79f5) | 0
    let mixed = Math.imul(seed ^ (seed >>> 15), 1 | seed)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** Values that are wrong nearly everywhere. */
function strangers() {
  return [
    undefined, null, true, 0, 1, 2, -1, 3, 1.5, NaN, Infinity, 2 ** 31, 2 ** 53, 0n, 1n, 2n, -1n, 1n << 64n, '', 'AAAA', 'XqEQBAE', {}, [], [1n],
    { value: 1 }, () => 1, new Date(0), Symbol('s'), { length: 3 }, { $$: {} },
    { constructor: { name: 'Uint8Array' } }, { constructor: { name: 'Int32Array' }, length: 2 }, new DataView(new ArrayBuffer(8)),
    new Uint8Array(0), new Uint8Array(40), Int32Array.of(1, -1, 0), Int32Array.of(5000), Int32Array.of(20, 30), new Int32Array(100),
    Float64Array.of(1, 2, NaN), new Float64Array(5000), BigInt64Array.of(1n, -5n), new BigInt64Array(5000), BigUint64Array.of(1n << 63n),
  ]
}

class Fuzzer {
  constructor(seal, seed) {
    this.seal = seal
    this.random = generator(seed)
    this.schemes = ['bfv', 'bgv', 'ckks'].map((scheme) => {
      return makeScheme(seal, scheme, { degree: 1024, sizes: [30, 30, 30], security: seal.SecLevelType.none, plain: new seal.Modulus(12289n) })
    })
    this.enums = [seal.SchemeType, seal.SecLevelType, seal.ComprModeType].flatMap(({ values }) => Object.values(values))
    // Copies, so that what happens to them does not spoil the calls that are meant to fit.
    this.pool = this.schemes.flatMap((own) => [own.context.firstParmsId(), own.context.lastParmsId(),
      ...Object.values(own).filter((value) => value?.delete).map((value) => value.copy?.() ?? value)])
    this.fixed = this.pool.length
    const files = this.pool.filter((object) => object.saveToArray).map((object) => object.saveToArray(seal.ComprModeType.none))
    this.files = files.filter((file) => file.length < 200_000)
    this.classes = Object.values(seal).filter((value) => typeof value === 'function' && /^[A-Z]/.test(value.name))
  }

  below(limit) {
    return Math.floor(this.random() * limit)
  }

  pick(list) {
    return list[this.below(list.length)]
  }

  /** A file with a few bytes changed, or cut. */
  file() {
    const bytes = this.pick(this.files).slice()
    for (let edit = this.below(4); edit > 0; edit--) bytes[this.random() < 0.6 ? this.below(Math.min(200, bytes.length)) : this.below(bytes.length)] = this.below(256)
    return this.random() < 0.2 ? bytes.slice(0, this.below(bytes.length)) : bytes
  }

  argument() {
    const kind = this.random()
    if (kind < 0.6) return this.pick(this.pool)
    if (kind < 0.7) return this.pick(this.enums)
    if (kind < 0.78) return this.file()
    if (kind < 0.86) return this.below(20)
    return this.pick(strangers())
  }

  /** Arguments of which most fit: the objects of one scheme by the class that a position often has. */
  arguments() {
    return Array.from({ length: this.below(6) }, () => this.argument())
  }

  /** A call that is right in kind: the operations, with objects of one scheme. */
  likely() {
    const { seal } = this
    const { evaluator, cipher, plain, relinKeys, galoisKeys, context, encryptor, decryptor } = this.pick(this.schemes)
    const instance = (Class, otherwise) => this.random() < 0.4 ? otherwise : this.pick(this.pool.filter((object) => object instanceof Class).concat(otherwise))
    const [a, b, out] = [instance(seal.Ciphertext, cipher), instance(seal.Ciphertext, cipher), new seal.Ciphertext()]
    const [p, id] = [instance(seal.Plaintext, plain), this.pick([context.firstParmsId(), context.lastParmsId(), context.keyParmsId()])]
    const calls = [
      () => evaluator.add(a, b, out), () => evaluator.sub(a, b, out), () => evaluator.multiply(a, b, out), () => evaluator.square(a, out),
      () => evaluator.relinearize(a, relinKeys, out), () => evaluator.addPlain(a, p, out), () => evaluator.multiplyPlain(a, p, out),
      () => evaluator.cipherModSwitchTo(a, id, out), () => evaluator.modReduceTo(a, id, out), () => evaluator.rescaleToNext(a, out),
      () => evaluator.rotateRows(a, this.below(600) - 300, galoisKeys, out), () => evaluator.rotateVector(a, this.below(600) - 300, galoisKeys, out),
      () => evaluator.applyGalois(a, this.below(2100), galoisKeys, out), () => evaluator.exponentiate(a, BigInt(this.below(5)), relinKeys, out),
      () => evaluator.cipherTransformToNtt(a, out), () => evaluator.cipherTransformFromNtt(a, out),
      () => evaluator.plainTransformToNttInplace(p.copy(), id), () => evaluator.plainModSwitchToInplace(p.copy(), id),
      () => encryptor.encrypt(p, out), () => decryptor.decrypt(a, p.copy()), () => out.loadFromArray(context, this.file()),
      () => { out.assign(a); out.resize(this.below(18)); out.reserve(context, this.below(18)) },
      () => { out.assign(a); out.setScale(2 ** (this.below(200) - 50)) },
      () => { const copy = p.copy(); copy.resize(this.below(5000)); copy.setScale(this.random()) },
      () => new seal[this.pick(['SecretKey', 'PublicKey', 'RelinKeys', 'GaloisKeys', 'Plaintext'])]().loadFromArray(context, this.file()),
    ]
    this.pick(calls)()
    return out
  }

  /** A call of anything with anything. */
  wild() {
    const Class = this.pick(this.classes)
    if (this.random() < 0.2) return new Class(...this.arguments())
    if (this.random() < 0.15) return this.call(Class, Object.keys(Class))
    const object = this.pick(this.pool)
    const names = ['clone', 'isAliasOf', 'isDeleted']
    for (let proto = Object.getPrototypeOf(object); proto !== Object.prototype; proto = Object.getPrototypeOf(proto)) names.push(...Object.keys(proto))
    return this.call(object, names.filter((name) => !/^(delete|create(Galois|Relin))/.test(name)))
  }

  call(target, names) {
    const name = this.pick(names)
    return typeof target[name] === 'function' ? target[name](...this.arguments()) : target[name]
  }

  /** Keeps a result for later calls. */
  keep(result) {
    if (result?.delete === undefined || result.isDeleted()) return
    if (this.pool.length < this.fixed + 60) return this.pool.push(result)
    const place = this.fixed + this.below(60)
    const last = this.pool[place]
    this.pool[place] = result
    // A few stay in the pool deleted.
    if (this.random() < 0.9 && !last.isDeleted()) last.delete()
  }

  step() {
    try {
      this.keep(this.random() < 0.5 ? this.likely() : this.wild())
      return 'fine'
    } catch (error) {
      if (Array.isArray(error?.message)) return 'library'
      if (error instanceof WebAssembly.RuntimeError || /unreachable|recursive use|null pointer/.test(error?.message)) throw error
      return error.name === 'BindingError' ? 'binding' : 'javascript'
    }
  }
}

for (const seed of [1, 2]) {
  it(`survives ${CALLS} calls from seed ${seed}`, async () => {
    const seal = await initialize()
    const fuzzer = new Fuzzer(seal, seed)
    const outcomes = { fine: 0, library: 0, binding: 0, javascript: 0 }
    for (let call = 0; call < CALLS; call++) outcomes[fuzzer.step()] += 1
    // It would find nothing if all of its calls ended in the same way.
    for (const [name, count] of Object.entries(outcomes)) assert.ok(count > CALLS / 100, `${name}: ${JSON.stringify(outcomes)}`)
    const own = makeScheme(seal, 'bfv')
    const cipher = encrypt(own, encode(own, [1, 2, -3]))
    own.evaluator.squareInplace(cipher)
    own.evaluator.relinearizeInplace(cipher, own.relinKeys)
    assert.deepEqual(decrypt(own, cipher), [1, 4, 9, 0])
  })
}
