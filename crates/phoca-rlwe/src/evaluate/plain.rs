//! Ciphertexts with plaintexts.

use phoca_ring::Modulus;

use super::{Evaluator, check_scale, scales_agree};
use crate::ciphertext::Ciphertext;
use crate::context::{Context, Level};
use crate::encrypt::scaling;
use crate::error::Error;
use crate::params::Scheme;
use crate::plaintext::Plaintext;

impl Evaluator {
    /// `a + plaintext`.
    ///
    /// BFV and BGV take plaintexts in coefficient form; BGV also in NTT form at the ciphertext's level. CKKS takes them at the
    /// ciphertext's level and scale.
    ///
    /// # Errors
    ///
    /// [`Error::LevelMismatch`], [`Error::FormMismatch`], [`Error::ScaleMismatch`], [`Error::TooManyValues`] or
    /// [`Error::ValueOutOfRange`] where the operands do not fit together or the context;
    /// [`Error::TransparentCiphertext`].
    pub fn add_plain(&self, a: &Ciphertext, plaintext: &Plaintext) -> Result<Ciphertext, Error> {
        let mut sum = a.clone();
        self.add_plain_assign(&mut sum, plaintext)?;
        Ok(sum)
    }

    /// `a = a + plaintext`; otherwise as [`Evaluator::add_plain`].
    ///
    /// # Errors
    ///
    /// As [`Evaluator::add_plain`].
    pub fn add_plain_assign(&self, a: &mut Ciphertext, plaintext: &Plaintext) -> Result<(), Error> {
        self.combine_plain(a, plaintext, scaling::add_scaled, Modulus::add_assign)
    }

    /// `a − plaintext`; otherwise as [`Evaluator::add_plain`].
    ///
    /// # Errors
    ///
    /// As [`Evaluator::add_plain`].
    pub fn sub_plain(&self, a: &Ciphertext, plaintext: &Plaintext) -> Result<Ciphertext, Error> {
        let mut difference = a.clone();
        self.sub_plain_assign(&mut difference, plaintext)?;
        Ok(difference)
    }

    /// `a = a − plaintext`; otherwise as [`Evaluator::add_plain`].
    ///
    /// # Errors
    ///
    /// As [`Evaluator::add_plain`].
    pub fn sub_plain_assign(&self, a: &mut Ciphertext, plaintext: &Plaintext) -> Result<(), Error> {
        self.combine_plain(a, plaintext, scaling::sub_scaled, Modulus::sub_assign)
    }

    /// `a·plaintext`.
    ///
    /// The plaintext may be in coefficient form (BFV, BGV) or in NTT form at the ciphertext's level. A BFV ciphertext may be
    /// in NTT form too, where the plaintext is: this saves the transforms when many products are summed. A plaintext with a
    /// single coefficient that is not zero takes no transforms, so the time tells those apart; nothing else in it depends on
    /// the coefficients.
    ///
    /// # Errors
    ///
    /// [`Error::ScaleOutOfRange`]; [`Error::TransparentCiphertext`] where the plaintext is zero; otherwise as
    /// [`Evaluator::add_plain`].
    pub fn multiply_plain(&self, a: &Ciphertext, plaintext: &Plaintext) -> Result<Ciphertext, Error> {
        let mut product = a.clone();
        self.multiply_plain_assign(&mut product, plaintext)?;
        Ok(product)
    }

    /// `a = a·plaintext`; otherwise as [`Evaluator::multiply_plain`].
    ///
    /// # Errors
    ///
    /// As [`Evaluator::multiply_plain`].
    pub fn multiply_plain_assign(&self, a: &mut Ciphertext, plaintext: &Plaintext) -> Result<(), Error> {
        let level = self.context.level_of(a, "the ciphertext")?;
        if plaintext.is_ntt_form() {
            self.check_same_level(level, plaintext)?;
            let mut scale = a.scale;
            if self.context.scheme() == Scheme::Ckks {
                scale *= plaintext.scale;
                check_scale(scale, level)?;
            }
            self.multiply_by(level, a, plaintext)?;
            a.scale = scale;
            return Ok(());
        }
        self.context.require_plain_ring("multiplication by a plaintext in coefficient form")?;
        self.context.check_coefficients(plaintext)?;
        match single_coefficient(plaintext) {
            Some((power, coefficient)) if level.has_fast_plain_lift() && (power == 0 || !a.ntt_form) => {
                self.refuse_transparent(a)?;
                self.multiply_monomial(a, power, coefficient);
                a.noise = a.noise.times_plain(&self.context, level, plaintext);
                a.seed = None;
                Ok(())
            }
            _ => self.multiply_by(level, a, &self.plain_to_ntt(plaintext, level.parms_id())?),
        }
    }

    /// `a = a·plaintext` but for the scale, for a plaintext in NTT form at the level of `a`.
    fn multiply_by(&self, level: &Level, a: &mut Ciphertext, plaintext: &Plaintext) -> Result<(), Error> {
        if self.context.allows_transparent() || self.stays_opaque(a, plaintext.words()) {
            self.multiply_ntt(a, plaintext.words());
        } else {
            let mut product = a.clone();
            self.multiply_ntt(&mut product, plaintext.words());
            *a = self.finish(product)?;
        }
        a.noise = a.noise.times_plain(&self.context, level, plaintext);
        a.seed = None;
        Ok(())
    }

    /// Whether a product with `words` in NTT form surely is not transparent: there is a prime for which no word is zero,
    /// so that only zero has the product zero, and not all parts of `a` but the first are zero.
    fn stays_opaque(&self, a: &Ciphertext, words: &[u64]) -> bool {
        let degree = self.context.degree();
        words.chunks_exact(degree).enumerate().any(|(limb, factor)| {
            let mut parts = a.polynomials().skip(1).flat_map(|part| &part[limb * degree..(limb + 1) * degree]);
            // Without an early exit, so that it vectorises.
            parts.any(|&word| word != 0) && factor.iter().fold(true, |nonzero, &word| nonzero & (word != 0))
        })
    }

    /// `a = a·coefficient·X^power` for a coefficient in `(0, t)`, in coefficient form or with `power` 0.
    fn multiply_monomial(&self, a: &mut Ciphertext, power: usize, coefficient: u64) {
        let (degree, plain_modulus) = (self.context.degree(), self.context.plain_modulus());
        let tables = self.context.tables()[..a.prime_count].iter().cycle();
        for (limb, table) in a.data.chunks_exact_mut(degree).zip(tables) {
            let modulus = table.modulus();
            let mut factor = [0];
            modulus.lift_centered_into(&mut factor, &[coefficient], plain_modulus);
            modulus.mul_scalar_assign(limb, modulus.shoup(factor[0]));
            limb.rotate_right(power);
            modulus.negate_assign(&mut limb[..power]);
        }
    }

    /// Multiplies each polynomial by words in NTT form; polynomials in coefficient form go there and back.
    fn multiply_ntt(&self, a: &mut Ciphertext, words: &[u64]) {
        let degree = self.context.degree();
        let tables = &self.context.tables()[..a.prime_count];
        let ntt_form = a.ntt_form;
        for polynomial in a.polynomials_mut() {
            let limbs = polynomial.chunks_exact_mut(degree).zip(words.chunks_exact(degree));
            for (table, (limb, factor)) in tables.iter().zip(limbs) {
                if ntt_form {
                    table.modulus().mul_assign(limb, factor);
                } else {
                    table.forward(limb);
                    table.modulus().mul_assign(limb, factor);
                    table.inverse(limb);
                }
            }
        }
    }

    /// Adds to or subtracts from `c_0`: `scaled` serves BFV, `limb` the others.
    fn combine_plain(
        &self,
        a: &mut Ciphertext,
        plaintext: &Plaintext,
        scaled: impl Fn(&Context, &Level, &[u64], &mut [u64]),
        limb: impl Fn(&Modulus, &mut [u64], &[u64]),
    ) -> Result<(), Error> {
        let level = self.context.level_in_scheme_form(a)?;
        self.refuse_transparent(a)?;
        let words = a.polynomial_len();
        match self.context.scheme() {
            Scheme::Bfv => {
                self.context.check_coefficients(plaintext)?;
                scaled(&self.context, level, plaintext.words(), &mut a.data[..words]);
            }
            Scheme::Ckks => {
                self.check_same_level(level, plaintext)?;
                if !scales_agree(a.scale, plaintext.scale) {
                    return Err(Error::ScaleMismatch { left: a.scale, right: plaintext.scale });
                }
                self.combine_limbs(&mut a.data[..words], plaintext.words(), limb);
            }
            Scheme::Bgv => self.combine_corrected(level, a, plaintext, limb)?,
        }
        a.noise = a.noise.plus_plain(&self.context, level, plaintext, a.correction_factor);
        Ok(())
    }

    fn combine_limbs(&self, target: &mut [u64], words: &[u64], limb: impl Fn(&Modulus, &mut [u64], &[u64])) {
        let degree = self.context.degree();
        let limbs = target.chunks_exact_mut(degree).zip(words.chunks_exact(degree));
        for (table, (target, words)) in self.context.tables().iter().zip(limbs) {
            limb(table.modulus(), target, words);
        }
    }

    /// Combines `c_0` with a BGV plaintext times the correction factor.
    fn combine_corrected(
        &self,
        level: &Level,
        a: &mut Ciphertext,
        plaintext: &Plaintext,
        limb: impl Fn(&Modulus, &mut [u64], &[u64]),
    ) -> Result<(), Error> {
        let plain_modulus = level.message_scaling().plain_modulus;
        let words = a.polynomial_len();
        let mut message = self.context.buffers().take(plaintext.len());
        if plaintext.is_ntt_form() {
            self.check_same_level(level, plaintext)?;
            let limbs = message.chunks_exact_mut(self.context.degree());
            let sources = plaintext.words().chunks_exact(self.context.degree());
            for (modulus, (out, words)) in level.moduli().iter().zip(limbs.zip(sources)) {
                let factor = modulus.reduce_i64(plain_modulus.centered(a.correction_factor));
                modulus.mul_scalar_into(out, words, modulus.shoup(factor));
            }
            self.combine_limbs(&mut a.data[..words], &message, limb);
        } else {
            self.context.check_coefficients(plaintext)?;
            plain_modulus.mul_scalar_into(&mut message, plaintext.words(), plain_modulus.shoup(a.correction_factor));
            scaling::combine_lifted(&self.context, &message, &mut a.data[..words], limb);
        }
        message.wipe();
        Ok(())
    }

    /// Checks that a plaintext in NTT form is at `level`.
    pub(super) fn check_same_level(&self, level: &Level, plaintext: &Plaintext) -> Result<(), Error> {
        let own = self.context.check_ntt_plaintext(plaintext)?;
        match own.parms_id() == level.parms_id() {
            true => Ok(()),
            false => Err(Error::LevelMismatch { left: level.chain_index(), right: own.chain_index() }),
        }
    }
}

/// The place and the value of the only coefficient that is not zero.
fn single_coefficient(plaintext: &Plaintext) -> Option<(usize, u64)> {
    let mut nonzero = plaintext.words().iter().enumerate().filter(|&(_, &word)| word != 0);
    let (power, &coefficient) = nonzero.next()?;
    nonzero.next().is_none().then_some((power, coefficient))
}
