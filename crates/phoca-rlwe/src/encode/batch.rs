//! Integers modulo `t` in the slots of a BFV or BGV plaintext.

use alloc::vec::Vec;

use phoca_ring::Modulus;
use zeroize::Zeroizing;

use crate::context::{Batching, Context};
use crate::error::Error;
use crate::params::ParmsId;
use crate::plaintext::Plaintext;
use crate::validity::first_not_below;

/// Encodes up to `n` integers modulo `t` in one plaintext, on which operations act slot by slot.
///
/// Slots form a matrix of two rows of `n/2`: values `0..n/2` are row 0, values `n/2..n` row 1. Rotations turn both rows
/// (Smart–Vercauteren, "Fully homomorphic SIMD operations", ePrint 2011/133).
#[derive(Clone, Debug)]
pub struct BatchEncoder {
    context: Context,
}

impl BatchEncoder {
    /// An encoder for the parameters of `context`.
    ///
    /// # Errors
    ///
    /// [`Error::UnsupportedScheme`] for CKKS; [`Error::BatchingUnsupported`] unless `t` is a prime that is 1 modulo `2n`.
    pub fn new(context: &Context) -> Result<Self, Error> {
        let plain = context.require_plain_ring("batching")?;
        match plain.batching {
            Some(_) => Ok(Self { context: context.clone() }),
            None => Err(Error::BatchingUnsupported {
                plain_modulus: plain.modulus.value(),
                order: 2 * context.degree() as u64,
            }),
        }
    }

    /// How many values one plaintext holds: `n`.
    pub fn slot_count(&self) -> usize {
        self.context.degree()
    }

    /// Encodes values in `[0, t)`; missing ones are zero.
    ///
    /// # Errors
    ///
    /// [`Error::TooManyValues`]; [`Error::ValueOutOfRange`] for a value of `t` or more.
    pub fn encode(&self, values: &[u64]) -> Result<Plaintext, Error> {
        self.check_count(values.len())?;
        let plain_modulus = self.context.plain_modulus();
        if let Some(index) = first_not_below(plain_modulus, values) {
            let maximum = i128::from(plain_modulus) - 1;
            return Err(out_of_range(index, values[index].into(), 0, maximum, plain_modulus));
        }
        self.encode_with(values, |_, value| value)
    }

    /// Encodes signed values of at most `t/2` in magnitude; missing ones are zero.
    ///
    /// # Errors
    ///
    /// [`Error::TooManyValues`]; [`Error::ValueOutOfRange`].
    pub fn encode_signed(&self, values: &[i64]) -> Result<Plaintext, Error> {
        self.check_count(values.len())?;
        let plain_modulus = self.context.plain_modulus();
        let limit = plain_modulus / 2;
        if let Some(index) = values.iter().position(|value| value.unsigned_abs() > limit) {
            let limit = i128::from(limit);
            return Err(out_of_range(index, values[index].into(), -limit, limit, plain_modulus));
        }
        self.encode_with(values, |modulus, value| modulus.reduce_i64(value))
    }

    /// The `n` values in `[0, t)`.
    ///
    /// # Errors
    ///
    /// [`Error::FormMismatch`], [`Error::TooManyValues`] or [`Error::ValueOutOfRange`] where the plaintext does not fit the
    /// context.
    pub fn decode(&self, plaintext: &Plaintext) -> Result<Vec<u64>, Error> {
        self.decode_with(plaintext, |_, value| value)
    }

    /// The `n` values in `(−t/2, t/2]`.
    ///
    /// # Errors
    ///
    /// As [`BatchEncoder::decode`].
    pub fn decode_signed(&self, plaintext: &Plaintext) -> Result<Vec<i64>, Error> {
        self.decode_with(plaintext, Modulus::centered)
    }

    /// Values that have been checked.
    fn encode_with<T: Copy>(&self, values: &[T], residue: impl Fn(&Modulus, T) -> u64) -> Result<Plaintext, Error> {
        let Batching { tables, slots } = self.batching()?;
        let mut data = self.context.buffers().take(self.slot_count());
        let (words, modulus) = (&mut *data, tables.modulus());
        let (given, missing) = slots.positions().split_at(values.len());
        for (&value, &position) in values.iter().zip(given) {
            words[position as usize] = residue(modulus, value);
        }
        missing.iter().for_each(|&position| words[position as usize] = 0);
        tables.inverse(words);
        Ok(Plaintext { parms_id: ParmsId::ZERO, scale: 1.0, data, bound: None })
    }

    fn check_count(&self, got: usize) -> Result<(), Error> {
        let capacity = self.slot_count();
        match got > capacity {
            true => Err(Error::TooManyValues { capacity, got }),
            false => Ok(()),
        }
    }

    fn decode_with<T>(&self, plaintext: &Plaintext, value: impl Fn(&Modulus, u64) -> T) -> Result<Vec<T>, Error> {
        self.context.check_coefficients(plaintext)?;
        let Batching { tables, slots } = self.batching()?;
        let degree = self.slot_count();
        let mut values = Zeroizing::new(self.context.buffers().take(degree));
        let (given, missing) = values.split_at_mut(plaintext.len());
        given.copy_from_slice(plaintext.words());
        missing.fill(0);
        tables.forward(&mut values);
        let (words, modulus) = (&*values, tables.modulus());
        Ok(slots.positions().iter().map(|&position| value(modulus, words[position as usize])).collect())
    }

    fn batching(&self) -> Result<&Batching, Error> {
        let plain = self.context.require_plain_ring("batching")?;
        plain.batching.as_ref().ok_or(Error::BatchingUnsupported {
            plain_modulus: plain.modulus.value(),
            order: 2 * self.context.degree() as u64,
        })
    }
}

fn out_of_range(index: usize, value: i128, minimum: i128, maximum: i128, plain_modulus: u64) -> Error {
    Error::ValueOutOfRange { index, value, minimum, maximum, plain_modulus }
}
