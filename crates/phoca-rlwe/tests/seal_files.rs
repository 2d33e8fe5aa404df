//! Microsoft SEAL's files: those of other libraries, our own, and broken ones.
#![allow(clippy::unwrap_used, reason = "a failed unwrap in a test is a failed test")]

#[path = "seal_files/broken.rs"]
mod broken;
#[path = "seal_files/foreign.rs"]
mod foreign;
#[path = "seal_files/own.rs"]
mod own;
#[path = "seal_files/raw.rs"]
mod raw;
#[path = "seal_files/support.rs"]
mod support;
