// Encryption parameters and the names of levels.

import { FileError, loadParameters, type Parameters, saveParameters, type Scheme } from 'phoca'
import { parametersFile, type ParameterWords, parmsIdOf } from 'phoca/seal-compat'
import type { EncryptionParameters as ParametersFacade } from '../implementation/encryption-parameters.js'
import type { ParmsIdType as ParmsIdFacade } from '../implementation/parms-id-type.js'
import { type EnumValue, numberOf, SchemeType } from './enums.js'
import { facade, inner, Inner, type Shape } from './facade.js'
import { bytesOf, framed, load, saveArray, toBase64 } from './files.js'
import { makeModulus, Modulus } from './modulus.js'
import { uint32 } from './numbers.js'
import { VectorModulus, type VectorOf } from './vector.js'

/** The scheme of each number; `none` has none. */
export const SCHEMES: readonly (Scheme | undefined)[] = [undefined, 'bfv', 'ckks', 'bgv']
const SCHEME_TYPES: readonly EnumValue[] = [SchemeType.none, SchemeType.bfv, SchemeType.ckks, SchemeType.bgv]

export class ParmsIdType extends Inner {
  static override readonly name = 'ParmsIdType'

  constructor(readonly words: BigUint64Array) {
    super()
  }

  values(): BigUint64Array {
    return this.words.slice()
  }

  protected free(): void {}
}

const ID_SHAPE: Shape<ParmsIdType> = {
  Class: ParmsIdType, inject: 'inject', members: ['get values'], take: (other) => new ParmsIdType(other.words),
}

/** A name; none where no words are given. */
export const makeParmsId = (id?: BigUint64Array): ParmsIdFacade => facade(ID_SHAPE, id && new ParmsIdType(id))

/** The words of an argument that names a level. */
export const idOf = (argument: ParmsIdFacade): BigUint64Array => inner(argument, ParmsIdType).words

/** The values of parameters, which need not be valid. */
export interface ParameterValues {
  scheme: number
  degree: number
  coeffModulus: BigUint64Array
  plainModulus: bigint
}

const NONE: ParameterValues = { scheme: 0, degree: 0, coeffModulus: new BigUint64Array(), plainModulus: 0n }

export class EncryptionParameters extends Inner {
  static override readonly name = 'EncryptionParameters'
  /** Replaced, never changed, so that contexts can keep it. */
  values: ParameterValues

  constructor(values: ParameterValues) {
    super()
    this.values = values
  }

  setPolyModulusDegree(given: unknown): void {
    const degree = uint32(given)
    this.#needScheme('poly_modulus_degree', degree !== 0)
    this.values = { ...this.values, degree }
  }

  setCoeffModulus(vector: { readonly instance: unknown }): void {
    const { values } = inner<VectorOf>(vector, VectorModulus as never)
    const coeffModulus = values.slice() as BigUint64Array
    this.#needScheme('coeff_modulus', coeffModulus.length !== 0)
    if (coeffModulus.length === 0 || coeffModulus.length > 256) throw new Error('coeff_modulus is invalid')
    this.values = { ...this.values, coeffModulus }
  }

  setPlainModulus(modulus: { readonly instance: unknown }): void {
    const plainModulus = inner(modulus, Modulus).value()
    const { scheme } = this.values
    if (scheme !== 1 && scheme !== 3 && plainModulus !== 0n) throw new Error('plain_modulus is not supported for this scheme')
    this.values = { ...this.values, plainModulus }
  }

  scheme(): EnumValue {
    return SCHEME_TYPES[this.values.scheme]!
  }

  polyModulusDegree(): number {
    return this.values.degree
  }

  coeffModulus(): BigUint64Array {
    return this.values.coeffModulus.slice()
  }

  plainModulus(): unknown {
    return makeModulus(this.values.plainModulus)
  }

  parmsId(): ParmsIdFacade {
    return makeParmsId(parmsIdOf(wordsOf(this.values)))
  }

  save(mode?: unknown): string {
    return toBase64(this.saveArray(mode))
  }

  saveArray(mode?: unknown): Uint8Array {
    const { values } = this
    return saveArray((compression) => values.scheme === 0
      ? framed(parametersFile(wordsOf(NONE)), compression)
      : saveParameters(asParameters(values), { compression }), mode)
  }

  load(encoded: unknown): void {
    this.loadArray(bytesOf(encoded))
  }

  loadArray(array: unknown): void {
    this.values = load(array, { data: 'parameters', File: 'unsupported scheme' }, (bytes) => {
      try {
        const { scheme, ...rest } = loadParameters(bytes)
        return { ...rest, scheme: SCHEMES.indexOf(scheme) }
      } catch (error) {
        if (isOfNoScheme(error, bytes)) return NONE
        throw error
      }
    })
  }

  protected free(): void {}

  #needScheme(name: string, isSet: boolean): void {
    if (this.values.scheme === 0 && isSet) throw new Error(`${name} is not supported for this scheme`)
  }
}

const SHAPE: Shape<EncryptionParameters> = {
  Class: EncryptionParameters,
  inject: 'unsafeInject',
  members: ['setPolyModulusDegree', 'setCoeffModulus', 'setPlainModulus', 'get scheme', 'get polyModulusDegree', 'get coeffModulus',
    'get plainModulus', 'get parmsId', 'save', 'saveArray', 'load', 'loadArray'],
}

export function makeParameters(scheme: unknown = SchemeType.none): ParametersFacade {
  const number = numberOf(scheme)
  return wrapParameters({ ...NONE, scheme: number in SCHEMES ? number : 0 })
}

export const wrapParameters = (values: ParameterValues): ParametersFacade => facade(SHAPE, new EncryptionParameters(values))

/** Values of a scheme as the engine takes them. */
export function asParameters({ scheme, ...rest }: ParameterValues): Parameters {
  return { scheme: SCHEMES[scheme]!, ...rest }
}

/** Values as the parts that SEAL's packages share take them. */
export function wordsOf({ coeffModulus, ...rest }: ParameterValues): ParameterWords {
  return { ...rest, coeffModulus: [...coeffModulus] }
}

/** Whether a file that the engine refuses holds parameters of no scheme: those have no primes, and so are short. */
function isOfNoScheme(error: unknown, bytes: Uint8Array): boolean {
  return error instanceof FileError && error.fields.field === 'scheme' && bytes.length < 80
}
