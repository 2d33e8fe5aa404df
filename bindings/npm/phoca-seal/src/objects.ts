// `Plaintext` and `Ciphertext`.

import { bool, type Class, double, nothing, text, type Type, uint } from './binding.js'
import { CiphertextBox } from './ciphertext.js'
import { type ContextBox, ParmsId } from './context.js'
import type { Library } from './library.js'
import type { Pool } from './pools.js'
import { PlaintextBox } from './plaintext.js'
import { withLoading, withSaving } from './saving.js'

/** What the classes of objects need of those before them. */
export interface Basis {
  ParmsIdType: Class<ParmsId>
  Usable: Type<ContextBox>
  MemoryPoolHandle: Class<Pool>
}

/** Defines `Plaintext`. Its static functions give copies, which have room for their contents only. */
export function definePlaintext(library: Library, { ParmsIdType, Usable, MemoryPoolHandle }: Basis): Class<PlaintextBox> {
  const own: Type<PlaintextBox> = { from: (value) => Plaintext.from(value), to: (value) => Plaintext.to(value) }
  const Plaintext = library.define<PlaintextBox>('Plaintext')
    .init([], () => new PlaintextBox())
    .init([uint], (coeffCount) => new PlaintextBox(coeffCount, coeffCount))
    .init([uint, uint], (capacity, coeffCount) => new PlaintextBox(capacity, coeffCount))
    .static('withPool', [MemoryPoolHandle], own, () => new PlaintextBox())
    .static('withCoeffCountAndPool', [uint, MemoryPoolHandle], own, (coeffCount) => new PlaintextBox(coeffCount, coeffCount))
    .static('withCapAndCoeffCountAndPool', [uint, uint, MemoryPoolHandle], own, (capacity, count) => {
      return new PlaintextBox(capacity, count).copy()
    })
    .method('function', 'assign', [own], nothing, (self, other) => self.assign(other))
    .method('function', 'copy', [], own, (self) => self.copy())
  withSaving(Plaintext, library.enums.compression)
  withLoading(Plaintext, [Usable], { data: 'Plaintext', metadata: 'plaintext' }, (self, bytes, context) => {
    self.load(context.require(), bytes)
  })
    .method('*', 'reserve', [uint], nothing, (self, capacity) => self.reserve(capacity))
    .method('*', 'shrinkToFit', [], nothing, (self) => self.shrinkToFit())
    .method('*', 'release', [], nothing, (self) => self.release())
    .method('*', 'resize', [uint], nothing, (self, coeffCount) => self.resize(coeffCount))
    .method('function', 'setZero', [], nothing, (self) => self.setZero())
    .method('const*', 'isZero', [], bool, (self) => self.isZero)
    .method('const*', 'capacity', [], uint, (self) => self.capacity)
    .method('const*', 'coeffCount', [], uint, (self) => self.coeffCount)
    .method('const*', 'significantCoeffCount', [], uint, (self) => self.significantCoeffCount)
    .method('const*', 'nonzeroCoeffCount', [], uint, (self) => self.nonzeroCoeffCount)
    .method('const*', 'toString', [], text, (self) => self.toString())
    .method('const*', 'isNttForm', [], bool, (self) => self.isNttForm)
    .method('*', 'parmsId', [], ParmsIdType, (self) => new ParmsId(self.parmsId))
    .method('*', 'scale', [], double, (self) => self.scale)
    .method('function', 'setScale', [double], nothing, (self, scale) => { self.scale = scale })
    .method('const*', 'pool', [], MemoryPoolHandle, () => ({}))
  return Plaintext
}

/** Defines `Ciphertext`; otherwise as {@link definePlaintext}. */
export function defineCiphertext(library: Library, { ParmsIdType, Usable, MemoryPoolHandle }: Basis): Class<CiphertextBox> {
  const own: Type<CiphertextBox> = { from: (value) => Ciphertext.from(value), to: (value) => Ciphertext.to(value) }
  const Ciphertext = library.define<CiphertextBox>('Ciphertext')
    .init([], () => new CiphertextBox())
    .init([Usable], (context) => CiphertextBox.reserved(context))
    .init([Usable, ParmsIdType], (context, { words }) => CiphertextBox.reserved(context, words))
    .init([Usable, ParmsIdType, uint], (context, { words }, capacity) => CiphertextBox.reserved(context, words, capacity))
    .static('withPool', [MemoryPoolHandle], own, () => new CiphertextBox())
    .static('withContextAndPool', [Usable, MemoryPoolHandle], own, (context) => CiphertextBox.reserved(context).copy())
    .static('withContextAndParmsIdTypeAndPool', [Usable, ParmsIdType, MemoryPoolHandle], own, (context, { words }) => {
      return CiphertextBox.reserved(context, words).copy()
    })
    .static('withContextAndParmsIdTypeAndCapacityAndPool', [Usable, ParmsIdType, uint, MemoryPoolHandle], own, (context, id, capacity) => {
      return CiphertextBox.reserved(context, id.words, capacity).copy()
    })
    .method('function', 'assign', [own], nothing, (self, other) => self.assign(other))
    .method('function', 'copy', [], own, (self) => self.copy())
  withSaving(Ciphertext, library.enums.compression)
  withLoading(Ciphertext, [Usable], { data: 'ciphertext' }, (self, bytes, context) => self.load(context.require(), bytes))
    .method('*', 'reserve', [Usable, uint], nothing, (self, context, capacity) => {
      self.reserve(context, capacity, context.require().firstLevel.parmsId)
    })
    .method('*', 'resize', [uint], nothing, (self, size) => self.resize(size))
    .method('*', 'release', [], nothing, (self) => self.release())
    .method('const*', 'coeffModulusSize', [], uint, (self) => self.primeCount)
    .method('const*', 'polyModulusDegree', [], uint, (self) => self.degree)
    .method('const*', 'size', [], uint, (self) => self.size)
    .method('const*', 'sizeCapacity', [], uint, (self) => self.sizeCapacity)
    .method('const*', 'isTransparent', [], bool, (self) => self.isTransparent)
    .method('const*', 'isNttForm', [], bool, (self) => self.isNttForm)
    .method('*', 'parmsId', [], ParmsIdType, (self) => new ParmsId(self.parmsId))
    .method('*', 'scale', [], double, (self) => self.scale)
    .method('*', 'correctionFactor', [], double, (self) => self.correctionFactor)
    .method('function', 'setScale', [double], nothing, (self, scale) => { self.scale = scale })
    .method('const*', 'pool', [], MemoryPoolHandle, () => ({}))
  return Ciphertext
}
