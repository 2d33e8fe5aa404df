//! The byte streams of SEAL's generators.
//!
//! A stream is the concatenation of 4096-byte blocks; block `c` depends on the seed and the 64-bit counter `c` alone:
//!
//! * BLAKE2Xb with the seed as key and the 8 little-endian bytes of `c` as message ("BLAKE2X", Aumasson, Neves,
//!   Wilcox-O'Hearn, Winnerlein, 2016): a 64-byte root hash, then 64 output nodes of 64 bytes each over the root.
//! * SHAKE256 (FIPS 202) of the seed followed by the 8 little-endian bytes of `c`.

use core::fmt;

use shake::{ExtendableOutput, Shake256, Update, XofReader};
use zeroize::{Zeroize, ZeroizeOnDrop};

use super::Seed;
use crate::arch::Arch;
use crate::arch::streams::{self, BLOCK_LEN, Blake2xbFill};

/// The generator that expands a seed; the discriminant is SEAL's `prng_type` byte.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(u8)]
#[non_exhaustive]
pub enum SealGenerator {
    /// BLAKE2Xb, SEAL's default.
    #[default]
    Blake2xb = 1,
    /// SHAKE256, a build option of SEAL.
    Shake256 = 2,
}

impl SealGenerator {
    /// The generator of SEAL's `prng_type` byte, or `None` where there is none.
    pub const fn from_id(id: u8) -> Option<Self> {
        match id {
            1 => Some(Self::Blake2xb),
            2 => Some(Self::Shake256),
            _ => None,
        }
    }

    /// SEAL's `prng_type` byte.
    pub const fn id(self) -> u8 {
        self as u8
    }
}

/// SEAL's stream of pseudo-random bytes from a [`Seed`].
///
/// It is for seeds that are published in the end, such as those of the uniform half of a ciphertext or key: its own
/// buffers are wiped on drop, but the hash functions below it leave their state on the stack. Secrets are drawn from
/// [`SecretRng`](super::SecretRng). Time depends on the number of bytes only.
///
/// ```
/// use phoca_ring::random::{SealGenerator, SealStream, Seed};
///
/// let seed = Seed::from_bytes([7; 64]);
/// let mut stream = SealStream::new(SealGenerator::Blake2xb, &seed);
/// let mut bytes = [0; 8];
/// stream.fill(&mut bytes);
/// let mut again = SealStream::new(SealGenerator::Blake2xb, &seed);
/// assert_eq!(again.next_u64(), u64::from_le_bytes(bytes));
/// ```
pub struct SealStream {
    generator: SealGenerator,
    blake2xb: Blake2xbFill,
    seed: Seed,
    /// The next counter value.
    counter: u64,
    block: [u8; BLOCK_LEN],
    /// Bytes of `block` that were handed out.
    used: usize,
}

impl SealStream {
    /// The stream from its first byte.
    pub fn new(generator: SealGenerator, seed: &Seed) -> Self {
        Self {
            generator,
            blake2xb: streams::blake2xb_fill(Arch::selected()),
            seed: seed.clone(),
            counter: 0,
            block: [0; BLOCK_LEN],
            used: BLOCK_LEN,
        }
    }

    /// The generator that makes the stream.
    pub fn generator(&self) -> SealGenerator {
        self.generator
    }

    /// The next `out.len()` bytes.
    pub fn fill(&mut self, out: &mut [u8]) {
        let buffered = out.len().min(BLOCK_LEN - self.used);
        let (head, out) = out.split_at_mut(buffered);
        self.take(head);
        let (blocks, tail) = out.as_chunks_mut::<BLOCK_LEN>();
        self.next_blocks(blocks);
        if !tail.is_empty() {
            self.refill();
            self.take(tail);
        }
    }

    /// The next 8 bytes as a little-endian word.
    #[inline]
    pub fn next_u64(&mut self) -> u64 {
        u64::from_le_bytes(self.next_array())
    }

    /// The next 4 bytes as a little-endian half word.
    #[inline]
    pub fn next_u32(&mut self) -> u32 {
        u32::from_le_bytes(self.next_array())
    }

    #[inline]
    fn next_array<const N: usize>(&mut self) -> [u8; N] {
        let mut bytes = [0; N];
        if self.used <= BLOCK_LEN - N {
            bytes.copy_from_slice(&self.block[self.used..self.used + N]);
            self.used += N;
        } else {
            self.fill(&mut bytes);
        }
        bytes
    }

    /// Copies buffered bytes; there are at least `out.len()` of them.
    fn take(&mut self, out: &mut [u8]) {
        out.copy_from_slice(&self.block[self.used..self.used + out.len()]);
        self.used += out.len();
    }

    fn refill(&mut self) {
        let mut block = core::mem::replace(&mut self.block, [0; BLOCK_LEN]);
        self.next_blocks(core::slice::from_mut(&mut block));
        self.block = block;
        block.zeroize();
        self.used = 0;
    }

    fn next_blocks(&mut self, blocks: &mut [[u8; BLOCK_LEN]]) {
        match self.generator {
            SealGenerator::Blake2xb => (self.blake2xb)(self.seed.as_bytes(), self.counter, blocks),
            SealGenerator::Shake256 => shake256_blocks(&self.seed, self.counter, blocks),
        }
        self.counter = self.counter.wrapping_add(blocks.len() as u64);
    }
}

impl Drop for SealStream {
    fn drop(&mut self) {
        self.block.zeroize(); // the seed wipes itself
    }
}

impl ZeroizeOnDrop for SealStream {}

/// Shows the generator and the position only.
impl fmt::Debug for SealStream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SealStream").field("generator", &self.generator).finish_non_exhaustive()
    }
}

/// Blocks `counter`, `counter + 1`, … of the SHAKE256 stream.
fn shake256_blocks(seed: &Seed, counter: u64, blocks: &mut [[u8; BLOCK_LEN]]) {
    for (i, block) in blocks.iter_mut().enumerate() {
        let mut hasher = Shake256::default();
        hasher.update(seed.as_bytes());
        hasher.update(&counter.wrapping_add(i as u64).to_le_bytes());
        hasher.finalize_xof().read(block);
    }
}
