//! Sums of multiples of rows of words modulo `2^32` or `2^64`, the loop of LWE key switching.

use crate::arch::Arch;
use crate::arch::vectorized::Vectorized;

/// Rows that are added in one pass over the sums.
const GROUP: usize = 8;

/// `acc -= Σ_i factors_i·row_i` modulo `2^32`, where the rows lie one after the other.
///
/// # Panics
///
/// Unless `rows` has a row of the length of `acc` for each factor.
pub fn sub_multiples_u32(acc: &mut [u32], rows: &[u32], factors: &[u32]) {
    assert_eq!(rows.len(), acc.len() * factors.len(), "there is a row for each factor");
    (Vectorized::of(Arch::selected()).sub_multiples_u32)(acc, rows, factors);
}

/// [`sub_multiples_u32`] modulo `2^64`.
///
/// # Panics
///
/// As [`sub_multiples_u32`].
pub fn sub_multiples_u64(acc: &mut [u64], rows: &[u64], factors: &[u64]) {
    assert_eq!(rows.len(), acc.len() * factors.len(), "there is a row for each factor");
    (Vectorized::of(Arch::selected()).sub_multiples_u64)(acc, rows, factors);
}

/// The source of both loops, for one type of words.
macro_rules! sub_multiples {
    ($name:ident, $word:ty) => {
        #[inline(always)]
        pub(crate) fn $name(acc: &mut [$word], rows: &[$word], factors: &[$word]) {
            let len = acc.len();
            let (groups, rest) = factors.as_chunks::<GROUP>();
            let (grouped_rows, rest_rows) = rows.split_at(len * GROUP * groups.len());
            for (factors, rows) in groups.iter().zip(grouped_rows.chunks_exact((len * GROUP).max(1))) {
                let row: [&[$word]; GROUP] = core::array::from_fn(|index| &rows[index * len..][..len]);
                for (index, acc) in acc.iter_mut().enumerate() {
                    let mut sum: $word = 0;
                    for (row, factor) in row.iter().zip(factors) {
                        sum = sum.wrapping_add(row[index].wrapping_mul(*factor));
                    }
                    *acc = acc.wrapping_sub(sum);
                }
            }
            for (factor, row) in rest.iter().zip(rest_rows.chunks_exact(len.max(1))) {
                for (acc, word) in acc.iter_mut().zip(row) {
                    *acc = acc.wrapping_sub(word.wrapping_mul(*factor));
                }
            }
        }
    };
}

/// The loops that each instruction set compiles.
pub(crate) mod loops {
    use super::GROUP;

    sub_multiples!(sub_multiples_u32, u32);
    sub_multiples!(sub_multiples_u64, u64);
}
