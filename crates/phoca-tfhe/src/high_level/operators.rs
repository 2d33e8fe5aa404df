//! Operators of integers, and their twins with errors.

use core::ops::{
    Add, AddAssign, BitAnd, BitAndAssign, BitOr, BitOrAssign, BitXor, BitXorAssign, Div, DivAssign, Mul, MulAssign,
    Neg, Not, Rem, RemAssign, Shl, ShlAssign, Shr, ShrAssign, Sub, SubAssign,
};

use super::boolean::FheBool;
use super::clear::{Clear, fitting};
use super::integer::Fhe;
use super::keys::{or_panic, with_server_key};
use crate::Error;
use crate::integer::{Radix, ServerKey};
use crate::shortint::Ciphertext;

/// Operators of two integers or an integer and a clear number, on values and references.
macro_rules! operators {
    ($($trait:ident, $assign:ident, $method:ident, $method_assign:ident, $try:ident, $try_clear:ident, $meaning:literal,
       $operation:expr, $clear_operation:expr;)*) => {
        impl<const SIGNED: bool, const BITS: usize> Fhe<SIGNED, BITS> {
            $(
                #[doc = concat!("The ", $meaning, ".")]
                ///
                /// # Errors
                ///
                /// [`Error::NoServerKey`], or [`Error::LweDimension`] where one is of another parameter set.
                pub fn $try(&self, other: &Self) -> Result<Self, Error> {
                    self.combine(other, $operation)
                }

                #[doc = concat!("The ", $meaning, ", with a clear number.")]
                ///
                /// # Errors
                ///
                /// [`Error::TooWide`] where the number does not fit, else as for two encrypted ones.
                pub fn $try_clear(&self, other: impl Clear<SIGNED>) -> Result<Self, Error> {
                    self.combine_clear(other, $clear_operation)
                }
            )*
        }

        $(
            impl<const SIGNED: bool, const BITS: usize> $trait<&Fhe<SIGNED, BITS>> for &Fhe<SIGNED, BITS> {
                type Output = Fhe<SIGNED, BITS>;

                fn $method(self, other: &Fhe<SIGNED, BITS>) -> Fhe<SIGNED, BITS> {
                    or_panic(self.$try(other))
                }
            }

            impl<const SIGNED: bool, const BITS: usize> $trait<Fhe<SIGNED, BITS>> for &Fhe<SIGNED, BITS> {
                type Output = Fhe<SIGNED, BITS>;

                fn $method(self, other: Fhe<SIGNED, BITS>) -> Fhe<SIGNED, BITS> {
                    or_panic(self.$try(&other))
                }
            }

            impl<const SIGNED: bool, const BITS: usize> $trait<&Fhe<SIGNED, BITS>> for Fhe<SIGNED, BITS> {
                type Output = Fhe<SIGNED, BITS>;

                fn $method(self, other: &Fhe<SIGNED, BITS>) -> Fhe<SIGNED, BITS> {
                    or_panic(self.$try(other))
                }
            }

            impl<const SIGNED: bool, const BITS: usize> $trait for Fhe<SIGNED, BITS> {
                type Output = Fhe<SIGNED, BITS>;

                fn $method(self, other: Fhe<SIGNED, BITS>) -> Fhe<SIGNED, BITS> {
                    or_panic(self.$try(&other))
                }
            }

            impl<const SIGNED: bool, const BITS: usize> $assign<&Fhe<SIGNED, BITS>> for Fhe<SIGNED, BITS> {
                fn $method_assign(&mut self, other: &Fhe<SIGNED, BITS>) {
                    *self = or_panic(self.$try(other));
                }
            }

            impl<const SIGNED: bool, const BITS: usize> $assign for Fhe<SIGNED, BITS> {
                fn $method_assign(&mut self, other: Fhe<SIGNED, BITS>) {
                    *self = or_panic(self.$try(&other));
                }
            }

            clear_operators!($trait, $assign, $method, $method_assign, $try_clear, false, u8, u16, u32, u64, u128);
            clear_operators!($trait, $assign, $method, $method_assign, $try_clear, false, super::clear::U256);
            clear_operators!($trait, $assign, $method, $method_assign, $try_clear, true, i8, i16, i32, i64, i128);
            clear_operators!($trait, $assign, $method, $method_assign, $try_clear, true, super::clear::I256);
        )*
    };
}

macro_rules! clear_operators {
    ($trait:ident, $assign:ident, $method:ident, $method_assign:ident, $try:ident, $signed:literal, $($clear:ty),*) => {
        $(
            impl<const BITS: usize> $trait<$clear> for &Fhe<$signed, BITS> {
                type Output = Fhe<$signed, BITS>;

                fn $method(self, other: $clear) -> Fhe<$signed, BITS> {
                    or_panic(self.$try(other))
                }
            }

            impl<const BITS: usize> $trait<$clear> for Fhe<$signed, BITS> {
                type Output = Fhe<$signed, BITS>;

                fn $method(self, other: $clear) -> Fhe<$signed, BITS> {
                    or_panic(self.$try(other))
                }
            }

            impl<const BITS: usize> $assign<$clear> for Fhe<$signed, BITS> {
                fn $method_assign(&mut self, other: $clear) {
                    *self = or_panic(self.$try(other));
                }
            }
        )*
    };
}

operators! {
    Add, AddAssign, add, add_assign, try_add, try_add_clear, "sum modulo `2^BITS`",
        |key, a, b| key.add(a, b), |key, a, b| key.scalar_add(a, b);
    Sub, SubAssign, sub, sub_assign, try_sub, try_sub_clear, "difference modulo `2^BITS`",
        |key, a, b| key.sub(a, b), |key, a, b| key.scalar_sub(a, b);
    Mul, MulAssign, mul, mul_assign, try_mul, try_mul_clear, "product modulo `2^BITS`",
        |key, a, b| key.mul(a, b), |key, a, b| key.scalar_mul(a, b);
    Div, DivAssign, div, div_assign, try_div, try_div_clear,
        "quotient, rounded to zero; all bits are 1 where the divisor is 0",
        |key, a, b| key.div(a, b, SIGNED), |key, a, b| Ok(key.scalar_div_rem(a, b, SIGNED)?.0);
    Rem, RemAssign, rem, rem_assign, try_rem, try_rem_clear,
        "remainder, with the sign of the dividend; the dividend where the divisor is 0",
        |key, a, b| key.rem(a, b, SIGNED), |key, a, b| Ok(key.scalar_div_rem(a, b, SIGNED)?.1);
    BitAnd, BitAndAssign, bitand, bitand_assign, try_bitand, try_bitand_clear, "bitwise and",
        |key, a, b| key.bitand(a, b), |key, a, b| key.scalar_bitand(a, b);
    BitOr, BitOrAssign, bitor, bitor_assign, try_bitor, try_bitor_clear, "bitwise or",
        |key, a, b| key.bitor(a, b), |key, a, b| key.scalar_bitor(a, b);
    BitXor, BitXorAssign, bitxor, bitxor_assign, try_bitxor, try_bitxor_clear, "bitwise exclusive or",
        |key, a, b| key.bitxor(a, b), |key, a, b| key.scalar_bitxor(a, b);
}

/// Shifts and rotations by encrypted and by clear amounts, which are unsigned.
macro_rules! moves {
    ($($try:ident, $try_clear:ident, $meaning:literal, $operation:expr, $clear_operation:expr;)*) => {
        impl<const SIGNED: bool, const BITS: usize> Fhe<SIGNED, BITS> {
            $(
                #[doc = concat!("The bits ", $meaning, ", by an amount modulo the least power of two from `BITS` on.")]
                ///
                /// # Errors
                ///
                /// [`Error::NoServerKey`], or [`Error::LweDimension`] where one is of another parameter set.
                pub fn $try(&self, amount: &Fhe<false, BITS>) -> Result<Self, Error> {
                    with_server_key(|server| {
                        let operation: fn(&ServerKey, &Radix, &Radix) -> Result<Radix, Error> = $operation;
                        Ok(Self::from_radix(operation(&server.key, self.as_radix(), amount.as_radix())?))
                    })
                }

                #[doc = concat!("The bits ", $meaning, ", by a clear amount modulo `BITS`.")]
                ///
                /// # Errors
                ///
                /// As for an encrypted amount.
                pub fn $try_clear(&self, amount: u64) -> Result<Self, Error> {
                    with_server_key(|server| {
                        let operation: fn(&ServerKey, &Radix, u64) -> Result<Radix, Error> = $clear_operation;
                        Ok(Self::from_radix(operation(&server.key, self.as_radix(), amount)?))
                    })
                }
            )*
        }
    };
}

moves! {
    try_shl, try_shl_clear, "shifted to the left", |key, a, b| key.shl(a, b), |key, a, b| key.scalar_shl(a, b);
    try_shr, try_shr_clear, "shifted to the right, where a signed number repeats its sign",
        |key, a, b| key.shr(a, b, SIGNED), |key, a, b| key.scalar_shr(a, b, SIGNED);
    try_rotate_left, try_rotate_left_clear, "rotated to the left",
        |key, a, b| key.rotate_left(a, b), |key, a, b| key.scalar_rotate_left(a, b);
    try_rotate_right, try_rotate_right_clear, "rotated to the right",
        |key, a, b| key.rotate_right(a, b), |key, a, b| key.scalar_rotate_right(a, b);
}

/// What an integer is shifted or rotated by: an unsigned integer, by value or reference, or a clear number.
pub trait Amount<const BITS: usize> {
    /// Calls the operation that fits the amount.
    #[doc(hidden)]
    fn apply<T>(
        self,
        encrypted: impl FnOnce(&Fhe<false, BITS>) -> Result<T, Error>,
        clear: impl FnOnce(u64) -> Result<T, Error>,
    ) -> Result<T, Error>;
}

impl<const BITS: usize> Amount<BITS> for &Fhe<false, BITS> {
    fn apply<T>(
        self,
        encrypted: impl FnOnce(&Fhe<false, BITS>) -> Result<T, Error>,
        _: impl FnOnce(u64) -> Result<T, Error>,
    ) -> Result<T, Error> {
        encrypted(self)
    }
}

impl<const BITS: usize> Amount<BITS> for Fhe<false, BITS> {
    fn apply<T>(
        self,
        encrypted: impl FnOnce(&Fhe<false, BITS>) -> Result<T, Error>,
        _: impl FnOnce(u64) -> Result<T, Error>,
    ) -> Result<T, Error> {
        encrypted(&self)
    }
}

macro_rules! clear_amounts {
    ($($type:ty),*) => {
        $(impl<const BITS: usize> Amount<BITS> for $type {
            fn apply<T>(
                self,
                _: impl FnOnce(&Fhe<false, BITS>) -> Result<T, Error>,
                clear: impl FnOnce(u64) -> Result<T, Error>,
            ) -> Result<T, Error> {
                clear(self.into())
            }
        })*
    };
}

clear_amounts!(u8, u16, u32, u64);

macro_rules! shift_operators {
    ($($trait:ident, $assign:ident, $method:ident, $method_assign:ident, $try:ident, $try_clear:ident;)*) => {
        $(
            impl<const SIGNED: bool, const BITS: usize, A: Amount<BITS>> $trait<A> for &Fhe<SIGNED, BITS> {
                type Output = Fhe<SIGNED, BITS>;

                fn $method(self, amount: A) -> Fhe<SIGNED, BITS> {
                    or_panic(amount.apply(|amount| self.$try(amount), |amount| self.$try_clear(amount)))
                }
            }

            impl<const SIGNED: bool, const BITS: usize, A: Amount<BITS>> $trait<A> for Fhe<SIGNED, BITS> {
                type Output = Self;

                fn $method(self, amount: A) -> Self {
                    (&self).$method(amount)
                }
            }

            impl<const SIGNED: bool, const BITS: usize, A: Amount<BITS>> $assign<A> for Fhe<SIGNED, BITS> {
                fn $method_assign(&mut self, amount: A) {
                    *self = (&*self).$method(amount);
                }
            }
        )*
    };
}

shift_operators! {
    Shl, ShlAssign, shl, shl_assign, try_shl, try_shl_clear;
    Shr, ShrAssign, shr, shr_assign, try_shr, try_shr_clear;
}

impl<const SIGNED: bool, const BITS: usize> Fhe<SIGNED, BITS> {
    /// The bits rotated to the left; a clear amount counts modulo `BITS`, an encrypted one modulo the least power of two from
    /// `BITS` on.
    ///
    /// # Panics
    ///
    /// Where [`try_rotate_left`](Self::try_rotate_left) fails.
    pub fn rotate_left(&self, amount: impl Amount<BITS>) -> Self {
        or_panic(amount.apply(|amount| self.try_rotate_left(amount), |amount| self.try_rotate_left_clear(amount)))
    }

    /// The bits rotated to the right; a clear amount counts modulo `BITS`, an encrypted one modulo the least power of two from
    /// `BITS` on.
    ///
    /// # Panics
    ///
    /// Where [`try_rotate_right`](Self::try_rotate_right) fails.
    pub fn rotate_right(&self, amount: impl Amount<BITS>) -> Self {
        or_panic(amount.apply(|amount| self.try_rotate_right(amount), |amount| self.try_rotate_right_clear(amount)))
    }

    /// Quotient and remainder, for the price of the quotient; see [`try_div`](Self::try_div) and [`try_rem`](Self::try_rem).
    ///
    /// # Panics
    ///
    /// Where [`try_div_rem`](Self::try_div_rem) fails.
    pub fn div_rem(&self, divisor: &Self) -> (Self, Self) {
        or_panic(self.try_div_rem(divisor))
    }

    /// Quotient and remainder, for the price of the quotient.
    ///
    /// # Errors
    ///
    /// As [`try_div`](Self::try_div).
    pub fn try_div_rem(&self, divisor: &Self) -> Result<(Self, Self), Error> {
        with_server_key(|server| {
            let (quotient, remainder) = server.key.div_rem(self.as_radix(), divisor.as_radix(), SIGNED)?;
            Ok((Self::from_radix(quotient), Self::from_radix(remainder)))
        })
    }

    /// The sum modulo `2^BITS`, and whether it is another one than the exact sum.
    ///
    /// # Panics
    ///
    /// Where [`try_overflowing_add`](Self::try_overflowing_add) fails.
    pub fn overflowing_add(&self, other: &Self) -> (Self, FheBool) {
        or_panic(self.try_overflowing_add(other))
    }

    /// The sum modulo `2^BITS`, and whether it is another one than the exact sum.
    ///
    /// # Errors
    ///
    /// As [`try_add`](Self::try_add).
    pub fn try_overflowing_add(&self, other: &Self) -> Result<(Self, FheBool), Error> {
        self.combine_flagged(other, |key, a, b| match SIGNED {
            true => key.signed_add_with_overflow(a, b),
            false => key.add_with_carry(a, b),
        })
    }

    /// The difference modulo `2^BITS`, and whether it is another one than the exact difference.
    ///
    /// # Panics
    ///
    /// Where [`try_overflowing_sub`](Self::try_overflowing_sub) fails.
    pub fn overflowing_sub(&self, other: &Self) -> (Self, FheBool) {
        or_panic(self.try_overflowing_sub(other))
    }

    /// The difference modulo `2^BITS`, and whether it is another one than the exact difference.
    ///
    /// # Errors
    ///
    /// As [`try_sub`](Self::try_sub).
    pub fn try_overflowing_sub(&self, other: &Self) -> Result<(Self, FheBool), Error> {
        self.combine_flagged(other, |key, a, b| {
            if SIGNED {
                return key.signed_sub_with_overflow(a, b);
            }
            let (difference, not_less) = key.sub_with_carry(a, b)?;
            let less = key.key().subtracted_from(1, &not_less);
            Ok((difference, less))
        })
    }

    /// The product modulo `2^BITS`, and whether it is another one than the exact product.
    ///
    /// # Panics
    ///
    /// Where [`try_overflowing_mul`](Self::try_overflowing_mul) fails.
    pub fn overflowing_mul(&self, other: &Self) -> (Self, FheBool) {
        or_panic(self.try_overflowing_mul(other))
    }

    /// The product modulo `2^BITS`, and whether it is another one than the exact product.
    ///
    /// # Errors
    ///
    /// As [`try_mul`](Self::try_mul).
    pub fn try_overflowing_mul(&self, other: &Self) -> Result<(Self, FheBool), Error> {
        self.combine_flagged(other, |key, a, b| key.mul_with_overflow(a, b, SIGNED))
    }

    fn combine_flagged(
        &self,
        other: &Self,
        operation: impl FnOnce(&ServerKey, &Radix, &Radix) -> Result<(Radix, Ciphertext), Error>,
    ) -> Result<(Self, FheBool), Error> {
        with_server_key(|server| {
            let (result, block) = operation(&server.key, self.as_radix(), other.as_radix())?;
            Ok((Self::from_radix(result), FheBool { block }))
        })
    }
}

impl<const SIGNED: bool, const BITS: usize> Neg for &Fhe<SIGNED, BITS> {
    type Output = Fhe<SIGNED, BITS>;

    fn neg(self) -> Fhe<SIGNED, BITS> {
        or_panic(with_server_key(|server| Ok(Fhe::from_radix(server.key.neg(self.as_radix())?))))
    }
}

impl<const SIGNED: bool, const BITS: usize> Neg for Fhe<SIGNED, BITS> {
    type Output = Self;

    fn neg(self) -> Self {
        -&self
    }
}

impl<const SIGNED: bool, const BITS: usize> Not for &Fhe<SIGNED, BITS> {
    type Output = Fhe<SIGNED, BITS>;

    fn not(self) -> Fhe<SIGNED, BITS> {
        or_panic(with_server_key(|server| Ok(Fhe::from_radix(server.key.bitnot(self.as_radix())))))
    }
}

impl<const SIGNED: bool, const BITS: usize> Not for Fhe<SIGNED, BITS> {
    type Output = Self;

    fn not(self) -> Self {
        !&self
    }
}

/// What an integer is compared with: another one, by value or reference, or a clear number.
pub trait Operand<const SIGNED: bool, const BITS: usize> {
    /// The operand as an encrypted integer under the server key of this thread.
    ///
    /// # Errors
    ///
    /// [`Error::TooWide`] where a clear number does not fit, [`Error::NoServerKey`] where none is set.
    fn encrypted(self) -> Result<Fhe<SIGNED, BITS>, Error>;
}

impl<const SIGNED: bool, const BITS: usize> Operand<SIGNED, BITS> for &Fhe<SIGNED, BITS> {
    fn encrypted(self) -> Result<Fhe<SIGNED, BITS>, Error> {
        Ok(self.clone())
    }
}

impl<const SIGNED: bool, const BITS: usize> Operand<SIGNED, BITS> for Fhe<SIGNED, BITS> {
    fn encrypted(self) -> Result<Fhe<SIGNED, BITS>, Error> {
        Ok(self)
    }
}

impl<const SIGNED: bool, const BITS: usize, T: Clear<SIGNED>> Operand<SIGNED, BITS> for T {
    fn encrypted(self) -> Result<Fhe<SIGNED, BITS>, Error> {
        let words = fitting(self, BITS)?;
        with_server_key(|server| Ok(Fhe::from_radix(server.key.trivial(&words, Fhe::<SIGNED, BITS>::blocks())?)))
    }
}

/// Comparisons, whose results are encrypted.
macro_rules! comparisons {
    ($($name:ident, $try:ident, $meaning:literal, $operation:expr;)*) => {
        impl<const SIGNED: bool, const BITS: usize> Fhe<SIGNED, BITS> {
            $(
                #[doc = concat!("Whether this ", $meaning, ".")]
                ///
                /// # Panics
                ///
                #[doc = concat!("Where [`", stringify!($try), "`](Self::", stringify!($try), ") fails.")]
                pub fn $name(&self, other: impl Operand<SIGNED, BITS>) -> FheBool {
                    or_panic(self.$try(other))
                }

                #[doc = concat!("Whether this ", $meaning, ".")]
                ///
                /// # Errors
                ///
                /// [`Error::NoServerKey`], [`Error::TooWide`] where a clear operand does not fit, or [`Error::LweDimension`] where
                /// one is of another parameter set.
                pub fn $try(&self, other: impl Operand<SIGNED, BITS>) -> Result<FheBool, Error> {
                    self.compare(&other.encrypted()?, $operation)
                }
            )*
        }
    };
}

comparisons! {
    eq, try_eq, "equals the other", |key, a, b| key.eq(a, b);
    ne, try_ne, "differs from the other", |key, a, b| key.ne(a, b);
    lt, try_lt, "is less than the other", |key, a, b| key.lt(a, b, SIGNED);
    le, try_le, "is at most the other", |key, a, b| key.le(a, b, SIGNED);
    gt, try_gt, "is greater than the other", |key, a, b| key.gt(a, b, SIGNED);
    ge, try_ge, "is at least the other", |key, a, b| key.ge(a, b, SIGNED);
}

impl<const SIGNED: bool, const BITS: usize> Fhe<SIGNED, BITS> {
    /// The greater one.
    ///
    /// # Panics
    ///
    /// Where [`try_max`](Self::try_max) fails.
    pub fn max(&self, other: impl Operand<SIGNED, BITS>) -> Self {
        or_panic(self.try_max(other))
    }

    /// The greater one.
    ///
    /// # Errors
    ///
    /// As [`try_lt`](Self::try_lt).
    pub fn try_max(&self, other: impl Operand<SIGNED, BITS>) -> Result<Self, Error> {
        self.combine(&other.encrypted()?, |key, a, b| key.max(a, b, SIGNED))
    }

    /// The lesser one.
    ///
    /// # Panics
    ///
    /// Where [`try_min`](Self::try_min) fails.
    pub fn min(&self, other: impl Operand<SIGNED, BITS>) -> Self {
        or_panic(self.try_min(other))
    }

    /// The lesser one.
    ///
    /// # Errors
    ///
    /// As [`try_lt`](Self::try_lt).
    pub fn try_min(&self, other: impl Operand<SIGNED, BITS>) -> Result<Self, Error> {
        self.combine(&other.encrypted()?, |key, a, b| key.min(a, b, SIGNED))
    }
}
