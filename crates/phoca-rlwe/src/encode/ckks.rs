//! Real and complex numbers in CKKS plaintexts.

use alloc::vec::Vec;

use num_complex::Complex64;
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
        self.encode_slots(values.len(), |index| Complex64::new(values[index], 0.0), scale, level)
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
        self.encode_slots(values.len(), |index| values[index], scale, level)
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
        let constant = round_half_away(value * scale);
        check_size(constant, level)?;
        self.constant(level, constant, scale, MessageBound::of_constant(value, scale))
    }

    /// Encodes one complex number in every slot.
    ///
    /// # Errors
    ///
    /// As [`CkksEncoder::encode_at`].
    pub fn encode_complex_scalar(&self, value: Complex64, scale: f64, level: ParmsId) -> Result<Plaintext, Error> {
        self.encode_slots(self.slot_count(), |_| value, scale, level)
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
        let mut data = self.context.buffers().take_zeroed(level.prime_count() * degree);
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
        let mut residues = self.context.buffers().take(plaintext.len());
        residues.copy_from_slice(plaintext.words());
        for (table, limb) in self.context.tables().iter().zip(residues.chunks_exact_mut(degree)) {
            table.inverse(limb);
        }
        let mut coefficients = Zeroizing::new(alloc::vec![0.0; degree]);
        level.basis().to_f64_centered(&residues, &mut coefficients);
        residues.wipe();
        let inverse = 1.0 / plaintext.scale;
        coefficients.iter_mut().for_each(|coefficient| *coefficient *= inverse);
        let mut slots = alloc::vec![Complex64::default(); degree / 2];
        self.context.embedding()?.to_slots_in_place(&mut coefficients, &mut slots);
        Ok(slots)
    }

    fn encode_slots(
        &self,
        count: usize,
        value: impl Fn(usize) -> Complex64,
        scale: f64,
        level: ParmsId,
    ) -> Result<Plaintext, Error> {
        let level = self.context.level(level, "the level")?;
        let capacity = self.slot_count();
        if count > capacity {
            return Err(Error::TooManyValues { capacity, got: count });
        }
        check_scale(scale, level)?;
        let mut slots = Slots(alloc::vec![Complex64::default(); capacity]);
        let mut coefficients = Zeroizing::new(alloc::vec![0.0; 2 * capacity]);
        let mut largest_square = 0.0;
        for (index, slot) in slots.0[..count].iter_mut().enumerate() {
            *slot = value(index);
            if !(slot.re.is_finite() && slot.im.is_finite()) {
                return Err(Error::NotFinite { index });
            }
            largest_square = libm::fmax(largest_square, slot.norm_sqr());
        }
        self.context.embedding()?.to_coefficients_scaled(&slots.0, scale, &mut coefficients);
        let mut largest = 0.0;
        for coefficient in coefficients.iter_mut() {
            largest = larger(largest, libm::fabs(*coefficient));
            *coefficient = round_half_away(*coefficient);
        }
        largest = round_half_away(largest);
        check_size(largest, level)?;
        let model = NoiseModel::new(&self.context);
        let bound = MessageBound::of_encoded(&model, largest_magnitude(&slots.0, largest_square), scale, largest);
        self.plaintext(level, &coefficients, scale, bound)
    }

    /// A plaintext with these coefficients, rounded and checked.
    fn plaintext(
        &self,
        level: &Level,
        coefficients: &[f64],
        scale: f64,
        bound: MessageBound,
    ) -> Result<Plaintext, Error> {
        let degree = self.context.degree();
        let mut data = self.context.buffers().take_zeroed(level.prime_count() * degree);
        level.basis().from_f64_into(coefficients, &mut data);
        for (table, limb) in self.context.tables().iter().zip(data.chunks_exact_mut(degree)) {
            table.forward(limb);
        }
        Ok(Plaintext { parms_id: level.parms_id(), scale, data, bound: Some(bound) })
    }

    /// A constant polynomial: its NTT values are all the constant.
    fn constant(&self, level: &Level, constant: f64, scale: f64, bound: MessageBound) -> Result<Plaintext, Error> {
        let degree = self.context.degree();
        let mut residues = Zeroizing::new(alloc::vec![0; level.prime_count()]);
        level.basis().from_f64_into(&[constant], &mut residues);
        let mut data = self.context.buffers().take_zeroed(level.prime_count() * degree);
        for (limb, &residue) in data.chunks_exact_mut(degree).zip(residues.iter()) {
            limb.fill(residue);
        }
        Ok(Plaintext { parms_id: level.parms_id(), scale, data, bound: Some(bound) })
    }
}

/// The largest magnitude of `slots` from the largest square of one. Where squares leave the range of doubles it is up to
/// half more.
fn largest_magnitude(slots: &[Complex64], largest_square: f64) -> f64 {
    // Below, a square has lost digits or all of itself.
    const SMALLEST_PRECISE: f64 = f64::MIN_POSITIVE / f64::EPSILON;
    if (SMALLEST_PRECISE..=f64::MAX).contains(&largest_square) {
        return libm::sqrt(largest_square);
    }
    // The magnitude is at most the square root of 2 times the larger part.
    let part = |slot: &Complex64| libm::fmax(libm::fabs(slot.re), libm::fabs(slot.im));
    1.5 * slots.iter().map(part).fold(0.0, libm::fmax)
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

/// The larger of two magnitudes. Where one is not a number, for sums that have overflowed, it is infinity.
fn larger(a: f64, b: f64) -> f64 {
    match b.is_nan() {
        true => f64::INFINITY,
        false => libm::fmax(a, b),
    }
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

/// The nearest integer; halves go away from zero, as in SEAL.
fn round_half_away(value: f64) -> f64 {
    /// The largest double below one half: added to 0.5 − ulp it stays below 1.
    const ALMOST_HALF: f64 = 0.499_999_999_999_999_94;
    let magnitude = libm::fabs(value);
    if magnitude >= 4_503_599_627_370_496.0 {
        return value; // 2^52 and above: an integer already
    }
    libm::copysign((magnitude + ALMOST_HALF) as i64 as f64, value)
}
