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

/// Hands each piece of a file to a JavaScript function `(bytes: Uint8Array) => void`.
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

/// The bytes of a file in JavaScript's memory, as a reader or a writer that goes through them once.
///
/// They come and go in chunks of the library's, which it wipes: a file in the module's memory would leave a secret key there.
struct Bytes {
    all: Uint8Array,
    used: u32,
}

impl Bytes {
    fn new(all: Uint8Array) -> Self {
        Self { all, used: 0 }
    }

    /// The next bytes, `len` at most.
    fn next(&mut self, len: usize) -> Uint8Array {
        let rest = self.all.length().saturating_sub(self.used);
        let start = self.used;
        self.used += u32::try_from(len).unwrap_or(u32::MAX).min(rest);
        self.all.subarray(start, self.used)
    }
}

impl io::Read for Bytes {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let piece = self.next(out.len());
        let len = piece.length() as usize;
        piece.copy_to(&mut out[..len]);
        Ok(len)
    }
}

impl io::Write for Bytes {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let piece = self.next(bytes.len());
        let len = piece.length() as usize;
        piece.copy_from(&bytes[..len]);
        Ok(len)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Bytes `start..start + len` of the uncompressed file of an object; fewer where it ends before.
fn save_range(object: &impl Save, start: f64, len: u32, options: &SaveOptions) -> Result<Uint8Array> {
    let start = start as u64;
    let len = object.saved_len(options).saturating_sub(start).min(len.into()) as u32;
    let bytes = Uint8Array::new_with_length(len);
    object.save_range(Bytes::new(bytes.clone()), options, start..start + u64::from(len))?;
    Ok(bytes)
}

/// Saving for each type: `saved!(Type)`.
macro_rules! saved {
    ($type:ident) => {
        #[wasm_bindgen]
        impl $type {
            /// Hands the file to a function in pieces.
            pub fn save(&self, receiver: &Function, compression: u8, minor: u8, full: bool) -> Result<()> {
                self.0.save(Pieces(receiver), &options(compression, minor, full)?)?;
                Ok(())
            }

            /// Bytes `start..start + len` of the uncompressed file.
            #[wasm_bindgen(js_name = saveRange)]
            pub fn save_range(&self, start: f64, len: u32, minor: u8, full: bool) -> Result<Uint8Array> {
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
            pub fn load(bytes: Uint8Array, context: &Context) -> Result<Self> {
                Ok(Self(Load::load(Bytes::new(bytes), &context.0)?))
            }
        }
    )*};
}

stored!(Plaintext, Ciphertext, SecretKey, PublicKey, RelinKeys, GaloisKeys);

#[wasm_bindgen]
impl GaloisKeys {
    /// Reads the keys of some elements only.
    #[wasm_bindgen(js_name = loadElements)]
    pub fn load_elements(bytes: Uint8Array, context: &Context, elements: &[u32]) -> Result<Self> {
        let elements: Vec<u64> = elements.iter().copied().map(u64::from).collect();
        Ok(Self(phoca::GaloisKeys::load_elements(Bytes::new(bytes), &context.0, &elements)?))
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
    pub fn load(bytes: Uint8Array) -> Result<Self> {
        Ok(Self(LibraryParameters::load(&mut Bytes::new(bytes))?))
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
    Modulus(value).save(Pieces(receiver), &options(compression, 1, false)?)?;
    Ok(())
}

/// Reads a modulus.
#[wasm_bindgen(js_name = loadModulus)]
pub fn load_modulus(bytes: Uint8Array) -> Result<u64> {
    Ok(Modulus::load(&mut Bytes::new(bytes))?.0)
}
