//! Encryption.

pub(crate) mod scaling;
pub(crate) mod small;
pub(crate) mod zero;

use phoca_ring::random::SealGenerator;

use crate::ciphertext::Ciphertext;
use crate::context::{Context, Level};
use crate::error::Error;
use crate::evaluate::check_scale;
use crate::keys::{PublicKey, SecretKey};
use crate::params::{ParmsId, Scheme};
use crate::plaintext::Plaintext;
use crate::randomness::Randomness;

/// Encrypts plaintexts, with a public key, a secret key or both.
///
/// A symmetric encryption, with the secret key, has less noise, and its file takes half the space: its second polynomial
/// is the expansion of a seed.
#[derive(Debug)]
pub struct Encryptor {
    context: Context,
    public_key: Option<PublicKey>,
    secret_key: Option<SecretKey>,
    randomness: Randomness,
    expansion: SealGenerator,
}

impl Encryptor {
    /// An encryptor with a public key.
    ///
    /// # Errors
    ///
    /// [`Error::ParametersMismatch`] where the key belongs to other parameters.
    pub fn new(context: &Context, public_key: PublicKey) -> Result<Self, Error> {
        Self::with_keys(context, Some(public_key), None)
    }

    /// An encryptor with the secret key.
    ///
    /// # Errors
    ///
    /// [`Error::ParametersMismatch`] where the key belongs to other parameters.
    pub fn symmetric(context: &Context, secret_key: SecretKey) -> Result<Self, Error> {
        Self::with_keys(context, None, Some(secret_key))
    }

    /// An encryptor with any keys.
    ///
    /// # Errors
    ///
    /// [`Error::ParametersMismatch`] where a key belongs to other parameters.
    pub fn with_keys(
        context: &Context,
        public_key: Option<PublicKey>,
        secret_key: Option<SecretKey>,
    ) -> Result<Self, Error> {
        if let Some(key) = &public_key {
            context.check_key_level(key.parms_id(), "the public key")?;
        }
        if let Some(key) = &secret_key {
            context.check_key_level(key.parms_id(), "the secret key")?;
        }
        let (randomness, expansion) = (Randomness::System, SealGenerator::Blake2xb);
        Ok(Self { context: context.clone(), public_key, secret_key, randomness, expansion })
    }

    /// Sets how seeds expand to uniform polynomials; BLAKE2Xb, SEAL's default, unless set.
    pub fn expansion(mut self, generator: SealGenerator) -> Self {
        self.expansion = generator;
        self
    }

    /// Draws all randomness from `seed`: for tests only, since equal seeds give equal ciphertexts.
    pub fn insecure_from_seed(mut self, seed: [u8; 32]) -> Self {
        self.randomness = Randomness::insecure_seed(seed);
        self
    }

    /// Encrypts with the public key.
    ///
    /// BFV and BGV ciphertexts are at the first level, CKKS ciphertexts at the plaintext's.
    ///
    /// # Errors
    ///
    /// [`Error::MissingKey`] without a public key; [`Error::FormMismatch`], [`Error::TooManyValues`],
    /// [`Error::ValueOutOfRange`], [`Error::ParametersMismatch`], [`Error::InvalidScale`] or [`Error::ScaleOutOfRange`]
    /// where the plaintext does not fit the context.
    pub fn encrypt(&self, plaintext: &Plaintext) -> Result<Ciphertext, Error> {
        let level = self.target_level(plaintext)?;
        let key = self.public_key()?;
        let message = self.early_message(plaintext);
        let mut ciphertext = zero::public(&self.context, level, key, message, &mut self.randomness.generator()?);
        self.add_message(level, plaintext, &mut ciphertext);
        Ok(ciphertext)
    }

    /// Encrypts with the secret key.
    ///
    /// # Errors
    ///
    /// As [`Encryptor::encrypt`], with the secret key in place of the public one.
    pub fn encrypt_symmetric(&self, plaintext: &Plaintext) -> Result<Ciphertext, Error> {
        let level = self.target_level(plaintext)?;
        let mut ciphertext = self.zero_symmetric(level, self.early_message(plaintext))?;
        self.add_message(level, plaintext, &mut ciphertext);
        Ok(ciphertext)
    }

    /// An encryption of zero at the first level, with the public key. CKKS gives it scale 1: set the scale that is
    /// wanted.
    ///
    /// # Errors
    ///
    /// [`Error::MissingKey`] without a public key.
    pub fn encrypt_zero(&self) -> Result<Ciphertext, Error> {
        self.encrypt_zero_at(self.context.first_level().parms_id())
    }

    /// An encryption of zero at a level, with the public key.
    ///
    /// # Errors
    ///
    /// [`Error::MissingKey`] without a public key; [`Error::ParametersMismatch`] for an unknown level.
    pub fn encrypt_zero_at(&self, level: ParmsId) -> Result<Ciphertext, Error> {
        let level = self.context.level(level, "the level")?;
        Ok(zero::public(&self.context, level, self.public_key()?, &[], &mut self.randomness.generator()?))
    }

    /// An encryption of zero at the first level, with the secret key.
    ///
    /// # Errors
    ///
    /// [`Error::MissingKey`] without a secret key.
    pub fn encrypt_zero_symmetric(&self) -> Result<Ciphertext, Error> {
        self.encrypt_zero_symmetric_at(self.context.first_level().parms_id())
    }

    /// An encryption of zero at a level, with the secret key.
    ///
    /// # Errors
    ///
    /// [`Error::MissingKey`] without a secret key; [`Error::ParametersMismatch`] for an unknown level.
    pub fn encrypt_zero_symmetric_at(&self, level: ParmsId) -> Result<Ciphertext, Error> {
        let level = self.context.level(level, "the level")?;
        self.zero_symmetric(level, &[])
    }

    fn public_key(&self) -> Result<&PublicKey, Error> {
        self.public_key.as_ref().ok_or(Error::MissingKey { kind: "public" })
    }

    /// An encryption of zero, or of what [`Self::early_message`] gives.
    fn zero_symmetric(&self, level: &Level, message: &[u64]) -> Result<Ciphertext, Error> {
        let key = self.secret_key.as_ref().ok_or(Error::MissingKey { kind: "secret" })?;
        let ntt_form = self.context.scheme() != Scheme::Bfv;
        let mut rng = self.randomness.generator()?;
        Ok(zero::symmetric(&self.context, level, key, ntt_form, self.expansion, message, &mut rng))
    }

    /// Checks the plaintext and says at which level its ciphertext is.
    fn target_level(&self, plaintext: &Plaintext) -> Result<&Level, Error> {
        if self.context.scheme() != Scheme::Ckks {
            self.context.check_coefficients(plaintext)?;
            return Ok(self.context.first_level());
        }
        let level = self.context.check_ntt_plaintext(plaintext)?;
        check_scale(plaintext.scale, level)?;
        Ok(level)
    }

    /// The message where it shares the transforms of the errors.
    fn early_message<'a>(&self, plaintext: &'a Plaintext) -> &'a [u64] {
        if self.context.scheme() == Scheme::Bgv { plaintext.words() } else { &[] }
    }

    /// Adds a checked message, unless it entered [early](Self::early_message), to an encryption of zero at `level`.
    fn add_message(&self, level: &Level, plaintext: &Plaintext, ciphertext: &mut Ciphertext) {
        let degree = self.context.degree();
        let words = level.prime_count() * degree;
        let target = &mut ciphertext.data[..words];
        match self.context.scheme() {
            Scheme::Bfv => scaling::add_scaled(&self.context, level, plaintext.words(), target),
            Scheme::Ckks => {
                ciphertext.scale = plaintext.scale;
                let limbs = target.chunks_exact_mut(degree).zip(plaintext.words().chunks_exact(degree));
                for (table, (sum, message)) in self.context.tables().iter().zip(limbs) {
                    table.modulus().add_assign(sum, message);
                }
            }
            Scheme::Bgv => {}
        }
        ciphertext.noise = ciphertext.noise.with_message(&self.context, level, plaintext);
    }
}
