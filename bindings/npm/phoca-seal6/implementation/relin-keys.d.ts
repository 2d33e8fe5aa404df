// The keys that relinearization needs.

import type { Copied, Injected, LoadedInContext, Saved } from './common'

export type { Dependencies as RelinKeysDependencies, Dependencies as RelinKeysDependencyOptions } from './seal'

export interface RelinKeysConstructorOptions {
  (): RelinKeys
}

export interface RelinKeys extends Injected, Saved, LoadedInContext, Copied<RelinKeys> {
  readonly size: number
  readonly getIndex: (keyPower: number) => number
  readonly hasKey: (keyPower: number) => boolean
}
