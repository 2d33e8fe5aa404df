mod details;

use alloc::string::String;

use phoca_ring::RingError;

use crate::params::{ParmsId, Scheme, SecurityTable};
#[cfg(feature = "std")]
use crate::seal::FileError;

pub use details::{Detail, Details};

/// What can go wrong in this crate. Messages name both sides and say what to do.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The plain modulus has no batching slots at this degree.
    #[error(
        "plain modulus {plain_modulus} does not support batching: it must be a prime that is 1 modulo {order} (twice the \
         degree); `plain_modulus::batching` finds one"
    )]
    BatchingUnsupported {
        /// The plain modulus.
        plain_modulus: u64,
        /// `2n`.
        order: u64,
    },
    /// Two lists that belong together have different lengths.
    #[error("{left} operands on the left but {right} on the right; give as many of one as of the other")]
    CountMismatch {
        /// Operands in the first list.
        left: usize,
        /// Operands in the second list.
        right: usize,
    },
    /// The threads of a context could not be started.
    #[cfg(feature = "threads")]
    #[error("{threads} threads could not be started ({reason}); ask for fewer, or for one, which starts none")]
    Threads {
        /// How many were asked for.
        threads: usize,
        /// What the system said.
        reason: alloc::string::String,
    },
    /// A target level has more primes than the object.
    #[error(
        "cannot go up from level {from} to level {to}: primes that were dropped cannot come back; encrypt or encode at \
         level {to} instead"
    )]
    CannotRaiseLevel {
        /// The object's level (chain index).
        from: usize,
        /// The target's level (chain index).
        to: usize,
    },
    /// The encoded values do not fit below the coefficient modulus.
    #[error(
        "the scaled values have {value_bits} bits, but the modulus at this level has only {modulus_bits}; lower the scale or encode at a higher level"
    )]
    EncodedTooLarge {
        /// Bits of the largest coefficient.
        value_bits: u32,
        /// Bits of the coefficient modulus at the level.
        modulus_bits: u32,
    },
    /// An operation over many operands got none.
    #[error("{operation} needs at least one operand")]
    EmptyInput {
        /// The operation.
        operation: &'static str,
    },
    /// The object is at the last level.
    #[error("the end of the modulus chain is reached: no prime is left to drop; use parameters with more primes")]
    EndOfChain,
    /// A SEAL file is malformed or does not belong to the context.
    #[cfg(feature = "std")]
    #[error(transparent)]
    File(#[from] FileError),
    /// An operand is in the other of NTT and coefficient form.
    #[error("{operand} must be in {expected} form, but it is in {got} form; transform it first")]
    FormMismatch {
        /// Which operand.
        operand: &'static str,
        /// The form that the operation needs.
        expected: &'static str,
        /// The form that it has.
        got: &'static str,
    },
    /// The parameters cannot be used.
    #[error("invalid encryption parameters: {0}")]
    InvalidParameters(#[from] ParameterError),
    /// The scale is not a positive normal number.
    #[error("scale {scale:e} is not a positive finite number; 2^20 to 2^60 are usual")]
    InvalidScale {
        /// The scale.
        scale: f64,
    },
    /// A ciphertext has the special prime among its own.
    #[error(
        "the ciphertext is at the key level, whose last prime key switching needs for itself; bring it to a data level with \
         mod_switch_to_next first"
    )]
    KeySwitchingAtKeyLevel,
    /// The parameters have one prime only.
    #[error("key switching needs a special prime, but the coefficient modulus has only one prime; add a second one")]
    KeySwitchingUnsupported,
    /// Two operands are at different levels.
    #[error("the operands are at levels {left} and {right}; bring them to one level with mod_switch_to")]
    LevelMismatch {
        /// The first operand's level (chain index).
        left: usize,
        /// The second operand's level (chain index).
        right: usize,
    },
    /// A rotation needs a key that is not in the set.
    #[error("no Galois key for element {element}; generate keys for this rotation")]
    MissingGaloisKey {
        /// The Galois element.
        element: u64,
    },
    /// An encryptor was made without the key that an operation needs.
    #[error("the encryptor has no {kind} key; make it with one")]
    MissingKey {
        /// `public` or `secret`.
        kind: &'static str,
    },
    /// Relinearization needs a key that is not in the set.
    #[error("no relinearization key for power {power} of the secret; generate relinearization keys up to that power")]
    MissingRelinKey {
        /// The power of the secret.
        power: usize,
    },
    /// No default chain exists for a degree.
    #[error("there is no default coefficient modulus for degree {degree}: it exists for 1024, 2048, …, 32768")]
    NoDefaultModulus {
        /// The degree.
        degree: usize,
    },
    /// No parameters do what was asked.
    #[error(
        "no parameters in the table {table} reach that: {reason}; ask for less depth, precision, plain bits or slots"
    )]
    NoSuggestion {
        /// The table of security.
        table: SecurityTable,
        /// Why the largest ones do not.
        reason: String,
    },
    /// A ciphertext can no longer be decrypted.
    #[error(
        "the noise budget is exhausted: the ciphertext does not decrypt to the right value; use a larger coefficient modulus or fewer multiplications"
    )]
    NoiseExhausted,
    /// A value is NaN or infinite.
    #[error("value {index} is not a finite number")]
    NotFinite {
        /// Its index.
        index: usize,
    },
    /// An object belongs to other parameters.
    #[error(
        "{object} belongs to parameters {got}, which are none of the {levels} levels of the context with parameters \
         {expected}; use the context that made it"
    )]
    ParametersMismatch {
        /// What the object is.
        object: &'static str,
        /// The context's key-level id.
        expected: ParmsId,
        /// How many levels the context has.
        levels: usize,
        /// The object's id.
        got: ParmsId,
    },
    /// Text is no polynomial.
    #[error(
        "the text is no polynomial at byte {position}: {cause}; write terms from high to low, such as `1Fx^3 + 2x^1 + 7`"
    )]
    PolynomialText {
        /// Where.
        position: usize,
        /// What is wrong.
        cause: &'static str,
    },
    /// A scale would have to be wider than primes are.
    #[error(
        "a precision of {precision} bits needs a scale of {scale_bits} bits, but primes have at most {most}; ask for less \
         precision or depth"
    )]
    PrecisionTooHigh {
        /// The bits of precision that were asked for.
        precision: u32,
        /// Bits of the scale.
        scale_bits: u32,
        /// Bits of the widest prime.
        most: u32,
    },
    /// A ring, transform or sampler could not be made.
    #[error(transparent)]
    Ring(#[from] RingError),
    /// The operands' scales differ.
    #[error("the operands have scales 2^{} and 2^{}; rescale, or set the scale if the difference is meant to be neglected", libm::log2(*left), libm::log2(*right))]
    ScaleMismatch {
        /// The first operand's scale.
        left: f64,
        /// The second operand's scale.
        right: f64,
    },
    /// The scale does not fit below the modulus.
    #[error(
        "a scale of {scale_bits} bits does not fit the {modulus_bits} bits of the modulus at this level; rescale before, or use a longer chain"
    )]
    ScaleOutOfRange {
        /// Bits of the scale.
        scale_bits: i32,
        /// Bits of the coefficient modulus at the level.
        modulus_bits: u32,
    },
    /// A ciphertext has too few or too many polynomials.
    #[error("a ciphertext of {got} polynomials cannot be used here, where {expected} are expected; relinearize first")]
    SizeOutOfRange {
        /// What is allowed.
        expected: &'static str,
        /// What it has.
        got: usize,
    },
    /// More values than slots or coefficients.
    #[error("{got} values do not fit {capacity} slots; split them into several plaintexts")]
    TooManyValues {
        /// How many fit.
        capacity: usize,
        /// How many there were.
        got: usize,
    },
    /// The result could be decrypted without the key.
    #[error(
        "the result is transparent: it decrypts without a secret key (a value minus itself, or times zero); let the \
         context allow that if it is meant"
    )]
    TransparentCiphertext,
    /// The scheme has no such operation.
    #[error("{operation} does not exist in {scheme}")]
    UnsupportedScheme {
        /// The operation.
        operation: &'static str,
        /// The context's scheme.
        scheme: Scheme,
    },
    /// A value does not fit the plain modulus.
    #[error(
        "value {value} at index {index} is outside of {minimum}..={maximum}, the range of plain modulus {plain_modulus}"
    )]
    ValueOutOfRange {
        /// Its index.
        index: usize,
        /// The value.
        value: i128,
        /// The smallest that fits.
        minimum: i128,
        /// The largest that fits.
        maximum: i128,
        /// The plain modulus.
        plain_modulus: u64,
    },
    /// The exponent is zero.
    #[error("the exponent cannot be 0: the result would be a ciphertext of 1 that hides nothing")]
    ZeroExponent,
}

/// Why parameters cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ParameterError {
    /// The number of coefficient primes is out of range.
    #[error("the coefficient modulus has {count} primes; it must have 1 to 256")]
    CoeffModulusCount {
        /// How many there are.
        count: usize,
    },
    /// A coefficient prime is repeated.
    #[error("the coefficient modulus has {prime} twice; its primes must be distinct")]
    CoeffModulusRepeated {
        /// The prime.
        prime: u64,
    },
    /// A coefficient modulus is too small or too large.
    #[error("the coefficient modulus {value} has {bits} bits; each must have 2 to 60")]
    CoeffModulusSize {
        /// The value.
        value: u64,
        /// Its bits.
        bits: u32,
    },
    /// A coefficient modulus is composite.
    #[error("the coefficient modulus {value} is not a prime")]
    CoeffModulusNotPrime {
        /// The value.
        value: u64,
    },
    /// A coefficient prime has no negacyclic transform.
    #[error("the coefficient prime {prime} is not 1 modulo {order} (twice the degree)")]
    CoeffModulusNoNtt {
        /// The prime.
        prime: u64,
        /// `2n`.
        order: u64,
    },
    /// The degree is no supported power of two.
    #[error("degree {degree} is not a power of two from 2 to 131072")]
    Degree {
        /// The degree.
        degree: usize,
    },
    /// The modulus is too large for the security that was asked for.
    #[error(
        "insecure: {bits} bits of modulus at degree {degree} are not {level}-bit secure; the table {table} allows {}; \
         use smaller primes or a larger degree, or ask for insecure parameters explicitly",
        limit(*max_bits)
    )]
    Insecure {
        /// Bits of the product of all primes.
        bits: u32,
        /// The degree.
        degree: usize,
        /// The level that was asked for.
        level: u32,
        /// The table.
        table: SecurityTable,
        /// What the table allows; `None` where it has no entry for the degree.
        max_bits: Option<u32>,
    },
    /// The plain modulus shares a factor with a coefficient prime.
    #[error("plain modulus {plain_modulus} is not coprime to the coefficient prime {prime}")]
    PlainModulusNotCoprime {
        /// The plain modulus.
        plain_modulus: u64,
        /// The prime.
        prime: u64,
    },
    /// The plain modulus is out of range.
    #[error("plain modulus {plain_modulus} has {bits} bits; it must have 2 to 60")]
    PlainModulusSize {
        /// The plain modulus.
        plain_modulus: u64,
        /// Its bits.
        bits: u32,
    },
    /// The plain modulus is not below the coefficient modulus.
    #[error("plain modulus {plain_modulus} is not smaller than the coefficient modulus of {modulus_bits} bits")]
    PlainModulusTooLarge {
        /// The plain modulus.
        plain_modulus: u64,
        /// Bits of the product of the coefficient primes.
        modulus_bits: u32,
    },
    /// CKKS has no plain modulus.
    #[error("CKKS has no plain modulus, but it is set to {plain_modulus}; set it to 0")]
    PlainModulusUnused {
        /// The plain modulus.
        plain_modulus: u64,
    },
}

fn limit(max_bits: Option<u32>) -> String {
    match max_bits {
        Some(bits) => alloc::format!("{bits} bits"),
        None => String::from("no modulus at this degree"),
    }
}
