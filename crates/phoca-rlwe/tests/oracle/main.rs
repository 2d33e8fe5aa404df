//! Every operation of the crate against a plain model in integers of any size.
//!
//! The model (`big`, `model`) knows the definitions only: polynomials over `Z` modulo `X^n + 1`, Chinese remainders,
//! transforms of `O(n²)` and the schemes' own formulas. It reads the words of ciphertexts, plaintexts and public keys,
//! and shares no arithmetic with the crate. Where an operation is exact modulo `Q` the tests compare every coefficient;
//! where it adds noise they compare with the exact formula on the same key, and the noise with its worst case.
#![allow(missing_docs, clippy::unwrap_used)]

mod approximate;
mod behz;
mod big;
mod checks;
mod digests;
mod encoders;
mod encryption;
mod errors;
mod fused;
mod levels;
mod limits;
mod linear;
mod model;
mod parameters;
mod party;
mod plain;
mod products;
mod refusals;
mod spots;
mod switching;
mod transparency;
