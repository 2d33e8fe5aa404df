//! Operations on slices for moduli of more than 50 bits, with products of 64 bits.

use core::arch::x86_64::*;

use super::slices::{COLUMNS, dot_word, in_columns, linear_word, vectors_at};
use super::slices::{add_assign, add_scalar_assign, map_1, map_2, map_3, negate_assign, sub_assign};
use super::{Factor, Lanes, Words, high_product_estimate, load, splat};
use crate::arch::x86_64::entry;
use crate::arch::{Arch, Kernels};
use crate::modulus::{Modulus, Shoup};

pub(crate) static KERNELS: Kernels = Kernels {
    arch: Arch::Ifma,
    max_bits: 61,
    add_assign,
    sub_assign,
    negate_assign,
    add_scalar_assign,
    mul_assign,
    mul_into,
    mul_add_assign,
    mul_scalar_assign,
    mul_scalar_into,
    add_scaled_assign,
    sub_scaled_assign,
    reduce_into,
    sub_mul_scalar_into,
    mul_scalar_add_assign,
    dot_into,
    dot_pair_into,
    linear_combination_into,
};

entry! {
    fn mul_assign(modulus: &Modulus, a: &mut [u64], b: &[u64]) = vectors::mul_assign;
    fn mul_into(modulus: &Modulus, out: &mut [u64], a: &[u64], b: &[u64]) = vectors::mul_into;
    fn mul_add_assign(modulus: &Modulus, acc: &mut [u64], a: &[u64], b: &[u64]) = vectors::mul_add_assign;
    fn mul_scalar_assign(modulus: &Modulus, a: &mut [u64], w: Shoup) = vectors::mul_scalar_assign;
    fn mul_scalar_into(modulus: &Modulus, out: &mut [u64], a: &[u64], w: Shoup) = vectors::mul_scalar_into;
    fn add_scaled_assign(modulus: &Modulus, acc: &mut [u64], a: &[u64], w: Shoup, b: &[u64]) = vectors::add_scaled_assign;
    fn sub_scaled_assign(modulus: &Modulus, acc: &mut [u64], a: &[u64], w: Shoup, b: &[u64]) = vectors::sub_scaled_assign;
    fn reduce_into(modulus: &Modulus, out: &mut [u64], a: &[u64]) = vectors::reduce_into;
    fn sub_mul_scalar_into(modulus: &Modulus, out: &mut [u64], a: &[u64], b: &[u64], w: Shoup)
        = vectors::sub_mul_scalar_into;
    fn mul_scalar_add_assign(modulus: &Modulus, acc: &mut [u64], a: &[u64], w: Shoup)
        = vectors::mul_scalar_add_assign;
    fn dot_into(modulus: &Modulus, out: &mut [u64], a: &[&[u64]], b: &[&[u64]]) = vectors::dot_into;
    fn dot_pair_into(modulus: &Modulus, out: [&mut [u64]; 2], a: &[&[u64]], b: [&[&[u64]]; 2]) = vectors::dot_pair_into;
    fn linear_combination_into(modulus: &Modulus, out: &mut [u64], inputs: &[&[u64]], weights: &[u64])
        = vectors::linear_combination_into;
}

mod vectors {
    use super::*;

    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
    pub(super) fn mul_assign(modulus: &Modulus, a: &mut [u64], b: &[u64]) {
        let barrett = Barrett::new(modulus);
        map_2(a, b, |a, b| barrett.product(a, b));
    }

    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
    pub(super) fn mul_into(modulus: &Modulus, out: &mut [u64], a: &[u64], b: &[u64]) {
        let barrett = Barrett::new(modulus);
        map_3(out, a, b, |_, a, b| barrett.product(a, b));
    }

    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
    pub(super) fn mul_add_assign(modulus: &Modulus, acc: &mut [u64], a: &[u64], b: &[u64]) {
        let barrett = Barrett::new(modulus);
        map_3(acc, a, b, |acc, a, b| barrett.lanes.finish(_mm512_add_epi64(acc, barrett.product(a, b))));
    }

    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
    pub(super) fn mul_scalar_assign(modulus: &Modulus, a: &mut [u64], w: Shoup) {
        let (lanes, w) = (Lanes::new(modulus), factor(w));
        map_1(a, |a| lanes.finish(lanes.halve(lanes.product_wide(a, w))));
    }

    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
    pub(super) fn mul_scalar_into(modulus: &Modulus, out: &mut [u64], a: &[u64], w: Shoup) {
        let (lanes, w) = (Lanes::new(modulus), factor(w));
        map_2(out, a, |_, a| lanes.finish(lanes.halve(lanes.product_wide(a, w))));
    }

    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
    pub(super) fn add_scaled_assign(modulus: &Modulus, acc: &mut [u64], a: &[u64], w: Shoup, b: &[u64]) {
        let (lanes, w) = (Lanes::new(modulus), factor(w));
        map_3(acc, a, b, |acc, a, b| {
            lanes.finish(lanes.halve(_mm512_add_epi64(_mm512_add_epi64(acc, b), lanes.halve(lanes.product_wide(a, w)))))
        });
    }

    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
    pub(super) fn sub_scaled_assign(modulus: &Modulus, acc: &mut [u64], a: &[u64], w: Shoup, b: &[u64]) {
        let (lanes, w) = (Lanes::new(modulus), factor(modulus.shoup(modulus.neg(w.value))));
        map_3(acc, a, b, |acc, a, b| {
            lanes.finish(lanes.halve(_mm512_add_epi64(
                _mm512_add_epi64(acc, _mm512_sub_epi64(lanes.q, b)),
                lanes.halve(lanes.product_wide(a, w)),
            )))
        });
    }

    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
    pub(super) fn reduce_into(modulus: &Modulus, out: &mut [u64], a: &[u64]) {
        mul_scalar_into(modulus, out, a, modulus.shoup(1));
    }

    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
    pub(super) fn sub_mul_scalar_into(modulus: &Modulus, out: &mut [u64], a: &[u64], b: &[u64], w: Shoup) {
        let (lanes, w) = (Lanes::new(modulus), factor(w));
        map_3(out, a, b, |_, a, b| {
            let difference = _mm512_sub_epi64(_mm512_add_epi64(a, lanes.twice), lanes.halve(b));
            lanes.finish(lanes.halve(lanes.product_wide(difference, w)))
        });
    }

    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
    pub(super) fn mul_scalar_add_assign(modulus: &Modulus, acc: &mut [u64], a: &[u64], w: Shoup) {
        let (lanes, w) = (Lanes::new(modulus), factor(w));
        map_2(acc, a, |acc, a| {
            let product = lanes.halve(lanes.product_wide(a, w));
            lanes.finish(lanes.halve(_mm512_add_epi64(acc, product)))
        });
    }

    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
    pub(super) fn dot_into(modulus: &Modulus, out: &mut [u64], a: &[&[u64]], b: &[&[u64]]) {
        dots_into(modulus, [out], a, [b]);
    }

    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
    pub(super) fn dot_pair_into(modulus: &Modulus, out: [&mut [u64]; 2], a: &[&[u64]], b: [&[&[u64]]; 2]) {
        dots_into(modulus, out, a, b);
    }

    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
    pub(super) fn linear_combination_into(modulus: &Modulus, out: &mut [u64], inputs: &[&[u64]], weights: &[u64]) {
        let powers = PowerWeights::new(modulus);
        out.fill(0);
        for (inputs, weights) in inputs.chunks(TERMS).zip(weights.chunks(TERMS)) {
            let columns = |start, [acc]: [&[Words; COLUMNS]; 1]| {
                let mut sums = acc.each_ref().map(|acc| WideSum::new(load(acc)));
                for (input, &weight) in inputs.iter().zip(weights) {
                    let (input, weight) = (vectors_at::<COLUMNS>(input, start), splat(weight));
                    for v in 0..COLUMNS {
                        sums[v].add(load(&input[v]), weight);
                    }
                }
                [sums.map(|sum| powers.reduce(sum))]
            };
            in_columns([&mut *out], columns, |index, [acc]| [linear_word(modulus, index, acc, inputs, weights)]);
        }
    }
}

/// Terms of a sum for which the lanes have room, half of what fits: each adds up to `3·2^52` to the middle.
const TERMS: usize = 512;

/// Sums of products of the same `a` with `H` sequences `b`; each vector of `a` is loaded once.
#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
fn dots_into<const H: usize>(modulus: &Modulus, out: [&mut [u64]; H], a: &[&[u64]], b: [&[&[u64]]; H]) {
    let weights = PowerWeights::new(modulus);
    let columns = |start, _: [&[Words; COLUMNS]; H]| {
        let mut residues = [[_mm512_setzero_si512(); COLUMNS]; H];
        for first in (0..a.len()).step_by(TERMS) {
            let mut sums = residues.map(|residues| residues.map(|residue| WideSum::new(residue)));
            for term in first..a.len().min(first + TERMS) {
                let (a, b) = (vectors_at::<COLUMNS>(a[term], start), b.map(|b| vectors_at::<COLUMNS>(b[term], start)));
                for v in 0..COLUMNS {
                    let a = load(&a[v]);
                    for h in 0..H {
                        sums[h][v].add(a, load(&b[h][v]));
                    }
                }
            }
            residues = sums.map(|sums| sums.map(|sum| weights.reduce(sum)));
        }
        residues
    };
    in_columns(out, columns, |index, _| b.map(|b| dot_word(modulus, index, a, b)));
}

/// A sum of products of any words in digits of 52 bits that are carried at the end.
#[derive(Clone, Copy)]
struct WideSum {
    low: __m512i,
    middle: __m512i,
    high: __m512i,
}

impl WideSum {
    #[inline]
    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
    fn new(start: __m512i) -> Self {
        Self { low: start, middle: _mm512_setzero_si512(), high: _mm512_setzero_si512() }
    }

    /// Adds `x·y`.
    #[inline]
    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
    fn add(&mut self, x: __m512i, y: __m512i) {
        let (x_high, y_high) = (_mm512_srli_epi64::<52>(x), _mm512_srli_epi64::<52>(y));
        self.low = _mm512_madd52lo_epu64(self.low, x, y);
        self.middle = _mm512_madd52hi_epu64(self.middle, x, y);
        self.middle = _mm512_madd52lo_epu64(self.middle, x, y_high);
        self.middle = _mm512_madd52lo_epu64(self.middle, x_high, y);
        self.high = _mm512_madd52hi_epu64(self.high, x, y_high);
        self.high = _mm512_madd52hi_epu64(self.high, x_high, y);
        self.high = _mm512_madd52lo_epu64(self.high, x_high, y_high);
    }
}

/// `1`, `2^52` and `2^104` modulo `q`: what the digits of a [`WideSum`] count for.
#[derive(Clone, Copy)]
struct PowerWeights {
    lanes: Lanes,
    low: Factor,
    middle: Factor,
    high: Factor,
}

impl PowerWeights {
    #[inline]
    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
    fn new(modulus: &Modulus) -> Self {
        let middle = modulus.shoup(modulus.reduce(1 << 52));
        let high = modulus.shoup(modulus.mul_shoup(middle.value, middle));
        Self { lanes: Lanes::new(modulus), low: factor(modulus.shoup(1)), middle: factor(middle), high: factor(high) }
    }

    /// The sum in `[0, q)`.
    #[inline]
    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
    fn reduce(&self, sum: WideSum) -> __m512i {
        let lanes = self.lanes;
        let middle = lanes.halve(lanes.product_wide(sum.middle, self.middle));
        let high = lanes.halve(lanes.product_wide(sum.high, self.high));
        let upper = lanes.halve(_mm512_add_epi64(middle, high));
        let low = lanes.halve(lanes.product_wide(sum.low, self.low));
        lanes.finish(lanes.halve(_mm512_add_epi64(upper, low)))
    }
}

/// Products of two residues, as [`Modulus::mul_residues`], with estimates of the high words.
///
/// The quotient of exact high words is too small by less than 2; the estimate of the inner one costs at most 1 more,
/// since it counts for `2^(bits-2) / q ≤ 1/2`, and that of the outer one at most 2. The remainder is below `5q < 2^64`.
#[derive(Clone, Copy)]
struct Barrett {
    lanes: Lanes,
    shift: __m512i,
    ratio: __m512i,
}

impl Barrett {
    #[inline]
    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
    fn new(modulus: &Modulus) -> Self {
        Self {
            lanes: Lanes::new(modulus),
            shift: splat(64 - u64::from(modulus.bits())),
            ratio: splat(modulus.product_ratio()),
        }
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
    fn product(&self, x: __m512i, y: __m512i) -> __m512i {
        let (x_scaled, y_scaled) = (_mm512_sllv_epi64(x, self.shift), _mm512_slli_epi64::<2>(y));
        let quotient = high_product_estimate(high_product_estimate(x_scaled, y_scaled), self.ratio);
        let rest = _mm512_sub_epi64(_mm512_mullo_epi64(x, y), _mm512_mullo_epi64(quotient, self.lanes.q));
        let fourfold = _mm512_slli_epi64::<1>(self.lanes.twice);
        let rest = _mm512_min_epu64(rest, _mm512_sub_epi64(rest, fourfold));
        self.lanes.finish(self.lanes.halve(rest))
    }
}

/// A Shoup pair in every lane.
#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
fn factor(w: Shoup) -> Factor {
    Factor { value: splat(w.value), quotient: splat(w.quotient) }
}
