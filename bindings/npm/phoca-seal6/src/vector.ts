// Vectors of numbers.

import type { StringTypes, Vector, VectorTypes } from '../implementation/vector.js'
import { bindingError, UNSUPPORTED_VECTOR_TYPE } from './errors.js'
import { checkInner, guarded, handle, Inner, named, Slot } from './facade.js'
import { int32, uint32, uint64 } from './numbers.js'

const ARRAYS = { Uint8Array, Int32Array, Uint32Array, Float64Array, BigInt64Array, BigUint64Array, Modulus: BigUint64Array }
/** The ends of the names of their classes. */
const SHORT = {
  Uint8Array: 'U8',
  Int32Array: 'I32',
  Uint32Array: 'U32',
  Float64Array: 'F64',
  BigInt64Array: 'I64',
  BigUint64Array: 'U64',
  Modulus: 'Modulus',
}
const MOST_VALUES = 1 << 29

/** The values of a vector; there is a class for each type. */
export abstract class VectorOf extends Inner {
  static override readonly name: string = 'Vector'
  abstract readonly type: StringTypes

  constructor(public values: VectorTypes) {
    super()
  }

  size(): number {
    return this.values.length
  }

  get(index: unknown): unknown {
    const value = this.values[int32(index)]
    return value !== undefined && this.type === 'Modulus' ? makeModulus(value as bigint) : value
  }

  resize(size: unknown, fill: unknown): void {
    const length = uint32(size)
    if (length > MOST_VALUES) throw new Error('vector')
    const values = new ARRAYS[this.type](length)
    values.set(this.values.subarray(0, length) as never)
    if (length > this.values.length) values.fill(this.#element(fill) as never, this.values.length)
    this.values = values
  }

  protected free(): void {
    this.values = new ARRAYS[this.type]()
  }

  #element(fill: unknown): number | bigint {
    if (this.type === 'Modulus') return modulusValue(fill)
    return this.values instanceof BigInt64Array || this.values instanceof BigUint64Array ? BigInt(fill as bigint) : Number(fill)
  }
}

const CLASSES = Object.fromEntries(Object.entries(SHORT).map(([type, short]) =>
  [type, named(`Vector${short}`, class extends VectorOf { readonly type = type as StringTypes })])) as
  unknown as Record<StringTypes, new (values: VectorTypes) => VectorOf>

/** The class of the vectors of moduli. */
export const VectorModulus = CLASSES.Modulus

// Moduli are made by their own file, which needs this one.
let makeModulus: (value: bigint) => unknown
let modulusValue: (instance: unknown) => bigint

export function setModulusAccess(make: (value: bigint) => unknown, value: (instance: unknown) => bigint): void {
  makeModulus = make
  modulusValue = value
}

/** A vector; one of a type and values where they are given. */
export function makeVector(type?: StringTypes, values?: VectorTypes): Vector {
  let current = type
  const slot = new Slot<VectorOf>(type === undefined ? undefined : new CLASSES[type](values!))
  const self = {
    from(array: VectorTypes, as?: StringTypes) {
      const next = as || array.constructor.name as StringTypes
      slot.replace(new (classOf(next))(guarded(() => converted(array, next), 'from')))
      current = next
    },
    get type() {
      return current
    },
    setType(next: StringTypes) {
      current = next
    },
    get size() {
      return slot.use('size').size()
    },
    getValue: (index: number) => slot.use('get').get(index),
    resize: (size: number, fill: number) => slot.use('resize').resize(size, fill),
    toArray() {
      if (slot.instance === undefined) throw new Error('Instance was deleted')
      const Class = classOf(current!)
      const { values } = checkInner(slot.instance, Class as never) as VectorOf
      return values.slice()
    },
  }
  const base = handle(slot, 'unsafeInject', (given) => given === undefined ? undefined : checkInner(given, VectorOf))
  return Object.defineProperties(base, Object.getOwnPropertyDescriptors(self)) as Vector
}

/** The sizes in bits of an argument that must be an Int32Array. */
export function bitSizesOf(array: Int32Array): Int32Array {
  const { name } = array.constructor
  const Class = classOf(name as StringTypes)
  if (Class !== CLASSES.Int32Array) throw bindingError(`Expected null or instance of VectorI32, got an instance of ${Class.name}`)
  return array
}

function classOf(type: StringTypes): new (values: VectorTypes) => VectorOf {
  if (!Object.hasOwn(CLASSES, type)) throw new Error(UNSUPPORTED_VECTOR_TYPE)
  return CLASSES[type]
}

function converted(array: ArrayLike<number | bigint>, type: StringTypes): VectorTypes {
  const Target = ARRAYS[type] as { from(array: unknown): VectorTypes }
  if (type !== 'Modulus') return Target.from(array)
  return BigUint64Array.from(array as ArrayLike<bigint>, (value) => modulusOf(value))
}

/** A value that a modulus can have: 0, or 2 to 61 bits. */
export function modulusOf(given: unknown): bigint {
  const value = uint64(given)
  if (value === 1n || value >> 61n !== 0n) throw new Error('value can be at most 61-bit and cannot be 1')
  return value
}
