//! From residues modulo `Q` to a plain modulus `t`: the last step of decryption, for BFV `round(t/Q·x) mod t`
//! (ePrint 2018/117, section 2.3) and for BGV the centred `x` modulo `t`.
//!
//! With `h_i = (Q/q_i)^{-1} mod q_i`, `x = Σ_i x_i·h_i·(Q/q_i) - αQ` and the fraction `x/Q` is `Σ_i x_i·h_i/q_i - α`.
//! Each `h_i/q_i` is kept in fixed point with `b = 128` or 192 fractional bits, rounded down; their sum times the `x_i`
//! is too small by less than `Σ_i q_i/2^b`. BFV needs it modulo 1 only, so it may wrap; BGV needs the nearest integer,
//! the multiple of `Q` to subtract.

use alloc::vec::Vec;

use super::RnsBasis;
use super::block::by_columns;
use crate::Modulus;
use crate::arch::PlainKernels;

/// Conversion from the basis `q_0, …, q_{k-1}` to a plain modulus `t`.
///
/// Constant time.
///
/// ```
/// use phoca_ring::Modulus;
/// use phoca_ring::rns::{PlainConverter, RnsBasis};
///
/// let q = RnsBasis::new(&[Modulus::new(97)?, Modulus::new(193)?])?;
/// let converter = PlainConverter::new(&q, &Modulus::new(7)?);
/// let mut message = [0];
/// converter.round_scaled(&[5000 % 97, 5000 % 193], &mut message);
/// assert_eq!(message, [2]); // 7/18721·5000 = 1.87
/// converter.reduce_centered(&[95, 191], &mut message);
/// assert_eq!(message, [5]); // -2
/// # Ok::<(), phoca_ring::RingError>(())
/// ```
#[derive(Clone, Debug)]
pub struct PlainConverter {
    constants: PlainConstants,
    /// Whether 128 fractional bits are enough for [`Self::round_scaled`].
    short: bool,
    /// Vector code, where there is some for these moduli.
    kernels: Option<&'static PlainKernels>,
}

/// The constants of a [`PlainConverter`].
#[derive(Clone, Debug)]
pub(crate) struct PlainConstants {
    pub(crate) t: Modulus,
    pub(crate) limbs: Vec<PlainLimb>,
    /// `Σ_i q_i`: an upper bound of the error of the sum of fractions in units of its last bit.
    pub(crate) bias: u128,
    /// `-Q mod t`.
    pub(crate) wrap: u64,
}

/// The constants of one modulus `q_i`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PlainLimb {
    /// `floor(h_i·2^192/q_i)`, low word first.
    pub(crate) fraction: [u64; 3],
    /// `h_i·(Q/q_i) mod t`.
    pub(crate) weight: u64,
}

/// Terms whose sum of products of 61 and 61 bits has room for another such product in 128 bits.
const TERMS: usize = 32;

impl PlainConverter {
    /// The constants to convert from `q` to `t`.
    pub fn new(q: &RnsBasis, t: &Modulus) -> Self {
        let products = q.punctured_products(t);
        let moduli = q.moduli().iter().zip(q.punctured_inverses()).zip(&products);
        let limb = |((modulus, inverse), &product): ((&Modulus, u64), &u64)| PlainLimb {
            fraction: fraction(modulus, inverse),
            weight: t.mul(inverse, product),
        };
        let bias = q.moduli().iter().map(|modulus| u128::from(modulus.value())).sum();
        let short = bias <= (1 << 66) / u128::from(t.value());
        let constants =
            PlainConstants { t: *t, limbs: moduli.map(limb).collect(), bias, wrap: t.neg(products[q.len()]) };
        let widest = q.moduli().iter().map(Modulus::bits).max().unwrap_or(0);
        let kernels = t.arch().plain_kernels(widest, q.len(), t.bits());
        Self { constants, short, kernels }
    }

    /// `round(t/Q·x) mod t`, ties upwards, for `x` in `[0, Q)` or any other representative modulo `Q`.
    ///
    /// Exact unless the fractional part of `t/Q·x` is in `[1/2 - ε, 1/2)` for an `ε ≤ 2^-62`; there the result may be
    /// one more. Fractional parts are multiples of `1/Q`, so it is always exact where `Q < 2^61`.
    ///
    /// The fraction of `x/Q` has 128 bits where `t·Σ_i q_i ≤ 2^66`, which makes `ε = t·Σ_i q_i·2^-128`, and 192
    /// elsewhere: `ε = t·Σ_i q_i·2^-192`, below `2^-62` for up to 256 moduli.
    ///
    /// `input` has `k·n` words, `output` has `n`.
    ///
    /// # Panics
    ///
    /// If a length is wrong.
    pub fn round_scaled(&self, input: &[u64], output: &mut [u64]) {
        let degree = self.degree(input, output);
        let kernel = |kernels: &PlainKernels| if self.short { kernels.round_scaled } else { kernels.round_scaled_long };
        let done = self.in_vectors(kernel, input, output);
        let rest = &mut output[done..];
        if self.short {
            by_columns(
                rest,
                |c| self.round_short(input, degree, done + c),
                |c| self.round_short(input, degree, done + c),
            );
        } else {
            by_columns(
                rest,
                |c| self.round_long(input, degree, done + c),
                |c| self.round_long(input, degree, done + c),
            );
        }
    }

    /// The representative of `x` in `(-Q/2, Q/2]`, modulo `t`.
    ///
    /// Exact for every `x` with `-Q/2 + δQ ≤ x ≤ Q/2`, where `δ = (1 + Σ_i q_i)·2^-128`, and for every `x` where
    /// `Q·(1 + Σ_i q_i) ≤ 2^127`. For the values in `(-Q/2, -Q/2 + δQ)` it may be that of `x + Q`.
    ///
    /// `input` has `k·n` words, `output` has `n`.
    ///
    /// # Panics
    ///
    /// If a length is wrong.
    pub fn reduce_centered(&self, input: &[u64], output: &mut [u64]) {
        let degree = self.degree(input, output);
        let done = self.in_vectors(|kernels| kernels.reduce_centered, input, output);
        by_columns(
            &mut output[done..],
            |c| self.reduce_columns(input, degree, done + c),
            |c| self.reduce_columns(input, degree, done + c),
        );
    }

    fn degree(&self, input: &[u64], output: &[u64]) -> usize {
        let (limbs, degree) = (self.constants.limbs.len(), output.len());
        assert_eq!(input.len(), limbs * degree, "input words for {limbs} moduli of degree {degree}");
        degree
    }

    /// Converts as many coefficients as fill vectors, and gives their number.
    fn in_vectors(
        &self,
        kernel: impl Fn(&PlainKernels) -> fn(&PlainConstants, &[u64], &mut [u64]),
        input: &[u64],
        output: &mut [u64],
    ) -> usize {
        match self.kernels {
            Some(kernels) => {
                kernel(kernels)(&self.constants, input, output);
                output.len() & !7
            }
            None => 0,
        }
    }

    /// The residues of `C` coefficients from `start` with the constants of their limbs.
    fn columns<'a, const C: usize>(
        &'a self,
        input: &'a [u64],
        degree: usize,
        start: usize,
    ) -> impl Iterator<Item = (&'a [u64], &'a PlainLimb)> {
        input.chunks_exact(degree).map(move |limb| &limb[start..start + C]).zip(&self.constants.limbs)
    }

    /// `floor(t·S/2^192 + 1/2) mod t` with `S = bias + Σ_i x_i·floor(h_i·2^192/q_i)` modulo `2^192`.
    ///
    /// `S/2^192` is above the fraction of `x/Q` by at most `bias/2^192`, or has wrapped to at most that, where `t·x/Q`
    /// is within `ε` of a multiple of `t` and 0 is right.
    #[inline]
    fn round_long<const C: usize>(&self, input: &[u64], degree: usize, start: usize) -> [u64; C] {
        let mut sums = [(self.constants.bias, 0_u64); C];
        for (residues, limb) in self.columns::<C>(input, degree, start) {
            for ((low, high), &x) in sums.iter_mut().zip(residues) {
                let (product_low, product_high) = mul_three_words(&limb.fraction, x);
                let (sum, carry) = low.overflowing_add(product_low);
                *low = sum;
                *high = high.wrapping_add(product_high as u64).wrapping_add(u64::from(carry));
            }
        }
        let t = &self.constants.t;
        sums.map(|(low, high)| {
            let (_, product) = mul_three_words(&[low as u64, (low >> 64) as u64, high], t.value());
            t.reduce_once(((product + (1 << 63)) >> 64) as u64)
        })
    }

    /// The same with 128 bits in the place of 192.
    #[inline]
    fn round_short<const C: usize>(&self, input: &[u64], degree: usize, start: usize) -> [u64; C] {
        let mut sums = [self.constants.bias; C];
        for (residues, limb) in self.columns::<C>(input, degree, start) {
            for (sum, &x) in sums.iter_mut().zip(residues) {
                *sum = sum.wrapping_add(limb.short_fraction().wrapping_mul(u128::from(x)));
            }
        }
        let t = &self.constants.t;
        let factor = u128::from(t.value());
        sums.map(|sum| {
            let product = (sum >> 64) * factor + ((u128::from(sum as u64) * factor) >> 64);
            t.reduce_once(((product + (1 << 63)) >> 64) as u64)
        })
    }

    /// `Σ_i x_i·h_i·(Q/q_i) - αQ mod t` with `α = floor((F + 2^127 - 1)/2^128)`, `F = Σ_i x_i·floor(h_i·2^128/q_i)`.
    ///
    /// `F` is in `(V - Σ_i q_i, V]` for the true `V = 2^128·(a + f)`. Where `f ≤ 1/2`, `α = a`; where
    /// `f ≥ 1/2 + δ`, `F ≥ 2^128·a + 2^127 + 1` and `α = a + 1`.
    #[inline]
    fn reduce_columns<const C: usize>(&self, input: &[u64], degree: usize, start: usize) -> [u64; C] {
        let t = &self.constants.t;
        let mut fractions = [(1_u128 << 127) - 1; C];
        let (mut integers, mut sums) = ([0_u128; C], [0_u128; C]);
        for (index, (residues, limb)) in self.columns::<C>(input, degree, start).enumerate() {
            if index % TERMS == TERMS - 1 {
                sums = sums.map(|sum| u128::from(t.reduce_u128(sum)));
            }
            for (c, &x) in residues.iter().enumerate() {
                let (low, high) = mul_three_words(&[limb.fraction[1], limb.fraction[2], 0], x);
                let (fraction, carry) = fractions[c].overflowing_add(low);
                fractions[c] = fraction;
                integers[c] += high + u128::from(carry);
                sums[c] += u128::from(x) * u128::from(limb.weight);
            }
        }
        core::array::from_fn(|c| {
            t.reduce_u128(sums[c] + u128::from(t.reduce_u128(integers[c])) * u128::from(self.constants.wrap))
        })
    }
}

impl PlainLimb {
    /// `floor(h_i·2^128/q_i)`.
    pub(crate) fn short_fraction(&self) -> u128 {
        u128::from(self.fraction[2]) << 64 | u128::from(self.fraction[1])
    }
}

/// `words·factor`, in units of the lowest word: above the lowest word two words, and all above them.
#[inline]
fn mul_three_words(words: &[u64; 3], factor: u64) -> (u128, u128) {
    let first = u128::from(words[0]) * u128::from(factor);
    let second = u128::from(words[1]) * u128::from(factor) + (first >> 64);
    let third = u128::from(words[2]) * u128::from(factor) + (second >> 64);
    (second << 64 | u128::from(first as u64), third)
}

/// `floor(h·2^192/q)` for `h` in `[0, q)`, low word first.
fn fraction(modulus: &Modulus, h: u64) -> [u64; 3] {
    let q = u128::from(modulus.value());
    let mut remainder = u128::from(h);
    let mut word = || {
        let numerator = remainder << 64;
        remainder = numerator % q;
        (numerator / q) as u64
    };
    let (high, middle, low) = (word(), word(), word());
    [low, middle, high]
}
