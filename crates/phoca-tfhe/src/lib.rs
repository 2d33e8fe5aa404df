//! TFHE: encrypted booleans and integers with programmable bootstrapping.
//!
//! A torus element `t` in `[0, 1)` is the word `2^64·t`, or `2^32·t` in 32 bits; sums wrap around. Secrets are uniform binary.
//! With a secret `s` an LWE ciphertext `(a, b)` has the phase `b - Σ a_i·s_i`; that of a GLWE ciphertext is the same over
//! `Z[X]/(X^N + 1)` (CGGI, ePrint 2018/421).
//!
//! ```text
//! lwe ──► key_switch ──► modulus_switch ──► bootstrap (blind rotation, sample extraction) ──► lwe
//! ```
#![cfg_attr(not(feature = "std"), no_std)]

extern crate alloc;

pub mod boolean;
pub mod bootstrap;
mod error;
pub mod evaluation;
#[cfg(feature = "std")]
pub mod files;
pub mod glwe;
#[cfg(feature = "std")]
pub mod high_level;
pub mod integer;
pub mod key_switch;
pub mod lookup;
pub mod lwe;
pub mod modulus_switch;
pub mod noise;
mod parallel;
pub mod params;
pub mod shortint;
mod torus;

pub use error::Error;
#[cfg(feature = "std")]
pub use high_level::*;
pub use torus::Torus;
