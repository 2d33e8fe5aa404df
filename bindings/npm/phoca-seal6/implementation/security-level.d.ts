// Bits of classical security.

export type { Dependencies as SecurityLevelDependencies } from './seal'

export interface SecurityLevelConstructorOptions {
  (): SecurityLevel
}

/** The levels of security that parameters are checked for; `none` checks nothing. */
export interface SecurityLevel {
  readonly none: any
  readonly tc128: any
  readonly tc192: any
  readonly tc256: any
}
