//! Encoders between values and plaintexts.
//!
//! * [`BatchEncoder`]: BFV and BGV, a vector of integers modulo `t` in the slots of one plaintext.
//! * [`CkksEncoder`]: CKKS, a vector of real or complex numbers.
//! * [`text`]: polynomials in SEAL's notation, such as `1Fx^3 + 2x^1 + 7`.

mod batch;
mod ckks;
pub mod text;

pub use batch::BatchEncoder;
pub use ckks::CkksEncoder;
pub(crate) use ckks::Slots;
