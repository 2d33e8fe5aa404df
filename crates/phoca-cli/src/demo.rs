//! The main job on real data: a client, a server that cannot decrypt, and the wire between them.
//!
//! The client encrypts the Wisconsin Diagnostic Breast Cancer table (569 rows × 30 features) with CKKS, the same features
//! as scaled integers with BGV, and the diagnoses with BFV. A server, which is a process of its own and is given evaluation
//! keys and ciphertexts only, computes a logistic regression's score of each row, the mean and the variance of each
//! feature, the number of malignant rows, and an integer score of each row. The client decrypts, and compares each result
//! with the same computation on plain numbers and with the bound that was promised before the run.
//!
//! `DIR/client` holds what only the client has, `DIR/wire` what is sent, `DIR/server` what the server keeps.

mod client;
mod data;
mod files;
mod job;
mod memory;
mod report;
mod server;
mod verdict;

pub use client::run as run_client;
pub use server::run as run_server;

/// The directories under the work directory.
pub const CLIENT: &str = "client";
/// See [`CLIENT`].
pub const SERVER: &str = "server";
/// See [`CLIENT`].
pub const WIRE: &str = "wire";
