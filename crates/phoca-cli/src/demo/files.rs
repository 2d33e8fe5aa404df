//! The containers of the demo.

use std::fs;
use std::path::{Path, PathBuf};

use phoca::ring::random::{SecretRng, Seed};
use phoca::{Ciphertext, Context, GaloisSelection, KeyGenerator, Scheme};

use super::job::SCALE;
use crate::container::{ArrayInfo, ContainerReader, ContainerWriter, ContentKind, Dtype, Encoding, Kind, Manifest};
use crate::error::{CliError, Result};
use crate::inspect::{self, KnownLevels, ObjectReport};
use crate::output::{Output, Purpose};

/// The file of a scheme's secret key, in the client's directory.
pub fn secret_key(scheme: Scheme) -> String {
    format!("{}-secret.key", prefix(scheme))
}

/// The file of a scheme's evaluation key, on the wire.
pub fn evaluation_key(scheme: Scheme) -> String {
    format!("{}-eval.key", prefix(scheme))
}

/// The file of a scheme's public key, on the wire.
pub fn public_key(scheme: Scheme) -> String {
    format!("{}-public.key", prefix(scheme))
}

/// The file of a scheme's encrypted columns, on the wire.
pub fn input(scheme: Scheme) -> String {
    format!("{}-input.phoca", prefix(scheme))
}

fn prefix(scheme: Scheme) -> String {
    scheme.name().to_lowercase()
}

/// Writes the three keys and gives the manifest of the secret one.
pub fn write_keys(generator: &KeyGenerator, context: &Context, client: &Path, wire: &Path) -> Result<Manifest> {
    let scheme = context.scheme();
    let id = Seed::random(&mut SecretRng::from_os()?);
    let id: String = id.as_bytes()[..8].iter().map(|byte| format!("{byte:02x}")).collect();
    let manifest = |kind, objects| {
        let mut manifest = Manifest::new(kind, context, objects);
        manifest.key = Some(id.clone());
        manifest.scale = (scheme == Scheme::Ckks).then_some(SCALE);
        manifest
    };
    let secret = manifest(Kind::SecretKey, 1);
    write(&client.join(secret_key(scheme)), Purpose::SecretKey, &secret, |writer| {
        writer.object(generator.secret_key())
    })?;
    let public = manifest(Kind::PublicKey, 1);
    write(&wire.join(public_key(scheme)), Purpose::PublicKey, &public, |writer| {
        writer.object(&generator.public_key()?)
    })?;
    let mut evaluation = manifest(Kind::EvaluationKey, 2);
    evaluation.contents = vec![ContentKind::RelinKeys, ContentKind::GaloisKeys];
    let row = context.degree() as i64 / 2;
    let mut steps: Vec<i64> = (0..).map(|log| 1 << log).take_while(|&step| step < row).collect();
    if scheme != Scheme::Ckks {
        // The swap of the two rows of slots.
        steps.push(0);
    }
    write(&wire.join(evaluation_key(scheme)), Purpose::PublicKey, &evaluation, |writer| {
        writer.object(&generator.relin_keys()?)?;
        writer.object(&generator.galois_keys(GaloisSelection::Steps(&steps))?)
    })?;
    Ok(secret)
}

/// The description of vectors of `length` values, which are the columns of a table.
pub fn columns(scheme: Scheme, length: usize, names: Vec<String>) -> ArrayInfo {
    ArrayInfo {
        encoding: if scheme == Scheme::Ckks { Encoding::Ckks } else { Encoding::Batch },
        dtype: if scheme == Scheme::Ckks { Dtype::Float64 } else { Dtype::Int64 },
        shape: vec![length as u64, names.len() as u64],
        vectors: names.len() as u64,
        columns: names,
    }
}

/// Writes ciphertexts, one for each column, for the owner of `key`.
pub fn write_ciphertexts(
    path: &Path,
    context: &Context,
    key: &Manifest,
    array: ArrayInfo,
    ciphertexts: &[Ciphertext],
) -> Result<()> {
    let mut manifest = crate::array::manifest_of(context, key, array, ciphertexts.len() as u64);
    if context.scheme() == Scheme::Ckks {
        manifest.scale = ciphertexts.first().map(Ciphertext::scale);
    }
    write(path, Purpose::Binary, &manifest, |writer| {
        ciphertexts.iter().try_fold(0, |bytes, ciphertext| Ok(bytes + writer.object(ciphertext)?))
    })
}

/// Bytes of these files of a directory together.
pub fn bytes(directory: &Path, names: &[String]) -> Result<u64> {
    names.iter().try_fold(0, |bytes, name| {
        let path = directory.join(name);
        let metadata = fs::metadata(&path).map_err(|error| CliError::from(error).file(&path))?;
        Ok(bytes + metadata.len())
    })
}

/// A file of the directories that holds a secret key, if there is one.
pub fn find_secret_key(directories: &[&Path]) -> Result<Option<PathBuf>> {
    for directory in directories {
        let entries = fs::read_dir(directory).map_err(|error| CliError::from(error).file(directory))?;
        for entry in entries {
            let entry = entry?;
            let (path, kind) = (entry.path(), entry.file_type()?);
            // Links to directories are not followed, since they may lead in circles.
            if kind.is_dir() {
                if let Some(found) = find_secret_key(&[&path])? {
                    return Ok(Some(found));
                }
            } else if path.is_file() && is_secret_key(&path) {
                return Ok(Some(path));
            }
        }
    }
    Ok(None)
}

/// Whether a file is a secret key of Phoca, or holds one of Microsoft SEAL or TenSEAL.
fn is_secret_key(path: &Path) -> bool {
    let report = inspect::inspect(path, &mut KnownLevels::default());
    let is_secret = |object: &ObjectReport| object.object.starts_with("secret key");
    ContainerReader::open(path).is_ok_and(|reader| reader.manifest().kind == Kind::SecretKey)
        || report.is_ok_and(|report| report.objects.iter().any(is_secret))
}

fn write(
    path: &Path,
    purpose: Purpose,
    manifest: &Manifest,
    objects: impl FnOnce(&mut ContainerWriter<Output>) -> Result<u64>,
) -> Result<()> {
    let write = || {
        let mut writer = ContainerWriter::new(Output::create(Some(path), purpose)?, manifest)?;
        objects(&mut writer)?;
        writer.finish()?.commit()
    };
    write().map_err(|error: CliError| error.file(path))
}
