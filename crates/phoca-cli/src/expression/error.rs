//! What can be wrong with an expression or keep it from being evaluated.

/// Why an expression cannot be evaluated. Positions count bytes of the expression's text from 0.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExpressionError {
    /// The text does not follow the grammar.
    #[error("at byte {position}: {cause}")]
    Syntax {
        /// Where.
        position: usize,
        /// What is wrong.
        cause: String,
    },
    /// A name is neither an input nor defined by `let`.
    #[error("at byte {position}: nothing is called `{name}`; {known}")]
    UnknownName {
        /// Where.
        position: usize,
        /// The name.
        name: String,
        /// What there is.
        known: String,
    },
    /// Operands do not fit together, or the scheme has no such operation.
    #[error("at byte {position}: {cause}")]
    Type {
        /// Where.
        position: usize,
        /// What is wrong.
        cause: String,
    },
    /// A constant is no integer of the plain modulus' range.
    #[error(
        "at byte {position}: the constant {value} is not an integer of −{maximum} to {maximum}, which plain modulus {plain_modulus} needs"
    )]
    ConstantOutOfRange {
        /// Where.
        position: usize,
        /// The constant as it was written.
        value: String,
        /// The largest magnitude.
        maximum: u64,
        /// The plain modulus.
        plain_modulus: u64,
    },
    /// The result does not depend on an encrypted input.
    #[error(
        "the result is the same whatever the encrypted inputs hold, so there is nothing to evaluate on ciphertexts"
    )]
    PlainResult,
    /// The chain of primes is too short.
    #[error("the expression needs {needed}, but the encrypted inputs have {available} left")]
    LevelsExhausted {
        /// Levels that the expression needs.
        needed: Needed,
        /// Levels that the inputs have.
        available: Levels,
    },
    /// The bound of the noise says that the result might not decrypt.
    #[error(
        "the noise of the result may reach 2^{noise_bits:.1}, but decryption is certain only below 2^{limit_bits:.1}"
    )]
    NoiseExhausted {
        /// log2 of the bound of the noise.
        noise_bits: f64,
        /// log2 of what decryption bears.
        limit_bits: f64,
    },
    /// Rotations need keys that are not there.
    #[error("{}", missing_rotations(.steps, *.swap))]
    MissingRotationKeys {
        /// The steps, positive to the left.
        steps: Vec<i64>,
        /// Whether the swap of both rows (BFV, BGV) is missing too.
        swap: bool,
    },
    /// Products need a relinearization key.
    #[error(
        "the expression multiplies ciphertexts, which needs a relinearization key, but the evaluation key has none"
    )]
    MissingRelinKey,
    /// The library refused an operation.
    #[error(transparent)]
    Scheme(Box<phoca::Error>),
}

impl From<phoca::Error> for ExpressionError {
    fn from(error: phoca::Error) -> Self {
        Self::Scheme(Box::new(error))
    }
}

/// How many levels something has or needs, in words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Levels(pub usize);

/// How many levels an expression needs: `None` beyond what was searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Needed(pub Option<usize>);

impl std::fmt::Display for Levels {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.0 {
            1 => f.write_str("1 level"),
            count => write!(f, "{count} levels"),
        }
    }
}

impl std::fmt::Display for Needed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.0 {
            Some(count) => Levels(count).fmt(f),
            None => f.write_str("more levels than any chain has"),
        }
    }
}

fn missing_rotations(steps: &[i64], swap: bool) -> String {
    let list = steps.iter().map(i64::to_string).collect::<Vec<_>>().join(",");
    let swap_text = if swap { "a key for the swap of the rows (step 0)" } else { "" };
    let missing = match (steps.is_empty(), swap) {
        (true, _) => swap_text.to_string(),
        (false, false) => format!("keys for rotations by {list}"),
        (false, true) => format!("keys for rotations by {list}, and {swap_text}"),
    };
    format!("the expression needs {missing}, which the evaluation key does not have")
}
