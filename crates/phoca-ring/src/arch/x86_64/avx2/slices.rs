//! Operations on slices with AVX2.

use core::arch::x86_64::*;

use super::loops::{map_1, map_2, map_3};
use super::{Doubles, Factor, splat, sums, to_doubles};
use crate::arch::x86_64::columns::{blocks_to_columns, columns_to_blocks};
use crate::arch::x86_64::entry;
use crate::arch::{Arch, Kernels, portable};
use crate::modulus::{Modulus, Shoup};

/// Products in doubles.
pub(crate) static KERNELS: Kernels = Kernels {
    max_bits: 50,
    mul_assign,
    mul_into,
    mul_add_assign,
    scale_into,
    sub_mul_scalar_into,
    dot_into: sums::dot_into,
    dot_pair_into: sums::dot_pair_into,
    tensor_into: sums::tensor_into,
    linear_combination_into: sums::linear_combination_into,
    round_fractions_into: sums::round_fractions_into,
    ..WIDE
};

/// Sums and products with one scalar in vectors of words; sums of wide products are faster in plain code, which has whole
/// double words.
pub(crate) static WIDE: Kernels = Kernels {
    arch: Arch::Avx2,
    max_bits: 61,
    add_assign,
    sub_assign,
    negate_assign,
    add_scalar_assign,
    mul_assign: portable::mul_assign,
    mul_into: portable::mul_into,
    mul_add_assign: portable::mul_add_assign,
    mul_scalar_assign,
    mul_scalar_into,
    scale_into: mul_scalar_into,
    add_scaled_assign,
    sub_scaled_assign,
    reduce_into,
    sub_mul_scalar_into: sub_mul_scalar_wide,
    mul_scalar_add_assign,
    dot_into: portable::dot_into,
    add_product_into: portable::add_product_into::<false>,
    sub_product_into: portable::add_product_into::<true>,
    dot_pair_into: portable::dot_pair_into,
    dot_pair_narrow_into: None,
    tensor_into: portable::tensor_into,
    linear_combination_into: portable::linear_combination_into,
    round_fractions_into: portable::round_fractions_into,
    permute_blocks: portable::permute_blocks,
    columns_to_blocks,
    blocks_to_columns,
};

entry! {
    fn add_assign(modulus: &Modulus, a: &mut [u64], b: &[u64]) = vectors::add_assign;
    fn sub_assign(modulus: &Modulus, a: &mut [u64], b: &[u64]) = vectors::sub_assign;
    fn negate_assign(modulus: &Modulus, a: &mut [u64]) = vectors::negate_assign;
    fn add_scalar_assign(modulus: &Modulus, a: &mut [u64], c: u64) = vectors::add_scalar_assign;
    fn mul_assign(modulus: &Modulus, a: &mut [u64], b: &[u64]) = vectors::mul_assign;
    fn mul_into(modulus: &Modulus, out: &mut [u64], a: &[u64], b: &[u64]) = vectors::mul_into;
    fn mul_add_assign(modulus: &Modulus, acc: &mut [u64], a: &[u64], b: &[u64]) = vectors::mul_add_assign;
    fn sub_mul_scalar_into(modulus: &Modulus, out: &mut [u64], a: &[u64], b: &[u64], w: Shoup)
        = vectors::sub_mul_scalar_into;
    fn mul_scalar_add_assign(modulus: &Modulus, acc: &mut [u64], a: &[u64], w: Shoup) = vectors::mul_scalar_add_assign;
    fn scale_into(modulus: &Modulus, out: &mut [u64], a: &[u64], w: Shoup) = vectors::scale_into;
    fn mul_scalar_assign(modulus: &Modulus, a: &mut [u64], w: Shoup) = vectors::mul_scalar_assign;
    fn mul_scalar_into(modulus: &Modulus, out: &mut [u64], a: &[u64], w: Shoup) = vectors::mul_scalar_into;
    fn add_scaled_assign(modulus: &Modulus, acc: &mut [u64], a: &[u64], w: Shoup, b: &[u64]) = vectors::add_scaled_assign;
    fn sub_scaled_assign(modulus: &Modulus, acc: &mut [u64], a: &[u64], w: Shoup, b: &[u64]) = vectors::sub_scaled_assign;
    fn reduce_into(modulus: &Modulus, out: &mut [u64], a: &[u64]) = vectors::reduce_into;
    fn sub_mul_scalar_wide(modulus: &Modulus, out: &mut [u64], a: &[u64], b: &[u64], w: Shoup)
        = vectors::sub_mul_scalar_wide;
}

mod vectors {
    use super::*;

    #[target_feature(enable = "avx2,fma")]
    pub(super) fn add_assign(modulus: &Modulus, a: &mut [u64], b: &[u64]) {
        let q = splat(modulus.value());
        map_2(a, b, |a, b| subtract_once(_mm256_add_epi64(a, b), q));
    }

    #[target_feature(enable = "avx2,fma")]
    pub(super) fn sub_assign(modulus: &Modulus, a: &mut [u64], b: &[u64]) {
        let q = splat(modulus.value());
        map_2(a, b, |a, b| add_if_negative(_mm256_sub_epi64(a, b), q));
    }

    #[target_feature(enable = "avx2,fma")]
    pub(super) fn negate_assign(modulus: &Modulus, a: &mut [u64]) {
        let q = splat(modulus.value());
        map_1(a, |a| subtract_once(_mm256_sub_epi64(q, a), q));
    }

    #[target_feature(enable = "avx2,fma")]
    pub(super) fn add_scalar_assign(modulus: &Modulus, a: &mut [u64], c: u64) {
        let (q, c) = (splat(modulus.value()), splat(c));
        map_1(a, |a| subtract_once(_mm256_add_epi64(a, c), q));
    }

    #[target_feature(enable = "avx2,fma")]
    pub(super) fn mul_assign(modulus: &Modulus, a: &mut [u64], b: &[u64]) {
        let doubles = Doubles::new(modulus);
        map_2(a, b, |a, b| product(&doubles, a, b));
    }

    #[target_feature(enable = "avx2,fma")]
    pub(super) fn mul_into(modulus: &Modulus, out: &mut [u64], a: &[u64], b: &[u64]) {
        let doubles = Doubles::new(modulus);
        map_3(out, a, b, |_, a, b| product(&doubles, a, b));
    }

    #[target_feature(enable = "avx2,fma")]
    pub(super) fn mul_add_assign(modulus: &Modulus, acc: &mut [u64], a: &[u64], b: &[u64]) {
        let (doubles, q) = (Doubles::new(modulus), splat(modulus.value()));
        map_3(acc, a, b, |acc, a, b| subtract_once(_mm256_add_epi64(acc, product(&doubles, a, b)), q));
    }

    #[target_feature(enable = "avx2,fma")]
    pub(super) fn sub_mul_scalar_into(modulus: &Modulus, out: &mut [u64], a: &[u64], b: &[u64], w: Shoup) {
        let (doubles, w) = (Doubles::new(modulus), factor(modulus, w));
        let twice = _mm256_add_pd(doubles.q, doubles.q);
        map_3(out, a, b, |_, a, b| {
            // In (-2q, 3q), whose product is within 7/8·q.
            let difference = _mm256_add_pd(_mm256_sub_pd(to_doubles(a), to_doubles(b)), twice);
            doubles.residues(doubles.product(difference, w))
        });
    }

    #[target_feature(enable = "avx2,fma")]
    pub(super) fn scale_into(modulus: &Modulus, out: &mut [u64], a: &[u64], w: Shoup) {
        let (doubles, w) = (Doubles::new(modulus), factor(modulus, w));
        let twice = _mm256_add_pd(doubles.q, doubles.q);
        // In [-2q, 2q), whose product is within 3/4·q.
        map_2(out, a, |_, a| doubles.residues(doubles.product(_mm256_sub_pd(to_doubles(a), twice), w)));
    }

    #[target_feature(enable = "avx2,fma")]
    pub(super) fn mul_scalar_assign(modulus: &Modulus, a: &mut [u64], w: Shoup) {
        let scalar = WordScalar::new(modulus, w);
        map_1(a, |a| scalar.product(a));
    }

    #[target_feature(enable = "avx2,fma")]
    pub(super) fn mul_scalar_into(modulus: &Modulus, out: &mut [u64], a: &[u64], w: Shoup) {
        let scalar = WordScalar::new(modulus, w);
        map_2(out, a, |_, a| scalar.product(a));
    }

    #[target_feature(enable = "avx2,fma")]
    pub(super) fn add_scaled_assign(modulus: &Modulus, acc: &mut [u64], a: &[u64], w: Shoup, b: &[u64]) {
        let scalar = WordScalar::new(modulus, w);
        map_3(acc, a, b, |acc, a, b| scalar.reduce(_mm256_add_epi64(_mm256_add_epi64(acc, b), scalar.product(a))));
    }

    #[target_feature(enable = "avx2,fma")]
    pub(super) fn sub_scaled_assign(modulus: &Modulus, acc: &mut [u64], a: &[u64], w: Shoup, b: &[u64]) {
        let scalar = WordScalar::new(modulus, modulus.shoup(modulus.neg(w.value)));
        map_3(acc, a, b, |acc, a, b| {
            scalar.reduce(_mm256_add_epi64(_mm256_add_epi64(acc, _mm256_sub_epi64(scalar.q, b)), scalar.product(a)))
        });
    }

    #[target_feature(enable = "avx2,fma")]
    pub(super) fn reduce_into(modulus: &Modulus, out: &mut [u64], a: &[u64]) {
        let reduction = WordScalar::new(modulus, modulus.shoup(1));
        map_2(out, a, |_, a| reduction.remainder(a, a));
    }

    #[target_feature(enable = "avx2,fma")]
    pub(super) fn sub_mul_scalar_wide(modulus: &Modulus, out: &mut [u64], a: &[u64], b: &[u64], w: Shoup) {
        let (scalar, fourfold) = (WordScalar::new(modulus, w), splat(4 * modulus.value()));
        map_3(out, a, b, |_, a, b| scalar.product(_mm256_sub_epi64(_mm256_add_epi64(a, fourfold), b)));
    }

    #[target_feature(enable = "avx2,fma")]
    pub(super) fn mul_scalar_add_assign(modulus: &Modulus, acc: &mut [u64], a: &[u64], w: Shoup) {
        let (scalar, q) = (WordScalar::new(modulus, w), splat(modulus.value()));
        map_2(acc, a, |acc, a| subtract_once(_mm256_add_epi64(acc, scalar.product(a)), q));
    }
}

/// `a·b` in `[0, q)` for residues.
#[inline]
#[target_feature(enable = "avx2,fma")]
fn product(doubles: &Doubles, a: __m256i, b: __m256i) -> __m256i {
    doubles.residues(doubles.product_of_residues(to_doubles(a), to_doubles(b)))
}

/// The centred residue of a Shoup pair, with its quotient.
#[inline]
#[target_feature(enable = "avx2,fma")]
pub(super) fn factor(modulus: &Modulus, w: Shoup) -> Factor {
    let balanced = modulus.centered(w.value) as f64;
    Factor { value: _mm256_set1_pd(balanced), quotient: _mm256_set1_pd(balanced / modulus.value() as f64) }
}

/// A scalar for products with any words, with Shoup's quotient of 64 bits from products of 32 bits.
#[derive(Clone, Copy)]
struct WordScalar {
    q: __m256i,
    value: __m256i,
    quotient: __m256i,
}

impl WordScalar {
    #[inline]
    #[target_feature(enable = "avx2,fma")]
    fn new(modulus: &Modulus, w: Shoup) -> Self {
        Self { q: splat(modulus.value()), value: splat(w.value), quotient: splat(w.quotient) }
    }

    /// `x·w` in `[0, q)`.
    #[inline]
    #[target_feature(enable = "avx2,fma")]
    fn product(&self, x: __m256i) -> __m256i {
        self.remainder(x, low_product(x, self.value))
    }

    /// `low - floor(x·w / q)·q` in `[0, q)`, where `low` is `x·w` modulo `2^64`.
    #[inline]
    #[target_feature(enable = "avx2,fma")]
    fn remainder(&self, x: __m256i, low: __m256i) -> __m256i {
        // The quotient is too small by less than 2 for Shoup's rounding and by at most 2 for its own: the rest is below 4q.
        let quotient = high_product_estimate(x, self.quotient);
        self.reduce(_mm256_sub_epi64(low, low_product(quotient, self.q)))
    }

    /// `[0, 4q)` to `[0, q)`.
    #[inline]
    #[target_feature(enable = "avx2,fma")]
    fn reduce(&self, x: __m256i) -> __m256i {
        subtract_once(subtract_once(x, _mm256_slli_epi64::<1>(self.q)), self.q)
    }
}

/// The low word of `x·y`.
#[inline]
#[target_feature(enable = "avx2,fma")]
fn low_product(x: __m256i, y: __m256i) -> __m256i {
    let cross = _mm256_mullo_epi32(x, _mm256_shuffle_epi32::<0b10_11_00_01>(y));
    let cross = _mm256_add_epi32(cross, _mm256_srli_epi64::<32>(cross));
    _mm256_add_epi64(_mm256_mul_epu32(x, y), _mm256_slli_epi64::<32>(cross))
}

/// The high word of `x·y`, or up to 2 less: without the low product and the carries of the low halves.
#[inline]
#[target_feature(enable = "avx2,fma")]
fn high_product_estimate(x: __m256i, y: __m256i) -> __m256i {
    let (x_high, y_high) = (_mm256_srli_epi64::<32>(x), _mm256_srli_epi64::<32>(y));
    let first = _mm256_srli_epi64::<32>(_mm256_mul_epu32(x_high, y));
    let second = _mm256_srli_epi64::<32>(_mm256_mul_epu32(x, y_high));
    _mm256_add_epi64(_mm256_add_epi64(_mm256_mul_epu32(x_high, y_high), first), second)
}

/// `x - m` where that is not negative as a signed word, else `x`; both are below `2^63`.
#[inline]
#[target_feature(enable = "avx2,fma")]
pub(super) fn subtract_once(x: __m256i, m: __m256i) -> __m256i {
    let difference = _mm256_sub_epi64(x, m);
    let (x, difference) = (_mm256_castsi256_pd(x), _mm256_castsi256_pd(difference));
    _mm256_castpd_si256(_mm256_blendv_pd(difference, x, difference))
}

/// `x + m` where `x` is negative as a signed word, else `x`.
#[inline]
#[target_feature(enable = "avx2,fma")]
fn add_if_negative(x: __m256i, m: __m256i) -> __m256i {
    let sum = _mm256_castsi256_pd(_mm256_add_epi64(x, m));
    let x = _mm256_castsi256_pd(x);
    _mm256_castpd_si256(_mm256_blendv_pd(x, sum, x))
}
