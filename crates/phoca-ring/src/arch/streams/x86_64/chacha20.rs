//! Sixteen ChaCha20 blocks at a time: word `w` of all blocks in vector `w`.

use core::arch::x86_64::*;

use crate::arch::streams::chacha20::{CHUNK_BLOCKS, CHUNK_LEN, CONSTANTS};

/// Writes the key stream from block `counter` on.
#[target_feature(enable = "avx512f")]
pub(super) fn fill(key: &[u8; 32], mut counter: u64, out: &mut [[u8; CHUNK_LEN]]) {
    let mut state = [_mm512_setzero_si512(); 16];
    let key_words = key.as_chunks().0.iter().map(|bytes| u32::from_le_bytes(*bytes));
    for (lanes, word) in state.iter_mut().zip(CONSTANTS.into_iter().chain(key_words)) {
        *lanes = _mm512_set1_epi32(word.cast_signed());
    }
    for chunk in out {
        [state[12], state[13]] = counters(counter);
        store(permute(&state), chunk);
        counter = counter.wrapping_add(CHUNK_BLOCKS);
    }
}

/// The low and the high words of sixteen counters.
#[target_feature(enable = "avx512f")]
fn counters(first: u64) -> [__m512i; 2] {
    let (mut low, mut high) = ([0; 16], [0; 16]);
    for i in 0..16 {
        let counter = first.wrapping_add(i as u64);
        (low[i], high[i]) = (counter as u32, (counter >> 32) as u32);
    }
    // SAFETY: each array is as long as a vector, and the load needs no alignment.
    [low, high].map(|words: [u32; 16]| unsafe { _mm512_loadu_si512(words.as_ptr().cast()) })
}

/// The block function: twenty rounds, then the input is added.
#[target_feature(enable = "avx512f")]
fn permute(state: &[__m512i; 16]) -> [__m512i; 16] {
    let mut x = *state;
    for _ in 0..10 {
        quarter_round(&mut x, [0, 4, 8, 12]);
        quarter_round(&mut x, [1, 5, 9, 13]);
        quarter_round(&mut x, [2, 6, 10, 14]);
        quarter_round(&mut x, [3, 7, 11, 15]);
        quarter_round(&mut x, [0, 5, 10, 15]);
        quarter_round(&mut x, [1, 6, 11, 12]);
        quarter_round(&mut x, [2, 7, 8, 13]);
        quarter_round(&mut x, [3, 4, 9, 14]);
    }
    for (word, &input) in x.iter_mut().zip(state) {
        *word = _mm512_add_epi32(*word, input);
    }
    x
}

#[inline]
#[target_feature(enable = "avx512f")]
fn quarter_round(x: &mut [__m512i; 16], [a, b, c, d]: [usize; 4]) {
    x[a] = _mm512_add_epi32(x[a], x[b]);
    x[d] = _mm512_rol_epi32::<16>(_mm512_xor_si512(x[d], x[a]));
    x[c] = _mm512_add_epi32(x[c], x[d]);
    x[b] = _mm512_rol_epi32::<12>(_mm512_xor_si512(x[b], x[c]));
    x[a] = _mm512_add_epi32(x[a], x[b]);
    x[d] = _mm512_rol_epi32::<8>(_mm512_xor_si512(x[d], x[a]));
    x[c] = _mm512_add_epi32(x[c], x[d]);
    x[b] = _mm512_rol_epi32::<7>(_mm512_xor_si512(x[b], x[c]));
}

/// Transposes to sixteen blocks of sixteen words each.
#[target_feature(enable = "avx512f")]
fn store(x: [__m512i; 16], out: &mut [u8; CHUNK_LEN]) {
    // Sixteen bytes at a time: entry 4·b + w/4 holds the words w to w + 3 of block b.
    let (pieces, _) = out.as_chunks_mut::<16>();
    for (quad, words) in x.as_chunks::<4>().0.iter().enumerate() {
        let [a, b, c, d] = *words;
        let (ab, cd) = (_mm512_unpacklo_epi32(a, b), _mm512_unpacklo_epi32(c, d));
        let (ab_high, cd_high) = (_mm512_unpackhi_epi32(a, b), _mm512_unpackhi_epi32(c, d));
        // Vector r holds four words each of the blocks r, r + 4, r + 8 and r + 12.
        let rows = [
            _mm512_unpacklo_epi64(ab, cd),
            _mm512_unpackhi_epi64(ab, cd),
            _mm512_unpacklo_epi64(ab_high, cd_high),
            _mm512_unpackhi_epi64(ab_high, cd_high),
        ];
        for (r, row) in rows.into_iter().enumerate() {
            let quarters = [
                _mm512_extracti32x4_epi32::<0>(row),
                _mm512_extracti32x4_epi32::<1>(row),
                _mm512_extracti32x4_epi32::<2>(row),
                _mm512_extracti32x4_epi32::<3>(row),
            ];
            for (i, quarter) in quarters.into_iter().enumerate() {
                let piece = &mut pieces[4 * (4 * i + r) + quad];
                // SAFETY: a piece is as long as the vector, and the store needs no alignment.
                unsafe { _mm_storeu_si128(piece.as_mut_ptr().cast(), quarter) };
            }
        }
    }
}
