//! Four ChaCha20 blocks at a time: word `w` of all blocks in vector `w`.

use core::arch::wasm32::*;

use crate::arch::streams::chacha20::{CHUNK_LEN, CONSTANTS};

/// Blocks in a vector.
const LANES: u64 = 4;
const GROUP_LEN: usize = 64 * LANES as usize;

/// See [`ChaCha20Fill`](crate::arch::streams::chacha20::ChaCha20Fill).
pub(in super::super) fn fill(key: &[u8; 32], mut counter: u64, out: &mut [[u8; CHUNK_LEN]]) {
    let mut state = [u32x4_splat(0); 16];
    let key_words = key.as_chunks().0.iter().map(|bytes| u32::from_le_bytes(*bytes));
    for (lanes, word) in state.iter_mut().zip(CONSTANTS.into_iter().chain(key_words)) {
        *lanes = u32x4_splat(word);
    }
    for group in out.as_flattened_mut().as_chunks_mut::<GROUP_LEN>().0 {
        let [a, b, c, d] = [0, 1, 2, 3].map(|i| counter.wrapping_add(i));
        state[12] = u32x4(a as u32, b as u32, c as u32, d as u32);
        state[13] = u32x4((a >> 32) as u32, (b >> 32) as u32, (c >> 32) as u32, (d >> 32) as u32);
        write_blocks(&state, group);
        counter = counter.wrapping_add(LANES);
    }
}

/// The block function: twenty rounds, then the input is added.
fn write_blocks(state: &[v128; 16], out: &mut [u8; GROUP_LEN]) {
    let mut x = *state;
    for _ in 0..10 {
        quarter_rounds(&mut x, [[0, 4, 8, 12], [1, 5, 9, 13], [2, 6, 10, 14], [3, 7, 11, 15]]);
        quarter_rounds(&mut x, [[0, 5, 10, 15], [1, 6, 11, 12], [2, 7, 8, 13], [3, 4, 9, 14]]);
    }
    for (word, &input) in x.iter_mut().zip(state) {
        *word = u32x4_add(*word, input);
    }
    store(&x, out);
}

/// Four independent ones, in lockstep.
#[inline(always)]
fn quarter_rounds(x: &mut [v128; 16], rounds: [[usize; 4]; 4]) {
    for [a, b, _, d] in rounds {
        x[a] = u32x4_add(x[a], x[b]);
        x[d] = rotate_16(v128_xor(x[d], x[a]));
    }
    for [_, b, c, d] in rounds {
        x[c] = u32x4_add(x[c], x[d]);
        x[b] = rotate::<12>(v128_xor(x[b], x[c]));
    }
    for [a, b, _, d] in rounds {
        x[a] = u32x4_add(x[a], x[b]);
        x[d] = rotate::<8>(v128_xor(x[d], x[a]));
    }
    for [_, b, c, d] in rounds {
        x[c] = u32x4_add(x[c], x[d]);
        x[b] = rotate::<7>(v128_xor(x[b], x[c]));
    }
}

#[inline(always)]
fn rotate_16(x: v128) -> v128 {
    u16x8_shuffle::<1, 0, 3, 2, 5, 4, 7, 6>(x, x)
}

/// Engines make the constant of a shuffle of bytes anew each time, so that shifts are faster.
#[inline(always)]
fn rotate<const BITS: u32>(x: v128) -> v128 {
    v128_or(u32x4_shl(x, BITS), u32x4_shr(x, 32 - BITS))
}

/// Transposes to four blocks of sixteen words each.
#[inline(always)]
fn store(x: &[v128; 16], out: &mut [u8; GROUP_LEN]) {
    // Sixteen bytes at a time: entry 4·b + w/4 holds the words w to w + 3 of block b.
    let (pieces, _) = out.as_chunks_mut::<16>();
    for (quad, &[a, b, c, d]) in x.as_chunks().0.iter().enumerate() {
        let (ab, cd) = (u32x4_shuffle::<0, 4, 1, 5>(a, b), u32x4_shuffle::<0, 4, 1, 5>(c, d));
        let (ab_high, cd_high) = (u32x4_shuffle::<2, 6, 3, 7>(a, b), u32x4_shuffle::<2, 6, 3, 7>(c, d));
        let rows = [
            u64x2_shuffle::<0, 2>(ab, cd),
            u64x2_shuffle::<1, 3>(ab, cd),
            u64x2_shuffle::<0, 2>(ab_high, cd_high),
            u64x2_shuffle::<1, 3>(ab_high, cd_high),
        ];
        for (block, row) in rows.into_iter().enumerate() {
            let piece = &mut pieces[4 * block + quad];
            // SAFETY: a piece is as long as the vector, and the store needs no alignment.
            unsafe { v128_store(piece.as_mut_ptr().cast(), row) };
        }
    }
}
