//! Plain moduli for batching.

use alloc::vec::Vec;

use crate::error::Error;
use crate::params::coeff_modulus;

/// The largest prime of `bits` bits that is 1 modulo `2·degree`, so that plaintexts have `degree` slots.
///
/// # Errors
///
/// [`Error::Ring`] where the degree is no power of two or no such prime exists.
pub fn batching(degree: usize, bits: u32) -> Result<u64, Error> {
    Ok(batching_many(degree, &[bits])?[0])
}

/// Distinct primes for batching, one for each of `bit_sizes`, in SEAL's order.
///
/// # Errors
///
/// As [`batching`].
pub fn batching_many(degree: usize, bit_sizes: &[u32]) -> Result<Vec<u64>, Error> {
    coeff_modulus::create(degree, bit_sizes)
}
