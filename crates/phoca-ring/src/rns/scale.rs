//! Scaling by `t/Q` with rounding, for BFV's multiplication (ePrint 2018/117, section 2.4).
//!
//! With `r` the centred representative of `t·x mod Q`, `t·x - r` is a multiple of `Q` and
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
use super::block::{block_len, blocks, weighted_sum};
use super::convert::{Fractions, SourceLimb, scale_block};
use crate::{Modulus, RingError};

/// The map `x ↦ round(t/Q·x)` on residues.
#[derive(Clone, Debug)]
pub struct ScaleRounder {
    /// Factors `t·(Q/q_i)^{-1}`.
    scaled: Vec<SourceLimb>,
    fractions: Fractions,
    auxiliary: Vec<AuxiliaryLimb>,
}

#[derive(Clone, Debug)]
struct AuxiliaryLimb {
    modulus: Modulus,
    /// `-q_i^{-1} mod p_j` for each `i`, then 1, then `t·Q^{-1} mod p_j`.
    weights: Vec<u64>,
}

impl ScaleRounder {
    /// Scaling by `t/Q` for the product `Q` of `q`; results in the basis `p`.
    ///
    /// # Errors
    ///
    /// [`RingError::NotCoprime`] where a modulus of `p` shares a factor with one of `q`.
    pub fn with_auxiliary(q: &RnsBasis, t: &Modulus, p: &RnsBasis) -> Result<Self, RingError> {
        let auxiliary = p.moduli().iter().map(|modulus| AuxiliaryLimb::new(q, t, modulus));
        let auxiliary = auxiliary.collect::<Result<_, _>>()?;
        Ok(Self { scaled: SourceLimb::all(q, t.value()), fractions: Fractions::new(q), auxiliary })
    }

    /// The words of scratch memory that the function below takes.
    pub fn scratch_len(&self, degree: usize) -> usize {
        let limbs = self.scaled.len() + 1;
        limbs * block_len(limbs, degree)
    }

    /// `round(t/Q·x)` in the basis `p_0, …, p_{m-1}` from the residues of `x` modulo the `q_i`, then the `p_j`.
    ///
    /// Exact unless the fractional part of `t/Q·x` is in `[1/2, 1/2 + δ)` with the `δ` of
    /// [`BaseConverter::convert_centered`](super::BaseConverter::convert_centered), where the result may be one less, or is
    /// exactly one half (`Q` even), where it is one less. It names an integer as long as `|t/Q·x| < P/2`; for a sum of `s`
    /// products of polynomials of degree below `n` whose coefficients are at most `Q/2·(1 + 2^-40)` in absolute value,
    /// `P > s/2·t·n·Q` and one bit are enough: see
    /// [`auxiliary_basis`](super::auxiliary_basis).
    ///
    /// `input_q` has `k·n` words, `input_p` and `output` have `m·n`, `scratch` has at least [`Self::scratch_len`].
    ///
    /// # Panics
    ///
    /// If a length is wrong.
    pub fn round_to_auxiliary(&self, input_q: &[u64], input_p: &[u64], output: &mut [u64], scratch: &mut [u64]) {
        let (limbs, targets) = (self.scaled.len(), self.auxiliary.len());
        let degree = input_q.len() / limbs;
        assert_eq!(input_q.len(), limbs * degree, "input words for {limbs} moduli");
        assert_eq!(input_p.len(), targets * degree, "input words for {targets} moduli of degree {degree}");
        assert_eq!(output.len(), targets * degree, "output words for {targets} moduli of degree {degree}");
        assert!(scratch.len() >= self.scratch_len(degree), "scratch of {} words is too short", scratch.len());
        let own_bits = self.auxiliary.iter().map(|target| target.modulus.bits()).max().unwrap_or(0);
        let bits = self.fractions.term_bits().max(own_bits);
        for (start, len) in blocks(limbs + 1, degree) {
            let (scaled, quotients) = scratch[..(limbs + 1) * len].split_at_mut(limbs * len);
            scale_block(&self.scaled, input_q, degree, start, scaled);
            self.fractions.round_into(quotients, scaled);
            let rows = scratch[..(limbs + 1) * len].chunks_exact(len);
            let auxiliary = self.auxiliary.iter().zip(input_p.chunks_exact(degree));
            for ((target, own), output) in auxiliary.zip(output.chunks_exact_mut(degree)) {
                let (own, output) = (&own[start..start + len], &mut output[start..start + len]);
                let rows = rows.clone().chain(core::iter::once(own));
                weighted_sum(&target.modulus, output, rows, &target.weights, bits);
            }
        }
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
