use phoca_ring::random::SecretRng;

use super::ciphertext::{Value, Word};
use super::{Ciphertext, eighths, or_panic};
use crate::Error;
use crate::evaluation::SecretKeys;
use crate::params::{Order, Parameters};

/// The secret key: it encrypts, decrypts, and makes server keys. `Debug` shows shapes only; it is wiped when dropped.
#[derive(Clone, Debug)]
pub struct ClientKey {
    secret: SecretKeys,
}

impl ClientKey {
    /// A fresh key.
    ///
    /// # Panics
    ///
    /// Where the set is not valid or the system gives no random bytes; [`generate`](Self::generate) returns an error instead.
    #[track_caller]
    pub fn new(parameters: &Parameters) -> Self {
        or_panic(Self::generate(parameters))
    }

    /// A fresh key.
    ///
    /// # Errors
    ///
    /// [`Error::Parameters`] where the set is not valid, [`Error::Ring`] where the system gives no random bytes.
    pub fn generate(parameters: &Parameters) -> Result<Self, Error> {
        Self::generate_with(parameters, &mut SecretRng::from_os()?)
    }

    /// A key whose secrets come from a generator.
    ///
    /// # Errors
    ///
    /// [`Error::Parameters`] where the set is not valid.
    pub fn generate_with(parameters: &Parameters, rng: &mut SecretRng) -> Result<Self, Error> {
        Ok(Self { secret: SecretKeys::generate(*parameters, rng)? })
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

    /// Encrypts a boolean. Constant time if the set's noise is.
    ///
    /// # Panics
    ///
    /// Where the system gives no random bytes; [`try_encrypt`](Self::try_encrypt) returns an error instead.
    #[track_caller]
    pub fn encrypt(&self, message: bool) -> Ciphertext {
        or_panic(self.try_encrypt(message))
    }

    /// Encrypts a boolean. Constant time if the set's noise is.
    ///
    /// # Errors
    ///
    /// [`Error::Ring`] where the system gives no random bytes, [`Error::Noise`] where the set's noise cannot be sampled.
    pub fn try_encrypt(&self, message: bool) -> Result<Ciphertext, Error> {
        self.encrypt_with(message, &mut SecretRng::from_os()?)
    }

    /// Encrypts a boolean with randomness from a generator. Constant time if the set's noise is.
    ///
    /// # Errors
    ///
    /// [`Error::Noise`] where the set's noise cannot be sampled.
    pub fn encrypt_with(&self, message: bool, rng: &mut SecretRng) -> Result<Ciphertext, Error> {
        match self.parameters().order {
            Order::KeySwitchFirst => self.encrypt_words::<u64>(message, rng),
            Order::BootstrapFirst => self.encrypt_words::<u32>(message, rng),
        }
    }

    fn encrypt_words<W: Word>(&self, message: bool, rng: &mut SecretRng) -> Result<Ciphertext, Error> {
        let encoded: W = eighths(2 * i64::from(message) - 1);
        Ok(W::wrap(self.secret.ciphertext_key().encrypt(encoded, self.secret.ciphertext_noise(), rng)?))
    }

    /// The boolean. Constant time.
    ///
    /// # Panics
    ///
    /// Where the ciphertext is of another set; [`try_decrypt`](Self::try_decrypt) returns an error instead.
    #[track_caller]
    pub fn decrypt(&self, ciphertext: &Ciphertext) -> bool {
        or_panic(self.try_decrypt(ciphertext))
    }

    /// The boolean: whether the phase is in `[0, 1/2)`. Constant time.
    ///
    /// # Errors
    ///
    /// [`Error::Order`] or [`Error::LweDimension`] where the ciphertext is of another set.
    pub fn try_decrypt(&self, ciphertext: &Ciphertext) -> Result<bool, Error> {
        match self.parameters().order {
            Order::KeySwitchFirst => self.decrypt_words::<u64>(ciphertext),
            Order::BootstrapFirst => self.decrypt_words::<u32>(ciphertext),
        }
    }

    fn decrypt_words<W: Word>(&self, ciphertext: &Ciphertext) -> Result<bool, Error> {
        Ok(match ciphertext.value::<W>(self.parameters().ciphertext_dimension())? {
            Value::Clear(value) => value,
            Value::Encrypted(lwe) => self.secret.ciphertext_key().phase(lwe)?.to_u64() >> 63 == 0,
        })
    }
}
