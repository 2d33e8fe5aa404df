//! Negation, addition and subtraction.

use phoca_ring::Modulus;

use super::{Evaluator, scales_agree};
use crate::ciphertext::Ciphertext;
use crate::context::Level;
use crate::encrypt::small::BLOCK;
use crate::error::Error;
use crate::noise::NoiseBound;
use crate::params::Scheme;

impl Evaluator {
    /// `−a`.
    ///
    /// # Errors
    ///
    /// [`Error::ParametersMismatch`] where the operand belongs to other parameters; [`Error::TransparentCiphertext`].
    pub fn negate(&self, a: &Ciphertext) -> Result<Ciphertext, Error> {
        let mut result = a.clone();
        self.negate_assign(&mut result)?;
        Ok(result)
    }

    /// `a = −a`; otherwise as [`Evaluator::negate`].
    ///
    /// # Errors
    ///
    /// As [`Evaluator::negate`].
    pub fn negate_assign(&self, a: &mut Ciphertext) -> Result<(), Error> {
        self.context.level_of(a, "the ciphertext")?;
        self.refuse_transparent(a)?;
        self.each_limb(a, |modulus, limb| modulus.negate_assign(limb));
        Ok(())
    }

    /// `a + b`. The operands may have different sizes.
    ///
    /// BGV operands with different correction factors are first multiplied by small constants that make them equal.
    ///
    /// # Errors
    ///
    /// [`Error::ParametersMismatch`], [`Error::LevelMismatch`], [`Error::FormMismatch`] or [`Error::ScaleMismatch`] where
    /// the operands do not fit together; [`Error::TransparentCiphertext`].
    pub fn add(&self, a: &Ciphertext, b: &Ciphertext) -> Result<Ciphertext, Error> {
        self.combine(a, b, Combination::Sum)
    }

    /// `a = a + b`; otherwise as [`Evaluator::add`].
    ///
    /// # Errors
    ///
    /// As [`Evaluator::add`].
    pub fn add_assign(&self, a: &mut Ciphertext, b: &Ciphertext) -> Result<(), Error> {
        self.combine_assign(a, b, Combination::Sum)
    }

    /// `a − b`. The operands may have different sizes; otherwise as [`Evaluator::add`].
    ///
    /// # Errors
    ///
    /// As [`Evaluator::add`].
    pub fn sub(&self, a: &Ciphertext, b: &Ciphertext) -> Result<Ciphertext, Error> {
        self.combine(a, b, Combination::Difference)
    }

    /// `a = a − b`; otherwise as [`Evaluator::sub`].
    ///
    /// # Errors
    ///
    /// As [`Evaluator::add`].
    pub fn sub_assign(&self, a: &mut Ciphertext, b: &Ciphertext) -> Result<(), Error> {
        self.combine_assign(a, b, Combination::Difference)
    }

    /// The sum of all operands.
    ///
    /// # Errors
    ///
    /// [`Error::EmptyInput`]; otherwise as [`Evaluator::add`].
    pub fn add_many(&self, operands: &[Ciphertext]) -> Result<Ciphertext, Error> {
        let (first, rest) = operands.split_first().ok_or(Error::EmptyInput { operation: "add_many" })?;
        self.context.level_of(first, "the ciphertext")?;
        let mut sum = first.clone();
        for operand in rest {
            self.add_assign(&mut sum, operand)?;
        }
        Ok(sum)
    }

    fn combine_assign(&self, a: &mut Ciphertext, b: &Ciphertext, combination: Combination) -> Result<(), Error> {
        if a.correction_factor != b.correction_factor || a.data.len() < b.data.len() {
            *a = self.combine(a, b, combination)?;
            return Ok(());
        }
        let level = self.check_operands(a, b)?;
        self.refuse_cancelled(level, a, b, combination)?;
        let degree = self.context.degree();
        let limbs = a.data.chunks_exact_mut(degree).zip(b.data.chunks_exact(degree));
        for ((a, b), modulus) in limbs.zip(level.moduli().iter().cycle()) {
            combination.apply(modulus, a, b);
        }
        a.noise = NoiseBound::sum(&self.context, a.noise, b.noise);
        a.seed = None;
        Ok(())
    }

    fn combine(&self, a: &Ciphertext, b: &Ciphertext, combination: Combination) -> Result<Ciphertext, Error> {
        let level = self.check_operands(a, b)?;
        if a.correction_factor != b.correction_factor {
            return self.combine_balanced(level, a, b, combination);
        }
        self.refuse_cancelled(level, a, b, combination)?;
        let shared = a.data.len().min(b.data.len());
        let mut result = if shared == b.data.len() {
            self.mapped(level, a, &a.data, |modulus, start, block| {
                if start < shared {
                    combination.apply(modulus, block, &b.data[start..start + block.len()]);
                }
            })
        } else {
            self.mapped(level, a, &b.data, |modulus, start, block| {
                if combination == Combination::Difference {
                    modulus.negate_assign(block);
                }
                if start < shared {
                    modulus.add_assign(block, &a.data[start..start + block.len()]);
                }
            })
        };
        result.noise = NoiseBound::sum(&self.context, a.noise, b.noise);
        Ok(result)
    }

    /// The level of two operands with the same scale.
    fn check_operands(&self, a: &Ciphertext, b: &Ciphertext) -> Result<&Level, Error> {
        let level = self.common_level(a, b)?;
        match scales_agree(a.scale, b.scale) {
            true => Ok(level),
            false => Err(Error::ScaleMismatch { left: a.scale, right: b.scale }),
        }
    }

    fn refuse_cancelled(
        &self,
        level: &Level,
        a: &Ciphertext,
        b: &Ciphertext,
        combination: Combination,
    ) -> Result<(), Error> {
        match !self.context.allows_transparent() && combination.is_transparent(level, a, b) {
            true => Err(Error::TransparentCiphertext),
            false => Ok(()),
        }
    }

    /// Brings both BGV operands to one correction factor, then combines them.
    fn combine_balanced(
        &self,
        level: &Level,
        a: &Ciphertext,
        b: &Ciphertext,
        combination: Combination,
    ) -> Result<Ciphertext, Error> {
        debug_assert_eq!(self.context.scheme(), Scheme::Bgv, "only BGV has correction factors");
        let plain = self.context.require_plain_ring("a correction factor")?;
        let (left, right) = balance(&plain.modulus, a.correction_factor, b.correction_factor);
        let [mut a, b] = [(a, left), (b, right)].map(|(operand, factor)| {
            let mut scaled = self.mapped(level, operand, &operand.data, |modulus, _, block| {
                modulus.mul_scalar_assign(block, modulus.shoup(modulus.reduce_i64(factor)));
            });
            scaled.noise = operand.noise.scaled(&self.context, factor.unsigned_abs() as f64);
            let factor = plain.modulus.reduce_i64(factor);
            scaled.correction_factor = plain.modulus.mul(operand.correction_factor, factor);
            scaled
        });
        self.combine_assign(&mut a, &b, combination)?;
        Ok(a)
    }

    /// A ciphertext like `a` with the words that `operation` makes of copies of `words`. It takes the modulus, the index of
    /// the first word and a block that was just copied, so that memory is read and written once.
    fn mapped(
        &self,
        level: &Level,
        a: &Ciphertext,
        words: &[u64],
        operation: impl Fn(&Modulus, usize, &mut [u64]),
    ) -> Ciphertext {
        let degree = self.context.degree();
        let mut result = Ciphertext {
            scale: a.scale,
            correction_factor: a.correction_factor,
            noise: a.noise,
            ..Ciphertext::unwritten(&self.context, level, words.len() / a.polynomial_len(), a.ntt_form)
        };
        // No block is longer than a limb, whose length is a power of two.
        let block_len = BLOCK.min(degree);
        let blocks = result.data.chunks_exact_mut(block_len).zip(words.chunks_exact(block_len));
        for (index, (block, words)) in blocks.enumerate() {
            let start = index * block_len;
            block.copy_from_slice(words);
            operation(&level.moduli()[start / degree % level.prime_count()], start, block);
        }
        result
    }

    /// Calls `operation` with each limb of each polynomial and its modulus. Forgets the seed.
    pub(super) fn each_limb(&self, a: &mut Ciphertext, operation: impl Fn(&Modulus, &mut [u64])) {
        let count = a.prime_count;
        let limbs = a.data.chunks_exact_mut(self.context.degree());
        for (limb, table) in limbs.zip(self.context.tables()[..count].iter().cycle()) {
            operation(table.modulus(), limb);
        }
        a.seed = None;
    }
}

/// What becomes of two operands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Combination {
    Sum,
    Difference,
}

impl Combination {
    fn apply(self, modulus: &Modulus, a: &mut [u64], b: &[u64]) {
        match self {
            Self::Sum => modulus.add_assign(a, b),
            Self::Difference => modulus.sub_assign(a, b),
        }
    }

    /// Whether all words past the first polynomial would become zero. Ends at the first that would not.
    fn is_transparent(self, level: &Level, a: &Ciphertext, b: &Ciphertext) -> bool {
        let longer = if a.data.len() > b.data.len() { a } else { b };
        let shared = a.data.len().min(b.data.len());
        let cancels = |index: usize, a: u64, b: u64| match self {
            Self::Sum => level.moduli()[index / longer.degree % level.prime_count()].add(a, b) == 0,
            Self::Difference => a == b,
        };
        let words = a.data.iter().zip(b.data.iter()).enumerate().skip(a.polynomial_len());
        words.into_iter().all(|(index, (&a, &b))| cancels(index, a, b))
            && longer.data[shared..].iter().all(|&word| word == 0)
    }
}

/// Small integers `x`, `y` with `x·left ≡ y·right` modulo `t`, units both: those on the way of Euclid's algorithm for
/// `right/left` that minimize `|x| + |y|`. The factors are units modulo `t`.
fn balance(modulus: &Modulus, left: u64, right: u64) -> (i64, i64) {
    let t = modulus.value() as i64;
    // x = ratio·y with ratio = right/left: the pairs (r, s) of the half-extended algorithm have r ≡ s·ratio.
    let inverse = modulus.inverse_vartime(left).unwrap_or(1);
    let ratio = modulus.mul(right, inverse) as i64;
    let (mut r0, mut r1) = (t, ratio);
    let (mut s0, mut s1) = (0_i64, 1_i64);
    let mut best = (modulus.centered(ratio as u64), 1_i64);
    while r1 != 0 {
        let unit = modulus.inverse_vartime(modulus.reduce_i64(r1)).is_some();
        if unit && cost((r1, s1)) < cost(best) {
            best = (r1, s1);
        }
        let quotient = r0 / r1;
        (r0, r1) = (r1, r0 - quotient * r1);
        (s0, s1) = (s1, s0 - quotient * s1);
    }
    best
}

fn cost((x, y): (i64, i64)) -> u64 {
    x.unsigned_abs() + y.unsigned_abs()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn balanced_factors_are_small_and_make_the_factors_equal() {
        for t in [3, 17, 65537, 1_032_193, (1 << 59) + 21] {
            let modulus = Modulus::new(t).unwrap();
            for (left, right) in [(1, 2), (2, 1), (t - 1, 1), (t / 2, t / 3 + 1), (t - 2, t / 2 + 1)] {
                let (left, right) = (left % t, right % t);
                if modulus.inverse_vartime(left).is_none() || modulus.inverse_vartime(right).is_none() {
                    continue;
                }
                let (x, y) = balance(&modulus, left, right);
                assert_eq!(modulus.mul(modulus.reduce_i64(x), left), modulus.mul(modulus.reduce_i64(y), right));
                // Some pair has |x|·|y| ≤ t/2 or so, and both differ little where t is large.
                assert!(
                    cost((x, y)) <= 4 * (libm::sqrt(t as f64) as u64 + 1).max(t / 1_000_000 + 2),
                    "{t} {left} {right}"
                );
            }
        }
    }
}
