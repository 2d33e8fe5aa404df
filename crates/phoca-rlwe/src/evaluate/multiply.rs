//! Products of ciphertexts.

use alloc::vec::Vec;

use phoca_ring::{Modulus, NttTables};

use super::{Evaluator, check_scale};
use crate::ciphertext::{Ciphertext, SIZE_RANGE};
use crate::context::Level;
use crate::error::Error;
use crate::keys::RelinKeys;
use crate::noise::NoiseBound;
use crate::params::Scheme;

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
            Scheme::Bfv => self.multiply_scaled(level, a, b, &mut product)?,
            Scheme::Ckks => {
                product.scale = a.scale * b.scale;
                check_scale(product.scale, level)?;
                multiply_values(&self.context.tables()[..level.prime_count()], a, b, &mut product);
            }
            Scheme::Bgv => {
                let plain_modulus = &level.message_scaling().plain_modulus;
                product.correction_factor = plain_modulus.mul(a.correction_factor, b.correction_factor);
                multiply_values(&self.context.tables()[..level.prime_count()], a, b, &mut product);
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

    /// `a²`: as [`multiply`](Self::multiply)`(a, a)`, with less work.
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

    /// BFV: `round(t/q·a·b)`, with the product over the integers (Halevi–Polyakov–Shoup, ePrint 2018/117, section 4).
    ///
    /// Operands are lifted, centred, to a second basis `p` in which the product fits beside `q`; the tensor product is
    /// formed in both; the rounded quotient is found in `p` and brought back to `q`.
    fn multiply_scaled(
        &self,
        level: &Level,
        a: &Ciphertext,
        b: &Ciphertext,
        product: &mut Ciphertext,
    ) -> Result<(), Error> {
        let degree = self.context.degree();
        let multiplier = level.multiplier(degree)?;
        let tables = &self.context.tables()[..level.prime_count()];
        let (q_words, p_words) = (tables.len() * degree, multiplier.tables.len() * degree);
        let pool = self.context.buffers();
        let operands = if core::ptr::eq(a, b) { &[a][..] } else { &[a, b] };
        let count: usize = operands.iter().map(|operand| operand.size()).sum();
        let mut lifted = pool.take(count * p_words);
        let scratch_len = multiplier.rounder.scratch_len(degree).max(multiplier.from_auxiliary.scratch_len(degree));
        let mut scratch = pool.take(scratch_len.max(multiplier.to_auxiliary.scratch_len(degree)));
        let polynomials = || operands.iter().flat_map(|operand| operand.polynomials());
        for (polynomial, lifted) in polynomials().zip(lifted.chunks_exact_mut(p_words)) {
            multiplier.to_auxiliary.convert_centered(polynomial, lifted, &mut scratch);
        }
        // One limb at a time: it stays in the cache from the coefficients of the operands to those of the product.
        let mut product_p = pool.take(product.size() * p_words);
        let mut values = pool.take(count * degree);
        for (index, table) in tables.iter().enumerate() {
            for (values, polynomial) in values.chunks_exact_mut(degree).zip(polynomials()) {
                values.copy_from_slice(&polynomial[index * degree..(index + 1) * degree]);
            }
            let operands = Limb { start: 0, degree, words: degree };
            let limb = Limb { start: index * degree, degree, words: q_words };
            multiply_limb(table, (&mut values, operands, a.size()), (&mut product.data, limb));
        }
        for (index, table) in multiplier.tables.iter().enumerate() {
            let limb = Limb { start: index * degree, degree, words: p_words };
            multiply_limb(table, (&mut lifted, limb, a.size()), (&mut product_p, limb));
        }
        let mut rounded = pool.take(p_words);
        for (q, p) in product.data.chunks_exact_mut(q_words).zip(product_p.chunks_exact(p_words)) {
            multiplier.rounder.round_to_auxiliary(q, p, &mut rounded, &mut scratch);
            multiplier.from_auxiliary.convert_centered(&rounded, q, &mut scratch);
        }
        Ok(())
    }
}

/// One limb of each polynomial in a buffer of polynomials.
#[derive(Clone, Copy)]
struct Limb {
    start: usize,
    degree: usize,
    /// The words of a polynomial, all limbs together.
    words: usize,
}

impl Limb {
    fn of_each(self, polynomials: &[u64]) -> impl Iterator<Item = &[u64]> {
        polynomials.chunks_exact(self.words).map(move |polynomial| &polynomial[self.start..self.start + self.degree])
    }

    fn of_each_mut(self, polynomials: &mut [u64]) -> impl Iterator<Item = &mut [u64]> {
        polynomials
            .chunks_exact_mut(self.words)
            .map(move |polynomial| &mut polynomial[self.start..self.start + self.degree])
    }
}

/// The product of two ciphertexts in NTT form, with the primes of `tables`.
fn multiply_values(tables: &[NttTables], a: &Ciphertext, b: &Ciphertext, product: &mut Ciphertext) {
    for (index, table) in tables.iter().enumerate() {
        let degree = table.degree();
        let limb = Limb { start: index * degree, degree, words: tables.len() * degree };
        tensor(table.modulus(), limb.of_each(&a.data), limb.of_each(&b.data), limb.of_each_mut(&mut product.data));
    }
}

/// One limb of the product of two ciphertexts in coefficient form, modulo one prime.
///
/// The operands are a buffer with this limb of the polynomials of the first one, so many, and then of those of the second
/// one, if it is another; they are transformed in place.
fn multiply_limb(
    table: &NttTables,
    (operands, operand_limb, a_size): (&mut [u64], Limb, usize),
    (product, limb): (&mut [u64], Limb),
) {
    operand_limb.of_each_mut(operands).for_each(|values| table.forward(values));
    let (a, b) = operands.split_at(a_size * operand_limb.words);
    let b = if b.is_empty() { a } else { b };
    tensor(table.modulus(), operand_limb.of_each(a), operand_limb.of_each(b), limb.of_each_mut(product));
    limb.of_each_mut(product).for_each(|values| table.inverse(values));
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
