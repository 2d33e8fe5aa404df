//! Galois automorphisms `X ↦ X^g` of `Z_q[X]/(X^n + 1)`, for odd `g < 2n`.
//!
//! The generator of the rotations is 3, as in SEAL: the automorphism with `g = 3^s` turns the `n/2` slots of the CKKS
//! embedding and both rows of the BFV/BGV slot matrix left by `s`, and `g = 2n − 1` conjugates or swaps the rows.

use alloc::vec::Vec;

use crate::arch::Arch;
use crate::arch::vectorized::Vectorized;
use crate::columns::column;
use crate::{Buffer, BufferPool, Modulus, RingError};

/// The generator of the group of rotations.
const GENERATOR: u64 = 3;

/// The Galois element that rotates slots left by `step` (right where it is negative).
///
/// That is `3^step mod 2n`, or `2n − 1` (conjugation, row swap) for a step of 0.
///
/// ```
/// use phoca_ring::galois::element_from_step;
///
/// assert_eq!(element_from_step(8, 1)?, 3);
/// assert_eq!(element_from_step(8, -1)?, 11); // 3·11 = 33 ≡ 1 mod 16
/// assert_eq!(element_from_step(8, 0)?, 15);
/// # Ok::<(), phoca_ring::RingError>(())
/// ```
///
/// # Errors
///
/// [`RingError::InvalidDegree`]; [`RingError::InvalidRotation`] unless `|step| < n/2`.
pub fn element_from_step(degree: usize, step: i64) -> Result<u64, RingError> {
    check_degree(degree)?;
    let limit = degree as u64 / 2;
    if step.unsigned_abs() >= limit {
        return Err(RingError::InvalidRotation { step, limit });
    }
    if step == 0 {
        return Ok(conjugation_element(degree));
    }
    Ok(generator_power(degree, step.rem_euclid(limit as i64) as u64))
}

/// `2n − 1`: the element of complex conjugation (CKKS) and of the row swap (BFV, BGV).
///
/// The degree is not checked; of a degree that no ring has comes an element without meaning, modulo `2^64`.
pub const fn conjugation_element(degree: usize) -> u64 {
    (degree as u64).wrapping_mul(2).wrapping_sub(1)
}

/// The elements for which SEAL makes keys by default: `2n − 1` and `3^(±2^i)` for `0 ≤ i ≤ log2(n) − 2`.
///
/// Rotations by any other step follow from them by [`steps_naf`]. There are `2·log2(n) − 2` elements for `n ≥ 4`.
///
/// # Panics
///
/// Unless `degree` is a power of two from 2 to 131072.
pub fn default_elements(degree: usize) -> Vec<u64> {
    assert!(check_degree(degree).is_ok(), "the degree is a power of two from 2 to 131072");
    let slots = degree as u64 / 2;
    let mut elements = alloc::vec![conjugation_element(degree)];
    let powers_of_two = core::iter::successors(Some(1_u64), |step| Some(2 * step)).take_while(|&step| step < slots);
    for step in powers_of_two {
        for element in [generator_power(degree, step), generator_power(degree, slots - step)] {
            if !elements.contains(&element) {
                elements.push(element);
            }
        }
    }
    elements
}

/// `step` as a sum of signed powers of two, no two of them adjacent (non-adjacent form), smallest magnitude first.
///
/// A rotation by a step without a key of its own is done by these. A term of magnitude `n/2` is a full turn and is
/// left out by the caller. `|step|` is at most `2^62`, far above any degree; beyond, the last term may wrap.
///
/// ```
/// assert_eq!(phoca_ring::galois::steps_naf(7), [-1, 8]);
/// assert_eq!(phoca_ring::galois::steps_naf(-7), [1, -8]);
/// ```
pub fn steps_naf(step: i64) -> Vec<i64> {
    let sign = step.signum();
    let mut rest = i128::from(step.unsigned_abs());
    let mut terms = Vec::new();
    let mut power = 1_i128;
    while rest != 0 {
        if rest & 1 == 1 {
            // 1 mod 4 gives the digit 1, 3 mod 4 gives −1, so that the next digit is 0.
            let digit = 2 - (rest & 3);
            rest -= digit;
            terms.push((i128::from(sign) * digit * power) as i64);
        }
        rest >>= 1;
        power <<= 1;
    }
    terms
}

/// An automorphism of polynomials in coefficient form, for any modulus.
///
/// Coefficient `i` moves to `i·g mod n` and is negated where `i·g mod 2n ≥ n`. The coefficients are a matrix of eight rows:
/// `i = k + m·n/8` gives `i·g = k·g + m·g·n/8` modulo `2n`, so column `k` becomes column `k·g mod n/8` of the result,
/// its rows turned and multiplied by `g`. On the way, columns lie as blocks one after another.
#[derive(Clone, Debug)]
pub struct CoefficientAutomorphism {
    element: u64,
    degree: usize,
    /// In halves of words: where columns go, then where they are taken from; nothing for degrees below 8.
    columns: Buffer,
    buffers: BufferPool,
}

impl CoefficientAutomorphism {
    /// The automorphism `X ↦ X^element`, with its table and intermediate words from `buffers`.
    ///
    /// # Errors
    ///
    /// [`RingError::InvalidDegree`]; [`RingError::InvalidGaloisElement`] unless `element` is odd and below `2n`.
    pub fn in_pool(buffers: &BufferPool, degree: usize, element: u64) -> Result<Self, RingError> {
        check_element(degree, element)?;
        let count = degree as u32 / 8;
        let mut columns = buffers.take(count as usize);
        let (to, from) = columns.as_u32s_mut().split_at_mut(count as usize);
        let element_word = element as u32; // below 2^18; products wrap modulo 2^32, which 2n divides
        for (k, (to, from)) in (0..count).zip(to.iter_mut().zip(from)) {
            let image = k.wrapping_mul(element_word);
            *to = column(image & (count - 1), element_word, image >> count.trailing_zeros());
            *from = column(k, 1, 0);
        }
        Ok(Self { element, degree, columns, buffers: buffers.clone() })
    }

    /// `g`.
    pub fn element(&self) -> u64 {
        self.element
    }

    /// `n`.
    pub fn degree(&self) -> usize {
        self.degree
    }

    /// Writes `f(X^g)` for `f` with coefficients `input` in `[0, q)`. Time depends on `g` and `n` only.
    ///
    /// Intermediate words stay in the pool, so `f` is no secret.
    ///
    /// # Panics
    ///
    /// Unless there are `n` words of input and of output.
    pub fn apply(&self, modulus: &Modulus, input: &[u64], output: &mut [u64]) {
        let n = self.degree;
        assert!(input.len() == n && output.len() == n, "there are n coefficients of input and of output");
        if n < 8 {
            let place = |i: usize| i * self.element as usize % n;
            input.iter().enumerate().for_each(|(i, &word)| output[place(i)] = word);
        } else {
            let kernels = Arch::selected().slice_kernels()[0];
            let (to, from) = self.columns.as_u32s().split_at(n / 8);
            let mut blocks = self.buffers.take(n);
            (kernels.columns_to_blocks)(&mut blocks, input, to);
            (kernels.blocks_to_columns)(output, &blocks, from);
        }
        // Coefficient j comes from i = j/g modulo 2n, or from i − n with a sign.
        let inverse = inverse_element(self.degree, self.element);
        (Vectorized::of(Arch::selected()).negate_turned)(modulus.value(), inverse, output);
    }
}

/// `1/g` modulo `2n`, for an odd `g`, by Newton's iteration from 3 right bits on.
fn inverse_element(degree: usize, element: u64) -> u64 {
    let step = |inverse: u64, _| inverse.wrapping_mul(2_u64.wrapping_sub(element.wrapping_mul(inverse)));
    (0..3).fold(element, step) & conjugation_element(degree)
}

/// Negates the words `j` with `j·inverse mod 2n ≥ n`, for `n` words in `[0, q)` and `q < 2^62`.
#[inline(always)]
pub(crate) fn negate_turned(q: u64, inverse: u64, words: &mut [u64]) {
    // A turn of 2n fills a word, so that its second half has the sign bit, as have negatives of words but 0.
    let step = inverse << (63 - words.len().trailing_zeros());
    let mut angle = 0_u64;
    for word in words {
        let negated = (angle & word.wrapping_neg()) >> 63;
        *word = word.wrapping_add(negated.wrapping_neg() & q.wrapping_sub(2 * *word));
        angle = angle.wrapping_add(step);
    }
}

/// An automorphism as a permutation of values in the NTT's bit-reversed order.
///
/// Position `bitrev(i)` holds the value at `ψ^(2i+1)`; `f(X^g)` takes there the value of `f` at `ψ^(g(2i+1))`. The
/// permutation does not depend on the modulus, so one serves all limbs.
///
/// It moves whole blocks of eight values and permutes within them. With `r` the three low bits of a position, reversed,
/// its exponent is `e + r·n/4` for an `e < n/4` that the block has in common. Then `g·(e + r·n/4) = e' + (c + g·r mod 8)·n/4`
/// modulo `2n`, where `g·e = e' + c·n/4`: block `e'` in the order of `c + g·r mod 8`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NttPermutation {
    element: u64,
    degree: usize,
    /// For each block eight times the number of its source, plus `c`; nothing for degrees below 8.
    blocks: Buffer,
    /// For each `c` the order of the words of a block.
    orders: [[u64; 8]; 8],
}

impl NttPermutation {
    /// The permutation of `X ↦ X^element`.
    ///
    /// # Errors
    ///
    /// [`RingError::InvalidDegree`]; [`RingError::InvalidGaloisElement`] unless `element` is odd and below `2n`.
    pub fn new(degree: usize, element: u64) -> Result<Self, RingError> {
        Self::in_pool(&BufferPool::new(0), degree, element)
    }

    /// As [`new`](Self::new), with a table from `buffers`.
    ///
    /// # Errors
    ///
    /// As [`new`](Self::new).
    pub fn in_pool(buffers: &BufferPool, degree: usize, element: u64) -> Result<Self, RingError> {
        check_element(degree, element)?;
        let count = degree as u32 / 8;
        let mut blocks = buffers.take(count as usize);
        (Vectorized::of(Arch::selected()).block_sources)(element as u32, &mut blocks);
        let g = element as u32;
        let place = |c: u32, position: u32| u64::from(reverse((c + g * reverse(position, 8)) % 8, 8));
        let orders = core::array::from_fn(|c| core::array::from_fn(|position| place(c as u32, position as u32)));
        Ok(Self { element, degree, blocks, orders })
    }

    /// `g`.
    pub fn element(&self) -> u64 {
        self.element
    }

    /// `n`.
    pub fn degree(&self) -> usize {
        self.degree
    }

    /// Permutes `input` into `output`: one limb of `n` words, or `k` limbs of `k·n` words.
    ///
    /// # Panics
    ///
    /// If the lengths differ or are not a multiple of `n`.
    pub fn apply(&self, input: &[u64], output: &mut [u64]) {
        let n = self.degree();
        assert_eq!(input.len(), output.len(), "input and output have one length");
        assert!(input.len().is_multiple_of(n), "the length is a multiple of the degree");
        input.chunks_exact(n).zip(output.chunks_exact_mut(n)).for_each(|(from, to)| self.apply_part(from, 0, to));
    }

    /// The words from number `start` on of one permuted limb, as many as `output` has.
    ///
    /// # Panics
    ///
    /// Unless `input` has `n` words, and either `output` has too or both `start` and the length of `output` are multiples
    /// of 8 within `n`.
    pub fn apply_part(&self, input: &[u64], start: usize, output: &mut [u64]) {
        let n = self.degree();
        assert_eq!(input.len(), n, "the input is a limb");
        if n < 8 {
            assert_eq!((start, output.len()), (0, n), "less than a block has no parts");
            return self.apply_small(input, output);
        }
        assert!(start.is_multiple_of(8) && output.len().is_multiple_of(8), "parts are whole blocks");
        let blocks = &self.blocks[start / 8..][..output.len() / 8];
        (Arch::selected().slice_kernels()[0].permute_blocks)(output, input, blocks, &self.orders);
    }

    /// For degrees below a block.
    fn apply_small(&self, from: &[u64], to: &mut [u64]) {
        let n = from.len() as u32;
        for (position, word) in (0..n).zip(to) {
            let image = (2 * reverse(position, n) + 1) * self.element as u32 % (2 * n);
            *word = from[reverse(image / 2, n) as usize];
        }
    }
}

/// The table of an [`NttPermutation`], for at most `2^14` blocks.
#[inline(always)]
pub(crate) fn block_sources(element: u32, blocks: &mut [u64]) {
    let count = blocks.len() as u32;
    let log = count.trailing_zeros();
    for (block, source) in (0..count).zip(blocks) {
        let exponent = 2 * reverse(block, count) + 1;
        // Modulo 2^32, which 2n divides.
        let image = exponent.wrapping_mul(element);
        *source = u64::from(8 * reverse(image >> 1 & (count - 1), count) + (image >> 1 >> log & 7));
    }
}

/// `i` with its bits reversed within those of numbers below the power of two `n`.
#[inline(always)]
pub(crate) fn reverse(i: u32, n: u32) -> u32 {
    i.reverse_bits() >> 1 >> (31 - n.trailing_zeros())
}

fn check_element(degree: usize, element: u64) -> Result<(), RingError> {
    check_degree(degree)?;
    let limit = 2 * degree as u64;
    match element & 1 == 1 && element < limit {
        true => Ok(()),
        false => Err(RingError::InvalidGaloisElement { element, limit }),
    }
}

pub(crate) fn check_degree(degree: usize) -> Result<(), RingError> {
    if degree.is_power_of_two() && (2..=131_072).contains(&degree) {
        Ok(())
    } else {
        Err(RingError::InvalidDegree { degree })
    }
}

/// `3^exponent mod 2n`; `2n` is a power of two, so words wrap harmlessly.
fn generator_power(degree: usize, exponent: u64) -> u64 {
    let exponent = u32::try_from(exponent).expect("an exponent is below n/2 ≤ 65536");
    GENERATOR.wrapping_pow(exponent) & (2 * degree as u64 - 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::NttTables;

    const Q: u64 = 12_289; // 1 modulo 4096

    fn modulus() -> Modulus {
        Modulus::new(Q).expect("a small prime")
    }

    fn polynomial(degree: usize) -> Vec<u64> {
        (0..degree as u64).map(|i| (i * i + 17 * i) % Q).collect()
    }

    fn apply_coefficients(element: u64, input: &[u64], output: &mut [u64]) {
        let automorphism = CoefficientAutomorphism::in_pool(&BufferPool::new(0), input.len(), element);
        automorphism.expect("an odd element").apply(&modulus(), input, output);
    }

    /// `f(x) mod q` by Horner's rule.
    fn evaluate(f: &[u64], x: u64) -> u64 {
        f.iter().rev().fold(0, |sum, &coefficient| (sum * x + coefficient) % Q)
    }

    /// A primitive `2n`-th root of unity: an `n`-th power of it is −1.
    fn root(degree: usize) -> u64 {
        let candidate = |x: &u64| modulus().pow_vartime(*x, degree as u64) == Q - 1;
        (2..Q).find(candidate).expect("2n divides q − 1")
    }

    /// Values in the NTT's order.
    fn values(f: &[u64]) -> Vec<u64> {
        let n = f.len();
        let reverse = |i: usize| i.reverse_bits() >> (usize::BITS - n.trailing_zeros());
        let at = |position| evaluate(f, modulus().pow_vartime(root(n), 2 * reverse(position) as u64 + 1));
        (0..n).map(at).collect()
    }

    #[test]
    fn coefficients_follow_the_definition() {
        for degree in [2, 4, 8, 16, 32, 64] {
            let f = polynomial(degree);
            let psi = root(degree);
            for element in (1..2 * degree as u64).step_by(2) {
                let mut image = alloc::vec![0; degree];
                apply_coefficients(element, &f, &mut image);
                for exponent in (1..2 * degree as u64).step_by(2) {
                    let x = modulus().pow_vartime(psi, exponent);
                    assert_eq!(evaluate(&image, x), evaluate(&f, modulus().pow_vartime(x, element)));
                }
                assert!(image.iter().all(|&word| word < Q));
            }
        }
    }

    #[test]
    fn permutation_agrees_with_coefficients_on_all_limbs() {
        for degree in [2, 4, 8, 16, 64, 256] {
            let f = polynomial(degree);
            for element in (1..2 * degree as u64).step_by(2) {
                let mut image = alloc::vec![0; degree];
                apply_coefficients(element, &f, &mut image);
                let expected = values(&image);
                let permutation = NttPermutation::new(degree, element).expect("an odd element");
                assert_eq!((permutation.element(), permutation.degree()), (element, degree));
                let limbs = [values(&f), (0..degree as u64).collect()].concat();
                let mut permuted = alloc::vec![0; 2 * degree];
                permutation.apply(&limbs, &mut permuted);
                assert_eq!(permuted[..degree], expected);
                let mut second = alloc::vec![0; degree];
                permutation.apply(&limbs[degree..], &mut second);
                assert_eq!(permuted[degree..], second);
                for part in [8, 16, 64].into_iter().filter(|&part| part <= degree) {
                    let mut parts = alloc::vec![0; degree];
                    for (k, out) in parts.chunks_exact_mut(part).enumerate() {
                        permutation.apply_part(&limbs[degree..], k * part, out);
                    }
                    assert_eq!(parts, second);
                }
            }
        }
    }

    #[test]
    fn permutation_commutes_with_the_transform() {
        let degree = 2048;
        let tables = NttTables::new(degree, modulus()).expect("q is 1 modulo 2n");
        let mut transformed = polynomial(degree);
        tables.forward(&mut transformed);
        for element in [1, 3, 2731, 4095] {
            let mut expected = alloc::vec![0; degree];
            apply_coefficients(element, &polynomial(degree), &mut expected);
            tables.forward(&mut expected);
            let mut permuted = alloc::vec![0; degree];
            NttPermutation::new(degree, element).expect("an odd element").apply(&transformed, &mut permuted);
            assert_eq!(permuted, expected);
        }
    }

    #[test]
    fn steps_compose_and_invert() {
        for degree in [4, 16, 4096, 131_072] {
            let turn = 2 * degree as u64;
            let slots = degree as i64 / 2;
            let element = |step| element_from_step(degree, step).expect("a step below n/2");
            for step in [1, slots / 2, slots - 1] {
                assert_eq!(element(step) * element(-step) % turn, 1);
            }
            for step in 2..slots.min(50) {
                assert_eq!(element(step), element(step - 1) * 3 % turn);
            }
            assert_eq!(element(0), turn - 1);
        }
    }

    #[test]
    fn wrong_steps_elements_and_degrees_are_errors() {
        for step in [4, -4, i64::MIN, i64::MAX] {
            assert_eq!(element_from_step(8, step), Err(RingError::InvalidRotation { step, limit: 4 }));
        }
        for degree in [0, 1, 3, 262_144] {
            assert_eq!(element_from_step(degree, 0), Err(RingError::InvalidDegree { degree }));
            assert_eq!(NttPermutation::new(degree, 1), Err(RingError::InvalidDegree { degree }));
        }
        for element in [0, 2, 16, 17] {
            let expected = Err(RingError::InvalidGaloisElement { element, limit: 16 });
            assert_eq!(NttPermutation::new(8, element), expected);
        }
    }

    #[test]
    fn default_elements_are_seals() {
        assert_eq!(default_elements(2), [3]);
        assert_eq!(default_elements(4), [7, 3]);
        assert_eq!(default_elements(8), [15, 3, 11, 9]);
        for log in 2..=17 {
            let degree = 1 << log;
            let elements = default_elements(degree);
            assert_eq!(elements.len(), 2 * log - 2);
            for power in 0..log as u32 - 2 {
                for step in [1_i64 << power, -(1_i64 << power)] {
                    assert!(elements.contains(&element_from_step(degree, step).expect("a step below n/2")));
                }
            }
        }
        assert_eq!(default_elements(4096).len(), 22); // as SEAL makes them
    }

    #[test]
    fn naf_sums_to_the_step_without_neighbours() {
        for step in (-3000..3000).chain([1 << 40, (1 << 61) - 1, -(1 << 62)]) {
            let terms = steps_naf(step);
            assert_eq!(terms.iter().sum::<i64>(), step);
            assert!(terms.iter().all(|term| term.unsigned_abs().is_power_of_two()));
            assert!(terms.windows(2).all(|pair| pair[0].unsigned_abs() * 4 <= pair[1].unsigned_abs()));
        }
    }
}
