//! One operation on many ciphertexts, modulus first: the part of a key that belongs to one prime is read once for several
//! ciphertexts. A batch splits over the threads of the context.

use alloc::vec::Vec;

use phoca_ring::galois;

use super::Evaluator;
use super::galois::Automorphism;
use super::key_switch::Sums;
use super::levels::settle_division;
use crate::ciphertext::Ciphertext;
use crate::context::Level;
use crate::error::Error;
use crate::keys::{GaloisKeys, KeySwitchKey, RelinKeys};
use crate::params::Scheme;

/// Ciphertexts that are worked on together: enough to read a key seldom, few enough for the caches.
const TOGETHER: usize = 8;

impl Evaluator {
    /// [`relinearize`](Self::relinearize) of each ciphertext.
    ///
    /// # Errors
    ///
    /// As [`Evaluator::relinearize`].
    pub fn relinearize_batch(&self, batch: &[Ciphertext], keys: &RelinKeys) -> Result<Vec<Ciphertext>, Error> {
        let references: Vec<&Ciphertext> = batch.iter().collect();
        self.relinearize_each(&references, keys, false, |a| self.relinearize(a, keys))
    }

    /// CKKS: [`multiply_relinearize_rescale`](Self::multiply_relinearize_rescale) of each pair.
    ///
    /// # Errors
    ///
    /// [`Error::CountMismatch`] unless there are as many `b` as `a`; otherwise as
    /// [`Evaluator::multiply_relinearize_rescale`].
    pub fn multiply_relinearize_rescale_batch(
        &self,
        a: &[Ciphertext],
        b: &[Ciphertext],
        keys: &RelinKeys,
    ) -> Result<Vec<Ciphertext>, Error> {
        self.require_scheme(Scheme::Ckks, "rescaling")?;
        if a.len() != b.len() {
            return Err(Error::CountMismatch { left: a.len(), right: b.len() });
        }
        let pairs: Vec<_> = a.iter().zip(b).collect();
        let products = self.context.workers().map(&pairs, |(a, b)| self.multiply(a, b))?;
        let references: Vec<&Ciphertext> = products.iter().collect();
        self.relinearize_each(&references, keys, true, |a| self.relinearize_rescale(a, keys))
    }

    /// The rotation of each ciphertext by `steps`: of the slots in CKKS, of both rows in BFV and BGV.
    ///
    /// # Errors
    ///
    /// As [`Evaluator::rotate_vector`] or [`Evaluator::rotate_rows`].
    pub fn rotate_batch(&self, batch: &[Ciphertext], steps: i64, keys: &GaloisKeys) -> Result<Vec<Ciphertext>, Error> {
        if self.context.scheme() != Scheme::Ckks {
            self.check_slots("rotate_batch")?;
        }
        let element = galois::element_from_step(self.context.degree(), steps)?;
        let level = match self.common_batch_level(batch.iter(), 2) {
            Some(level) if steps != 0 && keys.has_key(element) => level,
            _ => return self.context.workers().map(batch, |a| self.rotate(a, steps, keys)),
        };
        self.check_switching(keys.parms_id(), "the Galois keys")?;
        let automorphism = Automorphism::new(&self.context, element)?;
        let key = keys.key(element)?;
        key.prepare(&self.context, level)?;
        self.in_groups(batch, |group| {
            let images: Vec<_> = group
                .iter()
                .map(|a| {
                    let mut images = self.context.buffers().take(a.data.len());
                    self.image(&automorphism, a, &mut images);
                    images
                })
                .collect();
            let halves: Vec<_> = images.iter().map(|images| images.split_at(images.len() / 2)).collect();
            let targets: Vec<&[u64]> = halves.iter().map(|halves| halves.1).collect();
            let sums = Sums::of_each(&self.context, level, &targets, key);
            let results = sums.into_iter().zip(group).zip(&halves).map(|((sums, a), halves)| {
                let mut result = self.switched_from(a, level, level);
                sums.divide([Some(halves.0), None], &mut result.data);
                self.finish(result)
            });
            results.collect()
        })
    }

    /// Relinearizes all, which have three polynomials and one level; otherwise each by itself.
    fn relinearize_each(
        &self,
        batch: &[&Ciphertext],
        keys: &RelinKeys,
        rescale: bool,
        alone: impl Fn(&Ciphertext) -> Result<Ciphertext, Error> + Sync + Send,
    ) -> Result<Vec<Ciphertext>, Error> {
        let level = self.common_batch_level(batch.iter().copied(), 3);
        let next = level.and_then(|level| self.context.next_level(level)).filter(|_| rescale);
        let (Some(level), Ok(key)) = (level.filter(|_| next.is_some() == rescale), keys.key(2)) else {
            return self.context.workers().map(batch, |a| alone(a));
        };
        self.check_switching(keys.parms_id(), "the relinearization keys")?;
        key.prepare(&self.context, level)?;
        self.in_groups(batch, |group| self.relinearize_group(level, next, group, key))
    }

    fn relinearize_group(
        &self,
        level: &Level,
        next: Option<&Level>,
        group: &[&Ciphertext],
        key: &KeySwitchKey,
    ) -> Result<Vec<Ciphertext>, Error> {
        let targets: Vec<&[u64]> = group.iter().map(|a| &a.data[2 * a.polynomial_len()..]).collect();
        let sums = Sums::of_each(&self.context, level, &targets, key);
        let results = sums.into_iter().zip(group).map(|(sums, a)| {
            let (c0, c1) = a.data[..2 * a.polynomial_len()].split_at(a.polynomial_len());
            let added = [Some(c0), Some(c1)];
            let mut result = self.switched_from(a, level, next.unwrap_or(level));
            match next {
                None => sums.divide(added, &mut result.data),
                Some(next) => {
                    sums.divide_and_rescale(added, &mut result.data);
                    settle_division(&self.context, &mut result, next);
                }
            }
            self.finish(result)
        });
        results.collect()
    }

    /// The level of ciphertexts of `size` polynomials in their scheme's form, where all have the same.
    fn common_batch_level<'a>(&self, mut batch: impl Iterator<Item = &'a Ciphertext>, size: usize) -> Option<&Level> {
        let level = self.context.level_in_scheme_form(batch.next().filter(|first| first.size() == size)?).ok()?;
        let same =
            |a: &Ciphertext| a.size() == size && self.context.level_in_scheme_form(a).is_ok_and(|own| own == level);
        batch.all(same).then_some(level)
    }

    /// The results of `task` for groups of neighbours, in order.
    fn in_groups<T: Sync>(
        &self,
        batch: &[T],
        task: impl Fn(&[T]) -> Result<Vec<Ciphertext>, Error> + Sync + Send,
    ) -> Result<Vec<Ciphertext>, Error> {
        let share = batch.len().div_ceil(self.context.workers().count()).clamp(1, TOGETHER);
        let groups: Vec<&[T]> = batch.chunks(share).collect();
        Ok(self.context.workers().map(&groups, |group| task(group))?.into_iter().flatten().collect())
    }
}
