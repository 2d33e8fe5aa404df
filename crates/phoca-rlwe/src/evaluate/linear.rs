//! Negation, addition and subtraction.

use phoca_ring::Modulus;

use super::{Evaluator, scales_agree};
use crate::ciphertext::Ciphertext;
use crate::context::Level;
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
        let mut sum = a.clone();
        self.add_assign(&mut sum, b)?;
        Ok(sum)
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
        let mut difference = a.clone();
        self.sub_assign(&mut difference, b)?;
        Ok(difference)
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
        let level = self.common_level(a, b)?;
        if !scales_agree(a.scale, b.scale) {
            return Err(Error::ScaleMismatch { left: a.scale, right: b.scale });
        }
        if a.correction_factor != b.correction_factor {
            return self.combine_balanced(level, a, b, combination);
        }
        if !self.context.allows_transparent() && combination.is_transparent(level, a, b) {
            return Err(Error::TransparentCiphertext);
        }
        let degree = self.context.degree();
        let shared = a.data.len().min(b.data.len());
        if shared < b.data.len() {
            a.data.resize(b.data.len());
            a.data[shared..].copy_from_slice(&b.data[shared..]);
            let limbs = a.data[shared..].chunks_exact_mut(degree);
            if combination == Combination::Difference {
                limbs.zip(level.moduli().iter().cycle()).for_each(|(limb, modulus)| modulus.negate_assign(limb));
            }
        }
        let limbs = a.data[..shared].chunks_exact_mut(degree).zip(b.data.chunks_exact(degree));
        for ((a, b), modulus) in limbs.zip(level.moduli().iter().cycle()) {
            match combination {
                Combination::Sum => modulus.add_assign(a, b),
                Combination::Difference => modulus.sub_assign(a, b),
            }
        }
        a.noise = NoiseBound::sum(&self.context, a.noise, b.noise);
        a.seed = None;
        Ok(())
    }

    /// Brings both BGV operands to one correction factor, then combines them.
    fn combine_balanced(
        &self,
        level: &Level,
        a: &mut Ciphertext,
        b: &Ciphertext,
        combination: Combination,
    ) -> Result<(), Error> {
        debug_assert_eq!(self.context.scheme(), Scheme::Bgv, "only BGV has correction factors");
        let plain = self.context.require_plain_ring("a correction factor")?;
        let (left, right) = balance(&plain.modulus, a.correction_factor, b.correction_factor);
        let (mut scaled_a, mut scaled_b) = (a.clone(), b.clone());
        for (operand, factor) in [(&mut scaled_a, left), (&mut scaled_b, right)] {
            for (limb, modulus) in
                operand.data.chunks_exact_mut(self.context.degree()).zip(level.moduli().iter().cycle())
            {
                modulus.mul_scalar_assign(limb, modulus.shoup(modulus.reduce_i64(factor)));
            }
            operand.noise = operand.noise.scaled(&self.context, factor.unsigned_abs() as f64);
            let factor = plain.modulus.reduce_i64(factor);
            operand.correction_factor = plain.modulus.mul(operand.correction_factor, factor);
        }
        self.combine_assign(&mut scaled_a, &scaled_b, combination)?;
        *a = scaled_a;
        Ok(())
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
