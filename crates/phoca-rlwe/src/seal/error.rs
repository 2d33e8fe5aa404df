//! What can be wrong with a file, and where.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use std::io;

use super::Compression;
use crate::error::{Detail, Details};
use crate::params::ParmsId;

/// A place in a file: the innermost object, its field, and how far in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Location {
    /// The innermost object.
    pub object: &'static str,
    /// For an object inside of key-switching keys: its entry and its digit, both from 0.
    pub entry: Option<(u32, u32)>,
    /// The field.
    pub field: &'static str,
    /// Bytes from the outermost object's first byte to the field; in a compressed object, after decompression.
    pub offset: u64,
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "field {} of the {}", self.field, self.object)?;
        if let Some((entry, digit)) = self.entry {
            write!(f, " at entry {entry}, digit {digit}")?;
        }
        write!(f, " (byte {})", self.offset)
    }
}

/// What is wrong with a file, or kept it from being read or written.
///
/// No variant holds words of the object, which may be a secret key.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FileError {
    /// A compressed stream is not what its method says.
    #[error("{at}: the {compression} stream is corrupt: {cause}")]
    CorruptStream {
        /// Where the object ended up when the stream failed.
        at: Location,
        /// The method.
        compression: Compression,
        /// What the decompressor says.
        cause: String,
    },
    /// A count does not fit the context or the rest of the object.
    #[error("{at}: it is {got}, but must be {expected}")]
    Count {
        /// Which count.
        at: Location,
        /// What it must be.
        expected: String,
        /// What it is.
        got: u64,
    },
    /// A compression method is not built in.
    #[error(
        "{compression} is not built in: build phoca-rlwe with its feature `{compression}`, or use another compression"
    )]
    FeatureMissing {
        /// The method, which is also the feature's name.
        compression: Compression,
    },
    /// A header is none.
    #[error("{at}: the header is invalid: {cause}")]
    Header {
        /// Which header.
        at: Location,
        /// What is wrong.
        cause: &'static str,
    },
    /// The context has no keys of this kind.
    #[error(
        "the {object} cannot be loaded: the context has one prime only, so that there is no key switching; use the \
         context that made them"
    )]
    KeySwitchingUnsupported {
        /// Relinearization or Galois keys.
        object: &'static str,
    },
    /// The object belongs to a level at which it may not be.
    #[error("{at}: level {got} (chain index), but the {} must be {expected}", at.object)]
    Level {
        /// Which id.
        at: Location,
        /// Where the object must be.
        expected: &'static str,
        /// The chain index of its level.
        got: usize,
    },
    /// The object is longer than its layout.
    #[error("{at}: the object ends here, but its {compression} stream goes on")]
    LongStream {
        /// The end of the object.
        at: Location,
        /// The method.
        compression: Compression,
    },
    /// A form is not the one that the object must be in.
    #[error("{at}: it is {got}, but must be {expected}")]
    NttForm {
        /// Which field.
        at: Location,
        /// The byte that the object must have.
        expected: &'static str,
        /// The byte that it has.
        got: u8,
    },
    /// The object belongs to other parameters.
    #[error(
        "{at}: {got} is none of the context's levels, whose first is {expected}; use the parameters that made the file"
    )]
    ParmsId {
        /// Which id.
        at: Location,
        /// The id of the context's key level.
        expected: Box<ParmsId>,
        /// The id in the file.
        got: Box<ParmsId>,
    },
    /// A range of a compressed object was asked for.
    #[error("a range of bytes can be written without compression only, not with {compression}")]
    RangeOfCompressed {
        /// The compression.
        compression: Compression,
    },
    /// Reading failed.
    #[error("{at}: cannot read: {source}")]
    Read {
        /// How far it went.
        at: Location,
        /// The cause.
        source: io::Error,
    },
    /// A scale is out of range.
    #[error("{at}: it is {got:e}, but must be {expected}")]
    Scale {
        /// Which scale.
        at: Location,
        /// What it must be.
        expected: &'static str,
        /// What it is.
        got: f64,
    },
    /// The size in a header is not the object's.
    #[error("{at}: the header says {declared} bytes, but {cause}")]
    Size {
        /// Which header, or where the object ended.
        at: Location,
        /// The size in the header.
        declared: u64,
        /// The other side.
        cause: String,
    },
    /// The file ends too early.
    #[error("{at}: the file ends inside of it; it was cut off")]
    Truncated {
        /// Where.
        at: Location,
    },
    /// A byte or word has no meaning.
    #[error("{at}: there is no {what} with number {got}; {expected}")]
    Unknown {
        /// Where.
        at: Location,
        /// What the number stands for.
        what: &'static str,
        /// Which numbers there are.
        expected: &'static str,
        /// The number.
        got: u64,
    },
    /// The version of SEAL that wrote the object is not supported, or this is no object of SEAL.
    #[error("{at}: {}", version_cause(*major, *minor, *has_magic))]
    Version {
        /// Which header.
        at: Location,
        /// The major version.
        major: u8,
        /// The minor version.
        minor: u8,
        /// Whether the header starts as SEAL's do.
        has_magic: bool,
    },
    /// A word is not a residue.
    #[error("{at}: word {index} is not below its modulus {modulus}; the file is damaged or for other parameters")]
    Word {
        /// Which words.
        at: Location,
        /// The index of the first bad one.
        index: u64,
        /// Its modulus.
        modulus: u64,
    },
    /// Writing failed.
    #[error("cannot write the object: {source}")]
    Write {
        /// The cause.
        #[from]
        source: io::Error,
    },
}

impl FileError {
    /// The variant's name and, where the fault has a place, the object, the field and the offset in bytes; for bindings and
    /// logs.
    pub fn details(&self) -> Details {
        let (cause, at) = match self {
            Self::CorruptStream { at, .. } => ("CorruptStream", Some(at)),
            Self::Count { at, .. } => ("Count", Some(at)),
            Self::FeatureMissing { .. } => ("FeatureMissing", None),
            Self::Header { at, .. } => ("Header", Some(at)),
            Self::KeySwitchingUnsupported { .. } => ("KeySwitchingUnsupported", None),
            Self::Level { at, .. } => ("Level", Some(at)),
            Self::LongStream { at, .. } => ("LongStream", Some(at)),
            Self::NttForm { at, .. } => ("NttForm", Some(at)),
            Self::ParmsId { at, .. } => ("ParmsId", Some(at)),
            Self::RangeOfCompressed { .. } => ("RangeOfCompressed", None),
            Self::Read { at, .. } => ("Read", Some(at)),
            Self::Scale { at, .. } => ("Scale", Some(at)),
            Self::Size { at, .. } => ("Size", Some(at)),
            Self::Truncated { at } => ("Truncated", Some(at)),
            Self::Unknown { at, .. } => ("Unknown", Some(at)),
            Self::Version { at, .. } => ("Version", Some(at)),
            Self::Word { at, .. } => ("Word", Some(at)),
            Self::Write { .. } => ("Write", None),
        };
        let place =
            at.map(|at| [("object", at.object.into()), ("field", at.field.into()), ("offset", at.offset.into())]);
        (cause, place.into_iter().flatten().collect::<Vec<(&'static str, Detail)>>())
    }
}

fn version_cause(major: u8, minor: u8, has_magic: bool) -> String {
    if has_magic {
        return alloc::format!(
            "incompatible version: it was written by SEAL {major}.{minor}, but 3.4 to 3.7 and 4.0 to 4.4 are read"
        );
    }
    String::from("this is not an object of SEAL, which starts with the bytes 5e a1 10")
}
