//! BLAKE2b (RFC 7693) on four nodes (AVX2) or eight (AVX-512) at a time, and ChaCha20 on sixteen blocks.
#![allow(unsafe_code)]

use core::arch::x86_64::*;

use super::chacha20::CHUNK_LEN;
use super::{BLOCK_LEN, NODE_LEN, XOF_LENGTH};

/// Words of a digest.
const NODE_WORDS: usize = NODE_LEN / 8;

mod chacha20;

const IV: [u64; 8] = [
    0x6a09_e667_f3bc_c908,
    0xbb67_ae85_84ca_a73b,
    0x3c6e_f372_fe94_f82b,
    0xa54f_f53a_5f1d_36f1,
    0x510e_527f_ade6_82d1,
    0x9b05_688c_2b3e_6c1f,
    0x1f83_d9ab_fb41_bd6b,
    0x5be0_cd19_137e_2179,
];

/// The initial state of node 0. Parameters: digest and leaf length 64, fanout and depth 0, an output of 4096 bytes in
/// the upper half of the node offset, inner length 64.
const INITIAL: [u64; 8] =
    [IV[0] ^ (64 | (64 << 32)), IV[1] ^ XOF_LENGTH, IV[2] ^ (64 << 8), IV[3], IV[4], IV[5], IV[6], IV[7]];

/// The second half of the working vector: 64 bytes hashed, last block.
const COUNTED: [u64; 8] = [IV[0], IV[1], IV[2], IV[3], IV[4] ^ 64, IV[5], !IV[6], IV[7]];

/// See [`Blake2xbExpand`](super::Blake2xbExpand).
pub(super) fn blake2xb_expand_avx2(root: &[u8; NODE_LEN], out: &mut [u8; BLOCK_LEN]) {
    // SAFETY: `blake2xb_expand` gives this function out only after it has found AVX2.
    unsafe { avx2::expand(root, out) }
}

/// See [`Blake2xbExpand`](super::Blake2xbExpand).
pub(super) fn blake2xb_expand_avx512(root: &[u8; NODE_LEN], out: &mut [u8; BLOCK_LEN]) {
    // SAFETY: `blake2xb_expand` gives this function out only after it has found AVX-512 F.
    unsafe { avx512::expand(root, out) }
}

/// See [`ChaCha20Fill`](super::chacha20::ChaCha20Fill).
pub(super) fn chacha20_fill_avx512(key: &[u8; 32], counter: u64, out: &mut [[u8; CHUNK_LEN]]) {
    // SAFETY: `chacha20_fill` gives this function out only after it has found AVX-512 F.
    unsafe { chacha20::fill(key, counter, out) }
}

/// One round: eight `G` on columns and diagonals, with message words in the order of the permutation. Words from 8 on
/// are zero; the comparison is between constants.
macro_rules! round {
    ($v:ident, $m:ident, $($s:literal)*) => {
        round!(@g $v, $m, [0 4 8 12, 1 5 9 13, 2 6 10 14, 3 7 11 15, 0 5 10 15, 1 6 11 12, 2 7 8 13, 3 4 9 14], $($s)*)
    };
    (@g $v:ident, $m:ident, [$($a:literal $b:literal $c:literal $d:literal),*], $($x:literal $y:literal)*) => {
        $(
            if $x < 8 { $v[$a] = add($v[$a], $m[$x % 8]); }
            $v[$a] = add($v[$a], $v[$b]);
            $v[$d] = rotate_32(xor($v[$d], $v[$a]));
            $v[$c] = add($v[$c], $v[$d]);
            $v[$b] = rotate_24(xor($v[$b], $v[$c]));
            if $y < 8 { $v[$a] = add($v[$a], $m[$y % 8]); }
            $v[$a] = add($v[$a], $v[$b]);
            $v[$d] = rotate_16(xor($v[$d], $v[$a]));
            $v[$c] = add($v[$c], $v[$d]);
            $v[$b] = rotate_63(xor($v[$b], $v[$c]));
        )*
    };
}

/// The expansion with vectors of `$lanes` words, for a module with their basic operations.
macro_rules! expansion {
    ($feature:literal, $lanes:literal, $vector:ty, $store:path) => {
        #[target_feature(enable = $feature)]
        pub(super) fn expand(root: &[u8; NODE_LEN], out: &mut [u8; BLOCK_LEN]) {
            let word = |i: usize| splat(u64::from_le_bytes(root.as_chunks().0[i]));
            let message = [word(0), word(1), word(2), word(3), word(4), word(5), word(6), word(7)];
            for (group, nodes) in out.as_chunks_mut::<{ $lanes * NODE_LEN }>().0.iter_mut().enumerate() {
                let digests = compress(&message, ($lanes * group) as u64);
                let (nodes, _) = nodes.as_chunks_mut::<8>();
                for (word, digest) in digests.into_iter().enumerate() {
                    let mut lanes = [0_u64; $lanes];
                    // SAFETY: the array is as long as the vector, and the store needs no alignment.
                    unsafe { $store(lanes.as_mut_ptr().cast(), digest) };
                    for (lane, value) in lanes.into_iter().enumerate() {
                        nodes[NODE_WORDS * lane + word] = value.to_le_bytes();
                    }
                }
            }
        }

        /// The digests of the nodes `first`, `first + 1`, …: word by word, one node in a lane.
        #[target_feature(enable = $feature)]
        fn compress(m: &[$vector; 8], first: u64) -> [$vector; 8] {
            let initial = |word: usize| {
                let state = splat(INITIAL[word]);
                if word == 1 { xor(state, add(splat(first), counting())) } else { state }
            };
            let mut v = [
                initial(0),
                initial(1),
                initial(2),
                initial(3),
                initial(4),
                initial(5),
                initial(6),
                initial(7),
                splat(COUNTED[0]),
                splat(COUNTED[1]),
                splat(COUNTED[2]),
                splat(COUNTED[3]),
                splat(COUNTED[4]),
                splat(COUNTED[5]),
                splat(COUNTED[6]),
                splat(COUNTED[7]),
            ];
            round!(v, m, 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15);
            round!(v, m, 14 10 4 8 9 15 13 6 1 12 0 2 11 7 5 3);
            round!(v, m, 11 8 12 0 5 2 15 13 10 14 3 6 7 1 9 4);
            round!(v, m, 7 9 3 1 13 12 11 14 2 6 5 10 4 0 15 8);
            round!(v, m, 9 0 5 7 2 4 10 15 14 1 11 12 6 8 3 13);
            round!(v, m, 2 12 6 10 0 11 8 3 4 13 7 5 15 14 1 9);
            round!(v, m, 12 5 1 15 14 13 4 10 0 7 6 3 9 2 8 11);
            round!(v, m, 13 11 7 14 12 1 3 9 5 0 15 4 8 6 2 10);
            round!(v, m, 6 15 14 9 11 3 0 8 12 2 13 7 1 4 10 5);
            round!(v, m, 10 2 8 4 7 6 1 5 15 11 9 14 3 12 13 0);
            round!(v, m, 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15);
            round!(v, m, 14 10 4 8 9 15 13 6 1 12 0 2 11 7 5 3);
            let digest = |word: usize| xor(initial(word), xor(v[word], v[word + 8]));
            [digest(0), digest(1), digest(2), digest(3), digest(4), digest(5), digest(6), digest(7)]
        }
    };
}

mod avx512 {
    use super::*;

    expansion!("avx512f", 8, __m512i, _mm512_storeu_si512);

    #[inline]
    #[target_feature(enable = "avx512f")]
    fn splat(word: u64) -> __m512i {
        _mm512_set1_epi64(word.cast_signed())
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    fn counting() -> __m512i {
        _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7)
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    fn add(a: __m512i, b: __m512i) -> __m512i {
        _mm512_add_epi64(a, b)
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    fn xor(a: __m512i, b: __m512i) -> __m512i {
        _mm512_xor_si512(a, b)
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    fn rotate_32(x: __m512i) -> __m512i {
        _mm512_ror_epi64::<32>(x)
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    fn rotate_24(x: __m512i) -> __m512i {
        _mm512_ror_epi64::<24>(x)
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    fn rotate_16(x: __m512i) -> __m512i {
        _mm512_ror_epi64::<16>(x)
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    fn rotate_63(x: __m512i) -> __m512i {
        _mm512_ror_epi64::<63>(x)
    }
}

mod avx2 {
    use super::*;

    expansion!("avx2", 4, __m256i, _mm256_storeu_si256);

    #[inline]
    #[target_feature(enable = "avx2")]
    fn splat(word: u64) -> __m256i {
        _mm256_set1_epi64x(word.cast_signed())
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn counting() -> __m256i {
        _mm256_setr_epi64x(0, 1, 2, 3)
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn add(a: __m256i, b: __m256i) -> __m256i {
        _mm256_add_epi64(a, b)
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn xor(a: __m256i, b: __m256i) -> __m256i {
        _mm256_xor_si256(a, b)
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn rotate_32(x: __m256i) -> __m256i {
        _mm256_shuffle_epi32::<0b10_11_00_01>(x)
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn rotate_24(x: __m256i) -> __m256i {
        let low = _mm_setr_epi8(3, 4, 5, 6, 7, 0, 1, 2, 11, 12, 13, 14, 15, 8, 9, 10);
        _mm256_shuffle_epi8(x, _mm256_broadcastsi128_si256(low))
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn rotate_16(x: __m256i) -> __m256i {
        let low = _mm_setr_epi8(2, 3, 4, 5, 6, 7, 0, 1, 10, 11, 12, 13, 14, 15, 8, 9);
        _mm256_shuffle_epi8(x, _mm256_broadcastsi128_si256(low))
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn rotate_63(x: __m256i) -> __m256i {
        xor(_mm256_srli_epi64::<63>(x), _mm256_add_epi64(x, x))
    }
}
