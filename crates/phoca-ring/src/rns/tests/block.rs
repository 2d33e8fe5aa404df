//! Sums over limbs.

use alloc::vec;
use alloc::vec::Vec;

use super::*;
use crate::arch::Arch;
use crate::rns::block::{block_len, blocks, weighted_sum};

#[test]
fn sums_of_any_number_of_the_largest_words() {
    for arch in Arch::all().iter().filter(|arch| arch.is_available()) {
        for q in [2, 3, 1 << 20, 0x7ff_fffd_8001, (1 << 50) - 27, 1 << 60, (1 << 61) - 1] {
            let modulus = Modulus::with_arch(q, *arch).expect("from 2 to 61 bits");
            for terms in (1..=10_u64).chain([63, 64, 65, 128, 129, 258, 300]) {
                let len = block_len(terms as usize, 23);
                // The largest first, then smaller ones.
                let word = |j: u64, i: usize| ((1 << 61) - 1) / (1 + j * (i as u64 % 3));
                let weights: Vec<u64> = (0..terms).map(|j| (q - 1) / (1 + j % 4)).collect();
                let rows: Vec<Vec<u64>> = (0..terms).map(|j| (0..len).map(|i| word(j, i)).collect()).collect();
                let mut out = vec![u64::MAX; len];
                weighted_sum(&modulus, &mut out, rows.iter().map(Vec::as_slice), &weights, 61);
                for (i, &found) in out.iter().enumerate() {
                    let terms = rows.iter().zip(&weights).map(|(row, &w)| BigUint::from(row[i]) * w);
                    assert_eq!(BigUint::from(found), terms.sum::<BigUint>() % q, "{} terms mod {q}", weights.len());
                }
            }
        }
    }
}

#[test]
fn blocks_are_a_partition() {
    for limbs in [1, 2, 5, 64, 65, 257, 513] {
        for degree in [0, 1, 2, 8, 100, 8192] {
            let mut end = 0;
            for (start, len) in blocks(limbs, degree) {
                assert_eq!(start, end);
                assert!(len > 0 && len <= block_len(limbs, degree));
                end += len;
            }
            assert_eq!(end, degree);
        }
    }
}
