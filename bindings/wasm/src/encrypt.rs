//! Encryption and decryption.

use wasm_bindgen::prelude::wasm_bindgen;

use crate::context::{Context, parms_id};
use crate::error::Result;
use crate::keys::{PublicKey, SecretKey};
use crate::objects::{Ciphertext, Plaintext};

/// Encrypts with a public key, a secret key, or either.
#[wasm_bindgen]
pub struct Encryptor(phoca::Encryptor);

#[wasm_bindgen]
impl Encryptor {
    /// An encryptor with a copy of the public key.
    #[wasm_bindgen(js_name = withPublicKey)]
    pub fn with_public_key(context: &Context, public_key: &PublicKey) -> Result<Self> {
        Ok(Self(phoca::Encryptor::new(&context.0, public_key.0.clone())?))
    }

    /// An encryptor with a copy of the secret key.
    #[wasm_bindgen(js_name = withSecretKey)]
    pub fn with_secret_key(context: &Context, secret_key: &SecretKey) -> Result<Self> {
        Ok(Self(phoca::Encryptor::symmetric(&context.0, secret_key.0.clone())?))
    }

    /// An encryptor with copies of both keys.
    #[wasm_bindgen(js_name = withKeys)]
    pub fn with_keys(context: &Context, public_key: &PublicKey, secret_key: &SecretKey) -> Result<Self> {
        let (public_key, secret_key) = (Some(public_key.0.clone()), Some(secret_key.0.clone()));
        Ok(Self(phoca::Encryptor::with_keys(&context.0, public_key, secret_key)?))
    }

    /// With the public key.
    pub fn encrypt(&self, plaintext: &Plaintext) -> Result<Ciphertext> {
        Ok(Ciphertext(self.0.encrypt(&plaintext.0)?))
    }

    /// With the secret key: a file of it takes half the space.
    #[wasm_bindgen(js_name = encryptSymmetric)]
    pub fn encrypt_symmetric(&self, plaintext: &Plaintext) -> Result<Ciphertext> {
        Ok(Ciphertext(self.0.encrypt_symmetric(&plaintext.0)?))
    }

    /// Zero, at a level, with the public key.
    #[wasm_bindgen(js_name = encryptZero)]
    pub fn encrypt_zero(&self, level: &[u64]) -> Result<Ciphertext> {
        Ok(Ciphertext(self.0.encrypt_zero_at(parms_id(level)?)?))
    }

    /// Zero, at a level, with the secret key.
    #[wasm_bindgen(js_name = encryptZeroSymmetric)]
    pub fn encrypt_zero_symmetric(&self, level: &[u64]) -> Result<Ciphertext> {
        Ok(Ciphertext(self.0.encrypt_zero_symmetric_at(parms_id(level)?)?))
    }
}

/// Decrypts.
#[wasm_bindgen]
pub struct Decryptor(phoca::Decryptor);

#[wasm_bindgen]
impl Decryptor {
    /// A decryptor with a copy of the key.
    #[wasm_bindgen(constructor)]
    pub fn new(context: &Context, secret_key: &SecretKey) -> Result<Self> {
        Ok(Self(phoca::Decryptor::new(&context.0, secret_key.0.clone())?))
    }

    /// The message.
    pub fn decrypt(&self, ciphertext: &Ciphertext) -> Result<Plaintext> {
        Ok(Plaintext(self.0.decrypt(&ciphertext.0)?))
    }

    /// BFV and BGV: bits until decryption fails.
    #[wasm_bindgen(js_name = invariantNoiseBudget)]
    pub fn invariant_noise_budget(&self, ciphertext: &Ciphertext) -> Result<u32> {
        Ok(self.0.invariant_noise_budget(&ciphertext.0)?)
    }
}
