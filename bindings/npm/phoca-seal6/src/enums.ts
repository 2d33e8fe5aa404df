// Enumerations, and memory pools, which do nothing.

import type { ComprModeType as ComprModes } from '../implementation/compr-mode-type.js'
import type { MemoryPoolHandle as Pools } from '../implementation/memory-pool-handle.js'
import type { SchemeType as Schemes } from '../implementation/scheme-type.js'
import type { SecurityLevel as Levels } from '../implementation/security-level.js'
import { bindingError } from './errors.js'
import { named } from './facade.js'

/** A value of an enumeration; its class has its name. */
export interface EnumValue {
  readonly value: number
}

function enumeration<E>(type: string, values: Record<string, number>): E {
  const self = {}
  for (const [name, value] of Object.entries(values)) {
    const Class = named(`${type}_${name}`, class { readonly value = value })
    const constant = new Class()
    Object.defineProperty(self, name, { get: () => constant, enumerable: true, configurable: true })
  }
  return self as E
}

export const SchemeType = enumeration<Schemes>('SchemeType', { none: 0, bfv: 1, ckks: 2, bgv: 3 })
export const SecurityLevel = enumeration<Levels>('SecLevelType', { none: 0, tc128: 128, tc192: 192, tc256: 256 })
export const ComprModeType = enumeration<ComprModes>('ComprModeType', { none: 0, zlib: 1, zstd: 2 })

/** The number of an argument of an enumeration; what has none counts as 0. */
export function numberOf(argument: unknown): number {
  return Number((argument as EnumValue).value) | 0
}

class Pool {
  static readonly name = 'MemoryPoolHandle'
}

export const MemoryPoolHandle: Pools = {
  get global() {
    return new Pool()
  },
  get threadLocal() {
    return new Pool()
  },
}

/** Checks an optional pool, of which nothing else is used. */
export function checkPool(pool: unknown): void {
  if (pool === undefined || pool instanceof Pool) return
  if (pool === null) throw bindingError('null is not a valid MemoryPoolHandle')
  throw bindingError(`Cannot pass "${String(pool)}" as a MemoryPoolHandle`)
}
