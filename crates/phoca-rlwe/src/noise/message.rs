//! Bounds on messages: plaintext operands, and the values that a circuit is planned for.

use phoca_ring::message::Magnitudes;

use super::magnitude::Magnitude;
use super::model::NoiseModel;
use super::spread::Spread;
use crate::context::Level;
use crate::params::Scheme;

/// Bounds on the polynomial of a plaintext.
///
/// For BFV and BGV it is the centred lift of the message; for CKKS the exact, unrounded polynomial of the values times
/// the scale, with the error that encoding adds to it apart.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MessageBound {
    /// The largest coefficient.
    pub coefficients: Magnitude,
    /// The sum of the coefficients' magnitudes.
    pub sum: Magnitude,
    /// The canonical norm: for CKKS the largest value times the scale.
    pub canonical: Magnitude,
    /// CKKS: a bound on the canonical norm of the encoding error.
    pub worst_rounding: Magnitude,
    /// CKKS: what the encoding error probably is.
    pub likely_rounding: Spread,
}

impl MessageBound {
    /// The zero message.
    pub const ZERO: Self = Self::exact(Magnitude::ZERO, Magnitude::ZERO, Magnitude::ZERO);

    const fn exact(coefficients: Magnitude, sum: Magnitude, canonical: Magnitude) -> Self {
        Self { coefficients, sum, canonical, worst_rounding: Magnitude::ZERO, likely_rounding: Spread::ZERO }
    }

    /// Any message of BFV or BGV: coefficients of at most `t/2`. For CKKS, nothing is known.
    pub fn any(model: &NoiseModel<'_>) -> Self {
        match model.context().scheme() {
            Scheme::Ckks => Self::with_coefficients(model, Magnitude::INFINITE),
            Scheme::Bfv | Scheme::Bgv => Self::with_coefficients(model, model.half_plain_modulus()),
        }
    }

    /// Whatever polynomial fits the level: coefficients of at most half its modulus.
    pub fn at_level(model: &NoiseModel<'_>, level: &Level) -> Self {
        Self::with_coefficients(model, model.modulus(level) * Magnitude::HALF)
    }

    fn with_coefficients(model: &NoiseModel<'_>, coefficients: Magnitude) -> Self {
        let canonical = model.canonical_of_coefficients() * coefficients;
        Self::exact(coefficients, model.degree() * coefficients, canonical)
    }

    /// BFV and BGV: a message with these coefficients in `[0, t)`, exactly but for the canonical norm, for which the sum
    /// stands in.
    pub fn of_coefficients(model: &NoiseModel<'_>, coefficients: &[u64]) -> Self {
        let magnitudes = Magnitudes::of(model.context().plain_modulus(), coefficients);
        let largest = Magnitude::new(magnitudes.largest as f64);
        let (high, low) = ((magnitudes.sum >> 32) as f64, (magnitudes.sum & 0xffff_ffff) as f64);
        let sum = Magnitude::new(high) * Magnitude::power_of_two(32) + Magnitude::new(low);
        let canonical = sum.min(model.canonical_of_coefficients() * largest);
        Self::exact(largest, sum, canonical)
    }

    /// CKKS: values of at most `largest` in magnitude, encoded as a vector with `scale`.
    pub fn of_values(model: &NoiseModel<'_>, largest: f64, scale: f64) -> Self {
        // One value among zeros has the smallest coefficients: up to 2/n of the value.
        let degree = model.context().degree() as f64;
        Self::of_encoded(model, largest, scale, largest * scale / degree)
    }

    /// As [`of_values`](Self::of_values), with a coefficient that is at most the largest of the scaled polynomial.
    pub(crate) fn of_encoded(model: &NoiseModel<'_>, largest: f64, scale: f64, coefficient: f64) -> Self {
        let value = Magnitude::new(largest) * Magnitude::new(scale);
        if value.is_zero() {
            return Self::ZERO;
        }
        let root = model.root_of_degree();
        let transform = model.transform_error() * value;
        let worst = model.canonical_of_coefficients() * Magnitude::HALF;
        // Coefficients below n may have rounding errors that keep the pattern of the values.
        let likely = match Magnitude::new(coefficient) >= model.degree() {
            true => {
                // The coefficients of real values come in pairs with equal errors.
                let deviation = model.rounding() * model.root_of_two() + transform / root;
                Spread::random(deviation, deviation)
            }
            false => Spread::fixed(worst + transform, worst + transform),
        };
        Self {
            coefficients: value,
            sum: root * value,
            canonical: value,
            worst_rounding: worst + root * transform,
            likely_rounding: likely,
        }
    }

    /// CKKS: one value of at most `largest` in magnitude in every slot, encoded as a constant with `scale`.
    pub fn of_constant(largest: f64, scale: f64) -> Self {
        let value = Magnitude::new(largest) * Magnitude::new(scale);
        // Half a unit, and the rounding of the product before.
        let rounding = Magnitude::HALF + value * Magnitude::ROUNDOFF;
        Self {
            worst_rounding: rounding,
            likely_rounding: Spread::fixed(rounding, rounding),
            ..Self::exact(value, value, value)
        }
    }

    /// CKKS: an integer of at most `largest` in magnitude in every slot, which is exact.
    pub fn of_integer(largest: u64) -> Self {
        // One more for the rounding to a double.
        let value = Magnitude::new(largest as f64) + Magnitude::new(if largest >> 53 > 0 { 1024.0 } else { 0.0 });
        Self::exact(value, value, value)
    }

    /// Eight logarithms to base 2 that [`from_log2`](Self::from_log2) makes this bound of again, up to rounding upwards.
    pub fn to_log2(&self) -> [f64; 8] {
        let Self { coefficients, sum, canonical, worst_rounding, likely_rounding } = *self;
        let Spread { fixed, fixed_canonical, deviation, direction } = likely_rounding;
        [coefficients, sum, canonical, worst_rounding, fixed, fixed_canonical, deviation, direction]
            .map(Magnitude::log2)
    }

    /// The bound that [`to_log2`](Self::to_log2) gave; what is not a number counts as unknown.
    pub fn from_log2(logarithms: [f64; 8]) -> Self {
        let [coefficients, sum, canonical, worst_rounding, fixed, fixed_canonical, deviation, direction] =
            logarithms.map(Magnitude::from_log2);
        let likely_rounding = Spread { fixed, fixed_canonical, deviation, direction };
        Self { coefficients, sum, canonical, worst_rounding, likely_rounding }
    }

    /// The same with a canonical norm that was measured.
    pub(crate) fn with_canonical(self, canonical: Magnitude) -> Self {
        Self { canonical: self.canonical.min(canonical), ..self }
    }

    /// The bound of an exact message times an integer.
    pub(crate) fn times(self, factor: Magnitude) -> Self {
        Self::exact(self.coefficients * factor, self.sum * factor, self.canonical * factor)
    }

    /// As a polynomial that is not random.
    pub(super) fn fixed(&self) -> Spread {
        Spread::fixed(self.coefficients, self.canonical)
    }
}
