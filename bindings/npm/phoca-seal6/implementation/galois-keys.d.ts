// The keys that rotations need.

import type { Copied, Injected, LoadedInContext, Saved } from './common'

export type { Dependencies as GaloisKeysDependencies, Dependencies as GaloisKeysDependencyOptions } from './seal'

export interface GaloisKeysConstructorOptions {
  (): GaloisKeys
}

export interface GaloisKeys extends Injected, Saved, LoadedInContext, Copied<GaloisKeys> {
  readonly size: number
  readonly getIndex: (galoisElt: number) => number
  readonly hasKey: (galoisElt: number) => boolean
}
