// What SEAL says of parameters, those included that cannot be used.

import { core } from '../core.js'
import type { ParameterWords } from './files.js'

/** SEAL's qualifiers of one level. */
export interface Qualifiers {
  parametersSet: boolean
  usingFFT: boolean
  usingNTT: boolean
  usingBatching: boolean
  usingFastPlainLift: boolean
  usingDescendingModulusChain: boolean
  /** In bits; 0 where nothing was checked, or the check failed. */
  securityLevel: number
}

/** The names that parameters have in SEAL, by its numbers. */
export const SCHEME_NAMES = ['none', 'bfv', 'ckks', 'bgv'] as const

const NOTHING: Qualifiers = {
  parametersSet: false, usingFFT: false, usingNTT: false, usingBatching: false, usingFastPlainLift: false,
  usingDescendingModulusChain: false, securityLevel: 0,
}

export function bitCount(value: bigint): number {
  return value === 0n ? 0 : value.toString(2).length
}

/** Bits of the product, or 0 where a modulus is out of range, with which SEAL stops. */
export function totalBits(coeffModulus: readonly bigint[]): number {
  const isCount = coeffModulus.length > 0 && coeffModulus.length <= 64
  const isInRange = coeffModulus.every((value) => bitCount(value) >= 2 && bitCount(value) <= 60)
  return isCount && isInRange ? bitCount(coeffModulus.reduce((product, value) => product * value, 1n)) : 0
}

/** The most bits that all primes together may have; none are too many without a level. */
export function maxBitCount(degree: number, security: number): number {
  if (security === 0) return 0x7fff_ffff
  return [128, 192, 256].includes(security) ? core().maxBitCount(degree, security, 0) : 0
}

/** The id of parameters: SEAL's hash of them. */
export function parmsIdOf({ scheme, degree, coeffModulus, plainModulus }: ParameterWords): BigUint64Array {
  return core().parmsId(scheme, BigInt(degree), BigUint64Array.from(coeffModulus), plainModulus)
}

/** The qualifiers of parameters that cannot be used: what SEAL has found out before it gives up. */
export function qualifiersOfUnusable({ degree, coeffModulus }: ParameterWords, security: number): Qualifiers {
  const bits = totalBits(coeffModulus)
  const isDegree = degree >= 2 && degree <= 131072 && (degree & (degree - 1)) === 0
  if (bits === 0 || !isDegree) return NOTHING
  const found = { ...NOTHING, usingFFT: true }
  if (bits > maxBitCount(degree, security)) return found
  found.securityLevel = security
  const isDistinct = new Set(coeffModulus).size === coeffModulus.length
  const order = 2n * BigInt(degree)
  found.usingNTT = isDistinct && coeffModulus.every((prime) => prime % order === 1n && core().isPrime(prime))
  return found
}

/** The box of text that node-seal's `toHuman` draws. */
export function describeParameters({ scheme, degree, coeffModulus, plainModulus }: ParameterWords): string {
  const lines = [
    ' Encryption parameters :',
    `   scheme: ${SCHEME_NAMES[scheme]}`,
    `   poly_modulus_degree: ${degree}`,
    `   coeff_modulus size: ${totalBits(coeffModulus)} (${coeffModulus.map(bitCount).join(' + ')}) bits`,
  ]
  if (scheme !== 2) lines.push(`   plain_modulus: ${plainModulus}`)
  return `/\n${lines.map((line) => `|${line}\n`).join('')}\\\n`
}
