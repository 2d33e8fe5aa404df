//! Bounds on the error inside of ciphertexts, in `Z[X]/(X^n + 1)`.
//!
//! Every ciphertext carries a [`NoiseBound`] with two numbers. The *worst case* holds for every outcome of the
//! randomness. The *likely* bound fails with a probability of at most `2^-64` for each of the random quantities behind
//! it (below `2^-40` for ciphertexts from up to `2^24` of them), if encryptions are uniform to those who do not know
//! the key; it is many bits sharper. [`NoiseModel`] has the formulas, which need no ciphertexts.
//!
//! What is bounded, with `x = c_0 + c_1·s + …` the phase modulo `q`, centred:
//!
//! * BFV: the largest coefficient of `v = t·x − q·m`. Decryption is right while it is below `q/2`.
//! * BGV: the largest coefficient of `x` itself, which is the message times the correction factor plus a multiple of
//!   `t`. Decryption is right while it is below `q/2`.
//! * CKKS: the canonical norm `max |e(ζ)|` over the primitive `2n`-th roots of unity of `e = x − m`, with `m` the
//!   unrounded polynomial of the values times the scale: the largest error of a slot, times the scale.
//!
//! Bounds are static: they depend on parameters, levels, the sequence of operations and plaintext operands, and for CKKS
//! on the largest encrypted value, which the encoder notes. Whoever passes a bound on with a CKKS ciphertext and must not
//! tell that largest value gives the plaintext a declared bound first
//! ([`Plaintext::set_message_bound`](crate::Plaintext::set_message_bound)).
//!
//! The derivation of each formula is in the project's `docs/noise.md`. The norm arguments follow Costache, Laine and
//! Player (ePrint 2019/493), Halevi and Shoup (ePrint 2020/1481) and Cheon et al. (ePrint 2016/421).

mod magnitude;
mod message;
mod model;
mod spread;

pub use magnitude::Magnitude;
pub use message::MessageBound;
pub(crate) use model::NoiseConstants;
pub use model::NoiseModel;
pub use spread::Spread;

use alloc::vec;

use num_complex::Complex64;
use zeroize::Zeroizing;

use crate::ciphertext::Ciphertext;
use crate::context::{Context, Level};
use crate::encode::Slots;
use crate::error::Error;
use crate::params::Scheme;
use crate::plaintext::Plaintext;

/// How a ciphertext was encrypted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Encryption {
    /// With a public key.
    PublicKey,
    /// With the secret key.
    SecretKey,
}

/// What is known about the error inside of a ciphertext.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NoiseBound {
    /// CKKS: the canonical norm of the exact message. Otherwise 0.
    pub(crate) message: Magnitude,
    /// CKKS: the canonical norm of the error. Otherwise the largest coefficient of the noise.
    pub(crate) worst: Magnitude,
    pub(crate) likely: Spread,
}

impl NoiseBound {
    /// Nothing is known, as for a ciphertext that came from a file.
    pub const UNKNOWN: Self =
        Self { message: Magnitude::INFINITE, worst: Magnitude::INFINITE, likely: Spread::UNKNOWN };

    /// Whether anything is known.
    pub fn is_known(&self) -> bool {
        self.worst.is_finite()
    }

    /// The worst-case noise: of BFV and BGV the largest coefficient, of CKKS the canonical norm of the error.
    pub fn worst_case(&self) -> Magnitude {
        self.worst
    }

    /// CKKS: a bound on the canonical norm of the exact message, values times scale. Otherwise 0.
    pub fn message(&self) -> Magnitude {
        self.message
    }

    /// What the noise probably is.
    pub fn likely(&self) -> Spread {
        self.likely
    }

    /// The bound as six base-2 logarithms, for files of one's own.
    pub fn to_log2(&self) -> [f64; 6] {
        let Spread { fixed, fixed_canonical, deviation, direction } = self.likely;
        [self.message, self.worst, fixed, fixed_canonical, deviation, direction].map(Magnitude::log2)
    }

    /// The bound that [`to_log2`](Self::to_log2) gave; what is not a number counts as unknown.
    pub fn from_log2(logarithms: [f64; 6]) -> Self {
        let [message, worst, fixed, fixed_canonical, deviation, direction] = logarithms.map(Magnitude::from_log2);
        Self { message, worst, likely: Spread { fixed, fixed_canonical, deviation, direction } }
    }
}

/// What is known about the noise of a ciphertext.
impl Ciphertext {
    /// BFV and BGV: how many bits of noise budget are left at least, for every outcome of the randomness; 0 where
    /// nothing can be promised, as for a ciphertext from a file. Needs no key.
    ///
    /// # Errors
    ///
    /// [`Error::UnsupportedScheme`] for CKKS; [`Error::ParametersMismatch`] where the ciphertext belongs to other
    /// parameters.
    pub fn worst_case_budget(&self, context: &Context) -> Result<f64, Error> {
        context.require_plain_ring("the noise budget")?;
        let level = context.level(self.parms_id(), "the ciphertext")?;
        Ok(NoiseModel::new(context).worst_case_budget(&self.noise, level))
    }

    /// BFV and BGV: as [`worst_case_budget`](Self::worst_case_budget), but it may fail with a probability below `2^-40`.
    ///
    /// # Errors
    ///
    /// As [`worst_case_budget`](Self::worst_case_budget).
    pub fn likely_budget(&self, context: &Context) -> Result<f64, Error> {
        context.require_plain_ring("the noise budget")?;
        let level = context.level(self.parms_id(), "the ciphertext")?;
        Ok(NoiseModel::new(context).likely_budget(&self.noise, level))
    }

    /// CKKS: a bound on the error of every slot for every outcome of the randomness; infinite where nothing can be
    /// promised. Needs no key. Decoding to doubles adds a relative error of a few units of `2^-53`.
    ///
    /// # Errors
    ///
    /// [`Error::UnsupportedScheme`] for BFV and BGV; [`Error::ParametersMismatch`] where the ciphertext belongs to other
    /// parameters.
    pub fn worst_case_error(&self, context: &Context) -> Result<f64, Error> {
        let level = self.approximate_level(context)?;
        Ok(NoiseModel::new(context).worst_case_error(&self.noise, level, self.scale()))
    }

    /// CKKS: as [`worst_case_error`](Self::worst_case_error), but it may fail with a probability below `2^-40`.
    ///
    /// # Errors
    ///
    /// As [`worst_case_error`](Self::worst_case_error).
    pub fn likely_error(&self, context: &Context) -> Result<f64, Error> {
        let level = self.approximate_level(context)?;
        Ok(NoiseModel::new(context).likely_error(&self.noise, level, self.scale()))
    }

    /// States a bound that is known from elsewhere, such as from [`NoiseModel::fresh`] for a ciphertext from a file whose
    /// encryption is known.
    pub fn set_noise(&mut self, bound: NoiseBound) {
        self.noise = bound;
    }

    /// States that this is a fresh encryption. `largest` bounds the values of a CKKS message, which was encoded as a
    /// vector; BFV and BGV do not need it.
    ///
    /// # Errors
    ///
    /// [`Error::ParametersMismatch`] where the ciphertext belongs to other parameters.
    pub fn assume_fresh(&mut self, context: &Context, encryption: Encryption, largest: f64) -> Result<(), Error> {
        let level = context.level(self.parms_id(), "the ciphertext")?;
        let model = NoiseModel::new(context);
        let message = match context.scheme() {
            Scheme::Ckks => MessageBound::of_values(&model, largest, self.scale()),
            Scheme::Bfv | Scheme::Bgv => MessageBound::any(&model),
        };
        self.noise = model.fresh(level, encryption, &message);
        Ok(())
    }

    fn approximate_level<'a>(&self, context: &'a Context) -> Result<&'a Level, Error> {
        match context.scheme() {
            Scheme::Ckks => context.level(self.parms_id(), "the ciphertext"),
            scheme => Err(Error::UnsupportedScheme { operation: "the error of slots", scheme }),
        }
    }
}

/// What is known about the message.
impl Plaintext {
    /// The bound on the message that the encoder noted or that was declared.
    pub fn message_bound(&self) -> Option<MessageBound> {
        self.bound
    }

    /// Declares a bound on the message, such as one that does not depend on the values.
    pub fn set_message_bound(&mut self, bound: MessageBound) {
        self.bound = Some(bound);
    }

    /// Measures a BFV or BGV plaintext in coefficient form and notes the result: the canonical norm too, for which the
    /// sum of the coefficients' magnitudes stands in otherwise, about `sqrt(n)/5` times too large for a full plaintext.
    ///
    /// Worth its one Fourier transform where the plaintext multiplies many ciphertexts: call it before
    /// [`plain_to_ntt`](crate::Evaluator::plain_to_ntt), which passes the bound on.
    ///
    /// # Errors
    ///
    /// [`Error::UnsupportedScheme`] for CKKS, whose encoder measures; [`Error::FormMismatch`], [`Error::TooManyValues`] or
    /// [`Error::ValueOutOfRange`] where the plaintext does not fit the context.
    pub fn measure(&mut self, context: &Context) -> Result<(), Error> {
        let plain = context.require_plain_ring("measuring a plaintext")?;
        context.check_coefficients(self)?;
        let degree = context.degree();
        let mut coefficients = Zeroizing::new(vec![0.0; degree]);
        for (coefficient, &word) in coefficients.iter_mut().zip(self.words()) {
            *coefficient = plain.modulus.centered(word) as f64;
        }
        let mut values = Slots(vec![Complex64::default(); degree / 2]);
        context.embedding()?.to_slots_in_place(&mut coefficients, &mut values.0);
        let square = values.0.iter().fold(0.0, |largest, value| libm::fmax(largest, value.norm_sqr()));
        // The transform's error is far below this.
        let largest = libm::sqrt(square) * (1.0 + 1e-9) + 1e-9;
        let model = NoiseModel::new(context);
        self.bound = Some(MessageBound::of_coefficients(&model, self.words()).with_canonical(Magnitude::new(largest)));
        Ok(())
    }

    /// The noted bound; without one, that of the coefficients or, in NTT form, of the modulus.
    pub(crate) fn bound_or_measured(&self, model: &NoiseModel<'_>, level: &Level) -> MessageBound {
        match self.bound {
            Some(bound) => bound,
            None if self.is_ntt_form() => MessageBound::at_level(model, level),
            None => MessageBound::of_coefficients(model, self.words()),
        }
    }
}

/// What the evaluator and the encryptor call after each operation.
impl NoiseBound {
    pub(crate) fn fresh_symmetric(context: &Context) -> Self {
        NoiseModel::new(context).fresh_symmetric()
    }

    pub(crate) fn fresh_public(context: &Context) -> Self {
        NoiseModel::new(context).fresh_public()
    }

    /// The bound for BFV and BGV takes any message, so that ciphertexts do not tell about theirs.
    pub(crate) fn with_message(self, context: &Context, level: &Level, plaintext: &Plaintext) -> Self {
        let model = NoiseModel::new(context);
        let message = match context.scheme() {
            Scheme::Ckks => plaintext.bound_or_measured(&model, level),
            Scheme::Bfv | Scheme::Bgv => MessageBound::any(&model),
        };
        model.plus_message(&self, &message)
    }

    pub(crate) fn sum(context: &Context, a: Self, b: Self) -> Self {
        NoiseModel::new(context).sum(&a, &b)
    }

    pub(crate) fn scaled(self, context: &Context, factor: f64) -> Self {
        NoiseModel::new(context).scaled(&self, factor)
    }

    pub(crate) fn product(a: &Ciphertext, b: &Ciphertext, context: &Context, level: &Level) -> Self {
        NoiseModel::new(context).product(&a.noise, a.size(), &b.noise, b.size(), level)
    }

    pub(crate) fn key_switched(self, context: &Context, level: &Level) -> Self {
        NoiseModel::new(context).key_switched(&self, level)
    }

    pub(crate) fn divided(self, context: &Context, next: &Level, size: usize) -> Self {
        NoiseModel::new(context).divided(&self, size, next)
    }

    /// Primes dropped without division: the noise stays, while the modulus that it must fit gets smaller.
    pub(crate) fn dropped(self, _context: &Context, _next: &Level) -> Self {
        self
    }

    /// BGV multiplies the message by the correction factor: in coefficient form modulo `t`, in NTT form over the
    /// integers.
    pub(crate) fn plus_plain(
        self,
        context: &Context,
        level: &Level,
        plaintext: &Plaintext,
        correction_factor: u64,
    ) -> Self {
        let model = NoiseModel::new(context);
        let message = match (context.scheme(), plaintext.is_ntt_form()) {
            (Scheme::Bgv, true) => {
                let factor = level.message_scaling().plain_modulus.centered(correction_factor);
                plaintext.bound_or_measured(&model, level).times(Magnitude::new(factor as f64))
            }
            (Scheme::Ckks, _) => plaintext.bound_or_measured(&model, level),
            _ => MessageBound::any(&model),
        };
        model.plus_plain(&self, &message)
    }

    pub(crate) fn times_plain(self, context: &Context, level: &Level, plaintext: &Plaintext) -> Self {
        let model = NoiseModel::new(context);
        model.times_plain(&self, &plaintext.bound_or_measured(&model, level))
    }
}
