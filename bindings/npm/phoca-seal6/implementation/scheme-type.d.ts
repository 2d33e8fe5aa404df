// The schemes.

export type { Dependencies as SchemeTypeDependencies } from './seal'

export interface SchemeTypeConstructorOptions {
  (): SchemeType
}

/** The schemes; each value is also of this type. */
export interface SchemeType {
  readonly none: any
  readonly bfv: any
  readonly ckks: any
  readonly bgv: any
}
