//! Transforms with IFMA.
//!
//! Node `k` of the binary tree of blocks has the children `2k` and `2k + 1`; its butterflies have the factor `k`. The
//! widest stages run over the whole array until a block fits in the first-level cache, then each block is finished. A
//! pass joins up to three stages in registers; the last three stages are within pairs of vectors.

use core::arch::x86_64::*;

use super::{Factor, Lanes, Words, load, splat, store};
use crate::Buffer;
use crate::arch::x86_64::entry;
use crate::arch::{NttKernels, Twiddles};
use crate::modulus::Modulus;

/// Without corrections forward: values grow by `2q` a stage from below `4q`, and all stay below `2^52`.
pub(crate) static FREE: NttKernels = NttKernels {
    name: "ifma, free",
    supports: |modulus, degree| {
        degree >= 16 && modulus.bits() <= 48 && (4 + 2 * u64::from(degree.ilog2())) * modulus.value() < 1 << 52
    },
    prepare,
    forward: forward_free,
    forward_lazy: forward_free_lazy,
    inverse,
    inverse_lazy,
};

/// With a correction in each butterfly, so that values stay below `4q ≤ 2^52`.
pub(crate) static CORRECTED: NttKernels = NttKernels {
    name: "ifma, corrected",
    supports: |modulus, degree| degree >= 16 && modulus.bits() <= 50,
    prepare,
    forward,
    forward_lazy,
    inverse,
    inverse_lazy,
};

entry! {
    fn forward_free(modulus: &Modulus, twiddles: &Twiddles, a: &mut [u64]) = forward_transform::<true, true>;
    fn forward_free_lazy(modulus: &Modulus, twiddles: &Twiddles, a: &mut [u64]) = forward_transform::<true, false>;
    fn forward(modulus: &Modulus, twiddles: &Twiddles, a: &mut [u64]) = forward_transform::<false, true>;
    fn forward_lazy(modulus: &Modulus, twiddles: &Twiddles, a: &mut [u64]) = forward_transform::<false, false>;
    fn inverse(modulus: &Modulus, twiddles: &Twiddles, a: &mut [u64]) = inverse_transform::<true>;
    fn inverse_lazy(modulus: &Modulus, twiddles: &Twiddles, a: &mut [u64]) = inverse_transform::<false>;
}

/// Words of a block that is finished at once: half of a first-level cache of 32 KiB.
const BLOCK: usize = 2048;

/// All residues, then all their quotients `floor(w·2^52 / q)`.
fn prepare(modulus: &Modulus, residues: &[u64]) -> Buffer {
    let mut table = Buffer::zeroed(2 * residues.len());
    let (values, quotients) = table.split_at_mut(residues.len());
    values.copy_from_slice(residues);
    for (quotient, &residue) in quotients.iter_mut().zip(residues) {
        *quotient = modulus.shoup(residue).quotient >> 12;
    }
    table
}

/// The factors of one direction.
#[derive(Clone, Copy)]
struct Table<'a> {
    lanes: Lanes,
    values: &'a [u64],
    quotients: &'a [u64],
}

impl<'a> Table<'a> {
    #[inline]
    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
    fn new(modulus: &Modulus, table: &'a [u64]) -> Self {
        let (values, quotients) = table.split_at(table.len() / 2);
        Self { lanes: Lanes::new(modulus), values, quotients }
    }

    /// Factor `k` in every lane.
    #[inline]
    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
    fn one(&self, k: usize) -> Factor {
        Factor { value: splat(self.values[k]), quotient: splat(self.quotients[k]) }
    }

    /// Factors `k` and `k + 1`, alternating.
    #[inline]
    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
    fn two(&self, k: usize) -> Factor {
        Factor { value: repeat_2(self.values, k), quotient: repeat_2(self.quotients, k) }
    }

    /// Factors `k` to `k + 3`, twice.
    #[inline]
    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
    fn four(&self, k: usize) -> Factor {
        Factor { value: repeat_4(self.values, k), quotient: repeat_4(self.quotients, k) }
    }

    /// Factors `k` to `k + 7`.
    #[inline]
    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
    fn eight(&self, k: usize) -> Factor {
        Factor { value: load(chunk(self.values, k)), quotient: load(chunk(self.quotients, k)) }
    }
}

#[inline]
fn chunk<const N: usize>(words: &[u64], k: usize) -> &[u64; N] {
    words[k..].first_chunk().expect("a table has as many factors as its degree, and nodes are below it")
}

#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
fn repeat_2(words: &[u64], k: usize) -> __m512i {
    let [w0, w1] = chunk(words, k).map(|w| w as i64);
    _mm512_broadcast_i64x2(_mm_set_epi64x(w1, w0))
}

#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
fn repeat_4(words: &[u64], k: usize) -> __m512i {
    let [w0, w1, w2, w3] = chunk(words, k).map(|w| w as i64);
    _mm512_broadcast_i64x4(_mm256_set_epi64x(w3, w2, w1, w0))
}

/// Stages that the next pass joins when `stages` are left: threes, after one or two twos.
#[inline]
fn joined(stages: u32) -> u32 {
    match stages {
        1 => 1,
        _ if stages.is_multiple_of(3) => 3,
        _ => 2,
    }
}

#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
fn forward_transform<const FREE: bool, const STRICT: bool>(modulus: &Modulus, twiddles: &Twiddles, a: &mut [u64]) {
    let table = Table::new(modulus, &twiddles.forward);
    // floor(2^52 / q), for the last reduction of the free form.
    let ratio = splat((1 << 52) / modulus.value());
    forward_node::<FREE, STRICT>(&table, ratio, 1, a.as_chunks_mut().0);
}

#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
fn forward_node<const FREE: bool, const STRICT: bool>(table: &Table, ratio: __m512i, k: usize, a: &mut [Words]) {
    if a.len() > BLOCK / 8 {
        forward_pass::<4, FREE>(table, k, a);
        for (i, quarter) in a.chunks_exact_mut(a.len() / 4).enumerate() {
            forward_node::<FREE, STRICT>(table, ratio, 4 * k + i, quarter);
        }
        return;
    }
    let (mut k, mut len) = (k, a.len());
    while len > 1 {
        let joined = joined(len.ilog2());
        for (i, block) in a.chunks_exact_mut(len).enumerate() {
            match joined {
                1 => forward_pass::<2, FREE>(table, k + i, block),
                2 => forward_pass::<4, FREE>(table, k + i, block),
                _ => forward_pass::<8, FREE>(table, k + i, block),
            }
        }
        k <<= joined;
        len >>= joined;
    }
    for (i, pair) in a.as_chunks_mut().0.iter_mut().enumerate() {
        forward_last::<FREE, STRICT>(table, ratio, k + 2 * i, pair);
    }
}

/// `log2 R` stages of the block of node `k`.
#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
fn forward_pass<const R: usize, const FREE: bool>(table: &Table, k: usize, block: &mut [Words]) {
    let factors = node_factors::<R>(table, k);
    let distance = block.len() / R;
    for i in 0..distance {
        let mut x = [_mm512_setzero_si512(); R];
        for (j, x) in x.iter_mut().enumerate() {
            *x = load(&block[i + j * distance]);
        }
        let (mut half, mut node) = (R / 2, 1);
        while half > 0 {
            for j in 0..R {
                if j & half == 0 {
                    let w = factors[node + j / (2 * half)];
                    (x[j], x[j + half]) = forward_butterfly::<FREE>(&table.lanes, x[j], x[j + half], w);
                }
            }
            node *= 2;
            half /= 2;
        }
        for (j, &x) in x.iter().enumerate() {
            store(&mut block[i + j * distance], x);
        }
    }
}

/// The factors of node `k` and its descendants of `log2 R` generations, numbered as if `k` were 1.
#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
fn node_factors<const R: usize>(table: &Table, k: usize) -> [Factor; R] {
    let mut factors = [table.one(k); R];
    for (j, factor) in factors.iter_mut().enumerate().skip(2) {
        let generation = j.ilog2();
        *factor = table.one((k << generation) + j - (1 << generation));
    }
    factors
}

/// `(x + w·y, x - w·y)`: free, each grows by `2q` at most; corrected, all are in `[0, 4q)`.
#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
fn forward_butterfly<const FREE: bool>(lanes: &Lanes, x: __m512i, y: __m512i, w: Factor) -> (__m512i, __m512i) {
    if FREE {
        let sum = lanes.product_add(x, y, w);
        let twice = _mm512_add_epi64(_mm512_add_epi64(x, lanes.twice), x);
        (sum, _mm512_sub_epi64(twice, sum))
    } else {
        let x = lanes.halve(x);
        let product = lanes.product(y, w);
        let difference = _mm512_sub_epi64(_mm512_add_epi64(x, lanes.twice), product);
        (_mm512_add_epi64(x, product), difference)
    }
}

/// The last three stages of the two blocks of eight with nodes `k` and `k + 1`, and the final reduction.
#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
fn forward_last<const FREE: bool, const STRICT: bool>(
    table: &Table,
    ratio: __m512i,
    k: usize,
    pair: &mut [Words; 2],
) {
    let lanes = &table.lanes;
    // The blocks alternate, so that two factors repeat: a0 b0 a1 b1 a2 b2 a3 b3 and a4 b4 a5 b5 a6 b6 a7 b7.
    let (x, y) = interleave(load(&pair[0]), load(&pair[1]));
    let (x, y) = forward_butterfly::<FREE>(lanes, x, y, table.two(k));
    // Four half blocks alternate: a0 a4 b0 b4 a1 a5 b1 b5 and a2 a6 b2 b6 a3 a7 b3 b7.
    let (x, y) = interleave(x, y);
    let (x, y) = forward_butterfly::<FREE>(lanes, x, y, table.four(2 * k));
    // The even words a0 a2 a4 a6 b0 b2 b4 b6 and the odd words.
    let (x, y) = interleave(x, y);
    let (x, y) = forward_butterfly::<FREE>(lanes, x, y, table.eight(4 * k));
    let end = |x| match (FREE, STRICT) {
        (true, false) => shrink(lanes, ratio, x),
        (true, true) => lanes.finish(shrink(lanes, ratio, x)),
        (false, false) => x,
        (false, true) => lanes.finish(lanes.halve(x)),
    };
    let (x, y) = interleave(end(x), end(y));
    store(&mut pair[0], x);
    store(&mut pair[1], y);
}

/// Any `x` modulo `2^52` to `[0, 2q)`: the quotient with `ratio = floor(2^52 / q)` is at most one too small.
#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
fn shrink(lanes: &Lanes, ratio: __m512i, x: __m512i) -> __m512i {
    let quotient = _mm512_madd52hi_epu64(_mm512_setzero_si512(), x, ratio);
    lanes.clean(_mm512_madd52lo_epu64(x, quotient, lanes.negated))
}

/// `x0 y0 x1 y1 x2 y2 x3 y3` and `x4 y4 x5 y5 x6 y6 x7 y7`.
#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
fn interleave(x: __m512i, y: __m512i) -> (__m512i, __m512i) {
    let low = _mm512_setr_epi64(0, 8, 1, 9, 2, 10, 3, 11);
    let high = _mm512_setr_epi64(4, 12, 5, 13, 6, 14, 7, 15);
    (_mm512_permutex2var_epi64(x, low, y), _mm512_permutex2var_epi64(x, high, y))
}

/// The inverse of [`interleave`].
#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
fn separate(x: __m512i, y: __m512i) -> (__m512i, __m512i) {
    let even = _mm512_setr_epi64(0, 2, 4, 6, 8, 10, 12, 14);
    let odd = _mm512_setr_epi64(1, 3, 5, 7, 9, 11, 13, 15);
    (_mm512_permutex2var_epi64(x, even, y), _mm512_permutex2var_epi64(x, odd, y))
}

#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
fn inverse_transform<const STRICT: bool>(modulus: &Modulus, twiddles: &Twiddles, a: &mut [u64]) {
    let table = Table::new(modulus, &twiddles.inverse);
    inverse_node::<STRICT>(&table, 1, a.as_chunks_mut().0);
}

#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
fn inverse_node<const STRICT: bool>(table: &Table, k: usize, a: &mut [Words]) {
    if a.len() > BLOCK / 8 {
        for (i, quarter) in a.chunks_exact_mut(a.len() / 4).enumerate() {
            inverse_node::<STRICT>(table, 4 * k + i, quarter);
        }
        return inverse_pass::<4, STRICT>(table, k, a);
    }
    let leaves = k * a.len();
    for (i, pair) in a.as_chunks_mut().0.iter_mut().enumerate() {
        inverse_first(table, leaves + 2 * i, pair);
    }
    let mut len = 1;
    while len < a.len() {
        let joined = joined((a.len() / len).ilog2());
        len <<= joined;
        let nodes = k * (a.len() / len);
        for (i, block) in a.chunks_exact_mut(len).enumerate() {
            match joined {
                1 => inverse_pass::<2, STRICT>(table, nodes + i, block),
                2 => inverse_pass::<4, STRICT>(table, nodes + i, block),
                _ => inverse_pass::<8, STRICT>(table, nodes + i, block),
            }
        }
    }
}

/// `log2 R` stages of the block of node `k`; those of node 1 are the last.
#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
fn inverse_pass<const R: usize, const STRICT: bool>(table: &Table, k: usize, block: &mut [Words]) {
    if k == 1 {
        inverse_stages::<R, true, STRICT>(table, k, block);
    } else {
        inverse_stages::<R, false, STRICT>(table, k, block);
    }
}

#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
fn inverse_stages<const R: usize, const LAST: bool, const STRICT: bool>(table: &Table, k: usize, block: &mut [Words]) {
    let lanes = &table.lanes;
    let factors = node_factors::<R>(table, k);
    let scale = table.one(0);
    let distance = block.len() / R;
    for i in 0..distance {
        let mut x = [_mm512_setzero_si512(); R];
        for (j, x) in x.iter_mut().enumerate() {
            *x = load(&block[i + j * distance]);
        }
        let (mut half, mut node) = (1, R / 2);
        while half < R {
            for j in 0..R {
                if j & half == 0 {
                    let w = factors[node + j / (2 * half)];
                    (x[j], x[j + half]) = if LAST && node == 1 {
                        inverse_scaled::<STRICT>(lanes, x[j], x[j + half], scale, w)
                    } else {
                        inverse_butterfly(lanes, x[j], x[j + half], w)
                    };
                }
            }
            node /= 2;
            half *= 2;
        }
        for (j, &x) in x.iter().enumerate() {
            store(&mut block[i + j * distance], x);
        }
    }
}

/// `(x + y, (x - y)·w)`, all in `[0, 2q)`.
#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
fn inverse_butterfly(lanes: &Lanes, x: __m512i, y: __m512i, w: Factor) -> (__m512i, __m512i) {
    let difference = _mm512_sub_epi64(_mm512_add_epi64(x, lanes.twice), y);
    (lanes.halve(_mm512_add_epi64(x, y)), lanes.product(difference, w))
}

/// The butterfly of the last stage, `((x + y)·scale, (x - y)·w)`.
#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
fn inverse_scaled<const STRICT: bool>(
    lanes: &Lanes,
    x: __m512i,
    y: __m512i,
    scale: Factor,
    w: Factor,
) -> (__m512i, __m512i) {
    let difference = _mm512_sub_epi64(_mm512_add_epi64(x, lanes.twice), y);
    let (x, y) = (lanes.product(_mm512_add_epi64(x, y), scale), lanes.product(difference, w));
    if STRICT { (lanes.finish(x), lanes.finish(y)) } else { (x, y) }
}

/// The first three stages of the two blocks of eight with nodes `k` and `k + 1`: [`forward_last`] backwards.
#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
fn inverse_first(table: &Table, k: usize, pair: &mut [Words; 2]) {
    let lanes = &table.lanes;
    let (x, y) = separate(load(&pair[0]), load(&pair[1]));
    let (x, y) = inverse_butterfly(lanes, x, y, table.eight(4 * k));
    let (x, y) = separate(x, y);
    let (x, y) = inverse_butterfly(lanes, x, y, table.four(2 * k));
    let (x, y) = separate(x, y);
    let (x, y) = inverse_butterfly(lanes, x, y, table.two(k));
    let (x, y) = separate(x, y);
    store(&mut pair[0], x);
    store(&mut pair[1], y);
}
