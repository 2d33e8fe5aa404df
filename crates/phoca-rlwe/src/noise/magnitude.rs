//! Non-negative reals by their base-2 logarithm.

use core::ops::{Add, AddAssign, Div, Mul};

/// What every operation adds to the logarithm, so that rounding never makes a bound too small: logarithms here are below
/// `2^15` in magnitude, with an error of at most a few units of `2^-38`.
const ROUND_UP: f64 = 1.0 / (1_u64 << 34) as f64;

/// A non-negative real number, infinity included, kept as its base-2 logarithm and rounded up.
///
/// Moduli have up to `256·60` bits, far past the `2^1024` at which doubles end; their logarithms are small.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Magnitude(f64);

impl Magnitude {
    /// 0.
    pub const ZERO: Self = Self(f64::NEG_INFINITY);
    /// 1.
    pub const ONE: Self = Self(0.0);
    /// The relative error of one operation on doubles, `2^-53`.
    pub(super) const ROUNDOFF: Self = Self(-53.0);
    /// More than any number: nothing is known.
    pub const INFINITE: Self = Self(f64::INFINITY);

    /// `|value|`; not a number counts as infinite.
    pub fn new(value: f64) -> Self {
        match value {
            0.0 => Self::ZERO,
            value => Self::from_log2(libm::log2(libm::fabs(value))),
        }
    }

    /// `2^log2`; not a number counts as infinite.
    pub fn from_log2(log2: f64) -> Self {
        match log2.is_nan() {
            true => Self::INFINITE,
            false => Self(log2),
        }
    }

    /// The base-2 logarithm; minus infinity for 0.
    pub fn log2(self) -> f64 {
        self.0
    }

    /// The number; infinite past the range of doubles.
    pub fn value(self) -> f64 {
        libm::exp2(self.0)
    }

    /// Whether this is 0.
    pub fn is_zero(self) -> bool {
        self.0 == f64::NEG_INFINITY
    }

    /// Whether this is a number.
    pub fn is_finite(self) -> bool {
        self.0 < f64::INFINITY
    }

    /// The smaller one.
    pub fn min(self, other: Self) -> Self {
        Self(libm::fmin(self.0, other.0))
    }

    /// The larger one.
    pub fn max(self, other: Self) -> Self {
        Self(libm::fmax(self.0, other.0))
    }

    /// The square root.
    pub fn sqrt(self) -> Self {
        Self(0.5 * self.0)
    }
}

impl Add for Magnitude {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        let (small, large) = (self.min(other), self.max(other));
        if small.is_zero() || !large.is_finite() {
            return large;
        }
        Self(large.0 + libm::log2(1.0 + libm::exp2(small.0 - large.0)) + ROUND_UP)
    }
}

impl AddAssign for Magnitude {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

/// 0 times infinity is 0: nothing times something unknown.
impl Mul for Magnitude {
    type Output = Self;

    fn mul(self, other: Self) -> Self {
        match self.is_zero() || other.is_zero() {
            true => Self::ZERO,
            false => Self(self.0 + other.0 + ROUND_UP),
        }
    }
}

/// The divisor is neither 0 nor infinite.
impl Div for Magnitude {
    type Output = Self;

    fn div(self, other: Self) -> Self {
        debug_assert!(other.0.is_finite(), "division by zero or infinity");
        Self(self.0 - other.0 + ROUND_UP)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arithmetic_is_that_of_numbers_rounded_up() {
        let values = [0.0, 1e-9, 0.75, 1.0, 3.0, 1e17];
        for a in values {
            for b in values {
                for (exact, bound) in [
                    (a + b, Magnitude::new(a) + Magnitude::new(b)),
                    (a * b, Magnitude::new(a) * Magnitude::new(b)),
                ] {
                    let bound = bound.value();
                    assert!(
                        bound >= exact * (1.0 - 1e-14) && bound <= exact * (1.0 + 1e-9),
                        "{a} {b}: {bound}"
                    );
                }
            }
        }
    }

    #[test]
    fn numbers_past_doubles_and_unknown_ones_stay_what_they_are() {
        let huge = Magnitude::from_log2(15_360.0);
        assert!(((huge * huge).log2() - 30_720.0).abs() < 1e-6);
        assert!(((huge + huge).log2() - 15_361.0).abs() < 1e-6);
        assert_eq!(huge + Magnitude::ZERO, huge);
        assert_eq!(Magnitude::INFINITE + huge, Magnitude::INFINITE);
        assert_eq!(Magnitude::INFINITE * huge, Magnitude::INFINITE);
        assert_eq!(Magnitude::INFINITE * Magnitude::ZERO, Magnitude::ZERO);
        assert_eq!(Magnitude::new(f64::NAN), Magnitude::INFINITE);
    }
}
