//! The layouts of the objects: for each, its length, how it is written and how it is read.

mod ciphertext;
mod key_switch;
mod parameters;
mod plaintext;

pub use parameters::Modulus;

pub(super) use ciphertext::{read_ntt_form, read_size, skip_seed};
pub(super) use parameters::{read_modulus, read_parameters_head};

use alloc::boxed::Box;

use super::sink::Sink;
use super::source::Source;
use super::{FileError, Header, Location, SaveOptions};
use crate::context::{Context, Level};
use crate::params::{ParmsId, Scheme};

/// An object with a layout. Crate-private, so that the public traits are sealed.
pub trait Object {
    /// What errors call it.
    const NAME: &'static str;

    /// Bytes of the members, without the object's own header.
    fn members_len(&self, options: &SaveOptions) -> u64;

    /// Writes as many bytes as [`Object::members_len`] says.
    fn write_members(&self, sink: &mut Sink<'_>) -> Result<(), FileError>;
}

/// An object that belongs to a context.
pub trait ContextObject: Object + Sized {
    /// Reads and checks the members; the caller checks that they end where the header says.
    fn read_members(source: &mut Source<'_>, header: &Header, context: &Context) -> Result<Self, FileError>;
}

/// Bytes of an array of so many words with its header.
fn array_len(words: usize) -> u64 {
    Header::LEN + 8 + 8 * words as u64
}

impl Sink<'_> {
    fn parms_id(&mut self, id: ParmsId) -> Result<(), FileError> {
        id.0.iter().try_for_each(|&word| self.u64(word))
    }
}

impl Source<'_> {
    pub(super) fn parms_id(&mut self) -> Result<ParmsId, FileError> {
        let mut id = ParmsId::ZERO;
        for word in &mut id.0 {
            *word = self.u64("parms_id")?;
        }
        Ok(id)
    }

    /// A count that must be `expected`.
    pub(super) fn exactly(&mut self, field: &'static str, expected: usize) -> Result<(), FileError> {
        let at = self.at(field);
        let got = self.u64(field)?;
        match got == expected as u64 {
            true => Ok(()),
            false => Err(FileError::Count { at, expected: alloc::format!("{expected}"), got }),
        }
    }

    /// A count that may be at most `most`.
    pub(super) fn at_most(&mut self, field: &'static str, most: usize) -> Result<usize, FileError> {
        let at = self.at(field);
        let got = self.u64(field)?;
        match usize::try_from(got) {
            Ok(count) if count <= most => Ok(count),
            _ => Err(FileError::Count { at, expected: alloc::format!("at most {most}"), got }),
        }
    }

    /// A scale: 1 in BFV and BGV, any positive normal number in CKKS.
    fn scale(&mut self, scheme: Scheme) -> Result<f64, FileError> {
        let at = self.at("scale");
        let got = self.f64("scale")?;
        let (valid, expected) = match scheme {
            Scheme::Bfv | Scheme::Bgv => (got == 1.0, "exactly 1 in BFV and BGV"),
            Scheme::Ckks => (got.is_normal() && got > 0.0, "a positive normal number"),
        };
        match valid {
            true => Ok(got),
            false => Err(FileError::Scale { at, expected, got }),
        }
    }
}

/// The level with an id.
fn level(context: &Context, id: ParmsId, at: Location) -> Result<&Level, FileError> {
    context.level(id, at.object).map_err(|_| FileError::ParmsId {
        at,
        expected: Box::new(context.key_level().parms_id()),
        got: Box::new(id),
    })
}

/// The level of a ciphertext or plaintext: not the key level, unless it is the only one.
fn data_level(context: &Context, id: ParmsId, at: Location) -> Result<&Level, FileError> {
    let level = level(context, id, at)?;
    if level.chain_index() > context.first_level().chain_index() {
        return Err(FileError::Level {
            at,
            expected: "below the key level, which is for keys only",
            got: level.chain_index(),
        });
    }
    Ok(level)
}

/// The level of a key.
fn key_level(context: &Context, id: ParmsId, at: Location) -> Result<&Level, FileError> {
    let level = level(context, id, at)?;
    match level.parms_id() == context.key_level().parms_id() {
        true => Ok(level),
        false => {
            Err(FileError::Level { at, expected: "at the key level, which has all primes", got: level.chain_index() })
        }
    }
}
