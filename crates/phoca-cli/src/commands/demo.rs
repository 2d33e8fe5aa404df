//! `phoca demo`: the main job on real data, and the hidden command that is its server.

use std::io::Write;
use std::path::PathBuf;

use clap::Args;

use crate::demo;
use crate::error::{CliError, ExitCode, Result};
use crate::interrupt;
use crate::output::{Output, Purpose};
use crate::ui::Ui;

/// Arguments of `demo`.
#[derive(Args, Debug)]
pub struct DemoArgs {
    /// Work in this directory, which gets `client`, `server` and `wire`, and keep it [default: a temporary one]
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
}

/// Arguments of `demo-server`.
#[derive(Args, Debug)]
pub struct DemoServerArgs {
    /// The directory with what the client sent, which gets the results
    #[arg(long, value_name = "DIR")]
    wire: PathBuf,
    /// The server's own directory
    #[arg(long, value_name = "DIR")]
    dir: PathBuf,
}

/// Plays client, wire and server; fails unless every promise is kept.
pub fn run(args: &DemoArgs, ui: &Ui) -> Result<()> {
    let temporary = match &args.dir {
        Some(_) => None,
        None => Some(interrupt::uninterrupted(|temporary| {
            let directory = tempfile::Builder::new().prefix("phoca-demo-").tempdir()?;
            // It will hold secret keys, which must not stay behind.
            temporary.add(directory.path());
            Ok::<_, CliError>(directory)
        })?),
    };
    let directory = match (&args.dir, &temporary) {
        (Some(directory), _) => directory.as_path(),
        (None, Some(temporary)) => temporary.path(),
        (None, None) => return Err(CliError::failed("there is no work directory")),
    };
    ui.note(
        "A client encrypts 569 rows of 30 features; a server without the secret key computes; the client decrypts.\n",
    );
    let report = demo::run_client(directory, ui)?;
    match ui.json {
        true => ui.report(&report.json(), false)?,
        false => {
            let mut output = Output::create(None, Purpose::Text)?;
            output.write_all(report.table().as_bytes())?;
            output.commit()?;
        }
    }
    match report.is_kept() {
        true => Ok(()),
        false => Err(CliError::new(
            ExitCode::Failed,
            "a result differs from the plain computation by more than was promised",
        )),
    }
}

/// Computes on what is on the wire.
pub fn run_server(args: &DemoServerArgs) -> Result<()> {
    demo::run_server(&args.wire, &args.dir)
}
