//! What [`bfv`](crate::bfv) and [`bgv`](crate::bgv) have in common: exact computation on vectors of integers modulo `t`.

use alloc::vec::Vec;
use core::fmt;
use core::marker::PhantomData;

use crate::ciphertext::Ciphertext;
use crate::context::Context as AnyContext;
use crate::encode::BatchEncoder;
use crate::error::Error;
use crate::keys::{PublicKey, SecretKey};
use crate::keyset::{EvaluationKeys, Keygen};
use crate::params::{Parameters, ParmsId, Scheme, Security, SecurityLevel, coeff_modulus, plain_modulus};

/// BFV or BGV, as a type.
pub trait ExactScheme: Clone + fmt::Debug {
    /// Which of them.
    const SCHEME: Scheme;
}

/// Parameters, unchecked. SEAL's default chain and a plain modulus of 20 bits unless set.
#[derive(Clone, Debug)]
pub struct Params<S> {
    degree: usize,
    moduli_bits: Option<Vec<u32>>,
    plain: Plain,
    security: Security,
    scheme: PhantomData<S>,
}

#[derive(Clone, Copy, Debug)]
enum Plain {
    Bits(u32),
    Modulus(u64),
}

impl<S: ExactScheme> Params<S> {
    /// Parameters of a degree.
    pub fn new(degree: usize) -> Self {
        let (plain, security) = (Plain::Bits(20), Security::default());
        Self { degree, moduli_bits: None, plain, security, scheme: PhantomData }
    }

    /// Chooses primes of these sizes, the special prime last.
    pub fn moduli_bits(mut self, bits: &[u32]) -> Self {
        self.moduli_bits = Some(bits.to_vec());
        self
    }

    /// Chooses a plain modulus of so many bits that has slots.
    pub fn plain_bits(mut self, bits: u32) -> Self {
        self.plain = Plain::Bits(bits);
        self
    }

    /// Sets the plain modulus: a prime that is 1 modulo twice the degree.
    pub fn plain_modulus(mut self, modulus: u64) -> Self {
        self.plain = Plain::Modulus(modulus);
        self
    }

    /// The security check; 128 bits in SEAL's table unless set.
    pub fn security(mut self, security: Security) -> Self {
        self.security = security;
        self
    }

    /// Checks the parameters.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidParameters`] with the cause; [`Error::Ring`] where there are no such primes;
    /// [`Error::BatchingUnsupported`] where the plain modulus has no slots.
    pub fn build(self) -> Result<Context<S>, Error> {
        let parameters = Parameters {
            scheme: S::SCHEME,
            degree: self.degree,
            coeff_modulus: match self.moduli_bits {
                Some(bits) => coeff_modulus::create(self.degree, &bits)?,
                None => coeff_modulus::seal_default(self.degree, SecurityLevel::Bits128)?,
            },
            plain_modulus: match self.plain {
                Plain::Bits(bits) => plain_modulus::batching(self.degree, bits)?,
                Plain::Modulus(modulus) => modulus,
            },
        };
        let any = parameters.builder().security(self.security).build()?;
        Ok(Context { encoder: BatchEncoder::new(&any)?, any, scheme: PhantomData })
    }
}

/// Checked parameters.
#[derive(Clone, Debug)]
pub struct Context<S> {
    any: AnyContext,
    encoder: BatchEncoder,
    scheme: PhantomData<S>,
}

impl<S: ExactScheme> Context<S> {
    /// The context of any scheme beneath.
    pub fn any(&self) -> &AnyContext {
        &self.any
    }

    /// The encoder.
    pub fn encoder(&self) -> &BatchEncoder {
        &self.encoder
    }

    /// How many integers one ciphertext holds.
    pub fn slot_count(&self) -> usize {
        self.any.slot_count()
    }

    /// The plain modulus `t`.
    pub fn plain_modulus(&self) -> u64 {
        self.any.plain_modulus()
    }

    /// Makes keys.
    pub fn keygen(&self) -> Keygen {
        Keygen::new(&self.any)
    }

    /// Encrypts with a public key.
    ///
    /// # Errors
    ///
    /// [`Error::ParametersMismatch`] where the key belongs to other parameters.
    pub fn encryptor(&self, public_key: &PublicKey) -> Result<Encryptor<S>, Error> {
        Ok(Encryptor { context: self.clone(), any: crate::Encryptor::new(&self.any, public_key.clone())? })
    }

    /// Computes with evaluation keys.
    pub fn evaluator<'a>(&self, keys: &'a EvaluationKeys) -> Evaluator<'a, S> {
        Evaluator { any: crate::Evaluator::new(&self.any), context: self.clone(), keys }
    }

    /// Decrypts with the secret key.
    ///
    /// # Errors
    ///
    /// [`Error::ParametersMismatch`] where the key belongs to other parameters.
    pub fn decryptor(&self, secret_key: &SecretKey) -> Result<Decryptor<S>, Error> {
        Ok(Decryptor { context: self.clone(), any: crate::Decryptor::new(&self.any, secret_key.clone())? })
    }
}

/// Encrypts vectors of integers.
#[derive(Debug)]
pub struct Encryptor<S> {
    context: Context<S>,
    any: crate::Encryptor,
}

impl<S: ExactScheme> Encryptor<S> {
    /// Encrypts values in `[0, t)`.
    ///
    /// # Errors
    ///
    /// As [`BatchEncoder::encode`].
    pub fn encrypt(&self, values: &[u64]) -> Result<Ciphertext, Error> {
        self.any.encrypt(&self.context.encoder.encode(values)?)
    }

    /// Encrypts values of at most `t/2` in magnitude.
    ///
    /// # Errors
    ///
    /// As [`BatchEncoder::encode_signed`].
    pub fn encrypt_signed(&self, values: &[i64]) -> Result<Ciphertext, Error> {
        self.any.encrypt(&self.context.encoder.encode_signed(values)?)
    }
}

/// Decrypts to vectors of integers.
#[derive(Debug)]
pub struct Decryptor<S> {
    context: Context<S>,
    any: crate::Decryptor,
}

impl<S: ExactScheme> Decryptor<S> {
    /// All `n` values in `[0, t)`.
    ///
    /// # Errors
    ///
    /// [`Error::NoiseExhausted`] where the noise is too large for a right result; otherwise as
    /// [`crate::Decryptor::decrypt`].
    pub fn decrypt(&self, ciphertext: &Ciphertext) -> Result<Vec<u64>, Error> {
        self.check(ciphertext)?;
        self.context.encoder.decode(&self.any.decrypt(ciphertext)?)
    }

    /// All `n` values in `(−t/2, t/2]`.
    ///
    /// # Errors
    ///
    /// As [`Decryptor::decrypt`].
    pub fn decrypt_signed(&self, ciphertext: &Ciphertext) -> Result<Vec<i64>, Error> {
        self.check(ciphertext)?;
        self.context.encoder.decode_signed(&self.any.decrypt(ciphertext)?)
    }

    fn check(&self, ciphertext: &Ciphertext) -> Result<(), Error> {
        match self.any.invariant_noise_budget(ciphertext)? {
            0 => Err(Error::NoiseExhausted),
            _ => Ok(()),
        }
    }
}

/// BFV or BGV operations, with the keys at hand.
///
/// Errors are those of the operations of [`crate::Evaluator`] with the same names.
#[derive(Clone, Debug)]
pub struct Evaluator<'a, S> {
    context: Context<S>,
    any: crate::Evaluator,
    keys: &'a EvaluationKeys,
}

#[allow(clippy::missing_errors_doc, reason = "the type says where errors are documented")]
impl<S: ExactScheme> Evaluator<'_, S> {
    /// The evaluator of any scheme beneath, for what is not here.
    pub fn any(&self) -> &crate::Evaluator {
        &self.any
    }

    /// `a + b`.
    pub fn add(&self, a: &Ciphertext, b: &Ciphertext) -> Result<Ciphertext, Error> {
        self.any.add(a, b)
    }

    /// `a − b`.
    pub fn sub(&self, a: &Ciphertext, b: &Ciphertext) -> Result<Ciphertext, Error> {
        self.any.sub(a, b)
    }

    /// `−a`.
    pub fn negate(&self, a: &Ciphertext) -> Result<Ciphertext, Error> {
        self.any.negate(a)
    }

    /// `a + values`, values in `[0, t)`.
    pub fn add_values(&self, a: &Ciphertext, values: &[u64]) -> Result<Ciphertext, Error> {
        self.any.add_plain(a, &self.context.encoder.encode(values)?)
    }

    /// `a·values`, values in `[0, t)`.
    pub fn multiply_values(&self, a: &Ciphertext, values: &[u64]) -> Result<Ciphertext, Error> {
        self.any.multiply_plain(a, &self.context.encoder.encode(values)?)
    }

    /// `a·b` of three polynomials.
    pub fn multiply(&self, a: &Ciphertext, b: &Ciphertext) -> Result<Ciphertext, Error> {
        self.any.multiply(a, b)
    }

    /// Back to two polynomials.
    pub fn relinearize(&self, a: &Ciphertext) -> Result<Ciphertext, Error> {
        self.any.relinearize(a, self.keys.relin()?)
    }

    /// `a·b`, relinearized.
    pub fn multiply_relinearize(&self, a: &Ciphertext, b: &Ciphertext) -> Result<Ciphertext, Error> {
        self.any.multiply_relinearize(a, b, self.keys.relin()?)
    }

    /// `Σ_i a_i·b_i`, relinearized once.
    pub fn dot_product(&self, a: &[Ciphertext], b: &[Ciphertext]) -> Result<Ciphertext, Error> {
        self.relinearize(&self.any.dot_product(a, b)?)
    }

    /// `a^exponent`, relinearized.
    pub fn exponentiate(&self, a: &Ciphertext, exponent: u64) -> Result<Ciphertext, Error> {
        self.any.exponentiate(a, exponent, self.keys.relin()?)
    }

    /// Divides by the last prime: less noise, smaller ciphertexts, the same value.
    pub fn mod_switch(&self, a: &Ciphertext) -> Result<Ciphertext, Error> {
        self.any.mod_switch_to_next(a)
    }

    /// Switches down to a level.
    pub fn mod_switch_to(&self, a: &Ciphertext, level: ParmsId) -> Result<Ciphertext, Error> {
        self.any.mod_switch_to(a, level)
    }

    /// Rotates both rows of slots by `steps` to the left, or to the right where negative.
    pub fn rotate_rows(&self, a: &Ciphertext, steps: i64) -> Result<Ciphertext, Error> {
        let element = phoca_ring::galois::element_from_step(self.context.any.degree(), steps)?;
        self.any.rotate_rows(a, steps, self.keys.galois(element)?)
    }

    /// Rotations of both rows of one ciphertext by each of `steps`, for little more than half the price.
    pub fn rotate_rows_many(&self, a: &Ciphertext, steps: &[i64]) -> Result<Vec<Ciphertext>, Error> {
        let element = phoca_ring::galois::element_from_step(self.context.any.degree(), 1)?;
        self.any.rotate_many(a, steps, self.keys.galois(element)?)
    }

    /// Swaps the two rows of slots.
    pub fn rotate_columns(&self, a: &Ciphertext) -> Result<Ciphertext, Error> {
        let element = phoca_ring::galois::conjugation_element(self.context.any.degree());
        self.any.rotate_columns(a, self.keys.galois(element)?)
    }
}
