//! Scratch buffers that a context keeps for its operations, so that warm operations do not ask the system for memory.

use core::ops::{Deref, DerefMut};

use phoca_ring::Buffer;
use zeroize::Zeroize;

/// At most this many buffers wait for reuse.
#[cfg(feature = "std")]
const KEPT: usize = 16;

/// Buffers that wait for reuse.
#[derive(Default)]
pub(crate) struct ScratchPool {
    #[cfg(feature = "std")]
    free: std::sync::Mutex<Vec<Buffer>>,
}

impl ScratchPool {
    /// `len` words of unspecified contents: whoever takes them writes before reading.
    pub(crate) fn take(&self, len: usize) -> Scratch<'_> {
        let mut buffer = self.reuse(len);
        if buffer.len() < len {
            buffer = Buffer::zeroed(len);
        }
        Scratch { buffer, len, pool: self }
    }

    #[cfg(feature = "std")]
    fn reuse(&self, len: usize) -> Buffer {
        let Ok(mut free) = self.free.lock() else {
            return Buffer::default();
        };
        // The smallest buffer that is large enough, else the largest: it grows once and then serves.
        let best = (0..free.len()).min_by_key(|&i| (free[i].len() < len, free[i].len().abs_diff(len)));
        best.map(|i| free.swap_remove(i)).unwrap_or_default()
    }

    #[cfg(not(feature = "std"))]
    fn reuse(&self, _len: usize) -> Buffer {
        Buffer::default()
    }

    #[cfg(feature = "std")]
    fn give_back(&self, buffer: Buffer) {
        if let Ok(mut free) = self.free.lock()
            && free.len() < KEPT
        {
            free.push(buffer);
        }
    }

    #[cfg(not(feature = "std"))]
    fn give_back(&self, _buffer: Buffer) {}
}

/// A buffer on loan from a [`ScratchPool`].
pub(crate) struct Scratch<'a> {
    buffer: Buffer,
    len: usize,
    pool: &'a ScratchPool,
}

impl Scratch<'_> {
    /// Wipes the contents before the buffer goes back: for scratch that held a secret.
    pub(crate) fn wipe(&mut self) {
        self.deref_mut().zeroize();
    }
}

impl Deref for Scratch<'_> {
    type Target = [u64];

    fn deref(&self) -> &[u64] {
        &self.buffer[..self.len]
    }
}

impl DerefMut for Scratch<'_> {
    fn deref_mut(&mut self) -> &mut [u64] {
        &mut self.buffer[..self.len]
    }
}

impl Drop for Scratch<'_> {
    fn drop(&mut self) {
        self.pool.give_back(core::mem::take(&mut self.buffer));
    }
}
