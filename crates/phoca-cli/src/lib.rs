//! The program `phoca`: homomorphic encryption from the command line.
//!
//! Standard output carries data only; everything else goes to standard error. The exit codes are in `src/error.rs`.

mod array;
mod cli;
mod commands;
mod container;
mod demo;
mod error;
mod expression;
mod inspect;
mod interrupt;
mod keys;
mod output;
mod parameters;
mod ui;
mod values;

use std::process::ExitCode;

use clap::Parser;
use phoca::ring::RingError;
use phoca::ring::arch::Arch;

use error::CliError;
use ui::Ui;

/// Runs the program with the arguments of the process.
pub fn run() -> ExitCode {
    let cli = match cli::Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return command_line_error(&error),
    };
    cli.global.color.write_global();
    let ui = cli.global.ui();
    let run = || {
        check_requested_kernels()?;
        interrupt::install_handler()?;
        commands::run(&cli.command, &ui)
    };
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        // Whoever read standard output has seen enough.
        Err(error) if error.broken_pipe => ExitCode::SUCCESS,
        Err(error) => {
            ui.error(&error);
            ExitCode::from(error.code as u8)
        }
    }
}

/// The library takes portable kernels where it cannot have those that the environment names; who asks here is told.
fn check_requested_kernels() -> error::Result<()> {
    let unusable = |error: RingError| CliError::usage(format!("PHOCA_ARCH: {error}")).hint("unset PHOCA_ARCH");
    Arch::requested().map(drop).map_err(unusable)
}

/// Prints help and the errors that clap finds; the latter as JSON where `--json` is among the arguments.
fn command_line_error(error: &clap::Error) -> ExitCode {
    let arguments = std::env::args_os().skip(1);
    let json = arguments.take_while(|argument| argument != "--").any(|argument| argument == "--json");
    if !json || !error.use_stderr() {
        error.exit();
    }
    let text = error.render().to_string();
    // What follows is usage, for people.
    let message = text.split("\n\n").next().unwrap_or_default().trim_start_matches("error: ");
    let error = CliError::usage(message).hint("phoca help COMMAND");
    Ui { json, ..Ui::default() }.error(&error);
    ExitCode::from(error.code as u8)
}

/// What the fuzz targets run: each reader of outside bytes, which says whether it accepts them.
#[doc(hidden)]
pub mod fuzzing {
    use std::path::Path;

    use crate::container::{ContainerReader, Kind};
    use crate::expression;
    use crate::values::{csv, json, npy};

    /// A container: its manifest, then every object as the manifest's kind names it (of
    /// evaluation keys those for products).
    pub fn container(data: &[u8]) -> bool {
        let reader = Box::new(std::io::Cursor::new(data.to_vec()));
        let name = Path::new("input");
        let read = || {
            let mut reader = ContainerReader::new(reader, name, Some(data.len() as u64))?;
            let context = reader.context()?;
            for _ in 0..reader.manifest().objects {
                match reader.manifest().kind {
                    Kind::Parameters => reader.parameters_object()?,
                    Kind::SecretKey => drop(reader.object::<phoca::SecretKey>(&context)?),
                    Kind::PublicKey => drop(reader.object::<phoca::PublicKey>(&context)?),
                    Kind::EvaluationKey => drop(reader.object::<phoca::RelinKeys>(&context)?),
                    Kind::Ciphertexts => drop(reader.object::<phoca::Ciphertext>(&context)?),
                }
            }
            reader.finish()
        };
        read().is_ok()
    }

    /// A table in CSV.
    pub fn csv_table(data: &[u8]) -> bool {
        csv::read(data, &[]).is_ok()
    }

    /// An array in JSON.
    pub fn json_array(data: &[u8]) -> bool {
        json::read(data).is_ok()
    }

    /// An array in NumPy's format.
    pub fn npy_array(data: &[u8]) -> bool {
        npy::read(data).is_ok()
    }

    /// An expression.
    pub fn expression_text(data: &[u8]) -> bool {
        std::str::from_utf8(data).is_ok_and(|text| expression::parse(text).is_ok())
    }
}
