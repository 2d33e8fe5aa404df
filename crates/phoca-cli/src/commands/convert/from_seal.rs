//! Objects of Microsoft SEAL into one container.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

use phoca::seal::{Contents, KeySwitchKind, Load, inspect};
use phoca::{Ciphertext, Context, GaloisKeys, Parameters, PublicKey, RelinKeys, Scheme, SecretKey};
use serde_json::json;

use super::ConvertArgs;
use crate::container::{ArrayInfo, ContainerWriter, ContentKind, Dtype, Encoding, Kind, Manifest, fingerprint_of};
use crate::error::{CliError, Result};
use crate::output::{Output, Purpose};
use crate::parameters::read_parameters;
use crate::ui::{Ui, counted};

/// One object, found but not loaded.
struct Found {
    /// The index of its file.
    file: usize,
    contents: Contents,
}

/// What an object is taken as, now that the parameters are known.
#[derive(Clone, Copy, PartialEq)]
enum Object {
    Ciphertext { scale: f64 },
    GaloisKeys,
    Parameters,
    PublicKey,
    RelinKeys,
    SecretKey,
}

/// Looks at all objects, then loads, checks and writes them one by one.
pub fn run(args: &ConvertArgs, ui: &Ui) -> Result<()> {
    let found = find(&args.inputs)?;
    let context = args.security.build(parameters(args, &found)?)?;
    let mut objects = Vec::with_capacity(found.len());
    for item in &found {
        objects.push(classify(item, &context).map_err(|error| error.file(&args.inputs[item.file]))?);
    }
    let manifest = manifest(args, &context, &objects)?;
    let purpose = match manifest.kind {
        Kind::SecretKey => Purpose::SecretKey,
        Kind::EvaluationKey | Kind::PublicKey => Purpose::PublicKey,
        Kind::Ciphertexts | Kind::Parameters => Purpose::Binary,
    };
    let output = Output::create(args.output.as_deref(), purpose)?;
    let (path, to_stdout) = (output.path().to_owned(), output.is_stdout());
    let mut writer = ContainerWriter::new(output, &manifest)?;
    for (index, input) in args.inputs.iter().enumerate() {
        let kinds = found.iter().zip(&objects).filter(|(item, _)| item.file == index).map(|(_, &object)| object);
        copy(input, kinds, &context, manifest.kind, &mut writer).map_err(|error| error.file(input))?;
    }
    writer.finish()?.commit()?;
    let objects = counted(manifest.objects as usize, "object");
    ui.note(format!("{}  holds {}: {objects}", path.display(), manifest.kind.title()));
    let report = json!({
        "schema": "phoca.convert/1",
        "to": "phoca",
        "kind": manifest.kind,
        "objects": manifest.objects,
        "fingerprint": manifest.fingerprint,
        "files": [path.display().to_string()],
    });
    ui.report(&report, to_stdout)
}

/// Every object of every file.
fn find(inputs: &[PathBuf]) -> Result<Vec<Found>> {
    let mut found = Vec::new();
    for (file, path) in inputs.iter().enumerate() {
        let mut reader = open(path)?;
        let mut read = || -> Result<()> {
            while !reader.fill_buf()?.is_empty() {
                let contents = inspect(&mut reader)?.contents;
                found.push(Found { file, contents });
            }
            Ok(())
        };
        read().map_err(|error| error.file(path))?;
    }
    match found.is_empty() {
        true => Err(CliError::bad_file("the files are empty").file(&inputs[0])),
        false => Ok(found),
    }
}

fn open(path: &Path) -> Result<BufReader<File>> {
    File::open(path).map(BufReader::new).map_err(|error| CliError::from(error).file(path))
}

/// The parameters: from their own file, else from among the inputs.
fn parameters(args: &ConvertArgs, found: &[Found]) -> Result<Parameters> {
    if let Some(path) = &args.from_seal.parameters {
        return read_parameters(path);
    }
    let among = found.iter().find(|item| matches!(item.contents, Contents::Parameters { .. }));
    match among {
        Some(item) => read_parameters(&args.inputs[item.file]),
        None => Err(CliError::usage("the parameters of these objects are needed")
            .file(&args.inputs[0])
            .hint("--parameters parms.seal, or any file of Phoca with the same parameters")),
    }
}

fn classify(item: &Found, context: &Context) -> Result<Object> {
    let key_level = context.key_level().parms_id();
    match &item.contents {
        Contents::Parameters { .. } => Ok(Object::Parameters),
        Contents::Plaintext { maybe_secret_key: true, .. } => Ok(Object::SecretKey),
        Contents::Ciphertext(summary) if context.supports_key_switching() && summary.parms_id == key_level => {
            Ok(Object::PublicKey)
        }
        Contents::Ciphertext(summary) => Ok(Object::Ciphertext { scale: summary.scale }),
        Contents::KeySwitchKeys { kind: KeySwitchKind::Galois, .. } => Ok(Object::GaloisKeys),
        Contents::KeySwitchKeys { kind: KeySwitchKind::Relinearization, .. } => Ok(Object::RelinKeys),
        Contents::Modulus { .. } => Err(CliError::bad_file("a single modulus does not go into files of Phoca")),
        Contents::Plaintext { .. } => Err(CliError::bad_file("plaintexts do not go into files of Phoca")),
        _ => Err(CliError::bad_file("there is no key in this object from which to tell what it is")),
    }
}

/// The manifest for these objects, which must make one kind of file. Parameters beside others only tell the parameters.
fn manifest(args: &ConvertArgs, context: &Context, objects: &[Object]) -> Result<Manifest> {
    let others: Vec<Object> = objects.iter().copied().filter(|&object| object != Object::Parameters).collect();
    let count = others.len() as u64;
    let new = |kind, count| Manifest::new(kind, context, count);
    match others.as_slice() {
        [] => Ok(new(Kind::Parameters, 1)),
        [Object::SecretKey] => Ok(new(Kind::SecretKey, 1)),
        [Object::PublicKey] => Ok(new(Kind::PublicKey, 1)),
        [Object::GaloisKeys | Object::RelinKeys, ..] if count <= 2 => {
            let contents = others.iter().map(|object| match object {
                Object::GaloisKeys => Some(ContentKind::GaloisKeys),
                Object::RelinKeys => Some(ContentKind::RelinKeys),
                _ => None,
            });
            let contents: Vec<_> = contents.collect::<Option<_>>().ok_or_else(mixed)?;
            if count == 2 && contents[0] == contents[1] {
                return Err(mixed());
            }
            let mut manifest = new(Kind::EvaluationKey, count);
            manifest.contents = contents;
            Ok(manifest)
        }
        [Object::Ciphertext { scale }, ..]
            if others.iter().all(|object| matches!(object, Object::Ciphertext { .. })) =>
        {
            let mut manifest = new(Kind::Ciphertexts, count);
            manifest.scale = (context.scheme() == Scheme::Ckks).then_some(*scale);
            manifest.array = Some(array(args, context, count)?);
            Ok(manifest)
        }
        _ => Err(mixed()),
    }
}

fn mixed() -> CliError {
    CliError::usage("these objects do not go into one file")
        .hint("one file takes ciphertexts, or one secret key, or one public key, or relinearization and Galois keys")
}

/// What the values are: one vector, since the files do not say.
fn array(args: &ConvertArgs, context: &Context, objects: u64) -> Result<ArrayInfo> {
    let dtype = args.from_seal.dtype.map(Dtype::from).unwrap_or(match context.scheme() {
        Scheme::Ckks => Dtype::Float64,
        _ if context.supports_batching() => Dtype::Int64,
        _ => Dtype::Polynomial,
    });
    let encoding = match (context.scheme(), dtype) {
        (Scheme::Ckks, Dtype::Complex128 | Dtype::Float64) => Encoding::Ckks,
        (Scheme::Bfv | Scheme::Bgv, Dtype::Int64 | Dtype::Uint64) if context.supports_batching() => Encoding::Batch,
        (Scheme::Bfv | Scheme::Bgv, Dtype::Polynomial) => Encoding::Polynomial,
        (scheme, dtype) => {
            return Err(CliError::usage(format!(
                "--dtype {} does not fit {scheme} with these parameters",
                dtype.name()
            )));
        }
    };
    let slots = if encoding == Encoding::Polynomial { 1 } else { context.slot_count() as u64 };
    let length = args.from_seal.length.unwrap_or(slots * objects);
    if length.div_ceil(slots) != objects {
        return Err(CliError::usage(format!(
            "--length {length} does not fit {} with {} in each",
            counted(objects as usize, "ciphertext"),
            counted(slots as usize, "value")
        )));
    }
    Ok(ArrayInfo {
        encoding,
        dtype,
        shape: vec![length],
        vectors: if encoding == Encoding::Polynomial { length } else { 1 },
        columns: Vec::new(),
    })
}

/// Loads the objects of one file and writes them.
fn copy(
    path: &Path,
    objects: impl Iterator<Item = Object>,
    context: &Context,
    kind: Kind,
    writer: &mut ContainerWriter<Output>,
) -> Result<()> {
    let mut reader = open(path)?;
    for object in objects {
        match object {
            Object::Ciphertext { .. } => writer.object(&Ciphertext::load(&mut reader, context)?)?,
            Object::GaloisKeys => writer.object(&GaloisKeys::load(&mut reader, context)?)?,
            Object::PublicKey => writer.object(&PublicKey::load(&mut reader, context)?)?,
            Object::RelinKeys => writer.object(&RelinKeys::load(&mut reader, context)?)?,
            Object::SecretKey => writer.object(&SecretKey::load(&mut reader, context)?)?,
            Object::Parameters => {
                let parameters = Parameters::load(&mut reader)?;
                if parameters != *context.parameters() {
                    return Err(CliError::mismatch(format!(
                        "these are parameters {}, but the others are {}",
                        fingerprint_of(parameters.parms_id()),
                        fingerprint_of(context.key_level().parms_id())
                    )));
                }
                match kind {
                    Kind::Parameters => writer.object(&parameters)?,
                    _ => 0,
                }
            }
        };
    }
    Ok(())
}
