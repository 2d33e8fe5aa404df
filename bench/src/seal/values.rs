//! The values that the operands of a session hold, and what each operation makes of them.

use phoca::{BatchEncoder, CkksEncoder, Context, Error, Plaintext, Scheme};

/// How the two operands are written as plaintexts.
pub(super) enum Values {
    /// Slots of BFV and BGV.
    Slots { encoder: BatchEncoder, a: Vec<u64>, b: Vec<u64> },
    /// Coefficients, where the plain modulus has no slots.
    Coefficients { a: Vec<u64>, b: Vec<u64> },
    /// Slots of CKKS.
    Reals { encoder: CkksEncoder, scale: f64, a: Vec<f64>, b: Vec<f64> },
}

/// What a row gave, decrypted and decoded.
#[derive(Debug, PartialEq)]
pub(super) enum Decoded {
    Integers(Vec<u64>),
    Reals(Vec<f64>),
}

impl Values {
    pub(super) fn new(context: &Context, scale: f64) -> Result<Self, Error> {
        let t = context.plain_modulus();
        let integers = |count: usize, step: u64| (0..count as u64).map(|i| (i * step + 1) % t).collect();
        if context.scheme() == Scheme::Ckks {
            let reals = |step: f64| (0..context.slot_count()).map(|i| (i as f64 * step).sin()).collect();
            return Ok(Self::Reals { encoder: CkksEncoder::new(context)?, scale, a: reals(0.1), b: reals(0.37) });
        }
        if !context.supports_batching() {
            let count = context.degree();
            return Ok(Self::Coefficients { a: integers(count, 5), b: integers(count, 7) });
        }
        let count = context.slot_count();
        Ok(Self::Slots { encoder: BatchEncoder::new(context)?, a: integers(count, 7919), b: integers(count, 104_729) })
    }

    /// The first or the second operand.
    pub(super) fn encode(&self, second: bool) -> Result<Plaintext, Error> {
        match self {
            Self::Slots { encoder, a, b } => encoder.encode(if second { b } else { a }),
            Self::Coefficients { a, b } => Ok(Plaintext::from_coefficients(if second { b } else { a })),
            Self::Reals { encoder, scale, a, b } => encoder.encode(if second { b } else { a }, *scale),
        }
    }

    pub(super) fn decode(&self, plain: &Plaintext) -> Result<Decoded, Error> {
        Ok(match self {
            Self::Slots { encoder, .. } => Decoded::Integers(encoder.decode(plain)?),
            Self::Coefficients { a, .. } => {
                let mut words = plain.words().to_vec();
                words.resize(a.len(), 0);
                Decoded::Integers(words)
            }
            Self::Reals { encoder, .. } => Decoded::Reals(encoder.decode(plain)?),
        })
    }

    /// What `operation` should give, `t` being the plain modulus.
    pub(super) fn expected(&self, operation: &str, t: u64) -> Decoded {
        match self {
            Self::Slots { a, b, .. } => Decoded::Integers(integers(operation, a, b, t)),
            Self::Coefficients { a, b } => Decoded::Integers(match operation {
                "multiply" | "multiply_plain" | "plain_to_ntt" => negacyclic(a, b, t),
                "square" => negacyclic(a, a, t),
                _ => a.clone(),
            }),
            Self::Reals { a, b, .. } => Decoded::Reals(reals(operation, a, b)),
        }
    }
}

impl Decoded {
    /// `None` where this is right, else what is wrong. The root mean square error of reals is at most `tolerance`, and
    /// the largest at most eight times that.
    pub(super) fn mistake(&self, expected: &Self, tolerance: f64) -> Option<String> {
        match (self, expected) {
            (Self::Integers(got), Self::Integers(wanted)) => {
                let wrong = got.iter().zip(wanted).filter(|(got, wanted)| got != wanted).count();
                (wrong > 0 || got.len() != wanted.len()).then(|| format!("{wrong} of {} values differ", wanted.len()))
            }
            (Self::Reals(got), Self::Reals(wanted)) if got.len() == wanted.len() => {
                let errors = || got.iter().zip(wanted).map(|(got, wanted)| (got - wanted).abs());
                let mean_square = errors().map(|error| error * error).sum::<f64>() / got.len() as f64;
                let right = mean_square.sqrt() <= tolerance && errors().all(|error| error <= 8.0 * tolerance);
                (!right).then(|| format!("the root mean square error is {:.1e}", mean_square.sqrt()))
            }
            _ => Some("it has another length".to_owned()),
        }
    }
}

fn integers(operation: &str, a: &[u64], b: &[u64], t: u64) -> Vec<u64> {
    let half = a.len() / 2;
    let pairs = |f: &dyn Fn(u64, u64) -> u64| a.iter().zip(b).map(|(&a, &b)| f(a, b) % t).collect();
    match operation {
        "negate" => pairs(&|a, _| t - a),
        "add" | "add_plain" => pairs(&|a, b| a + b),
        "sub" | "sub_plain" => pairs(&|a, b| a + t - b),
        "multiply" | "multiply_plain" | "plain_to_ntt" | "relinearize" | "keygen_relin" => pairs(&|a, b| a * b),
        "square" => pairs(&|a, _| a * a),
        "rotate" | "keygen_galois" => a.chunks(half).flat_map(|row| rotated(row, 1)).collect(),
        "rotate_columns" => rotated(a, half),
        _ => a.to_vec(),
    }
}

fn reals(operation: &str, a: &[f64], b: &[f64]) -> Vec<f64> {
    let pairs = |f: &dyn Fn(f64, f64) -> f64| a.iter().zip(b).map(|(&a, &b)| f(a, b)).collect();
    match operation {
        "negate" => pairs(&|a, _| -a),
        "add" | "add_plain" => pairs(&|a, b| a + b),
        "sub" | "sub_plain" => pairs(&|a, b| a - b),
        "multiply" | "multiply_plain" | "relinearize" | "keygen_relin" | "rescale" | "multiply_relinearize_rescale" => {
            pairs(&|a, b| a * b)
        }
        "square" => pairs(&|a, _| a * a),
        "rotate" | "keygen_galois" => rotated(a, 1),
        "rotate_many" => (1..=8).flat_map(|steps| rotated(a, steps)).collect(),
        _ => a.to_vec(),
    }
}

fn rotated<T: Copy>(values: &[T], steps: usize) -> Vec<T> {
    [&values[steps..], &values[..steps]].concat()
}

/// The product modulo `X^n + 1` and `t`, by the definition.
fn negacyclic(a: &[u64], b: &[u64], t: u64) -> Vec<u64> {
    let n = a.len();
    let mut product = vec![0; n];
    for (i, &x) in a.iter().enumerate() {
        for (j, &y) in b.iter().enumerate() {
            let term = if i + j < n { x * y % t } else { t - x * y % t };
            product[(i + j) % n] = (product[(i + j) % n] + term) % t;
        }
    }
    product
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_wrap_with_a_sign() {
        // (1 + 2X)(3 + X) = 3 + 7X + 2X² = 1 + 7X modulo X² + 1.
        assert_eq!(negacyclic(&[1, 2], &[3, 1], 17), [1, 7]);
        assert_eq!(negacyclic(&[0, 1], &[0, 1], 17), [16, 0]);
    }

    #[test]
    fn a_check_finds_one_wrong_value() {
        let integers = |values: &[u64]| Decoded::Integers(values.to_vec());
        assert_eq!(integers(&[1, 2]).mistake(&integers(&[1, 2]), 0.0), None);
        assert!(integers(&[1, 3]).mistake(&integers(&[1, 2]), 0.0).is_some());
        assert!(integers(&[1]).mistake(&integers(&[1, 2]), 0.0).is_some());
        let mut values = vec![0.5; 4096];
        let wanted = Decoded::Reals(values.clone());
        values[7] += 0.1;
        assert!(Decoded::Reals(values.clone()).mistake(&wanted, 1e-2).is_some(), "one slot is far off");
        values[7] = 0.501;
        assert_eq!(Decoded::Reals(values).mistake(&wanted, 1e-2), None);
    }
}
