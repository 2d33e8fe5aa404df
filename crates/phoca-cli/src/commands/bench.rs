//! `phoca bench`: Phoca next to the real peers, at the same parameters in the same run.

use std::fs;
use std::io::{Write, stdout};
use std::path::PathBuf;

use clap::{Args, Subcommand};
use phoca::ring::RingError;
use phoca::ring::arch::Arch;
use phoca_bench::{BenchError, Entry, Host, Options, Report, Suite, run as run_suite};

use crate::error::{CliError, Result};
use crate::ui::{Ui, to_json};

/// What to measure.
#[derive(Debug, Subcommand)]
pub enum BenchCommand {
    /// Every row of Microsoft SEAL's own benchmark, next to SEAL
    Seal(SealArgs),
    /// Six encrypted workloads that H33 publishes, next to SEAL
    H33(BenchArgs),
    /// The operations, errors and sizes of he-benchmark, next to SEAL
    HeBenchmark(BenchArgs),
    /// Encrypted booleans and integers, next to TFHE-rs
    Tfhe(BenchArgs),
}

/// Arguments of suite `seal`.
#[derive(Args, Debug)]
pub struct SealArgs {
    /// Measure in native, node, chromium, firefox or webkit, those but native next to node-seal
    #[arg(long, value_delimiter = ',', value_name = "HOST,…", value_parser = Host::from_name, conflicts_with = "threads")]
    hosts: Vec<Host>,
    #[command(flatten)]
    bench: BenchArgs,
}

/// Arguments of every suite.
#[derive(Args, Debug)]
pub struct BenchArgs {
    /// Fewer degrees and repetitions
    #[arg(long)]
    quick: bool,
    /// Ring degrees to measure; for tfhe, bits of integers
    #[arg(long, value_delimiter = ',', value_name = "N")]
    degrees: Option<Vec<usize>>,
    /// Only rows with one of these in `n/scheme/operation`, such as `ckks/evaluaterotate`
    #[arg(long, value_delimiter = ',', value_name = "TEXT,…")]
    filter: Vec<String>,
    /// Turns that each side takes in a row [default: 5, with --quick 3]
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u16).range(1..))]
    rounds: Option<u16>,
    /// Phoca's threads, and TFHE-rs's; SEAL has one
    #[arg(long, value_name = "COUNT", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..))]
    threads: u16,
    /// Phoca's kernels: portable, avx2 or ifma [default: the best that this processor has]
    #[arg(long, value_name = "NAME")]
    arch: Option<String>,
    /// Write a chart of the ratios
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// The folder of the peers' drivers, set up by its `setup.sh`
    #[arg(long, value_name = "DIR", default_value = "bench/peers")]
    peers: PathBuf,
    /// Where `--json` writes its array of rows; without it, to standard output in place of Markdown
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
}

/// Prints a Markdown table, or an array of rows with `--json`.
pub fn run(command: &BenchCommand, ui: &Ui) -> Result<()> {
    let (suite, args) = match command {
        BenchCommand::Seal(args) if args.hosts.is_empty() => (Suite::Seal, &args.bench),
        BenchCommand::Seal(args) => (Suite::SealHosts, &args.bench),
        BenchCommand::H33(args) => (Suite::H33, args),
        BenchCommand::HeBenchmark(args) => (Suite::HeBenchmark, args),
        BenchCommand::Tfhe(args) => (Suite::Tfhe, args),
    };
    if args.file.is_some() && !ui.json {
        return Err(CliError::usage("a FILE is for --json").hint("phoca bench seal --json FILE"));
    }
    select_kernels(args)?;
    let mut options = args.options();
    if let BenchCommand::Seal(args) = command {
        options.hosts.clone_from(&args.hosts);
    }
    // With a file, standard output is for people.
    let ui = Ui { json: ui.json && args.file.is_none(), ..*ui };
    let report = run_suite(suite, &options, |entry| ui.note(progress(entry)))?;
    write_files(args, &report)?;
    match ui.json {
        true => writeln!(stdout(), "{}", to_json(&report.entries)?)?,
        false => write!(stdout(), "{}", report.markdown())?,
    }
    for entry in report.slower_rows() {
        ui.warn(format!("slower than the peer: {}", progress(entry)));
    }
    Ok(())
}

impl BenchArgs {
    fn options(&self) -> Options {
        let mut options = Options::new(&self.peers, self.quick);
        options.degrees.clone_from(&self.degrees);
        options.filters.clone_from(&self.filter);
        options.rounds = self.rounds.map_or(options.rounds, usize::from);
        options.threads = usize::from(self.threads);
        options
    }
}

/// Before anything is built: the kernels are those of the whole process.
fn select_kernels(args: &BenchArgs) -> Result<()> {
    let unusable = |error: RingError| CliError::usage(error.to_string()).hint("phoca doctor");
    args.arch.as_ref().map_or(Ok(()), |name| Arch::from_name(name).and_then(Arch::select).map_err(unusable))
}

fn progress(entry: &Entry) -> String {
    match (entry.ratio, &entry.quality) {
        (Some(ratio), _) => format!("{}: {ratio:.2} times as fast", entry.name()),
        (None, Some(fact)) if fact.limit.is_some() => format!("{}: {:.2} {}", entry.name(), fact.ours, fact.measure),
        (None, _) => format!("{}: {:.1} µs", entry.name(), entry.ours_us),
    }
}

fn write_files(args: &BenchArgs, report: &Report) -> Result<()> {
    if let Some(path) = &args.file {
        fs::write(path, to_json(&report.entries)? + "\n")?;
    }
    if let Some(path) = &args.svg {
        fs::write(path, report.svg())?;
    }
    Ok(())
}

impl From<BenchError> for CliError {
    fn from(error: BenchError) -> Self {
        match error {
            BenchError::Phoca(error) => error.into(),
            BenchError::NoScript { .. } => {
                Self::usage(error.to_string()).hint(concat!("git clone ", env!("CARGO_PKG_REPOSITORY")))
            }
            BenchError::Peer { .. } => Self::failed(error.to_string()).hint("bench/peers/setup.sh"),
            BenchError::UnknownDegree { .. } | BenchError::NoRow { .. } => {
                Self::usage(error.to_string()).hint("phoca help bench")
            }
            _ => Self::failed(error.to_string()),
        }
    }
}
