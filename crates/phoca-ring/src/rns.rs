//! Bases of several coprime moduli: conversion between them, division by the last one, scaling.
//!
//! An integer modulo `Q = q_0⋯q_{k-1}` is held as its residues modulo each `q_i` (residue number system, RNS). A
//! polynomial of `n` coefficients is `k·n` words, limb-major: the residue modulo `q_i` of coefficient `c` is word
//! `i·n + c`. Residues are in `[0, q_i)` everywhere here; "centred" means the representative in `(-Q/2, Q/2]`.
//!
//! * [`RnsBasis`]: the moduli and conversion to and from integers and doubles.
//! * [`BaseConverter`]: from one basis to another, with or without the exact multiple of `Q`.
//! * [`Division`]: division by one or two moduli with rounding; with BGV's congruence modulo `t` where it is wanted.
//! * [`PlainConverter`]: to a plain modulus, with or without scaling: decryption.
//! * [`ScaleRounder`]: `round(t/Q·x)` and `round(P/Q·x)` for BFV's multiplication; [`auxiliary_basis`] chooses its
//!   second basis.
//!
//! Quotients by `Q` are estimated in 64-bit to 192-bit fixed point instead of double precision, in the manner of
//! Halevi, Polyakov and Shoup, "An Improved RNS Variant of the BFV Homomorphic Encryption Scheme" (ePrint 2018/117,
//! section 2). Every function says for which values its result is exact.
//!
//! Scratch memory comes from the caller, holds values derived from the input afterwards, and need not be zeroed before.
//! Unless a function says otherwise its time depends on the moduli and the lengths alone.

mod auxiliary;
mod basis;
mod block;
mod convert;
mod divide;
pub(crate) mod float;
pub(crate) mod plain;
mod scale;
#[cfg(test)]
mod tests;

pub use auxiliary::{AuxiliaryPrimes, auxiliary_basis};
pub use basis::RnsBasis;
pub use block::Limbs;
pub use convert::BaseConverter;
pub use divide::Division;
pub use plain::PlainConverter;
pub use scale::ScaleRounder;
