//! The command line as a whole; each command's own arguments are beside its code.

use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::commands::{bench, completions, convert, decrypt, demo, encrypt, eval, inspect, keygen, man, params};
use crate::ui::Ui;

/// Compute on data that stays encrypted, with BFV, BGV and CKKS and Microsoft SEAL's files.
#[derive(Debug, Parser)]
#[command(name = "phoca", version, max_term_width = 100, after_help = EXIT_CODES)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
    /// Options of every command.
    #[command(flatten)]
    pub global: GlobalArgs,
}

/// What `phoca help` and the manual page end with; [`crate::error::ExitCode`] in words.
pub const EXIT_CODES: &str = "\
Exit codes:
  0    success
  1    the operation failed
  2    the command line is wrong
  3    an input file is damaged, of the wrong kind or of an unsupported version
  4    keys, parameters and data do not belong together, or a key is missing
  5    the noise budget, the levels or the precision are used up
  6    the parameters are insecure and --insecure was not given
  74   reading or writing failed
  130  interrupted";

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Suggest, show and check encryption parameters
    #[command(subcommand)]
    Params(Box<params::ParamsCommand>),
    /// Make a secret key, a public key and an evaluation key
    Keygen(Box<keygen::KeygenArgs>),
    /// Encrypt numbers or a polynomial
    Encrypt(encrypt::EncryptArgs),
    /// Evaluate an expression over encrypted numbers
    Eval(eval::EvalArgs),
    /// Decrypt a file of ciphertexts
    Decrypt(decrypt::DecryptArgs),
    /// Run the main job on real data: client, server and wire
    Demo(demo::DemoArgs),
    /// The server of the demo
    #[command(hide = true)]
    DemoServer(demo::DemoServerArgs),
    /// Say what files are, without any key
    Inspect(inspect::InspectArgs),
    /// Turn Phoca's files into Microsoft SEAL's, and back
    Convert(convert::ConvertArgs),
    /// Measure Phoca next to the real peers
    #[command(subcommand)]
    Bench(bench::BenchCommand),
    /// Show the processor's abilities and test every scheme
    Doctor,
    /// Print a script of completions for a shell
    Completions(completions::CompletionsArgs),
    /// Print the manual page, or write one for each command
    Man(man::ManArgs),
}

/// Options of every command.
#[derive(Args, Clone, Copy, Debug)]
#[command(next_help_heading = "Global options")]
pub struct GlobalArgs {
    /// Report in JSON, one object with a `schema` in each line
    #[arg(long, global = true)]
    pub json: bool,
    /// Report errors only
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    pub quiet: bool,
    /// Report details
    #[arg(short, long, global = true)]
    pub verbose: bool,
    /// When to use colors
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    pub color: ColorArg,
}

/// When to use colors.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum ColorArg {
    /// Where standard error is a terminal and NO_COLOR is not set
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

impl GlobalArgs {
    /// The settings for messages.
    pub fn ui(&self) -> Ui {
        Ui { json: self.json, quiet: self.quiet, verbose: self.verbose }
    }
}

impl ColorArg {
    /// Makes all output follow the choice.
    pub fn write_global(self) {
        match self {
            Self::Auto => anstream::ColorChoice::Auto,
            Self::Always => anstream::ColorChoice::Always,
            Self::Never => anstream::ColorChoice::Never,
        }
        .write_global();
    }
}
