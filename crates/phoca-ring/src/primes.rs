//! Primes that are 1 modulo a given factor, and roots of unity modulo them.
//!
//! The order of the search and the choice of the root are Microsoft SEAL's, so that parameters built from sizes alone
//! agree with it. Everything here is about public parameters and takes variable time.

use alloc::vec::Vec;

use crate::RingError;
use crate::arch::Arch;
use crate::modulus::Modulus;

/// Whether `value` is prime, for certain.
///
/// Miller–Rabin with the first twelve primes as bases, which is exact below `3.18·10^23` (Sorenson and Webster, "Strong
/// pseudoprimes to twelve prime bases", 2017).
///
/// ```
/// assert!(phoca_ring::primes::is_prime((1 << 61) - 1));
/// assert!(!phoca_ring::primes::is_prime(3_215_031_751)); // passes the bases 2, 3, 5 and 7
/// ```
pub fn is_prime(value: u64) -> bool {
    const BASES: [u64; 12] = [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37];
    if let Some(&base) = BASES.iter().find(|&&base| value.is_multiple_of(base)) {
        return value == base;
    }
    // The smallest composite without a factor among the bases is 41².
    if value < 41 * 41 {
        return value > 1;
    }
    let twos = (value - 1).trailing_zeros();
    let odd = (value - 1) >> twos;
    match Modulus::with_arch(value, Arch::Portable) {
        Ok(modulus) => BASES.iter().all(|&base| {
            let start = modulus.pow_vartime(base, odd);
            is_strong_probable_prime(value, twos, start, |x| modulus.mul_residues(x, x))
        }),
        // From 2^61 on, by long division.
        Err(_) => BASES.iter().all(|&base| {
            let start = pow_wide(base, odd, value);
            is_strong_probable_prime(value, twos, start, |x| mul_wide(x, x, value))
        }),
    }
}

/// The `count` largest primes `p` of exactly `bits` bits with `p ≡ 1 (mod factor)`, largest first.
///
/// # Errors
///
/// [`RingError::NotEnoughPrimes`] where there are fewer, which includes sizes outside of 2 to 61 bits.
///
/// ```
/// // Batching with n = 8192 and 20 bits.
/// assert_eq!(phoca_ring::primes::ntt_primes(2 * 8192, 20, 1)?, [1_032_193]);
/// # Ok::<(), phoca_ring::RingError>(())
/// ```
pub fn ntt_primes(factor: u64, bits: u32, count: usize) -> Result<Vec<u64>, RingError> {
    let mut primes = Vec::new();
    if factor != 0 && (2..=61).contains(&bits) {
        let lowest = 1_u64 << (bits - 1);
        let largest = 2 * lowest - 1;
        // The largest value of this size that is 1 modulo the factor.
        let mut candidate = (largest - 1) / factor * factor + 1;
        while primes.len() < count && candidate > lowest {
            if is_prime(candidate) {
                primes.push(candidate);
            }
            candidate = candidate.saturating_sub(factor);
        }
    }
    if primes.len() < count {
        return Err(RingError::NotEnoughPrimes { bits, factor, found: primes.len(), wanted: count });
    }
    Ok(primes)
}

/// Distinct primes of the given sizes that are 1 modulo `factor`, chosen as SEAL's `CoeffModulus::Create` does.
///
/// For each size that occurs `c` times these are the `c` largest such primes; the first occurrence of the size gets the
/// smallest of them and the last the largest.
///
/// # Errors
///
/// [`RingError::NotEnoughPrimes`] where a size has too few.
///
/// ```
/// let chain = phoca_ring::primes::create_chain(2 * 4096, &[36, 36, 37])?;
/// assert_eq!(chain, [68_719_230_977, 68_719_403_009, 137_438_822_401]);
/// # Ok::<(), phoca_ring::RingError>(())
/// ```
pub fn create_chain(factor: u64, bit_sizes: &[u32]) -> Result<Vec<u64>, RingError> {
    let mut chain = alloc::vec![0; bit_sizes.len()];
    for (first, &bits) in bit_sizes.iter().enumerate() {
        if bit_sizes[..first].contains(&bits) {
            continue;
        }
        let count = bit_sizes.iter().filter(|&&other| other == bits).count();
        let primes = ntt_primes(factor, bits, count)?;
        let places = chain.iter_mut().zip(bit_sizes).filter(|&(_, &other)| other == bits);
        for ((place, _), prime) in places.zip(primes.into_iter().rev()) {
            *place = prime;
        }
    }
    Ok(chain)
}

/// The smallest primitive root of unity of a power-of-two `order` modulo a prime.
///
/// # Errors
///
/// [`RingError::NoRootOfUnity`] unless the modulus is a prime that is 1 modulo `order` and `order` is a power of two from
/// 2.
///
/// ```
/// use phoca_ring::{Modulus, primes::minimal_primitive_root};
/// assert_eq!(minimal_primitive_root(&Modulus::new(68_719_403_009)?, 2 * 4096)?, 24_250_113);
/// # Ok::<(), phoca_ring::RingError>(())
/// ```
pub fn minimal_primitive_root(modulus: &Modulus, order: u64) -> Result<u64, RingError> {
    let q = modulus.value();
    let missing = RingError::NoRootOfUnity { modulus: q, order };
    if order < 2 || !order.is_power_of_two() || !(q - 1).is_multiple_of(order) || !is_prime(q) {
        return Err(missing);
    }
    // A power-of-two order is exact when half of it gives -1. Half of all bases are quadratic non-residues, whose power
    // has it, so the search is short.
    let root = (2..q)
        .map(|base| modulus.pow_vartime(base, (q - 1) / order))
        .find(|&root| modulus.pow_vartime(root, order / 2) == q - 1)
        .ok_or(missing)?;
    // The primitive roots are the odd powers of any one of them.
    let square = modulus.shoup(modulus.mul_residues(root, root));
    let powers = (0..order / 2).scan(root, |power, _| {
        let current = *power;
        *power = modulus.mul_shoup(current, square);
        Some(current)
    });
    Ok(powers.min().unwrap_or(root))
}

/// Whether `base^odd = 1`, or one of its `twos` repeated squares starting with itself is -1.
fn is_strong_probable_prime(value: u64, twos: u32, start: u64, square: impl Fn(u64) -> u64) -> bool {
    let mut power = start;
    if power == 1 || power == value - 1 {
        return true;
    }
    for _ in 1..twos {
        power = square(power);
        if power == value - 1 {
            return true;
        }
    }
    false
}

fn mul_wide(a: u64, b: u64, modulus: u64) -> u64 {
    (u128::from(a) * u128::from(b) % u128::from(modulus)) as u64
}

fn pow_wide(base: u64, mut exponent: u64, modulus: u64) -> u64 {
    let (mut power, mut result) = (base % modulus, 1);
    while exponent != 0 {
        if exponent & 1 == 1 {
            result = mul_wide(result, power, modulus);
        }
        power = mul_wide(power, power, modulus);
        exponent >>= 1;
    }
    result
}
