//! Operations on slices with IFMA, for moduli of at most 50 bits.

use core::arch::x86_64::*;

use super::{Factor, Lanes, Words, load, splat, store};
use crate::arch::x86_64::entry;
use crate::arch::{Arch, Kernels};
use crate::modulus::{Modulus, Shoup};

pub(crate) static KERNELS: Kernels = Kernels {
    arch: Arch::Ifma,
    max_bits: 50,
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
    dot_into,
    linear_combination_into,
};

entry! {
    pub(super) fn add_assign(modulus: &Modulus, a: &mut [u64], b: &[u64]) = vectors::add_assign;
    pub(super) fn sub_assign(modulus: &Modulus, a: &mut [u64], b: &[u64]) = vectors::sub_assign;
    pub(super) fn negate_assign(modulus: &Modulus, a: &mut [u64]) = vectors::negate_assign;
    pub(super) fn add_scalar_assign(modulus: &Modulus, a: &mut [u64], c: u64) = vectors::add_scalar_assign;
    fn mul_assign(modulus: &Modulus, a: &mut [u64], b: &[u64]) = vectors::mul_assign;
    fn mul_into(modulus: &Modulus, out: &mut [u64], a: &[u64], b: &[u64]) = vectors::mul_into;
    fn mul_add_assign(modulus: &Modulus, acc: &mut [u64], a: &[u64], b: &[u64]) = vectors::mul_add_assign;
    fn mul_scalar_assign(modulus: &Modulus, a: &mut [u64], w: Shoup) = vectors::mul_scalar_assign;
    fn mul_scalar_into(modulus: &Modulus, out: &mut [u64], a: &[u64], w: Shoup) = vectors::mul_scalar_into;
    fn reduce_into(modulus: &Modulus, out: &mut [u64], a: &[u64]) = vectors::reduce_into;
    fn sub_mul_scalar_assign(modulus: &Modulus, a: &mut [u64], b: &[u64], w: Shoup) = vectors::sub_mul_scalar_assign;
    fn dot_into(modulus: &Modulus, out: &mut [u64], a: &[&[u64]], b: &[&[u64]]) = vectors::dot_into;
    fn linear_combination_into(modulus: &Modulus, out: &mut [u64], inputs: &[&[u64]], weights: &[u64])
        = vectors::linear_combination_into;
}

mod vectors {
    use super::*;

    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
    pub(super) fn add_assign(modulus: &Modulus, a: &mut [u64], b: &[u64]) {
        let lanes = Lanes::new(modulus);
        map_2(a, b, |a, b| lanes.finish(_mm512_add_epi64(a, b)));
    }

    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
    pub(super) fn sub_assign(modulus: &Modulus, a: &mut [u64], b: &[u64]) {
        let lanes = Lanes::new(modulus);
        map_2(a, b, |a, b| {
            // A negative difference wraps to a large word, and adding q brings it back.
            let difference = _mm512_sub_epi64(a, b);
            _mm512_min_epu64(difference, _mm512_add_epi64(difference, lanes.q))
        });
    }

    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
    pub(super) fn negate_assign(modulus: &Modulus, a: &mut [u64]) {
        let lanes = Lanes::new(modulus);
        map_1(a, |a| lanes.finish(_mm512_sub_epi64(lanes.q, a)));
    }

    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
    pub(super) fn add_scalar_assign(modulus: &Modulus, a: &mut [u64], c: u64) {
        let (lanes, c) = (Lanes::new(modulus), splat(c));
        map_1(a, |a| lanes.finish(_mm512_add_epi64(a, c)));
    }

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
        let scalar = WideScalar::new(modulus, w);
        map_1(a, |a| scalar.product(a));
    }

    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
    pub(super) fn mul_scalar_into(modulus: &Modulus, out: &mut [u64], a: &[u64], w: Shoup) {
        let scalar = WideScalar::new(modulus, w);
        map_2(out, a, |_, a| scalar.product(a));
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
            lanes.finish(lanes.product(difference, w))
        });
    }

    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
    pub(super) fn dot_into(modulus: &Modulus, out: &mut [u64], a: &[&[u64]], b: &[&[u64]]) {
        let sum = Sum::new(modulus);
        in_columns(out, |start, _| dot_columns(&sum, start, a, b), |index, _| dot_word(modulus, index, a, b));
    }

    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
    pub(super) fn linear_combination_into(modulus: &Modulus, out: &mut [u64], inputs: &[&[u64]], weights: &[u64]) {
        let sum = Sum::new(modulus);
        let shift = modulus.shoup(modulus.reduce(1 << 52));
        out.fill(0);
        for (inputs, weights) in inputs.chunks(WEIGHTS).zip(weights.chunks(WEIGHTS)) {
            // The input x0 + x1·2^52 counts as x0·w + x1·(2^52·w mod q).
            let mut pairs = [[0; 2]; WEIGHTS];
            for (pair, &weight) in pairs.iter_mut().zip(weights) {
                *pair = [weight, modulus.mul_shoup(weight, shift)];
            }
            in_columns(
                out,
                |start, acc| linear_columns(&sum, start, acc, inputs, &pairs),
                |index, acc| linear_word(modulus, index, acc, inputs, weights),
            );
        }
    }
}

/// Vectors whose sums are in registers at once.
pub(super) const COLUMNS: usize = 4;

/// `out ← vectors(start, out)` for each block of vectors from number `start`, and `out ← word(index, out)` for the words that
/// fill no block.
#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
pub(super) fn in_columns(
    out: &mut [u64],
    vectors: impl Fn(usize, &[Words; COLUMNS]) -> [__m512i; COLUMNS],
    word: impl Fn(usize, u64) -> u64,
) {
    let (blocks, rest) = out.as_chunks_mut::<{ 8 * COLUMNS }>();
    let done = 8 * COLUMNS * blocks.len();
    for (index, block) in blocks.iter_mut().enumerate() {
        let mut words = [[0; 8]; COLUMNS];
        words.as_flattened_mut().copy_from_slice(block);
        let sums = vectors(COLUMNS * index, &words);
        for (words, sum) in block.as_chunks_mut().0.iter_mut().zip(sums) {
            store(words, sum);
        }
    }
    for (index, out) in rest.iter_mut().enumerate() {
        *out = word(done + index, *out);
    }
}

/// One word of a sum of products.
pub(super) fn dot_word(modulus: &Modulus, index: usize, a: &[&[u64]], b: &[&[u64]]) -> u64 {
    a.iter().zip(b).fold(0, |sum, (a, b)| modulus.mul_add(a[index], b[index], sum))
}

/// `acc` and one word of a sum of weighted inputs.
pub(super) fn linear_word(modulus: &Modulus, index: usize, acc: u64, inputs: &[&[u64]], weights: &[u64]) -> u64 {
    inputs.iter().zip(weights).fold(acc, |sum, (input, &weight)| modulus.mul_add(input[index], weight, sum))
}

/// Terms whose weights are prepared at once.
const WEIGHTS: usize = 64;

/// Sums of 52-bit words for which a lane has room, a quarter of what fits.
const TERMS: usize = 1024;

/// Sums of products in the vectors from `start`.
#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
fn dot_columns<const C: usize>(sum: &Sum, start: usize, a: &[&[u64]], b: &[&[u64]]) -> [__m512i; C] {
    let mut residues = [_mm512_setzero_si512(); C];
    for (a, b) in a.chunks(TERMS).zip(b.chunks(TERMS)) {
        let (mut low, mut high) = (residues, [_mm512_setzero_si512(); C]);
        for (a, b) in a.iter().zip(b) {
            let (a, b) = (vectors_at::<C>(a, start), vectors_at::<C>(b, start));
            for v in 0..C {
                let (a, b) = (load(&a[v]), load(&b[v]));
                low[v] = _mm512_madd52lo_epu64(low[v], a, b);
                high[v] = _mm512_madd52hi_epu64(high[v], a, b);
            }
        }
        for v in 0..C {
            residues[v] = sum.reduce(low[v], high[v]);
        }
    }
    residues
}

/// `acc` plus the sums of weighted inputs in the vectors from `start`, for at most [`WEIGHTS`] terms.
#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
fn linear_columns<const C: usize>(
    sum: &Sum,
    start: usize,
    acc: &[Words; C],
    inputs: &[&[u64]],
    pairs: &[[u64; 2]; WEIGHTS],
) -> [__m512i; C] {
    let (mut low, mut high) = ([_mm512_setzero_si512(); C], [_mm512_setzero_si512(); C]);
    for v in 0..C {
        low[v] = load(&acc[v]);
    }
    for (input, pair) in inputs.iter().zip(pairs) {
        let input = vectors_at::<C>(input, start);
        let (w0, w1) = (splat(pair[0]), splat(pair[1]));
        for v in 0..C {
            let x = load(&input[v]);
            let x1 = _mm512_srli_epi64::<52>(x);
            low[v] = _mm512_madd52lo_epu64(_mm512_madd52lo_epu64(low[v], x, w0), x1, w1);
            high[v] = _mm512_madd52hi_epu64(_mm512_madd52hi_epu64(high[v], x, w0), x1, w1);
        }
    }
    for v in 0..C {
        low[v] = sum.reduce(low[v], high[v]);
    }
    low
}

/// `C` vectors from number `start`.
#[inline]
pub(super) fn vectors_at<const C: usize>(words: &[u64], start: usize) -> &[Words; C] {
    words.as_chunks().0[start..].first_chunk().expect("all slices of one call have the same length")
}

/// Products of two residues below `q < 2^50`.
///
/// With `b` bits and `z = x·y` the quotient is `floor(floor(z / 2^(b-2))·ratio / 2^52)` with `ratio = floor(2^(b+50)/q)`.
/// The roundings cost at most 1/2, 1 and 1, so the remainder is below `3q`.
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
            shift: splat(52 - u64::from(modulus.bits())),
            ratio: splat(modulus.product_ratio() >> 12),
        }
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
    fn product(&self, x: __m512i, y: __m512i) -> __m512i {
        let zero = _mm512_setzero_si512();
        let (x_scaled, y_scaled) = (_mm512_sllv_epi64(x, self.shift), _mm512_slli_epi64::<2>(y));
        let high = _mm512_madd52hi_epu64(zero, x_scaled, y_scaled);
        let quotient = _mm512_madd52hi_epu64(zero, high, self.ratio);
        let low = _mm512_madd52lo_epu64(zero, x, y);
        let rest = self.lanes.clean(_mm512_madd52lo_epu64(low, quotient, self.lanes.negated));
        self.lanes.finish(self.lanes.finish(rest))
    }
}

/// A scalar `w` for products with any words: `x0 + x1·2^52` times `w` is `x0·w + x1·(2^52·w mod q)`.
#[derive(Clone, Copy)]
struct WideScalar {
    lanes: Lanes,
    low: Factor,
    high: Factor,
}

impl WideScalar {
    #[inline]
    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
    fn new(modulus: &Modulus, w: Shoup) -> Self {
        let shifted = modulus.shoup(modulus.mul_shoup(1 << 52, w));
        Self { lanes: Lanes::new(modulus), low: factor(w), high: factor(shifted) }
    }

    /// In `[0, q)` for any word.
    #[inline]
    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
    fn product(&self, x: __m512i) -> __m512i {
        // Each of the two lazy products is below 2q, so the sum is below 4q ≤ 2^52.
        let high = self.lanes.product_add(_mm512_setzero_si512(), _mm512_srli_epi64::<52>(x), self.high);
        let sum = self.lanes.clean(self.lanes.product_add(high, x, self.low));
        self.lanes.finish(self.lanes.halve(sum))
    }
}

/// The reduction of sums of products.
#[derive(Clone, Copy)]
struct Sum {
    lanes: Lanes,
    one: Factor,
    /// `2^52 mod q`.
    first: Factor,
    /// `2^104 mod q`.
    second: Factor,
}

impl Sum {
    #[inline]
    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
    fn new(modulus: &Modulus) -> Self {
        let shift = modulus.shoup(modulus.reduce(1 << 52));
        let twice = modulus.shoup(modulus.mul_shoup(shift.value, shift));
        Self { lanes: Lanes::new(modulus), one: factor(modulus.shoup(1)), first: factor(shift), second: factor(twice) }
    }

    /// `low + high·2^52` in `[0, q)`, for `low` below `2^64` and `high` below `2^63`.
    #[inline]
    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
    fn reduce(&self, low: __m512i, high: __m512i) -> __m512i {
        let lanes = self.lanes;
        let high = _mm512_add_epi64(high, _mm512_srli_epi64::<52>(low));
        let top = lanes.product_add(_mm512_setzero_si512(), _mm512_srli_epi64::<52>(high), self.second);
        let upper = lanes.halve(lanes.clean(lanes.product_add(top, high, self.first)));
        let lower = lanes.product(low, self.one);
        lanes.finish(lanes.halve(_mm512_add_epi64(upper, lower)))
    }
}

/// The factor of a Shoup pair in every lane.
#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
fn factor(w: Shoup) -> Factor {
    Factor { value: splat(w.value), quotient: splat(w.quotient >> 12) }
}

#[inline]
fn padded(words: &[u64]) -> Words {
    let mut padded = [0; 8];
    padded[..words.len()].copy_from_slice(words);
    padded
}

/// `a ← f(a)`.
#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
pub(super) fn map_1(a: &mut [u64], f: impl Fn(__m512i) -> __m512i) {
    let (blocks, rest) = a.as_chunks_mut::<8>();
    for a in blocks {
        store(a, f(load(a)));
    }
    if !rest.is_empty() {
        let mut block = padded(rest);
        let result = f(load(&block));
        store(&mut block, result);
        rest.copy_from_slice(&block[..rest.len()]);
    }
}

/// `a ← f(a, b)`.
#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
pub(super) fn map_2(a: &mut [u64], b: &[u64], f: impl Fn(__m512i, __m512i) -> __m512i) {
    let ((a, a_rest), (b, b_rest)) = (a.as_chunks_mut::<8>(), b.as_chunks::<8>());
    for (a, b) in a.iter_mut().zip(b) {
        store(a, f(load(a), load(b)));
    }
    if !a_rest.is_empty() {
        let mut block = padded(a_rest);
        let result = f(load(&block), load(&padded(b_rest)));
        store(&mut block, result);
        a_rest.copy_from_slice(&block[..a_rest.len()]);
    }
}

/// `out ← f(out, a, b)`.
#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
pub(super) fn map_3(out: &mut [u64], a: &[u64], b: &[u64], f: impl Fn(__m512i, __m512i, __m512i) -> __m512i) {
    let (out, out_rest) = out.as_chunks_mut::<8>();
    let ((a, a_rest), (b, b_rest)) = (a.as_chunks::<8>(), b.as_chunks::<8>());
    for ((out, a), b) in out.iter_mut().zip(a).zip(b) {
        store(out, f(load(out), load(a), load(b)));
    }
    if !out_rest.is_empty() {
        let mut block = padded(out_rest);
        let result = f(load(&block), load(&padded(a_rest)), load(&padded(b_rest)));
        store(&mut block, result);
        out_rest.copy_from_slice(&block[..out_rest.len()]);
    }
}
