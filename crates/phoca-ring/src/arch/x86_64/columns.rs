//! Moves of columns of eight words with transpositions of 4 × 4 words, for all processors with AVX2.
//!
//! With AVX-512 too: its shuffles of whole vectors gain nothing over twice as many of halves.
//!
//! Rows of one parity go to one half of a block: the first has the even `r = c + a·m`, and `a` is odd.

use core::arch::x86_64::*;

use super::entry;
use crate::arch::portable;
use crate::columns::PLACES;

/// Four lanes in memory.
type Words = [u64; 4];

/// For each order and parity of rows, the lanes of a half block by place, as halves of lanes.
static TO_PLACES: [[[u32; 8]; 2]; 32] = lanes(true);

/// The same by row.
static TO_ROWS: [[[u32; 8]; 2]; 32] = lanes(false);

const fn lanes(by_place: bool) -> [[[u32; 8]; 2]; 32] {
    let mut lanes = [[[0; 8]; 2]; 32];
    let mut i = 0;
    while i < 256 {
        let (order, row) = (i / 8, i % 8);
        let (by_row, place) = (row / 2, PLACES[order][row] as usize % 4);
        let (to, from) = if by_place { (place, by_row) } else { (by_row, place) };
        lanes[order][row % 2][2 * to] = 2 * from as u32;
        lanes[order][row % 2][2 * to + 1] = 2 * from as u32 + 1;
        i += 1;
    }
    lanes
}

entry! {
    pub(super) fn columns_to_blocks(out: &mut [u64], matrix: &[u64], columns: &[u32]) = vectors::columns_to_blocks;
    pub(super) fn blocks_to_columns(matrix: &mut [u64], input: &[u64], columns: &[u32]) = vectors::blocks_to_columns;
}

mod vectors {
    use super::*;

    #[target_feature(enable = "avx2")]
    pub(super) fn columns_to_blocks(out: &mut [u64], matrix: &[u64], columns: &[u32]) {
        let (columns, []) = columns.as_chunks::<4>() else {
            return portable::columns_to_blocks(out, matrix, columns);
        };
        let blocks = out.as_chunks_mut::<8>().0;
        let mut rows = matrix.chunks_exact(4 * columns.len()).map(|row| row.as_chunks::<4>().0);
        let rows: [&[Words]; 8] = core::array::from_fn(|_| rows.next().expect("a matrix has eight rows"));
        for (k, columns) in columns.iter().enumerate() {
            let even = transpose([0, 2, 4, 6].map(|row| load(&rows[row][k])));
            let odd = transpose([1, 3, 5, 7].map(|row| load(&rows[row][k])));
            for (j, &column) in columns.iter().enumerate() {
                let (order, first) = (column as usize % 32, column as usize % 2);
                let halves = blocks[column as usize / 32].as_chunks_mut::<4>().0;
                store(&mut halves[first], permute(even[j], &TO_PLACES[order][0]));
                store(&mut halves[1 - first], permute(odd[j], &TO_PLACES[order][1]));
            }
        }
    }

    #[target_feature(enable = "avx2")]
    pub(super) fn blocks_to_columns(matrix: &mut [u64], input: &[u64], columns: &[u32]) {
        let (columns, []) = columns.as_chunks::<4>() else {
            return portable::blocks_to_columns(matrix, input, columns);
        };
        let blocks = input.as_chunks::<8>().0;
        let mut rows = matrix.chunks_exact_mut(4 * columns.len()).map(|row| row.as_chunks_mut::<4>().0);
        let rows: [&mut [Words]; 8] = core::array::from_fn(|_| rows.next().expect("a matrix has eight rows"));
        for (k, columns) in columns.iter().enumerate() {
            let (mut even, mut odd) = ([_mm256_setzero_si256(); 4], [_mm256_setzero_si256(); 4]);
            for (j, &column) in columns.iter().enumerate() {
                let (order, first) = (column as usize % 32, column as usize % 2);
                let halves = blocks[column as usize / 32].as_chunks::<4>().0;
                even[j] = permute(load(&halves[first]), &TO_ROWS[order][0]);
                odd[j] = permute(load(&halves[1 - first]), &TO_ROWS[order][1]);
            }
            let (even, odd) = (transpose(even), transpose(odd));
            for pair in 0..4 {
                store(&mut rows[2 * pair][k], even[pair]);
                store(&mut rows[2 * pair + 1][k], odd[pair]);
            }
        }
    }
}

#[inline]
#[target_feature(enable = "avx2")]
fn transpose([a, b, c, d]: [__m256i; 4]) -> [__m256i; 4] {
    let (ab0, ab1) = (_mm256_unpacklo_epi64(a, b), _mm256_unpackhi_epi64(a, b));
    let (cd0, cd1) = (_mm256_unpacklo_epi64(c, d), _mm256_unpackhi_epi64(c, d));
    [
        _mm256_permute2x128_si256::<0x20>(ab0, cd0),
        _mm256_permute2x128_si256::<0x20>(ab1, cd1),
        _mm256_permute2x128_si256::<0x31>(ab0, cd0),
        _mm256_permute2x128_si256::<0x31>(ab1, cd1),
    ]
}

#[inline]
#[target_feature(enable = "avx2")]
fn permute(x: __m256i, halves_of_lanes: &[u32; 8]) -> __m256i {
    // SAFETY: the reference is valid for reads of 32 bytes, and the load has no alignment requirement.
    let order = unsafe { _mm256_loadu_si256(halves_of_lanes.as_ptr().cast()) };
    _mm256_permutevar8x32_epi32(x, order)
}

#[inline]
#[target_feature(enable = "avx2")]
fn load(words: &Words) -> __m256i {
    // SAFETY: the reference is valid for reads of 32 bytes, and the load has no alignment requirement.
    unsafe { _mm256_loadu_si256(words.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "avx2")]
fn store(words: &mut Words, x: __m256i) {
    // SAFETY: the reference is valid for writes of 32 bytes, and the store has no alignment requirement.
    unsafe { _mm256_storeu_si256(words.as_mut_ptr().cast(), x) }
}
