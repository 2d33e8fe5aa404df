//! What files are, without keys: Phoca's containers, objects of Microsoft SEAL, and TenSEAL's messages.

mod object;
mod tenseal;

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read, stdin};
use std::path::Path;

use phoca::Parameters;
use phoca::seal::{self, Contents, KeySwitchKind};
use serde::Serialize;

pub use object::{KnownLevels, ObjectReport, power};

use crate::container::{ContainerReader, ContentKind, Kind, MAGIC, Manifest, VERSION};
use crate::error::{CliError, Result};

/// The start of every object of SEAL: magic and, from 3.5 on, the header's length.
pub const SEAL_MAGIC: [u8; 2] = [0x5e, 0xa1];
/// The most bytes that parameters of SEAL take.
const MAX_PARAMETERS_LEN: u64 = 1 << 16;
/// The most objects that a report holds one by one.
const MAX_REPORTED: usize = 1 << 16;

/// What one file is.
#[derive(Debug, Serialize)]
pub struct FileReport {
    /// `phoca.inspect/1`.
    pub schema: &'static str,
    /// The file.
    pub file: String,
    /// The outer format.
    pub format: Format,
    /// The version of the outer format, where it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<u16>,
    /// The container's manifest.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub manifest: Option<Manifest>,
    /// What a TenSEAL message says beside its objects.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tenseal: Option<tenseal::Extra>,
    /// How many objects there are.
    pub object_count: u64,
    /// Their bytes together.
    pub object_bytes: u64,
    /// The objects in order; of very many, the first ones.
    pub objects: Vec<ObjectReport>,
}

/// The outer formats.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Format {
    /// Phoca's container.
    Phoca,
    /// Objects of Microsoft SEAL, back to back.
    Seal,
    /// A context of TenSEAL.
    TensealContext,
    /// A vector of TenSEAL.
    TensealVector,
}

impl FileReport {
    fn new(path: &Path, format: Format) -> Self {
        Self {
            schema: "phoca.inspect/1",
            file: path.display().to_string(),
            format,
            version: None,
            manifest: None,
            tenseal: None,
            object_count: 0,
            object_bytes: 0,
            objects: Vec::new(),
        }
    }

    fn add(&mut self, object: ObjectReport) {
        self.object_count += 1;
        self.object_bytes += object.bytes;
        if self.objects.len() < MAX_REPORTED {
            self.objects.push(object);
        }
    }
}

/// Looks at a file, or at standard input for `-`.
pub fn inspect(path: &Path, levels: &mut KnownLevels) -> Result<FileReport> {
    let named = |error: CliError| error.in_file(path);
    let mut reader: Box<dyn BufRead> = match path.as_os_str() == "-" {
        true => Box::new(BufReader::new(stdin())),
        false => Box::new(BufReader::new(File::open(path).map_err(|error| CliError::from(error).file(path))?)),
    };
    let start = reader.fill_buf().map_err(|error| CliError::from(error).file(path))?;
    if start.starts_with(&MAGIC[..6]) {
        return container(reader, path, levels).map_err(named);
    }
    if start.starts_with(&SEAL_MAGIC) {
        return seal_objects(reader, path, levels).map_err(named);
    }
    if tenseal::starts(start) {
        return tenseal::inspect(reader, FileReport::new(path, Format::TensealContext), levels).map_err(named);
    }
    let message = match start {
        [] => "the file is empty",
        _ => "this is no file of Phoca, Microsoft SEAL or TenSEAL",
    };
    Err(named(CliError::bad_file(message)))
}

/// The parameters in a file, where it is one that holds them: to know the levels of other files' objects.
///
/// Pipes are left alone, since what is read from them here would be missing later.
pub fn parameters_in(path: &Path) -> Option<Parameters> {
    fs::metadata(path).ok().filter(fs::Metadata::is_file)?;
    read_parameters(path).ok().flatten()
}

/// The parameters at the start of a file or pipe.
pub fn read_parameters(path: &Path) -> Result<Option<Parameters>> {
    let file = File::open(path).map_err(|error| CliError::from(error).file(path))?;
    let mut reader = BufReader::new(file);
    let start = reader.fill_buf().map_err(|error| CliError::from(error).file(path))?;
    if start.starts_with(&MAGIC) {
        return ContainerReader::new(Box::new(reader), path, None).map(|reader| Some(reader.parameters().clone()));
    }
    Ok(Parameters::load(&mut reader.take(MAX_PARAMETERS_LEN)).ok())
}

fn container(reader: Box<dyn BufRead>, path: &Path, levels: &mut KnownLevels) -> Result<FileReport> {
    let container = ContainerReader::new(Box::new(reader), path, None)?;
    levels.add(container.parameters());
    let mut report = FileReport::new(path, Format::Phoca);
    report.version = Some(VERSION);
    let manifest = container.manifest().clone();
    let (kind, expected) = (manifest.kind, manifest.objects);
    report.manifest = Some(manifest.clone());
    let mut objects = container.into_objects();
    for index in 0..expected {
        let inspection = seal::inspect(&mut objects)?;
        check_kind(&manifest, index, &inspection.contents)?;
        let mut object = ObjectReport::new(inspection, levels);
        if kind == Kind::SecretKey {
            object.object = "secret key";
        }
        report.add(object);
    }
    match objects.read(&mut [0]) {
        Ok(0) => Ok(report),
        Ok(_) => Err(CliError::bad_file("there is more in this file after its last object")),
        Err(error) => Err(error.into()),
    }
}

/// Refuses an object that is not what the manifest says.
fn check_kind(manifest: &Manifest, index: u64, contents: &Contents) -> Result<()> {
    let fits = match (manifest.kind, contents) {
        (Kind::Ciphertexts | Kind::PublicKey, Contents::Ciphertext(_))
        | (Kind::Parameters, Contents::Parameters { .. })
        | (Kind::SecretKey, Contents::Plaintext { maybe_secret_key: true, .. }) => true,
        (Kind::EvaluationKey, Contents::KeySwitchKeys { kind, .. }) => match manifest.contents.get(index as usize) {
            Some(ContentKind::RelinKeys) => *kind != KeySwitchKind::Galois,
            Some(ContentKind::GaloisKeys) => *kind != KeySwitchKind::Relinearization,
            None => false,
        },
        _ => false,
    };
    match fits {
        true => Ok(()),
        false => Err(CliError::bad_file(format!(
            "the manifest says that the file holds {}, but object {} is none of that",
            manifest.kind.title(),
            index + 1
        ))),
    }
}

fn seal_objects(mut reader: Box<dyn BufRead>, path: &Path, levels: &mut KnownLevels) -> Result<FileReport> {
    let mut report = FileReport::new(path, Format::Seal);
    while !reader.fill_buf()?.is_empty() {
        report.add(ObjectReport::new(seal::inspect(&mut reader)?, levels));
    }
    Ok(report)
}
