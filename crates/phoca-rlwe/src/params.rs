//! Encryption parameters: a literal that can be written down, its checks and its hash.
//!
//! [`Parameters`] are unchecked. [`Context`] checks them and holds all that is computed from them.

pub mod coeff_modulus;
pub mod plain_modulus;
mod security;
pub mod suggest;

use alloc::vec::Vec;
use core::fmt;

pub use security::{Security, SecurityLevel, SecurityTable};

use crate::context::{Context, ContextBuilder};
use crate::error::Error;

/// The smallest and largest ring degree that Phoca takes, as Microsoft SEAL's.
pub const DEGREE_RANGE: core::ops::RangeInclusive<usize> = 2..=131_072;
/// The most primes that a coefficient modulus may have.
pub const MAX_COEFF_MODULUS_COUNT: usize = 256;
/// The bits that each prime of a coefficient modulus and a plain modulus may have.
pub const MODULUS_BITS: core::ops::RangeInclusive<u32> = 2..=60;

/// The homomorphic encryption schemes of this crate. The numbers are those of SEAL's files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum Scheme {
    /// Brakerski/Fan–Vercauteren: exact integers, message in the high bits (ePrint 2012/144).
    Bfv = 1,
    /// Cheon–Kim–Kim–Song: approximate real and complex numbers (ePrint 2016/421).
    Ckks = 2,
    /// Brakerski–Gentry–Vaikuntanathan: exact integers, message in the low bits (ePrint 2011/277).
    Bgv = 3,
}

impl Scheme {
    /// `BFV`, `CKKS` or `BGV`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Bfv => "BFV",
            Self::Ckks => "CKKS",
            Self::Bgv => "BGV",
        }
    }

    /// The scheme with SEAL's number `byte`.
    pub const fn from_byte(byte: u8) -> Option<Self> {
        match byte {
            1 => Some(Self::Bfv),
            2 => Some(Self::Ckks),
            3 => Some(Self::Bgv),
            _ => None,
        }
    }
}

impl fmt::Display for Scheme {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The hash that SEAL's files carry to say which parameters and which level an object belongs to.
///
/// BLAKE2b with 32 bytes of output over the little-endian words: scheme, degree, each coefficient prime, plain modulus.
/// All zeros stands for a plaintext that is not in NTT form.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ParmsId(pub [u64; 4]);

impl ParmsId {
    /// The id of plaintexts in coefficient form.
    pub const ZERO: Self = Self([0; 4]);

    /// The hash of words: BLAKE2b with 32 bytes of output over their little-endian bytes.
    pub fn of_words(words: impl IntoIterator<Item = u64>) -> Self {
        let mut state = blake2b_simd::Params::new().hash_length(32).to_state();
        for word in words {
            state.update(&word.to_le_bytes());
        }
        let mut id = [0; 4];
        for (word, bytes) in id.iter_mut().zip(state.finalize().as_bytes().as_chunks::<8>().0) {
            *word = u64::from_le_bytes(*bytes);
        }
        Self(id)
    }

    /// Whether this is [`ParmsId::ZERO`].
    pub fn is_zero(&self) -> bool {
        *self == Self::ZERO
    }
}

impl fmt::Display for ParmsId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for word in self.0 {
            write!(f, "{word:016x}")?;
        }
        Ok(())
    }
}

impl fmt::Debug for ParmsId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ParmsId({self})")
    }
}

/// Encryption parameters as they are written down, unchecked.
///
/// ```
/// use phoca_rlwe::{Parameters, Scheme, SecurityLevel, coeff_modulus, plain_modulus};
///
/// let context = Parameters {
///     scheme: Scheme::Bfv,
///     degree: 4096,
///     coeff_modulus: coeff_modulus::seal_default(4096, SecurityLevel::Bits128)?,
///     plain_modulus: plain_modulus::batching(4096, 20)?,
/// }
/// .build()?;
/// assert_eq!(context.first_level().prime_count(), 2); // the third prime is the special prime
/// # Ok::<(), phoca_rlwe::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Parameters {
    /// The scheme.
    pub scheme: Scheme,
    /// The degree `n` of the ring `Z[X]/(X^n + 1)`: a power of two.
    pub degree: usize,
    /// The primes of the coefficient modulus, each 1 modulo `2n`. Where there are several, the last is the special
    /// prime of key switching, which ciphertexts do not have.
    pub coeff_modulus: Vec<u64>,
    /// The plain modulus `t` of BFV and BGV; 0 for CKKS.
    pub plain_modulus: u64,
}

impl Parameters {
    /// The hash of these parameters.
    pub fn parms_id(&self) -> ParmsId {
        self.parms_id_of_prefix(self.coeff_modulus.len())
    }

    /// Checks the parameters, at 128 bits of security in the table that SEAL uses, and makes a context of them.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidParameters`] with the cause.
    pub fn build(self) -> Result<Context, Error> {
        self.builder().build()
    }

    /// A builder that makes a context with another security check or other settings.
    pub fn builder(self) -> ContextBuilder {
        ContextBuilder::new(self)
    }

    /// The hash of the level that keeps the first `primes` primes.
    pub(crate) fn parms_id_of_prefix(&self, primes: usize) -> ParmsId {
        let head = [self.scheme as u64, self.degree as u64];
        let words = head.iter().chain(&self.coeff_modulus[..primes]).chain([&self.plain_modulus]);
        ParmsId::of_words(words.copied())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// From Microsoft SEAL 4.1.2 through node-seal 7.0.0: BFV, n = 4096, default primes, t = 1032193.
    #[test]
    fn parms_ids_are_those_of_seal() {
        let parameters = Parameters {
            scheme: Scheme::Bfv,
            degree: 4096,
            coeff_modulus: coeff_modulus::seal_default(4096, SecurityLevel::Bits128).unwrap(),
            plain_modulus: 1_032_193,
        };
        let ids = [3, 2, 1].map(|primes| parameters.parms_id_of_prefix(primes).0);
        let expected = [
            [15359885167903699025, 13859760541767178383, 7059071203920448784, 13833089372777612512],
            [1873000747715295028, 11215186030905010692, 3414445251667737935, 182315704735341130],
            [11429859456180146811, 6196561566494887094, 5221243576142229105, 1012306229078676531],
        ];
        assert_eq!(ids, expected);
    }

    #[test]
    fn parms_id_of_empty_parameters_is_that_of_seal() {
        let parameters = Parameters { scheme: Scheme::Bfv, degree: 0, coeff_modulus: Vec::new(), plain_modulus: 0 };
        let expected = [3233990958110595687, 6540418720804205283, 7565231121574662035, 6360663316903180079];
        assert_eq!(parameters.parms_id().0, expected);
    }
}
