//! Streams of random bytes: SEAL's seeded ones for public polynomials, and a secret one for keys and noise.
//!
//! * [`SealStream`] expands a 64-byte [`Seed`] exactly as Microsoft SEAL does, with BLAKE2Xb or SHAKE256. SEAL's files
//!   carry such seeds in place of uniform polynomials, so these bytes are part of the file format.
//! * [`SecretRng`] is ChaCha20 with a key from the operating system. Everything secret is drawn from it.

mod seal;
mod secret;

use core::fmt;

use rand_core::CryptoRng;
use subtle::ConstantTimeEq;
use zeroize::{Zeroize, ZeroizeOnDrop};

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
