// Both libraries, and what calls of them do.

import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const require = createRequire(import.meta.url)

export const HERE = dirname(fileURLToPath(import.meta.url))
export const PACKAGE = join(HERE, '..')
export const PEER = join(PACKAGE, '../../../.peers/node/node_modules/node-seal6')

/** Why tests that need the real node-seal 6 are skipped, or false where they run: they fail where PHOCA_REQUIRE_PEERS is set. */
export const skip = existsSync(PEER) || process.env.PHOCA_REQUIRE_PEERS ? false : 'node-seal 6 is not installed: run bench/peers/setup.sh'

/** The factories of a build. */
export const real = (name = 'throws_wasm_node_umd') => require(join(PEER, `${name}.js`))
export const ours = (name = 'throws_wasm_node_umd') => require(join(PACKAGE, `${name}.js`))

/** What a call returns, as something that can be compared, or throws. */
export function outcome(call) {
  try {
    return plain(call())
  } catch (error) {
    // The texts of type errors are the engine's own, and name minified properties.
    return error.name === 'TypeError' ? 'throws a TypeError' : `throws ${error.name}: ${error.message}`
  }
}

function plain(value) {
  if (typeof value === 'bigint') return `${value}n`
  if (typeof value !== 'object' || value === null) return value
  if (ArrayBuffer.isView(value)) return `${value.constructor.name} ${value.length}: ${[...value.slice(0, 8)]}`
  if (Array.isArray(value)) return value.map(plain)
  return value.instance === undefined ? `a ${value.constructor.name}` : `around a ${value.instance.constructor.name}`
}

/** Objects of a scheme. */
export function setup(seal, schemeName, degree = 4096) {
  const scheme = seal.SchemeType[schemeName]
  const parameters = seal.EncryptionParameters(scheme)
  parameters.setPolyModulusDegree(degree)
  parameters.setCoeffModulus(schemeName === 'ckks'
    ? seal.CoeffModulus.Create(degree, Int32Array.of(36, 36, 37))
    : seal.CoeffModulus.BFVDefault(degree))
  if (schemeName !== 'ckks') parameters.setPlainModulus(seal.PlainModulus.Batching(degree, 20))
  const context = seal.Context(parameters)
  const generator = seal.KeyGenerator(context)
  const secretKey = generator.secretKey()
  const publicKey = generator.createPublicKey()
  const encryptor = seal.Encryptor(context, publicKey, secretKey)
  const encoder = schemeName === 'ckks' ? seal.CKKSEncoder(context) : seal.BatchEncoder(context)
  const plaintext = schemeName === 'ckks' ? encoder.encode(Float64Array.of(1, 2, 3), 2 ** 20) : encoder.encode(Int32Array.of(1, 2, 3))
  return {
    seal,
    scheme,
    parameters,
    context,
    generator,
    secretKey,
    publicKey,
    relinKeys: generator.createRelinKeys(),
    galoisKeys: generator.createGaloisKeys(),
    encryptor,
    decryptor: seal.Decryptor(context, secretKey),
    evaluator: seal.Evaluator(context),
    encoder,
    plain: plaintext,
    cipher: encryptor.encrypt(plaintext),
  }
}
