//! SEAL's files: whole, or in pieces so that a large set of keys never needs its size twice.

use std::io;

use js_sys::{Function, Uint8Array};
use phoca::Parameters as LibraryParameters;
use phoca::seal::{Compression, Load, Modulus, Save, SaveOptions, Seeding, Version};
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::context::Context;
use crate::error::{Result, Thrown};
use crate::keys::{GaloisKeys, PublicKey, RelinKeys, SecretKey};
use crate::memory;
use crate::objects::{Ciphertext, Plaintext};

/// How an object is written: compression 0 none, 1 zlib, 2 zstd; the minor number of SEAL 4's version; whether seeds are
/// written out as what they expand to.
fn options(compression: u8, minor: u8, full: bool) -> Result<SaveOptions> {
    let compression = Compression::from_byte(compression)
        .ok_or_else(|| Thrown::argument("the compression must be 0 (none), 1 (zlib) or 2 (zstd)", "compression"))?;
    let version = [Version::V4_0, Version::V4_1, Version::V4_3, Version::V4_4]
        .into_iter()
        .find(|version| version.numbers().1 == minor)
        .ok_or_else(|| Thrown::argument("files are written for SEAL 4.0, 4.1, 4.3 or 4.4", "version"))?;
    let seeding = if full { Seeding::Full } else { Seeding::Keep };
    Ok(SaveOptions { compression, version, seeding })
}

/// Hands pieces of a file to a JavaScript function `(bytes: Uint8Array) => void`, which must copy what it wants to keep.
struct Pieces<'a>(&'a Function);

impl io::Write for Pieces<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let piece = Uint8Array::from(bytes);
        match self.0.call1(&JsValue::UNDEFINED, &piece) {
            Ok(_) => Ok(bytes.len()),
            Err(_) => Err(io::Error::other("the receiver threw an error")),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The file of an object in pieces of at most 64 KiB or of what a compressor gives at once.
fn save(object: &impl Save, receiver: &Function, options: &SaveOptions) -> Result<()> {
    object.save(io::BufWriter::with_capacity(1 << 16, Pieces(receiver)), options)?;
    Ok(())
}

/// Bytes `start..start + len` of the uncompressed file of an object.
fn save_range(object: &impl Save, start: f64, len: u32, options: &SaveOptions) -> Result<Vec<u8>> {
    memory::require(u64::from(len))?;
    let mut bytes = Vec::with_capacity(len as usize);
    let start = start as u64;
    object.save_range(&mut bytes, options, start..start.saturating_add(u64::from(len)))?;
    Ok(bytes)
}

/// Saving for each type: `saved!(Type)`.
macro_rules! saved {
    ($type:ident) => {
        #[wasm_bindgen]
        impl $type {
            /// Hands the file to a function in pieces.
            pub fn save(&self, receiver: &Function, compression: u8, minor: u8, full: bool) -> Result<()> {
                save(&self.0, receiver, &options(compression, minor, full)?)
            }

            /// Bytes `start..start + len` of the uncompressed file.
            #[wasm_bindgen(js_name = saveRange)]
            pub fn save_range(&self, start: f64, len: u32, minor: u8, full: bool) -> Result<Vec<u8>> {
                save_range(&self.0, start, len, &options(0, minor, full)?)
            }

            /// The bytes of the uncompressed file.
            #[wasm_bindgen(js_name = savedLength)]
            pub fn saved_length(&self, full: bool) -> Result<f64> {
                Ok(self.0.saved_len(&options(0, 1, full)?) as f64)
            }
        }
    };
}

/// Saving and loading for each type that belongs to a context.
macro_rules! stored {
    ($($type:ident),*) => {$(
        saved!($type);

        #[wasm_bindgen]
        impl $type {
            /// Reads the object that starts a file. Gives an error where it is damaged or of another context.
            pub fn load(bytes: &[u8], context: &Context) -> Result<Self> {
                Ok(Self(Load::load(bytes, &context.0)?))
            }
        }
    )*};
}

stored!(Plaintext, Ciphertext, SecretKey, PublicKey, RelinKeys, GaloisKeys);

#[wasm_bindgen]
impl GaloisKeys {
    /// Reads the keys of some elements only.
    #[wasm_bindgen(js_name = loadElements)]
    pub fn load_elements(bytes: &[u8], context: &Context, elements: &[u32]) -> Result<Self> {
        let elements: Vec<u64> = elements.iter().copied().map(u64::from).collect();
        Ok(Self(phoca::GaloisKeys::load_elements(bytes, &context.0, &elements)?))
    }
}

/// Parameters in a file: unchecked.
#[wasm_bindgen]
pub struct Parameters(LibraryParameters);

saved!(Parameters);

#[wasm_bindgen]
impl Parameters {
    /// Parameters to be saved.
    #[wasm_bindgen(constructor)]
    pub fn new(scheme: u8, degree: u32, coeff_modulus: Vec<u64>, plain_modulus: u64) -> Result<Self> {
        let scheme = phoca::Scheme::from_byte(scheme)
            .ok_or_else(|| Thrown::argument("the scheme must be 1 (BFV), 2 (CKKS) or 3 (BGV)", "scheme"))?;
        Ok(Self(LibraryParameters { scheme, degree: degree as usize, coeff_modulus, plain_modulus }))
    }

    /// Reads parameters.
    pub fn load(bytes: &[u8]) -> Result<Self> {
        Ok(Self(LibraryParameters::load(&mut { bytes })?))
    }

    /// The scheme's number.
    #[wasm_bindgen(getter)]
    pub fn scheme(&self) -> u8 {
        self.0.scheme as u8
    }

    /// Degree `n`.
    #[wasm_bindgen(getter)]
    pub fn degree(&self) -> usize {
        self.0.degree
    }

    /// The coefficient primes.
    #[wasm_bindgen(getter, js_name = coeffModulus)]
    pub fn coeff_modulus(&self) -> Vec<u64> {
        self.0.coeff_modulus.clone()
    }

    /// The plain modulus.
    #[wasm_bindgen(getter, js_name = plainModulus)]
    pub fn plain_modulus(&self) -> u64 {
        self.0.plain_modulus
    }
}

/// Writes a modulus.
#[wasm_bindgen(js_name = saveModulus)]
pub fn save_modulus(value: u64, receiver: &Function, compression: u8) -> Result<()> {
    save(&Modulus(value), receiver, &options(compression, 1, false)?)
}

/// Reads a modulus.
#[wasm_bindgen(js_name = loadModulus)]
pub fn load_modulus(bytes: &[u8]) -> Result<u64> {
    Ok(Modulus::load(&mut { bytes })?.0)
}
