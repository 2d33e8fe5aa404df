//! TenSEAL's messages: protocol buffers around objects of Microsoft SEAL.
//!
//! A context is field 1, SEAL's parameters; field 2, a message of public key (1), a number of flags (2), the global
//! scale (3) and key-switching keys (4 and 5); field 3, a message of the secret key (1) and the encryption type (2).
//! A vector is field 1, the packed lengths of its parts; field 2, one ciphertext for each; and for CKKS field 3, the
//! scale. Found by reading the files of TenSEAL 0.3.18 under `data/seal/tenseal`.

use std::io::{BufRead, Read};

use phoca::seal;
use serde::Serialize;

use super::{FileReport, Format, KnownLevels, ObjectReport, SEAL_MAGIC};
use crate::error::{CliError, Result};

/// The most parts of a vector whose lengths are reported.
const MAX_PARTS_BYTES: u64 = 1 << 20;

/// What a message says beside its objects.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Extra {
    /// The scale: a context's global one, unless it is not set, or that of a CKKS vector.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scale: Option<f64>,
    /// Whether a context holds the secret key.
    pub has_secret_key: bool,
    /// The lengths of a vector's parts.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub lengths: Vec<u64>,
}

/// Whether bytes start as a context or a vector does: field 1, of bytes, with an object of SEAL in it or after it.
pub fn starts(start: &[u8]) -> bool {
    let Some((&0x0a, mut rest)) = start.split_first() else {
        return false;
    };
    let Ok(Some(len)) = varint(&mut rest) else {
        return false;
    };
    if rest.starts_with(&SEAL_MAGIC) {
        return true;
    }
    let after = usize::try_from(len).ok().and_then(|len| rest.get(len..));
    let Some((&0x12, mut rest)) = after.and_then(<[u8]>::split_first) else {
        return false;
    };
    matches!(varint(&mut rest), Ok(Some(_))) && rest.starts_with(&SEAL_MAGIC)
}

/// Reads a whole message.
pub fn inspect(mut reader: Box<dyn BufRead>, mut report: FileReport, levels: &mut KnownLevels) -> Result<FileReport> {
    let mut extra = Extra::default();
    let mut is_context = true;
    while let Some((field, value)) = next_field(&mut reader)? {
        match (field, value) {
            (1 | 2, Value::Bytes(len)) => {
                let mut part = (&mut reader).take(len);
                if part.fill_buf()?.starts_with(&SEAL_MAGIC) {
                    is_context &= field == 1;
                    report.add(ObjectReport::new(seal::inspect(&mut part)?, levels));
                } else if field == 1 {
                    is_context = false;
                    extra.lengths = packed(&mut part)?;
                } else {
                    keys(&mut part, &mut report, &mut extra, levels, false)?;
                }
                end(&mut part)?;
            }
            (3, Value::Bytes(len)) => {
                let mut part = (&mut reader).take(len);
                keys(&mut part, &mut report, &mut extra, levels, true)?;
                end(&mut part)?;
            }
            (3, Value::Double(scale)) => extra.scale = Some(scale),
            (_, value) => skip(&mut reader, value)?,
        }
    }
    report.format = if is_context { Format::TensealContext } else { Format::TensealVector };
    report.tenseal = Some(extra);
    Ok(report)
}

/// The public or secret part of a context.
fn keys(
    part: &mut impl BufRead,
    report: &mut FileReport,
    extra: &mut Extra,
    levels: &mut KnownLevels,
    secret: bool,
) -> Result<()> {
    while let Some((field, value)) = next_field(part)? {
        match value {
            Value::Bytes(len) => {
                let mut object = (&mut *part).take(len);
                if object.fill_buf()?.starts_with(&SEAL_MAGIC) {
                    let mut found = ObjectReport::new(seal::inspect(&mut object)?, levels);
                    if secret && field == 1 {
                        found.object = "secret key";
                        extra.has_secret_key = true;
                    }
                    report.add(found);
                }
                end(&mut object)?;
            }
            // TenSEAL writes −1 where no scale is set.
            Value::Double(scale) if field == 3 => extra.scale = Some(scale).filter(|&scale| scale > 0.0),
            value => skip(part, value)?,
        }
    }
    Ok(())
}

enum Value {
    Bytes(u64),
    Double(f64),
    Number,
    Word,
}

/// The next field's number and value; the bytes of a long value are still to be read.
fn next_field(reader: &mut impl Read) -> Result<Option<(u64, Value)>> {
    let Some(tag) = varint(reader)? else {
        return Ok(None);
    };
    let cut_off = || CliError::bad_file("the TenSEAL message ends inside of a field: it was cut off");
    let value = match tag & 7 {
        0 => varint(reader)?.map(|_| Value::Number).ok_or_else(cut_off)?,
        1 => {
            let mut bytes = [0; 8];
            reader.read_exact(&mut bytes).map_err(|_| cut_off())?;
            Value::Double(f64::from_le_bytes(bytes))
        }
        2 => varint(reader)?.map(Value::Bytes).ok_or_else(cut_off)?,
        5 => Value::Word,
        other => return Err(CliError::bad_file(format!("the TenSEAL message has a field of unknown type {other}"))),
    };
    Ok(Some((tag >> 3, value)))
}

/// An integer of seven bits a byte, lowest first; none at the end of the input.
fn varint(reader: &mut impl Read) -> Result<Option<u64>> {
    let mut value = 0_u64;
    for shift in (0..64).step_by(7) {
        let mut byte = [0];
        if reader.read(&mut byte)? == 0 {
            return match shift {
                0 => Ok(None),
                _ => Err(CliError::bad_file("the TenSEAL message ends inside of a number: it was cut off")),
            };
        }
        value |= u64::from(byte[0] & 0x7f) << shift;
        if byte[0] < 0x80 {
            return Ok(Some(value));
        }
    }
    Err(CliError::bad_file("a number of the TenSEAL message is longer than 64 bits"))
}

fn packed(part: &mut impl Read) -> Result<Vec<u64>> {
    let mut part = part.take(MAX_PARTS_BYTES);
    let mut numbers = Vec::new();
    while let Some(number) = varint(&mut part)? {
        numbers.push(number);
    }
    Ok(numbers)
}

fn skip(reader: &mut impl Read, value: Value) -> Result<()> {
    match value {
        Value::Bytes(len) => end(&mut reader.take(len)),
        Value::Word => end(&mut reader.take(4)),
        Value::Double(_) | Value::Number => Ok(()),
    }
}

/// Reads over the rest of a field, all of which must be there.
fn end<R: Read>(part: &mut std::io::Take<R>) -> Result<()> {
    std::io::copy(part, &mut std::io::sink())?;
    match part.limit() {
        0 => Ok(()),
        missing => Err(CliError::bad_file(format!("the TenSEAL message was cut off: {missing} bytes are missing"))),
    }
}
