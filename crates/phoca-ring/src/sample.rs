//! Samplers of polynomials and the lift of small signed coefficients to residues.
//!
//! Samplers of secrets (ternary, binomial, Gaussian) write small signed integers; [`lift_i8_into`] and
//! [`lift_i64_into`] turn them into residues modulo each prime. Where a sampler rejects, what it rejects is independent
//! of what it keeps, so its time tells nothing about the output.

mod seal;
mod small;

use rand_core::CryptoRng;

use crate::Modulus;

pub use seal::{uniform_seal, uniform_seal_3_4, uniform_seal_3_5};
pub use small::{centered_binomial, rounded_gaussian, ternary};

/// Independent uniform residues in `[0, q)`, without bias.
///
/// Multiply-and-reject (Lemire, "Fast random integer generation in an interval", 2019): of a word `x`, the high word of
/// `x·q` is the result unless the low word is below `2^64 mod q`.
pub fn uniform(rng: &mut impl CryptoRng, modulus: &Modulus, out: &mut [u64]) {
    let q = modulus.value();
    let threshold = q.wrapping_neg() % q;
    rng.fill_bytes(bytemuck::cast_slice_mut(out));
    for word in out {
        let mut product = u128::from(*word) * u128::from(q);
        while (product as u64) < threshold {
            product = u128::from(rng.next_u64()) * u128::from(q);
        }
        *word = (product >> 64) as u64;
    }
}

/// The residues in `[0, q)` of small signed integers. Constant time.
///
/// # Panics
///
/// If the lengths differ.
pub fn lift_i8_into(small: &[i8], modulus: &Modulus, out: &mut [u64]) {
    assert_eq!(small.len(), out.len(), "input and output have one length");
    let q = modulus.value();
    if q > 128 {
        for (residue, &value) in out.iter_mut().zip(small) {
            let word = i64::from(value) as u64;
            let negative = i64::from(value >> 7) as u64;
            *residue = word.wrapping_add(q & negative);
        }
    } else {
        for (residue, &value) in out.iter_mut().zip(small) {
            *residue = modulus.reduce_i64(i64::from(value));
        }
    }
}

/// The residues in `[0, q)` of any signed words. Constant time.
///
/// # Panics
///
/// If the lengths differ.
pub fn lift_i64_into(small: &[i64], modulus: &Modulus, out: &mut [u64]) {
    assert_eq!(small.len(), out.len(), "input and output have one length");
    for (residue, &value) in out.iter_mut().zip(small) {
        *residue = modulus.reduce_i64(value);
    }
}

#[cfg(test)]
mod tests;
