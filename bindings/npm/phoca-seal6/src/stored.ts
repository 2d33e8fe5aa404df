// Inner objects that have files.

import type { Compression, Context } from 'phoca'
import type { Context as ContextFacade } from '../implementation/context.js'
import { contextOfArgument } from './context.js'
import { Inner } from './facade.js'
import { bytesOf, saveArray, toBase64 } from './files.js'

/** What can be saved. */
export abstract class Savable extends Inner {
  protected abstract file(compression: Compression): Uint8Array

  save(mode?: unknown): string {
    return toBase64(this.saveArray(mode))
  }

  saveArray(mode?: unknown): Uint8Array {
    return saveArray((compression) => this.file(compression), mode)
  }
}

/** What can be loaded in a context, and takes another's value. */
export abstract class Stored extends Savable {
  abstract copy(other: { readonly instance: unknown }): void
  protected abstract read(context: Context, bytes: unknown): void

  protected contextOf(context: ContextFacade): Context {
    return contextOfArgument(context).use()
  }

  load(context: ContextFacade, encoded: unknown): void {
    const core = this.contextOf(context)
    this.read(core, bytesOf(encoded))
  }

  loadArray(context: ContextFacade, array: unknown): void {
    this.read(this.contextOf(context), array)
  }

  move(other: { readonly instance: unknown, delete(): void }): void {
    this.copy(other)
    other.delete()
  }
}
