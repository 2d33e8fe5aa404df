//! How each operation changes what is known about a ciphertext: the formulas of the project's `docs/noise.md`.

use super::magnitude::Magnitude;
use super::message::MessageBound;
use super::spread::Spread;
use super::{Encryption, NoiseBound};
use crate::ciphertext::SIZE_RANGE;
use crate::context::{Context, Level};
use crate::params::Scheme;

/// The largest magnitude of an error coefficient: 21 bits less 21 bits.
const ERROR_MAX: f64 = 21.0;
/// The variance of an error coefficient.
const ERROR_VARIANCE: f64 = 10.5;
/// The variance of a coefficient of a secret or an encryption mask.
const TERNARY_VARIANCE: f64 = 2.0 / 3.0;
/// A likely bound on one random quantity fails with a probability of at most `2^-FAILURE_BITS`.
const FAILURE_BITS: f64 = 64.0;
/// Directions of the complex plane in the union bound on a modulus.
const DIRECTIONS: f64 = 32.0;
/// One half and a little: rounding in BFV's multiplication errs by less than `2^-50` on top.
const HALF_AND_A_LITTLE: f64 = 0.5 + 1.0 / (1_u64 << 50) as f64;
/// The noise formulas for one context: from bounds on the operands to a bound on the result.
///
/// Every operation of the evaluator computes the bound of its result with these functions; they need no ciphertexts, so
/// that a circuit can be planned with them before it runs.
///
/// ```
/// use phoca_rlwe::noise::{Encryption, MessageBound, NoiseModel};
/// use phoca_rlwe::{Parameters, Scheme, SecurityLevel, coeff_modulus, plain_modulus};
///
/// let context = Parameters {
///     scheme: Scheme::Bfv,
///     degree: 8192,
///     coeff_modulus: coeff_modulus::seal_default(8192, SecurityLevel::Bits128)?,
///     plain_modulus: plain_modulus::batching(8192, 20)?,
/// }
/// .build()?;
/// let model = NoiseModel::new(&context);
/// let level = context.first_level();
/// let fresh = model.fresh(level, Encryption::PublicKey, &MessageBound::any(&model));
/// let square = model.key_switched(&model.product(&fresh, 2, &fresh, 2, level), level);
/// assert!(model.likely_budget(&square, level) > 80.0); // of the modulus's 174 bits
/// # Ok::<(), phoca_rlwe::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct NoiseModel<'a> {
    context: &'a Context,
    constants: &'a NoiseConstants,
}

/// What the formulas take from degree and plain modulus; a context keeps it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NoiseConstants {
    degree: Magnitude,
    root_of_degree: Magnitude,
    root_of_two: Magnitude,
    plain_modulus: Magnitude,
    /// `D_∞`: a coefficient of deviation 1 is likely below this.
    coefficient_deviations: Magnitude,
    /// `D·sqrt(n)`: the canonical norm for a deviation of 1.
    canonical_deviations: Magnitude,
    /// `sqrt(2τ)`: what the Euclidean norm may be above its mean, for a deviation of 1.
    tail_deviations: Magnitude,
    /// `κ`: the largest canonical norm for coefficients of at most 1.
    canonical_of_coefficients: Magnitude,
    /// The deviation of a uniform value in [−1/2, 1/2].
    rounding: Magnitude,
    /// The relative error of encoding by a transform of doubles.
    transform_error: Magnitude,
    /// The secret key, likely.
    secret: Norms,
    /// An error polynomial of a key, likely.
    error: Norms,
}

/// Likely bounds on a polynomial that is drawn once and then stays.
#[derive(Clone, Copy, Debug)]
struct Norms {
    euclidean: Magnitude,
    canonical: Magnitude,
}

impl NoiseConstants {
    pub(crate) fn new(degree: usize, plain_modulus: u64) -> Self {
        let n = degree as f64;
        let tail = FAILURE_BITS * core::f64::consts::LN_2;
        let angle = core::f64::consts::PI / DIRECTIONS;
        let squared = (tail + libm::log(DIRECTIONS * libm::fmax(1.0, n / 2.0))) / (libm::cos(angle) * libm::cos(angle));
        let mut constants = Self {
            degree: Magnitude::new(n),
            root_of_degree: Magnitude::new(n).sqrt(),
            root_of_two: Magnitude::new(2.0).sqrt(),
            plain_modulus: Magnitude::new(plain_modulus as f64),
            coefficient_deviations: Magnitude::new(libm::sqrt(2.0 * (tail + libm::log(2.0 * n)))),
            canonical_deviations: Magnitude::new(libm::sqrt(n * squared)),
            tail_deviations: Magnitude::new(libm::sqrt(2.0 * tail)),
            canonical_of_coefficients: Magnitude::new(1.0 / libm::sin(core::f64::consts::FRAC_PI_2 / n)),
            rounding: Magnitude::new(1.0 / 12.0).sqrt(),
            transform_error: Magnitude::ROUNDOFF * Magnitude::new(4.0 * libm::log2(n) + 4.0),
            secret: Norms::ZERO,
            error: Norms::ZERO,
        };
        constants.secret = Norms::new(&constants, TERNARY_VARIANCE, 1.0);
        constants.error = Norms::new(&constants, ERROR_VARIANCE, ERROR_MAX);
        constants
    }
}

impl<'a> NoiseModel<'a> {
    /// The model for the parameters of `context`.
    pub fn new(context: &'a Context) -> Self {
        Self { context, constants: context.noise_constants() }
    }

    /// The context.
    pub fn context(&self) -> &Context {
        self.context
    }

    /// A fresh encryption at `level`.
    pub fn fresh(&self, level: &Level, encryption: Encryption, message: &MessageBound) -> NoiseBound {
        let zero = match encryption {
            Encryption::SecretKey => self.fresh_symmetric(),
            Encryption::PublicKey => match self.context.previous_level(level) {
                Some(_) => self.divided(&self.fresh_public(), 2, level),
                None => self.fresh_public(),
            },
        };
        self.plus_message(&zero, message)
    }

    /// `−e`, or `−t·e` for BGV; in BFV's units, `t` times the phase.
    pub(crate) fn fresh_symmetric(&self) -> NoiseBound {
        let deviation = Magnitude::new(libm::sqrt(ERROR_VARIANCE));
        self.zero_with_error(Magnitude::new(ERROR_MAX) * self.worst_unit(), Spread::random(deviation, deviation))
    }

    /// `e·u + e_0 + e_1·s` before the division by the last prime.
    pub(crate) fn fresh_public(&self) -> NoiseBound {
        let secret = self.worst_secret();
        let error = Magnitude::new(ERROR_MAX);
        // Both e·u and e_1·s are bounded alike: the mask is ternary as the secret is.
        let worst = error * self.worst_unit() * (Magnitude::ONE + secret + secret);
        let mask = Magnitude::new(TERNARY_VARIANCE);
        let variance = Magnitude::new(ERROR_VARIANCE);
        let deviation = |error: Magnitude, secret: Magnitude| {
            (mask * error * error + variance * (Magnitude::ONE + secret * secret)).sqrt()
        };
        self.zero_with_error(
            worst,
            Spread::random(
                deviation(self.constants.error.euclidean, self.constants.secret.euclidean),
                deviation(self.constants.error.canonical, self.constants.secret.canonical),
            ),
        )
    }

    /// A zero with an error of the phase; BFV and BGV count it `t` times.
    fn zero_with_error(&self, worst: Magnitude, likely: Spread) -> NoiseBound {
        NoiseBound { message: Magnitude::ZERO, worst: worst * self.unit(), likely: likely.times(self.unit()) }
    }

    /// A message added by encryption or [`plus_plain`](Self::plus_plain).
    pub(crate) fn plus_message(&self, a: &NoiseBound, message: &MessageBound) -> NoiseBound {
        match self.context.scheme() {
            // round(q·m/t) is off by half at most, t times.
            Scheme::Bfv => {
                let half = self.half_plain_modulus();
                self.plus_fixed(a, half, self.constants.canonical_of_coefficients * half)
            }
            Scheme::Bgv => self.plus_fixed(a, message.coefficients, message.canonical),
            Scheme::Ckks => NoiseBound {
                message: a.message + message.canonical,
                worst: a.worst + message.worst_rounding,
                likely: a.likely.plus(message.likely_rounding),
            },
        }
    }

    fn plus_fixed(&self, a: &NoiseBound, coefficients: Magnitude, canonical: Magnitude) -> NoiseBound {
        NoiseBound {
            message: a.message,
            worst: a.worst + coefficients,
            likely: a.likely.plus(Spread::fixed(coefficients, canonical)),
        }
    }

    /// `a ± b`.
    pub fn sum(&self, a: &NoiseBound, b: &NoiseBound) -> NoiseBound {
        let sum =
            NoiseBound { message: a.message + b.message, worst: a.worst + b.worst, likely: a.likely.plus(b.likely) };
        // Scales of summands may differ by two units in the last place.
        self.with_roundoff(sum, Magnitude::new(2.0))
    }

    /// `factor·a`, for BGV's balancing of correction factors.
    pub fn scaled(&self, a: &NoiseBound, factor: f64) -> NoiseBound {
        let factor = Magnitude::new(factor);
        NoiseBound { message: a.message * factor, worst: a.worst * factor, likely: a.likely.times(factor) }
    }

    /// `a·b` for operands of `a_size` and `b_size` polynomials at `level`, before relinearization.
    pub fn product(&self, a: &NoiseBound, a_size: usize, b: &NoiseBound, b_size: usize, level: &Level) -> NoiseBound {
        match self.context.scheme() {
            Scheme::Bfv => self.scaled_product(a, a_size, b, b_size, level),
            Scheme::Bgv => NoiseBound {
                message: Magnitude::ZERO,
                worst: self.constants.degree * a.worst * b.worst,
                likely: a.likely.product(b.likely, self),
            },
            Scheme::Ckks => {
                let crossed = a.likely.times(b.message).plus(b.likely.times(a.message));
                let product = NoiseBound {
                    message: a.message * b.message,
                    worst: a.message * b.worst + b.message * a.worst + a.worst * b.worst,
                    likely: crossed.plus(a.likely.product(b.likely, self)),
                };
                self.with_roundoff(product, Magnitude::ONE)
            }
        }
    }

    /// BFV: `T_a·v_b + T_b·v_a − v_a·v_b/q + t·r(s)` with `T = t/q·Σ_i c_i·s^i`.
    ///
    /// Before, `b` is switched to a modulus above `q`, which counted for `q` adds up to `t·r_b(s)` to `v_b`. Squares are
    /// formed without and have less noise.
    fn scaled_product(
        &self,
        a: &NoiseBound,
        a_size: usize,
        b: &NoiseBound,
        b_size: usize,
        level: &Level,
    ) -> NoiseBound {
        let modulus = self.modulus(level);
        let switch = self.rounded_phase(b_size);
        let b = NoiseBound { worst: b.worst + switch.worst, likely: b.likely.plus(switch.likely), ..*b };
        let worst_multiple =
            |size| self.constants.plain_modulus * Magnitude::new(HALF_AND_A_LITTLE) * powers(self.worst_secret(), size);
        let worst = worst_multiple(a_size) * b.worst + worst_multiple(b_size) * a.worst + a.worst * b.worst / modulus;
        let likely = a
            .likely
            .times_independent(self.uniform_phase(b_size), self)
            .plus(b.likely.times_independent(self.uniform_phase(a_size), self))
            .plus(a.likely.product(b.likely, self).times(Magnitude::ONE / modulus));
        let rounding = self.rounded_phase(a_size.saturating_add(b_size).saturating_sub(1));
        NoiseBound {
            message: Magnitude::ZERO,
            worst: self.constants.degree * worst + rounding.worst,
            likely: likely.plus(rounding.likely),
        }
    }

    /// BFV: `t/q` times the integer `Σ_i a_i·s^i` for uniform `a_i`.
    fn uniform_phase(&self, size: usize) -> Spread {
        self.rounding_of_phase(size).times(self.constants.plain_modulus)
    }

    /// One key switch of a ciphertext at `level`: a rotation, or one power of the secret in relinearization.
    pub fn key_switched(&self, a: &NoiseBound, level: &Level) -> NoiseBound {
        let (_, special) = self.context.split_special();
        let special = Magnitude::new(special.modulus().value() as f64);
        let squares = level.moduli().iter().fold(Magnitude::ZERO, |sum, modulus| {
            let prime = Magnitude::new(modulus.value() as f64);
            sum + prime * prime
        });
        let largest =
            level.moduli().iter().fold(Magnitude::ZERO, |sum, modulus| sum + Magnitude::new(modulus.value() as f64));
        // The digits are centred: at most half of their prime, uniform.
        let digits = squares.sqrt() * self.rounding() / special;
        let likely = Spread::random(digits * self.constants.error.euclidean, digits * self.constants.error.canonical);
        let worst = match self.context.scheme() {
            Scheme::Ckks => self.constants.canonical_of_coefficients * self.constants.canonical_of_coefficients,
            Scheme::Bfv | Scheme::Bgv => self.constants.degree,
        } * Magnitude::new(0.5 * ERROR_MAX)
            * largest
            / special;
        let rounding = self.rounded_phase(2);
        NoiseBound {
            message: a.message,
            worst: a.worst + worst * self.unit() + rounding.worst,
            likely: a.likely.plus(likely.times(self.unit())).plus(rounding.likely),
        }
    }

    /// Division by the last prime of the level above `next`, of a ciphertext of `size` polynomials: BFV's and BGV's
    /// modulus switch, CKKS's rescaling. Unknown where there is no level above.
    pub fn divided(&self, a: &NoiseBound, size: usize, next: &Level) -> NoiseBound {
        let Some(&last) = self.context.parameters().coeff_modulus.get(next.prime_count()) else {
            return NoiseBound::UNKNOWN;
        };
        let factor = Magnitude::ONE / Magnitude::new(last as f64);
        let rounding = self.rounded_phase(size);
        let divided = NoiseBound {
            message: a.message * factor,
            worst: a.worst * factor + rounding.worst,
            likely: a.likely.times(factor).plus(rounding.likely),
        };
        self.with_roundoff(divided, Magnitude::ONE)
    }

    /// Primes dropped without division: value and noise stay, while the modulus they must fit in gets smaller.
    pub fn dropped(&self, a: &NoiseBound) -> NoiseBound {
        *a
    }

    /// `a ± plaintext`. For BGV, the message is that which is added: already times the correction factor.
    pub fn plus_plain(&self, a: &NoiseBound, plaintext: &MessageBound) -> NoiseBound {
        let sum = self.plus_message(a, plaintext);
        self.with_roundoff(sum, Magnitude::new(2.0))
    }

    /// `a·plaintext`.
    pub fn times_plain(&self, a: &NoiseBound, plaintext: &MessageBound) -> NoiseBound {
        if self.context.scheme() == Scheme::Ckks {
            let value = a.likely.times(plaintext.canonical);
            let rounding = plaintext.likely_rounding;
            let product = NoiseBound {
                message: a.message * plaintext.canonical,
                worst: a.worst * plaintext.canonical + (a.message + a.worst) * plaintext.worst_rounding,
                likely: value.plus(rounding.times(a.message)).plus(a.likely.product(rounding, self)),
            };
            return self.with_roundoff(product, Magnitude::ONE);
        }
        let mut likely = plaintext.fixed().product(a.likely, self);
        likely.fixed = likely.fixed.min(plaintext.sum * a.likely.fixed);
        NoiseBound { message: a.message, worst: plaintext.sum * a.worst, likely }
    }

    /// BFV and BGV: how many bits the noise of a ciphertext with this bound may grow at least before decryption fails;
    /// 0 where nothing can be promised. Holds for every outcome of the randomness.
    pub fn worst_case_budget(&self, bound: &NoiseBound, level: &Level) -> f64 {
        self.budget(bound.worst, level)
    }

    /// As [`worst_case_budget`](Self::worst_case_budget), but it may fail with a small probability.
    pub fn likely_budget(&self, bound: &NoiseBound, level: &Level) -> f64 {
        self.budget(self.likely_noise(bound), level)
    }

    fn budget(&self, noise: Magnitude, level: &Level) -> f64 {
        libm::fmax(0.0, self.modulus(level).log2() - 1.0 - noise.log2())
    }

    /// The likely noise: of BFV and BGV the largest coefficient, of CKKS the canonical norm. Never above the worst case.
    pub fn likely_noise(&self, bound: &NoiseBound) -> Magnitude {
        let likely = match self.context.scheme() {
            Scheme::Ckks => bound.likely.canonical(self),
            Scheme::Bfv | Scheme::Bgv => bound.likely.largest_coefficient(self),
        };
        likely.min(bound.worst)
    }

    /// CKKS: a bound on the error of each slot of a ciphertext at this level with this scale, whatever the randomness.
    ///
    /// Infinite where value and error may not fit the modulus. Decoding to doubles adds a relative error of a few units
    /// of `2^-53`.
    pub fn worst_case_error(&self, bound: &NoiseBound, level: &Level, scale: f64) -> f64 {
        self.slot_error(bound, bound.worst, level, scale)
    }

    /// As [`worst_case_error`](Self::worst_case_error), but it may fail with a small probability.
    pub fn likely_error(&self, bound: &NoiseBound, level: &Level, scale: f64) -> f64 {
        self.slot_error(bound, self.likely_noise(bound), level, scale)
    }

    fn slot_error(&self, bound: &NoiseBound, error: Magnitude, level: &Level, scale: f64) -> f64 {
        let half = self.modulus(level) * Magnitude::HALF;
        match bound.message + error < half {
            true => (error / Magnitude::new(scale)).value(),
            false => f64::INFINITY,
        }
    }

    /// CKKS: a bound on the values themselves.
    pub fn value_bound(&self, bound: &NoiseBound, scale: f64) -> f64 {
        (bound.message / Magnitude::new(scale)).value()
    }

    /// The phase of `size` polynomials that were each rounded to a neighbouring integer, `t` times that for BFV and BGV.
    fn rounded_phase(&self, size: usize) -> NoiseBound {
        let worst = Magnitude::new(HALF_AND_A_LITTLE) * self.worst_unit() * powers(self.worst_secret(), size);
        self.zero_with_error(worst, self.rounding_of_phase(size))
    }

    /// `Σ_i r_i·s^i` with the coefficients of all `r_i` independent and uniform in [−1/2, 1/2].
    fn rounding_of_phase(&self, size: usize) -> Spread {
        let canonical = self.constants.secret.canonical;
        let direction = powers(canonical * canonical, size).sqrt();
        // ‖s^i‖ ≤ ‖s‖·‖s‖_can^(i-1), less its first term.
        let euclidean = self.constants.secret.euclidean
            * self.constants.secret.euclidean
            * powers(canonical * canonical, size.saturating_sub(1));
        let deviation = (Magnitude::ONE + euclidean).sqrt().min(direction);
        Spread::random(self.rounding() * deviation, self.rounding() * direction)
    }

    /// The deviation of a uniform value in [−1/2, 1/2].
    pub(super) fn rounding(&self) -> Magnitude {
        self.constants.rounding
    }

    /// The square root of 2.
    pub(super) fn root_of_two(&self) -> Magnitude {
        self.constants.root_of_two
    }

    /// The square root of `n`.
    pub(super) fn root_of_degree(&self) -> Magnitude {
        self.constants.root_of_degree
    }

    /// CKKS: adds the error of so many roundings of a scale.
    fn with_roundoff(&self, a: NoiseBound, count: Magnitude) -> NoiseBound {
        if self.context.scheme() != Scheme::Ckks {
            return a;
        }
        let error = a.message * Magnitude::ROUNDOFF * count;
        NoiseBound { worst: a.worst + error, likely: a.likely.plus(Spread::fixed(error, error)), ..a }
    }

    /// The relative error of encoding by a transform of doubles.
    pub(super) fn transform_error(&self) -> Magnitude {
        self.constants.transform_error
    }

    /// What the noise of one unit in the phase counts: `t` for BFV and BGV.
    fn unit(&self) -> Magnitude {
        match self.context.scheme() {
            Scheme::Ckks => Magnitude::ONE,
            Scheme::Bfv | Scheme::Bgv => self.constants.plain_modulus,
        }
    }

    /// The worst-case norm of a polynomial with coefficients of at most 1: canonical for CKKS, largest coefficient
    /// otherwise.
    fn worst_unit(&self) -> Magnitude {
        match self.context.scheme() {
            Scheme::Ckks => self.constants.canonical_of_coefficients,
            Scheme::Bfv | Scheme::Bgv => Magnitude::ONE,
        }
    }

    /// The most by which a product with the secret is larger, in the worst-case norm.
    fn worst_secret(&self) -> Magnitude {
        match self.context.scheme() {
            Scheme::Ckks => self.constants.canonical_of_coefficients,
            Scheme::Bfv | Scheme::Bgv => self.constants.degree,
        }
    }

    /// `n`.
    pub(super) fn degree(&self) -> Magnitude {
        self.constants.degree
    }

    /// `t/2`.
    pub(super) fn half_plain_modulus(&self) -> Magnitude {
        self.constants.plain_modulus * Magnitude::HALF
    }

    /// The product of the level's primes.
    pub fn modulus(&self, level: &Level) -> Magnitude {
        let primes = level.moduli().iter();
        primes.fold(Magnitude::ONE, |product, modulus| product * Magnitude::new(modulus.value() as f64))
    }

    pub(super) fn coefficient_deviations(&self) -> Magnitude {
        self.constants.coefficient_deviations
    }

    pub(super) fn canonical_deviations(&self) -> Magnitude {
        self.constants.canonical_deviations
    }

    pub(super) fn tail_deviations(&self) -> Magnitude {
        self.constants.tail_deviations
    }

    pub(super) fn canonical_of_coefficients(&self) -> Magnitude {
        self.constants.canonical_of_coefficients
    }
}

impl Norms {
    const ZERO: Self = Self { euclidean: Magnitude::ZERO, canonical: Magnitude::ZERO };

    /// Of a polynomial whose coefficients are independent, of this variance and at most `largest` in magnitude.
    fn new(constants: &NoiseConstants, variance: f64, largest: f64) -> Self {
        let (deviation, largest) = (Magnitude::new(libm::sqrt(variance)), Magnitude::new(largest));
        let root = constants.root_of_degree;
        Self {
            euclidean: (deviation * (root + constants.tail_deviations)).min(largest * root),
            canonical: (deviation * constants.canonical_deviations).min(largest * constants.canonical_of_coefficients),
        }
    }
}

/// `1 + x + … + x^(count-1)`; infinite for more polynomials than a product of the largest ciphertexts would have.
fn powers(x: Magnitude, count: usize) -> Magnitude {
    if count >= 2 * *SIZE_RANGE.end() {
        return Magnitude::INFINITE;
    }
    (1..count).fold(Magnitude::ONE, |sum, _| Magnitude::ONE + x * sum)
}
