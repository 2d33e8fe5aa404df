//! `phoca man`: manual pages.

use std::fs;
use std::io::{Write, stdout};
use std::path::PathBuf;

use clap::{Args, CommandFactory};
use clap_mangen::Man;

use crate::cli::Cli;
use crate::error::{CliError, Result};
use crate::output::{Output, Purpose};

/// Arguments of `man`.
#[derive(Args, Debug)]
pub struct ManArgs {
    /// Directory for a page of each command, such as phoca-keygen.1
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,
}

/// Prints the page of the program, or writes all pages.
pub fn run(args: &ManArgs) -> Result<()> {
    let mut command = Cli::command();
    command.build();
    let Some(directory) = &args.output else {
        let mut page = Vec::new();
        Man::new(command).render(&mut page)?;
        stdout().write_all(&page)?;
        return Ok(stdout().flush()?);
    };
    fs::create_dir_all(directory).map_err(|error| CliError::from(error).file(directory))?;
    let mut outputs = Vec::new();
    let mut pages = vec![("phoca".to_owned(), command)];
    while let Some((name, command)) = pages.pop() {
        for inner in command.get_subcommands().filter(|inner| inner.get_name() != "help" && !inner.is_hide_set()) {
            pages.push((format!("{name}-{}", inner.get_name()), inner.clone()));
        }
        let path = directory.join(format!("{name}.1"));
        let mut output = Output::create(Some(&path), Purpose::Text)?;
        Man::new(command).render(&mut output).map_err(|error| CliError::from(error).file(&path))?;
        outputs.push(output);
    }
    Output::commit_all(outputs)
}
