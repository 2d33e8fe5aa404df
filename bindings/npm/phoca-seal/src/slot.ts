// Who holds an object of phoca. Those are immutable; what looks mutable is a slot into which another one is put, and copies
// share one until either changes.

/** An object and how many slots hold it: the last to let go frees it at once. The garbage collector does the same, later. */
export class Shared<T extends { delete(): void }> {
  #holders = 0

  constructor(readonly object: T) {}

  hold(): this {
    this.#holders += 1
    return this
  }

  release(): void {
    this.#holders -= 1
    if (this.#holders === 0) this.object.delete()
  }
}

/** A place for an object, or for none. */
export class Slot<T extends { delete(): void }> {
  #shared: Shared<T> | undefined

  get object(): T | undefined {
    return this.#shared?.object
  }

  put(object: T | undefined): void {
    this.#replace(object === undefined ? undefined : new Shared(object))
  }

  /** Holds what another slot holds. */
  share(other: Slot<T>): void {
    this.#replace(other.#shared)
  }

  release(): void {
    this.#replace(undefined)
  }

  #replace(next: Shared<T> | undefined): void {
    const last = this.#shared
    this.#shared = next?.hold()
    last?.release()
  }
}
