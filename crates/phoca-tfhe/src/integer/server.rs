use alloc::vec::Vec;

use super::Radix;
use super::client::digits;
use crate::Error;
use crate::shortint::{self, Ciphertext, Table};

/// The public key of integers. It computes; it cannot decrypt.
#[derive(Debug)]
pub struct ServerKey {
    pub(super) key: shortint::ServerKey,
}

impl ServerKey {
    /// Integers whose blocks this key computes on.
    ///
    /// # Errors
    ///
    /// [`Error::Parameters`] unless message and carry have two bits or more each, as many of both.
    pub fn new(key: shortint::ServerKey) -> Result<Self, Error> {
        let parameters = key.parameters();
        if parameters.message_bits < 2 || parameters.carry_bits != parameters.message_bits {
            let what = "integers need blocks of two bits or more, with as many of carry";
            return Err(Error::Parameters { name: parameters.name, what });
        }
        Ok(Self { key })
    }

    /// The key of the blocks.
    pub fn key(&self) -> &shortint::ServerKey {
        &self.key
    }

    /// The number of threads that share work.
    pub fn threads(&self) -> usize {
        self.key.threads()
    }

    /// Starts threads that share the blocks of an operation. Results decrypt the same for every number of threads, but
    /// another algorithm may have made them.
    ///
    /// # Errors
    ///
    /// [`Error::Threads`] where the system does not start them.
    #[cfg(feature = "threads")]
    pub fn set_threads(&mut self, threads: usize) -> Result<(), Error> {
        self.key.set_threads(threads)
    }

    /// How many bootstraps were done with this key.
    pub fn bootstrap_count(&self) -> u64 {
        self.key.bootstrap_count()
    }

    /// The digits of a number as an integer without secrecy; see [`ClientKey::encrypt`](super::ClientKey::encrypt).
    ///
    /// # Errors
    ///
    /// None: digits are in range.
    pub fn trivial(&self, words: &[u64], blocks: usize) -> Result<Radix, Error> {
        let encrypted =
            digits(words, self.key.parameters().message_bits).take(blocks).map(|digit| self.key.trivial(digit));
        Ok(Radix::new(encrypted.collect::<Result<_, _>>()?))
    }

    /// An integer whose blocks are all the same, such as the sign of another one.
    pub fn repeat(&self, block: &Ciphertext, blocks: usize) -> Radix {
        Radix::new(alloc::vec![block.clone(); blocks])
    }

    /// The message modulus.
    pub(super) fn base(&self) -> u64 {
        self.key.parameters().message_modulus()
    }

    /// The bits of a message.
    pub(super) fn block_bits(&self) -> u32 {
        self.key.parameters().message_bits
    }

    /// One function of each block.
    pub(super) fn map(&self, blocks: &[Ciphertext], table: &Table) -> Result<Vec<Ciphertext>, Error> {
        let jobs: Vec<_> = blocks.iter().map(|block| (block, table)).collect();
        self.key.apply_unchecked(&jobs)
    }

    /// One function of each pair of blocks, whose carries are empty.
    pub(super) fn map_pairs(
        &self,
        left: &[Ciphertext],
        right: &[Ciphertext],
        table: &Table,
    ) -> Result<Vec<Ciphertext>, Error> {
        let packed = left.iter().zip(right).map(|(left, right)| self.key.pack(left, right));
        self.map(&packed.collect::<Result<Vec<_>, _>>()?, table)
    }

    /// The blocks, those bootstrapped whose noise is more than `most_noise`.
    pub(super) fn cleaned(&self, integer: &Radix, most_noise: u64) -> Result<Vec<Ciphertext>, Error> {
        let mut blocks = integer.blocks().to_vec();
        let modulus = self.base();
        let table = self.key.table(|x| x % modulus);
        let noisy: Vec<_> = (0..blocks.len()).filter(|index| blocks[*index].noise_level() > most_noise).collect();
        let jobs: Vec<_> = noisy.iter().map(|index| (&blocks[*index], &table)).collect();
        for (index, clean) in noisy.iter().zip(self.key.apply_unchecked(&jobs)?) {
            blocks[*index] = clean;
        }
        Ok(blocks)
    }

    pub(super) fn check_lengths(left: &Radix, right: &Radix) -> Result<(), Error> {
        match left.len() == right.len() {
            true => Ok(()),
            false => Err(Error::BlockCount { left: left.len(), right: right.len() }),
        }
    }
}
