//! Primes that are 1 modulo a given factor, and roots of unity modulo them.
//!
//! The order of the search and the choice of the root are Microsoft SEAL's, so that parameters built from sizes alone
//! agree with it. Everything here is about public parameters and takes variable time.

use alloc::vec::Vec;

use crate::RingError;
use crate::arch::Arch;
use crate::modulus::Modulus;

/// The most primes that are searched at a time: far more than a basis ever has.
pub const MAX_COUNT: usize = 4096;

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
/// [`RingError::NotEnoughPrimes`] where there are fewer, which includes sizes outside of 2 to 61 bits;
/// [`RingError::TooManyPrimes`] for a `count` above [`MAX_COUNT`].
///
/// ```
/// // Batching with n = 8192 and 20 bits.
/// assert_eq!(phoca_ring::primes::ntt_primes(2 * 8192, 20, 1)?, [1_032_193]);
/// # Ok::<(), phoca_ring::RingError>(())
/// ```
pub fn ntt_primes(factor: u64, bits: u32, count: usize) -> Result<Vec<u64>, RingError> {
    if count > MAX_COUNT {
        return Err(RingError::TooManyPrimes { bits, wanted: count, most: MAX_COUNT });
    }
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
/// [`RingError::NotEnoughPrimes`] where a size has too few; [`RingError::TooManyPrimes`] where it occurs more than
/// [`MAX_COUNT`] times.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn primality_agrees_with_trial_division() {
        let by_division = |n: u64| n > 1 && (2..).take_while(|d| d * d <= n).all(|d| !n.is_multiple_of(d));
        for n in (0..20_000).chain(1_000_000_000..1_000_001_000) {
            assert_eq!(is_prime(n), by_division(n), "{n}");
        }
    }

    /// The least composites that pass for the first 1, 2, …, 11 prime bases (OEIS A014233).
    #[test]
    fn strong_pseudoprimes_are_composite() {
        for n in [
            2_047,
            1_373_653,
            25_326_001,
            3_215_031_751,
            2_152_302_898_747,
            3_474_749_660_383,
            341_550_071_728_321,
            3_825_123_056_546_413_051,
        ] {
            assert!(!is_prime(n), "{n}");
        }
        // The least Carmichael numbers.
        assert!([561, 1_105, 1_729, 2_465, 2_821, 6_601, 8_911].iter().all(|&n| !is_prime(n)));
    }

    #[test]
    fn primality_holds_up_to_the_largest_words() {
        // The largest prime below 2^64, the square of the largest below 2^32, and neighbours of 2^61.
        assert!(is_prime(18_446_744_073_709_551_557));
        assert!((18_446_744_073_709_551_558..=u64::MAX).all(|n| !is_prime(n)));
        assert!(!is_prime(4_294_967_291 * 4_294_967_291));
        assert!(is_prime((1 << 61) - 1));
        assert!(!is_prime((1 << 61) + 1));
    }

    #[test]
    fn chains_are_those_of_seal() -> Result<(), RingError> {
        assert_eq!(create_chain(2 * 4096, &[36, 36, 37])?, [68_719_230_977, 68_719_403_009, 137_438_822_401]);
        assert_eq!(
            create_chain(2 * 8192, &[60, 40, 40, 60])?,
            [1_152_921_504_606_748_673, 1_099_510_890_497, 1_099_511_480_321, 1_152_921_504_606_830_593]
        );
        let batching = [
            (20, 1_032_193),
            (17, 114_689),
            (26, 67_043_329),
            (30, 1_073_692_673),
            (40, 1_099_511_480_321),
            (60, 1_152_921_504_606_830_593),
        ];
        for (bits, prime) in batching {
            assert_eq!(ntt_primes(2 * 8192, bits, 1)?, [prime]);
        }
        assert_eq!(create_chain(2 * 8192, &[])?, [0; 0]);
        Ok(())
    }

    /// The default primes of SEAL 4 for n = 1024 to 32768, at 128, 192 and 256 bits of security.
    #[test]
    fn default_primes_of_seal_have_their_roots() -> Result<(), RingError> {
        for (degree, primes) in SEAL_DEFAULTS {
            for &prime in primes {
                assert!(is_prime(prime), "{prime:x}");
                minimal_primitive_root(&Modulus::new(prime)?, 2 * degree)?;
            }
        }
        Ok(())
    }

    #[test]
    fn impossible_requests_name_what_exists() {
        let error = ntt_primes(1 << 20, 22, 9);
        assert!(matches!(error, Err(RingError::NotEnoughPrimes { bits: 22, found, wanted: 9, .. }) if found < 9));
        for (factor, bits) in [(0, 30), (2, 0), (2, 1), (2, 62), (2, 64), (u64::MAX, 61)] {
            let error = RingError::NotEnoughPrimes { bits, factor, found: 0, wanted: 1 };
            assert_eq!(ntt_primes(factor, bits, 1), Err(error));
        }
        for wanted in [MAX_COUNT + 1, usize::MAX] {
            let error = RingError::TooManyPrimes { bits: 61, wanted, most: MAX_COUNT };
            assert_eq!(ntt_primes(2, 61, wanted), Err(error));
        }
        assert!(matches!(create_chain(4, &[60; MAX_COUNT + 1]), Err(RingError::TooManyPrimes { bits: 60, .. })));
        // Without a condition, the primes of two bits.
        assert_eq!(ntt_primes(1, 2, 1), Ok(alloc::vec![3]));
    }

    #[test]
    fn roots_are_those_of_seal() -> Result<(), RingError> {
        let known = [
            (68_719_403_009, 24_250_113),
            (68_719_230_977, 29_008_497),
            (137_438_822_401, 8_625_844),
            (1_032_193, 194),
        ];
        for (prime, root) in known {
            assert_eq!(minimal_primitive_root(&Modulus::new(prime)?, 2 * 4096)?, root);
        }
        Ok(())
    }

    #[test]
    fn roots_are_the_smallest_by_search() -> Result<(), RingError> {
        for (prime, order) in [(3, 2), (5, 4), (17, 16), (97, 32), (257, 256), (7681, 512), (12_289, 4096)] {
            let modulus = Modulus::new(prime)?;
            let smallest = (1..prime).find(|&x| modulus.pow_vartime(x, order / 2) == prime - 1);
            assert_eq!(minimal_primitive_root(&modulus, order).ok(), smallest);
        }
        for (value, order) in [(17, 64), (17, 3), (17, 0), (17, 1), (15, 2), (2, 2), (341, 4)] {
            let error = RingError::NoRootOfUnity { modulus: value, order };
            assert_eq!(minimal_primitive_root(&Modulus::new(value)?, order), Err(error));
        }
        Ok(())
    }

    const SEAL_DEFAULTS: [(u64, &[u64]); 6] = [
        (1024, &[0x7e0_0001, 0x7_f001, 0x3001]),
        (2048, &[0x3f_ffff_ff00_0001, 0x1f_fffc_0001, 0x1ffc_0001]),
        (
            4096,
            &[0xf_fffe_e001, 0xf_fffc_4001, 0x1f_fffe_0001, 0x1ff_c001, 0x1fc_e001, 0x1fc_0001, 0x3ff_ffff_ff04_0001],
        ),
        (
            8192,
            &[
                0x7ff_fffd_8001,
                0x7ff_fffc_8001,
                0xfff_ffff_c001,
                0xfff_fff6_c001,
                0xfff_ffeb_c001,
                0x3f_fffa_c001,
                0x3f_fff5_4001,
                0x3f_fff4_8001,
                0x3f_fff2_8001,
                0x7f_fffe_c001,
                0x7f_fffb_0001,
                0xff_fffd_c001,
            ],
        ),
        (
            16384,
            &[
                0xffff_fffd_8001,
                0xffff_fffa_0001,
                0xffff_fff0_0001,
                0x1_ffff_fff6_8001,
                0x1_ffff_fff5_0001,
                0x1_ffff_ffee_8001,
                0x1_ffff_ffea_0001,
                0x1_ffff_ffe8_8001,
                0x1_ffff_ffe4_8001,
                0x3_ffff_ffdf_0001,
                0x3_ffff_ffd4_8001,
                0x3_ffff_ffd2_0001,
                0x3_ffff_ffd1_8001,
                0x3_ffff_ffcd_0001,
                0x3_ffff_ffc7_0001,
                0x7fff_fffc_8001,
                0x7fff_fff0_0001,
                0x7fff_ffe7_0001,
            ],
        ),
        (
            32768,
            &[
                0x7f_ffff_ffe9_0001,
                0x7f_ffff_ffbf_0001,
                0x7f_ffff_ffbd_0001,
                0x7f_ffff_ffba_0001,
                0x7f_ffff_ffaa_0001,
                0x7f_ffff_ffa5_0001,
                0x7f_ffff_ff9f_0001,
                0x7f_ffff_ff7e_0001,
                0x7f_ffff_ff77_0001,
                0x7f_ffff_ff38_0001,
                0x7f_ffff_ff33_0001,
                0x7f_ffff_ff2d_0001,
                0x7f_ffff_ff17_0001,
                0x7f_ffff_ff15_0001,
                0x7f_ffff_fef0_0001,
                0xff_ffff_fff7_0001,
                0x3f_ffff_ffd6_0001,
                0x3f_ffff_ffca_0001,
                0x3f_ffff_ff6d_0001,
                0x3f_ffff_ff5d_0001,
                0x3f_ffff_ff55_0001,
                0xf_ffff_fff0_0001,
                0x1f_ffff_ffe3_0001,
                0x1f_ffff_ffd8_0001,
                0x1f_ffff_ffd1_0001,
                0x1f_ffff_ffc5_0001,
                0x1f_ffff_ffbf_0001,
                0x1f_ffff_ffb9_0001,
                0x1f_ffff_ffb6_0001,
                0x1f_ffff_ffa5_0001,
            ],
        ),
    ];
}
