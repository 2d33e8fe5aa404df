//! Sums of many integers.
//!
//! A column holds all ciphertexts of one place. As many of them as one block has room for add up without a bootstrap, and the
//! message of the sum stays while its carry moves a column up: two bootstraps, or one of two functions where the sum is small.
//! Columns are reduced in rounds, all in one batch, until each has room for a carry; one chain from the lowest to the highest
//! then gives the digits.

use alloc::vec::Vec;
use core::mem;

use super::{Radix, ServerKey};
use crate::Error;
use crate::shortint::Ciphertext;

/// What a column or several of its ciphertexts add up to.
#[derive(Debug)]
struct Group {
    /// Its noise is that of the sum of independent ciphertexts, with those that are the same added up first.
    sum: Ciphertext,
    members: usize,
}

impl ServerKey {
    /// The sum of many integers modulo `2^bits`; of none, the integer without blocks.
    ///
    /// # Errors
    ///
    /// [`Error::BlockCount`] unless all have as many blocks, [`Error::LweDimension`] where one is of another set.
    pub fn sum_all(&self, integers: &[&Radix]) -> Result<Radix, Error> {
        Ok(Radix::new(self.digits_of(columns_of(integers)?, false)?.0))
    }

    /// The sum of many unsigned integers modulo `2^bits`, and whether it is more than that, as one block: 1 or 0.
    ///
    /// # Errors
    ///
    /// As [`sum_all`](Self::sum_all).
    pub fn sum_all_with_overflow(&self, integers: &[&Radix]) -> Result<(Radix, Ciphertext), Error> {
        let (digits, carries) = self.digits_of(columns_of(integers)?, true)?;
        Ok((Radix::new(digits), self.any_nonzero(carries)?))
    }

    /// The digits of a sum of columns, and, if wanted, the ciphertexts whose sum is its part beyond the last column.
    pub(super) fn digits_of(
        &self,
        mut columns: Vec<Vec<Ciphertext>>,
        with_carries: bool,
    ) -> Result<(Vec<Ciphertext>, Vec<Ciphertext>), Error> {
        let mut carries = Vec::new();
        while self.reduce_columns(&mut columns, with_carries.then_some(&mut carries))? {}
        let sums = columns.iter().map(|column| self.whole(column)).collect::<Result<Vec<_>, _>>()?;
        let small = 2 * (self.base() - 1);
        let (digits, carry) = match self.threads() > 1 && sums.iter().all(|sum| sum.degree <= small) {
            true => {
                let (digits, carry) = self.propagate(sums, None)?;
                (digits.into_blocks(), Some(carry))
            }
            false => self.chain(sums, with_carries)?,
        };
        carries.extend(carry);
        Ok((digits, carries))
    }

    /// 1 where any of some values is not 0, as one block.
    pub(super) fn any_nonzero(&self, mut values: Vec<Ciphertext>) -> Result<Ciphertext, Error> {
        let table = self.key.table(|x| u64::from(x > 0));
        while values.len() > 1 || values.iter().any(|value| value.degree > 1) {
            let mut groups = Vec::new();
            while !values.is_empty() {
                groups.push(self.group(&mut values)?.sum);
            }
            values = self.map(&groups, &table)?;
        }
        values.pop().map_or_else(|| self.key.trivial(0), Ok)
    }

    /// One round; whether one was needed.
    fn reduce_columns(
        &self,
        columns: &mut [Vec<Ciphertext>],
        carries: Option<&mut Vec<Ciphertext>>,
    ) -> Result<bool, Error> {
        let largest = self.base() - 1;
        let most_degree = self.base() * largest;
        let (mut groups, count) = (Vec::new(), columns.len());
        let keeps_carry = |place: usize| place + 1 < count || carries.is_some();
        for (place, column) in columns.iter_mut().enumerate() {
            column.sort_by_key(|member| core::cmp::Reverse(member.degree));
            let mut made = 0;
            loop {
                let rest: u64 = column.iter().map(|member| member.degree).sum();
                let fits = rest + made * largest <= most_degree;
                if fits && square(column) + made < self.most_square() || column.is_empty() {
                    break;
                }
                let group = self.group(column)?;
                if group.members == 1 && group.sum.degree <= largest && group.sum.noise <= 1 {
                    // Nothing fits beside it: it waits for the others' messages.
                    column.push(group.sum);
                    break;
                }
                groups.push((place, group.sum));
                made += 1;
            }
        }
        let parts = self.split(groups.iter().map(|(place, sum)| (sum, keeps_carry(*place))))?;
        let (done, mut carries) = (groups.is_empty(), carries);
        for ((place, _), (message, carry)) in groups.into_iter().zip(parts) {
            columns[place].push(message);
            match (columns.get_mut(place + 1), &mut carries) {
                (Some(next), _) => next.extend(carry),
                (None, Some(carries)) => carries.extend(carry),
                (None, None) => {}
            }
        }
        Ok(!done)
    }

    /// The digits of columns whose sums have room for a carry.
    fn chain(&self, sums: Vec<Ciphertext>, with_carry: bool) -> Result<(Vec<Ciphertext>, Option<Ciphertext>), Error> {
        let mut digits = Vec::with_capacity(sums.len());
        let (count, mut carry) = (sums.len(), None::<Ciphertext>);
        for (place, mut sum) in sums.into_iter().enumerate() {
            if let Some(carry) = carry.take() {
                sum = self.key.unchecked_add(&sum, &carry)?;
            }
            if self.key.is_clean(&sum) {
                digits.push(sum);
                continue;
            }
            let keeps_carry = place + 1 < count || with_carry;
            let parts = self.split([(&sum, keeps_carry)].into_iter())?;
            for (digit, next) in parts {
                digits.push(digit);
                carry = next;
            }
        }
        Ok((digits, carry))
    }

    /// Messages and, where wanted and where there may be one, carries of sums: one bootstrap of two functions, or two.
    fn split<'a>(
        &self,
        sums: impl Iterator<Item = (&'a Ciphertext, bool)>,
    ) -> Result<Vec<(Ciphertext, Option<Ciphertext>)>, Error> {
        let base = self.base();
        let (message, carry) = (self.key.table(|x| x % base), self.key.table(|x| x / base));
        let both = self.key.tables(&[&|x| x % base, &|x| x / base])?;
        let (mut jobs, mut plan) = (Vec::new(), Vec::new());
        for (sum, wanted) in sums {
            let has_carry = wanted && sum.degree >= base;
            match has_carry {
                true if 2 * sum.degree < base * base => jobs.push((sum, &both)),
                true => jobs.extend([(sum, &message), (sum, &carry)]),
                false => jobs.push((sum, &message)),
            }
            plan.push(has_carry.then_some(sum.degree / base));
        }
        let mut outputs = self.key.apply_unchecked(&jobs)?.into_iter();
        let mut parts = Vec::with_capacity(plan.len());
        while let Some(message) = outputs.next() {
            let carry_degree = plan[parts.len()];
            let carry = carry_degree.and_then(|degree| outputs.next().map(|carry| Ciphertext { degree, ..carry }));
            parts.push((message, carry));
        }
        Ok(parts)
    }

    /// Takes as many of a column as one block has room for, the first ones first.
    fn group(&self, column: &mut Vec<Ciphertext>) -> Result<Group, Error> {
        let (mut members, mut rest) = (Vec::new(), Vec::new());
        let (mut degree, most_degree) = (0, self.base() * self.base() - 1);
        for member in mem::take(column) {
            let fits = degree + member.degree <= most_degree;
            members.push(member);
            if members.len() > 1 && (!fits || square(&members) > self.most_square()) {
                rest.extend(members.pop());
            } else {
                degree += members[members.len() - 1].degree;
            }
        }
        *column = rest;
        Ok(Group { sum: self.whole(&members)?, members: members.len() })
    }

    /// The sum of all.
    fn whole(&self, members: &[Ciphertext]) -> Result<Ciphertext, Error> {
        let mut sum = self.key.trivial(0)?;
        for member in members {
            sum = self.key.unchecked_add(&sum, member)?;
        }
        let square = square(members);
        let noise = (0..).find(|noise| noise * noise >= square).unwrap_or(sum.noise);
        Ok(Ciphertext { noise, ..sum })
    }
}

/// The blocks of each place.
fn columns_of(integers: &[&Radix]) -> Result<Vec<Vec<Ciphertext>>, Error> {
    let Some(first) = integers.first() else { return Ok(Vec::new()) };
    let mut columns = alloc::vec![Vec::with_capacity(integers.len()); first.len()];
    for integer in integers {
        ServerKey::check_lengths(first, integer)?;
        for (column, block) in columns.iter_mut().zip(integer.blocks()) {
            column.push(block.clone());
        }
    }
    Ok(columns)
}

/// The square of the noise of a sum whose different members are independent.
fn square(members: &[Ciphertext]) -> u64 {
    let first = |index: usize| !members[..index].contains(&members[index]);
    let times = |member: &Ciphertext| members.iter().filter(|other| *other == member).count() as u64;
    let distinct = (0..members.len()).filter(|index| first(*index)).map(|index| &members[index]);
    distinct.map(|member| (times(member) * member.noise).pow(2)).sum()
}
