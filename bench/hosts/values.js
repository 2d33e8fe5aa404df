// The two operands of every row, and what each operation makes of them in the clear.

/** Integers modulo `t`, or reals, for so many slots. */
export function operands({ scheme, plainModulus }, slots) {
  if (scheme === 'ckks') return [0.1, 0.37].map((step) => Float64Array.from({ length: slots }, (_, index) => Math.sin(index * step)))
  const t = Number(plainModulus)
  return [7919, 104729].map((step) => BigUint64Array.from({ length: slots }, (_, index) => BigInt((index * step + 1) % t)))
}

/** The slots that `operation` should give. */
export function expected(operation, { scheme, plainModulus }, [a, b]) {
  const ckks = scheme === 'ckks'
  const each = (f) => a.map((value, index) => (ckks ? f(value, b[index]) : (f(value, b[index]) + plainModulus) % plainModulus))
  switch (operation) {
    case 'negate':
      return each((x) => -x)
    case 'add':
    case 'add_plain':
      return each((x, y) => x + y)
    case 'sub':
    case 'sub_plain':
      return each((x, y) => x - y)
    case 'multiply':
    case 'multiply_plain':
    case 'plain_to_ntt':
    case 'relinearize':
    case 'keygen_relin':
    case 'rescale':
    case 'multiply_relinearize_rescale':
      return each((x, y) => x * y)
    case 'square':
      return each((x) => x * x)
    case 'rotate':
    case 'keygen_galois':
      return rotated(a, ckks ? a.length : a.length / 2, 1)
    case 'rotate_columns':
      return rotated(a, a.length, a.length / 2)
    default:
      return a
  }
}

/** Each row of so many slots, rotated to the left. */
function rotated(values, row, steps) {
  return values.map((_, index) => values[index - (index % row) + ((index + steps) % row)])
}

/** What is wrong with these slots, if anything. The error of reals may be `tolerance` in the root mean square, eight times that anywhere. */
export function mistake(got, wanted, tolerance) {
  if (got.length !== wanted.length) return `there are ${got.length} values, not ${wanted.length}`
  if (wanted instanceof BigUint64Array) {
    const wrong = got.reduce((count, value, index) => count + Number(BigInt(value) !== wanted[index]), 0)
    return wrong === 0 ? undefined : `${wrong} of ${wanted.length} values differ`
  }
  const errors = Array.from(got, (value, index) => Math.abs(value - wanted[index]))
  const rms = Math.sqrt(errors.reduce((sum, error) => sum + error * error, 0) / errors.length)
  return rms <= tolerance && errors.every((error) => error <= 8 * tolerance) ? undefined : `the root mean square error is ${rms.toExponential(1)}`
}
