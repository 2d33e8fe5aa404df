//! `phoca completions`: scripts for shells.

use std::io::{Write, stdout};

use clap::{Args, CommandFactory};
use clap_complete::Shell;

use crate::cli::Cli;
use crate::error::Result;

/// Arguments of `completions`.
#[derive(Args, Debug)]
pub struct CompletionsArgs {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
}

/// Prints the script.
pub fn run(args: &CompletionsArgs) -> Result<()> {
    // To memory first: the generator panics where writing fails, as to a closed pipe.
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "phoca", &mut script);
    stdout().write_all(&script)?;
    Ok(stdout().flush()?)
}
