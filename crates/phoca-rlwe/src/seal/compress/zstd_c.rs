//! Zstandard by its C library.

use std::io::{self, Write};

use zstd::stream::raw::{DParameter, InBuffer, Operation, OutBuffer};

use super::{Body, Corrupt, Step, ZSTD_MAX_WINDOW_LOG};
use crate::seal::FileError;

/// SEAL's level.
const LEVEL: i32 = 3;

/// Writes the `len` bytes of `body` as one frame.
pub(super) fn compress(writer: &mut dyn Write, len: u64, body: Body<'_>) -> Result<(), FileError> {
    let mut encoder = zstd::stream::write::Encoder::new(writer, LEVEL)?;
    encoder.set_pledged_src_size(Some(len))?;
    encoder.include_contentsize(true)?;
    encoder.include_checksum(false)?;
    body(&mut encoder, 0..len)?;
    encoder.finish()?;
    Ok(())
}

pub(super) struct Decoder(zstd::stream::raw::Decoder<'static>);

impl Decoder {
    pub(super) fn new() -> io::Result<Self> {
        let mut decoder = zstd::stream::raw::Decoder::new()?;
        decoder.set_parameter(DParameter::WindowLogMax(ZSTD_MAX_WINDOW_LOG))?;
        Ok(Self(decoder))
    }

    pub(super) fn run(&mut self, input: &[u8], out: &mut [u8]) -> io::Result<Step> {
        let mut input = InBuffer::around(input);
        let mut out = OutBuffer::around(out);
        let missing = self.0.run(&mut input, &mut out).map_err(Corrupt::error)?;
        Ok(Step { consumed: input.pos(), produced: out.pos(), ended: missing == 0 })
    }
}
