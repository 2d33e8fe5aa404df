// What programs in TypeScript write with node-seal 6: it compiles with both.

import SEAL from 'node-seal'
import type { BatchEncoder } from 'node-seal/implementation/batch-encoder'
import type { CipherText } from 'node-seal/implementation/cipher-text'
import type { Context } from 'node-seal/implementation/context'
import type { EncryptionParameters } from 'node-seal/implementation/encryption-parameters'
import type { Evaluator } from 'node-seal/implementation/evaluator'
import type { PlainText, PlainTextConstructorParams } from 'node-seal/implementation/plain-text'
import type { SEALLibrary } from 'node-seal/implementation/seal'
import type { StringTypes, Vector } from 'node-seal/implementation/vector'
import allows from 'node-seal/allows_wasm_node_umd'
import worker from 'node-seal/throws_wasm_cf_worker_es'

let seal: SEALLibrary

function makeContext(): Context {
  const parameters: EncryptionParameters = seal.EncryptionParameters(seal.SchemeType.bfv)
  parameters.setPolyModulusDegree(4096)
  const primes: Vector = seal.CoeffModulus.BFVDefault(4096, seal.SecurityLevel.tc128)
  parameters.setCoeffModulus(primes)
  parameters.setPlainModulus(seal.PlainModulus.Batching(4096, 20))
  return seal.Context(parameters, true, seal.SecurityLevel.tc128)
}

export async function run(module: WebAssembly.Module, maybe?: CipherText): Promise<bigint> {
  seal = await SEAL()
  await allows()
  await worker(module)
  const context = makeContext()
  const encoder: BatchEncoder = seal.BatchEncoder(context)
  const params: PlainTextConstructorParams = { coeffCount: 4 }
  const empty = seal.PlainText(params)
  const plain = encoder.encode(Int32Array.of(1)) as PlainText
  encoder.encode(BigUint64Array.of(1n), empty)
  const keys = seal.KeyGenerator(context)
  const encryptor = seal.Encryptor(context, keys.createPublicKey(), keys.secretKey())
  const cipher = encryptor.encrypt(plain) as CipherText
  encryptor.encrypt(plain, cipher)
  encryptor.encryptZero(cipher, seal.MemoryPoolHandle.global)
  const evaluator: Evaluator = seal.Evaluator(context)
  const sum = evaluator.add(cipher, cipher, maybe)
  if (sum) sum.delete()
  evaluator.rotateRows(cipher, 1, keys.createGaloisKeys(Int32Array.of(1)), cipher, seal.MemoryPoolHandle.threadLocal)
  const type: StringTypes = 'Uint8Array'
  const vector = seal.Vector()
  vector.from(Uint8Array.of(1), type)
  const text: string = cipher.save(seal.ComprModeType.zstd)
  cipher.load(context, text)
  return context.firstParmsId.values[0]! + seal.Modulus(5n).value
}
