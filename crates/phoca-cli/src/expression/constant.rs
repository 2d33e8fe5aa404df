//! Plain numbers and vectors of an expression: reals for CKKS, integers modulo `t` for BFV and BGV.

use super::error::ExpressionError;

/// What numbers an expression is about.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Domain {
    /// Real numbers: CKKS.
    Real,
    /// Integers modulo `t`, centred: in `(−t/2, t/2]`. BFV and BGV.
    Modular(u64),
}

/// A plain scalar or vector, which is an operand of operations on ciphertexts or of other constants.
#[derive(Clone, Debug, PartialEq)]
pub struct Constant {
    /// `None` for a scalar, which stands for any length.
    pub length: Option<usize>,
    /// One value for a scalar, else `length` of them.
    pub values: Values,
}

/// The values of a constant.
#[derive(Clone, Debug, PartialEq)]
pub enum Values {
    /// For CKKS.
    Real(Vec<f64>),
    /// For BFV and BGV, centred modulo `t`.
    Integer(Vec<i64>),
}

impl Domain {
    /// The constant that texts such as `-1.5e3` stand for.
    pub(super) fn constant(
        self,
        position: usize,
        length: Option<usize>,
        texts: &[String],
    ) -> Result<Constant, ExpressionError> {
        let values = match self {
            Self::Real => Values::Real(texts.iter().map(|text| real(position, text)).collect::<Result<_, _>>()?),
            Self::Modular(modulus) => {
                let integers = texts.iter().map(|text| integer(position, text, modulus));
                Values::Integer(integers.collect::<Result<_, _>>()?)
            }
        };
        Ok(Constant { length, values })
    }

    /// The scalar `value`, which is small.
    pub(super) fn scalar(self, value: i64) -> Constant {
        let values = match self {
            Self::Real => Values::Real(vec![value as f64]),
            Self::Modular(modulus) => Values::Integer(vec![centered(i128::from(value), modulus)]),
        };
        Constant { length: None, values }
    }

    /// The vector that repeats the scalar `value`.
    pub(super) fn filled(self, value: &Constant, length: usize) -> Constant {
        let values = match &value.values {
            Values::Real(values) => Values::Real(vec![values[0]; length]),
            Values::Integer(values) => Values::Integer(vec![values[0]; length]),
        };
        Constant { length: Some(length), values }
    }

    pub(super) fn add(self, a: &Constant, b: &Constant) -> Constant {
        self.combine(a, b, |a, b| a + b, |a, b| a + b)
    }

    pub(super) fn multiply(self, a: &Constant, b: &Constant) -> Constant {
        self.combine(a, b, |a, b| a * b, |a, b| a * b)
    }

    pub(super) fn negate(self, a: &Constant) -> Constant {
        self.multiply(a, &self.scalar(-1))
    }

    /// The sum of the values.
    pub(super) fn sum(self, a: &Constant) -> Constant {
        let values = match (&a.values, self) {
            (Values::Real(values), _) => Values::Real(vec![values.iter().sum()]),
            (Values::Integer(values), Self::Modular(modulus)) => {
                let sum = values.iter().fold(0, |sum, &value| centered(i128::from(sum) + i128::from(value), modulus));
                Values::Integer(vec![sum])
            }
            (Values::Integer(_), Self::Real) => unreachable!("integers exist in modular domains only"),
        };
        Constant { length: None, values }
    }

    /// Slot by slot; of two vectors the lengths are equal.
    fn combine(
        self,
        a: &Constant,
        b: &Constant,
        real: impl Fn(f64, f64) -> f64,
        integer: impl Fn(i128, i128) -> i128,
    ) -> Constant {
        let length = a.length.or(b.length);
        let count = length.unwrap_or(1);
        let at = |constant: &Constant, index: usize| if constant.length.is_some() { index } else { 0 };
        let values = match (&a.values, &b.values, self) {
            (Values::Real(x), Values::Real(y), _) => {
                Values::Real((0..count).map(|i| real(x[at(a, i)], y[at(b, i)])).collect())
            }
            (Values::Integer(x), Values::Integer(y), Self::Modular(modulus)) => {
                let value = |i| integer(i128::from(x[at(a, i)]), i128::from(y[at(b, i)]));
                Values::Integer((0..count).map(|i| centered(value(i), modulus)).collect())
            }
            _ => unreachable!("all constants of an expression belong to its domain"),
        };
        Constant { length, values }
    }
}

impl Constant {
    /// Whether every value is zero.
    pub(super) fn is_zero(&self) -> bool {
        self.is_all(0)
    }

    /// Whether this is the scalar 1.
    pub(super) fn is_one(&self) -> bool {
        self.length.is_none() && self.is_all(1)
    }

    /// The integer that a scalar multiplies CKKS values by without a loss of level: below 2^31 in magnitude.
    pub(super) fn small_integer(&self) -> Option<i64> {
        match &self.values {
            Values::Real(values) if self.length.is_none() => {
                let value = values[0];
                (value.fract() == 0.0 && value.abs() < 2_147_483_648.0).then_some(value as i64)
            }
            _ => None,
        }
    }

    /// The largest magnitude of the values.
    pub(super) fn magnitude(&self) -> f64 {
        match &self.values {
            Values::Real(values) => values.iter().fold(0.0, |most, value| value.abs().max(most)),
            Values::Integer(values) => values.iter().fold(0.0, |most, value| (value.unsigned_abs() as f64).max(most)),
        }
    }

    /// Values `start..start + count` of a vector, as many as there are; a scalar repeats.
    pub(super) fn block(&self, start: usize, count: usize) -> Values {
        let Some(length) = self.length else {
            return match &self.values {
                Values::Real(values) => Values::Real(vec![values[0]; count]),
                Values::Integer(values) => Values::Integer(vec![values[0]; count]),
            };
        };
        let range = start.min(length)..(start + count).min(length);
        match &self.values {
            Values::Real(values) => Values::Real(values[range].to_vec()),
            Values::Integer(values) => Values::Integer(values[range].to_vec()),
        }
    }

    /// Words that tell constants apart.
    pub(super) fn key(&self) -> (Option<usize>, Vec<u64>) {
        let words = match &self.values {
            Values::Real(values) => values.iter().map(|value| value.to_bits()).collect(),
            Values::Integer(values) => values.iter().map(|&value| value as u64).collect(),
        };
        (self.length, words)
    }

    fn is_all(&self, wanted: i64) -> bool {
        match &self.values {
            Values::Real(values) => values.iter().all(|&value| value == wanted as f64),
            Values::Integer(values) => values.iter().all(|&value| value == wanted),
        }
    }
}

fn real(position: usize, text: &str) -> Result<f64, ExpressionError> {
    let value = text.parse().ok().filter(|value: &f64| value.is_finite());
    value.ok_or_else(|| ExpressionError::Syntax { position, cause: format!("`{text}` is not a finite number") })
}

/// An integer of magnitude below `t`, as the centred residue; `1e3` and `2.0` are integers too.
fn integer(position: usize, text: &str, modulus: u64) -> Result<i64, ExpressionError> {
    let exact = text.parse::<i128>().ok().or_else(|| {
        let value: f64 = text.parse().ok()?;
        // Doubles up to 2^53 hold every integer.
        (value.fract() == 0.0 && value.abs() <= 9_007_199_254_740_992.0).then_some(value as i128)
    });
    match exact {
        Some(value) if value.unsigned_abs() < u128::from(modulus) => Ok(centered(value, modulus)),
        _ => Err(ExpressionError::ConstantOutOfRange {
            position,
            value: text.to_string(),
            maximum: modulus - 1,
            plain_modulus: modulus,
        }),
    }
}

/// The residue in `(−t/2, t/2]`; `t` is at most 2^60.
pub(super) fn centered(value: i128, modulus: u64) -> i64 {
    let modulus = i128::from(modulus);
    let residue = value.rem_euclid(modulus);
    let centred = if 2 * residue > modulus { residue - modulus } else { residue };
    centred as i64
}
