//! Non-negative reals of any size, rounded up.

use core::ops::{Add, AddAssign, Div, Mul};

/// A non-negative real number, infinity included; results are rounded up.
///
/// Moduli have up to `256·60` bits, far past the `2^1024` at which doubles end: a double in [1, 2) comes with an exponent
/// of its own. Sums and products cost a few nanoseconds, beside operations of microseconds, which logarithms would not.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Magnitude {
    // The order of the fields is that of the numbers.
    exponent: i64,
    /// In [1, 2); 0 for zero, infinite for infinity.
    mantissa: f64,
}

/// One unit in the last place of a number in [1, 2).
const UNIT: f64 = f64::EPSILON;

/// The largest exponent, past any number that says something: each squaring doubles exponents, and what is above counts
/// as infinite.
const MAX_EXPONENT: i64 = 1 << 40;

impl Magnitude {
    /// 0.
    pub const ZERO: Self = Self { exponent: i64::MIN, mantissa: 0.0 };
    /// 1.
    pub const ONE: Self = Self::power_of_two(0);
    /// One half.
    pub(super) const HALF: Self = Self::power_of_two(-1);
    /// The relative error of one operation on doubles, `2^-53`.
    pub(super) const ROUNDOFF: Self = Self::power_of_two(-53);
    /// More than any number: nothing is known.
    pub const INFINITE: Self = Self { exponent: i64::MAX, mantissa: f64::INFINITY };

    /// `2^exponent`; infinite above `2^(2^40)`, and `2^-(2^40)` below that.
    pub const fn power_of_two(exponent: i64) -> Self {
        Self::bounded(1.0, exponent)
    }

    /// `|value|`, exactly; not a number counts as infinite.
    pub const fn new(value: f64) -> Self {
        const MANTISSA: u64 = (1 << 52) - 1;
        let bits = value.to_bits() & (u64::MAX >> 1);
        let (biased, fraction) = (bits >> 52, bits & MANTISSA);
        match biased {
            0 if fraction == 0 => Self::ZERO,
            // Below the normal doubles: 2^-1022 is a bound.
            0 => Self::power_of_two(-1022),
            0x7ff => Self::INFINITE,
            _ => Self { exponent: biased as i64 - 1023, mantissa: f64::from_bits(fraction | 1023 << 52) },
        }
    }

    /// `2^log2`, rounded up by less than `2^-40` of it; not a number counts as infinite.
    pub fn from_log2(log2: f64) -> Self {
        const LIMIT: f64 = MAX_EXPONENT as f64;
        if log2 == f64::NEG_INFINITY {
            return Self::ZERO;
        }
        if log2.is_nan() || log2 > LIMIT {
            return Self::INFINITE;
        }
        let log2 = libm::fmax(log2, -LIMIT);
        let whole = libm::floor(log2);
        Self::new(libm::exp2(log2 - whole) * (1.0 + libm::exp2(-40.0))) * Self::power_of_two(whole as i64)
    }

    /// The base-2 logarithm; minus infinity for 0.
    pub fn log2(self) -> f64 {
        match (self.is_zero(), self.is_finite()) {
            (true, _) => f64::NEG_INFINITY,
            (_, false) => f64::INFINITY,
            _ => self.exponent as f64 + libm::log2(self.mantissa),
        }
    }

    /// The number; infinite past the range of doubles, 0 below it.
    pub fn value(self) -> f64 {
        let exponent = self.exponent.clamp(-2000, 2000) as i32;
        libm::scalbn(self.mantissa, exponent)
    }

    /// Whether this is 0.
    pub fn is_zero(self) -> bool {
        self.mantissa == 0.0
    }

    /// Whether this is a number.
    pub fn is_finite(self) -> bool {
        self.mantissa < f64::INFINITY
    }

    /// The smaller one.
    pub fn min(self, other: Self) -> Self {
        if other < self { other } else { self }
    }

    /// The larger one.
    pub fn max(self, other: Self) -> Self {
        if other > self { other } else { self }
    }

    /// The square root.
    pub fn sqrt(self) -> Self {
        if self.is_zero() || !self.is_finite() {
            return self;
        }
        let odd = self.exponent.rem_euclid(2);
        let root = libm::sqrt(if odd == 1 { 2.0 * self.mantissa } else { self.mantissa });
        Self::new(root + UNIT) * Self::power_of_two((self.exponent - odd) / 2)
    }

    /// A mantissa in [1, 4] with an exponent, plus one unit in the last place.
    fn rounded_up(mantissa: f64, exponent: i64) -> Self {
        let mantissa = mantissa * (1.0 + UNIT);
        match mantissa < 2.0 {
            true => Self::bounded(mantissa, exponent),
            false => {
                let Self { exponent: carry, mantissa } = Self::new(mantissa);
                Self::bounded(mantissa, exponent + carry)
            }
        }
    }

    /// A mantissa in [1, 2) with an exponent of any size, rounded up to what can be told apart. Since all exponents are
    /// bounded, their sums and differences do not overflow.
    const fn bounded(mantissa: f64, exponent: i64) -> Self {
        if exponent > MAX_EXPONENT {
            return Self::INFINITE;
        }
        if exponent < -MAX_EXPONENT {
            return Self { exponent: -MAX_EXPONENT, mantissa: 1.0 };
        }
        Self { exponent, mantissa }
    }
}

impl Add for Magnitude {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        let (small, large) = (self.min(other), self.max(other));
        if small.is_zero() || !large.is_finite() {
            return large;
        }
        // What is lost past 64 bits is below the unit that rounding up adds.
        let shift = (large.exponent - small.exponent).min(64) as u64;
        let aligned = small.mantissa * f64::from_bits((1023 - shift) << 52);
        Self::rounded_up(large.mantissa + aligned, large.exponent)
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
        if self.is_zero() || other.is_zero() {
            return Self::ZERO;
        }
        if !self.is_finite() || !other.is_finite() {
            return Self::INFINITE;
        }
        Self::rounded_up(self.mantissa * other.mantissa, self.exponent + other.exponent)
    }
}

/// The divisor is a number and not 0; otherwise the result is infinite.
impl Div for Magnitude {
    type Output = Self;

    fn div(self, other: Self) -> Self {
        if self.is_zero() {
            return Self::ZERO;
        }
        if !self.is_finite() || !other.is_finite() || other.is_zero() {
            return Self::INFINITE;
        }
        // The quotient is in (1/2, 2); twice it is in (1, 4).
        Self::rounded_up(2.0 * self.mantissa / other.mantissa, self.exponent - other.exponent - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const VALUES: [f64; 9] = [0.0, 1e-300, 1e-9, 0.75, 1.0, 3.0, 1.999_999_999_999_999_8, 1e17, 1e300];

    #[test]
    fn arithmetic_is_that_of_numbers_rounded_up() {
        let check = |exact: f64, bound: Magnitude, what: &str| {
            let bound = bound.value();
            assert!(bound >= exact && bound <= exact * (1.0 + 1e-14), "{what}: {bound} for {exact}");
        };
        for a in VALUES {
            check(a.sqrt(), Magnitude::new(a).sqrt(), "square root");
            check(a, Magnitude::new(-a), "magnitude");
            for b in VALUES {
                let (x, y) = (Magnitude::new(a), Magnitude::new(b));
                check(a + b, x + y, "sum");
                if (a * b).is_normal() || a * b == 0.0 {
                    check(a * b, x * y, "product");
                }
                if b > 0.0 && ((a / b).is_normal() || a == 0.0) {
                    check(a / b, x / y, "quotient");
                }
                assert_eq!(x < y, a < b);
            }
        }
    }

    #[test]
    fn numbers_past_doubles_and_unknown_ones_stay_what_they_are() {
        let huge = Magnitude::from_log2(15_360.0);
        assert!(((huge * huge).log2() - 30_720.0).abs() < 1e-9);
        assert!(((huge + huge).log2() - 15_361.0).abs() < 1e-9);
        assert!((huge.sqrt().log2() - 7_680.0).abs() < 1e-9);
        assert!(((Magnitude::ONE / huge).log2() + 15_360.0).abs() < 1e-9);
        assert_eq!(huge + Magnitude::ZERO, huge);
        assert_eq!(Magnitude::INFINITE + huge, Magnitude::INFINITE);
        assert_eq!(Magnitude::INFINITE * huge, Magnitude::INFINITE);
        assert_eq!(Magnitude::INFINITE * Magnitude::ZERO, Magnitude::ZERO);
        assert_eq!(Magnitude::new(f64::NAN), Magnitude::INFINITE);
        assert_eq!(Magnitude::from_log2(f64::NAN), Magnitude::INFINITE);
        assert_eq!(Magnitude::from_log2(f64::NEG_INFINITY), Magnitude::ZERO);
        assert_eq!(Magnitude::from_log2(f64::INFINITY), Magnitude::INFINITE);
    }

    /// Sixty-four squarings are one exponentiation of a ciphertext.
    #[test]
    fn exponents_of_any_size_end_in_infinity_or_far_below_one() {
        let (mut large, mut small) = (Magnitude::new(3.0), Magnitude::new(0.75));
        for _ in 0..64 {
            (large, small) = (large * large, small * small);
        }
        assert_eq!(large, Magnitude::INFINITE);
        assert!(!small.is_zero() && small < Magnitude::from_log2(-1e12));
        let (most, least) = (Magnitude::power_of_two(i64::MAX), Magnitude::power_of_two(i64::MIN));
        assert_eq!(most, Magnitude::INFINITE);
        assert!(Magnitude::ZERO < least && least <= small);
        assert_eq!(least + Magnitude::ZERO, least);
        assert_eq!(Magnitude::ONE / least / least, Magnitude::INFINITE);
        assert_eq!(least * least, least);
        assert_eq!(least.value(), 0.0);
    }

    #[test]
    fn logarithms_come_back() {
        for log2 in [-1000.25, -3.0, 0.0, 0.5, 12_345.75] {
            let back = Magnitude::from_log2(log2).log2();
            assert!(back >= log2 - 1e-11 && back - log2 < 1e-11, "{log2}: {back}");
        }
    }
}
