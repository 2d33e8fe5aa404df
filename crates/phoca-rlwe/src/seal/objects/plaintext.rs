//! Plaintexts, and secret keys, which have the same layout.

use phoca_ring::Buffer;

use super::{ContextObject, Object, array_len, data_level, key_level};
use crate::context::{Context, Level};
use crate::keys::SecretKey;
use crate::params::{ParmsId, Scheme};
use crate::plaintext::Plaintext;
use crate::seal::sink::Sink;
use crate::seal::source::{Bounds, Source};
use crate::seal::{FileError, Header, SaveOptions};

/// `parms_id`, `coeff_count`, `scale` and an array.
fn members_len(words: usize) -> u64 {
    32 + 8 + 8 + array_len(words)
}

fn write_members(sink: &mut Sink<'_>, id: ParmsId, scale: f64, words: &[u64]) -> Result<(), FileError> {
    sink.parms_id(id)?;
    sink.u64(words.len() as u64)?;
    sink.f64(scale)?;
    sink.array(words)
}

/// The array after the other members, whose count is `count`.
fn read_array(source: &mut Source<'_>, count: usize, bounds: &Bounds<'_>) -> Result<Buffer, FileError> {
    source.nested("coefficient array", |source, _| {
        source.exactly("count", count)?;
        source.words("words", count, count, bounds)
    })
}

impl Object for Plaintext {
    const NAME: &'static str = "plaintext";

    fn members_len(&self, _options: &SaveOptions) -> u64 {
        members_len(self.data.len())
    }

    fn write_members(&self, sink: &mut Sink<'_>) -> Result<(), FileError> {
        write_members(sink, self.parms_id, self.scale, &self.data)
    }
}

impl ContextObject for Plaintext {
    fn read_members(source: &mut Source<'_>, _header: &Header, context: &Context) -> Result<Self, FileError> {
        let at = source.at("parms_id");
        let parms_id = source.parms_id()?;
        let (count, scale, data);
        if parms_id.is_zero() {
            // CKKS has no plaintexts in coefficient form but the empty one.
            let most = if context.scheme() == Scheme::Ckks { 0 } else { context.degree() };
            count = source.at_most("coeff_count", most)?;
            scale = source.scale(context.scheme())?;
            let plain = context.plain_ring().map(|plain| plain.modulus);
            data = read_array(source, count, &Bounds { moduli: plain.as_slice(), run: context.degree() })?;
        } else {
            let level = data_level(context, parms_id, at)?;
            (scale, data) = read_ntt(source, context, level)?;
        }
        Ok(Self { parms_id, scale, data, bound: None })
    }
}

/// The members after the id of a polynomial in NTT form at a level.
fn read_ntt(source: &mut Source<'_>, context: &Context, level: &Level) -> Result<(f64, Buffer), FileError> {
    let degree = context.degree();
    let count = degree * level.prime_count();
    source.exactly("coeff_count", count)?;
    let scale = source.scale(context.scheme())?;
    let bounds = Bounds { moduli: level.moduli(), run: degree };
    Ok((scale, read_array(source, count, &bounds)?))
}

impl Object for SecretKey {
    const NAME: &'static str = "secret key";

    fn members_len(&self, _options: &SaveOptions) -> u64 {
        members_len(self.data.len())
    }

    fn write_members(&self, sink: &mut Sink<'_>) -> Result<(), FileError> {
        write_members(sink, self.parms_id, 1.0, &self.data)
    }
}

impl ContextObject for SecretKey {
    fn read_members(source: &mut Source<'_>, _header: &Header, context: &Context) -> Result<Self, FileError> {
        let at = source.at("parms_id");
        let parms_id = source.parms_id()?;
        let level = key_level(context, parms_id, at)?;
        let (_, data) = read_ntt(source, context, level)?;
        Ok(Self { parms_id, data })
    }
}
