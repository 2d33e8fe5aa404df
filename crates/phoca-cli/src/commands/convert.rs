//! `phoca convert`: Phoca's files into objects of Microsoft SEAL, and back.

mod from_seal;
mod to_seal;

use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use phoca::seal::{Compression, SaveOptions, Seeding, Version};

use crate::container::{Dtype, MAGIC};
use crate::error::{CliError, Result};
use crate::parameters::SecurityArgs;
use crate::ui::Ui;

/// Arguments of `convert`.
#[derive(Args, Debug)]
pub struct ConvertArgs {
    /// Files of Phoca, or files of Microsoft SEAL that make one file of Phoca
    #[arg(required = true)]
    inputs: Vec<PathBuf>,
    /// File, or for files of SEAL a directory (existing, or written with a / at the end), `-` for standard output
    #[arg(short, long, value_name = "PATH")]
    output: Option<PathBuf>,
    #[command(flatten)]
    to_seal: ToSealArgs,
    #[command(flatten)]
    from_seal: FromSealArgs,
    #[command(flatten)]
    security: SecurityArgs,
}

/// How SEAL's files are written.
#[derive(Args, Debug)]
#[command(next_help_heading = "To Microsoft SEAL")]
pub struct ToSealArgs {
    /// Version of SEAL that is to read the files [default: 4.1]
    #[arg(long, value_enum, value_name = "VERSION")]
    seal_version: Option<VersionArg>,
    /// Compression [default: none]
    #[arg(long, value_enum, value_name = "METHOD")]
    compression: Option<CompressionArg>,
    /// Write polynomials in full where a seed would do
    #[arg(long)]
    full: bool,
}

/// What SEAL's files do not say.
#[derive(Args, Debug)]
#[command(next_help_heading = "From Microsoft SEAL")]
pub struct FromSealArgs {
    /// Parameters: parms.seal or any file of Phoca; not needed where parameters are among the inputs
    #[arg(long, value_name = "FILE")]
    parameters: Option<PathBuf>,
    /// How many values there are [default: all slots]
    #[arg(long, value_name = "N")]
    length: Option<u64>,
    /// Type of the values [default: float64 for CKKS, else int64]
    #[arg(long, value_enum, value_name = "TYPE")]
    dtype: Option<DtypeArg>,
}

/// Types of values as arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum DtypeArg {
    /// Complex numbers, in CKKS
    Complex128,
    /// Real numbers, in CKKS
    Float64,
    /// Signed integers, in BFV and BGV
    Int64,
    /// Polynomials, in BFV and BGV
    Polynomial,
    /// Unsigned integers, in BFV and BGV
    Uint64,
}

impl From<DtypeArg> for Dtype {
    fn from(dtype: DtypeArg) -> Self {
        match dtype {
            DtypeArg::Complex128 => Self::Complex128,
            DtypeArg::Float64 => Self::Float64,
            DtypeArg::Int64 => Self::Int64,
            DtypeArg::Polynomial => Self::Polynomial,
            DtypeArg::Uint64 => Self::Uint64,
        }
    }
}

/// Versions of SEAL as arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum VersionArg {
    /// SEAL 4.0
    #[value(name = "4.0")]
    V4_0,
    /// SEAL 4.1, node-seal 5.1 to 7.0, TenSEAL up to 0.3.16
    #[value(name = "4.1")]
    V4_1,
    /// SEAL 4.3, TenSEAL from 0.3.17
    #[value(name = "4.3")]
    V4_3,
    /// SEAL 4.4
    #[value(name = "4.4")]
    V4_4,
}

/// Compressions as arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum CompressionArg {
    /// No compression
    None,
    /// zlib
    Zlib,
    /// Zstandard
    Zstd,
}

impl FromSealArgs {
    /// Refuses what has no meaning for files of Phoca.
    fn check_unused(&self) -> Result<()> {
        unused(self.parameters.is_some(), "--parameters", "from")?;
        unused(self.length.is_some(), "--length", "from")?;
        unused(self.dtype.is_some(), "--dtype", "from")
    }
}

impl ToSealArgs {
    /// Refuses what has no meaning for files of SEAL.
    fn check_unused(&self) -> Result<()> {
        unused(self.seal_version.is_some(), "--seal-version", "to")?;
        unused(self.compression.is_some(), "--compression", "to")?;
        unused(self.full, "--full", "to")
    }

    fn options(&self) -> SaveOptions {
        SaveOptions {
            compression: match self.compression.unwrap_or(CompressionArg::None) {
                CompressionArg::None => Compression::None,
                CompressionArg::Zlib => Compression::Zlib,
                CompressionArg::Zstd => Compression::Zstd,
            },
            version: match self.seal_version.unwrap_or(VersionArg::V4_1) {
                VersionArg::V4_0 => Version::V4_0,
                VersionArg::V4_1 => Version::V4_1,
                VersionArg::V4_3 => Version::V4_3,
                VersionArg::V4_4 => Version::V4_4,
            },
            seeding: if self.full { Seeding::Full } else { Seeding::Keep },
        }
    }
}

/// Converts in the direction that the inputs call for.
pub fn run(args: &ConvertArgs, ui: &Ui) -> Result<()> {
    let containers = args.inputs.iter().map(|path| is_container(path)).collect::<Result<Vec<_>>>()?;
    if containers.iter().all(|&is_container| is_container) {
        args.from_seal.check_unused()?;
        return to_seal::run(args, ui);
    }
    match containers.iter().position(|&is_container| is_container) {
        None => {
            args.to_seal.check_unused()?;
            from_seal::run(args, ui)
        }
        Some(position) => Err(CliError::usage(
            "this is a file of Phoca, but others of the inputs are not; convert in one direction at a time",
        )
        .file(&args.inputs[position])),
    }
}

fn unused(given: bool, option: &str, direction: &str) -> Result<()> {
    match given {
        true => Err(CliError::usage(format!("{option} is for converting {direction} Microsoft SEAL"))),
        false => Ok(()),
    }
}

/// Whether a file starts as a container; what can be read once only, as standard input and pipes, is taken as one.
fn is_container(path: &Path) -> Result<bool> {
    let named = |error| CliError::from(error).file(path);
    if path.as_os_str() == "-" || !fs::metadata(path).map_err(named)?.is_file() {
        return Ok(true);
    }
    let mut start = Vec::new();
    let file = File::open(path).map_err(named)?;
    file.take(MAGIC.len() as u64).read_to_end(&mut start).map_err(named)?;
    Ok(start == MAGIC)
}
