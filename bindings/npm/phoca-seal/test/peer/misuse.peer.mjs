// Right and wrong uses give the same values and throw the same errors as in node-seal 7.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { bindingCases } from '../cases/binding.mjs'
import { fileCases } from '../cases/files.mjs'
import { contextCases, encoderCases, operationCases } from '../cases/operations.mjs'
import { parameterCases } from '../cases/parameters.mjs'
import { policyCases } from '../cases/policy.mjs'
import { makeContext, makeScheme, outcome } from '../fixtures.mjs'
import { loadBoth } from './both.mjs'
import { DIFFERENCES } from './differences.mjs'

/** What the cases are made with. */
function fixturesOf(seal) {
  return {
    bfv: makeScheme(seal, 'bfv'),
    bgv: makeScheme(seal, 'bgv'),
    ckks: makeScheme(seal, 'ckks', { sizes: [36, 36, 37] }),
    insecure: makeContext(seal, 'bfv', { degree: 1024, sizes: [30, 30, 30] }),
    single: makeContext(seal, 'bfv', { sizes: [36] }),
    slotless: makeContext(seal, 'bfv', { plain: new seal.Modulus(256n) }),
  }
}

const groups = {
  binding: bindingCases,
  parameters: parameterCases,
  files: fileCases,
  bfv: (seal, fixtures) => operationCases(seal, fixtures, fixtures.bfv),
  bgv: (seal, fixtures) => operationCases(seal, fixtures, fixtures.bgv),
  ckks: (seal, fixtures) => operationCases(seal, fixtures, fixtures.ckks),
  contexts: contextCases,
  encoders: encoderCases,
  policy: policyCases,
}

const seen = new Set()
for (const [group, casesOf] of Object.entries(groups)) {
  // Fresh ones, since some errors leave node-seal's memory damaged; and here, since what `describe` throws later fails nothing.
  const { theirs, ours } = await loadBoth()
  const [expected, found] = [theirs, ours].map((seal) => [...casesOf(seal, fixturesOf(seal))].map(([name, call]) => [name, outcome(call)]))
  describe(group, () => {
    expected.forEach(([name, other], index) => {
      it(name, () => {
        const [ourName, own] = found[index]
        assert.equal(ourName, name)
        const difference = DIFFERENCES.find(({ cases }) => cases.test(`${group}: ${name}`))
        if (difference === undefined) return assert.equal(own, other)
        seen.add(difference)
        // A difference that is gone has to go from the list.
        assert.notEqual(own, other, `no difference any more: ${difference.reason}`)
        assert.match(own, difference.ours, difference.reason)
      })
    })
  })
}

it('has only differences that there are', () => {
  assert.deepEqual(DIFFERENCES.filter((difference) => !seen.has(difference)), [])
})
