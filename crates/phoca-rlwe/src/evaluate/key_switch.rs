//! Key switching: from a polynomial under another secret to two polynomials under `s`.
//!
//! For a polynomial `d` that multiplies a secret `w`, with `q` the level's primes and `P` the special prime, the digits
//! of `d` are its centred residues `d_j = d mod q_j`, and the key holds encryptions of `P·w·e_j` with `e_j ≡ 1 mod q_j` and `0`
//! modulo the other primes. `Σ_j d_j·key_j` then encrypts `P·w·d`, with noise that the division by `P` makes small
//! (the RNS form of Gentry–Halevi–Smart key switching; Bajard et al., ePrint 2016/510, section 3.6, with one special
//! prime).
//!
//! Digits in `[0, q_j)` would do as well, but their mean of `q_j/2` in every coefficient doubles the noise, and makes it up
//! to `1.1·sqrt(n)` times as large in the values at the roots of unity nearest to 1, which are slots of CKKS.

use alloc::vec::Vec;

use phoca_ring::{Modulus, NttTables};

use super::Evaluator;
use crate::ciphertext::Ciphertext;
use crate::context::{Context, Level};
use crate::error::Error;
use crate::keys::{KeySwitchKey, RelinKeys};
use crate::noise::NoiseBound;
use crate::params::Scheme;

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
        if a.size() == 2 {
            self.context.check_key_level(keys.parms_id(), "the relinearization keys")?;
            return Ok(a.clone());
        }
        self.check_switching(keys.parms_id(), "the relinearization keys")?;
        let words = a.polynomial_len();
        let mut result = Ciphertext::unwritten(&self.context, level, 2, a.ntt_form);
        result.data.copy_from_slice(&a.data[..2 * words]);
        result.scale = a.scale;
        result.correction_factor = a.correction_factor;
        result.noise = a.noise;
        for power in (2..a.size()).rev() {
            let key = keys.key(power)?;
            let (c0, c1) = result.data.split_at_mut(words);
            switch(&self.context, level, &a.data[power * words..(power + 1) * words], key, c0, c1)?;
            result.noise = NoiseBound::key_switched(result.noise, &self.context, level);
        }
        self.finish(result)
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

    /// Checks that key switching exists and that keys are of this context.
    pub(super) fn check_switching(&self, keys: crate::ParmsId, object: &'static str) -> Result<(), Error> {
        if !self.context.supports_key_switching() {
            return Err(Error::KeySwitchingUnsupported);
        }
        self.context.check_key_level(keys, object)
    }
}

/// Adds to `(c0, c1)` an encryption of `target·w`, where `key` switches from `w`.
///
/// `target`, `c0` and `c1` are at `level`: in coefficient form for BFV, in NTT form otherwise.
pub(super) fn switch(
    context: &Context,
    level: &Level,
    target: &[u64],
    key: &KeySwitchKey,
    c0: &mut [u64],
    c1: &mut [u64],
) -> Result<(), Error> {
    let (degree, primes) = (context.degree(), level.prime_count());
    let (data, special) = context.split_special();
    // A key has one digit for each data prime.
    if key.digits.len() < primes {
        return Err(Error::KeySwitchingAtKeyLevel);
    }
    let ntt_form = context.scheme() != Scheme::Bfv;
    let mut digits = context.buffers().take(primes * degree);
    digits.copy_from_slice(target);
    for (table, digit) in data.iter().zip(digits.chunks_exact_mut(degree)) {
        if ntt_form {
            table.inverse(digit);
        }
        table.modulus().add_scalar_assign(digit, table.modulus().value() / 2);
    }
    let mut sums = context.buffers().take(2 * (primes + 1) * degree);
    let (sum0, sum1) = sums.split_at_mut((primes + 1) * degree);
    let mut transformed = context.buffers().take(primes * degree);
    let tables = data[..primes].iter().chain([special]);
    for (i, table) in tables.enumerate() {
        // The digit of this very prime is already transformed where the target is.
        let own = (ntt_form && i < primes).then_some(i);
        transform_digits(table, level.moduli(), &digits, own, &mut transformed);
        let operands: Vec<&[u64]> = transformed
            .chunks_exact(degree)
            .zip(target.chunks_exact(degree))
            .enumerate()
            .map(|(j, (digit, target))| if own == Some(j) { target } else { digit })
            .collect();
        // The special prime is the last limb of the key, after all data primes.
        let limb = if i < primes { i } else { data.len() };
        for (half, sum) in [&mut *sum0, &mut *sum1].into_iter().enumerate() {
            let start = (half * (data.len() + 1) + limb) * degree;
            let keys: Vec<&[u64]> =
                key.digits[..primes].iter().map(|digit| &digit.0.data[start..start + degree]).collect();
            table.modulus().dot_into(&mut sum[i * degree..(i + 1) * degree], &operands, &keys);
        }
    }
    for (sum, c) in [(sum0, c0), (sum1, c1)] {
        divide_by_special(context, level, sum);
        for (table, (c, sum)) in data.iter().zip(c.chunks_exact_mut(degree).zip(sum.chunks_exact(degree))) {
            table.modulus().add_assign(c, sum);
        }
    }
    Ok(())
}

/// Transforms all digits but `own` modulo one prime; results in `[0, 4q)`.
///
/// Digit `j` is centred and comes as `d_j + floor(q_j/2)`, which is in `[0, q_j)`, with `q_j` in `moduli`.
fn transform_digits(table: &NttTables, moduli: &[Modulus], digits: &[u64], own: Option<usize>, out: &mut [u64]) {
    let degree = table.degree();
    let modulus = table.modulus();
    let digits = moduli.iter().zip(digits.chunks_exact(degree));
    for (j, (out, (source, digit))) in out.chunks_exact_mut(degree).zip(digits).enumerate() {
        if own == Some(j) {
            continue;
        }
        // −floor(q_j/2), in (0, q].
        let offset = modulus.value() - modulus.reduce(source.value() / 2);
        // The transform takes words below 4q as they are.
        if source.value() <= 3 * modulus.value() {
            out.iter_mut().zip(digit).for_each(|(out, &digit)| *out = digit + offset);
        } else {
            modulus.reduce_into(out, digit);
            out.iter_mut().for_each(|out| *out += offset);
        }
        table.forward_lazy(out);
    }
}

/// Divides `sum`, at the level's primes and `P`, by `P`: the quotient is in the limbs of the level, in the form of the
/// scheme.
fn divide_by_special(context: &Context, level: &Level, sum: &mut [u64]) {
    let degree = context.degree();
    let (data, special) = context.split_special();
    let divide = level.divide_special();
    let mut scratch = context.buffers().take(divide.scratch_len(degree));
    match context.scheme() {
        Scheme::Bfv => {
            let tables = data[..level.prime_count()].iter().chain([special]);
            for (table, limb) in tables.zip(sum.chunks_exact_mut(degree)) {
                table.inverse(limb);
            }
            divide.coefficients(sum);
        }
        Scheme::Ckks => divide.ntt(context.tables(), sum, &mut scratch),
        Scheme::Bgv => {
            divide.ntt_mod_t(&level.message_scaling().plain_modulus, context.tables(), sum, &mut scratch);
        }
    }
}
