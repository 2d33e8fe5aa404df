//! A limit on what is read of an input, so that a device or a wrong file cannot fill the memory.

use std::io::{self, Read};

use thiserror::Error;

/// The most bytes of a binary input: 128 million values.
pub const MAX_BINARY: u64 = 1 << 30;
/// The most bytes of a text, whose values may take many times as much in memory.
pub const MAX_TEXT: u64 = 1 << 28;
/// The most bytes of one line of text: a row of a million columns.
pub const MAX_LINE: u64 = 1 << 24;

/// An input that is longer than what is read; within an [`io::Error`].
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum TooLong {
    /// Of the whole.
    #[error("the input is longer than {limit} bytes")]
    Input {
        /// The most bytes.
        limit: u64,
        /// What to do about it.
        advice: &'static str,
    },
    /// Of one line.
    #[error("a line of the input is longer than {limit} bytes")]
    Line {
        /// The most bytes.
        limit: u64,
    },
}

impl TooLong {
    /// Where an error of reading is this one.
    pub fn of(error: &io::Error) -> Option<Self> {
        error.get_ref()?.downcast_ref().copied()
    }
}

/// A reader that fails after so many bytes of all or of a line.
#[derive(Debug)]
pub struct Limited<R> {
    inner: R,
    limit: u64,
    advice: &'static str,
    left: u64,
    line_limit: Option<u64>,
    line: u64,
}

impl<R: Read> Limited<R> {
    /// At most `limit` bytes; `advice` says what to do where there are more.
    pub fn new(inner: R, limit: u64, advice: &'static str) -> Self {
        Self { inner, limit, advice, left: limit, line_limit: None, line: 0 }
    }

    /// And at most `limit` bytes between two line feeds.
    pub fn lines(self, limit: u64) -> Self {
        Self { line_limit: Some(limit), ..self }
    }

    /// Notes the bytes that belong to the last line.
    fn check_lines(&mut self, bytes: &[u8], limit: u64) -> Result<(), TooLong> {
        for (index, line) in bytes.split(|&byte| byte == b'\n').enumerate() {
            self.line = if index == 0 { self.line } else { 0 } + line.len() as u64;
            if self.line > limit {
                return Err(TooLong::Line { limit });
            }
        }
        Ok(())
    }
}

impl<R: Read> Read for Limited<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        let Self { limit, advice, .. } = *self;
        let left = self.left.checked_sub(count as u64);
        self.left = left.ok_or_else(|| io::Error::other(TooLong::Input { limit, advice }))?;
        if let Some(limit) = self.line_limit {
            self.check_lines(&buffer[..count], limit).map_err(io::Error::other)?;
        }
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ADVICE: &str = "read less";

    fn read(bytes: &[u8], limit: u64, line: Option<u64>) -> Result<usize, Option<TooLong>> {
        let reader = |inner: Box<dyn Read>| {
            let reader = Limited::new(inner, limit, ADVICE);
            let mut reader = if let Some(line) = line { reader.lines(line) } else { reader };
            reader.read_to_end(&mut Vec::new()).map_err(|error| TooLong::of(&error))
        };
        let whole = reader(Box::new(io::Cursor::new(bytes.to_vec())));
        let halves = bytes.split_at(bytes.len() / 2);
        let halves = io::Cursor::new(halves.0.to_vec()).chain(io::Cursor::new(halves.1.to_vec()));
        // Another cause of failure may be seen first.
        assert_eq!(whole.is_ok(), reader(Box::new(halves)).is_ok());
        whole
    }

    #[test]
    fn as_many_bytes_as_allowed_are_read() {
        assert_eq!(read(b"12345", 5, None), Ok(5));
        assert_eq!(read(b"123456", 5, None), Err(Some(TooLong::Input { limit: 5, advice: ADVICE })));
        assert_eq!(read(b"", 0, Some(0)), Ok(0));
    }

    #[test]
    fn lines_are_limited_on_their_own() {
        assert_eq!(read(b"123\n456\n\n789", 100, Some(3)), Ok(12));
        assert_eq!(read(b"123\n4567\n", 100, Some(3)), Err(Some(TooLong::Line { limit: 3 })));
        assert_eq!(read(b"123\n4567\n", 6, Some(3)), Err(Some(TooLong::Input { limit: 6, advice: ADVICE })));
    }
}
