//! Down the modulus chain: modulus switching, rescaling and dropping primes.
//!
//! BFV and BGV `mod_switch` and CKKS `rescale` divide by the last prime, with rounding, which also divides the noise. CKKS
//! `mod_switch` and `mod_reduce` of any scheme drop the last prime and keep the value as it is.

use phoca_ring::Buffer;

use super::{Evaluator, check_scale};
use crate::ciphertext::Ciphertext;
use crate::context::{Context, Level};
use crate::error::Error;
use crate::noise::NoiseBound;
use crate::params::{ParmsId, Scheme};
use crate::plaintext::Plaintext;

impl Evaluator {
    /// Switches to the next level: BFV and BGV divide by the last prime, CKKS drops it.
    ///
    /// # Errors
    ///
    /// [`Error::EndOfChain`] at the last level; [`Error::FormMismatch`] where the ciphertext is not in its scheme's form;
    /// [`Error::ScaleOutOfRange`] where a CKKS scale does not fit the next level; [`Error::TransparentCiphertext`].
    pub fn mod_switch_to_next(&self, a: &Ciphertext) -> Result<Ciphertext, Error> {
        self.switch_to_next(a.clone())
    }

    /// `a = ` [`mod_switch_to_next`](Self::mod_switch_to_next)`(a)`.
    ///
    /// # Errors
    ///
    /// As [`Evaluator::mod_switch_to_next`].
    pub fn mod_switch_to_next_assign(&self, a: &mut Ciphertext) -> Result<(), Error> {
        *a = self.mod_switch_to_next(a)?;
        Ok(())
    }

    /// Switches down to `level`, which may be the ciphertext's own.
    ///
    /// # Errors
    ///
    /// [`Error::CannotRaiseLevel`] where `level` has more primes; otherwise as [`Evaluator::mod_switch_to_next`].
    pub fn mod_switch_to(&self, a: &Ciphertext, level: ParmsId) -> Result<Ciphertext, Error> {
        let divides = self.context.scheme() != Scheme::Ckks;
        self.step_to(a, level, divides, |a| self.switch_to_next(a))
    }

    /// `a = ` [`mod_switch_to`](Self::mod_switch_to)`(a, level)`.
    ///
    /// # Errors
    ///
    /// As [`Evaluator::mod_switch_to`].
    pub fn mod_switch_to_assign(&self, a: &mut Ciphertext, level: ParmsId) -> Result<(), Error> {
        *a = self.mod_switch_to(a, level)?;
        Ok(())
    }

    /// Drops the last prime without dividing: value, scale and correction factor stay, the noise too.
    ///
    /// For BFV, whose message is scaled to the modulus, this changes the message: use
    /// [`mod_switch_to_next`](Self::mod_switch_to_next) there.
    ///
    /// # Errors
    ///
    /// As [`Evaluator::mod_switch_to_next`].
    pub fn mod_reduce_to_next(&self, a: &Ciphertext) -> Result<Ciphertext, Error> {
        self.drop_to_next(a.clone())
    }

    /// `a = ` [`mod_reduce_to_next`](Self::mod_reduce_to_next)`(a)`.
    ///
    /// # Errors
    ///
    /// As [`Evaluator::mod_reduce_to_next`].
    pub fn mod_reduce_to_next_assign(&self, a: &mut Ciphertext) -> Result<(), Error> {
        *a = self.mod_reduce_to_next(a)?;
        Ok(())
    }

    /// Drops primes down to `level`.
    ///
    /// # Errors
    ///
    /// [`Error::CannotRaiseLevel`] where `level` has more primes; otherwise as [`Evaluator::mod_reduce_to_next`].
    pub fn mod_reduce_to(&self, a: &Ciphertext, level: ParmsId) -> Result<Ciphertext, Error> {
        self.step_to(a, level, false, |a| self.drop_to_next(a))
    }

    /// `a = ` [`mod_reduce_to`](Self::mod_reduce_to)`(a, level)`.
    ///
    /// # Errors
    ///
    /// As [`Evaluator::mod_reduce_to`].
    pub fn mod_reduce_to_assign(&self, a: &mut Ciphertext, level: ParmsId) -> Result<(), Error> {
        *a = self.mod_reduce_to(a, level)?;
        Ok(())
    }

    /// CKKS: divides by the last prime with rounding, and the scale with it.
    ///
    /// # Errors
    ///
    /// [`Error::UnsupportedScheme`] for BFV and BGV; [`Error::EndOfChain`] at the last level; [`Error::FormMismatch`]
    /// outside of NTT form; [`Error::TransparentCiphertext`].
    pub fn rescale_to_next(&self, a: &Ciphertext) -> Result<Ciphertext, Error> {
        self.require_scheme(Scheme::Ckks, "rescaling")?;
        self.divide_to_next(a.clone())
    }

    /// `a = ` [`rescale_to_next`](Self::rescale_to_next)`(a)`.
    ///
    /// # Errors
    ///
    /// As [`Evaluator::rescale_to_next`].
    pub fn rescale_to_next_assign(&self, a: &mut Ciphertext) -> Result<(), Error> {
        *a = self.rescale_to_next(a)?;
        Ok(())
    }

    /// CKKS: rescales down to `level`.
    ///
    /// # Errors
    ///
    /// [`Error::CannotRaiseLevel`] where `level` has more primes; otherwise as [`Evaluator::rescale_to_next`].
    pub fn rescale_to(&self, a: &Ciphertext, level: ParmsId) -> Result<Ciphertext, Error> {
        self.require_scheme(Scheme::Ckks, "rescaling")?;
        self.step_to(a, level, true, |a| self.divide_to_next(a))
    }

    /// `a = ` [`rescale_to`](Self::rescale_to)`(a, level)`.
    ///
    /// # Errors
    ///
    /// As [`Evaluator::rescale_to`].
    pub fn rescale_to_assign(&self, a: &mut Ciphertext, level: ParmsId) -> Result<(), Error> {
        *a = self.rescale_to(a, level)?;
        Ok(())
    }

    /// Drops the last prime of a plaintext in NTT form.
    ///
    /// # Errors
    ///
    /// [`Error::EndOfChain`] at the last level; [`Error::FormMismatch`] in coefficient form, which has no level;
    /// [`Error::ScaleOutOfRange`] where the scale does not fit the next level.
    pub fn plain_mod_switch_to_next(&self, plaintext: &Plaintext) -> Result<Plaintext, Error> {
        let level = self.context.check_ntt_plaintext(plaintext)?;
        let next = self.context.next_level(level).ok_or(Error::EndOfChain)?;
        if self.context.scheme() == Scheme::Ckks {
            check_scale(plaintext.scale, next)?;
        }
        let words = next.prime_count() * self.context.degree();
        let mut result = plaintext.clone();
        result.parms_id = next.parms_id();
        result.data = Buffer::from_slice(&plaintext.words()[..words]);
        Ok(result)
    }

    /// Drops primes of a plaintext in NTT form down to `level`.
    ///
    /// # Errors
    ///
    /// [`Error::CannotRaiseLevel`] where `level` has more primes; otherwise as
    /// [`Evaluator::plain_mod_switch_to_next`].
    pub fn plain_mod_switch_to(&self, plaintext: &Plaintext, level: ParmsId) -> Result<Plaintext, Error> {
        let from = self.context.check_ntt_plaintext(plaintext)?;
        let to = self.context.level(level, "the target level")?;
        check_downward(from, to)?;
        let mut result = plaintext.clone();
        while result.parms_id != level {
            result = self.plain_mod_switch_to_next(&result)?;
        }
        Ok(result)
    }

    /// Takes steps down to `level`. A scale that does not fit there, where steps do not divide it, is found before the first.
    fn step_to(
        &self,
        a: &Ciphertext,
        level: ParmsId,
        divides: bool,
        step: impl Fn(Ciphertext) -> Result<Ciphertext, Error>,
    ) -> Result<Ciphertext, Error> {
        let from = self.context.level_of(a, "the ciphertext")?;
        let to = self.context.level(level, "the target level")?;
        check_downward(from, to)?;
        if self.context.scheme() == Scheme::Ckks && !divides {
            check_scale(a.scale, to)?;
        }
        let mut result = a.clone();
        while result.parms_id != level {
            result = step(result)?;
        }
        Ok(result)
    }

    fn switch_to_next(&self, a: Ciphertext) -> Result<Ciphertext, Error> {
        match self.context.scheme() {
            Scheme::Ckks => self.drop_to_next(a),
            Scheme::Bfv | Scheme::Bgv => self.divide_to_next(a),
        }
    }

    fn divide_to_next(&self, mut a: Ciphertext) -> Result<Ciphertext, Error> {
        let level = self.context.level_in_scheme_form(&a)?;
        let next = self.context.next_level(level).ok_or(Error::EndOfChain)?;
        divide_by_last(&self.context, &mut a, next);
        self.finish(a)
    }

    fn drop_to_next(&self, mut a: Ciphertext) -> Result<Ciphertext, Error> {
        let level = self.context.level_of(&a, "the ciphertext")?;
        let next = self.context.next_level(level).ok_or(Error::EndOfChain)?;
        if self.context.scheme() == Scheme::Ckks {
            check_scale(a.scale, next)?;
        }
        keep_prefixes(&self.context, &mut a, next);
        a.noise = a.noise.dropped(&self.context, next);
        self.finish(a)
    }
}

/// Divides a ciphertext one level above `next` by its last prime: scale and correction factor follow.
pub(crate) fn divide_by_last(context: &Context, a: &mut Ciphertext, next: &Level) {
    let level = context.previous_level(next).expect("the caller came from the level above");
    let divide = level.divide_last();
    let mut scratch = context.scratch().take(divide.scratch_len(context.degree()));
    for polynomial in a.polynomials_mut() {
        match context.scheme() {
            Scheme::Bfv => divide.coefficients(polynomial),
            Scheme::Ckks => divide.ntt(context.tables(), polynomial, &mut scratch),
            Scheme::Bgv => {
                let plain_modulus = &next.message_scaling().plain_modulus;
                divide.ntt_mod_t(plain_modulus, context.tables(), polynomial, &mut scratch);
            }
        }
    }
    let size = a.size();
    keep_prefixes(context, a, next);
    let last = divide.last().value();
    if context.scheme() == Scheme::Ckks {
        a.scale /= last as f64;
    }
    if context.scheme() == Scheme::Bgv {
        let plain_modulus = &next.message_scaling().plain_modulus;
        let inverse = plain_modulus.inverse_vartime(last).expect("checked parameters have coprime moduli");
        a.correction_factor = plain_modulus.mul(a.correction_factor, inverse);
    }
    a.noise = NoiseBound::divided(a.noise, context, next, size);
}

/// Moves to the level `to`, keeping of each polynomial the limbs of the fewer primes.
fn keep_prefixes(context: &Context, a: &mut Ciphertext, to: &Level) {
    let (size, before, after) = (a.size(), a.polynomial_len(), to.prime_count() * context.degree());
    for index in 1..size {
        a.data.copy_within(index * before..index * before + after, index * after);
    }
    a.data.resize(size * after);
    a.prime_count = to.prime_count();
    a.parms_id = to.parms_id();
    a.seed = None;
}

fn check_downward(from: &Level, to: &Level) -> Result<(), Error> {
    match from.chain_index() >= to.chain_index() {
        true => Ok(()),
        false => Err(Error::CannotRaiseLevel { from: from.chain_index(), to: to.chain_index() }),
    }
}
