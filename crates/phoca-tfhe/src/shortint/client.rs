use phoca_ring::random::{PublicStream, SecretRng};

use super::{Ciphertext, SeededCiphertext, SeededServerKey};
use crate::Error;
use crate::evaluation::{SecretKeys, SeededEvaluationKey};
use crate::lwe::LweCiphertext;
use crate::params::Parameters;

/// The secret key of short integers. It encrypts, decrypts, and makes server keys.
#[derive(Clone, Debug)]
pub struct ClientKey {
    secret: SecretKeys,
}

impl ClientKey {
    /// A fresh key.
    ///
    /// # Errors
    ///
    /// [`Error::Parameters`] where the set is not valid, [`Error::Ring`] where the system gives no random bytes.
    pub fn generate(parameters: Parameters) -> Result<Self, Error> {
        Self::generate_with(parameters, &mut SecretRng::from_os()?)
    }

    /// A key whose secrets come from a generator.
    ///
    /// # Errors
    ///
    /// [`Error::Parameters`] where the set is not valid.
    pub fn generate_with(parameters: Parameters, rng: &mut SecretRng) -> Result<Self, Error> {
        Ok(Self { secret: SecretKeys::generate(parameters, rng)? })
    }

    /// The set.
    pub fn parameters(&self) -> &Parameters {
        self.secret.parameters()
    }

    #[cfg(feature = "std")]
    pub(crate) fn from_secret(secret: SecretKeys) -> Self {
        Self { secret }
    }

    /// The secrets.
    pub fn secret(&self) -> &SecretKeys {
        &self.secret
    }

    /// A fresh server key, in the form to store and send.
    ///
    /// # Errors
    ///
    /// [`Error::Ring`] where the system gives no random bytes.
    pub fn server_key(&self) -> Result<SeededServerKey, Error> {
        self.server_key_with(&mut SecretRng::from_os()?)
    }

    /// A server key whose masks and noise come from a generator.
    ///
    /// # Errors
    ///
    /// [`Error::Noise`] where the set's noise cannot be sampled.
    pub fn server_key_with(&self, rng: &mut SecretRng) -> Result<SeededServerKey, Error> {
        Ok(SeededServerKey { key: SeededEvaluationKey::generate(&self.secret, rng)? })
    }

    /// Encrypts a message.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfRange`] unless it is below the message modulus, [`Error::Ring`] where the system gives no random bytes.
    pub fn encrypt(&self, message: u64) -> Result<Ciphertext, Error> {
        self.encrypt_with(message, &mut SecretRng::from_os()?)
    }

    /// Encrypts a message with randomness from a generator.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfRange`] unless it is below the message modulus.
    pub fn encrypt_with(&self, message: u64, rng: &mut SecretRng) -> Result<Ciphertext, Error> {
        let encoded = self.encode(message)?;
        let degree = self.parameters().message_modulus() - 1;
        Ok(Ciphertext { lwe: self.secret.encrypt(encoded, rng)?, degree, noise: 1 })
    }

    /// Encrypts a message to a seed and a body.
    ///
    /// # Errors
    ///
    /// As [`encrypt`](Self::encrypt).
    pub fn encrypt_seeded(&self, message: u64) -> Result<SeededCiphertext, Error> {
        let encoded = self.encode(message)?;
        let rng = &mut SecretRng::from_os()?;
        let mut seed = [0; 32];
        rand_core::Rng::fill_bytes(rng, &mut seed);
        let dimension = self.parameters().ciphertext_dimension();
        let mut lwe = LweCiphertext::<u64>::zero(dimension);
        PublicStream::new(seed).words(0, &mut lwe.words_mut()[..dimension]);
        let mut body = [encoded.wrapping_add(self.secret.ciphertext_key().dot(lwe.mask()))];
        self.secret.ciphertext_noise().add_to(rng, &mut body)?;
        Ok(SeededCiphertext { seed, body: body[0], dimension, degree: self.parameters().message_modulus() - 1 })
    }

    /// The message, without the carry. Constant time.
    ///
    /// # Errors
    ///
    /// [`Error::LweDimension`] where the ciphertext is of another set.
    pub fn decrypt(&self, ciphertext: &Ciphertext) -> Result<u64, Error> {
        Ok(self.decrypt_message_and_carry(ciphertext)? & (self.parameters().message_modulus() - 1))
    }

    /// Message and carry. Constant time.
    ///
    /// # Errors
    ///
    /// [`Error::LweDimension`] where the ciphertext is of another set.
    pub fn decrypt_message_and_carry(&self, ciphertext: &Ciphertext) -> Result<u64, Error> {
        let phase = self.secret.ciphertext_key().phase(&ciphertext.lwe)?;
        let delta = self.parameters().delta();
        let value = phase.wrapping_add(delta / 2) >> delta.trailing_zeros();
        Ok(value & (self.parameters().total_modulus() - 1))
    }

    fn encode(&self, message: u64) -> Result<u64, Error> {
        let bound = self.parameters().message_modulus();
        if message >= bound {
            return Err(Error::OutOfRange { value: message, bound });
        }
        Ok(message * self.parameters().delta())
    }
}
