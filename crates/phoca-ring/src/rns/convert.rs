//! Conversion of residues from one basis to another.
//!
//! With `y_i = x_i·(Q/q_i)^{-1} mod q_i`, the integer `Σ_i y_i·(Q/q_i)` is `x + αQ` for some `0 ≤ α < k`, since
//! `x/Q = Σ_i y_i/q_i - α` is in `[0, 1)`. The fast conversion leaves `αQ` in; the centred one subtracts the nearest
//! multiple of `Q`, which it estimates from the sum of the fractions `y_i/q_i` (ePrint 2018/117, section 2.2). The
//! estimate here is in fixed point with 64 fractional bits and at most `9k/8` units too small, for moduli of any size.

use alloc::vec::Vec;

use super::RnsBasis;
use super::block::{COLUMNS, block_len, blocks, by_columns, fraction, weighted_sum};
use crate::{Modulus, Shoup};

/// Conversion from the basis `q_0, …, q_{k-1}` to the basis `p_0, …, p_{m-1}`; the two may share moduli.
///
/// ```
/// use phoca_ring::Modulus;
/// use phoca_ring::rns::{BaseConverter, RnsBasis};
///
/// let from = RnsBasis::new(&[Modulus::new(97)?, Modulus::new(193)?])?;
/// let to = RnsBasis::new(&[Modulus::new(65537)?])?;
/// let converter = BaseConverter::new(&from, &to);
/// let mut scratch = vec![0; converter.scratch_len(1)];
/// let mut output = [0];
/// converter.convert_centered(&[96, 192], &mut output, &mut scratch); // -1 modulo 97 and 193
/// assert_eq!(output, [65536]);
/// # Ok::<(), phoca_ring::RingError>(())
/// ```
#[derive(Clone, Debug)]
pub struct BaseConverter {
    from: Vec<SourceLimb>,
    to: Vec<TargetLimb>,
}

/// One modulus `q_i` with a factor for its residues.
#[derive(Clone, Debug)]
pub(super) struct SourceLimb {
    pub(super) modulus: Modulus,
    /// `(Q/q_i)^{-1}` times a constant, modulo `q_i`.
    pub(super) factor: Shoup,
}

#[derive(Clone, Debug)]
struct TargetLimb {
    modulus: Modulus,
    /// `Q/q_i mod p_j` for each `i`, then `-Q mod p_j`.
    weights: Vec<u64>,
}

impl BaseConverter {
    /// The constants to convert from `from` to `to`: `O(k·m)` words.
    pub fn new(from: &RnsBasis, to: &RnsBasis) -> Self {
        let target = |modulus: &Modulus| {
            let mut weights = from.punctured_products(modulus);
            let last = &mut weights[from.len()];
            *last = modulus.neg(*last);
            TargetLimb { modulus: *modulus, weights }
        };
        Self { from: SourceLimb::all(from, 1), to: to.moduli().iter().map(target).collect() }
    }

    /// The words of scratch memory that a conversion of degree `degree` takes.
    pub fn scratch_len(&self, degree: usize) -> usize {
        let limbs = self.from.len() + 1;
        limbs * block_len(limbs, degree)
    }

    /// The residues of `x + αQ` with `0 ≤ α < k`, for `x` in `[0, Q)`; exact for `k = 1`, where `α = 0`.
    ///
    /// `input` has `k·n` words, `output` has `m·n`, `scratch` has at least [`Self::scratch_len`].
    ///
    /// # Panics
    ///
    /// If a length is wrong.
    pub fn convert_fast(&self, input: &[u64], output: &mut [u64], scratch: &mut [u64]) {
        self.convert(input, output, scratch, false);
    }

    /// The residues of the representative of `x` in `(-Q/2, Q/2]`.
    ///
    /// Exact for every `x` with `-Q/2 + δQ ≤ x ≤ Q/2`, where `δ = 9k/8·2^-64`, and for every `x` where `Q ≤ 2^63/(2k)`
    /// or `k = 1`. Of the values in `(-Q/2, -Q/2 + δQ)` some come out as `x + Q`, the same in all limbs, so that the
    /// result is always congruent to `x` modulo `Q` and at most `(1/2 + δ)·Q` in absolute value.
    ///
    /// `input` has `k·n` words, `output` has `m·n`, `scratch` has at least [`Self::scratch_len`].
    ///
    /// # Panics
    ///
    /// If a length is wrong.
    pub fn convert_centered(&self, input: &[u64], output: &mut [u64], scratch: &mut [u64]) {
        self.convert(input, output, scratch, true);
    }

    fn convert(&self, input: &[u64], output: &mut [u64], scratch: &mut [u64], centered: bool) {
        let limbs = self.from.len();
        assert_eq!(input.len() % limbs, 0, "input of {} words for {limbs} moduli", input.len());
        let degree = input.len() / limbs;
        assert_eq!(output.len(), self.to.len() * degree, "output words for {} moduli", self.to.len());
        assert!(scratch.len() >= self.scratch_len(degree), "scratch of {} words is too short", scratch.len());
        for (start, len) in blocks(limbs + 1, degree) {
            let (scaled, quotients) = scratch[..(limbs + 1) * len].split_at_mut(limbs * len);
            scale_block(&self.from, input, degree, start, scaled);
            let mut terms = limbs;
            if centered {
                nearest_quotients(&self.from, scaled, quotients);
                terms += 1;
            }
            let rows = scratch[..terms * len].chunks_exact(len);
            for (target, output) in self.to.iter().zip(output.chunks_exact_mut(degree)) {
                let output = &mut output[start..start + len];
                weighted_sum(&target.modulus, output, rows.clone(), &target.weights[..terms]);
            }
        }
    }
}

impl SourceLimb {
    /// The limbs of `basis` with the factors `constant·(Q/q_i)^{-1} mod q_i`.
    pub(super) fn all(basis: &RnsBasis, constant: u64) -> Vec<Self> {
        let limb = |(modulus, inverse): (&Modulus, u64)| Self {
            modulus: *modulus,
            factor: modulus.shoup(modulus.mul(inverse, constant)),
        };
        basis.moduli().iter().zip(basis.punctured_inverses()).map(limb).collect()
    }
}

/// Coefficients `start..` of every limb of `input`, times the limb's factor, into the limbs of `scaled`.
pub(super) fn scale_block(from: &[SourceLimb], input: &[u64], degree: usize, start: usize, scaled: &mut [u64]) {
    let len = scaled.len() / from.len();
    for ((limb, scaled), input) in from.iter().zip(scaled.chunks_exact_mut(len)).zip(input.chunks_exact(degree)) {
        limb.modulus.mul_scalar_into(scaled, &input[start..start + len], limb.factor);
    }
}

/// `α = ceil(Σ_i y_i/q_i - 1/2)` for each coefficient of a block: the multiple of `Q` nearest to `Σ_i y_i·(Q/q_i)`,
/// ties towards zero.
///
/// The sum `F` of the fractions is in `(S - 9k/8, S]` for the true `S = 2^64·Σ_i y_i/q_i`. With `S = 2^64·(a + f)`:
/// where `f ≤ 1/2`, `2^64·a - 9k/8 < F ≤ 2^64·a + 2^63` and the result is `a`; where `f ≥ 1/2 + 9k/8·2^-64`,
/// `F > 2^64·a + 2^63` and the result is `a + 1`. In between it is one of the two. The true `f` is a multiple of `1/Q`,
/// so `f - 1/2`, where positive, is at least `1/(2Q)`, and nothing is in between if `9k/4·Q ≤ 2^64`.
pub(super) fn nearest_quotients(from: &[SourceLimb], scaled: &[u64], quotients: &mut [u64]) {
    let len = quotients.len();
    by_columns(
        quotients,
        |start| quotient_columns::<COLUMNS>(from, scaled, len, start),
        |start| quotient_columns::<1>(from, scaled, len, start),
    );
}

/// [`nearest_quotients`] of `C` coefficients.
#[inline]
fn quotient_columns<const C: usize>(from: &[SourceLimb], scaled: &[u64], len: usize, start: usize) -> [u64; C] {
    let mut sums = [(1_u128 << 63) - 1; C];
    for (limb, scaled) in from.iter().zip(scaled.chunks_exact(len)) {
        let ratio = limb.modulus.ratio();
        for (sum, &y) in sums.iter_mut().zip(&scaled[start..start + C]) {
            *sum += u128::from(fraction(y, ratio));
        }
    }
    sums.map(|sum| (sum >> 64) as u64)
}
