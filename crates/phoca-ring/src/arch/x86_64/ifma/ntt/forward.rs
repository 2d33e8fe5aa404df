//! From coefficients to values: Cooley–Tukey butterflies.

use core::arch::x86_64::*;

use super::super::{Words, load, splat};
use super::table::{Factor, Table, alternate_quarters, each_pair, exchange_quarters, factor, gather, pair_halves};
use super::table::{pair_words, scatter};
use super::{CORRECTED, SHORT, WIDE, joined};
use crate::arch::{Prologue, Twiddles, portable};
use crate::modulus::{Modulus, Shoup};

#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
pub(super) fn forward_transform<const WIDTH: u8, const ROOM: u8, const STRICT: bool>(
    modulus: &Modulus,
    twiddles: &Twiddles,
    a: &mut [u64],
) {
    assert_eq!(twiddles.forward.len(), 2 * a.len());
    let table = Table::new::<WIDTH>(modulus, &twiddles.forward);
    let (a, bound) = (a.as_chunks_mut().0, first_bound::<WIDTH>());
    match a.len() {
        2 | 4 => forward_small::<WIDTH, STRICT>(&table, a),
        8 => forward_leaves::<1, WIDTH, ROOM, STRICT>(&table, 1, a, bound),
        _ => forward_node::<WIDTH, ROOM, STRICT>(&table, 1, a, bound),
    }
}

/// The units below which the words of a lazy input are, `4q`.
const fn first_bound<const WIDTH: u8>() -> u64 {
    match WIDTH {
        SHORT => 4,
        WIDE => 1,
        _ => 2,
    }
}

/// The transform with a prologue, which joins the first pass.
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
pub(super) fn forward_after<const WIDTH: u8, const ROOM: u8, const STRICT: bool>(
    modulus: &Modulus,
    twiddles: &Twiddles,
    out: &mut [u64],
    input: &[u64],
    prologue: Prologue,
) {
    // Short products take words of a few units only.
    if out.len() <= 64 || (WIDTH == SHORT && prologue.factor.is_some()) {
        portable::apply_prologue(modulus, prologue, out, input);
        return forward_transform::<WIDTH, ROOM, STRICT>(modulus, twiddles, out);
    }
    assert_eq!((twiddles.forward.len(), input.len()), (2 * out.len(), out.len()));
    let table = &Table::new::<WIDTH>(modulus, &twiddles.forward);
    let (out, input): (_, &[Words]) = (out.as_chunks_mut().0, input.as_chunks().0);
    let (bound, offset) = (first_bound::<WIDTH>(), splat(prologue.offset));
    // SAFETY: an index below the length of the output is one of the input.
    let word = |i| load(unsafe { input.get_unchecked(i) });
    let backwards = follows_closely(out, input);
    let Some(factor) = prologue.factor else {
        let read = |_: &[Words], i| _mm512_add_epi64(word(i), offset);
        return forward_parts::<WIDTH, ROOM, STRICT>(table, 1, out, bound, backwards, read);
    };
    let low = factor_in_lanes::<WIDTH>(factor);
    if WIDTH == WIDE || prologue.bound <= 1 << 52 {
        let scaled = |i| table.finish::<WIDTH, false>(table.product::<WIDTH>(word(i), low));
        let read = |_: &[Words], i| _mm512_add_epi64(scaled(i), offset);
        return forward_parts::<WIDTH, ROOM, STRICT>(table, 1, out, bound, backwards, read);
    }
    let high = modulus.mul(factor.value, modulus.reduce(1 << 52));
    let high = factor_in_lanes::<WIDTH>(modulus.shoup(high));
    let read = |_: &[Words], i| {
        let high = table.product::<WIDTH>(_mm512_srli_epi64::<52>(word(i)), high);
        _mm512_add_epi64(table.halve(_mm512_add_epi64(table.product::<WIDTH>(word(i), low), high)), offset)
    };
    forward_parts::<WIDTH, ROOM, STRICT>(table, 1, out, bound, backwards, read);
}

/// Whether the output is less than half a page after the input, as far as addresses within pages tell.
///
/// A processor takes a load for one of what was just stored where these agree, and lets it wait. So the first pass goes
/// backwards then; forwards the whole transform would take a fifth to a third more time.
fn follows_closely(out: &[Words], input: &[Words]) -> bool {
    const PAGE: usize = 4096;
    let distance = out.as_ptr().addr().wrapping_sub(input.as_ptr().addr()) % PAGE;
    (1..PAGE / 2).contains(&distance)
}

/// At least `count` butterflies of the transform in registers; a word that depends on all of them.
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
pub(super) fn butterflies_alone<const WIDTH: u8, const ROOM: u8>(
    modulus: &Modulus,
    twiddles: &Twiddles,
    count: usize,
) -> u64 {
    let table = Table::new::<WIDTH>(modulus, &twiddles.forward);
    // SAFETY: this function has the target features, and the degree is at least 16.
    let w = unsafe { table.below::<8, WIDTH>(1) };
    // Independent ones, as the columns of a pass are.
    let mut columns = [[splat(1); 8]; 2];
    for _ in 0..count.div_ceil(2 * 12 * 8) {
        for x in &mut columns {
            // SAFETY: this function has the target features.
            unsafe {
                if ROOM == CORRECTED {
                    forward_stages::<8, WIDTH, true, false>(&table, x, &w);
                } else {
                    forward_stages::<8, WIDTH, false, false>(&table, x, &w);
                }
            }
        }
    }
    let mut sum = _mm512_setzero_si512();
    for &x in columns.as_flattened() {
        sum = _mm512_add_epi64(sum, x);
    }
    _mm512_reduce_add_epi64(sum) as u64
}

#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
fn factor_in_lanes<const WIDTH: u8>(Shoup { value, quotient }: Shoup) -> Factor {
    factor::<WIDTH>(splat(value), splat(if WIDTH == WIDE { quotient } else { quotient >> 12 }))
}

/// Degrees 16 and 32, for which there is always room enough after a reduction.
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
fn forward_small<const WIDTH: u8, const STRICT: bool>(table: &Table, a: &mut [Words]) {
    match a.len() {
        2 => forward_pass::<2, WIDTH, true, false>(table, 1, a, false, in_place),
        _ => forward_pass::<4, WIDTH, true, false>(table, 1, a, false, in_place),
    }
    let k = a.len();
    for (i, pair) in a.as_chunks_mut::<2>().0.iter_mut().enumerate() {
        // SAFETY: this function has the target features, and the nodes are below the degree.
        unsafe {
            let mut x = [gather(pair, 1, 0)];
            forward_last::<1, 2, 1, WIDTH, true, STRICT>(table, k + 2 * i, &mut x);
            scatter(pair, 1, 0, forward_end::<2, WIDTH, true, STRICT>(table, x[0]));
        }
    }
}

/// All stages of the block of node `k`, of more than 64 words below `bound` units.
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
fn forward_node<const WIDTH: u8, const ROOM: u8, const STRICT: bool>(
    table: &Table,
    k: usize,
    a: &mut [Words],
    bound: u64,
) {
    forward_parts::<WIDTH, ROOM, STRICT>(table, k, a, bound, false, in_place);
}

/// As [`forward_node`], where the block's words are read by a function, from the last to the first if `backwards`.
#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
fn forward_parts<const WIDTH: u8, const ROOM: u8, const STRICT: bool>(
    table: &Table,
    k: usize,
    a: &mut [Words],
    bound: u64,
    backwards: bool,
    read: impl Fn(&[Words], usize) -> __m512i,
) {
    let stages = joined(a.len().ilog2() - 3);
    let bound = match stages {
        1 => forward_bounded::<2, WIDTH, ROOM>(table, k, a, bound, backwards, read),
        2 => forward_bounded::<4, WIDTH, ROOM>(table, k, a, bound, backwards, read),
        _ => forward_bounded::<8, WIDTH, ROOM>(table, k, a, bound, backwards, read),
    };
    let (k, len) = (k << stages, a.len() >> stages);
    if len == 8 {
        return forward_leaves::<2, WIDTH, ROOM, STRICT>(table, k, a, bound);
    }
    for (i, part) in a.chunks_exact_mut(len).enumerate() {
        forward_node::<WIDTH, ROOM, STRICT>(table, k + i, part, bound);
    }
}

/// A pass on words below `bound` units, which reduces where it must; the bound afterwards.
#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
fn forward_bounded<const R: usize, const WIDTH: u8, const ROOM: u8>(
    table: &Table,
    k: usize,
    a: &mut [Words],
    bound: u64,
    backwards: bool,
    read: impl Fn(&[Words], usize) -> __m512i,
) -> u64 {
    let stages = u64::from(R.ilog2());
    if ROOM == CORRECTED {
        forward_pass::<R, WIDTH, true, false>(table, k, a, backwards, read);
        return bound;
    }
    if bound + stages > table.limit {
        forward_pass::<R, WIDTH, false, true>(table, k, a, backwards, read);
        return 1 + stages;
    }
    forward_pass::<R, WIDTH, false, false>(table, k, a, backwards, read);
    bound + stages
}

/// All stages of blocks of 64 words below `bound` units, from that of node `k` on, `L` blocks at a time.
#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
fn forward_leaves<const L: usize, const WIDTH: u8, const ROOM: u8, const STRICT: bool>(
    table: &Table,
    k: usize,
    a: &mut [Words],
    bound: u64,
) {
    debug_assert!(a.len().is_multiple_of(8 * L));
    let leaves = a.as_chunks_mut().0.as_chunks_mut().0;
    if ROOM == CORRECTED {
        forward_each_leaf::<L, WIDTH, true, 0, STRICT>(table, k, leaves);
    } else if bound + 6 <= table.limit {
        forward_each_leaf::<L, WIDTH, false, 0, STRICT>(table, k, leaves);
    } else if 6 < table.limit {
        forward_each_leaf::<L, WIDTH, false, 1, STRICT>(table, k, leaves);
    } else {
        forward_each_leaf::<L, WIDTH, false, 2, STRICT>(table, k, leaves);
    }
}

#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
fn forward_each_leaf<const L: usize, const WIDTH: u8, const CORRECT: bool, const REDUCTIONS: u8, const STRICT: bool>(
    table: &Table,
    k: usize,
    leaves: &mut [[[Words; 8]; L]],
) {
    for (i, blocks) in leaves.iter_mut().enumerate() {
        // SAFETY: this function has the target features, and the nodes are below the degree.
        unsafe { forward_leaf::<L, WIDTH, CORRECT, REDUCTIONS, STRICT>(table, k + L * i, blocks) };
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
fn forward_pass<const R: usize, const WIDTH: u8, const CORRECT: bool, const REDUCE: bool>(
    table: &Table,
    k: usize,
    block: &mut [Words],
    backwards: bool,
    read: impl Fn(&[Words], usize) -> __m512i,
) {
    let distance = block.len() / R;
    // SAFETY: this function has the target features, `i < distance`, and `R` divides the length of the block.
    unsafe {
        let factors = table.below::<R, WIDTH>(k);
        for i in 0..distance {
            let i = if backwards { distance - 1 - i } else { i };
            let mut x = [_mm512_setzero_si512(); R];
            for (j, x) in x.iter_mut().enumerate() {
                *x = read(block, i + j * distance);
            }
            forward_stages::<R, WIDTH, CORRECT, REDUCE>(table, &mut x, &factors);
            scatter(block, distance, i, x);
        }
    }
}

/// All six stages of `L` blocks of 64 words, with a reduction before the first and before the fourth.
///
/// The blocks take each stage in turn, because a stage waits for the results of the one before it, for longer than a
/// processor looks ahead. Factors are read where they are needed, so that they take no registers before.
#[inline(always)]
unsafe fn forward_leaf<
    const L: usize,
    const WIDTH: u8,
    const CORRECT: bool,
    const REDUCTIONS: u8,
    const STRICT: bool,
>(
    table: &Table,
    k: usize,
    blocks: &mut [[Words; 8]; L],
) {
    // SAFETY: the caller vouches for the target features and the nodes.
    unsafe {
        let mut x = [[_mm512_setzero_si512(); 8]; L];
        for (x, block) in x.iter_mut().zip(blocks.iter()) {
            *x = gather(block, 1, 0);
            if REDUCTIONS > 0 {
                shrink_low::<8, WIDTH>(table, x);
            }
        }
        for (l, x) in x.iter_mut().enumerate() {
            forward_stage::<0, 8, WIDTH, CORRECT>(table, x, &table.row::<1, WIDTH>(k + l));
        }
        for (l, x) in x.iter_mut().enumerate() {
            forward_stage::<1, 8, WIDTH, CORRECT>(table, x, &table.row::<2, WIDTH>(2 * (k + l)));
        }
        for (l, x) in x.iter_mut().enumerate() {
            forward_stage::<2, 8, WIDTH, CORRECT>(table, x, &table.row::<4, WIDTH>(4 * (k + l)));
        }
        if REDUCTIONS == 2 {
            for x in &mut x {
                *x = table.shrink_all::<8, WIDTH>(*x);
            }
        }
        forward_last::<L, 8, 4, WIDTH, CORRECT, STRICT>(table, 8 * k, &mut x);
        for (block, x) in blocks.iter_mut().zip(x) {
            scatter(block, 1, 0, forward_end::<8, WIDTH, CORRECT, STRICT>(table, x));
        }
    }
}

/// `log2 R` stages. What the first does not multiply is reduced to one unit where `REDUCE`.
#[inline(always)]
unsafe fn forward_stages<const R: usize, const WIDTH: u8, const CORRECT: bool, const REDUCE: bool>(
    table: &Table,
    x: &mut [__m512i; R],
    w: &[Factor; R],
) {
    // SAFETY: the caller vouches for the target features.
    unsafe {
        if REDUCE {
            shrink_low::<R, WIDTH>(table, x);
        }
        forward_stage::<0, R, WIDTH, CORRECT>(table, x, &w[1..2]);
        if R >= 4 {
            forward_stage::<1, R, WIDTH, CORRECT>(table, x, &w[2..4]);
        }
        if R == 8 {
            forward_stage::<2, R, WIDTH, CORRECT>(table, x, &w[4..8]);
        }
    }
}

/// Reduces what the next stage does not multiply to one unit.
#[inline(always)]
unsafe fn shrink_low<const R: usize, const WIDTH: u8>(table: &Table, x: &mut [__m512i; R]) {
    for x in &mut x[..R / 2] {
        // SAFETY: the caller vouches for the target features.
        *x = unsafe { table.shrink::<WIDTH>(*x) };
    }
}

/// The stage of `log2 R` with `2^STAGE` factors.
#[inline(always)]
unsafe fn forward_stage<const STAGE: u32, const R: usize, const WIDTH: u8, const CORRECT: bool>(
    table: &Table,
    x: &mut [__m512i; R],
    w: &[Factor],
) {
    // SAFETY: the caller vouches for the target features.
    unsafe {
        match (R, STAGE) {
            (8, 0) => forward_butterflies::<R, 4, WIDTH, CORRECT>(table, x, [0, 1, 2, 3], [4, 5, 6, 7], [w[0]; 4]),
            (8, 1) => {
                let w = [w[0], w[0], w[1], w[1]];
                forward_butterflies::<R, 4, WIDTH, CORRECT>(table, x, [0, 1, 4, 5], [2, 3, 6, 7], w);
            }
            (8, _) => {
                let w = [w[0], w[1], w[2], w[3]];
                forward_butterflies::<R, 4, WIDTH, CORRECT>(table, x, [0, 2, 4, 6], [1, 3, 5, 7], w);
            }
            (4, 0) => forward_butterflies::<R, 2, WIDTH, CORRECT>(table, x, [0, 1], [2, 3], [w[0]; 2]),
            (4, _) => forward_butterflies::<R, 2, WIDTH, CORRECT>(table, x, [0, 2], [1, 3], [w[0], w[1]]),
            _ => forward_butterflies::<R, 1, WIDTH, CORRECT>(table, x, [0], [1], [w[0]]),
        }
    }
}

/// `(x_i + w·x_j, x_i - w·x_j)` for some pairs `(i, j)`: the bound grows by one unit, or corrected, it stays at two.
///
/// The pairs take each step together, because a processor looks for independent steps among the next few only.
#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
fn forward_butterflies<const R: usize, const N: usize, const WIDTH: u8, const CORRECT: bool>(
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
    let quotients = table.quotients::<N, WIDTH>(y, &w);
    if WIDTH == WIDE || CORRECT {
        let products = table.remainders::<N, WIDTH>([_mm512_setzero_si512(); N], y, &w, quotients);
        for n in 0..N {
            let product = table.clean::<WIDTH>(products[n]);
            x[i[n]] = _mm512_add_epi64(first[n], product);
            x[j[n]] = _mm512_sub_epi64(_mm512_add_epi64(first[n], table.unit), product);
        }
    } else {
        let sums = table.remainders::<N, WIDTH>(first, y, &w, quotients);
        for n in 0..N {
            let twice = _mm512_add_epi64(_mm512_add_epi64(first[n], table.unit), first[n]);
            (x[i[n]], x[j[n]]) = (sums[n], _mm512_sub_epi64(twice, sums[n]));
        }
    }
}

/// Whether the last stage starts with a reduction of what it does not multiply to one unit. It then ends below two: `2q`
/// where short, `4q` where narrow.
const fn reduces_early<const WIDTH: u8, const CORRECT: bool, const STRICT: bool>() -> bool {
    !CORRECT && (WIDTH == SHORT || (WIDTH != WIDE && !STRICT))
}

/// The last three stages of `L` times `R` blocks of eight with the nodes from `k` on.
#[inline(always)]
unsafe fn forward_last<
    const L: usize,
    const R: usize,
    const N: usize,
    const WIDTH: u8,
    const CORRECT: bool,
    const STRICT: bool,
>(
    table: &Table,
    k: usize,
    x: &mut [[__m512i; R]; L],
) {
    // SAFETY: the caller vouches for the target features and the nodes.
    unsafe {
        let (mut even, mut odd) = ([0; N], [1; N]);
        for n in 1..N {
            (even[n], odd[n]) = (2 * n, 2 * n + 1);
        }
        for (l, x) in x.iter_mut().enumerate() {
            // Of each two blocks a and b: a0 b0 a2 b2 a1 b1 a3 b3 and a4 b4 a6 b6 a5 b5 a7 b7.
            *x = each_pair(*x, pair_halves);
            let w = table.twos::<N, WIDTH>(k + R * l);
            forward_butterflies::<R, N, WIDTH, CORRECT>(table, x, even, odd, w);
        }
        for (l, x) in x.iter_mut().enumerate() {
            // a0 b0 a1 b1 a4 b4 a5 b5 and a2 b2 a3 b3 a6 b6 a7 b7.
            *x = each_pair(*x, alternate_quarters);
            let w = table.fours::<N, WIDTH>(2 * (k + R * l));
            forward_butterflies::<R, N, WIDTH, CORRECT>(table, x, even, odd, w);
        }
        for (l, x) in x.iter_mut().enumerate() {
            // a0 b0 a2 b2 a4 b4 a6 b6 and a1 b1 a3 b3 a5 b5 a7 b7.
            *x = each_pair(*x, exchange_quarters);
            let w = table.eights::<N, WIDTH>(4 * (k + R * l));
            if reduces_early::<WIDTH, CORRECT, STRICT>() {
                for n in even {
                    x[n] = table.shrink::<WIDTH>(x[n]);
                }
            }
            forward_butterflies::<R, N, WIDTH, CORRECT>(table, x, even, odd, w);
        }
    }
}

/// After [`forward_last`], the words in their order: from the bound of the last stage to `[0, 4q)`, or `[0, q)` if strict.
#[inline(always)]
unsafe fn forward_end<const R: usize, const WIDTH: u8, const CORRECT: bool, const STRICT: bool>(
    table: &Table,
    mut x: [__m512i; R],
) -> [__m512i; R] {
    // SAFETY: the caller vouches for the target features.
    unsafe {
        if !CORRECT && !reduces_early::<WIDTH, CORRECT, STRICT>() {
            x = table.shrink_all::<R, WIDTH>(x);
        }
        for x in &mut x {
            if !CORRECT {
                *x = table.clean::<WIDTH>(*x);
            }
            if CORRECT && (WIDTH == WIDE || STRICT) {
                *x = table.halve(*x);
            }
            if STRICT {
                *x = table.finish::<WIDTH, true>(*x);
            }
        }
        each_pair(x, pair_words)
    }
}
