//! From values to coefficients: Gentleman–Sande butterflies.

use core::arch::x86_64::*;

use super::super::Words;
use super::table::scatter;
use super::table::{
    Factor, Table, alternate_quarters, each_pair, exchange_quarters, gather, pair_quarters, pair_words,
};
use super::{CORRECTED, FREE, LOOSE, TIGHT, WIDE, joined};
use crate::arch::Twiddles;
use crate::modulus::Modulus;

#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
pub(super) fn inverse_transform<const WIDTH: u8, const ROOM: u8, const STRICT: bool>(
    modulus: &Modulus,
    twiddles: &Twiddles,
    a: &mut [u64],
) {
    assert_eq!(twiddles.inverse.len(), 2 * a.len());
    let table = Table::new::<WIDTH>(modulus, &twiddles.inverse);
    let a = a.as_chunks_mut().0;
    match a.len() {
        2 | 4 => inverse_small::<WIDTH, STRICT>(&table, a),
        8 => inverse_leaves::<1, WIDTH, ROOM, true, STRICT>(&table, 1, a),
        _ => inverse_node::<WIDTH, ROOM, true, STRICT>(&table, 1, a),
    }
}

/// Degrees 16 and 32.
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
fn inverse_small<const WIDTH: u8, const STRICT: bool>(table: &Table, a: &mut [Words]) {
    let k = a.len();
    for (i, pair) in a.as_chunks_mut::<2>().0.iter_mut().enumerate() {
        // SAFETY: this function has the target features, and the nodes are below the degree.
        unsafe {
            let mut x = [gather(pair, 1, 0)];
            inverse_first::<1, 2, 1, WIDTH, CORRECTED>(table, k + 2 * i, &mut x);
            scatter(pair, 1, 0, x[0]);
        }
    }
    match a.len() {
        2 => inverse_pass::<2, WIDTH, CORRECTED, true, STRICT>(table, 1, a),
        _ => inverse_pass::<4, WIDTH, CORRECTED, true, STRICT>(table, 1, a),
    }
}

/// All stages of the block of node `k`, of more than 64 words. `LAST` is for node 1.
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
fn inverse_node<const WIDTH: u8, const ROOM: u8, const LAST: bool, const STRICT: bool>(
    table: &Table,
    k: usize,
    a: &mut [Words],
) {
    let stages = joined(a.len().ilog2() - 3);
    let (first, len) = (k << stages, a.len() >> stages);
    if len == 8 {
        // Wide products need more registers than two blocks leave.
        if WIDTH == WIDE {
            inverse_leaves::<1, WIDTH, ROOM, false, STRICT>(table, first, a);
        } else {
            inverse_leaves::<2, WIDTH, ROOM, false, STRICT>(table, first, a);
        }
    } else {
        for (i, part) in a.chunks_exact_mut(len).enumerate() {
            inverse_node::<WIDTH, ROOM, false, STRICT>(table, first + i, part);
        }
    }
    match stages {
        1 => inverse_pass::<2, WIDTH, ROOM, LAST, STRICT>(table, k, a),
        2 => inverse_pass::<4, WIDTH, ROOM, LAST, STRICT>(table, k, a),
        _ => inverse_pass::<8, WIDTH, ROOM, LAST, STRICT>(table, k, a),
    }
}

/// `log2 R` stages of the block of node `k`; `LAST` ends the transform. Words are below one unit before and
/// after, or four if loose.
#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
fn inverse_pass<const R: usize, const WIDTH: u8, const ROOM: u8, const LAST: bool, const STRICT: bool>(
    table: &Table,
    k: usize,
    block: &mut [Words],
) {
    let distance = block.len() / R;
    // SAFETY: this function has the target features, `i < distance`, and `R` divides the length of the block.
    unsafe {
        let factors = table.below::<R, WIDTH>(k);
        let scale = table.one::<WIDTH>(0);
        for i in 0..distance {
            let mut x = gather::<R>(block, distance, i);
            if LAST {
                inverse_scaled::<R, WIDTH, ROOM, STRICT>(table, &mut x, &factors, scale);
            } else {
                inverse_stages::<R, WIDTH, ROOM>(table, &mut x, &factors);
            }
            scatter(block, distance, i, x);
        }
    }
}

/// All stages of blocks of 64 words, from that of node `k` on, `L` blocks at a time.
#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
fn inverse_leaves<const L: usize, const WIDTH: u8, const ROOM: u8, const LAST: bool, const STRICT: bool>(
    table: &Table,
    k: usize,
    a: &mut [Words],
) {
    debug_assert!(a.len().is_multiple_of(8 * L));
    for (i, blocks) in a.as_chunks_mut().0.as_chunks_mut().0.iter_mut().enumerate() {
        // SAFETY: this function has the target features, and the nodes are below the degree.
        unsafe { inverse_leaf::<L, WIDTH, ROOM, LAST, STRICT>(table, k + L * i, blocks) };
    }
}

/// All six stages of `L` blocks of 64 words, which take each stage in turn, as they do forward.
#[inline(always)]
unsafe fn inverse_leaf<const L: usize, const WIDTH: u8, const ROOM: u8, const LAST: bool, const STRICT: bool>(
    table: &Table,
    k: usize,
    blocks: &mut [[Words; 8]; L],
) {
    // SAFETY: the caller vouches for the target features and the nodes.
    unsafe {
        let mut x = [[_mm512_setzero_si512(); 8]; L];
        for (x, block) in x.iter_mut().zip(blocks.iter()) {
            *x = gather(block, 1, 0);
        }
        inverse_first::<L, 8, 4, WIDTH, ROOM>(table, 8 * k, &mut x);
        for (l, x) in x.iter_mut().enumerate() {
            inverse_stage::<2, 8, WIDTH, ROOM>(table, x, &table.row::<4, WIDTH>(4 * (k + l)));
        }
        for (l, x) in x.iter_mut().enumerate() {
            inverse_stage::<1, 8, WIDTH, ROOM>(table, x, &table.row::<2, WIDTH>(2 * (k + l)));
        }
        for (l, x) in x.iter_mut().enumerate() {
            let w = table.one::<WIDTH>(k + l);
            if LAST {
                scaled_stage::<8, WIDTH, ROOM, STRICT>(table, x, w, table.one::<WIDTH>(0));
            } else {
                inverse_stage::<0, 8, WIDTH, ROOM>(table, x, &[w]);
            }
        }
        for (block, x) in blocks.iter_mut().zip(x) {
            scatter(block, 1, 0, x);
        }
    }
}

/// `log2 R` stages; words are below one unit before and after, or four if loose.
#[inline(always)]
unsafe fn inverse_stages<const R: usize, const WIDTH: u8, const ROOM: u8>(
    table: &Table,
    x: &mut [__m512i; R],
    w: &[Factor; R],
) {
    // SAFETY: the caller vouches for the target features.
    unsafe {
        inverse_inner::<R, WIDTH, ROOM>(table, x, w);
        inverse_stage::<0, R, WIDTH, ROOM>(table, x, &w[1..2]);
    }
}

/// `log2 R` stages, of which the last multiplies by `scale`; from one unit to `[0, q)` if strict, else `[0, 2q)`.
#[inline(always)]
unsafe fn inverse_scaled<const R: usize, const WIDTH: u8, const ROOM: u8, const STRICT: bool>(
    table: &Table,
    x: &mut [__m512i; R],
    w: &[Factor; R],
    scale: Factor,
) {
    // SAFETY: the caller vouches for the target features.
    unsafe {
        inverse_inner::<R, WIDTH, ROOM>(table, x, w);
        scaled_stage::<R, WIDTH, ROOM, STRICT>(table, x, w[1], scale);
    }
}

/// All stages of `log2 R` but the last.
#[inline(always)]
unsafe fn inverse_inner<const R: usize, const WIDTH: u8, const ROOM: u8>(
    table: &Table,
    x: &mut [__m512i; R],
    w: &[Factor; R],
) {
    // SAFETY: the caller vouches for the target features.
    unsafe {
        if R == 8 {
            inverse_stage::<2, R, WIDTH, ROOM>(table, x, &w[4..8]);
        }
        if R >= 4 {
            inverse_stage::<1, R, WIDTH, ROOM>(table, x, &w[2..4]);
        }
    }
}

/// The stage of `log2 R` with `2^STAGE` factors; stage 0 is the last and ends with the reduction of the sums.
#[inline(always)]
unsafe fn inverse_stage<const STAGE: u32, const R: usize, const WIDTH: u8, const ROOM: u8>(
    table: &Table,
    x: &mut [__m512i; R],
    w: &[Factor],
) {
    // SAFETY: the caller vouches for the target features.
    unsafe {
        match (R, STAGE) {
            (8, 0) => inverse_butterflies::<R, 4, WIDTH, ROOM>(table, x, [0, 1, 2, 3], [4, 5, 6, 7], [w[0]; 4]),
            (8, 1) => {
                let w = [w[0], w[0], w[1], w[1]];
                inverse_butterflies::<R, 4, WIDTH, ROOM>(table, x, [0, 1, 4, 5], [2, 3, 6, 7], w);
            }
            (8, _) => {
                let w = [w[0], w[1], w[2], w[3]];
                inverse_butterflies::<R, 4, WIDTH, ROOM>(table, x, [0, 2, 4, 6], [1, 3, 5, 7], w);
            }
            (4, 0) => inverse_butterflies::<R, 2, WIDTH, ROOM>(table, x, [0, 1], [2, 3], [w[0]; 2]),
            (4, _) => inverse_butterflies::<R, 2, WIDTH, ROOM>(table, x, [0, 2], [1, 3], [w[0], w[1]]),
            _ => inverse_butterflies::<R, 1, WIDTH, ROOM>(table, x, [0], [1], [w[0]]),
        }
        if ROOM == TIGHT && (R, STAGE) == (8, 1) {
            // Sums of sums, below four units, would make sums of eight.
            x[0] = table.halve_four(table.clean::<WIDTH>(x[0]));
            x[4] = table.halve_four(table.clean::<WIDTH>(x[4]));
        }
        if STAGE == 0 {
            // A word that was a sum in each of the last s stages is below 2^s units. Bits that do not count may stay.
            match ROOM {
                CORRECTED => {}
                LOOSE => x[0] = table.shrink::<WIDTH>(x[0]),
                _ => {
                    for x in &mut x[..R / 2] {
                        *x = table.shrink::<WIDTH>(*x);
                    }
                }
            }
        }
    }
}

/// The last stage of all, with the multiplication by `scale`; to `[0, q)` if strict, else `[0, 2q)`.
#[inline(always)]
unsafe fn scaled_stage<const R: usize, const WIDTH: u8, const ROOM: u8, const STRICT: bool>(
    table: &Table,
    x: &mut [__m512i; R],
    w: Factor,
    scale: Factor,
) {
    // SAFETY: the caller vouches for the target features.
    unsafe {
        for i in 0..R / 2 {
            let (sum, difference) = sum_and_difference::<ROOM>(table, x[i], x[i + R / 2]);
            x[i] = table.finish::<WIDTH, STRICT>(table.product::<WIDTH>(sum, scale));
            x[i + R / 2] = table.finish::<WIDTH, STRICT>(table.product::<WIDTH>(difference, w));
        }
    }
}

/// `(x_i + x_j, (x_i - x_j)·w)` for some pairs `(i, j)`: corrected, both are below one unit; else the sum is not reduced,
/// and narrow words count modulo `2^52`.
#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
fn inverse_butterflies<const R: usize, const N: usize, const WIDTH: u8, const ROOM: u8>(
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
    let mut products = table.products::<N, WIDTH>(differences, &w);
    if ROOM == CORRECTED {
        for product in &mut products {
            *product = table.clean::<WIDTH>(*product);
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

/// The first three stages of `L` times `R` blocks of eight with the nodes from `k` on: the last ones of the forward
/// transform backwards. Words are below one unit before and after.
#[inline(always)]
unsafe fn inverse_first<const L: usize, const R: usize, const N: usize, const WIDTH: u8, const ROOM: u8>(
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
            *x = each_pair(*x, pair_words);
            let w = table.eights::<N, WIDTH>(4 * (k + R * l));
            inverse_butterflies::<R, N, WIDTH, ROOM>(table, x, even, odd, w);
        }
        for (l, x) in x.iter_mut().enumerate() {
            *x = each_pair(*x, exchange_quarters);
            let w = table.fours::<N, WIDTH>(2 * (k + R * l));
            inverse_butterflies::<R, N, WIDTH, ROOM>(table, x, even, odd, w);
            if ROOM == TIGHT {
                for i in even {
                    x[i] = table.halve_four(table.clean::<WIDTH>(x[i]));
                }
            }
        }
        for (l, x) in x.iter_mut().enumerate() {
            *x = each_pair(*x, pair_quarters);
            let w = table.twos::<N, WIDTH>(k + R * l);
            inverse_butterflies::<R, N, WIDTH, ROOM>(table, x, even, odd, w);
            if ROOM != CORRECTED {
                for i in even {
                    x[i] = table.shrink::<WIDTH>(x[i]);
                }
            }
            *x = each_pair(each_pair(*x, alternate_quarters), pair_words);
        }
    }
}
