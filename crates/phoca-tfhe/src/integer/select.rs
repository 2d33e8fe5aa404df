//! Choices by an encrypted condition.
//!
//! A condition `c` of 0 or 1 becomes `2·base·c` in one bootstrap. Added to `a - b + base`, which lies between 1 and `2·base - 1`,
//! it leaves one function for each block, `c·(a - b)`, and the sum of that with `b` is the chosen block.

use alloc::vec::Vec;

use super::{Radix, ServerKey};
use crate::Error;
use crate::shortint::Ciphertext;

impl ServerKey {
    /// `when_true` where the condition, one block, is 1, and `when_false` where it is 0.
    ///
    /// # Errors
    ///
    /// [`Error::BlockCount`] unless both have as many blocks, [`Error::LweDimension`] where one is of another set.
    pub fn select(&self, condition: &Ciphertext, when_true: &Radix, when_false: &Radix) -> Result<Radix, Error> {
        Self::check_lengths(when_true, when_false)?;
        let (when_true, when_false) = (self.cleaned(when_true, 2)?, self.cleaned(when_false, 2)?);
        let base = self.base();
        let raised = self.key.apply(condition, &self.key.table(|c| 2 * base * (c & 1)))?;
        let differences = when_true.iter().zip(&when_false).map(|(a, b)| {
            let shifted = self.key.unchecked_scalar_add(&self.key.difference(a, b)?, base);
            self.key.unchecked_add(&shifted, &raised)
        });
        let differences = differences.collect::<Result<Vec<_>, _>>()?;
        let chosen = self.key.signed_table(|x| if x >= 2 * base { x as i64 - 3 * base as i64 } else { 0 });
        let chosen = self.map(&differences, &chosen)?;
        let blocks = chosen.iter().zip(&when_false).map(|(a, b)| self.key.sum_of_difference(a, b));
        Ok(Radix::new(blocks.collect::<Result<_, _>>()?))
    }

    /// The greater one; both are signed or both unsigned.
    ///
    /// # Errors
    ///
    /// As [`select`](Self::select).
    pub fn max(&self, left: &Radix, right: &Radix, signed: bool) -> Result<Radix, Error> {
        self.select(&self.gt(left, right, signed)?, left, right)
    }

    /// The lesser one; both are signed or both unsigned.
    ///
    /// # Errors
    ///
    /// As [`select`](Self::select).
    pub fn min(&self, left: &Radix, right: &Radix, signed: bool) -> Result<Radix, Error> {
        self.select(&self.lt(left, right, signed)?, left, right)
    }
}
