//! Transforms modulo wider primes, on words of 64 bits.
//!
//! Words are reduced lazily and bounded in units of `4q`. Forward, a stage adds the bound of a product; backward, a sum
//! doubles the bound. The order of the work is that of the transforms in doubles.
//!
//! Products with a factor `w` are of two kinds. Shoup's are below one unit. Up to 57 bits there is room for Montgomery's,
//! which take fewer instructions and are below three units: with a word `y = y0 + y1·2^32`, `A = w·2^30 mod q` and
//! `B = w·2^62 mod q`, the sum `S = y0·A + y1·B` is `y·w·2^30` modulo `q`, and with `m = -S·q^-1` modulo `2^30`
//!
//! ```text
//! (S + m·q) / 2^30 = y·w  mod q.
//! ```
//!
//! `A`, `B` and `q` are split at 30 bits, so that all products are of 32 bits and their sums fit in 64. No more than its
//! residue modulo `2^30` counts for `m`, which may have 32 bits: the result is below `(2^33 + 2^32)·q / 2^30 = 12q`.

use core::arch::x86_64::*;

use super::super::{Words, load, splat, store};
use super::{BLOCK, chunk};
use crate::Buffer;
use crate::arch::x86_64::entry;
use crate::arch::{NttKernels, Prologue, Twiddles, portable};
use crate::modulus::Modulus;

/// Words have room for 32 units: products are Montgomery's; backward, only the sum of four is reduced in each pass.
pub(crate) static FREE: NttKernels = NttKernels {
    name: "avx2, wide",
    supports: |modulus, degree| degree >= 64 && (51..=57).contains(&modulus.bits()),
    prepare: prepare::<false>,
    forward,
    forward_lazy,
    forward_from,
    forward_lazy_from,
    inverse,
    inverse_lazy,
    butterflies,
};

/// Words have room for four units: products are Shoup's; backward, all sums are reduced.
pub(crate) static TIGHT: NttKernels = NttKernels {
    name: "avx2, tight",
    supports: |modulus, degree| degree >= 64 && (51..=60).contains(&modulus.bits()),
    prepare: prepare::<true>,
    forward: forward_tight,
    forward_lazy: forward_tight_lazy,
    forward_from: forward_tight_from,
    forward_lazy_from: forward_tight_lazy_from,
    inverse: inverse_tight,
    inverse_lazy: inverse_tight_lazy,
    butterflies: butterflies_tight,
};

entry! {
    fn forward(modulus: &Modulus, twiddles: &Twiddles, a: &mut [u64]) = forward_transform::<false, true>;
    fn forward_lazy(modulus: &Modulus, twiddles: &Twiddles, a: &mut [u64]) = forward_transform::<false, false>;
    fn forward_from(modulus: &Modulus, twiddles: &Twiddles, out: &mut [u64], input: &[u64], prologue: Prologue)
        = forward_after::<false, true>;
    fn forward_lazy_from(modulus: &Modulus, twiddles: &Twiddles, out: &mut [u64], input: &[u64], prologue: Prologue)
        = forward_after::<false, false>;
    fn inverse(modulus: &Modulus, twiddles: &Twiddles, a: &mut [u64]) = inverse_transform::<false, true>;
    fn inverse_lazy(modulus: &Modulus, twiddles: &Twiddles, a: &mut [u64]) = inverse_transform::<false, false>;
    fn butterflies(modulus: &Modulus, twiddles: &Twiddles, count: usize) -> u64 = butterflies_alone::<false>;
    fn forward_tight(modulus: &Modulus, twiddles: &Twiddles, a: &mut [u64]) = forward_transform::<true, true>;
    fn forward_tight_lazy(modulus: &Modulus, twiddles: &Twiddles, a: &mut [u64]) = forward_transform::<true, false>;
    fn forward_tight_from(modulus: &Modulus, twiddles: &Twiddles, out: &mut [u64], input: &[u64], prologue: Prologue)
        = forward_after::<true, true>;
    fn forward_tight_lazy_from(modulus: &Modulus, twiddles: &Twiddles, out: &mut [u64], input: &[u64], prologue: Prologue)
        = forward_after::<true, false>;
    fn inverse_tight(modulus: &Modulus, twiddles: &Twiddles, a: &mut [u64]) = inverse_transform::<true, true>;
    fn inverse_tight_lazy(modulus: &Modulus, twiddles: &Twiddles, a: &mut [u64]) = inverse_transform::<true, false>;
    fn butterflies_tight(modulus: &Modulus, twiddles: &Twiddles, count: usize) -> u64 = butterflies_alone::<true>;
}

/// All residues, then all their quotients `floor(w·2^64 / q)`; without `SHOUP` all `w·2^30`, then all `w·2^62` modulo `q`,
/// split.
fn prepare<const SHOUP: bool>(modulus: &Modulus, residues: &[u64]) -> Buffer {
    let mut table = Buffer::zeroed(2 * residues.len());
    let (first, second) = table.split_at_mut(residues.len());
    let power = |exponent: u32| modulus.shoup(modulus.reduce(1 << exponent));
    let (power_30, power_62) = (power(30), power(62));
    for ((first, second), &residue) in first.iter_mut().zip(second).zip(residues) {
        (*first, *second) = if SHOUP {
            (residue, modulus.shoup(residue).quotient)
        } else {
            (split(modulus.mul_shoup(residue, power_30)), split(modulus.mul_shoup(residue, power_62)))
        };
    }
    table
}

/// The low 30 bits, and the others from bit 32 on.
fn split(word: u64) -> u64 {
    (word & ((1 << 30) - 1)) | (word >> 30) << 32
}

/// A word in lanes that others are multiplied by.
#[derive(Clone, Copy)]
struct Multiplier {
    word: __m256i,
    /// The halves of the word in the other order.
    swapped: __m256i,
}

/// Factors in lanes, two words for each.
#[derive(Clone, Copy)]
struct Factor {
    /// The residue, or `A`.
    first: Multiplier,
    /// The quotient, or `B`.
    second: __m256i,
    /// Its high half.
    second_high: __m256i,
}

/// The factors of one direction, with the constants of the modulus.
#[derive(Clone, Copy)]
struct Table<'a, const SHOUP: bool> {
    q: Multiplier,
    /// `q`, split.
    parts: Multiplier,
    /// `-q^-1` modulo `2^32`.
    negated_inverse: __m256i,
    once: __m256i,
    twice: __m256i,
    /// The bound of a product.
    bound: __m256i,
    /// The same in units.
    units: u64,
    /// `floor(2^64 / q)`, below `2^14`.
    ratio: __m256i,
    /// The units that fit in a word.
    limit: u64,
    first: &'a [u64],
    second: &'a [u64],
}

impl<'a, const SHOUP: bool> Table<'a, SHOUP> {
    #[inline]
    #[target_feature(enable = "avx2,fma")]
    fn new(modulus: &Modulus, table: &'a [u64]) -> Self {
        let (first, second) = table.split_at(table.len() / 2);
        let q = modulus.value();
        let units = if SHOUP { 1 } else { 3 };
        Self {
            q: multiplier(splat(q)),
            parts: multiplier(splat(split(q))),
            negated_inverse: splat(negated_inverse(q)),
            once: splat(q),
            twice: splat(2 * q),
            bound: splat(units * 4 * q),
            units,
            ratio: splat(u64::MAX / q),
            limit: u64::MAX / (4 * q),
            first,
            second,
        }
    }

    /// Factor `k` in every lane.
    #[inline]
    #[target_feature(enable = "avx2,fma")]
    unsafe fn one(&self, k: usize) -> Factor {
        // SAFETY: the caller vouches for the node, as `chunk` asks.
        unsafe {
            let ([first], [second]) = (chunk(self.first, k), chunk(self.second, k));
            factor(splat(*first), splat(*second))
        }
    }

    /// Factors `k`, `k`, `k + 1` and `k + 1`.
    #[inline]
    #[target_feature(enable = "avx2,fma")]
    unsafe fn two(&self, k: usize) -> Factor {
        // SAFETY: the caller vouches for the node, as `chunk` asks.
        unsafe { factor(repeat_2(chunk(self.first, k)), repeat_2(chunk(self.second, k))) }
    }

    /// Factors `k` to `k + 3`.
    #[inline]
    #[target_feature(enable = "avx2,fma")]
    unsafe fn four(&self, k: usize) -> Factor {
        // SAFETY: the caller vouches for the node, as `chunk` asks.
        unsafe { factor(load(chunk(self.first, k)), load(chunk(self.second, k))) }
    }

    /// The factors of node `k` and of its children.
    #[inline]
    #[target_feature(enable = "avx2,fma")]
    unsafe fn three(&self, k: usize) -> [Factor; 3] {
        // SAFETY: the caller vouches for the nodes.
        unsafe { [self.one(k), self.one(2 * k), self.one(2 * k + 1)] }
    }

    /// `y·w` below the bound of a product, for any word `y`.
    #[inline]
    #[target_feature(enable = "avx2,fma")]
    fn product(&self, y: __m256i, w: Factor) -> __m256i {
        if SHOUP { self.shoup_product(y, w) } else { self.montgomery_product(y, w) }
    }

    /// `y·w` in `[0, 12q)` for any word `y`.
    #[inline]
    #[target_feature(enable = "avx2,fma")]
    fn montgomery_product(&self, y: __m256i, w: Factor) -> __m256i {
        let y_high = _mm256_srli_epi64::<32>(y);
        // Below 2^62 + 2^62 and 2^59 + 2^59.
        let low = _mm256_add_epi64(_mm256_mul_epu32(y, w.first.word), _mm256_mul_epu32(y_high, w.second));
        let high = _mm256_add_epi64(_mm256_mul_epu32(y, w.first.swapped), _mm256_mul_epu32(y_high, w.second_high));
        // Of lanes of 32 bits: of a product of 64 bits with only its low half used, compilers make three.
        let m = _mm256_mullo_epi32(low, self.negated_inverse);
        let low = _mm256_add_epi64(low, _mm256_mul_epu32(m, self.parts.word));
        let high = _mm256_add_epi64(high, _mm256_mul_epu32(m, self.parts.swapped));
        _mm256_add_epi64(high, _mm256_srli_epi64::<30>(low))
    }

    /// `y·w` in `[0, 4q)` for any word `y`.
    ///
    /// Shoup's quotient is too small by less than 2, and its estimate, without the low product and the carries of the low
    /// halves, by at most 2 more.
    #[inline]
    #[target_feature(enable = "avx2,fma")]
    fn shoup_product(&self, y: __m256i, w: Factor) -> __m256i {
        let high = _mm256_srli_epi64::<32>(y);
        let first = _mm256_srli_epi64::<32>(_mm256_mul_epu32(high, w.second));
        let second = _mm256_srli_epi64::<32>(_mm256_mul_epu32(y, w.second_high));
        let quotient = _mm256_add_epi64(_mm256_mul_epu32(high, w.second_high), _mm256_add_epi64(first, second));
        self.remainder(y, w.first, quotient)
    }

    /// `y·w - quotient·q` modulo `2^64`.
    #[inline]
    #[target_feature(enable = "avx2,fma")]
    fn remainder(&self, y: __m256i, w: Multiplier, quotient: __m256i) -> __m256i {
        let low = _mm256_sub_epi64(_mm256_mul_epu32(y, w.word), _mm256_mul_epu32(quotient, self.q.word));
        // Both cross products of a lane count modulo 2^32, in its high half.
        let cross = _mm256_sub_epi32(_mm256_mullo_epi32(y, w.swapped), _mm256_mullo_epi32(quotient, self.q.swapped));
        let cross = _mm256_add_epi32(cross, _mm256_srli_epi64::<32>(cross));
        _mm256_add_epi64(low, _mm256_slli_epi64::<32>(cross))
    }

    /// Any word to `[0, 4q)`: the quotient of the high half is at most two too small.
    #[inline]
    #[target_feature(enable = "avx2,fma")]
    fn shrink(&self, x: __m256i) -> __m256i {
        let quotient = _mm256_srli_epi64::<32>(_mm256_mul_epu32(_mm256_srli_epi64::<32>(x), self.ratio));
        let high = _mm256_slli_epi64::<32>(_mm256_mul_epu32(quotient, self.q.swapped));
        _mm256_sub_epi64(_mm256_sub_epi64(x, _mm256_mul_epu32(quotient, self.q.word)), high)
    }

    /// `[0, 4q)` to `[0, 2q)`.
    #[inline]
    #[target_feature(enable = "avx2,fma")]
    fn halve(&self, x: __m256i) -> __m256i {
        subtract_once(x, self.twice)
    }

    /// `[0, 4q)` to `[0, q)` if strict, else to `[0, 2q)`.
    #[inline]
    #[target_feature(enable = "avx2,fma")]
    fn finish<const STRICT: bool>(&self, x: __m256i) -> __m256i {
        if STRICT { subtract_once(self.halve(x), self.once) } else { self.halve(x) }
    }
}

#[inline]
#[target_feature(enable = "avx2,fma")]
fn multiplier(word: __m256i) -> Multiplier {
    Multiplier { word, swapped: _mm256_shuffle_epi32::<0b10_11_00_01>(word) }
}

#[inline]
#[target_feature(enable = "avx2,fma")]
fn factor(first: __m256i, second: __m256i) -> Factor {
    Factor { first: multiplier(first), second, second_high: _mm256_srli_epi64::<32>(second) }
}

#[inline]
#[target_feature(enable = "avx2,fma")]
fn repeat_2(words: &[u64; 2]) -> __m256i {
    let [w0, w1] = words.map(|w| w as i64);
    _mm256_setr_epi64x(w0, w0, w1, w1)
}

/// `-q^-1` modulo `2^32` for an odd `q`, by Newton's iteration.
fn negated_inverse(q: u64) -> u64 {
    let q = q as u32;
    // Right modulo 2^3, and each step doubles the bits.
    let inverse = (0..4).fold(q, |inverse, _| inverse.wrapping_mul(2_u32.wrapping_sub(q.wrapping_mul(inverse))));
    u64::from(inverse.wrapping_neg())
}

/// `x - m` unless that is negative, else `x`; both are below `2^63`.
#[inline]
#[target_feature(enable = "avx2,fma")]
fn subtract_once(x: __m256i, m: __m256i) -> __m256i {
    let difference = _mm256_sub_epi64(x, m);
    // The sign of the difference chooses.
    let sign = _mm256_castsi256_pd(difference);
    _mm256_castpd_si256(_mm256_blendv_pd(sign, _mm256_castsi256_pd(x), sign))
}

/// The transform with a prologue.
#[target_feature(enable = "avx2,fma")]
fn forward_after<const SHOUP: bool, const STRICT: bool>(
    modulus: &Modulus,
    twiddles: &Twiddles,
    out: &mut [u64],
    input: &[u64],
    prologue: Prologue,
) {
    portable::apply_prologue(modulus, prologue, out, input);
    forward_transform::<SHOUP, STRICT>(modulus, twiddles, out);
}

#[target_feature(enable = "avx2,fma")]
fn forward_transform<const SHOUP: bool, const STRICT: bool>(modulus: &Modulus, twiddles: &Twiddles, a: &mut [u64]) {
    assert_eq!(twiddles.forward.len(), 2 * a.len());
    let table = Table::<SHOUP>::new(modulus, &twiddles.forward);
    forward_node::<SHOUP, STRICT>(&table, 1, a.as_chunks_mut().0, 1);
}

/// All stages of the block of node `k`, of at least 64 words below `bound` units.
#[target_feature(enable = "avx2,fma")]
fn forward_node<const SHOUP: bool, const STRICT: bool>(
    table: &Table<SHOUP>,
    k: usize,
    a: &mut [Words],
    mut bound: u64,
) {
    if a.len() > BLOCK / 4 {
        let bound = forward_bounded::<4, SHOUP>(table, k, 1, a, bound);
        for (i, quarter) in a.chunks_exact_mut(a.len() / 4).enumerate() {
            forward_node::<SHOUP, STRICT>(table, 4 * k + i, quarter, bound);
        }
        return;
    }
    let mut blocks = 1;
    if a.len().ilog2() % 2 == 1 {
        bound = forward_bounded::<2, SHOUP>(table, k, 1, a, bound);
        blocks = 2;
    }
    while a.len() / blocks > 4 {
        bound = forward_bounded::<4, SHOUP>(table, k * blocks, blocks, a, bound);
        blocks *= 4;
    }
    let reduce = bound + 4 * table.units > table.limit;
    for (i, block) in a.as_chunks_mut().0.iter_mut().enumerate() {
        if reduce {
            forward_leaf::<SHOUP, STRICT, true>(table, k * blocks + i, block);
        } else {
            forward_leaf::<SHOUP, STRICT, false>(table, k * blocks + i, block);
        }
    }
}

/// A pass of `log2 R` stages over blocks below `bound` units, from that of node `k` on; the bound afterwards.
#[inline]
#[target_feature(enable = "avx2,fma")]
fn forward_bounded<const R: u64, const SHOUP: bool>(
    table: &Table<SHOUP>,
    k: usize,
    blocks: usize,
    a: &mut [Words],
    bound: u64,
) -> u64 {
    let growth = u64::from(R.ilog2()) * table.units;
    let reduce = bound + growth > table.limit;
    for (i, block) in a.chunks_exact_mut(a.len() / blocks).enumerate() {
        match (R, reduce) {
            (2, false) => forward_pass_2::<SHOUP, false>(table, k + i, block),
            (2, true) => forward_pass_2::<SHOUP, true>(table, k + i, block),
            (_, false) => forward_pass_4::<SHOUP, false>(table, k + i, block),
            (_, true) => forward_pass_4::<SHOUP, true>(table, k + i, block),
        }
    }
    if reduce { 1 + growth } else { bound + growth }
}

/// One stage of the block of node `k`.
#[inline]
#[target_feature(enable = "avx2,fma")]
fn forward_pass_2<const SHOUP: bool, const REDUCE: bool>(table: &Table<SHOUP>, k: usize, block: &mut [Words]) {
    let (low, high) = block.split_at_mut(block.len() / 2);
    // SAFETY: the node is in the tree of the degree.
    let w = unsafe { table.one(k) };
    for (x0, x1) in low.iter_mut().zip(high) {
        let x = if REDUCE { table.shrink(load(x0)) } else { load(x0) };
        let [y0, y1] = forward_butterfly(table, [x, load(x1)], w);
        store(x0, y0);
        store(x1, y1);
    }
}

/// Two stages of the block of node `k`.
#[inline]
#[target_feature(enable = "avx2,fma")]
fn forward_pass_4<const SHOUP: bool, const REDUCE: bool>(table: &Table<SHOUP>, k: usize, block: &mut [Words]) {
    // SAFETY: the node is in the tree of the degree.
    let w = unsafe { table.three(k) };
    let (low, high) = block.split_at_mut(block.len() / 2);
    let ((x0, x1), (x2, x3)) = (low.split_at_mut(low.len() / 2), high.split_at_mut(high.len() / 2));
    for (((x0, x1), x2), x3) in x0.iter_mut().zip(x1).zip(x2).zip(x3) {
        let x = [load(x0), load(x1), load(x2), load(x3)];
        let [y0, y1, y2, y3] = forward_stages::<SHOUP, REDUCE>(table, x, w);
        store(x0, y0);
        store(x1, y1);
        store(x2, y2);
        store(x3, y3);
    }
}

/// At least `count` butterflies; a word that depends on all of them.
#[target_feature(enable = "avx2,fma")]
fn butterflies_alone<const SHOUP: bool>(modulus: &Modulus, twiddles: &Twiddles, count: usize) -> u64 {
    let table = &Table::<SHOUP>::new(modulus, &twiddles.forward);
    // As in a pass, which does not know that all lanes of the constants are equal.
    let table = core::hint::black_box(table);
    // SAFETY: the degree is at least 64.
    let w = unsafe { table.three(1) };
    // Independent ones, as the columns of a pass are.
    let mut columns = [[table.once; 4]; 2];
    for _ in 0..count.div_ceil(2 * 4 * 4) {
        for x in &mut columns {
            *x = forward_stages::<SHOUP, false>(table, *x, w);
        }
    }
    let mut sum = _mm256_setzero_si256();
    for &x in columns.as_flattened() {
        sum = _mm256_add_epi64(sum, x);
    }
    _mm256_extract_epi64::<0>(sum) as u64
}

/// Two stages. What the first does not multiply is reduced to one unit where `REDUCE`.
#[inline]
#[target_feature(enable = "avx2,fma")]
fn forward_stages<const SHOUP: bool, const REDUCE: bool>(
    table: &Table<SHOUP>,
    [mut x0, mut x1, x2, x3]: [__m256i; 4],
    w: [Factor; 3],
) -> [__m256i; 4] {
    if REDUCE {
        (x0, x1) = (table.shrink(x0), table.shrink(x1));
    }
    let [x0, x2] = forward_butterfly(table, [x0, x2], w[0]);
    let [x1, x3] = forward_butterfly(table, [x1, x3], w[0]);
    let [x0, x1] = forward_butterfly(table, [x0, x1], w[1]);
    let [x2, x3] = forward_butterfly(table, [x2, x3], w[2]);
    [x0, x1, x2, x3]
}

/// `(x + w·y, x - w·y)`: the bound grows by that of a product.
#[inline]
#[target_feature(enable = "avx2,fma")]
fn forward_butterfly<const SHOUP: bool>(table: &Table<SHOUP>, [x, y]: [__m256i; 2], w: Factor) -> [__m256i; 2] {
    let product = table.product(y, w);
    [_mm256_add_epi64(x, product), _mm256_sub_epi64(_mm256_add_epi64(x, table.bound), product)]
}

/// All four stages of a block of 16 words, to `[0, 4q)`, or `[0, q)` if strict.
#[inline]
#[target_feature(enable = "avx2,fma")]
fn forward_leaf<const SHOUP: bool, const STRICT: bool, const REDUCE: bool>(
    table: &Table<SHOUP>,
    k: usize,
    block: &mut [Words; 4],
) {
    let x = [load(&block[0]), load(&block[1]), load(&block[2]), load(&block[3])];
    // SAFETY: the node is in the tree of the degree.
    let w = unsafe { table.three(k) };
    let [x0, x1, x2, x3] = forward_stages::<SHOUP, REDUCE>(table, x, w);
    let [x0, x1] = forward_last::<SHOUP, STRICT, REDUCE>(table, 4 * k, [x0, x1]);
    let [x2, x3] = forward_last::<SHOUP, STRICT, REDUCE>(table, 4 * k + 2, [x2, x3]);
    for (words, x) in block.iter_mut().zip([x0, x1, x2, x3]) {
        store(words, x);
    }
}

/// The last two stages of the two blocks of four with nodes `k` and `k + 1`, and the final reduction.
#[inline]
#[target_feature(enable = "avx2,fma")]
fn forward_last<const SHOUP: bool, const STRICT: bool, const REDUCE: bool>(
    table: &Table<SHOUP>,
    k: usize,
    [mut a, mut b]: [__m256i; 2],
) -> [__m256i; 2] {
    if REDUCE {
        (a, b) = (table.shrink(a), table.shrink(b));
    }
    // a0 a1 b0 b1 and a2 a3 b2 b3.
    let x = [_mm256_permute2x128_si256::<0x20>(a, b), _mm256_permute2x128_si256::<0x31>(a, b)];
    // SAFETY: the node is in the tree of the degree.
    let [x, y] = forward_butterfly(table, x, unsafe { table.two(k) });
    // a0 a2 b0 b2 and a1 a3 b1 b3.
    let x = [_mm256_unpacklo_epi64(x, y), _mm256_unpackhi_epi64(x, y)];
    // SAFETY: the node is in the tree of the degree.
    let [x, y] = forward_butterfly(table, x, unsafe { table.four(2 * k) });
    let (mut x, mut y) = (table.shrink(x), table.shrink(y));
    if STRICT {
        (x, y) = (table.finish::<true>(x), table.finish::<true>(y));
    }
    let (x, y) = (_mm256_unpacklo_epi64(x, y), _mm256_unpackhi_epi64(x, y));
    [_mm256_permute2x128_si256::<0x20>(x, y), _mm256_permute2x128_si256::<0x31>(x, y)]
}

#[target_feature(enable = "avx2,fma")]
fn inverse_transform<const TIGHT: bool, const STRICT: bool>(modulus: &Modulus, twiddles: &Twiddles, a: &mut [u64]) {
    assert_eq!(twiddles.inverse.len(), 2 * a.len());
    let table = Table::<TIGHT>::new(modulus, &twiddles.inverse);
    inverse_node::<TIGHT, true, STRICT>(&table, 1, a.as_chunks_mut().0);
}

/// All stages of the block of node `k`, of at least 64 words. `LAST` is for node 1.
#[target_feature(enable = "avx2,fma")]
fn inverse_node<const TIGHT: bool, const LAST: bool, const STRICT: bool>(
    table: &Table<TIGHT>,
    k: usize,
    a: &mut [Words],
) {
    if a.len() > BLOCK / 4 {
        for (i, quarter) in a.chunks_exact_mut(a.len() / 4).enumerate() {
            inverse_node::<TIGHT, false, STRICT>(table, 4 * k + i, quarter);
        }
        return inverse_pass_4::<TIGHT, LAST, STRICT>(table, k, a);
    }
    let leaves = k * (a.len() / 4);
    for (i, block) in a.as_chunks_mut().0.iter_mut().enumerate() {
        inverse_leaf::<TIGHT>(table, leaves + i, block);
    }
    let mut len = 4;
    while a.len() / len > 4 {
        len *= 4;
        let nodes = k * (a.len() / len);
        for (i, block) in a.chunks_exact_mut(len).enumerate() {
            inverse_pass_4::<TIGHT, false, STRICT>(table, nodes + i, block);
        }
    }
    if a.len() / len == 2 {
        inverse_pass_2::<TIGHT, LAST, STRICT>(table, k, a);
    } else {
        inverse_pass_4::<TIGHT, LAST, STRICT>(table, k, a);
    }
}

/// One stage of the block of node `k`; `LAST` ends the transform.
#[inline]
#[target_feature(enable = "avx2,fma")]
fn inverse_pass_2<const TIGHT: bool, const LAST: bool, const STRICT: bool>(
    table: &Table<TIGHT>,
    k: usize,
    block: &mut [Words],
) {
    // SAFETY: the node is in the tree of the degree, and every table has an entry 0.
    let (w, scale) = unsafe { (table.one(k), table.one(0)) };
    let (low, high) = block.split_at_mut(block.len() / 2);
    for (x0, x1) in low.iter_mut().zip(high) {
        let x = [load(x0), load(x1)];
        let [y0, y1] = if LAST {
            inverse_scaled::<TIGHT, STRICT>(table, x, scale, w)
        } else {
            let [sum, product] = inverse_butterfly::<TIGHT, false>(table, x, w);
            [table.shrink(sum), product]
        };
        store(x0, y0);
        store(x1, y1);
    }
}

/// Two stages of the block of node `k`; `LAST` ends the transform.
#[inline]
#[target_feature(enable = "avx2,fma")]
fn inverse_pass_4<const TIGHT: bool, const LAST: bool, const STRICT: bool>(
    table: &Table<TIGHT>,
    k: usize,
    block: &mut [Words],
) {
    // SAFETY: the nodes are in the tree of the degree, and every table has an entry 0.
    let (w, scale) = unsafe { (table.three(k), table.one(0)) };
    let (low, high) = block.split_at_mut(block.len() / 2);
    let ((x0, x1), (x2, x3)) = (low.split_at_mut(low.len() / 2), high.split_at_mut(high.len() / 2));
    for (((x0, x1), x2), x3) in x0.iter_mut().zip(x1).zip(x2).zip(x3) {
        let x = [load(x0), load(x1), load(x2), load(x3)];
        let [y0, y1, y2, y3] = if LAST {
            let [y0, y1] = inverse_butterfly::<TIGHT, false>(table, [x[0], x[1]], w[1]);
            let [y2, y3] = inverse_butterfly::<TIGHT, false>(table, [x[2], x[3]], w[2]);
            let [y0, y2] = inverse_scaled::<TIGHT, STRICT>(table, [y0, y2], scale, w[0]);
            let [y1, y3] = inverse_scaled::<TIGHT, STRICT>(table, [y1, y3], scale, w[0]);
            [y0, y1, y2, y3]
        } else {
            inverse_stages::<TIGHT>(table, x, w)
        };
        store(x0, y0);
        store(x1, y1);
        store(x2, y2);
        store(x3, y3);
    }
}

/// Two stages of words below the bound of two products, or of one if tight, as afterwards.
#[inline]
#[target_feature(enable = "avx2,fma")]
fn inverse_stages<const TIGHT: bool>(
    table: &Table<TIGHT>,
    [x0, x1, x2, x3]: [__m256i; 4],
    w: [Factor; 3],
) -> [__m256i; 4] {
    let [x0, x1] = inverse_butterfly::<TIGHT, false>(table, [x0, x1], w[1]);
    let [x2, x3] = inverse_butterfly::<TIGHT, false>(table, [x2, x3], w[2]);
    let [x0, x2] = inverse_butterfly::<TIGHT, true>(table, [x0, x2], w[0]);
    let [x1, x3] = inverse_butterfly::<TIGHT, true>(table, [x1, x3], w[0]);
    [table.shrink(x0), if TIGHT { table.shrink(x1) } else { x1 }, x2, x3]
}

/// `(x + y, (x - y)·w)`; the bound of the words is doubled if `SECOND`, which follows another one.
#[inline]
#[target_feature(enable = "avx2,fma")]
fn inverse_butterfly<const TIGHT: bool, const SECOND: bool>(
    table: &Table<TIGHT>,
    [x, y]: [__m256i; 2],
    w: Factor,
) -> [__m256i; 2] {
    let offset = match (TIGHT, SECOND) {
        (true, false) => table.bound,
        (false, false) | (true, true) => _mm256_slli_epi64::<1>(table.bound),
        (false, true) => _mm256_slli_epi64::<2>(table.bound),
    };
    let difference = _mm256_sub_epi64(_mm256_add_epi64(x, offset), y);
    [_mm256_add_epi64(x, y), table.product(difference, w)]
}

/// The butterfly of the last stage, `((x + y)·scale, (x - y)·w)`, in `[0, q)` if strict, else `[0, 2q)`.
#[inline]
#[target_feature(enable = "avx2,fma")]
fn inverse_scaled<const TIGHT: bool, const STRICT: bool>(
    table: &Table<TIGHT>,
    x: [__m256i; 2],
    scale: Factor,
    w: Factor,
) -> [__m256i; 2] {
    let [sum, product] = inverse_butterfly::<TIGHT, true>(table, x, w);
    let mut out = [table.product(sum, scale), product];
    if !TIGHT {
        out = [table.shrink(out[0]), table.shrink(out[1])];
    }
    [table.finish::<STRICT>(out[0]), table.finish::<STRICT>(out[1])]
}

/// All four stages of a block of 16 words: [`forward_leaf`] backwards.
#[inline]
#[target_feature(enable = "avx2,fma")]
fn inverse_leaf<const TIGHT: bool>(table: &Table<TIGHT>, k: usize, block: &mut [Words; 4]) {
    let [x0, x1] = inverse_first::<TIGHT>(table, 4 * k, [load(&block[0]), load(&block[1])]);
    let [x2, x3] = inverse_first::<TIGHT>(table, 4 * k + 2, [load(&block[2]), load(&block[3])]);
    // SAFETY: the node is in the tree of the degree.
    let w = unsafe { table.three(k) };
    let x = inverse_stages::<TIGHT>(table, [x0, x1, x2, x3], w);
    for (words, x) in block.iter_mut().zip(x) {
        store(words, x);
    }
}

/// The first two stages of the two blocks of four with nodes `k` and `k + 1`, from words below one unit to such words.
#[inline]
#[target_feature(enable = "avx2,fma")]
fn inverse_first<const TIGHT: bool>(table: &Table<TIGHT>, k: usize, [a, b]: [__m256i; 2]) -> [__m256i; 2] {
    let (x, y) = (_mm256_permute2x128_si256::<0x20>(a, b), _mm256_permute2x128_si256::<0x31>(a, b));
    let x = [_mm256_unpacklo_epi64(x, y), _mm256_unpackhi_epi64(x, y)];
    // SAFETY: the node is in the tree of the degree.
    let [x, y] = inverse_butterfly::<TIGHT, false>(table, x, unsafe { table.four(2 * k) });
    let x = [_mm256_unpacklo_epi64(x, y), _mm256_unpackhi_epi64(x, y)];
    // SAFETY: the node is in the tree of the degree.
    let [x, y] = inverse_butterfly::<TIGHT, true>(table, x, unsafe { table.two(k) });
    let x = table.shrink(x);
    [_mm256_permute2x128_si256::<0x20>(x, y), _mm256_permute2x128_si256::<0x31>(x, y)]
}
