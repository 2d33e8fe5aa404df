// The key that decrypts.

import type { Copied, Injected, LoadedInContext, Saved } from './common'

export type { Dependencies as SecretKeyDependencies, Dependencies as SecretKeyDependencyOptions } from './seal'

export interface SecretKeyConstructorOptions {
  (): SecretKey
}

export interface SecretKey extends Injected, Saved, LoadedInContext, Copied<SecretKey> {}
