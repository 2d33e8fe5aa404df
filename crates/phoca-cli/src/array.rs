//! Encrypted arrays: the ciphertexts of one file with what the manifest says about them.

use std::path::Path;

use phoca::encode::text;
use phoca::{BatchEncoder, Ciphertext, CkksEncoder, Context, Error, Plaintext, Scheme};

use crate::container::{ArrayInfo, ContainerReader, ContainerWriter, Dtype, Encoding, Kind, Manifest};
use crate::error::{CliError, Result};
use crate::output::{Output, Purpose};
use crate::values::Values;

/// The content of a file of ciphertexts, in memory.
///
/// Vector `v` of [`ArrayInfo`] is ciphertexts `v·c .. (v+1)·c` with `c = ` [`ArrayInfo::chunks`].
pub struct EncryptedArray {
    /// The manifest, of kind [`Kind::Ciphertexts`] and with an array.
    pub manifest: Manifest,
    /// The ciphertexts in order.
    pub ciphertexts: Vec<Ciphertext>,
}

impl EncryptedArray {
    /// An array of ciphertexts that `key`'s owner can decrypt: parameters, security and key pair are those of `key`.
    pub fn new(context: &Context, key: &Manifest, array: ArrayInfo, ciphertexts: Vec<Ciphertext>) -> Self {
        let mut manifest = manifest_of(context, key, array, ciphertexts.len() as u64);
        if context.scheme() == Scheme::Ckks {
            manifest.scale = ciphertexts.first().map(Ciphertext::scale);
        }
        Self { manifest, ciphertexts }
    }

    /// Reads a file, or standard input for `-`. Its parameters and key pair must be those of `key`, whose context is
    /// given.
    pub fn read(path: &Path, context: &Context, key: &Manifest) -> Result<Self> {
        let mut reader = open(path, key)?;
        let mut ciphertexts = Vec::new();
        for _ in 0..reader.manifest().objects {
            ciphertexts.push(reader.object(context)?);
        }
        let manifest = reader.manifest().clone();
        reader.finish()?;
        Ok(Self { manifest, ciphertexts })
    }

    /// Writes a file, which appears whole or not at all, or standard output for `None` and `-`.
    pub fn write(&self, path: Option<&Path>) -> Result<()> {
        let output = Output::create(path, Purpose::Binary)?;
        let path = output.path().to_owned();
        let write = || {
            let mut writer = ContainerWriter::new(output, &self.manifest)?;
            for ciphertext in &self.ciphertexts {
                writer.object(ciphertext)?;
            }
            writer.finish()?.commit()
        };
        write().map_err(|error: CliError| error.while_writing(path))
    }

    /// What the values are.
    pub fn array(&self) -> Result<&ArrayInfo> {
        array_of(&self.manifest)
    }
}

/// Opens a file of ciphertexts for parameters and key pair of `key`.
pub fn open(path: &Path, key: &Manifest) -> Result<ContainerReader> {
    let reader = ContainerReader::open(path)?;
    let manifest = reader.manifest();
    manifest.expect_kind(Kind::Ciphertexts).map_err(|error| error.file(path))?;
    manifest.expect_same_keys(key).map_err(|error| error.file(path))?;
    Ok(reader)
}

/// The manifest of ciphertexts under the keys of `key`.
pub fn manifest_of(context: &Context, key: &Manifest, array: ArrayInfo, objects: u64) -> Manifest {
    let mut manifest = Manifest::new(Kind::Ciphertexts, context, objects);
    manifest.key = key.key.clone();
    manifest.security = key.security;
    manifest.array = Some(array);
    manifest
}

/// The array of a checked manifest of ciphertexts.
pub fn array_of(manifest: &Manifest) -> Result<&ArrayInfo> {
    manifest.array.as_ref().ok_or_else(|| CliError::bad_file("the manifest has no array"))
}

/// Turns values into plaintexts and back, for one context.
pub struct Codec {
    encoder: Encoder,
    scale: f64,
}

enum Encoder {
    Batch(BatchEncoder),
    Ckks(CkksEncoder),
    Polynomial,
}

impl Codec {
    /// A codec for an encoding; `scale` is for CKKS.
    pub fn new(context: &Context, encoding: Encoding, scale: Option<f64>) -> Result<Self> {
        let encoder = match encoding {
            Encoding::Batch => Encoder::Batch(BatchEncoder::new(context)?),
            Encoding::Ckks => Encoder::Ckks(CkksEncoder::new(context)?),
            Encoding::Polynomial => Encoder::Polynomial,
        };
        let scale = match (&encoder, scale) {
            (Encoder::Ckks(_), None) => {
                return Err(CliError::usage("CKKS needs a scale, and the key names none").hint("--scale-bits 40"));
            }
            (_, scale) => scale.unwrap_or(1.0),
        };
        Ok(Self { encoder, scale })
    }

    /// How many values one plaintext holds.
    pub fn slots(&self) -> usize {
        match &self.encoder {
            Encoder::Batch(encoder) => encoder.slot_count(),
            Encoder::Ckks(encoder) => encoder.slot_count(),
            Encoder::Polynomial => 1,
        }
    }

    /// The plaintext of values `start .. start + len`, at the first level.
    pub fn encode(&self, values: &Values, start: usize, len: usize) -> Result<Plaintext> {
        let range = start..start + len;
        Ok(match (&self.encoder, values) {
            (Encoder::Batch(encoder), Values::Int(values)) => {
                encoder.encode_signed(&values[range]).map_err(|error| counted_from(start, error))?
            }
            (Encoder::Batch(encoder), Values::Uint(values)) => {
                encoder.encode(&values[range]).map_err(|error| counted_from(start, error))?
            }
            (Encoder::Ckks(encoder), Values::Float(values)) => encoder.encode(&values[range], self.scale)?,
            (Encoder::Ckks(encoder), Values::Int(values)) => {
                encoder.encode(&to_f64(&values[range], |value| value as f64), self.scale)?
            }
            (Encoder::Ckks(encoder), Values::Uint(values)) => {
                encoder.encode(&to_f64(&values[range], |value| value as f64), self.scale)?
            }
            (Encoder::Ckks(encoder), Values::Complex(values)) => encoder.encode_complex(&values[range], self.scale)?,
            (Encoder::Polynomial, Values::Polynomial(values)) => text::parse(&values[start])?,
            (_, values) => {
                return Err(CliError::failed(format!("{} cannot be encoded here", values.dtype().name())));
            }
        })
    }

    /// Appends the first `len` values of a plaintext to `values`, whose type says how they are read.
    pub fn decode_into(&self, plaintext: &Plaintext, len: usize, values: &mut Values) -> Result<()> {
        match (&self.encoder, values) {
            (Encoder::Batch(encoder), Values::Int(values)) => {
                values.extend_from_slice(&encoder.decode_signed(plaintext)?[..len]);
            }
            (Encoder::Batch(encoder), Values::Uint(values)) => {
                values.extend_from_slice(&encoder.decode(plaintext)?[..len]);
            }
            (Encoder::Ckks(encoder), Values::Float(values)) => {
                values.extend_from_slice(&encoder.decode(plaintext)?[..len]);
            }
            (Encoder::Ckks(encoder), Values::Complex(values)) => {
                values.extend_from_slice(&encoder.decode_complex(plaintext)?[..len]);
            }
            (Encoder::Polynomial, Values::Polynomial(values)) => values.push(text::format(plaintext)?),
            (_, values) => {
                return Err(CliError::failed(format!("{} cannot be decoded here", values.dtype().name())));
            }
        }
        Ok(())
    }
}

/// The type in which decrypted values of this array are given: CKKS gives no integers.
pub fn decoded_dtype(array: &ArrayInfo) -> Dtype {
    match (array.encoding, array.dtype) {
        (Encoding::Ckks, Dtype::Complex128) => Dtype::Complex128,
        (Encoding::Ckks, _) => Dtype::Float64,
        (_, dtype) => dtype,
    }
}

/// An error about a value of the chunk that starts at `start`, with the value's index among all.
fn counted_from(start: usize, error: Error) -> CliError {
    match error {
        Error::ValueOutOfRange { index, value, minimum, maximum, plain_modulus } => {
            let index = start + index;
            CliError::from(Error::ValueOutOfRange { index, value, minimum, maximum, plain_modulus })
                .hint("phoca keygen with a larger --plain-bits")
        }
        other => other.into(),
    }
}

fn to_f64<T: Copy>(values: &[T], convert: impl Fn(T) -> f64) -> Vec<f64> {
    values.iter().map(|&value| convert(value)).collect()
}
