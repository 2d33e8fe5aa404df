//! Choices by an encrypted condition.
//!
//! A condition `c` of 0 or 1 becomes `2·base·c` in one bootstrap. Added to `a - b + base`, which lies between 1 and `2·base - 1`,
//! it leaves one function for each block, `c·(a - b)`, and the sum of that with `b` is the chosen block.

use alloc::vec::Vec;

use super::tracked::Tracked;
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
        let tracked = |integer: &Radix| integer.blocks().iter().cloned().map(Tracked::new).collect::<Vec<_>>();
        let chosen = self.choose(&self.raised(condition)?, &tracked(when_true), &tracked(when_false))?;
        Ok(Radix::new(self.settled(chosen)?))
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
