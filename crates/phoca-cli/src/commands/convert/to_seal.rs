//! Containers into objects of Microsoft SEAL.

use std::fs;
use std::path::{Path, PathBuf};

use phoca::seal::{Save, SaveOptions, Version};
use phoca::{Ciphertext, Context, Evaluator, GaloisKeys, PublicKey, RelinKeys, Scheme, SecretKey};
use serde_json::json;

use super::ConvertArgs;
use crate::container::{ContainerReader, ContentKind, Kind};
use crate::error::{CliError, Result};
use crate::output::{Output, Purpose};
use crate::ui::Ui;

/// Writes all objects of all inputs: into one file, back to back, or each into a file of a directory.
pub fn run(args: &ConvertArgs, ui: &Ui) -> Result<()> {
    let directory = args.output.as_deref().filter(|path| is_directory(path));
    let mut sink = Sink { options: args.to_seal.options(), directory, file: None, file_bytes: 0, done: Vec::new() };
    if let Some(directory) = directory {
        fs::create_dir_all(directory).map_err(|error| CliError::from(error).file(directory))?;
    }
    for path in &args.inputs {
        let mut reader = ContainerReader::open(path)?;
        sink.open_file(args.output.as_deref(), reader.manifest().kind)?;
        convert(&mut reader, path, &mut sink, ui)?;
        reader.finish()?;
    }
    sink.finish(ui)
}

/// Whether a path is meant as a directory: it is one, or ends like one.
fn is_directory(path: &Path) -> bool {
    path.is_dir() || path.as_os_str().as_encoded_bytes().ends_with(b"/")
}

fn convert(reader: &mut ContainerReader, path: &Path, sink: &mut Sink<'_>, ui: &Ui) -> Result<()> {
    let context = reader.context()?;
    let parameters = context.parameters().clone();
    if sink.directory.is_some() {
        sink.object("parms".into(), Purpose::Binary, &parameters)?;
    }
    match reader.manifest().kind {
        // In a directory they are there already.
        Kind::Parameters => {
            reader.parameters_object()?;
            match sink.directory {
                None => sink.object("parms".into(), Purpose::Binary, &parameters),
                Some(_) => Ok(()),
            }
        }
        Kind::SecretKey => sink.object("secret_key".into(), Purpose::SecretKey, &reader.object::<SecretKey>(&context)?),
        Kind::PublicKey => sink.object("public_key".into(), Purpose::PublicKey, &reader.object::<PublicKey>(&context)?),
        Kind::EvaluationKey => reader.manifest().contents.clone().into_iter().try_for_each(|content| match content {
            ContentKind::RelinKeys => {
                sink.object("relin_keys".into(), Purpose::PublicKey, &reader.object::<RelinKeys>(&context)?)
            }
            ContentKind::GaloisKeys => {
                sink.object("galois_keys".into(), Purpose::PublicKey, &reader.object::<GaloisKeys>(&context)?)
            }
        }),
        Kind::Ciphertexts => ciphertexts(reader, path, &context, sink, ui),
    }
}

fn ciphertexts(
    reader: &mut ContainerReader,
    path: &Path,
    context: &Context,
    sink: &mut Sink<'_>,
    ui: &Ui,
) -> Result<()> {
    let count = reader.manifest().objects;
    let stem = path.file_stem().map_or("cipher".into(), |stem| stem.to_string_lossy().into_owned());
    let stem = if stem == "-" { "cipher".to_owned() } else { stem };
    // SEAL 4.0 reads ciphertexts of BGV in coefficient form only.
    let to_coefficients = context.scheme() == Scheme::Bgv && sink.options.version == Version::V4_0;
    let mut progress = ui.progress("convert", count);
    for index in 0..count {
        let mut ciphertext: Ciphertext = reader.object(context)?;
        if to_coefficients {
            ciphertext = Evaluator::new(context).from_ntt(&ciphertext)?;
        }
        let name = if count == 1 { stem.clone() } else { format!("{stem}.{index:04}") };
        sink.object(name, Purpose::Binary, &ciphertext)?;
        progress.step();
    }
    Ok(())
}

/// Where objects go.
struct Sink<'a> {
    options: SaveOptions,
    directory: Option<&'a Path>,
    file: Option<Output>,
    /// The bytes of the one file.
    file_bytes: u64,
    /// The files that are complete but not yet at their places, and their bytes.
    done: Vec<(Output, u64)>,
}

impl Sink<'_> {
    /// Opens the one file, unless there is a directory or the file is open. A secret key decides its permissions.
    fn open_file(&mut self, path: Option<&Path>, kind: Kind) -> Result<()> {
        if self.directory.is_some() || self.file.is_some() {
            return Ok(());
        }
        let purpose = match kind {
            Kind::SecretKey => Purpose::SecretKey,
            Kind::EvaluationKey | Kind::PublicKey => Purpose::PublicKey,
            Kind::Ciphertexts | Kind::Parameters => Purpose::Binary,
        };
        self.file = Some(Output::create(path, purpose)?);
        Ok(())
    }

    fn object(&mut self, name: String, purpose: Purpose, object: &impl Save) -> Result<()> {
        let Some(directory) = self.directory else {
            if let Some(file) = &mut self.file {
                let path = file.path().to_owned();
                self.file_bytes +=
                    object.save(file, &self.options).map_err(|error| CliError::from(error).file(path))?;
            }
            return Ok(());
        };
        let path: PathBuf = directory.join(format!("{name}.seal"));
        if self.done.iter().any(|(output, _)| output.path() == path) {
            return match name.as_str() {
                // The parameters of another input.
                "parms" => Ok(()),
                _ => Err(CliError::usage("two of the inputs would become this file").file(path)),
            };
        }
        let mut output = Output::create(Some(&path), purpose)?;
        let bytes = object.save(&mut output, &self.options).map_err(|error| CliError::from(error).file(&path))?;
        self.done.push((output, bytes));
        Ok(())
    }

    /// Brings all files to their places.
    fn finish(self, ui: &Ui) -> Result<()> {
        let to_stdout = self.file.as_ref().is_some_and(Output::is_stdout);
        let done = self.done.iter().map(|(output, bytes)| (output.path().to_owned(), *bytes));
        let file = self.file.as_ref().map(|output| (output.path().to_owned(), self.file_bytes));
        let sizes: Vec<(PathBuf, u64)> = done.chain(file).collect();
        Output::commit_all(self.done.into_iter().map(|(output, _)| output).chain(self.file).collect())?;
        for (path, bytes) in &sizes {
            ui.note(format!("{}  {bytes} bytes", path.display()));
        }
        let files: Vec<String> = sizes.iter().map(|(path, _)| path.display().to_string()).collect();
        let report = json!({
            "schema": "phoca.convert/1",
            "to": "seal",
            "seal_version": self.options.version.to_string(),
            "compression": self.options.compression.to_string(),
            "files": files,
        });
        ui.report(&report, to_stdout)
    }
}
