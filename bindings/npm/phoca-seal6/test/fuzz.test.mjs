// Random calls with random arguments, right and wrong: each returns, or throws an Error; the module neither traps nor stops working.

import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { ours, PACKAGE } from './helpers.mjs'

const SEEDS = [1, 2, 3, 4]
const CALLS = 3000
const DEGREE = 1024

/** The types of the parameters of each function, from the declarations. */
const SIGNATURES = new Map(readdirSync(join(PACKAGE, 'implementation')).flatMap((file) => {
  const lines = readFileSync(join(PACKAGE, 'implementation', file), 'utf8').split('\n')
  return lines.flatMap((line) => {
    const [, name, destination, parameters] = /^  readonly (\w+): (WithDestination<\[)?\(?(.*)$/.exec(line) ?? []
    if (name === undefined) return []
    const end = parameters.search(/[\])]/)
    const types = [...parameters.slice(0, end).matchAll(/\w+\??: (\w+)/g)].map(([, type]) => type)
    return [[name, destination ? [...types, parameters.includes(', PlainText') ? 'PlainText' : 'CipherText'] : types]]
  })
}))
const CLASSES = { CipherText: 'Ciphertext', PlainText: 'Plaintext', Context: 'SEALContext' }

/** A generator of integers below a bound (a xorshift of 32 bits). */
function generator(seed) {
  let state = seed * 0x9e3779b9 | 1
  return (bound) => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) % bound
  }
}

/** Objects of a scheme at a small degree. */
function worldOf(seal, name) {
  const parameters = seal.EncryptionParameters(seal.SchemeType[name])
  parameters.setPolyModulusDegree(DEGREE)
  parameters.setCoeffModulus(seal.CoeffModulus.Create(DEGREE, Int32Array.of(40, 40, 40)))
  if (name !== 'ckks') parameters.setPlainModulus(seal.PlainModulus.Batching(DEGREE, 16))
  const context = seal.Context(parameters, true, seal.SecurityLevel.none)
  const keys = seal.KeyGenerator(context)
  const secretKey = keys.secretKey()
  const publicKey = keys.createPublicKey()
  const encoder = name === 'ckks' ? seal.CKKSEncoder(context) : seal.BatchEncoder(context)
  const plain = name === 'ckks' ? encoder.encode(Float64Array.of(1, 2), 2 ** 30) : encoder.encode(Int32Array.of(1, 2))
  const encryptor = seal.Encryptor(context, publicKey, secretKey)
  return [parameters, context, keys, secretKey, publicKey, encoder, plain, encryptor, encryptor.encrypt(plain), keys.createRelinKeys(),
    keys.createGaloisKeys(), seal.Evaluator(context), seal.Decryptor(context, secretKey), encryptor.encryptSymmetricSerializable(plain),
    context.firstContextData, context.firstContextData.qualifiers, context.firstParmsId, context.lastParmsId]
}

const ODD = [undefined, null, 0, 1, -1, 2, 3, 1.5, NaN, Infinity, 2 ** 31, 2 ** 40, '', '1', 'XqEQ', true, 5n, -1n, 1n << 70n, {}, [], [1, 2],
  { instance: null }, { instance: {} }, { instance: 5 }, () => 1, Symbol('x'), Object.create(null), Int32Array.of(1, 2), Uint32Array.of(7),
  BigInt64Array.of(1n, -1n), BigUint64Array.of(1n << 63n), Float64Array.of(0.5, NaN), Float64Array.of(1e300), new Int32Array(2000),
  Uint8Array.of(1, 2, 3)]

function fuzz(seal, seed) {
  const random = generator(seed)
  const pick = (list) => list[random(list.length)]
  const worlds = ['bfv', 'bgv', 'ckks'].map((name) => worldOf(seal, name))
  const objects = worlds.flat()
  /** Which world an object belongs to. */
  const home = new Map(worlds.flatMap((world, index) => world.map((object) => [object, index])))
  objects.push(seal.Modulus(17n), seal.CoeffModulus.BFVDefault(1024), seal.CipherText(), seal.PlainText({ coeffCount: 9 }), seal.Vector(),
    seal.SecretKey(), seal.GaloisKeys(), seal.ParmsIdType(), seal.Serializable(), seal.ContextData())
  const workers = objects.filter(({ instance }) => ['Evaluator', 'Encryptor', 'Decryptor', 'BatchEncoder', 'CKKSEncoder'].includes(instance?.constructor.name))
  const enums = [seal.SchemeType, seal.SecurityLevel, seal.ComprModeType].flatMap((type) => Object.values(type))
  const files = objects.flatMap((object) => {
    try {
      return [object.saveArray(), object.save(seal.ComprModeType.none)]
    } catch {
      return []
    }
  })
  const argument = () => {
    const kind = random(20)
    if (kind < 13) return pick(objects)
    if (kind < 15) return pick(enums)
    if (kind < 17) return damaged(pick(files), random)
    return kind < 18 ? pick(objects).instance : pick(ODD)
  }
  /** Mostly of the type that is declared. */
  const typed = (type, world) => {
    if (random(12) === 0) return argument()
    if (type === 'number') return random(2) ? random(20) - 4 : random(3000)
    if (type === 'SchemeType') return pick(Object.values(seal.SchemeType))
    const fitting = objects.filter((object) =>
      object.instance?.constructor.name === (CLASSES[type] ?? type) && (home.get(object) === world || random(20) === 0))
    return fitting.length > 0 ? pick(fitting) : argument()
  }
  const argumentsOf = (name, world) => {
    const types = SIGNATURES.get(name)
    if (types === undefined || random(4) === 0) return Array.from({ length: random(6) }, argument)
    return types.slice(0, random(4) === 0 ? types.length : Math.max(types.length - 1, 0) || types.length).map((type) => typed(type, world))
  }
  const count = { returned: 0, thrown: 0, computed: 0 }
  for (let call = 0; call < CALLS; call++) {
    const target = pick([pick(objects), pick(objects), pick(workers), pick([seal, seal.CoeffModulus, seal.PlainModulus, seal.Exception])])
    const name = pick(Object.keys(target))
    // Deleting is rare, so that most calls have something to work with.
    if (['delete', 'move', 'release'].includes(name) && random(20) !== 0) continue
    const world = home.get(target)
    const args = argumentsOf(name, world)
    try {
      const result = typeof target[name] === 'function' ? target[name](...args) : target[name]
      count.returned++
      if (SIGNATURES.get(name)?.at(-1) === 'CipherText') count.computed++
      if (result?.instance === undefined) continue
      home.set(result, world)
      if (objects.length < 300) objects.push(result)
      else objects[random(objects.length)] = result
    } catch (error) {
      count.thrown++
      assert.ok(error instanceof Error, `${name} threw ${String(error)}`)
      assert.ok(!(error instanceof WebAssembly.RuntimeError), `${name} trapped: ${error.stack}`)
      assert.ok(!/unreachable|null pointer|recursive use/.test(error.message), `${name}: ${error.stack}`)
    }
  }
  return count
}

/** A file, as it is or with a byte changed or its end missing. */
function damaged(file, random) {
  const kind = random(3)
  if (kind === 0) return file
  if (typeof file === 'string') return file.slice(0, random(file.length))
  if (kind === 1) return file.slice(0, random(file.length))
  const copy = file.slice()
  copy[random(Math.min(copy.length, 200))] ^= 1 << random(8)
  return copy
}

for (const seed of SEEDS) {
  test(`random calls from seed ${seed}`, async () => {
    const seal = await ours()()
    const { returned, thrown, computed } = fuzz(seal, seed)
    assert.ok(Math.min(returned, thrown) > CALLS / 10 && computed > CALLS / 100, `${returned} calls returned, of ciphertexts ${computed}; ${thrown} threw`)
    const [, , , secretKey, , encoder, , , cipher, , , evaluator, decryptor] = worldOf(seal, 'bfv')
    assert.deepEqual([...encoder.decode(decryptor.decrypt(evaluator.add(cipher, cipher))).slice(0, 2)], [2, 4])
    assert.ok(secretKey.save().length > 100)
  })
}
