//! Scaling by a fraction `w/Q` with rounding, for BFV's multiplication (ePrint 2018/117, section 2.4; ePrint 2021/204,
//! section 4).
//!
//! With `r` the centred representative of `w·x mod Q`, `w·x - r` is a multiple of `Q` and
//! `(w·x - r)/Q = round(w·x/Q)`. Modulo `p_j`, with `w_i = w·x_i·(Q/q_i)^{-1} mod q_i` and `α` the nearest integer to
//! `Σ_i w_i/q_i`, `r = Σ_i w_i·(Q/q_i) - αQ` makes this
//!
//! ```text
//! x_j·(w·Q^{-1}) - Σ_i w_i·q_i^{-1} + α  mod p_j:
//! ```
//!
//! one row of a matrix. It depends on the residues alone, so `x` may be any representative modulo `Q·P`. For `w = P` the
//! term with `x_j` is 0, so `x` needs to be known modulo `Q` only.

use alloc::vec::Vec;

use super::RnsBasis;
use super::block::{Limbs, block_len, blocks, weighted_sum};
use super::convert::{Fractions, SourceLimb, scale_block};
use crate::{Modulus, RingError, Shoup};

/// The map `x ↦ round(w/Q·x)` from residues modulo `q_0, …, q_{k-1}` to residues modulo `p_0, …, p_{m-1}`.
#[derive(Clone, Debug)]
pub struct ScaleRounder {
    /// Factors `w·(Q/q_i)^{-1}`.
    scaled: Vec<SourceLimb>,
    fractions: Fractions,
    targets: Vec<ScaledLimb>,
}

#[derive(Clone, Debug)]
struct ScaledLimb {
    modulus: Modulus,
    /// `-q_i^{-1} mod p_j` for each `i`, then 1, then `own`.
    weights: Vec<u64>,
    /// `w·Q^{-1} mod p_j`; none for `w = P`.
    own: Option<Shoup>,
}

impl ScaleRounder {
    /// Scaling by `t/Q` for the product `Q` of `q`; results in the basis `p`.
    ///
    /// # Errors
    ///
    /// [`RingError::NotCoprime`] where a modulus of `p` shares a factor with one of `q`.
    pub fn with_auxiliary(q: &RnsBasis, t: &Modulus, p: &RnsBasis) -> Result<Self, RingError> {
        Self::new(q, p, |modulus| modulus.reduce(t.value()), true)
    }

    /// Scaling by `P/Q` for the products `P` of `p` and `Q` of `q`: a change of the modulus from `Q` to `P`.
    ///
    /// # Errors
    ///
    /// [`RingError::NotCoprime`] where a modulus of `p` shares a factor with one of `q`.
    pub fn between(q: &RnsBasis, p: &RnsBasis) -> Result<Self, RingError> {
        Self::new(q, p, |modulus| p.punctured_products(modulus)[p.len()], false)
    }

    fn new(q: &RnsBasis, p: &RnsBasis, numerator: impl Fn(&Modulus) -> u64, own: bool) -> Result<Self, RingError> {
        let target = |modulus: &Modulus| ScaledLimb::new(q, modulus, own.then(|| numerator(modulus)));
        let targets = p.moduli().iter().map(target).collect::<Result<_, _>>()?;
        Ok(Self { scaled: SourceLimb::all(q, numerator), fractions: Fractions::new(q), targets })
    }

    /// The words of scratch memory that the functions below take.
    pub fn scratch_len(&self, degree: usize) -> usize {
        let limbs = self.scaled.len() + 1;
        limbs * block_len(limbs, degree)
    }

    /// `round(t/Q·x)` in the basis `p_0, …, p_{m-1}` from the residues of `x` modulo the `q_i` and modulo the `p_j`.
    ///
    /// Exact unless the fractional part of `t/Q·x` is in `[1/2, 1/2 + δ)` with the `δ` of
    /// [`BaseConverter::convert_centered`](super::BaseConverter::convert_centered), where the result may be one less, or is
    /// exactly one half (`Q` even), where it is one less. It is that of an integer modulo `P`: where the integer itself
    /// is wanted, `|t/Q·x| < P/2` must hold. For a sum of `s` products of polynomials of degree below `n` whose
    /// coefficients are at most `Q/2·(1 + 2^-40)` in absolute value, `P > s/2·t·n·Q` and one bit are enough: see
    /// [`auxiliary_basis`](super::auxiliary_basis).
    ///
    /// `output` has `m·n` words, `scratch` has at least [`Self::scratch_len`].
    ///
    /// # Panics
    ///
    /// If a length is wrong, or the numerator is `P`.
    pub fn round_to_auxiliary(&self, input_q: Limbs<'_>, input_p: Limbs<'_>, output: &mut [u64], scratch: &mut [u64]) {
        assert!(self.targets.iter().all(|target| target.own.is_some()), "the numerator is P");
        self.round(input_q, Some(input_p), output, scratch);
    }

    /// `round(P/Q·x)` in the basis `p_0, …, p_{m-1}` from the residues of `x` modulo the `q_i`: exact as
    /// [`Self::round_to_auxiliary`], and `x` counts modulo `Q`.
    ///
    /// `output` has `m·n` words, `scratch` has at least [`Self::scratch_len`].
    ///
    /// # Panics
    ///
    /// If a length is wrong, or the numerator is not `P`.
    pub fn change_modulus(&self, input: Limbs<'_>, output: &mut [u64], scratch: &mut [u64]) {
        assert!(self.targets.iter().all(|target| target.own.is_none()), "the numerator is not P");
        self.round(input, None, output, scratch);
    }

    fn round(&self, input: Limbs<'_>, own: Option<Limbs<'_>>, output: &mut [u64], scratch: &mut [u64]) {
        let (limbs, targets) = (self.scaled.len(), self.targets.len());
        let degree = output.len() / targets;
        assert_eq!(output.len(), targets * degree, "output words for {targets} moduli");
        input.check(limbs, degree);
        own.inspect(|own| own.check(targets, degree));
        assert!(scratch.len() >= self.scratch_len(degree), "scratch of {} words is too short", scratch.len());
        for (start, len) in blocks(limbs + 1, degree) {
            let (scaled, quotients) = scratch[..(limbs + 1) * len].split_at_mut(limbs * len);
            scale_block(&self.scaled, input, start, scaled);
            self.fractions.round_into(quotients, scaled);
            let rows = scratch[..(limbs + 1) * len].chunks_exact(len);
            for (index, (target, output)) in self.targets.iter().zip(output.chunks_exact_mut(degree)).enumerate() {
                let own = own.map(|own| own.block(index, start, len));
                target.sum(&mut output[start..start + len], rows.clone(), own, self.fractions.term_bits());
            }
        }
    }
}

/// Terms of so many bits are the fastest to sum.
const NARROW_BITS: u32 = 52;

impl ScaledLimb {
    fn new(q: &RnsBasis, modulus: &Modulus, numerator: Option<u64>) -> Result<Self, RingError> {
        let mut weights = q.punctured_products(modulus);
        let inverse = modulus.inverse_vartime(weights[q.len()]).ok_or_else(|| {
            let first = q.moduli().iter().find(|first| modulus.inverse_vartime(first.value()).is_none());
            RingError::NotCoprime { first: first.map_or(0, Modulus::value), second: modulus.value() }
        })?;
        // Q/q_i times Q^{-1} is q_i^{-1}.
        weights.iter_mut().for_each(|weight| *weight = modulus.neg(modulus.mul(*weight, inverse)));
        weights[q.len()] = modulus.reduce(1);
        let own = numerator.map(|numerator| modulus.shoup(modulus.mul(numerator, inverse)));
        weights.extend(own.map(|own| own.value));
        Ok(Self { modulus: *modulus, weights, own })
    }

    /// One block: the weighted sum of the rows, of `bits` bits, and of this limb's own residues if there are any.
    fn sum<'a>(&self, out: &mut [u64], rows: impl Iterator<Item = &'a [u64]>, own: Option<&'a [u64]>, bits: u32) {
        match own.zip(self.own) {
            // Wide residues are not to make all terms wide.
            Some((own, weight)) if bits <= NARROW_BITS && self.modulus.bits() > NARROW_BITS => {
                weighted_sum(&self.modulus, out, rows, &self.weights[..self.weights.len() - 1], bits);
                self.modulus.mul_scalar_add_assign(out, own, weight);
            }
            _ => weighted_sum(&self.modulus, out, rows.chain(own), &self.weights, bits.max(self.modulus.bits())),
        }
    }
}
