//! Errors as data, for languages that cannot match on an enum.

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use phoca_ring::RingError;

use super::{Error, ParameterError};

/// A field of an error.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Detail {
    /// A count, a modulus, a value.
    Integer(i128),
    /// A scale.
    Real(f64),
    /// A name, a cause.
    Text(String),
}

impl From<i128> for Detail {
    fn from(value: i128) -> Self {
        Self::Integer(value)
    }
}

impl From<f64> for Detail {
    fn from(value: f64) -> Self {
        Self::Real(value)
    }
}

impl From<&str> for Detail {
    fn from(value: &str) -> Self {
        Self::Text(value.to_string())
    }
}

impl From<String> for Detail {
    fn from(value: String) -> Self {
        Self::Text(value)
    }
}

macro_rules! integer_details {
    ($($integer:ty),*) => {$(
        impl From<$integer> for Detail {
            fn from(value: $integer) -> Self {
                Self::Integer(value as i128)
            }
        }
    )*};
}

integer_details!(i32, i64, u8, u32, u64, usize);

/// The name of a variant and its fields, in order.
pub type Details = (&'static str, Vec<(&'static str, Detail)>);

/// `details!(Variant { field, … })` with each field turned into a [`Detail`].
macro_rules! details {
    ($variant:ident $({ $($field:ident),* $(,)? })?) => {
        (stringify!($variant), alloc::vec![$($((stringify!($field), Detail::from($field.clone()))),*)?])
    };
}

impl Error {
    /// The variant's name and its fields, for bindings and logs. Where the cause is an error of its own, as for invalid
    /// parameters, its variant is the field `cause` and its fields follow.
    ///
    /// ```
    /// use phoca_rlwe::{Error, ErrorDetail};
    ///
    /// let (kind, fields) = Error::TooManyValues { capacity: 2, got: 3 }.details();
    /// assert_eq!(kind, "TooManyValues");
    /// assert_eq!(fields, [("capacity", ErrorDetail::Integer(2)), ("got", ErrorDetail::Integer(3))]);
    /// ```
    pub fn details(&self) -> Details {
        match self {
            Self::BatchingUnsupported { plain_modulus, order } => {
                details!(BatchingUnsupported { plain_modulus, order })
            }
            Self::CannotRaiseLevel { from, to } => details!(CannotRaiseLevel { from, to }),
            Self::CountMismatch { left, right } => details!(CountMismatch { left, right }),
            Self::EmptyInput { operation } => details!(EmptyInput { operation }),
            Self::EncodedTooLarge { value_bits, modulus_bits } => {
                details!(EncodedTooLarge { value_bits, modulus_bits })
            }
            Self::EndOfChain => details!(EndOfChain),
            #[cfg(feature = "std")]
            Self::File(error) => caused("File", error.details()),
            Self::FormMismatch { operand, expected, got } => details!(FormMismatch { operand, expected, got }),
            Self::InvalidParameters(error) => caused("InvalidParameters", error.details()),
            Self::InvalidScale { scale } => details!(InvalidScale { scale }),
            Self::KeySwitchingAtKeyLevel => details!(KeySwitchingAtKeyLevel),
            Self::KeySwitchingUnsupported => details!(KeySwitchingUnsupported),
            Self::LevelMismatch { left, right } => details!(LevelMismatch { left, right }),
            Self::MissingGaloisKey { element } => details!(MissingGaloisKey { element }),
            Self::MissingKey { kind } => details!(MissingKey { kind }),
            Self::MissingRelinKey { power } => details!(MissingRelinKey { power }),
            Self::NoDefaultModulus { degree } => details!(NoDefaultModulus { degree }),
            Self::NoSuggestion { table, reason } => {
                let table = table.name();
                details!(NoSuggestion { table, reason })
            }
            Self::NoiseExhausted => details!(NoiseExhausted),
            Self::NotFinite { index } => details!(NotFinite { index }),
            Self::ParametersMismatch { object, expected, levels, got } => {
                let (expected, got) = (expected.to_string(), got.to_string());
                details!(ParametersMismatch { object, expected, levels, got })
            }
            Self::PolynomialText { position, cause } => details!(PolynomialText { position, cause }),
            Self::PrecisionTooHigh { precision, scale_bits, most } => {
                details!(PrecisionTooHigh { precision, scale_bits, most })
            }
            Self::Ring(error) => caused("Ring", ring_details(error)),
            Self::ScaleMismatch { left, right } => details!(ScaleMismatch { left, right }),
            Self::ScaleOutOfRange { scale_bits, modulus_bits } => {
                details!(ScaleOutOfRange { scale_bits, modulus_bits })
            }
            Self::SizeOutOfRange { expected, got } => details!(SizeOutOfRange { expected, got }),
            #[cfg(feature = "threads")]
            Self::Threads { threads, reason } => details!(Threads { threads, reason }),
            Self::TooManyValues { capacity, got } => details!(TooManyValues { capacity, got }),
            Self::TransparentCiphertext => details!(TransparentCiphertext),
            Self::UnsupportedScheme { operation, scheme } => {
                let scheme = scheme.name();
                details!(UnsupportedScheme { operation, scheme })
            }
            Self::ValueOutOfRange { index, value, minimum, maximum, plain_modulus } => {
                details!(ValueOutOfRange { index, value, minimum, maximum, plain_modulus })
            }
            Self::ZeroExponent => details!(ZeroExponent),
        }
    }
}

impl ParameterError {
    /// The variant's name and its fields, for bindings and logs.
    pub fn details(&self) -> Details {
        match self {
            Self::CoeffModulusCount { count } => details!(CoeffModulusCount { count }),
            Self::CoeffModulusNoNtt { prime, order } => details!(CoeffModulusNoNtt { prime, order }),
            Self::CoeffModulusNotPrime { value } => details!(CoeffModulusNotPrime { value }),
            Self::CoeffModulusRepeated { prime } => details!(CoeffModulusRepeated { prime }),
            Self::CoeffModulusSize { value, bits } => details!(CoeffModulusSize { value, bits }),
            Self::Degree { degree } => details!(Degree { degree }),
            Self::Insecure { bits, degree, level, table, max_bits } => {
                // No modulus at all is secure where the table has no entry.
                let (table, max_bits) = (table.name(), max_bits.unwrap_or(0));
                details!(Insecure { bits, degree, level, table, max_bits })
            }
            Self::PlainModulusNotCoprime { plain_modulus, prime } => {
                details!(PlainModulusNotCoprime { plain_modulus, prime })
            }
            Self::PlainModulusSize { plain_modulus, bits } => details!(PlainModulusSize { plain_modulus, bits }),
            Self::PlainModulusTooLarge { plain_modulus, modulus_bits } => {
                details!(PlainModulusTooLarge { plain_modulus, modulus_bits })
            }
            Self::PlainModulusUnused { plain_modulus } => details!(PlainModulusUnused { plain_modulus }),
        }
    }
}

/// An error whose cause is another one.
fn caused(kind: &'static str, (cause, fields): Details) -> Details {
    let cause = core::iter::once(("cause", Detail::from(cause)));
    (kind, cause.chain(fields).collect())
}

fn ring_details(error: &RingError) -> Details {
    match error {
        RingError::ArchInUse { wanted, selected } => details!(ArchInUse { wanted, selected }),
        RingError::EmptyBasis => details!(EmptyBasis),
        RingError::InvalidDegree { degree } => details!(InvalidDegree { degree }),
        RingError::InvalidGaloisElement { element, limit } => details!(InvalidGaloisElement { element, limit }),
        RingError::InvalidGaussian { sigma, bound } => details!(InvalidGaussian { sigma, bound }),
        RingError::InvalidModulus { value } => details!(InvalidModulus { value }),
        RingError::InvalidRotation { step, limit } => details!(InvalidRotation { step, limit }),
        RingError::NoRootOfUnity { modulus, order } => details!(NoRootOfUnity { modulus, order }),
        RingError::NotCoprime { first, second } => details!(NotCoprime { first, second }),
        RingError::NotEnoughPrimes { bits, factor, found, wanted } => {
            details!(NotEnoughPrimes { bits, factor, found, wanted })
        }
        RingError::RandomSource(_) => details!(RandomSource),
        RingError::TooManyPrimes { bits, wanted, most } => details!(TooManyPrimes { bits, wanted, most }),
        RingError::UnavailableArch { name, available } => details!(UnavailableArch { name, available }),
        _ => details!(Unnamed),
    }
}
