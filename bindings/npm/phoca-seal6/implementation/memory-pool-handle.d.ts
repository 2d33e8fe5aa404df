// Memory pools, which do nothing here.

export type { Dependencies as MemoryPoolHandleDependencies } from './seal'

export interface MemoryPoolHandleConstructorOptions {
  (): MemoryPoolHandle
}

/** Accepted wherever SEAL has pools; memory is managed without them. */
export interface MemoryPoolHandle {
  readonly global: any
  readonly threadLocal: any
}
