//! CKKS in few lines: approximate computation on vectors of real numbers.
//!
//! ```
//! use phoca_rlwe::ckks;
//!
//! let context = ckks::Params::new(8192).moduli_bits(&[60, 40, 40, 60]).scale_bits(40).build()?;
//! let keys = context.keygen().relinearization().rotations([1]).generate()?;
//! let x = context.encryptor(keys.public())?.encrypt(&[1.5, 2.5])?;
//!
//! let evaluator = context.evaluator(keys.evaluation());
//! let y = evaluator.multiply_relinearize_rescale(&x, &x)?;
//! let z = evaluator.rotate(&y, 1)?;
//!
//! let values = context.decryptor(keys.secret())?.decrypt(&z)?;
//! assert!((values[0] - 6.25).abs() < 1e-4);
//! # Ok::<(), phoca_rlwe::Error>(())
//! ```

use alloc::vec::Vec;

use crate::ciphertext::Ciphertext;
use crate::context::Context as AnyContext;
use crate::encode::CkksEncoder;
use crate::error::Error;
use crate::keys::{GaloisKeys, PublicKey, SecretKey};
use crate::keyset::{EvaluationKeys, Keygen};
use crate::params::{Parameters, ParmsId, Scheme, Security, coeff_modulus};
use crate::plaintext::Plaintext;

/// CKKS parameters, unchecked.
#[derive(Clone, Debug)]
pub struct Params {
    degree: usize,
    moduli: Moduli,
    scale_bits: u32,
    security: Security,
}

#[derive(Clone, Debug)]
enum Moduli {
    Bits(Vec<u32>),
    Primes(Vec<u64>),
}

impl Params {
    /// Parameters of a degree; the moduli are still to be set. The scale is 2^40 unless set.
    pub fn new(degree: usize) -> Self {
        Self { degree, moduli: Moduli::Bits(Vec::new()), scale_bits: 40, security: Security::default() }
    }

    /// Chooses primes of these sizes, the special prime last.
    pub fn moduli_bits(mut self, bits: &[u32]) -> Self {
        self.moduli = Moduli::Bits(bits.to_vec());
        self
    }

    /// Sets the primes, the special prime last.
    pub fn moduli(mut self, primes: &[u64]) -> Self {
        self.moduli = Moduli::Primes(primes.to_vec());
        self
    }

    /// The scale of encodings, `2^bits`.
    pub fn scale_bits(mut self, bits: u32) -> Self {
        self.scale_bits = bits;
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
    /// [`Error::InvalidParameters`] with the cause; [`Error::Ring`] where there are no such primes.
    pub fn build(self) -> Result<Context, Error> {
        let coeff_modulus = match self.moduli {
            Moduli::Bits(bits) => coeff_modulus::create(self.degree, &bits)?,
            Moduli::Primes(primes) => primes,
        };
        let parameters = Parameters { scheme: Scheme::Ckks, degree: self.degree, coeff_modulus, plain_modulus: 0 };
        let any = parameters.builder().security(self.security).build()?;
        Ok(Context { encoder: CkksEncoder::new(&any)?, any, scale: libm::exp2(f64::from(self.scale_bits)) })
    }
}

/// Checked CKKS parameters.
#[derive(Clone, Debug)]
pub struct Context {
    any: AnyContext,
    encoder: CkksEncoder,
    scale: f64,
}

impl Context {
    /// The context of any scheme beneath.
    pub fn any(&self) -> &AnyContext {
        &self.any
    }

    /// The encoder.
    pub fn encoder(&self) -> &CkksEncoder {
        &self.encoder
    }

    /// How many numbers one ciphertext holds.
    pub fn slot_count(&self) -> usize {
        self.any.slot_count()
    }

    /// The scale of encodings.
    pub fn scale(&self) -> f64 {
        self.scale
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
    pub fn encryptor(&self, public_key: &PublicKey) -> Result<Encryptor, Error> {
        Ok(Encryptor { context: self.clone(), any: crate::Encryptor::new(&self.any, public_key.clone())? })
    }

    /// Computes with evaluation keys.
    pub fn evaluator<'a>(&self, keys: &'a EvaluationKeys) -> Evaluator<'a> {
        Evaluator { any: crate::Evaluator::new(&self.any), context: self.clone(), keys }
    }

    /// Decrypts with the secret key.
    ///
    /// # Errors
    ///
    /// [`Error::ParametersMismatch`] where the key belongs to other parameters.
    pub fn decryptor(&self, secret_key: &SecretKey) -> Result<Decryptor, Error> {
        Ok(Decryptor { context: self.clone(), any: crate::Decryptor::new(&self.any, secret_key.clone())? })
    }
}

/// Encrypts vectors of real numbers.
#[derive(Debug)]
pub struct Encryptor {
    context: Context,
    any: crate::Encryptor,
}

impl Encryptor {
    /// Encrypts at the first level and the context's scale.
    ///
    /// # Errors
    ///
    /// As [`CkksEncoder::encode`].
    pub fn encrypt(&self, values: &[f64]) -> Result<Ciphertext, Error> {
        self.any.encrypt(&self.context.encoder.encode(values, self.context.scale)?)
    }
}

/// Decrypts to vectors of real numbers.
#[derive(Debug)]
pub struct Decryptor {
    context: Context,
    any: crate::Decryptor,
}

impl Decryptor {
    /// All `n/2` numbers.
    ///
    /// # Errors
    ///
    /// As [`crate::Decryptor::decrypt`].
    pub fn decrypt(&self, ciphertext: &Ciphertext) -> Result<Vec<f64>, Error> {
        self.context.encoder.decode(&self.any.decrypt(ciphertext)?)
    }
}

/// CKKS operations, with the keys at hand.
///
/// Errors are those of the operations of [`crate::Evaluator`] with the same names.
#[derive(Clone, Debug)]
pub struct Evaluator<'a> {
    context: Context,
    any: crate::Evaluator,
    keys: &'a EvaluationKeys,
}

#[allow(clippy::missing_errors_doc, reason = "the type says where errors are documented")]
impl Evaluator<'_> {
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

    /// `a + values`, encoded at the level and scale of `a`.
    pub fn add_values(&self, a: &Ciphertext, values: &[f64]) -> Result<Ciphertext, Error> {
        self.any.add_plain(a, &self.encode(a, values, a.scale())?)
    }

    /// `a·values`, encoded at the level of `a` and the context's scale: the result's scale is the product.
    pub fn multiply_values(&self, a: &Ciphertext, values: &[f64]) -> Result<Ciphertext, Error> {
        self.any.multiply_plain(a, &self.encode(a, values, self.context.scale)?)
    }

    /// `a·b` of three polynomials, at the product of the scales.
    pub fn multiply(&self, a: &Ciphertext, b: &Ciphertext) -> Result<Ciphertext, Error> {
        self.any.multiply(a, b)
    }

    /// Back to two polynomials.
    pub fn relinearize(&self, a: &Ciphertext) -> Result<Ciphertext, Error> {
        self.any.relinearize(a, self.keys.relin()?)
    }

    /// Divides by the last prime, and the scale with it.
    pub fn rescale(&self, a: &Ciphertext) -> Result<Ciphertext, Error> {
        self.any.rescale_to_next(a)
    }

    /// `a·b`, relinearized and rescaled: a product that is ready for the next.
    pub fn multiply_relinearize_rescale(&self, a: &Ciphertext, b: &Ciphertext) -> Result<Ciphertext, Error> {
        self.any.multiply_relinearize_rescale(a, b, self.keys.relin()?)
    }

    /// `Σ_i a_i·b_i`, relinearized and rescaled once.
    pub fn dot_product(&self, a: &[Ciphertext], b: &[Ciphertext]) -> Result<Ciphertext, Error> {
        self.any.relinearize_rescale(&self.any.dot_product(a, b)?, self.keys.relin()?)
    }

    /// Drops primes down to a level: value and scale stay.
    pub fn drop_to(&self, a: &Ciphertext, level: ParmsId) -> Result<Ciphertext, Error> {
        self.any.mod_switch_to(a, level)
    }

    /// Rotates the slots by `steps` to the left, or to the right where negative.
    pub fn rotate(&self, a: &Ciphertext, steps: i64) -> Result<Ciphertext, Error> {
        let element = phoca_ring::galois::element_from_step(self.context.any.degree(), steps)?;
        self.any.rotate_vector(a, steps, self.keys.galois(element)?)
    }

    /// Rotations of one ciphertext by each of `steps`, for little more than half the price.
    pub fn rotate_many(&self, a: &Ciphertext, steps: &[i64]) -> Result<Vec<Ciphertext>, Error> {
        self.any.rotate_many(a, steps, self.rotation_keys()?)
    }

    /// The sum of the rotations of one ciphertext by each of `steps`, which need keys of their own.
    pub fn sum_rotations(&self, a: &Ciphertext, steps: &[i64]) -> Result<Ciphertext, Error> {
        self.any.sum_rotations(a, steps, self.rotation_keys()?)
    }

    /// Conjugates each slot.
    pub fn conjugate(&self, a: &Ciphertext) -> Result<Ciphertext, Error> {
        let element = phoca_ring::galois::conjugation_element(self.context.any.degree());
        self.any.conjugate(a, self.keys.galois(element)?)
    }

    fn rotation_keys(&self) -> Result<&GaloisKeys, Error> {
        self.keys.galois(phoca_ring::galois::element_from_step(self.context.any.degree(), 1)?)
    }

    fn encode(&self, a: &Ciphertext, values: &[f64], scale: f64) -> Result<Plaintext, Error> {
        self.context.encoder.encode_at(values, scale, a.parms_id())
    }
}
