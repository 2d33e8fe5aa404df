//! Sums, differences and comparisons with clear numbers, and the overflow of signed sums.

use alloc::vec::Vec;

use super::client::digits;
use super::{Radix, ServerKey};
use crate::Error;
use crate::shortint::Ciphertext;

/// Comparisons with a clear number, whose blocks have no noise.
macro_rules! scalar_comparisons {
    ($($name:ident, $encrypted:ident, ($($signed:ident)?), $output:ty, $meaning:literal;)*) => {
        /// Comparisons with a clear number in two's complement, of which the bits of the integer's width count.
        impl ServerKey {
            $(
                #[doc = concat!($meaning, ": as [`", stringify!($encrypted), "`](Self::", stringify!($encrypted), ").")]
                ///
                /// # Errors
                ///
                /// [`Error::LweDimension`] where the integer is of another set.
                pub fn $name(&self, left: &Radix, right: &[u64] $(, $signed: bool)?) -> Result<$output, Error> {
                    self.$encrypted(left, &self.trivial(right, left.len())? $(, $signed)?)
                }
            )*
        }
    };
}

scalar_comparisons! {
    scalar_eq, eq, (), Ciphertext, "1 where both are equal";
    scalar_ne, ne, (), Ciphertext, "0 where both are equal";
    scalar_lt, lt, (signed), Ciphertext, "1 where the left is less";
    scalar_le, le, (signed), Ciphertext, "1 where the left is at most the right";
    scalar_gt, gt, (signed), Ciphertext, "1 where the left is greater";
    scalar_ge, ge, (signed), Ciphertext, "1 where the left is at least the right";
    scalar_max, max, (signed), Radix, "The greater one";
    scalar_min, min, (signed), Radix, "The lesser one";
}

impl ServerKey {
    /// The sum with a clear number in two's complement, modulo `2^bits`; blocks below its lowest digit that is not 0 need no
    /// bootstrap.
    ///
    /// # Errors
    ///
    /// [`Error::LweDimension`] where the integer is of another set.
    pub fn scalar_add(&self, left: &Radix, right: &[u64]) -> Result<Radix, Error> {
        let digits: Vec<_> = digits(right, self.block_bits()).take(left.len()).collect();
        self.add_digits(left, &digits)
    }

    /// The difference with a clear number in two's complement, modulo `2^bits`; bootstraps as [`scalar_add`](Self::scalar_add).
    ///
    /// # Errors
    ///
    /// As [`scalar_add`](Self::scalar_add).
    pub fn scalar_sub(&self, left: &Radix, right: &[u64]) -> Result<Radix, Error> {
        let digits: Vec<_> = digits(right, self.block_bits()).take(left.len()).collect();
        self.add_digits(left, &negated(&digits, self.base()))
    }

    fn add_digits(&self, left: &Radix, digits: &[u64]) -> Result<Radix, Error> {
        let unchanged = digits.iter().take_while(|digit| **digit == 0).count();
        let (low, high) = left.blocks().split_at(unchanged);
        let sums =
            high.iter().zip(&digits[unchanged..]).map(|(block, digit)| self.key.unchecked_scalar_add(block, *digit));
        let mut blocks = low.to_vec();
        if !high.is_empty() {
            blocks.extend(self.propagate(sums.collect(), None)?.0.into_blocks());
        }
        Ok(Radix::new(blocks))
    }

    /// The sum of signed integers modulo `2^bits`, and whether the true one is out of range, as one block: 1 or 0.
    ///
    /// # Errors
    ///
    /// As [`add`](Self::add).
    pub fn signed_add_with_overflow(&self, left: &Radix, right: &Radix) -> Result<(Radix, Ciphertext), Error> {
        let sum = self.add(left, right)?;
        let overflow = self.sum_overflow(left, right, &sum)?;
        Ok((sum, overflow))
    }

    /// The difference of signed integers modulo `2^bits`, and whether the true one is out of range, as one block: 1 or 0.
    ///
    /// # Errors
    ///
    /// As [`add`](Self::add).
    pub fn signed_sub_with_overflow(&self, left: &Radix, right: &Radix) -> Result<(Radix, Ciphertext), Error> {
        let difference = self.sub(left, right)?;
        let overflow = self.sum_overflow(left, &self.bitnot(right), &difference)?;
        Ok((difference, overflow))
    }

    /// The negation of a signed integer modulo `2^bits`, and whether it is the least one, as one block: 1 or 0.
    ///
    /// # Errors
    ///
    /// As [`neg`](Self::neg).
    pub fn signed_neg_with_overflow(&self, integer: &Radix) -> Result<(Radix, Ciphertext), Error> {
        let negated = self.neg(integer)?;
        let (Some(top), Some(negated_top)) = (integer.blocks().last(), negated.blocks().last()) else {
            return Ok((negated, self.key.trivial(0)?));
        };
        // Beside 0, which has no sign, only the least one keeps its own.
        let signs = self.key.unchecked_add(&self.sign(top)?, &self.sign(negated_top)?)?;
        let overflow = self.key.apply(&signs, &self.key.table(|x| u64::from(x == 2)))?;
        Ok((negated, overflow))
    }

    /// 1 where both operands of a sum have one sign and the sum another one.
    fn sum_overflow(&self, left: &Radix, right: &Radix, sum: &Radix) -> Result<Ciphertext, Error> {
        let (Some(left), Some(right), Some(sum)) = (left.blocks().last(), right.blocks().last(), sum.blocks().last())
        else {
            return self.key.trivial(0);
        };
        let base = self.base();
        let weighted = |weight| self.key.table(move |x| if x % base >= base / 2 { weight } else { 0 });
        let (operand, result) = (weighted(1), weighted(3));
        let jobs = [(left, &operand), (right, &operand), (sum, &result)];
        let count = self.sum(&self.key.apply_all(&jobs)?)?;
        self.key.apply(&count, &self.key.table(|x| u64::from(x == 2 || x == 3)))
    }
}

/// The digits of the negation of a number, modulo what they count up to.
pub(super) fn negated(digits: &[u64], base: u64) -> Vec<u64> {
    let mut borrow = 0;
    let digits = digits.iter().map(|digit| {
        let digit = digit + borrow;
        borrow = u64::from(digit > 0);
        (base - digit) % base
    });
    digits.collect()
}
