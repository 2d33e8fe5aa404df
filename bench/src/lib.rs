//! The benchmarks behind `phoca bench`: each row of a table runs next to the real peer.
//!
//! A suite starts the peer's driver (see `bench/peers/README.md`), and for each row lets the peer and Phoca take turns in
//! short rounds, at the same parameters and on one thread. Results of both are checked before they are timed.

mod error;
mod peer;
mod report;
pub mod seal;
mod session;

pub use error::BenchError;
pub use report::{Report, Row, Sample};
