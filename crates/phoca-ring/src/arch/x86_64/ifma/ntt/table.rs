//! The factors of the transforms and the arithmetic on vectors.

use core::arch::x86_64::*;

use super::super::{Lanes, Words, load, splat, store};
use super::{NARROW, SHORT, WIDE};
use crate::Buffer;
use crate::modulus::Modulus;

/// All residues, then all their quotients `floor(w·2^52 / q)`, or where wide `floor(w·2^64 / q)`, where short
/// `ceil(w·2^52 / q)`.
///
/// The factors of the last two stages are in the order of the lanes that they meet, see [`pair_words`].
pub(super) fn prepare<const WIDTH: u8>(modulus: &Modulus, residues: &[u64]) -> Buffer {
    let mut table = Buffer::zeroed(2 * residues.len());
    let (values, quotients) = table.split_at_mut(residues.len());
    values.copy_from_slice(residues);
    for group in values[residues.len() / 4..residues.len() / 2].as_chunks_mut().0 {
        let [w0, w1, w2, w3] = *group;
        *group = [w0, w2, w1, w3];
    }
    for group in values[residues.len() / 2..].as_chunks_mut().0 {
        let [w0, w1, w2, w3, w4, w5, w6, w7] = *group;
        *group = [w0, w4, w1, w5, w2, w6, w3, w7];
    }
    for (quotient, &residue) in quotients.iter_mut().zip(values.iter()) {
        let shoup = modulus.shoup(residue).quotient;
        *quotient = match WIDTH {
            // No factor is zero, and no other is a multiple of q over 2^52.
            SHORT => (shoup >> 12) + 1,
            WIDE => shoup,
            _ => shoup >> 12,
        };
    }
    table
}

/// Residues in lanes with their quotients.
#[derive(Clone, Copy)]
pub(super) struct Factor {
    value: __m512i,
    /// `floor(w·2^52 / q)`, or where short `ceil(w·2^52 / q)`, which is all that those products need.
    quotient: __m512i,
    /// Where wide, the fraction of `w·2^52 / q`: 12 bits of it, at the top of 52.
    fraction: __m512i,
}

/// The factors of one direction, with the constants of the modulus.
#[derive(Clone, Copy)]
pub(super) struct Table<'a> {
    lanes: Lanes,
    /// What a product is below: `2q`, or `4q` where wide, `q` where short.
    pub(super) unit: __m512i,
    /// `floor(2^52 / q)`, or where wide `floor(2^64 / q)`, where short `ceil(2^52 / q)`.
    ratio: __m512i,
    /// The units that fit in a word; where short, those that a product takes.
    pub(super) limit: u64,
    values: &'a [u64],
    quotients: &'a [u64],
}

impl<'a> Table<'a> {
    #[inline]
    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
    pub(super) fn new<const WIDTH: u8>(modulus: &Modulus, table: &'a [u64]) -> Self {
        let (values, quotients) = table.split_at(table.len() / 2);
        let q = modulus.value();
        let (unit, ratio, limit) = match WIDTH {
            SHORT => (q, (1 << 52) / q + 1, (1 << 52) / q / q),
            WIDE => (4 * q, u64::MAX / q, u64::MAX / (4 * q)),
            _ => (2 * q, (1 << 52) / q, (1 << 52) / (2 * q)),
        };
        Self { lanes: Lanes::new(modulus), unit: splat(unit), ratio: splat(ratio), limit, values, quotients }
    }

    /// Factor `k` in every lane.
    #[inline]
    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
    pub(super) unsafe fn one<const WIDTH: u8>(&self, k: usize) -> Factor {
        // SAFETY: the caller vouches for the node, as `chunk` asks.
        unsafe {
            let ([value], [quotient]) = (chunk(self.values, k), chunk(self.quotients, k));
            factor::<WIDTH>(splat(*value), splat(*quotient))
        }
    }

    /// Factors `k` and `k + 1`, alternating, then those after them.
    #[inline(always)]
    pub(super) unsafe fn twos<const N: usize, const WIDTH: u8>(&self, k: usize) -> [Factor; N] {
        // SAFETY: the caller vouches for the target features and for the nodes, as `chunk` asks.
        unsafe {
            let mut factors = [factor::<WIDTH>(_mm512_setzero_si512(), _mm512_setzero_si512()); N];
            for (n, w) in factors.iter_mut().enumerate() {
                let k = k + 2 * n;
                *w = factor::<WIDTH>(repeat_2(chunk(self.values, k)), repeat_2(chunk(self.quotients, k)));
            }
            factors
        }
    }

    /// Factors `k`, `k + 2`, `k`, `k + 2`, `k + 1`, `k + 3`, `k + 1` and `k + 3`, then those after them.
    #[inline(always)]
    pub(super) unsafe fn fours<const N: usize, const WIDTH: u8>(&self, k: usize) -> [Factor; N] {
        // SAFETY: the caller vouches for the target features and for the nodes, as `chunk` asks.
        unsafe {
            let mut factors = [factor::<WIDTH>(_mm512_setzero_si512(), _mm512_setzero_si512()); N];
            for (n, w) in factors.iter_mut().enumerate() {
                let k = k + 4 * n;
                *w = factor::<WIDTH>(repeat_4(chunk(self.values, k)), repeat_4(chunk(self.quotients, k)));
            }
            factors
        }
    }

    /// Factors `k` to `k + 7` in the order of [`prepare`], then those after them.
    #[inline(always)]
    pub(super) unsafe fn eights<const N: usize, const WIDTH: u8>(&self, k: usize) -> [Factor; N] {
        // SAFETY: the caller vouches for the target features and for the nodes, as `chunk` asks.
        unsafe {
            let mut factors = [factor::<WIDTH>(_mm512_setzero_si512(), _mm512_setzero_si512()); N];
            for (n, w) in factors.iter_mut().enumerate() {
                let k = k + 8 * n;
                *w = factor::<WIDTH>(load(chunk(self.values, k)), load(chunk(self.quotients, k)));
            }
            factors
        }
    }

    /// Factors `k` to `k + N - 1`, each in every lane.
    #[inline(always)]
    pub(super) unsafe fn row<const N: usize, const WIDTH: u8>(&self, k: usize) -> [Factor; N] {
        // SAFETY: the caller vouches for the target features and for the nodes.
        unsafe {
            let mut factors = [self.one::<WIDTH>(k); N];
            for (i, factor) in factors.iter_mut().enumerate().skip(1) {
                *factor = self.one::<WIDTH>(k + i);
            }
            factors
        }
    }

    /// The factors of node `k` and of its descendants in `log2 R - 1` generations, numbered as if `k` were 1.
    #[inline(always)]
    pub(super) unsafe fn below<const R: usize, const WIDTH: u8>(&self, k: usize) -> [Factor; R] {
        // SAFETY: the caller vouches for the target features and for the nodes.
        unsafe {
            let mut factors = [self.one::<WIDTH>(k); R];
            for (i, factor) in factors.iter_mut().enumerate().skip(2) {
                let generation = i.ilog2();
                *factor = self.one::<WIDTH>((k << generation) + i - (1 << generation));
            }
            factors
        }
    }

    /// `y·w` in `[0, unit)`: for `y` modulo `2^52`, or where wide for any word `y`, where short for any below the limit.
    #[inline]
    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
    pub(super) fn product<const WIDTH: u8>(&self, y: __m512i, w: Factor) -> __m512i {
        let [product] = self.products::<1, WIDTH>([y], &[w]);
        self.clean::<WIDTH>(product)
    }

    /// `y·w` in `[0, unit)`, where narrow words count modulo `2^52`.
    #[inline]
    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
    pub(super) fn products<const N: usize, const WIDTH: u8>(&self, y: [__m512i; N], w: &[Factor; N]) -> [__m512i; N] {
        self.remainders::<N, WIDTH>([_mm512_setzero_si512(); N], y, w, self.quotients::<N, WIDTH>(y, w))
    }

    /// `floor(y·w / q)`, or a little less so that the remainder is below one unit; where short, `2^52` times the fraction
    /// of `y·w / q` instead.
    ///
    /// Short, with `w' = (w·2^52 + e) / q`, `0 ≤ e < q`, and `y·w = k·q + r`, it is `(r·2^52 + y·e) / q`, the low bits of
    /// `y·w'`. Times `q`, its integer part is `r` where `y·e < 2^52`, for which `y·q ≤ 2^52` is enough.
    ///
    /// Wide, with `y = y1·2^52 + y0` and `w·2^52 / q = w' + f`, it is `y1·w' + y1·f + y0·(w' + f) / 2^52`. The estimate
    /// drops `y0·f / 2^52` and all of `f` but 12 bits, each less than 1, and rounds two terms down: it is at most 3 too
    /// small.
    #[inline]
    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
    pub(super) fn quotients<const N: usize, const WIDTH: u8>(&self, y: [__m512i; N], w: &[Factor; N]) -> [__m512i; N] {
        let mut quotients = [_mm512_setzero_si512(); N];
        if WIDTH == SHORT {
            for n in 0..N {
                quotients[n] = _mm512_madd52lo_epu64(quotients[n], y[n], w[n].quotient);
            }
            return quotients;
        }
        if WIDTH == WIDE {
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

    /// `acc + y·w - quotient·q`, where narrow words count modulo `2^52`. Short, it follows from the fraction.
    #[inline]
    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
    pub(super) fn remainders<const N: usize, const WIDTH: u8>(
        &self,
        mut acc: [__m512i; N],
        y: [__m512i; N],
        w: &[Factor; N],
        mut quotients: [__m512i; N],
    ) -> [__m512i; N] {
        if WIDTH == SHORT {
            for n in 0..N {
                acc[n] = _mm512_madd52hi_epu64(acc[n], quotients[n], self.lanes.q);
            }
        } else if WIDTH == WIDE {
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
    pub(super) fn shrink<const WIDTH: u8>(&self, x: __m512i) -> __m512i {
        let [x] = self.shrink_all::<1, WIDTH>([x]);
        x
    }

    /// To `[0, unit)`, from any `x` modulo `2^52`, or where wide from any word `x`, where short from any below the limit.
    ///
    /// The quotient with the ratio is at most one too small, or where wide, for the 12 bits that are dropped, two.
    #[inline]
    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
    pub(super) fn shrink_all<const N: usize, const WIDTH: u8>(&self, mut x: [__m512i; N]) -> [__m512i; N] {
        let mut quotients = [_mm512_setzero_si512(); N];
        if WIDTH == SHORT {
            for n in 0..N {
                let fraction = _mm512_madd52lo_epu64(quotients[n], x[n], self.ratio);
                x[n] = _mm512_madd52hi_epu64(quotients[n], fraction, self.lanes.q);
            }
            return x;
        }
        for n in 0..N {
            let x = if WIDTH == WIDE { _mm512_srli_epi64::<12>(x[n]) } else { x[n] };
            quotients[n] = _mm512_madd52hi_epu64(quotients[n], x, self.ratio);
        }
        for n in 0..N {
            x[n] = if WIDTH == WIDE {
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
    pub(super) fn clean<const WIDTH: u8>(&self, x: __m512i) -> __m512i {
        if WIDTH == NARROW { self.lanes.clean(x) } else { x }
    }

    /// From two units to one.
    #[inline]
    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
    pub(super) fn halve(&self, x: __m512i) -> __m512i {
        _mm512_min_epu64(x, _mm512_sub_epi64(x, self.unit))
    }

    /// From four units to two.
    #[inline]
    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
    pub(super) fn halve_four(&self, x: __m512i) -> __m512i {
        _mm512_min_epu64(x, _mm512_sub_epi64(x, _mm512_add_epi64(self.unit, self.unit)))
    }

    /// From one unit to `[0, q)` if strict, else to `[0, 2q)`.
    #[inline]
    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
    pub(super) fn finish<const WIDTH: u8, const STRICT: bool>(&self, x: __m512i) -> __m512i {
        let x = if WIDTH == WIDE { self.lanes.halve(x) } else { x };
        if STRICT { self.lanes.finish(x) } else { x }
    }
}

/// A factor from a residue and its entry in the table of quotients.
#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
pub(super) fn factor<const WIDTH: u8>(value: __m512i, quotient: __m512i) -> Factor {
    if WIDTH == WIDE {
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

/// The first two words in the low half, the last two in the high half.
#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
fn repeat_4(words: &[u64; 4]) -> __m512i {
    let [w0, w1, w2, w3] = words.map(|w| w as i64);
    _mm512_mask_broadcast_i64x2(_mm512_broadcast_i64x2(_mm_set_epi64x(w1, w0)), 0xf0, _mm_set_epi64x(w3, w2))
}

/// Blocks `a` and `b` of eight words to the pairs of the first of the last three stages:
/// `a0 b0 a2 b2 a1 b1 a3 b3` and `a4 b4 a6 b6 a5 b5 a7 b7`.
///
/// Shuffles of quarters and within them are measured to delay the multiplications less than permutations with an index
/// vector do.
#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
pub(super) fn pair_halves(a: __m512i, b: __m512i) -> (__m512i, __m512i) {
    let (even, odd) = pair_words(a, b);
    pair_quarters(even, odd)
}

/// What [`pair_halves`] or [`pair_quarters`] gives to the pairs of the next stage: `a0 b0 a1 b1 a4 b4 a5 b5` and
/// `a2 b2 a3 b3 a6 b6 a7 b7`; and from the order of [`pair_quarters`], `a0 b0 a2 b2 a4 b4 a6 b6` and `a1 b1 a3 b3 a5 b5 a7 b7`.
#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
pub(super) fn alternate_quarters(x: __m512i, y: __m512i) -> (__m512i, __m512i) {
    (_mm512_shuffle_i64x2::<0b10_00_10_00>(x, y), _mm512_shuffle_i64x2::<0b11_01_11_01>(x, y))
}

/// The low halves and the high halves.
#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
pub(super) fn pair_quarters(x: __m512i, y: __m512i) -> (__m512i, __m512i) {
    (_mm512_shuffle_i64x2::<0b01_00_01_00>(x, y), _mm512_shuffle_i64x2::<0b11_10_11_10>(x, y))
}

/// Between the pairs of the last two stages, in both directions: `a0 b0 a1 b1 a4 b4 a5 b5` and `a2 b2 a3 b3 a6 b6 a7 b7`,
/// and `a0 b0 a2 b2 a4 b4 a6 b6` and `a1 b1 a3 b3 a5 b5 a7 b7`.
#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
pub(super) fn exchange_quarters(x: __m512i, y: __m512i) -> (__m512i, __m512i) {
    let odd = _mm512_mask_shuffle_i64x2::<0b10_10_00_00>(x, 0b1100_1100, y, y);
    let even = _mm512_mask_shuffle_i64x2::<0b11_11_01_01>(y, 0b0011_0011, x, x);
    (odd, even)
}

/// `x0 y0 x2 y2 x4 y4 x6 y6` and `x1 y1 x3 y3 x5 y5 x7 y7`: two blocks to the pairs of the last stage, and back.
#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
pub(super) fn pair_words(x: __m512i, y: __m512i) -> (__m512i, __m512i) {
    (_mm512_unpacklo_epi64(x, y), _mm512_unpackhi_epi64(x, y))
}

/// What a function of two vectors gives for each two.
#[inline(always)]
pub(super) unsafe fn each_pair<const R: usize>(
    mut x: [__m512i; R],
    f: unsafe fn(__m512i, __m512i) -> (__m512i, __m512i),
) -> [__m512i; R] {
    for n in 0..R / 2 {
        // SAFETY: the caller vouches for the function.
        (x[2 * n], x[2 * n + 1]) = unsafe { f(x[2 * n], x[2 * n + 1]) };
    }
    x
}

/// Vectors `i`, `i + distance`, … of a block of `R·distance` vectors.
#[inline(always)]
pub(super) unsafe fn gather<const R: usize>(block: &[Words], distance: usize, i: usize) -> [__m512i; R] {
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
pub(super) unsafe fn scatter<const R: usize>(block: &mut [Words], distance: usize, i: usize, x: [__m512i; R]) {
    // SAFETY: the caller vouches for the target features.
    unsafe {
        debug_assert!(i < distance && R * distance == block.len());
        for (j, &x) in x.iter().enumerate() {
            store(block.get_unchecked_mut(i + j * distance), x);
        }
    }
}
