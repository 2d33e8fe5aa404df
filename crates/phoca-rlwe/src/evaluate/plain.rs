//! Ciphertexts with plaintexts.

use alloc::borrow::Cow;

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
        let level = self.context.level_of(a, "the ciphertext")?;
        let scale = self.scale_of_product(level, a, plaintext)?;
        let mut product = match self.plain_factor(level, a, plaintext)? {
            PlainFactor::Monomial(power, coefficient) => {
                let mut product = a.clone();
                self.multiply_monomial(&mut product, power, coefficient);
                product.noise = a.noise.times_plain(&self.context, level, plaintext);
                product
            }
            PlainFactor::Values(plaintext) => self.product_with(level, a, &plaintext)?,
        };
        (product.scale, product.seed) = (scale, None);
        Ok(product)
    }

    /// `a = a·plaintext`; otherwise as [`Evaluator::multiply_plain`].
    ///
    /// # Errors
    ///
    /// As [`Evaluator::multiply_plain`].
    pub fn multiply_plain_assign(&self, a: &mut Ciphertext, plaintext: &Plaintext) -> Result<(), Error> {
        let level = self.context.level_of(a, "the ciphertext")?;
        let scale = self.scale_of_product(level, a, plaintext)?;
        match self.plain_factor(level, a, plaintext)? {
            PlainFactor::Monomial(power, coefficient) => {
                self.multiply_monomial(a, power, coefficient);
                a.noise = a.noise.times_plain(&self.context, level, plaintext);
            }
            PlainFactor::Values(plaintext) if a.ntt_form && self.stays_opaque(a, plaintext.words()) => {
                self.multiply_values(a, plaintext.words());
                a.noise = a.noise.times_plain(&self.context, level, &plaintext);
            }
            PlainFactor::Values(plaintext) => *a = self.product_with(level, a, &plaintext)?,
        }
        (a.scale, a.seed) = (scale, None);
        Ok(())
    }

    /// The scale of `a·plaintext`.
    fn scale_of_product(&self, level: &Level, a: &Ciphertext, plaintext: &Plaintext) -> Result<f64, Error> {
        if !plaintext.is_ntt_form() || self.context.scheme() != Scheme::Ckks {
            return Ok(a.scale);
        }
        self.check_same_level(level, plaintext)?;
        let scale = a.scale * plaintext.scale;
        check_scale(scale, level)?;
        Ok(scale)
    }

    /// How to multiply `a` by a plaintext.
    fn plain_factor<'p>(
        &self,
        level: &Level,
        a: &Ciphertext,
        plaintext: &'p Plaintext,
    ) -> Result<PlainFactor<'p>, Error> {
        if plaintext.is_ntt_form() {
            self.check_same_level(level, plaintext)?;
            return Ok(PlainFactor::Values(Cow::Borrowed(plaintext)));
        }
        self.context.require_plain_ring("multiplication by a plaintext in coefficient form")?;
        self.context.check_coefficients(plaintext)?;
        match single_coefficient(plaintext) {
            Some((power, coefficient)) if level.has_fast_plain_lift() && (power == 0 || !a.ntt_form) => {
                self.refuse_transparent(a)?;
                Ok(PlainFactor::Monomial(power, coefficient))
            }
            _ => Ok(PlainFactor::Values(Cow::Owned(self.plain_to_ntt(plaintext, level.parms_id())?))),
        }
    }

    /// `a·plaintext` but for the scale, for a plaintext in NTT form at the level of `a`.
    fn product_with(&self, level: &Level, a: &Ciphertext, plaintext: &Plaintext) -> Result<Ciphertext, Error> {
        let mut product = Ciphertext {
            correction_factor: a.correction_factor,
            noise: a.noise.times_plain(&self.context, level, plaintext),
            ..Ciphertext::unwritten(&self.context, level, a.size(), a.ntt_form)
        };
        let degree = self.context.degree();
        let mut transformed = self.context.buffers().take(if a.ntt_form { 0 } else { degree });
        let factors = self.context.tables()[..a.prime_count].iter().zip(plaintext.words().chunks_exact(degree)).cycle();
        let limbs = product.data.chunks_exact_mut(degree).zip(a.words().chunks_exact(degree));
        for ((out, limb), (table, factor)) in limbs.zip(factors) {
            let modulus = table.modulus();
            if a.ntt_form {
                modulus.mul_into(out, limb, factor);
            } else {
                table.forward_lazy_from(&mut transformed, limb, modulus.value(), 0);
                modulus.dot_into(out, &[&transformed], &[factor]);
                table.inverse(out);
            }
        }
        self.finish(product)
    }

    /// Whether a product with `words` in NTT form may be made in place: surely it is not transparent, or that is allowed.
    ///
    /// It is not where there is a prime for which no word is zero, so that only zero has the product zero, and not all
    /// parts of `a` but the first are zero.
    fn stays_opaque(&self, a: &Ciphertext, words: &[u64]) -> bool {
        let degree = self.context.degree();
        let opaque = |(limb, factor): (usize, &[u64])| {
            let mut parts = a.polynomials().skip(1).flat_map(|part| &part[limb * degree..(limb + 1) * degree]);
            // Without an early exit, so that it vectorises.
            parts.any(|&word| word != 0) && factor.iter().fold(true, |nonzero, &word| nonzero & (word != 0))
        };
        self.context.allows_transparent() || words.chunks_exact(degree).enumerate().any(opaque)
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

    /// Multiplies each polynomial, in NTT form, by words in NTT form.
    fn multiply_values(&self, a: &mut Ciphertext, words: &[u64]) {
        let degree = self.context.degree();
        let factors = self.context.tables()[..a.prime_count].iter().zip(words.chunks_exact(degree)).cycle();
        for (limb, (table, factor)) in a.data.chunks_exact_mut(degree).zip(factors) {
            table.modulus().mul_assign(limb, factor);
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
            scaling::combine_transformed(&self.context, &plain_modulus, &message, &mut a.data[..words], limb);
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

/// What a plaintext multiplies by.
enum PlainFactor<'p> {
    /// A power of `X` and its coefficient in `(0, t)`.
    Monomial(usize, u64),
    /// A plaintext in NTT form at the ciphertext's level.
    Values(Cow<'p, Plaintext>),
}

/// The place and the value of the only coefficient that is not zero.
fn single_coefficient(plaintext: &Plaintext) -> Option<(usize, u64)> {
    let mut nonzero = plaintext.words().iter().enumerate().filter(|&(_, &word)| word != 0);
    let (power, &coefficient) = nonzero.next()?;
    nonzero.next().is_none().then_some((power, coefficient))
}
