//! `phoca bench`: Phoca next to the real peers, at the same parameters and on one thread.

use std::io::{Write, stdout};
use std::path::PathBuf;

use clap::{Args, Subcommand};
use phoca_bench::{BenchError, seal};

use crate::error::{CliError, Result};
use crate::ui::{Ui, to_json};

/// What to measure.
#[derive(Debug, Subcommand)]
pub enum BenchCommand {
    /// Microsoft SEAL, through its Python wheel
    Seal(SealArgs),
}

/// Arguments of `phoca bench seal`.
#[derive(Args, Debug)]
pub struct SealArgs {
    /// Degrees 4096, 8192 and 16384 only
    #[arg(long)]
    quick: bool,
    /// Degrees to measure
    #[arg(long, value_delimiter = ',', conflicts_with = "quick")]
    degrees: Option<Vec<usize>>,
    /// Only rows with this in `scheme/operation`, such as `ckks/rotate`
    #[arg(long, value_name = "TEXT")]
    filter: Option<String>,
    /// Turns that each side takes in a row
    #[arg(long, default_value_t = 5)]
    rounds: usize,
    /// The folder of the peers' drivers, set up by its `setup.sh`
    #[arg(long, value_name = "DIR", default_value = "bench/peers")]
    peers: PathBuf,
}

/// Prints a Markdown table, or one JSON object with `--json`.
pub fn run(command: &BenchCommand, ui: &Ui) -> Result<()> {
    let BenchCommand::Seal(args) = command;
    let mut options = seal::Options::quick(&args.peers);
    match (&args.degrees, args.quick) {
        (Some(degrees), _) => options.degrees.clone_from(degrees),
        (None, true) => {}
        (None, false) => options.degrees.extend([1024, 2048, 32768]),
    }
    options.degrees.sort_unstable();
    options.filter.clone_from(&args.filter);
    options.rounds = args.rounds.max(1);
    let report = seal::run(&options, |row| {
        ui.note(format!("{} {} {}: {:.2} times as fast", row.degree, row.scheme, row.name, row.ratio()));
    })?;
    match ui.json {
        true => writeln!(stdout(), "{}", to_json(&report)?)?,
        false => write!(stdout(), "{}", report.markdown())?,
    }
    for row in report.slower_rows() {
        ui.warn(format!("slower than the peer: {} {} {} ({:.2})", row.degree, row.scheme, row.name, row.ratio()));
    }
    Ok(())
}

impl From<BenchError> for CliError {
    fn from(error: BenchError) -> Self {
        match error {
            BenchError::Phoca(error) => error.into(),
            BenchError::Peer { .. } => Self::failed(error.to_string()).hint("bench/peers/setup.sh"),
            _ => Self::failed(error.to_string()),
        }
    }
}
