//! Where keys and encryptions get their secret randomness.

use core::fmt;
use core::sync::atomic::{AtomicUsize, Ordering};

use phoca_ring::random::SecretRng;
use zeroize::Zeroize;

use crate::error::Error;

/// A source of fresh generators: the operating system, or a seed for tests.
pub(crate) enum Randomness {
    System,
    InsecureSeed { seed: [u8; 32], drawn: AtomicUsize },
}

impl Randomness {
    pub(crate) fn insecure_seed(seed: [u8; 32]) -> Self {
        Self::InsecureSeed { seed, drawn: AtomicUsize::new(0) }
    }

    /// A generator that was never used before.
    pub(crate) fn generator(&self) -> Result<SecretRng, Error> {
        match self {
            Self::System => Ok(SecretRng::from_os()?),
            Self::InsecureSeed { seed, drawn } => {
                let mut seed = *seed;
                let number = drawn.fetch_add(1, Ordering::Relaxed) as u64;
                for (byte, count) in seed.iter_mut().zip(number.to_le_bytes()) {
                    *byte ^= count;
                }
                Ok(SecretRng::insecure_from_seed(seed))
            }
        }
    }
}

impl fmt::Debug for Randomness {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::System => "System",
            Self::InsecureSeed { .. } => "InsecureSeed",
        })
    }
}

impl Drop for Randomness {
    fn drop(&mut self) {
        if let Self::InsecureSeed { seed, .. } = self {
            seed.zeroize();
        }
    }
}
