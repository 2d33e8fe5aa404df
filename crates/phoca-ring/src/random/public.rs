//! The stream that expands public seeds.

use core::fmt;

use crate::arch::Arch;
use crate::arch::streams::chacha20::{CHUNK_LEN, ChaCha20Fill, chacha20_fill};

/// ChaCha20 under a seed that may be known to all (the original variant with a 64-bit block counter): part `i` starts at
/// block `i·2^32`, so that each part can be made alone.
///
/// ```
/// use phoca_ring::random::PublicStream;
///
/// let stream = PublicStream::new([7; 32]);
/// let (mut first, mut again) = ([0; 100], [0; 100]);
/// stream.fill(3, &mut first);
/// stream.fill(3, &mut again);
/// assert_eq!(first, again);
/// stream.fill(4, &mut again);
/// assert_ne!(first, again);
/// ```
#[derive(Clone)]
pub struct PublicStream {
    fill: ChaCha20Fill,
    seed: [u8; 32],
}

impl PublicStream {
    /// The stream of a seed. A seed must not be used for two things.
    pub fn new(seed: [u8; 32]) -> Self {
        Self { fill: chacha20_fill(Arch::selected()), seed }
    }

    /// The seed.
    pub const fn seed(&self) -> &[u8; 32] {
        &self.seed
    }

    /// Writes the first bytes of a part. A part has `2^38` bytes before it runs into the next one.
    pub fn fill(&self, part: u32, out: &mut [u8]) {
        let start = u64::from(part) << 32;
        let (chunks, tail) = out.as_chunks_mut::<CHUNK_LEN>();
        (self.fill)(&self.seed, start, chunks);
        if !tail.is_empty() {
            let mut last = [[0; CHUNK_LEN]];
            (self.fill)(&self.seed, start + (CHUNK_LEN / 64 * chunks.len()) as u64, &mut last);
            tail.copy_from_slice(&last[0][..tail.len()]);
        }
    }

    /// Writes the first 64-bit words of a part, which are little-endian.
    pub fn words(&self, part: u32, out: &mut [u64]) {
        self.fill(part, bytemuck::cast_slice_mut(out));
        for word in out {
            *word = u64::from_le(*word);
        }
    }

    /// Writes the first 32-bit words of a part, which are little-endian.
    pub fn words32(&self, part: u32, out: &mut [u32]) {
        self.fill(part, bytemuck::cast_slice_mut(out));
        for word in out {
            *word = u32::from_le(*word);
        }
    }
}

impl fmt::Debug for PublicStream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PublicStream(..)")
    }
}
