//! The client: keys, encryption, the server's start, decryption and comparison.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use phoca::{BatchEncoder, CkksEncoder, Context, Decryptor, Encryptor, KeyGenerator, Plaintext, Scheme};

use super::data::{Model, Table};
use super::job::{Job, MALIGNANT, Promise, SCALE, context, jobs};
use super::report::{Report, Step};
use super::server::ServerLine;
use super::verdict::{Decrypted, verdict};
use super::{CLIENT, SERVER, WIRE, files, memory};
use crate::array::EncryptedArray;
use crate::container::Manifest;
use crate::error::{CliError, Result};
use crate::expression::workers;
use crate::ui::{Ui, counted};

/// One scheme as the client has it.
struct Party {
    context: Context,
    keys: KeyGenerator,
    manifest: Manifest,
}

/// Plays the client under `directory`, starts the server, and reports.
pub fn run(directory: &Path, ui: &Ui) -> Result<Report> {
    let start = Instant::now();
    let [client, wire, server] = [CLIENT, WIRE, SERVER].map(|name| directory.join(name));
    for path in [&client, &wire, &server] {
        fs::create_dir_all(path).map_err(|error| CliError::from(error).file(path))?;
    }
    restrict(&client)?;
    let model = Model::load()?;
    let table = Table::load(&model)?;
    let jobs = jobs(&model);
    let mut steps = Vec::new();
    let mut progress = ui.progress("demo", 5);
    let mut parties = Vec::new();
    for scheme in [Scheme::Ckks, Scheme::Bfv, Scheme::Bgv] {
        parties.push(prepare(scheme, &model, &table, &client, &wire, &mut steps)?);
        progress.step();
    }
    // Before anything is computed.
    let promises: Vec<Promise> =
        jobs.iter().map(|job| job.promise(&party(&parties, job)?.context)).collect::<Result<_>>()?;
    let lines = serve(&wire, &server)?;
    progress.step();
    let mut server_memory = None;
    for (job, promise) in jobs.iter().zip(promises) {
        let line = lines.iter().find(|line| line.job == job.name);
        let line = line.ok_or_else(|| CliError::failed(format!("the server did not report on {}", job.name)))?;
        server_memory = server_memory.max(line.peak_memory);
        steps.push(Step::work("server", &format!("{}: {}", job.scheme, job.name), line.seconds, {
            files::bytes(&wire, &[job.output()])?
        }));
        let begin = Instant::now();
        let decrypted = decrypt(job, party(&parties, job)?, &wire)?;
        let result = verdict(job, promise, &decrypted, &model, &table)?;
        steps.push(Step::result(job, begin.elapsed().as_secs_f64(), result));
    }
    progress.step();
    Ok(Report {
        steps,
        seconds: start.elapsed().as_secs_f64(),
        client_memory: memory::peak(),
        server_memory,
        directory: directory.to_owned(),
    })
}

fn party<'a>(parties: &'a [Party], job: &Job) -> Result<&'a Party> {
    let party = parties.iter().find(|party| party.context.scheme() == job.scheme);
    party.ok_or_else(|| CliError::failed("there are no keys for the job"))
}

/// Makes the keys of a scheme and encrypts its columns.
fn prepare(
    scheme: Scheme,
    model: &Model,
    table: &Table,
    client: &Path,
    wire: &Path,
    steps: &mut Vec<Step>,
) -> Result<Party> {
    let begin = Instant::now();
    let context = context(scheme)?;
    let keys = KeyGenerator::new(&context)?;
    let manifest = files::write_keys(&keys, &context, client, wire)?;
    let sent = files::bytes(wire, &[files::evaluation_key(scheme), files::public_key(scheme)])?;
    steps.push(Step::work("client", &format!("{scheme}: keys"), begin.elapsed().as_secs_f64(), sent));

    let begin = Instant::now();
    let columns = columns(scheme, table);
    let names = match scheme {
        Scheme::Bfv => vec![MALIGNANT.to_owned()],
        _ => model.features.clone(),
    };
    // The secret key's owner encrypts with it: less noise, and half the bytes, of which a seed replaces one polynomial.
    let encryptor = Encryptor::with_keys(&context, None, Some(keys.secret_key().clone()))?;
    let ciphertexts = workers::map(columns.len(), |index| {
        let plaintext = columns[index].encode(&context)?;
        Ok::<_, CliError>(encryptor.encrypt_symmetric(&plaintext)?)
    })?;
    let array = files::columns(scheme, super::data::ROWS, names);
    files::write_ciphertexts(&wire.join(files::input(scheme)), &context, &manifest, array, &ciphertexts)?;
    let sent = files::bytes(wire, &[files::input(scheme)])?;
    let what = format!("{scheme}: encrypt {} of {} rows", counted(columns.len(), "column"), super::data::ROWS);
    steps.push(Step::work("client", &what, begin.elapsed().as_secs_f64(), sent));
    Ok(Party { context, keys, manifest })
}

enum Column<'a> {
    Real(&'a [f64]),
    Integer(Vec<i64>),
}

impl Column<'_> {
    fn encode(&self, context: &Context) -> Result<Plaintext> {
        Ok(match self {
            Self::Real(values) => CkksEncoder::new(context)?.encode(values, SCALE)?,
            Self::Integer(values) => BatchEncoder::new(context)?.encode_signed(values)?,
        })
    }
}

fn columns(scheme: Scheme, table: &Table) -> Vec<Column<'_>> {
    match scheme {
        Scheme::Ckks => table.features.iter().map(|column| Column::Real(column)).collect(),
        Scheme::Bfv => vec![Column::Integer(table.malignant.clone())],
        Scheme::Bgv => table.integers().into_iter().map(Column::Integer).collect(),
    }
}

/// Runs the server in a process of its own, with no environment and nothing but the wire.
fn serve(wire: &Path, server: &Path) -> Result<Vec<ServerLine>> {
    let absolute =
        |path: &Path| -> Result<PathBuf> { fs::canonicalize(path).map_err(|error| CliError::from(error).file(path)) };
    let program = std::env::current_exe().map_err(CliError::from)?;
    let output = Command::new(program)
        .arg("demo-server")
        .arg("--wire")
        .arg(absolute(wire)?)
        .arg("--dir")
        .arg(absolute(server)?)
        .env_clear()
        .envs(std::env::vars_os().filter(|(name, _)| name == "PHOCA_ARCH"))
        .current_dir(server)
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .output()
        .map_err(CliError::from)?;
    if !output.status.success() {
        return Err(CliError::failed(format!("the server failed with {}", output.status)));
    }
    let text = String::from_utf8_lossy(&output.stdout);
    text.lines()
        .map(|line| {
            serde_json::from_str(line).map_err(|error| CliError::failed(format!("the server's report: {error}")))
        })
        .collect()
}

/// Decrypts all vectors of a job's result.
fn decrypt(job: &Job, party: &Party, wire: &Path) -> Result<Decrypted> {
    let path = wire.join(job.output());
    let result = EncryptedArray::read(&path, &party.context, &party.manifest)?;
    let length = result.array()?.length() as usize;
    if result.ciphertexts.len() != job.programs.len() {
        return Err(CliError::bad_file("the result has not one ciphertext for each program").file(path));
    }
    let decryptor = Decryptor::new(&party.context, party.keys.secret_key().clone())?;
    let mut reals = Vec::new();
    let mut integers = Vec::new();
    for ciphertext in &result.ciphertexts {
        let plaintext = decryptor.decrypt(ciphertext)?;
        match job.scheme {
            Scheme::Ckks => reals.push(CkksEncoder::new(&party.context)?.decode(&plaintext)?[..length].to_vec()),
            Scheme::Bfv | Scheme::Bgv => {
                integers.push(BatchEncoder::new(&party.context)?.decode_signed(&plaintext)?[..length].to_vec());
            }
        }
    }
    Ok(match job.scheme {
        Scheme::Ckks => Decrypted::Real(reals),
        Scheme::Bfv | Scheme::Bgv => Decrypted::Integer(integers),
    })
}

/// Lets only the owner look into the client's directory.
fn restrict(directory: &Path) -> Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        fs::set_permissions(directory, fs::Permissions::from_mode(0o700))
            .map_err(|error| CliError::from(error).file(directory))?;
    }
    Ok(())
}
