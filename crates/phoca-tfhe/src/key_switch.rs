//! LWE key switching: from one secret and dimension to another, with a decomposition of the mask.

use alloc::vec;
use alloc::vec::Vec;
use core::fmt;

use phoca_ring::fourier::Decomposition;
use phoca_ring::random::PublicStream;
use phoca_ring::torus::{sub_multiples_u32, sub_multiples_u64};
use rand_core::CryptoRng;

use crate::Error;
use crate::Torus;
use crate::lwe::{LweCiphertext, LweSecretKey};
use crate::noise::Noise;

/// Words of key rows that fit the first-level cache beside the sums.
const CACHED_BYTES: usize = 1 << 15;

/// What a key-switching key's words are.
pub trait KeySwitchWord: Torus {
    /// `acc -= Σ_i digits_i·row_i`.
    fn sub_multiples(acc: &mut [Self], rows: &[Self], digits: &[i64], scratch: &mut Vec<Self>);
}

impl KeySwitchWord for u32 {
    fn sub_multiples(acc: &mut [u32], rows: &[u32], digits: &[i64], scratch: &mut Vec<u32>) {
        scratch.clear();
        scratch.extend(digits.iter().map(|digit| *digit as u32));
        sub_multiples_u32(acc, rows, scratch);
    }
}

impl KeySwitchWord for u64 {
    fn sub_multiples(acc: &mut [u64], rows: &[u64], digits: &[i64], scratch: &mut Vec<u64>) {
        scratch.clear();
        scratch.extend(digits.iter().map(|digit| *digit as u64));
        sub_multiples_u64(acc, rows, scratch);
    }
}

/// The seeded form of a key-switching key: the bodies, and a seed for the masks.
#[derive(Clone, PartialEq, Eq)]
pub struct SeededKeySwitchKey<T> {
    pub(crate) decomposition: Decomposition,
    pub(crate) output_dimension: usize,
    pub(crate) seed: [u8; 32],
    /// Of each bit of the input key and each level of it, most significant first.
    pub(crate) bodies: Vec<T>,
}

impl<T: KeySwitchWord> SeededKeySwitchKey<T> {
    /// A key from one secret to another. Constant time if the noise is.
    ///
    /// # Errors
    ///
    /// [`Error::Noise`] as for [`Noise::add_to`].
    pub fn generate(
        input: &LweSecretKey,
        output: &LweSecretKey,
        decomposition: Decomposition,
        noise: Noise,
        rng: &mut impl CryptoRng,
    ) -> Result<Self, Error> {
        let mut seed = [0; 32];
        rng.fill_bytes(&mut seed);
        let stream = PublicStream::new(seed);
        let levels = decomposition.levels();
        let mut bodies = vec![T::default(); input.dimension() * levels as usize];
        let mut masks = vec![T::default(); output.dimension() * levels as usize];
        for ((part, bit), bodies) in (0..).zip(input.bits()).zip(bodies.chunks_exact_mut(levels as usize)) {
            T::expand(&stream, part, &mut masks);
            for ((level, body), mask) in (1..).zip(bodies).zip(masks.chunks_exact(output.dimension())) {
                let message = T::from_u64(bit << (64 - level * decomposition.bits()));
                *body = message.plus(output.dot(mask));
            }
        }
        noise.add_to(rng, &mut bodies)?;
        Ok(Self { decomposition, output_dimension: output.dimension(), seed, bodies })
    }

    /// The key with its masks.
    pub fn expand(&self) -> KeySwitchKey<T> {
        let levels = self.decomposition.levels() as usize;
        let stream = PublicStream::new(self.seed);
        let row_len = self.output_dimension + 1;
        let mut rows = vec![T::default(); self.bodies.len() * row_len];
        let mut masks = vec![T::default(); self.output_dimension * levels];
        let parts = rows.chunks_exact_mut(row_len * levels).zip(self.bodies.chunks_exact(levels));
        for (part, (rows, bodies)) in (0..).zip(parts) {
            T::expand(&stream, part, &mut masks);
            let masks = masks.chunks_exact(self.output_dimension);
            for ((row, mask), body) in rows.chunks_exact_mut(row_len).zip(masks).zip(bodies) {
                row[..self.output_dimension].copy_from_slice(mask);
                row[self.output_dimension] = *body;
            }
        }
        KeySwitchKey { decomposition: self.decomposition, output_dimension: self.output_dimension, rows }
    }
}

impl<T> fmt::Debug for SeededKeySwitchKey<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SeededKeySwitchKey({} words, to dimension {})", self.bodies.len(), self.output_dimension)
    }
}

/// A key-switching key: for each bit of the input key an encryption, under the output key, of its product with each power of
/// the decomposition's base.
#[derive(Clone)]
pub struct KeySwitchKey<T> {
    decomposition: Decomposition,
    output_dimension: usize,
    /// Rows of `output_dimension + 1` words, most significant level first for each bit.
    rows: Vec<T>,
}

impl<T: KeySwitchWord> KeySwitchKey<T> {
    /// The dimension of ciphertexts before.
    pub fn input_dimension(&self) -> usize {
        self.rows.len() / (self.output_dimension + 1) / self.decomposition.levels() as usize
    }

    /// The dimension of ciphertexts after.
    pub fn output_dimension(&self) -> usize {
        self.output_dimension
    }

    /// The bytes of the key in memory.
    pub fn byte_len(&self) -> usize {
        size_of_val(self.rows.as_slice())
    }

    /// The same message under the output key.
    ///
    /// # Errors
    ///
    /// [`Error::LweDimension`] unless the ciphertext has the dimension of the input key.
    pub fn switch(&self, input: &LweCiphertext<u64>) -> Result<LweCiphertext<T>, Error> {
        let mut output = vec![LweCiphertext::zero(self.output_dimension)];
        self.switch_batch(&[input], &mut output)?;
        Ok(output.remove(0))
    }

    /// Switches many ciphertexts, reading the key from memory once.
    ///
    /// # Errors
    ///
    /// [`Error::LweDimension`] unless all have the dimensions of the keys, [`Error::CountMismatch`] unless there are as many
    /// outputs as inputs.
    pub fn switch_batch(&self, inputs: &[&LweCiphertext<u64>], outputs: &mut [LweCiphertext<T>]) -> Result<(), Error> {
        if inputs.len() != outputs.len() {
            return Err(Error::CountMismatch { left: inputs.len(), right: outputs.len() });
        }
        let (expected, row_len) = (self.input_dimension(), self.output_dimension + 1);
        for (input, output) in inputs.iter().zip(outputs.iter_mut()) {
            if input.dimension() != expected {
                return Err(Error::LweDimension { expected, found: input.dimension() });
            }
            *output = LweCiphertext::trivial(self.output_dimension, T::from_u64(input.body()));
        }
        // Whole groups of bits, whose rows stay in the first-level cache for all ciphertexts.
        let levels = self.decomposition.levels();
        let bit_len = row_len * levels as usize;
        let bits = (CACHED_BYTES / size_of::<T>() / bit_len).max(1).next_multiple_of(8);
        let (mut digits, mut scratch) = (Vec::with_capacity(bits * levels as usize), Vec::new());
        for (group, rows) in self.rows.chunks(bits * bit_len).enumerate() {
            for (input, output) in inputs.iter().zip(outputs.iter_mut()) {
                let words = input.mask()[group * bits..].iter().take(rows.len() / bit_len);
                digits.clear();
                digits.extend(words.flat_map(|word| (0..levels).map(|level| self.decomposition.digit(*word, level))));
                T::sub_multiples(output.words_mut(), rows, &digits, &mut scratch);
            }
        }
        Ok(())
    }
}

impl<T> fmt::Debug for KeySwitchKey<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "KeySwitchKey({} words, to dimension {})", self.rows.len(), self.output_dimension)
    }
}
