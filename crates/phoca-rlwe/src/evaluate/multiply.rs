//! Products of ciphertexts.

use alloc::vec::Vec;

use phoca_ring::Modulus;

use super::{Evaluator, check_scale};
use crate::ciphertext::{Ciphertext, SIZE_RANGE};
use crate::context::Context;
use crate::error::Error;
use crate::keys::RelinKeys;
use crate::noise::NoiseBound;
use crate::params::Scheme;

mod scaled;

impl Evaluator {
    /// `a·b`: of sizes `s` and `r` comes a ciphertext of size `s + r − 1`.
    ///
    /// CKKS multiplies the scales, BGV the correction factors.
    ///
    /// # Errors
    ///
    /// [`Error::ParametersMismatch`], [`Error::LevelMismatch`] or [`Error::FormMismatch`] where the operands do not fit
    /// together; [`Error::SizeOutOfRange`] where the product has more than 16 polynomials; [`Error::ScaleOutOfRange`];
    /// [`Error::TransparentCiphertext`].
    pub fn multiply(&self, a: &Ciphertext, b: &Ciphertext) -> Result<Ciphertext, Error> {
        self.context.level_in_scheme_form(a)?;
        let level = self.common_level(a, b)?;
        let size = a.size() + b.size() - 1;
        if !SIZE_RANGE.contains(&size) {
            return Err(Error::SizeOutOfRange { expected: "products of at most 16", got: size });
        }
        let mut product = Ciphertext::unwritten(&self.context, level, size, a.ntt_form);
        match self.context.scheme() {
            Scheme::Bfv if core::ptr::eq(a, b) => scaled::square(&self.context, level, a, &mut product)?,
            Scheme::Bfv => scaled::product(&self.context, level, [a, b], &mut product)?,
            Scheme::Ckks => {
                product.scale = a.scale * b.scale;
                check_scale(product.scale, level)?;
                multiply_values(&self.context, a, b, &mut product);
            }
            Scheme::Bgv => {
                let plain_modulus = &level.message_scaling().plain_modulus;
                product.correction_factor = plain_modulus.mul(a.correction_factor, b.correction_factor);
                multiply_values(&self.context, a, b, &mut product);
            }
        }
        product.noise = NoiseBound::product(a, b, &self.context, level);
        self.finish(product)
    }

    /// `a = a·b`; otherwise as [`Evaluator::multiply`].
    ///
    /// # Errors
    ///
    /// As [`Evaluator::multiply`].
    pub fn multiply_assign(&self, a: &mut Ciphertext, b: &Ciphertext) -> Result<(), Error> {
        *a = self.multiply(a, b)?;
        Ok(())
    }

    /// `a²`: [`multiply`](Self::multiply)`(a, a)`, which sees that both are one object and does less work. For BFV the words
    /// and the noise differ a little from those of a product with a copy.
    ///
    /// # Errors
    ///
    /// As [`Evaluator::multiply`].
    pub fn square(&self, a: &Ciphertext) -> Result<Ciphertext, Error> {
        self.multiply(a, a)
    }

    /// `a = a²`; otherwise as [`Evaluator::square`].
    ///
    /// # Errors
    ///
    /// As [`Evaluator::multiply`].
    pub fn square_assign(&self, a: &mut Ciphertext) -> Result<(), Error> {
        *a = self.square(a)?;
        Ok(())
    }

    /// The product of all operands, each partial product relinearized: BFV and BGV. The products form a balanced tree, of
    /// least depth.
    ///
    /// # Errors
    ///
    /// [`Error::EmptyInput`]; [`Error::UnsupportedScheme`] for CKKS, whose scales need care between products; otherwise
    /// as [`Evaluator::multiply`] and [`Evaluator::relinearize`].
    pub fn multiply_many(&self, operands: &[Ciphertext], keys: &RelinKeys) -> Result<Ciphertext, Error> {
        if self.context.scheme() == Scheme::Ckks {
            return Err(Error::UnsupportedScheme { operation: "multiply_many", scheme: Scheme::Ckks });
        }
        if operands.is_empty() {
            return Err(Error::EmptyInput { operation: "multiply_many" });
        }
        let mut factors = operands.to_vec();
        while factors.len() > 1 {
            let pairs = factors.chunks(2).map(|pair| match pair {
                [a, b] => self.relinearize(&self.multiply(a, b)?, keys),
                rest => Ok(rest[0].clone()),
            });
            factors = pairs.collect::<Result<Vec<_>, _>>()?;
        }
        let product = factors.pop().ok_or(Error::EmptyInput { operation: "multiply_many" })?;
        self.context.level_of(&product, "the ciphertext")?;
        Ok(product)
    }

    /// `a^exponent`, relinearized: BFV and BGV, by squaring.
    ///
    /// # Errors
    ///
    /// [`Error::ZeroExponent`]; otherwise as [`Evaluator::multiply_many`].
    pub fn exponentiate(&self, a: &Ciphertext, exponent: u64, keys: &RelinKeys) -> Result<Ciphertext, Error> {
        if self.context.scheme() == Scheme::Ckks {
            return Err(Error::UnsupportedScheme { operation: "exponentiate", scheme: Scheme::Ckks });
        }
        if exponent == 0 {
            return Err(Error::ZeroExponent);
        }
        self.context.level_of(a, "the ciphertext")?;
        let mut square = a.clone();
        let mut power: Option<Ciphertext> = None;
        for bit in 0..=exponent.ilog2() {
            if bit > 0 {
                square = self.relinearize(&self.square(&square)?, keys)?;
            }
            if exponent >> bit & 1 == 1 {
                power = Some(match power {
                    None => square.clone(),
                    Some(power) => self.relinearize(&self.multiply(&power, &square)?, keys)?,
                });
            }
        }
        // The exponent has a bit.
        power.ok_or(Error::ZeroExponent)
    }

    /// `a = a^exponent`; otherwise as [`Evaluator::exponentiate`].
    ///
    /// # Errors
    ///
    /// As [`Evaluator::exponentiate`].
    pub fn exponentiate_assign(&self, a: &mut Ciphertext, exponent: u64, keys: &RelinKeys) -> Result<(), Error> {
        *a = self.exponentiate(a, exponent, keys)?;
        Ok(())
    }
}

/// The product of two ciphertexts in NTT form.
fn multiply_values(context: &Context, a: &Ciphertext, b: &Ciphertext, product: &mut Ciphertext) {
    let (degree, polynomial_len) = (product.degree, product.polynomial_len());
    context.workers().for_each_limb(&mut product.data, polynomial_len, degree, |index, out| {
        let modulus = context.tables()[index].modulus();
        let (a, b) =
            [a, b].map(|operand| operand.data.chunks_exact(degree).skip(index).step_by(operand.prime_count)).into();
        tensor(modulus, a, b, out.into_iter());
    });
}

/// `out_k = Σ_{i+j=k} a_i∘b_j` modulo one prime, residues in `[0, q)`, for at most 16 polynomials each.
fn tensor<'a, 'b>(
    modulus: &Modulus,
    a: impl Iterator<Item = &'a [u64]>,
    b: impl Iterator<Item = &'a [u64]>,
    mut out: impl Iterator<Item = &'b mut [u64]>,
) {
    let (mut left, mut right) = ([&[][..]; *SIZE_RANGE.end()], [&[][..]; *SIZE_RANGE.end()]);
    let a_size = left.iter_mut().zip(a).map(|(row, a)| *row = a).count();
    let b_size = right.iter_mut().zip(b).map(|(row, b)| *row = b).count();
    if (a_size, b_size) == (2, 2)
        && let (Some(out0), Some(out1), Some(out2)) = (out.next(), out.next(), out.next())
    {
        return modulus.tensor_into([out0, out1, out2], [left[0], left[1]], [right[0], right[1]]);
    }
    // With b backwards both factors of a sum go forwards.
    right[..b_size].reverse();
    for (k, out) in out.enumerate() {
        let (first, last) = (k.saturating_sub(b_size - 1), k.min(a_size - 1));
        let start = b_size - 1 + first - k;
        modulus.dot_into(out, &left[first..=last], &right[start..start + last + 1 - first]);
    }
}
