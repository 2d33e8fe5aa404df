//! Conversion to a plain modulus with IFMA, for moduli of at most 50 bits.
//!
//! Numbers with 128 fractional bits are three digits: two of 52 bits and one of 24.

use core::arch::x86_64::*;

use super::slices::Sum;
use super::{Lanes, Words, load, splat, store};
use crate::arch::PlainKernels;
use crate::arch::x86_64::entry;
use crate::rns::plain::PlainConstants;

pub(crate) static KERNELS: PlainKernels = PlainKernels { round_scaled, reduce_centered };

entry! {
    fn round_scaled(constants: &PlainConstants, input: &[u64], out: &mut [u64]) = vectors::round_scaled;
    fn reduce_centered(constants: &PlainConstants, input: &[u64], out: &mut [u64]) = vectors::reduce_centered;
}

/// The most limbs of a chain.
const LIMBS: usize = 256;

mod vectors {
    use super::*;

    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
    pub(super) fn round_scaled(constants: &PlainConstants, input: &[u64], out: &mut [u64]) {
        let (fractions, start) = (fractions(constants), digits(constants.bias));
        let (lanes, t) = (Lanes::new(&constants.t), splat(constants.t.value()));
        let zero = _mm512_setzero_si512();
        // One half of the result, in units of 2^-24.
        let half = splat(1 << 23);
        let (limbs, degree) = (constants.limbs.len(), out.len());
        for (index, out) in out.as_chunks_mut::<8>().0.iter_mut().enumerate() {
            let mut sum = start.map(|digit| splat(digit));
            for (limb, fraction) in fractions[..limbs].iter().enumerate() {
                add_product(&mut sum, vector_at(input, limb * degree, index), fraction);
            }
            let [low, middle, high] = carried(sum);
            // Modulo 2^128.
            let high = _mm512_and_si512(high, splat((1 << 24) - 1));
            let first = _mm512_madd52lo_epu64(_mm512_madd52hi_epu64(zero, low, t), middle, t);
            let second = _mm512_madd52lo_epu64(_mm512_madd52hi_epu64(half, middle, t), high, t);
            let second = _mm512_add_epi64(second, _mm512_srli_epi64::<52>(first));
            let third = _mm512_madd52hi_epu64(zero, high, t);
            store(out, lanes.finish(integer(second, third)));
        }
    }

    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
    pub(super) fn reduce_centered(constants: &PlainConstants, input: &[u64], out: &mut [u64]) {
        let (fractions, start) = (fractions(constants), digits((1 << 127) - 1));
        let t = &constants.t;
        let (limbs, degree) = (constants.limbs.len(), out.len());
        // Products of residues, and two of digits below 2^52, with residues modulo t.
        let sum = Sum::new(t, ((limbs as u128) << 50 | 1 << 53) * u128::from(t.value()));
        // The quotient q0 + q1·2^52 counts as q0·wrap + q1·(2^52·wrap mod t).
        let wraps = [constants.wrap, t.mul(constants.wrap, 1 << 52)];
        for (index, out) in out.as_chunks_mut::<8>().0.iter_mut().enumerate() {
            let mut quotient = start.map(|digit| splat(digit));
            let [mut top, mut low, mut high] = [_mm512_setzero_si512(); 3];
            for (limb, (fraction, constants)) in fractions.iter().zip(&constants.limbs).enumerate() {
                let (x, weight) = (vector_at(input, limb * degree, index), splat(constants.weight));
                add_product(&mut quotient, x, fraction);
                top = _mm512_madd52hi_epu64(top, x, splat(fraction[2]));
                low = _mm512_madd52lo_epu64(low, x, weight);
                high = _mm512_madd52hi_epu64(high, x, weight);
            }
            let [_, _, last] = carried(quotient);
            // Below the sum of the moduli, 2^58.
            let quotient = integer(last, top);
            for (digit, wrap) in [quotient, _mm512_srli_epi64::<52>(quotient)].into_iter().zip(wraps) {
                low = _mm512_madd52lo_epu64(low, digit, splat(wrap));
                high = _mm512_madd52hi_epu64(high, digit, splat(wrap));
            }
            store(out, sum.reduce(low, high));
        }
    }
}

/// The fractions of all limbs in digits.
fn fractions(constants: &PlainConstants) -> [[u64; 3]; LIMBS] {
    let mut fractions = [[0; 3]; LIMBS];
    for (fraction, limb) in fractions.iter_mut().zip(&constants.limbs) {
        *fraction = digits(limb.short_fraction());
    }
    fractions
}

fn digits(x: u128) -> [u64; 3] {
    let digit = |x: u128| x as u64 & ((1 << 52) - 1);
    [digit(x), digit(x >> 52), digit(x >> 104)]
}

/// `sum + x·fraction`, without the high part of the last product; each digit grows by at most `2^53`.
#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
fn add_product(sum: &mut [__m512i; 3], x: __m512i, fraction: &[u64; 3]) {
    let (first, second, third) = (splat(fraction[0]), splat(fraction[1]), splat(fraction[2]));
    sum[0] = _mm512_madd52lo_epu64(sum[0], x, first);
    sum[1] = _mm512_madd52lo_epu64(_mm512_madd52hi_epu64(sum[1], x, first), x, second);
    sum[2] = _mm512_madd52lo_epu64(_mm512_madd52hi_epu64(sum[2], x, second), x, third);
}

/// The first two digits below `2^52`, with what they were above in the next digits.
#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
fn carried([first, second, third]: [__m512i; 3]) -> [__m512i; 3] {
    let mask = splat((1 << 52) - 1);
    let second = _mm512_add_epi64(second, _mm512_srli_epi64::<52>(first));
    let third = _mm512_add_epi64(third, _mm512_srli_epi64::<52>(second));
    [_mm512_and_si512(first, mask), _mm512_and_si512(second, mask), third]
}

/// The integer part of a number whose third digit, of 24 fractional bits, is `third`, and whose fourth digit is `fourth`.
#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
fn integer(third: __m512i, fourth: __m512i) -> __m512i {
    _mm512_add_epi64(_mm512_srli_epi64::<24>(third), _mm512_slli_epi64::<28>(fourth))
}

/// Vector `index` of the limb from word `start`.
#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
fn vector_at(input: &[u64], start: usize, index: usize) -> __m512i {
    let words: &Words = input[start + 8 * index..].first_chunk().expect("a limb has as many words as the output");
    load(words)
}
