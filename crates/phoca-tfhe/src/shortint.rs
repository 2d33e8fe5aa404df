//! Integers of a few bits, with room for carries.
//!
//! A ciphertext holds `m` as `m·Δ` on the torus, below a bit of padding; `m` may grow from the message into the carry above it.
//! Sums need no bootstrap; everything else is one, which evaluates any function of `m` ([`ServerKey::apply`]) or of a pair of
//! messages ([`ServerKey::apply_pair`]). Each ciphertext knows the largest value that it may hold (its degree) and a bound on its noise, as a
//! multiple of that of a bootstrap's result.
//!
//! Operations exist in four forms:
//!
//! | form | operands | result |
//! |---|---|---|
//! | `unchecked_add` | must fit | not cleaned |
//! | `checked_add` | an error if they do not fit | not cleaned |
//! | `smart_add` | cleaned in place if they do not fit | not cleaned |
//! | `add` | cleaned if they need it | carries empty |
//!
//! ```
//! use phoca_tfhe::params::MESSAGE_2_CARRY_2;
//! use phoca_tfhe::shortint::ClientKey;
//!
//! let client_key = ClientKey::generate(MESSAGE_2_CARRY_2)?;
//! let server_key = client_key.server_key()?.expand()?;
//! let (a, b) = (client_key.encrypt(3)?, client_key.encrypt(2)?);
//! let sum = server_key.unchecked_add(&a, &b)?;
//! assert_eq!(client_key.decrypt_message_and_carry(&sum)?, 5);
//! let product = server_key.mul(&a, &b)?;
//! assert_eq!(client_key.decrypt(&product)?, 3 * 2 % 4);
//! # Ok::<(), phoca_tfhe::Error>(())
//! ```

mod ciphertext;
mod client;
mod operations;
mod server;
mod signed;

pub use ciphertext::{Ciphertext, SeededCiphertext};
pub use client::ClientKey;
pub use server::{SeededServerKey, ServerKey, Table};
