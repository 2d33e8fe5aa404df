//! Writing containers, one object at a time.

use std::io::Write;

use phoca::seal::{Save, SaveOptions};

use super::{MAGIC, MAX_MANIFEST_LEN, Manifest, VERSION};
use crate::error::{CliError, Result};

/// Writes one container: the manifest first, then as many objects as it says.
pub struct ContainerWriter<W> {
    writer: W,
    options: SaveOptions,
    missing: u64,
}

impl<W: Write> ContainerWriter<W> {
    /// Writes the manifest.
    pub fn new(writer: W, manifest: &Manifest) -> Result<Self> {
        Self::with_options(writer, manifest, SaveOptions::default())
    }

    /// Writes the manifest; the objects will be written with these options.
    pub fn with_options(mut writer: W, manifest: &Manifest, options: SaveOptions) -> Result<Self> {
        manifest.check()?;
        let json = serde_json::to_vec(manifest)
            .map_err(|error| CliError::failed(format!("cannot write the manifest: {error}")))?;
        let len = u32::try_from(json.len()).ok().filter(|&len| len <= MAX_MANIFEST_LEN);
        let Some(len) = len else {
            return Err(CliError::failed(format!(
                "the manifest takes {} bytes, but may take {MAX_MANIFEST_LEN}: use fewer or shorter column names",
                json.len()
            )));
        };
        writer.write_all(&MAGIC)?;
        writer.write_all(&VERSION.to_le_bytes())?;
        writer.write_all(&[0; 2])?;
        writer.write_all(&len.to_le_bytes())?;
        writer.write_all(&json)?;
        Ok(Self { writer, options, missing: manifest.objects })
    }

    /// Writes the next object and gives its length in bytes.
    pub fn object(&mut self, object: &impl Save) -> Result<u64> {
        self.missing =
            self.missing.checked_sub(1).ok_or_else(|| CliError::failed("more objects than the manifest says"))?;
        Ok(object.save(&mut self.writer, &self.options)?)
    }

    /// Checks that all objects were written, and gives the writer back.
    pub fn finish(mut self) -> Result<W> {
        if self.missing > 0 {
            return Err(CliError::failed(format!("{} objects of the manifest were not written", self.missing)));
        }
        self.writer.flush()?;
        Ok(self.writer)
    }
}
