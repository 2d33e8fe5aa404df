// What the packages that stand in for node-seal have in common. Not for others: it changes as they need.

export * from './faults.js'
export * from './files.js'
export * from './parameters.js'
