// Loading the library.

import type { SEALLibrary } from '../implementation/seal'
import type { Loader } from './loader'

export type { SEALLibrary, Loader }
