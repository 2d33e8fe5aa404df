//! Blocks whose noise is counted by its square.
//!
//! The noise of a sum of results of different bootstraps grows with the square root of their number, while
//! [`noise_level`](crate::shortint::Ciphertext::noise_level) adds what each has, as if all were the same one. Chains of choices
//! keep the squares, and bootstrap a block only once these are too many.

use alloc::vec::Vec;

use super::ServerKey;
use crate::Error;
use crate::shortint::Ciphertext;

/// The most noise of the blocks of an integer.
pub(crate) const RADIX_NOISE: u64 = 2;

/// A block, and a bound on the square of its noise in units of a bootstrap's result.
#[derive(Clone, Debug)]
pub(super) struct Tracked {
    pub(super) block: Ciphertext,
    pub(super) square: u64,
}

impl Tracked {
    pub(super) fn new(block: Ciphertext) -> Self {
        let square = block.noise.pow(2);
        Self { block, square }
    }
}

impl ServerKey {
    /// The square of the noise up to which the set bootstraps.
    pub(super) fn most_square(&self) -> u64 {
        u64::from(self.key.parameters().max_norm).pow(2)
    }

    /// A condition of 0 or 1 as `2·base·c`, for [`choose`](Self::choose).
    pub(super) fn raised(&self, condition: &Ciphertext) -> Result<Ciphertext, Error> {
        let base = self.base();
        self.key.apply(condition, &self.key.table(|c| 2 * base * (c & 1)))
    }

    /// Bootstraps the blocks above a square.
    pub(super) fn limit_squares(&self, blocks: &mut [Tracked], most: u64) -> Result<(), Error> {
        let base = self.base();
        let table = self.key.table(|x| x % base);
        let noisy: Vec<_> = blocks.iter_mut().filter(|block| block.square > most).collect();
        let jobs: Vec<_> = noisy.iter().map(|block| (&block.block, &table)).collect();
        let clean = self.key.apply_unchecked(&jobs)?;
        for (noisy, clean) in noisy.into_iter().zip(clean) {
            *noisy = Tracked::new(clean);
        }
        Ok(())
    }

    /// The blocks as those of an integer: bootstrapped where they are too noisy for one.
    pub(super) fn settled(&self, mut blocks: Vec<Tracked>) -> Result<Vec<Ciphertext>, Error> {
        self.limit_squares(&mut blocks, RADIX_NOISE * RADIX_NOISE)?;
        let settle = |Tracked { block, square }| {
            let noise = (0..RADIX_NOISE).find(|noise| noise * noise >= square).unwrap_or(RADIX_NOISE);
            Ciphertext { noise, ..block }
        };
        Ok(blocks.into_iter().map(settle).collect())
    }

    /// `when_true` where a raised condition is `2·base`, `when_false` where it is 0, block by block: one bootstrap each, none
    /// where both are one ciphertext. The squares of both and of the condition must add up to at most
    /// [`most_square`](Self::most_square).
    pub(super) fn choose(
        &self,
        raised: &Ciphertext,
        when_true: &[Tracked],
        when_false: &[Tracked],
    ) -> Result<Vec<Tracked>, Error> {
        let base = self.base();
        let mut chosen = when_false.to_vec();
        let pairs = when_true.iter().zip(&mut chosen).filter(|(a, b)| a.block != b.block);
        let (mut differences, mut targets) = (Vec::new(), Vec::new());
        for (a, b) in pairs {
            let difference = self.key.unchecked_scalar_add(&self.key.difference(&a.block, &b.block)?, base);
            differences.push(self.key.unchecked_add(&difference, raised)?);
            targets.push(b);
        }
        let table = self.key.signed_table(|x| if x >= 2 * base { x as i64 - 3 * base as i64 } else { 0 });
        for (target, difference) in targets.into_iter().zip(self.map(&differences, &table)?) {
            target.block = self.key.sum_of_difference(&difference, &target.block)?;
            target.square += 1;
        }
        Ok(chosen)
    }
}
