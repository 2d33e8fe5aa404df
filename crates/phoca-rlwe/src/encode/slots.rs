//! Where batching slots lie among NTT values.

use alloc::boxed::Box;
use alloc::vec::Vec;

/// The position of each slot in the bit-reversed output of the negacyclic NTT.
///
/// Slots form a matrix of two rows of `n/2`. Slot `i` of row 0 is the value at `ψ^(3^i)`, slot `i` of row 1 the value at
/// `ψ^(-3^i)`, with `ψ` the primitive `2n`-th root of the transform. The exponents of 3 and −1 reach every odd residue
/// modulo `2n` once.
pub(crate) struct SlotOrder {
    positions: Box<[u32]>,
}

impl SlotOrder {
    /// For a degree from 2 to 2^31, a power of two.
    pub(crate) fn new(degree: usize) -> Self {
        let order = 2 * degree as u64;
        let log_degree = degree.trailing_zeros();
        let mut positions: Vec<u32> = alloc::vec![0; degree];
        let mut power = 1;
        for slot in 0..degree / 2 {
            positions[slot] = position_of(power, log_degree);
            positions[slot + degree / 2] = position_of(order - power, log_degree);
            power = power * 3 % order;
        }
        Self { positions: positions.into_boxed_slice() }
    }

    /// The NTT position of each slot, row 0 first.
    pub(crate) fn positions(&self) -> &[u32] {
        &self.positions
    }
}

/// Where the transform puts the value at `ψ^exponent`, for odd exponents.
fn position_of(exponent: u64, log_degree: u32) -> u32 {
    (((exponent - 1) / 2) as u32).reverse_bits() >> (32 - log_degree)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_are_a_permutation() {
        for degree in [2, 4, 8, 1024, 8192] {
            let order = SlotOrder::new(degree);
            let mut seen = order.positions().to_vec();
            seen.sort_unstable();
            assert!(seen.iter().enumerate().all(|(position, &slot)| position == slot as usize));
        }
    }
}
