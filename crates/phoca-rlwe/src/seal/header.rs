//! The 16 bytes in front of every object.

use super::error::{FileError, Location};
use super::{Compression, Version};

/// The header of an object.
///
/// Little-endian: magic `0xA15E`, header size 16, version of SEAL (two bytes), compression, two zero bytes, and the
/// object's size in bytes, which includes the header. SEAL 3.4 had another layout, which is read but never written:
/// magic, a zero byte, compression, 32-bit size, eight zero bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Header {
    /// The major version of the SEAL that wrote the object.
    pub major: u8,
    /// The minor version.
    pub minor: u8,
    /// How the rest of the object is compressed.
    pub compression: Compression,
    /// The object's length in the file, header included.
    pub size: u64,
}

const MAGIC: u16 = 0xA15E;
const LEN: u8 = 16;

impl Header {
    /// The header's own length in bytes.
    pub const LEN: u64 = LEN as u64;

    /// Whether the object has the fields that SEAL 4.0 added.
    pub(super) fn is_version_4(&self) -> bool {
        self.major == 4
    }

    pub(super) fn to_bytes(version: Version, compression: Compression, size: u64) -> [u8; LEN as usize] {
        let (major, minor) = version.numbers();
        let mut bytes = [0; LEN as usize];
        bytes[..2].copy_from_slice(&MAGIC.to_le_bytes());
        bytes[2] = LEN;
        bytes[3] = major;
        bytes[4] = minor;
        bytes[5] = compression as u8;
        bytes[8..].copy_from_slice(&size.to_le_bytes());
        bytes
    }

    /// Checks in SEAL's order: version, validity, size.
    pub(super) fn from_bytes(bytes: &[u8; LEN as usize], at: Location) -> Result<Self, FileError> {
        let has_magic = u16::from_le_bytes([bytes[0], bytes[1]]) == MAGIC;
        let header = match Self::legacy(bytes, has_magic) {
            Some(header) => header,
            None => Self::current(bytes, has_magic, at)?,
        };
        if header.size < Self::LEN {
            let cause = "the header alone has 16".into();
            return Err(FileError::Size { at, declared: header.size, cause });
        }
        Ok(header)
    }

    fn current(bytes: &[u8; LEN as usize], has_magic: bool, at: Location) -> Result<Self, FileError> {
        let (major, minor) = (bytes[3], bytes[4]);
        if !matches!((major, minor), (3, 4..=7) | (4, 0..=4)) {
            return Err(FileError::Version { at, major, minor, has_magic });
        }
        let invalid = |cause| FileError::Header { at, cause };
        if !has_magic {
            return Err(invalid("it must start with the bytes 5e a1"));
        }
        if bytes[2] != LEN {
            return Err(invalid("its size must be 16"));
        }
        let compression =
            Compression::from_byte(bytes[5]).ok_or_else(|| invalid("its compression must be 0, 1 or 2"))?;
        let [.., s0, s1, s2, s3, s4, s5, s6, s7] = *bytes;
        Ok(Self { major, minor, compression, size: u64::from_le_bytes([s0, s1, s2, s3, s4, s5, s6, s7]) })
    }

    /// The header of SEAL 3.4, which has a zero byte where later ones have their size, and knew zlib only.
    fn legacy(bytes: &[u8; LEN as usize], has_magic: bool) -> Option<Self> {
        let compression = match bytes[3] {
            0 => Compression::None,
            1 => Compression::Zlib,
            _ => return None,
        };
        (has_magic && bytes[2] == 0).then(|| Self {
            major: 3,
            minor: 4,
            compression,
            size: u64::from(u32::from_le_bytes([bytes[4], bytes[5], bytes[6], bytes[7]])),
        })
    }
}
