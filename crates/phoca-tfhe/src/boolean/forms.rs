//! The gates of a server key: those that panic, as users of other libraries expect them, and those that return errors.

use super::{Ciphertext, Gate, Operand, Operation, ServerKey, or_panic};
use crate::Error;

/// The four forms of each gate.
macro_rules! gates {
    ($($gate:ident, $name:ident, $name_assign:ident, $try_name:ident, $try_name_assign:ident, $meaning:literal;)*) => {
        /// Gates. One bootstrap, or none where an operand is in the clear.
        impl ServerKey {
            $(
                #[doc = concat!($meaning, ".")]
                ///
                /// # Panics
                ///
                #[doc = concat!("Where an operand is of another set; [`", stringify!($try_name), "`](Self::",
                    stringify!($try_name), ") returns an error instead.")]
                #[track_caller]
                pub fn $name<'a>(&self, left: impl Into<Operand<'a>>, right: impl Into<Operand<'a>>) -> Ciphertext {
                    or_panic(self.$try_name(left, right))
                }

                #[doc = concat!($meaning, ", in place.")]
                ///
                /// # Panics
                ///
                #[doc = concat!("Where an operand is of another set; [`", stringify!($try_name_assign), "`](Self::",
                    stringify!($try_name_assign), ") returns an error instead.")]
                #[track_caller]
                pub fn $name_assign<'a>(&self, left: &mut Ciphertext, right: impl Into<Operand<'a>>) {
                    or_panic(self.$try_name_assign(left, right));
                }

                #[doc = concat!($meaning, ".")]
                ///
                /// # Errors
                ///
                /// [`Error::Order`] or [`Error::LweDimension`] where an operand is of another set.
                pub fn $try_name<'a>(
                    &self,
                    left: impl Into<Operand<'a>>,
                    right: impl Into<Operand<'a>>,
                ) -> Result<Ciphertext, Error> {
                    self.evaluate(&Gate::$gate.of(left, right))
                }

                #[doc = concat!($meaning, ", in place.")]
                ///
                /// # Errors
                ///
                /// [`Error::Order`] or [`Error::LweDimension`] where an operand is of another set; the left one is left as it
                /// is.
                pub fn $try_name_assign<'a>(
                    &self,
                    left: &mut Ciphertext,
                    right: impl Into<Operand<'a>>,
                ) -> Result<(), Error> {
                    let right: Operand<'_> = right.into();
                    *left = self.evaluate(&Gate::$gate.of(&*left, right))?;
                    Ok(())
                }
            )*
        }
    };
}

gates! {
    And, and, and_assign, try_and, try_and_assign, "Whether both operands are true";
    Nand, nand, nand_assign, try_nand, try_nand_assign, "Whether not both operands are true";
    Or, or, or_assign, try_or, try_or_assign, "Whether an operand is true";
    Nor, nor, nor_assign, try_nor, try_nor_assign, "Whether no operand is true";
    Xor, xor, xor_assign, try_xor, try_xor_assign, "Whether the operands differ";
    Xnor, xnor, xnor_assign, try_xnor, try_xnor_assign, "Whether the operands are equal";
}

/// Negation and multiplexer.
impl ServerKey {
    /// The negation. No bootstrap.
    ///
    /// # Panics
    ///
    /// Where the operand is of another set; [`try_not`](Self::try_not) returns an error instead.
    #[track_caller]
    pub fn not<'a>(&self, operand: impl Into<Operand<'a>>) -> Ciphertext {
        or_panic(self.try_not(operand))
    }

    /// The negation. No bootstrap.
    ///
    /// # Errors
    ///
    /// [`Error::Order`] or [`Error::LweDimension`] where the operand is of another set.
    pub fn try_not<'a>(&self, operand: impl Into<Operand<'a>>) -> Result<Ciphertext, Error> {
        self.evaluate(&Operation::not(operand))
    }

    /// The negation, in place. No bootstrap.
    ///
    /// # Panics
    ///
    /// Where the operand is of another set; [`try_not_assign`](Self::try_not_assign) returns an error instead.
    #[track_caller]
    pub fn not_assign(&self, operand: &mut Ciphertext) {
        or_panic(self.try_not_assign(operand));
    }

    /// The negation, in place. No bootstrap.
    ///
    /// # Errors
    ///
    /// [`Error::Order`] or [`Error::LweDimension`] where the operand is of another set; it is left as it is.
    pub fn try_not_assign(&self, operand: &mut Ciphertext) -> Result<(), Error> {
        operand.check(self.parameters().order, self.parameters().ciphertext_dimension())?;
        operand.negate_assign();
        Ok(())
    }

    /// `if_true` where `condition` is true, else `if_false`. Two bootstraps, fewer with clear operands.
    ///
    /// # Panics
    ///
    /// Where an operand is of another set; [`try_mux`](Self::try_mux) returns an error instead.
    #[track_caller]
    pub fn mux<'a>(
        &self,
        condition: impl Into<Operand<'a>>,
        if_true: impl Into<Operand<'a>>,
        if_false: impl Into<Operand<'a>>,
    ) -> Ciphertext {
        or_panic(self.try_mux(condition, if_true, if_false))
    }

    /// `if_true` where `condition` is true, else `if_false`. Two bootstraps, fewer with clear operands.
    ///
    /// # Errors
    ///
    /// [`Error::Order`] or [`Error::LweDimension`] where an operand is of another set.
    pub fn try_mux<'a>(
        &self,
        condition: impl Into<Operand<'a>>,
        if_true: impl Into<Operand<'a>>,
        if_false: impl Into<Operand<'a>>,
    ) -> Result<Ciphertext, Error> {
        self.evaluate(&Operation::mux(condition, if_true, if_false))
    }
}
