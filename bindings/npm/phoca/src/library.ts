// What a worker offers: the classes of the package.

import type { Owned } from './memory.js'

export { BatchEncoder, CkksEncoder } from './encoders.js'
export { Decryptor, Encryptor } from './cipher.js'
export { Context } from './context.js'
export { Evaluator } from './evaluator.js'
export { GaloisKeys, KeyGenerator, PublicKey, RelinKeys, SecretKey } from './keys.js'
export { Ciphertext, Plaintext } from './objects.js'

/** Any of their objects. */
// eslint-disable-next-line -- any handle
export type AnyObject = Owned<any>
