//! Phoca: homomorphic encryption in one library.
//!
//! This is the crate to depend on. It re-exports the scheme crates: [`phoca_rlwe`] with BFV, BGV and CKKS, [`tfhe`], and below
//! both [`ring`], the arithmetic.
#![cfg_attr(not(feature = "std"), no_std)]

pub use phoca_ring as ring;
pub use phoca_rlwe::*;
pub use phoca_tfhe as tfhe;

/// The examples of the README, as tests.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;
