//! The benchmarks behind `phoca bench`: each row of a table runs next to the real peer.
//!
//! A suite starts the peer's driver (see `bench/peers/README.md`), and for each row lets the peer and Phoca take turns in
//! short rounds, at the same parameters. The results of both are checked before they are timed. Every suite gives the
//! same [`Entry`] for a row, whatever it measures.

mod bars;
mod chart;
mod error;
mod h33;
mod he_benchmark;
mod hosts;
mod peer;
mod published;
mod report;
mod run;
mod sample;
mod seal;
mod tfhe;

pub use error::BenchError;
pub use hosts::Host;
pub use report::{Entry, Report};
pub use run::{Options, Suite, run};
pub use sample::Sample;
