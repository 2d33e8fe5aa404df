// How files are compressed.

export type { Dependencies as ComprModeTypeDependencies } from './seal'

export interface ComprModeTypeConstructorOptions {
  (): ComprModeType
}

/** The compressions of files. */
export interface ComprModeType {
  readonly none: any
  readonly zlib: any
  readonly zstd: any
}
