//! Down the modulus chain: modulus switching, rescaling and dropping primes.
//!
//! BFV and BGV `mod_switch` and CKKS `rescale` divide by the last prime, with rounding, which also divides the noise. CKKS
//! `mod_switch` and `mod_reduce` of any scheme drop the last prime and keep the value as it is.

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
        let mut result = a.clone();
        self.switch_to_next(&mut result)?;
        Ok(result)
    }

    /// `a = ` [`mod_switch_to_next`](Self::mod_switch_to_next)`(a)`.
    ///
    /// # Errors
    ///
    /// As [`Evaluator::mod_switch_to_next`].
    pub fn mod_switch_to_next_assign(&self, a: &mut Ciphertext) -> Result<(), Error> {
        self.switch_to_next(a)
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
        let mut result = a.clone();
        self.drop_to_next(&mut result)?;
        Ok(result)
    }

    /// `a = ` [`mod_reduce_to_next`](Self::mod_reduce_to_next)`(a)`.
    ///
    /// # Errors
    ///
    /// As [`Evaluator::mod_reduce_to_next`].
    pub fn mod_reduce_to_next_assign(&self, a: &mut Ciphertext) -> Result<(), Error> {
        self.drop_to_next(a)
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
        let mut result = a.clone();
        self.divide_to_next(&mut result)?;
        Ok(result)
    }

    /// `a = ` [`rescale_to_next`](Self::rescale_to_next)`(a)`.
    ///
    /// # Errors
    ///
    /// As [`Evaluator::rescale_to_next`].
    pub fn rescale_to_next_assign(&self, a: &mut Ciphertext) -> Result<(), Error> {
        self.require_scheme(Scheme::Ckks, "rescaling")?;
        self.divide_to_next(a)
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
        let data = self.context.buffers().copy(&plaintext.words()[..words]);
        Ok(Plaintext { parms_id: next.parms_id(), scale: plaintext.scale, bound: plaintext.bound, data })
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
        step: impl Fn(&mut Ciphertext) -> Result<(), Error>,
    ) -> Result<Ciphertext, Error> {
        let from = self.context.level_of(a, "the ciphertext")?;
        let to = self.context.level(level, "the target level")?;
        check_downward(from, to)?;
        if self.context.scheme() == Scheme::Ckks && !divides {
            check_scale(a.scale, to)?;
        }
        let mut result = a.clone();
        while result.parms_id != level {
            step(&mut result)?;
        }
        Ok(result)
    }

    fn switch_to_next(&self, a: &mut Ciphertext) -> Result<(), Error> {
        match self.context.scheme() {
            Scheme::Ckks => self.drop_to_next(a),
            Scheme::Bfv | Scheme::Bgv => self.divide_to_next(a),
        }
    }

    fn divide_to_next(&self, a: &mut Ciphertext) -> Result<(), Error> {
        let level = self.context.level_in_scheme_form(a)?;
        let next = self.context.next_level(level).ok_or(Error::EndOfChain)?;
        divide_by_last(&self.context, a, next, self.context.allows_transparent())
    }

    fn drop_to_next(&self, a: &mut Ciphertext) -> Result<(), Error> {
        let level = self.context.level_of(a, "the ciphertext")?;
        let next = self.context.next_level(level).ok_or(Error::EndOfChain)?;
        if self.context.scheme() == Scheme::Ckks {
            check_scale(a.scale, next)?;
        }
        let kept = next.prime_count() * self.context.degree();
        let mut rest = a.polynomials().skip(1);
        if !self.context.allows_transparent() && rest.all(|polynomial| is_zero(&polynomial[..kept])) {
            return Err(Error::TransparentCiphertext);
        }
        keep_prefixes(&self.context, a, next);
        a.noise = a.noise.dropped(&self.context, next);
        Ok(())
    }
}

/// Divides a ciphertext one level above `next` by its last prime: scale and correction factor follow.
///
/// All polynomials but the first are divided aside, so that a transparent result is seen before anything changes.
pub(crate) fn divide_by_last(
    context: &Context,
    a: &mut Ciphertext,
    next: &Level,
    allow_transparent: bool,
) -> Result<(), Error> {
    let (size, words, kept) = (a.size(), a.polynomial_len(), next.prime_count() * context.degree());
    let mut rest = context.buffers().take((size - 1) * words);
    rest.copy_from_slice(&a.data[words..]);
    rest.chunks_exact_mut(words).for_each(|polynomial| divide_polynomial(context, next, polynomial));
    if !allow_transparent && rest.chunks_exact(words).all(|polynomial| is_zero(&polynomial[..kept])) {
        return Err(Error::TransparentCiphertext);
    }
    divide_polynomial(context, next, &mut a.data[..words]);
    for (index, polynomial) in rest.chunks_exact(words).enumerate() {
        a.data[(index + 1) * kept..(index + 2) * kept].copy_from_slice(&polynomial[..kept]);
    }
    settle(context, a, next, size);
    let last = level_above(context, next).divide_last().last().value();
    if context.scheme() == Scheme::Ckks {
        a.scale /= last as f64;
    }
    if context.scheme() == Scheme::Bgv {
        let plain_modulus = &next.message_scaling().plain_modulus;
        let inverse = plain_modulus.inverse_vartime(last).expect("checked parameters have coprime moduli");
        a.correction_factor = plain_modulus.mul(a.correction_factor, inverse);
    }
    a.noise = NoiseBound::divided(a.noise, context, next, size);
    Ok(())
}

/// Divides one polynomial by the prime that `next` does not have; the quotient is in its first limbs.
fn divide_polynomial(context: &Context, next: &Level, polynomial: &mut [u64]) {
    let divide = level_above(context, next).divide_last();
    let mut scratch = context.buffers().take(divide.scratch_len(context.degree()));
    match context.scheme() {
        Scheme::Bfv => divide.coefficients(polynomial),
        Scheme::Ckks => divide.ntt(context.tables(), polynomial, &mut scratch),
        Scheme::Bgv => {
            let plain_modulus = &next.message_scaling().plain_modulus;
            divide.ntt_mod_t(plain_modulus, context.tables(), polynomial, &mut scratch);
        }
    }
}

fn level_above<'a>(context: &'a Context, level: &Level) -> &'a Level {
    context.previous_level(level).expect("the caller came from the level above")
}

fn is_zero(words: &[u64]) -> bool {
    words.iter().all(|&word| word == 0)
}

/// Moves to the level `to`, keeping of each polynomial the limbs of the fewer primes.
fn keep_prefixes(context: &Context, a: &mut Ciphertext, to: &Level) {
    let (size, words, kept) = (a.size(), a.polynomial_len(), to.prime_count() * context.degree());
    for index in 1..size {
        a.data.copy_within(index * words..index * words + kept, index * kept);
    }
    settle(context, a, to, size);
}

/// Declares that the first words are `size` polynomials at the level `to`.
fn settle(context: &Context, a: &mut Ciphertext, to: &Level, size: usize) {
    a.data.resize(size * to.prime_count() * context.degree());
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
