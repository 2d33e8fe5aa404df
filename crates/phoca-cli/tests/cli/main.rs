//! The program as its users run it: real processes, real files.
#![allow(clippy::unwrap_used, reason = "a failed unwrap in a test is a failed test, in its helpers too")]

mod bench;
mod convert;
mod exit_codes;
mod failures;
mod formats;
mod inspect;
mod parameters;
mod support;
mod transcripts;
mod workflow;
