//! The generator of secrets and noise.

use core::convert::Infallible;
use core::fmt;

use chacha20::ChaCha20Rng;
use rand_core::{SeedableRng, TryCryptoRng, TryRng};
use zeroize::{Zeroize, ZeroizeOnDrop};

use crate::RingError;

/// ChaCha20 as a random generator (RFC 8439's core with a 64-bit counter), for secrets and noise.
///
/// Its state is wiped when dropped; it is not `Clone`, so that no stream is used twice. Time depends on the number of
/// bytes only.
///
/// ```
/// use phoca_ring::random::SecretRng;
///
/// let mut rng = SecretRng::from_os()?;
/// let mut secret = [0_i8; 4096];
/// phoca_ring::sample::ternary(&mut rng, &mut secret);
/// # Ok::<(), phoca_ring::RingError>(())
/// ```
pub struct SecretRng(ChaCha20Rng);

impl SecretRng {
    /// A generator with a 256-bit key from the operating system.
    ///
    /// # Errors
    ///
    /// [`RingError::RandomSource`] if the operating system gives no random bytes.
    pub fn from_os() -> Result<Self, RingError> {
        let mut key = [0; 32];
        getrandom::fill(&mut key)?;
        let rng = Self(ChaCha20Rng::from_seed(key));
        key.zeroize();
        Ok(rng)
    }

    /// A generator whose whole output follows from `seed`: for reproducible tests and benchmarks only.
    pub fn insecure_from_seed(seed: [u8; 32]) -> Self {
        Self(ChaCha20Rng::from_seed(seed))
    }
}

impl TryRng for SecretRng {
    type Error = Infallible;

    #[inline]
    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        self.0.try_next_u32()
    }

    #[inline]
    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        self.0.try_next_u64()
    }

    #[inline]
    fn try_fill_bytes(&mut self, out: &mut [u8]) -> Result<(), Infallible> {
        self.0.try_fill_bytes(out)
    }
}

impl TryCryptoRng for SecretRng {}

/// `ChaCha20Rng` wipes its key and buffer.
impl ZeroizeOnDrop for SecretRng {}

impl fmt::Debug for SecretRng {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SecretRng(..)")
    }
}
