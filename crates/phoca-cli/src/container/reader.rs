//! Reading containers, one object at a time, from files that may be hostile.

use std::fs::File;
use std::io::{BufReader, Read, stdin};
use std::path::{Path, PathBuf};

use phoca::seal::Load;
use phoca::{Context, Parameters};

use super::{MAGIC, MAX_MANIFEST_LEN, Manifest, PREFIX_LEN, VERSION};
use crate::error::{CliError, ExitCode, Result};

/// Reads one container: the manifest when it is made, then object after object.
pub struct ContainerReader {
    path: PathBuf,
    reader: Box<dyn Read>,
    manifest: Manifest,
    parameters: Parameters,
    /// Bytes of the file, where it is one.
    file_len: Option<u64>,
    missing: u64,
}

impl ContainerReader {
    /// Opens a file, or standard input for `-`, and reads and checks the manifest.
    pub fn open(path: &Path) -> Result<Self> {
        if path.as_os_str() == "-" {
            return Self::new(Box::new(BufReader::new(stdin())), path, None);
        }
        let file = File::open(path).map_err(|error| CliError::from(error).file(path))?;
        let metadata = file.metadata().map_err(|error| CliError::from(error).file(path))?;
        let file_len = metadata.is_file().then_some(metadata.len());
        Self::new(Box::new(BufReader::with_capacity(1 << 16, file)), path, file_len)
    }

    /// Reads and checks the manifest at the start of `reader`; `path` is for messages.
    pub fn new(mut reader: Box<dyn Read>, path: &Path, file_len: Option<u64>) -> Result<Self> {
        let manifest = read_manifest(&mut reader).map_err(|error| error.file(path))?;
        let parameters = manifest.check().map_err(|error| error.in_file(path))?;
        Ok(Self { path: path.to_owned(), reader, missing: manifest.objects, manifest, parameters, file_len })
    }

    /// The checked manifest.
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// The parameters that the manifest names.
    pub fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// What follows the manifest.
    pub fn into_objects(self) -> Box<dyn Read> {
        self.reader
    }

    /// A context for the parameters, with the security check that the manifest names.
    ///
    /// A context takes memory in proportion to degree times primes, so a file that is too short to hold even one
    /// polynomial over its own first prime gets none.
    pub fn context(&self) -> Result<Context> {
        self.check_justified()?;
        let security = self.manifest.security.parse().map_err(|error| error.in_file(&self.path))?;
        let builder = self.parameters.clone().builder().security(security);
        builder.build().map_err(|error| CliError::from(error).in_file(&self.path))
    }

    /// Reads the next object.
    pub fn object<T: Load>(&mut self, context: &Context) -> Result<T> {
        if self.missing == 0 {
            return Err(self.error(CliError::bad_file("there are no more objects in this file")));
        }
        self.missing -= 1;
        T::load(&mut self.reader, context).map_err(|error| self.error(error.into()))
    }

    /// Reads the object of a container of parameters, which must be the manifest's.
    pub fn parameters_object(&mut self) -> Result<()> {
        self.missing = self.missing.saturating_sub(1);
        let parameters = Parameters::load(&mut self.reader).map_err(|error| self.error(error.into()))?;
        match parameters == self.parameters {
            true => Ok(()),
            false => Err(self.error(CliError::bad_file("the parameters are not those of the manifest"))),
        }
    }

    /// Checks that nothing is left over.
    pub fn finish(mut self) -> Result<()> {
        if self.missing > 0 {
            let message = format!("{} objects of this file were not read", self.missing);
            return Err(self.error(CliError::failed(message)));
        }
        let mut byte = [0];
        match self.reader.read(&mut byte) {
            Ok(0) => Ok(()),
            Ok(_) => Err(self.error(CliError::bad_file("there is more in this file after its last object"))),
            Err(error) => Err(self.error(error.into())),
        }
    }

    /// Adds the file and its fingerprint to an error.
    pub fn error(&self, error: CliError) -> CliError {
        error.file(&self.path).fingerprint(self.manifest.fingerprint.clone())
    }

    fn check_justified(&self) -> Result<()> {
        let Some(file_len) = self.file_len.filter(|_| self.manifest.kind != super::Kind::Parameters) else {
            return Ok(());
        };
        // Keys have all primes, ciphertexts at least one. Residues look uniform, so compression cannot take them below
        // their bits.
        let primes = match self.manifest.kind.is_key() {
            true => self.parameters.coeff_modulus.as_slice(),
            false => &self.parameters.coeff_modulus[..1],
        };
        let bits: u64 = primes.iter().map(|prime| u64::from(64 - prime.leading_zeros())).sum();
        let needed = bits * self.parameters.degree as u64 / 8;
        match file_len >= needed {
            true => Ok(()),
            false => Err(self.error(CliError::bad_file(format!(
                "the file has {file_len} bytes, but its first polynomial alone takes {needed}: it was cut off"
            )))),
        }
    }
}

fn read_manifest(reader: &mut dyn Read) -> Result<Manifest> {
    let mut prefix = Vec::with_capacity(PREFIX_LEN);
    reader.take(PREFIX_LEN as u64).read_to_end(&mut prefix)?;
    check_magic(&prefix)?;
    let Ok(prefix) = <[u8; PREFIX_LEN]>::try_from(prefix) else {
        return Err(CliError::bad_file("the file ends inside of the header: it was cut off"));
    };
    let [.., v0, v1, r0, r1, l0, l1, l2, l3] = prefix;
    let version = u16::from_le_bytes([v0, v1]);
    if version != VERSION {
        return Err(CliError::bad_file(format!(
            "this file is of container version {version}, but this program reads version {VERSION}"
        ))
        .hint("use the program that wrote it, or a newer phoca"));
    }
    if [r0, r1] != [0; 2] {
        return Err(CliError::bad_file(format!(
            "the reserved bytes of the header are {r0:02x} {r1:02x}, but must be zero"
        )));
    }
    let len = u32::from_le_bytes([l0, l1, l2, l3]);
    if len > MAX_MANIFEST_LEN {
        return Err(CliError::bad_file(format!(
            "the header says {len} bytes of manifest, but it may have {MAX_MANIFEST_LEN}"
        )));
    }
    // Grows with what arrives, whatever the header says.
    let mut json = Vec::new();
    reader.take(u64::from(len)).read_to_end(&mut json)?;
    if json.len() < len as usize {
        return Err(CliError::bad_file(format!(
            "the file ends after {} of {len} bytes of manifest: it was cut off",
            json.len()
        )));
    }
    serde_json::from_slice(&json).map_err(|error| CliError::bad_file(format!("the manifest is invalid: {error}")))
}

fn check_magic(prefix: &[u8]) -> Result<()> {
    if prefix.starts_with(&MAGIC) {
        return Ok(());
    }
    let error = CliError::new(ExitCode::BadFile, "this is not a file of Phoca");
    Err(match prefix {
        [] => CliError::bad_file("the file is empty"),
        [0x5e, 0xa1, 0x10, ..] => {
            error.hint("it is an object of Microsoft SEAL: phoca convert makes a Phoca file of it")
        }
        [0x89, b'P', b'H', b'O', b'C', b'A', ..] => {
            CliError::bad_file("the file was damaged by a transfer in text mode; transfer it in binary mode")
        }
        _ => error.hint("phoca inspect says what it is"),
    })
}
