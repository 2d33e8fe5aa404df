//! The order of the slots of a polynomial among the values of its transform.
//!
//! Slots form a matrix of two rows of `n/2`. Slot `i` of row 0 is the value at `ψ^(3^i)`, slot `i` of row 1 the value at
//! `ψ^(-3^i)`, with `ψ` the primitive `2n`-th root of the transform: SEAL's order. The exponents of 3 and −1 reach every
//! odd residue modulo `2n` once.
//!
//! For `n ≥ 32`, `3^(n/16) = 1 + u·n/4` modulo `2n` with an odd `u`, and the square of `n/4` is 0 there. So the exponents
//! of the slots `i + m·n/16`, for `m` from 0 to 7, are `3^i + m·a·n/4` with `a = u·3^i`: the same modulo `n/4`, which is
//! what a block of eight values in bit-reversed order has in common. A row of slots, written as a matrix of eight rows, is
//! therefore a matrix of columns that become blocks.

use alloc::boxed::Box;

use crate::RingError;
use crate::arch::Arch;
use crate::columns::column;
use crate::galois::{check_degree, reverse};

/// The permutation from slots to values in the NTT's order, and back. It does not depend on the modulus.
///
/// ```
/// use phoca_ring::slots::SlotOrder;
///
/// let order = SlotOrder::new(8)?;
/// let mut values = [0; 8];
/// order.to_values(&[10, 11, 12, 13, 20, 21, 22, 23], &mut values);
/// assert_eq!(values, [10, 12, 23, 21, 11, 13, 22, 20]); // at the powers 1, 9, 5, 13, 3, 11, 7, 15 of ψ
///
/// let mut slots = [0; 8];
/// order.to_slots(&values, &mut slots);
/// assert_eq!(slots, [10, 11, 12, 13, 20, 21, 22, 23]);
/// # Ok::<(), phoca_ring::RingError>(())
/// ```
#[derive(Clone, Debug)]
pub struct SlotOrder {
    degree: usize,
    /// Where each column goes, those of row 0 first; none for degrees below 32.
    columns: Box<[u32]>,
}

impl SlotOrder {
    /// The order for polynomials of `degree` coefficients.
    ///
    /// # Errors
    ///
    /// [`RingError::InvalidDegree`] unless `degree` is a power of two from 2 to 131072.
    pub fn new(degree: usize) -> Result<Self, RingError> {
        check_degree(degree)?;
        let order = 2 * degree as u32;
        let columns = match degree {
            32.. => degree as u32 / 16,
            _ => 0,
        };
        // 2n is at most 2^18 and divides 2^32, so words wrap harmlessly.
        let turn = 3_u32.wrapping_pow(columns);
        let powers = (0..columns).scan(1_u32, |power, _| Some(core::mem::replace(power, 3 * *power % order)));
        let entry = |power: u32| {
            let eighth = |power: u32| power % order / (order / 8);
            let block = power % (order / 8) / 2;
            let step = eighth(power.wrapping_mul(turn)).wrapping_sub(eighth(power));
            column(reverse(block, degree as u32 / 8), step, eighth(power))
        };
        let rows = powers.clone().chain(powers.map(|power| order - power));
        Ok(Self { degree, columns: rows.map(entry).collect() })
    }

    /// `n`.
    pub fn degree(&self) -> usize {
        self.degree
    }

    /// Writes the values of a transform whose slots are `slots`, row 0 first.
    ///
    /// # Panics
    ///
    /// Unless there are `n` slots and `n` values.
    pub fn to_values(&self, slots: &[u64], values: &mut [u64]) {
        self.check_lengths(slots, values);
        if self.columns.is_empty() {
            return self.small_positions().zip(slots).for_each(|(position, &slot)| values[position] = slot);
        }
        let kernel = Arch::selected().slice_kernels()[0].columns_to_blocks;
        let rows = slots.chunks_exact(self.degree / 2).zip(self.columns.chunks_exact(self.degree / 16));
        rows.for_each(|(row, columns)| kernel(values, row, columns));
    }

    /// Writes the slots, row 0 first, of a transform with these `values`.
    ///
    /// # Panics
    ///
    /// Unless there are `n` values and `n` slots.
    pub fn to_slots(&self, values: &[u64], slots: &mut [u64]) {
        self.check_lengths(slots, values);
        if self.columns.is_empty() {
            return self.small_positions().zip(slots).for_each(|(position, slot)| *slot = values[position]);
        }
        let kernel = Arch::selected().slice_kernels()[0].blocks_to_columns;
        let rows = slots.chunks_exact_mut(self.degree / 2).zip(self.columns.chunks_exact(self.degree / 16));
        rows.for_each(|(row, columns)| kernel(row, values, columns));
    }

    fn check_lengths(&self, slots: &[u64], values: &[u64]) {
        assert!(slots.len() == self.degree && values.len() == self.degree, "there are n slots and n values");
    }

    /// The position of each slot among the values, by definition.
    fn small_positions(&self) -> impl Iterator<Item = usize> + use<> {
        positions(self.degree as u32)
    }
}

/// The position of each slot among the values of a transform of `degree`, by definition.
fn positions(degree: u32) -> impl Iterator<Item = usize> {
    let order = 2 * degree;
    let powers = (0..degree / 2).scan(1, move |power, _| Some(core::mem::replace(power, 3 * *power % order)));
    let powers = powers.clone().chain(powers.map(move |power| order - power));
    powers.map(move |power| reverse(power / 2, degree) as usize)
}

#[cfg(test)]
mod tests {
    use alloc::vec;
    use alloc::vec::Vec;

    use super::*;

    #[test]
    fn slots_are_where_the_definition_says() {
        for log in 1..=17 {
            let degree = 1_usize << log;
            let order = SlotOrder::new(degree).unwrap();
            let slots: Vec<u64> = (1..=degree as u64).collect();
            let mut expected = vec![0; degree];
            positions(degree as u32).zip(&slots).for_each(|(position, &slot)| expected[position] = slot);
            assert!(!expected.contains(&0), "a permutation of degree {degree}");
            let mut values = vec![0; degree];
            order.to_values(&slots, &mut values);
            assert_eq!(values, expected, "degree {degree}");
            let mut back = vec![0; degree];
            order.to_slots(&values, &mut back);
            assert_eq!(back, slots, "degree {degree}");
        }
    }

    #[test]
    fn degrees_without_an_order_are_refused() {
        for degree in [0, 1, 3, 48, 1 << 18] {
            assert_eq!(SlotOrder::new(degree).unwrap_err(), RingError::InvalidDegree { degree });
        }
    }
}
