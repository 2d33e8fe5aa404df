//! Sums and differences.
//!
//! Sums of two blocks take the carries of the block below, and one bootstrap of two functions gives a block's message and its
//! own carry: as many bootstraps as blocks, one after the other. With more threads the upper blocks start at the same time
//! without knowing the carry that they will get. Their carries then count in halves: 0, 1 (one half, for "as the one that comes
//! in"), or 2, so that twice a block's sum and the carry into it decide the carry out of it, and, once the carry that comes in
//! is known, half of everything together, rounded down, is the digit.

use alloc::vec::Vec;

use super::{Radix, ServerKey};
use crate::Error;
use crate::shortint::Ciphertext;

/// Blocks from which on splitting the chain of carries pays, with two threads or more.
const LEAST_SPLIT: usize = 6;

impl ServerKey {
    /// The sum modulo `2^bits`.
    ///
    /// # Errors
    ///
    /// [`Error::BlockCount`] unless both have as many blocks, [`Error::LweDimension`] where one is of another set.
    pub fn add(&self, left: &Radix, right: &Radix) -> Result<Radix, Error> {
        Ok(self.add_with_carry(left, right)?.0)
    }

    /// The sum modulo `2^bits`, and whether it is more than that, as one block: 1 or 0.
    ///
    /// # Errors
    ///
    /// As [`add`](Self::add).
    pub fn add_with_carry(&self, left: &Radix, right: &Radix) -> Result<(Radix, Ciphertext), Error> {
        Self::check_lengths(left, right)?;
        let pairs = left.blocks().iter().zip(right.blocks());
        let sums = pairs.map(|(left, right)| self.key.checked_add(left, right)).collect::<Result<Vec<_>, _>>()?;
        self.propagate(sums, None)
    }

    /// The difference modulo `2^bits`.
    ///
    /// # Errors
    ///
    /// As [`add`](Self::add).
    pub fn sub(&self, left: &Radix, right: &Radix) -> Result<Radix, Error> {
        Ok(self.sub_with_carry(left, right)?.0)
    }

    /// The difference modulo `2^bits`, and one block: 0 where the right is greater, else 1.
    ///
    /// # Errors
    ///
    /// As [`add`](Self::add).
    pub fn sub_with_carry(&self, left: &Radix, right: &Radix) -> Result<(Radix, Ciphertext), Error> {
        Self::check_lengths(left, right)?;
        // left + (2^bits - 1 - right) + 1
        let complement = self.bitnot(right);
        let pairs = left.blocks().iter().zip(complement.blocks());
        let sums = pairs.map(|(left, right)| self.key.checked_add(left, right)).collect::<Result<Vec<_>, _>>()?;
        self.propagate(sums, Some(self.key.trivial(1)?))
    }

    /// The negation modulo `2^bits`.
    ///
    /// # Errors
    ///
    /// [`Error::LweDimension`] where the integer is of another set.
    pub fn neg(&self, integer: &Radix) -> Result<Radix, Error> {
        Ok(self.propagate(self.bitnot(integer).into_blocks(), Some(self.key.trivial(1)?))?.0)
    }

    /// The digits of sums of blocks, each at most `2·(base - 1)`, and of a carry of at most 1 into the lowest one; and the carry
    /// out of the highest one.
    pub(super) fn propagate(
        &self,
        mut sums: Vec<Ciphertext>,
        carry: Option<Ciphertext>,
    ) -> Result<(Radix, Ciphertext), Error> {
        if let (Some(first), Some(carry)) = (sums.first_mut(), &carry) {
            *first = self.key.checked_add(first, carry)?;
        }
        if self.threads() > 1 && sums.len() >= LEAST_SPLIT {
            return self.propagate_split(sums);
        }
        let mut digits = Vec::with_capacity(sums.len());
        let mut carry = carry.unwrap_or(self.key.trivial(0)?);
        let table = self.digit_and_carry()?;
        for (index, mut sum) in sums.into_iter().enumerate() {
            if index > 0 {
                sum = self.key.checked_add(&sum, &carry)?;
            }
            let [digit, next] = two(self.key.apply_all(&[(&sum, &table)])?);
            digits.push(digit);
            carry = next;
        }
        Ok((Radix::new(digits), carry))
    }

    /// [`propagate`](Self::propagate) with two chains at the same time.
    fn propagate_split(&self, sums: Vec<Ciphertext>) -> Result<(Radix, Ciphertext), Error> {
        let base = self.base();
        let middle = sums.len().div_ceil(2);
        let (lower, upper) = sums.split_at(middle);
        let known = self.digit_and_carry()?;
        // Twice a sum and the carry in halves: an overflow, or the very value before it, which passes the carry on.
        let halves = self.key.table(|x| match x.cmp(&(2 * base - 1)) {
            core::cmp::Ordering::Less => 0,
            core::cmp::Ordering::Equal => 1,
            core::cmp::Ordering::Greater => 2,
        });
        let mut digits = Vec::with_capacity(sums.len());
        let mut carry = self.key.trivial(0)?;
        let mut carries = alloc::vec![self.key.trivial(1)?];
        for (index, low) in lower.iter().enumerate() {
            let low = if index == 0 { low.clone() } else { self.key.checked_add(low, &carry)? };
            let outputs = match upper.get(index) {
                Some(high) => {
                    let high = self.twice_and(high, &carries[index])?;
                    self.key.apply_unchecked(&[(&low, &known), (&high, &halves)])?
                }
                None => self.key.apply_all(&[(&low, &known)])?,
            };
            let mut outputs = outputs.into_iter();
            digits.extend(outputs.next());
            carry = outputs.next().unwrap_or(carry);
            carries.extend(outputs.next());
        }
        let with_carry = |sum: &Ciphertext, carry_in: &Ciphertext| -> Result<Ciphertext, Error> {
            self.key.unchecked_add(&self.twice_and(sum, carry_in)?, &carry)
        };
        // 1 in halves is the carry of the lower part itself, so one half too much comes with it.
        let pending = upper.iter().zip(&carries).map(|(sum, carry_in)| with_carry(sum, carry_in));
        let pending = pending.collect::<Result<Vec<_>, _>>()?;
        let last = self.key.unchecked_add(&carries[upper.len()], &carry)?;
        let digit = self.key.table(|x| x / 2 % base);
        let overflow = self.key.table(|x| u64::from(x >= 2));
        let mut jobs: Vec<_> = pending.iter().map(|sum| (sum, &digit)).collect();
        jobs.push((&last, &overflow));
        let mut outputs = self.key.apply_unchecked(&jobs)?;
        let carry = outputs.pop().unwrap_or(carry);
        digits.extend(outputs);
        Ok((Radix::new(digits), carry))
    }

    /// `2·sum + carry`, for a carry in halves.
    fn twice_and(&self, sum: &Ciphertext, carry: &Ciphertext) -> Result<Ciphertext, Error> {
        self.key.unchecked_add(&self.key.unchecked_scalar_mul(sum, 2), carry)
    }

    fn digit_and_carry(&self) -> Result<crate::shortint::Table, Error> {
        let base = self.base();
        self.key.tables(&[&|x| x % base, &|x| x / base])
    }
}

/// Both results of a table of two functions.
pub(super) fn two(outputs: Vec<Ciphertext>) -> [Ciphertext; 2] {
    match <[Ciphertext; 2]>::try_from(outputs) {
        Ok(outputs) => outputs,
        Err(_) => unreachable!("a table of two functions has two results"),
    }
}
