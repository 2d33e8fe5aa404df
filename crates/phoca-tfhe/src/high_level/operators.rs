//! Operators of integers, and their twins with errors.

use core::ops::{
    Add, AddAssign, BitAnd, BitAndAssign, BitOr, BitOrAssign, BitXor, BitXorAssign, Neg, Not, Sub, SubAssign,
};

use super::boolean::FheBool;
use super::clear::{Clear, fitting};
use super::integer::Fhe;
use super::keys::{or_panic, with_server_key};
use crate::Error;

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
        |key, a, b| key.add(a, b), |key, a, b| key.add(a, &key.trivial(b, a.len())?);
    Sub, SubAssign, sub, sub_assign, try_sub, try_sub_clear, "difference modulo `2^BITS`",
        |key, a, b| key.sub(a, b), |key, a, b| key.sub(a, &key.trivial(b, a.len())?);
    BitAnd, BitAndAssign, bitand, bitand_assign, try_bitand, try_bitand_clear, "bitwise and",
        |key, a, b| key.bitand(a, b), |key, a, b| key.scalar_bitand(a, b);
    BitOr, BitOrAssign, bitor, bitor_assign, try_bitor, try_bitor_clear, "bitwise or",
        |key, a, b| key.bitor(a, b), |key, a, b| key.scalar_bitor(a, b);
    BitXor, BitXorAssign, bitxor, bitxor_assign, try_bitxor, try_bitxor_clear, "bitwise exclusive or",
        |key, a, b| key.bitxor(a, b), |key, a, b| key.scalar_bitxor(a, b);
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
