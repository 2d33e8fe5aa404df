use core::ops::{BitAnd, BitOr, BitXor, Not};

use super::integer::{Fhe, FheDecrypt, FheTryEncrypt, FheTryTrivialEncrypt};
use super::keys::{ClientKey, or_panic, with_server_key};
use crate::Error;
use crate::shortint::Ciphertext;

/// An encrypted boolean.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FheBool {
    pub(super) block: Ciphertext,
}

impl FheBool {
    /// `when_true` where this is true, else `when_false`.
    ///
    /// # Panics
    ///
    /// Where [`try_if_then_else`](Self::try_if_then_else) fails.
    pub fn if_then_else<const SIGNED: bool, const BITS: usize>(
        &self,
        when_true: &Fhe<SIGNED, BITS>,
        when_false: &Fhe<SIGNED, BITS>,
    ) -> Fhe<SIGNED, BITS> {
        or_panic(self.try_if_then_else(when_true, when_false))
    }

    /// `when_true` where this is true, else `when_false`.
    ///
    /// # Errors
    ///
    /// [`Error::NoServerKey`], or [`Error::LweDimension`] where something is of another parameter set.
    pub fn try_if_then_else<const SIGNED: bool, const BITS: usize>(
        &self,
        when_true: &Fhe<SIGNED, BITS>,
        when_false: &Fhe<SIGNED, BITS>,
    ) -> Result<Fhe<SIGNED, BITS>, Error> {
        with_server_key(|server| {
            Ok(Fhe::from_radix(server.key.select(&self.block, when_true.as_radix(), when_false.as_radix())?))
        })
    }

    /// [`if_then_else`](Self::if_then_else).
    pub fn select<const SIGNED: bool, const BITS: usize>(
        &self,
        when_true: &Fhe<SIGNED, BITS>,
        when_false: &Fhe<SIGNED, BITS>,
    ) -> Fhe<SIGNED, BITS> {
        self.if_then_else(when_true, when_false)
    }

    fn combine(&self, other: &Self, function: fn(u64, u64) -> u64) -> Result<Self, Error> {
        with_server_key(|server| {
            let key = server.key.key();
            Ok(Self { block: key.apply_pair(&self.block, &other.block, &key.pair_table(function))? })
        })
    }
}

impl FheTryEncrypt<bool> for FheBool {
    fn try_encrypt(value: bool, key: &ClientKey) -> Result<Self, Error> {
        let block = key.key.key().encrypt(u64::from(value))?;
        Ok(Self { block: Ciphertext { degree: 1, ..block } })
    }
}

impl FheTryTrivialEncrypt<bool> for FheBool {
    fn try_encrypt_trivial(value: bool) -> Result<Self, Error> {
        with_server_key(|server| Ok(Self { block: server.key.key().trivial(u64::from(value))? }))
    }
}

impl FheDecrypt<bool> for FheBool {
    fn try_decrypt(&self, key: &ClientKey) -> Result<bool, Error> {
        Ok(key.key.key().decrypt(&self.block)? == 1)
    }
}

/// Operators of two booleans, and their twins.
macro_rules! operators {
    ($($trait:ident, $method:ident, $try:ident, $meaning:literal, $function:expr;)*) => {
        impl FheBool {
            $(
                #[doc = concat!("The ", $meaning, ".")]
                ///
                /// # Errors
                ///
                /// [`Error::NoServerKey`], or [`Error::LweDimension`] where one is of another parameter set.
                pub fn $try(&self, other: &Self) -> Result<Self, Error> {
                    self.combine(other, $function)
                }
            )*
        }

        $(
            impl $trait<&FheBool> for &FheBool {
                type Output = FheBool;

                fn $method(self, other: &FheBool) -> FheBool {
                    or_panic(self.$try(other))
                }
            }

            impl $trait for FheBool {
                type Output = FheBool;

                fn $method(self, other: FheBool) -> FheBool {
                    or_panic(self.$try(&other))
                }
            }

            impl $trait<&FheBool> for FheBool {
                type Output = FheBool;

                fn $method(self, other: &FheBool) -> FheBool {
                    or_panic(self.$try(other))
                }
            }
        )*
    };
}

operators! {
    BitAnd, bitand, try_bitand, "conjunction", |a, b| a & b;
    BitOr, bitor, try_bitor, "disjunction", |a, b| a | b;
    BitXor, bitxor, try_bitxor, "exclusive disjunction", |a, b| a ^ b;
}

impl Not for &FheBool {
    type Output = FheBool;

    fn not(self) -> FheBool {
        or_panic(with_server_key(|server| Ok(FheBool { block: server.key.key().subtracted_from(1, &self.block) })))
    }
}

impl Not for FheBool {
    type Output = FheBool;

    fn not(self) -> FheBool {
        !&self
    }
}
