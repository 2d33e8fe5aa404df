//! Compressed bodies: one zlib stream or one Zstandard frame, in chunks.

#[cfg(all(feature = "zstd", not(target_family = "wasm")))]
mod zstd_c;
#[cfg(all(feature = "zstd", any(target_family = "wasm", test)))]
mod zstd_rust;

use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::cell::Cell;
use core::fmt;
use core::ops::Range;
use std::io::{self, Read, Write};

use zeroize::Zeroizing;

use super::{Compression, FileError};

#[cfg(all(feature = "zstd", not(target_family = "wasm")))]
use zstd_c as zstandard;
#[cfg(all(feature = "zstd", target_family = "wasm"))]
use zstd_rust as zstandard;

/// Bytes of one chunk of compressed input.
const CHUNK: usize = 1 << 16;
/// Frames with a larger window are refused, as by SEAL 4.4: it is memory that a few bytes can ask for.
#[cfg(feature = "zstd")]
const ZSTD_MAX_WINDOW_LOG: u32 = 23;

/// Writes a range of the bytes of a body.
type Body<'a> = &'a dyn Fn(&mut dyn Write, Range<u64>) -> Result<(), FileError>;

/// Writes the `len` bytes of `body`, compressed. Equal bodies give equal bytes.
pub(super) fn compress(
    compression: Compression,
    len: u64,
    writer: &mut dyn Write,
    body: Body<'_>,
) -> Result<(), FileError> {
    match compression {
        Compression::None => body(writer, 0..len),
        Compression::Zlib => zlib(writer, len, body),
        Compression::Zstd => zstd(writer, len, body),
    }
}

#[cfg(feature = "zlib")]
fn zlib(writer: &mut dyn Write, len: u64, body: Body<'_>) -> Result<(), FileError> {
    let mut encoder = flate2::write::ZlibEncoder::new(writer, flate2::Compression::default());
    body(&mut encoder, 0..len)?;
    encoder.finish()?;
    Ok(())
}

#[cfg(not(feature = "zlib"))]
fn zlib(_writer: &mut dyn Write, _len: u64, _body: Body<'_>) -> Result<(), FileError> {
    Err(missing(Compression::Zlib))
}

#[cfg(feature = "zstd")]
fn zstd(writer: &mut dyn Write, len: u64, body: Body<'_>) -> Result<(), FileError> {
    zstandard::compress(writer, len, body)
}

#[cfg(not(feature = "zstd"))]
fn zstd(_writer: &mut dyn Write, _len: u64, _body: Body<'_>) -> Result<(), FileError> {
    Err(missing(Compression::Zstd))
}

#[cfg(not(all(feature = "zlib", feature = "zstd")))]
fn missing(compression: Compression) -> FileError {
    FileError::FeatureMissing { compression }
}

/// Reads the stream in the next `limit` bytes of a reader, and not one byte more.
pub(super) struct Decompressor<'a> {
    reader: &'a mut dyn Read,
    /// Bytes of the body that are still in `reader`.
    limit: u64,
    /// Bytes of the body that were taken.
    fetched: &'a Cell<u64>,
    chunk: Zeroizing<Vec<u8>>,
    used: usize,
    codec: Codec,
    ended: bool,
}

impl<'a> Decompressor<'a> {
    /// `fetched` counts the bytes of the body that were taken.
    pub(super) fn new(
        compression: Compression,
        reader: &'a mut dyn Read,
        limit: u64,
        fetched: &'a Cell<u64>,
    ) -> Result<Self, FileError> {
        Ok(Self {
            reader,
            limit,
            fetched,
            chunk: Zeroizing::new(Vec::with_capacity(limit.min(CHUNK as u64) as usize)),
            used: 0,
            codec: Codec::new(compression)?,
            ended: false,
        })
    }

    /// Skips what follows the stream inside of the body.
    pub(super) fn skip_rest(&mut self) -> io::Result<()> {
        while self.limit > 0 {
            self.refill()?;
        }
        Ok(())
    }

    /// Takes a new chunk, unless the body is used up.
    fn refill(&mut self) -> io::Result<()> {
        self.used = 0;
        self.chunk.clear();
        let len = self.limit.min(self.chunk.capacity() as u64) as usize;
        if len == 0 {
            return Ok(());
        }
        self.chunk.resize(len, 0);
        let read = read_some(self.reader, &mut self.chunk)?;
        self.chunk.truncate(read);
        self.limit -= read as u64;
        self.fetched.set(self.fetched.get() + read as u64);
        match read {
            0 => Err(io::ErrorKind::UnexpectedEof.into()),
            _ => Ok(()),
        }
    }
}

impl Read for Decompressor<'_> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        while !self.ended && !out.is_empty() {
            if self.used == self.chunk.len() {
                self.refill()?;
            }
            let step = self.codec.run(&self.chunk[self.used..], out)?;
            self.used += step.consumed;
            self.ended = step.ended;
            if step.produced > 0 {
                return Ok(step.produced);
            }
            if step.consumed == 0 && !step.ended {
                return match self.chunk.is_empty() {
                    true => Err(io::ErrorKind::UnexpectedEof.into()),
                    false => Err(Corrupt::error("it makes no progress")),
                };
            }
        }
        Ok(0)
    }
}

/// One read that is not interrupted.
pub(super) fn read_some(reader: &mut dyn Read, out: &mut [u8]) -> io::Result<usize> {
    loop {
        match reader.read(out) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            // A reader that claims more than it was given breaks its contract; do not follow it out of bounds.
            result => return result.map(|read| read.min(out.len())),
        }
    }
}

/// What a decompressor did in one step.
struct Step {
    consumed: usize,
    produced: usize,
    ended: bool,
}

enum Codec {
    #[cfg(feature = "zlib")]
    Zlib(flate2::Decompress),
    #[cfg(feature = "zstd")]
    Zstd(zstandard::Decoder),
    /// No stream at all: an end at once.
    #[allow(dead_code, reason = "only without compression, whose bodies are read directly")]
    Empty,
}

impl Codec {
    fn new(compression: Compression) -> Result<Self, FileError> {
        match compression {
            Compression::None => Ok(Self::Empty),
            #[cfg(feature = "zlib")]
            Compression::Zlib => Ok(Self::Zlib(flate2::Decompress::new(true))),
            #[cfg(feature = "zstd")]
            Compression::Zstd => Ok(Self::Zstd(zstandard::Decoder::new()?)),
            #[cfg(not(all(feature = "zlib", feature = "zstd")))]
            _ => Err(missing(compression)),
        }
    }

    #[cfg_attr(not(any(feature = "zlib", feature = "zstd")), allow(unused_variables))]
    fn run(&mut self, input: &[u8], out: &mut [u8]) -> io::Result<Step> {
        match self {
            #[cfg(feature = "zlib")]
            Self::Zlib(decoder) => {
                let before = (decoder.total_in(), decoder.total_out());
                let status = decoder.decompress(input, out, flate2::FlushDecompress::None).map_err(Corrupt::error)?;
                Ok(Step {
                    consumed: (decoder.total_in() - before.0) as usize,
                    produced: (decoder.total_out() - before.1) as usize,
                    ended: status == flate2::Status::StreamEnd,
                })
            }
            #[cfg(feature = "zstd")]
            Self::Zstd(decoder) => decoder.run(input, out),
            Self::Empty => Ok(Step { consumed: 0, produced: 0, ended: true }),
        }
    }
}

/// A stream that is not what its method says; travels inside of an [`io::Error`].
#[derive(Debug)]
pub(super) struct Corrupt(pub(super) String);

impl Corrupt {
    fn error(cause: impl ToString) -> io::Error {
        io::Error::new(io::ErrorKind::InvalidData, Self(cause.to_string()))
    }
}

impl fmt::Display for Corrupt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl core::error::Error for Corrupt {}
