//! LWE ciphertexts, and their secret keys.

use alloc::vec;
use alloc::vec::Vec;
use core::fmt;

use rand_core::CryptoRng;
use zeroize::{Zeroize, ZeroizeOnDrop};

use crate::Error;
use crate::Torus;
use crate::noise::Noise;

/// A binary LWE secret. `Debug` shows its dimension only; it is wiped when dropped.
#[derive(Clone)]
pub struct LweSecretKey {
    /// Zeros and ones.
    bits: Vec<u64>,
}

impl LweSecretKey {
    /// A uniform key.
    pub fn generate(dimension: usize, rng: &mut impl CryptoRng) -> Self {
        let mut bits = vec![0; dimension];
        for chunk in bits.chunks_mut(64) {
            let mut word = rng.next_u64();
            for bit in chunk {
                *bit = word & 1;
                word >>= 1;
            }
            word.zeroize();
        }
        Self { bits }
    }

    /// The key with these bits, each 0 or 1.
    #[cfg(feature = "std")]
    pub(crate) fn from_bits(bits: Vec<u64>) -> Self {
        Self { bits }
    }

    /// The number of bits.
    pub fn dimension(&self) -> usize {
        self.bits.len()
    }

    pub(crate) fn bits(&self) -> &[u64] {
        &self.bits
    }

    /// `Σ mask_i·s_i`. Constant time.
    pub(crate) fn dot<T: Torus>(&self, mask: &[T]) -> T {
        mask.iter().zip(&self.bits).fold(T::default(), |sum, (word, bit)| sum.plus(word.times_bit(*bit)))
    }

    /// Encrypts a torus element.
    ///
    /// # Errors
    ///
    /// [`Error::Noise`] as for [`Noise::add_to`].
    pub fn encrypt<T: Torus>(
        &self,
        message: T,
        noise: Noise,
        rng: &mut impl CryptoRng,
    ) -> Result<LweCiphertext<T>, Error> {
        let mut words = vec![T::default(); self.dimension() + 1];
        let dimension = self.dimension();
        for word in &mut words[..dimension] {
            *word = T::from_u64(rng.next_u64());
        }
        let mut body = [message.plus(self.dot(&words[..dimension]))];
        noise.add_to(rng, &mut body)?;
        words[dimension] = body[0];
        Ok(LweCiphertext { words })
    }

    /// The phase, that is the message and the noise. Constant time.
    ///
    /// # Errors
    ///
    /// [`Error::LweDimension`] unless key and ciphertext have one dimension.
    pub fn phase<T: Torus>(&self, ciphertext: &LweCiphertext<T>) -> Result<T, Error> {
        if ciphertext.dimension() != self.dimension() {
            return Err(Error::LweDimension { expected: self.dimension(), found: ciphertext.dimension() });
        }
        Ok(ciphertext.body().minus(self.dot(ciphertext.mask())))
    }
}

impl Drop for LweSecretKey {
    fn drop(&mut self) {
        self.bits.zeroize();
    }
}

impl ZeroizeOnDrop for LweSecretKey {}

impl fmt::Debug for LweSecretKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "LweSecretKey(dimension {}, ..)", self.dimension())
    }
}

/// An LWE ciphertext: the mask, then the body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LweCiphertext<T> {
    /// Never empty.
    words: Vec<T>,
}

impl<T: Torus> LweCiphertext<T> {
    /// An encryption of zero without noise or secrecy.
    pub fn zero(dimension: usize) -> Self {
        Self { words: vec![T::default(); dimension + 1] }
    }

    /// An encryption of a message without noise or secrecy.
    pub fn trivial(dimension: usize, message: T) -> Self {
        let mut ciphertext = Self::zero(dimension);
        *ciphertext.body_mut() = message;
        ciphertext
    }

    /// A ciphertext from mask and body; `None` for no words at all.
    pub fn from_words(words: Vec<T>) -> Option<Self> {
        (!words.is_empty()).then_some(Self { words })
    }

    /// The length of the mask.
    pub fn dimension(&self) -> usize {
        self.words.len() - 1
    }

    /// The mask.
    pub fn mask(&self) -> &[T] {
        &self.words[..self.words.len() - 1]
    }

    /// The body.
    pub fn body(&self) -> T {
        self.words[self.words.len() - 1]
    }

    /// Mask and body.
    pub fn words(&self) -> &[T] {
        &self.words
    }

    /// Mask and body, to be written.
    pub fn words_mut(&mut self) -> &mut [T] {
        &mut self.words
    }

    /// The body, to be written.
    pub fn body_mut(&mut self) -> &mut T {
        let dimension = self.dimension();
        &mut self.words[dimension]
    }

    /// The same ciphertext with words of 64 bits.
    pub fn widen(&self) -> LweCiphertext<u64> {
        LweCiphertext { words: self.words.iter().map(|word| word.to_u64()).collect() }
    }

    /// `self += other`.
    ///
    /// # Errors
    ///
    /// [`Error::LweDimension`] unless both have one dimension.
    pub fn add_assign(&mut self, other: &Self) -> Result<(), Error> {
        self.zip_assign(other, T::plus)
    }

    /// `self -= other`.
    ///
    /// # Errors
    ///
    /// [`Error::LweDimension`] unless both have one dimension.
    pub fn sub_assign(&mut self, other: &Self) -> Result<(), Error> {
        self.zip_assign(other, T::minus)
    }

    /// `self += factor·other`.
    ///
    /// # Errors
    ///
    /// [`Error::LweDimension`] unless both have one dimension.
    pub fn add_multiple_assign(&mut self, other: &Self, factor: i64) -> Result<(), Error> {
        self.zip_assign(other, |a, b| a.plus(b.times(factor)))
    }

    /// `self = -self`.
    pub fn negate_assign(&mut self) {
        self.words.iter_mut().for_each(|word| *word = T::default().minus(*word));
    }

    /// `self *= factor`.
    pub fn scale_assign(&mut self, factor: i64) {
        self.words.iter_mut().for_each(|word| *word = word.times(factor));
    }

    fn zip_assign(&mut self, other: &Self, operation: impl Fn(T, T) -> T) -> Result<(), Error> {
        if self.dimension() != other.dimension() {
            return Err(Error::LweDimension { expected: self.dimension(), found: other.dimension() });
        }
        for (word, other) in self.words.iter_mut().zip(&other.words) {
            *word = operation(*word, *other);
        }
        Ok(())
    }
}
