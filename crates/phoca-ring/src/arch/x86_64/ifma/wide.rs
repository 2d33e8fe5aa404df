//! Operations on slices for moduli of more than 50 bits, with products of 64 bits.

use core::arch::x86_64::*;

use super::loops::{in_columns, map_1, map_2, map_3, vectors_at};
use super::slices::{
    COLUMNS, add_assign, add_scalar_assign, negate_assign, permute_blocks, products_of_residues, sub_assign,
};
use super::{Factor, Lanes, high_product_estimate, load, splat};
use crate::arch::x86_64::columns::{blocks_to_columns, columns_to_blocks};
use crate::arch::x86_64::loops::in_chunks;
use crate::arch::x86_64::{dot_word, entry, linear_word, tensor_word};
use crate::arch::{Arch, Kernels, portable};
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
    scale_into: mul_scalar_into,
    add_scaled_assign,
    sub_scaled_assign,
    reduce_into,
    sub_mul_scalar_into,
    mul_scalar_add_assign,
    dot_into,
    add_product_into: portable::add_product_into::<false>,
    sub_product_into: portable::add_product_into::<true>,
    dot_pair_into,
    dot_pair_narrow_into: None,
    tensor_into,
    linear_combination_into,
    round_fractions_into,
    permute_blocks,
    columns_to_blocks,
    blocks_to_columns,
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
    fn tensor_into(modulus: &Modulus, out: [&mut [u64]; 3], a: [&[u64]; 2], b: [&[u64]; 2]) = vectors::tensor_into;
    fn linear_combination_into(modulus: &Modulus, out: &mut [u64], inputs: &[&[u64]], weights: &[u64], input_bits: u32)
        = vectors::linear_combination_into;
    fn round_fractions_into(out: &mut [u64], inputs: &[u64], reciprocals: &[u128], bits: u32) = vectors::round_fractions_into;
}

mod vectors {
    use super::*;

    products_of_residues!();

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
        match modulus.bits() <= SHORT_BITS {
            true => dots_into::<1, true>(modulus, [out], a, [b]),
            false => dots_into::<1, false>(modulus, [out], a, [b]),
        }
    }

    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
    pub(super) fn dot_pair_into(modulus: &Modulus, out: [&mut [u64]; 2], a: &[&[u64]], b: [&[&[u64]]; 2]) {
        match modulus.bits() <= SHORT_BITS {
            true => dots_into::<2, true>(modulus, out, a, b),
            false => dots_into::<2, false>(modulus, out, a, b),
        }
    }

    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
    pub(super) fn tensor_into(modulus: &Modulus, out: [&mut [u64]; 3], a: [&[u64]; 2], b: [&[u64]; 2]) {
        match modulus.bits() <= SHORT_BITS {
            true => tensor_columns::<true>(modulus, out, a, b),
            false => tensor_columns::<false>(modulus, out, a, b),
        }
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
    fn tensor_columns<const SHORT: bool>(modulus: &Modulus, out: [&mut [u64]; 3], a: [&[u64]; 2], b: [&[u64]; 2]) {
        let weights = PowerWeights::new(modulus);
        let columns = |start, _: &[&mut [u64]; 3]| {
            let (a0, a1) = (vectors_at::<COLUMNS, _>(a[0], start), vectors_at::<COLUMNS, _>(a[1], start));
            let (b0, b1) = (vectors_at::<COLUMNS, _>(b[0], start), vectors_at::<COLUMNS, _>(b[1], start));
            let mut out = [[_mm512_setzero_si512(); COLUMNS]; 3];
            for v in 0..COLUMNS {
                let (a0, a1, b0, b1) = (load(&a0[v]), load(&a1[v]), load(&b0[v]), load(&b1[v]));
                out[0][v] = weights.of_products::<_, SHORT>([(a0, b0)]);
                out[1][v] = weights.of_products::<_, SHORT>([(a0, b1), (a1, b0)]);
                out[2][v] = weights.of_products::<_, SHORT>([(a1, b1)]);
            }
            out
        };
        in_columns(out, columns, |index, _| tensor_word(modulus, index, a, b));
    }

    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
    pub(super) fn linear_combination_into(
        modulus: &Modulus,
        out: &mut [u64],
        inputs: &[&[u64]],
        weights: &[u64],
        input_bits: u32,
    ) {
        let kind = match (input_bits <= 52, modulus.bits() <= SHORT_BITS) {
            (true, true) => SHORT_INPUTS,
            (true, false) => NARROW_INPUTS,
            (false, _) => SPLIT_INPUTS,
        };
        let chunk =
            [linear_chunk::<SHORT_INPUTS>, linear_chunk::<NARROW_INPUTS>, linear_chunk::<SPLIT_INPUTS>][kind as usize];
        let room = if kind == SHORT_INPUTS { SHORT_LINEAR_TERMS } else { TERMS };
        in_chunks(inputs.len(), room, |terms, continued| {
            chunk(modulus, out, continued, &inputs[terms.clone()], &weights[terms]);
        });
    }

    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
    pub(super) fn round_fractions_into(out: &mut [u64], inputs: &[u64], reciprocals: &[u128], bits: u32) {
        let len = out.len();
        let half = (1_u128 << (bits - 1)) - 1;
        let half = WideSum { low: digit(half, 0), middle: digit(half, 1), high: digit(half, 2) };
        let shift = _mm_cvtsi64_si128(i64::from(bits) - 104);
        let columns = |start, _: &[&mut [u64]; 1]| {
            let mut sums = [half; COLUMNS];
            for (input, &reciprocal) in inputs.chunks_exact(len).zip(reciprocals) {
                let input = vectors_at::<COLUMNS, _>(input, start);
                let (r0, r1, r2) = (digit(reciprocal, 0), digit(reciprocal, 1), digit(reciprocal, 2));
                for v in 0..COLUMNS {
                    let y = load(&input[v]);
                    sums[v].add_digits([y, _mm512_srli_epi64::<52>(y)], [r0, r1]);
                    // Only residues of small moduli have so large a reciprocal; their products are below 2^bits all the same.
                    sums[v].high = _mm512_madd52lo_epu64(sums[v].high, y, r2);
                }
            }
            let mut out = [_mm512_setzero_si512(); COLUMNS];
            for v in 0..COLUMNS {
                out[v] = _mm512_srl_epi64(sums[v].carried().high, shift);
            }
            [out]
        };
        in_columns([out], columns, |index, _| portable::round_columns(index, len, inputs, reciprocals, bits));
    }
}

/// Inputs of at most 52 bits and moduli of at most [`SHORT_BITS`].
const SHORT_INPUTS: u8 = 0;
/// Inputs of at most 52 bits.
const NARROW_INPUTS: u8 = 1;
/// Inputs of more bits, in two digits.
const SPLIT_INPUTS: u8 = 2;

/// Terms of short weighted sums, for which the lanes have room: each adds less than `2^56 + 2^52` to the middle.
const SHORT_LINEAR_TERMS: usize = 128;

/// The sum of weighted inputs, and of `out` where it continues a sum, for at most as many terms as there is room for.
#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
fn linear_chunk<const KIND: u8>(
    modulus: &Modulus,
    out: &mut [u64],
    continued: bool,
    inputs: &[&[u64]],
    weights: &[u64],
) {
    let powers = PowerWeights::new(modulus);
    let columns = |start, [acc]: &[&mut [u64]; 1]| {
        let acc = vectors_at::<COLUMNS, _>(acc, start);
        let mut out = [_mm512_setzero_si512(); COLUMNS];
        let mut sums = [WideSum::new(out[0]); COLUMNS];
        if continued {
            for v in 0..COLUMNS {
                sums[v].low = load(&acc[v]);
            }
        }
        for (input, &weight) in inputs.iter().zip(weights) {
            let (input, weight) = (vectors_at::<COLUMNS, _>(input, start), [splat(weight), splat(weight >> 52)]);
            for v in 0..COLUMNS {
                let x = load(&input[v]);
                match KIND {
                    SHORT_INPUTS => sums[v].add_short_narrow(x, weight),
                    NARROW_INPUTS => sums[v].add_narrow(x, weight),
                    _ => sums[v].add_digits([x, _mm512_srli_epi64::<52>(x)], weight),
                }
            }
        }
        for v in 0..COLUMNS {
            out[v] = powers.reduce(sums[v]);
        }
        [out]
    };
    in_columns([out], columns, |index, [acc]| {
        [linear_word(modulus, index, if continued { acc[index] } else { 0 }, inputs, weights)]
    });
}

/// Digit `d` of 52 bits in every lane.
#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
fn digit(x: u128, d: u32) -> __m512i {
    splat((x >> (52 * d)) as u64 & ((1 << 52) - 1))
}

/// Moduli of up to so many bits have short sums.
const SHORT_BITS: u32 = 56;

/// Terms of a sum for which the lanes have room, half of what fits: each adds up to `3·2^52` to the middle.
const TERMS: usize = 512;

/// Terms of a short sum of products of words below `4q` and below `q < 2^bits` for which the lanes have room: each adds
/// less than `2^(2·bits - 50) + 2^bits + 2^52` to the middle, at most `3·2^(2·bits - 50)`.
const fn short_terms(bits: u32) -> usize {
    match bits {
        ..=52 => TERMS,
        53..=SHORT_BITS => 1 << (113 - 2 * bits),
        _ => 1,
    }
}

/// Sums of products of the same `a` with `H` sequences `b`; each vector of `a` is loaded once.
#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
fn dots_into<const H: usize, const SHORT: bool>(
    modulus: &Modulus,
    out: [&mut [u64]; H],
    a: &[&[u64]],
    b: [&[&[u64]]; H],
) {
    let weights = PowerWeights::new(modulus);
    let terms = if SHORT { short_terms(modulus.bits()) } else { TERMS };
    let columns = |start, _: &[&mut [u64]; H]| {
        let mut sums = [[WideSum::new(_mm512_setzero_si512()); COLUMNS]; H];
        for first in (0..a.len()).step_by(terms) {
            if first > 0 {
                for sum in sums.as_flattened_mut() {
                    *sum = sum.settled(weights.lanes);
                }
            }
            for term in first..a.len().min(first + terms) {
                let a = vectors_at::<COLUMNS, _>(a[term], start);
                let mut factors = [a; H];
                for h in 0..H {
                    factors[h] = vectors_at(b[h][term], start);
                }
                for v in 0..COLUMNS {
                    let a = load(&a[v]);
                    for h in 0..H {
                        let b = load(&factors[h][v]);
                        match SHORT {
                            true => sums[h][v].add_short(weights.lanes, a, b),
                            false => sums[h][v].add(a, b),
                        }
                    }
                }
            }
        }
        let mut residues = [[_mm512_setzero_si512(); COLUMNS]; H];
        for h in 0..H {
            for v in 0..COLUMNS {
                residues[h][v] = weights.reduce(sums[h][v]);
            }
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
        self.add_digits([x, _mm512_srli_epi64::<52>(x)], [y, _mm512_srli_epi64::<52>(y)]);
    }

    /// Adds the product of two numbers in digits of 52 bits, of which the product of the upper ones is below `2^52`; bits above
    /// the lower digits do not count.
    #[inline]
    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
    fn add_digits(&mut self, [x, x_high]: [__m512i; 2], [y, y_high]: [__m512i; 2]) {
        self.add_narrow(x, [y, y_high]);
        self.middle = _mm512_madd52lo_epu64(self.middle, x_high, y);
        self.high = _mm512_madd52hi_epu64(self.high, x_high, y);
        self.high = _mm512_madd52lo_epu64(self.high, x_high, y_high);
    }

    /// Adds the product of `x` modulo `2^52` with a number in digits of 52 bits.
    #[inline]
    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
    fn add_narrow(&mut self, x: __m512i, [y, y_high]: [__m512i; 2]) {
        self.low = _mm512_madd52lo_epu64(self.low, x, y);
        self.middle = _mm512_madd52hi_epu64(self.middle, x, y);
        self.middle = _mm512_madd52lo_epu64(self.middle, x, y_high);
        self.high = _mm512_madd52hi_epu64(self.high, x, y_high);
    }

    /// Adds `x·y` where what is not the product of the lower digits is below `2^64`: then words do for it.
    #[inline]
    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
    fn add_short(&mut self, lanes: Lanes, x: __m512i, y: __m512i) {
        let first = _mm512_mullo_epi64(_mm512_srli_epi64::<52>(x), y);
        let second = _mm512_mullo_epi64(lanes.clean(x), _mm512_srli_epi64::<52>(y));
        self.low = _mm512_madd52lo_epu64(self.low, x, y);
        self.middle = _mm512_madd52hi_epu64(self.middle, x, y);
        self.middle = _mm512_add_epi64(self.middle, _mm512_add_epi64(first, second));
    }

    /// Adds `x·y` for `x` below `2^52` and `y` in digits, of which the product of `x` and the upper one is below `2^64`.
    #[inline]
    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
    fn add_short_narrow(&mut self, x: __m512i, [y, y_high]: [__m512i; 2]) {
        self.low = _mm512_madd52lo_epu64(self.low, x, y);
        self.middle = _mm512_madd52hi_epu64(self.middle, x, y);
        self.middle = _mm512_add_epi64(self.middle, _mm512_mullo_epi64(x, y_high));
    }

    /// The same sum with digits of 52 bits, of which all but the highest have room again.
    #[inline]
    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
    fn settled(self, lanes: Lanes) -> Self {
        let Self { low, middle, high } = self.carried();
        Self { low: lanes.clean(low), middle: lanes.clean(middle), high }
    }

    /// The same sum with the carries added to the digits above; the bits that were carried stay above the lower digits.
    #[inline]
    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
    fn carried(self) -> Self {
        let middle = _mm512_add_epi64(self.middle, _mm512_srli_epi64::<52>(self.low));
        let high = _mm512_add_epi64(self.high, _mm512_srli_epi64::<52>(middle));
        Self { low: self.low, middle, high }
    }
}

/// `1`, `2^52` and `2^104` modulo `q`, what the digits of a [`WideSum`] count for, with their quotients `floor(w·2^52 / q)`.
#[derive(Clone, Copy)]
struct PowerWeights {
    lanes: Lanes,
    /// `floor(2^52 / q)`.
    inverse: __m512i,
    middle: Factor,
    high: Factor,
}

impl PowerWeights {
    #[inline]
    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
    fn new(modulus: &Modulus) -> Self {
        let [middle, high] = modulus.digit_weights();
        let middle = Factor { value: splat(middle.value), quotient: splat(middle.quotient >> 12) };
        let high = Factor { value: splat(high.value), quotient: splat(high.quotient >> 12) };
        Self { lanes: Lanes::new(modulus), inverse: splat(modulus.ratio()[0] >> 12), middle, high }
    }

    /// The sum in `[0, q)`, for sums below `2^156`.
    ///
    /// Each digit is below `2^52`, so that its product with its weight is in `[0, 2q)` less the quotient: together they are
    /// below `6q < 2^64`.
    #[inline]
    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
    fn reduce(&self, sum: WideSum) -> __m512i {
        let (lanes, sum) = (self.lanes, sum.carried());
        let quotient = _mm512_madd52hi_epu64(_mm512_setzero_si512(), sum.low, self.inverse);
        let quotient = _mm512_madd52hi_epu64(quotient, sum.middle, self.middle.quotient);
        let quotient = _mm512_madd52hi_epu64(quotient, sum.high, self.high.quotient);
        let middle = _mm512_mullo_epi64(lanes.clean(sum.middle), self.middle.value);
        let high = _mm512_mullo_epi64(sum.high, self.high.value);
        let products = _mm512_add_epi64(_mm512_add_epi64(middle, high), lanes.clean(sum.low));
        let rest = _mm512_sub_epi64(products, _mm512_mullo_epi64(quotient, lanes.q));
        let rest = _mm512_min_epu64(rest, _mm512_sub_epi64(rest, _mm512_slli_epi64::<1>(lanes.twice)));
        lanes.finish(lanes.halve(rest))
    }

    /// `Σ x·y` in `[0, q)` for few pairs of words.
    #[inline]
    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
    fn of_products<const T: usize, const SHORT: bool>(&self, pairs: [(__m512i, __m512i); T]) -> __m512i {
        let mut sum = WideSum::new(_mm512_setzero_si512());
        for (x, y) in pairs {
            match SHORT {
                true => sum.add_short(self.lanes, x, y),
                false => sum.add(x, y),
            }
        }
        self.reduce(sum)
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
