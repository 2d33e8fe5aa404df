use alloc::vec::Vec;

use phoca_ring::random::SecretRng;

use super::Radix;
use crate::Error;
use crate::params::Parameters;
use crate::shortint;

/// The secret key of integers: that of short integers, whose ciphertexts are their blocks.
#[derive(Clone, Debug)]
pub struct ClientKey {
    key: shortint::ClientKey,
}

impl ClientKey {
    /// A fresh key.
    ///
    /// # Errors
    ///
    /// As [`shortint::ClientKey::generate`].
    pub fn generate(parameters: Parameters) -> Result<Self, Error> {
        Ok(Self { key: shortint::ClientKey::generate(parameters)? })
    }

    /// The integers whose blocks this key encrypts.
    pub fn new(key: shortint::ClientKey) -> Self {
        Self { key }
    }

    /// The key of the blocks.
    pub fn key(&self) -> &shortint::ClientKey {
        &self.key
    }

    /// Encrypts the lowest digits of a number in two's complement, whose words are given least significant first and continue
    /// with the sign of the last one. Constant time if the noise is.
    ///
    /// # Errors
    ///
    /// [`Error::Ring`] where the system gives no random bytes.
    pub fn encrypt(&self, words: &[u64], blocks: usize) -> Result<Radix, Error> {
        let rng = &mut SecretRng::from_os()?;
        self.encrypt_with(words, blocks, rng)
    }

    /// [`encrypt`](Self::encrypt) with randomness from a generator.
    ///
    /// # Errors
    ///
    /// [`Error::Noise`] where the set's noise cannot be sampled.
    pub fn encrypt_with(&self, words: &[u64], blocks: usize, rng: &mut SecretRng) -> Result<Radix, Error> {
        let bits = self.key.parameters().message_bits;
        let encrypted = digits(words, bits).take(blocks).map(|digit| self.key.encrypt_with(digit, rng));
        Ok(Radix::new(encrypted.collect::<Result<_, _>>()?))
    }

    /// The number, as 64-bit words, least significant first; bits beyond the last block are zero. Constant time.
    ///
    /// # Errors
    ///
    /// [`Error::LweDimension`] where the integer is of another set.
    pub fn decrypt(&self, integer: &Radix) -> Result<Vec<u64>, Error> {
        let bits = self.key.parameters().message_bits as usize;
        let mut words = alloc::vec![0; (integer.len() * bits).div_ceil(64)];
        for (index, block) in integer.blocks().iter().enumerate() {
            let digit = self.key.decrypt(block)?;
            let (word, shift) = (index * bits / 64, index * bits % 64);
            words[word] |= digit << shift;
            if shift + bits > 64 {
                words[word + 1] |= digit >> (64 - shift);
            }
        }
        Ok(words)
    }
}

/// The digits of `bits` bits of a number in two's complement, without end.
pub(crate) fn digits(words: &[u64], bits: u32) -> impl Iterator<Item = u64> {
    let sign = words.last().map_or(0, |word| (*word as i64 >> 63) as u64);
    let word = move |index: usize| words.get(index).copied().unwrap_or(sign);
    (0..).map(move |index: usize| {
        let at = index * bits as usize;
        let (index, shift) = (at / 64, at % 64);
        let high = if shift == 0 { 0 } else { word(index + 1) << (64 - shift) };
        (word(index) >> shift | high) & ((1 << bits) - 1)
    })
}
