//! Integers that look random to everybody without the secret key, from a public seed.
//!
//! A seed gives masks of ciphertexts whose bodies are 0. Their phases are uniform on the whole torus, and nobody knows them
//! without the secret. A table of the halves 1, 3, 5, … takes these to odd halves of both signs, since tables are negacyclic, so
//! that adding the largest leaves every message equally often: one bootstrap for each block (ePrint 2024/665).

use alloc::vec::Vec;

use phoca_ring::random::PublicStream;

use super::{Radix, ServerKey};
use crate::Error;
use crate::lwe::LweCiphertext;
use crate::shortint::{Ciphertext, Table};

impl ServerKey {
    /// An integer with all bits uniform, which the seed and this key determine. A seed must not be used for two things.
    ///
    /// # Errors
    ///
    /// None: masks are of this set.
    pub fn random(&self, seed: [u8; 32], blocks: usize) -> Result<Radix, Error> {
        self.random_bits(seed, blocks * self.block_bits() as usize, blocks)
    }

    /// An integer that is uniform below `2^bits`, which the seed and this key determine. A seed must not be used for two things.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfRange`] where the blocks have fewer bits.
    pub fn random_bits(&self, seed: [u8; 32], bits: usize, blocks: usize) -> Result<Radix, Error> {
        let block_bits = self.block_bits() as usize;
        if bits > blocks * block_bits {
            return Err(Error::OutOfRange { value: bits as u64, bound: (blocks * block_bits) as u64 + 1 });
        }
        let stream = PublicStream::new(seed);
        let tables: Vec<_> = (1..=self.block_bits()).map(|bits| self.uniform_table(bits)).collect();
        let mut inputs = Vec::with_capacity(bits.div_ceil(block_bits));
        for place in 0..bits.div_ceil(block_bits) {
            let part = u32::try_from(place);
            let part = part.map_err(|_| Error::OutOfRange { value: place as u64, bound: 1 << 32 })?;
            inputs.push(((bits - place * block_bits).min(block_bits), self.masked(&stream, part)));
        }
        let jobs: Vec<_> = inputs.iter().map(|(bits, input)| (input, &tables[bits - 1])).collect();
        let outputs = self.key.apply_unchecked(&jobs)?;
        let mut digits: Vec<_> =
            outputs.into_iter().zip(&inputs).map(|(output, (bits, _))| self.plus_halves(output, *bits)).collect();
        digits.resize(blocks, self.key.trivial(0)?);
        Ok(Radix::new(digits))
    }

    /// The halves 1, 3, … of which `2^(bits - 1)` share all phases with the padding bit 0.
    fn uniform_table(&self, bits: u32) -> Table {
        let boxes = self.key.parameters().total_modulus() as i64;
        let width = boxes >> (bits - 1);
        self.key.halves_table(|d| 2 * (d / width) + 1)
    }

    fn masked(&self, stream: &PublicStream, part: u32) -> Ciphertext {
        let dimension = self.key.parameters().ciphertext_dimension();
        let mut lwe = LweCiphertext::zero(dimension);
        stream.words(part, &mut lwe.words_mut()[..dimension]);
        Ciphertext { lwe, degree: 0, noise: 0 }
    }

    /// From odd halves between `-(2^bits - 1)` and `2^bits - 1` to messages.
    fn plus_halves(&self, output: Ciphertext, bits: usize) -> Ciphertext {
        let largest = (1 << bits) - 1;
        let mut lwe = output.lwe;
        *lwe.body_mut() = lwe.body().wrapping_add(self.key.parameters().delta() / 2 * largest);
        Ciphertext { lwe, degree: largest, noise: 1 }
    }
}
