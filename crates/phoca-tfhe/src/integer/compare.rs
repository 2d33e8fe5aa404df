//! Comparisons.
//!
//! Two blocks of each operand, subtracted as digits of one number, give a value `d` with `|d| < base²`, which takes the bit of
//! padding as its sign. Look-up tables are negacyclic, so one that has `w` at all positive values gives `-w` at the negative
//! ones: the sign of `d`, times any weight. Four signs with the weights 8, 4, 2 and 1 add to a number with the sign of the most
//! significant one that is not zero, and so on, until one is left. Equality counts the pairs that are equal, up to 16 at once.
//!
//! The noise of `d` is `√34` times that of a bootstrap's result, for which the default set has room; where a set has not, single
//! blocks are compared.

use alloc::vec::Vec;

use super::{Radix, ServerKey};
use crate::Error;
use crate::shortint::{Ciphertext, Table};

/// Signs whose weighted sum stays below the padding bit.
const SIGNS: usize = 4;

/// Flags that are counted at once.
const FLAGS: usize = 16;

impl ServerKey {
    /// 1 where both are equal, else 0, as one block.
    ///
    /// # Errors
    ///
    /// [`Error::BlockCount`] unless both have as many blocks, [`Error::LweDimension`] where one is of another set.
    pub fn eq(&self, left: &Radix, right: &Radix) -> Result<Ciphertext, Error> {
        let differences = self.differences(left, right)?;
        let equal = self.key.halves_table(|d| if d == 0 { 2 } else { 0 });
        let mut flags = self.map(&differences, &equal)?;
        while flags.len() > 1 {
            let counts = flags.chunks(FLAGS).map(|flags| Ok((self.sum(flags)?, flags.len() as u64)));
            let counts = counts.collect::<Result<Vec<_>, Error>>()?;
            let tables: Vec<_> = counts.iter().map(|(_, full)| self.count_table(*full)).collect();
            let jobs: Vec<_> = counts.iter().zip(&tables).map(|((count, _), table)| (count, table)).collect();
            flags = self.key.apply_unchecked(&jobs)?.iter().map(|half| self.key.plus_half(half)).collect();
        }
        Ok(flags.swap_remove(0))
    }

    /// 0 where both are equal, else 1, as one block.
    ///
    /// # Errors
    ///
    /// As [`eq`](Self::eq).
    pub fn ne(&self, left: &Radix, right: &Radix) -> Result<Ciphertext, Error> {
        Ok(self.key.subtracted_from(1, &self.eq(left, right)?))
    }

    /// 1 where the left is less, else 0, as one block; both are signed or both unsigned.
    ///
    /// # Errors
    ///
    /// As [`eq`](Self::eq).
    pub fn lt(&self, left: &Radix, right: &Radix, signed: bool) -> Result<Ciphertext, Error> {
        self.compare(left, right, signed, -1)
    }

    /// 1 where the left is greater, else 0, as one block; both are signed or both unsigned.
    ///
    /// # Errors
    ///
    /// As [`eq`](Self::eq).
    pub fn gt(&self, left: &Radix, right: &Radix, signed: bool) -> Result<Ciphertext, Error> {
        self.compare(left, right, signed, 1)
    }

    /// 1 where the left is at most the right, else 0, as one block; both are signed or both unsigned.
    ///
    /// # Errors
    ///
    /// As [`eq`](Self::eq).
    pub fn le(&self, left: &Radix, right: &Radix, signed: bool) -> Result<Ciphertext, Error> {
        Ok(self.key.subtracted_from(1, &self.gt(left, right, signed)?))
    }

    /// 1 where the left is at least the right, else 0, as one block; both are signed or both unsigned.
    ///
    /// # Errors
    ///
    /// As [`eq`](Self::eq).
    pub fn ge(&self, left: &Radix, right: &Radix, signed: bool) -> Result<Ciphertext, Error> {
        Ok(self.key.subtracted_from(1, &self.lt(left, right, signed)?))
    }

    /// 1 where the sign of the difference is `wanted`, 1 or -1.
    fn compare(&self, left: &Radix, right: &Radix, signed: bool, wanted: i64) -> Result<Ciphertext, Error> {
        let mut signs = match signed {
            true => self.differences(&self.with_sign_flipped(left)?, &self.with_sign_flipped(right)?)?,
            false => self.differences(left, right)?,
        };
        let weights: Vec<Table> =
            (0..SIGNS).map(|place| self.key.halves_table(|d| if d == 0 { 0 } else { 2 << place })).collect();
        while signs.len() > 1 {
            let jobs: Vec<_> = signs.iter().enumerate().map(|(at, sign)| (sign, &weights[at % SIGNS])).collect();
            let weighted = self.key.apply_unchecked(&jobs)?;
            signs = weighted.chunks(SIGNS).map(|signs| self.sum(signs)).collect::<Result<_, _>>()?;
        }
        let last = self.key.halves_table(|d| if d == 0 || wanted < 0 { -1 } else { 1 });
        Ok(self.key.plus_half(&self.map(&signs, &last)?[0]))
    }

    /// The differences of pairs of blocks, least significant first, or of single ones where pairs would be too noisy.
    fn differences(&self, left: &Radix, right: &Radix) -> Result<Vec<Ciphertext>, Error> {
        Self::check_lengths(left, right)?;
        if left.is_empty() {
            return Ok(alloc::vec![self.key.trivial(0)?]);
        }
        let (left, right) = (self.cleaned(left, 1)?, self.cleaned(right, 1)?);
        let single = |(left, right): (&Ciphertext, &Ciphertext)| self.key.difference(left, right);
        let singles = left.iter().zip(&right).map(single).collect::<Result<Vec<_>, _>>()?;
        if !self.key.packs_differences() {
            return Ok(singles);
        }
        let mut differences = Vec::with_capacity(singles.len().div_ceil(2));
        // Blocks that are one ciphertext have one noise, not two independent ones.
        let independent = |blocks: &[Ciphertext]| blocks[0].noise == 0 || blocks[0] != blocks[1];
        let operands = left.chunks(2).zip(right.chunks(2));
        for (pair, (left, right)) in singles.chunks(2).zip(operands) {
            match pair {
                [low, high] if independent(left) && independent(right) => {
                    differences.push(self.key.joined_differences(low, high)?);
                }
                _ => differences.extend_from_slice(pair),
            }
        }
        Ok(differences)
    }

    /// Signed numbers in the order of unsigned ones.
    fn with_sign_flipped(&self, integer: &Radix) -> Result<Radix, Error> {
        let base = self.base();
        let mut blocks = integer.blocks().to_vec();
        if let Some(last) = blocks.last_mut() {
            *last = self.key.apply(last, &self.key.table(|x| (x % base) ^ (base / 2)))?;
        }
        Ok(Radix::new(blocks))
    }

    /// A positive half at the count `full` and a negative one at all others up to 16.
    fn count_table(&self, full: u64) -> Table {
        // A count of 16, which no entry has, is the negation of a count of 0.
        self.key.halves_table(|count| if count as u64 == full { 1 } else { -1 })
    }

    /// The sum of blocks, for which there is room in the noise.
    pub(super) fn sum(&self, blocks: &[Ciphertext]) -> Result<Ciphertext, Error> {
        let mut sum = blocks[0].clone();
        for block in &blocks[1..] {
            sum = self.key.unchecked_add(&sum, block)?;
        }
        Ok(sum)
    }
}
