// How much memory a program without any `delete()` needs: `node memory.mjs rounds [COUNT]`, and how much saving all Galois keys at
// n = 16384 takes: `node memory.mjs save [DEGREE]`. Each prints one fact as a line of JSON, and ends with status 1 where a limit is passed.

import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { packages, say } from './places.mjs'

const phoca = await import(pathToFileURL(join(packages, 'phoca/dist/index.js')))
await phoca.initialize()

const MEGABYTE = 1e6
const LIMITS = { rounds: 200, save: 1.3 }
/** Where rounds end early, in megabytes: memory grows without bound then. */
const FAR_TOO_MUCH = 1000

/** Encrypts, adds and decrypts so often, in one task. The largest resident size in megabytes, sampled. */
function rounds(count) {
  const degree = 4096
  const plainModulus = phoca.plainModulus.batching(degree, 20)
  const context = new phoca.Context({ scheme: 'bfv', degree, coeffModulus: phoca.coeffModulus.default(degree), plainModulus })
  const keys = new phoca.KeyGenerator(context)
  const encoder = new phoca.BatchEncoder(context)
  const encryptor = new phoca.Encryptor(context, keys.publicKey())
  const decryptor = new phoca.Decryptor(context, keys.secretKey())
  const evaluator = new phoca.Evaluator(context)
  const values = Int32Array.from({ length: degree }, (_, index) => index)
  let [round, peak] = [0, 0]
  for (; round < count && peak < FAR_TOO_MUCH * MEGABYTE; round++) {
    values[0] = round
    const cipher = encryptor.encrypt(encoder.encode(values))
    const decoded = encoder.decode(decryptor.decrypt(evaluator.add(cipher, cipher)))
    if (decoded[0] !== BigInt(2 * round) % plainModulus) throw new Error(`round ${round} gave ${decoded[0]}`)
    if (round % 50 === 0) peak = Math.max(peak, process.memoryUsage.rss())
  }
  return { op: 'Memory/Rounds', n: degree, measure: `megabytes resident, ${round} rounds of encrypt, add and decrypt without delete()`, value: peak / MEGABYTE }
}

/** The growth of the resident size from before the keys to its peak while they are saved, over the size of the file. */
async function save(degree) {
  const context = new phoca.Context({ scheme: 'ckks', degree, coeffModulus: phoca.coeffModulus.default(degree) })
  const generator = new phoca.KeyGenerator(context)
  const before = process.memoryUsage.rss()
  const keys = generator.galoisKeys()
  let [size, peak] = [0, process.memoryUsage.rss()]
  // In full: a file with seeds has half the size of the keys.
  for await (const chunk of keys.save({ seeds: false })) {
    size += chunk.length
    peak = Math.max(peak, process.memoryUsage.rss())
  }
  return { op: 'Memory/SaveGaloisKeys', n: degree, measure: `resident growth over the ${Math.round(size / MEGABYTE)} MB of all Galois keys`, value: (peak - before) / size }
}

const [what, number] = process.argv.slice(2)
const fact = what === 'save' ? await save(Number(number ?? 16384)) : rounds(Number(number ?? 100_000))
const limit = LIMITS[what]
say({ kind: 'fact', ...fact, limit })
process.exit(fact.value <= limit ? 0 : 1)
