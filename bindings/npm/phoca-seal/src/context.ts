// Parameters, contexts and their levels.

import { Context, type Level, loadParameters, PhocaError } from 'phoca'
import {
  describeParameters, frame, parametersFile, type ParameterWords, parmsIdOf, type Qualifiers, qualifiersOfUnusable, SCHEME_NAMES, totalBits,
} from 'phoca/seal-compat'
import { any, bool, type Class, convert, int, nothing, text, type Type, uint } from './binding.js'
import { LibraryErrors } from './exception.js'
import type { Library } from './library.js'
import { type defineModuli, INVALID_VALUE, ModulusBox, ModulusVector } from './modulus.js'
import { type Saved, withLoading, withSaving } from './saving.js'

const CKKS = 2

/** The id of a level: four words. */
export class ParmsId {
  constructor(readonly words: BigUint64Array = new BigUint64Array(4)) {}
}

/** Parameters, checked only when a context is made of them. */
export class ParametersBox implements Saved {
  words: ParameterWords

  constructor(scheme: number, words?: Partial<ParameterWords>) {
    this.words = { scheme, degree: 0, coeffModulus: [], plainModulus: 0n, ...words }
  }

  setDegree(degree: number): void {
    if (this.words.scheme === 0 && degree !== 0) throw LibraryErrors.logic('poly_modulus_degree is not supported for this scheme')
    this.words = { ...this.words, degree }
  }

  setCoeffModulus(values: readonly bigint[]): void {
    const isNone = this.words.scheme === 0
    if (isNone && values.length > 0) throw LibraryErrors.logic('coeff_modulus is not supported for this scheme')
    if (!isNone && (values.length < 1 || values.length > 256)) throw LibraryErrors.invalidArgument('coeff_modulus is invalid')
    this.words = { ...this.words, coeffModulus: [...values] }
  }

  setPlainModulus(value: bigint): void {
    const { scheme } = this.words
    if ((scheme === 0 || scheme === CKKS) && value !== 0n) throw LibraryErrors.logic('plain_modulus is not supported for this scheme')
    this.words = { ...this.words, plainModulus: value }
  }

  save(mode: number): Uint8Array {
    return frame(parametersFile(this.words), mode)
  }

  load(bytes: Uint8Array): void {
    this.words = parametersIn(bytes)
  }
}

/** What a context knows of a level, or nothing of one that does not exist. */
export class LevelBox {
  constructor(readonly context: ContextBox | undefined, readonly position = -1) {}

  get words(): ParameterWords {
    const { context, position } = this
    if (context === undefined) return new ParametersBox(0).words
    const { words, levels } = context
    return levels === undefined ? words : { ...words, coeffModulus: words.coeffModulus.slice(0, levels[position]!.primeCount) }
  }

  get level(): Level | undefined {
    return this.context?.levels?.[this.position]
  }

  get id(): BigUint64Array {
    return this.level?.parmsId ?? this.context?.keyId ?? new BigUint64Array(4)
  }

  get bits(): number {
    return this.level?.modulusBits ?? (this.context === undefined ? 0 : totalBits(this.context.words.coeffModulus))
  }

  /** The level so many steps further down. */
  step(by: number): LevelBox {
    const position = this.position + by
    return this.context?.levels?.[position] === undefined ? new LevelBox(undefined) : new LevelBox(this.context, position)
  }

  qualifiers(): Qualifiers {
    const { context, level } = this
    // Over a null pointer node-seal reads no error, and so what is set.
    if (context === undefined) return { ...qualifiersOfUnusable(this.words, 0), parametersSet: true }
    if (context.usable === undefined || level === undefined) return qualifiersOfUnusable(context.words, context.security)
    return {
      parametersSet: true,
      usingFFT: true,
      usingNTT: true,
      usingBatching: context.usable.supportsBatching,
      usingFastPlainLift: context.words.scheme !== CKKS && level.hasFastPlainLift,
      usingDescendingModulusChain: level.hasDescendingModuli,
      securityLevel: context.security,
    }
  }
}

/** A context, whether its parameters can be used or not. */
export class ContextBox {
  readonly words: ParameterWords
  readonly keyId: BigUint64Array
  /** Phoca's context, if the parameters can be used. */
  readonly usable: Context | undefined
  readonly levels: readonly Level[] | undefined

  constructor(words: ParameterWords, readonly expand: boolean, readonly security: number, allowTransparent: boolean) {
    this.words = words
    this.keyId = parmsIdOf(words)
    this.usable = makeContext(words, expand, security, allowTransparent)
    this.levels = this.usable?.levels
  }

  get firstPosition(): number {
    return this.usable === undefined ? 0 : this.levels!.indexOf(this.usable.firstLevel)
  }

  get lastPosition(): number {
    return this.levels === undefined ? 0 : this.levels.length - 1
  }

  /** The context of phoca, for what needs one. */
  require(): Context {
    if (this.usable === undefined) throw LibraryErrors.invalidArgument('encryption parameters are not set correctly')
    return this.usable
  }

  /** Where a level is, or -1. */
  positionOf(id: BigUint64Array): number {
    const isSame = (other: BigUint64Array): boolean => other.every((word, index) => word === id[index])
    return this.levels === undefined ? Number(isSame(this.keyId)) - 1 : this.levels.findIndex(({ parmsId }) => isSame(parmsId))
  }

  find(id: BigUint64Array): LevelBox {
    const position = this.positionOf(id)
    return position < 0 ? new LevelBox(undefined) : new LevelBox(this, position)
  }
}

/** A context that can be replaced by another. */
export class ContextHolder {
  constructor(public box: ContextBox) {}
}

function makeContext(words: ParameterWords, expandChain: boolean, security: number, allowTransparent: boolean): Context | undefined {
  const { scheme, degree, coeffModulus, plainModulus } = words
  const name = SCHEME_NAMES[scheme]
  // What node-seal's SEAL takes at most; phoca has no such limit.
  if (name === undefined || name === 'none' || coeffModulus.length > 64) return undefined
  try {
    const parameters = { scheme: name, degree, coeffModulus: BigUint64Array.from(coeffModulus), plainModulus }
    return new Context(parameters, { security: security === 0 ? 'none' : security as 128, expandChain, allowTransparent })
  } catch (error) {
    if (error instanceof PhocaError && (error.kind === 'InvalidParameters' || error.kind === 'Argument')) return undefined
    throw error
  }
}

function parametersIn(bytes: Uint8Array): ParameterWords {
  try {
    const { scheme, degree, coeffModulus, plainModulus } = loadParameters(bytes)
    if (coeffModulus.length === 0) throw LibraryErrors.invalidArgument('coeff_modulus is invalid')
    return { scheme: SCHEME_NAMES.indexOf(scheme), degree, coeffModulus: [...coeffModulus], plainModulus }
  } catch (error) {
    // Parameters of no scheme, which phoca does not have, are saved without content.
    const isNone = error instanceof PhocaError && error.fields.field === 'scheme' && (bytes[5] !== 0 || bytes[16] === 0)
    if (!isNone) throw error
    const isEmpty = bytes[5] !== 0 || bytes.subarray(17, 33).every((byte) => byte === 0)
    if (!isEmpty) throw LibraryErrors.logic('poly_modulus_degree is not supported for this scheme')
    return new ParametersBox(0).words
  }
}

/** Defines `ParmsIdType`, `EncryptionParameters`, `EncryptionParameterQualifiers`, `ContextData` and `SEALContext`. */
export function defineContexts(library: Library, { Modulus, VectorModulus }: ReturnType<typeof defineModuli>) {
  const { scheme, compression, security } = library.enums
  const ParmsIdType = library.define<ParmsId>('ParmsIdType')
    .init([], () => new ParmsId())
    .init([{ from: (value) => ParmsIdType.from(value), to: (value) => value } as Type<ParmsId>], (other) => new ParmsId(other.words))
    .method('function', 'values', [], any, (self) => self.words.slice())
  const EncryptionParameters = library.define<ParametersBox>('EncryptionParameters')
    .init([scheme], (scheme) => new ParametersBox(SCHEME_NAMES[scheme] === undefined ? 0 : scheme))
    .method('*', 'setPolyModulusDegree', [uint], nothing, (self, degree) => self.setDegree(degree))
    .method('*', 'setCoeffModulus', [VectorModulus], nothing, (self, { values }) => self.setCoeffModulus(values))
    .method('*', 'setPlainModulus', [Modulus], nothing, (self, { value }) => self.setPlainModulus(value))
    .method('const*', 'scheme', [], scheme, (self) => self.words.scheme)
    .method('const*', 'polyModulusDegree', [], uint, (self) => self.words.degree)
    .method('const*', 'coeffModulus', [], VectorModulus, (self) => new ModulusVector([...self.words.coeffModulus]))
    .method('const*', 'plainModulus', [], Modulus, (self) => new ModulusBox(self.words.plainModulus))
    .method('const*', 'parmsId', [], ParmsIdType, (self) => new ParmsId(parmsIdOf(self.words)))
  withSaving(EncryptionParameters, compression)
  withLoading(EncryptionParameters, [], { value: INVALID_VALUE }, (self, bytes) => self.load(bytes))
  const Qualifiers = library.define<Qualifiers>('EncryptionParameterQualifiers')
    .method('const*', 'parametersSet', [], bool, (self) => self.parametersSet)
  for (const name of ['usingFFT', 'usingNTT', 'usingBatching', 'usingFastPlainLift', 'usingDescendingModulusChain'] as const) {
    Qualifiers.property(name, bool)
  }
  Qualifiers.property('securityLevel', security)
  const ContextData = defineContextData(library, ParmsIdType, EncryptionParameters, Qualifiers)
  const SEALContext = defineContext(library, ParmsIdType, EncryptionParameters, ContextData)
  /** A context with usable parameters. */
  const Usable = convert((value): ContextBox => SEALContext.from(value).box)
  return { ParmsIdType, SEALContext, Usable }
}

function defineContextData(
  library: Library, ParmsIdType: Class<ParmsId>, EncryptionParameters: Class<ParametersBox>, Qualifiers: Class<Qualifiers>,
): Class<LevelBox> {
  const self: Type<LevelBox> = { from: (value) => ContextData.from(value), to: (value) => ContextData.to(value) }
  const ContextData: Class<LevelBox> = library.define<LevelBox>('ContextData')
    .method('function', 'parms', [], EncryptionParameters, ({ words }) => new ParametersBox(words.scheme, words))
    .method('function', 'parmsId', [], ParmsIdType, (self) => new ParmsId(self.id))
    .method('function', 'qualifiers', [], Qualifiers, (self) => self.qualifiers())
    .method('function', 'totalCoeffModulusBitCount', [], int, (self) => self.bits)
    .method('function', 'prevContextData', [], self, (self) => self.step(-1))
    .method('function', 'nextContextData', [], self, (self) => self.step(1))
    .method('function', 'chainIndex', [], uint, (self) => self.level?.chainIndex ?? 0)
  return ContextData
}

function defineContext(
  library: Library, ParmsIdType: Class<ParmsId>, EncryptionParameters: Class<ParametersBox>, ContextData: Class<LevelBox>,
): Class<ContextHolder> {
  const own: Type<ContextHolder> = { from: (value) => SEALContext.from(value), to: (value) => SEALContext.to(value) }
  const first = ({ box }: ContextHolder): LevelBox => new LevelBox(box, box.firstPosition)
  const last = ({ box }: ContextHolder): LevelBox => new LevelBox(box, box.lastPosition)
  const idOf = (level: LevelBox): ParmsId => new ParmsId(level.id)
  const SEALContext: Class<ContextHolder> = library.define<ContextHolder>('SEALContext')
    .init([EncryptionParameters, bool, library.enums.security], ({ words }, expand, security) => {
      return new ContextHolder(new ContextBox(words, expand, security, library.allowTransparent))
    })
    .method('function', 'assign', [own], nothing, (self, other) => { self.box = other.box })
    .method('function', 'copy', [], own, (self) => new ContextHolder(self.box))
    .method('function', 'toHuman', [], text, ({ box: { words } }) => {
      if (words.scheme === 0) throw LibraryErrors.invalidArgument('unsupported scheme')
      return describeParameters(words)
    })
    .method('const*', 'getContextData', [ParmsIdType], ContextData, ({ box }, { words }) => box.find(words))
    .method('const*', 'keyContextData', [], ContextData, ({ box }) => new LevelBox(box, 0))
    .method('const*', 'firstContextData', [], ContextData, first)
    .method('const*', 'lastContextData', [], ContextData, last)
    .method('const*', 'parametersSet', [], bool, ({ box }) => box.usable !== undefined)
    .method('const*', 'keyParmsId', [], ParmsIdType, ({ box }) => new ParmsId(box.keyId))
    .method('const*', 'firstParmsId', [], ParmsIdType, (self) => idOf(first(self)))
    .method('const*', 'lastParmsId', [], ParmsIdType, (self) => idOf(last(self)))
    .method('const*', 'usingKeyswitching', [], bool, ({ box }) => box.usable?.supportsKeySwitching ?? false)
  return SEALContext
}
