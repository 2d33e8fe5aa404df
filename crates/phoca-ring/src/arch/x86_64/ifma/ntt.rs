//! Transforms with IFMA.
//!
//! Node `k` of the binary tree of blocks has the children `2k` and `2k + 1`; its butterflies have the factor `k`. The
//! widest stages run over the whole array until a block fits in the first-level cache, then each block is finished. A
//! pass joins up to three stages in registers; the last three stages are within pairs of vectors.

use core::arch::x86_64::*;

use super::{Factor, Lanes, Words, load, splat, store};
use crate::Buffer;
use crate::arch::x86_64::entry;
use crate::arch::{NttKernels, Prologue, Twiddles, portable};
use crate::modulus::{Modulus, Shoup};

/// With as few corrections as possible, on products of 52 bits. Forward, values grow by `2q` a stage from below `4q` and
/// stay below `2^52`; only the end reduces them. Backward, sums double in up to three stages, from below `2q` to below
/// `16q < 2^52`.
const FREE: u8 = 0;
/// With a correction in each butterfly, so that values stay below `4q ≤ 2^52`.
const CORRECTED: u8 = 1;
/// As `CORRECTED`, with products of 64 bits.
const WIDE: u8 = 2;

pub(crate) static FREE_KERNELS: NttKernels = NttKernels {
    name: "ifma, free",
    supports: |modulus, degree| {
        degree >= 16 && modulus.bits() <= 48 && (4 + 2 * u64::from(degree.ilog2())) * modulus.value() < 1 << 52
    },
    prepare: prepare::<12>,
    forward: forward_free,
    forward_lazy: forward_free_lazy,
    forward_lazy_from: forward_free_lazy_from,
    inverse: inverse_free,
    inverse_lazy: inverse_free_lazy,
};

pub(crate) static CORRECTED_KERNELS: NttKernels = NttKernels {
    name: "ifma, corrected",
    supports: |modulus, degree| degree >= 16 && modulus.bits() <= 50,
    prepare: prepare::<12>,
    forward,
    forward_lazy,
    forward_lazy_from,
    inverse,
    inverse_lazy,
};

pub(crate) static WIDE_KERNELS: NttKernels = NttKernels {
    name: "avx512, wide",
    supports: |_, degree| degree >= 16,
    prepare: prepare::<0>,
    forward: forward_wide,
    forward_lazy: forward_wide_lazy,
    forward_lazy_from: forward_wide_lazy_from,
    inverse: inverse_wide,
    inverse_lazy: inverse_wide_lazy,
};

entry! {
    fn forward_free(modulus: &Modulus, twiddles: &Twiddles, a: &mut [u64]) = forward_transform::<FREE, true>;
    fn forward_free_lazy(modulus: &Modulus, twiddles: &Twiddles, a: &mut [u64]) = forward_transform::<FREE, false>;
    fn forward_free_lazy_from(modulus: &Modulus, twiddles: &Twiddles, out: &mut [u64], input: &[u64], prologue: Prologue)
        = forward_from::<FREE>;
    fn inverse_free(modulus: &Modulus, twiddles: &Twiddles, a: &mut [u64]) = inverse_transform::<FREE, true>;
    fn inverse_free_lazy(modulus: &Modulus, twiddles: &Twiddles, a: &mut [u64]) = inverse_transform::<FREE, false>;
    fn forward(modulus: &Modulus, twiddles: &Twiddles, a: &mut [u64]) = forward_transform::<CORRECTED, true>;
    fn forward_lazy(modulus: &Modulus, twiddles: &Twiddles, a: &mut [u64]) = forward_transform::<CORRECTED, false>;
    fn forward_lazy_from(modulus: &Modulus, twiddles: &Twiddles, out: &mut [u64], input: &[u64], prologue: Prologue)
        = forward_from::<CORRECTED>;
    fn inverse(modulus: &Modulus, twiddles: &Twiddles, a: &mut [u64]) = inverse_transform::<CORRECTED, true>;
    fn inverse_lazy(modulus: &Modulus, twiddles: &Twiddles, a: &mut [u64]) = inverse_transform::<CORRECTED, false>;
    fn forward_wide(modulus: &Modulus, twiddles: &Twiddles, a: &mut [u64]) = forward_transform::<WIDE, true>;
    fn forward_wide_lazy(modulus: &Modulus, twiddles: &Twiddles, a: &mut [u64]) = forward_transform::<WIDE, false>;
    fn forward_wide_lazy_from(modulus: &Modulus, twiddles: &Twiddles, out: &mut [u64], input: &[u64], prologue: Prologue)
        = forward_from::<WIDE>;
    fn inverse_wide(modulus: &Modulus, twiddles: &Twiddles, a: &mut [u64]) = inverse_transform::<WIDE, true>;
    fn inverse_wide_lazy(modulus: &Modulus, twiddles: &Twiddles, a: &mut [u64]) = inverse_transform::<WIDE, false>;
}

/// Words of a block that is finished at once: half of a first-level cache of 32 KiB.
const BLOCK: usize = 2048;

/// All residues, then all their quotients `floor(w·2^(64 - SHIFT) / q)`.
fn prepare<const SHIFT: u32>(modulus: &Modulus, residues: &[u64]) -> Buffer {
    let mut table = Buffer::zeroed(2 * residues.len());
    let (values, quotients) = table.split_at_mut(residues.len());
    values.copy_from_slice(residues);
    for (quotient, &residue) in quotients.iter_mut().zip(residues) {
        *quotient = modulus.shoup(residue).quotient >> SHIFT;
    }
    table
}

/// The factors of one direction, with the constants of the modulus.
#[derive(Clone, Copy)]
struct Table<'a> {
    lanes: Lanes,
    /// `floor(2^52 / q)`.
    ratio: __m512i,
    values: &'a [u64],
    quotients: &'a [u64],
}

impl<'a> Table<'a> {
    #[inline]
    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
    fn new(modulus: &Modulus, table: &'a [u64]) -> Self {
        let (values, quotients) = table.split_at(table.len() / 2);
        Self { lanes: Lanes::new(modulus), ratio: splat((1 << 52) / modulus.value()), values, quotients }
    }

    /// Factor `k` in every lane.
    #[inline]
    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
    unsafe fn one(&self, k: usize) -> Factor {
        // SAFETY: the caller vouches for the node, as `chunk` asks.
        unsafe {
            let ([value], [quotient]) = (chunk(self.values, k), chunk(self.quotients, k));
            Factor { value: splat(*value), quotient: splat(*quotient) }
        }
    }

    /// Factors `k` and `k + 1`, alternating.
    #[inline]
    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
    unsafe fn two(&self, k: usize) -> Factor {
        // SAFETY: the caller vouches for the node, as `chunk` asks.
        unsafe { Factor { value: repeat_2(chunk(self.values, k)), quotient: repeat_2(chunk(self.quotients, k)) } }
    }

    /// Factors `k` to `k + 3`, twice.
    #[inline]
    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
    unsafe fn four(&self, k: usize) -> Factor {
        // SAFETY: the caller vouches for the node, as `chunk` asks.
        unsafe { Factor { value: repeat_4(chunk(self.values, k)), quotient: repeat_4(chunk(self.quotients, k)) } }
    }

    /// Factors `k` to `k + 7`.
    #[inline]
    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
    unsafe fn eight(&self, k: usize) -> Factor {
        // SAFETY: the caller vouches for the node, as `chunk` asks.
        unsafe { Factor { value: load(chunk(self.values, k)), quotient: load(chunk(self.quotients, k)) } }
    }

    /// The factors of node `k` and of its descendants in `log2 R - 1` generations, numbered as if `k` were 1.
    #[inline(always)]
    unsafe fn below<const R: usize>(&self, k: usize) -> [Factor; R] {
        // SAFETY: the caller vouches for the target features.
        unsafe {
            let mut factors = [self.one(k); R];
            if R >= 4 {
                factors[2] = self.one(2 * k);
                factors[3] = self.one(2 * k + 1);
            }
            if R >= 8 {
                factors[4] = self.one(4 * k);
                factors[5] = self.one(4 * k + 1);
                factors[6] = self.one(4 * k + 2);
                factors[7] = self.one(4 * k + 3);
            }
            factors
        }
    }

    /// Any `x` modulo `2^52` to `[0, 2q)`: the quotient with `floor(2^52 / q)` is at most one too small.
    #[inline]
    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
    fn shrink(&self, x: __m512i) -> __m512i {
        let quotient = _mm512_madd52hi_epu64(_mm512_setzero_si512(), x, self.ratio);
        self.lanes.clean(_mm512_madd52lo_epu64(x, quotient, self.lanes.negated))
    }
}

/// Entries `k` to `k + N - 1` of a table.
///
/// # Safety
///
/// The table has `k + N` entries at least. It has as many as the degree, which the transforms check; the nodes of the tree
/// are numbered below the degree, and those of its last stage are asked for by the vector, at a multiple of its lanes.
#[inline]
unsafe fn chunk<const N: usize>(words: &[u64], k: usize) -> &[u64; N] {
    debug_assert!(k + N <= words.len());
    // SAFETY: the caller vouches for the length, and an array of words is aligned as a word.
    unsafe { &*words.as_ptr().add(k).cast() }
}

#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
fn repeat_2(words: &[u64; 2]) -> __m512i {
    let [w0, w1] = words.map(|w| w as i64);
    _mm512_broadcast_i64x2(_mm_set_epi64x(w1, w0))
}

#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
fn repeat_4(words: &[u64; 4]) -> __m512i {
    let [w0, w1, w2, w3] = words.map(|w| w as i64);
    _mm512_broadcast_i64x4(_mm256_set_epi64x(w3, w2, w1, w0))
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

/// Vectors `i`, `i + distance`, … of a block of `R·distance` vectors.
#[inline(always)]
unsafe fn gather<const R: usize>(block: &[Words], distance: usize, i: usize) -> [__m512i; R] {
    // SAFETY: the caller vouches for the target features.
    unsafe {
        debug_assert!(i < distance && R * distance == block.len());
        let mut x = [_mm512_setzero_si512(); R];
        for (j, x) in x.iter_mut().enumerate() {
            *x = load(block.get_unchecked(i + j * distance));
        }
        x
    }
}

/// Puts back what [`gather`] took.
#[inline(always)]
unsafe fn scatter<const R: usize>(block: &mut [Words], distance: usize, i: usize, x: [__m512i; R]) {
    // SAFETY: the caller vouches for the target features.
    unsafe {
        debug_assert!(i < distance && R * distance == block.len());
        for (j, &x) in x.iter().enumerate() {
            store(block.get_unchecked_mut(i + j * distance), x);
        }
    }
}

/// `y·w` in `[0, 2q)`, for `y` below `2^52` or any word where wide.
#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
fn product<const MODE: u8>(lanes: &Lanes, y: __m512i, w: Factor) -> __m512i {
    if MODE == WIDE { lanes.halve(lanes.product_wide(y, w)) } else { lanes.product(y, w) }
}

/// Stages of the first of the passes that do `stages` together, where the pass of the last three is apart.
#[inline]
fn joined(stages: u32) -> u32 {
    match stages {
        1 => 1,
        _ if stages.is_multiple_of(3) => 3,
        _ => 2,
    }
}

#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
fn forward_transform<const MODE: u8, const STRICT: bool>(modulus: &Modulus, twiddles: &Twiddles, a: &mut [u64]) {
    assert_eq!(twiddles.forward.len(), 2 * a.len());
    let table = Table::new(modulus, &twiddles.forward);
    let a = a.as_chunks_mut().0;
    if a.len() < 8 {
        return forward_small::<MODE, STRICT>(&table, a);
    }
    forward_node::<MODE, STRICT>(&table, 1, a);
}

/// The lazy transform with a prologue, which joins the first pass.
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
fn forward_from<const MODE: u8>(
    modulus: &Modulus,
    twiddles: &Twiddles,
    out: &mut [u64],
    input: &[u64],
    prologue: Prologue,
) {
    if out.len() <= 64 {
        portable::apply_prologue(modulus, prologue, out, input);
        return forward_transform::<MODE, false>(modulus, twiddles, out);
    }
    assert_eq!((twiddles.forward.len(), input.len()), (2 * out.len(), out.len()));
    let table = Table::new(modulus, &twiddles.forward);
    let (out, input) = (out.as_chunks_mut().0, input.as_chunks().0);
    let offset = splat(prologue.offset);
    let Some(factor) = prologue.factor else {
        return forward_mapped::<MODE>(&table, out, input, |x| _mm512_add_epi64(x, offset));
    };
    let low = factor_in_lanes::<MODE>(factor);
    let lanes = &table.lanes;
    if MODE == WIDE || prologue.bound <= 1 << 52 {
        let map = |x| _mm512_add_epi64(product::<MODE>(lanes, x, low), offset);
        return forward_mapped::<MODE>(&table, out, input, map);
    }
    let high = modulus.mul(factor.value, modulus.reduce(1 << 52));
    let high = factor_in_lanes::<MODE>(modulus.shoup(high));
    let map = |x| {
        let high = product::<MODE>(lanes, _mm512_srli_epi64::<52>(x), high);
        _mm512_add_epi64(lanes.halve(_mm512_add_epi64(product::<MODE>(lanes, x, low), high)), offset)
    };
    forward_mapped::<MODE>(&table, out, input, map);
}

#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
fn factor_in_lanes<const MODE: u8>(factor: Shoup) -> Factor {
    let quotient = if MODE == WIDE { factor.quotient } else { factor.quotient >> 12 };
    Factor { value: splat(factor.value), quotient: splat(quotient) }
}

/// The transform of the mapped words of `input`, which are below `4q`; of more than 64 words.
#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
fn forward_mapped<const MODE: u8>(table: &Table, out: &mut [Words], input: &[Words], map: impl Fn(__m512i) -> __m512i) {
    let joined = if out.len() > BLOCK / 8 { 2 } else { joined(out.len().ilog2() - 3) };
    match joined {
        1 => forward_first::<2, MODE>(table, out, input, map),
        2 => forward_first::<4, MODE>(table, out, input, map),
        _ => forward_first::<8, MODE>(table, out, input, map),
    }
    for (i, block) in out.chunks_exact_mut(out.len() >> joined).enumerate() {
        forward_node::<MODE, false>(table, (1 << joined) + i, block);
    }
}

/// The first `log2 R` stages, from the mapped words of `input`.
#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
fn forward_first<const R: usize, const MODE: u8>(
    table: &Table,
    out: &mut [Words],
    input: &[Words],
    map: impl Fn(__m512i) -> __m512i,
) {
    let distance = out.len() / R;
    // SAFETY: this function has the target features, `i < distance`, and `R` divides the length.
    unsafe {
        let factors = table.below::<R>(1);
        for i in 0..distance {
            let mut x = gather::<R>(input, distance, i);
            for x in &mut x {
                *x = map(*x);
            }
            forward_stages::<R, MODE>(&table.lanes, &mut x, &factors);
            scatter(out, distance, i, x);
        }
    }
}

/// Degrees 16 and 32.
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
fn forward_small<const MODE: u8, const STRICT: bool>(table: &Table, a: &mut [Words]) {
    match a.len() {
        2 => forward_pass::<2, MODE>(table, 1, a),
        _ => forward_pass::<4, MODE>(table, 1, a),
    }
    let k = a.len();
    for (i, pair) in a.as_chunks_mut::<2>().0.iter_mut().enumerate() {
        // SAFETY: this function has the target features, and the nodes are below the degree.
        let x = unsafe { forward_last::<MODE, STRICT>(table, k + 2 * i, (load(&pair[0]), load(&pair[1]))) };
        store(&mut pair[0], x.0);
        store(&mut pair[1], x.1);
    }
}

#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
fn forward_node<const MODE: u8, const STRICT: bool>(table: &Table, k: usize, a: &mut [Words]) {
    if a.len() > BLOCK / 8 {
        forward_pass::<4, MODE>(table, k, a);
        for (i, quarter) in a.chunks_exact_mut(a.len() / 4).enumerate() {
            forward_node::<MODE, STRICT>(table, 4 * k + i, quarter);
        }
        return;
    }
    let (mut k, mut len) = (k, a.len());
    while len > 8 {
        let joined = joined(len.ilog2() - 3);
        for (i, block) in a.chunks_exact_mut(len).enumerate() {
            match joined {
                1 => forward_pass::<2, MODE>(table, k + i, block),
                2 => forward_pass::<4, MODE>(table, k + i, block),
                _ => forward_pass::<8, MODE>(table, k + i, block),
            }
        }
        k <<= joined;
        len >>= joined;
    }
    for (i, block) in a.as_chunks_mut().0.iter_mut().enumerate() {
        forward_leaf::<MODE, STRICT>(table, k + i, block);
    }
}

/// `log2 R` stages of the block of node `k`.
#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
fn forward_pass<const R: usize, const MODE: u8>(table: &Table, k: usize, block: &mut [Words]) {
    let distance = block.len() / R;
    // SAFETY: this function has the target features, `i < distance`, and `R` divides the length of the block.
    unsafe {
        let factors = table.below::<R>(k);
        for i in 0..distance {
            let mut x = gather::<R>(block, distance, i);
            forward_stages::<R, MODE>(&table.lanes, &mut x, &factors);
            scatter(block, distance, i, x);
        }
    }
}

/// All six stages of a block of 64 words.
#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
fn forward_leaf<const MODE: u8, const STRICT: bool>(table: &Table, k: usize, block: &mut [Words; 8]) {
    // SAFETY: this function has the target features, and the nodes are below the degree.
    unsafe {
        let mut x = gather::<8>(block, 1, 0);
        forward_stages::<8, MODE>(&table.lanes, &mut x, &table.below(k));
        (x[0], x[1]) = forward_last::<MODE, STRICT>(table, 8 * k, (x[0], x[1]));
        (x[2], x[3]) = forward_last::<MODE, STRICT>(table, 8 * k + 2, (x[2], x[3]));
        (x[4], x[5]) = forward_last::<MODE, STRICT>(table, 8 * k + 4, (x[4], x[5]));
        (x[6], x[7]) = forward_last::<MODE, STRICT>(table, 8 * k + 6, (x[6], x[7]));
        scatter(block, 1, 0, x);
    }
}

#[inline(always)]
unsafe fn forward_stages<const R: usize, const MODE: u8>(lanes: &Lanes, x: &mut [__m512i; R], w: &[Factor; R]) {
    // SAFETY: the caller vouches for the target features.
    unsafe {
        if R == 8 {
            forward_butterfly::<R, MODE>(lanes, x, 0, 4, w[1]);
            forward_butterfly::<R, MODE>(lanes, x, 1, 5, w[1]);
            forward_butterfly::<R, MODE>(lanes, x, 2, 6, w[1]);
            forward_butterfly::<R, MODE>(lanes, x, 3, 7, w[1]);
            forward_butterfly::<R, MODE>(lanes, x, 0, 2, w[2]);
            forward_butterfly::<R, MODE>(lanes, x, 1, 3, w[2]);
            forward_butterfly::<R, MODE>(lanes, x, 4, 6, w[3]);
            forward_butterfly::<R, MODE>(lanes, x, 5, 7, w[3]);
            forward_butterfly::<R, MODE>(lanes, x, 0, 1, w[4]);
            forward_butterfly::<R, MODE>(lanes, x, 2, 3, w[5]);
            forward_butterfly::<R, MODE>(lanes, x, 4, 5, w[6]);
            forward_butterfly::<R, MODE>(lanes, x, 6, 7, w[7]);
        } else if R == 4 {
            forward_butterfly::<R, MODE>(lanes, x, 0, 2, w[1]);
            forward_butterfly::<R, MODE>(lanes, x, 1, 3, w[1]);
            forward_butterfly::<R, MODE>(lanes, x, 0, 1, w[2]);
            forward_butterfly::<R, MODE>(lanes, x, 2, 3, w[3]);
        } else {
            forward_butterfly::<R, MODE>(lanes, x, 0, 1, w[1]);
        }
    }
}

/// `(x_i + w·x_j, x_i - w·x_j)`: free, each grows by `2q` at most; corrected, all are in `[0, 4q)`.
#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
fn forward_butterfly<const R: usize, const MODE: u8>(
    lanes: &Lanes,
    x: &mut [__m512i; R],
    i: usize,
    j: usize,
    w: Factor,
) {
    if MODE == FREE {
        let sum = lanes.product_add(x[i], x[j], w);
        let twice = _mm512_add_epi64(_mm512_add_epi64(x[i], lanes.twice), x[i]);
        (x[i], x[j]) = (sum, _mm512_sub_epi64(twice, sum));
    } else {
        let first = lanes.halve(x[i]);
        let product = product::<MODE>(lanes, x[j], w);
        x[i] = _mm512_add_epi64(first, product);
        x[j] = _mm512_sub_epi64(_mm512_add_epi64(first, lanes.twice), product);
    }
}

/// The last three stages of the two blocks of eight with nodes `k` and `k + 1`, and the final reduction.
#[inline(always)]
unsafe fn forward_last<const MODE: u8, const STRICT: bool>(
    table: &Table,
    k: usize,
    (a, b): (__m512i, __m512i),
) -> (__m512i, __m512i) {
    // SAFETY: the caller vouches for the target features.
    unsafe {
        let lanes = &table.lanes;
        // The blocks alternate, so that two factors repeat: a0 b0 a1 b1 a2 b2 a3 b3 and a4 b4 a5 b5 a6 b6 a7 b7.
        let mut x = interleave(a, b).into();
        forward_butterfly::<2, MODE>(lanes, &mut x, 0, 1, table.two(k));
        // Four half blocks alternate: a0 a4 b0 b4 a1 a5 b1 b5 and a2 a6 b2 b6 a3 a7 b3 b7.
        let mut x = interleave(x[0], x[1]).into();
        forward_butterfly::<2, MODE>(lanes, &mut x, 0, 1, table.four(2 * k));
        // The even words a0 a2 a4 a6 b0 b2 b4 b6 and the odd words.
        let mut x = interleave(x[0], x[1]).into();
        forward_butterfly::<2, MODE>(lanes, &mut x, 0, 1, table.eight(4 * k));
        let x = x.map(|x| match (MODE == FREE, STRICT) {
            (true, false) => table.shrink(x),
            (true, true) => lanes.finish(table.shrink(x)),
            (false, false) => x,
            (false, true) => lanes.finish(lanes.halve(x)),
        });
        interleave(x[0], x[1])
    }
}

#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
fn inverse_transform<const MODE: u8, const STRICT: bool>(modulus: &Modulus, twiddles: &Twiddles, a: &mut [u64]) {
    assert_eq!(twiddles.inverse.len(), 2 * a.len());
    let table = Table::new(modulus, &twiddles.inverse);
    let a = a.as_chunks_mut().0;
    if a.len() < 8 {
        return inverse_small::<MODE, STRICT>(&table, a);
    }
    if a.len() == 8 {
        return inverse_leaf::<MODE, true, STRICT>(&table, 1, &mut a.as_chunks_mut().0[0]);
    }
    inverse_node::<MODE, true, STRICT>(&table, 1, a);
}

/// Degrees 16 and 32.
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
fn inverse_small<const MODE: u8, const STRICT: bool>(table: &Table, a: &mut [Words]) {
    let k = a.len();
    for (i, pair) in a.as_chunks_mut::<2>().0.iter_mut().enumerate() {
        // SAFETY: this function has the target features, and the nodes are below the degree.
        let x = unsafe { inverse_first::<MODE>(table, k + 2 * i, (load(&pair[0]), load(&pair[1]))) };
        store(&mut pair[0], x.0);
        store(&mut pair[1], x.1);
    }
    match a.len() {
        2 => inverse_pass::<2, MODE, true, STRICT>(table, 1, a),
        _ => inverse_pass::<4, MODE, true, STRICT>(table, 1, a),
    }
}

/// All stages of the block of node `k`, of at least 128 words. `LAST` is for node 1.
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
fn inverse_node<const MODE: u8, const LAST: bool, const STRICT: bool>(table: &Table, k: usize, a: &mut [Words]) {
    if a.len() > BLOCK / 8 {
        for (i, quarter) in a.chunks_exact_mut(a.len() / 4).enumerate() {
            inverse_node::<MODE, false, STRICT>(table, 4 * k + i, quarter);
        }
        return inverse_pass::<4, MODE, LAST, STRICT>(table, k, a);
    }
    let leaves = k * (a.len() / 8);
    for (i, block) in a.as_chunks_mut().0.iter_mut().enumerate() {
        inverse_leaf::<MODE, false, STRICT>(table, leaves + i, block);
    }
    let mut len = 8;
    loop {
        let joined = joined((a.len() / len).ilog2());
        len <<= joined;
        if len == a.len() {
            break inverse_block::<MODE, LAST, STRICT>(table, k, joined, a);
        }
        let nodes = k * (a.len() / len);
        for (i, block) in a.chunks_exact_mut(len).enumerate() {
            inverse_block::<MODE, false, STRICT>(table, nodes + i, joined, block);
        }
    }
}

#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
fn inverse_block<const MODE: u8, const LAST: bool, const STRICT: bool>(
    table: &Table,
    k: usize,
    stages: u32,
    block: &mut [Words],
) {
    match stages {
        1 => inverse_pass::<2, MODE, LAST, STRICT>(table, k, block),
        2 => inverse_pass::<4, MODE, LAST, STRICT>(table, k, block),
        _ => inverse_pass::<8, MODE, LAST, STRICT>(table, k, block),
    }
}

/// `log2 R` stages of the block of node `k`; `LAST` ends the transform. Values are in `[0, 2q)` before and after.
#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
fn inverse_pass<const R: usize, const MODE: u8, const LAST: bool, const STRICT: bool>(
    table: &Table,
    k: usize,
    block: &mut [Words],
) {
    let distance = block.len() / R;
    // SAFETY: this function has the target features, `i < distance`, and `R` divides the length of the block.
    unsafe {
        let factors = table.below::<R>(k);
        let scale = table.one(0);
        for i in 0..distance {
            let mut x = gather::<R>(block, distance, i);
            if LAST {
                inverse_scaled::<R, MODE, STRICT>(table, &mut x, &factors, scale);
            } else {
                inverse_stages::<R, MODE>(table, &mut x, &factors);
            }
            scatter(block, distance, i, x);
        }
    }
}

/// All six stages of a block of 64 words.
#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
fn inverse_leaf<const MODE: u8, const LAST: bool, const STRICT: bool>(table: &Table, k: usize, block: &mut [Words; 8]) {
    // SAFETY: this function has the target features, and the nodes are below the degree.
    unsafe {
        let mut x = gather::<8>(block, 1, 0);
        (x[0], x[1]) = inverse_first::<MODE>(table, 8 * k, (x[0], x[1]));
        (x[2], x[3]) = inverse_first::<MODE>(table, 8 * k + 2, (x[2], x[3]));
        (x[4], x[5]) = inverse_first::<MODE>(table, 8 * k + 4, (x[4], x[5]));
        (x[6], x[7]) = inverse_first::<MODE>(table, 8 * k + 6, (x[6], x[7]));
        if LAST {
            inverse_scaled::<8, MODE, STRICT>(table, &mut x, &table.below(k), table.one(0));
        } else {
            inverse_stages::<8, MODE>(table, &mut x, &table.below(k));
        }
        scatter(block, 1, 0, x);
    }
}

/// `log2 R` stages; values are in `[0, 2q)` before and after.
#[inline(always)]
unsafe fn inverse_stages<const R: usize, const MODE: u8>(table: &Table, x: &mut [__m512i; R], w: &[Factor; R]) {
    // SAFETY: the caller vouches for the target features.
    unsafe {
        let lanes = &table.lanes;
        inverse_inner::<R, MODE>(lanes, x, w);
        for i in 0..R / 2 {
            inverse_butterfly::<R, MODE>(lanes, x, i, i + R / 2, w[1]);
        }
        if MODE == FREE {
            // A word that was a sum in each of the last s stages is below 2q·2^s.
            x[0] = match R {
                2 => lanes.halve(x[0]),
                _ => table.shrink(x[0]),
            };
            if R == 4 {
                x[1] = lanes.halve(lanes.clean(x[1]));
            } else if R == 8 {
                let eighth = lanes.clean(x[1]);
                let twice = _mm512_add_epi64(lanes.twice, lanes.twice);
                x[1] = lanes.halve(_mm512_min_epu64(eighth, _mm512_sub_epi64(eighth, twice)));
                x[2] = lanes.halve(lanes.clean(x[2]));
                x[3] = lanes.halve(lanes.clean(x[3]));
            }
            for x in &mut x[R / 2..] {
                *x = lanes.clean(*x);
            }
        }
    }
}

/// `log2 R` stages, of which the last multiplies by `scale`; values are in `[0, 2q)` before and after.
#[inline(always)]
unsafe fn inverse_scaled<const R: usize, const MODE: u8, const STRICT: bool>(
    table: &Table,
    x: &mut [__m512i; R],
    w: &[Factor; R],
    scale: Factor,
) {
    // SAFETY: the caller vouches for the target features.
    unsafe {
        let lanes = &table.lanes;
        inverse_inner::<R, MODE>(lanes, x, w);
        for i in 0..R / 2 {
            let (sum, difference) = sum_and_difference::<MODE>(lanes, x[i], x[i + R / 2]);
            x[i] = product::<MODE>(lanes, sum, scale);
            x[i + R / 2] = product::<MODE>(lanes, difference, w[1]);
        }
        if STRICT {
            for x in x {
                *x = lanes.finish(*x);
            }
        }
    }
}

/// All stages of `log2 R` but the last.
#[inline(always)]
unsafe fn inverse_inner<const R: usize, const MODE: u8>(lanes: &Lanes, x: &mut [__m512i; R], w: &[Factor; R]) {
    // SAFETY: the caller vouches for the target features.
    unsafe {
        if R == 8 {
            inverse_butterfly::<R, MODE>(lanes, x, 0, 1, w[4]);
            inverse_butterfly::<R, MODE>(lanes, x, 2, 3, w[5]);
            inverse_butterfly::<R, MODE>(lanes, x, 4, 5, w[6]);
            inverse_butterfly::<R, MODE>(lanes, x, 6, 7, w[7]);
            inverse_butterfly::<R, MODE>(lanes, x, 0, 2, w[2]);
            inverse_butterfly::<R, MODE>(lanes, x, 1, 3, w[2]);
            inverse_butterfly::<R, MODE>(lanes, x, 4, 6, w[3]);
            inverse_butterfly::<R, MODE>(lanes, x, 5, 7, w[3]);
        } else if R == 4 {
            inverse_butterfly::<R, MODE>(lanes, x, 0, 1, w[2]);
            inverse_butterfly::<R, MODE>(lanes, x, 2, 3, w[3]);
        }
    }
}

/// `(x_i + x_j, (x_i - x_j)·w)`: corrected, all are in `[0, 2q)`; free, the sum is not reduced and the product counts
/// modulo `2^52`.
#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
fn inverse_butterfly<const R: usize, const MODE: u8>(
    lanes: &Lanes,
    x: &mut [__m512i; R],
    i: usize,
    j: usize,
    w: Factor,
) {
    let (sum, difference) = sum_and_difference::<MODE>(lanes, x[i], x[j]);
    if MODE == FREE {
        x[i] = sum;
        x[j] = lanes.product_add(_mm512_setzero_si512(), difference, w);
    } else {
        x[i] = lanes.halve(sum);
        x[j] = product::<MODE>(lanes, difference, w);
    }
}

/// `x + y`, and `x - y` plus a multiple of `q` that makes it positive: `y` is below `8q` if free, else below `2q`.
#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
fn sum_and_difference<const MODE: u8>(lanes: &Lanes, x: __m512i, y: __m512i) -> (__m512i, __m512i) {
    let offset = if MODE == FREE { _mm512_slli_epi64::<2>(lanes.twice) } else { lanes.twice };
    (_mm512_add_epi64(x, y), _mm512_sub_epi64(_mm512_add_epi64(x, offset), y))
}

/// The first three stages of the two blocks of eight with nodes `k` and `k + 1`: [`forward_last`] backwards.
#[inline(always)]
unsafe fn inverse_first<const MODE: u8>(table: &Table, k: usize, (a, b): (__m512i, __m512i)) -> (__m512i, __m512i) {
    // SAFETY: the caller vouches for the target features.
    unsafe {
        let lanes = &table.lanes;
        let mut x = separate(a, b).into();
        inverse_butterfly::<2, MODE>(lanes, &mut x, 0, 1, table.eight(4 * k));
        let mut x = separate(x[0], x[1]).into();
        inverse_butterfly::<2, MODE>(lanes, &mut x, 0, 1, table.four(2 * k));
        let mut x = separate(x[0], x[1]).into();
        inverse_butterfly::<2, MODE>(lanes, &mut x, 0, 1, table.two(k));
        if MODE == FREE { separate(table.shrink(x[0]), lanes.clean(x[1])) } else { separate(x[0], x[1]) }
    }
}
