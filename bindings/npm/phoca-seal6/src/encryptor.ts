// Encryption and decryption.

import { type Ciphertext as CoreCiphertext, Decryptor as CoreDecryptor, Encryptor as CoreEncryptor } from 'phoca'
import type { CipherText } from '../implementation/cipher-text.js'
import type { Context as ContextFacade } from '../implementation/context.js'
import type { Decryptor as DecryptorFacade } from '../implementation/decryptor.js'
import type { Encryptor as EncryptorFacade } from '../implementation/encryptor.js'
import type { PlainText } from '../implementation/plain-text.js'
import type { PublicKey as PublicKeyFacade } from '../implementation/public-key.js'
import type { SecretKey as SecretKeyFacade } from '../implementation/secret-key.js'
import type { Serializable as SerializableFacade } from '../implementation/serializable.js'
import { Ciphertext, makeCipher } from './ciphertext.js'
import { SEALContext } from './context.js'
import { checkPool } from './enums.js'
import { facade, guarded, inner, Inner, type Shape } from './facade.js'
import { makeSerializable, PublicKey, SecretKey, SerializableCiphertext } from './keys.js'
import { makePlain, Plaintext } from './plaintext.js'

class Encryptor extends Inner {
  static override readonly name = 'Encryptor'

  constructor(private readonly core: CoreEncryptor, private readonly isSymmetric: boolean) {
    super()
  }

  encrypt(plain: PlainText, destination?: CipherText, pool?: unknown): CipherText | void {
    return this.#into(destination, pool, plain, (plaintext) => this.#encrypt(plaintext!))
  }

  encryptSerializable(plain: PlainText, pool?: unknown): SerializableFacade {
    return this.#serializable(pool, plain, (plaintext) => this.#encrypt(plaintext!))
  }

  encryptSymmetric(plain: PlainText, destination?: CipherText, pool?: unknown): CipherText | void {
    return this.#into(destination, pool, plain, (plaintext) => this.#encryptSymmetric(plaintext!))
  }

  encryptSymmetricSerializable(plain: PlainText, pool?: unknown): SerializableFacade {
    return this.#serializable(pool, plain, (plaintext) => this.#encryptSymmetric(plaintext!))
  }

  encryptZero(destination?: CipherText, pool?: unknown): CipherText | void {
    return this.#into(destination, pool, undefined, () => this.core.encryptZero())
  }

  encryptZeroSerializable(pool?: unknown): SerializableFacade {
    return this.#serializable(pool, undefined, () => this.core.encryptZero())
  }

  protected free(): void {
    this.core.delete()
  }

  #into(
    destination: CipherText | undefined, pool: unknown, plain: PlainText | undefined, encrypt: (plaintext?: Plaintext) => CoreCiphertext,
  ): CipherText | void {
    const plaintext = plain === undefined && encrypt.length === 0 ? undefined : inner(plain!, Plaintext)
    const result = destination || makeCipher()
    const ciphertext = inner(result, Ciphertext)
    checkPool(pool)
    ciphertext.assign(encrypt(plaintext))
    if (!destination) return result
  }

  #serializable(pool: unknown, plain: PlainText | undefined, encrypt: (plaintext?: Plaintext) => CoreCiphertext): SerializableFacade {
    const plaintext = plain === undefined && encrypt.length === 0 ? undefined : inner(plain!, Plaintext)
    checkPool(pool)
    return makeSerializable(new SerializableCiphertext(encrypt(plaintext)))
  }

  #encrypt(plaintext: Plaintext): CoreCiphertext {
    return guarded(() => this.core.encrypt(plaintext.operand(this.core.context)), 'encrypt')
  }

  #encryptSymmetric(plaintext: Plaintext): CoreCiphertext {
    if (!this.isSymmetric) throw new Error('secret key is not set')
    return guarded(() => this.core.encryptSymmetric(plaintext.operand(this.core.context)), 'encrypt')
  }
}

const ENCRYPTOR: Shape<Encryptor> = {
  Class: Encryptor,
  inject: 'unsafeInject',
  members: ['encrypt', 'encryptSerializable', 'encryptSymmetric', 'encryptSymmetricSerializable', 'encryptZero', 'encryptZeroSerializable'],
}

export const makeEncryptor = (context: ContextFacade, publicKey: PublicKeyFacade, secretKey?: SecretKeyFacade): EncryptorFacade =>
  guarded(() => {
    const [outer, key] = [inner(context, SEALContext), inner(publicKey, PublicKey)]
    const secret = secretKey ? inner(secretKey, SecretKey) : undefined
    const core = outer.use()
    const keys = { publicKey: key.operand(core, 'public key'), secretKey: secret?.operand(core, 'secret key') }
    return facade(ENCRYPTOR, new Encryptor(new CoreEncryptor(core, keys), Boolean(secretKey)))
  }, 'Encryptor')

class Decryptor extends Inner {
  static override readonly name = 'Decryptor'

  constructor(private readonly core: CoreDecryptor) {
    super()
  }

  decrypt(cipher: CipherText, destination?: PlainText): PlainText | void {
    const ciphertext = inner(cipher, Ciphertext)
    const result = destination || makePlain()
    const plaintext = inner(result, Plaintext)
    const { context } = this.core
    if (ciphertext.isEmptyFor(context)) throw new Error('encrypted is empty')
    plaintext.assign(this.core.decrypt(ciphertext.operand(context, 'encrypted')))
    if (!destination) return result
  }

  invariantNoiseBudget(cipher: CipherText): number {
    const ciphertext = inner(cipher, Ciphertext)
    const { context } = this.core
    if (ciphertext.isEmptyFor(context)) throw new Error('encrypted is empty')
    return this.core.noiseBudget(ciphertext.operand(context, 'encrypted'))
  }

  protected free(): void {
    this.core.delete()
  }
}

const DECRYPTOR: Shape<Decryptor> = { Class: Decryptor, inject: 'unsafeInject', members: ['decrypt', 'invariantNoiseBudget'] }

export const makeDecryptor = (context: ContextFacade, secretKey: SecretKeyFacade): DecryptorFacade => guarded(() => {
  const [outer, key] = [inner(context, SEALContext), inner(secretKey, SecretKey)]
  const core = outer.use()
  return facade(DECRYPTOR, new Decryptor(new CoreDecryptor(core, key.operand(core, 'secret key'))))
}, 'Decryptor')
