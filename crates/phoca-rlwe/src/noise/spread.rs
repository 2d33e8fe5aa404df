//! What a real polynomial of the ring probably is: a part that is fixed and a part that is random.

use super::magnitude::Magnitude;
use super::model::NoiseModel;

/// Bounds on a real polynomial `μ + ρ`, where `μ` follows from the messages and `ρ` from the randomness.
///
/// With `Σ` a matrix such that every linear functional `⟨ρ, w⟩` is sub-Gaussian with variance proxy `wᵀΣw`: see the
/// project's `docs/noise.md`, "Likely bounds". All sums hold for parts that depend on each other in any way.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spread {
    /// A bound on the coefficients of `μ`.
    pub fixed: Magnitude,
    /// A bound on the canonical norm of `μ`, the largest value at a primitive `2n`-th root of unity.
    pub fixed_canonical: Magnitude,
    /// The square root of the largest diagonal element of `Σ`: the deviation of a coefficient.
    pub deviation: Magnitude,
    /// The square root of the largest eigenvalue of `Σ`: the deviation in any direction.
    pub direction: Magnitude,
}

impl Spread {
    /// The zero polynomial.
    pub const ZERO: Self = Self::fixed(Magnitude::ZERO, Magnitude::ZERO);
    /// Nothing is known.
    pub const UNKNOWN: Self = Self::fixed(Magnitude::INFINITE, Magnitude::INFINITE);

    /// A polynomial that is not random, with bounds on its coefficients and its canonical norm.
    pub const fn fixed(coefficients: Magnitude, canonical: Magnitude) -> Self {
        Self { fixed: coefficients, fixed_canonical: canonical, deviation: Magnitude::ZERO, direction: Magnitude::ZERO }
    }

    /// A random polynomial.
    pub const fn random(deviation: Magnitude, direction: Magnitude) -> Self {
        Self { fixed: Magnitude::ZERO, fixed_canonical: Magnitude::ZERO, deviation, direction }
    }

    /// The sum of two polynomials, however they depend on each other.
    pub fn plus(self, other: Self) -> Self {
        Self {
            fixed: self.fixed + other.fixed,
            fixed_canonical: self.fixed_canonical + other.fixed_canonical,
            deviation: self.deviation + other.deviation,
            direction: self.direction + other.direction,
        }
    }

    /// The polynomial times a real number of this magnitude.
    pub fn times(self, factor: Magnitude) -> Self {
        Self {
            fixed: self.fixed * factor,
            fixed_canonical: self.fixed_canonical * factor,
            deviation: self.deviation * factor,
            direction: self.direction * factor,
        }
    }

    /// The product of two polynomials; the random parts may be the same.
    pub(super) fn product(self, other: Self, model: &NoiseModel<'_>) -> Self {
        let (a, b) = (self.random_part(), other.random_part());
        let crossed =
            self.fixed_part().times_independent(b, model).plus(other.fixed_part().times_independent(a, model));
        let quadratic = a.times_independent(b, model);
        Self {
            fixed: (model.degree() * self.fixed * other.fixed).min(self.fixed_canonical * other.fixed_canonical),
            fixed_canonical: self.fixed_canonical * other.fixed_canonical,
            // A square has twice the variance of a product of independent factors.
            deviation: crossed.deviation + quadratic.deviation * model.root_of_two(),
            direction: crossed.direction + quadratic.direction,
        }
    }

    /// The product with a random polynomial that is independent of this one; all of it counts as random.
    pub(super) fn times_independent(self, random: Self, model: &NoiseModel<'_>) -> Self {
        let own = self.random_part();
        let swapped = random.euclidean(model) * self.direction;
        let deviation = self.fixed_part().euclidean(model) * random.direction
            + (own.euclidean(model) * random.direction).min(swapped);
        let direction = self.canonical(model) * random.direction;
        Self::random(deviation.min(direction), direction)
    }

    fn fixed_part(self) -> Self {
        Self::fixed(self.fixed, self.fixed_canonical)
    }

    fn random_part(self) -> Self {
        Self::random(self.deviation, self.direction)
    }

    /// A likely bound on the largest coefficient.
    pub fn largest_coefficient(self, model: &NoiseModel<'_>) -> Magnitude {
        self.fixed + model.coefficient_deviations() * self.deviation
    }

    /// A likely bound on the canonical norm.
    pub fn canonical(self, model: &NoiseModel<'_>) -> Magnitude {
        self.fixed_canonical + model.canonical_deviations() * self.direction
    }

    /// A likely bound on the Euclidean norm of the coefficients.
    fn euclidean(self, model: &NoiseModel<'_>) -> Magnitude {
        let root = model.root_of_degree();
        let fixed = (root * self.fixed).min(self.fixed_canonical);
        fixed + root * self.deviation + model.tail_deviations() * self.direction
    }
}
