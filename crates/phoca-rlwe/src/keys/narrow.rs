//! A second copy of a key-switching key's words modulo narrow primes, in 32 bits each.
//!
//! A key is read from the third-level cache or from memory at each switch, and where the processor multiplies fast enough,
//! its bytes are what the pass over it waits for. Residues modulo primes below `2^32` have half of the bytes in `u32`.

use core::fmt;
use core::ops::Range;

use once_cell::race::OnceBox;
use phoca_ring::{Buffer, NttTables};
use smallvec::SmallVec;

use super::PublicKey;
use crate::context::Context;

/// As many slices as most levels have primes.
pub(crate) type NarrowRows<'a> = SmallVec<[&'a [u32]; 32]>;

/// The words of all digits modulo each narrow prime, one prime after the other: the first half of each digit, then the
/// second half of each.
///
/// Copied from the digits at the first use, so it has no part in equality, and a clone makes its own.
#[derive(Default)]
pub(super) struct NarrowWords(OnceBox<Buffer>);

impl NarrowWords {
    /// Copies the words of `digits`, if there are narrow primes and unless it is done.
    pub(super) fn prepare(&self, context: &Context, digits: &[PublicKey]) {
        if context.tables().iter().any(is_narrow) {
            self.0.get_or_init(|| copied(context, digits).into());
        }
    }

    /// Both halves of a range of digits modulo prime `limb` of the key level; `None` where the prime is not narrow, and before
    /// [`prepare`](Self::prepare).
    pub(super) fn halves(&self, context: &Context, limb: usize, range: Range<usize>) -> Option<[NarrowRows<'_>; 2]> {
        let (before, table) = (&context.tables()[..limb], &context.tables()[limb]);
        if !is_narrow(table) {
            return None;
        }
        let words = self.0.get()?.as_u32s();
        let half_len = words.len() / (2 * count_narrow(context.tables()));
        Some([0, 1].map(|half| {
            let start = (2 * count_narrow(before) + half) * half_len;
            let rows = words[start..start + half_len].chunks_exact(context.degree());
            rows.skip(range.start).take(range.len()).collect()
        }))
    }
}

impl Clone for NarrowWords {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl PartialEq for NarrowWords {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl fmt::Debug for NarrowWords {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "NarrowWords({:?})", self.0.get())
    }
}

fn is_narrow(table: &NttTables) -> bool {
    table.modulus().prefers_narrow_factors()
}

fn count_narrow(tables: &[NttTables]) -> usize {
    tables.iter().filter(|table| is_narrow(table)).count()
}

fn copied(context: &Context, digits: &[PublicKey]) -> Buffer {
    let (degree, tables) = (context.degree(), context.tables());
    // Two halves of half a word each.
    let mut words = Buffer::zeroed(count_narrow(tables) * digits.len() * degree);
    let mut rows = words.as_u32s_mut().chunks_exact_mut(degree);
    for (limb, _) in tables.iter().enumerate().filter(|(_, table)| is_narrow(table)) {
        for half in 0..2 {
            let start = (half * tables.len() + limb) * degree;
            for (digit, row) in digits.iter().zip(&mut rows) {
                for (narrow, &word) in row.iter_mut().zip(&digit.0.data[start..start + degree]) {
                    // A residue modulo a prime of at most 32 bits.
                    *narrow = word as u32;
                }
            }
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::*;
    use crate::error::Error;
    use crate::keys::{KeyGenerator, KeySwitchKey};
    use crate::params::{Parameters, Scheme, Security, coeff_modulus};

    #[test]
    fn narrow_words_are_those_of_the_digits() -> Result<(), Error> {
        let context = context(&[31, 40, 28, 32])?;
        let relin = KeyGenerator::new(&context)?.relin_keys()?;
        let key = relin.key(2)?;
        assert!((0..4).all(|limb| key.narrow_halves(&context, limb, 0..3).is_none()));
        key.prepare(&context, context.first_level())?;
        for limb in 0..4 {
            for range in [0..3, 1..3, 2..3] {
                let halves = key.narrow_halves(&context, limb, range.clone());
                assert_eq!(halves.is_some(), context.tables()[limb].modulus().prefers_narrow_factors());
                for (half, rows) in halves.into_iter().flatten().enumerate() {
                    assert!(rows.iter().map(|row| widened(row)).eq(words(key, half, limb, range.clone())));
                }
            }
        }
        let clone = key.clone();
        assert!(clone == *key && clone.narrow.0.get().is_none());
        Ok(())
    }

    #[test]
    fn wide_primes_need_nothing() -> Result<(), Error> {
        let context = context(&[40, 33, 41])?;
        let relin = KeyGenerator::new(&context)?.relin_keys()?;
        relin.key(2)?.prepare(&context, context.first_level())?;
        assert!(relin.key(2)?.narrow.0.get().is_none());
        Ok(())
    }

    fn context(bits: &[u32]) -> Result<Context, Error> {
        let coeff_modulus = coeff_modulus::create(16, bits)?;
        let parameters = Parameters { scheme: Scheme::Ckks, degree: 16, coeff_modulus, plain_modulus: 0 };
        parameters.builder().security(Security::Insecure).build()
    }

    fn widened(row: &[u32]) -> Vec<u64> {
        row.iter().map(|&word| word.into()).collect()
    }

    fn words(key: &KeySwitchKey, half: usize, limb: usize, range: Range<usize>) -> impl Iterator<Item = Vec<u64>> {
        let digits = key.digits[range].iter().map(move |digit| digit.as_ciphertext().polynomial(half));
        digits.map(move |words| words.expect("a key has two halves")[16 * limb..][..16].to_vec())
    }
}
