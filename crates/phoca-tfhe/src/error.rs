use phoca_ring::RingError;

use crate::noise::Noise;

/// What can go wrong in this crate. Messages name both sides and say what to do.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Two lists that belong together have different lengths.
    #[error("{left} operands on the left but {right} on the right; give as many of one as of the other")]
    CountMismatch {
        /// Operands in the first list.
        left: usize,
        /// Operands in the second list.
        right: usize,
    },
    /// A ciphertext has another LWE dimension than a key.
    #[error(
        "expected an LWE ciphertext of dimension {expected}, found {found}; use keys and ciphertexts of one parameter set"
    )]
    LweDimension {
        /// What the key needs.
        expected: usize,
        /// What the ciphertext has.
        found: usize,
    },
    /// The noise is too wide.
    #[error(
        "{noise:?} is no noise that can be sampled; a standard deviation is below 1/64 and a bound's logarithm below 60"
    )]
    Noise {
        /// What was asked for.
        noise: Noise,
    },
    /// A parameter set is not valid.
    #[error("the parameter set {name} cannot be used: {what}; take one of the module `params`")]
    Parameters {
        /// The set.
        name: &'static str,
        /// What is wrong.
        what: &'static str,
    },
    /// A ring could not be built, or the system gave no random bytes.
    #[error(transparent)]
    Ring(#[from] RingError),
    /// A look-up table is for another polynomial size.
    #[error("expected a look-up table for polynomials of size {expected}, found {found}; make it with the server key")]
    TableSize {
        /// What the key needs.
        expected: usize,
        /// What the table has.
        found: usize,
    },
}
