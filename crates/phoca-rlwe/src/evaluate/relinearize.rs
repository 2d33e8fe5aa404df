//! Relinearization, and the operations that end with it.

use phoca_ring::Buffer;
use smallvec::SmallVec;

use super::Evaluator;
use super::key_switch::Sums;
use super::levels::{divide_by_last, settle_division};
use crate::ciphertext::Ciphertext;
use crate::context::Level;
use crate::error::Error;
use crate::keys::{KeySwitchKey, RelinKeys};
use crate::noise::NoiseBound;
use crate::params::{ParmsId, Scheme};

impl Evaluator {
    /// The same value in two polynomials, with the keys for `s²` and up.
    ///
    /// # Errors
    ///
    /// [`Error::KeySwitchingUnsupported`] without a special prime; [`Error::MissingRelinKey`] where the ciphertext has
    /// more polynomials than the keys serve; [`Error::KeySwitchingAtKeyLevel`] above the first data level;
    /// [`Error::ParametersMismatch`] where an operand belongs to other parameters.
    pub fn relinearize(&self, a: &Ciphertext, keys: &RelinKeys) -> Result<Ciphertext, Error> {
        let level = self.context.level_in_scheme_form(a)?;
        self.relinearize_at(level, a, keys, None)
    }

    /// `a = ` [`relinearize`](Self::relinearize)`(a, keys)`.
    ///
    /// # Errors
    ///
    /// As [`Evaluator::relinearize`].
    pub fn relinearize_assign(&self, a: &mut Ciphertext, keys: &RelinKeys) -> Result<(), Error> {
        *a = self.relinearize(a, keys)?;
        Ok(())
    }

    /// CKKS: relinearizes and rescales at once, with one rounding and `2l` transforms fewer than in two steps at `l`
    /// primes.
    ///
    /// # Errors
    ///
    /// As [`Evaluator::relinearize`] and [`Evaluator::rescale_to_next`].
    pub fn relinearize_rescale(&self, a: &Ciphertext, keys: &RelinKeys) -> Result<Ciphertext, Error> {
        self.require_scheme(Scheme::Ckks, "rescaling")?;
        self.relinearize_to_next(a, keys)
    }

    /// BFV and BGV: relinearizes and switches to the next level at once, with one rounding instead of two.
    ///
    /// # Errors
    ///
    /// [`Error::UnsupportedScheme`] for CKKS; otherwise as [`Evaluator::relinearize`] and
    /// [`Evaluator::mod_switch_to_next`].
    pub fn relinearize_mod_switch(&self, a: &Ciphertext, keys: &RelinKeys) -> Result<Ciphertext, Error> {
        self.context.require_plain_ring("relinearize_mod_switch")?;
        self.relinearize_to_next(a, keys)
    }

    /// `a·b`, relinearized.
    ///
    /// # Errors
    ///
    /// As [`Evaluator::multiply`] and [`Evaluator::relinearize`].
    pub fn multiply_relinearize(&self, a: &Ciphertext, b: &Ciphertext, keys: &RelinKeys) -> Result<Ciphertext, Error> {
        self.relinearize(&self.multiply(a, b)?, keys)
    }

    /// CKKS: `a·b`, relinearized and rescaled, in `l² + 3l + 2` transforms at `l` primes.
    ///
    /// # Errors
    ///
    /// As [`Evaluator::multiply`] and [`Evaluator::relinearize_rescale`].
    pub fn multiply_relinearize_rescale(
        &self,
        a: &Ciphertext,
        b: &Ciphertext,
        keys: &RelinKeys,
    ) -> Result<Ciphertext, Error> {
        self.require_scheme(Scheme::Ckks, "rescaling")?;
        self.relinearize_to_next(&self.multiply(a, b)?, keys)
    }

    /// BFV and BGV: `a·b`, relinearized and switched to the next level; in BGV in `l² + 3l + 2` transforms at `l` primes.
    ///
    /// # Errors
    ///
    /// As [`Evaluator::multiply`] and [`Evaluator::relinearize_mod_switch`].
    pub fn multiply_relinearize_mod_switch(
        &self,
        a: &Ciphertext,
        b: &Ciphertext,
        keys: &RelinKeys,
    ) -> Result<Ciphertext, Error> {
        self.relinearize_mod_switch(&self.multiply(a, b)?, keys)
    }

    fn relinearize_to_next(&self, a: &Ciphertext, keys: &RelinKeys) -> Result<Ciphertext, Error> {
        let level = self.context.level_in_scheme_form(a)?;
        let next = self.context.next_level(level).ok_or(Error::EndOfChain)?;
        self.relinearize_at(level, a, keys, Some(next))
    }

    /// Relinearizes at `level` and, where `next` is given, divides by the prime that it does not have.
    fn relinearize_at(
        &self,
        level: &Level,
        a: &Ciphertext,
        keys: &RelinKeys,
        next: Option<&Level>,
    ) -> Result<Ciphertext, Error> {
        if a.size() == 2 {
            self.context.check_key_level(keys.parms_id(), "the relinearization keys")?;
            return next.map_or_else(|| Ok(a.clone()), |next| self.finish(divide_by_last(&self.context, a, next)));
        }
        self.check_switching(keys.parms_id(), "the relinearization keys")?;
        let powers: SmallVec<[&KeySwitchKey; 2]> =
            (2..a.size()).map(|power| keys.key(power)).collect::<Result<_, _>>()?;
        powers.iter().try_for_each(|key| key.prepare(&self.context, level))?;
        let words = a.polynomial_len();
        let mut partial: Option<Buffer> = None;
        let mut result = self.switched_from(a, level, next.unwrap_or(level));
        for (power, key) in powers.into_iter().enumerate().rev() {
            let sums = Sums::of(&self.context, level, &a.data[(power + 2) * words..(power + 3) * words], key);
            let added = partial.as_deref().unwrap_or(&a.data[..2 * words]).split_at(words);
            let added = [Some(added.0), Some(added.1)];
            match next {
                _ if power > 0 => {
                    let mut sum = self.context.buffers().take(2 * words);
                    sums.divide(added, &mut sum);
                    partial = Some(sum);
                    result.noise = NoiseBound::key_switched(result.noise, &self.context, level);
                }
                None => sums.divide(added, &mut result.data),
                Some(next) => {
                    sums.divide_and_rescale(added, &mut result.data);
                    settle_division(&self.context, &mut result, next);
                }
            }
        }
        self.finish(result)
    }

    /// Checks that key switching exists and that keys are of this context.
    pub(super) fn check_switching(&self, keys: ParmsId, object: &'static str) -> Result<(), Error> {
        if !self.context.supports_key_switching() {
            return Err(Error::KeySwitchingUnsupported);
        }
        self.context.check_key_level(keys, object)
    }
}
