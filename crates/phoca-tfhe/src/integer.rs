//! Integers of many bits, as digits in short integers.
//!
//! A [`Radix`] is a list of blocks, least significant first, each a message of the parameter set. Signed integers are two's
//! complement. Which of several algorithms runs depends on the number of threads: the one with the fewest bootstraps on few
//! threads, one with less depth on many. All results have empty carries.

mod add;
mod bits;
mod cast;
mod client;
mod compare;
mod count;
mod divide;
mod mul;
mod radix;
mod random;
mod scalar;
mod select;
mod server;
mod shift;
mod sum;
mod tracked;

pub use client::ClientKey;
pub use radix::Radix;
pub use server::ServerKey;
#[cfg(feature = "std")]
pub(crate) use tracked::RADIX_NOISE;
