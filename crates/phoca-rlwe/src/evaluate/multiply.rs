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
                self.tensor(&self.context.tables()[..level.prime_count()], &a.data, &b.data, &mut product.data);
            }
            Scheme::Bgv => {
                let plain_modulus = &level.message_scaling().plain_modulus;
                product.correction_factor = plain_modulus.mul(a.correction_factor, b.correction_factor);
                self.tensor(&self.context.tables()[..level.prime_count()], &a.data, &b.data, &mut product.data);
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

    /// `out_k = Σ_{i+j=k} a_i∘b_j` limb by limb, all in NTT form with `primes` limbs for each polynomial.
    ///
    /// Where `a` and `b` are the same words, each pair of equal products is formed once and doubled.
    fn tensor(&self, tables: &[NttTables], a: &[u64], b: &[u64], out: &mut [u64]) {
        let degree = self.context.degree();
        let words = tables.len() * degree;
        let (a_size, b_size) = (a.len() / words, b.len() / words);
        let squaring = core::ptr::eq(a, b);
        for (k, out) in out.chunks_exact_mut(words).enumerate() {
            let terms = k.saturating_sub(b_size - 1)..=k.min(a_size - 1);
            for (limb, (table, out)) in tables.iter().zip(out.chunks_exact_mut(degree)).enumerate() {
                let modulus = table.modulus();
                let a = |i: usize| &a[i * words + limb * degree..][..degree];
                let b = |i: usize| &b[i * words + limb * degree..][..degree];
                if squaring && k % 2 == 1 {
                    sum_of_products(modulus, out, terms.clone().take_while(|i| 2 * i < k).map(|i| (a(i), b(k - i))));
                    double_assign(modulus, out);
                } else {
                    sum_of_products(modulus, out, terms.clone().map(|i| (a(i), b(k - i))));
                }
            }
        }
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
        let squaring = core::ptr::eq(a, b);
        // The extended polynomials of both operands, in NTT form: all `q` parts, then all `p` parts.
        let mut extended_a = pool.take(a.size() * (q_words + p_words));
        self.extend(level, a, &mut extended_a)?;
        let mut extended_b = pool.take(if squaring { 0 } else { b.size() * (q_words + p_words) });
        if !squaring {
            self.extend(level, b, &mut extended_b)?;
        }
        let (a_q, a_p) = extended_a.split_at(a.size() * q_words);
        let (b_q, b_p) = match squaring {
            true => (a_q, a_p),
            false => extended_b.split_at(b.size() * q_words),
        };
        let size = product.size();
        let mut product_p = pool.take(size * p_words);
        self.tensor(tables, a_q, b_q, &mut product.data);
        self.tensor(&multiplier.tables, a_p, b_p, &mut product_p);
        let mut joined = pool.take(q_words + p_words);
        let mut rounded = pool.take(p_words);
        let mut scratch =
            pool.take(multiplier.rounder.scratch_len(degree).max(multiplier.from_auxiliary.scratch_len(degree)));
        for (q, p) in product.data.chunks_exact_mut(q_words).zip(product_p.chunks_exact(p_words)) {
            joined[..q_words].copy_from_slice(q);
            joined[q_words..].copy_from_slice(p);
            let all = tables.iter().chain(&multiplier.tables);
            for (table, limb) in all.zip(joined.chunks_exact_mut(degree)) {
                table.inverse(limb);
            }
            multiplier.rounder.round_to_auxiliary(&joined, &mut rounded, &mut scratch);
            multiplier.from_auxiliary.convert_centered(&rounded, q, &mut scratch);
        }
        Ok(())
    }

    /// Writes all polynomials of `a` in NTT form modulo `q`, then all of them modulo the second basis.
    fn extend(&self, level: &Level, a: &Ciphertext, out: &mut [u64]) -> Result<(), Error> {
        let degree = self.context.degree();
        let multiplier = level.multiplier(degree)?;
        let tables = &self.context.tables()[..level.prime_count()];
        let mut scratch = self.context.buffers().take(multiplier.to_auxiliary.scratch_len(degree));
        let (q_part, p_part) = out.split_at_mut(a.data.len());
        q_part.copy_from_slice(&a.data);
        let p_parts = p_part.chunks_exact_mut(multiplier.tables.len() * degree);
        for (polynomial, p_part) in a.polynomials().zip(p_parts) {
            multiplier.to_auxiliary.convert_centered(polynomial, p_part, &mut scratch);
        }
        for (limb, table) in q_part.chunks_exact_mut(degree).zip(tables.iter().cycle()) {
            table.forward(limb);
        }
        for (limb, table) in p_part.chunks_exact_mut(degree).zip(multiplier.tables.iter().cycle()) {
            table.forward(limb);
        }
        Ok(())
    }
}

/// `out = Σ x∘y` modulo one prime; residues in `[0, q)`, at least one pair.
fn sum_of_products<'a>(modulus: &Modulus, out: &mut [u64], mut pairs: impl Iterator<Item = (&'a [u64], &'a [u64])>) {
    match (pairs.next(), pairs.next()) {
        (Some((x, y)), None) => modulus.mul_into(out, x, y),
        (first, second) => {
            let (left, right): (Vec<_>, Vec<_>) = first.into_iter().chain(second).chain(pairs).unzip();
            modulus.dot_into(out, &left, &right);
        }
    }
}

/// `a = 2·a` for residues.
fn double_assign(modulus: &Modulus, a: &mut [u64]) {
    for word in a {
        *word = modulus.add(*word, *word);
    }
}
