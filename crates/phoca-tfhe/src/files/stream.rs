//! Numbers in streams of bytes.

use alloc::vec::Vec;
use std::io::{Read, Write};

use zeroize::Zeroize;

use super::FileError;

/// Words are read and written in pieces of so many bytes.
const PIECE: usize = 1 << 16;

/// Writes numbers. Its buffer is wiped, because some of them are secret.
pub struct Sink<W: Write> {
    writer: W,
    buffer: Vec<u8>,
}

impl<W: Write> Sink<W> {
    pub(super) fn new(writer: W) -> Self {
        Self { writer, buffer: Vec::with_capacity(PIECE) }
    }

    pub(super) fn bytes(&mut self, bytes: &[u8]) -> Result<(), FileError> {
        for piece in bytes.chunks(PIECE) {
            if self.buffer.len() + piece.len() > PIECE {
                self.flush()?;
            }
            self.buffer.extend_from_slice(piece);
        }
        Ok(())
    }

    pub(super) fn u8(&mut self, value: u8) -> Result<(), FileError> {
        self.bytes(&[value])
    }

    pub(super) fn u16(&mut self, value: u16) -> Result<(), FileError> {
        self.bytes(&value.to_le_bytes())
    }

    pub(super) fn u32(&mut self, value: u32) -> Result<(), FileError> {
        self.bytes(&value.to_le_bytes())
    }

    pub(super) fn u64(&mut self, value: u64) -> Result<(), FileError> {
        self.bytes(&value.to_le_bytes())
    }

    pub(super) fn words(&mut self, words: &[u64]) -> Result<(), FileError> {
        words.iter().try_for_each(|word| self.u64(*word))
    }

    pub(super) fn words32(&mut self, words: &[u32]) -> Result<(), FileError> {
        words.iter().try_for_each(|word| self.u32(*word))
    }

    pub(super) fn finish(mut self) -> Result<(), FileError> {
        self.flush()?;
        Ok(self.writer.flush()?)
    }

    fn flush(&mut self) -> Result<(), FileError> {
        self.writer.write_all(&self.buffer)?;
        self.buffer.zeroize();
        Ok(())
    }
}

impl<W: Write> Drop for Sink<W> {
    fn drop(&mut self) {
        self.buffer.zeroize();
    }
}

/// Reads numbers of a payload of known length.
pub struct Source<R: Read> {
    reader: R,
    remaining: u64,
}

impl<R: Read> Source<R> {
    /// A source of a header.
    pub(super) fn new(reader: R) -> Self {
        Self { reader, remaining: u64::MAX }
    }

    pub(super) fn start_payload(&mut self, bytes: u64) {
        self.remaining = bytes;
    }

    /// The bytes of the payload that were not read.
    pub(super) fn remaining(&self) -> u64 {
        self.remaining
    }

    pub(super) fn array<const N: usize>(&mut self) -> Result<[u8; N], FileError> {
        let mut bytes = [0; N];
        self.fill(&mut bytes)?;
        Ok(bytes)
    }

    pub(super) fn u8(&mut self) -> Result<u8, FileError> {
        Ok(u8::from_le_bytes(self.array()?))
    }

    pub(super) fn u16(&mut self) -> Result<u16, FileError> {
        Ok(u16::from_le_bytes(self.array()?))
    }

    pub(super) fn u32(&mut self) -> Result<u32, FileError> {
        Ok(u32::from_le_bytes(self.array()?))
    }

    pub(super) fn u64(&mut self) -> Result<u64, FileError> {
        Ok(u64::from_le_bytes(self.array()?))
    }

    /// So many words. Memory grows with what is there.
    pub(super) fn words(&mut self, count: usize) -> Result<Vec<u64>, FileError> {
        self.items(count, |bytes: [u8; 8]| u64::from_le_bytes(bytes))
    }

    pub(super) fn words32(&mut self, count: usize) -> Result<Vec<u32>, FileError> {
        self.items(count, |bytes: [u8; 4]| u32::from_le_bytes(bytes))
    }

    pub(super) fn bytes(&mut self, count: usize) -> Result<Vec<u8>, FileError> {
        self.items(count, |[byte]: [u8; 1]| byte)
    }

    fn items<T, const N: usize>(&mut self, count: usize, item: impl Fn([u8; N]) -> T) -> Result<Vec<T>, FileError> {
        if (count as u64).checked_mul(N as u64).is_none_or(|bytes| bytes > self.remaining) {
            return Err(FileError::Damaged { what: "the payload is shorter than its object" });
        }
        let mut items = Vec::new();
        let mut piece = alloc::vec![0; (count * N).min(PIECE / N * N)];
        while items.len() < count {
            let len = ((count - items.len()) * N).min(piece.len());
            self.fill(&mut piece[..len])?;
            items.extend(piece[..len].as_chunks::<N>().0.iter().map(|bytes| item(*bytes)));
        }
        piece.zeroize();
        Ok(items)
    }

    fn fill(&mut self, bytes: &mut [u8]) -> Result<(), FileError> {
        match self.remaining.checked_sub(bytes.len() as u64) {
            Some(remaining) => self.remaining = remaining,
            None => return Err(FileError::Damaged { what: "the payload is shorter than its object" }),
        }
        Ok(self.reader.read_exact(bytes)?)
    }
}
