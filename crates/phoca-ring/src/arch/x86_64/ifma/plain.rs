//! Conversion to a plain modulus with IFMA, for plain moduli of at most 50 bits.
//!
//! Numbers with 128 fractional bits are three digits: two of 52 bits and one of 24; those with 192 are four, the last of 36.
//! Residues of more than 52 bits are two digits.

use core::arch::x86_64::*;

use super::slices::Sum;
use super::{Lanes, Words, load, splat, store};
use crate::arch::PlainKernels;
use crate::arch::x86_64::entry;
use crate::rns::plain::PlainConstants;

/// Residues of at most 52 bits.
pub(crate) static KERNELS: PlainKernels = narrow::KERNELS;
/// Residues of up to 61 bits, where the sum of the moduli is below `2^63`.
pub(crate) static WIDE_KERNELS: PlainKernels = wide::KERNELS;

/// Defines the kernels for residues of one digit, or of two where `$wide`.
macro_rules! kernels {
    ($module:ident, $wide:literal) => {
        mod $module {
            use super::*;

            pub(super) const KERNELS: PlainKernels = PlainKernels { round_scaled, round_scaled_long, reduce_centered };

            entry! {
                fn round_scaled(constants: &PlainConstants, input: &[u64], out: &mut [u64])
                    = vectors::round_scaled::<3, $wide>;
                fn round_scaled_long(constants: &PlainConstants, input: &[u64], out: &mut [u64])
                    = vectors::round_scaled::<4, $wide>;
                fn reduce_centered(constants: &PlainConstants, input: &[u64], out: &mut [u64])
                    = vectors::reduce_centered::<$wide>;
            }
        }
    };
}

kernels!(narrow, false);
kernels!(wide, true);

/// The most limbs of a chain.
const LIMBS: usize = 256;

mod vectors {
    use super::*;

    /// With 128 fractional bits in three digits, or 192 in four.
    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
    pub(super) fn round_scaled<const D: usize, const WIDE: bool>(
        constants: &PlainConstants,
        input: &[u64],
        out: &mut [u64],
    ) {
        let (fractions, start) = (fractions::<D>(constants), digits::<D>(&bias_words::<D>(constants)));
        let (lanes, t) = (Lanes::new(&constants.t), splat(constants.t.value()));
        let zero = _mm512_setzero_si512();
        // Fractional bits of the last digit, and one half of the result in its units.
        let bits = last_bits(D);
        let (mask, half) = (splat((1 << bits) - 1), splat(1 << (bits - 1)));
        let (limbs, degree) = (constants.limbs.len(), out.len());
        for (index, out) in out.as_chunks_mut::<8>().0.iter_mut().enumerate() {
            let mut sum = [zero; D];
            for d in 0..D {
                sum[d] = splat(start[d]);
            }
            for (limb, fraction) in fractions[..limbs].iter().enumerate() {
                add_product::<D, WIDE>(&mut sum, vector_at(input, limb * degree, index), fraction);
            }
            carry(&mut sum);
            // Modulo 1.
            sum[D - 1] = _mm512_and_si512(sum[D - 1], mask);
            // The digits of t times the sum; what is below the second does not carry.
            let mut product = zero;
            for d in 1..D {
                product = _mm512_madd52hi_epu64(_mm512_srli_epi64::<52>(product), sum[d - 1], t);
                product = _mm512_madd52lo_epu64(product, sum[d], t);
            }
            let high = _mm512_madd52hi_epu64(zero, sum[D - 1], t);
            store(out, lanes.finish(integer::<D>(_mm512_add_epi64(product, half), high)));
        }
    }

    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
    pub(super) fn reduce_centered<const WIDE: bool>(constants: &PlainConstants, input: &[u64], out: &mut [u64]) {
        let (fractions, start) = (fractions::<3>(constants), digits::<3>(&[0, u64::MAX, u64::MAX >> 1]));
        let t = &constants.t;
        let (limbs, degree) = (constants.limbs.len(), out.len());
        // Products of residues, and two of digits below 2^52, with residues modulo t.
        let residue_bits = if WIDE { 53 } else { 50 };
        let sum = Sum::new(t, ((limbs as u128) << residue_bits | 1 << 53) * u128::from(t.value()));
        // The second digits of residues and of the quotient count 2^52 times their weights.
        let [shift, _] = t.digit_weights();
        let shifted = |weight| t.mul_shoup(weight, shift);
        let mut weights = [[0; 2]; LIMBS];
        for (weights, limb) in weights.iter_mut().zip(&constants.limbs) {
            *weights = [limb.weight, shifted(limb.weight)];
        }
        let wraps = [constants.wrap, shifted(constants.wrap)];
        for (index, out) in out.as_chunks_mut::<8>().0.iter_mut().enumerate() {
            let [mut top, mut low, mut high] = [_mm512_setzero_si512(); 3];
            let mut quotient = [splat(start[0]), splat(start[1]), splat(start[2])];
            for (limb, (fraction, weights)) in fractions[..limbs].iter().zip(&weights).enumerate() {
                let x = vector_at(input, limb * degree, index);
                add_product::<3, WIDE>(&mut quotient, x, fraction);
                top = _mm512_madd52hi_epu64(top, x, splat(fraction[2]));
                add_weighted::<WIDE>(&mut low, &mut high, x, weights);
                if WIDE {
                    // The product of the highest digits has less than 52 bits.
                    let x = _mm512_srli_epi64::<52>(x);
                    top = _mm512_madd52hi_epu64(top, x, splat(fraction[1]));
                    top = _mm512_madd52lo_epu64(top, x, splat(fraction[2]));
                }
            }
            carry(&mut quotient);
            // At most the sum of the moduli.
            let quotient = integer::<3>(quotient[2], top);
            add_weighted::<true>(&mut low, &mut high, quotient, &wraps);
            store(out, sum.reduce(low, high));
        }
    }
}

/// The fractions of all limbs in digits.
fn fractions<const D: usize>(constants: &PlainConstants) -> [[u64; D]; LIMBS] {
    let mut fractions = [[0; D]; LIMBS];
    for (fraction, limb) in fractions.iter_mut().zip(&constants.limbs) {
        *fraction = digits(&limb.fraction);
    }
    fractions
}

/// The bias, in units of the last bit of `D` digits, as [`digits`] takes it.
fn bias_words<const D: usize>(constants: &PlainConstants) -> [u64; 3] {
    let (low, high) = (constants.bias as u64, (constants.bias >> 64) as u64);
    if D == 3 { [0, low, high] } else { [low, high, 0] }
}

/// The highest 128 (`D = 3`) or all 192 (`D = 4`) bits of a number in words, low word first.
fn digits<const D: usize>(&[low, middle, high]: &[u64; 3]) -> [u64; D] {
    let upper = u128::from(high) << 64 | u128::from(middle);
    let all =
        [low, (u128::from(middle) << 12 | u128::from(low >> 52)) as u64, (upper >> 40) as u64, (upper >> 92) as u64];
    let highest = [middle, (upper >> 52) as u64, (upper >> 104) as u64, 0];
    let digits = if D == 3 { highest } else { all };
    core::array::from_fn(|d| digits[d] & ((1 << 52) - 1))
}

/// The fractional bits of the last of `digits` digits.
const fn last_bits(digits: usize) -> u32 {
    if digits == 3 { 24 } else { 36 }
}

/// `sum + x·fraction`, without what is above the last digit; each digit grows by at most `2^54`.
#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
fn add_product<const D: usize, const WIDE: bool>(sum: &mut [__m512i; D], x: __m512i, fraction: &[u64; D]) {
    let x1 = _mm512_srli_epi64::<52>(x);
    for d in 0..D {
        let factor = splat(fraction[d]);
        sum[d] = _mm512_madd52lo_epu64(sum[d], x, factor);
        if d + 1 < D {
            sum[d + 1] = _mm512_madd52hi_epu64(sum[d + 1], x, factor);
        }
        if WIDE && d + 1 < D {
            sum[d + 1] = _mm512_madd52lo_epu64(sum[d + 1], x1, factor);
        }
        if WIDE && d + 2 < D {
            sum[d + 2] = _mm512_madd52hi_epu64(sum[d + 2], x1, factor);
        }
    }
}

/// `low + high·2^52 + x·w` for `w` and, where `x` has two digits, `2^52·w` modulo `t`.
#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
fn add_weighted<const WIDE: bool>(low: &mut __m512i, high: &mut __m512i, x: __m512i, weights: &[u64; 2]) {
    let weight = splat(weights[0]);
    *low = _mm512_madd52lo_epu64(*low, x, weight);
    *high = _mm512_madd52hi_epu64(*high, x, weight);
    if WIDE {
        let (x, weight) = (_mm512_srli_epi64::<52>(x), splat(weights[1]));
        *low = _mm512_madd52lo_epu64(*low, x, weight);
        *high = _mm512_madd52hi_epu64(*high, x, weight);
    }
}

/// All digits but the last below `2^52`, with what they were above in the next digits.
#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
fn carry<const D: usize>(digits: &mut [__m512i; D]) {
    let mask = splat((1 << 52) - 1);
    for d in 1..D {
        digits[d] = _mm512_add_epi64(digits[d], _mm512_srli_epi64::<52>(digits[d - 1]));
        digits[d - 1] = _mm512_and_si512(digits[d - 1], mask);
    }
}

/// The integer part of a number of `D` digits with more above: from the last of them, and the one above.
#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
fn integer<const D: usize>(last: __m512i, above: __m512i) -> __m512i {
    if D == 3 {
        _mm512_add_epi64(_mm512_srli_epi64::<24>(last), _mm512_slli_epi64::<28>(above))
    } else {
        _mm512_add_epi64(_mm512_srli_epi64::<36>(last), _mm512_slli_epi64::<16>(above))
    }
}

/// Vector `index` of the limb from word `start`.
#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
fn vector_at(input: &[u64], start: usize, index: usize) -> __m512i {
    let words: &Words = input[start + 8 * index..].first_chunk().expect("a limb has as many words as the output");
    load(words)
}
