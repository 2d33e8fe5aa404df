//! Operations on ciphertexts.

use wasm_bindgen::prelude::wasm_bindgen;

use crate::context::{Context, parms_id};
use crate::error::{Result, Thrown};
use crate::keys::{GaloisKeys, RelinKeys};
use crate::memory;
use crate::objects::{Ciphertext, CiphertextList, Plaintext, PlaintextList};

/// Computes with ciphertexts: each method is that of [`phoca::Evaluator`].
#[wasm_bindgen]
pub struct Evaluator(phoca::Evaluator);

#[wasm_bindgen]
impl Evaluator {
    /// An evaluator for a context.
    #[wasm_bindgen(constructor)]
    pub fn new(context: &Context) -> Self {
        Self(phoca::Evaluator::new(&context.0))
    }

    /// `-a`.
    pub fn negate(&self, a: &Ciphertext) -> Result<Ciphertext> {
        Ok(Ciphertext(self.0.negate(&a.0)?))
    }

    /// `a + b`.
    pub fn add(&self, a: &Ciphertext, b: &Ciphertext) -> Result<Ciphertext> {
        Ok(Ciphertext(self.0.add(&a.0, &b.0)?))
    }

    /// `a - b`.
    pub fn sub(&self, a: &Ciphertext, b: &Ciphertext) -> Result<Ciphertext> {
        Ok(Ciphertext(self.0.sub(&a.0, &b.0)?))
    }

    /// The sum of all.
    #[wasm_bindgen(js_name = addMany)]
    pub fn add_many(&self, operands: &CiphertextList) -> Result<Ciphertext> {
        Ok(Ciphertext(self.0.add_many(&operands.0)?))
    }

    /// `a · b`.
    pub fn multiply(&self, a: &Ciphertext, b: &Ciphertext) -> Result<Ciphertext> {
        Ok(Ciphertext(self.0.multiply(&a.0, &b.0)?))
    }

    /// `a · a`, cheaper.
    pub fn square(&self, a: &Ciphertext) -> Result<Ciphertext> {
        Ok(Ciphertext(self.0.square(&a.0)?))
    }

    /// The product of all, relinearized.
    #[wasm_bindgen(js_name = multiplyMany)]
    pub fn multiply_many(&self, operands: &CiphertextList, keys: &RelinKeys) -> Result<Ciphertext> {
        Ok(Ciphertext(self.0.multiply_many(&operands.0, &keys.0)?))
    }

    /// `a` to a power, relinearized.
    pub fn exponentiate(&self, a: &Ciphertext, exponent: u64, keys: &RelinKeys) -> Result<Ciphertext> {
        Ok(Ciphertext(self.0.exponentiate(&a.0, exponent, &keys.0)?))
    }

    /// Two polynomials again.
    pub fn relinearize(&self, a: &Ciphertext, keys: &RelinKeys) -> Result<Ciphertext> {
        Ok(Ciphertext(self.0.relinearize(&a.0, &keys.0)?))
    }

    /// CKKS: relinearization and rescaling with one division.
    #[wasm_bindgen(js_name = relinearizeRescale)]
    pub fn relinearize_rescale(&self, a: &Ciphertext, keys: &RelinKeys) -> Result<Ciphertext> {
        Ok(Ciphertext(self.0.relinearize_rescale(&a.0, &keys.0)?))
    }

    /// BGV: relinearization and modulus switch with one division.
    #[wasm_bindgen(js_name = relinearizeModSwitch)]
    pub fn relinearize_mod_switch(&self, a: &Ciphertext, keys: &RelinKeys) -> Result<Ciphertext> {
        Ok(Ciphertext(self.0.relinearize_mod_switch(&a.0, &keys.0)?))
    }

    /// A product, relinearized.
    #[wasm_bindgen(js_name = multiplyRelinearize)]
    pub fn multiply_relinearize(&self, a: &Ciphertext, b: &Ciphertext, keys: &RelinKeys) -> Result<Ciphertext> {
        Ok(Ciphertext(self.0.multiply_relinearize(&a.0, &b.0, &keys.0)?))
    }

    /// CKKS: a product, relinearized and rescaled.
    #[wasm_bindgen(js_name = multiplyRelinearizeRescale)]
    pub fn multiply_relinearize_rescale(&self, a: &Ciphertext, b: &Ciphertext, keys: &RelinKeys) -> Result<Ciphertext> {
        Ok(Ciphertext(self.0.multiply_relinearize_rescale(&a.0, &b.0, &keys.0)?))
    }

    /// BGV: a product, relinearized, at the next level.
    #[wasm_bindgen(js_name = multiplyRelinearizeModSwitch)]
    pub fn multiply_relinearize_mod_switch(
        &self,
        a: &Ciphertext,
        b: &Ciphertext,
        keys: &RelinKeys,
    ) -> Result<Ciphertext> {
        Ok(Ciphertext(self.0.multiply_relinearize_mod_switch(&a.0, &b.0, &keys.0)?))
    }

    /// At the next level.
    #[wasm_bindgen(js_name = modSwitchToNext)]
    pub fn mod_switch_to_next(&self, a: &Ciphertext) -> Result<Ciphertext> {
        Ok(Ciphertext(self.0.mod_switch_to_next(&a.0)?))
    }

    /// At a lower level.
    #[wasm_bindgen(js_name = modSwitchTo)]
    pub fn mod_switch_to(&self, a: &Ciphertext, level: &[u64]) -> Result<Ciphertext> {
        Ok(Ciphertext(self.0.mod_switch_to(&a.0, parms_id(level)?)?))
    }

    /// With one prime dropped.
    #[wasm_bindgen(js_name = modReduceToNext)]
    pub fn mod_reduce_to_next(&self, a: &Ciphertext) -> Result<Ciphertext> {
        Ok(Ciphertext(self.0.mod_reduce_to_next(&a.0)?))
    }

    /// With primes dropped down to a level.
    #[wasm_bindgen(js_name = modReduceTo)]
    pub fn mod_reduce_to(&self, a: &Ciphertext, level: &[u64]) -> Result<Ciphertext> {
        Ok(Ciphertext(self.0.mod_reduce_to(&a.0, parms_id(level)?)?))
    }

    /// CKKS: divided by the last prime.
    #[wasm_bindgen(js_name = rescaleToNext)]
    pub fn rescale_to_next(&self, a: &Ciphertext) -> Result<Ciphertext> {
        Ok(Ciphertext(self.0.rescale_to_next(&a.0)?))
    }

    /// CKKS: divided by the last primes down to a level.
    #[wasm_bindgen(js_name = rescaleTo)]
    pub fn rescale_to(&self, a: &Ciphertext, level: &[u64]) -> Result<Ciphertext> {
        Ok(Ciphertext(self.0.rescale_to(&a.0, parms_id(level)?)?))
    }

    /// A plaintext in NTT form at the next level.
    #[wasm_bindgen(js_name = plainModSwitchToNext)]
    pub fn plain_mod_switch_to_next(&self, plaintext: &Plaintext) -> Result<Plaintext> {
        Ok(Plaintext(self.0.plain_mod_switch_to_next(&plaintext.0)?))
    }

    /// A plaintext in NTT form at a lower level.
    #[wasm_bindgen(js_name = plainModSwitchTo)]
    pub fn plain_mod_switch_to(&self, plaintext: &Plaintext, level: &[u64]) -> Result<Plaintext> {
        Ok(Plaintext(self.0.plain_mod_switch_to(&plaintext.0, parms_id(level)?)?))
    }

    /// `a` plus a plaintext.
    #[wasm_bindgen(js_name = addPlain)]
    pub fn add_plain(&self, a: &Ciphertext, plaintext: &Plaintext) -> Result<Ciphertext> {
        Ok(Ciphertext(self.0.add_plain(&a.0, &plaintext.0)?))
    }

    /// `a` minus a plaintext.
    #[wasm_bindgen(js_name = subPlain)]
    pub fn sub_plain(&self, a: &Ciphertext, plaintext: &Plaintext) -> Result<Ciphertext> {
        Ok(Ciphertext(self.0.sub_plain(&a.0, &plaintext.0)?))
    }

    /// `a` times a plaintext.
    #[wasm_bindgen(js_name = multiplyPlain)]
    pub fn multiply_plain(&self, a: &Ciphertext, plaintext: &Plaintext) -> Result<Ciphertext> {
        Ok(Ciphertext(self.0.multiply_plain(&a.0, &plaintext.0)?))
    }

    /// A plaintext in NTT form at a level.
    #[wasm_bindgen(js_name = plainToNtt)]
    pub fn plain_to_ntt(&self, plaintext: &Plaintext, level: &[u64]) -> Result<Plaintext> {
        Ok(Plaintext(self.0.plain_to_ntt(&plaintext.0, parms_id(level)?)?))
    }

    /// In NTT form.
    #[wasm_bindgen(js_name = toNtt)]
    pub fn to_ntt(&self, a: &Ciphertext) -> Result<Ciphertext> {
        Ok(Ciphertext(self.0.to_ntt(&a.0)?))
    }

    /// In coefficient form.
    #[wasm_bindgen(js_name = fromNtt)]
    #[allow(clippy::wrong_self_convention, reason = "SEAL's and the library's name")]
    pub fn from_ntt(&self, a: &Ciphertext) -> Result<Ciphertext> {
        Ok(Ciphertext(self.0.from_ntt(&a.0)?))
    }

    /// Under the automorphism of a Galois element.
    #[wasm_bindgen(js_name = applyGalois)]
    pub fn apply_galois(&self, a: &Ciphertext, element: u32, keys: &GaloisKeys) -> Result<Ciphertext> {
        Ok(Ciphertext(self.0.apply_galois(&a.0, u64::from(element), &keys.0)?))
    }

    /// BFV and BGV: both rows rotated.
    #[wasm_bindgen(js_name = rotateRows)]
    pub fn rotate_rows(&self, a: &Ciphertext, steps: i32, keys: &GaloisKeys) -> Result<Ciphertext> {
        Ok(Ciphertext(self.0.rotate_rows(&a.0, i64::from(steps), &keys.0)?))
    }

    /// BFV and BGV: the rows swapped.
    #[wasm_bindgen(js_name = rotateColumns)]
    pub fn rotate_columns(&self, a: &Ciphertext, keys: &GaloisKeys) -> Result<Ciphertext> {
        Ok(Ciphertext(self.0.rotate_columns(&a.0, &keys.0)?))
    }

    /// CKKS: the slots rotated.
    #[wasm_bindgen(js_name = rotateVector)]
    pub fn rotate_vector(&self, a: &Ciphertext, steps: i32, keys: &GaloisKeys) -> Result<Ciphertext> {
        Ok(Ciphertext(self.0.rotate_vector(&a.0, i64::from(steps), &keys.0)?))
    }

    /// CKKS: the slots conjugated.
    pub fn conjugate(&self, a: &Ciphertext, keys: &GaloisKeys) -> Result<Ciphertext> {
        Ok(Ciphertext(self.0.conjugate(&a.0, &keys.0)?))
    }

    /// Several rotations of one ciphertext, which share most of their work.
    #[wasm_bindgen(js_name = rotateMany)]
    pub fn rotate_many(&self, a: &Ciphertext, steps: &[i32], keys: &GaloisKeys) -> Result<Vec<Ciphertext>> {
        memory::require(8 * a.0.words().len() as u64 * steps.len() as u64)?;
        let results = self.0.rotate_many(&a.0, &widened(steps), &keys.0)?;
        Ok(results.into_iter().map(Ciphertext).collect())
    }

    /// The sum of several rotations.
    #[wasm_bindgen(js_name = sumRotations)]
    pub fn sum_rotations(&self, a: &Ciphertext, steps: &[i32], keys: &GaloisKeys) -> Result<Ciphertext> {
        Ok(Ciphertext(self.0.sum_rotations(&a.0, &widened(steps), &keys.0)?))
    }

    /// The sum of products of pairs, three polynomials.
    #[wasm_bindgen(js_name = dotProduct)]
    pub fn dot_product(&self, a: &CiphertextList, b: &CiphertextList) -> Result<Ciphertext> {
        Ok(Ciphertext(self.0.dot_product(&a.0, &b.0)?))
    }

    /// The sum of products with plaintexts.
    #[wasm_bindgen(js_name = dotProductPlain)]
    pub fn dot_product_plain(&self, a: &CiphertextList, plaintexts: &PlaintextList) -> Result<Ciphertext> {
        Ok(Ciphertext(self.0.dot_product_plain(&a.0, &plaintexts.0)?))
    }

    /// Each relinearized.
    #[wasm_bindgen(js_name = relinearizeBatch)]
    pub fn relinearize_batch(&self, batch: &CiphertextList, keys: &RelinKeys) -> Result<Vec<Ciphertext>> {
        let results = self.0.relinearize_batch(&batch.0, &keys.0)?;
        Ok(results.into_iter().map(Ciphertext).collect())
    }

    /// CKKS: the product of each pair, relinearized and rescaled.
    #[wasm_bindgen(js_name = multiplyRelinearizeRescaleBatch)]
    pub fn multiply_relinearize_rescale_batch(
        &self,
        a: &CiphertextList,
        b: &CiphertextList,
        keys: &RelinKeys,
    ) -> Result<Vec<Ciphertext>> {
        let results = self.0.multiply_relinearize_rescale_batch(&a.0, &b.0, &keys.0)?;
        Ok(results.into_iter().map(Ciphertext).collect())
    }

    /// Each rotated.
    #[wasm_bindgen(js_name = rotateBatch)]
    pub fn rotate_batch(&self, batch: &CiphertextList, steps: i32, keys: &GaloisKeys) -> Result<Vec<Ciphertext>> {
        let results = self.0.rotate_batch(&batch.0, i64::from(steps), &keys.0)?;
        Ok(results.into_iter().map(Ciphertext).collect())
    }

    /// The sum of rotations, each times a plaintext in NTT form at the key level: a matrix in diagonals times a vector.
    #[wasm_bindgen(js_name = multiplyDiagonals)]
    pub fn multiply_diagonals(
        &self,
        a: &Ciphertext,
        steps: &[i32],
        plaintexts: &PlaintextList,
        keys: &GaloisKeys,
    ) -> Result<Ciphertext> {
        if steps.len() != plaintexts.0.len() {
            return Err(Thrown::from(phoca::Error::CountMismatch { left: steps.len(), right: plaintexts.0.len() }));
        }
        let diagonals: Vec<_> = widened(steps).into_iter().zip(plaintexts.0.iter().cloned()).collect();
        Ok(Ciphertext(self.0.multiply_diagonals(&a.0, &diagonals, &keys.0)?))
    }
}

fn widened(steps: &[i32]) -> Vec<i64> {
    steps.iter().copied().map(i64::from).collect()
}
