//! Keys and their generator.

use phoca::GaloisSelection;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::context::Context;
use crate::error::Result;
use crate::memory;

/// A secret key; wiped when it is freed.
#[wasm_bindgen]
pub struct SecretKey(pub(crate) phoca::SecretKey);

/// A public key.
#[wasm_bindgen]
pub struct PublicKey(pub(crate) phoca::PublicKey);

/// Relinearization keys.
#[wasm_bindgen]
pub struct RelinKeys(pub(crate) phoca::RelinKeys);

/// Galois keys.
#[wasm_bindgen]
pub struct GaloisKeys(pub(crate) phoca::GaloisKeys);

/// What all keys have: `key!(Type)`.
macro_rules! key {
    ($type:ident) => {
        #[wasm_bindgen]
        impl $type {
            /// The key level's id.
            #[wasm_bindgen(getter, js_name = parmsId)]
            pub fn parms_id(&self) -> Vec<u64> {
                self.0.parms_id().0.to_vec()
            }

            /// A copy with words of its own.
            pub fn copy(&self) -> Self {
                Self(self.0.clone())
            }

            /// Whether it belongs to the context and is in range.
            #[wasm_bindgen(js_name = isValidFor)]
            pub fn is_valid_for(&self, context: &Context) -> bool {
                self.0.is_valid_for(&context.0)
            }
        }
    };
}

key!(SecretKey);
key!(PublicKey);
key!(RelinKeys);
key!(GaloisKeys);

#[wasm_bindgen]
impl RelinKeys {
    /// Powers of the secret that have a key.
    #[wasm_bindgen(getter)]
    pub fn size(&self) -> usize {
        self.0.len()
    }

    /// Whether there is a key for a power of the secret.
    #[wasm_bindgen(js_name = hasKey)]
    pub fn has_key(&self, power: usize) -> bool {
        self.0.has_key(power)
    }
}

#[wasm_bindgen]
impl GaloisKeys {
    /// Elements that have a key.
    #[wasm_bindgen(getter)]
    pub fn size(&self) -> usize {
        self.0.len()
    }

    /// Whether there is a key for an element.
    #[wasm_bindgen(js_name = hasKey)]
    pub fn has_key(&self, element: u32) -> bool {
        self.0.has_key(u64::from(element))
    }

    /// The elements that have a key, ascending.
    pub fn elements(&self) -> Vec<u32> {
        self.0.elements().map(|element| element as u32).collect()
    }

    /// Both sets; the other's handle is used up.
    pub fn merged(self, other: GaloisKeys) -> Result<Self> {
        Ok(Self(self.0.merged(other.0)?))
    }
}

/// The Galois element of a rotation by `step`; 0 is the conjugation or column swap.
#[wasm_bindgen(js_name = galoisElement)]
pub fn galois_element(degree: u32, step: i32) -> Result<u32> {
    let element =
        phoca::ring::galois::element_from_step(degree as usize, i64::from(step)).map_err(phoca::Error::from)?;
    Ok(element as u32)
}

/// Makes keys.
#[wasm_bindgen]
pub struct KeyGenerator {
    context: Context,
    generator: phoca::KeyGenerator,
}

#[wasm_bindgen]
impl KeyGenerator {
    /// With a fresh secret key.
    #[wasm_bindgen(constructor)]
    pub fn new(context: &Context) -> Result<Self> {
        memory::require(context.bytes(4))?;
        let generator = phoca::KeyGenerator::new(&context.0)?;
        Ok(Self { context: Context(context.0.clone()), generator })
    }

    /// For a secret key that is there.
    #[wasm_bindgen(js_name = fromSecretKey)]
    pub fn from_secret_key(context: &Context, secret_key: &SecretKey) -> Result<Self> {
        let generator = phoca::KeyGenerator::from_secret_key(&context.0, secret_key.0.clone())?;
        Ok(Self { context: Context(context.0.clone()), generator })
    }

    /// The secret key.
    #[wasm_bindgen(js_name = secretKey)]
    pub fn secret_key(&self) -> SecretKey {
        SecretKey(self.generator.secret_key().clone())
    }

    /// A public key.
    #[wasm_bindgen(js_name = publicKey)]
    pub fn public_key(&self) -> Result<PublicKey> {
        memory::require(self.context.bytes(4))?;
        Ok(PublicKey(self.generator.public_key()?))
    }

    /// Relinearization keys for the powers of the secret from 2 to `max_power`.
    #[wasm_bindgen(js_name = relinKeys)]
    pub fn relin_keys(&self, max_power: usize) -> Result<RelinKeys> {
        self.require_for_keys(max_power.min(16) as u64)?;
        Ok(RelinKeys(self.generator.relin_keys_up_to(max_power)?))
    }

    /// Galois keys for steps, or the default set without any.
    #[wasm_bindgen(js_name = galoisKeys)]
    pub fn galois_keys(&self, steps: Option<Vec<i32>>) -> Result<GaloisKeys> {
        let Some(steps) = steps else {
            self.require_for_keys(2 * u64::from(self.context.0.degree().ilog2()))?;
            return Ok(GaloisKeys(self.generator.galois_keys(GaloisSelection::All)?));
        };
        self.require_for_keys(steps.len() as u64)?;
        let steps: Vec<i64> = steps.into_iter().map(i64::from).collect();
        Ok(GaloisKeys(self.generator.galois_keys(GaloisSelection::Steps(&steps))?))
    }

    /// Galois keys for elements.
    #[wasm_bindgen(js_name = galoisKeysForElements)]
    pub fn galois_keys_for_elements(&self, elements: &[u32]) -> Result<GaloisKeys> {
        self.require_for_keys(elements.len() as u64)?;
        let elements: Vec<u64> = elements.iter().copied().map(u64::from).collect();
        Ok(GaloisKeys(self.generator.galois_keys(GaloisSelection::Elements(&elements))?))
    }
}

impl KeyGenerator {
    fn require_for_keys(&self, keys: u64) -> Result<()> {
        let digits = self.context.0.first_level().prime_count() as u64;
        // Beside the keys, a few polynomials while one is made.
        memory::require(self.context.bytes(keys.min(self.context.0.degree() as u64) * 2 * digits + 8))
    }
}
