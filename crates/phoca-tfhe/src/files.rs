//! Files of keys and ciphertexts.
//!
//! A file is a header and a payload, all little-endian:
//!
//! | bytes | content |
//! |---|---|
//! | 8 | `PHOCTFHE` |
//! | 2 | the version of the format, 1 |
//! | 2 | the kind of object ([`Kind`]) |
//! | 4 | zero |
//! | 8 | the length of the payload |
//!
//! The payload of a key starts with its parameter set; ciphertexts are checked against the set that the caller expects. Loading
//! checks everything: the length of the payload follows from what it says of itself and is compared with a limit before memory is
//! taken, which then grows with what is really read. Server keys are stored in their seeded form.
//!
//! ```
//! use phoca_tfhe::files::{Limits, load, save};
//! use phoca_tfhe::params::MESSAGE_2_CARRY_2;
//! use phoca_tfhe::shortint::{Ciphertext, ClientKey};
//!
//! let key = ClientKey::generate(MESSAGE_2_CARRY_2)?;
//! let mut bytes = Vec::new();
//! save(&key.encrypt(3)?, &mut bytes)?;
//! let back: Ciphertext = load(bytes.as_slice(), &Limits::for_set(&MESSAGE_2_CARRY_2))?;
//! assert_eq!(key.decrypt(&back)?, 3);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use alloc::string::String;
use std::io::{self, Read, Write};

use crate::params::Parameters;

mod objects;
mod set;
mod stream;

pub use objects::Stored;
use stream::{Sink, Source};

const MAGIC: [u8; 8] = *b"PHOCTFHE";
const VERSION: u16 = 1;

/// What a file holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u16)]
#[non_exhaustive]
pub enum Kind {
    /// The secret keys of a client.
    SecretKeys = 1,
    /// A seeded server key.
    ServerKey = 2,
    /// A short integer.
    ShortInteger = 3,
    /// A fresh short integer with a seed for its mask.
    SeededShortInteger = 4,
    /// An integer of several blocks.
    Integer = 5,
    /// A boolean.
    Boolean = 6,
}

/// What may be loaded.
#[derive(Clone, Copy, Debug)]
pub struct Limits<'a> {
    /// The parameter set that the object must be of; keys may be of any where there is none.
    pub set: Option<&'a Parameters>,
    /// The most bytes of payload.
    pub most_bytes: u64,
}

impl<'a> Limits<'a> {
    /// Objects of one parameter set, up to 1 GiB.
    pub const fn for_set(set: &'a Parameters) -> Self {
        Self { set: Some(set), most_bytes: 1 << 30 }
    }

    /// Keys of any parameter set, up to 1 GiB.
    pub const fn any_set() -> Self {
        Self { set: None, most_bytes: 1 << 30 }
    }
}

/// Why a file could not be read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FileError {
    /// It does not start as a file of this format.
    #[error("not a file of TFHE objects: it starts with {found:02x?}")]
    Magic {
        /// The first bytes.
        found: [u8; 8],
    },
    /// It is of a later version of the format.
    #[error("the file has version {found} of the format, this program reads version 1; use a newer program")]
    Version {
        /// The file's version.
        found: u16,
    },
    /// It holds another kind of object.
    #[error("expected a file of kind {expected:?} ({}), found kind {found}", *.expected as u16)]
    Kind {
        /// What was asked for.
        expected: Kind,
        /// What the file says.
        found: u16,
    },
    /// It is larger than allowed.
    #[error("the object has {bytes} bytes, more than the limit of {most}; raise the limit if you trust its source")]
    TooLarge {
        /// The bytes of the payload.
        bytes: u64,
        /// The limit.
        most: u64,
    },
    /// Its parameter set is not the expected one.
    #[error("the object is not of the parameter set {expected}: {what}")]
    Set {
        /// The name of the expected set.
        expected: String,
        /// What differs.
        what: &'static str,
    },
    /// A ciphertext was to be loaded without a set to check it against.
    #[error("ciphertexts are checked against a parameter set; give one in the limits")]
    NoSet,
    /// A value is out of its range.
    #[error("the file is damaged: {what}")]
    Damaged {
        /// Which value.
        what: &'static str,
    },
    /// Reading or writing failed, or the file ended early.
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// Writes an object.
///
/// # Errors
///
/// [`FileError::Io`] where the writer fails.
pub fn save<T: Stored>(object: &T, writer: impl Write) -> Result<(), FileError> {
    let mut sink = Sink::new(writer);
    sink.bytes(&MAGIC)?;
    sink.u16(VERSION)?;
    sink.u16(T::KIND as u16)?;
    sink.u32(0)?;
    sink.u64(object.payload_len())?;
    object.write(&mut sink)?;
    sink.finish()
}

/// Reads an object. What follows it is left to the reader.
///
/// # Errors
///
/// A [`FileError`] that says what is wrong.
pub fn load<T: Stored>(reader: impl Read, limits: &Limits<'_>) -> Result<T, FileError> {
    let mut source = Source::new(reader);
    let found = source.array()?;
    if found != MAGIC {
        return Err(FileError::Magic { found });
    }
    match source.u16()? {
        VERSION => {}
        found => return Err(FileError::Version { found }),
    }
    let found = source.u16()?;
    if found != T::KIND as u16 {
        return Err(FileError::Kind { expected: T::KIND, found });
    }
    if source.u32()? != 0 {
        return Err(FileError::Damaged { what: "reserved bytes are not zero" });
    }
    let bytes = source.u64()?;
    if bytes > limits.most_bytes {
        return Err(FileError::TooLarge { bytes, most: limits.most_bytes });
    }
    source.start_payload(bytes);
    let object = T::read(&mut source, limits)?;
    match source.remaining() {
        0 => Ok(object),
        _ => Err(FileError::Damaged { what: "the payload is longer than its object" }),
    }
}
