import SEAL from 'node-seal'
import run from './run.cjs'

console.log(JSON.stringify(run(await SEAL())))
