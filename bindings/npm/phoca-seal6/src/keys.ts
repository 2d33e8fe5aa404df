// Keys, their generator, and what can only be saved.

import {
  type Compression, type Context, GaloisKeys as CoreGaloisKeys, KeyGenerator as CoreGenerator, PublicKey as CorePublicKey, RelinKeys as CoreRelinKeys,
  type SaveOptions, SecretKey as CoreSecretKey,
} from 'phoca'
import { ciphertextFile, EMPTY_CIPHERTEXT, emptyKeysFile, plaintextFile, type Texts } from 'phoca/seal-compat'
import type { Context as ContextFacade } from '../implementation/context.js'
import type { GaloisKeys as GaloisKeysFacade } from '../implementation/galois-keys.js'
import type { KeyGenerator as KeyGeneratorFacade } from '../implementation/key-generator.js'
import type { PublicKey as PublicKeyFacade } from '../implementation/public-key.js'
import type { RelinKeys as RelinKeysFacade } from '../implementation/relin-keys.js'
import type { SecretKey as SecretKeyFacade } from '../implementation/secret-key.js'
import type { Serializable as SerializableFacade } from '../implementation/serializable.js'
import { SEALContext } from './context.js'
import { facade, guarded, inner, Inner, type InnerClass, type Shape } from './facade.js'
import { arrayLike, framed, load } from './files.js'
import { int32, uint32 } from './numbers.js'
import { Savable, Stored } from './stored.js'

/** What keys of the engine have. */
interface Core {
  toBytes(options?: SaveOptions): Uint8Array
  isValidFor(context: Context): boolean
  copy(): this
  delete(): void
}

/** A key, or the place of one. */
abstract class Key<C extends Core> extends Stored {
  /** The context that it was last checked for: checking large keys takes as long as some operations. */
  #checkedFor: Context | undefined

  constructor(protected core?: C) {
    super()
  }

  /** The engine's key, checked to be one of a context; `name` is what SEAL calls it. */
  operand(context: Context, name: string): C {
    const { core } = this
    if (core === undefined || !(this.#checkedFor === context || core.isValidFor(context))) {
      throw new Error(`${name} is not valid for encryption parameters`)
    }
    this.#checkedFor = context
    return core
  }

  /** Takes a key. */
  assign(core: C | undefined): void {
    this.core?.delete()
    this.core = core
    this.#checkedFor = undefined
  }

  protected file(compression: Compression): Uint8Array {
    return this.core?.toBytes({ compression, seeds: false }) ?? framed(this.emptyFile(), compression)
  }

  copy(other: { readonly instance: unknown }): void {
    const from = inner(other, this.constructor as unknown as InnerClass<Key<C>>)
    if (from === this) return
    this.assign(from.core?.copy())
  }

  clone(): unknown {
    return this.around(this.duplicate())
  }

  /** One with a key of its own. */
  duplicate(): this {
    return new (this.constructor as new (core?: C) => this)(this.core?.copy())
  }

  protected free(): void {
    this.core?.delete()
  }

  /** Its file without a key. */
  protected abstract emptyFile(): Uint8Array
  protected abstract parse(context: Context, bytes: Uint8Array): C
  protected abstract around(key: this): unknown
  /** What SEAL says of a file that holds no key. */
  protected abstract readonly texts: Texts

  protected read(context: Context, bytes: unknown): void {
    this.assign(load(bytes, this.texts, (array) => this.parse(context, array)))
  }
}

export class SecretKey extends Key<CoreSecretKey> {
  static override readonly name: string = 'SecretKey'
  protected readonly texts = { data: 'plaintext' }
  protected emptyFile = (): Uint8Array => plaintextFile(new BigUint64Array(4), 1, new BigUint64Array())
  protected parse = (context: Context, bytes: Uint8Array): CoreSecretKey => CoreSecretKey.load(context, bytes)
  protected around = (key: SecretKey): SecretKeyFacade => makeSecretKey(key)
}

export class PublicKey extends Key<CorePublicKey> {
  static override readonly name: string = 'PublicKey'
  protected readonly texts = { data: 'PublicKey', metadata: 'ciphertext' }
  protected emptyFile = (): Uint8Array => ciphertextFile(EMPTY_CIPHERTEXT, new BigUint64Array())
  protected parse = (context: Context, bytes: Uint8Array): CorePublicKey => CorePublicKey.load(context, bytes)
  protected around = (key: PublicKey): PublicKeyFacade => makePublicKey(key)
}

const SWITCH_KEYS_TEXTS = { data: 'KSwitchKeys', metadata: 'ciphertext' }

export class RelinKeys extends Key<CoreRelinKeys> {
  static override readonly name: string = 'RelinKeys'
  protected readonly texts = SWITCH_KEYS_TEXTS
  protected emptyFile = emptyKeysFile
  protected parse = (context: Context, bytes: Uint8Array): CoreRelinKeys => CoreRelinKeys.load(context, bytes)
  protected around = (key: RelinKeys): RelinKeysFacade => makeRelinKeys(key)

  size(): number {
    return this.core?.size ?? 0
  }

  getIndex(given: unknown): number {
    return checkPower(given) - 2
  }

  hasKey(given: unknown): boolean {
    const power = checkPower(given)
    return this.core?.hasKey(power) ?? false
  }
}

export class GaloisKeys extends Key<CoreGaloisKeys> {
  static override readonly name: string = 'GaloisKeys'
  protected readonly texts = SWITCH_KEYS_TEXTS
  protected emptyFile = emptyKeysFile
  protected parse = (context: Context, bytes: Uint8Array): CoreGaloisKeys => CoreGaloisKeys.load(context, bytes)
  protected around = (key: GaloisKeys): GaloisKeysFacade => makeGaloisKeys(key)

  size(): number {
    return this.core?.size ?? 0
  }

  getIndex(element: unknown): number {
    return (int32(element) - 1) >>> 1
  }

  hasKey(given: unknown): boolean {
    const element = int32(given)
    return element > 0 && (this.core?.hasKey(element) ?? false)
  }
}

function checkPower(given: unknown): number {
  const power = uint32(given)
  if (power < 2) throw new Error('key_power cannot be less than 2')
  return power
}

const FILES = ['save', 'saveArray', 'load', 'loadArray', 'copy', 'clone', 'move']
const SWITCHING = ['get size', 'getIndex', 'hasKey', ...FILES]

function shape<K extends { duplicate(): K } & Inner>(Class: InnerClass<K>, members: readonly string[]): Shape<K> {
  return { Class, inject: 'inject', members, take: (other) => other.duplicate() }
}

const SECRET_KEY = shape<SecretKey>(SecretKey, FILES)
const PUBLIC_KEY = shape<PublicKey>(PublicKey, FILES)
const RELIN_KEYS = shape<RelinKeys>(RelinKeys, SWITCHING)
const GALOIS_KEYS = shape<GaloisKeys>(GaloisKeys, SWITCHING)

export const makeSecretKey = (key = new SecretKey()): SecretKeyFacade => facade(SECRET_KEY, key)
export const makePublicKey = (key = new PublicKey()): PublicKeyFacade => facade(PUBLIC_KEY, key)
export const makeRelinKeys = (key = new RelinKeys()): RelinKeysFacade => facade(RELIN_KEYS, key)
export const makeGaloisKeys = (key = new GaloisKeys()): GaloisKeysFacade => facade(GALOIS_KEYS, key)

/** What can only be saved, with seeds in the place of what they give. */
export class Serializable extends Savable {
  static override readonly name: string = 'Serializable'

  constructor(private readonly core: { toBytes(options: SaveOptions): Uint8Array, delete(): void }, private readonly seeds = true) {
    super()
  }

  protected file(compression: Compression): Uint8Array {
    return this.core.toBytes({ compression, seeds: this.seeds })
  }

  protected free(): void {
    this.core.delete()
  }
}

export class SerializableCiphertext extends Serializable {
  static override readonly name = 'SerializableCiphertext'
}

class SerializablePublicKey extends Serializable {
  static override readonly name = 'SerializablePublicKey'
}

class SerializableRelinKeys extends Serializable {
  static override readonly name = 'SerializableRelinKeys'
}

class SerializableGaloisKeys extends Serializable {
  static override readonly name = 'SerializableGaloisKeys'
}

const SERIALIZABLE: Shape<Serializable> = { Class: Serializable, inject: 'unsafeInject', members: ['save', 'saveArray'] }

export const makeSerializable = (object?: Serializable): SerializableFacade => facade(SERIALIZABLE, object)

class KeyGenerator extends Inner {
  static override readonly name = 'KeyGenerator'

  constructor(private readonly core: CoreGenerator, private readonly degree: number) {
    super()
  }

  secretKey(): SecretKeyFacade {
    return makeSecretKey(new SecretKey(this.core.secretKey()))
  }

  createPublicKeySerializable(): SerializableFacade {
    return makeSerializable(new SerializablePublicKey(this.core.publicKey()))
  }

  createPublicKey(): PublicKeyFacade {
    return makePublicKey(new PublicKey(this.core.publicKey()))
  }

  createRelinKeysSerializable(): SerializableFacade {
    return makeSerializable(new SerializableRelinKeys(this.core.relinKeys()))
  }

  createRelinKeys(): RelinKeysFacade {
    return makeRelinKeys(new RelinKeys(this.core.relinKeys()))
  }

  createGaloisKeysSerializable(steps?: unknown): SerializableFacade {
    return makeSerializable(new SerializableGaloisKeys(this.#galoisKeys(steps)))
  }

  createGaloisKeys(steps?: unknown): GaloisKeysFacade {
    return makeGaloisKeys(new GaloisKeys(this.#galoisKeys(steps)))
  }

  protected free(): void {
    this.core.delete()
  }

  #galoisKeys(given: unknown = []): CoreGaloisKeys {
    const steps = Int32Array.from(arrayLike(given))
    if (steps.some((step) => Math.abs(step) >= this.degree / 2)) throw new Error('step count too large')
    return steps.length === 0 ? this.core.galoisKeys() : this.core.galoisKeys({ steps })
  }
}

const GENERATOR: Shape<KeyGenerator> = {
  Class: KeyGenerator,
  inject: 'unsafeInject',
  members: ['secretKey', 'createPublicKey', 'createPublicKeySerializable', 'createRelinKeys', 'createRelinKeysSerializable',
    'createGaloisKeys', 'createGaloisKeysSerializable'],
}

export const makeKeyGenerator = (context: ContextFacade, secretKey?: SecretKeyFacade): KeyGeneratorFacade => guarded(() => {
  const outer = inner(context, SEALContext)
  const key = secretKey ? inner(secretKey, SecretKey) : undefined
  const core = outer.use()
  return facade(GENERATOR, new KeyGenerator(new CoreGenerator(core, key?.operand(core, 'secret key')), core.degree))
}, 'KeyGenerator')
