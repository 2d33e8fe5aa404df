//! The random streams for x86-64.
#![allow(unsafe_code)]

use super::chacha20::CHUNK_LEN;
use super::{BLOCK_LEN, NODE_LEN, any_at_least_portable};

mod blake2b;
mod chacha20;

/// See [`Blake2xbFill`](super::Blake2xbFill).
pub(super) fn blake2xb_fill_avx2(seed: &[u8; NODE_LEN], counter: u64, out: &mut [[u8; BLOCK_LEN]]) {
    // SAFETY: `blake2xb_fill` gives this function out only after it has found AVX2.
    unsafe { blake2b::avx2::fill(seed, counter, out) }
}

/// See [`Blake2xbFill`](super::Blake2xbFill).
pub(super) fn blake2xb_fill_avx512(seed: &[u8; NODE_LEN], counter: u64, out: &mut [[u8; BLOCK_LEN]]) {
    // SAFETY: `blake2xb_fill` gives this function out only after it has found AVX-512 F.
    unsafe { blake2b::avx512::fill(seed, counter, out) }
}

/// See [`ChaCha20Fill`](super::chacha20::ChaCha20Fill).
pub(super) fn chacha20_fill_avx512(key: &[u8; 32], counter: u64, out: &mut [[u8; CHUNK_LEN]]) {
    // SAFETY: `chacha20_fill` gives this function out only after it has found AVX-512 F.
    unsafe { chacha20::fill(key, counter, out) }
}

/// See [`any_at_least`](super::any_at_least).
pub(super) fn any_at_least_avx2(words: &[u64], bound: u64) -> bool {
    #[target_feature(enable = "avx2")]
    fn vectors(words: &[u64], bound: u64) -> bool {
        any_at_least_portable(words, bound)
    }
    // SAFETY: `any_at_least` calls this function only after it has found AVX2.
    unsafe { vectors(words, bound) }
}

/// See [`any_at_least`](super::any_at_least).
pub(super) fn any_at_least_avx512(words: &[u64], bound: u64) -> bool {
    #[target_feature(enable = "avx512f")]
    fn vectors(words: &[u64], bound: u64) -> bool {
        any_at_least_portable(words, bound)
    }
    // SAFETY: `any_at_least` calls this function only after it has found AVX-512 F.
    unsafe { vectors(words, bound) }
}
