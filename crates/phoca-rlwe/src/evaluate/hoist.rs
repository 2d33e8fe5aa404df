//! Several rotations of one ciphertext, whose digits are transformed once (hoisting; Halevi and Shoup, "Faster
//! Homomorphic Linear Transformations in HElib", 2018, section 5).
//!
//! Sums of rotations are formed before the division by the special prime, so that there is one division for all (double
//! hoisting; Bossuat et al., "Efficient Bootstrapping for Approximate Homomorphic Encryption with Non-Sparse Keys",
//! ePrint 2020/1203, section 4).

use alloc::vec::Vec;
use phoca_ring::Buffer;

use phoca_ring::galois::{self, NttPermutation};

use super::galois::Automorphism;
use super::key_switch::{Digits, KeyRows, Rows, Sums};
use super::{Evaluator, check_scale};
use crate::ciphertext::Ciphertext;
use crate::context::Level;
use crate::error::Error;
use crate::keys::{GaloisKeys, KeySwitchKey};
use crate::noise::NoiseBound;
use crate::params::Scheme;
use crate::plaintext::Plaintext;

/// A rotation with its key; none for a rotation by 0.
type Rotation<'a> = Option<(NttPermutation, &'a KeySwitchKey)>;

impl Evaluator {
    /// The rotations of `a` by each of `steps`: of the slots in CKKS, of both rows in BFV and BGV.
    ///
    /// They are the same ciphertexts as one by one, at the cost of one decomposition for all. A step without a key of its
    /// own is made of steps by powers of two, and gains nothing.
    ///
    /// # Errors
    ///
    /// As [`Evaluator::rotate_vector`] or [`Evaluator::rotate_rows`].
    pub fn rotate_many(&self, a: &Ciphertext, steps: &[i64], keys: &GaloisKeys) -> Result<Vec<Ciphertext>, Error> {
        if steps.iter().all(|&step| step == 0) {
            let unchanged = |_| match self.context.scheme() {
                Scheme::Ckks => self.rotate_vector(a, 0, keys),
                _ => self.rotate_rows(a, 0, keys),
            };
            return steps.iter().map(unchanged).collect();
        }
        let level = self.check_hoisting(a, keys, "rotate_many")?;
        let digits = Digits::new(&self.context, level, &a.data[a.polynomial_len()..]);
        self.context.workers().map(steps, |&step| {
            let element = galois::element_from_step(self.context.degree(), step)?;
            if step == 0 || !keys.has_key(element) {
                return self.rotate(a, step, keys);
            }
            let Some((permutation, key)) = self.rotation(level, step, keys)? else { return Ok(a.clone()) };
            let mut sums = Sums::unwritten(&self.context, level);
            sums.for_each_limb(|i, _, half0, half1| {
                self.multiply_image(level, &digits, &permutation, key, i, [half0, half1]);
            });
            let mut image = self.context.buffers().take(a.polynomial_len());
            self.image(&Automorphism::new(&self.context, element)?, a, &mut image);
            let mut result = self.switched_from(a, level, level);
            sums.divide([Some(&image), None], &mut result.data);
            self.finish(result)
        })
    }

    /// `Σ_i rotation of a by steps_i`, with one decomposition and one division for all.
    ///
    /// # Errors
    ///
    /// [`Error::EmptyInput`]; [`Error::MissingGaloisKey`] where a step has no key of its own; otherwise as
    /// [`Evaluator::rotate_many`].
    pub fn sum_rotations(&self, a: &Ciphertext, steps: &[i64], keys: &GaloisKeys) -> Result<Ciphertext, Error> {
        let level = self.check_hoisting(a, keys, "sum_rotations")?;
        if steps.is_empty() {
            return Err(Error::EmptyInput { operation: "sum_rotations" });
        }
        let rotations = steps.iter().map(|&step| self.rotation(level, step, keys)).collect::<Result<Vec<_>, _>>()?;
        let digits = Digits::new(&self.context, level, &a.data[a.polynomial_len()..]);
        let mut sums = Sums::unwritten(&self.context, level);
        sums.for_each_limb(|i, table, half0, half1| {
            half0.fill(0);
            half1.fill(0);
            let mut product = self.context.buffers().take(2 * half0.len());
            let (product0, product1) = product.split_at_mut(half0.len());
            for (permutation, key) in rotations.iter().flatten() {
                self.multiply_image(level, &digits, permutation, key, i, [&mut *product0, &mut *product1]);
                table.modulus().add_assign(half0, product0);
                table.modulus().add_assign(half1, product1);
            }
        });
        let added = self.sum_images(level, a, &rotations)?;
        let (added0, added1) = added.split_at(a.polynomial_len());
        let mut result = self.switched_from(a, level, level);
        sums.divide([Some(added0), Some(added1)], &mut result.data);
        let noises = rotations.iter().map(|rotation| self.rotated_noise(level, a, rotation));
        result.noise = noises.reduce(|a, b| NoiseBound::sum(&self.context, a, b)).unwrap_or(NoiseBound::UNKNOWN);
        self.finish(result)
    }

    /// `Σ_i diagonals_i ∘ (rotation of a by steps_i)`: the product of a plain matrix, given by its diagonals, and an
    /// encrypted vector. There is one decomposition and one division for all.
    ///
    /// The diagonals are plaintexts in NTT form at the key level, the special prime included: in CKKS encoded there, in
    /// BFV and BGV transformed with [`plain_to_ntt`](Self::plain_to_ntt). They serve every level. In CKKS all have one
    /// scale, which multiplies that of `a`; rescaling is left to the caller.
    ///
    /// # Errors
    ///
    /// [`Error::EmptyInput`]; [`Error::MissingGaloisKey`] where a step has no key of its own; [`Error::FormMismatch`] or
    /// [`Error::LevelMismatch`] where a diagonal is not in NTT form at the key level; [`Error::ScaleMismatch`];
    /// [`Error::ScaleOutOfRange`]; otherwise as [`Evaluator::rotate_many`].
    pub fn multiply_diagonals(
        &self,
        a: &Ciphertext,
        diagonals: &[(i64, Plaintext)],
        keys: &GaloisKeys,
    ) -> Result<Ciphertext, Error> {
        let level = self.check_hoisting(a, keys, "multiply_diagonals")?;
        let (_, first) = diagonals.first().ok_or(Error::EmptyInput { operation: "multiply_diagonals" })?;
        let scale = a.scale * first.scale;
        if self.context.scheme() == Scheme::Ckks {
            check_scale(scale, level)?;
        }
        let mut rotations = Vec::with_capacity(diagonals.len());
        for (step, plaintext) in diagonals {
            self.check_diagonal(plaintext, first)?;
            rotations.push(self.rotation(level, *step, keys)?);
        }
        let digits = Digits::new(&self.context, level, &a.data[a.polynomial_len()..]);
        let mut sums = Sums::unwritten(&self.context, level);
        sums.for_each_limb(|i, _, half0, half1| {
            self.multiply_limb(level, &digits, diagonals, &rotations, i, [half0, half1]);
        });
        let added = self.sum_products_of_images(level, a, diagonals, &rotations);
        let (added0, added1) = added.split_at(a.polynomial_len());
        let mut result = self.switched_from(a, level, level);
        sums.divide([Some(added0), Some(added1)], &mut result.data);
        if self.context.scheme() == Scheme::Ckks {
            result.scale = scale;
        }
        let noises = diagonals.iter().zip(&rotations).map(|((_, plaintext), rotation)| {
            self.rotated_noise(level, a, rotation).times_plain(&self.context, self.context.key_level(), plaintext)
        });
        result.noise = noises.reduce(|a, b| NoiseBound::sum(&self.context, a, b)).unwrap_or(NoiseBound::UNKNOWN);
        self.finish(result)
    }

    /// The level of a ciphertext that can be rotated.
    fn check_hoisting(&self, a: &Ciphertext, keys: &GaloisKeys, operation: &'static str) -> Result<&Level, Error> {
        let level = self.context.level_in_scheme_form(a)?;
        if self.context.scheme() != Scheme::Ckks {
            self.check_slots(operation)?;
        }
        self.check_switching(keys.parms_id(), "the Galois keys")?;
        if a.size() != 2 {
            return Err(Error::SizeOutOfRange { expected: "2", got: a.size() });
        }
        if level == self.context.key_level() {
            return Err(Error::KeySwitchingAtKeyLevel);
        }
        Ok(level)
    }

    fn check_diagonal(&self, plaintext: &Plaintext, first: &Plaintext) -> Result<(), Error> {
        let level = self.context.check_ntt_plaintext(plaintext)?;
        let key_level = self.context.key_level();
        if level != key_level {
            return Err(Error::LevelMismatch { left: key_level.chain_index(), right: level.chain_index() });
        }
        match super::scales_agree(plaintext.scale, first.scale) {
            true => Ok(()),
            false => Err(Error::ScaleMismatch { left: first.scale, right: plaintext.scale }),
        }
    }

    /// The rotation by `step`, which needs a key of its own.
    fn rotation<'a>(&self, level: &Level, step: i64, keys: &'a GaloisKeys) -> Result<Rotation<'a>, Error> {
        if step == 0 {
            return Ok(None);
        }
        let element = galois::element_from_step(self.context.degree(), step)?;
        let key = keys.key(element)?;
        key.prepare(&self.context, level)?;
        Ok(Some((NttPermutation::in_pool(self.context.buffers(), self.context.degree(), element)?, key)))
    }

    fn rotated_noise(&self, level: &Level, a: &Ciphertext, rotation: &Rotation<'_>) -> NoiseBound {
        match rotation {
            None => a.noise,
            Some(_) => NoiseBound::key_switched(a.noise, &self.context, level),
        }
    }

    /// `halves ← Σ_j image(digits_j)·key_j` modulo prime `i` of the level, or modulo the special prime.
    fn multiply_image(
        &self,
        level: &Level,
        digits: &Digits,
        permutation: &NttPermutation,
        key: &KeySwitchKey,
        i: usize,
        [half0, half1]: [&mut [u64]; 2],
    ) {
        let (digits, degree) = (digits.limb(i), half0.len());
        let key = KeyRows::new(&self.context, level, key, i, 0..digits.len() / degree);
        let part = part_len(digits.len() / degree, degree);
        let mut images = self.context.buffers().take(digits.len() / degree * part);
        for (k, (half0, half1)) in half0.chunks_exact_mut(part).zip(half1.chunks_exact_mut(part)).enumerate() {
            for (digit, image) in digits.chunks_exact(degree).zip(images.chunks_exact_mut(part)) {
                permutation.apply_part(digit, k * part, image);
            }
            let images: Rows<'_> = images.chunks_exact(part).collect();
            key.multiply(k * part, &images, [half0, half1]);
        }
    }

    /// Both halves of `Σ_k diagonal_k∘Σ_j image_k(digits_j)·key_{k,j}` modulo prime `i` of the level, or the special prime.
    fn multiply_limb(
        &self,
        level: &Level,
        digits: &Digits,
        diagonals: &[(i64, Plaintext)],
        rotations: &[Rotation<'_>],
        i: usize,
        [half0, half1]: [&mut [u64]; 2],
    ) {
        let degree = half0.len();
        let limb = if i < level.prime_count() { i } else { self.context.tables().len() - 1 };
        let modulus = self.context.tables()[limb].modulus();
        half0.fill(0);
        half1.fill(0);
        let mut product = self.context.buffers().take(2 * degree);
        let (product0, product1) = product.split_at_mut(degree);
        for ((_, plaintext), rotation) in diagonals.iter().zip(rotations) {
            let Some((permutation, key)) = rotation else { continue };
            let diagonal = &plaintext.words()[limb * degree..(limb + 1) * degree];
            self.multiply_image(level, digits, permutation, key, i, [&mut *product0, &mut *product1]);
            modulus.mul_add_assign(half0, product0, diagonal);
            modulus.mul_add_assign(half1, product1, diagonal);
        }
    }

    /// `Σ_k image_k(c_0)`, and `c_1` as often as there are rotations by 0.
    fn sum_images(&self, level: &Level, a: &Ciphertext, rotations: &[Rotation<'_>]) -> Result<Buffer, Error> {
        let (degree, words) = (self.context.degree(), a.polynomial_len());
        let mut sum = self.context.buffers().take_zeroed(2 * words);
        let mut image = self.context.buffers().take(words);
        let add = |sum: &mut [u64], words: &[u64]| {
            let limbs = sum.chunks_exact_mut(degree).zip(words.chunks_exact(degree));
            limbs.zip(level.moduli()).for_each(|((sum, words), modulus)| modulus.add_assign(sum, words));
        };
        for rotation in rotations {
            match rotation {
                None => {
                    add(&mut sum[..words], &a.data[..words]);
                    add(&mut sum[words..], &a.data[words..]);
                }
                Some((permutation, _)) => {
                    self.image(&Automorphism::new(&self.context, permutation.element())?, a, &mut image);
                    add(&mut sum[..words], &image);
                }
            }
        }
        Ok(sum)
    }

    /// `Σ_k diagonal_k∘image_k(c_0)`, and the products of `c_1` for rotations by 0; in the form of the scheme.
    fn sum_products_of_images(
        &self,
        level: &Level,
        a: &Ciphertext,
        diagonals: &[(i64, Plaintext)],
        rotations: &[Rotation<'_>],
    ) -> Buffer {
        let (degree, primes) = (self.context.degree(), level.prime_count());
        let mut sum = self.context.buffers().take_zeroed(a.data.len());
        self.context.workers().for_each_piece(&mut sum, degree, |index, sum| {
            let (half, limb) = (index / primes, index % primes);
            let table = &self.context.tables()[limb];
            let mut words = self.context.buffers().copy(&a.data[index * degree..(index + 1) * degree]);
            if !a.ntt_form {
                table.forward(&mut words);
            }
            let mut image = self.context.buffers().take(degree);
            for ((_, plaintext), rotation) in diagonals.iter().zip(rotations) {
                let diagonal = &plaintext.words()[limb * degree..(limb + 1) * degree];
                match rotation {
                    None => table.modulus().mul_add_assign(sum, &words, diagonal),
                    Some((permutation, _)) if half == 0 => {
                        permutation.apply(&words, &mut image);
                        table.modulus().mul_add_assign(sum, &image, diagonal);
                    }
                    Some(_) => {}
                }
            }
            if !a.ntt_form {
                table.inverse(sum);
            }
        });
        sum
    }
}

/// Words of images of digits that are multiplied at a time: an eighth of a second-level cache of 1 MiB. At n = 16384 three
/// rotations take 5 to 9 % less time than with images of whole digits; up to n = 8192 it makes no difference.
const IMAGE_WORDS: usize = 1 << 14;

/// How many words of each of `digits` that is: a power of two, of whole blocks of eight or else the degree.
fn part_len(digits: usize, degree: usize) -> usize {
    let words = (IMAGE_WORDS / digits).max(64);
    (1 << words.ilog2()).min(degree)
}
