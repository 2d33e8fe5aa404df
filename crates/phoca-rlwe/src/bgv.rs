//! BGV in few lines: exact computation on vectors of integers modulo `t`.
//!
//! ```
//! use phoca_rlwe::bgv;
//!
//! let context = bgv::Params::new(8192).plain_bits(20).build()?;
//! let keys = context.keygen().relinearization().rotations([1]).generate()?;
//! let x = context.encryptor(keys.public())?.encrypt(&[3, 4, 5])?;
//!
//! let evaluator = context.evaluator(keys.evaluation());
//! let y = evaluator.multiply_relinearize(&x, &x)?;
//! let z = evaluator.rotate_rows(&y, 1)?;
//!
//! assert_eq!(context.decryptor(keys.secret())?.decrypt(&z)?[..2], [16, 25]);
//! # Ok::<(), phoca_rlwe::Error>(())
//! ```

use crate::exact::{self, ExactScheme};
use crate::params::Scheme;

/// The scheme BGV, as a type.
#[derive(Clone, Debug)]
pub struct Bgv;

impl ExactScheme for Bgv {
    const SCHEME: Scheme = Scheme::Bgv;
}

/// BGV parameters, unchecked.
pub type Params = exact::Params<Bgv>;
/// Checked BGV parameters.
pub type Context = exact::Context<Bgv>;
/// Encrypts vectors of integers.
pub type Encryptor = exact::Encryptor<Bgv>;
/// Decrypts to vectors of integers.
pub type Decryptor = exact::Decryptor<Bgv>;
/// BGV operations, with the keys at hand.
pub type Evaluator<'a> = exact::Evaluator<'a, Bgv>;
