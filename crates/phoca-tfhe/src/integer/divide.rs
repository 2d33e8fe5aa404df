//! Quotients and remainders.
//!
//! Long division, a digit of the quotient at a time: for each of its bits, from the highest, a multiple of the divisor is
//! subtracted from the remainder by one chain of bootstraps of two functions, and the difference is chosen where there was no
//! borrow. The remainder has only as many blocks as digits of the dividend came in; where the multiple has a digit that is not 0
//! above these, it is too large, which one chain over the divisor finds for all steps. Remainders count the squares of their
//! noise, so that they are seldom bootstrapped for themselves.

use alloc::vec::Vec;

use super::client::digits;
use super::scalar::negated;
use super::tracked::Tracked;
use super::{Radix, ServerKey};
use crate::Error;
use crate::shortint::Ciphertext;

/// What a division needs to know of its divisor.
struct Divisor {
    /// For each bit of a digit, the divisor times this bit, with one block more than it has.
    multiples: Vec<Vec<Ciphertext>>,
    /// For each multiple and number of blocks, `base` where it has digits above these that are not 0, else 0.
    above: Vec<Vec<Ciphertext>>,
    /// The blocks that a remainder may have.
    blocks: usize,
}

impl ServerKey {
    /// Quotient and remainder, the quotient truncated towards 0. Where the divisor is 0, all bits of the quotient are 1 and the
    /// remainder is the dividend; the least signed integer divided by -1 is itself.
    ///
    /// # Errors
    ///
    /// [`Error::BlockCount`] unless both have as many blocks, [`Error::LweDimension`] where one is of another set.
    pub fn div_rem(&self, left: &Radix, right: &Radix, signed: bool) -> Result<(Radix, Radix), Error> {
        Self::check_lengths(left, right)?;
        let (Some(left_top), Some(right_top)) = (left.blocks().last(), right.blocks().last()) else {
            return Ok((left.clone(), left.clone()));
        };
        if !signed {
            return self.divide(left, &self.divisor(right)?);
        }
        let base = self.base();
        let (left_sign, right_sign) = (self.sign(left_top)?, self.sign(right_top)?);
        let divisor = self.divisor(&self.neg_where(&right_sign, right)?)?;
        let (quotient, remainder) = self.divide(&self.neg_where(&left_sign, left)?, &divisor)?;
        let signs = self.key.unchecked_add(&left_sign, &right_sign)?;
        // The quotient by 0 stays as it is.
        let state = self.key.unchecked_add(&signs, &divisor.above[0][0])?;
        let negative = self.key.apply(&state, &self.key.table(|x| u64::from(x == base + 1)))?;
        Ok((self.neg_where(&negative, &quotient)?, self.neg_where(&left_sign, &remainder)?))
    }

    /// The quotient of [`div_rem`](Self::div_rem).
    ///
    /// # Errors
    ///
    /// As [`div_rem`](Self::div_rem).
    pub fn div(&self, left: &Radix, right: &Radix, signed: bool) -> Result<Radix, Error> {
        Ok(self.div_rem(left, right, signed)?.0)
    }

    /// The remainder of [`div_rem`](Self::div_rem).
    ///
    /// # Errors
    ///
    /// As [`div_rem`](Self::div_rem).
    pub fn rem(&self, left: &Radix, right: &Radix, signed: bool) -> Result<Radix, Error> {
        Ok(self.div_rem(left, right, signed)?.1)
    }

    /// [`div_rem`](Self::div_rem) by a clear number in two's complement, of which the bits of the integer's width count: the
    /// fewer bootstraps, the fewer digits it has, and a shift where it is a power of two.
    ///
    /// # Errors
    ///
    /// [`Error::LweDimension`] where the integer is of another set.
    pub fn scalar_div_rem(&self, left: &Radix, right: &[u64], signed: bool) -> Result<(Radix, Radix), Error> {
        let base = self.base();
        let mut divisor: Vec<_> = digits(right, self.block_bits()).take(left.len()).collect();
        let Some(top) = left.blocks().last() else { return Ok((left.clone(), left.clone())) };
        if divisor.iter().all(|digit| *digit == 0) {
            return Ok((self.trivial(&[u64::MAX], left.len())?, left.clone()));
        }
        if !signed {
            return self.divide_by_clear(left, &divisor);
        }
        let negative = divisor.last().is_some_and(|digit| *digit >= base / 2);
        if negative {
            divisor = negated(&divisor, base);
        }
        let sign = self.sign(top)?;
        let (quotient, remainder) = self.divide_by_clear(&self.neg_where(&sign, left)?, &divisor)?;
        let quotient_sign = if negative { self.key.subtracted_from(1, &sign) } else { sign.clone() };
        Ok((self.neg_where(&quotient_sign, &quotient)?, self.neg_where(&sign, &remainder)?))
    }

    fn divide_by_clear(&self, left: &Radix, divisor: &[u64]) -> Result<(Radix, Radix), Error> {
        let bits = self.block_bits();
        let mut set = divisor.iter().enumerate().filter(|(_, digit)| **digit > 0);
        if let (Some((place, digit)), None) = (set.next(), set.next())
            && digit.is_power_of_two()
        {
            let shift = digit.trailing_zeros();
            let quotient = self.scalar_shr(left, place as u64 * u64::from(bits) + u64::from(shift), false)?;
            let mut remainder = left.blocks()[..place].to_vec();
            if shift > 0 {
                let low = self.key.table(|x| x & ((1 << shift) - 1));
                remainder.push(self.key.apply(&left.blocks()[place], &low)?);
            }
            remainder.resize(left.len(), self.key.trivial(0)?);
            return Ok((quotient, Radix::new(remainder)));
        }
        self.divide(left, &self.clear_divisor(divisor)?)
    }

    fn divisor(&self, divisor: &Radix) -> Result<Divisor, Error> {
        let (base, bits) = (self.base(), self.block_bits());
        let mut extended = self.cleaned(divisor, 1)?;
        extended.push(self.key.trivial(0)?);
        let extended = Radix::new(extended);
        let multiples = (0..u64::from(bits)).map(|shift| Ok(self.scalar_shl(&extended, shift)?.into_blocks()));
        let multiples = multiples.collect::<Result<Vec<_>, Error>>()?;
        // Of a digit plus `base` where some digit above is not 0: whether it is not 0, and whether a shift by one bit and more
        // brings bits into the digit above.
        let reaches =
            |shift: u32| move |x: u64| if x >= (if shift == 0 { 1 } else { base >> shift }) { base } else { 0 };
        let functions: Vec<_> = (0..bits.next_power_of_two()).map(|shift| reaches(shift % bits)).collect();
        let functions: Vec<&dyn Fn(u64) -> u64> = functions.iter().map(|function| function as _).collect();
        let table = self.key.tables(&functions)?;
        let mut some = self.key.trivial(0)?;
        let mut above = alloc::vec![alloc::vec![some.clone()]; bits as usize];
        for digit in extended.blocks()[..divisor.len()].iter().rev() {
            let outputs = self.key.apply_all(&[(&self.key.unchecked_add(digit, &some)?, &table)])?;
            for (above, output) in above.iter_mut().zip(&outputs) {
                above.push(output.clone());
            }
            some = outputs[0].clone();
        }
        // What a shift brings in is above the digit that it comes from, one block higher than what is not 0 itself.
        for (shift, above) in above.iter_mut().enumerate() {
            if shift > 0 {
                above.remove(0);
                above.push(self.key.trivial(base)?);
            }
            above.reverse();
        }
        Ok(Divisor { multiples, above, blocks: divisor.len() })
    }

    fn clear_divisor(&self, divisor: &[u64]) -> Result<Divisor, Error> {
        let (base, bits) = (self.base(), self.block_bits());
        let significant = divisor.iter().rposition(|digit| *digit > 0).map_or(0, |place| place + 1);
        let (mut multiples, mut above) = (Vec::new(), Vec::new());
        for shift in 0..bits {
            let part = |place: usize| divisor.get(place).copied().unwrap_or(0) << shift;
            let digit = |place: usize| part(place) % base + if place == 0 { 0 } else { part(place - 1) / base };
            let digits: Vec<_> = (0..=divisor.len()).map(digit).collect();
            let any = |from: usize| digits[from..].iter().any(|digit| *digit > 0);
            above.push(
                (0..=divisor.len()).map(|k| self.key.trivial(base * u64::from(any(k)))).collect::<Result<_, _>>()?,
            );
            multiples.push(digits.iter().map(|digit| self.key.trivial(*digit)).collect::<Result<_, _>>()?);
        }
        Ok(Divisor { multiples, above, blocks: divisor.len().min(significant + 1) })
    }

    fn divide(&self, left: &Radix, divisor: &Divisor) -> Result<(Radix, Radix), Error> {
        let zero = self.key.trivial(0)?;
        let mut remainder: Vec<Tracked> = Vec::new();
        let mut quotient = Vec::with_capacity(left.len());
        for block in left.blocks().iter().rev() {
            remainder.insert(0, Tracked::new(block.clone()));
            // A block beyond those that the remainder may have holds 0.
            remainder.truncate(divisor.blocks);
            let mut digit = Tracked::new(zero.clone());
            for shift in (0..self.block_bits() as usize).rev() {
                let above = &divisor.above[shift][remainder.len()];
                if above.noise == 0 && above.degree > 0 {
                    continue;
                }
                self.limit_squares(&mut remainder, self.most_square() - 2)?;
                let (difference, no_borrow) = self.difference_of(&remainder, &divisor.multiples[shift])?;
                let [raised, bit] = self.trial(&self.key.unchecked_add(&no_borrow, above)?, shift)?;
                remainder = self.choose(&raised, &difference, &remainder)?;
                digit.block = self.key.unchecked_add(&digit.block, &bit)?;
                digit.square += 1;
            }
            quotient.push(digit);
        }
        quotient.reverse();
        let mut remainder = self.settled(remainder)?;
        remainder.resize(left.len(), zero);
        Ok((Radix::new(self.settled(quotient)?), Radix::new(remainder)))
    }

    /// Whether there was no borrow and nothing above, raised for a choice and as a bit of a digit: one bootstrap.
    fn trial(&self, state: &Ciphertext, shift: usize) -> Result<[Ciphertext; 2], Error> {
        let base = self.base();
        let raised = |x: u64| if x == 1 { 2 * base } else { 0 };
        let bit = |x: u64| u64::from(x == 1) << shift;
        let outputs = self.key.apply_unchecked(&[(state, &self.key.tables(&[&raised, &bit])?)])?;
        Ok(super::add::two(outputs))
    }

    /// The difference to the lowest blocks of a multiple, and 1 unless there is a borrow out of it. The squares of the remainder
    /// are at most two less than the most.
    fn difference_of(
        &self,
        remainder: &[Tracked],
        multiple: &[Ciphertext],
    ) -> Result<(Vec<Tracked>, Ciphertext), Error> {
        let base = self.base();
        let table = self.key.tables(&[&|x| x % base, &|x| x / base])?;
        let mut digits = Vec::with_capacity(remainder.len());
        let mut carry = self.key.trivial(1)?;
        for (block, multiple) in remainder.iter().zip(multiple) {
            let complement = self.key.subtracted_from(base - 1, multiple);
            let sum = self.key.unchecked_add(&self.key.unchecked_add(&block.block, &complement)?, &carry)?;
            let [digit, next] = super::add::two(self.key.apply_unchecked(&[(&sum, &table)])?);
            digits.push(Tracked::new(digit));
            carry = next;
        }
        Ok((digits, carry))
    }
}
