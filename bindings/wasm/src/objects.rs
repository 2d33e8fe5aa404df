//! Plaintexts, ciphertexts and lists of them.

use phoca::encode::text;
use phoca::noise::NoiseBound;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::context::{Context, parms_id};
use crate::error::{Result, Thrown};
use crate::memory;

/// A plaintext.
#[wasm_bindgen]
pub struct Plaintext(pub(crate) phoca::Plaintext);

#[wasm_bindgen]
impl Plaintext {
    /// A plaintext with these coefficients, the constant one first.
    #[wasm_bindgen(js_name = fromCoefficients)]
    pub fn from_coefficients(coefficients: &[u64]) -> Self {
        Self(phoca::Plaintext::from_coefficients(coefficients))
    }

    /// The plaintext that a text in SEAL's notation denotes.
    pub fn parse(polynomial: &str) -> Result<Self> {
        Ok(Self(text::parse(polynomial)?))
    }

    /// In SEAL's notation.
    pub fn format(&self) -> Result<String> {
        Ok(text::format(&self.0)?)
    }

    /// The words: coefficients, or residues in NTT form.
    pub fn words(&self) -> Vec<u64> {
        self.0.words().to_vec()
    }

    /// How many words there are.
    #[wasm_bindgen(getter, js_name = coeffCount)]
    pub fn coeff_count(&self) -> usize {
        self.0.len()
    }

    /// Words up to the last that is not zero.
    #[wasm_bindgen(getter, js_name = significantCoeffCount)]
    pub fn significant_coeff_count(&self) -> usize {
        self.0.significant_len()
    }

    /// Words that are not zero.
    #[wasm_bindgen(getter, js_name = nonzeroCoeffCount)]
    pub fn nonzero_coeff_count(&self) -> usize {
        self.0.nonzero_count()
    }

    /// Whether all words are zero.
    #[wasm_bindgen(getter, js_name = isZero)]
    pub fn is_zero(&self) -> bool {
        self.0.is_zero()
    }

    /// Whether it is in NTT form.
    #[wasm_bindgen(getter, js_name = isNttForm)]
    pub fn is_ntt_form(&self) -> bool {
        self.0.is_ntt_form()
    }

    /// Its level's id, zero in coefficient form.
    #[wasm_bindgen(getter, js_name = parmsId)]
    pub fn parms_id(&self) -> Vec<u64> {
        self.0.parms_id().0.to_vec()
    }

    /// Its scale.
    #[wasm_bindgen(getter)]
    pub fn scale(&self) -> f64 {
        self.0.scale()
    }

    /// The same with another scale.
    #[wasm_bindgen(js_name = withScale)]
    pub fn with_scale(&self, scale: f64) -> Self {
        let mut copy = self.0.clone();
        copy.set_scale(scale);
        Self(copy)
    }

    /// A copy with words of its own.
    #[wasm_bindgen(js_name = copy)]
    pub fn copy(&self) -> Self {
        Self(self.0.clone())
    }

    /// Whether metadata and words are equal.
    pub fn equals(&self, other: &Plaintext) -> bool {
        self.0 == other.0
    }

    /// Whether it belongs to the context and is in range.
    #[wasm_bindgen(js_name = isValidFor)]
    pub fn is_valid_for(&self, context: &Context) -> bool {
        self.0.is_valid_for(&context.0)
    }
}

/// A ciphertext.
#[wasm_bindgen]
pub struct Ciphertext(pub(crate) phoca::Ciphertext);

#[wasm_bindgen]
impl Ciphertext {
    /// Polynomials.
    #[wasm_bindgen(getter)]
    pub fn size(&self) -> usize {
        self.0.size()
    }

    /// Degree `n`.
    #[wasm_bindgen(getter)]
    pub fn degree(&self) -> usize {
        self.0.degree()
    }

    /// Primes of its level.
    #[wasm_bindgen(getter, js_name = primeCount)]
    pub fn prime_count(&self) -> usize {
        self.0.prime_count()
    }

    /// Bytes of its words.
    #[wasm_bindgen(getter, js_name = byteLength)]
    pub fn byte_length(&self) -> usize {
        8 * self.0.words().len()
    }

    /// Whether it is in NTT form.
    #[wasm_bindgen(getter, js_name = isNttForm)]
    pub fn is_ntt_form(&self) -> bool {
        self.0.is_ntt_form()
    }

    /// Whether it decrypts without a key.
    #[wasm_bindgen(getter, js_name = isTransparent)]
    pub fn is_transparent(&self) -> bool {
        self.0.is_transparent()
    }

    /// Whether its file will hold a seed in place of half of it.
    #[wasm_bindgen(getter, js_name = isSeeded)]
    pub fn is_seeded(&self) -> bool {
        self.0.is_seeded()
    }

    /// Its level's id.
    #[wasm_bindgen(getter, js_name = parmsId)]
    pub fn parms_id(&self) -> Vec<u64> {
        self.0.parms_id().0.to_vec()
    }

    /// Its scale.
    #[wasm_bindgen(getter)]
    pub fn scale(&self) -> f64 {
        self.0.scale()
    }

    /// BGV's correction factor, else 1.
    #[wasm_bindgen(getter, js_name = correctionFactor)]
    pub fn correction_factor(&self) -> u64 {
        self.0.correction_factor()
    }

    /// The words of one polynomial.
    pub fn polynomial(&self, index: usize) -> Option<Vec<u64>> {
        self.0.polynomial(index).map(<[u64]>::to_vec)
    }

    /// The same with another scale.
    #[wasm_bindgen(js_name = withScale)]
    pub fn with_scale(&self, scale: f64) -> Self {
        let mut copy = self.0.clone();
        copy.set_scale(scale);
        Self(copy)
    }

    /// The same without its last polynomials, or with zero ones appended.
    pub fn resized(&self, size: usize) -> Result<Self> {
        memory::require(8 * (size.min(16) * self.0.degree() * self.0.prime_count()) as u64)?;
        let mut copy = self.0.clone();
        copy.resize(size)?;
        Ok(Self(copy))
    }

    /// A copy with words of its own.
    pub fn copy(&self) -> Self {
        Self(self.0.clone())
    }

    /// Whether metadata and words are equal.
    pub fn equals(&self, other: &Ciphertext) -> bool {
        self.0 == other.0
    }

    /// Whether it belongs to the context and is in range.
    #[wasm_bindgen(js_name = isValidFor)]
    pub fn is_valid_for(&self, context: &Context) -> bool {
        self.0.is_valid_for(&context.0)
    }

    /// What is known of its noise, as six logarithms, which outlive a file that has no place for them.
    pub fn noise(&self) -> Vec<f64> {
        self.0.noise().to_log2().to_vec()
    }

    /// The same with a noise that [`Ciphertext::noise`] gave.
    #[wasm_bindgen(js_name = withNoise)]
    pub fn with_noise(&self, logarithms: &[f64]) -> Result<Self> {
        let logarithms =
            logarithms.try_into().map_err(|_| Thrown::argument("a noise bound has six numbers", "logarithms"))?;
        let mut copy = self.0.clone();
        copy.set_noise(NoiseBound::from_log2(logarithms));
        Ok(Self(copy))
    }

    /// BFV and BGV: the bits of noise budget that are left for sure, or in all but 2^-40 of cases.
    #[wasm_bindgen(js_name = predictedBudget)]
    pub fn predicted_budget(&self, context: &Context, worst_case: bool) -> Result<f64> {
        Ok(match worst_case {
            true => self.0.worst_case_budget(&context.0)?,
            false => self.0.likely_budget(&context.0)?,
        })
    }

    /// CKKS: a bound on the error of each slot, for sure or in all but 2^-40 of cases.
    #[wasm_bindgen(js_name = predictedError)]
    pub fn predicted_error(&self, context: &Context, worst_case: bool) -> Result<f64> {
        Ok(match worst_case {
            true => self.0.worst_case_error(&context.0)?,
            false => self.0.likely_error(&context.0)?,
        })
    }
}

/// Ciphertexts for an operation over many: copies, since the operation wants them side by side.
#[wasm_bindgen]
#[derive(Default)]
pub struct CiphertextList(pub(crate) Vec<phoca::Ciphertext>);

#[wasm_bindgen]
impl CiphertextList {
    /// An empty list.
    #[wasm_bindgen(constructor)]
    pub fn new() -> Self {
        Self::default()
    }

    /// Appends a copy.
    pub fn push(&mut self, ciphertext: &Ciphertext) -> Result<()> {
        memory::require(8 * ciphertext.0.words().len() as u64)?;
        self.0.push(ciphertext.0.clone());
        Ok(())
    }
}

/// Plaintexts for an operation over many.
#[wasm_bindgen]
#[derive(Default)]
pub struct PlaintextList(pub(crate) Vec<phoca::Plaintext>);

#[wasm_bindgen]
impl PlaintextList {
    /// An empty list.
    #[wasm_bindgen(constructor)]
    pub fn new() -> Self {
        Self::default()
    }

    /// Appends a copy.
    pub fn push(&mut self, plaintext: &Plaintext) -> Result<()> {
        memory::require(8 * plaintext.0.words().len() as u64)?;
        self.0.push(plaintext.0.clone());
        Ok(())
    }
}

/// Whether an id is one of the context's levels.
#[wasm_bindgen(js_name = levelPosition)]
pub fn level_position(context: &Context, id: &[u64]) -> Result<Option<usize>> {
    let id = parms_id(id)?;
    Ok(context.0.levels().iter().position(|level| level.parms_id() == id))
}
