//! Sums of products, reduced once instead of once for each product.

use super::key_switch::Rows;
use super::{Evaluator, check_scale, scales_agree};
use crate::ciphertext::Ciphertext;
use crate::context::Level;
use crate::error::Error;
use crate::noise::NoiseBound;
use crate::params::Scheme;
use crate::plaintext::Plaintext;

impl Evaluator {
    /// `Σ_i a_i·b_i`, not relinearized: one relinearization then serves the whole sum.
    ///
    /// # Errors
    ///
    /// [`Error::EmptyInput`]; [`Error::CountMismatch`] unless there are as many `b` as `a`; otherwise as
    /// [`Evaluator::multiply`] and [`Evaluator::add`].
    pub fn dot_product(&self, a: &[Ciphertext], b: &[Ciphertext]) -> Result<Ciphertext, Error> {
        let (first, _) = self.check_dot(a, b.len())?;
        let level = self.context.level_in_scheme_form(first)?;
        let factor = |i: usize| {
            self.context.plain_ring().map(|plain| plain.modulus.mul(a[i].correction_factor, b[i].correction_factor))
        };
        let sizes_are_two = a.iter().chain(b).all(|operand| operand.size() == 2);
        let factors_agree = (1..a.len()).all(|i| factor(i) == factor(0));
        if self.context.scheme() == Scheme::Bfv || !sizes_are_two || !factors_agree {
            let mut sum = self.multiply(first, &b[0])?;
            a.iter().zip(b).skip(1).try_for_each(|(a, b)| self.add_assign(&mut sum, &self.multiply(a, b)?))?;
            return Ok(sum);
        }
        let scale = first.scale * b[0].scale;
        let mut noise = None;
        for (a, b) in a.iter().zip(b) {
            self.common_level(first, a)?;
            self.common_level(first, b)?;
            self.check_sum_of_scales(level, scale, a.scale * b.scale)?;
            noise = self.add_noise(noise, NoiseBound::product(a, b, &self.context, level));
        }
        let mut sum = Ciphertext::unwritten(&self.context, level, 3, true);
        let (degree, primes) = (self.context.degree(), level.prime_count());
        self.context.workers().for_each_piece(&mut sum.data, degree, |index, out| {
            let words = |half: usize| {
                let start = (half * primes + index % primes) * degree;
                start..start + degree
            };
            let pairs: &[(usize, usize)] = match index / primes {
                0 => &[(0, 0)],
                1 => &[(0, 1), (1, 0)],
                _ => &[(1, 1)],
            };
            let pairs = || a.iter().zip(b).flat_map(|operands| pairs.iter().map(move |halves| (operands, halves)));
            let left: Rows<'_> = pairs().map(|((a, _), halves)| &a.data[words(halves.0)]).collect();
            let right: Rows<'_> = pairs().map(|((_, b), halves)| &b.data[words(halves.1)]).collect();
            self.context.tables()[index % primes].modulus().dot_into(out, &left, &right);
        });
        sum.scale = scale;
        sum.correction_factor = factor(0).unwrap_or(1);
        sum.noise = noise.unwrap_or(NoiseBound::UNKNOWN);
        self.finish(sum)
    }

    /// `Σ_i a_i·plaintexts_i` for ciphertexts of two polynomials and plaintexts, all in NTT form at one level.
    ///
    /// # Errors
    ///
    /// [`Error::EmptyInput`]; [`Error::CountMismatch`] unless there are as many plaintexts as ciphertexts;
    /// [`Error::SizeOutOfRange`]; [`Error::FormMismatch`] outside of NTT form; otherwise as [`Evaluator::multiply_plain`] and
    /// [`Evaluator::add`].
    pub fn dot_product_plain(&self, a: &[Ciphertext], plaintexts: &[Plaintext]) -> Result<Ciphertext, Error> {
        let (first, level) = self.check_dot(a, plaintexts.len())?;
        let plain_scale =
            |plaintext: &Plaintext| if self.context.scheme() == Scheme::Ckks { plaintext.scale } else { 1.0 };
        let scale = first.scale * plain_scale(&plaintexts[0]);
        for (a, plaintext) in a.iter().zip(plaintexts) {
            self.common_level(first, a)?;
            self.check_same_level(level, plaintext)?;
            if a.size() != 2 {
                return Err(Error::SizeOutOfRange { expected: "2", got: a.size() });
            }
            if !a.ntt_form {
                return Err(Error::FormMismatch { operand: "the ciphertext", expected: "NTT", got: a.form() });
            }
        }
        if a.iter().any(|a| a.correction_factor != first.correction_factor) {
            let mut sum = self.multiply_plain(first, &plaintexts[0])?;
            let products = a.iter().zip(plaintexts).skip(1);
            products
                .map(|(a, plaintext)| self.multiply_plain(a, plaintext))
                .try_for_each(|product| self.add_assign(&mut sum, &product?))?;
            return Ok(sum);
        }
        let mut noise = None;
        for (a, plaintext) in a.iter().zip(plaintexts) {
            self.check_sum_of_scales(level, scale, a.scale * plain_scale(plaintext))?;
            noise = self.add_noise(noise, a.noise.times_plain(&self.context, level, plaintext));
        }
        let mut sum = Ciphertext::unwritten(&self.context, level, 2, true);
        let (degree, primes) = (self.context.degree(), level.prime_count());
        self.context.workers().for_each_piece(&mut sum.data, degree, |index, out| {
            let limb = index % primes * degree..(index % primes + 1) * degree;
            let left: Rows<'_> = a.iter().map(|a| &a.data[index * degree..(index + 1) * degree]).collect();
            let right: Rows<'_> = plaintexts.iter().map(|plaintext| &plaintext.words()[limb.clone()]).collect();
            self.context.tables()[index % primes].modulus().dot_into(out, &left, &right);
        });
        sum.scale = scale;
        sum.correction_factor = first.correction_factor;
        sum.noise = noise.unwrap_or(NoiseBound::UNKNOWN);
        self.finish(sum)
    }

    /// The first operand and its level, where there are operands and as many others.
    fn check_dot<'a>(&self, a: &'a [Ciphertext], others: usize) -> Result<(&'a Ciphertext, &Level), Error> {
        let first = a.first().ok_or(Error::EmptyInput { operation: "a dot product" })?;
        if a.len() != others {
            return Err(Error::CountMismatch { left: a.len(), right: others });
        }
        Ok((first, self.context.level_of(first, "the first ciphertext")?))
    }

    /// Checks that a term of this scale can be added at `scale`, and that the sum fits.
    fn check_sum_of_scales(&self, level: &Level, scale: f64, term: f64) -> Result<(), Error> {
        if !scales_agree(scale, term) {
            return Err(Error::ScaleMismatch { left: scale, right: term });
        }
        if self.context.scheme() == Scheme::Ckks {
            check_scale(scale, level)?;
        }
        Ok(())
    }

    fn add_noise(&self, sum: Option<NoiseBound>, term: NoiseBound) -> Option<NoiseBound> {
        Some(sum.map_or(term, |sum| NoiseBound::sum(&self.context, sum, term)))
    }
}
