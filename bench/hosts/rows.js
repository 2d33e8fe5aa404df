// The rows of the table, in any host: both sides' results are checked by the call that is timed, then the sides take turns.

import { openNodeSeal } from './node-seal.js'
import { openPhoca } from './phoca.js'
import { compare, warmUp } from './timing.js'
import { expected, mistake, operands } from './values.js'

const KEYGEN = [['KeyGen/Secret', 'keygen_secret'], ['KeyGen/Public', 'keygen_public']]
const KEYGEN_SWITCHING = [['KeyGen/Relin', 'keygen_relin'], ['KeyGen/Galois', 'keygen_galois']]
const ENCRYPTION = [['EncryptSecret', 'encrypt_symmetric'], ['EncryptPublic', 'encrypt_public'], ['Decrypt', 'decrypt']]
const BATCH = [['EncodeBatch', 'encode'], ['DecodeBatch', 'decode']]
const DOUBLE = [['EncodeDouble', 'encode'], ['DecodeDouble', 'decode']]
const ARITHMETIC = [
  ['EvaluateAddCt', 'add'], ['EvaluateAddPt', 'add_plain'], ['EvaluateNegate', 'negate'], ['EvaluateSubCt', 'sub'],
  ['EvaluateSubPt', 'sub_plain'], ['EvaluateMulCt', 'multiply'], ['EvaluateMulPt', 'multiply_plain'], ['EvaluateSquare', 'square'],
]
const INTEGER_SWITCHING = [
  ['EvaluateModSwitchInplace', 'mod_switch'], ['EvaluateRelinInplace', 'relinearize'], ['EvaluateRotateRows', 'rotate'],
  ['EvaluateRotateCols', 'rotate_columns'],
]
const CKKS_SWITCHING = [
  ['EvaluateRescaleInplace', 'rescale'], ['EvaluateRelinInplace', 'relinearize'], ['EvaluateRotate', 'rotate'],
  ['EvaluateConjugate', 'conjugate'], ['EvaluateModSwitchInplace', 'mod_switch'], ['EvaluateMulRelinRescale', 'multiply_relinearize_rescale'],
]

const TRANSFORMS = [['EvaluatePlainToNTT', 'plain_to_ntt'], ['UTIL/NTTForward', 'to_ntt'], ['UTIL/NTTInverse', 'from_ntt']]

const NEEDS_LEVELS = new Set(['mod_switch', 'rescale', 'multiply_relinearize_rescale'])
const PRODUCTS = new Set(['multiply', 'multiply_plain', 'square', 'plain_to_ntt'])
/** The smallest degree: its one prime has no room for a product under a plain modulus with slots. */
const TINY = 1024
/** How long, in milliseconds, each side warms up in a row, and all rows together beforehand. */
const WARM_UP = { quick: { row: 40, session: 500 }, full: { row: 120, session: 2000 } }

/** Published names and operations of a scheme, as far as its primes allow. */
export function rowsOf(scheme, degree, primes) {
  const keys = scheme === 'bfv' ? [...KEYGEN, ...(primes > 1 ? KEYGEN_SWITCHING : [])] : []
  const switching = primes > 1 ? (scheme === 'ckks' ? CKKS_SWITCHING : INTEGER_SWITCHING) : []
  return [...keys, ...ENCRYPTION, ...(scheme === 'ckks' ? DOUBLE : BATCH), ...ARITHMETIC, ...switching, ...(scheme === 'bfv' ? TRANSFORMS : [])]
    .filter(([, operation]) => primes > 2 || !NEEDS_LEVELS.has(operation))
    .filter(([, operation]) => degree > TINY || scheme === 'ckks' || !PRODUCTS.has(operation))
    .map(([op, operation]) => ({ op, operation }))
}

/**
 * Measures the rows that `degrees` and `filters` choose. `phoca` and `peer` are the libraries of both sides; with `one`, Phoca with one
 * thread takes turns too.
 */
export async function* measure({ phoca, one, peer }, { degrees, filters = [], rounds, quick = false }) {
  const times = quick ? WARM_UP.quick : WARM_UP.full
  for (const degree of degrees) {
    for (const scheme of ['bfv', 'bgv', 'ckks']) {
      const parameters = parametersOf(phoca, scheme, degree)
      const rows = rowsOf(scheme, degree, parameters.coeffModulus.length).filter(({ op }) => wanted(`${degree}/${scheme}/${op}`, filters))
      if (rows.length === 0) continue
      const values = operands(parameters, scheme === 'ckks' ? degree / 2 : degree)
      const sides = { ours: openPhoca(phoca, parameters, values), peer: openNodeSeal(peer, parameters, values) }
      if (one !== undefined) sides.one = openPhoca(one, parameters, values)
      for (const { operations } of Object.values(sides)) warmUp(rows.map(({ operation }) => operations[operation]), times.session)
      for (const row of rows) {
        yield { ...measureRow(sides, row, parameters, values, { rounds, warmUp: times.row, threads: one !== undefined }), n: degree, scheme: scheme.toUpperCase() }
      }
      for (const session of Object.values(sides)) session.close()
    }
  }
}

function measureRow(sides, { op, operation }, parameters, values, settings) {
  const wants = expected(operation, parameters, values)
  for (const [side, session] of Object.entries(sides)) {
    const wrong = mistake(reveal(session, operation), wants, parameters.degree === TINY ? 0.5 : 1e-2)
    if (wrong) throw new Error(`row ${op} of ${parameters.scheme} at n = ${parameters.degree}: the result of ${side} is wrong (${wrong})`)
  }
  const timed = Object.fromEntries(Object.entries(sides).map(([side, session]) => [side, session.operations[operation]]))
  return { op, log_q: bits(parameters.coeffModulus), ...compare(timed, settings) }
}

/** The slots that a call makes; keys are used. */
function reveal(session, operation) {
  const made = session.operations[operation].run()
  if (operation === 'keygen_secret') return session.useSecret(made)
  if (operation === 'decode') return made
  if (operation === 'encode' || operation === 'decrypt') return session.decode(made)
  return session.decrypt(session.use[operation]?.(made) ?? made)
}

/** SEAL's default chain, a plain modulus with slots, and a scale with room for a product. */
function parametersOf(phoca, scheme, degree) {
  const coeffModulus = phoca.coeffModulus.default(degree)
  if (scheme !== 'ckks') return { scheme, degree, coeffModulus, plainModulus: phoca.plainModulus.batching(degree, degree < 4096 ? 14 : 20) }
  const data = coeffModulus.subarray(0, Math.max(1, coeffModulus.length - 1))
  const sizes = [...data].reduce((sum, prime) => sum + prime.toString(2).length, 0)
  const scale = 2 ** Math.min(Math.floor(sizes / 2) - (degree === TINY ? 0 : 4), 40)
  return { scheme, degree, coeffModulus, scale }
}

function bits(primes) {
  return [...primes].reduce((product, prime) => product * prime, 1n).toString(2).length
}

function wanted(name, filters) {
  return filters.length === 0 || filters.some((filter) => name.toLowerCase().includes(filter.toLowerCase()))
}
