//! Residues to and from double precision.
//!
//! To doubles: balanced mixed-radix digits `d_j` in `[-(q_j-1)/2, (q_j-1)/2]` make `Σ_j d_j·W_j` the centred
//! representative, and a small value has zeros for its high digits. Horner's rule from the top then never cancels:
//! after the first digit that is not zero, the sum is at least half of its previous value times `q_j`. The digits of
//! `x` are those of `x + Σ_j h_j·W_j` in `[0, q_j)`, less `h_j = floor((q_j-1)/2)`.
//!
//! Error, in units of `2^-53` relative to the value. Up to the first sum `s·q_j + d_j` above `2^52` all is exact,
//! because the product is at most twice the sum. That step may round `q_j` and the product (2 each, as they may be
//! twice the sum), `d_j` and the sum (1 each). From then on `s ≥ 2^52`, so `d_j` no longer counts and the other three
//! roundings add 1 each. A value that needs `m` limbs has `m - 1` steps: at most `6 + 3·(m - 2)`, and second-order
//! terms, for `m > 1`.
//!
//! From doubles: a double is an integer of 53 bits times a power of two.

use alloc::vec::Vec;

use zeroize::Zeroize;

use super::RnsBasis;
use super::block::{BLOCK_WORDS, block_len, blocks, weighted_sum};
use crate::Modulus;
use crate::arch::vectorized::Vectorized;

/// `1.5·2^52`: adding it to an integer below `2^51` in absolute value puts the integer into the mantissa.
const MANTISSA_SHIFT: f64 = 6_755_399_441_055_744.0;

/// `2^52`.
const TWO_52: f64 = 4_503_599_627_370_496.0;

/// `2^51`.
const TWO_51: f64 = 2_251_799_813_685_248.0;

/// `2^63`.
const TWO_63: f64 = 9_223_372_036_854_775_808.0;

/// `2^127`.
const TWO_127: f64 = TWO_63 * 2.0 * TWO_63;

impl RnsBasis {
    /// The centred representatives in `(-Q/2, Q/2]` as doubles, with a relative error of at most `4k·2^-53`.
    ///
    /// Exact where the value is at most `2^52` in absolute value. Only the limbs that the value needs add to the error:
    /// it is at most `4m·2^-53` where `|x| < q_0⋯q_{m-1}/2`. Values past the range of doubles become infinite.
    ///
    /// `residues` has `k·n` words limb-major, `out` has `n`. Constant time where all moduli are odd.
    ///
    /// # Panics
    ///
    /// If a length is wrong.
    pub fn to_f64_centered(&self, residues: &[u64], out: &mut [f64]) {
        let (limbs, degree) = (self.len(), out.len());
        assert_eq!(residues.len(), limbs * degree, "words for {limbs} moduli of degree {degree}");
        // On the stack for up to 512 limbs.
        let (mut stack, mut heap) = ([0; BLOCK_WORDS], Vec::new());
        let words = limbs * block_len(limbs, degree);
        let digits = if words <= BLOCK_WORDS {
            &mut stack[..]
        } else {
            heap.resize(words, 0);
            &mut heap[..]
        };
        for (start, len) in blocks(limbs, degree) {
            let digits = &mut digits[..limbs * len];
            let out = &mut out[start..start + len];
            self.balanced_digits(residues, degree, start, digits);
            self.horner(digits, out);
            self.correct_even_modulus(digits, out);
        }
        digits[..words].zeroize();
    }

    /// The residues of integers that are given as doubles, of any size.
    ///
    /// The values must be finite and integral; for others the result is a residue without meaning. The largest absolute
    /// value decides on the method (below `2^51`, `2^63` or `2^127`, or any); nothing else in the time depends on the
    /// values.
    ///
    /// `out` has `k·n` words limb-major for `n` values.
    ///
    /// # Panics
    ///
    /// If a length is wrong.
    pub fn from_f64_into(&self, values: &[f64], out: &mut [u64]) {
        let degree = values.len();
        assert_eq!(out.len(), self.len() * degree, "words for {} moduli of degree {degree}", self.len());
        let largest = (self.vectorized().largest_magnitude)(values);
        self.convert_blocks(degree, largest, out, |_, start, block| {
            block.copy_from_slice(&values[start..start + block.len()]);
        });
    }

    /// As [`Self::from_f64_into`], in place: the values are in the last `n` of the `k·n` words, as the bits of doubles. The
    /// caller knows a bound on the absolute values, on which the method depends.
    ///
    /// # Panics
    ///
    /// Unless the number of words is a multiple of `k`.
    pub fn from_bounded_f64_in_place(&self, largest: f64, out: &mut [u64]) {
        let degree = out.len() / self.len();
        assert_eq!(out.len(), self.len() * degree, "words for {} moduli of degree {degree}", self.len());
        let last = out.len() - degree;
        self.convert_blocks(degree, largest, out, |out, start, block| {
            let words = &out[last + start..][..block.len()];
            block.iter_mut().zip(words).for_each(|(value, &bits)| *value = f64::from_bits(bits));
        });
    }

    /// Converts the blocks of values that a function reads; it gets the output, the block's place and the block.
    fn convert_blocks(&self, degree: usize, largest: f64, out: &mut [u64], read: impl Fn(&[u64], usize, &mut [f64])) {
        let (mut values, mut integers) = ([0.0; 512], [0; 512]);
        for (start, len) in (0..degree).step_by(512).map(|start| (start, (degree - start).min(512))) {
            let values = &mut values[..len];
            read(out, start, values);
            let values = &*values;
            let integers = &mut integers[..len];
            if largest < TWO_51 {
                (self.vectorized().small_integers)(values, integers);
            } else if largest < TWO_63 {
                integers.iter_mut().zip(values).for_each(|(integer, &value)| *integer = (value as i64).cast_unsigned());
            }
            for (modulus, out) in self.moduli().iter().zip(out.chunks_exact_mut(degree)) {
                let out = &mut out[start..start + len];
                if largest < TWO_63 {
                    self.lift_integers(integers, largest, modulus, out);
                } else if largest < TWO_127 {
                    out.iter_mut().zip(values).for_each(|(out, &value)| *out = reduce_double_word(value, modulus));
                } else {
                    reduce_any(values, largest, modulus, out);
                }
            }
        }
        values.zeroize();
        integers.zeroize();
    }

    /// `d_j + h_j` in `[0, q_j)` for every limb of a block.
    fn balanced_digits(&self, residues: &[u64], degree: usize, start: usize, digits: &mut [u64]) {
        let len = digits.len() / self.len();
        let bits = self.moduli().iter().map(Modulus::bits).max().unwrap_or(0);
        let rows = self.moduli().iter().zip(self.digits.iter()).zip(residues.chunks_exact(degree)).enumerate();
        for (j, ((modulus, row), residues)) in rows {
            let (lower, digit) = digits[..(j + 1) * len].split_at_mut(j * len);
            let own = &residues[start..start + len];
            if j == 0 {
                digit.copy_from_slice(own); // the weight is 1
            } else {
                let terms = lower.chunks_exact(len).chain(core::iter::once(own));
                weighted_sum(modulus, digit, terms, &row.weights, bits);
            }
            modulus.add_scalar_assign(digit, row.shift);
        }
    }

    /// `Σ_j d_j·W_j`.
    fn horner(&self, digits: &[u64], out: &mut [f64]) {
        let len = out.len();
        out.fill(0.0);
        let rows = self.moduli().iter().zip(self.digits.iter()).zip(digits.chunks_exact(len));
        for ((modulus, row), digits) in rows.rev() {
            (self.vectorized().horner_step)(digits, row.offset, modulus.value() as f64, out);
        }
    }

    /// The residues of signed integers that are at most `largest` in absolute value, which is below `2^63`.
    fn lift_integers(&self, integers: &[u64], largest: f64, modulus: &Modulus, out: &mut [u64]) {
        // Below q also where the largest value had a fractional part and was rounded up.
        if largest < TWO_51 && (largest as u64) < modulus.value() - 1 {
            (self.vectorized().lift_small)(modulus.value(), integers, out);
        } else {
            out.iter_mut().zip(integers).for_each(|(out, &integer)| *out = modulus.reduce_i64(integer.cast_signed()));
        }
    }

    /// The loops for the instruction set of the moduli.
    fn vectorized(&self) -> &'static Vectorized {
        Vectorized::of(self.moduli()[0].arch())
    }

    /// Makes values just above `Q/2` negative where one modulus is even.
    ///
    /// With `q_e` even, `d_e` reaches `q_e/2` and the digits reach values above `Q/2`: those with `d_e` and all higher
    /// digits at their maximum and a positive sum of the lower digits. They stand for the same digits with the signs of
    /// `d_e` and the higher ones changed, as `Q = W_e·q_e·(1 + 2·Σ_{j>e} h_j·W_j/W_{e+1})`.
    fn correct_even_modulus(&self, digits: &[u64], out: &mut [f64]) {
        let Some(even) = self.moduli().iter().position(|modulus| modulus.value().is_multiple_of(2)) else {
            return;
        };
        let len = out.len();
        for (c, out) in out.iter_mut().enumerate() {
            let digit = |j: usize| digits[j * len + c];
            let at_maximum = (even..self.len()).all(|j| digit(j) == self.moduli()[j].value() - 1);
            let lower = (0..even).rev().find(|&j| digit(j) != self.digits[j].offset);
            if at_maximum && lower.is_some_and(|j| digit(j) > self.digits[j].offset) {
                *out = (0..self.len()).rev().fold(0.0, |sum, j| {
                    let balanced = (digit(j) as i64 - self.digits[j].offset as i64) as f64;
                    sum * self.moduli()[j].value() as f64 + if j < even { balanced } else { -balanced }
                });
            }
        }
    }
}

/// Doubles below `2^51` as integers in two's complement.
#[inline(always)]
pub(crate) fn small_integers(values: &[f64], integers: &mut [u64]) {
    for (integer, value) in integers.iter_mut().zip(values) {
        *integer = (value + MANTISSA_SHIFT).to_bits().wrapping_sub(MANTISSA_SHIFT.to_bits());
    }
}

/// The residues of integers between `-q` and `q` in two's complement.
#[inline(always)]
pub(crate) fn lift_small(q: u64, integers: &[u64], out: &mut [u64]) {
    for (out, &integer) in out.iter_mut().zip(integers) {
        *out = integer.wrapping_add(q & (integer.cast_signed() >> 63).cast_unsigned());
    }
}

/// `out ← out·radix + (digit − offset)` for digits in `[0, radix)`.
#[inline(always)]
pub(crate) fn horner_step(digits: &[u64], offset: u64, radix: f64, out: &mut [f64]) {
    if radix < TWO_51 {
        // 2^52 + digit, and its distance to 2^52 + h_j, are exact.
        let offset = TWO_52 + offset as f64;
        for (out, &digit) in out.iter_mut().zip(digits) {
            let digit = f64::from_bits(TWO_52.to_bits() | digit) - offset;
            *out = *out * radix + digit;
        }
    } else {
        for (out, &digit) in out.iter_mut().zip(digits) {
            *out = *out * radix + (digit.wrapping_sub(offset)).cast_signed() as f64;
        }
    }
}

/// The residue of an integral double below `2^127` in absolute value.
fn reduce_double_word(value: f64, modulus: &Modulus) -> u64 {
    negate_if(value.is_sign_negative(), modulus.reduce_u128(value.abs() as u128), modulus)
}

/// Residues of integral doubles of any size, in a time that depends on `q` and the largest absolute value alone.
fn reduce_any(values: &[f64], largest: f64, modulus: &Modulus, out: &mut [u64]) {
    // `2^(2^b) mod q` for every bit b of the largest power of two.
    let bits = u32::BITS - split(largest).1.leading_zeros();
    let mut powers = [modulus.reduce(2); 10];
    for b in 1..powers.len() {
        powers[b] = modulus.mul_residues(powers[b - 1], powers[b - 1]);
    }
    for (out, &value) in out.iter_mut().zip(values) {
        let (integer, exponent) = split(value.abs());
        let mut residue = modulus.reduce(integer);
        for (b, &power) in powers[..bits as usize].iter().enumerate() {
            let product = modulus.mul_residues(residue, power);
            let mask = 0_u64.wrapping_sub(u64::from(exponent >> b & 1));
            residue = (product & mask) | (residue & !mask);
        }
        *out = negate_if(value.is_sign_negative(), residue, modulus);
    }
}

/// `(m, e)` with `value = m·2^e`, for an integral double that is not negative.
fn split(value: f64) -> (u64, u32) {
    let bits = value.to_bits();
    let exponent = (bits >> 52) as u32;
    let mantissa = bits & ((1 << 52) - 1) | u64::from(exponent != 0) << 52;
    // value = mantissa·2^(exponent - 1075); where that is a fraction, the low bits are zero as the value is an integer.
    (mantissa >> 1075_u32.saturating_sub(exponent).min(63), exponent.saturating_sub(1075))
}

/// `-residue` or `residue`.
fn negate_if(negative: bool, residue: u64, modulus: &Modulus) -> u64 {
    let mask = 0_u64.wrapping_sub(u64::from(negative));
    (modulus.neg(residue) & mask) | (residue & !mask)
}
