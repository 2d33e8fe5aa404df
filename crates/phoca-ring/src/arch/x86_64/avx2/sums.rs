//! Sums of products with AVX2, for moduli of at most 50 bits.
//!
//! A product `p = x·y < 2^102` of two exact doubles is split with one rounding (N. Emmart, F. Zheng, C. Weems, "Faster
//! modular exponentiation using double precision floating point arithmetic on the GPU", ARITH 2018, here for rounding to
//! nearest): `fma(x, y, 2^103)` is `2^103 + h·2^51`, where `h·2^51` is the multiple of `2^51` nearest to `p`, and what is
//! left, `l = p - h·2^51` of at most `2^50` in absolute value, comes exactly from `fma(x, y, 1.5·2^52 - h·2^51)`, which is
//! `1.5·2^52 + l`. The binades are fixed, so the words of the two doubles are `h` and `l` plus constants, and sums of
//! products are sums of words.

use core::arch::x86_64::*;

use super::loops::{in_columns, vectors_at};
use super::slices::{factor, subtract_once};
use super::{Doubles, Factor, MAGIC, Words, load, splat, to_doubles};
use crate::arch::portable;
use crate::arch::x86_64::loops::in_chunks;
use crate::arch::x86_64::{dot_word, entry, linear_word, tensor_word};
use crate::modulus::Modulus;

entry! {
    pub(super) fn dot_into(modulus: &Modulus, out: &mut [u64], a: &[&[u64]], b: &[&[u64]]) = vectors::dot_into;
    pub(super) fn dot_pair_into(modulus: &Modulus, out: [&mut [u64]; 2], a: &[&[u64]], b: [&[&[u64]]; 2])
        = vectors::dot_pair_into;
    pub(super) fn tensor_into(modulus: &Modulus, out: [&mut [u64]; 3], a: [&[u64]; 2], b: [&[u64]; 2])
        = vectors::tensor_into;
    pub(super) fn linear_combination_into(
        modulus: &Modulus, out: &mut [u64], inputs: &[&[u64]], weights: &[u64], input_bits: u32
    ) = vectors::linear_combination_into;
    pub(super) fn round_fractions_into(out: &mut [u64], inputs: &[u64], reciprocals: &[u128], bits: u32)
        = vectors::round_fractions_into;
}

mod vectors {
    use super::*;

    #[target_feature(enable = "avx2,fma")]
    pub(super) fn dot_into(modulus: &Modulus, out: &mut [u64], a: &[&[u64]], b: &[&[u64]]) {
        dots_into::<4, 1>(modulus, [out], a, [b]);
    }

    #[target_feature(enable = "avx2,fma")]
    pub(super) fn dot_pair_into(modulus: &Modulus, out: [&mut [u64]; 2], a: &[&[u64]], b: [&[&[u64]]; 2]) {
        dots_into::<2, 2>(modulus, out, a, b);
    }

    #[target_feature(enable = "avx2,fma")]
    pub(super) fn tensor_into(modulus: &Modulus, out: [&mut [u64]; 3], a: [&[u64]; 2], b: [&[u64]; 2]) {
        let (doubles, q) = (Doubles::new(modulus), splat(modulus.value()));
        let twice = Doubles { q: _mm256_add_pd(doubles.q, doubles.q), ..doubles };
        let columns = |start, _: &[&mut [u64]; 3]| {
            let (a0, a1) = (vectors_at::<1, _>(a[0], start), vectors_at::<1, _>(a[1], start));
            let (b0, b1) = (vectors_at::<1, _>(b[0], start), vectors_at::<1, _>(b[1], start));
            let (a0, a1) = (to_doubles(load(&a0[0])), to_doubles(load(&a1[0])));
            let (b0, b1) = (to_doubles(load(&b0[0])), to_doubles(load(&b1[0])));
            // Each is within 7/8·q, so that the sum is in (-2q, 2q).
            let cross = _mm256_add_pd(doubles.product_of_residues(a0, b1), doubles.product_of_residues(a1, b0));
            [
                [doubles.residues(doubles.product_of_residues(a0, b0))],
                [subtract_once(twice.residues(cross), q)],
                [doubles.residues(doubles.product_of_residues(a1, b1))],
            ]
        };
        in_columns(out, columns, |index, _| tensor_word(modulus, index, a, b));
    }

    #[target_feature(enable = "avx2,fma")]
    pub(super) fn linear_combination_into(
        modulus: &Modulus,
        out: &mut [u64],
        inputs: &[&[u64]],
        weights: &[u64],
        input_bits: u32,
    ) {
        let chunk = if input_bits <= 52 { linear_chunk::<false> } else { linear_chunk::<true> };
        in_chunks(inputs.len(), WEIGHTS, |terms, continued| {
            chunk(modulus, out, continued, &inputs[terms.clone()], &weights[terms], input_bits);
        });
    }

    /// For `bits = 104`: with `r = r0 + r1·2^52` the products `y·r1 < 2^52` are exact in one double.
    #[target_feature(enable = "avx2,fma")]
    pub(super) fn round_fractions_into(out: &mut [u64], inputs: &[u64], reciprocals: &[u128], bits: u32) {
        let (len, count) = (out.len(), reciprocals.len());
        let magic = _mm256_set1_pd(MAGIC);
        // The sum of all y·r0 is h·2^51 + l, that of all y·r1 is m. With l in [0, 2^51) after the carry,
        // floor((m·2^52 + h·2^51 + l + 2^103 - 1) / 2^104) = floor((2m + h + 2^52 + floor((l - 1) / 2^51)) / 2^53).
        let mut start = Parts::new(count);
        start.low = _mm256_sub_epi64(start.low, splat(1));
        start.high = _mm256_add_epi64(start.high, splat(1 << 52));
        let whole = splat(0_u64.wrapping_sub(MAGIC.to_bits().wrapping_mul(count as u64)));
        let splitter = Splitter::new();
        let columns = |first, _: &[&mut [u64]; 1]| {
            let (mut parts, mut whole) = ([start; 2], [whole; 2]);
            for (input, &reciprocal) in inputs.chunks_exact(len).zip(reciprocals) {
                let input = vectors_at::<2, _>(input, first);
                let low = _mm256_set1_pd((reciprocal as u64 & ((1 << 52) - 1)) as f64);
                let high = _mm256_set1_pd((reciprocal >> 52) as u64 as f64);
                for v in 0..2 {
                    let y = to_doubles(load(&input[v]));
                    parts[v] = splitter.add_product(parts[v], y, low);
                    let product = _mm256_castpd_si256(_mm256_fmadd_pd(y, high, magic));
                    whole[v] = _mm256_add_epi64(whole[v], product);
                }
            }
            for v in 0..2 {
                let (high, _) = parts[v].carried();
                let sum = _mm256_add_epi64(high, _mm256_slli_epi64::<1>(whole[v]));
                whole[v] = _mm256_srli_epi64::<53>(sum);
            }
            [whole]
        };
        in_columns([out], columns, |index, _| portable::round_columns(index, len, inputs, reciprocals, bits));
    }
}

/// Terms whose weights are prepared at once.
const WEIGHTS: usize = 64;

/// Products for which the words of [`Parts`] have room, a quarter of what fits.
const TERMS: usize = 1024;

/// What splits products of doubles.
#[derive(Clone, Copy)]
struct Splitter {
    /// `2^103`.
    high: __m256d,
    /// `2^103 + 1.5·2^52`.
    both: __m256d,
}

/// `2^103`, whose last bit counts `2^51`, as a product's high part does.
const HIGH: f64 = MAGIC * MAGIC / 2.0;

/// `1.5·2^52`, for low parts of either sign.
const LOW: f64 = 1.5 * MAGIC;

impl Splitter {
    #[inline]
    #[target_feature(enable = "avx2,fma")]
    fn new() -> Self {
        Self { high: _mm256_set1_pd(HIGH), both: _mm256_set1_pd(HIGH + LOW) }
    }

    /// `parts + x·y` for integers with `0 ≤ x·y < 2^102`.
    #[inline]
    #[target_feature(enable = "avx2,fma")]
    fn add_product(self, parts: Parts, x: __m256d, y: __m256d) -> Parts {
        let high = _mm256_fmadd_pd(x, y, self.high);
        let low = _mm256_fmadd_pd(x, y, _mm256_sub_pd(self.both, high));
        Parts {
            low: _mm256_add_epi64(parts.low, _mm256_castpd_si256(low)),
            high: _mm256_add_epi64(parts.high, _mm256_castpd_si256(high)),
        }
    }
}

/// A sum of products `low + high·2^51`, with constants that make both parts what they should be after a fixed number of
/// products.
#[derive(Clone, Copy)]
struct Parts {
    low: __m256i,
    high: __m256i,
}

impl Parts {
    /// An empty sum to which `terms` products, at most 2048, will be added.
    #[inline]
    #[target_feature(enable = "avx2,fma")]
    fn new(terms: usize) -> Self {
        let start = |bits: u64, offset: u64| splat(offset.wrapping_sub(bits.wrapping_mul(terms as u64)));
        // 2^62 makes the sum of low parts, within 2^61, positive; the carry of it is 2^11.
        Self { low: start(LOW.to_bits(), 1 << 62), high: start(HIGH.to_bits(), 0_u64.wrapping_sub(1 << 11)) }
    }

    /// The high part with the carry of the low one, then the rest of the low part in `[0, 2^51)`.
    #[inline]
    #[target_feature(enable = "avx2,fma")]
    fn carried(self) -> (__m256i, __m256i) {
        let high = _mm256_add_epi64(self.high, _mm256_srli_epi64::<51>(self.low));
        (high, _mm256_and_si256(self.low, splat((1 << 51) - 1)))
    }
}

/// The reduction of sums of products below a bound.
#[derive(Clone, Copy)]
struct Sum {
    doubles: Doubles,
    /// `2^51`.
    shift: Factor,
    /// `2^83`, for high parts of more than 52 bits.
    tall: Option<Factor>,
}

impl Sum {
    /// For sums below `bound ≤ 2^113`.
    #[inline]
    #[target_feature(enable = "avx2,fma")]
    fn new(modulus: &Modulus, bound: u128) -> Self {
        let power = |exponent: u32| factor(modulus, modulus.shoup(modulus.reduce_u128(1 << exponent)));
        let tall = if bound >> 51 < 1 << 52 { None } else { Some(power(83)) };
        Self { doubles: Doubles::new(modulus), shift: power(51), tall }
    }

    /// The sum in `[0, q)`.
    ///
    /// Both parts share a quotient. For a high part below `2^52` it is off by at most 1/2 for rounding it to an integer,
    /// 1/8 for the factor's quotient and 1/4 for its own last bit, and where the low part counts, with `q < 2^40`, only by
    /// 3/8 for it in the place of these two: the rest is within `7/8·q`.
    #[inline]
    #[target_feature(enable = "avx2,fma")]
    fn reduce(&self, parts: Parts) -> __m256i {
        let (mut high, low) = parts.carried();
        let mut low = to_doubles(low);
        if let Some(tall) = self.tall {
            // Within 3/4·q, so that the low part stays below 2^52.
            let upper = self.doubles.product(to_doubles(_mm256_srli_epi64::<32>(high)), tall);
            low = _mm256_add_pd(low, upper);
            high = _mm256_and_si256(high, splat((1 << 32) - 1));
        }
        let high = to_doubles(high);
        let quotient = _mm256_fmadd_pd(high, self.shift.quotient, _mm256_mul_pd(low, self.doubles.inverse));
        let product = _mm256_mul_pd(high, self.shift.value);
        let product_low = _mm256_fmsub_pd(high, self.shift.value, product);
        // All partial sums are integers below 2^53: the product less the multiple is within 2^52 + 2^50 + q.
        let rest = _mm256_fnmadd_pd(super::round(quotient), self.doubles.q, product);
        self.doubles.residues(_mm256_add_pd(_mm256_add_pd(rest, product_low), low))
    }
}

/// Sums of products of the same `a` with `H` sequences `b`, in blocks of `C` vectors.
#[inline]
#[target_feature(enable = "avx2,fma")]
fn dots_into<const C: usize, const H: usize>(modulus: &Modulus, out: [&mut [u64]; H], a: &[&[u64]], b: [&[&[u64]]; H]) {
    let q = u128::from(modulus.value());
    let sum = Sum::new(modulus, a.len().min(TERMS) as u128 * 4 * q * q + q);
    let columns = |start, _: &[&mut [u64]; H]| dot_columns::<C, H>(&sum, start, a, b);
    in_columns(out, columns, |index, _| b.map(|b| dot_word(modulus, index, a, b)));
}

/// Sums of products in the vectors from `start`. Each vector of `a` is loaded once.
#[inline]
#[target_feature(enable = "avx2,fma")]
fn dot_columns<const C: usize, const H: usize>(
    sum: &Sum,
    start: usize,
    a: &[&[u64]],
    b: [&[&[u64]]; H],
) -> [[__m256i; C]; H] {
    let splitter = Splitter::new();
    let mut residues = [[_mm256_setzero_si256(); C]; H];
    for first in (0..a.len()).step_by(TERMS) {
        let terms = first..a.len().min(first + TERMS);
        let mut parts = [[Parts::new(terms.len()); C]; H];
        for h in 0..H {
            for v in 0..C {
                parts[h][v].low = _mm256_add_epi64(parts[h][v].low, residues[h][v]);
            }
        }
        for term in terms {
            let a = vectors_at::<C, _>(a[term], start);
            let mut factors = [a; H];
            for h in 0..H {
                factors[h] = vectors_at(b[h][term], start);
            }
            for v in 0..C {
                let a = to_doubles(load(&a[v]));
                for h in 0..H {
                    parts[h][v] = splitter.add_product(parts[h][v], a, to_doubles(load(&factors[h][v])));
                }
            }
        }
        for h in 0..H {
            for v in 0..C {
                residues[h][v] = sum.reduce(parts[h][v]);
            }
        }
    }
    residues
}

/// The sum of at most [`WEIGHTS`] weighted inputs, and of `out` where it continues a sum; inputs of more than 52 bits are
/// split.
#[inline]
#[target_feature(enable = "avx2,fma")]
fn linear_chunk<const SPLIT: bool>(
    modulus: &Modulus,
    out: &mut [u64],
    continued: bool,
    inputs: &[&[u64]],
    weights: &[u64],
    input_bits: u32,
) {
    let q = u128::from(modulus.value());
    let largest = if SPLIT { (1 << 52) + (1 << (input_bits - 52)) } else { 1 << input_bits };
    let sum = Sum::new(modulus, inputs.len() as u128 * largest * q + q);
    let [shift, _] = modulus.digit_weights();
    // The input x0 + x1·2^52 counts as x0·w + x1·(2^52·w mod q).
    let mut pairs = [[0.0; 2]; WEIGHTS];
    for (pair, &weight) in pairs.iter_mut().zip(weights) {
        *pair = [weight as f64, modulus.mul_shoup(weight, shift) as f64];
    }
    in_columns(
        [out],
        |start, [acc]| {
            let acc = continued.then_some(vectors_at(acc, start));
            [linear_columns::<4, SPLIT>(&sum, start, acc, inputs, &pairs)]
        },
        |index, [acc]| [linear_word(modulus, index, if continued { acc[index] } else { 0 }, inputs, weights)],
    );
}

/// `acc` plus the sums of weighted inputs in the vectors from `start`, for at most [`WEIGHTS`] terms.
#[inline]
#[target_feature(enable = "avx2,fma")]
fn linear_columns<const C: usize, const SPLIT: bool>(
    sum: &Sum,
    start: usize,
    acc: Option<&[Words; C]>,
    inputs: &[&[u64]],
    pairs: &[[f64; 2]; WEIGHTS],
) -> [__m256i; C] {
    let splitter = Splitter::new();
    let mut parts = [Parts::new(if SPLIT { 2 * inputs.len() } else { inputs.len() }); C];
    if let Some(acc) = acc {
        for v in 0..C {
            parts[v].low = _mm256_add_epi64(parts[v].low, load(&acc[v]));
        }
    }
    for (input, pair) in inputs.iter().zip(pairs) {
        let input = vectors_at::<C, _>(input, start);
        let (w0, w1) = (_mm256_set1_pd(pair[0]), _mm256_set1_pd(pair[1]));
        for v in 0..C {
            let x = load(&input[v]);
            if SPLIT {
                let x0 = to_doubles(_mm256_and_si256(x, splat((1 << 52) - 1)));
                parts[v] = splitter.add_product(parts[v], x0, w0);
                parts[v] = splitter.add_product(parts[v], to_doubles(_mm256_srli_epi64::<52>(x)), w1);
            } else {
                parts[v] = splitter.add_product(parts[v], to_doubles(x), w0);
            }
        }
    }
    let mut out = [_mm256_setzero_si256(); C];
    for v in 0..C {
        out[v] = sum.reduce(parts[v]);
    }
    out
}
