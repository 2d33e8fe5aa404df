//! Word buffers aligned to cache lines, and pools that keep them for reuse.

mod pool;

use alloc::vec::Vec;
use core::fmt;
use core::ops::{Deref, DerefMut};

use bytemuck::{Pod, Zeroable};
use zeroize::Zeroize;

pub use pool::BufferPool;

/// One cache line of eight words, which is also one AVX-512 vector.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C, align(64))]
struct Line([u64; 8]);

/// A number of `u64` words that starts on a 64-byte boundary.
///
/// It derefs to a slice. Polynomials in RNS form are such buffers, limb-major: residue `j` of coefficient `i` is word
/// `j·n + i`. A buffer from a [`BufferPool`] goes back to it when it is dropped, and its clones come from it.
#[derive(Default)]
pub struct Buffer {
    /// At least `len` words; what is past them has no meaning.
    lines: Vec<Line>,
    len: usize,
    pool: Option<BufferPool>,
}

impl Buffer {
    /// A buffer of `len` zero words.
    pub fn zeroed(len: usize) -> Self {
        Self { lines: bytemuck::zeroed_vec(len.div_ceil(8)), len, pool: None }
    }

    /// A copy of `words`.
    pub fn from_slice(words: &[u64]) -> Self {
        let mut buffer = Self::zeroed(words.len());
        buffer.copy_from_slice(words);
        buffer
    }

    /// Changes the length; new words are zero, and words past the new length are forgotten.
    pub fn resize(&mut self, len: usize) {
        let kept = self.len.min(len);
        if len.div_ceil(8) > self.lines.len() {
            let mut larger = self.sibling(len);
            larger[..kept].copy_from_slice(&self[..kept]);
            *self = larger;
        }
        self.len = len;
        self[kept..].fill(0);
    }

    /// Makes all words zero, those past the length included, in a way that the compiler keeps: for secrets.
    pub fn wipe(&mut self) {
        self.lines.fill(Line::zeroed());
        zeroize::optimization_barrier(self.lines.as_slice());
    }

    /// The words as the bits of doubles.
    pub fn as_doubles(&self) -> &[f64] {
        bytemuck::cast_slice(self)
    }

    /// The words as the bits of doubles, to be written.
    pub fn as_doubles_mut(&mut self) -> &mut [f64] {
        bytemuck::cast_slice_mut(self)
    }

    /// The memory of the words as twice as many numbers of 32 bits.
    pub fn as_u32s(&self) -> &[u32] {
        bytemuck::cast_slice(self)
    }

    /// [`as_u32s`](Self::as_u32s), to be written.
    pub fn as_u32s_mut(&mut self) -> &mut [u32] {
        bytemuck::cast_slice_mut(self)
    }

    /// `len` words of unspecified contents, from the same pool if any.
    fn sibling(&self, len: usize) -> Self {
        match &self.pool {
            Some(pool) => pool.take(len),
            None => Self::zeroed(len),
        }
    }
}

impl Clone for Buffer {
    fn clone(&self) -> Self {
        let mut clone = self.sibling(self.len);
        clone.copy_from_slice(self);
        clone
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        if let Some(pool) = self.pool.take() {
            pool.give_back(core::mem::take(&mut self.lines));
        }
    }
}

impl Deref for Buffer {
    type Target = [u64];

    #[inline]
    fn deref(&self) -> &[u64] {
        &bytemuck::cast_slice(&self.lines)[..self.len]
    }
}

impl DerefMut for Buffer {
    #[inline]
    fn deref_mut(&mut self) -> &mut [u64] {
        &mut bytemuck::cast_slice_mut(&mut self.lines)[..self.len]
    }
}

impl PartialEq for Buffer {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl Eq for Buffer {}

/// [Wipes](Buffer::wipe) the words and leaves an empty buffer.
impl Zeroize for Buffer {
    fn zeroize(&mut self) {
        self.wipe();
        self.len = 0;
    }
}

/// Shows the length only: a buffer may hold a secret.
impl fmt::Debug for Buffer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Buffer({} words)", self.len)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn starts_on_a_cache_line_and_keeps_its_length() {
        for len in [0, 1, 2, 7, 8, 9, 4096] {
            let buffer = Buffer::zeroed(len);
            assert_eq!(buffer.len(), len);
            assert_eq!(buffer.as_ptr().addr() % 64, 0);
        }
    }

    #[test]
    fn resize_shows_zeros_never_old_words() {
        let mut buffer = Buffer::from_slice(&[1, 2, 3, 4, 5]);
        buffer.resize(2);
        buffer.resize(6);
        assert_eq!(&*buffer, &[1, 2, 0, 0, 0, 0]);
        buffer.resize(20);
        assert_eq!(&buffer[..3], &[1, 2, 0]);
        assert!(buffer.len() == 20 && buffer[2..].iter().all(|&word| word == 0));
    }

    #[test]
    fn wiping_reaches_words_past_the_length() {
        let mut buffer = Buffer::from_slice(&[7; 40]);
        buffer.resize(3);
        buffer.zeroize();
        assert!(buffer.is_empty() && buffer.lines.iter().all(|line| line.0 == [0; 8]));
    }
}
