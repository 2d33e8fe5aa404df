// Keys and their generator.

import { type Context, GaloisKeys, KeyGenerator, PhocaError, PublicKey, RelinKeys, SecretKey } from 'phoca'
import { ciphertextFile, COMPRESSIONS, EMPTY_CIPHERTEXT, emptyKeysFile, frame, plaintextFile } from 'phoca/seal-compat'
import { any, bool, type Class, int32Array, nothing, type Type, uint } from './binding.js'
import { SerializableBox } from './ciphertext.js'
import type { ContextBox } from './context.js'
import { LibraryErrors } from './exception.js'
import type { Library } from './library.js'
import { type Saved, withLoading, withSaving } from './saving.js'
import { Slot } from './slot.js'

type AnyKey = SecretKey | PublicKey | RelinKeys | GaloisKeys

const NO_ID = new BigUint64Array(4)
const NO_WORDS = new BigUint64Array(0)

/** The files without a key, by the name of the class. */
const EMPTY_FILES = {
  SecretKey: () => plaintextFile(NO_ID, 1, NO_WORDS),
  PublicKey: () => ciphertextFile(EMPTY_CIPHERTEXT, NO_WORDS),
  KSwitchKeys: emptyKeysFile,
  RelinKeys: emptyKeysFile,
  GaloisKeys: emptyKeysFile,
}

/** A key, or the place for one. */
export class KeyBox<K extends AnyKey> implements Saved {
  readonly #slot = new Slot<K>()

  constructor(readonly kind: keyof typeof EMPTY_FILES, key?: K) {
    this.#slot.put(key)
  }

  get key(): K | undefined {
    return this.#slot.object
  }

  /** The key for an operation; `name` is what SEAL's error calls it. */
  require(name: string): K {
    const { key } = this
    if (key === undefined) throw LibraryErrors.invalidArgument(`${name} is not valid for encryption parameters`)
    return key
  }

  put(key: K): void {
    this.#slot.put(key)
  }

  assign(other: KeyBox<K>): void {
    this.#slot.share(other.#slot)
  }

  copy(): KeyBox<K> {
    const copy = new KeyBox<K>(this.kind)
    copy.assign(this)
    return copy
  }

  save(mode: number): Uint8Array {
    return this.key?.toBytes({ compression: COMPRESSIONS[mode]!, seeds: false }) ?? frame(EMPTY_FILES[this.kind](), mode)
  }

  release(): void {
    this.#slot.release()
  }
}

export type KeySwitchBox = KeyBox<RelinKeys | GaloisKeys>

/** The classes of keys. */
export interface Keys {
  SecretKey: Class<KeyBox<SecretKey>>
  PublicKey: Class<KeyBox<PublicKey>>
  RelinKeys: Class<KeyBox<RelinKeys>>
  GaloisKeys: Class<KeyBox<GaloisKeys>>
}

/** Defines the classes of keys, and `KeyGenerator`. */
export function defineKeys(library: Library, Usable: Type<ContextBox>): Keys {
  const KSwitchKeys = library.define<KeySwitchBox>('KSwitchKeys')
    .init([], () => new KeyBox('KSwitchKeys'))
    .method('const*', 'size', [], uint, (self) => self.key?.size ?? 0)
  withSaving(KSwitchKeys, library.enums.compression)
  withLoading(KSwitchKeys, [Usable], { data: 'KSwitchKeys' }, (self, bytes, context) => {
    self.put(loadKeySwitch(context.require(), bytes, self))
  })
  const relin = library.define<KeyBox<RelinKeys>>('RelinKeys', KSwitchKeys)
    .init([], () => new KeyBox<RelinKeys>('RelinKeys'))
    .method('function', 'getIndex', [uint], uint, (_, power) => checkPower(power) - 2)
    .method('function', 'hasKey', [uint], bool, (self, power) => self.key?.hasKey(checkPower(power)) ?? checkPower(power) < 0)
  const galois = library.define<KeyBox<GaloisKeys>>('GaloisKeys', KSwitchKeys)
    .init([], () => new KeyBox<GaloisKeys>('GaloisKeys'))
    .method('function', 'getIndex', [uint], uint, (_, element) => (element - 1 >>> 0) >>> 1)
    .method('function', 'hasKey', [uint], bool, (self, element) => hasGaloisKey(self.key, element))
  const keys = {
    SecretKey: defineKey(library, 'SecretKey', 'plaintext', Usable, SecretKey.load),
    PublicKey: defineKey(library, 'PublicKey', 'ciphertext', Usable, PublicKey.load),
    RelinKeys: withCopies(relin),
    GaloisKeys: withCopies(galois),
  }
  defineGenerator(library, Usable, keys)
  return keys
}

/** Whether there is a key for an element. SEAL finds keys by half of it, so that an even element finds its lower neighbour's. */
export function hasGaloisKey(keys: GaloisKeys | undefined, element: number): boolean {
  return element > 0 && keys !== undefined && keys.hasKey((element - 1) | 1)
}

function checkPower(power: number): number {
  if (power < 2) throw LibraryErrors.invalidArgument('key_power cannot be less than 2')
  return power
}

/** The file of keys says not of which kind they are; the class does, and where it does not, what fits. */
function loadKeySwitch(context: Context, bytes: Uint8Array, box: KeySwitchBox): RelinKeys | GaloisKeys {
  if (box.kind === 'RelinKeys') return RelinKeys.load(context, bytes)
  if (box.kind === 'GaloisKeys') return GaloisKeys.load(context, bytes)
  try {
    return RelinKeys.load(context, bytes)
  } catch (error) {
    if (!(error instanceof PhocaError)) throw error
    return GaloisKeys.load(context, bytes)
  }
}

function withCopies<K extends AnyKey>(target: Class<KeyBox<K>>): Class<KeyBox<K>> {
  return target
    .method('function', 'assign', [target], nothing, (self, other) => self.assign(other))
    .method('function', 'copy', [], target, (self) => self.copy())
}

function defineKey<K extends AnyKey>(
  library: Library, name: 'SecretKey' | 'PublicKey', metadata: string, Usable: Type<ContextBox>,
  load: (context: Context, bytes: Uint8Array) => K,
): Class<KeyBox<K>> {
  const Key = withCopies(library.define<KeyBox<K>>(name).init([], () => new KeyBox<K>(name)))
  withSaving(Key, library.enums.compression)
  return withLoading(Key, [Usable], { data: name, metadata }, (self, bytes, context) => self.put(load(context.require(), bytes)))
}

/** A class that saves only. */
export function defineSerializable(library: Library, name: string): Class<SerializableBox> {
  return withSaving(library.define<SerializableBox>(name), library.enums.compression)
}

class GeneratorBox {
  readonly #slot = new Slot<KeyGenerator>()

  constructor(readonly context: Context, secretKey?: SecretKey) {
    this.#slot.put(new KeyGenerator(context, secretKey))
  }

  get generator(): KeyGenerator {
    return this.#slot.object!
  }

  relin(): RelinKeys {
    this.#requireKeySwitching()
    return this.generator.relinKeys()
  }

  galois(steps?: Int32Array): GaloisKeys {
    this.#requireKeySwitching()
    if (steps === undefined) return this.generator.galoisKeys()
    if (!this.context.supportsBatching) throw LibraryErrors.logic('encryption parameters do not support batching')
    if (steps.some((step) => Math.abs(step) >= this.context.degree / 2)) throw LibraryErrors.invalidArgument('step count too large')
    return this.generator.galoisKeys({ steps })
  }

  #requireKeySwitching(): void {
    if (!this.context.supportsKeySwitching) throw LibraryErrors.logic('keyswitching is not supported by the context')
  }

  release(): void {
    this.#slot.release()
  }
}

function defineGenerator(library: Library, Usable: Type<ContextBox>, keys: Keys): void {
  const saved = (name: string): Class<SerializableBox> => defineSerializable(library, `Serializable${name}`)
  const [PublicSaved, RelinSaved, GaloisSaved] = [saved('PublicKey'), saved('RelinKeys'), saved('GaloisKeys')]
  const steps: Type<Int32Array> = { from: any.from as (value: unknown) => Int32Array, to: any.to }
  library.define<GeneratorBox>('KeyGenerator')
    .init([Usable], (context) => new GeneratorBox(context.require()))
    .init([Usable, keys.SecretKey], (context, secretKey) => new GeneratorBox(context.require(), secretKey.require('secret key')))
    .method('const*', 'secretKey', [], keys.SecretKey, ({ generator }) => new KeyBox('SecretKey', generator.secretKey()))
    .method('function', 'createPublicKey', [], keys.PublicKey, ({ generator }) => new KeyBox('PublicKey', generator.publicKey()))
    .method('const*', 'createPublicKeySerializable', [], PublicSaved, ({ generator }) => new SerializableBox(generator.publicKey()))
    .method('function', 'createRelinKeys', [], keys.RelinKeys, (self) => new KeyBox('RelinKeys', self.relin()))
    .method('*', 'createRelinKeysSerializable', [], RelinSaved, (self) => new SerializableBox(self.relin()))
    .method('function', 'createGaloisKeys', [], keys.GaloisKeys, (self) => new KeyBox('GaloisKeys', self.galois()))
    .method('function', 'createGaloisKeysWithSteps', [steps], keys.GaloisKeys, (self, steps) => {
      return new KeyBox('GaloisKeys', self.galois(int32Array(steps)))
    })
    .method('function', 'createGaloisKeysSerializable', [], GaloisSaved, (self) => new SerializableBox(self.galois()))
    .method('function', 'createGaloisKeysSerializableWithSteps', [steps], GaloisSaved, (self, steps) => {
      return new SerializableBox(self.galois(int32Array(steps)))
    })
}
