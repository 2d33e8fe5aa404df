//! Magnitudes and roundings of many doubles, written in groups so that they vectorise.

use core::array::from_fn;

/// Numbers that are treated side by side.
const GROUP: usize = 8;

/// `2^52`, from where on every double is an integer.
const TWO_52: f64 = 4_503_599_627_370_496.0;

/// The largest double below one half: added to `0.5 − ulp` it stays below 1.
const ALMOST_HALF: f64 = 0.499_999_999_999_999_94;

/// The largest absolute value; infinity where one is infinite or not a number.
#[inline(always)]
pub(crate) fn largest_magnitude(values: &[f64]) -> f64 {
    let (groups, rest) = values.as_chunks::<GROUP>();
    let mut largest = Largest::default();
    for group in groups {
        largest.take(group.map(f64::abs));
    }
    largest.take(padded(rest).map(f64::abs));
    largest.finish()
}

/// Rounds every value to the nearest integer, halves away from zero; gives the largest absolute value among the integers,
/// infinity where a value is infinite or not a number.
#[inline(always)]
pub(crate) fn round_half_away(values: &mut [f64]) -> f64 {
    let (groups, rest) = values.as_chunks_mut::<GROUP>();
    let mut largest = Largest::default();
    for group in groups {
        *group = group.map(nearest);
        largest.take(group.map(f64::abs));
    }
    let rounded = padded(rest).map(nearest);
    largest.take(rounded.map(f64::abs));
    rest.copy_from_slice(&rounded[..rest.len()]);
    largest.finish()
}

/// The nearest integer, halves away from zero.
#[inline(always)]
fn nearest(value: f64) -> f64 {
    let magnitude = value.abs();
    let raised = magnitude + ALMOST_HALF;
    // The nearest integer to a number below 2^52, ties to even; one too large where it is above.
    let integer = (raised + TWO_52) - TWO_52;
    let floor = if integer > raised { integer - 1.0 } else { integer };
    let rounded = floor.copysign(value);
    if magnitude >= TWO_52 { value } else { rounded }
}

/// The running maximum of each place of a group.
#[derive(Default)]
struct Largest {
    values: [f64; GROUP],
    /// Not zero where a value was not finite.
    invalid: [u64; GROUP],
}

impl Largest {
    #[inline(always)]
    fn take(&mut self, magnitudes: [f64; GROUP]) {
        self.values = from_fn(|i| if magnitudes[i] > self.values[i] { magnitudes[i] } else { self.values[i] });
        self.invalid = from_fn(|i| self.invalid[i] | u64::from(magnitudes[i].is_nan() | magnitudes[i].is_infinite()));
    }

    #[inline(always)]
    fn finish(self) -> f64 {
        match self.invalid == [0; GROUP] {
            true => self.values.into_iter().fold(0.0, f64::max),
            false => f64::INFINITY,
        }
    }
}

#[inline(always)]
fn padded(values: &[f64]) -> [f64; GROUP] {
    let mut padded = [0.0; GROUP];
    padded[..values.len()].copy_from_slice(values);
    padded
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::*;

    /// The definition, for values below `2^62`.
    fn half_away(value: f64) -> f64 {
        libm::round(value)
    }

    #[test]
    fn halves_go_away_from_zero() {
        let edges = [0.0, 0.25, ALMOST_HALF, 0.5, 0.75, 1.0, 1.5, 2.5, 1e9 + 0.5, TWO_52 / 2.0 + 0.5, TWO_52 - 0.5];
        let more = [TWO_52 - 1.0, TWO_52, TWO_52 + 1.0, 2.0 * TWO_52 + 2.0, 1e300, f64::MIN_POSITIVE];
        let values: Vec<f64> = edges.into_iter().chain(more).flat_map(|x| [x, -x]).collect();
        let mut rounded = values.clone();
        assert_eq!(round_half_away(&mut rounded), 1e300);
        for (value, rounded) in values.iter().zip(&rounded) {
            assert_eq!(rounded.to_bits(), half_away(*value).to_bits(), "{value}");
        }
    }

    #[test]
    fn what_is_not_finite_is_seen_in_every_place() {
        for len in [1, 7, 8, 9, 20] {
            for place in 0..len {
                for invalid in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
                    let mut values = alloc::vec![1.5; len];
                    assert_eq!(largest_magnitude(&values), 1.5);
                    values[place] = -3.0;
                    assert_eq!(largest_magnitude(&values), 3.0);
                    values[place] = invalid;
                    assert_eq!(largest_magnitude(&values), f64::INFINITY);
                    assert_eq!(round_half_away(&mut values), f64::INFINITY);
                }
            }
        }
    }
}
