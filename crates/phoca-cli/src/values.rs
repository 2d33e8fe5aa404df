//! Plain values: what `encrypt` reads and `decrypt` writes.

pub mod csv;
pub mod json;
pub mod limit;
pub mod npy;

use num_complex::Complex64;
use zeroize::Zeroize;

use crate::container::{ArrayInfo, Dtype, Encoding};
use crate::error::{CliError, Result};

/// Values of one type. Wiped on drop, since they are what encryption is to hide.
#[derive(Clone, Debug, PartialEq)]
pub enum Values {
    /// Complex numbers.
    Complex(Vec<Complex64>),
    /// Real numbers.
    Float(Vec<f64>),
    /// Signed integers.
    Int(Vec<i64>),
    /// Polynomials as text.
    Polynomial(Vec<String>),
    /// Unsigned integers.
    Uint(Vec<u64>),
}

impl Values {
    /// No values of a type.
    pub fn empty(dtype: Dtype) -> Self {
        match dtype {
            Dtype::Complex128 => Self::Complex(Vec::new()),
            Dtype::Float64 => Self::Float(Vec::new()),
            Dtype::Int64 => Self::Int(Vec::new()),
            Dtype::Polynomial => Self::Polynomial(Vec::new()),
            Dtype::Uint64 => Self::Uint(Vec::new()),
        }
    }

    /// The type.
    pub fn dtype(&self) -> Dtype {
        match self {
            Self::Complex(_) => Dtype::Complex128,
            Self::Float(_) => Dtype::Float64,
            Self::Int(_) => Dtype::Int64,
            Self::Polynomial(_) => Dtype::Polynomial,
            Self::Uint(_) => Dtype::Uint64,
        }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        match self {
            Self::Complex(values) => values.len(),
            Self::Float(values) => values.len(),
            Self::Int(values) => values.len(),
            Self::Polynomial(values) => values.len(),
            Self::Uint(values) => values.len(),
        }
    }

    /// Value `index` as text that reads back to the same value.
    pub fn text(&self, index: usize) -> String {
        match self {
            Self::Complex(values) => format!("{:?}{:+?}j", values[index].re, values[index].im),
            Self::Float(values) => format!("{:?}", values[index]),
            Self::Int(values) => values[index].to_string(),
            Self::Polynomial(values) => values[index].clone(),
            Self::Uint(values) => values[index].to_string(),
        }
    }

    /// The values at these positions, in this order.
    pub fn gather(&self, positions: impl Iterator<Item = usize>) -> Self {
        match self {
            Self::Complex(values) => Self::Complex(positions.map(|position| values[position]).collect()),
            Self::Float(values) => Self::Float(positions.map(|position| values[position]).collect()),
            Self::Int(values) => Self::Int(positions.map(|position| values[position]).collect()),
            Self::Polynomial(values) => Self::Polynomial(positions.map(|position| values[position].clone()).collect()),
            Self::Uint(values) => Self::Uint(positions.map(|position| values[position]).collect()),
        }
    }

    /// The first value that is NaN or infinite.
    fn first_not_finite(&self) -> Option<usize> {
        match self {
            Self::Complex(values) => values.iter().position(|value| !value.is_finite()),
            Self::Float(values) => values.iter().position(|value| !value.is_finite()),
            Self::Int(_) | Self::Polynomial(_) | Self::Uint(_) => None,
        }
    }
}

impl Drop for Values {
    fn drop(&mut self) {
        match self {
            Self::Complex(values) => values.iter_mut().for_each(|value| {
                value.re.zeroize();
                value.im.zeroize();
            }),
            Self::Float(values) => values.zeroize(),
            Self::Int(values) => values.zeroize(),
            Self::Polynomial(values) => values.zeroize(),
            Self::Uint(values) => values.zeroize(),
        }
    }
}

/// Values with their shape, in the order of [`ArrayInfo`]: one vector in row-major order, or column after column.
#[derive(Clone, Debug, PartialEq)]
pub struct Array {
    /// The values.
    pub values: Values,
    /// The shape; empty for a single number.
    pub shape: Vec<u64>,
    /// How many vectors.
    pub vectors: u64,
    /// Their names, where they have names.
    pub columns: Vec<String>,
}

impl Array {
    /// A one-dimensional array: one vector, or a list of polynomials.
    pub fn flat(values: Values) -> Self {
        let len = values.len() as u64;
        let vectors = if values.dtype() == Dtype::Polynomial { len } else { 1 };
        Self { shape: vec![len], vectors, columns: Vec::new(), values }
    }

    /// Refuses empty arrays and values that are not numbers.
    pub fn check(&self) -> Result<()> {
        if self.values.len() == 0 {
            return Err(CliError::bad_file("there are no values to encrypt"));
        }
        match self.values.first_not_finite() {
            Some(index) => Err(CliError::bad_file(format!(
                "value {} is {}, but must be a finite number",
                index + 1,
                self.values.text(index)
            ))),
            None => Ok(()),
        }
    }

    /// What a manifest says about the array.
    pub fn info(&self, encoding: Encoding) -> ArrayInfo {
        ArrayInfo {
            encoding,
            dtype: self.values.dtype(),
            shape: self.shape.clone(),
            vectors: self.vectors,
            columns: self.columns.clone(),
        }
    }

    /// The same values in row-major order, for output.
    pub fn into_row_major(self) -> Self {
        if self.vectors <= 1 || self.shape.len() != 2 {
            return self;
        }
        let (rows, columns) = (self.shape[0] as usize, self.shape[1] as usize);
        let values = self.values.gather((0..rows * columns).map(|position| {
            let (row, column) = (position / columns, position % columns);
            column * rows + row
        }));
        Self { values, ..self }
    }

    /// How many values stand in one line of a row-major output.
    pub fn row_len(&self) -> usize {
        match self.shape.as_slice() {
            [] | [_] => 1,
            [.., last] => *last as usize,
        }
    }
}

/// Reads a number of `--values` or CSV: an integer where it is one.
pub fn parse_number(text: &str) -> Option<Number> {
    let text = text.trim();
    if let Ok(value) = text.parse() {
        return Some(Number::Int(value));
    }
    if let Ok(value) = text.parse() {
        return Some(Number::Uint(value));
    }
    text.parse().ok().map(Number::Float)
}

/// A number with the type that its text has.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Number {
    /// A real number.
    Float(f64),
    /// An integer that fits 64 signed bits.
    Int(i64),
    /// An integer that needs 64 unsigned bits.
    Uint(u64),
}

/// Numbers of one type: the narrowest of signed, unsigned and double that holds all.
pub fn unify(numbers: &[Number]) -> Values {
    let has_float = numbers.iter().any(|number| matches!(number, Number::Float(_)));
    let has_uint = numbers.iter().any(|number| matches!(number, Number::Uint(_)));
    let has_negative = numbers.iter().any(|number| matches!(number, Number::Int(value) if *value < 0));
    if has_float || (has_uint && has_negative) {
        return Values::Float(
            numbers
                .iter()
                .map(|number| match *number {
                    Number::Float(value) => value,
                    Number::Int(value) => value as f64,
                    Number::Uint(value) => value as f64,
                })
                .collect(),
        );
    }
    if has_uint {
        let unsigned = numbers.iter().map(|number| match *number {
            Number::Uint(value) => value,
            Number::Int(value) => value.unsigned_abs(),
            Number::Float(value) => value as u64,
        });
        return Values::Uint(unsigned.collect());
    }
    let signed = numbers.iter().map(|number| match *number {
        Number::Int(value) => value,
        Number::Uint(value) => value as i64,
        Number::Float(value) => value as i64,
    });
    Values::Int(signed.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_take_the_narrowest_type() {
        let parse = |texts: &[&str]| unify(&texts.iter().map(|text| parse_number(text).unwrap()).collect::<Vec<_>>());
        assert_eq!(parse(&["1", "-2"]), Values::Int(vec![1, -2]));
        assert_eq!(parse(&["1", "18446744073709551615"]), Values::Uint(vec![1, u64::MAX]));
        assert_eq!(parse(&["1", "-2.5"]), Values::Float(vec![1.0, -2.5]));
        assert_eq!(parse(&["-1", "18446744073709551615"]), Values::Float(vec![-1.0, u64::MAX as f64]));
        assert_eq!(parse_number("1x"), None);
    }

    #[test]
    fn columns_become_rows() {
        let array = Array {
            values: Values::Int(vec![1, 2, 3, 10, 20, 30]),
            shape: vec![3, 2],
            vectors: 2,
            columns: Vec::new(),
        };
        assert_eq!(array.into_row_major().values, Values::Int(vec![1, 10, 2, 20, 3, 30]));
    }

    #[test]
    fn text_of_numbers_reads_back() {
        let values = Values::Float(vec![0.1, -3.0, 1e300, 5e-324]);
        for index in 0..values.len() {
            let Values::Float(numbers) = &values else { unreachable!() };
            assert_eq!(values.text(index).parse::<f64>().unwrap(), numbers[index]);
        }
    }
}
