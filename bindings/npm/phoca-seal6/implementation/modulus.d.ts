// One modulus.

import type { Injected, Loaded, Saved } from './common'

export type { Dependencies as ModulusDependencies, Dependencies as ModulusDependencyOptions } from './seal'

export interface ModulusConstructorOptions {
  /** 0, or 2 to 61 bits. */
  (value: bigint): Modulus
}

export interface Modulus extends Injected, Saved, Loaded {
  readonly setValue: (value: bigint) => void
  readonly value: bigint
  readonly bitCount: number
  readonly isZero: boolean
  readonly isPrime: boolean
}
