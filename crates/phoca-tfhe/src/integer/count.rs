//! Numbers of bits, and their order.
//!
//! Ones are counted in pairs of blocks. Zeros at an end are found by one chain of bootstraps of two functions from there: what a
//! block adds to the count, and whether a bit was found. Counts have just the blocks that the largest one needs.

use alloc::vec::Vec;

use super::{Radix, ServerKey};
use crate::Error;
use crate::shortint::Ciphertext;

impl ServerKey {
    /// The number of bits that are 1.
    ///
    /// # Errors
    ///
    /// [`Error::LweDimension`] where the integer is of another set.
    pub fn count_ones(&self, integer: &Radix) -> Result<Radix, Error> {
        let blocks = self.cleaned(integer, 1)?;
        let mut packed = Vec::with_capacity(blocks.len().div_ceil(2));
        for pair in blocks.chunks(2) {
            packed.push(match pair {
                [low, high] => self.key.pack(high, low)?,
                _ => pair[0].clone(),
            });
        }
        let counts = self.map(&packed, &self.key.table(|x| u64::from(x.count_ones())))?;
        self.count(integer, counts)
    }

    /// The number of bits that are 0.
    ///
    /// # Errors
    ///
    /// As [`count_ones`](Self::count_ones).
    pub fn count_zeros(&self, integer: &Radix) -> Result<Radix, Error> {
        self.count_ones(&self.bitnot(integer))
    }

    /// The number of zeros above the highest 1; all bits where there is none.
    ///
    /// # Errors
    ///
    /// As [`count_ones`](Self::count_ones).
    pub fn leading_zeros(&self, integer: &Radix) -> Result<Radix, Error> {
        let bits = u64::from(self.block_bits());
        let zeros = move |x: u64| bits - u64::from(x.checked_ilog2().map_or(0, |top| top + 1));
        let (counts, _) = self.scan(integer.blocks().iter().rev(), zeros, 0)?;
        self.count(integer, counts)
    }

    /// The number of zeros below the lowest 1; all bits where there is none.
    ///
    /// # Errors
    ///
    /// As [`count_ones`](Self::count_ones).
    pub fn trailing_zeros(&self, integer: &Radix) -> Result<Radix, Error> {
        let bits = self.block_bits();
        let (counts, _) = self.scan(integer.blocks().iter(), |x| u64::from(x.trailing_zeros().min(bits)), 0)?;
        self.count(integer, counts)
    }

    /// The number of ones above the highest 0; all bits where there is none.
    ///
    /// # Errors
    ///
    /// As [`count_ones`](Self::count_ones).
    pub fn leading_ones(&self, integer: &Radix) -> Result<Radix, Error> {
        self.leading_zeros(&self.bitnot(integer))
    }

    /// The number of ones below the lowest 0; all bits where there is none.
    ///
    /// # Errors
    ///
    /// As [`count_ones`](Self::count_ones).
    pub fn trailing_ones(&self, integer: &Radix) -> Result<Radix, Error> {
        self.trailing_zeros(&self.bitnot(integer))
    }

    /// The logarithm of an unsigned integer to the base 2, rounded down, and whether there is one, as one block: 1, or 0 where the
    /// integer is 0 and the first result too.
    ///
    /// # Errors
    ///
    /// As [`count_ones`](Self::count_ones).
    pub fn checked_ilog2(&self, integer: &Radix) -> Result<(Radix, Ciphertext), Error> {
        let bits = u64::from(self.block_bits());
        // The bits below the highest 1.
        let (counts, found) =
            self.scan(integer.blocks().iter().rev(), |x| u64::from(x.checked_ilog2().unwrap_or(0)), bits)?;
        Ok((self.count(integer, counts)?, found))
    }

    /// The logarithm of an unsigned integer to the base 2, rounded down; 0 where the integer is 0.
    ///
    /// # Errors
    ///
    /// As [`count_ones`](Self::count_ones).
    pub fn ilog2(&self, integer: &Radix) -> Result<Radix, Error> {
        Ok(self.checked_ilog2(integer)?.0)
    }

    /// 1 where the lowest bit is 0, else 0, as one block.
    ///
    /// # Errors
    ///
    /// As [`count_ones`](Self::count_ones).
    pub fn is_even(&self, integer: &Radix) -> Result<Ciphertext, Error> {
        Ok(self.key.subtracted_from(1, &self.is_odd(integer)?))
    }

    /// The lowest bit as one block: 1 or 0.
    ///
    /// # Errors
    ///
    /// As [`count_ones`](Self::count_ones).
    pub fn is_odd(&self, integer: &Radix) -> Result<Ciphertext, Error> {
        match integer.blocks().first() {
            Some(block) => self.key.apply(block, &self.key.table(|x| x & 1)),
            None => self.key.trivial(0),
        }
    }

    /// The bits in the opposite order. One bootstrap for each block.
    ///
    /// # Errors
    ///
    /// As [`count_ones`](Self::count_ones).
    pub fn reverse_bits(&self, integer: &Radix) -> Result<Radix, Error> {
        let unused = u64::BITS - self.block_bits();
        let table = self.key.table(|x| (x << unused).reverse_bits());
        let mut blocks = self.map(integer.blocks(), &table)?;
        blocks.reverse();
        Ok(Radix::new(blocks))
    }

    /// For each block in an order: a function of those up to the first one that is not 0, and `after` for all later ones; and
    /// whether there is one, as one block.
    fn scan<'a>(
        &self,
        blocks: impl ExactSizeIterator<Item = &'a Ciphertext>,
        function: impl Fn(u64) -> u64,
        after: u64,
    ) -> Result<(Vec<Ciphertext>, Ciphertext), Error> {
        let base = self.base();
        let value = |x: u64| if x >= base { after } else { function(x) };
        let table = self.key.tables(&[&value, &|x| if x > 0 { base } else { 0 }])?;
        let last = self.key.tables(&[&value, &|x| u64::from(x > 0)])?;
        let count = blocks.len();
        let mut values = Vec::with_capacity(count);
        let mut found = self.key.trivial(0)?;
        for (index, block) in blocks.enumerate() {
            let state = self.key.unchecked_add(block, &found)?;
            let table = if index + 1 == count { &last } else { &table };
            let [value, next] = super::add::two(self.key.apply_all(&[(&state, table)])?);
            values.push(value);
            found = next;
        }
        Ok((values, found))
    }

    /// The sum of numbers of bits, in as many blocks as the number of all bits needs.
    fn count(&self, integer: &Radix, counts: Vec<Ciphertext>) -> Result<Radix, Error> {
        let bits = integer.len() * self.block_bits() as usize;
        let needed = (usize::BITS - bits.leading_zeros()).div_ceil(self.block_bits()).max(1);
        let mut columns = alloc::vec![Vec::new(); needed as usize];
        columns[0] = counts;
        Ok(Radix::new(self.digits_of(columns, false)?.0))
    }
}
