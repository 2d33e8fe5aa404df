//! BLAKE2b (RFC 7693) on four messages (AVX2) or sixteen (AVX-512) at a time: one in each lane.

use core::arch::x86_64::*;

use crate::arch::streams::blake2b::{EXPANDED, KEYED, NODE, ROOT, ROOTED, with_schedule};
use crate::arch::streams::{BLOCK_LEN, NODE_LEN};

/// The streams with states of `$lanes` words in a vector, `$states` of them at a time, for a module that has the basic
/// operations and `compress`.
macro_rules! streams {
    ($feature:literal, $lanes:literal, $states:literal, $vector:ty) => {
        /// Word `w` of all lanes in vector `w`.
        type Words = [$vector; 8];

        /// Blocks `counter`, `counter + 1`, … of the BLAKE2Xb stream.
        #[target_feature(enable = $feature)]
        pub(in super::super) fn fill(seed: &[u8; NODE_LEN], mut counter: u64, out: &mut [[u8; BLOCK_LEN]]) {
            for blocks in out.chunks_mut($states * $lanes) {
                let roots = roots(seed, counter);
                for (block, root) in blocks.iter_mut().zip(roots.as_flattened()) {
                    expand(root, block);
                }
                counter = counter.wrapping_add($states * $lanes);
            }
        }

        /// The root hashes of blocks `counter`, `counter + 1`, …
        #[target_feature(enable = $feature)]
        fn roots(seed: &[u8; NODE_LEN], counter: u64) -> [[[u64; 8]; $lanes]; $states] {
            let mut key = [[splat(0); 8]; $states];
            let mut counters = key;
            for (i, (key, counters)) in (0..).zip(key.iter_mut().zip(&mut counters)) {
                for (word, bytes) in key.iter_mut().zip(seed.as_chunks().0) {
                    *word = splat(u64::from_le_bytes(*bytes));
                }
                counters[0] = add(splat(counter.wrapping_add(i * $lanes)), counting());
            }
            let mut states = [ROOT.map(|word| splat(word)); $states];
            for (messages, counted) in [(&key, &KEYED), (&counters, &ROOTED)] {
                states = compress_apart(states, messages.each_ref(), counted);
            }
            let mut roots = [[[0; 8]; $lanes]; $states];
            roots.iter_mut().zip(states).for_each(|(roots, digests)| transpose(digests, roots));
            roots
        }

        /// As `compress`, which is long, once for all calls that are rare.
        #[inline(never)]
        #[target_feature(enable = $feature)]
        fn compress_apart(
            states: [Words; $states],
            messages: [&Words; $states],
            counted: &[u64; 8],
        ) -> [Words; $states] {
            compress(states, messages, counted)
        }

        /// The 64 output nodes over a root hash, one after the other.
        #[target_feature(enable = $feature)]
        fn expand(root: &[u64; 8], out: &mut [u8; BLOCK_LEN]) {
            let message = root.map(|word| splat(word));
            let mut first = 0;
            for nodes in out.as_chunks_mut::<{ $states * $lanes * NODE_LEN }>().0 {
                let mut states = [NODE.map(|word| splat(word)); $states];
                for state in &mut states {
                    // Below 2^32, so that the offset and the length do not mix.
                    state[1] = xor(state[1], add(splat(first), counting()));
                    first += $lanes;
                }
                let digests = compress(states, [&message; $states], &EXPANDED);
                for (nodes, digests) in nodes.as_chunks_mut::<{ $lanes * NODE_LEN }>().0.iter_mut().zip(digests) {
                    let mut words = [[0; 8]; $lanes];
                    transpose(digests, &mut words);
                    for (bytes, word) in nodes.as_chunks_mut().0.iter_mut().zip(words.as_flattened()) {
                        *bytes = word.to_le_bytes();
                    }
                }
            }
        }
    };
}

pub(super) mod avx512 {
    use core::arch::asm;

    use super::*;

    streams!("avx512f", 8, 2, __m512i);

    /// An operation on words of both states.
    macro_rules! both {
        ($operation:literal, $($x:tt $y:tt),*) => {
            concat!(
                $($operation, " {v", $x, "}, {v", $x, "}, {v", $y, "}\n",)*
                $($operation, " {w", $x, "}, {w", $x, "}, {w", $y, "}\n",)*
            )
        };
    }

    /// A rotation of words of both states to the right.
    macro_rules! rotate {
        ($count:literal, $($x:tt),*) => {
            concat!(
                $("vprorq {v", $x, "}, {v", $x, "}, ", $count, "\n",)*
                $("vprorq {w", $x, "}, {w", $x, "}, ", $count, "\n",)*
            )
        };
    }

    /// Adds a message word to a word of both states; those from 8 on are zero.
    macro_rules! add_message {
        ($x:tt 8) => {
            ""
        };
        ($x:tt 9) => {
            ""
        };
        ($x:tt 10) => {
            ""
        };
        ($x:tt 11) => {
            ""
        };
        ($x:tt 12) => {
            ""
        };
        ($x:tt 13) => {
            ""
        };
        ($x:tt 14) => {
            ""
        };
        ($x:tt 15) => {
            ""
        };
        ($x:tt $word:tt) => {
            concat!(
                "vpaddq {v",
                $x,
                "}, {v",
                $x,
                "}, [{message_v} + 64 * ",
                $word,
                "]\n",
                "vpaddq {w",
                $x,
                "}, {w",
                $x,
                "}, [{message_w} + 64 * ",
                $word,
                "]\n",
            )
        };
    }

    /// Four `G` on columns or diagonals of both states, in lockstep.
    macro_rules! step {
        ([$($a:tt $b:tt $c:tt $d:tt),*], [$($x:tt $y:tt)*]) => {
            concat!(
                $(add_message!($a $x),)*
                both!("vpaddq", $($a $b),*),
                both!("vpxorq", $($d $a),*),
                rotate!(32, $($d),*),
                both!("vpaddq", $($c $d),*),
                both!("vpxorq", $($b $c),*),
                rotate!(24, $($b),*),
                $(add_message!($a $y),)*
                both!("vpaddq", $($a $b),*),
                both!("vpxorq", $($d $a),*),
                rotate!(16, $($d),*),
                both!("vpaddq", $($c $d),*),
                both!("vpxorq", $($b $c),*),
                rotate!(63, $($b),*),
            )
        };
    }

    macro_rules! rounds {
        (($($operands:tt)*) $($columns:tt $diagonals:tt)*) => {
            asm!(
                $(
                    step!([0 4 8 12, 1 5 9 13, 2 6 10 14, 3 7 11 15], $columns),
                    step!([0 5 10 15, 1 6 11 12, 2 7 8 13, 3 4 9 14], $diagonals),
                )*
                $($operands)*
            )
        };
    }

    /// The compression function on states with messages whose words from 8 on are zero.
    ///
    /// One state has not enough independent operations to hide the latency of the rotations. Two fill all 32 registers,
    /// without one to spare, for which a compiler's allocator needs hundreds of spills.
    #[inline]
    #[target_feature(enable = "avx512f")]
    fn compress(mut states: [Words; 2], messages: [&Words; 2], counted: &[u64; 8]) -> [Words; 2] {
        let counted = counted.map(|word| splat(word));
        let mut all = [[splat(0); 16]; 2];
        for (all, state) in all.iter_mut().zip(&states) {
            all[..8].copy_from_slice(state);
            all[8..].copy_from_slice(&counted);
        }
        let [v, w] = &mut all;
        // SAFETY: the code changes nothing but its operands, and reads the eight vectors of each message only, which are
        // aligned because their type is.
        unsafe {
            with_schedule!(rounds!((
                message_v = in(reg) messages[0].as_ptr(),
                message_w = in(reg) messages[1].as_ptr(),
                v0 = inout(zmm_reg) v[0], v1 = inout(zmm_reg) v[1], v2 = inout(zmm_reg) v[2], v3 = inout(zmm_reg) v[3],
                v4 = inout(zmm_reg) v[4], v5 = inout(zmm_reg) v[5], v6 = inout(zmm_reg) v[6], v7 = inout(zmm_reg) v[7],
                v8 = inout(zmm_reg) v[8], v9 = inout(zmm_reg) v[9], v10 = inout(zmm_reg) v[10],
                v11 = inout(zmm_reg) v[11], v12 = inout(zmm_reg) v[12], v13 = inout(zmm_reg) v[13],
                v14 = inout(zmm_reg) v[14], v15 = inout(zmm_reg) v[15],
                w0 = inout(zmm_reg) w[0], w1 = inout(zmm_reg) w[1], w2 = inout(zmm_reg) w[2], w3 = inout(zmm_reg) w[3],
                w4 = inout(zmm_reg) w[4], w5 = inout(zmm_reg) w[5], w6 = inout(zmm_reg) w[6], w7 = inout(zmm_reg) w[7],
                w8 = inout(zmm_reg) w[8], w9 = inout(zmm_reg) w[9], w10 = inout(zmm_reg) w[10],
                w11 = inout(zmm_reg) w[11], w12 = inout(zmm_reg) w[12], w13 = inout(zmm_reg) w[13],
                w14 = inout(zmm_reg) w[14], w15 = inout(zmm_reg) w[15],
                options(pure, readonly, nostack, preserves_flags)
            )));
        }
        for (state, all) in states.iter_mut().zip(&all) {
            for (word, digest) in state.iter_mut().enumerate() {
                *digest = xor(*digest, xor(all[word], all[word + 8]));
            }
        }
        states
    }

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

    /// Writes word `w` of message `i`, lane `i` of vector `w`, to word `w` of row `i`.
    #[inline]
    #[target_feature(enable = "avx512f")]
    fn transpose(x: [__m512i; 8], rows: &mut [[u64; 8]; 8]) {
        // Pairs of words, then fours, then all eight; the lanes move among quarters, then halves.
        let pairs: [[__m512i; 2]; 4] = core::array::from_fn(|i| {
            let (a, b) = (x[2 * i], x[2 * i + 1]);
            [_mm512_unpacklo_epi64(a, b), _mm512_unpackhi_epi64(a, b)]
        });
        for odd in 0..2 {
            let [a, b, c, d] = pairs.map(|pair| pair[odd]);
            let (ab_low, ab_high) = (_mm512_shuffle_i64x2::<0x88>(a, b), _mm512_shuffle_i64x2::<0xdd>(a, b));
            let (cd_low, cd_high) = (_mm512_shuffle_i64x2::<0x88>(c, d), _mm512_shuffle_i64x2::<0xdd>(c, d));
            let messages = [
                _mm512_shuffle_i64x2::<0x88>(ab_low, cd_low),
                _mm512_shuffle_i64x2::<0x88>(ab_high, cd_high),
                _mm512_shuffle_i64x2::<0xdd>(ab_low, cd_low),
                _mm512_shuffle_i64x2::<0xdd>(ab_high, cd_high),
            ];
            for (i, message) in messages.into_iter().enumerate() {
                // SAFETY: a row is as long as the vector, and the store needs no alignment.
                unsafe { _mm512_storeu_si512(rows[2 * i + odd].as_mut_ptr().cast(), message) };
            }
        }
    }
}

pub(super) mod avx2 {
    use super::*;

    streams!("avx2", 4, 1, __m256i);

    /// Four `G` on columns or diagonals, in lockstep. The comparisons are between constants.
    macro_rules! step {
        ($v:ident, $m:ident, [$($a:literal $b:literal $c:literal $d:literal),*], [$($x:literal $y:literal)*]) => {
            $(if $x < 8 { $v[$a] = add($v[$a], $m[$x % 8]); })*
            $($v[$a] = add($v[$a], $v[$b]);)*
            $($v[$d] = rotate_32(xor($v[$d], $v[$a]));)*
            $($v[$c] = add($v[$c], $v[$d]);)*
            $($v[$b] = rotate_24(xor($v[$b], $v[$c]));)*
            $(if $y < 8 { $v[$a] = add($v[$a], $m[$y % 8]); })*
            $($v[$a] = add($v[$a], $v[$b]);)*
            $($v[$d] = rotate_16(xor($v[$d], $v[$a]));)*
            $($v[$c] = add($v[$c], $v[$d]);)*
            $($v[$b] = rotate_63(xor($v[$b], $v[$c]));)*
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
    #[target_feature(enable = "avx2")]
    fn compress([mut state]: [Words; 1], [m]: [&Words; 1], counted: &[u64; 8]) -> [Words; 1] {
        let mut v = [splat(0); 16];
        v[..8].copy_from_slice(&state);
        v[8..].copy_from_slice(&counted.map(|word| splat(word)));
        with_schedule!(rounds!(v m));
        for (word, digest) in state.iter_mut().enumerate() {
            *digest = xor(*digest, xor(v[word], v[word + 8]));
        }
        [state]
    }

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

    /// Writes word `w` of message `i`, lane `i` of vector `w`, to word `w` of row `i`.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn transpose(x: [__m256i; 8], rows: &mut [[u64; 8]; 4]) {
        for (half, x) in x.as_chunks::<4>().0.iter().enumerate() {
            let (ab, cd) = (_mm256_unpacklo_epi64(x[0], x[1]), _mm256_unpacklo_epi64(x[2], x[3]));
            let (ab_odd, cd_odd) = (_mm256_unpackhi_epi64(x[0], x[1]), _mm256_unpackhi_epi64(x[2], x[3]));
            let messages = [
                _mm256_permute2x128_si256::<0x20>(ab, cd),
                _mm256_permute2x128_si256::<0x20>(ab_odd, cd_odd),
                _mm256_permute2x128_si256::<0x31>(ab, cd),
                _mm256_permute2x128_si256::<0x31>(ab_odd, cd_odd),
            ];
            for (row, message) in rows.iter_mut().zip(messages) {
                // SAFETY: half a row is as long as the vector, and the store needs no alignment.
                unsafe { _mm256_storeu_si256(row.as_chunks_mut::<4>().0[half].as_mut_ptr().cast(), message) };
            }
        }
    }
}
