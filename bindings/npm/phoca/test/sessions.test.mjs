import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import * as phoca from 'phoca'

function near(got, expected, error = 1e-5) {
  expected.forEach((value, index) => assert.ok(Math.abs(got[index] - value) <= error, `slot ${index}: ${got[index]}, not ${value}`))
}

describe('a CKKS session', () => {
  it('computes with vectors, values and numbers at any levels', async () => {
    const he = await phoca.ckks({ depth: 3, precision: 20, rotations: [1] })
    assert.match(he.reasons.join('; '), /smallest degree/)
    const x = he.encrypt([1.5, -2, 3])
    const y = he.encrypt([0.5, 0.25, -1])
    const square = x.mul(x)
    near(he.decrypt(square), [2.25, 4, 9, 0])
    near(he.decrypt(square.mul(square)), [5.0625, 16, 81, 0])
    // Operands at different levels, in either order.
    near(he.decrypt(square.add(y)), [2.75, 4.25, 8, 0])
    near(he.decrypt(y.sub(square.mul(square))), [-4.5625, -15.75, -82, 0])
    near(he.decrypt(square.mul(2).add(1)), [5.5, 9, 19, 1])
    near(he.decrypt(x.mul([2, 3, 4]).sub([1, 1, 1])), [2, -7, 11, 0])
    near(he.decrypt(x.neg().rotate(1)), [2, -3, 0])
    // Products with vectors and with values in the clear, at one level.
    near(he.decrypt(square.add(x.mul(2))), [5.25, 0, 15, 0])
    near(he.decrypt(x.mul(2).mul([1, 1, 2]).sub(square.mul(y))), [1.875, -5, 21, 0])
    he.delete()
  })

  it('sums and multiplies vectors', async () => {
    using(await phoca.ckks({ depth: 1 }), (he) => {
      const x = he.encrypt([1, 2, 3])
      near(he.decrypt(x.dot([4, 5, 6])), [32, 32], 1e-3)
      near(he.decrypt(x.dot(x)), [14, 14], 1e-3)
    })
  })
})

for (const scheme of ['bfv', 'bgv']) {
  describe(`a ${scheme.toUpperCase()} session`, () => {
    it('computes exactly', async () => {
      using(await phoca[scheme]({ depth: 2, plainBits: 20 }), (he) => {
        const x = he.encrypt([3, -4, 5])
        const cube = x.mul(x).mul(x)
        assert.deepEqual([...he.decrypt(cube).subarray(0, 4)], [27n, -64n, 125n, 0n])
        assert.deepEqual([...he.decrypt(cube.add(x).sub(2).mul(2)).subarray(0, 4)], [56n, -140n, 256n, -4n])
        assert.equal(he.decrypt(x.dot([1, 1, 2]))[100], 9n)
        assert.equal(he.decrypt(x.rotate(1))[0], -4n)
      })
    })
  })
}

describe('sessions', () => {
  it('keep apart', async () => {
    const [a, b] = [await phoca.ckks({ depth: 1, rotations: 'none' }), await phoca.ckks({ depth: 1, rotations: 'none' })]
    assert.throws(() => a.encrypt([1]).add(b.encrypt([1])), phoca.OperandError)
    assert.throws(() => a.encrypt([1]).rotate(1), phoca.KeyError)
    assert.throws(() => phoca.suggest('ckks', { depth: 1, precision: 55 }), { kind: 'PrecisionTooHigh' })
    assert.throws(() => phoca.suggest('bfv', { depth: 1000 }), { kind: 'NoSuggestion' })
    assert.throws(() => phoca.suggest('bfv', { depth: -1 }), phoca.ValueError)
  })
})

function using(session, use) {
  try {
    use(session)
  } finally {
    session.delete()
  }
}
