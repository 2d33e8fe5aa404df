//! Arithmetic, comparisons and bit operations.

use super::Ciphertext;
use super::server::{ServerKey, Table, check_below, combination};
use crate::Error;

/// Operations that are a function of two messages, in their four forms.
macro_rules! pair_operations {
    ($($name:ident, $unchecked:ident, $checked:ident, $smart:ident, $table:ident, $meaning:literal, $function:expr;)*) => {
        /// Functions of two messages. Each is one bootstrap, after one for each operand that has to be cleaned.
        impl ServerKey {
            $(
                #[doc = concat!("The message of ", $meaning, ". Operands are cleaned where they need it.")]
                ///
                /// # Errors
                ///
                /// [`Error::LweDimension`] where an operand is of another set.
                pub fn $name(&self, left: &Ciphertext, right: &Ciphertext) -> Result<Ciphertext, Error> {
                    let (mut left, mut right) = (left.clone(), right.clone());
                    self.$smart(&mut left, &mut right)
                }

                #[doc = concat!("The message of ", $meaning, ", for operands whose carries are empty: nothing is checked.")]
                ///
                /// # Errors
                ///
                /// [`Error::LweDimension`] where an operand is of another set.
                pub fn $unchecked(&self, left: &Ciphertext, right: &Ciphertext) -> Result<Ciphertext, Error> {
                    let modulus = self.parameters().message_modulus();
                    let packed = Ciphertext { lwe: combination(&left.lwe, modulus as i64, &right.lwe)?, ..left.clone() };
                    Ok(self.apply_unchecked(&[(&packed, &self.$table())])?.swap_remove(0))
                }

                #[doc = concat!("The message of ", $meaning, ", for operands whose carries are empty.")]
                ///
                /// # Errors
                ///
                /// [`Error::NoRoom`] unless they are, [`Error::LweDimension`] where an operand is of another set.
                pub fn $checked(&self, left: &Ciphertext, right: &Ciphertext) -> Result<Ciphertext, Error> {
                    self.apply_pair(left, right, &self.$table())
                }

                #[doc = concat!("The message of ", $meaning, ". Operands are cleaned in place where they need it.")]
                ///
                /// # Errors
                ///
                /// [`Error::LweDimension`] where an operand is of another set.
                pub fn $smart(&self, left: &mut Ciphertext, right: &mut Ciphertext) -> Result<Ciphertext, Error> {
                    self.make_packable(left, right)?;
                    self.$checked(left, right)
                }

                fn $table(&self) -> Table {
                    let modulus = self.parameters().message_modulus();
                    let function: fn(u64, u64, u64) -> u64 = $function;
                    self.pair_table(|left, right| function(left, right, modulus) % modulus)
                }
            )*
        }
    };
}

pair_operations! {
    mul, unchecked_mul, checked_mul, smart_mul, mul_table, "the product modulo the message modulus", |a, b, _| a * b;
    mul_msb, unchecked_mul_msb, checked_mul_msb, smart_mul_msb, mul_msb_table,
        "the product divided by the message modulus", |a, b, m| a * b / m;
    div, unchecked_div, checked_div, smart_div, div_table,
        "the quotient; all bits are 1 where the divisor is 0", |a, b, m| a.checked_div(b).unwrap_or(m - 1);
    rem, unchecked_rem, checked_rem, smart_rem, rem_table,
        "the remainder; the dividend where the divisor is 0", |a, b, _| a.checked_rem(b).unwrap_or(a);
    bitand, unchecked_bitand, checked_bitand, smart_bitand, bitand_table, "the bitwise and", |a, b, _| a & b;
    bitor, unchecked_bitor, checked_bitor, smart_bitor, bitor_table, "the bitwise or", |a, b, _| a | b;
    bitxor, unchecked_bitxor, checked_bitxor, smart_bitxor, bitxor_table, "the bitwise exclusive or", |a, b, _| a ^ b;
    eq, unchecked_eq, checked_eq, smart_eq, eq_table, "1 where both are equal, else 0", |a, b, _| u64::from(a == b);
    ne, unchecked_ne, checked_ne, smart_ne, ne_table, "0 where both are equal, else 1", |a, b, _| u64::from(a != b);
    lt, unchecked_lt, checked_lt, smart_lt, lt_table, "1 where the left is less, else 0", |a, b, _| u64::from(a < b);
    le, unchecked_le, checked_le, smart_le, le_table, "1 where the left is at most the right, else 0",
        |a, b, _| u64::from(a <= b);
    gt, unchecked_gt, checked_gt, smart_gt, gt_table, "1 where the left is greater, else 0", |a, b, _| u64::from(a > b);
    ge, unchecked_ge, checked_ge, smart_ge, ge_table, "1 where the left is at least the right, else 0",
        |a, b, _| u64::from(a >= b);
    max, unchecked_max, checked_max, smart_max, max_table, "the greater one", |a, b, _| a.max(b);
    min, unchecked_min, checked_min, smart_min, min_table, "the lesser one", |a, b, _| a.min(b);
    shl, unchecked_shl, checked_shl, smart_shl, shl_table,
        "the left shifted to the left by the right, which counts modulo the bits of a message",
        |a, b, m| a << (b % u64::from(m.trailing_zeros().max(1)));
    shr, unchecked_shr, checked_shr, smart_shr, shr_table,
        "the left shifted to the right by the right, which counts modulo the bits of a message",
        |a, b, m| a >> (b % u64::from(m.trailing_zeros().max(1)));
}

/// Operations with a clear operand that are a function of the message.
macro_rules! scalar_operations {
    ($($name:ident, $meaning:literal, $function:expr;)*) => {
        /// Functions of a message and a clear operand. Each is one bootstrap, which cleans as well.
        impl ServerKey {
            $(
                #[doc = concat!("The message of ", $meaning, ".")]
                ///
                /// # Errors
                ///
                /// [`Error::OutOfRange`] unless the clear operand is below the message modulus, [`Error::LweDimension`] where
                /// the ciphertext is of another set.
                pub fn $name(&self, left: &Ciphertext, right: u64) -> Result<Ciphertext, Error> {
                    let modulus = self.parameters().message_modulus();
                    check_below(right, modulus)?;
                    let function: fn(u64, u64, u64) -> u64 = $function;
                    self.apply(left, &self.table(|left| function(left % modulus, right, modulus) % modulus))
                }
            )*
        }
    };
}

scalar_operations! {
    scalar_add, "the sum modulo the message modulus", |a, b, _| a + b;
    scalar_sub, "the difference modulo the message modulus", |a, b, m| a + m - b;
    scalar_mul, "the product modulo the message modulus", |a, b, _| a * b;
    scalar_div, "the quotient; all bits are 1 where the divisor is 0", |a, b, m| a.checked_div(b).unwrap_or(m - 1);
    scalar_rem, "the remainder; the dividend where the divisor is 0", |a, b, _| a.checked_rem(b).unwrap_or(a);
    scalar_bitand, "the bitwise and", |a, b, _| a & b;
    scalar_bitor, "the bitwise or", |a, b, _| a | b;
    scalar_bitxor, "the bitwise exclusive or", |a, b, _| a ^ b;
    scalar_eq, "1 where both are equal, else 0", |a, b, _| u64::from(a == b);
    scalar_ne, "0 where both are equal, else 1", |a, b, _| u64::from(a != b);
    scalar_lt, "1 where the left is less, else 0", |a, b, _| u64::from(a < b);
    scalar_le, "1 where the left is at most the right, else 0", |a, b, _| u64::from(a <= b);
    scalar_gt, "1 where the left is greater, else 0", |a, b, _| u64::from(a > b);
    scalar_ge, "1 where the left is at least the right, else 0", |a, b, _| u64::from(a >= b);
    scalar_shl, "a shift to the left", |a, b, _| a << b;
    scalar_shr, "a shift to the right", |a, b, _| a >> b;
}

/// Sums, differences and multiples, which need no bootstrap where the carry has room.
impl ServerKey {
    /// The sum, into the carry. Nothing is checked: it must be below the product of message and carry modulus.
    ///
    /// # Errors
    ///
    /// [`Error::LweDimension`] where an operand is of another set.
    pub fn unchecked_add(&self, left: &Ciphertext, right: &Ciphertext) -> Result<Ciphertext, Error> {
        let mut lwe = left.lwe.clone();
        lwe.add_assign(&right.lwe)?;
        Ok(Ciphertext {
            lwe,
            degree: left.degree.saturating_add(right.degree),
            noise: left.noise.saturating_add(right.noise),
        })
    }

    /// The sum, into the carry.
    ///
    /// # Errors
    ///
    /// [`Error::NoRoom`] where it may not fit, [`Error::LweDimension`] where an operand is of another set.
    pub fn checked_add(&self, left: &Ciphertext, right: &Ciphertext) -> Result<Ciphertext, Error> {
        self.check_fits("a sum", self.unchecked_add(left, right)?)
    }

    /// The sum, into the carry. Operands are cleaned in place where it may not fit.
    ///
    /// # Errors
    ///
    /// [`Error::LweDimension`] where an operand is of another set.
    pub fn smart_add(&self, left: &mut Ciphertext, right: &mut Ciphertext) -> Result<Ciphertext, Error> {
        self.make_room(left, right, Self::checked_add)
    }

    /// The sum modulo the message modulus: one bootstrap, after one for each operand that has to be cleaned.
    ///
    /// # Errors
    ///
    /// [`Error::LweDimension`] where an operand is of another set.
    pub fn add(&self, left: &Ciphertext, right: &Ciphertext) -> Result<Ciphertext, Error> {
        self.message(&self.smart_add(&mut left.clone(), &mut right.clone())?)
    }

    /// The difference plus a multiple of the message modulus that keeps it positive. Nothing is checked.
    ///
    /// # Errors
    ///
    /// [`Error::LweDimension`] where an operand is of another set.
    pub fn unchecked_sub(&self, left: &Ciphertext, right: &Ciphertext) -> Result<Ciphertext, Error> {
        self.unchecked_add(left, &self.unchecked_neg(right))
    }

    /// The difference plus a multiple of the message modulus that keeps it positive.
    ///
    /// # Errors
    ///
    /// [`Error::NoRoom`] where it may not fit, [`Error::LweDimension`] where an operand is of another set.
    pub fn checked_sub(&self, left: &Ciphertext, right: &Ciphertext) -> Result<Ciphertext, Error> {
        self.check_fits("a difference", self.unchecked_sub(left, right)?)
    }

    /// The difference plus a multiple of the message modulus. Operands are cleaned in place where it may not fit.
    ///
    /// # Errors
    ///
    /// [`Error::LweDimension`] where an operand is of another set.
    pub fn smart_sub(&self, left: &mut Ciphertext, right: &mut Ciphertext) -> Result<Ciphertext, Error> {
        self.make_room(left, right, Self::checked_sub)
    }

    /// The difference modulo the message modulus: one bootstrap, after one for each operand that has to be cleaned.
    ///
    /// # Errors
    ///
    /// [`Error::LweDimension`] where an operand is of another set.
    pub fn sub(&self, left: &Ciphertext, right: &Ciphertext) -> Result<Ciphertext, Error> {
        self.message(&self.smart_sub(&mut left.clone(), &mut right.clone())?)
    }

    /// The smallest multiple of the message modulus that is at least the degree, less the ciphertext. Nothing is checked.
    pub fn unchecked_neg(&self, ciphertext: &Ciphertext) -> Ciphertext {
        let modulus = self.parameters().message_modulus();
        // A degree beyond all multiples, which fits no set, stays beyond what fits.
        let degree = ciphertext.degree.checked_next_multiple_of(modulus).unwrap_or(u64::MAX - (modulus - 1));
        let mut lwe = ciphertext.lwe.clone();
        lwe.negate_assign();
        *lwe.body_mut() = lwe.body().wrapping_add(degree.wrapping_mul(self.parameters().delta()));
        Ciphertext { lwe, degree, noise: ciphertext.noise }
    }

    /// The negation modulo the message modulus. One bootstrap.
    ///
    /// # Errors
    ///
    /// As [`apply_all`](Self::apply_all).
    pub fn neg(&self, ciphertext: &Ciphertext) -> Result<Ciphertext, Error> {
        let modulus = self.parameters().message_modulus();
        self.apply(ciphertext, &self.table(|x| (modulus - x % modulus) % modulus))
    }

    /// The bits of the message, inverted. One bootstrap.
    ///
    /// # Errors
    ///
    /// As [`apply_all`](Self::apply_all).
    pub fn bitnot(&self, ciphertext: &Ciphertext) -> Result<Ciphertext, Error> {
        let modulus = self.parameters().message_modulus();
        self.apply(ciphertext, &self.table(|x| modulus - 1 - x % modulus))
    }

    /// The sum with a clear operand, into the carry. Nothing is checked.
    pub fn unchecked_scalar_add(&self, ciphertext: &Ciphertext, scalar: u64) -> Ciphertext {
        let mut sum = ciphertext.clone();
        *sum.lwe.body_mut() = sum.lwe.body().wrapping_add(scalar.wrapping_mul(self.parameters().delta()));
        sum.degree = sum.degree.saturating_add(scalar);
        sum
    }

    /// The product with a clear operand, into the carry. Nothing is checked.
    pub fn unchecked_scalar_mul(&self, ciphertext: &Ciphertext, scalar: u64) -> Ciphertext {
        let mut product = ciphertext.clone();
        product.lwe.scale_assign(scalar as i64);
        product.degree = product.degree.saturating_mul(scalar);
        product.noise = product.noise.saturating_mul(scalar);
        product
    }

    fn check_fits(&self, operation: &'static str, result: Ciphertext) -> Result<Ciphertext, Error> {
        self.check_room(operation, result.degree, result.noise, self.parameters().total_modulus() - 1)?;
        Ok(result)
    }

    /// The result of a checked operation, after cleaning the operand that takes more room, and then the other one, where it
    /// does not fit.
    fn make_room(
        &self,
        left: &mut Ciphertext,
        right: &mut Ciphertext,
        operation: fn(&Self, &Ciphertext, &Ciphertext) -> Result<Ciphertext, Error>,
    ) -> Result<Ciphertext, Error> {
        let first = operation(self, left, right);
        if !matches!(first, Err(Error::NoRoom { .. })) {
            return first;
        }
        match (left.degree, left.noise) >= (right.degree, right.noise) {
            true => self.clean(left)?,
            false => self.clean(right)?,
        }
        let second = operation(self, left, right);
        if !matches!(second, Err(Error::NoRoom { .. })) {
            return second;
        }
        self.clean(left)?;
        self.clean(right)?;
        operation(self, left, right)
    }

    /// Cleans operands where their pair does not fit one ciphertext.
    fn make_packable(&self, left: &mut Ciphertext, right: &mut Ciphertext) -> Result<(), Error> {
        let modulus = self.parameters().message_modulus();
        if left.degree >= modulus || left.noise > 1 {
            self.clean(left)?;
        }
        if right.degree >= modulus || right.noise > 1 {
            self.clean(right)?;
        }
        Ok(())
    }
}
