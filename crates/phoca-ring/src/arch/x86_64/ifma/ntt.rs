//! Transforms with IFMA.
//!
//! Node `k` of the binary tree of blocks has the children `2k` and `2k + 1`; its butterflies have the factor `k`. A pass
//! joins up to three stages of a block in registers, then each part is finished before the next, so that parts soon fit
//! in the first-level cache. The last six stages, of 64 words, are one pass; three of them are within pairs of vectors.
//!
//! Words are reduced lazily and bounded in *units*: a product is below one unit, which is `2q` for the narrow butterfly, on
//! words modulo `2^52`, and `4q` for the wide one, on words of 64 bits. Forward, a stage adds one unit to the bound;
//! backward, a sum doubles it. The *limit* is the number of units that fit in a word.

use core::arch::x86_64::*;

use super::{Lanes, Words, load, splat, store};
use crate::Buffer;
use crate::arch::x86_64::entry;
use crate::arch::{NttKernels, Prologue, Twiddles, portable};
use crate::modulus::{Modulus, Shoup};

/// Limits of 32 units at least: backward, words are below four units between passes.
const LOOSE: u8 = 0;
/// Limits of 8 units at least: a pass of three stages does not overflow from one unit.
const FREE: u8 = 1;
/// Limits of 4 units at least: backward, a pass of three stages reduces within.
const TIGHT: u8 = 2;
/// Limits of 2 units at least: every butterfly reduces.
const CORRECTED: u8 = 3;

/// Defines a transform for primes of up to `$bits` bits: wide or not, with so much room.
macro_rules! kernels {
    ($kernels:ident, $module:ident, $name:literal, $bits:literal, $wide:literal, $room:ident) => {
        pub(crate) static $kernels: NttKernels = NttKernels {
            name: $name,
            supports: |modulus, degree| degree >= 16 && modulus.bits() <= $bits && ($wide <= (modulus.bits() > 50)),
            prepare: prepare::<$wide>,
            forward: $module::forward,
            forward_lazy: $module::forward_lazy,
            forward_lazy_from: $module::forward_lazy_from,
            inverse: $module::inverse,
            inverse_lazy: $module::inverse_lazy,
        };

        mod $module {
            use super::*;

            entry! {
                pub(super) fn forward(modulus: &Modulus, twiddles: &Twiddles, a: &mut [u64])
                    = forward_transform::<$wide, $room, true>;
                pub(super) fn forward_lazy(modulus: &Modulus, twiddles: &Twiddles, a: &mut [u64])
                    = forward_transform::<$wide, $room, false>;
                pub(super) fn forward_lazy_from(
                    modulus: &Modulus, twiddles: &Twiddles, out: &mut [u64], input: &[u64], prologue: Prologue
                ) = forward_from::<$wide, $room>;
                pub(super) fn inverse(modulus: &Modulus, twiddles: &Twiddles, a: &mut [u64])
                    = inverse_transform::<$wide, $room, true>;
                pub(super) fn inverse_lazy(modulus: &Modulus, twiddles: &Twiddles, a: &mut [u64])
                    = inverse_transform::<$wide, $room, false>;
            }
        }
    };
}

kernels!(LOOSE_KERNELS, loose, "ifma, loose", 46, false, LOOSE);
kernels!(FREE_KERNELS, free, "ifma, free", 48, false, FREE);
kernels!(TIGHT_KERNELS, tight, "ifma, tight", 49, false, TIGHT);
kernels!(CORRECTED_KERNELS, corrected, "ifma, corrected", 50, false, CORRECTED);
kernels!(WIDE_LOOSE_KERNELS, wide_loose, "avx512, loose", 57, true, LOOSE);
kernels!(WIDE_FREE_KERNELS, wide_free, "avx512, free", 59, true, FREE);
kernels!(WIDE_TIGHT_KERNELS, wide_tight, "avx512, tight", 60, true, TIGHT);
kernels!(WIDE_CORRECTED_KERNELS, wide_corrected, "avx512, corrected", 61, true, CORRECTED);

/// All residues, then all their quotients `floor(w·2^52 / q)`, or where wide `floor(w·2^64 / q)`.
fn prepare<const WIDE: bool>(modulus: &Modulus, residues: &[u64]) -> Buffer {
    let mut table = Buffer::zeroed(2 * residues.len());
    let (values, quotients) = table.split_at_mut(residues.len());
    values.copy_from_slice(residues);
    for (quotient, &residue) in quotients.iter_mut().zip(residues) {
        *quotient = modulus.shoup(residue).quotient >> if WIDE { 0 } else { 12 };
    }
    table
}

/// Residues in lanes with their quotients.
#[derive(Clone, Copy)]
struct Factor {
    value: __m512i,
    /// `floor(w·2^52 / q)`.
    quotient: __m512i,
    /// Where wide, the fraction of `w·2^52 / q`: 12 bits of it, at the top of 52.
    fraction: __m512i,
}

/// The factors of one direction, with the constants of the modulus.
#[derive(Clone, Copy)]
struct Table<'a> {
    lanes: Lanes,
    /// What a product is below: `2q`, or `4q` where wide.
    unit: __m512i,
    /// `floor(2^52 / q)`, or where wide `floor(2^64 / q)`.
    ratio: __m512i,
    /// The units that fit in a word.
    limit: u64,
    values: &'a [u64],
    quotients: &'a [u64],
}

impl<'a> Table<'a> {
    #[inline]
    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
    fn new<const WIDE: bool>(modulus: &Modulus, table: &'a [u64]) -> Self {
        let (values, quotients) = table.split_at(table.len() / 2);
        let q = modulus.value();
        let (unit, ratio, limit) =
            if WIDE { (4 * q, u64::MAX / q, u64::MAX / (4 * q)) } else { (2 * q, (1 << 52) / q, (1 << 52) / (2 * q)) };
        Self { lanes: Lanes::new(modulus), unit: splat(unit), ratio: splat(ratio), limit, values, quotients }
    }

    /// Factor `k` in every lane.
    #[inline]
    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
    unsafe fn one<const WIDE: bool>(&self, k: usize) -> Factor {
        // SAFETY: the caller vouches for the node, as `chunk` asks.
        unsafe {
            let ([value], [quotient]) = (chunk(self.values, k), chunk(self.quotients, k));
            factor::<WIDE>(splat(*value), splat(*quotient))
        }
    }

    /// Factors `k` and `k + 1`, alternating.
    #[inline]
    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
    unsafe fn two<const WIDE: bool>(&self, k: usize) -> Factor {
        // SAFETY: the caller vouches for the node, as `chunk` asks.
        unsafe { factor::<WIDE>(repeat_2(chunk(self.values, k)), repeat_2(chunk(self.quotients, k))) }
    }

    /// Factors `k` to `k + 3`, twice.
    #[inline]
    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
    unsafe fn four<const WIDE: bool>(&self, k: usize) -> Factor {
        // SAFETY: the caller vouches for the node, as `chunk` asks.
        unsafe { factor::<WIDE>(repeat_4(chunk(self.values, k)), repeat_4(chunk(self.quotients, k))) }
    }

    /// Factors `k` to `k + 7`.
    #[inline]
    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
    unsafe fn eight<const WIDE: bool>(&self, k: usize) -> Factor {
        // SAFETY: the caller vouches for the node, as `chunk` asks.
        unsafe { factor::<WIDE>(load(chunk(self.values, k)), load(chunk(self.quotients, k))) }
    }

    /// The factors of node `k` and of its descendants in `log2 R - 1` generations, numbered as if `k` were 1.
    #[inline(always)]
    unsafe fn below<const R: usize, const WIDE: bool>(&self, k: usize) -> [Factor; R] {
        // SAFETY: the caller vouches for the target features and for the nodes.
        unsafe {
            let mut factors = [self.one::<WIDE>(k); R];
            for (i, factor) in factors.iter_mut().enumerate().skip(2) {
                let generation = i.ilog2();
                *factor = self.one::<WIDE>((k << generation) + i - (1 << generation));
            }
            factors
        }
    }

    /// `y·w` in `[0, unit)`: for `y` modulo `2^52`, or where wide for any word `y`.
    #[inline]
    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
    fn product<const WIDE: bool>(&self, y: __m512i, w: Factor) -> __m512i {
        let [product] = self.products::<1, WIDE>([y], &[w]);
        self.clean::<WIDE>(product)
    }

    /// `y·w` in `[0, unit)`, where narrow words count modulo `2^52`.
    #[inline]
    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
    fn products<const N: usize, const WIDE: bool>(&self, y: [__m512i; N], w: &[Factor; N]) -> [__m512i; N] {
        self.remainders::<N, WIDE>([_mm512_setzero_si512(); N], y, w, self.quotients::<N, WIDE>(y, w))
    }

    /// `floor(y·w / q)`, or a little less so that the remainder is below one unit.
    ///
    /// Wide, with `y = y1·2^52 + y0` and `w·2^52 / q = w' + f`, it is `y1·w' + y1·f + y0·(w' + f) / 2^52`. The estimate
    /// drops `y0·f / 2^52` and all of `f` but 12 bits, each less than 1, and rounds two terms down: it is at most 3 too
    /// small.
    #[inline]
    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
    fn quotients<const N: usize, const WIDE: bool>(&self, y: [__m512i; N], w: &[Factor; N]) -> [__m512i; N] {
        let mut quotients = [_mm512_setzero_si512(); N];
        if WIDE {
            let mut high = y;
            for n in 0..N {
                high[n] = _mm512_srli_epi64::<52>(y[n]);
                quotients[n] = _mm512_mullo_epi64(high[n], w[n].quotient);
            }
            for n in 0..N {
                quotients[n] = _mm512_madd52hi_epu64(quotients[n], high[n], w[n].fraction);
            }
        }
        for n in 0..N {
            quotients[n] = _mm512_madd52hi_epu64(quotients[n], y[n], w[n].quotient);
        }
        quotients
    }

    /// `acc + y·w - quotient·q`, where narrow words count modulo `2^52`.
    #[inline]
    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
    fn remainders<const N: usize, const WIDE: bool>(
        &self,
        mut acc: [__m512i; N],
        y: [__m512i; N],
        w: &[Factor; N],
        mut quotients: [__m512i; N],
    ) -> [__m512i; N] {
        if WIDE {
            for n in 0..N {
                acc[n] = _mm512_add_epi64(acc[n], _mm512_mullo_epi64(y[n], w[n].value));
            }
            for n in 0..N {
                quotients[n] = _mm512_mullo_epi64(quotients[n], self.lanes.q);
                acc[n] = _mm512_sub_epi64(acc[n], quotients[n]);
            }
        } else {
            for n in 0..N {
                acc[n] = _mm512_madd52lo_epu64(acc[n], y[n], w[n].value);
            }
            for n in 0..N {
                acc[n] = _mm512_madd52lo_epu64(acc[n], quotients[n], self.lanes.negated);
            }
        }
        acc
    }

    /// One word of [`Self::shrink_all`].
    #[inline]
    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
    fn shrink<const WIDE: bool>(&self, x: __m512i) -> __m512i {
        let [x] = self.shrink_all::<1, WIDE>([x]);
        x
    }

    /// To `[0, unit)`, from any `x` modulo `2^52`, or where wide from any word `x`.
    ///
    /// The quotient with the ratio is at most one too small, or where wide, for the 12 bits that are dropped, two.
    #[inline]
    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
    fn shrink_all<const N: usize, const WIDE: bool>(&self, mut x: [__m512i; N]) -> [__m512i; N] {
        let mut quotients = [_mm512_setzero_si512(); N];
        for n in 0..N {
            let x = if WIDE { _mm512_srli_epi64::<12>(x[n]) } else { x[n] };
            quotients[n] = _mm512_madd52hi_epu64(quotients[n], x, self.ratio);
        }
        for n in 0..N {
            x[n] = if WIDE {
                _mm512_sub_epi64(x[n], _mm512_mullo_epi64(quotients[n], self.lanes.q))
            } else {
                _mm512_madd52lo_epu64(x[n], quotients[n], self.lanes.negated)
            };
        }
        x
    }

    /// `x` without the bits that do not count.
    #[inline]
    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
    fn clean<const WIDE: bool>(&self, x: __m512i) -> __m512i {
        if WIDE { x } else { self.lanes.clean(x) }
    }

    /// From two units to one.
    #[inline]
    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
    fn halve(&self, x: __m512i) -> __m512i {
        _mm512_min_epu64(x, _mm512_sub_epi64(x, self.unit))
    }

    /// From four units to two.
    #[inline]
    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
    fn halve_four(&self, x: __m512i) -> __m512i {
        _mm512_min_epu64(x, _mm512_sub_epi64(x, _mm512_add_epi64(self.unit, self.unit)))
    }

    /// From one unit to `[0, q)` if strict, else to `[0, 2q)`.
    #[inline]
    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
    fn finish<const WIDE: bool, const STRICT: bool>(&self, x: __m512i) -> __m512i {
        let x = if WIDE { self.lanes.halve(x) } else { x };
        if STRICT { self.lanes.finish(x) } else { x }
    }
}

/// A factor from a residue and its entry in the table of quotients.
#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
fn factor<const WIDE: bool>(value: __m512i, quotient: __m512i) -> Factor {
    if WIDE {
        Factor { value, quotient: _mm512_srli_epi64::<12>(quotient), fraction: _mm512_slli_epi64::<40>(quotient) }
    } else {
        Factor { value, quotient, fraction: _mm512_setzero_si512() }
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

/// [`interleave`] of each two vectors.
#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
fn interleave_pairs<const R: usize>(mut x: [__m512i; R]) -> [__m512i; R] {
    for n in 0..R / 2 {
        (x[2 * n], x[2 * n + 1]) = interleave(x[2 * n], x[2 * n + 1]);
    }
    x
}

/// The inverse of [`interleave`].
#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
fn separate_pairs<const R: usize>(mut x: [__m512i; R]) -> [__m512i; R] {
    for n in 0..R / 2 {
        (x[2 * n], x[2 * n + 1]) = separate(x[2 * n], x[2 * n + 1]);
    }
    x
}

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

/// Stages of the first of the passes that do `stages` together, where that of the last six is apart.
#[inline]
fn joined(stages: u32) -> u32 {
    match stages {
        1 => 1,
        _ if stages.is_multiple_of(3) => 3,
        _ => 2,
    }
}

#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
fn forward_transform<const WIDE: bool, const ROOM: u8, const STRICT: bool>(
    modulus: &Modulus,
    twiddles: &Twiddles,
    a: &mut [u64],
) {
    assert_eq!(twiddles.forward.len(), 2 * a.len());
    let table = Table::new::<WIDE>(modulus, &twiddles.forward);
    let (a, bound) = (a.as_chunks_mut().0, first_bound::<WIDE>());
    match a.len() {
        2 | 4 => forward_small::<WIDE, STRICT>(&table, a),
        8 => forward_leaves::<WIDE, ROOM, STRICT>(&table, 1, a, bound),
        _ => forward_node::<WIDE, ROOM, STRICT>(&table, 1, a, bound),
    }
}

/// The units below which the words of a lazy input are, `4q`.
const fn first_bound<const WIDE: bool>() -> u64 {
    if WIDE { 1 } else { 2 }
}

/// The lazy transform with a prologue, which joins the first pass.
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
fn forward_from<const WIDE: bool, const ROOM: u8>(
    modulus: &Modulus,
    twiddles: &Twiddles,
    out: &mut [u64],
    input: &[u64],
    prologue: Prologue,
) {
    if out.len() <= 64 {
        portable::apply_prologue(modulus, prologue, out, input);
        return forward_transform::<WIDE, ROOM, false>(modulus, twiddles, out);
    }
    assert_eq!((twiddles.forward.len(), input.len()), (2 * out.len(), out.len()));
    let table = &Table::new::<WIDE>(modulus, &twiddles.forward);
    let (out, input): (_, &[Words]) = (out.as_chunks_mut().0, input.as_chunks().0);
    let (bound, offset) = (first_bound::<WIDE>(), splat(prologue.offset));
    // SAFETY: an index below the length of the output is one of the input.
    let word = |i| load(unsafe { input.get_unchecked(i) });
    let Some(factor) = prologue.factor else {
        let read = |_: &[Words], i| _mm512_add_epi64(word(i), offset);
        return forward_parts::<WIDE, ROOM, false>(table, 1, out, bound, read);
    };
    let low = factor_in_lanes::<WIDE>(factor);
    if WIDE || prologue.bound <= 1 << 52 {
        let scaled = |i| table.finish::<WIDE, false>(table.product::<WIDE>(word(i), low));
        let read = |_: &[Words], i| _mm512_add_epi64(scaled(i), offset);
        return forward_parts::<WIDE, ROOM, false>(table, 1, out, bound, read);
    }
    let high = modulus.mul(factor.value, modulus.reduce(1 << 52));
    let high = factor_in_lanes::<WIDE>(modulus.shoup(high));
    let read = |_: &[Words], i| {
        let high = table.product::<WIDE>(_mm512_srli_epi64::<52>(word(i)), high);
        _mm512_add_epi64(table.halve(_mm512_add_epi64(table.product::<WIDE>(word(i), low), high)), offset)
    };
    forward_parts::<WIDE, ROOM, false>(table, 1, out, bound, read);
}

#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
fn factor_in_lanes<const WIDE: bool>(Shoup { value, quotient }: Shoup) -> Factor {
    factor::<WIDE>(splat(value), splat(if WIDE { quotient } else { quotient >> 12 }))
}

/// Degrees 16 and 32, for which there is always room enough after a reduction.
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
fn forward_small<const WIDE: bool, const STRICT: bool>(table: &Table, a: &mut [Words]) {
    match a.len() {
        2 => forward_pass::<2, WIDE, true, false>(table, 1, a, in_place),
        _ => forward_pass::<4, WIDE, true, false>(table, 1, a, in_place),
    }
    let k = a.len();
    for (i, pair) in a.as_chunks_mut::<2>().0.iter_mut().enumerate() {
        // SAFETY: this function has the target features, and the nodes are below the degree.
        unsafe {
            let x = forward_last::<2, 1, WIDE, true, STRICT>(table, k + 2 * i, gather(pair, 1, 0));
            scatter(pair, 1, 0, x);
        }
    }
}

/// All stages of the block of node `k`, of more than 64 words below `bound` units.
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
fn forward_node<const WIDE: bool, const ROOM: u8, const STRICT: bool>(
    table: &Table,
    k: usize,
    a: &mut [Words],
    bound: u64,
) {
    forward_parts::<WIDE, ROOM, STRICT>(table, k, a, bound, in_place);
}

/// As [`forward_node`], where the block's words are read by a function.
#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
fn forward_parts<const WIDE: bool, const ROOM: u8, const STRICT: bool>(
    table: &Table,
    k: usize,
    a: &mut [Words],
    bound: u64,
    read: impl Fn(&[Words], usize) -> __m512i,
) {
    let stages = joined(a.len().ilog2() - 3);
    let bound = match stages {
        1 => forward_bounded::<2, WIDE, ROOM>(table, k, a, bound, read),
        2 => forward_bounded::<4, WIDE, ROOM>(table, k, a, bound, read),
        _ => forward_bounded::<8, WIDE, ROOM>(table, k, a, bound, read),
    };
    let (k, len) = (k << stages, a.len() >> stages);
    if len == 8 {
        return forward_leaves::<WIDE, ROOM, STRICT>(table, k, a, bound);
    }
    for (i, part) in a.chunks_exact_mut(len).enumerate() {
        forward_node::<WIDE, ROOM, STRICT>(table, k + i, part, bound);
    }
}

/// A pass on words below `bound` units, which reduces where it must; the bound afterwards.
#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
fn forward_bounded<const R: usize, const WIDE: bool, const ROOM: u8>(
    table: &Table,
    k: usize,
    a: &mut [Words],
    bound: u64,
    read: impl Fn(&[Words], usize) -> __m512i,
) -> u64 {
    let stages = u64::from(R.ilog2());
    if ROOM == CORRECTED {
        forward_pass::<R, WIDE, true, false>(table, k, a, read);
        return bound;
    }
    if bound + stages > table.limit {
        forward_pass::<R, WIDE, false, true>(table, k, a, read);
        return 1 + stages;
    }
    forward_pass::<R, WIDE, false, false>(table, k, a, read);
    bound + stages
}

/// All stages of blocks of 64 words below `bound` units, from that of node `k` on.
#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
fn forward_leaves<const WIDE: bool, const ROOM: u8, const STRICT: bool>(
    table: &Table,
    k: usize,
    a: &mut [Words],
    bound: u64,
) {
    let blocks = a.as_chunks_mut().0.iter_mut().enumerate();
    if ROOM == CORRECTED {
        blocks.for_each(|(i, block)| forward_leaf::<WIDE, true, 0, STRICT>(table, k + i, block));
    } else if bound + 6 <= table.limit {
        blocks.for_each(|(i, block)| forward_leaf::<WIDE, false, 0, STRICT>(table, k + i, block));
    } else if 1 + 6 <= table.limit {
        blocks.for_each(|(i, block)| forward_leaf::<WIDE, false, 1, STRICT>(table, k + i, block));
    } else {
        blocks.for_each(|(i, block)| forward_leaf::<WIDE, false, 2, STRICT>(table, k + i, block));
    }
}

#[inline(always)]
fn in_place(block: &[Words], i: usize) -> __m512i {
    debug_assert!(i < block.len());
    // SAFETY: the passes, which have the target features, ask for words of their block.
    unsafe { load(block.get_unchecked(i)) }
}

/// `log2 R` stages of the block of node `k`.
#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
fn forward_pass<const R: usize, const WIDE: bool, const CORRECT: bool, const REDUCE: bool>(
    table: &Table,
    k: usize,
    block: &mut [Words],
    read: impl Fn(&[Words], usize) -> __m512i,
) {
    let distance = block.len() / R;
    // SAFETY: this function has the target features, `i < distance`, and `R` divides the length of the block.
    unsafe {
        let factors = table.below::<R, WIDE>(k);
        for i in 0..distance {
            let mut x = [_mm512_setzero_si512(); R];
            for (j, x) in x.iter_mut().enumerate() {
                *x = read(block, i + j * distance);
            }
            forward_stages::<R, WIDE, CORRECT, REDUCE>(table, &mut x, &factors);
            scatter(block, distance, i, x);
        }
    }
}

/// All six stages of a block of 64 words, with a reduction before the first and before the fourth.
#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
fn forward_leaf<const WIDE: bool, const CORRECT: bool, const REDUCTIONS: u8, const STRICT: bool>(
    table: &Table,
    k: usize,
    block: &mut [Words; 8],
) {
    // SAFETY: this function has the target features, and the nodes are below the degree.
    unsafe {
        let mut x = gather::<8>(block, 1, 0);
        let w = table.below::<8, WIDE>(k);
        if REDUCTIONS == 0 {
            forward_stages::<8, WIDE, CORRECT, false>(table, &mut x, &w);
        } else {
            forward_stages::<8, WIDE, CORRECT, true>(table, &mut x, &w);
        }
        if REDUCTIONS == 2 {
            x = table.shrink_all::<8, WIDE>(x);
        }
        let x = forward_last::<8, 4, WIDE, CORRECT, STRICT>(table, 8 * k, x);
        scatter(block, 1, 0, x);
    }
}

/// `log2 R` stages. What the first does not multiply is reduced to one unit where `REDUCE`.
#[inline(always)]
unsafe fn forward_stages<const R: usize, const WIDE: bool, const CORRECT: bool, const REDUCE: bool>(
    table: &Table,
    x: &mut [__m512i; R],
    w: &[Factor; R],
) {
    // SAFETY: the caller vouches for the target features.
    unsafe {
        if REDUCE {
            for x in &mut x[..R / 2] {
                *x = table.shrink::<WIDE>(*x);
            }
        }
        if R == 8 {
            forward_butterflies::<R, 4, WIDE, CORRECT>(table, x, [0, 1, 2, 3], [4, 5, 6, 7], [w[1]; 4]);
            forward_butterflies::<R, 4, WIDE, CORRECT>(table, x, [0, 1, 4, 5], [2, 3, 6, 7], [w[2], w[2], w[3], w[3]]);
            forward_butterflies::<R, 4, WIDE, CORRECT>(table, x, [0, 2, 4, 6], [1, 3, 5, 7], [w[4], w[5], w[6], w[7]]);
        } else if R == 4 {
            forward_butterflies::<R, 2, WIDE, CORRECT>(table, x, [0, 1], [2, 3], [w[1]; 2]);
            forward_butterflies::<R, 2, WIDE, CORRECT>(table, x, [0, 2], [1, 3], [w[2], w[3]]);
        } else {
            forward_butterflies::<R, 1, WIDE, CORRECT>(table, x, [0], [1], [w[1]]);
        }
    }
}

/// `(x_i + w·x_j, x_i - w·x_j)` for some pairs `(i, j)`: the bound grows by one unit, or corrected, it stays at two.
///
/// The pairs take each step together, because a processor looks for independent steps among the next few only.
#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
fn forward_butterflies<const R: usize, const N: usize, const WIDE: bool, const CORRECT: bool>(
    table: &Table,
    x: &mut [__m512i; R],
    i: [usize; N],
    j: [usize; N],
    w: [Factor; N],
) {
    let (mut first, mut y) = ([_mm512_setzero_si512(); N], [_mm512_setzero_si512(); N]);
    for n in 0..N {
        first[n] = if CORRECT { table.halve(x[i[n]]) } else { x[i[n]] };
        y[n] = x[j[n]];
    }
    let quotients = table.quotients::<N, WIDE>(y, &w);
    if WIDE || CORRECT {
        let products = table.remainders::<N, WIDE>([_mm512_setzero_si512(); N], y, &w, quotients);
        for n in 0..N {
            let product = table.clean::<WIDE>(products[n]);
            x[i[n]] = _mm512_add_epi64(first[n], product);
            x[j[n]] = _mm512_sub_epi64(_mm512_add_epi64(first[n], table.unit), product);
        }
    } else {
        let sums = table.remainders::<N, WIDE>(first, y, &w, quotients);
        for n in 0..N {
            let twice = _mm512_add_epi64(_mm512_add_epi64(first[n], table.unit), first[n]);
            (x[i[n]], x[j[n]]) = (sums[n], _mm512_sub_epi64(twice, sums[n]));
        }
    }
}

/// The last three stages of the blocks of eight with the nodes from `k` on, and the final reduction.
#[inline(always)]
unsafe fn forward_last<const R: usize, const N: usize, const WIDE: bool, const CORRECT: bool, const STRICT: bool>(
    table: &Table,
    k: usize,
    mut x: [__m512i; R],
) -> [__m512i; R] {
    // SAFETY: the caller vouches for the target features and the nodes.
    unsafe {
        let (mut even, mut odd) = ([0; N], [1; N]);
        for n in 1..N {
            (even[n], odd[n]) = (2 * n, 2 * n + 1);
        }
        // Pairs of blocks alternate, so that two factors repeat: a0 b0 a1 b1 a2 b2 a3 b3 and a4 b4 a5 b5 a6 b6 a7 b7.
        x = interleave_pairs(x);
        let mut w = [table.two::<WIDE>(k); N];
        for n in 1..N {
            w[n] = table.two::<WIDE>(k + 2 * n);
        }
        forward_butterflies::<R, N, WIDE, CORRECT>(table, &mut x, even, odd, w);
        // Four half blocks alternate: a0 a4 b0 b4 a1 a5 b1 b5 and a2 a6 b2 b6 a3 a7 b3 b7.
        x = interleave_pairs(x);
        for n in 0..N {
            w[n] = table.four::<WIDE>(2 * (k + 2 * n));
        }
        forward_butterflies::<R, N, WIDE, CORRECT>(table, &mut x, even, odd, w);
        // The even words a0 a2 a4 a6 b0 b2 b4 b6 and the odd words.
        x = interleave_pairs(x);
        for n in 0..N {
            w[n] = table.eight::<WIDE>(4 * (k + 2 * n));
        }
        forward_butterflies::<R, N, WIDE, CORRECT>(table, &mut x, even, odd, w);
        // From the bound of the last stage to [0, 4q), or [0, q) if strict.
        if !CORRECT {
            x = table.shrink_all::<R, WIDE>(x);
        }
        for x in &mut x {
            if !CORRECT {
                *x = table.clean::<WIDE>(*x);
            }
            if CORRECT && (WIDE || STRICT) {
                *x = table.halve(*x);
            }
            if STRICT {
                *x = table.finish::<WIDE, true>(*x);
            }
        }
        interleave_pairs(x)
    }
}

#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
fn inverse_transform<const WIDE: bool, const ROOM: u8, const STRICT: bool>(
    modulus: &Modulus,
    twiddles: &Twiddles,
    a: &mut [u64],
) {
    assert_eq!(twiddles.inverse.len(), 2 * a.len());
    let table = Table::new::<WIDE>(modulus, &twiddles.inverse);
    let a = a.as_chunks_mut().0;
    match a.len() {
        2 | 4 => inverse_small::<WIDE, STRICT>(&table, a),
        8 => inverse_leaf::<WIDE, ROOM, true, STRICT>(&table, 1, &mut a.as_chunks_mut().0[0]),
        _ => inverse_node::<WIDE, ROOM, true, STRICT>(&table, 1, a),
    }
}

/// Degrees 16 and 32.
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
fn inverse_small<const WIDE: bool, const STRICT: bool>(table: &Table, a: &mut [Words]) {
    let k = a.len();
    for (i, pair) in a.as_chunks_mut::<2>().0.iter_mut().enumerate() {
        // SAFETY: this function has the target features, and the nodes are below the degree.
        unsafe {
            let x = inverse_first::<2, 1, WIDE, CORRECTED>(table, k + 2 * i, gather(pair, 1, 0));
            scatter(pair, 1, 0, x);
        }
    }
    match a.len() {
        2 => inverse_pass::<2, WIDE, CORRECTED, true, STRICT>(table, 1, a),
        _ => inverse_pass::<4, WIDE, CORRECTED, true, STRICT>(table, 1, a),
    }
}

/// All stages of the block of node `k`, of more than 64 words. `LAST` is for node 1.
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
fn inverse_node<const WIDE: bool, const ROOM: u8, const LAST: bool, const STRICT: bool>(
    table: &Table,
    k: usize,
    a: &mut [Words],
) {
    let stages = joined(a.len().ilog2() - 3);
    let (first, len) = (k << stages, a.len() >> stages);
    if len == 8 {
        for (i, block) in a.as_chunks_mut().0.iter_mut().enumerate() {
            inverse_leaf::<WIDE, ROOM, false, STRICT>(table, first + i, block);
        }
    } else {
        for (i, part) in a.chunks_exact_mut(len).enumerate() {
            inverse_node::<WIDE, ROOM, false, STRICT>(table, first + i, part);
        }
    }
    match stages {
        1 => inverse_pass::<2, WIDE, ROOM, LAST, STRICT>(table, k, a),
        2 => inverse_pass::<4, WIDE, ROOM, LAST, STRICT>(table, k, a),
        _ => inverse_pass::<8, WIDE, ROOM, LAST, STRICT>(table, k, a),
    }
}

/// `log2 R` stages of the block of node `k`; `LAST` ends the transform. Words are below one unit before and
/// after, or four if loose.
#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
fn inverse_pass<const R: usize, const WIDE: bool, const ROOM: u8, const LAST: bool, const STRICT: bool>(
    table: &Table,
    k: usize,
    block: &mut [Words],
) {
    let distance = block.len() / R;
    // SAFETY: this function has the target features, `i < distance`, and `R` divides the length of the block.
    unsafe {
        let factors = table.below::<R, WIDE>(k);
        let scale = table.one::<WIDE>(0);
        for i in 0..distance {
            let mut x = gather::<R>(block, distance, i);
            if LAST {
                inverse_scaled::<R, WIDE, ROOM, STRICT>(table, &mut x, &factors, scale);
            } else {
                inverse_stages::<R, WIDE, ROOM>(table, &mut x, &factors);
            }
            scatter(block, distance, i, x);
        }
    }
}

/// All six stages of a block of 64 words.
#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
fn inverse_leaf<const WIDE: bool, const ROOM: u8, const LAST: bool, const STRICT: bool>(
    table: &Table,
    k: usize,
    block: &mut [Words; 8],
) {
    // SAFETY: this function has the target features, and the nodes are below the degree.
    unsafe {
        let mut x = inverse_first::<8, 4, WIDE, ROOM>(table, 8 * k, gather(block, 1, 0));
        let factors = table.below::<8, WIDE>(k);
        if LAST {
            inverse_scaled::<8, WIDE, ROOM, STRICT>(table, &mut x, &factors, table.one::<WIDE>(0));
        } else {
            inverse_stages::<8, WIDE, ROOM>(table, &mut x, &factors);
        }
        scatter(block, 1, 0, x);
    }
}

/// `log2 R` stages; words are below one unit before and after, or four if loose.
#[inline(always)]
unsafe fn inverse_stages<const R: usize, const WIDE: bool, const ROOM: u8>(
    table: &Table,
    x: &mut [__m512i; R],
    w: &[Factor; R],
) {
    // SAFETY: the caller vouches for the target features.
    unsafe {
        inverse_inner::<R, WIDE, ROOM>(table, x, w);
        match R {
            8 => inverse_butterflies::<R, 4, WIDE, ROOM>(table, x, [0, 1, 2, 3], [4, 5, 6, 7], [w[1]; 4]),
            4 => inverse_butterflies::<R, 2, WIDE, ROOM>(table, x, [0, 1], [2, 3], [w[1]; 2]),
            _ => inverse_butterflies::<R, 1, WIDE, ROOM>(table, x, [0], [1], [w[1]]),
        }
        // A word that was a sum in each of the last s stages is below 2^s units. Bits that do not count may stay.
        match ROOM {
            CORRECTED => {}
            LOOSE => x[0] = table.shrink::<WIDE>(x[0]),
            _ => {
                for x in &mut x[..R / 2] {
                    *x = table.shrink::<WIDE>(*x);
                }
            }
        }
    }
}

/// `log2 R` stages, of which the last multiplies by `scale`; from one unit to `[0, q)` if strict, else `[0, 2q)`.
#[inline(always)]
unsafe fn inverse_scaled<const R: usize, const WIDE: bool, const ROOM: u8, const STRICT: bool>(
    table: &Table,
    x: &mut [__m512i; R],
    w: &[Factor; R],
    scale: Factor,
) {
    // SAFETY: the caller vouches for the target features.
    unsafe {
        inverse_inner::<R, WIDE, ROOM>(table, x, w);
        for i in 0..R / 2 {
            let (sum, difference) = sum_and_difference::<ROOM>(table, x[i], x[i + R / 2]);
            x[i] = table.finish::<WIDE, STRICT>(table.product::<WIDE>(sum, scale));
            x[i + R / 2] = table.finish::<WIDE, STRICT>(table.product::<WIDE>(difference, w[1]));
        }
    }
}

/// All stages of `log2 R` but the last.
#[inline(always)]
unsafe fn inverse_inner<const R: usize, const WIDE: bool, const ROOM: u8>(
    table: &Table,
    x: &mut [__m512i; R],
    w: &[Factor; R],
) {
    // SAFETY: the caller vouches for the target features.
    unsafe {
        if R == 8 {
            inverse_butterflies::<R, 4, WIDE, ROOM>(table, x, [0, 2, 4, 6], [1, 3, 5, 7], [w[4], w[5], w[6], w[7]]);
            inverse_butterflies::<R, 4, WIDE, ROOM>(table, x, [0, 1, 4, 5], [2, 3, 6, 7], [w[2], w[2], w[3], w[3]]);
            if ROOM == TIGHT {
                // Sums of sums, below four units, would make sums of eight.
                x[0] = table.halve_four(table.clean::<WIDE>(x[0]));
                x[4] = table.halve_four(table.clean::<WIDE>(x[4]));
            }
        } else if R == 4 {
            inverse_butterflies::<R, 2, WIDE, ROOM>(table, x, [0, 2], [1, 3], [w[2], w[3]]);
        }
    }
}

/// `(x_i + x_j, (x_i - x_j)·w)` for some pairs `(i, j)`: corrected, both are below one unit; else the sum is not reduced,
/// and narrow words count modulo `2^52`.
#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
fn inverse_butterflies<const R: usize, const N: usize, const WIDE: bool, const ROOM: u8>(
    table: &Table,
    x: &mut [__m512i; R],
    i: [usize; N],
    j: [usize; N],
    w: [Factor; N],
) {
    let (mut sums, mut differences) = ([_mm512_setzero_si512(); N], [_mm512_setzero_si512(); N]);
    for n in 0..N {
        (sums[n], differences[n]) = sum_and_difference::<ROOM>(table, x[i[n]], x[j[n]]);
        if ROOM == CORRECTED {
            sums[n] = table.halve(sums[n]);
        }
    }
    let mut products = table.products::<N, WIDE>(differences, &w);
    if ROOM == CORRECTED {
        for n in 0..N {
            products[n] = table.clean::<WIDE>(products[n]);
        }
    }
    for n in 0..N {
        (x[i[n]], x[j[n]]) = (sums[n], products[n]);
    }
}

/// `x + y`, and `x - y` plus a multiple of `q` above `y`: half of the limit.
#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
fn sum_and_difference<const ROOM: u8>(table: &Table, x: __m512i, y: __m512i) -> (__m512i, __m512i) {
    let offset = match ROOM {
        LOOSE => _mm512_slli_epi64::<4>(table.unit),
        FREE => _mm512_slli_epi64::<2>(table.unit),
        TIGHT => _mm512_slli_epi64::<1>(table.unit),
        _ => table.unit,
    };
    (_mm512_add_epi64(x, y), _mm512_sub_epi64(_mm512_add_epi64(x, offset), y))
}

/// The first three stages of the blocks of eight with the nodes from `k` on: [`forward_last`] backwards. Words are below one
/// unit before and after.
#[inline(always)]
unsafe fn inverse_first<const R: usize, const N: usize, const WIDE: bool, const ROOM: u8>(
    table: &Table,
    k: usize,
    mut x: [__m512i; R],
) -> [__m512i; R] {
    // SAFETY: the caller vouches for the target features and the nodes.
    unsafe {
        let (mut even, mut odd) = ([0; N], [1; N]);
        for n in 1..N {
            (even[n], odd[n]) = (2 * n, 2 * n + 1);
        }
        x = separate_pairs(x);
        let mut w = [table.eight::<WIDE>(4 * k); N];
        for n in 1..N {
            w[n] = table.eight::<WIDE>(4 * (k + 2 * n));
        }
        inverse_butterflies::<R, N, WIDE, ROOM>(table, &mut x, even, odd, w);
        x = separate_pairs(x);
        for n in 0..N {
            w[n] = table.four::<WIDE>(2 * (k + 2 * n));
        }
        inverse_butterflies::<R, N, WIDE, ROOM>(table, &mut x, even, odd, w);
        if ROOM == TIGHT {
            for i in even {
                x[i] = table.halve_four(table.clean::<WIDE>(x[i]));
            }
        }
        x = separate_pairs(x);
        for n in 0..N {
            w[n] = table.two::<WIDE>(k + 2 * n);
        }
        inverse_butterflies::<R, N, WIDE, ROOM>(table, &mut x, even, odd, w);
        if ROOM != CORRECTED {
            for n in 0..N {
                x[2 * n] = table.shrink::<WIDE>(x[2 * n]);
            }
        }
        separate_pairs(x)
    }
}
