//! The commands, each in a file of its own.

pub mod bench;
pub mod completions;
pub mod convert;
pub mod decrypt;
pub mod demo;
pub mod doctor;
pub mod encrypt;
pub mod eval;
pub mod inspect;
pub mod keygen;
pub mod man;
pub mod params;

use crate::cli::Command;
use crate::error::Result;
use crate::ui::Ui;

/// Runs a command.
pub fn run(command: &Command, ui: &Ui) -> Result<()> {
    match command {
        Command::Params(args) => params::run(args, ui),
        Command::Keygen(args) => keygen::run(args, ui),
        Command::Encrypt(args) => encrypt::run(args, ui),
        Command::Eval(args) => eval::run(args, ui),
        Command::Decrypt(args) => decrypt::run(args, ui),
        Command::Demo(args) => demo::run(args, ui),
        Command::DemoServer(args) => demo::run_server(args),
        Command::Inspect(args) => inspect::run(args, ui),
        Command::Convert(args) => convert::run(args, ui),
        Command::Bench(args) => bench::run(args, ui),
        Command::Doctor => doctor::run(ui),
        Command::Completions(args) => completions::run(args),
        Command::Man(args) => man::run(args),
    }
}
