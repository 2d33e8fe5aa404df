//! BFV, BGV and CKKS over the ring `Z[X]/(X^n + 1)`, with Microsoft SEAL's semantics and files.
//!
//! The modules follow the data: [`params`] → [`context`] → [`keys`] → [`encode`] → encryption →
//! evaluation → decryption; [`seal`] reads and writes SEAL's files; [`noise`] bounds the error of each
//! ciphertext before it is decrypted.
#![cfg_attr(not(feature = "std"), no_std)]

extern crate alloc;

pub mod bfv;
pub mod bgv;
pub mod ciphertext;
pub mod ckks;
pub mod context;
mod decrypt;
pub mod encode;
mod encrypt;
mod error;
mod evaluate;
pub mod exact;
pub mod keys;
mod keyset;
pub mod noise;
mod parallel;
pub mod params;
pub mod plaintext;
mod randomness;
#[cfg(feature = "std")]
pub mod seal;
mod validity;

pub use ciphertext::Ciphertext;
pub use context::{Context, ContextBuilder, Level};
pub use decrypt::Decryptor;
pub use encode::{BatchEncoder, CkksEncoder};
pub use encrypt::Encryptor;
pub use error::{Detail as ErrorDetail, Details as ErrorDetails, Error, ParameterError};
pub use evaluate::Evaluator;
pub use keys::{GaloisKeys, GaloisSelection, KeyGenerator, KeySwitchKey, PublicKey, RelinKeys, SecretKey};
pub use keyset::{EvaluationKeys, Keygen, Keys};
pub use noise::NoiseBound;
pub use params::{Parameters, ParmsId, Scheme, Security, SecurityLevel, SecurityTable, coeff_modulus, plain_modulus};
pub use plaintext::Plaintext;
