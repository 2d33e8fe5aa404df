//! Word buffers aligned to cache lines.

use alloc::vec::Vec;
use core::fmt;
use core::ops::{Deref, DerefMut};

use bytemuck::{Pod, Zeroable};
use zeroize::Zeroize;

/// One cache line of eight words, which is also one AVX-512 vector.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C, align(64))]
struct Line([u64; 8]);

impl zeroize::DefaultIsZeroes for Line {}

impl Default for Line {
    fn default() -> Self {
        Self::zeroed()
    }
}

/// A fixed number of `u64` words that starts on a 64-byte boundary.
///
/// It derefs to a slice. Polynomials in RNS form are such buffers, limb-major: residue `j` of coefficient `i` is word
/// `j·n + i`.
#[derive(Clone, Default)]
pub struct Buffer {
    lines: Vec<Line>,
    len: usize,
}

impl Buffer {
    /// A buffer of `len` zero words.
    pub fn zeroed(len: usize) -> Self {
        Self { lines: bytemuck::zeroed_vec(len.div_ceil(8)), len }
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
        self.lines.resize(len.div_ceil(8), Line::zeroed());
        self.len = len;
        self[kept..].fill(0);
    }
}

impl Deref for Buffer {
    type Target = [u64];

    fn deref(&self) -> &[u64] {
        &bytemuck::cast_slice(&self.lines)[..self.len]
    }
}

impl DerefMut for Buffer {
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

impl Zeroize for Buffer {
    fn zeroize(&mut self) {
        self.lines.zeroize();
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
    }
}
