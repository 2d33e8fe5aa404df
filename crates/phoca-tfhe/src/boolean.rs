//! Encrypted booleans, with a bootstrap in every gate.
//!
//! True is `1/8` on the torus and false is `-1/8`. A gate is the sign of a sum of its operands ([CGGI], section 4.3; Ducas and
//! Micciancio, ePrint 2014/816): the sum is below `1/2` where the result is true, and the bootstrap of the constant polynomial
//! `1/8` turns it into a fresh encryption.
//!
//! | gate | sum | margin | norm |
//! |---|---|---|---|
//! | and | `a + b - 1/8` | 1/8 | √2 |
//! | nand | `-a - b + 1/8` | 1/8 | √2 |
//! | or | `a + b + 1/8` | 1/8 | √2 |
//! | nor | `-a - b - 1/8` | 1/8 | √2 |
//! | xor | `2a + 2b + 1/4` | 1/4 | 2√2 |
//! | xnor | `-2a - 2b - 1/4` | 1/4 | 2√2 |
//! | mux | the signs of `c + a - 1/8` and `-c + b - 1/8`, plus `1/8` | 1/8 | √2 |
//!
//! A bootstrap fails where the noise of the sum, with what key and modulus switch add, exceeds the margin. The norm is that of
//! the sum's coefficients; it is `2` and `4` where both operands are one ciphertext.
//!
//! A multiplexer takes two bootstraps. Both signs are summed under the large key: at most one of them is true. Where bootstraps
//! come first, one key switch follows for both; where key switches come first, the sum is the result, and has twice the variance
//! of another gate's. In one bootstrap it cannot be done: an integer combination of three operands tells four points of the
//! circle apart, of which opposite ones have opposite values, and no such combination is the multiplexer.
//!
//! What the sum costs the next gate is little, as the bootstrap's noise is the least part. By the model of
//! [`noise_model`](crate::params::noise_model), with [`BOOLEAN_DEFAULT_KS_PBS`](crate::params::BOOLEAN_DEFAULT_KS_PBS) an AND gate
//! fails with a probability of `2^-255` for two results of gates, `2^-252` for two of multiplexers, and `2^-246` for one of a
//! multiplexer with itself, the worst case of all. With [`BOOLEAN_TFHE_LIB`](crate::params::BOOLEAN_TFHE_LIB) these are `2^-297`,
//! `2^-239` and `2^-130`.
//!
//! Negation, and gates with a clear or trivial operand, need no bootstrap. Nor does a multiplexer with a clear condition; one
//! with a clear branch is one gate.
//!
//! ```
//! use phoca_tfhe::boolean::gen_keys;
//!
//! let (client_key, server_key) = gen_keys();
//! let (a, b) = (client_key.encrypt(true), client_key.encrypt(false));
//! let both = server_key.and(&a, &b);
//! let either = server_key.or(&a, &b);
//! let result = server_key.mux(&both, &a, &server_key.not(&either));
//! assert!(!client_key.decrypt(&result));
//! assert_eq!(server_key.bootstrap_count(), 4);
//! ```
//!
//! [CGGI]: https://eprint.iacr.org/2018/421

mod ciphertext;
mod client;
mod forms;
mod gates;
mod plan;
mod server;
#[cfg(test)]
mod tests;

use phoca_ring::random::SecretRng;

pub use ciphertext::Ciphertext;
#[cfg(feature = "std")]
pub(crate) use ciphertext::Form;
pub use client::ClientKey;
pub use gates::{Gate, Operand, Operation};
pub use server::{CompressedServerKey, ServerKey};

use crate::Error;
use crate::Torus;
use crate::params::{BOOLEAN_DEFAULT, Parameters};

/// What most programs need.
pub mod prelude {
    pub use super::{Ciphertext, ClientKey, CompressedServerKey, Gate, Operation, ServerKey, gen_keys};
    pub use crate::params::{
        BOOLEAN_2M165, BOOLEAN_2M165_KS_PBS, BOOLEAN_DEFAULT, BOOLEAN_DEFAULT_KS_PBS, BOOLEAN_TFHE_LIB,
    };
}

/// A client key and its server key for the default set.
///
/// # Panics
///
/// Where the system gives no random bytes; [`try_gen_keys`], which takes the set, returns an error instead.
pub fn gen_keys() -> (ClientKey, ServerKey) {
    or_panic(try_gen_keys(&BOOLEAN_DEFAULT))
}

/// A client key and its server key for a parameter set.
///
/// # Errors
///
/// [`Error::Parameters`] where the set is not valid, [`Error::Noise`] where its noise cannot be sampled, [`Error::Ring`] where
/// the system gives no random bytes.
pub fn try_gen_keys(parameters: &Parameters) -> Result<(ClientKey, ServerKey), Error> {
    let mut rng = SecretRng::from_os()?;
    let client_key = ClientKey::generate_with(parameters, &mut rng)?;
    let server_key = CompressedServerKey::generate_with(&client_key, &mut rng)?.expand()?;
    Ok((client_key, server_key))
}

/// The value of the forms that return none of the errors.
#[track_caller]
fn or_panic<T>(result: Result<T, Error>) -> T {
    match result {
        Ok(value) => value,
        Err(error) => panic!("{error}"),
    }
}

/// `eighths/8` on the torus.
fn eighths<W: Torus>(eighths: i64) -> W {
    W::from_u64((eighths as u64) << 61)
}
