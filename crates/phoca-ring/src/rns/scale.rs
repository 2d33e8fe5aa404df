//! Scaling by `t/Q` with rounding, for BFV (ePrint 2018/117, sections 2.3 and 2.4).
//!
//! Decryption. With `y_i = x_i·(Q/q_i)^{-1} mod q_i`, the fraction `x/Q` is `Σ_i y_i/q_i` modulo 1. Each `1/q_i` is
//! kept with `b = 128` or 192 fractional bits; the sum wraps modulo 1 by itself and has an absolute error below
//! `Σ_i q_i/2^b`. Its product with `t`, rounded, is the result modulo `t`.
//!
//! Multiplication. With `r` the centred representative of `t·x mod Q`, `t·x - r` is a multiple of `Q` and
//! `(t·x - r)/Q = round(t·x/Q)`. Modulo `p_j`, with `w_i = t·x_i·(Q/q_i)^{-1} mod q_i` and `α` the nearest integer to
//! `Σ_i w_i/q_i`, `r = Σ_i w_i·(Q/q_i) - αQ` makes this
//!
//! ```text
//! x_j·(t·Q^{-1}) - Σ_i w_i·q_i^{-1} + α  mod p_j:
//! ```
//!
//! one row of a matrix. It depends on the residues alone, so `x` may be any representative modulo `Q·P`.

use alloc::vec::Vec;

use super::RnsBasis;
use super::block::{block_len, blocks, by_columns, weighted_sum};
use super::convert::{SourceLimb, nearest_quotients, scale_block};
use crate::{Modulus, RingError};

/// The map `x ↦ round(t/Q·x)` on residues.
///
/// ```
/// use phoca_ring::Modulus;
/// use phoca_ring::rns::{RnsBasis, ScaleRounder};
///
/// let q = RnsBasis::new(&[Modulus::new(97)?, Modulus::new(193)?])?;
/// let rounder = ScaleRounder::new(&q, &Modulus::new(7)?);
/// let mut scratch = vec![0; rounder.scratch_len(1)];
/// let mut message = [0];
/// rounder.round_to_plain(&[5000 % 97, 5000 % 193], &mut message, &mut scratch);
/// assert_eq!(message, [2]); // 7/18721·5000 = 1.87
/// # Ok::<(), phoca_ring::RingError>(())
/// ```
#[derive(Clone, Debug)]
pub struct ScaleRounder {
    t: Modulus,
    /// Factors `(Q/q_i)^{-1}`.
    plain: Vec<SourceLimb>,
    /// `floor(2^192/q_i)`, low word first.
    reciprocals: Vec<[u64; 3]>,
    /// `Σ_i q_i`: an upper bound of the error of the fraction in units of its last bit.
    bias: u128,
    /// Whether 128 fractional bits are enough.
    short: bool,
    /// Factors `t·(Q/q_i)^{-1}`.
    scaled: Vec<SourceLimb>,
    auxiliary: Vec<AuxiliaryLimb>,
}

#[derive(Clone, Debug)]
struct AuxiliaryLimb {
    modulus: Modulus,
    /// `-q_i^{-1} mod p_j` for each `i`, then 1, then `t·Q^{-1} mod p_j`.
    weights: Vec<u64>,
}

impl ScaleRounder {
    /// Scaling by `t/Q` for the product `Q` of `q`; results modulo `t`.
    pub fn new(q: &RnsBasis, t: &Modulus) -> Self {
        let bias = q.moduli().iter().map(|modulus| u128::from(modulus.value())).sum();
        Self {
            t: *t,
            plain: SourceLimb::all(q, 1),
            reciprocals: q.moduli().iter().map(reciprocal).collect(),
            bias,
            short: bias <= (1 << 66) / u128::from(t.value()),
            scaled: SourceLimb::all(q, t.value()),
            auxiliary: Vec::new(),
        }
    }

    /// Scaling by `t/Q` for the product `Q` of `q`; results modulo `t` or in the basis `p`.
    ///
    /// # Errors
    ///
    /// [`RingError::NotCoprime`] where a modulus of `p` shares a factor with one of `q`.
    pub fn with_auxiliary(q: &RnsBasis, t: &Modulus, p: &RnsBasis) -> Result<Self, RingError> {
        let auxiliary = p.moduli().iter().map(|modulus| AuxiliaryLimb::new(q, t, modulus));
        Ok(Self { auxiliary: auxiliary.collect::<Result<_, _>>()?, ..Self::new(q, t) })
    }

    /// The words of scratch memory that the functions below take.
    pub fn scratch_len(&self, degree: usize) -> usize {
        let limbs = self.plain.len() + 1;
        limbs * block_len(limbs, degree)
    }

    /// `round(t/Q·x) mod t`, ties upwards, for `x` in `[0, Q)` or any other representative modulo `Q`.
    ///
    /// Exact unless the fractional part of `t/Q·x` is in `[1/2 - ε, 1/2)` for an `ε ≤ 2^-62`; there the result may be
    /// one more. Fractional parts are multiples of `1/Q`, so it is always exact where `Q < 2^61`.
    ///
    /// The fraction of `x/Q` has 128 bits where `t·Σ_i q_i ≤ 2^66`, which makes `ε = t·Σ_i q_i·2^-128`, and 192
    /// elsewhere: `ε = t·Σ_i q_i·2^-192`, below `2^-62` for up to 256 moduli.
    ///
    /// `input` has `k·n` words, `output` has `n`, `scratch` has at least [`Self::scratch_len`].
    ///
    /// # Panics
    ///
    /// If a length is wrong.
    pub fn round_to_plain(&self, input: &[u64], output: &mut [u64], scratch: &mut [u64]) {
        let (limbs, degree) = (self.plain.len(), output.len());
        assert_eq!(input.len(), limbs * degree, "input words for {limbs} moduli of degree {degree}");
        assert!(scratch.len() >= self.scratch_len(degree), "scratch of {} words is too short", scratch.len());
        for (start, len) in blocks(limbs + 1, degree) {
            let scaled = &mut scratch[..limbs * len];
            scale_block(&self.plain, input, degree, start, scaled);
            let scaled = &*scaled;
            let output = &mut output[start..start + len];
            if self.short {
                by_columns(output, |c| self.short_columns(scaled, len, c), |c| self.short_columns(scaled, len, c));
            } else {
                by_columns(output, |c| self.long_columns(scaled, len, c), |c| self.long_columns(scaled, len, c));
            }
        }
    }

    /// `round(t/Q·x)` in the basis `p_0, …, p_{m-1}` from the residues of `x` modulo the `q_i`, then the `p_j`.
    ///
    /// Exact unless the fractional part of `t/Q·x` is in `[1/2, 1/2 + δ)` with `δ = 9k/8·2^-64`, where the result may
    /// be one less, or is exactly one half (`Q` even), where it is one less. It names an integer as long as
    /// `|t/Q·x| < P/2`; for a sum of `s` products of polynomials of degree below `n` whose coefficients are at most
    /// `Q/2·(1 + 2^-50)` in absolute value, `P > s/2·t·n·Q` and one bit are enough: see
    /// [`auxiliary_basis`](super::auxiliary_basis).
    ///
    /// `input` has `(k + m)·n` words, `output` has `m·n`, `scratch` has at least [`Self::scratch_len`].
    ///
    /// # Panics
    ///
    /// If a length is wrong.
    pub fn round_to_auxiliary(&self, input: &[u64], output: &mut [u64], scratch: &mut [u64]) {
        let (limbs, targets) = (self.scaled.len(), self.auxiliary.len());
        let degree = input.len() / (limbs + targets);
        assert_eq!(input.len(), (limbs + targets) * degree, "input words for {limbs} and {targets} moduli");
        assert_eq!(output.len(), targets * degree, "output words for {targets} moduli of degree {degree}");
        assert!(scratch.len() >= self.scratch_len(degree), "scratch of {} words is too short", scratch.len());
        let (input_q, input_p) = input.split_at(limbs * degree);
        for (start, len) in blocks(limbs + 1, degree) {
            let (scaled, quotients) = scratch[..(limbs + 1) * len].split_at_mut(limbs * len);
            scale_block(&self.scaled, input_q, degree, start, scaled);
            nearest_quotients(&self.scaled, scaled, quotients);
            let rows = scratch[..(limbs + 1) * len].chunks_exact(len);
            let auxiliary = self.auxiliary.iter().zip(input_p.chunks_exact(degree));
            for ((target, own), output) in auxiliary.zip(output.chunks_exact_mut(degree)) {
                let (own, output) = (&own[start..start + len], &mut output[start..start + len]);
                let rows = rows.clone().chain(core::iter::once(own));
                weighted_sum(&target.modulus, output, rows, &target.weights);
            }
        }
    }

    /// `floor(t·S/2^192 + 1/2) mod t` with `S = bias + Σ_i y_i·floor(2^192/q_i)` modulo `2^192`, for `C` coefficients.
    ///
    /// `Σ_i y_i·2^192/q_i - Σ_i y_i·floor(2^192/q_i)` is in `[0, Σ_i y_i)`, and `Σ_i y_i` is below the bias, so
    /// `S/2^192` is above the fraction of `x/Q` by at most `bias/2^192`, or has wrapped to at most that, where `t·x/Q`
    /// is within `ε` of a multiple of `t` and 0 is right.
    #[inline]
    fn long_columns<const C: usize>(&self, scaled: &[u64], len: usize, start: usize) -> [u64; C] {
        let mut sums = [(self.bias, 0_u64); C];
        for (scaled, reciprocal) in scaled.chunks_exact(len).zip(&self.reciprocals) {
            for ((low, high), &y) in sums.iter_mut().zip(&scaled[start..start + C]) {
                let (product_low, product_high) = mul_three_words(reciprocal, y);
                let (sum, carry) = low.overflowing_add(product_low);
                *low = sum;
                *high = high.wrapping_add(product_high as u64).wrapping_add(u64::from(carry));
            }
        }
        sums.map(|(low, high)| {
            let (_, product) = mul_three_words(&[low as u64, (low >> 64) as u64, high], self.t.value());
            self.t.reduce_once(((product + (1 << 63)) >> 64) as u64)
        })
    }

    /// The same with 128 bits in the place of 192.
    #[inline]
    fn short_columns<const C: usize>(&self, scaled: &[u64], len: usize, start: usize) -> [u64; C] {
        let mut sums = [self.bias; C];
        for (scaled, &[_, low, high]) in scaled.chunks_exact(len).zip(&self.reciprocals) {
            let reciprocal = u128::from(high) << 64 | u128::from(low);
            for (sum, &y) in sums.iter_mut().zip(&scaled[start..start + C]) {
                *sum = sum.wrapping_add(reciprocal.wrapping_mul(u128::from(y)));
            }
        }
        let t = u128::from(self.t.value());
        sums.map(|sum| {
            let product = (sum >> 64) * t + ((u128::from(sum as u64) * t) >> 64);
            self.t.reduce_once(((product + (1 << 63)) >> 64) as u64)
        })
    }
}

impl AuxiliaryLimb {
    fn new(q: &RnsBasis, t: &Modulus, modulus: &Modulus) -> Result<Self, RingError> {
        let mut weights = q.punctured_products(modulus);
        let inverse = modulus.inverse_vartime(weights[q.len()]).ok_or_else(|| {
            let first = q.moduli().iter().find(|first| modulus.inverse_vartime(first.value()).is_none());
            RingError::NotCoprime { first: first.map_or(0, Modulus::value), second: modulus.value() }
        })?;
        // Q/q_i times Q^{-1} is q_i^{-1}.
        weights.iter_mut().for_each(|weight| *weight = modulus.neg(modulus.mul(*weight, inverse)));
        weights[q.len()] = modulus.reduce(1);
        weights.push(modulus.mul(modulus.reduce(t.value()), inverse));
        Ok(Self { modulus: *modulus, weights })
    }
}

/// `words·factor`, in units of `2^64` above the low two words: the low two words, and all above them.
#[inline]
fn mul_three_words(words: &[u64; 3], factor: u64) -> (u128, u128) {
    let first = u128::from(words[0]) * u128::from(factor);
    let second = u128::from(words[1]) * u128::from(factor) + (first >> 64);
    let third = u128::from(words[2]) * u128::from(factor) + (second >> 64);
    (second << 64 | u128::from(first as u64), third)
}

/// `floor(2^192/q)`, low word first.
fn reciprocal(modulus: &Modulus) -> [u64; 3] {
    let [high, middle] = modulus.ratio();
    // 2^128 - floor(2^128/q)·q, below q.
    let ratio = u128::from(high) << 64 | u128::from(middle);
    let remainder = 0_u128.wrapping_sub(ratio.wrapping_mul(u128::from(modulus.value())));
    [((remainder << 64) / u128::from(modulus.value())) as u64, middle, high]
}
