//! Coefficient moduli: chains of primes that are 1 modulo `2n`.

use alloc::vec::Vec;

use phoca_ring::{RingError, primes};

use crate::error::Error;
use crate::params::{DEGREE_RANGE, SecurityLevel};

/// Distinct primes, one for each of `bit_sizes`, chosen by SEAL's rule: the largest that exist of each size, and of
/// those the smaller ones first. The last is the special prime.
///
/// # Errors
///
/// [`Error::Ring`] where the degree is no power of two, there are not enough such primes, or far more are asked for than a
/// chain may have.
pub fn create(degree: usize, bit_sizes: &[u32]) -> Result<Vec<u64>, Error> {
    Ok(primes::create_chain(double(degree)?, bit_sizes)?)
}

/// Like [`create`], with primes that are 1 modulo `plain_modulus` too, so that switching levels leaves the correction
/// factor of a BGV ciphertext alone.
///
/// # Errors
///
/// As [`create`]; also where the least common multiple of `2·degree` and `plain_modulus` leaves the range of words.
pub fn create_for_plain_modulus(degree: usize, plain_modulus: u64, bit_sizes: &[u32]) -> Result<Vec<u64>, Error> {
    let double = double(degree)?;
    if plain_modulus == 0 {
        return Err(RingError::InvalidModulus { value: 0 }.into());
    }
    // 2n is a power of two.
    let shared = plain_modulus.trailing_zeros().min(double.trailing_zeros());
    let factor = (double >> shared).checked_mul(plain_modulus).ok_or(RingError::NotEnoughPrimes {
        bits: bit_sizes.iter().copied().max().unwrap_or(0),
        factor: u64::MAX,
        found: 0,
        wanted: bit_sizes.len(),
    })?;
    Ok(primes::create_chain(factor, bit_sizes)?)
}

fn double(degree: usize) -> Result<u64, Error> {
    if !degree.is_power_of_two() || !DEGREE_RANGE.contains(&degree) {
        return Err(RingError::InvalidDegree { degree }.into());
    }
    Ok(2 * degree as u64)
}

/// The chain that SEAL calls the default for BFV at `degree` and `level` (degrees 1024 to 32768).
///
/// # Errors
///
/// [`Error::NoDefaultModulus`] for another degree.
pub fn seal_default(degree: usize, level: SecurityLevel) -> Result<Vec<u64>, Error> {
    let primes: &[u64] = match (degree, level) {
        (1024, SecurityLevel::Bits128) => &[0x7E0_0001],
        (1024, SecurityLevel::Bits192) => &[0x7_F001],
        (1024, SecurityLevel::Bits256) => &[0x3001],
        (2048, SecurityLevel::Bits128) => &[0x3F_FFFF_FF00_0001],
        (2048, SecurityLevel::Bits192) => &[0x1F_FFFC_0001],
        (2048, SecurityLevel::Bits256) => &[0x1FFC_0001],
        (4096, SecurityLevel::Bits128) => &[0xF_FFFE_E001, 0xF_FFFC_4001, 0x1F_FFFE_0001],
        (4096, SecurityLevel::Bits192) => &[0x1FF_C001, 0x1FC_E001, 0x1FC_0001],
        (4096, SecurityLevel::Bits256) => &[0x3FF_FFFF_FF04_0001],
        (8192, SecurityLevel::Bits128) => {
            &[0x7FF_FFFD_8001, 0x7FF_FFFC_8001, 0xFFF_FFFF_C001, 0xFFF_FFF6_C001, 0xFFF_FFEB_C001]
        }
        (8192, SecurityLevel::Bits192) => &[0x3F_FFFA_C001, 0x3F_FFF5_4001, 0x3F_FFF4_8001, 0x3F_FFF2_8001],
        (8192, SecurityLevel::Bits256) => &[0x7F_FFFE_C001, 0x7F_FFFB_0001, 0xFF_FFFD_C001],
        (16384, SecurityLevel::Bits128) => &[
            0xFFFF_FFFD_8001,
            0xFFFF_FFFA_0001,
            0xFFFF_FFF0_0001,
            0x1_FFFF_FFF6_8001,
            0x1_FFFF_FFF5_0001,
            0x1_FFFF_FFEE_8001,
            0x1_FFFF_FFEA_0001,
            0x1_FFFF_FFE8_8001,
            0x1_FFFF_FFE4_8001,
        ],
        (16384, SecurityLevel::Bits192) => &[
            0x3_FFFF_FFDF_0001,
            0x3_FFFF_FFD4_8001,
            0x3_FFFF_FFD2_0001,
            0x3_FFFF_FFD1_8001,
            0x3_FFFF_FFCD_0001,
            0x3_FFFF_FFC7_0001,
        ],
        (16384, SecurityLevel::Bits256) => {
            &[0x7FFF_FFFC_8001, 0x7FFF_FFF0_0001, 0x7FFF_FFE7_0001, 0xFFFF_FFFD_8001, 0xFFFF_FFFA_0001]
        }
        (32768, SecurityLevel::Bits128) => &[
            0x7F_FFFF_FFE9_0001,
            0x7F_FFFF_FFBF_0001,
            0x7F_FFFF_FFBD_0001,
            0x7F_FFFF_FFBA_0001,
            0x7F_FFFF_FFAA_0001,
            0x7F_FFFF_FFA5_0001,
            0x7F_FFFF_FF9F_0001,
            0x7F_FFFF_FF7E_0001,
            0x7F_FFFF_FF77_0001,
            0x7F_FFFF_FF38_0001,
            0x7F_FFFF_FF33_0001,
            0x7F_FFFF_FF2D_0001,
            0x7F_FFFF_FF17_0001,
            0x7F_FFFF_FF15_0001,
            0x7F_FFFF_FEF0_0001,
            0xFF_FFFF_FFF7_0001,
        ],
        (32768, SecurityLevel::Bits192) => &[
            0x3F_FFFF_FFD6_0001,
            0x3F_FFFF_FFCA_0001,
            0x3F_FFFF_FF6D_0001,
            0x3F_FFFF_FF5D_0001,
            0x3F_FFFF_FF55_0001,
            0x7F_FFFF_FFE9_0001,
            0x7F_FFFF_FFBF_0001,
            0x7F_FFFF_FFBD_0001,
            0x7F_FFFF_FFBA_0001,
            0x7F_FFFF_FFAA_0001,
            0x7F_FFFF_FFA5_0001,
        ],
        (32768, SecurityLevel::Bits256) => &[
            0xF_FFFF_FFF0_0001,
            0x1F_FFFF_FFE3_0001,
            0x1F_FFFF_FFD8_0001,
            0x1F_FFFF_FFD1_0001,
            0x1F_FFFF_FFC5_0001,
            0x1F_FFFF_FFBF_0001,
            0x1F_FFFF_FFB9_0001,
            0x1F_FFFF_FFB6_0001,
            0x1F_FFFF_FFA5_0001,
        ],
        _ => return Err(Error::NoDefaultModulus { degree }),
    };
    Ok(primes.to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::params::SecurityTable;

    #[test]
    fn default_chains_are_ntt_primes_within_the_table_of_2018() {
        for degree in [1024, 2048, 4096, 8192, 16384, 32768] {
            for level in SecurityLevel::ALL {
                let chain = seal_default(degree, level).unwrap();
                let bits: u32 = chain.iter().map(|prime| 64 - prime.leading_zeros()).sum();
                assert!(bits <= SecurityTable::Standard2018.max_bits(degree, level).unwrap());
                assert!(chain.iter().all(|&prime| primes::is_prime(prime) && prime % (2 * degree as u64) == 1));
            }
        }
    }

    /// From Microsoft SEAL 4.1.2 through node-seal 7.0.0.
    #[test]
    fn created_chains_are_those_of_seal() {
        assert_eq!(create(4096, &[36, 36, 37]).unwrap(), [68719230977, 68719403009, 137438822401]);
        assert_eq!(
            create(8192, &[60, 40, 40, 60]).unwrap(),
            [1152921504606748673, 1099510890497, 1099511480321, 1152921504606830593]
        );
    }

    #[test]
    fn primes_for_a_plain_modulus_are_one_modulo_it() {
        let chain = create_for_plain_modulus(1024, 65537, &[50, 50, 51]).unwrap();
        assert!(chain.iter().all(|prime| prime % 2048 == 1 && prime % 65537 == 1));
        assert!(create_for_plain_modulus(1024, u64::MAX, &[50]).is_err());
    }
}
