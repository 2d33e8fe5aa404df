//! BLAKE2b (RFC 7693) on two messages at a time, one in each lane, or on three: one more in plain words, whose instructions
//! are others, so that processors overlap them.

use core::arch::wasm32::*;

use crate::arch::streams::blake2b::{EXPANDED, KEYED, NODE, ROOT, ROOTED, with_schedule};
use crate::arch::streams::{BLOCK_LEN, NODE_LEN};

/// See [`Blake2xbFill`](crate::arch::streams::Blake2xbFill).
pub(in super::super) fn fill(seed: &[u8; NODE_LEN], counter: u64, out: &mut [[u8; BLOCK_LEN]]) {
    fill_with(seed, counter, out, |root, block| expand_pairs(root, 0, block));
}

/// As [`fill`], with three messages at a time: faster in older engines, no faster in those with relaxed vectors.
pub(in super::super) fn fill_in_threes(seed: &[u8; NODE_LEN], counter: u64, out: &mut [[u8; BLOCK_LEN]]) {
    fill_with(seed, counter, out, expand_threes);
}

#[inline(always)]
fn fill_with(
    seed: &[u8; NODE_LEN],
    mut counter: u64,
    out: &mut [[u8; BLOCK_LEN]],
    expand: impl Fn(&[u64; 8], &mut [u8; BLOCK_LEN]),
) {
    for blocks in out.chunks_mut(2) {
        for (block, root) in blocks.iter_mut().zip(roots(seed, counter)) {
            expand(&root, block);
        }
        counter = counter.wrapping_add(2);
    }
}

/// The root hashes of blocks `counter` and `counter + 1`.
fn roots(seed: &[u8; NODE_LEN], counter: u64) -> [[u64; 8]; 2] {
    let mut key = [v128::splat(0); 8];
    for (word, bytes) in key.iter_mut().zip(seed.as_chunks().0) {
        *word = v128::splat(u64::from_le_bytes(*bytes));
    }
    let mut counters = [v128::splat(0); 8];
    counters[0] = u64x2(counter, counter.wrapping_add(1));
    let mut state = ROOT.map(v128::splat);
    compress_apart(&mut state, &key, &KEYED);
    compress_apart(&mut state, &counters, &ROOTED);
    [state.map(|word| u64x2_extract_lane::<0>(word)), state.map(|word| u64x2_extract_lane::<1>(word))]
}

/// The 64 output nodes over a root hash.
fn expand_threes(root: &[u64; 8], out: &mut [u8; BLOCK_LEN]) {
    let message = root.map(Word::splat);
    let (threes, rest) = out.as_chunks_mut::<{ 3 * NODE_LEN }>();
    let mut first = 0;
    for nodes in threes {
        let mut state: [(v128, u64); 8] = NODE.map(Word::splat);
        // Below 2^32, so that the offset and the length do not mix.
        state[1] = state[1].xor((u64x2(first, first + 1), first + 2));
        compress(&mut state, &message, &EXPANDED);
        let (pair, last) = nodes.split_at_mut(2 * NODE_LEN);
        write_pair(state.each_ref().map(|word| word.0), pair);
        for (bytes, word) in last.as_chunks_mut().0.iter_mut().zip(&state) {
            *bytes = word.1.to_le_bytes();
        }
        first += 3;
    }
    expand_pairs(root, first, rest);
}

/// The output nodes from `first` on.
fn expand_pairs(root: &[u64; 8], first: u64, out: &mut [u8]) {
    let message = root.map(v128::splat);
    for (first, nodes) in (first..).step_by(2).zip(out.chunks_mut(2 * NODE_LEN)) {
        let mut state = NODE.map(v128::splat);
        state[1] = state[1].xor(u64x2(first, first + 1));
        compress_apart(&mut state, &message, &EXPANDED);
        write_pair(state, nodes);
    }
}

/// The digests of both lanes, or of the first.
#[inline(always)]
fn write_pair(digests: [v128; 8], nodes: &mut [u8]) {
    let (first, second) = nodes.split_at_mut(NODE_LEN);
    for (bytes, word) in first.as_chunks_mut().0.iter_mut().zip(digests) {
        *bytes = u64x2_extract_lane::<0>(word).to_le_bytes();
    }
    for (bytes, word) in second.as_chunks_mut().0.iter_mut().zip(digests) {
        *bytes = u64x2_extract_lane::<1>(word).to_le_bytes();
    }
}

/// Words of 64 bits of some messages.
trait Word: Copy {
    fn splat(word: u64) -> Self;
    fn add(self, other: Self) -> Self;
    fn xor(self, other: Self) -> Self;
    /// To the right.
    fn rotate<const BITS: u32>(self) -> Self;
}

impl Word for u64 {
    #[inline(always)]
    fn splat(word: u64) -> Self {
        word
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        self.wrapping_add(other)
    }

    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        self ^ other
    }

    #[inline(always)]
    fn rotate<const BITS: u32>(self) -> Self {
        self.rotate_right(BITS)
    }
}

impl Word for v128 {
    #[inline(always)]
    fn splat(word: u64) -> Self {
        u64x2_splat(word)
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        i64x2_add(self, other)
    }

    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        v128_xor(self, other)
    }

    /// Engines make the constant of a shuffle of bytes anew each time, so that shifts are faster than it.
    #[inline(always)]
    fn rotate<const BITS: u32>(self) -> Self {
        match BITS {
            32 => u32x4_shuffle::<1, 0, 3, 2>(self, self),
            16 => u16x8_shuffle::<1, 2, 3, 0, 5, 6, 7, 4>(self, self),
            63 => v128_xor(u64x2_shr(self, 63), i64x2_add(self, self)),
            _ => v128_or(u64x2_shr(self, BITS), u64x2_shl(self, 64 - BITS)),
        }
    }
}

impl<A: Word, B: Word> Word for (A, B) {
    #[inline(always)]
    fn splat(word: u64) -> Self {
        (A::splat(word), B::splat(word))
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        (self.0.add(other.0), self.1.add(other.1))
    }

    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        (self.0.xor(other.0), self.1.xor(other.1))
    }

    #[inline(always)]
    fn rotate<const BITS: u32>(self) -> Self {
        (self.0.rotate::<BITS>(), self.1.rotate::<BITS>())
    }
}

/// Four `G` on columns or diagonals, in lockstep. The comparisons are between constants.
macro_rules! step {
    ($v:ident, $m:ident, [$($a:literal $b:literal $c:literal $d:literal),*], [$($x:literal $y:literal)*]) => {
        $(if $x < 8 { $v[$a] = $v[$a].add($m[$x % 8]); })*
        $($v[$a] = $v[$a].add($v[$b]);)*
        $($v[$d] = $v[$d].xor($v[$a]).rotate::<32>();)*
        $($v[$c] = $v[$c].add($v[$d]);)*
        $($v[$b] = $v[$b].xor($v[$c]).rotate::<24>();)*
        $(if $y < 8 { $v[$a] = $v[$a].add($m[$y % 8]); })*
        $($v[$a] = $v[$a].add($v[$b]);)*
        $($v[$d] = $v[$d].xor($v[$a]).rotate::<16>();)*
        $($v[$c] = $v[$c].add($v[$d]);)*
        $($v[$b] = $v[$b].xor($v[$c]).rotate::<63>();)*
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
#[inline(always)]
fn compress<W: Word>(state: &mut [W; 8], m: &[W; 8], counted: &[u64; 8]) {
    let mut v = [W::splat(0); 16];
    v[..8].copy_from_slice(state);
    v[8..].copy_from_slice(&counted.map(W::splat));
    with_schedule!(rounds!(v m));
    for (word, digest) in state.iter_mut().enumerate() {
        *digest = digest.xor(v[word].xor(v[word + 8]));
    }
}

/// As [`compress`], which is long, once for all calls.
#[inline(never)]
fn compress_apart(state: &mut [v128; 8], m: &[v128; 8], counted: &[u64; 8]) {
    compress(state, m, counted);
}
