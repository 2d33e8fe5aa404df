// Keys and ciphertexts that can only be saved; their files have half the size where a seed stands for the random half.

import type { Saved, UnsafelyInjected } from './common'

export type { Dependencies as SerializableDependencies, Dependencies as SerializableDependencyOptions } from './seal'

export interface SerializableConstructorOptions {
  (): Serializable
}

export interface Serializable extends UnsafelyInjected, Saved {}
