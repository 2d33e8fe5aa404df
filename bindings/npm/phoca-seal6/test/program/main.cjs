const SEAL = require('node-seal')
const run = require('./run.cjs')

SEAL().then((seal) => console.log(JSON.stringify(run(seal))))
