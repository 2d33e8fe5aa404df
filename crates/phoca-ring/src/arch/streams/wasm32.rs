//! BLAKE2b (RFC 7693) on two messages at a time, one in each lane.

use core::arch::wasm32::*;

use super::blake2b::{EXPANDED, KEYED, NODE, ROOT, ROOTED, with_schedule};
use super::{BLOCK_LEN, NODE_LEN};

/// Word `w` of both lanes in vector `w`.
type Words = [v128; 8];

/// See [`Blake2xbFill`](super::Blake2xbFill).
pub(super) fn blake2xb_fill(seed: &[u8; NODE_LEN], mut counter: u64, out: &mut [[u8; BLOCK_LEN]]) {
    for blocks in out.chunks_mut(2) {
        for (block, root) in blocks.iter_mut().zip(roots(seed, counter)) {
            expand(&root, block);
        }
        counter = counter.wrapping_add(2);
    }
}

/// The root hashes of blocks `counter` and `counter + 1`.
fn roots(seed: &[u8; NODE_LEN], counter: u64) -> [[u64; 8]; 2] {
    let mut key = [u64x2_splat(0); 8];
    for (word, bytes) in key.iter_mut().zip(seed.as_chunks().0) {
        *word = u64x2_splat(u64::from_le_bytes(*bytes));
    }
    let mut counters = [u64x2_splat(0); 8];
    counters[0] = u64x2(counter, counter.wrapping_add(1));
    let state = compress(ROOT.map(|word| u64x2_splat(word)), &key, &KEYED);
    let state = compress(state, &counters, &ROOTED);
    [state.map(|word| u64x2_extract_lane::<0>(word)), state.map(|word| u64x2_extract_lane::<1>(word))]
}

/// The 64 output nodes over a root hash.
fn expand(root: &[u64; 8], out: &mut [u8; BLOCK_LEN]) {
    let message = root.map(|word| u64x2_splat(word));
    for (first, nodes) in (0..).step_by(2).zip(out.as_chunks_mut::<{ 2 * NODE_LEN }>().0) {
        let mut state = NODE.map(|word| u64x2_splat(word));
        // Below 2^32, so that the offset and the length do not mix.
        state[1] = v128_xor(state[1], u64x2(first, first + 1));
        let digests = compress(state, &message, &EXPANDED);
        let words =
            [digests.map(|word| u64x2_extract_lane::<0>(word)), digests.map(|word| u64x2_extract_lane::<1>(word))];
        for (bytes, word) in nodes.as_chunks_mut().0.iter_mut().zip(words.as_flattened()) {
            *bytes = word.to_le_bytes();
        }
    }
}

/// Four `G` on columns or diagonals, in lockstep. The comparisons are between constants.
macro_rules! step {
    ($v:ident, $m:ident, [$($a:literal $b:literal $c:literal $d:literal),*], [$($x:literal $y:literal)*]) => {
        $(if $x < 8 { $v[$a] = i64x2_add($v[$a], $m[$x % 8]); })*
        $($v[$a] = i64x2_add($v[$a], $v[$b]);)*
        $($v[$d] = rotate_32(v128_xor($v[$d], $v[$a]));)*
        $($v[$c] = i64x2_add($v[$c], $v[$d]);)*
        $($v[$b] = rotate_24(v128_xor($v[$b], $v[$c]));)*
        $(if $y < 8 { $v[$a] = i64x2_add($v[$a], $m[$y % 8]); })*
        $($v[$a] = i64x2_add($v[$a], $v[$b]);)*
        $($v[$d] = rotate_16(v128_xor($v[$d], $v[$a]));)*
        $($v[$c] = i64x2_add($v[$c], $v[$d]);)*
        $($v[$b] = rotate_63(v128_xor($v[$b], $v[$c]));)*
    };
}

macro_rules! rounds {
    ($v:ident $m:ident $($columns:tt $diagonals:tt)*) => {
        $(
            step!($v, $m, [0 4 8 12, 1 5 9 13, 2 6 10 14, 3 7 11 15], $columns);
            step!($v, $m, [0 5 10 15, 1 6 11 12, 2 7 8 13, 3 4 9 14], $diagonals);
        )*
    };
}

/// The compression function on states with messages whose words from 8 on are zero.
#[inline(never)]
fn compress(mut state: Words, m: &Words, counted: &[u64; 8]) -> Words {
    let mut v = [u64x2_splat(0); 16];
    v[..8].copy_from_slice(&state);
    v[8..].copy_from_slice(&counted.map(|word| u64x2_splat(word)));
    with_schedule!(rounds!(v m));
    for (word, digest) in state.iter_mut().enumerate() {
        *digest = v128_xor(*digest, v128_xor(v[word], v[word + 8]));
    }
    state
}

#[inline(always)]
fn rotate_32(x: v128) -> v128 {
    u32x4_shuffle::<1, 0, 3, 2>(x, x)
}

#[inline(always)]
fn rotate_24(x: v128) -> v128 {
    u8x16_shuffle::<3, 4, 5, 6, 7, 0, 1, 2, 11, 12, 13, 14, 15, 8, 9, 10>(x, x)
}

#[inline(always)]
fn rotate_16(x: v128) -> v128 {
    u16x8_shuffle::<1, 2, 3, 0, 5, 6, 7, 4>(x, x)
}

#[inline(always)]
fn rotate_63(x: v128) -> v128 {
    v128_xor(u64x2_shr(x, 63), i64x2_add(x, x))
}
