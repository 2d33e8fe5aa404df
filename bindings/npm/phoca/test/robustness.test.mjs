// Calls every class and method with arguments of every kind, right and wrong: errors are thrown, the module never traps, and it
// goes on working. PHOCA_FUZZ_CALLS sets how many calls, PHOCA_FUZZ_SEED which.

import assert from 'node:assert/strict'
import { before, it } from 'node:test'
import * as phoca from 'phoca'

const CALLS = Number(process.env.PHOCA_FUZZ_CALLS ?? 20_000)
const SEED = Number(process.env.PHOCA_FUZZ_SEED ?? 1)

before(() => phoca.initialize())

/** A generator of 32-bit numbers (mulberry32). */
function generator(seed) {
  return () => {
    seed = (seed + 0x6d2b79f5) | 0
    let t = Math.imul(seed ^ (seed >>> 15), 1 | seed)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return (t ^ (t >>> 14)) >>> 0
  }
}

function worlds() {
  return [['ckks', [30, 25, 30]], ['bfv', [30, 25, 30]], ['bgv', [30, 25, 30]], ['bfv', [30]]].map(([scheme, bits]) => {
    const degree = 1024
    const parameters = {
      scheme, degree, coeffModulus: phoca.coeffModulus.create(degree, bits), ...(scheme !== 'ckks' && { plainModulus: phoca.plainModulus.batching(degree, 14) }),
    }
    const context = new phoca.Context(parameters, { security: 'none' })
    const generator = new phoca.KeyGenerator(context)
    const encoder = scheme === 'ckks' ? new phoca.CkksEncoder(context) : new phoca.BatchEncoder(context)
    const plaintext = scheme === 'ckks' ? encoder.encode([1, 2], 2 ** 20) : encoder.encode([1, 2])
    const encryptor = new phoca.Encryptor(context, { publicKey: generator.publicKey(), secretKey: generator.secretKey() })
    const keys = context.supportsKeySwitching ? [generator.relinKeys(), generator.galoisKeys({ steps: [1, 0] })] : []
    const ciphertext = encryptor.encrypt(plaintext)
    return {
      parameters,
      objects: [
        context, generator, encoder, plaintext, encryptor, ciphertext, new phoca.Evaluator(context), new phoca.Decryptor(context, generator.secretKey()),
        generator.secretKey(), generator.publicKey(), ...keys,
      ],
      bytes: [ciphertext.toBytes(), plaintext.toBytes(), ciphertext.toBytes({ compression: 'zstd' }), generator.publicKey().toBytes({ compression: 'zlib' })],
    }
  })
}

/** What must work whatever came before. */
function stillComputes({ objects }) {
  const [context, generator, encoder] = objects
  const decryptor = new phoca.Decryptor(context, generator.secretKey())
  const x = new phoca.Encryptor(context, generator.publicKey()).encrypt(encoder.encode([5, -6], 2 ** 20))
  const sum = new phoca.Evaluator(context).add(x, x)
  const [a, b] = context.scheme === 'ckks' ? encoder.decode(decryptor.decrypt(sum)) : encoder.decodeSigned(decryptor.decrypt(sum))
  assert.ok(Math.abs(Number(a) - 10) < 0.5 && Math.abs(Number(b) + 12) < 0.5, `${a}, ${b}`)
}

function describe(value) {
  return value?.delete ? value.constructor.name : ArrayBuffer.isView(value) ? `${value.constructor.name}(${value.length})` : String(value)
}

it(`throws errors and never traps in ${CALLS} calls`, () => {
  const random = generator(SEED)
  const pick = (list) => list[random() % list.length]
  const stable = worlds()
  const pool = stable.flatMap(({ objects }) => objects.map((object) => object.copy?.() ?? object)).filter((object) => object.delete)
  const bytes = stable.flatMap(({ bytes }) => bytes)
  const values = [
    undefined, null, true, 0, 1, -1, 2, 3, 5, 1.5, NaN, Infinity, -0, 2 ** 20, 2 ** 31, 2 ** 53, 1e300, 0n, 1n, -1n, 3n, 65537n, 2n ** 63n, 2n ** 64n,
    '', 'none', 'zstd', '1x^2 + 3', '1x^99999999999 + 1', 'bfv', [], [1, 2], [1, -1, 0], [1n], ['a'], {}, () => 1, Symbol('a'),
    new Float64Array([1, NaN]), new Float64Array(2000), new Float64Array(3), new BigUint64Array(5), new BigUint64Array([2n ** 64n - 1n, 7n]), new BigInt64Array(3),
    new Int32Array([1, 2]), new Uint32Array([3]), new Uint8Array(0), new Uint8Array(100), { steps: [1] }, { elements: [3, 4] }, { steps: [9999] }, { re: 1, im: 2 },
    { compression: 'zlib' }, { compression: 5 }, { version: '9' }, { seeds: false }, { security: 'none' }, { security: 3 },
    ...stable.map(({ parameters }) => parameters), { ...stable[0].parameters, degree: 3 }, { ...stable[1].parameters, coeffModulus: new BigUint64Array([4n]) },
  ]
  const damaged = () => {
    const copy = pick(bytes).slice(0, random() % 4 === 0 ? random() % 200 : undefined)
    if (copy.length > 0) copy[random() % Math.min(copy.length, 200)] ^= 1 << (random() % 8)
    return copy
  }
  const argument = () => {
    const kind = random() % 10
    if (kind < 5) return pick(pool)
    if (kind === 5) return random() % 2 ? pick(bytes) : damaged()
    if (kind === 6) return [pick(pool), pick(pool)]
    return pick(values)
  }
  const classes = Object.values(phoca).filter((value) => typeof value === 'function' && /^[A-Z]/.test(value.name)
    && !['PhocaWorker', 'WorkerPool', 'CkksSession', 'ExactSession', 'EncryptedVector'].includes(value.name) && !(value.prototype instanceof Error) && value !== phoca.PhocaError)
  const plain = [...Object.values(phoca.coeffModulus), ...Object.values(phoca.plainModulus), phoca.hashWords, phoca.isPrime, phoca.saveModulus, phoca.loadModulus,
    phoca.saveParameters, phoca.loadParameters, phoca.galoisElement, phoca.suggest]
  const threw = new Map()
  let worked = 0
  for (let call = 0; call < CALLS; call++) {
    const args = Array.from({ length: random() % 4 }, argument)
    let what
    try {
      let result
      const kind = random() % 8
      if (kind === 0) {
        const Class = pick(classes)
        what = `new ${Class.name}`
        result = new Class(...args)
      } else if (kind === 1) {
        const Class = pick(classes)
        const method = pick(Object.getOwnPropertyNames(Class).filter((name) => typeof Class[name] === 'function' && name !== 'loadStream').concat('name'))
        what = `${Class.name}.${method}`
        result = method === 'name' ? undefined : Class[method](...args)
      } else if (kind === 2) {
        const method = pick(plain)
        what = method.name
        result = method(...args)
      } else {
        const object = pick(pool)
        const names = Object.getOwnPropertyNames(Object.getPrototypeOf(object)).filter((name) => !['constructor', 'delete'].includes(name))
        const name = pick(names)
        what = `${object.constructor.name}#${name}`
        const member = object[name]
        result = typeof member === 'function' ? member.apply(object, args) : member
      }
      worked++
      for (const made of Array.isArray(result) ? result : [result]) {
        // A key generator is never left without its secret by a copy.
        if (typeof made?.delete === 'function') pool.push(made)
      }
    } catch (error) {
      const trapped = !(error instanceof Error) || error instanceof WebAssembly.RuntimeError || /stack/.test(error.message)
      assert.ok(!trapped, trapped && `${what}(${args.map(describe)}): ${error?.stack}`)
      threw.set(error.kind ?? error.name, (threw.get(error.kind ?? error.name) ?? 0) + 1)
    }
    if (pool.length > 200) {
      const index = random() % pool.length
      if (!stable.some(({ objects }) => objects.includes(pool[index])) && !(pool[index] instanceof phoca.Context)) pool.splice(index, 1)[0].delete()
    }
    if (call % 1000 === 999) stillComputes(pick(stable.slice(0, 3)))
  }
  assert.ok(worked > CALLS / 20, `only ${worked} calls worked`)
  assert.ok(threw.size > 10, `only ${[...threw.keys()]} were thrown`)
})
