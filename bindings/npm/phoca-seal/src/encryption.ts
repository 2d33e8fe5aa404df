// `Encryptor` and `Decryptor`.

import { type Ciphertext, type Context, Decryptor, Encryptor, type PublicKey, type SecretKey } from 'phoca'
import { type Class, nothing, type Type, uint } from './binding.js'
import { check, checkForm, schemeLabel, validCiphertext, validPlaintext } from './checks.js'
import { type CiphertextBox, SerializableBox } from './ciphertext.js'
import type { ContextBox } from './context.js'
import { LibraryErrors } from './exception.js'
import { defineSerializable, KeyBox, type Keys } from './keys.js'
import type { Library } from './library.js'
import type { PlaintextBox } from './plaintext.js'
import type { Pool } from './pools.js'
import { Slot } from './slot.js'

interface Classes {
  Usable: Type<ContextBox>
  MemoryPoolHandle: Class<Pool>
  Plaintext: Class<PlaintextBox>
  Ciphertext: Class<CiphertextBox>
  keys: Keys
}

/** Defines `Encryptor`, `Decryptor` and `SerializableCiphertext`. */
export function defineEncryption(library: Library, classes: Classes): void {
  const { Usable, Plaintext, Ciphertext, keys: { PublicKey, SecretKey } } = classes
  const target = library.define<EncryptorBox>('Encryptor')
    .init([Usable, PublicKey], (context, publicKey) => new EncryptorBox(context.require(), publicKey))
    .init([Usable, PublicKey, SecretKey], (context, publicKey, secretKey) => new EncryptorBox(context.require(), publicKey, secretKey))
    .method('*', 'setPublicKey', [PublicKey], nothing, (self, key) => self.setKeys(key, undefined))
    .method('*', 'setSecretKey', [SecretKey], nothing, (self, key) => self.setKeys(undefined, key))
  defineEncrypting(library, target, classes)
  library.define<DecryptorBox>('Decryptor')
    .init([Usable, SecretKey], (context, secretKey) => new DecryptorBox(context.require(), secretKey))
    .method('*', 'decrypt', [Ciphertext, Plaintext], nothing, (self, cipher, plain) => plain.put(self.decrypt(cipher)))
    .method('*', 'invariantNoiseBudget', [Ciphertext], uint, (self, cipher) => self.noiseBudget(cipher))
}

function defineEncrypting(library: Library, target: Class<EncryptorBox>, { MemoryPoolHandle, Plaintext, Ciphertext }: Classes): void {
  const Saved = defineSerializable(library, 'SerializableCiphertext')
  const operations: [name: string, operands: Type<PlaintextBox>[], call: (self: EncryptorBox, plain: PlaintextBox) => Ciphertext][] = [
    ['encrypt', [Plaintext], (self, plain) => self.encrypt(plain)],
    ['encryptSymmetric', [Plaintext], (self, plain) => self.encryptSymmetric(plain)],
    ['encryptZero', [], (self) => self.encryptZero()],
  ]
  for (const [name, operands, call] of operations) {
    const run = (self: EncryptorBox, ...args: unknown[]): void => {
      (args[operands.length] as CiphertextBox).put(call(self, args[0] as PlaintextBox))
    }
    const save = (self: EncryptorBox, ...args: unknown[]): SerializableBox => new SerializableBox(call(self, args[0] as PlaintextBox))
    target
      .method('function', name, [...operands, Ciphertext] as never, nothing, run)
      .method('const*', `${name}WithPool`, [...operands, Ciphertext, MemoryPoolHandle] as never, nothing, run)
      .method('function', `${name}Serializable`, operands as never, Saved, save)
      .method('const*', `${name}SerializableWithPool`, [...operands, MemoryPoolHandle] as never, Saved, save)
  }
}

class EncryptorBox {
  readonly #context: Context
  readonly #publicKey = new KeyBox<PublicKey>('PublicKey')
  readonly #secretKey = new KeyBox<SecretKey>('SecretKey')
  readonly #slot = new Slot<Encryptor>()

  constructor(context: Context, publicKey: KeyBox<PublicKey>, secretKey?: KeyBox<SecretKey>) {
    this.#context = context
    this.setKeys(publicKey, secretKey)
  }

  /** Sets keys; one that is not given stays. */
  setKeys(publicBox: KeyBox<PublicKey> | undefined, secretBox: KeyBox<SecretKey> | undefined): void {
    const publicKey = publicBox?.require('public key') ?? this.#publicKey.key
    const secretKey = secretBox?.require('secret key') ?? this.#secretKey.key
    this.#slot.put(new Encryptor(this.#context, { publicKey, secretKey }))
    if (publicBox !== undefined) this.#publicKey.assign(publicBox)
    if (secretBox !== undefined) this.#secretKey.assign(secretBox)
  }

  encrypt(plain: PlaintextBox): Ciphertext {
    return this.#encryptor.encrypt(this.#valid(plain))
  }

  encryptSymmetric(plain: PlaintextBox): Ciphertext {
    if (this.#secretKey.key === undefined) throw LibraryErrors.logic('secret key is not set')
    return this.#encryptor.encryptSymmetric(this.#valid(plain))
  }

  encryptZero(): Ciphertext {
    return this.#encryptor.encryptZero()
  }

  get #encryptor(): Encryptor {
    return this.#slot.object!
  }

  #valid(plain: PlaintextBox) {
    const plaintext = validPlaintext(this.#context, plain)
    if (this.#context.scheme === 'ckks') {
      if (!plaintext.isNttForm) check(plaintext.coeffCount === 0, 'plain is not valid for encryption parameters')
      check(plaintext.isNttForm, 'plain must be in NTT form')
    } else {
      check(!plaintext.isNttForm, 'plain cannot be in NTT form')
    }
    return plaintext
  }

  release(): void {
    this.#slot.release()
    this.#publicKey.release()
    this.#secretKey.release()
  }
}

class DecryptorBox {
  readonly #decryptor: Decryptor

  constructor(readonly context: Context, secretKey: KeyBox<SecretKey>) {
    this.#decryptor = new Decryptor(context, secretKey.require('secret key'))
  }

  decrypt(cipher: CiphertextBox) {
    const encrypted = validCiphertext(this.context, cipher)
    checkForm(this.context, encrypted.isNttForm, 'encrypted')
    return this.#decryptor.decrypt(encrypted)
  }

  noiseBudget(cipher: CiphertextBox): number {
    const encrypted = validCiphertext(this.context, cipher)
    if (this.context.scheme === 'ckks') throw LibraryErrors.logic('unsupported scheme')
    checkForm(this.context, encrypted.isNttForm, `${schemeLabel(this.context)} encrypted`)
    return this.#decryptor.noiseBudget(encrypted)
  }

  release(): void {
    this.#decryptor.delete()
  }
}
