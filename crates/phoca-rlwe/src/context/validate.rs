//! The checks of parameters, with the cause of each refusal.

use phoca_ring::primes;

use crate::error::ParameterError;
use crate::params::{DEGREE_RANGE, MAX_COEFF_MODULUS_COUNT, MODULUS_BITS, Parameters, Scheme, Security};

/// Checks everything that does not depend on a level.
pub(super) fn check(parameters: &Parameters, security: Security) -> Result<(), ParameterError> {
    let degree = parameters.degree;
    if !degree.is_power_of_two() || !DEGREE_RANGE.contains(&degree) {
        return Err(ParameterError::Degree { degree });
    }
    check_coeff_modulus(parameters)?;
    check_plain_modulus(parameters)?;
    check_security(parameters, security)
}

/// Whether `t` is below the product of the first `primes` primes, as BFV and BGV need at each level.
pub(super) fn check_plain_modulus_fits(parameters: &Parameters, primes: usize) -> Result<(), ParameterError> {
    let plain_modulus = parameters.plain_modulus;
    let mut product = 1_u128;
    for &prime in &parameters.coeff_modulus[..primes] {
        product = product.saturating_mul(u128::from(prime));
    }
    if u128::from(plain_modulus) < product {
        return Ok(());
    }
    // The product is below 2^64 here.
    Err(ParameterError::PlainModulusTooLarge { plain_modulus, modulus_bits: 128 - product.leading_zeros() })
}

fn check_coeff_modulus(parameters: &Parameters) -> Result<(), ParameterError> {
    let chain = &parameters.coeff_modulus;
    if chain.is_empty() || chain.len() > MAX_COEFF_MODULUS_COUNT {
        return Err(ParameterError::CoeffModulusCount { count: chain.len() });
    }
    let order = 2 * parameters.degree as u64;
    for (position, &value) in chain.iter().enumerate() {
        if !MODULUS_BITS.contains(&bits(value)) {
            return Err(ParameterError::CoeffModulusSize { value, bits: bits(value) });
        }
        if !primes::is_prime(value) {
            return Err(ParameterError::CoeffModulusNotPrime { value });
        }
        if value % order != 1 {
            return Err(ParameterError::CoeffModulusNoNtt { prime: value, order });
        }
        if chain[..position].contains(&value) {
            return Err(ParameterError::CoeffModulusRepeated { prime: value });
        }
    }
    Ok(())
}

fn check_plain_modulus(parameters: &Parameters) -> Result<(), ParameterError> {
    let plain_modulus = parameters.plain_modulus;
    if parameters.scheme == Scheme::Ckks {
        return match plain_modulus {
            0 => Ok(()),
            _ => Err(ParameterError::PlainModulusUnused { plain_modulus }),
        };
    }
    if !MODULUS_BITS.contains(&bits(plain_modulus)) {
        return Err(ParameterError::PlainModulusSize { plain_modulus, bits: bits(plain_modulus) });
    }
    // The coefficient moduli are prime: a common factor is the whole prime.
    match parameters.coeff_modulus.iter().find(|&&prime| plain_modulus.is_multiple_of(prime)) {
        Some(&prime) => Err(ParameterError::PlainModulusNotCoprime { plain_modulus, prime }),
        None => check_plain_modulus_fits(parameters, parameters.coeff_modulus.len()),
    }
}

fn check_security(parameters: &Parameters, security: Security) -> Result<(), ParameterError> {
    let Security::Checked { level, table } = security else {
        return Ok(());
    };
    let max_bits = table.max_bits(parameters.degree, level);
    let bits = product_bits(&parameters.coeff_modulus);
    match max_bits {
        Some(max_bits) if bits <= max_bits => Ok(()),
        _ => Err(ParameterError::Insecure { bits, degree: parameters.degree, level: level.bits(), table, max_bits }),
    }
}

/// Bits of the product of `moduli`.
pub(super) fn product_bits(moduli: &[u64]) -> u32 {
    let mut words = alloc::vec![1_u64];
    for &modulus in moduli {
        let mut carry = 0;
        for word in &mut words {
            let product = u128::from(*word) * u128::from(modulus) + u128::from(carry);
            *word = product as u64;
            carry = (product >> 64) as u64;
        }
        if carry != 0 {
            words.push(carry);
        }
    }
    words.last().map_or(0, |top| words.len() as u32 * 64 - top.leading_zeros())
}

fn bits(value: u64) -> u32 {
    64 - value.leading_zeros()
}
