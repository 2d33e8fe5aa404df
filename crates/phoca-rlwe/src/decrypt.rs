//! Decryption and the noise that it sees.

use alloc::vec::Vec;

use phoca_ring::rns::RnsBasis;
use phoca_ring::{Buffer, Modulus, NttTables};
use zeroize::{Zeroize, Zeroizing};

use crate::ciphertext::Ciphertext;
use crate::context::{Context, Level};
use crate::error::Error;
use crate::keys::SecretKey;
use crate::params::{ParmsId, Scheme};
use crate::plaintext::Plaintext;

/// Decrypts ciphertexts with the secret key.
///
/// What decryption gives is for the key's owner: a CKKS plaintext holds the noise, from which, shared with whoever made
/// the ciphertext, the key can be found (Li–Micciancio, ePrint 2020/1533).
#[derive(Debug)]
pub struct Decryptor {
    context: Context,
    secret_key: SecretKey,
}

impl Decryptor {
    /// A decryptor with the secret key.
    ///
    /// # Errors
    ///
    /// [`Error::ParametersMismatch`] where the key belongs to other parameters.
    pub fn new(context: &Context, secret_key: SecretKey) -> Result<Self, Error> {
        context.check_key_level(secret_key.parms_id, "the secret key")?;
        Ok(Self { context: context.clone(), secret_key })
    }

    /// The plaintext: for BFV and BGV in coefficient form without leading zeros, for CKKS in NTT form at the ciphertext's
    /// level and scale.
    ///
    /// Whether the noise was too large for a right result cannot be seen here: see
    /// [`invariant_noise_budget`](Self::invariant_noise_budget) and [`Ciphertext::noise`].
    ///
    /// # Errors
    ///
    /// [`Error::ParametersMismatch`] where the ciphertext belongs to other parameters; [`Error::FormMismatch`] where it is
    /// not in its scheme's form; [`Error::SizeOutOfRange`] where it is empty.
    pub fn decrypt(&self, ciphertext: &Ciphertext) -> Result<Plaintext, Error> {
        let level = self.context.level_in_scheme_form(ciphertext)?;
        let mut phase = self.phase(level, ciphertext);
        match self.context.scheme() {
            Scheme::Bfv => Ok(self.round(level, &phase)),
            Scheme::Ckks => Ok(Plaintext {
                parms_id: level.parms_id(),
                scale: ciphertext.scale,
                data: core::mem::take(&mut *phase),
                bound: None,
            }),
            Scheme::Bgv => Ok(self.reduce(level, phase, ciphertext.correction_factor)),
        }
    }

    /// How many more bits the noise may grow before decryption fails: BFV and BGV. 0 where it has failed already.
    ///
    /// `log2` of the modulus, less `log2` of twice the largest coefficient of the noise (BFV: of `t` times the phase,
    /// reduced), as SEAL computes it. It leaks about the secret key to whoever can ask it about chosen ciphertexts.
    ///
    /// # Errors
    ///
    /// [`Error::UnsupportedScheme`] for CKKS; otherwise as [`Decryptor::decrypt`].
    pub fn invariant_noise_budget(&self, ciphertext: &Ciphertext) -> Result<u32, Error> {
        let noise = self.noise_residues(ciphertext)?;
        let level = self.context.level_in_scheme_form(ciphertext)?;
        let bits = (0..self.context.degree()).map(|index| centered_bits(level.basis(), &noise, index)).max();
        Ok(level.modulus_bits().saturating_sub(bits.unwrap_or(0) + 1))
    }

    /// `log2` of the largest coefficient of the noise, BFV and BGV: what [`Ciphertext::noise`] bounds.
    ///
    /// It leaks as [`invariant_noise_budget`](Self::invariant_noise_budget) does. Infinite past the range of doubles.
    ///
    /// # Errors
    ///
    /// As [`Decryptor::invariant_noise_budget`].
    pub fn noise_log2(&self, ciphertext: &Ciphertext) -> Result<f64, Error> {
        Ok(libm::log2(self.largest_noise(ciphertext)?))
    }

    /// The largest coefficient of the noise.
    fn largest_noise(&self, ciphertext: &Ciphertext) -> Result<f64, Error> {
        let noise = self.noise_residues(ciphertext)?;
        let level = self.context.level_in_scheme_form(ciphertext)?;
        let mut values = Zeroizing::new(alloc::vec![0.0; self.context.degree()]);
        level.basis().to_f64_centered(&noise, &mut values);
        Ok(values.iter().fold(0.0, |largest, value| libm::fmax(largest, libm::fabs(*value))))
    }

    /// The residues of the noise in coefficient form.
    fn noise_residues(&self, ciphertext: &Ciphertext) -> Result<Zeroizing<Buffer>, Error> {
        self.context.require_plain_ring("the noise budget")?;
        let level = self.context.level_in_scheme_form(ciphertext)?;
        let mut phase = self.phase(level, ciphertext);
        let degree = self.context.degree();
        for (table, limb) in self.context.tables().iter().zip(phase.chunks_exact_mut(degree)) {
            let modulus = table.modulus();
            if self.context.scheme() == Scheme::Bgv {
                table.inverse(limb);
            } else {
                modulus.mul_scalar_assign(limb, modulus.shoup(modulus.reduce(self.context.plain_modulus())));
            }
        }
        Ok(phase)
    }

    /// `c_0 + c_1·s + … + c_{k-1}·s^{k-1}`, in the ciphertext's form.
    fn phase(&self, level: &Level, ciphertext: &Ciphertext) -> Zeroizing<Buffer> {
        let (degree, parts) = (self.context.degree(), ciphertext.size() - 1);
        let buffers = self.context.buffers();
        let first = &ciphertext.words()[..ciphertext.polynomial_len()];
        let phase = if ciphertext.ntt_form { buffers.copy(first) } else { buffers.take(first.len()) };
        let mut phase = Zeroizing::new(phase);
        let mut powers = Zeroizing::new(buffers.take(degree * parts.saturating_sub(1)));
        let mut transformed = buffers.take(if ciphertext.ntt_form { 0 } else { degree * parts });
        for (limb, table) in self.context.tables()[..level.prime_count()].iter().enumerate() {
            let words = limb * degree..(limb + 1) * degree;
            let secret = &self.secret_key.data[words.clone()];
            higher_powers(table.modulus(), secret, &mut powers);
            let powers = core::iter::once(secret).chain(powers.chunks_exact(degree)).take(parts);
            let parts = ciphertext.polynomials().skip(1).map(|part| &part[words.clone()]);
            let sum = &mut phase[words.clone()];
            if ciphertext.ntt_form {
                parts.zip(powers).for_each(|(part, power)| table.modulus().mul_add_assign(sum, part, power));
            } else {
                sum_transformed(table, sum, &first[words.clone()], parts, powers, &mut transformed);
            }
        }
        phase
    }

    /// BFV: `round(t/q·phase)` modulo `t`.
    fn round(&self, level: &Level, phase: &[u64]) -> Plaintext {
        let mut message = self.context.buffers().take(self.context.degree());
        level.plain_converter().round_scaled(phase, &mut message);
        trimmed(message)
    }

    /// BGV: the centred phase modulo `t`, divided by the correction factor.
    fn reduce(&self, level: &Level, mut phase: Zeroizing<Buffer>, correction_factor: u64) -> Plaintext {
        let degree = self.context.degree();
        for (table, limb) in self.context.tables().iter().zip(phase.chunks_exact_mut(degree)) {
            table.inverse(limb);
        }
        let mut message = self.context.buffers().take(degree);
        level.plain_converter().reduce_centered(&phase, &mut message);
        if correction_factor != 1 {
            let plain_modulus = &level.message_scaling().plain_modulus;
            // Loading and every operation keep correction factors units; a factor that is none decrypts to zero.
            let inverse = plain_modulus.inverse_vartime(correction_factor).unwrap_or(0);
            plain_modulus.mul_scalar_assign(&mut message, plain_modulus.shoup(inverse));
        }
        trimmed(message)
    }
}

/// `s², s³, …` in NTT form, as many as `powers` has room for.
fn higher_powers(modulus: &Modulus, secret: &[u64], powers: &mut [u64]) {
    let degree = secret.len();
    for start in (0..powers.len()).step_by(degree) {
        let (lower, power) = powers.split_at_mut(start);
        let previous = if start == 0 { secret } else { &lower[start - degree..] };
        modulus.mul_into(&mut power[..degree], previous, secret);
    }
}

/// Writes to `sum` the first part plus the products of the others with the powers of the secret, where parts and sum are in
/// coefficient form.
///
/// `transformed` has room for the other parts.
fn sum_transformed<'a>(
    table: &NttTables,
    sum: &mut [u64],
    first: &[u64],
    parts: impl Iterator<Item = &'a [u64]>,
    powers: impl Iterator<Item = &'a [u64]>,
    transformed: &mut [u64],
) {
    let (degree, modulus) = (table.degree(), table.modulus());
    for (out, part) in transformed.chunks_exact_mut(degree).zip(parts) {
        table.forward_lazy_from(out, part, modulus.value(), 0);
    }
    let parts: Vec<&[u64]> = transformed.chunks_exact(degree).collect();
    modulus.dot_into(sum, &parts, &powers.collect::<Vec<_>>());
    table.inverse(sum);
    modulus.add_assign(sum, first);
}

/// Bits of the absolute value of the centred coefficient `index`: those of the smaller of `x` and `Q − x`.
fn centered_bits(basis: &RnsBasis, polynomial: &[u64], index: usize) -> u32 {
    let degree = polynomial.len() / basis.len();
    let residues: Zeroizing<Vec<u64>> = Zeroizing::new(polynomial[index..].iter().step_by(degree).copied().collect());
    let value = Zeroizing::new(basis.compose(&residues));
    let mut opposite = Zeroizing::new(basis.product().to_vec());
    let mut borrow = false;
    for (word, &x) in opposite.iter_mut().zip(value.iter()) {
        let (difference, first) = word.overflowing_sub(x);
        let (difference, second) = difference.overflowing_sub(u64::from(borrow));
        (*word, borrow) = (difference, first || second);
    }
    bits(&value).min(bits(&opposite))
}

/// Bits of an integer in little-endian words.
fn bits(words: &[u64]) -> u32 {
    let top = words.iter().rposition(|&word| word != 0);
    top.map_or(0, |top| 64 * (top as u32 + 1) - words[top].leading_zeros())
}

/// A plaintext in coefficient form without leading zeros; at least one coefficient stays.
fn trimmed(mut message: Buffer) -> Plaintext {
    let significant = message.iter().rposition(|&word| word != 0).map_or(1, |last| last + 1);
    message[significant..].zeroize();
    message.resize(significant);
    Plaintext { parms_id: ParmsId::ZERO, scale: 1.0, data: message, bound: None }
}
