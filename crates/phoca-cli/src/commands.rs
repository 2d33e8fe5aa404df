//! The commands, each in a file of its own.

pub mod decrypt;
pub mod encrypt;
pub mod eval;
pub mod keygen;

use crate::cli::Command;
use crate::error::Result;
use crate::ui::Ui;

/// Runs a command.
pub fn run(command: &Command, ui: &Ui) -> Result<()> {
    match command {
        Command::Keygen(args) => keygen::run(args, ui),
        Command::Encrypt(args) => encrypt::run(args, ui),
        Command::Eval(args) => eval::run(args, ui),
        Command::Decrypt(args) => decrypt::run(args, ui),
    }
}
