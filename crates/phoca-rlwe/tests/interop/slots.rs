//! What a ciphertext should hold, computed in the clear.

use serde_json::Value;

use crate::Result;

/// How far a CKKS slot may be off.
const TOLERANCE: f64 = 1e-3;

/// All slots of a message.
///
/// Integers of BFV and BGV are doubles as well: with `t < 2^21` all sums and products of two are below `2^53`, exact.
#[derive(Clone, Debug)]
pub struct Slots {
    pub values: Vec<f64>,
    /// `t`, or none for CKKS.
    modulus: Option<u64>,
}

impl Slots {
    /// Values of both signs that differ from slot to slot: within `(−t/2, t/2)`, or within `(−2, 2)`.
    pub fn sample(count: usize, plain_modulus: Option<u64>) -> Self {
        let value = |i: u64| match plain_modulus {
            Some(t) => ((i * i * 7919 + 31 * i + 5) % t) as f64 - (t / 2) as f64,
            None => 2.0 * (0.37 * i as f64 + 1.0).sin(),
        };
        Self { values: (0..count as u64).map(value).collect(), modulus: plain_modulus }
    }

    fn map(&self, f: impl Fn(f64) -> f64) -> Self {
        let reduce = |value: f64| self.modulus.map_or(value, |t| value.rem_euclid(t as f64));
        Self { values: self.values.iter().map(|&value| reduce(f(reduce(value)))).collect(), modulus: self.modulus }
    }

    pub fn square(&self) -> Self {
        self.map(|value| value * value)
    }

    pub fn cube(&self) -> Self {
        let squares = self.square();
        let values = squares.values.iter().zip(&self.map(|value| value).values).map(|(a, b)| a * b).collect();
        Self { values, modulus: self.modulus }.map(|value| value)
    }

    pub fn times(&self, factor: f64) -> Self {
        self.map(|value| factor * value)
    }

    /// Rows, two of them in BFV and BGV, turned left by so many slots.
    pub fn rotated(&self, steps: i64) -> Self {
        let row = self.row();
        let mut turned = self.clone();
        for row_values in turned.values.chunks_exact_mut(row) {
            row_values.rotate_left(steps.rem_euclid(row as i64) as usize);
        }
        turned
    }

    /// Rows swapped, or conjugated, which does nothing to real numbers.
    pub fn swapped(&self) -> Self {
        let mut swapped = self.clone();
        if self.modulus.is_some() {
            swapped.values.rotate_left(self.row());
        }
        swapped
    }

    fn row(&self) -> usize {
        if self.modulus.is_some() { self.values.len() / 2 } else { self.values.len() }
    }

    /// Values as a request has them.
    pub fn to_json(&self) -> Value {
        match self.modulus {
            Some(_) => self.values.iter().map(|&value| value as i64).collect(),
            None => self.values.iter().copied().collect(),
        }
    }

    /// Compares with all slots of a driver's answer.
    pub fn expect_json(&self, got: &Value) -> Result {
        let got = got.as_array().ok_or("no values")?;
        let number = |value: &Value| value.as_f64().or_else(|| value.as_str()?.parse().ok());
        let values: Option<Vec<f64>> = got.iter().map(number).collect();
        self.expect(&values.ok_or("values that are no numbers")?)
    }

    /// Compares with all slots.
    pub fn expect(&self, got: &[f64]) -> Result {
        if got.len() != self.values.len() {
            return Err(format!("{} slots where {} belong", got.len(), self.values.len()).into());
        }
        let same = |a: f64, b: f64| match self.modulus {
            Some(t) => (a - b) % t as f64 == 0.0,
            None => (a - b).abs() < TOLERANCE,
        };
        match self.values.iter().zip(got).position(|(&want, &got)| !same(want, got)) {
            None => Ok(()),
            Some(slot) => Err(format!("slot {slot} is {} and should be {}", got[slot], self.values[slot]).into()),
        }
    }
}
