//! Streams of random bytes: SEAL's seeded ones for public polynomials, and a secret one for keys and noise.
//!
//! * [`SealStream`] expands a 64-byte [`Seed`] exactly as Microsoft SEAL does, with BLAKE2Xb or SHAKE256. SEAL's files
//!   carry such seeds in place of uniform polynomials, so these bytes are part of the file format.
//! * [`SecretRng`] is ChaCha20 with a key from the operating system. Everything secret is drawn from it.
//! * [`PublicStream`] is ChaCha20, too: it expands the seeds of TFHE's keys and ciphertexts to their uniform parts.

mod public;
mod seal;
mod secret;

use core::fmt;

use rand_core::CryptoRng;
use subtle::ConstantTimeEq;
use zeroize::{Zeroize, ZeroizeOnDrop};

pub use public::PublicStream;
pub use seal::{SealGenerator, SealStream};
pub use secret::SecretRng;

/// The 512-bit seed of a [`SealStream`]; wiped when dropped.
///
/// Comparison is constant-time, and `Debug` shows nothing of the contents.
#[derive(Clone)]
pub struct Seed([u8; Self::LEN]);

impl Seed {
    /// The length in bytes.
    pub const LEN: usize = 64;

    /// The seed with these bytes, in the order of SEAL's files.
    pub const fn from_bytes(bytes: [u8; Self::LEN]) -> Self {
        Self(bytes)
    }

    /// A fresh seed.
    pub fn random(rng: &mut impl CryptoRng) -> Self {
        let mut seed = Self([0; Self::LEN]);
        rng.fill_bytes(&mut seed.0);
        seed
    }

    /// The bytes, in the order of SEAL's files.
    pub const fn as_bytes(&self) -> &[u8; Self::LEN] {
        &self.0
    }
}

impl Zeroize for Seed {
    fn zeroize(&mut self) {
        self.0.zeroize();
    }
}

impl Drop for Seed {
    fn drop(&mut self) {
        self.zeroize();
    }
}

impl ZeroizeOnDrop for Seed {}

impl PartialEq for Seed {
    fn eq(&self, other: &Self) -> bool {
        self.0.ct_eq(&other.0).into()
    }
}

impl Eq for Seed {}

impl fmt::Debug for Seed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Seed(..)")
    }
}

#[cfg(test)]
mod tests {
    use alloc::format;

    use rand_core::Rng;

    use super::*;

    #[test]
    fn secret_stream_is_chacha20() {
        // RFC 8439, appendix A.1, test vector 1: key, nonce and counter are zero.
        let mut bytes = [0; 8];
        let mut rng = SecretRng::insecure_from_seed([0; 32]);
        rng.fill_bytes(&mut bytes);
        assert_eq!(bytes, [0x76, 0xb8, 0xe0, 0xad, 0xa0, 0xf1, 0x3d, 0x90]);
        assert_eq!(rng.next_u64(), u64::from_le_bytes([0x40, 0x5d, 0x6a, 0xe5, 0x53, 0x86, 0xbd, 0x28]));
    }

    #[test]
    fn pieces_of_any_length_make_the_same_secret_stream() {
        let mut whole = [0; 20_000];
        SecretRng::insecure_from_seed([5; 32]).fill_bytes(&mut whole);
        let mut rng = SecretRng::insecure_from_seed([5; 32]);
        let mut position = 0;
        for length in [1, 0, 1022, 1, 1024, 3, 2048, 1021, 5000, 7] {
            let mut piece = [0; 5000];
            rng.fill_bytes(&mut piece[..length]);
            assert_eq!(piece[..length], whole[position..position + length]);
            position += length;
        }
        // The words straddle chunks, because the position is not a multiple of 4.
        for bytes in whole[position..].as_chunks::<12>().0 {
            assert_eq!(rng.next_u64().to_le_bytes(), bytes[..8]);
            assert_eq!(rng.next_u32().to_le_bytes(), bytes[8..]);
        }
    }

    #[test]
    fn generators_from_the_system_differ() {
        let word = || SecretRng::from_os().expect("the system has random bytes").next_u64();
        assert_ne!(word(), word());
    }

    #[test]
    fn seeds_compare_and_hide_their_bytes() {
        let seed = Seed::from_bytes([42; 64]);
        let mut other = seed.clone();
        assert_eq!(seed, other);
        assert_eq!(format!("{seed:?}"), "Seed(..)");
        other.0[63] ^= 1;
        assert_ne!(seed, other);
        other.zeroize();
        assert_eq!(other.as_bytes(), &[0; 64]);
        assert_ne!(Seed::random(&mut SecretRng::insecure_from_seed([1; 32])), other);
    }
}
