// Kept for its name.

import type { Library } from '../implementation/seal'

export interface Loader {
  readonly library: Library
}
