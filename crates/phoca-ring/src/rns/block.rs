//! Work on a block of coefficients at a time, so that all limbs of the block stay in the first-level cache.

use crate::Modulus;

/// Words of one block, all limbs together: 32 KiB.
pub(super) const BLOCK_WORDS: usize = 4096;

/// Terms of one call of the linear-combination kernel: 64 products of two 61-bit words fit into 128 bits.
const MAX_TERMS: usize = 64;

/// The limbs of one polynomial, each `stride` words after the one before.
#[derive(Clone, Copy, Debug)]
pub struct Limbs<'a> {
    words: &'a [u64],
    stride: usize,
}

impl<'a> Limbs<'a> {
    /// The limbs at the words 0, `stride`, `2·stride`, … of `words`. For a polynomial whose limbs follow each other the
    /// stride is the degree.
    pub fn new(words: &'a [u64], stride: usize) -> Self {
        Self { words, stride }
    }

    /// Coefficients `start..start + len` of limb `index`.
    pub(super) fn block(self, index: usize, start: usize, len: usize) -> &'a [u64] {
        &self.words[index * self.stride + start..][..len]
    }

    /// Panics unless there are `count` limbs of degree `degree`.
    pub(super) fn check(self, count: usize, degree: usize) {
        assert!(self.stride >= degree, "limbs of {degree} words at a stride of {}", self.stride);
        let len = (count - 1) * self.stride + degree;
        assert!(self.words.len() >= len, "input of {} words for {count} moduli", self.words.len());
    }
}

/// The number of coefficients of a block of `limbs` limbs, at most [`BLOCK_WORDS`]: a multiple of 32, so that it has whole
/// vectors, for up to 128 limbs, else of 8; or `degree` where that is smaller.
pub(super) fn block_len(limbs: usize, degree: usize) -> usize {
    let len = BLOCK_WORDS / limbs.max(1);
    let granule = if len < 32 { 8 } else { 32 };
    (len / granule * granule).max(8).min(degree)
}

/// The ranges `(start, len)` of the blocks that cover `degree` coefficients.
pub(super) fn blocks(limbs: usize, degree: usize) -> impl Iterator<Item = (usize, usize)> {
    let len = block_len(limbs, degree);
    (0..degree).step_by(len.max(1)).map(move |start| (start, len.min(degree - start)))
}

/// `out = Σ_j inputs_j·weights_j mod q` for one block; inputs are words below `2^input_bits ≤ 2^61`, weights are residues.
///
/// # Panics
///
/// If there are more than 64 terms and the block is longer than 64 coefficients; a [`block_len`] of 64 or more limbs is
/// not.
pub(super) fn weighted_sum<'a>(
    modulus: &Modulus,
    out: &mut [u64],
    inputs: impl Iterator<Item = &'a [u64]>,
    weights: &[u64],
    input_bits: u32,
) {
    let mut inputs = inputs.into_iter();
    for (part, weights) in weights.chunks(MAX_TERMS).enumerate() {
        let mut terms: [&[u64]; MAX_TERMS] = [&[]; MAX_TERMS];
        for (term, input) in terms.iter_mut().zip(inputs.by_ref().take(weights.len())) {
            *term = input;
        }
        let terms = &terms[..weights.len()];
        if part == 0 {
            modulus.linear_combination_into(out, terms, weights, input_bits);
        } else {
            let mut sum = [0; BLOCK_WORDS / MAX_TERMS];
            let sum = &mut sum[..out.len()];
            modulus.linear_combination_into(sum, terms, weights, input_bits);
            modulus.add_assign(out, sum);
        }
    }
}

/// Coefficients whose sums are in registers at once.
pub(super) const COLUMNS: usize = 4;

/// Fills `out` with `columns(start)` for each [`COLUMNS`] words from `start`, and `one(start)` for the rest.
#[inline]
pub(super) fn by_columns(out: &mut [u64], columns: impl Fn(usize) -> [u64; COLUMNS], one: impl Fn(usize) -> [u64; 1]) {
    let (blocks, rest) = out.as_chunks_mut::<COLUMNS>();
    let done = blocks.len() * COLUMNS;
    blocks.iter_mut().enumerate().for_each(|(index, block)| *block = columns(index * COLUMNS));
    rest.iter_mut().enumerate().for_each(|(index, word)| [*word] = one(done + index));
}
