use super::boolean::FheBool;
use super::clear::{Clear, extended, fitting};
use super::keys::{ClientKey, or_panic, with_server_key};
use crate::Error;
use crate::integer::{Radix, ServerKey};
use crate::shortint::Ciphertext;

/// An encrypted integer of so many bits, signed or not; two's complement if signed. [`FheUint`] and [`FheInt`] name both kinds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fhe<const SIGNED: bool, const BITS: usize> {
    radix: Radix,
}

/// An encrypted unsigned integer of so many bits.
pub type FheUint<const BITS: usize> = Fhe<false, BITS>;

/// An encrypted signed integer of so many bits.
pub type FheInt<const BITS: usize> = Fhe<true, BITS>;

/// Encryption with a secret key, with errors.
pub trait FheTryEncrypt<T>: Sized {
    /// Encrypts a value.
    ///
    /// # Errors
    ///
    /// [`Error::TooWide`] where it does not fit, [`Error::Ring`] where the system gives no random bytes.
    fn try_encrypt(value: T, key: &ClientKey) -> Result<Self, Error>;
}

/// Encryption with a secret key.
pub trait FheEncrypt<T>: Sized {
    /// Encrypts a value.
    ///
    /// # Panics
    ///
    /// Where [`FheTryEncrypt::try_encrypt`] fails.
    fn encrypt(value: T, key: &ClientKey) -> Self;
}

/// Encryption without secrecy, for constants.
pub trait FheTryTrivialEncrypt<T>: Sized {
    /// Encrypts a value without secrecy, under the server key of this thread.
    ///
    /// # Errors
    ///
    /// [`Error::TooWide`] where it does not fit, [`Error::NoServerKey`] where none is set.
    fn try_encrypt_trivial(value: T) -> Result<Self, Error>;

    /// Encrypts a value without secrecy, under the server key of this thread.
    ///
    /// # Panics
    ///
    /// Where [`try_encrypt_trivial`](Self::try_encrypt_trivial) fails.
    fn encrypt_trivial(value: T) -> Self {
        or_panic(Self::try_encrypt_trivial(value))
    }
}

/// Decryption.
pub trait FheDecrypt<T> {
    /// The value, its lowest bits where the type is narrower. Constant time.
    ///
    /// # Errors
    ///
    /// [`Error::LweDimension`] where the key is of another parameter set.
    fn try_decrypt(&self, key: &ClientKey) -> Result<T, Error>;

    /// The value, its lowest bits where the type is narrower. Constant time.
    ///
    /// # Panics
    ///
    /// Where [`try_decrypt`](Self::try_decrypt) fails.
    fn decrypt(&self, key: &ClientKey) -> T {
        or_panic(self.try_decrypt(key))
    }
}

impl<T, E: FheTryEncrypt<T>> FheEncrypt<T> for E {
    fn encrypt(value: T, key: &ClientKey) -> Self {
        or_panic(Self::try_encrypt(value, key))
    }
}

impl<const SIGNED: bool, const BITS: usize> Fhe<SIGNED, BITS> {
    const WHOLE: () = assert!(BITS >= 2 && BITS.is_multiple_of(2) && BITS <= 256, "from 2 to 256 bits, an even number");

    pub(crate) fn from_radix(radix: Radix) -> Self {
        let () = Self::WHOLE;
        Self { radix }
    }

    /// The integer without its type.
    pub fn as_radix(&self) -> &Radix {
        &self.radix
    }

    /// The operation of two integers under the server key of this thread.
    pub(super) fn combine(
        &self,
        other: &Self,
        operation: impl FnOnce(&ServerKey, &Radix, &Radix) -> Result<Radix, Error>,
    ) -> Result<Self, Error> {
        with_server_key(|server| Ok(Self::from_radix(operation(&server.key, &self.radix, &other.radix)?)))
    }

    /// The operation with a clear number under the server key of this thread.
    pub(super) fn combine_clear(
        &self,
        other: impl Clear<SIGNED>,
        operation: impl FnOnce(&ServerKey, &Radix, &[u64]) -> Result<Radix, Error>,
    ) -> Result<Self, Error> {
        let words = fitting(other, BITS)?;
        with_server_key(|server| Ok(Self::from_radix(operation(&server.key, &self.radix, &words)?)))
    }

    pub(super) fn compare(
        &self,
        other: &Self,
        operation: impl FnOnce(&ServerKey, &Radix, &Radix) -> Result<Ciphertext, Error>,
    ) -> Result<FheBool, Error> {
        with_server_key(|server| Ok(FheBool { block: operation(&server.key, &self.radix, &other.radix)? }))
    }

    /// A trivial integer under a server key, for operations that have no clear form of their own.
    pub(super) fn blocks() -> usize {
        BITS / 2
    }
}

impl<const SIGNED: bool, const BITS: usize, T: Clear<SIGNED>> FheTryEncrypt<T> for Fhe<SIGNED, BITS> {
    fn try_encrypt(value: T, key: &ClientKey) -> Result<Self, Error> {
        Ok(Self::from_radix(key.key.encrypt(&fitting(value, BITS)?, BITS / 2)?))
    }
}

impl<const SIGNED: bool, const BITS: usize, T: Clear<SIGNED>> FheTryTrivialEncrypt<T> for Fhe<SIGNED, BITS> {
    fn try_encrypt_trivial(value: T) -> Result<Self, Error> {
        let words = fitting(value, BITS)?;
        with_server_key(|server| Ok(Self::from_radix(server.key.trivial(&words, BITS / 2)?)))
    }
}

impl<const SIGNED: bool, const BITS: usize, T: Clear<SIGNED>> FheDecrypt<T> for Fhe<SIGNED, BITS> {
    fn try_decrypt(&self, key: &ClientKey) -> Result<T, Error> {
        let mut words = [0; 4];
        for (word, found) in words.iter_mut().zip(key.key.decrypt(&self.radix)?) {
            *word = found;
        }
        Ok(T::from_words(extended(words, BITS, SIGNED)))
    }
}
