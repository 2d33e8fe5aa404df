//! Down the modulus chain: modulus switching, rescaling and dropping primes.
//!
//! BFV and BGV `mod_switch` and CKKS `rescale` divide by the last prime, with rounding, which also divides the noise. CKKS
//! `mod_switch` and `mod_reduce` of any scheme drop the last prime and keep the value as it is.

use phoca_ring::rns::Division;
use smallvec::SmallVec;

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
        match self.context.scheme() {
            Scheme::Ckks => self.drop_to_next(a),
            Scheme::Bfv | Scheme::Bgv => self.divide_to_next(a),
        }
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
        self.step_to(a, level, divides, |a| self.mod_switch_to_next(a))
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
        self.drop_to_next(a)
    }

    /// `a = ` [`mod_reduce_to_next`](Self::mod_reduce_to_next)`(a)`.
    ///
    /// # Errors
    ///
    /// As [`Evaluator::mod_reduce_to_next`].
    pub fn mod_reduce_to_next_assign(&self, a: &mut Ciphertext) -> Result<(), Error> {
        *a = self.drop_to_next(a)?;
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
        self.divide_to_next(a)
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
        step: impl Fn(&Ciphertext) -> Result<Ciphertext, Error>,
    ) -> Result<Ciphertext, Error> {
        let from = self.context.level_of(a, "the ciphertext")?;
        let to = self.context.level(level, "the target level")?;
        check_downward(from, to)?;
        if self.context.scheme() == Scheme::Ckks && !divides {
            check_scale(a.scale, to)?;
        }
        let mut result = a.clone();
        while result.parms_id != level {
            result = step(&result)?;
        }
        Ok(result)
    }

    fn divide_to_next(&self, a: &Ciphertext) -> Result<Ciphertext, Error> {
        let level = self.context.level_in_scheme_form(a)?;
        let next = self.context.next_level(level).ok_or(Error::EndOfChain)?;
        self.finish(divide_by_last(&self.context, a, next))
    }

    fn drop_to_next(&self, a: &Ciphertext) -> Result<Ciphertext, Error> {
        let level = self.context.level_of(a, "the ciphertext")?;
        let next = self.context.next_level(level).ok_or(Error::EndOfChain)?;
        if self.context.scheme() == Scheme::Ckks {
            check_scale(a.scale, next)?;
        }
        let mut result = Ciphertext::unwritten(&self.context, next, a.size(), a.ntt_form);
        for (kept, polynomial) in result.polynomials_mut().zip(a.polynomials()) {
            kept.copy_from_slice(&polynomial[..kept.len()]);
        }
        result.scale = a.scale;
        result.correction_factor = a.correction_factor;
        result.noise = a.noise.dropped(&self.context, next);
        self.finish(result)
    }
}

/// Divides a ciphertext one level above `next` by its last prime: scale and correction factor follow.
pub(crate) fn divide_by_last(context: &Context, a: &Ciphertext, next: &Level) -> Ciphertext {
    let division = context.previous_level(next).expect("the caller came from the level above").divide_last();
    let (degree, kept) = (context.degree(), next.prime_count() * context.degree());
    let mut digits = context.buffers().take(a.size() * degree);
    context.workers().for_each_piece(&mut digits, degree, |index, digits| {
        digits.copy_from_slice(&a.data[index * a.polynomial_len() + kept..][..degree]);
        if a.ntt_form {
            context.tables()[next.prime_count()].inverse(digits);
        }
        division.digits(digits);
    });
    let mut result = Ciphertext::unwritten(context, next, a.size(), a.ntt_form);
    let dividends: Dividends<'_> = a.polynomials().zip(digits.chunks_exact(degree)).collect();
    quotients(context, division, a.ntt_form, &dividends, &mut result.data);
    result.scale = a.scale;
    result.correction_factor = a.correction_factor;
    result.noise = a.noise;
    settle_division(context, &mut result, next);
    result
}

/// What the division by the prime that `next` does not have does to the scale, the correction factor and the noise.
pub(super) fn settle_division(context: &Context, result: &mut Ciphertext, next: &Level) {
    let last = context.tables()[next.prime_count()].modulus().value();
    match context.scheme() {
        Scheme::Bfv => {}
        Scheme::Ckks => result.scale /= last as f64,
        Scheme::Bgv => {
            let plain_modulus = &next.message_scaling().plain_modulus;
            let inverse = plain_modulus.inverse_vartime(last).expect("checked parameters have coprime moduli");
            result.correction_factor = plain_modulus.mul(result.correction_factor, inverse);
        }
    }
    result.noise = NoiseBound::divided(result.noise, context, next, result.size());
}

/// Polynomials to divide: of each the limbs that remain, which others may follow, and the digits of those that do not.
pub(super) type Dividends<'a> = SmallVec<[(&'a [u64], &'a [u64]); 16]>;

/// Quotients of polynomials, one after another in `out`, limb by limb.
pub(super) fn quotients(
    context: &Context,
    division: &Division,
    ntt_form: bool,
    dividends: &[(&[u64], &[u64])],
    out: &mut [u64],
) {
    let (degree, limbs) = (context.degree(), division.remaining_len());
    context.workers().for_each_piece(out, degree, |index, out| {
        let (polynomial, j) = (index / limbs, index % limbs);
        let (values, digits) = dividends[polynomial];
        let values = &values[j * degree..(j + 1) * degree];
        let table = ntt_form.then(|| &context.tables()[j]);
        let mut scratch = context.buffers().take(if ntt_form { division.scratch_len(degree) } else { 0 });
        division.limb_into(j, table, digits, values, out, &mut scratch);
    });
}

fn check_downward(from: &Level, to: &Level) -> Result<(), Error> {
    match from.chain_index() >= to.chain_index() {
        true => Ok(()),
        false => Err(Error::CannotRaiseLevel { from: from.chain_index(), to: to.chain_index() }),
    }
}
