//! The program `phoca`: homomorphic encryption from the command line.
//!
//! Standard output carries data only; everything else goes to standard error. [`error::ExitCode`] lists the exit codes.

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
mod suggest;
mod ui;
mod values;

use std::process::ExitCode;

use clap::Parser;

fn main() -> ExitCode {
    let cli = cli::Cli::parse();
    cli.global.color.write_global();
    let ui = cli.global.ui();
    match interrupt::install_handler().and_then(|()| commands::run(&cli.command, &ui)) {
        Ok(()) => ExitCode::SUCCESS,
        // Whoever read standard output has seen enough.
        Err(error) if error.broken_pipe => ExitCode::SUCCESS,
        Err(error) => {
            ui.error(&error);
            ExitCode::from(error.code as u8)
        }
    }
}
