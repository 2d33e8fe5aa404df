//! Real and complex numbers in CKKS plaintexts.

use alloc::vec::Vec;

use num_complex::Complex64;
use phoca_ring::embedding::{self, Embedding, round_half_away};
use zeroize::{Zeroize, Zeroizing};

use crate::context::{Context, Level};
use crate::error::Error;
use crate::noise::{MessageBound, NoiseModel};
use crate::params::{ParmsId, Scheme};
use crate::plaintext::Plaintext;

/// Encodes up to `n/2` real or complex numbers in one plaintext, on which operations act slot by slot.
///
/// The plaintext is the polynomial with real coefficients whose values at the primitive `2n`-th roots of unity
/// `exp(iπ·3^j/n)` are the numbers, times the scale, rounded (Cheon–Kim–Kim–Song, ePrint 2016/421, section 3.2).
/// Rounding adds an error of at most `n/2` divided by the scale to each number, about `sqrt(n/12)` divided by it as a rule.
#[derive(Clone, Debug)]
pub struct CkksEncoder {
    context: Context,
}

impl CkksEncoder {
    /// An encoder for the parameters of `context`.
    ///
    /// # Errors
    ///
    /// [`Error::UnsupportedScheme`] for BFV and BGV.
    pub fn new(context: &Context) -> Result<Self, Error> {
        match context.scheme() {
            Scheme::Ckks => Ok(Self { context: context.clone() }),
            scheme => Err(Error::UnsupportedScheme { operation: "the CKKS encoding", scheme }),
        }
    }

    /// How many numbers one plaintext holds: `n/2`.
    pub fn slot_count(&self) -> usize {
        self.context.degree() / 2
    }

    /// Encodes real numbers at the first level; missing ones are zero.
    ///
    /// # Errors
    ///
    /// [`Error::TooManyValues`]; [`Error::NotFinite`]; [`Error::InvalidScale`] or [`Error::ScaleOutOfRange`] where the
    /// scale does not fit the level; [`Error::EncodedTooLarge`] where the scaled numbers do not.
    pub fn encode(&self, values: &[f64], scale: f64) -> Result<Plaintext, Error> {
        self.encode_at(values, scale, self.context.first_level().parms_id())
    }

    /// Encodes real numbers at a level; otherwise as [`CkksEncoder::encode`].
    ///
    /// # Errors
    ///
    /// [`Error::ParametersMismatch`] for an unknown level; otherwise as [`CkksEncoder::encode`].
    pub fn encode_at(&self, values: &[f64], scale: f64, level: ParmsId) -> Result<Plaintext, Error> {
        self.encode_slots(values, scale, level)
    }

    /// Encodes complex numbers at the first level; otherwise as [`CkksEncoder::encode`].
    ///
    /// # Errors
    ///
    /// As [`CkksEncoder::encode`].
    pub fn encode_complex(&self, values: &[Complex64], scale: f64) -> Result<Plaintext, Error> {
        self.encode_complex_at(values, scale, self.context.first_level().parms_id())
    }

    /// Encodes complex numbers at a level; otherwise as [`CkksEncoder::encode`].
    ///
    /// # Errors
    ///
    /// As [`CkksEncoder::encode_at`].
    pub fn encode_complex_at(&self, values: &[Complex64], scale: f64, level: ParmsId) -> Result<Plaintext, Error> {
        self.encode_slots(values, scale, level)
    }

    /// Encodes one real number in every slot: faster than a vector of equal ones, and without its rounding of many
    /// coefficients.
    ///
    /// # Errors
    ///
    /// As [`CkksEncoder::encode_at`].
    pub fn encode_scalar(&self, value: f64, scale: f64, level: ParmsId) -> Result<Plaintext, Error> {
        let level = self.context.level(level, "the level")?;
        check_scale(scale, level)?;
        if !value.is_finite() {
            return Err(Error::NotFinite { index: 0 });
        }
        let mut constant = [value * scale];
        let largest = round_half_away(&mut constant);
        let [constant] = constant;
        check_size(largest, level)?;
        self.constant(level, constant, scale, MessageBound::of_constant(value, scale))
    }

    /// Encodes one complex number in every slot.
    ///
    /// # Errors
    ///
    /// As [`CkksEncoder::encode_at`].
    pub fn encode_complex_scalar(&self, value: Complex64, scale: f64, level: ParmsId) -> Result<Plaintext, Error> {
        self.encode_slots(&Slots(alloc::vec![value; self.slot_count()]).0[..], scale, level)
    }

    /// Encodes one integer in every slot, exactly, with scale 1.
    ///
    /// # Errors
    ///
    /// [`Error::ParametersMismatch`] for an unknown level; [`Error::EncodedTooLarge`].
    pub fn encode_integer(&self, value: i64, level: ParmsId) -> Result<Plaintext, Error> {
        let level = self.context.level(level, "the level")?;
        let value_bits = 64 - value.unsigned_abs().leading_zeros();
        if value_bits + 1 >= level.modulus_bits() {
            return Err(Error::EncodedTooLarge { value_bits, modulus_bits: level.modulus_bits() });
        }
        let degree = self.context.degree();
        let mut data = self.context.buffers().take(level.prime_count() * degree);
        for (modulus, limb) in level.moduli().iter().zip(data.chunks_exact_mut(degree)) {
            limb.fill(modulus.reduce_i64(value));
        }
        Ok(Plaintext {
            parms_id: level.parms_id(),
            scale: 1.0,
            data,
            bound: Some(MessageBound::of_integer(value.unsigned_abs())),
        })
    }

    /// The real parts of the `n/2` numbers.
    ///
    /// # Errors
    ///
    /// [`Error::FormMismatch`], [`Error::ParametersMismatch`] or [`Error::TooManyValues`] where the plaintext does not fit
    /// the context; [`Error::InvalidScale`] or [`Error::ScaleOutOfRange`].
    pub fn decode(&self, plaintext: &Plaintext) -> Result<Vec<f64>, Error> {
        let slots = Slots(self.decode_complex(plaintext)?);
        Ok(slots.0.iter().map(|value| value.re).collect())
    }

    /// The `n/2` complex numbers.
    ///
    /// # Errors
    ///
    /// As [`CkksEncoder::decode`].
    pub fn decode_complex(&self, plaintext: &Plaintext) -> Result<Vec<Complex64>, Error> {
        let level = self.context.check_ntt_plaintext(plaintext)?;
        crate::evaluate::check_scale(plaintext.scale, level)?;
        let degree = self.context.degree();
        let mut residues = Zeroizing::new(self.context.buffers().take(plaintext.len()));
        let limbs = residues.chunks_exact_mut(degree).zip(plaintext.words().chunks_exact(degree));
        for (table, (limb, words)) in self.context.tables().iter().zip(limbs) {
            limb.copy_from_slice(words);
            table.inverse(limb);
        }
        let mut scratch = Zeroizing::new(self.context.buffers().take(degree));
        let coefficients = scratch.as_doubles_mut();
        level.basis().to_f64_centered(&residues, coefficients);
        let inverse = 1.0 / plaintext.scale;
        coefficients.iter_mut().for_each(|coefficient| *coefficient *= inverse);
        let mut slots = alloc::vec![Complex64::default(); degree / 2];
        self.context.embedding()?.to_slots_in_place(coefficients, &mut slots);
        Ok(slots)
    }

    fn encode_slots<T: SlotValue>(&self, values: &[T], scale: f64, level: ParmsId) -> Result<Plaintext, Error> {
        let level = self.context.level(level, "the level")?;
        let (capacity, degree) = (self.slot_count(), self.context.degree());
        if values.len() > capacity {
            return Err(Error::TooManyValues { capacity, got: values.len() });
        }
        check_scale(scale, level)?;
        let largest_value = T::largest_magnitude(values)?;
        let embedding = self.context.embedding()?;
        let mut data = Zeroizing::new(self.context.buffers().take(level.prime_count() * degree));
        // The last residues take the place of the coefficients.
        let coefficients = &mut data.as_doubles_mut()[(level.prime_count() - 1) * degree..];
        T::to_coefficients(embedding, values, scale, coefficients);
        let largest = round_half_away(coefficients);
        check_size(largest, level)?;
        level.basis().from_bounded_f64_in_place(largest, &mut data);
        for (table, limb) in self.context.tables().iter().zip(data.chunks_exact_mut(degree)) {
            table.forward(limb);
        }
        let bound = MessageBound::of_encoded(&NoiseModel::new(&self.context), largest_value, scale, largest);
        let data = core::mem::take(&mut *data);
        Ok(Plaintext { parms_id: level.parms_id(), scale, data, bound: Some(bound) })
    }

    /// A constant polynomial: its NTT values are all the constant.
    fn constant(&self, level: &Level, constant: f64, scale: f64, bound: MessageBound) -> Result<Plaintext, Error> {
        let degree = self.context.degree();
        let mut residues = Zeroizing::new(alloc::vec![0; level.prime_count()]);
        level.basis().from_f64_into(&[constant], &mut residues);
        let mut data = self.context.buffers().take(level.prime_count() * degree);
        for (limb, &residue) in data.chunks_exact_mut(degree).zip(residues.iter()) {
            limb.fill(residue);
        }
        Ok(Plaintext { parms_id: level.parms_id(), scale, data, bound: Some(bound) })
    }
}

/// A number in a slot.
trait SlotValue: Sized {
    /// The largest magnitude, or up to half more where its square leaves the range of doubles; an error for what is not
    /// finite.
    fn largest_magnitude(values: &[Self]) -> Result<f64, Error>;

    /// `scale` times the polynomial with these values and zeros.
    fn to_coefficients(embedding: &Embedding, values: &[Self], scale: f64, out: &mut [f64]);
}

impl SlotValue for f64 {
    fn largest_magnitude(values: &[Self]) -> Result<f64, Error> {
        let largest = embedding::largest_magnitude(values);
        match largest.is_finite() {
            true => Ok(largest),
            false => {
                let index = values.iter().position(|value| !value.is_finite()).unwrap_or_default();
                Err(Error::NotFinite { index })
            }
        }
    }

    fn to_coefficients(embedding: &Embedding, values: &[Self], scale: f64, out: &mut [f64]) {
        embedding.real_to_coefficients_scaled(values, scale, out);
    }
}

impl SlotValue for Complex64 {
    fn largest_magnitude(values: &[Self]) -> Result<f64, Error> {
        // Below, a square has lost digits or all of itself.
        const SMALLEST_PRECISE: f64 = f64::MIN_POSITIVE / f64::EPSILON;
        if let Some(index) = values.iter().position(|value| !(value.re.is_finite() && value.im.is_finite())) {
            return Err(Error::NotFinite { index });
        }
        let largest_square = values.iter().map(Complex64::norm_sqr).fold(0.0, f64::max);
        match (SMALLEST_PRECISE..=f64::MAX).contains(&largest_square) {
            true => Ok(libm::sqrt(largest_square)),
            // The magnitude is at most the square root of 2 times the larger part.
            false => Ok(1.5 * values.iter().map(|value| value.re.abs().max(value.im.abs())).fold(0.0, f64::max)),
        }
    }

    fn to_coefficients(embedding: &Embedding, values: &[Self], scale: f64, out: &mut [f64]) {
        embedding.to_coefficients_scaled(values, scale, out);
    }
}

/// Numbers that are wiped when they are no longer needed.
pub(crate) struct Slots(pub(crate) Vec<Complex64>);

impl Drop for Slots {
    fn drop(&mut self) {
        for slot in &mut self.0 {
            slot.re.zeroize();
            slot.im.zeroize();
        }
    }
}

/// As the evaluator's check, but one bit stricter: encoding leaves a bit for the sign.
fn check_scale(scale: f64, level: &Level) -> Result<(), Error> {
    crate::evaluate::check_scale(scale, level)?;
    crate::evaluate::check_scale(2.0 * scale, level)
}

/// Checks that a coefficient of this magnitude fits below the modulus. Infinity does not fit any.
fn check_size(largest: f64, level: &Level) -> Result<(), Error> {
    // Doubles end at 2^1024; infinity has overflowed them.
    let value_bits = match largest {
        0.0 => 0,
        value if value.is_finite() => libm::ilogb(value).unsigned_abs() + 1,
        _ => 1025,
    };
    match largest.is_finite() && (value_bits + 1 < level.modulus_bits() || value_bits < 2) {
        true => Ok(()),
        false => Err(Error::EncodedTooLarge { value_bits, modulus_bits: level.modulus_bits() }),
    }
}
