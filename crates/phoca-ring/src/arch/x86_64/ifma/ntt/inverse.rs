//! From values to coefficients: Gentleman–Sande butterflies.

use core::arch::x86_64::*;

use super::super::Words;
use super::table::scatter;
use super::table::{
    Factor, Table, alternate_quarters, each_pair, exchange_quarters, gather, pair_quarters, pair_words,
};
use super::{CORRECTED, FREE, LOOSE, TIGHT, joined};
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
        8 => inverse_leaf::<WIDTH, ROOM, true, STRICT>(&table, 1, &mut a.as_chunks_mut().0[0]),
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
            let x = inverse_first::<2, 1, WIDTH, CORRECTED>(table, k + 2 * i, gather(pair, 1, 0));
            scatter(pair, 1, 0, x);
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
        for (i, block) in a.as_chunks_mut().0.iter_mut().enumerate() {
            inverse_leaf::<WIDTH, ROOM, false, STRICT>(table, first + i, block);
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

/// All six stages of a block of 64 words.
#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
fn inverse_leaf<const WIDTH: u8, const ROOM: u8, const LAST: bool, const STRICT: bool>(
    table: &Table,
    k: usize,
    block: &mut [Words; 8],
) {
    // SAFETY: this function has the target features, and the nodes are below the degree.
    unsafe {
        let mut x = inverse_first::<8, 4, WIDTH, ROOM>(table, 8 * k, gather(block, 1, 0));
        let factors = table.below::<8, WIDTH>(k);
        if LAST {
            inverse_scaled::<8, WIDTH, ROOM, STRICT>(table, &mut x, &factors, table.one::<WIDTH>(0));
        } else {
            inverse_stages::<8, WIDTH, ROOM>(table, &mut x, &factors);
        }
        scatter(block, 1, 0, x);
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
        match R {
            8 => inverse_butterflies::<R, 4, WIDTH, ROOM>(table, x, [0, 1, 2, 3], [4, 5, 6, 7], [w[1]; 4]),
            4 => inverse_butterflies::<R, 2, WIDTH, ROOM>(table, x, [0, 1], [2, 3], [w[1]; 2]),
            _ => inverse_butterflies::<R, 1, WIDTH, ROOM>(table, x, [0], [1], [w[1]]),
        }
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
        for i in 0..R / 2 {
            let (sum, difference) = sum_and_difference::<ROOM>(table, x[i], x[i + R / 2]);
            x[i] = table.finish::<WIDTH, STRICT>(table.product::<WIDTH>(sum, scale));
            x[i + R / 2] = table.finish::<WIDTH, STRICT>(table.product::<WIDTH>(difference, w[1]));
        }
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
            inverse_butterflies::<R, 4, WIDTH, ROOM>(table, x, [0, 2, 4, 6], [1, 3, 5, 7], [w[4], w[5], w[6], w[7]]);
            inverse_butterflies::<R, 4, WIDTH, ROOM>(table, x, [0, 1, 4, 5], [2, 3, 6, 7], [w[2], w[2], w[3], w[3]]);
            if ROOM == TIGHT {
                // Sums of sums, below four units, would make sums of eight.
                x[0] = table.halve_four(table.clean::<WIDTH>(x[0]));
                x[4] = table.halve_four(table.clean::<WIDTH>(x[4]));
            }
        } else if R == 4 {
            inverse_butterflies::<R, 2, WIDTH, ROOM>(table, x, [0, 2], [1, 3], [w[2], w[3]]);
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

/// The first three stages of the blocks of eight with the nodes from `k` on: [`forward_last`] backwards. Words are below one
/// unit before and after.
#[inline(always)]
unsafe fn inverse_first<const R: usize, const N: usize, const WIDTH: u8, const ROOM: u8>(
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
        x = each_pair(x, pair_words);
        let w = table.eights::<N, WIDTH>(4 * k);
        inverse_butterflies::<R, N, WIDTH, ROOM>(table, &mut x, even, odd, w);
        x = each_pair(x, exchange_quarters);
        let w = table.fours::<N, WIDTH>(2 * k);
        inverse_butterflies::<R, N, WIDTH, ROOM>(table, &mut x, even, odd, w);
        if ROOM == TIGHT {
            for i in even {
                x[i] = table.halve_four(table.clean::<WIDTH>(x[i]));
            }
        }
        x = each_pair(x, pair_quarters);
        let w = table.twos::<N, WIDTH>(k);
        inverse_butterflies::<R, N, WIDTH, ROOM>(table, &mut x, even, odd, w);
        if ROOM != CORRECTED {
            for n in 0..N {
                x[2 * n] = table.shrink::<WIDTH>(x[2 * n]);
            }
        }
        each_pair(each_pair(x, alternate_quarters), pair_words)
    }
}
