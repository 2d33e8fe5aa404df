//! What needs no context: primes, the security tables, polynomials as text, and hashes.

use phoca::{ParmsId, SecurityLevel, SecurityTable, coeff_modulus, plain_modulus};
use wasm_bindgen::prelude::wasm_bindgen;

use crate::error::{Result, Thrown};

/// `CoeffModulus::Create`: one prime that is 1 modulo `2n` for each size in bits.
#[wasm_bindgen(js_name = coeffModulusCreate)]
pub fn coeff_modulus_create(degree: u32, bit_sizes: &[i32]) -> Result<Vec<u64>> {
    Ok(coeff_modulus::create(degree as usize, &sizes(bit_sizes))?)
}

/// As [`coeff_modulus_create`], with primes that are 1 modulo the plain modulus too.
#[wasm_bindgen(js_name = coeffModulusCreateFor)]
pub fn coeff_modulus_create_for(degree: u32, plain_modulus: u64, bit_sizes: &[i32]) -> Result<Vec<u64>> {
    Ok(coeff_modulus::create_for_plain_modulus(degree as usize, plain_modulus, &sizes(bit_sizes))?)
}

/// SEAL's default primes for a level of security in bits.
#[wasm_bindgen(js_name = coeffModulusDefault)]
pub fn coeff_modulus_default(degree: u32, security: u32) -> Result<Vec<u64>> {
    Ok(coeff_modulus::seal_default(degree as usize, security_level(security)?)?)
}

/// The most bits of all primes together, or 0 where the table has no entry. Table 0 is that of 2018, 1 ePrint 2024/463.
#[wasm_bindgen(js_name = maxBitCount)]
pub fn max_bit_count(degree: u32, security: u32, table: u8) -> Result<u32> {
    let level = security_level(security)?;
    Ok(security_table(table)?.max_bits(degree as usize, level).unwrap_or(0))
}

/// Primes for batching, one for each size in bits.
#[wasm_bindgen(js_name = plainModulusBatching)]
pub fn plain_modulus_batching(degree: u32, bit_sizes: &[i32]) -> Result<Vec<u64>> {
    Ok(plain_modulus::batching_many(degree as usize, &sizes(bit_sizes))?)
}

/// Whether a modulus of 2 to 61 bits is a prime.
#[wasm_bindgen(js_name = isPrime)]
pub fn is_prime(value: u64) -> bool {
    phoca::ring::primes::is_prime(value)
}

/// The id of a set of parameters.
#[wasm_bindgen(js_name = parmsId)]
pub fn parms_id(scheme: u8, degree: u64, coeff_modulus: &[u64], plain_modulus: u64) -> Vec<u64> {
    let head = [u64::from(scheme), degree];
    let words: Vec<u64> = head.iter().chain(coeff_modulus).chain([&plain_modulus]).copied().collect();
    hash(&words)
}

/// BLAKE2b with 32 bytes of output of little-endian words: SEAL's hash of parameters.
#[wasm_bindgen(js_name = hashWords)]
pub fn hash(words: &[u64]) -> Vec<u64> {
    ParmsId::of_words(words.iter().copied()).0.to_vec()
}

/// Sizes in bits; what is negative becomes a size that is refused.
fn sizes(bit_sizes: &[i32]) -> Vec<u32> {
    bit_sizes.iter().map(|&bits| u32::try_from(bits).unwrap_or(u32::MAX)).collect()
}

/// The level with 128, 192 or 256 bits.
pub fn security_level(bits: u32) -> Result<SecurityLevel> {
    SecurityLevel::ALL
        .into_iter()
        .find(|level| level.bits() == bits)
        .ok_or_else(|| Thrown::argument("the security level must be 128, 192 or 256 bits", "security"))
}

/// The table with number 0 or 1.
pub fn security_table(number: u8) -> Result<SecurityTable> {
    match number {
        0 => Ok(SecurityTable::Standard2018),
        1 => Ok(SecurityTable::Guidelines2024),
        _ => Err(Thrown::argument("the security table must be 0 (2018) or 1 (2024)", "table")),
    }
}
