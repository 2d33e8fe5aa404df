//! Runs suite `seal`; an argument filters the rows, a second one gives the degrees.
#![allow(missing_docs)]
use phoca_bench::seal::{Options, run};

fn main() -> Result<(), phoca_bench::BenchError> {
    let mut options = Options::quick(std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/peers")));
    options.filter = std::env::args().nth(1).filter(|filter| !filter.is_empty());
    if let Some(degrees) = std::env::args().nth(2) {
        options.degrees = degrees.split(',').filter_map(|degree| degree.parse().ok()).collect();
    }
    let report = run(&options, |_| {})?;
    print!("{}", report.markdown());
    Ok(())
}
