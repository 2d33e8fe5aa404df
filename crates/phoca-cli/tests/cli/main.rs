//! The program as its users run it: real processes, real files.

mod convert;
mod exit_codes;
mod failures;
mod formats;
mod inspect;
mod parameters;
mod support;
mod transcripts;
mod workflow;
