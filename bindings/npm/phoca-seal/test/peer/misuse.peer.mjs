// Right and wrong uses give the same values and throw the same errors as in node-seal 7.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { bindingCases } from '../cases/binding.mjs'
import { fileCases } from '../cases/files.mjs'
import { operationCases } from '../cases/operations.mjs'
import { parameterCases } from '../cases/parameters.mjs'
import { makeContext, makeScheme, outcome } from '../fixtures.mjs'
import { loadBoth } from './both.mjs'
import { DIFFERENCES } from './differences.mjs'

const libraries = await loadBoth()
const schemesOf = (seal) => ({
  bfv: makeScheme(seal, 'bfv'),
  bgv: makeScheme(seal, 'bgv'),
  ckks: makeScheme(seal, 'ckks', { sizes: [36, 36, 37] }),
})
const fixtures = Object.fromEntries(Object.entries(libraries).map(([name, seal]) => [name, {
  schemes: schemesOf(seal),
  contexts: {
    insecure: makeContext(seal, 'bfv', { degree: 1024, sizes: [30, 30, 30] }),
    single: makeContext(seal, 'bfv', { sizes: [36] }),
    slotless: makeContext(seal, 'bfv', { plain: new seal.Modulus(256n) }),
  },
}]))

/** Operations are given the contexts beside the schemes, but go through the schemes only. */
function operations(seal, { schemes, contexts }) {
  return operationCases(seal, Object.defineProperties({ ...schemes }, Object.fromEntries(
    Object.entries(contexts).map(([name, value]) => [name, { value, enumerable: false }]))))
}

const groups = {
  binding: (seal, { schemes }) => bindingCases(seal, schemes),
  parameters: (seal, { schemes }) => parameterCases(seal, schemes),
  operations,
  files: (seal, { schemes }) => fileCases(seal, schemes),
}

const seen = new Set()
for (const [group, casesOf] of Object.entries(groups)) {
  describe(group, () => {
    const theirs = [...casesOf(libraries.theirs, fixtures.theirs)]
    const ours = [...casesOf(libraries.ours, fixtures.ours)]
    theirs.forEach(([name, call], index) => {
      it(name, () => {
        assert.equal(ours[index][0], name)
        const [own, other] = [outcome(ours[index][1]), outcome(call)]
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
