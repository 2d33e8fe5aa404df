//! The program `phoca`; everything is in the library beside it, so that fuzz targets reach its readers.

use std::process::ExitCode;

fn main() -> ExitCode {
    phoca_cli::run()
}
