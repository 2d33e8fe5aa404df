//! Encoders.

use js_sys::{BigInt64Array, BigUint64Array};
use num_complex::Complex64;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::context::{Context, parms_id};
use crate::error::{Result, Thrown};
use crate::objects::Plaintext;

/// BFV and BGV: integers in slots.
#[wasm_bindgen]
pub struct BatchEncoder(phoca::BatchEncoder);

#[wasm_bindgen]
impl BatchEncoder {
    /// An encoder for a context whose plain modulus has slots.
    #[wasm_bindgen(constructor)]
    pub fn new(context: &Context) -> Result<Self> {
        Ok(Self(phoca::BatchEncoder::new(&context.0)?))
    }

    /// The slots of a plaintext.
    #[wasm_bindgen(getter, js_name = slotCount)]
    pub fn slot_count(&self) -> usize {
        self.0.slot_count()
    }

    /// Encodes values below the plain modulus.
    pub fn encode(&self, values: &[u64]) -> Result<Plaintext> {
        Ok(Plaintext(self.0.encode(values)?))
    }

    /// Encodes values of at most half of the plain modulus in magnitude.
    #[wasm_bindgen(js_name = encodeSigned)]
    pub fn encode_signed(&self, values: &[i64]) -> Result<Plaintext> {
        Ok(Plaintext(self.0.encode_signed(values)?))
    }

    /// As [`encode_signed`](Self::encode_signed), without a trip over bigints.
    #[wasm_bindgen(js_name = encodeInt32)]
    pub fn encode_int32(&self, values: &[i32]) -> Result<Plaintext> {
        let values: Vec<i64> = values.iter().copied().map(i64::from).collect();
        Ok(Plaintext(self.0.encode_signed(&values)?))
    }

    /// As [`encode`](Self::encode), without a trip over bigints.
    #[wasm_bindgen(js_name = encodeUint32)]
    pub fn encode_uint32(&self, values: &[u32]) -> Result<Plaintext> {
        let values: Vec<u64> = values.iter().copied().map(u64::from).collect();
        Ok(Plaintext(self.0.encode(&values)?))
    }

    /// The values, from 0.
    pub fn decode(&self, plaintext: &Plaintext) -> Result<BigUint64Array> {
        Ok(BigUint64Array::from(self.0.decode(&plaintext.0)?.as_slice()))
    }

    /// The values, centred.
    #[wasm_bindgen(js_name = decodeSigned)]
    pub fn decode_signed(&self, plaintext: &Plaintext) -> Result<BigInt64Array> {
        Ok(BigInt64Array::from(self.0.decode_signed(&plaintext.0)?.as_slice()))
    }
}

/// CKKS: real or complex numbers in slots.
#[wasm_bindgen]
pub struct CkksEncoder(phoca::CkksEncoder);

#[wasm_bindgen]
impl CkksEncoder {
    /// An encoder for a CKKS context.
    #[wasm_bindgen(constructor)]
    pub fn new(context: &Context) -> Result<Self> {
        Ok(Self(phoca::CkksEncoder::new(&context.0)?))
    }

    /// The slots of a plaintext.
    #[wasm_bindgen(getter, js_name = slotCount)]
    pub fn slot_count(&self) -> usize {
        self.0.slot_count()
    }

    /// Encodes real values at a level.
    pub fn encode(&self, values: &[f64], scale: f64, level: &[u64]) -> Result<Plaintext> {
        Ok(Plaintext(self.0.encode_at(values, scale, parms_id(level)?)?))
    }

    /// Encodes complex values, each a real and an imaginary part.
    #[wasm_bindgen(js_name = encodeComplex)]
    pub fn encode_complex(&self, parts: &[f64], scale: f64, level: &[u64]) -> Result<Plaintext> {
        let (pairs, rest) = parts.as_chunks::<2>();
        if !rest.is_empty() {
            return Err(Thrown::argument("complex values come in pairs of a real and an imaginary part", "parts"));
        }
        let values: Vec<Complex64> = pairs.iter().map(|&[re, im]| Complex64::new(re, im)).collect();
        Ok(Plaintext(self.0.encode_complex_at(&values, scale, parms_id(level)?)?))
    }

    /// Encodes one real value into all slots.
    #[wasm_bindgen(js_name = encodeScalar)]
    pub fn encode_scalar(&self, value: f64, scale: f64, level: &[u64]) -> Result<Plaintext> {
        Ok(Plaintext(self.0.encode_scalar(value, scale, parms_id(level)?)?))
    }

    /// Encodes one complex value into all slots.
    #[wasm_bindgen(js_name = encodeComplexScalar)]
    pub fn encode_complex_scalar(&self, re: f64, im: f64, scale: f64, level: &[u64]) -> Result<Plaintext> {
        Ok(Plaintext(self.0.encode_complex_scalar(Complex64::new(re, im), scale, parms_id(level)?)?))
    }

    /// Encodes one integer into all slots, exactly, with scale 1.
    #[wasm_bindgen(js_name = encodeInteger)]
    pub fn encode_integer(&self, value: i64, level: &[u64]) -> Result<Plaintext> {
        Ok(Plaintext(self.0.encode_integer(value, parms_id(level)?)?))
    }

    /// The real parts of the values.
    pub fn decode(&self, plaintext: &Plaintext) -> Result<Vec<f64>> {
        Ok(self.0.decode(&plaintext.0)?)
    }

    /// The values, each a real and an imaginary part.
    #[wasm_bindgen(js_name = decodeComplex)]
    pub fn decode_complex(&self, plaintext: &Plaintext) -> Result<Vec<f64>> {
        let values = self.0.decode_complex(&plaintext.0)?;
        Ok(values.into_iter().flat_map(|value| [value.re, value.im]).collect())
    }
}
