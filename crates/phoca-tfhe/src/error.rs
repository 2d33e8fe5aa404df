#[cfg(feature = "threads")]
use alloc::string::String;

use phoca_ring::RingError;

use crate::noise::Noise;
use crate::params::Order;

/// What can go wrong in this crate. Messages name both sides and say what to do.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Two integers have different widths.
    #[error(
        "an integer of {left} blocks on the left but one of {right} on the right; cast one to the width of the other"
    )]
    BlockCount {
        /// Blocks of the left one.
        left: usize,
        /// Blocks of the right one.
        right: usize,
    },
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
    /// No server key is set in this thread.
    #[error("no server key is set in this thread; call set_server_key first")]
    NoServerKey,
    /// The noise is too wide.
    #[error(
        "{noise:?} is no noise that can be sampled; a standard deviation is below 1/64 and a bound's logarithm below 60"
    )]
    Noise {
        /// What was asked for.
        noise: Noise,
    },
    /// A ciphertext is of a set that begins with the other part.
    #[error(
        "expected a ciphertext of a set in the order {expected:?}, found {found:?}; use keys and ciphertexts of one parameter \
         set"
    )]
    Order {
        /// The order of the key's set.
        expected: Order,
        /// The order of the ciphertext's.
        found: Order,
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
    /// The carry of a ciphertext has no room for an operation, or its noise would be too much.
    #[error(
        "{operation} would leave values up to {value} (at most {most_value} fit) at noise {noise} (at most {most_noise}); \
         extract the message first, or use the form that does"
    )]
    NoRoom {
        /// The operation.
        operation: &'static str,
        /// The largest value that it would leave.
        value: u64,
        /// The largest value that fits.
        most_value: u64,
        /// The noise that it would leave, as a multiple of a fresh bootstrap's.
        noise: u64,
        /// The most noise that the parameter set allows.
        most_noise: u64,
    },
    /// A clear operand or message is out of range.
    #[error("{value} is not below {bound}; messages of this parameter set are")]
    OutOfRange {
        /// What was given.
        value: u64,
        /// The first value that is too large.
        bound: u64,
    },
    /// A look-up table is for another polynomial size.
    #[error("expected a look-up table for polynomials of size {expected}, found {found}; make it with the server key")]
    TableSize {
        /// What the key needs.
        expected: usize,
        /// What the table has.
        found: usize,
    },
    /// The threads of a key could not be started.
    #[cfg(feature = "threads")]
    #[error("{threads} threads could not be started ({reason}); ask for fewer, or for one, which starts none")]
    Threads {
        /// How many were asked for.
        threads: usize,
        /// What the system said.
        reason: String,
    },
    /// A clear number does not fit an integer.
    #[error("the number does not fit {kind} integer of {bits} bits", kind = if *.signed { "a signed" } else { "an unsigned" })]
    TooWide {
        /// The bits of the integer.
        bits: usize,
        /// Whether it is signed.
        signed: bool,
    },
}
