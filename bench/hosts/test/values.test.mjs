// What is checked before anything is timed: a wrong value has to be found.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { rowsOf } from '../rows.js'
import { compare } from '../timing.js'
import { expected, mistake, operands } from '../values.js'

const bfv = { scheme: 'bfv', plainModulus: 17n }
const ckks = { scheme: 'ckks' }

describe('expected values', () => {
  const integers = [BigUint64Array.of(1n, 2n, 3n, 4n), BigUint64Array.of(5n, 6n, 7n, 16n)]

  it('are integers modulo t', () => {
    const of = (operation) => [...expected(operation, bfv, integers)].map(Number)
    assert.deepEqual(of('add'), [6, 8, 10, 3])
    assert.deepEqual(of('sub_plain'), [13, 13, 13, 5])
    assert.deepEqual(of('negate'), [16, 15, 14, 13])
    assert.deepEqual(of('relinearize'), [5, 12, 4, 13])
    assert.deepEqual(of('square'), [1, 4, 9, 16])
    assert.deepEqual(of('rotate'), [2, 1, 4, 3], 'within each of two rows')
    assert.deepEqual(of('rotate_columns'), [3, 4, 1, 2])
    assert.deepEqual(of('mod_switch'), [1, 2, 3, 4])
  })

  it('are reals', () => {
    const reals = [Float64Array.of(1, -2, 3), Float64Array.of(4, 5, 0.5)]
    assert.deepEqual([...expected('sub', ckks, reals)], [-3, -7, 2.5])
    assert.deepEqual([...expected('rescale', ckks, reals)], [4, -10, 1.5])
    assert.deepEqual([...expected('rotate', ckks, reals)], [-2, 3, 1], 'in one row')
    assert.deepEqual([...expected('conjugate', ckks, reals)], [1, -2, 3])
  })

  it('are made of operands that differ', () => {
    const [a, b] = operands({ scheme: 'bgv', plainModulus: 1032193n }, 4096)
    assert.equal(a.length, 4096)
    assert.ok(new Set(a).size > 4000 && a.some((value, index) => value !== b[index]))
  })
})

describe('a mistake', () => {
  it('is one wrong integer, or a wrong length', () => {
    const wanted = BigUint64Array.of(1n, 2n)
    assert.equal(mistake(BigUint64Array.of(1n, 2n), wanted, 0), undefined)
    assert.match(mistake(BigUint64Array.of(1n, 3n), wanted, 0), /1 of 2 values differ/)
    assert.match(mistake(BigUint64Array.of(1n), wanted, 0), /1 values, not 2/)
  })

  it('is one real that is far off', () => {
    const wanted = new Float64Array(4096)
    const got = wanted.slice()
    got[7] = 0.01
    assert.equal(mistake(got, wanted, 1e-2), undefined)
    got[7] = 0.1
    assert.match(mistake(got, wanted, 1e-2), /root mean square/)
    got[7] = NaN
    assert.notEqual(mistake(got, wanted, 1e-2), undefined)
  })
})

describe('rows', () => {
  it('are those that the primes allow', () => {
    const names = (...args) => rowsOf(...args).map(({ op }) => op)
    assert.ok(names('bfv', 4096, 3).includes('KeyGen/Galois') && !names('bgv', 4096, 3).includes('KeyGen/Galois'))
    assert.ok(!names('ckks', 2048, 1).includes('EvaluateRotate') && names('ckks', 1024, 1).includes('EvaluateMulCt'))
    assert.ok(!names('bfv', 1024, 1).includes('EvaluateSquare'))
    assert.equal(new Set(names('ckks', 8192, 5)).size, names('ckks', 8192, 5).length)
  })
})

describe('turns', () => {
  it('run every side and free all that it makes', () => {
    const [made, freed] = [{ a: 0, b: 0 }, { a: 0, b: 0 }]
    const side = (name) => ({ run: () => { made[name]++; return name }, free: (name) => freed[name]++ })
    const times = compare({ a: side('a'), b: side('b') }, { rounds: 2, warmUp: 1 })
    assert.ok(times.a.length >= 4 && times.b.length >= 4 && [...times.a, ...times.b].every((time) => time >= 0))
    assert.ok(made.a > 0)
    assert.deepEqual(made, freed)
  })
})
