//! Operations on slices for moduli of more than 50 bits, with products of 64 bits.

use core::arch::x86_64::*;

use super::slices::{add_assign, add_scalar_assign, map_1, map_2, map_3, negate_assign, sub_assign};
use super::{Factor, Lanes, high_product_estimate, splat};
use crate::arch::x86_64::entry;
use crate::arch::{Arch, Kernels, portable};
use crate::modulus::{Modulus, Shoup};

/// Sums of products are faster in plain code, which has whole double words.
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
    reduce_into,
    sub_mul_scalar_assign,
    dot_into: portable::dot_into,
    linear_combination_into: portable::linear_combination_into,
};

entry! {
    fn mul_assign(modulus: &Modulus, a: &mut [u64], b: &[u64]) = vectors::mul_assign;
    fn mul_into(modulus: &Modulus, out: &mut [u64], a: &[u64], b: &[u64]) = vectors::mul_into;
    fn mul_add_assign(modulus: &Modulus, acc: &mut [u64], a: &[u64], b: &[u64]) = vectors::mul_add_assign;
    fn mul_scalar_assign(modulus: &Modulus, a: &mut [u64], w: Shoup) = vectors::mul_scalar_assign;
    fn mul_scalar_into(modulus: &Modulus, out: &mut [u64], a: &[u64], w: Shoup) = vectors::mul_scalar_into;
    fn reduce_into(modulus: &Modulus, out: &mut [u64], a: &[u64]) = vectors::reduce_into;
    fn sub_mul_scalar_assign(modulus: &Modulus, a: &mut [u64], b: &[u64], w: Shoup) = vectors::sub_mul_scalar_assign;
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
        map_3(acc, a, b, |acc, a, b| {
            barrett.lanes.finish(_mm512_add_epi64(acc, barrett.product(a, b)))
        });
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
    pub(super) fn reduce_into(modulus: &Modulus, out: &mut [u64], a: &[u64]) {
        mul_scalar_into(modulus, out, a, modulus.shoup(1));
    }

    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
    pub(super) fn sub_mul_scalar_assign(modulus: &Modulus, a: &mut [u64], b: &[u64], w: Shoup) {
        let (lanes, w) = (Lanes::new(modulus), factor(w));
        map_2(a, b, |a, b| {
            let difference = _mm512_sub_epi64(_mm512_add_epi64(a, lanes.twice), b);
            lanes.finish(lanes.halve(lanes.product_wide(difference, w)))
        });
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
    Factor {
        value: splat(w.value),
        quotient: splat(w.quotient),
    }
}
