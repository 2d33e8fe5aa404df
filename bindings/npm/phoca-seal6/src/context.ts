// Contexts and their levels. A context of parameters that cannot be used is one, too: it says so, and shows them.

import { Context, type Level, ParametersError, PhocaError } from 'phoca'
import { describeParameters, parmsIdOf, type Qualifiers, qualifiersOfUnusable, totalBits } from 'phoca/seal-compat'
import type { ContextData as ContextDataFacade } from '../implementation/context-data.js'
import type { Context as ContextFacade } from '../implementation/context.js'
import type { EncryptionParameterQualifiers as QualifiersFacade } from '../implementation/encryption-parameter-qualifiers.js'
import type { EncryptionParameters as ParametersFacade } from '../implementation/encryption-parameters.js'
import type { ParmsIdType as ParmsIdFacade } from '../implementation/parms-id-type.js'
import { type EnumValue, numberOf, SecurityLevel } from './enums.js'
import { INVALID_PARAMETERS, UNKNOWN_PARMS_ID } from './errors.js'
import { facade, inner, Inner, type Shape } from './facade.js'
import {
  asParameters, EncryptionParameters, idOf, makeParmsId, type ParameterValues, wordsOf, wrapParameters,
} from './parameters.js'

class EncryptionParameterQualifiers extends Inner {
  static override readonly name = 'EncryptionParameterQualifiers'

  constructor(private readonly values: Qualifiers) {
    super()
  }

  parametersSet = (): boolean => this.values.parametersSet
  usingFFT = (): boolean => this.values.usingFFT
  usingNTT = (): boolean => this.values.usingNTT
  usingBatching = (): boolean => this.values.usingBatching
  usingFastPlainLift = (): boolean => this.values.usingFastPlainLift
  usingDescendingModulusChain = (): boolean => this.values.usingDescendingModulusChain
  securityLevel = (): EnumValue => levelOf(this.values.securityLevel)

  protected free(): void {}
}

const QUALIFIERS_SHAPE: Shape<EncryptionParameterQualifiers> = {
  Class: EncryptionParameterQualifiers,
  inject: 'unsafeInject',
  members: ['parametersSet', 'get usingFFT', 'get usingNTT', 'get usingBatching', 'get usingFastPlainLift',
    'get usingDescendingModulusChain', 'get securityLevel'],
}

export const makeQualifiers = (values?: Qualifiers): QualifiersFacade =>
  facade(QUALIFIERS_SHAPE, values && new EncryptionParameterQualifiers(values))

export class SEALContext extends Inner {
  static override readonly name = 'SEALContext'
  readonly values: ParameterValues
  /** The level of security that was asked for. */
  readonly bits: number
  /** Nothing where the parameters cannot be used. */
  readonly context: Context | undefined

  constructor(values: ParameterValues, expandChain: boolean, bits: number, allowTransparent: boolean) {
    super()
    this.values = values
    this.bits = bits
    this.context = contextOf(values, expandChain, bits, allowTransparent)
  }

  /** The engine's context. */
  use(): Context {
    if (this.context === undefined) throw new Error(INVALID_PARAMETERS)
    return this.context
  }

  /** The level that an argument names. */
  levelOf(parmsId: ParmsIdFacade, unknown = UNKNOWN_PARMS_ID): Level {
    const words = idOf(parmsId)
    const level = this.use().level(words)
    if (level === undefined) throw new Error(unknown)
    return level
  }

  toHuman(): string {
    return describeParameters(wordsOf(this.values))
  }

  getContextData(parmsId: ParmsIdFacade): ContextDataFacade {
    const words = idOf(parmsId)
    if (this.context === undefined) return this.#at(equal(words, parmsIdOf(wordsOf(this.values))) ? 0 : -1)
    const level = this.context.level(words)
    return this.#at(level === undefined ? -1 : this.context.levels.indexOf(level))
  }

  keyContextData(): ContextDataFacade {
    return this.#at(0)
  }

  firstContextData(): ContextDataFacade {
    return this.#at(this.#first)
  }

  lastContextData(): ContextDataFacade {
    return this.#at(this.#last)
  }

  parametersSet(): boolean {
    return this.context !== undefined
  }

  keyParmsId(): ParmsIdFacade {
    return this.#at(0).parmsId
  }

  firstParmsId(): ParmsIdFacade {
    return this.#at(this.#first).parmsId
  }

  lastParmsId(): ParmsIdFacade {
    return this.#at(this.#last).parmsId
  }

  usingKeyswitching(): boolean {
    return this.context?.supportsKeySwitching ?? false
  }

  /** Leaves the engine's context to what was made of it, and to the garbage collector after that. */
  protected free(): void {}

  get #first(): number {
    return this.context === undefined ? 0 : this.context.levels.indexOf(this.context.firstLevel)
  }

  get #last(): number {
    return this.context === undefined ? 0 : this.context.levels.length - 1
  }

  #at(position: number): ContextDataFacade {
    return makeContextData(new ContextData(this, position))
  }
}

const CONTEXT_SHAPE: Shape<SEALContext> = {
  Class: SEALContext,
  inject: 'unsafeInject',
  members: ['toHuman', 'getContextData', 'get keyContextData', 'get firstContextData', 'get lastContextData', 'parametersSet',
    'get keyParmsId', 'get firstParmsId', 'get lastParmsId', 'get usingKeyswitching'],
}

export function makeContext(parameters: ParametersFacade, expandChain: unknown, level: unknown, allowTransparent: boolean): ContextFacade {
  const { values } = inner(parameters, EncryptionParameters)
  return facade(CONTEXT_SHAPE, new SEALContext(values, Boolean(expandChain), numberOf(level), allowTransparent))
}

/** The inner object of an argument that must be a context of parameters that can be used. */
export function contextOfArgument(argument: ContextFacade): SEALContext {
  const context = inner(argument, SEALContext)
  context.use()
  return context
}

/** One level of a context. Outside of the chain there is none, and its values are zeros. */
class ContextData extends Inner {
  static override readonly name = 'ContextData'
  readonly #context: SEALContext
  readonly #position: number

  constructor(context: SEALContext, position: number) {
    super()
    this.#context = context
    this.#position = position
  }

  parms(): ParametersFacade {
    return wrapParameters(this.#values)
  }

  parmsId(): ParmsIdFacade {
    return makeParmsId(this.#isInside ? this.#level?.parmsId.slice() ?? parmsIdOf(wordsOf(this.#values)) : new BigUint64Array(4))
  }

  qualifiers(): QualifiersFacade {
    return makeQualifiers(this.#isInside ? qualifiersOf(this.#context, this.#level) : qualifiersOfUnusable(wordsOf(this.#values), 0))
  }

  totalCoeffModulusBitCount(): number {
    return this.#isInside ? this.#level?.modulusBits ?? totalBits([...this.#values.coeffModulus]) : 0
  }

  prevContextData(): ContextDataFacade {
    return makeContextData(new ContextData(this.#context, this.#isInside ? this.#position - 1 : -1))
  }

  nextContextData(): ContextDataFacade {
    return makeContextData(new ContextData(this.#context, this.#isInside ? this.#position + 1 : -1))
  }

  chainIndex(): number {
    return this.#level?.chainIndex ?? 0
  }

  protected free(): void {}

  get #level(): Level | undefined {
    return this.#context.context?.levels[this.#position]
  }

  get #isInside(): boolean {
    return this.#level !== undefined || (this.#context.context === undefined && this.#position === 0)
  }

  get #values(): ParameterValues {
    const { values } = this.#context
    if (!this.#isInside) return { scheme: 0, degree: 0, coeffModulus: new BigUint64Array(), plainModulus: 0n }
    return { ...values, coeffModulus: values.coeffModulus.slice(0, this.#level?.primeCount) }
  }
}

const DATA_SHAPE: Shape<ContextData> = {
  Class: ContextData,
  inject: 'unsafeInject',
  members: ['get parms', 'get parmsId', 'get qualifiers', 'get totalCoeffModulusBitCount', 'get prevContextData', 'get nextContextData',
    'get chainIndex'],
}

export const makeContextData = (data?: ContextData): ContextDataFacade => facade(DATA_SHAPE, data)

function contextOf(values: ParameterValues, expandChain: boolean, bits: number, allowTransparent: boolean): Context | undefined {
  if (values.scheme === 0) return undefined
  const security = bits === 0 ? 'none' : bits as 128 | 192 | 256
  try {
    return new Context(asParameters(values), { security, expandChain, allowTransparent })
  } catch (error) {
    if (error instanceof ParametersError || (error instanceof PhocaError && error.kind === 'Ring')) return undefined
    throw error
  }
}

function levelOf(bits: number): EnumValue {
  return bits === 128 ? SecurityLevel.tc128 : bits === 192 ? SecurityLevel.tc192 : bits === 256 ? SecurityLevel.tc256 : SecurityLevel.none
}

function qualifiersOf({ values, bits, context }: SEALContext, level: Level | undefined): Qualifiers {
  if (context === undefined || level === undefined) return qualifiersOfUnusable(wordsOf(values), bits)
  return {
    parametersSet: true,
    usingFFT: true,
    usingNTT: true,
    usingBatching: context.scheme === 'ckks' || context.supportsBatching,
    usingFastPlainLift: level.hasFastPlainLift,
    usingDescendingModulusChain: level.hasDescendingModuli,
    securityLevel: bits,
  }
}

function equal(left: BigUint64Array, right: BigUint64Array): boolean {
  return left.every((word, index) => word === right[index])
}
