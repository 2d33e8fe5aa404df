//! Writing: members in chunks, behind a header that knows their length.

use alloc::vec::Vec;
use core::ops::Range;
use std::io::{self, Write};

use zeroize::Zeroizing;

use super::compress;
use super::objects::Object;
use super::{Compression, FileError, Header, SaveOptions};

/// Bytes of one chunk.
const CHUNK: usize = 1 << 16;

/// Writes `object` with its header and says how many bytes that took.
pub(super) fn save(
    object: &(impl Object + ?Sized),
    writer: &mut dyn Write,
    options: &SaveOptions,
) -> Result<u64, FileError> {
    let members_len = object.members_len(options);
    let compressed = |writer: &mut dyn Write| {
        compress::compress(options.compression, members_len, writer, &|writer, range| {
            write_members(object, writer, options, range)
        })
    };
    let body_len = match options.compression {
        Compression::None => members_len,
        _ => {
            let mut counter = Counter(0);
            compressed(&mut counter)?;
            counter.0
        }
    };
    let size = Header::LEN + body_len;
    writer.write_all(&Header::to_bytes(options.version, options.compression, size))?;
    compressed(writer)?;
    writer.flush()?;
    Ok(size)
}

/// Writes those bytes of the uncompressed `object` with its header that are in `range`.
pub(super) fn save_range(
    object: &(impl Object + ?Sized),
    writer: &mut dyn Write,
    options: &SaveOptions,
    range: Range<u64>,
) -> Result<(), FileError> {
    let mut sink = Sink::new(writer, options, range);
    sink.header(object.members_len(options))?;
    object.write_members(&mut sink)?;
    sink.flush()
}

/// Writes those bytes of the members that are in `range`.
fn write_members(
    object: &(impl Object + ?Sized),
    writer: &mut dyn Write,
    options: &SaveOptions,
    range: Range<u64>,
) -> Result<(), FileError> {
    let mut sink = Sink::new(writer, options, range);
    object.write_members(&mut sink)?;
    sink.flush()
}

/// Where members go. Its chunk, which may hold a secret, never moves and is wiped.
pub struct Sink<'a> {
    writer: &'a mut dyn Write,
    chunk: Zeroizing<Vec<u8>>,
    /// Bytes before those in `chunk`.
    position: u64,
    /// The bytes that are written; the others are left out.
    range: Range<u64>,
    options: &'a SaveOptions,
}

impl<'a> Sink<'a> {
    fn new(writer: &'a mut dyn Write, options: &'a SaveOptions, range: Range<u64>) -> Self {
        Self { writer, chunk: Zeroizing::new(Vec::with_capacity(CHUNK)), position: 0, range, options }
    }
}

impl Sink<'_> {
    pub(super) fn options(&self) -> &SaveOptions {
        self.options
    }

    /// An object inside of the one that is written: always uncompressed.
    pub(super) fn nested(&mut self, object: &impl Object) -> Result<(), FileError> {
        self.header(object.members_len(self.options))?;
        object.write_members(self)
    }

    /// A nested object that is an array of words.
    pub(super) fn array(&mut self, words: &[u64]) -> Result<(), FileError> {
        self.header(8 + 8 * words.len() as u64)?;
        self.u64(words.len() as u64)?;
        for words in words.chunks(CHUNK / 8) {
            self.flush()?;
            let bytes = 8 * words.len() as u64;
            if self.clip(bytes).is_empty() {
                self.position += bytes;
                continue;
            }
            for word in words {
                self.chunk.extend_from_slice(&word.to_le_bytes());
            }
        }
        Ok(())
    }

    pub(super) fn header(&mut self, members_len: u64) -> Result<(), FileError> {
        let size = Header::LEN + members_len;
        self.bytes(&Header::to_bytes(self.options.version, Compression::None, size))
    }

    pub(super) fn u64(&mut self, value: u64) -> Result<(), FileError> {
        self.bytes(&value.to_le_bytes())
    }

    pub(super) fn f64(&mut self, value: f64) -> Result<(), FileError> {
        self.bytes(&value.to_le_bytes())
    }

    /// A few bytes: fewer than a chunk.
    pub(super) fn bytes(&mut self, bytes: &[u8]) -> Result<(), FileError> {
        self.reserve(bytes.len())?;
        self.chunk.extend_from_slice(bytes);
        Ok(())
    }

    /// Makes room for `len` bytes, at most a chunk, so that the chunk need not grow.
    fn reserve(&mut self, len: usize) -> Result<(), FileError> {
        match self.chunk.len() + len > CHUNK {
            true => self.flush(),
            false => Ok(()),
        }
    }

    /// The part of the next `len` bytes that is written; nothing of a range that ends before it starts.
    fn clip(&self, len: u64) -> Range<u64> {
        let within = |offset: u64| offset.saturating_sub(self.position).min(len);
        within(self.range.start)..within(self.range.end.max(self.range.start))
    }

    fn flush(&mut self) -> Result<(), FileError> {
        let len = self.chunk.len() as u64;
        let part = self.clip(len);
        self.writer.write_all(&self.chunk[part.start as usize..part.end as usize])?;
        self.position += len;
        self.chunk.clear();
        Ok(())
    }
}

/// Counts bytes and forgets them.
struct Counter(u64);

impl Write for Counter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += bytes.len() as u64;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::seal::{Save, Seeding};
    use crate::{Encryptor, KeyGenerator, Parameters, Scheme, Security};

    #[test]
    fn ranges_have_the_bytes_of_the_whole_file() {
        let parameters = Parameters {
            scheme: Scheme::Ckks,
            degree: 4096,
            coeff_modulus: vec![1_073_692_673, 1_073_643_521, 1_073_479_681],
            plain_modulus: 0,
        };
        let context = parameters.builder().security(Security::Insecure).build().unwrap();
        let generator = KeyGenerator::insecure_from_seed(&context, [1; 32]).unwrap();
        let encryptor = Encryptor::new(&context, generator.public_key().unwrap()).unwrap();
        let ciphertext = encryptor.encrypt_zero().unwrap();
        let keys = generator.relin_keys().unwrap();
        for seeding in [Seeding::Keep, Seeding::Full] {
            let options = SaveOptions { seeding, ..SaveOptions::default() };
            ranges_agree(&ciphertext, &options);
            ranges_agree(&keys, &options);
        }
    }

    fn ranges_agree(object: &impl Save, options: &SaveOptions) {
        let mut whole = Vec::new();
        object.save(&mut whole, options).unwrap();
        let len = whole.len() as u64;
        let chunk = CHUNK as u64;
        let near = |end: u64| [end.saturating_sub(1), end, end + 1];
        let marks: Vec<u64> =
            [0, 16, 48, 56, 120, 130, chunk, chunk + 130, 2 * chunk, len].into_iter().flat_map(near).collect();
        for &start in &marks {
            for &end in marks.iter().chain(&[u64::MAX]) {
                let mut part = Vec::new();
                object.save_range(&mut part, options, start..end).unwrap();
                let expected = start.min(len) as usize..end.min(len).max(start.min(len)) as usize;
                assert!(part == whole[expected], "bytes {start}..{end} of {len}");
            }
        }
    }
}
