// The package `phoca`: BFV, BGV and CKKS for Node and browsers.

export { BatchEncoder, CkksEncoder, type Complex, type Integers } from './encoders.js'
export { Decryptor, type EncryptionKeys, Encryptor } from './cipher.js'
export {
  coeffModulus, Context, type ContextOptions, hashWords, isPrime, type Level, loadModulus, loadParameters, type Parameters, plainModulus,
  saveModulus, saveParameters, type Scheme, type SecurityLevel, type SecurityTable,
} from './context.js'
export { bestBuild, type Build, type Environment, environment, initialize, type InitializeOptions } from './core.js'
export {
  DeletedError, type ErrorFields, FileError, KeyError, MemoryError, NoiseError, OperandError, ParametersError, PhocaError, ValueError,
} from './errors.js'
export { Evaluator } from './evaluator.js'
export type { Compression, FileVersion, SaveOptions, Source } from './files.js'
export { galoisElement, GaloisKeys, type GaloisSelection, KeyGenerator, PublicKey, RelinKeys, SecretKey } from './keys.js'
export { memoryUsage, setMemoryBudget } from './memory.js'
export { Ciphertext, Plaintext } from './objects.js'
export { bfv, bgv, ckks, type CkksGoal, CkksSession, EncryptedVector, type ExactGoal, ExactSession, type Goal, suggest, type Suggestion } from './sessions.js'
export { PhocaWorker, type Remote, type RemoteArgument, type RemoteLibrary, type RemoteObject, WorkerPool } from './remote.js'
