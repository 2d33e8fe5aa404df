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

use error::CliError;
use ui::Ui;

fn main() -> ExitCode {
    let cli = match cli::Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return command_line_error(&error),
    };
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
