//! Reading: members in chunks, inside of the bounds that the headers give.

use alloc::string::String;
use alloc::vec::Vec;
use core::cell::Cell;
use core::mem;
use std::io::{self, Read};

use phoca_ring::{Buffer, Modulus};
use zeroize::{Zeroize, Zeroizing};

use super::compress::{Corrupt, Decompressor, read_some};
use super::{Compression, FileError, Header, Location};

/// Bytes of one chunk.
const CHUNK: usize = 1 << 16;
/// Arrays of up to so many words are allocated before their words arrive.
const FREE_WORDS: usize = 1 << 17;
/// Longer ones are never allocated for more than so many times the words that have arrived.
const GROWTH: usize = 8;
/// Lists of keys of up to so many bytes may come from any compressed stream.
const FREE_LIST: u64 = 1 << 26;
/// Longer ones have at most so many bytes for each compressed one. Keys are uniform residues, and where a list is long its
/// primes have 10 bits or more of the 64 in a word.
const MAX_INFLATION: u64 = 64;

/// Reads one object, whose members `read` parses, and checks that it ends where its header says.
pub(super) fn load<T>(
    reader: &mut dyn Read,
    object: &'static str,
    read: impl FnOnce(&mut Source<'_>, &Header) -> Result<T, FileError>,
) -> Result<T, FileError> {
    let header = outer_header(reader, object)?;
    let body_len = header.size - Header::LEN;
    if header.compression == Compression::None {
        let mut source = Source::new(reader, object, header);
        source.unfetched = body_len;
        source.end = header.size;
        let value = read(&mut source, &header)?;
        source.close()?;
        return Ok(value);
    }
    let fetched = Cell::new(0);
    let mut body = Decompressor::new(header.compression, reader, body_len, &fetched)?;
    let mut source = Source::new(&mut body, object, header);
    source.fetched = Some(&fetched);
    let value = read(&mut source, &header)?;
    let at = source.at("end");
    if source.available(1)? > 0 {
        return Err(FileError::LongStream { at, compression: header.compression });
    }
    drop(source);
    body.skip_rest().map_err(|error| read_error(error, at, header.compression))?;
    Ok(value)
}

fn outer_header(reader: &mut dyn Read, object: &'static str) -> Result<Header, FileError> {
    let at = Location { object, entry: None, field: "header", offset: 0 };
    let mut bytes = [0; Header::LEN as usize];
    let mut filled = 0;
    while filled < bytes.len() {
        match read_some(reader, &mut bytes[filled..]) {
            Ok(0) => return Err(FileError::Truncated { at }),
            Ok(read) => filled += read,
            Err(error) => return Err(read_error(error, at, Compression::None)),
        }
    }
    Header::from_bytes(&bytes, at)
}

/// Where members come from. Its chunk, which may hold a secret, never moves and is wiped.
pub struct Source<'a> {
    reader: &'a mut dyn Read,
    /// Bytes of the outermost object that are still in `reader`; all there may be where it is compressed.
    unfetched: u64,
    /// Where the outermost object is compressed, bytes of it that were fetched.
    fetched: Option<&'a Cell<u64>>,
    chunk: Zeroizing<Vec<u8>>,
    used: usize,
    filled: usize,
    /// Bytes of the outermost object that were taken.
    offset: u64,
    /// Where the innermost object ends, and its size as its header says.
    end: u64,
    size: u64,
    object: &'static str,
    entry: Option<(u32, u32)>,
    compression: Compression,
}

impl<'a> Source<'a> {
    /// The members after a header, not bounded.
    fn new(reader: &'a mut dyn Read, object: &'static str, header: Header) -> Self {
        // A decompressor may give far more than it takes.
        let chunk = match header.compression {
            Compression::None => (header.size - Header::LEN).min(CHUNK as u64) as usize,
            _ => CHUNK,
        };
        Self {
            reader,
            unfetched: u64::MAX,
            fetched: None,
            chunk: Zeroizing::new(alloc::vec![0; chunk]),
            used: 0,
            filled: 0,
            offset: Header::LEN,
            end: u64::MAX,
            size: header.size,
            object,
            entry: None,
            compression: header.compression,
        }
    }

    /// This place, under the name of a field that starts here.
    pub(super) fn at(&self, field: &'static str) -> Location {
        Location { object: self.object, entry: self.entry, field, offset: self.offset }
    }

    /// Bytes of members so far, with the outermost header.
    pub(super) fn offset(&self) -> u64 {
        self.offset
    }

    /// Sets what errors call the outermost object, once that is known.
    pub(super) fn set_object(&mut self, object: &'static str) {
        self.object = object;
    }

    /// Sets where nested objects are, for errors.
    pub(super) fn set_entry(&mut self, entry: Option<(usize, usize)>) {
        // At most the largest degree and number of primes.
        self.entry = entry.map(|(entry, digit)| (entry as u32, digit as u32));
    }

    /// A nested object with its own header.
    pub(super) fn nested<T>(
        &mut self,
        object: &'static str,
        read: impl FnOnce(&mut Self, &Header) -> Result<T, FileError>,
    ) -> Result<T, FileError> {
        let outer_object = mem::replace(&mut self.object, object);
        let at = self.at("header");
        let mut bytes = [0; Header::LEN as usize];
        self.bytes("header", &mut bytes)?;
        let header = Header::from_bytes(&bytes, at)?;
        if header.compression != Compression::None {
            let cause = "only the outermost object may be compressed";
            return Err(FileError::Header { at, cause });
        }
        let end = at.offset.saturating_add(header.size);
        if end > self.end {
            return Err(FileError::Size {
                at,
                declared: header.size,
                cause: alloc::format!("the object around it has only {} left", self.end - at.offset),
            });
        }
        let outer_end = mem::replace(&mut self.end, end);
        let outer_size = mem::replace(&mut self.size, header.size);
        let value = read(self, &header)?;
        self.close()?;
        self.end = outer_end;
        self.size = outer_size;
        self.object = outer_object;
        Ok(value)
    }

    /// Checks that the innermost object ends here.
    fn close(&self) -> Result<(), FileError> {
        if self.offset == self.end {
            return Ok(());
        }
        Err(FileError::Size {
            at: self.at("end"),
            declared: self.size,
            cause: alloc::format!("the members take {}", self.size - (self.end - self.offset)),
        })
    }

    pub(super) fn u8(&mut self, field: &'static str) -> Result<u8, FileError> {
        let mut byte = [0];
        self.bytes(field, &mut byte)?;
        Ok(byte[0])
    }

    pub(super) fn u64(&mut self, field: &'static str) -> Result<u64, FileError> {
        let mut bytes = [0; 8];
        self.bytes(field, &mut bytes)?;
        Ok(u64::from_le_bytes(bytes))
    }

    pub(super) fn f64(&mut self, field: &'static str) -> Result<f64, FileError> {
        self.u64(field).map(f64::from_bits)
    }

    /// Fills `out`, which is at most a chunk of the largest size.
    pub(super) fn bytes(&mut self, field: &'static str, out: &mut [u8]) -> Result<(), FileError> {
        self.require(field, out.len() as u64)?;
        let mut filled = 0;
        while filled < out.len() {
            let len = self.available(1)?.min(out.len() - filled);
            if len == 0 {
                return Err(FileError::Truncated { at: self.at(field) });
            }
            out[filled..filled + len].copy_from_slice(&self.chunk[self.used..self.used + len]);
            self.used += len;
            self.offset += len as u64;
            filled += len;
        }
        Ok(())
    }

    /// Takes `len` bytes and forgets them.
    pub(super) fn skip(&mut self, field: &'static str, len: u64) -> Result<(), FileError> {
        self.require(field, len)?;
        let target = self.offset + len;
        while self.offset < target {
            let len = (target - self.offset).min(self.available(1)? as u64);
            if len == 0 {
                return Err(FileError::Truncated { at: self.at(field) });
            }
            self.used += len as usize;
            self.offset += len;
        }
        Ok(())
    }

    /// `count` words that are residues by `bounds`, in a buffer of `total` words, which grows as they arrive.
    ///
    /// Buffers that are outgrown, and the last one on failure, are wiped.
    pub(super) fn words(
        &mut self,
        field: &'static str,
        count: usize,
        total: usize,
        bounds: &Bounds<'_>,
    ) -> Result<Buffer, FileError> {
        self.require(field, 8 * count as u64)?;
        let at = self.at(field);
        let mut buffer = Zeroizing::new(Buffer::zeroed(first_len(total)));
        let mut index = 0;
        while index < count {
            if index == buffer.len() {
                let mut larger = Buffer::zeroed((index * GROWTH).min(total));
                larger[..index].copy_from_slice(&buffer);
                buffer.zeroize();
                *buffer = larger;
            }
            let words = (self.available(8)? / 8).min(count.min(buffer.len()) - index);
            if words == 0 {
                return Err(FileError::Truncated { at: self.at(field) });
            }
            let bytes = &self.chunk[self.used..self.used + 8 * words];
            let target = &mut buffer[index..index + words];
            for (word, bytes) in target.iter_mut().zip(bytes.as_chunks::<8>().0) {
                *word = u64::from_le_bytes(*bytes);
            }
            bounds.check(target, index, at)?;
            self.used += 8 * words;
            self.offset += 8 * words as u64;
            index += words;
        }
        if buffer.len() < total {
            // What follows the words that arrived is left to the caller.
            let mut larger = Buffer::zeroed(total);
            larger[..count].copy_from_slice(&buffer[..count]);
            buffer.zeroize();
            *buffer = larger;
        }
        Ok(mem::take(&mut *buffer))
    }

    /// Checks that what came so far is not far longer than its compressed form can be: for lists of keys, whose length
    /// no context bounds by what a few compressed bytes should be able to ask for.
    pub(super) fn check_inflation(&self) -> Result<(), FileError> {
        match self.fetched.map(Cell::get) {
            Some(fetched) if self.offset > FREE_LIST && self.offset / MAX_INFLATION > fetched => {
                Err(FileError::CorruptStream {
                    at: self.at("end"),
                    compression: self.compression,
                    cause: alloc::format!("{} bytes of keys do not compress to {fetched}", self.offset),
                })
            }
            _ => Ok(()),
        }
    }

    /// What comes next, up to `len` bytes, without taking it; fewer where the object is shorter.
    pub(super) fn peek(&mut self, len: usize) -> Result<&[u8], FileError> {
        let available = self.available(len.min(self.chunk.len()))?;
        Ok(&self.chunk[self.used..self.used + len.min(available)])
    }

    /// Whether `len` more bytes are inside of the innermost object.
    fn require(&self, field: &'static str, len: u64) -> Result<(), FileError> {
        if len <= self.end - self.offset {
            return Ok(());
        }
        Err(FileError::Size {
            at: self.at(field),
            declared: self.size,
            cause: String::from("that is before the end of this field"),
        })
    }

    /// Bytes in the chunk, after reading until there are `wanted`, which fit a chunk, or the source ends.
    fn available(&mut self, wanted: usize) -> Result<usize, FileError> {
        while self.filled - self.used < wanted {
            self.chunk.copy_within(self.used..self.filled, 0);
            self.filled -= self.used;
            self.used = 0;
            let room = self.chunk[self.filled..].len().min(self.unfetched.min(CHUNK as u64) as usize);
            if room == 0 {
                break;
            }
            let at = self.at("members");
            let read = read_some(self.reader, &mut self.chunk[self.filled..self.filled + room])
                .map_err(|error| read_error(error, at, self.compression))?;
            if read == 0 {
                break;
            }
            self.filled += read;
            self.unfetched -= read as u64;
        }
        Ok(self.filled - self.used)
    }
}

/// The first of the lengths through which a buffer of `total` words grows: `total` over a power of [`GROWTH`].
fn first_len(total: usize) -> usize {
    let mut len = total;
    while len > FREE_WORDS {
        len = len.div_ceil(GROWTH);
    }
    len
}

fn read_error(source: io::Error, at: Location, compression: Compression) -> FileError {
    if source.kind() == io::ErrorKind::UnexpectedEof {
        return FileError::Truncated { at };
    }
    match source.get_ref().and_then(|cause| cause.downcast_ref::<Corrupt>()) {
        Some(Corrupt(cause)) => FileError::CorruptStream { at, compression, cause: cause.clone() },
        None => FileError::Read { at, source },
    }
}

/// The modulus of each word of an array: `run` words for each, over and over.
pub(super) struct Bounds<'a> {
    pub(super) moduli: &'a [Modulus],
    pub(super) run: usize,
}

impl Bounds<'_> {
    /// Checks words that start at `index`. The time depends on where the array is wrong, not on words that are right.
    fn check(&self, words: &[u64], index: usize, at: Location) -> Result<(), FileError> {
        let mut done = 0;
        while done < words.len() {
            let position = index + done;
            let modulus = self.moduli[position / self.run % self.moduli.len()].value();
            let len = (self.run - position % self.run).min(words.len() - done);
            let piece = &words[done..done + len];
            if piece.iter().fold(false, |bad, &word| bad | (word >= modulus)) {
                let bad = piece.iter().take_while(|&&word| word < modulus).count();
                return Err(FileError::Word { at, index: (position + bad) as u64, modulus });
            }
            done += len;
        }
        Ok(())
    }
}
