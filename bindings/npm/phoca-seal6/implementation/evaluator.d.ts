// Operations on ciphertexts.

import type { CipherText } from './cipher-text'
import type { UnsafelyInjected } from './common'
import type { Context } from './context'
import type { GaloisKeys } from './galois-keys'
import type { MemoryPoolHandle } from './memory-pool-handle'
import type { ParmsIdType } from './parms-id-type'
import type { PlainText } from './plain-text'
import type { RelinKeys } from './relin-keys'
import type { SchemeType } from './scheme-type'
import type { Instance, WithDestination } from './seal'

export type { Dependencies as EvaluatorDependencies, Dependencies as EvaluatorDependencyOptions } from './seal'

type Pool = [pool?: MemoryPoolHandle]

export interface EvaluatorConstructorOptions {
  (context: Context): Evaluator
}

export interface Evaluator extends UnsafelyInjected {
  readonly negate: WithDestination<[encrypted: CipherText], CipherText>
  readonly add: WithDestination<[a: CipherText, b: CipherText], CipherText>
  readonly sub: WithDestination<[a: CipherText, b: CipherText], CipherText>
  readonly multiply: WithDestination<[a: CipherText, b: CipherText], CipherText, Pool>
  readonly square: WithDestination<[encrypted: CipherText], CipherText, Pool>
  readonly relinearize: WithDestination<[encrypted: CipherText, relinKeys: RelinKeys], CipherText, Pool>
  readonly cipherModSwitchToNext: WithDestination<[encrypted: CipherText], CipherText, Pool>
  readonly cipherModSwitchTo: WithDestination<[encrypted: CipherText, parmsId: ParmsIdType], CipherText, Pool>
  readonly plainModSwitchToNext: WithDestination<[plain: PlainText], PlainText>
  readonly plainModSwitchTo: WithDestination<[plain: PlainText, parmsId: ParmsIdType], PlainText>
  readonly rescaleToNext: WithDestination<[encrypted: CipherText], CipherText, Pool>
  readonly rescaleTo: WithDestination<[encrypted: CipherText, parmsId: ParmsIdType], CipherText, Pool>
  readonly modReduceToNext: WithDestination<[encrypted: CipherText], CipherText, Pool>
  readonly modReduceTo: WithDestination<[encrypted: CipherText, parmsId: ParmsIdType], CipherText, Pool>
  readonly exponentiate: WithDestination<[encrypted: CipherText, exponent: number, relinKeys: RelinKeys], CipherText, Pool>
  readonly addPlain: WithDestination<[encrypted: CipherText, plain: PlainText], CipherText, Pool>
  readonly subPlain: WithDestination<[encrypted: CipherText, plain: PlainText], CipherText, Pool>
  readonly multiplyPlain: WithDestination<[encrypted: CipherText, plain: PlainText], CipherText, Pool>
  readonly plainTransformToNtt: WithDestination<[plain: PlainText, parmsId: ParmsIdType], PlainText, Pool>
  readonly cipherTransformToNtt: WithDestination<[encrypted: CipherText], CipherText>
  readonly cipherTransformFromNtt: WithDestination<[encryptedNtt: CipherText], CipherText>
  readonly applyGalois: WithDestination<[encrypted: CipherText, galoisElt: number, galoisKeys: GaloisKeys], CipherText, Pool>
  readonly rotateRows: WithDestination<[encrypted: CipherText, steps: number, galoisKeys: GaloisKeys], CipherText, Pool>
  readonly rotateColumns: WithDestination<[encrypted: CipherText, galoisKeys: GaloisKeys], CipherText, Pool>
  readonly rotateVector: WithDestination<[encrypted: CipherText, steps: number, galoisKeys: GaloisKeys], CipherText, Pool>
  readonly complexConjugate: WithDestination<[encrypted: CipherText, galoisKeys: GaloisKeys], CipherText, Pool>
  /** The sum of all slots in every slot. */
  readonly sumElements: WithDestination<[encrypted: CipherText, galoisKeys: GaloisKeys, scheme: SchemeType], CipherText, Pool>
  /** The sum of the products of all slots in every slot; it is not rescaled. */
  readonly dotProduct: WithDestination<[a: CipherText, b: CipherText, relinKeys: RelinKeys, galoisKeys: GaloisKeys, scheme: SchemeType], CipherText, Pool>
  /** As `dotProduct`, with a plaintext. */
  readonly dotProductPlain: WithDestination<[a: CipherText, b: PlainText, galoisKeys: GaloisKeys, scheme: SchemeType], CipherText, Pool>
}
