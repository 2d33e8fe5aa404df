//! Microsoft SEAL's files: every object of SEAL 4, read from versions 3.4 to 4.4 and written for 4.0 to 4.4.
//!
//! An object is a 16-byte [`Header`] and its members; members that are objects have headers of their own. All integers
//! are little-endian; polynomials are polynomial-major, then prime, then coefficient, each residue in a 64-bit word.
//! Only the outermost object is compressed. Fresh symmetric ciphertexts and keys are written in *seeded* form: in
//! place of the uniform polynomial stands the seed that it was expanded from.
//!
//! [`Save`] writes and [`Load`] reads; [`Parameters::load`](crate::Parameters::load) and [`Modulus::load`] need no
//! context. Loading always checks everything: the header and its size, the level, the form, each count and each word.
//! Where several objects follow each other in one reader, each load takes exactly its own bytes. [`inspect`] says what
//! a file is without a context.
//!
//! Memory: saving needs one chunk of 64 KiB. Loading needs the object and one chunk, and grows the object by at most a
//! factor of eight over what has arrived, so that a file that lies about its length costs nothing. Lists of keys, which can
//! be far longer than any other object, are refused past 64 MiB where they are more than 64 times as long as their
//! compressed form; real keys do not compress that much. Decompression adds its window, 32 KiB for zlib and at most 8 MiB
//! for zstd. Chunks are wiped after use; the compression libraries do not
//! wipe their own windows, so keep secret keys uncompressed where that matters.
//!
//! ```
//! use phoca_rlwe::seal::{Load, Save, SaveOptions};
//! use phoca_rlwe::{Context, KeyGenerator, Parameters, Scheme, SecretKey, SecurityLevel, coeff_modulus};
//!
//! let parameters = Parameters {
//!     scheme: Scheme::Ckks,
//!     degree: 4096,
//!     coeff_modulus: coeff_modulus::seal_default(4096, SecurityLevel::Bits128)?,
//!     plain_modulus: 0,
//! };
//! let mut file = Vec::new();
//! parameters.save(&mut file, &SaveOptions::default())?;
//!
//! let context = Parameters::load(&mut file.as_slice())?.build()?;
//! let secret_key = KeyGenerator::new(&context)?.secret_key().clone();
//! let mut file = Vec::new();
//! secret_key.save(&mut file, &SaveOptions::default())?;
//! assert_eq!(file.len(), 88 + 8 * 4096 * 3);
//! assert_eq!(SecretKey::load(&mut file.as_slice(), &context)?, secret_key);
//! # Ok::<(), phoca_rlwe::Error>(())
//! ```

mod compress;
mod error;
mod header;
mod inspect;
mod objects;
mod sink;
mod source;

use core::fmt;
use core::ops::Range;
use std::io::{Read, Write};

pub use error::{FileError, Location};
pub use header::Header;
pub use inspect::{CiphertextSummary, Contents, Inspection, KeySwitchKind, inspect};
pub use objects::Modulus;

use crate::context::Context;

/// How an object is compressed. The numbers are those of SEAL's files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Compression {
    /// Not at all.
    #[default]
    None = 0,
    /// One zlib stream (RFC 1950) at the default level; needs the feature `zlib`.
    Zlib = 1,
    /// One Zstandard frame (RFC 8878) at level 3, SEAL's own default; needs the feature `zstd`.
    Zstd = 2,
}

impl Compression {
    /// The compression with SEAL's number `byte`.
    pub const fn from_byte(byte: u8) -> Option<Self> {
        match byte {
            0 => Some(Self::None),
            1 => Some(Self::Zlib),
            2 => Some(Self::Zstd),
            _ => None,
        }
    }

    /// Whether this build has it.
    pub const fn is_available(self) -> bool {
        match self {
            Self::None => true,
            Self::Zlib => cfg!(feature = "zlib"),
            Self::Zstd => cfg!(feature = "zstd"),
        }
    }
}

impl fmt::Display for Compression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::None => "none",
            Self::Zlib => "zlib",
            Self::Zstd => "zstd",
        })
    }
}

/// The version of SEAL that a file is for.
///
/// SEAL 4.0 to 4.3, and so node-seal and TenSEAL, read files of exactly their own version, and 4.4 reads all. The
/// layouts are the same. SEAL 4.0 expects BGV ciphertexts in coefficient form: transform them with
/// [`Evaluator::from_ntt`](crate::Evaluator::from_ntt) before they are saved for it; loading brings them back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Version {
    /// SEAL 4.0.
    V4_0,
    /// SEAL 4.1, node-seal 5.1 to 7.0 and TenSEAL up to 0.3.16.
    #[default]
    V4_1,
    /// SEAL 4.3 and TenSEAL from 0.3.18.
    V4_3,
    /// SEAL 4.4.
    V4_4,
}

impl Version {
    /// Major and minor number.
    pub const fn numbers(self) -> (u8, u8) {
        match self {
            Self::V4_0 => (4, 0),
            Self::V4_1 => (4, 1),
            Self::V4_3 => (4, 3),
            Self::V4_4 => (4, 4),
        }
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (major, minor) = self.numbers();
        write!(f, "{major}.{minor}")
    }
}

/// Whether uniform polynomials are written as the seeds that they were expanded from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Seeding {
    /// As a seed wherever the seed is known: half the size. SEAL reads it as well.
    #[default]
    Keep,
    /// Always in full, as SEAL writes an object that it has loaded.
    Full,
}

/// How objects are written: uncompressed, for SEAL 4.1, with seeds where they are known, unless said otherwise.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct SaveOptions {
    /// How the object is compressed.
    pub compression: Compression,
    /// The version that the headers name.
    pub version: Version,
    /// Whether seeds stand for the polynomials expanded from them.
    pub seeding: Seeding,
}

/// Objects that can be written as SEAL's files.
pub trait Save: objects::Object {
    /// Writes the object and says how many bytes it took.
    ///
    /// The header, in front, holds the compressed size, so a compressed object is compressed twice: once to count and
    /// once to write. Write to a temporary file and rename it where a half-written file would do harm.
    ///
    /// # Errors
    ///
    /// [`FileError::Write`] where the writer fails; [`FileError::FeatureMissing`] where the compression is not built
    /// in.
    fn save(&self, mut writer: impl Write, options: &SaveOptions) -> Result<u64, FileError> {
        sink::save(self, &mut writer, options)
    }

    /// Writes those bytes of the uncompressed object that are in `range`, which may end past the last one: so that a large
    /// set of keys can go out in pieces, as a slow receiver asks for them. Bytes outside of the range cost next to nothing.
    ///
    /// ```
    /// use phoca_rlwe::seal::{Modulus, Save, SaveOptions};
    ///
    /// let options = SaveOptions::default();
    /// let (mut whole, mut pieces) = (Vec::new(), Vec::new());
    /// Modulus(65537).save(&mut whole, &options)?;
    /// for start in (0..24).step_by(10) {
    ///     Modulus(65537).save_range(&mut pieces, &options, start..start + 10)?;
    /// }
    /// assert_eq!(pieces, whole);
    /// # Ok::<(), phoca_rlwe::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`FileError::Write`] where the writer fails; [`FileError::RangeOfCompressed`] unless the options name no
    /// compression.
    fn save_range(&self, mut writer: impl Write, options: &SaveOptions, range: Range<u64>) -> Result<(), FileError> {
        match options.compression {
            Compression::None => sink::save_range(self, &mut writer, options, range),
            compression => Err(FileError::RangeOfCompressed { compression }),
        }
    }

    /// The bytes that the object takes uncompressed.
    fn saved_len(&self, options: &SaveOptions) -> u64 {
        Header::LEN + self.members_len(options)
    }
}

/// Objects that can be read from SEAL's files and belong to a context.
pub trait Load: objects::ContextObject {
    /// Reads one object and checks all of it against `context`.
    ///
    /// Not one byte after the object is read, and an error leaves the reader somewhere inside of it. The noise of a
    /// ciphertext is unknown afterwards.
    ///
    /// # Errors
    ///
    /// [`FileError`], which names the field.
    fn load(mut reader: impl Read, context: &Context) -> Result<Self, FileError> {
        source::load(&mut reader, Self::NAME, |source, header| Self::read_members(source, header, context))
    }
}

impl<T: objects::Object> Save for T {}
impl<T: objects::ContextObject> Load for T {}
