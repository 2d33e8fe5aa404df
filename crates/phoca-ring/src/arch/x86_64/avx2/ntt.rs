//! Transforms in doubles.
//!
//! The first pass turns words into doubles, which stay in the array as their bits until the last pass turns them back. The
//! order of the work is that of the IFMA transforms: node `k` of the tree of blocks has the children `2k` and `2k + 1`, and
//! a block that fits in the first-level cache is finished before the next one.

use core::arch::x86_64::*;

use super::{Doubles, Factor, Words, load, store, to_doubles};
use crate::Buffer;
use crate::arch::x86_64::entry;
use crate::arch::{NttKernels, Prologue, Twiddles, portable};
use crate::modulus::Modulus;

mod wide;

pub(super) use wide::{FREE as WIDE_FREE, TIGHT as WIDE_TIGHT};

/// Up to 48 bits. Forward nothing is reduced before the end: a value that starts at `2q` is below `20q < 2^53` after 17
/// stages. Backward the one sum of four in each pass is reduced.
pub(crate) static FREE: NttKernels = NttKernels {
    name: "avx2, free",
    supports: |modulus, degree| degree >= 64 && modulus.bits() <= 48,
    prepare,
    forward: forward_free,
    forward_lazy: forward_free_lazy,
    forward_from: forward_free_from,
    forward_lazy_from: forward_free_from,
    inverse: inverse_free,
    inverse_lazy: inverse_free_lazy,
    butterflies: butterflies_free,
};

/// Up to 50 bits. What a pass of two stages does not multiply is reduced, so that values stay below `4q ≤ 2^52`.
pub(crate) static REDUCED: NttKernels = NttKernels {
    name: "avx2, reduced",
    supports: |modulus, degree| degree >= 64 && modulus.bits() <= 50,
    prepare,
    forward,
    forward_lazy,
    forward_from,
    forward_lazy_from: forward_from,
    inverse,
    inverse_lazy,
    butterflies,
};

entry! {
    fn forward_free(modulus: &Modulus, twiddles: &Twiddles, a: &mut [u64]) = forward_transform::<false, true>;
    fn forward_free_lazy(modulus: &Modulus, twiddles: &Twiddles, a: &mut [u64]) = forward_transform::<false, false>;
    fn forward_free_from(modulus: &Modulus, twiddles: &Twiddles, out: &mut [u64], input: &[u64], prologue: Prologue)
        = forward_after::<false>;
    fn butterflies_free(modulus: &Modulus, twiddles: &Twiddles, count: usize) -> u64 = butterflies_alone::<false>;
    fn butterflies(modulus: &Modulus, twiddles: &Twiddles, count: usize) -> u64 = butterflies_alone::<true>;
    fn inverse_free(modulus: &Modulus, twiddles: &Twiddles, a: &mut [u64]) = inverse_transform::<false, true>;
    fn inverse_free_lazy(modulus: &Modulus, twiddles: &Twiddles, a: &mut [u64]) = inverse_transform::<false, false>;
    fn forward(modulus: &Modulus, twiddles: &Twiddles, a: &mut [u64]) = forward_transform::<true, true>;
    fn forward_lazy(modulus: &Modulus, twiddles: &Twiddles, a: &mut [u64]) = forward_transform::<true, false>;
    fn forward_from(modulus: &Modulus, twiddles: &Twiddles, out: &mut [u64], input: &[u64], prologue: Prologue)
        = forward_after::<true>;
    fn inverse(modulus: &Modulus, twiddles: &Twiddles, a: &mut [u64]) = inverse_transform::<true, true>;
    fn inverse_lazy(modulus: &Modulus, twiddles: &Twiddles, a: &mut [u64]) = inverse_transform::<true, false>;
}

/// Words of a block that is finished at once: half of a first-level cache of 32 KiB.
const BLOCK: usize = 2048;

/// All residues as balanced doubles, then all their quotients by `q`.
fn prepare(modulus: &Modulus, residues: &[u64]) -> Buffer {
    let q = modulus.value() as f64;
    let mut table = Buffer::zeroed(2 * residues.len());
    let (values, quotients) = table.split_at_mut(residues.len());
    for ((value, quotient), &residue) in values.iter_mut().zip(quotients).zip(residues) {
        let balanced = modulus.centered(residue) as f64;
        *value = balanced.to_bits();
        *quotient = (balanced / q).to_bits();
    }
    table
}

/// The factors of one direction, with the constants of the modulus.
#[derive(Clone, Copy)]
struct Table<'a> {
    doubles: Doubles,
    /// Subtracted from the words of a lazy input to centre them: `2q` forward, `q` backward, 0 for residues.
    offset: __m256d,
    values: &'a [u64],
    quotients: &'a [u64],
}

impl<'a> Table<'a> {
    #[inline]
    #[target_feature(enable = "avx2,fma")]
    fn new(modulus: &Modulus, table: &'a [u64], offset: u64) -> Self {
        let (values, quotients) = table.split_at(table.len() / 2);
        Self { doubles: Doubles::new(modulus), offset: _mm256_set1_pd(offset as f64), values, quotients }
    }

    /// Factor `k` in every lane.
    #[inline]
    #[target_feature(enable = "avx2,fma")]
    unsafe fn one(&self, k: usize) -> Factor {
        // SAFETY: the caller vouches for the node, as `chunk` asks.
        unsafe {
            let ([value], [quotient]) = (chunk(self.values, k), chunk(self.quotients, k));
            Factor {
                value: _mm256_set1_pd(f64::from_bits(*value)),
                quotient: _mm256_set1_pd(f64::from_bits(*quotient)),
            }
        }
    }

    /// Factors `k`, `k`, `k + 1` and `k + 1`.
    #[inline]
    #[target_feature(enable = "avx2,fma")]
    unsafe fn two(&self, k: usize) -> Factor {
        // SAFETY: the caller vouches for the node, as `chunk` asks.
        unsafe { Factor { value: repeat_2(chunk(self.values, k)), quotient: repeat_2(chunk(self.quotients, k)) } }
    }

    /// Factors `k` to `k + 3`.
    #[inline]
    #[target_feature(enable = "avx2,fma")]
    unsafe fn four(&self, k: usize) -> Factor {
        // SAFETY: the caller vouches for the node, as `chunk` asks.
        unsafe {
            let (value, quotient) = (load(chunk(self.values, k)), load(chunk(self.quotients, k)));
            Factor { value: _mm256_castsi256_pd(value), quotient: _mm256_castsi256_pd(quotient) }
        }
    }

    /// Words of the input as doubles.
    #[inline]
    #[target_feature(enable = "avx2,fma")]
    fn read<const FIRST: bool>(&self, words: &Words) -> __m256d {
        let x = load(words);
        if FIRST { _mm256_sub_pd(to_doubles(x), self.offset) } else { _mm256_castsi256_pd(x) }
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
#[target_feature(enable = "avx2,fma")]
fn repeat_2(words: &[u64; 2]) -> __m256d {
    let [w0, w1] = words.map(f64::from_bits);
    _mm256_permute_pd::<0b1100>(_mm256_setr_pd(w0, w1, w0, w1))
}

#[inline]
#[target_feature(enable = "avx2,fma")]
fn write(words: &mut Words, x: __m256d) {
    store(words, _mm256_castpd_si256(x));
}

#[target_feature(enable = "avx2,fma")]
fn forward_transform<const REDUCE: bool, const STRICT: bool>(modulus: &Modulus, twiddles: &Twiddles, a: &mut [u64]) {
    assert_eq!(twiddles.forward.len(), 2 * a.len());
    let offset = if STRICT { 0 } else { 2 * modulus.value() };
    let table = Table::new(modulus, &twiddles.forward, offset);
    forward_node::<true, REDUCE>(&table, 1, a.as_chunks_mut().0);
}

/// The transform with a prologue, to residues.
#[target_feature(enable = "avx2,fma")]
fn forward_after<const REDUCE: bool>(
    modulus: &Modulus,
    twiddles: &Twiddles,
    out: &mut [u64],
    input: &[u64],
    prologue: Prologue,
) {
    portable::apply_prologue(modulus, prologue, out, input);
    forward_transform::<REDUCE, false>(modulus, twiddles, out);
}

/// All stages of the block of node `k`, of at least 64 words. `FIRST` is for node 1.
#[target_feature(enable = "avx2,fma")]
fn forward_node<const FIRST: bool, const REDUCE: bool>(table: &Table, k: usize, a: &mut [Words]) {
    if a.len() > BLOCK / 4 {
        forward_pass::<4, FIRST, REDUCE>(table, k, a);
        for (i, quarter) in a.chunks_exact_mut(a.len() / 4).enumerate() {
            forward_node::<false, REDUCE>(table, 4 * k + i, quarter);
        }
        return;
    }
    let (mut k, mut len) = (k, a.len());
    if len.ilog2() % 2 == 1 {
        forward_pass::<2, FIRST, REDUCE>(table, k, a);
        (k, len) = (2 * k, len / 2);
    } else {
        forward_pass::<4, FIRST, REDUCE>(table, k, a);
        (k, len) = (4 * k, len / 4);
    }
    while len > 4 {
        for (i, block) in a.chunks_exact_mut(len).enumerate() {
            forward_pass::<4, false, REDUCE>(table, k + i, block);
        }
        (k, len) = (4 * k, len / 4);
    }
    for (i, block) in a.as_chunks_mut().0.iter_mut().enumerate() {
        forward_leaf::<REDUCE>(table, k + i, block);
    }
}

/// `log2 R` stages of the block of node `k`.
#[inline]
#[target_feature(enable = "avx2,fma")]
fn forward_pass<const R: usize, const FIRST: bool, const REDUCE: bool>(table: &Table, k: usize, block: &mut [Words]) {
    let doubles = &table.doubles;
    let (low, high) = block.split_at_mut(block.len() / 2);
    if R == 2 {
        // SAFETY: the node is in the tree of the degree.
        let w = unsafe { table.one(k) };
        for (x0, x1) in low.iter_mut().zip(high) {
            let x = [table.read::<FIRST>(x0), table.read::<FIRST>(x1)];
            let [y0, y1] = forward_butterfly::<REDUCE>(doubles, x, w);
            write(x0, y0);
            write(x1, y1);
        }
        return;
    }
    // SAFETY: the node is in the tree of the degree.
    let w = unsafe { [table.one(k), table.one(2 * k), table.one(2 * k + 1)] };
    let ((x0, x1), (x2, x3)) = (low.split_at_mut(low.len() / 2), high.split_at_mut(high.len() / 2));
    for (((x0, x1), x2), x3) in x0.iter_mut().zip(x1).zip(x2).zip(x3) {
        let x = [table.read::<FIRST>(x0), table.read::<FIRST>(x1), table.read::<FIRST>(x2), table.read::<FIRST>(x3)];
        let [y0, y1, y2, y3] = forward_stages::<REDUCE>(doubles, x, w);
        write(x0, y0);
        write(x1, y1);
        write(x2, y2);
        write(x3, y3);
    }
}

/// At least `count` butterflies; a word that depends on all of them.
#[target_feature(enable = "avx2,fma")]
fn butterflies_alone<const REDUCE: bool>(modulus: &Modulus, twiddles: &Twiddles, count: usize) -> u64 {
    let table = Table::new(modulus, &twiddles.forward, 0);
    // SAFETY: the degree is at least 64.
    let w = unsafe { [table.one(1), table.one(2), table.one(3)] };
    // Independent ones, as the columns of a pass are.
    let mut columns = [[table.doubles.inverse; 4]; 4];
    for _ in 0..count.div_ceil(4 * 4 * 4) {
        for x in &mut columns {
            *x = forward_stages::<REDUCE>(&table.doubles, *x, w);
        }
    }
    let mut sum = _mm256_setzero_pd();
    for x in columns.as_flattened() {
        sum = _mm256_add_pd(sum, *x);
    }
    _mm256_cvtsd_f64(sum).to_bits()
}

/// Two stages. Where `REDUCE`, magnitudes up to `4q` become at most `9/4·q`.
#[inline]
#[target_feature(enable = "avx2,fma")]
fn forward_stages<const REDUCE: bool>(
    doubles: &Doubles,
    [x0, x1, x2, x3]: [__m256d; 4],
    w: [Factor; 3],
) -> [__m256d; 4] {
    let [x0, x2] = forward_butterfly::<REDUCE>(doubles, [x0, x2], w[0]);
    let [x1, x3] = forward_butterfly::<REDUCE>(doubles, [x1, x3], w[0]);
    let [x0, x1] = forward_butterfly::<false>(doubles, [x0, x1], w[1]);
    let [x2, x3] = forward_butterfly::<false>(doubles, [x2, x3], w[2]);
    [x0, x1, x2, x3]
}

/// `(x + w·y, x - w·y)`.
#[inline]
#[target_feature(enable = "avx2,fma")]
fn forward_butterfly<const REDUCE: bool>(doubles: &Doubles, [x, y]: [__m256d; 2], w: Factor) -> [__m256d; 2] {
    let x = if REDUCE { doubles.balance(x) } else { x };
    let product = doubles.product(y, w);
    [_mm256_add_pd(x, product), _mm256_sub_pd(x, product)]
}

/// All four stages of a block of 16 words, then residues.
#[inline]
#[target_feature(enable = "avx2,fma")]
fn forward_leaf<const REDUCE: bool>(table: &Table, k: usize, block: &mut [Words; 4]) {
    let x = block.each_ref().map(|words| table.read::<false>(words));
    // SAFETY: the node is in the tree of the degree.
    let w = unsafe { [table.one(k), table.one(2 * k), table.one(2 * k + 1)] };
    let [x0, x1, x2, x3] = forward_stages::<REDUCE>(&table.doubles, x, w);
    let [x0, x1] = forward_last::<REDUCE>(table, 4 * k, [x0, x1]);
    let [x2, x3] = forward_last::<REDUCE>(table, 4 * k + 2, [x2, x3]);
    for (words, x) in block.iter_mut().zip([x0, x1, x2, x3]) {
        store(words, x);
    }
}

/// The last two stages of the two blocks of four with nodes `k` and `k + 1`, then residues.
#[inline]
#[target_feature(enable = "avx2,fma")]
fn forward_last<const REDUCE: bool>(table: &Table, k: usize, [a, b]: [__m256d; 2]) -> [__m256i; 2] {
    let doubles = &table.doubles;
    // a0 a1 b0 b1 and a2 a3 b2 b3.
    let x = [_mm256_permute2f128_pd::<0x20>(a, b), _mm256_permute2f128_pd::<0x31>(a, b)];
    // SAFETY: the node is in the tree of the degree.
    let w = unsafe { table.two(k) };
    let [x, y] = forward_butterfly::<REDUCE>(doubles, x, w);
    // a0 a2 b0 b2 and a1 a3 b1 b3.
    let x = [_mm256_unpacklo_pd(x, y), _mm256_unpackhi_pd(x, y)];
    // SAFETY: the node is in the tree of the degree.
    let w = unsafe { table.four(2 * k) };
    let [x, y] = forward_butterfly::<false>(doubles, x, w);
    let (x, y) = (doubles.balance(x), doubles.balance(y));
    let (x, y) = (_mm256_unpacklo_pd(x, y), _mm256_unpackhi_pd(x, y));
    let (a, b) = (_mm256_permute2f128_pd::<0x20>(x, y), _mm256_permute2f128_pd::<0x31>(x, y));
    [doubles.residues(a), doubles.residues(b)]
}

#[target_feature(enable = "avx2,fma")]
fn inverse_transform<const REDUCE: bool, const STRICT: bool>(modulus: &Modulus, twiddles: &Twiddles, a: &mut [u64]) {
    assert_eq!(twiddles.inverse.len(), 2 * a.len());
    let offset = if STRICT { 0 } else { modulus.value() };
    let table = Table::new(modulus, &twiddles.inverse, offset);
    inverse_node::<true, REDUCE>(&table, 1, a.as_chunks_mut().0);
}

/// All stages of the block of node `k`, of at least 64 words. `LAST` is for node 1.
#[target_feature(enable = "avx2,fma")]
fn inverse_node<const LAST: bool, const REDUCE: bool>(table: &Table, k: usize, a: &mut [Words]) {
    if a.len() > BLOCK / 4 {
        for (i, quarter) in a.chunks_exact_mut(a.len() / 4).enumerate() {
            inverse_node::<false, REDUCE>(table, 4 * k + i, quarter);
        }
        return inverse_pass::<4, LAST, REDUCE>(table, k, a);
    }
    let leaves = k * (a.len() / 4);
    for (i, block) in a.as_chunks_mut().0.iter_mut().enumerate() {
        inverse_leaf::<REDUCE>(table, leaves + i, block);
    }
    let mut len = 4;
    while a.len() / len > 4 {
        len *= 4;
        let nodes = k * (a.len() / len);
        for (i, block) in a.chunks_exact_mut(len).enumerate() {
            inverse_pass::<4, false, REDUCE>(table, nodes + i, block);
        }
    }
    if a.len() / len == 2 {
        inverse_pass::<2, LAST, REDUCE>(table, k, a);
    } else {
        inverse_pass::<4, LAST, REDUCE>(table, k, a);
    }
}

/// `log2 R` stages of the block of node `k`; `LAST` ends the transform.
#[inline]
#[target_feature(enable = "avx2,fma")]
fn inverse_pass<const R: usize, const LAST: bool, const REDUCE: bool>(table: &Table, k: usize, block: &mut [Words]) {
    let doubles = &table.doubles;
    // SAFETY: every table has an entry 0.
    let scale = unsafe { table.one(0) };
    let (low, high) = block.split_at_mut(block.len() / 2);
    if R == 2 {
        // SAFETY: the node is in the tree of the degree.
        let w = unsafe { table.one(k) };
        for (x0, x1) in low.iter_mut().zip(high) {
            let x = [table.read::<false>(x0), table.read::<false>(x1)];
            if LAST {
                let [y0, y1] = inverse_scaled(doubles, x, scale, w);
                store(x0, y0);
                store(x1, y1);
            } else {
                let [y0, y1] = inverse_butterfly::<true>(doubles, x, w);
                write(x0, y0);
                write(x1, y1);
            }
        }
        return;
    }
    // SAFETY: the node is in the tree of the degree.
    let w = unsafe { [table.one(k), table.one(2 * k), table.one(2 * k + 1)] };
    let ((x0, x1), (x2, x3)) = (low.split_at_mut(low.len() / 2), high.split_at_mut(high.len() / 2));
    for (((x0, x1), x2), x3) in x0.iter_mut().zip(x1).zip(x2).zip(x3) {
        let x = [&*x0, &*x1, &*x2, &*x3].map(|words| table.read::<false>(words));
        if LAST {
            let [y0, y1] = inverse_butterfly::<REDUCE>(doubles, [x[0], x[1]], w[1]);
            let [y2, y3] = inverse_butterfly::<REDUCE>(doubles, [x[2], x[3]], w[2]);
            let [y0, y2] = inverse_scaled(doubles, [y0, y2], scale, w[0]);
            let [y1, y3] = inverse_scaled(doubles, [y1, y3], scale, w[0]);
            store(x0, y0);
            store(x1, y1);
            store(x2, y2);
            store(x3, y3);
        } else {
            let [y0, y1, y2, y3] = inverse_stages::<REDUCE>(doubles, x, w);
            write(x0, y0);
            write(x1, y1);
            write(x2, y2);
            write(x3, y3);
        }
    }
}

/// Two stages from magnitudes up to `2q`. The sum of four is reduced; where `REDUCE`, so is the sum of two products, and all
/// end below `3/2·q`.
#[inline]
#[target_feature(enable = "avx2,fma")]
fn inverse_stages<const REDUCE: bool>(
    doubles: &Doubles,
    [x0, x1, x2, x3]: [__m256d; 4],
    w: [Factor; 3],
) -> [__m256d; 4] {
    let [x0, x1] = inverse_butterfly::<false>(doubles, [x0, x1], w[1]);
    let [x2, x3] = inverse_butterfly::<false>(doubles, [x2, x3], w[2]);
    let [x0, x2] = inverse_butterfly::<true>(doubles, [x0, x2], w[0]);
    let [x1, x3] = inverse_butterfly::<REDUCE>(doubles, [x1, x3], w[0]);
    [x0, x1, x2, x3]
}

/// `(x + y, (x - y)·w)`.
#[inline]
#[target_feature(enable = "avx2,fma")]
fn inverse_butterfly<const REDUCE: bool>(doubles: &Doubles, [x, y]: [__m256d; 2], w: Factor) -> [__m256d; 2] {
    let sum = _mm256_add_pd(x, y);
    let sum = if REDUCE { doubles.balance(sum) } else { sum };
    [sum, doubles.product(_mm256_sub_pd(x, y), w)]
}

/// The butterfly of the last stage, `((x + y)·scale, (x - y)·w)`, as residues.
#[inline]
#[target_feature(enable = "avx2,fma")]
fn inverse_scaled(doubles: &Doubles, [x, y]: [__m256d; 2], scale: Factor, w: Factor) -> [__m256i; 2] {
    let (sum, difference) = (_mm256_add_pd(x, y), _mm256_sub_pd(x, y));
    [doubles.residues(doubles.product(sum, scale)), doubles.residues(doubles.product(difference, w))]
}

/// All four stages of a block of 16 words: [`forward_leaf`] backwards.
#[inline]
#[target_feature(enable = "avx2,fma")]
fn inverse_leaf<const REDUCE: bool>(table: &Table, k: usize, block: &mut [Words; 4]) {
    let [x0, x1, x2, x3] = block.each_ref().map(|words| table.read::<true>(words));
    let [x0, x1] = inverse_first::<REDUCE>(table, 4 * k, [x0, x1]);
    let [x2, x3] = inverse_first::<REDUCE>(table, 4 * k + 2, [x2, x3]);
    // SAFETY: the node is in the tree of the degree.
    let w = unsafe { [table.one(k), table.one(2 * k), table.one(2 * k + 1)] };
    let x = inverse_stages::<REDUCE>(&table.doubles, [x0, x1, x2, x3], w);
    for (words, x) in block.iter_mut().zip(x) {
        write(words, x);
    }
}

/// The first two stages of the two blocks of four with nodes `k` and `k + 1`.
#[inline]
#[target_feature(enable = "avx2,fma")]
fn inverse_first<const REDUCE: bool>(table: &Table, k: usize, [a, b]: [__m256d; 2]) -> [__m256d; 2] {
    let doubles = &table.doubles;
    let (x, y) = (_mm256_permute2f128_pd::<0x20>(a, b), _mm256_permute2f128_pd::<0x31>(a, b));
    let x = [_mm256_unpacklo_pd(x, y), _mm256_unpackhi_pd(x, y)];
    // SAFETY: the node is in the tree of the degree.
    let w = unsafe { table.four(2 * k) };
    let [x, y] = inverse_butterfly::<REDUCE>(doubles, x, w);
    let x = [_mm256_unpacklo_pd(x, y), _mm256_unpackhi_pd(x, y)];
    // SAFETY: the node is in the tree of the degree.
    let w = unsafe { table.two(k) };
    let [x, y] = inverse_butterfly::<true>(doubles, x, w);
    [_mm256_permute2f128_pd::<0x20>(x, y), _mm256_permute2f128_pd::<0x31>(x, y)]
}
