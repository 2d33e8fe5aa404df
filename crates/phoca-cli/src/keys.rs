//! Keys in Phoca's files.

use std::path::Path;

use phoca::seal::Load;
use phoca::{Context, GaloisKeys, PublicKey, RelinKeys, SecretKey};

use crate::container::{ContainerReader, ContentKind, Kind, Manifest};
use crate::error::{CliError, Result};

/// A key, the context for its parameters, and the manifest of its file.
pub struct Loaded<K> {
    /// The key.
    pub key: K,
    /// The context that the manifest's parameters make.
    pub context: Context,
    /// The file's manifest.
    pub manifest: Manifest,
}

/// What a server needs to compute.
#[derive(Default)]
pub struct EvaluationKeys {
    /// For products.
    pub relin: Option<RelinKeys>,
    /// For rotations.
    pub galois: Option<GaloisKeys>,
}

/// Either key that encrypts.
pub enum EncryptionKey {
    /// Anybody's.
    Public(PublicKey),
    /// The owner's: less noise, and files of half the size.
    Secret(SecretKey),
}

/// Reads a secret key.
pub fn load_secret_key(path: &Path) -> Result<Loaded<SecretKey>> {
    load(path, Kind::SecretKey, only)
}

/// Reads evaluation keys.
pub fn load_evaluation_keys(path: &Path) -> Result<Loaded<EvaluationKeys>> {
    load(path, Kind::EvaluationKey, |reader, context| {
        let mut keys = EvaluationKeys::default();
        for kind in reader.manifest().contents.clone() {
            match kind {
                ContentKind::GaloisKeys => keys.galois = Some(reader.object(context)?),
                ContentKind::RelinKeys => keys.relin = Some(reader.object(context)?),
            }
        }
        Ok(keys)
    })
}

/// Reads a public or a secret key, whichever the file holds.
pub fn load_encryption_key(path: &Path) -> Result<Loaded<EncryptionKey>> {
    let reader = ContainerReader::open(path)?;
    match reader.manifest().kind {
        Kind::PublicKey => from_reader(reader, |reader, context| only(reader, context).map(EncryptionKey::Public)),
        Kind::SecretKey => from_reader(reader, |reader, context| only(reader, context).map(EncryptionKey::Secret)),
        other => Err(reader.error(
            CliError::bad_file(format!(
                "this file holds {}, but encryption takes a public or secret key",
                other.title()
            ))
            .hint("-k public.key, or -k secret.key"),
        )),
    }
}

fn load<K>(
    path: &Path,
    kind: Kind,
    read: impl FnOnce(&mut ContainerReader, &Context) -> Result<K>,
) -> Result<Loaded<K>> {
    let reader = ContainerReader::open(path)?;
    reader.manifest().expect_kind(kind).map_err(|error| error.file(path))?;
    from_reader(reader, read)
}

fn from_reader<K>(
    mut reader: ContainerReader,
    read: impl FnOnce(&mut ContainerReader, &Context) -> Result<K>,
) -> Result<Loaded<K>> {
    let context = reader.context()?;
    let key = read(&mut reader, &context)?;
    let manifest = reader.manifest().clone();
    reader.finish()?;
    Ok(Loaded { key, context, manifest })
}

fn only<K: Load>(reader: &mut ContainerReader, context: &Context) -> Result<K> {
    reader.object(context)
}
