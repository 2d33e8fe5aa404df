// Where this package is meant to differ from node-seal 7, and what it gives there.

export const DIFFERENCES = [
]
