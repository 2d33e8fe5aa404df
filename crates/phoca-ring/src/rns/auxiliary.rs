//! The choice of the second basis for BFV's multiplication.

use alloc::vec::Vec;

use super::RnsBasis;
use super::basis::{mul_add_word, product};
use crate::primes::ntt_primes;
use crate::{Modulus, RingError};

/// Width of the widest primes of the basis: such primes have transforms without corrections, so that more of them are
/// faster than the fewest, also beside wide `q_i`.
const WIDEST_BITS: u32 = 47;

/// The primes that [`auxiliary_basis`] chooses, in ascending order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuxiliaryPrimes {
    /// All of them: their product is above `8·t·n·Q`.
    pub all: Vec<u64>,
    /// How many of the first ones have a product above `Q`.
    pub above_modulus: usize,
}

/// Primes `p_0 < p_1 < …`, all 1 modulo `2n` and not among the `q_i`, for a basis `P` that holds BFV's products:
/// `P > 8·t·n·Q`.
///
/// The scaled sum of `s` products of polynomials with coefficients of at most `Q/2·(1 + 2^-40)` in absolute value is at
/// most `s/4·t·n·Q·(1 + 2^-38) + 1`, so `|round(t/Q·x)| < P/2` for `s ≤ 15`, which covers the product of two
/// ciphertexts of up to 15 parts each; and `|x| < Q·P/2` as well. The primes are of at most 47 bits, the fewest possible
/// and as few as possible for a product above `Q`, and among those the narrowest.
///
/// # Errors
///
/// [`RingError::InvalidDegree`] where `n` is not a power of two from 2 to 131072; [`RingError::NotEnoughPrimes`] where
/// there are not enough primes of that width.
pub fn auxiliary_basis(degree: usize, q: &RnsBasis, t: &Modulus) -> Result<AuxiliaryPrimes, RingError> {
    if !degree.is_power_of_two() || !(2..=131_072).contains(&degree) {
        return Err(RingError::InvalidDegree { degree });
    }
    let mut bound = q.product().to_vec();
    bound.extend([0; 2]);
    mul_add_word(&mut bound, t.value(), 0);
    mul_add_word(&mut bound, 8 * degree as u64, 0);
    let (bound_bits, modulus_bits) = (bit_length(&bound), bit_length(q.product()));
    let factor = 2 * degree as u64;
    let mut count = bound_bits.div_ceil(WIDEST_BITS) as usize;
    let mut above_modulus = modulus_bits.div_ceil(WIDEST_BITS) as usize;
    loop {
        let narrowest = bound_bits.div_ceil(count as u32).max(modulus_bits.div_ceil(above_modulus as u32));
        for bits in narrowest.clamp(factor.ilog2() + 2, WIDEST_BITS)..=WIDEST_BITS {
            let primes = match primes_outside(factor, bits, count, q) {
                Err(error) if bits == WIDEST_BITS => return Err(error),
                Err(_) => continue,
                Ok(primes) => primes,
            };
            if exceeds(&primes, &bound)? && exceeds(&primes[..above_modulus], q.product())? {
                return Ok(AuxiliaryPrimes { all: primes, above_modulus });
            }
        }
        // One more of each ends it, as the narrowest width that is tried goes down.
        (count, above_modulus) = (count + 1, above_modulus + 1);
    }
}

/// The `count` largest primes of `bits` bits that are 1 modulo `factor` and not in `q`, in ascending order.
fn primes_outside(factor: u64, bits: u32, count: usize, q: &RnsBasis) -> Result<Vec<u64>, RingError> {
    let taken = q.moduli().iter().filter(|modulus| modulus.bits() == bits && modulus.value() % factor == 1).count();
    let mut primes = ntt_primes(factor, bits, count + taken)?;
    primes.retain(|&prime| q.moduli().iter().all(|modulus| modulus.value() != prime));
    primes.truncate(count);
    primes.reverse();
    Ok(primes)
}

/// Whether the product of `primes` is above `bound`.
fn exceeds(primes: &[u64], bound: &[u64]) -> Result<bool, RingError> {
    let moduli = primes.iter().map(|&prime| Modulus::new(prime)).collect::<Result<Vec<_>, _>>()?;
    let product = product(&moduli);
    let word = |words: &[u64], i: usize| words.get(i).copied().unwrap_or(0);
    let words = (0..product.len().max(bound.len())).rev();
    Ok(words
        .map(|i| word(&product, i).cmp(&word(bound, i)))
        .find(|order| order.is_ne())
        .is_some_and(|order| order.is_gt()))
}

/// The number of bits of the integer with these little-endian words.
fn bit_length(words: &[u64]) -> u32 {
    let top = words.iter().rposition(|&word| word != 0);
    top.map_or(0, |top| 64 * top as u32 + 64 - words[top].leading_zeros())
}
