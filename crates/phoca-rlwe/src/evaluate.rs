//! Computation on ciphertexts.
//!
//! [`Evaluator`] has every operation of every scheme and checks at run time that the scheme has it. The typed evaluators
//! of [`bfv`](crate::bfv), [`bgv`](crate::bgv) and [`ckks`](crate::ckks) have those of one scheme only.

mod batch;
mod dot;
mod galois;
mod hoist;
mod key_switch;
pub(crate) mod levels;
mod linear;
mod multiply;
mod plain;
mod relinearize;
mod transform;

use crate::ciphertext::Ciphertext;
use crate::context::{Context, Level};
use crate::error::Error;
use crate::params::Scheme;

/// Operations on ciphertexts, for any scheme.
///
/// Each operation exists as `op`, which gives a new ciphertext, and `op_assign`, which changes its first operand. An
/// operand is left as it was where an operation fails. All results equal those of Microsoft SEAL after decryption.
#[derive(Clone, Debug)]
pub struct Evaluator {
    context: Context,
}

impl Evaluator {
    /// An evaluator for ciphertexts of `context`.
    pub fn new(context: &Context) -> Self {
        Self { context: context.clone() }
    }

    /// The context.
    pub fn context(&self) -> &Context {
        &self.context
    }

    /// A result, unless it is transparent and the context does not allow that.
    fn finish(&self, result: Ciphertext) -> Result<Ciphertext, Error> {
        self.refuse_transparent(&result)?;
        Ok(result)
    }

    fn refuse_transparent(&self, ciphertext: &Ciphertext) -> Result<(), Error> {
        match !self.context.allows_transparent() && ciphertext.is_transparent() {
            true => Err(Error::TransparentCiphertext),
            false => Ok(()),
        }
    }

    /// The common level of two operands in one form.
    fn common_level(&self, left: &Ciphertext, right: &Ciphertext) -> Result<&Level, Error> {
        let level = self.context.level_of(left, "the first ciphertext")?;
        let other = self.context.level_of(right, "the second ciphertext")?;
        if level.parms_id() != other.parms_id() {
            return Err(Error::LevelMismatch { left: level.chain_index(), right: other.chain_index() });
        }
        if left.ntt_form != right.ntt_form {
            return Err(Error::FormMismatch {
                operand: "the second ciphertext",
                expected: left.form(),
                got: right.form(),
            });
        }
        Ok(level)
    }

    fn require_scheme(&self, scheme: Scheme, operation: &'static str) -> Result<(), Error> {
        match self.context.scheme() {
            own if own == scheme => Ok(()),
            own => Err(Error::UnsupportedScheme { operation, scheme: own }),
        }
    }
}

/// Whether two scales are equal but for rounding: as SEAL compares them from 1 on. Below, where SEAL takes any two scales
/// for equal that differ by less than `2^-52`, the difference counts relative to the scales all the same.
fn scales_agree(left: f64, right: f64) -> bool {
    let difference = libm::fabs(left - right);
    difference == 0.0 || difference < f64::EPSILON * libm::fmax(libm::fabs(left), libm::fabs(right))
}

/// Checks that a scale is below the modulus of `level`, as SEAL does: the scheme's values would not fit.
pub(crate) fn check_scale(scale: f64, level: &Level) -> Result<(), Error> {
    if !(scale.is_normal() && scale > 0.0) {
        return Err(Error::InvalidScale { scale });
    }
    let scale_bits = libm::ilogb(scale);
    match i64::from(scale_bits) < i64::from(level.modulus_bits()) {
        true => Ok(()),
        false => Err(Error::ScaleOutOfRange { scale_bits, modulus_bits: level.modulus_bits() }),
    }
}
