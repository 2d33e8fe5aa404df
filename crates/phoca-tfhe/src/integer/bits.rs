//! Bit operations.

use alloc::vec::Vec;

use super::{Radix, ServerKey};
use crate::Error;

/// Operations on the bits of two integers: one bootstrap for each block, all at the same time.
macro_rules! bit_operations {
    ($($name:ident, $scalar:ident, $meaning:literal, $function:expr;)*) => {
        impl ServerKey {
            $(
                #[doc = concat!("The bitwise ", $meaning, ".")]
                ///
                /// # Errors
                ///
                /// [`Error::BlockCount`] unless both have as many blocks, [`Error::LweDimension`] where one is of another set.
                pub fn $name(&self, left: &Radix, right: &Radix) -> Result<Radix, Error> {
                    Self::check_lengths(left, right)?;
                    let function: fn(u64, u64) -> u64 = $function;
                    let table = self.key.pair_table(function);
                    Ok(Radix::new(self.map_pairs(&self.cleaned(left, 1)?, &self.cleaned(right, 1)?, &table)?))
                }

                #[doc = concat!("The bitwise ", $meaning, " with a clear number in two's complement.")]
                ///
                /// # Errors
                ///
                /// [`Error::LweDimension`] where the integer is of another set.
                pub fn $scalar(&self, left: &Radix, right: &[u64]) -> Result<Radix, Error> {
                    let function: fn(u64, u64) -> u64 = $function;
                    let base = self.base();
                    let bits = self.key.parameters().message_bits;
                    let tables: Vec<_> =
                        (0..base).map(|right| self.key.table(|left| function(left % base, right))).collect();
                    let digits = super::client::digits(right, bits);
                    let jobs: Vec<_> =
                        left.blocks().iter().zip(digits).map(|(block, digit)| (block, &tables[digit as usize])).collect();
                    Ok(Radix::new(self.key.apply_all(&jobs)?))
                }
            )*
        }
    };
}

bit_operations! {
    bitand, scalar_bitand, "and", |a, b| a & b;
    bitor, scalar_bitor, "or", |a, b| a | b;
    bitxor, scalar_bitxor, "exclusive or", |a, b| a ^ b;
}

impl ServerKey {
    /// All bits inverted. No bootstrap.
    pub fn bitnot(&self, integer: &Radix) -> Radix {
        let largest = self.base() - 1;
        let blocks = integer.blocks().iter().map(|block| self.key.subtracted_from(largest, block));
        Radix::new(blocks.collect())
    }
}
