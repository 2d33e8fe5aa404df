//! Contexts and their levels.

use phoca::{Parameters, ParmsId, Scheme, Security};
use wasm_bindgen::prelude::wasm_bindgen;

use crate::error::{Result, Thrown};
use crate::memory;
use crate::parameters::{security_level, security_table};

/// Checked parameters and everything that is computed from them.
#[wasm_bindgen]
pub struct Context(pub(crate) phoca::Context);

#[wasm_bindgen]
impl Context {
    /// Scheme 1, 2, 3 is BFV, CKKS, BGV. `security` is 128, 192, 256 bits in the table with number `table`, or 0 for no
    /// check.
    #[wasm_bindgen(constructor)]
    #[allow(clippy::too_many_arguments, reason = "the fields of a JavaScript object, which has names for them")]
    pub fn new(
        scheme: u8,
        degree: u32,
        coeff_modulus: &[u64],
        plain_modulus: u64,
        security: u32,
        table: u8,
        allow_transparent: bool,
        expand_chain: bool,
    ) -> Result<Self> {
        let scheme = Scheme::from_byte(scheme)
            .ok_or_else(|| Thrown::argument("the scheme must be 1 (BFV), 2 (CKKS) or 3 (BGV)", "scheme"))?;
        let security = match security {
            0 => Security::Insecure,
            bits => Security::Checked { level: security_level(bits)?, table: security_table(table)? },
        };
        // Tables for the transforms of each prime, and for the plain modulus.
        memory::require(40 * u64::from(degree) * (coeff_modulus.len() as u64 + 1))?;
        let parameters =
            Parameters { scheme, degree: degree as usize, coeff_modulus: coeff_modulus.to_vec(), plain_modulus };
        let builder = parameters.builder().security(security).allow_transparent(allow_transparent);
        #[cfg(feature = "threads")]
        let builder = match crate::threads::pool() {
            Some(pool) => builder.thread_pool(pool),
            None => builder,
        };
        Ok(Self(builder.expand_chain(expand_chain).build()?))
    }

    /// The number of levels, the key level included.
    #[wasm_bindgen(getter, js_name = levelCount)]
    pub fn level_count(&self) -> usize {
        self.0.levels().len()
    }

    /// A level by position: the key level first, each next one with a prime less.
    pub fn level(&self, position: usize) -> Option<Level> {
        self.0.levels().get(position).map(Level::new)
    }

    /// The position of the first data level: 1, or 0 where there is no special prime.
    #[wasm_bindgen(getter, js_name = firstPosition)]
    pub fn first_position(&self) -> usize {
        let first = self.0.first_level().parms_id();
        self.0.levels().iter().position(|level| level.parms_id() == first).unwrap_or(0)
    }

    /// Whether there is a special prime.
    #[wasm_bindgen(getter, js_name = supportsKeySwitching)]
    pub fn supports_key_switching(&self) -> bool {
        self.0.supports_key_switching()
    }

    /// Whether the plain modulus has slots.
    #[wasm_bindgen(getter, js_name = supportsBatching)]
    pub fn supports_batching(&self) -> bool {
        self.0.supports_batching()
    }

    /// The values of one plaintext.
    #[wasm_bindgen(getter, js_name = slotCount)]
    pub fn slot_count(&self) -> usize {
        self.0.slot_count()
    }

    /// Another handle of the same context, which lasts until both are freed.
    pub fn share(&self) -> Self {
        Self(self.0.clone())
    }

    /// Gives memory that is kept for later results back to the allocator.
    #[wasm_bindgen(js_name = freeUnusedMemory)]
    pub fn free_unused_memory(&self) {
        self.0.free_unused_memory();
    }
}

impl Context {
    /// About the bytes of `polynomials` with all primes.
    pub(crate) fn bytes(&self, polynomials: u64) -> u64 {
        8 * polynomials * self.0.degree() as u64 * self.0.key_level().prime_count() as u64
    }
}

/// What is to be known of one level.
#[wasm_bindgen]
pub struct Level {
    parms_id: ParmsId,
    /// How many levels follow.
    #[wasm_bindgen(readonly, js_name = chainIndex)]
    pub chain_index: usize,
    /// Its primes.
    #[wasm_bindgen(readonly, js_name = primeCount)]
    pub prime_count: usize,
    /// Bits of their product.
    #[wasm_bindgen(readonly, js_name = modulusBits)]
    pub modulus_bits: u32,
    /// SEAL's qualifier `using_descending_modulus_chain`.
    #[wasm_bindgen(readonly, js_name = descendingModuli)]
    pub descending_moduli: bool,
    /// SEAL's qualifier `using_fast_plain_lift`.
    #[wasm_bindgen(readonly, js_name = fastPlainLift)]
    pub fast_plain_lift: bool,
}

impl Level {
    fn new(level: &phoca::Level) -> Self {
        Self {
            parms_id: level.parms_id(),
            chain_index: level.chain_index(),
            prime_count: level.prime_count(),
            modulus_bits: level.modulus_bits(),
            descending_moduli: level.has_descending_moduli(),
            fast_plain_lift: level.has_fast_plain_lift(),
        }
    }
}

#[wasm_bindgen]
impl Level {
    /// Its id, four words.
    #[wasm_bindgen(getter, js_name = parmsId)]
    pub fn parms_id(&self) -> Vec<u64> {
        self.parms_id.0.to_vec()
    }
}

/// An id from JavaScript.
pub fn parms_id(words: &[u64]) -> Result<ParmsId> {
    match words.try_into() {
        Ok(words) => Ok(ParmsId(words)),
        Err(_) => Err(Thrown::argument("an id of parameters has four words of 64 bits", "parmsId")),
    }
}
