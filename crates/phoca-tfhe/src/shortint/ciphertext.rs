use phoca_ring::random::PublicStream;

use crate::lwe::LweCiphertext;

/// An encrypted short integer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ciphertext {
    pub(crate) lwe: LweCiphertext<u64>,
    /// The largest value that it may hold.
    pub(crate) degree: u64,
    /// A bound on its noise: a multiple of the standard deviation of a bootstrap's result. Fresh and bootstrapped ciphertexts
    /// have 1, trivial ones 0.
    pub(crate) noise: u64,
}

impl Ciphertext {
    /// The largest value that it may hold, message and carry.
    pub fn degree(&self) -> u64 {
        self.degree
    }

    /// The noise, in units of a bootstrap's result; sums add theirs, whether they are independent or not.
    pub fn noise_level(&self) -> u64 {
        self.noise
    }

    /// The LWE ciphertext.
    pub fn as_lwe(&self) -> &LweCiphertext<u64> {
        &self.lwe
    }

    /// Whether it is an encryption without secrecy, as [`ServerKey::trivial`](super::ServerKey::trivial) makes it.
    pub fn is_trivial(&self) -> bool {
        self.lwe.mask().iter().all(|word| *word == 0)
    }
}

/// A fresh ciphertext whose mask is a seed: some dozen bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeededCiphertext {
    pub(crate) seed: [u8; 32],
    pub(crate) body: u64,
    pub(crate) dimension: usize,
    pub(crate) degree: u64,
}

impl SeededCiphertext {
    /// The ciphertext with its mask.
    pub fn expand(&self) -> Ciphertext {
        let mut lwe = LweCiphertext::zero(self.dimension);
        PublicStream::new(self.seed).words(0, &mut lwe.words_mut()[..self.dimension]);
        *lwe.body_mut() = self.body;
        Ciphertext { lwe, degree: self.degree, noise: 1 }
    }
}
