// Encoders.

import { BatchEncoder, CkksEncoder, type Plaintext } from 'phoca'
import { any, type Class, double, nothing, type Type, typedArray, uint } from './binding.js'
import type { ContextBox } from './context.js'
import { translated } from './errors.js'
import { LibraryErrors } from './exception.js'
import type { Library } from './library.js'
import type { PlaintextBox } from './plaintext.js'
import type { Pool } from './pools.js'

const doublesOf = typedArray(Float64Array)
const signedOf = typedArray(BigInt64Array)
const unsignedOf = typedArray(BigUint64Array)

interface Classes {
  Usable: Type<ContextBox>
  MemoryPoolHandle: Class<Pool>
  Plaintext: Class<PlaintextBox>
}

/** Defines `BatchEncoder` and `CKKSEncoder`. */
export function defineEncoders(library: Library, classes: Classes): void {
  const { Usable, MemoryPoolHandle, Plaintext } = classes
  const batch = library.define<BatchBox>('BatchEncoder')
    .init([Usable], (context) => new BatchBox(context))
    .method('const*', 'slotCount', [], uint, (self) => self.slotCount)
    .method('function', 'encode', [any, Plaintext], nothing, (self, values, plain) => plain.put(self.encode(values)))
  const ckks = library.define<CkksBox>('CKKSEncoder')
    .init([Usable], (context) => new CkksBox(context))
    .method('const*', 'slotCount', [], uint, (self) => self.slotCount)
  for (const suffix of ['', 'WithPool'] as const) {
    const types: [typeof Plaintext] = suffix === '' ? [Plaintext] : [Plaintext, MemoryPoolHandle] as never
    batch
      .method('function', `decodeBigInt64${suffix}`, types, any, (self, plain) => self.decode(plain, true))
      .method('function', `decodeBigUint64${suffix}`, types, any, (self, plain) => self.decode(plain, false))
    ckks
      .method('function', `encode${suffix}`, [any, double, ...types], nothing, (self, values, scale, plain) => {
        plain.put(self.encode(values, scale))
      })
      .method('function', `decodeFloat64${suffix}`, types, any, (self, plain) => self.decode(plain))
  }
}

function integersOf(values: unknown): BigInt64Array | BigUint64Array {
  switch ((values as object).constructor.name) {
    case 'BigInt64Array': return signedOf(values)
    case 'BigUint64Array': return unsignedOf(values)
    default: throw LibraryErrors.invalidArgument('expected one of BigInt64Array, BigUint64Array')
  }
}

class BatchBox {
  readonly #encoder: BatchEncoder

  constructor(context: ContextBox) {
    const usable = context.require()
    if (usable.scheme === 'ckks') throw LibraryErrors.invalidArgument('unsupported scheme')
    this.#encoder = new BatchEncoder(usable)
  }

  get slotCount(): number {
    return this.#encoder.slotCount
  }

  encode(values: unknown): Plaintext {
    const integers = integersOf(values)
    return translated(() => this.#encoder.encode(integers), {
      TooManyValues: 'values_matrix size is too large',
      ValueOutOfRange: 'input value is larger than plain_modulus',
    })
  }

  decode(plain: PlaintextBox, isSigned: boolean): BigInt64Array | BigUint64Array {
    const plaintext = plain.object(this.#encoder.context)
    return translated(() => isSigned ? this.#encoder.decodeSigned(plaintext) : this.#encoder.decode(plaintext), {
      FormMismatch: 'plain is not valid for encryption parameters',
    })
  }

  release(): void {
    this.#encoder.delete()
  }
}

class CkksBox {
  readonly #encoder: CkksEncoder

  constructor(context: ContextBox) {
    this.#encoder = new CkksEncoder(context.require())
  }

  get slotCount(): number {
    return this.#encoder.slotCount
  }

  encode(values: unknown, scale: number): Plaintext {
    const doubles = doublesOf(values)
    return translated(() => this.#encoder.encode(doubles, scale), { TooManyValues: 'values_size is too large' })
  }

  decode(plain: PlaintextBox): Float64Array {
    if (!plain.isNttForm && plain.isZero) throw LibraryErrors.invalidArgument('plain is not in NTT form')
    return translated(() => this.#encoder.decode(plain.object(this.#encoder.context)), {
      FormMismatch: 'plain is not valid for encryption parameters',
    })
  }

  release(): void {
    this.#encoder.delete()
  }
}
