//! Products.
//!
//! Each pair of digits whose product counts is packed into one block, and two bootstraps give both digits of their product; the
//! sum of all is that of [`sum_all`](super::ServerKey::sum_all). A clear factor is written with as few digits 1 and -1 as
//! possible, so that the product is a sum of shifted copies.

use alloc::vec::Vec;

use super::client::digits;
use super::{Radix, ServerKey};
use crate::Error;
use crate::shortint::Ciphertext;

impl ServerKey {
    /// The product modulo `2^bits`.
    ///
    /// # Errors
    ///
    /// [`Error::BlockCount`] unless both have as many blocks, [`Error::LweDimension`] where one is of another set.
    pub fn mul(&self, left: &Radix, right: &Radix) -> Result<Radix, Error> {
        let (columns, _) = self.product_columns(left, right, false)?;
        Ok(Radix::new(self.digits_of(columns, false)?.0))
    }

    /// The product modulo `2^bits`, and whether the true one is out of range, as one block: 1 or 0.
    ///
    /// # Errors
    ///
    /// As [`mul`](Self::mul).
    pub fn mul_with_overflow(&self, left: &Radix, right: &Radix, signed: bool) -> Result<(Radix, Ciphertext), Error> {
        Self::check_lengths(left, right)?;
        match (left.blocks().last(), right.blocks().last()) {
            (Some(left_top), Some(right_top)) if signed => self.signed_mul(left, right, [left_top, right_top]),
            _ => self.unsigned_mul(left, right),
        }
    }

    /// The product with a clear number in two's complement, modulo `2^bits`.
    ///
    /// # Errors
    ///
    /// [`Error::LweDimension`] where the integer is of another set.
    pub fn scalar_mul(&self, integer: &Radix, factor: &[u64]) -> Result<Radix, Error> {
        let (bits, places) = (self.block_bits() as usize, integer.len());
        let mut shifted: Vec<Option<Radix>> = alloc::vec![None; bits];
        let mut columns = alloc::vec![Vec::new(); places];
        let mut constants = alloc::vec![0u64; places];
        for (at, negative) in signed_bits(factor, places * bits) {
            let (distance, shift) = (at / bits, at % bits);
            if shifted[shift].is_none() {
                shifted[shift] = Some(self.scalar_shl(integer, shift as u64)?);
            }
            let Some(copy) = &shifted[shift] else { continue };
            // -y·base^k = (!y + 1)·base^k
            let copy = if negative { self.bitnot(copy) } else { copy.clone() };
            constants[distance] += u64::from(negative);
            for (column, block) in columns[distance..].iter_mut().zip(copy.into_blocks()) {
                column.push(block);
            }
        }
        let mut carry = 0;
        for (column, constant) in columns.iter_mut().zip(constants) {
            let digit = (constant + carry) % self.base();
            carry = (constant + carry) / self.base();
            if digit > 0 {
                column.push(self.key.trivial(digit)?);
            }
        }
        Ok(Radix::new(self.digits_of(columns, false)?.0))
    }

    /// The digits of the products of all pairs of digits below the last place and, if wanted, those above it.
    fn product_columns(
        &self,
        left: &Radix,
        right: &Radix,
        with_rest: bool,
    ) -> Result<(Vec<Vec<Ciphertext>>, Vec<Ciphertext>), Error> {
        Self::check_lengths(left, right)?;
        let (base, places) = (self.base(), left.len());
        let (left, right) = (self.cleaned(left, 1)?, self.cleaned(right, 1)?);
        let low = self.key.pair_table(|a, b| a * b % base);
        let high = self.key.pair_table(|a, b| a * b / base);
        let mut packed = Vec::new();
        for (i, left) in left.iter().enumerate() {
            for (j, right) in right[..places - i].iter().enumerate() {
                if left.degree > 0 && right.degree > 0 {
                    packed.push((i + j, self.key.pack(left, right)?));
                }
            }
        }
        let mut jobs = Vec::with_capacity(2 * packed.len());
        let mut targets = Vec::with_capacity(2 * packed.len());
        for (place, packed) in &packed {
            jobs.push((packed, &low));
            targets.push(*place);
            if place + 1 < places || with_rest {
                jobs.push((packed, &high));
                targets.push(place + 1);
            }
        }
        let (mut columns, mut rest) = (alloc::vec![Vec::new(); places], Vec::new());
        for (place, digit) in targets.into_iter().zip(self.key.apply_unchecked(&jobs)?) {
            columns.get_mut(place).unwrap_or(&mut rest).push(digit);
        }
        Ok((columns, rest))
    }

    fn unsigned_mul(&self, left: &Radix, right: &Radix) -> Result<(Radix, Ciphertext), Error> {
        let (columns, mut rest) = self.product_columns(left, right, true)?;
        let (product, carries) = self.digits_of(columns, true)?;
        rest.extend(carries);
        rest.extend(self.high_products(left, right)?);
        Ok((Radix::new(product), self.any_nonzero(rest)?))
    }

    /// For each digit of the left but the lowest, whether it is not 0 and some digit of the right is not whose product with it is
    /// beyond the last place.
    fn high_products(&self, left: &Radix, right: &Radix) -> Result<Vec<Ciphertext>, Error> {
        let base = self.base();
        // base·(whether any digit from this one on is not 0)
        let table = self.key.table(|x| if x > 0 { base } else { 0 });
        let mut some = self.key.trivial(0)?;
        let mut pairs = Vec::new();
        for (digit, left) in right.blocks().iter().skip(1).rev().zip(left.blocks().iter().skip(1)) {
            some = self.key.apply_all(&[(&self.key.unchecked_add(digit, &some)?, &table)])?.swap_remove(0);
            pairs.push(self.key.unchecked_add(left, &some)?);
        }
        self.map(&pairs, &self.key.table(|x| u64::from(x > base)))
    }

    fn signed_mul(&self, left: &Radix, right: &Radix, tops: [&Ciphertext; 2]) -> Result<(Radix, Ciphertext), Error> {
        let (a, b) = (self.sign(tops[0])?, self.sign(tops[1])?);
        let (product, too_much) = self.unsigned_mul(&self.neg_where(&a, left)?, &self.neg_where(&b, right)?)?;
        let differ = self.key.apply(&self.key.unchecked_add(&a, &b)?, &self.key.table(|x| x & 1))?;
        let result = self.neg_where(&differ, &product)?;
        // With a magnitude of 2^bits or less, the product fits unless its sign is not what it should be, or it is 0.
        let zero = self.eq(&result, &self.trivial(&[0], result.len())?)?;
        let sign = match result.blocks().last() {
            Some(top) => self.sign(top)?,
            None => self.key.trivial(0)?,
        };
        let wrong = self.key.unchecked_add(&sign, &differ)?;
        let state = self.key.unchecked_add(&wrong, &self.key.apply(&zero, &self.key.table(|x| 3 * (x & 1)))?)?;
        let state = self.key.unchecked_add(&state, &self.key.apply(&too_much, &self.key.table(|x| 6 * (x & 1)))?)?;
        let overflow = self.key.apply(&state, &self.key.table(|x| u64::from(x >= 6 || x == 1)))?;
        Ok((result, overflow))
    }

    /// 1 where the highest bit of a block is set, else 0.
    pub(super) fn sign(&self, top: &Ciphertext) -> Result<Ciphertext, Error> {
        let base = self.base();
        self.key.apply(top, &self.key.table(|x| u64::from(x % base >= base / 2)))
    }

    /// The negation where a condition, one block, is 1, and the integer itself where it is 0.
    pub(super) fn neg_where(&self, condition: &Ciphertext, integer: &Radix) -> Result<Radix, Error> {
        let base = self.base();
        let raised = self.key.apply(condition, &self.key.table(|c| base * (c & 1)))?;
        let sums = integer.blocks().iter().map(|block| self.key.unchecked_add(block, &raised));
        let sums = sums.collect::<Result<Vec<_>, _>>()?;
        let table = self.key.table(|x| if x >= base { base - 1 - x % base } else { x });
        Ok(self.propagate(self.map(&sums, &table)?, Some(condition.clone()))?.0)
    }

    /// The magnitude of a signed integer; that of the least one is itself.
    ///
    /// # Errors
    ///
    /// [`Error::LweDimension`] where the integer is of another set.
    pub fn abs(&self, integer: &Radix) -> Result<Radix, Error> {
        match integer.blocks().last() {
            Some(top) => self.neg_where(&self.sign(top)?, integer),
            None => Ok(integer.clone()),
        }
    }
}

/// The bits that are 1 or, where that is `true`, -1, when no two neighbours are; modulo `2^bits`.
fn signed_bits(words: &[u64], bits: usize) -> Vec<(usize, bool)> {
    let mut set = Vec::new();
    let source: Vec<_> = digits(words, 1).take(bits).chain([0]).collect();
    let mut carry = 0;
    for at in 0..bits {
        let sum = source[at] + carry;
        let negative = sum == 1 && source[at + 1] == 1;
        if sum == 1 {
            set.push((at, negative));
        }
        carry = u64::from(sum == 2 || negative);
    }
    set
}
