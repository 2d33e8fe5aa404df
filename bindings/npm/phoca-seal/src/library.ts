// One library object: what `await SEAL()` gives. Each has classes of its own, as instances of a WebAssembly module have.

import { Class, makeEnum, makeRoot } from './binding.js'

/** A library object while it is put together. */
export class Library {
  readonly exports: Record<string, unknown> = {}
  readonly enums = {
    security: this.#enum('SecLevelType', { none: 0, tc128: 128, tc192: 192, tc256: 256 }),
    compression: this.#enum('ComprModeType', { none: 0, zlib: 1, zstd: 2 }),
    scheme: this.#enum('SchemeType', { none: 0, bfv: 1, ckks: 2, bgv: 3 }),
  }
  readonly #root = makeRoot()

  /** @param allowTransparent Whether operations may give ciphertexts that decrypt without a key. */
  constructor(readonly allowTransparent: boolean) {}

  /** A class, exported by its name. */
  define<T extends object>(name: string, base?: Class<any>): Class<T> {
    const made = new Class<T>(name, base, this.#root)
    this.export(name, made.constructorFunction)
    return made
  }

  export(name: string, value: unknown): void {
    this.exports[name] = value
  }

  #enum(name: string, members: Record<string, number>) {
    const made = makeEnum(name, members)
    this.export(name, made.exported)
    return made
  }
}
