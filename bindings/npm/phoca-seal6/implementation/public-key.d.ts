// The key that encrypts.

import type { Copied, Injected, LoadedInContext, Saved } from './common'

export type { Dependencies as PublicKeyDependencies, Dependencies as PublicKeyDependencyOptions } from './seal'

export interface PublicKeyConstructorOptions {
  (): PublicKey
}

export interface PublicKey extends Injected, Saved, LoadedInContext, Copied<PublicKey> {}
