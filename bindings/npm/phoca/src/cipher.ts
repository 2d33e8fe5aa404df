// Encryption and decryption.

import { core } from './core.js'
import { type Context, idOf, type Level } from './context.js'
import { argumentError } from './errors.js'
import { PublicKey, SecretKey } from './keys.js'
import { Owned } from './memory.js'
import { Ciphertext, Plaintext } from './objects.js'
import type * as glue from '../wasm/phoca.js'

/** The keys of an encryptor: at least one. */
export interface EncryptionKeys {
  publicKey?: PublicKey | undefined
  secretKey?: SecretKey | undefined
}

/** Encrypts: with the public key, or with the secret key, whose ciphertexts have files of half the size. */
export class Encryptor extends Owned<glue.Encryptor> {
  readonly context: Context

  constructor(context: Context, keys: PublicKey | SecretKey | EncryptionKeys) {
    super(make(context, keys instanceof PublicKey ? { publicKey: keys } : keys instanceof SecretKey ? { secretKey: keys } : keys))
    this.context = context
  }

  /** With the public key. */
  encrypt(plaintext: Plaintext): Ciphertext {
    return new Ciphertext(this.handle.encrypt(plaintext.handle.get()), this.context)
  }

  /** With the secret key. */
  encryptSymmetric(plaintext: Plaintext): Ciphertext {
    return new Ciphertext(this.handle.encryptSymmetric(plaintext.handle.get()), this.context)
  }

  /** Zero with the public key. */
  encryptZero(level: Level = this.context.firstLevel): Ciphertext {
    return new Ciphertext(this.handle.encryptZero(idOf(level)), this.context)
  }

  /** Zero with the secret key. */
  encryptZeroSymmetric(level: Level = this.context.firstLevel): Ciphertext {
    return new Ciphertext(this.handle.encryptZeroSymmetric(idOf(level)), this.context)
  }
}

function make(context: Context, { publicKey, secretKey }: EncryptionKeys): glue.Encryptor {
  const { Encryptor: Core } = core()
  if (publicKey !== undefined && secretKey !== undefined) {
    return Core.withKeys(context.handle, publicKey.handle, secretKey.handle)
  }
  if (publicKey !== undefined) return Core.withPublicKey(context.handle, publicKey.handle)
  if (secretKey !== undefined) return Core.withSecretKey(context.handle, secretKey.handle)
  throw argumentError('keys', 'a public key, a secret key, or an object with either', {})
}

/** Decrypts. */
export class Decryptor extends Owned<glue.Decryptor> {
  readonly context: Context

  constructor(context: Context, secretKey: SecretKey) {
    super(new (core().Decryptor)(context.handle, secretKey.handle))
    this.context = context
  }

  decrypt(ciphertext: Ciphertext): Plaintext {
    return new Plaintext(this.handle.decrypt(ciphertext.handle.get()), this.context)
  }

  /** BFV and BGV: the bits of noise that are left until decryption fails, measured. Keep it to yourself: it tells of the key. */
  noiseBudget(ciphertext: Ciphertext): number {
    return this.handle.invariantNoiseBudget(ciphertext.handle.get())
  }
}
