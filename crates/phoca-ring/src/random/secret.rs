//! The generator of secrets and noise.

use core::convert::Infallible;
use core::fmt;

use rand_core::{TryCryptoRng, TryRng};
use zeroize::{Zeroize, ZeroizeOnDrop};

use crate::RingError;
use crate::arch::Arch;
use crate::arch::streams::chacha20::{CHUNK_BLOCKS, CHUNK_LEN, ChaCha20Fill, chacha20_fill};

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
pub struct SecretRng {
    fill: ChaCha20Fill,
    key: [u8; 32],
    /// The block after those in `chunk`.
    counter: u64,
    chunk: [u8; CHUNK_LEN],
    /// Bytes of `chunk` that were handed out; those are zero.
    used: usize,
}

impl SecretRng {
    /// A generator with a 256-bit key from the operating system.
    ///
    /// # Errors
    ///
    /// [`RingError::RandomSource`] if the operating system gives no random bytes.
    pub fn from_os() -> Result<Self, RingError> {
        let mut rng = Self::insecure_from_seed([0; 32]);
        getrandom::fill(&mut rng.key)?;
        Ok(rng)
    }

    /// A generator whose whole output follows from `seed`: for reproducible tests and benchmarks only.
    pub fn insecure_from_seed(seed: [u8; 32]) -> Self {
        Self { fill: chacha20_fill(Arch::selected()), key: seed, counter: 0, chunk: [0; CHUNK_LEN], used: CHUNK_LEN }
    }

    fn fill(&mut self, out: &mut [u8]) {
        let buffered = out.len().min(CHUNK_LEN - self.used);
        let (head, out) = out.split_at_mut(buffered);
        self.take(head);
        let (chunks, tail) = out.as_chunks_mut::<CHUNK_LEN>();
        (self.fill)(&self.key, self.counter, chunks);
        self.counter = self.counter.wrapping_add(CHUNK_BLOCKS * chunks.len() as u64);
        if !tail.is_empty() {
            self.refill();
            self.take(tail);
        }
    }

    fn refill(&mut self) {
        (self.fill)(&self.key, self.counter, core::slice::from_mut(&mut self.chunk));
        self.counter = self.counter.wrapping_add(CHUNK_BLOCKS);
        self.used = 0;
    }

    /// Moves buffered bytes; there are at least `out.len()` of them. What was handed out is forgotten here.
    #[inline]
    fn take(&mut self, out: &mut [u8]) {
        let bytes = &mut self.chunk[self.used..self.used + out.len()];
        out.copy_from_slice(bytes);
        bytes.fill(0);
        self.used += out.len();
    }

    #[inline]
    fn next_array<const N: usize>(&mut self) -> [u8; N] {
        let mut bytes = [0; N];
        if self.used <= CHUNK_LEN - N {
            self.take(&mut bytes);
        } else {
            self.fill(&mut bytes);
        }
        bytes
    }
}

impl TryRng for SecretRng {
    type Error = Infallible;

    #[inline]
    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        Ok(u32::from_le_bytes(self.next_array()))
    }

    #[inline]
    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        Ok(u64::from_le_bytes(self.next_array()))
    }

    #[inline]
    fn try_fill_bytes(&mut self, out: &mut [u8]) -> Result<(), Infallible> {
        self.fill(out);
        Ok(())
    }
}

impl TryCryptoRng for SecretRng {}

impl Drop for SecretRng {
    fn drop(&mut self) {
        self.key.zeroize();
        self.chunk.zeroize();
    }
}

impl ZeroizeOnDrop for SecretRng {}

impl fmt::Debug for SecretRng {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SecretRng(..)")
    }
}
