//! Integers modulo `t` in the slots of a BFV or BGV plaintext.

use alloc::vec::Vec;

use phoca_ring::Buffer;
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
        match values.len() == self.slot_count() {
            true => self.encode_residues(values),
            false => self.encode_residues(&self.padded(values, |value| value)),
        }
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
        // Words wrap; the sum is the residue, as a value and the modulus are of less than half a word.
        let residue = |value: i64| value.cast_unsigned().wrapping_add(plain_modulus & (value >> 63).cast_unsigned());
        self.encode_residues(&self.padded(values, residue))
    }

    /// The `n` values in `[0, t)`.
    ///
    /// # Errors
    ///
    /// [`Error::FormMismatch`], [`Error::TooManyValues`] or [`Error::ValueOutOfRange`] where the plaintext does not fit the
    /// context.
    pub fn decode(&self, plaintext: &Plaintext) -> Result<Vec<u64>, Error> {
        self.context.check_coefficients(plaintext)?;
        let Batching { tables, slots } = self.batching()?;
        let mut transformed = Zeroizing::new(self.context.buffers().take(self.slot_count()));
        if plaintext.len() == self.slot_count() {
            tables.forward_from(&mut transformed, plaintext.words(), self.context.plain_modulus(), 0);
        } else {
            let (given, missing) = transformed.split_at_mut(plaintext.len());
            given.copy_from_slice(plaintext.words());
            missing.fill(0);
            tables.forward(&mut transformed);
        }
        let mut values = alloc::vec![0; self.slot_count()];
        slots.to_slots(&transformed, &mut values);
        Ok(values)
    }

    /// The `n` values in `(−t/2, t/2]`.
    ///
    /// # Errors
    ///
    /// As [`BatchEncoder::decode`].
    pub fn decode_signed(&self, plaintext: &Plaintext) -> Result<Vec<i64>, Error> {
        let modulus = *self.batching()?.tables.modulus();
        Ok(self.decode(plaintext)?.into_iter().map(|value| modulus.centered(value)).collect())
    }

    /// The plaintext with `n` slots in `[0, t)`.
    fn encode_residues(&self, slots: &[u64]) -> Result<Plaintext, Error> {
        let Batching { tables, slots: order } = self.batching()?;
        let mut data = self.context.buffers().take(self.slot_count());
        order.to_values(slots, &mut data);
        tables.inverse(&mut data);
        Ok(Plaintext { parms_id: ParmsId::ZERO, scale: 1.0, data, bound: None })
    }

    /// The residues of at most `n` values, with zeros after them.
    fn padded<T: Copy>(&self, values: &[T], residue: impl Fn(T) -> u64) -> Zeroizing<Buffer> {
        let mut slots = Zeroizing::new(self.context.buffers().take(self.slot_count()));
        let (given, missing) = slots.split_at_mut(values.len());
        given.iter_mut().zip(values).for_each(|(slot, &value)| *slot = residue(value));
        missing.fill(0);
        slots
    }

    fn check_count(&self, got: usize) -> Result<(), Error> {
        let capacity = self.slot_count();
        match got > capacity {
            true => Err(Error::TooManyValues { capacity, got }),
            false => Ok(()),
        }
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
