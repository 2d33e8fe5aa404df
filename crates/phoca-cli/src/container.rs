//! Phoca's file: a manifest and, back to back, objects in Microsoft SEAL's format.
//!
//! `docs/container-format.md` is the format's definition. In short: 8 bytes of magic, a 16-bit version, 16 bits of
//! zero, the 32-bit length of the manifest, the manifest in JSON, then the objects and nothing after them; integers are
//! little-endian. Readers and writers here stream: they hold the manifest and at most one object.

mod manifest;
mod reader;
mod writer;

pub use manifest::{
    ArrayInfo, ContentKind, Dtype, Encoding, Kind, Manifest, ParametersInfo, SecurityInfo, TableName, fingerprint_of,
};
pub use reader::ContainerReader;
pub use writer::ContainerWriter;

/// The first bytes of every container. Like PNG's, they show damage by a transfer in text mode.
pub const MAGIC: [u8; 8] = *b"\x89PHOCA\r\n";
/// The version that is written, and the only one that is read.
pub const VERSION: u16 = 1;
/// The longest manifest, in bytes.
pub const MAX_MANIFEST_LEN: u32 = 1 << 20;
/// Bytes before the manifest.
pub const PREFIX_LEN: usize = 16;
