//! Residue rings for homomorphic encryption.
//!
//! Everything here works on the negacyclic ring `Z_q[X]/(X^n + 1)`, with `n` a power of two and `q` a product of
//! distinct primes, in residue number system (RNS) form, or `2^64`. No encryption scheme is in this crate.
//!
//! * [`modulus`]: arithmetic modulo one word-sized integer; [`primes`]: primes and roots of unity.
//! * [`ntt`]: the negacyclic number-theoretic transform in Microsoft SEAL's order.
//! * [`rns`]: bases of several primes, conversion between them, division by the last prime.
//! * [`message`]: messages modulo a plain modulus on their way into a ring.
//! * [`galois`]: automorphisms `X ↦ X^g`; [`slots`]: the order of slots; [`embedding`]: the canonical embedding of CKKS.
//! * [`fourier`]: the same ring modulo `2^64` by floating-point transforms; [`torus`]: sums of rows modulo `2^64`.
//! * [`random`]: seeded streams, among them SEAL's; [`sample`]: uniform, ternary, binomial and Gaussian polynomials.
//! * [`arch`]: the instruction sets for which kernels exist. All `unsafe` code of the project is below it.
#![cfg_attr(not(feature = "std"), no_std)]

extern crate alloc;

pub mod arch;
pub mod buffer;
mod columns;
pub mod embedding;
mod error;
pub mod fourier;
pub mod galois;
pub mod message;
pub mod modulus;
pub mod ntt;
pub mod primes;
pub mod random;
pub mod rns;
mod roots;
pub mod sample;
pub mod slots;
pub mod torus;

pub use buffer::{Buffer, BufferPool};
pub use error::RingError;
pub use modulus::{Modulus, Shoup};
pub use ntt::NttTables;
