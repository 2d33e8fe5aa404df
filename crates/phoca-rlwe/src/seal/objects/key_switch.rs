//! Relinearization and Galois keys: mostly empty lists of public keys.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use std::io::Read;

use super::{ContextObject, Object, key_level};
use crate::ciphertext::SIZE_RANGE;
use crate::context::Context;
use crate::keys::{GaloisKeys, KeySwitchKey, KeySwitchKeys, PublicKey, RelinKeys};
use crate::seal::sink::Sink;
use crate::seal::source::{self, Source};
use crate::seal::{FileError, Header, SaveOptions};

/// The largest ciphertext has 16 polynomials; keys bring 3 to 16 of them back to 2.
pub(in crate::seal) const MAX_RELIN_KEYS: usize = *SIZE_RANGE.end() - 2;

fn members_len(keys: &KeySwitchKeys, options: &SaveOptions) -> u64 {
    let digits = keys.keys.values().flat_map(|key| &key.digits);
    let digits: u64 = digits.map(|digit| Header::LEN + digit.members_len(options)).sum();
    32 + 8 + 8 * keys.outer_count as u64 + digits
}

fn write_members(keys: &KeySwitchKeys, sink: &mut Sink<'_>) -> Result<(), FileError> {
    sink.parms_id(keys.parms_id)?;
    sink.u64(keys.outer_count as u64)?;
    for entry in 0..keys.outer_count {
        let digits = keys.keys.get(&entry).map_or(&[][..], |key| &key.digits);
        sink.u64(digits.len() as u64)?;
        for digit in digits {
            sink.nested(digit)?;
        }
    }
    Ok(())
}

/// Keys with at most `most` entries, each empty or with one digit for each data prime. All are checked, and those that are
/// wanted are kept.
fn read_members(
    source: &mut Source<'_>,
    context: &Context,
    object: &'static str,
    most: usize,
    wanted: impl Fn(usize) -> bool,
) -> Result<KeySwitchKeys, FileError> {
    if !context.supports_key_switching() {
        return Err(FileError::KeySwitchingUnsupported { object });
    }
    let at = source.at("parms_id");
    let parms_id = source.parms_id()?;
    key_level(context, parms_id, at)?;
    let outer_count = source.at_most("outer count", most)?;
    let digit_count = context.first_level().prime_count();
    let mut keys = BTreeMap::new();
    for entry in 0..outer_count {
        let at = source.at("inner count");
        match source.u64("inner count")? {
            0 => {}
            got if got == digit_count as u64 => {
                if let Some(key) = read_key(source, context, entry, digit_count, wanted(entry))? {
                    keys.insert(entry, key);
                }
            }
            got => {
                let expected = alloc::format!("0, or {digit_count}: one digit for each data prime");
                return Err(FileError::Count { at, expected, got });
            }
        }
    }
    Ok(KeySwitchKeys { parms_id, outer_count, keys })
}

fn read_key(
    source: &mut Source<'_>,
    context: &Context,
    entry: usize,
    digit_count: usize,
    wanted: bool,
) -> Result<Option<KeySwitchKey>, FileError> {
    let mut digits = Vec::new();
    for digit in 0..digit_count {
        source.set_entry(Some((entry, digit)));
        let digit =
            source.nested(PublicKey::NAME, |source, header| PublicKey::read_members(source, header, context))?;
        digits.extend(wanted.then_some(digit));
        source.check_inflation()?;
    }
    source.set_entry(None);
    Ok(wanted.then(|| KeySwitchKey::new(digits)))
}

impl Object for RelinKeys {
    const NAME: &'static str = "relinearization keys";

    fn members_len(&self, options: &SaveOptions) -> u64 {
        members_len(&self.0, options)
    }

    fn write_members(&self, sink: &mut Sink<'_>) -> Result<(), FileError> {
        write_members(&self.0, sink)
    }
}

impl ContextObject for RelinKeys {
    fn read_members(source: &mut Source<'_>, _header: &Header, context: &Context) -> Result<Self, FileError> {
        read_members(source, context, Self::NAME, MAX_RELIN_KEYS, |_| true).map(Self)
    }
}

impl Object for GaloisKeys {
    const NAME: &'static str = "Galois keys";

    fn members_len(&self, options: &SaveOptions) -> u64 {
        members_len(&self.0, options)
    }

    fn write_members(&self, sink: &mut Sink<'_>) -> Result<(), FileError> {
        write_members(&self.0, sink)
    }
}

impl ContextObject for GaloisKeys {
    fn read_members(source: &mut Source<'_>, _header: &Header, context: &Context) -> Result<Self, FileError> {
        read_members(source, context, Self::NAME, context.degree(), |_| true).map(Self)
    }
}

impl GaloisKeys {
    /// Reads the keys of some Galois elements and skips the others, so that a large set takes the memory of those that are
    /// needed. Elements that the file lacks are not there: [`has_key`](Self::has_key) tells.
    ///
    /// The whole file is checked, as by [`Load::load`](crate::seal::Load::load).
    ///
    /// # Errors
    ///
    /// As [`Load::load`](crate::seal::Load::load).
    pub fn load_elements(mut reader: impl Read, context: &Context, elements: &[u64]) -> Result<Self, FileError> {
        let wanted = |entry: usize| elements.contains(&(2 * entry as u64 + 1));
        source::load(&mut reader, Self::NAME, |source, _| {
            read_members(source, context, Self::NAME, context.degree(), wanted).map(Self)
        })
    }
}
