// Numbers as arguments: converted as WebAssembly does, so that strings and fractions pass, and bigints do not.

/** 32 bits, signed. */
export function int32(value: unknown): number {
  return +(value as number) | 0
}

/** 32 bits, unsigned. */
export function uint32(value: unknown): number {
  return +(value as number) >>> 0
}

/** A number of words that memory can hold. */
export function wordCount(value: unknown): number {
  const count = uint32(value)
  if (count >= 1 << 29) throw new Error('unsigned overflow')
  return count
}

/** 64 bits, unsigned. */
export function uint64(value: unknown): bigint {
  if (value === undefined || value === null) throw new TypeError(`Cannot convert ${value} to a BigInt`)
  return BigInt.asUintN(64, BigInt(value as bigint))
}
