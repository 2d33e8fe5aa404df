//! What needs no context: primes, the security tables, polynomials as text, and hashes.

use phoca::params::suggest::{self, Plain, Request};
use phoca::{ParmsId, Scheme, SecurityLevel, SecurityTable, coeff_modulus, plain_modulus};
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

/// The smallest parameters that do what is asked.
#[wasm_bindgen]
pub struct Suggestion(suggest::Suggestion);

#[wasm_bindgen]
impl Suggestion {
    /// For `depth` multiplications one after another. CKKS: with `precision` bits after the binary point and `integer_bits`
    /// before it. BFV and BGV: for this plain modulus, or without one for a batching prime of `plain_bits`.
    #[wasm_bindgen(constructor)]
    #[allow(clippy::too_many_arguments, reason = "the fields of a JavaScript object, which has names for them")]
    pub fn new(
        scheme: u8,
        depth: u32,
        precision: u32,
        integer_bits: u32,
        plain_modulus: Option<u64>,
        plain_bits: u32,
        slots: u32,
        security: u32,
        table: u8,
    ) -> Result<Self> {
        let scheme = Scheme::from_byte(scheme)
            .ok_or_else(|| Thrown::argument("the scheme must be 1 (BFV), 2 (CKKS) or 3 (BGV)", "scheme"))?;
        // No chain is longer, and no number wider; so no sum overflows.
        const MOST: u32 = 10_000;
        if [depth, precision, integer_bits, plain_bits].into_iter().any(|value| value > MOST) {
            return Err(Thrown::argument(
                "depth, precision, integer bits and plain bits must be at most 10000",
                "depth",
            ));
        }
        let plain = plain_modulus.map_or(Plain::Bits(plain_bits), Plain::Modulus);
        let (level, table) = (security_level(security)?, security_table(table)?);
        let slots = slots as usize;
        let request = Request { scheme, depth, precision, integer_bits, plain, slots, level, table };
        Ok(Self(suggest::suggest(&request)?))
    }

    /// Degree `n`.
    #[wasm_bindgen(getter)]
    pub fn degree(&self) -> usize {
        self.0.parameters.degree
    }

    /// The coefficient primes.
    #[wasm_bindgen(getter, js_name = coeffModulus)]
    pub fn coeff_modulus(&self) -> Vec<u64> {
        self.0.parameters.coeff_modulus.clone()
    }

    /// The plain modulus; 0 for CKKS.
    #[wasm_bindgen(getter, js_name = plainModulus)]
    pub fn plain_modulus(&self) -> u64 {
        self.0.parameters.plain_modulus
    }

    /// CKKS: the scale.
    #[wasm_bindgen(getter)]
    pub fn scale(&self) -> Option<f64> {
        self.0.scale
    }

    /// Why the parameters are what they are.
    #[wasm_bindgen(getter)]
    pub fn reasons(&self) -> Vec<String> {
        self.0.reasons.clone()
    }
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
