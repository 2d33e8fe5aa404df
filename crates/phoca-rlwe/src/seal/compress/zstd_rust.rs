//! Zstandard in Rust, for WebAssembly, where its C library would need a C compiler of its own.
//!
//! The encoder is about as good as the C library's level 1; every reader of Zstandard reads its frames.

use alloc::vec::Vec;
use core::ops::Range;
use std::io::{self, Read, Write};

use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};
use ruzstd::encoding::{CompressionLevel, FrameCompressor};
use zeroize::Zeroizing;

use super::{Body, CHUNK, Corrupt, Step, ZSTD_MAX_WINDOW_LOG};
use crate::seal::FileError;

/// Bytes of the body that are made at once.
const PIECE: u64 = 1 << 17;
/// The most bytes of a frame's header: magic number, descriptor, window, dictionary, content size.
const MAX_HEADER: usize = 18;
/// Bytes of a block's header, and of the checksum after the last block.
const BLOCK_HEADER: usize = 3;
const CHECKSUM: usize = 4;
/// The most bytes of a block without its header, and with all around it.
const MAX_BLOCK: usize = 1 << 17;
const LONGEST_BLOCK: usize = BLOCK_HEADER + MAX_BLOCK + CHECKSUM;

/// Writes the `len` bytes of `body` as one frame.
pub(super) fn compress(writer: &mut dyn Write, len: u64, body: Body<'_>) -> Result<(), FileError> {
    let source = Pieces { body, rest: 0..len, piece: Zeroizing::new(Vec::new()), used: 0, error: None };
    let drain = Drain { writer, error: None };
    let mut encoder = FrameCompressor::new(CompressionLevel::Fastest);
    encoder.set_source(source);
    encoder.set_drain(drain);
    encoder.compress();
    if let Some(error) = encoder.take_source().and_then(|source| source.error) {
        return Err(error);
    }
    match encoder.take_drain().and_then(|drain| drain.error) {
        Some(source) => Err(FileError::Write { source }),
        None => Ok(()),
    }
}

/// The body as a reader. The encoder takes a failure for a bug and panics, so the first one is kept here and ends the body.
struct Pieces<'a> {
    body: Body<'a>,
    /// What is not in `piece` yet.
    rest: Range<u64>,
    piece: Zeroizing<Vec<u8>>,
    used: usize,
    error: Option<FileError>,
}

impl Read for Pieces<'_> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if self.used == self.piece.len() && !self.rest.is_empty() {
            let next = self.rest.start..(self.rest.start + PIECE).min(self.rest.end);
            self.rest.start = next.end;
            self.used = 0;
            self.piece.clear();
            self.piece.reserve_exact(PIECE as usize);
            if let Err(error) = (self.body)(&mut *self.piece, next) {
                self.rest.start = self.rest.end;
                self.piece.clear();
                self.error = Some(error);
            }
        }
        let read = (&self.piece[self.used..]).read(out)?;
        self.used += read;
        Ok(read)
    }
}

/// The writer, whose first failure is kept and ends the writing, since the encoder would panic.
struct Drain<'a> {
    writer: &'a mut dyn Write,
    error: Option<io::Error>,
}

impl Write for Drain<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.error.is_none() {
            self.error = self.writer.write_all(bytes).err();
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Takes a chunk of input where a block is not complete, and decodes one block at a time, so that a few bytes cannot ask for
/// much memory.
pub(super) struct Decoder {
    frame: FrameDecoder,
    started: bool,
    has_checksum: bool,
    /// Input that is not decoded yet, with what was decoded of it in front: less than a block and one chunk. It may hold a
    /// secret, so it never grows: that would leave a copy behind.
    pending: Zeroizing<Vec<u8>>,
    /// Bytes of `pending` that are decoded. To drop them with each block would take quadratic time where blocks are small.
    used: usize,
}

impl Decoder {
    pub(super) fn new() -> io::Result<Self> {
        let mut frame = FrameDecoder::new();
        frame.set_max_window_size(1 << ZSTD_MAX_WINDOW_LOG);
        let pending = Zeroizing::new(Vec::with_capacity(LONGEST_BLOCK + CHUNK));
        Ok(Self { frame, started: false, has_checksum: false, pending, used: 0 })
    }

    pub(super) fn run(&mut self, input: &[u8], out: &mut [u8]) -> io::Result<Step> {
        let (mut produced, mut consumed) = (0, 0);
        loop {
            if self.start()? {
                produced = self.frame.read(out)?;
                while produced == 0 && !self.frame.is_finished() {
                    let Some(len) = self.next_block()? else { break };
                    let block = &self.pending[self.used..self.used + len];
                    self.frame.decode_blocks(block, BlockDecodingStrategy::UptoBlocks(1)).map_err(Corrupt::error)?;
                    self.used += len;
                    produced = self.frame.read(out)?;
                }
            }
            let ended = self.started && self.frame.is_finished() && self.frame.can_collect() == 0;
            if produced > 0 || ended || consumed == input.len() || out.is_empty() {
                return Ok(Step { consumed, produced, ended });
            }
            consumed += self.take(&input[consumed..]);
        }
    }

    /// Takes input into the room that is there, which is a chunk at least, since no block is complete.
    fn take(&mut self, input: &[u8]) -> usize {
        self.pending.drain(..core::mem::take(&mut self.used));
        let len = input.len().min(self.pending.capacity() - self.pending.len());
        self.pending.extend_from_slice(&input[..len]);
        len
    }

    /// Reads the frame's header, if it is there.
    fn start(&mut self) -> io::Result<bool> {
        if self.started {
            return Ok(true);
        }
        let mut rest = self.pending.as_slice();
        match self.frame.init(&mut rest) {
            Ok(()) => {}
            // It may be incomplete yet.
            Err(_) if self.pending.len() < MAX_HEADER => return Ok(false),
            Err(error) => return Err(Corrupt::error(error)),
        }
        let len = self.pending.len() - rest.len();
        // Bit 2 of the descriptor, after the magic number.
        self.has_checksum = self.pending[4] & 4 != 0;
        self.used = len;
        self.started = true;
        Ok(true)
    }

    /// The length of the next block, with the checksum after the last one, if all of it is there.
    fn next_block(&self) -> io::Result<Option<usize>> {
        let pending = &self.pending[self.used..];
        let Some(header) = pending.first_chunk::<BLOCK_HEADER>() else { return Ok(None) };
        let header = u32::from_le_bytes([header[0], header[1], header[2], 0]);
        let (is_last, kind, size) = (header & 1 == 1, header >> 1 & 3, (header >> 3) as usize);
        if size > MAX_BLOCK {
            return Err(Corrupt::error("a block is too long"));
        }
        // A block of kind 1 is one byte, repeated.
        let content = if kind == 1 { 1 } else { size };
        let checksum = if is_last && self.has_checksum { CHECKSUM } else { 0 };
        let len = BLOCK_HEADER + content + checksum;
        Ok((len <= pending.len()).then_some(len))
    }
}

#[cfg(test)]
mod tests {
    use super::super::zstd_c;
    use super::*;

    /// Bodies of every kind: empty, short, incompressible, residues in 64-bit words, repeated.
    fn bodies() -> Vec<Vec<u8>> {
        let mut state = 1u64;
        let mut word = || {
            state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
            state >> 20
        };
        let random: Vec<u8> = (0..300_000).map(|_| word() as u8).collect();
        let residues: Vec<u8> = (0..60_000).flat_map(|_| (word() % 68_719_403_009).to_le_bytes()).collect();
        let repeated = [7; 500_000].to_vec();
        let mixed = [random.as_slice(), &repeated, &residues].concat();
        alloc::vec![Vec::new(), alloc::vec![1; 8], random, residues, repeated, mixed]
    }

    fn compressed(
        body: &[u8],
        compress: fn(&mut dyn Write, u64, Body<'_>) -> Result<(), FileError>,
    ) -> Result<Vec<u8>, FileError> {
        let mut frame = Vec::new();
        compress(&mut frame, body.len() as u64, &|writer, range| {
            Ok(writer.write_all(&body[range.start as usize..range.end as usize])?)
        })?;
        Ok(frame)
    }

    /// Decodes with so much input and so much room at once.
    fn decoded(
        frame: &[u8],
        [input, room]: [usize; 2],
        mut run: impl FnMut(&[u8], &mut [u8]) -> io::Result<Step>,
    ) -> io::Result<Vec<u8>> {
        let (mut body, mut out, mut used) = (Vec::new(), alloc::vec![0; room], 0);
        loop {
            let step = run(&frame[used..frame.len().min(used + input)], &mut out)?;
            used += step.consumed;
            body.extend_from_slice(&out[..step.produced]);
            if step.ended {
                return Ok(body);
            }
            if step.produced == 0 && used == frame.len() {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
        }
    }

    #[test]
    fn each_decoder_reads_each_encoder() {
        for body in bodies() {
            for compress in [compress, zstd_c::compress] {
                let frame = compressed(&body, compress).expect("memory takes every byte");
                for sizes in [[1 << 16, 1 << 12], [1000, 1 << 20], [7, 100]] {
                    let mut ours = Decoder::new().expect("without failure");
                    assert!(decoded(&frame, sizes, |input, out| ours.run(input, out)).is_ok_and(|got| got == body));
                    let mut theirs = zstd_c::Decoder::new().expect("memory is there");
                    assert!(decoded(&frame, sizes, |input, out| theirs.run(input, out)).is_ok_and(|got| got == body));
                }
            }
        }
    }

    #[test]
    fn checksums_are_passed_over() {
        let body = bodies().remove(3);
        let mut encoder = zstd::stream::write::Encoder::new(Vec::new(), 3).expect("memory is there");
        encoder.include_checksum(true).expect("zstd has checksums");
        encoder.write_all(&body).expect("memory takes every byte");
        let frame = encoder.finish().expect("memory takes every byte");
        let mut decoder = Decoder::new().expect("without failure");
        assert_eq!(decoded(&frame, [1000, 1000], |input, out| decoder.run(input, out)).expect("a valid frame"), body);
    }

    #[test]
    fn damaged_frames_are_errors_or_other_bytes_but_never_panics() {
        let body = bodies().remove(5);
        let frame = compressed(&body[250_000..400_000], zstd_c::compress).expect("memory takes every byte");
        for position in (0..frame.len()).step_by(97).chain(0..200) {
            let mut damaged = frame.clone();
            damaged[position] ^= 1 << (position % 8);
            let mut decoder = Decoder::new().expect("without failure");
            let _ = decoded(&damaged, [1 << 16, 1 << 16], |input, out| decoder.run(input, out));
            let mut decoder = Decoder::new().expect("without failure");
            let cut = decoded(&frame[..position], [1 << 16, 1 << 16], |input, out| decoder.run(input, out));
            assert!(cut.is_err(), "a frame cut at {position} ended");
        }
    }

    #[test]
    fn pending_input_never_grows() {
        // A window of 2^23 bytes, then blocks that are empty, and ones of one byte of content.
        let mut frame = alloc::vec![0x28, 0xb5, 0x2f, 0xfd, 0x00, 13 << 3];
        (0..200_000).for_each(|_| frame.extend([0, 0, 0]));
        (0..200_000).for_each(|index| frame.extend([1 << 3, 0, 0, index as u8]));
        frame.extend([1, 0, 0]);
        let mut decoder = Decoder::new().expect("without failure");
        let capacity = decoder.pending.capacity();
        let body = decoded(&frame, [1 << 20, 1 << 12], |input, out| decoder.run(input, out)).expect("a valid frame");
        assert!(body.iter().enumerate().all(|(index, &byte)| byte == index as u8) && body.len() == 200_000);
        assert_eq!(decoder.pending.capacity(), capacity);
        // The longest block may be waited for, a longer one not.
        for (size, is_error) in [(1_u32 << 17, false), ((1 << 17) + 1, true)] {
            let mut frame = alloc::vec![0x28, 0xb5, 0x2f, 0xfd, 0x00, 13 << 3];
            frame.extend(&(size << 3 | 1).to_le_bytes()[..3]);
            let mut decoder = Decoder::new().expect("without failure");
            assert_eq!(decoder.run(&frame, &mut [0]).is_err(), is_error);
            assert_eq!(decoder.pending.capacity(), capacity);
        }
    }

    #[test]
    fn large_windows_are_refused() {
        // A frame with a window of 2^24 bytes and no content.
        let frame = [0x28, 0xb5, 0x2f, 0xfd, 0x00, 14 << 3, 0x01, 0x00, 0x00];
        let run = |log: u8| {
            let mut frame = frame;
            frame[5] = (log - 10) << 3;
            let mut decoder = Decoder::new().expect("without failure");
            decoded(&frame, [100, 100], |input, out| decoder.run(input, out))
        };
        assert!(run(23).is_ok_and(|body| body.is_empty()));
        assert!(run(24).is_err());
    }

    #[test]
    fn failures_of_the_writer_and_of_the_body_come_back() {
        struct Full;
        impl Write for Full {
            fn write(&mut self, _: &[u8]) -> io::Result<usize> {
                Err(io::ErrorKind::StorageFull.into())
            }
            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        let body: Body<'_> = &|writer, _| Ok(writer.write_all(&[0; 10])?);
        let written = compress(&mut Full, 10, body);
        assert!(matches!(written, Err(FileError::Write { source }) if source.kind() == io::ErrorKind::StorageFull));
        let failing: Body<'_> = &|_, _| Err(FileError::Write { source: io::ErrorKind::Other.into() });
        assert!(compress(&mut Vec::new(), 10, failing).is_err());
    }
}
