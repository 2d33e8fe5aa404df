// The two builds: results that decrypt without a key throw, or do not.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { decrypt, encode, makeScheme, outcome } from '../fixtures.mjs'
import { loadBoth } from './both.mjs'

const CASES = {
  'a value minus itself': ({ seal, evaluator, cipher }) => {
    const out = new seal.Ciphertext()
    evaluator.sub(cipher, cipher, out)
    return out
  },
  'a value times zero': (own) => {
    const out = new own.seal.Ciphertext()
    own.evaluator.multiplyPlain(own.cipher, encode(own, [0]), out)
    return out
  },
  'zero times zero': (own) => {
    const out = new own.seal.Ciphertext()
    own.evaluator.multiplyPlain(own.cipher, encode(own, [0]), out)
    own.evaluator.squareInplace(out)
    own.evaluator.relinearizeInplace(out, own.relinKeys)
    return out
  },
  'negated zero': (own) => {
    const out = new own.seal.Ciphertext(own.context)
    out.resize(2)
    own.evaluator.negateInplace(out)
    return out
  },
  'a rotation of nothing': (own) => {
    const out = new own.seal.Ciphertext(own.context)
    out.resize(2)
    own.evaluator.applyGaloisInplace(out, 3, own.galoisKeys)
    return out
  },
}

for (const variant of ['throws', 'allows']) {
  const libraries = await loadBoth(variant)
  describe(variant, () => {
    for (const scheme of ['bfv', 'bgv', 'ckks']) {
      const options = scheme === 'ckks' ? { sizes: [36, 36, 37] } : {}
      const [theirs, ours] = [libraries.theirs, libraries.ours].map((seal) => makeScheme(seal, scheme, options))
      for (const [name, make] of Object.entries(CASES)) {
        it(`${scheme}: ${name}`, () => {
          const result = (own) => outcome(() => {
            const cipher = make(own)
            return [cipher.isTransparent(), cipher.isNttForm(), cipher.isNttForm() === (scheme !== 'bfv') ? decrypt(own, cipher) : []]
          })
          assert.equal(result(ours), result(theirs))
        })
      }
    }
  })
}

// Both take the same steps; every value is compared after each.
for (const scheme of ['bfv', 'bgv']) {
  it(`keeps the correction factor and the values of ${scheme} through a chain of operations`, async () => {
    const { theirs, ours } = await loadBoth()
    const run = (seal) => {
      const own = makeScheme(seal, scheme, { degree: 8192, plain: seal.PlainModulus.Batching(8192, 20) })
      const { evaluator, cipher, relinKeys } = own
      const [x, seen] = [cipher.copy(), []]
      const step = (operation) => {
        operation()
        // node-seal gives no correction factor, but saves it.
        const factor = new DataView(x.saveToArray(seal.ComprModeType.none).buffer).getBigUint64(16 + 32 + 1 + 32, true)
        seen.push(decrypt(own, x), String(factor), x.coeffModulusSize())
        if (seal === ours) assert.equal(BigInt(x.correctionFactor()), factor)
      }
      step(() => evaluator.multiplyInplace(x, cipher))
      step(() => evaluator.relinearizeInplace(x, relinKeys))
      step(() => evaluator.cipherModSwitchToNextInplace(x))
      step(() => evaluator.addPlainInplace(x, own.plain))
      step(() => evaluator.multiplyPlainInplace(x, own.plain))
      step(() => evaluator.cipherModSwitchToNextInplace(x))
      step(() => evaluator.addInplace(x, x.copy()))
      step(() => evaluator.squareInplace(x))
      return seen
    }
    assert.deepEqual(run(ours), run(theirs))
  })
}
