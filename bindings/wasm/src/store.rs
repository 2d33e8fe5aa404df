//! Objects as bytes of JavaScript, which its garbage collector frees without being told: where an object waits while
//! WebAssembly's memory is needed for others. The bytes are for one program; files are in [`crate::files`].

use std::borrow::Cow;

use phoca::Scheme;
use phoca::noise::{MessageBound, NoiseBound};
use phoca::seal::{Load, Save, SaveOptions};
use wasm_bindgen::prelude::wasm_bindgen;

use crate::context::Context;
use crate::error::{Result, Thrown};
use crate::memory;
use crate::objects::{Ciphertext, Plaintext};

/// The numbers in front of a stored ciphertext: its scale and its noise.
const CIPHERTEXT_NUMBERS: usize = 1 + 6;
/// The numbers in front of a stored plaintext: its scale, whether it is in NTT form, whether its bound is known, the bound.
const PLAINTEXT_NUMBERS: usize = 3 + 8;

#[wasm_bindgen]
impl Ciphertext {
    /// Everything about the ciphertext; nothing where it is at a level that files cannot have, or in the form that BGV's files
    /// lose.
    pub fn store(&self, context: &Context) -> Result<Option<Vec<u8>>> {
        let level = context.0.level(self.0.parms_id(), "the ciphertext")?;
        let loses_form = context.0.scheme() == Scheme::Bgv && !self.0.is_ntt_form();
        if loses_form || level.chain_index() > context.0.first_level().chain_index() {
            return Ok(None);
        }
        // Any number may be set as the scale, and not every one may be in a file.
        let plain = match self.0.scale() {
            1.0 => Cow::Borrowed(&self.0),
            _ => Cow::Owned(with_unit_scale(&self.0)),
        };
        let options = SaveOptions::default();
        memory::require(plain.saved_len(&options))?;
        let mut bytes = Vec::with_capacity(8 * CIPHERTEXT_NUMBERS + plain.saved_len(&options) as usize);
        write_numbers(&mut bytes, [self.0.scale()].into_iter().chain(self.0.noise().to_log2()));
        plain.save(&mut bytes, &options)?;
        Ok(Some(bytes))
    }

    /// What [`Ciphertext::store`] stored.
    pub fn restore(bytes: &[u8], context: &Context) -> Result<Self> {
        let ([scale, noise @ ..], file) = read_numbers::<CIPHERTEXT_NUMBERS>(bytes)?;
        let mut ciphertext = phoca::Ciphertext::load(file, &context.0)?;
        ciphertext.set_scale(scale);
        ciphertext.set_noise(NoiseBound::from_log2(noise));
        Ok(Self(ciphertext))
    }
}

#[wasm_bindgen]
impl Plaintext {
    /// Everything about the plaintext.
    pub fn store(&self) -> Result<Vec<u8>> {
        let bound = self.0.message_bound();
        let (is_ntt_form, is_bounded) = (self.0.is_ntt_form(), bound.is_some());
        let head = [self.0.scale(), f64::from(u8::from(is_ntt_form)), f64::from(u8::from(is_bounded))];
        let bound = bound.unwrap_or(MessageBound::ZERO).to_log2();
        let mut bytes = Vec::with_capacity(8 * (PLAINTEXT_NUMBERS + self.0.len()) + 128);
        write_numbers(&mut bytes, head.into_iter().chain(bound));
        if is_ntt_form {
            let mut plain = self.0.clone();
            plain.set_scale(1.0);
            plain.save(&mut bytes, &SaveOptions::default())?;
        } else {
            // Coefficients need not be below the plain modulus before they are used.
            bytes.extend(self.0.words().iter().flat_map(|word| word.to_le_bytes()));
        }
        Ok(bytes)
    }

    /// What [`Plaintext::store`] stored.
    pub fn restore(bytes: &[u8], context: &Context) -> Result<Self> {
        let ([scale, is_ntt_form, is_bounded, bound @ ..], rest) = read_numbers::<PLAINTEXT_NUMBERS>(bytes)?;
        let mut plaintext = match is_ntt_form != 0.0 {
            true => phoca::Plaintext::load(rest, &context.0)?,
            false => {
                let words: Vec<u64> = rest.as_chunks().0.iter().map(|&bytes| u64::from_le_bytes(bytes)).collect();
                phoca::Plaintext::from_coefficients(&words)
            }
        };
        plaintext.set_scale(scale);
        if is_bounded != 0.0 {
            plaintext.set_message_bound(MessageBound::from_log2(bound));
        }
        Ok(Self(plaintext))
    }
}

fn write_numbers(bytes: &mut Vec<u8>, numbers: impl Iterator<Item = f64>) {
    bytes.extend(numbers.flat_map(f64::to_le_bytes));
}

fn read_numbers<const COUNT: usize>(bytes: &[u8]) -> Result<([f64; COUNT], &[u8])> {
    let (head, rest) = bytes
        .split_at_checked(8 * COUNT)
        .ok_or_else(|| Thrown::argument("the stored object is too short: it was not stored by this module", "bytes"))?;
    let mut numbers = [0.0; COUNT];
    for (number, bytes) in numbers.iter_mut().zip(head.as_chunks().0) {
        *number = f64::from_le_bytes(*bytes);
    }
    Ok((numbers, rest))
}

fn with_unit_scale(ciphertext: &phoca::Ciphertext) -> phoca::Ciphertext {
    let mut copy = ciphertext.clone();
    copy.set_scale(1.0);
    copy
}
