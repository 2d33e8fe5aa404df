use alloc::vec::Vec;

use crate::shortint::Ciphertext;

/// An encrypted integer: blocks, least significant first. Its carries are empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Radix {
    blocks: Vec<Ciphertext>,
}

impl Radix {
    pub(crate) fn new(blocks: Vec<Ciphertext>) -> Self {
        Self { blocks }
    }

    /// The blocks, least significant first.
    pub fn blocks(&self) -> &[Ciphertext] {
        &self.blocks
    }

    /// The number of blocks.
    pub fn len(&self) -> usize {
        self.blocks.len()
    }

    /// Whether there are no blocks.
    pub fn is_empty(&self) -> bool {
        self.blocks.is_empty()
    }

    pub(crate) fn into_blocks(self) -> Vec<Ciphertext> {
        self.blocks
    }
}
