//! Conversion of residues from one basis to another.
//!
//! With `y_i = x_i·(Q/q_i)^{-1} mod q_i`, the integer `Σ_i y_i·(Q/q_i)` is `x + αQ` for some `0 ≤ α < k`, since
//! `x/Q = Σ_i y_i/q_i - α` is in `[0, 1)`. The fast conversion leaves `αQ` in; the centred one subtracts the nearest
//! multiple of `Q`, which it estimates from the sum of the fractions `y_i/q_i` (ePrint 2018/117, section 2.2). The
//! estimate here is in fixed point: with `b` fractional bits it is less than `Σ_i q_i` units too small. `b` is 104 where
//! all moduli have at most 50 bits, two digits of the fastest products, and else `127 - bits(k)`, from 118 to 126 for
//! up to 511 moduli.

use alloc::vec::Vec;

use super::RnsBasis;
use super::block::{Limbs, block_len, blocks, weighted_sum};
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
    fractions: Fractions,
    to: Vec<TargetLimb>,
}

/// What rounds the sum of fractions `y_i/q_i` to an integer.
#[derive(Clone, Debug)]
pub(super) struct Fractions {
    /// The widest of the `q_i`, whose kernels are right for all of them.
    widest: Modulus,
    bits: u32,
    /// `floor(2^bits / q_i)`.
    reciprocals: Vec<u128>,
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
        Self {
            from: SourceLimb::all(from, |_| 1),
            fractions: Fractions::new(from),
            to: to.moduli().iter().map(target).collect(),
        }
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
    /// Exact for every `x` with `-Q/2 + δQ ≤ x ≤ Q/2`, where `δ = 2^-b·Σ_i q_i` with `b = 104` if all `q_i` have at most 50
    /// bits and else `127 - bits(k)`, and for every `x` where `2Q·Σ_i q_i ≤ 2^b`, as it is for `k = 1`. Of the values in `(-Q/2, -Q/2 + δQ)` some come out as `x + Q`, the same in all limbs, so that the
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
        let bits = self.fractions.term_bits();
        for (start, len) in blocks(limbs + 1, degree) {
            let (scaled, quotients) = scratch[..(limbs + 1) * len].split_at_mut(limbs * len);
            scale_block(&self.from, Limbs::new(input, degree), start, scaled);
            let mut terms = limbs;
            if centered {
                self.fractions.round_into(quotients, scaled);
                terms += 1;
            }
            let rows = scratch[..terms * len].chunks_exact(len);
            for (target, output) in self.to.iter().zip(output.chunks_exact_mut(degree)) {
                let output = &mut output[start..start + len];
                weighted_sum(&target.modulus, output, rows.clone(), &target.weights[..terms], bits);
            }
        }
    }
}

impl SourceLimb {
    /// The limbs of `basis` with the factors `constant·(Q/q_i)^{-1} mod q_i`, for the residue of the constant modulo each.
    pub(super) fn all(basis: &RnsBasis, constant: impl Fn(&Modulus) -> u64) -> Vec<Self> {
        let limb = |(modulus, inverse): (&Modulus, u64)| Self {
            modulus: *modulus,
            factor: modulus.shoup(modulus.mul(inverse, constant(modulus))),
        };
        basis.moduli().iter().zip(basis.punctured_inverses()).map(limb).collect()
    }
}

/// Coefficients `start..` of every limb of `input`, times the limb's factor, into the limbs of `scaled`.
pub(super) fn scale_block(from: &[SourceLimb], input: Limbs<'_>, start: usize, scaled: &mut [u64]) {
    let len = scaled.len() / from.len();
    for (index, (limb, scaled)) in from.iter().zip(scaled.chunks_exact_mut(len)).enumerate() {
        limb.modulus.scale_into(scaled, input.block(index, start, len), limb.factor);
    }
}

impl Fractions {
    pub(super) fn new(basis: &RnsBasis) -> Self {
        let moduli = basis.moduli();
        let widest = *moduli.iter().max_by_key(|modulus| modulus.bits()).expect("a basis is never empty");
        let bits = if widest.bits() <= 50 { 104 } else { 127 - (usize::BITS - moduli.len().leading_zeros()) };
        let reciprocals = moduli.iter().map(|modulus| (1 << bits) / u128::from(modulus.value())).collect();
        Self { widest, bits, reciprocals }
    }

    /// The bits of the residues modulo the `q_i` and of the rounded sum.
    pub(super) fn term_bits(&self) -> u32 {
        self.widest.bits().max(usize::BITS - self.reciprocals.len().leading_zeros())
    }

    /// `α = ceil(Σ_i y_i/q_i - 1/2)` for each coefficient of a block: the multiple of `Q` nearest to `Σ_i y_i·(Q/q_i)`,
    /// ties towards zero.
    ///
    /// The sum of the products with the reciprocals is `F` in `(S - Σ_i q_i, S]` for `S = 2^b·Σ_i y_i/q_i`. With
    /// `S = 2^b·(a + f)`: where `f ≤ 1/2`, `2^b·(a - 1/2) < F ≤ 2^b·(a + 1/2)` and the result is `a`; where
    /// `f ≥ 1/2 + 2^-b·Σ_i q_i`, `F > 2^b·(a + 1/2)` and the result is `a + 1`. In between it is one of the two. The true
    /// `f` is a multiple of `1/Q`, so `f - 1/2`, where positive, is at least `1/(2Q)`, and nothing is in between if
    /// `2Q·Σ_i q_i ≤ 2^b`.
    pub(super) fn round_into(&self, quotients: &mut [u64], scaled: &[u64]) {
        self.widest.round_fractions_into(quotients, scaled, &self.reciprocals, self.bits);
    }
}
