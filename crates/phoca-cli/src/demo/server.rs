//! The server: evaluation keys and ciphertexts in, ciphertexts out. It never sees a secret key.

use std::io::{Write, stdout};
use std::path::Path;
use std::time::Instant;

use phoca::{Ciphertext, Scheme};
use serde::{Deserialize, Serialize};

use super::data::{Model, ROWS};
use super::job::{Job, jobs};
use super::{files, memory};
use crate::array::EncryptedArray;
use crate::error::{CliError, Result};
use crate::expression::{EvaluationKeys, InputState, Shape, execute, workers};
use crate::keys::{self, Loaded};
use crate::ui::to_json;

/// What the server tells about its work: one line of JSON for each job.
#[derive(Debug, Serialize, Deserialize)]
pub struct ServerLine {
    /// `phoca.demo-server/1`.
    pub schema: String,
    /// The job.
    pub job: String,
    /// Reading keys and inputs, computing and writing.
    pub seconds: f64,
    /// The largest resident size so far.
    pub peak_memory: Option<u64>,
}

/// Does all jobs with what is on the wire and leaves the results there.
pub fn run(wire: &Path, own: &Path) -> Result<()> {
    if let Some(path) = files::find_secret_key(&[wire, own])? {
        return Err(CliError::mismatch("a secret key has come to the server, which must not have one")
            .file(path)
            .hint("keep secret keys on the client"));
    }
    let model = Model::load()?;
    let mut party: Option<Party> = None;
    for job in jobs(&model) {
        let start = Instant::now();
        let current = match party.take() {
            Some(party) if party.scheme == job.scheme => party,
            _ => Party::load(wire, job.scheme)?,
        };
        current.run(&job, wire)?;
        party = Some(current);
        let line = ServerLine {
            schema: "phoca.demo-server/1".to_owned(),
            job: job.name.to_owned(),
            seconds: start.elapsed().as_secs_f64(),
            peak_memory: memory::peak(),
        };
        writeln!(stdout(), "{}", to_json(&line)?)?;
    }
    Ok(())
}

/// What the server has of one scheme.
struct Party {
    scheme: Scheme,
    loaded: Loaded<keys::EvaluationKeys>,
    columns: Vec<Ciphertext>,
}

impl Party {
    fn load(wire: &Path, scheme: Scheme) -> Result<Self> {
        let loaded = keys::load_evaluation_keys(&wire.join(files::evaluation_key(scheme)))?;
        let input = EncryptedArray::read(&wire.join(files::input(scheme)), &loaded.context, &loaded.manifest)?;
        if input.array()?.length() != ROWS as u64 || loaded.context.scheme() != scheme {
            return Err(CliError::bad_file("this is not the demo's input").file(wire.join(files::input(scheme))));
        }
        Ok(Self { scheme, loaded, columns: input.ciphertexts })
    }

    /// Computes all programs of a job, several at a time, and writes their results to one file.
    fn run(&self, job: &Job, wire: &Path) -> Result<()> {
        let results = workers::map(job.programs.len(), |index| self.run_program(job, index))?;
        let shape = results.first().map(|(shape, _)| *shape);
        let length = match shape {
            Some(Shape::Vector(length)) => length,
            _ => 1,
        };
        let names = job.programs.iter().map(|program| program.name.clone()).collect();
        let ciphertexts: Vec<Ciphertext> = results.into_iter().flat_map(|(_, ciphertexts)| ciphertexts).collect();
        files::write_ciphertexts(
            &wire.join(job.output()),
            &self.loaded.context,
            &self.loaded.manifest,
            files::columns(self.scheme, length, names),
            &ciphertexts,
        )
    }

    fn run_program(&self, job: &Job, index: usize) -> Result<(Shape, Vec<Ciphertext>)> {
        let program = &job.programs[index];
        let missing = || CliError::bad_file("the input has too few columns");
        let inputs: Vec<&[Ciphertext]> = program
            .columns
            .iter()
            .map(|(column, _)| self.columns.get(*column).map(std::slice::from_ref).ok_or_else(missing))
            .collect::<Result<_>>()?;
        let first = inputs.first().and_then(|blocks| blocks.first()).ok_or_else(missing)?;
        let state = InputState { level: first.prime_count(), scale: first.scale() };
        let plan = program.plan(&self.loaded.context, state)?;
        let keys = EvaluationKeys { relin: self.loaded.key.relin.as_ref(), galois: self.loaded.key.galois.as_ref() };
        let result = execute(&plan, &self.loaded.context, keys, &inputs, &mut |_| {});
        let result = result.map_err(|error| CliError::failed(format!("{}: {error}", program.name)))?;
        Ok((plan.result_shape(), result))
    }
}
