//! Messages modulo a plain modulus `t` on their way into a ring modulo `q`.
//!
//! Coefficients are in `[0, t)` and stand for their centred representatives: `m` below `(t+1)/2`, else `m − t`. All
//! functions take constant time.

use crate::arch::Arch;
use crate::arch::vectorized::Vectorized;
use crate::modulus::{Modulus, Shoup};

/// The sizes of the centred representatives of a message.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Magnitudes {
    /// The largest absolute value.
    pub largest: u64,
    /// The sum of the absolute values.
    pub sum: u128,
}

impl Magnitudes {
    /// Of a message of at most `2^32` coefficients in `[0, t)`, for `t < 2^63`.
    pub fn of(plain_modulus: u64, message: &[u64]) -> Self {
        (Vectorized::of(Arch::selected()).magnitudes)(plain_modulus, message)
    }
}

/// Whether all words are below `bound`, which is from 1 to `2^63`.
pub fn all_below(bound: u64, words: &[u64]) -> bool {
    (Vectorized::of(Arch::selected()).signs_of_excess)(bound - 1, words) >> 63 == 0
}

/// A word whose highest bit is set where a word is above `largest`, which is below `2^63`.
#[inline(always)]
pub(crate) fn signs_of_excess(largest: u64, words: &[u64]) -> u64 {
    // The highest bit of a word, or of its distance to the largest one, is set. No early exit: it vectorises.
    words.iter().fold(0, |signs, &word| signs | word | largest.wrapping_sub(word))
}

impl Modulus {
    /// `out ←` the residues of the centred representatives of `message`, whose coefficients are in `[0, t)`.
    ///
    /// # Panics
    ///
    /// Slices of different lengths are a programming error and panic.
    ///
    /// ```
    /// use phoca_ring::Modulus;
    /// let mut out = [0; 3];
    /// Modulus::new(97)?.lift_centered_into(&mut out, &[1, 3, 6], 7);
    /// assert_eq!(out, [1, 3, 96]); // 6 stands for -1
    /// # Ok::<(), phoca_ring::RingError>(())
    /// ```
    pub fn lift_centered_into(&self, out: &mut [u64], message: &[u64], plain_modulus: u64) {
        assert_eq!(out.len(), message.len());
        let lift = Vectorized::of(self.arch()).lift_centered;
        // m + (q − t mod q) is m − t modulo q.
        lift(plain_modulus, self.neg(self.reduce(plain_modulus)), message, out);
        if plain_modulus > self.value() {
            out.iter_mut().for_each(|word| *word = self.reduce(*word));
        }
    }

    /// `out ← floor((m·r + floor((t+1)/2)) / t)` for each `m` of `message`, where `t` is this modulus and `r` is from
    /// [`shoup`](Self::shoup): the rounding of `m·r/t` in BFV's encryption.
    ///
    /// # Panics
    ///
    /// Slices of different lengths are a programming error and panic.
    pub fn scaled_roundings_into(&self, out: &mut [u64], message: &[u64], r: Shoup) {
        assert_eq!(out.len(), message.len());
        if self.bits() <= 32 {
            (Vectorized::of(self.arch()).short_roundings)(self.value(), r.value, message, out);
        } else {
            out.iter_mut().zip(message).for_each(|(out, &m)| *out = self.rounding(m, r));
        }
    }

    /// One coefficient of [`Self::scaled_roundings_into`].
    #[inline]
    fn rounding(&self, m: u64, r: Shoup) -> u64 {
        let t = self.value();
        // m·r = quotient·t + rest, where Shoup's quotient is at most one too small.
        let quotient = ((u128::from(m) * u128::from(r.quotient)) >> 64) as u64;
        let rest = m.wrapping_mul(r.value).wrapping_sub(quotient.wrapping_mul(t));
        round_up(quotient, rest, t)
    }
}

/// `floor((quotient·t + rest + floor((t+1)/2)) / t)` for `rest` in `[0, 2t)`.
#[inline(always)]
fn round_up(mut quotient: u64, rest: u64, t: u64) -> u64 {
    // Below 2t + (t+1)/2: at most two multiples of t are left in it.
    let rest = rest + t.div_ceil(2);
    for multiple in [t, 2 * t] {
        quotient += 1 - (rest.wrapping_sub(multiple) >> 63);
    }
    quotient
}

/// [`Modulus::scaled_roundings_into`] for `t` of at most 32 bits, with products of 32 bits.
#[inline(always)]
pub(crate) fn short_roundings(t: u64, r: u64, message: &[u64], out: &mut [u64]) {
    let product = |x: u64, y: u64| u64::from(x as u32) * u64::from(y as u32);
    let ratio = (r << 32) / t;
    for (out, &m) in out.iter_mut().zip(message) {
        // Shoup's quotient with 32 bits: at most one too small.
        let quotient = product(m, ratio) >> 32;
        let rest = product(m, r) - product(quotient, t);
        *out = round_up(quotient, rest, t);
    }
}

/// `out ← m`, or `m + offset` for `m` of `(t+1)/2` and more.
#[inline(always)]
pub(crate) fn lift_centered(plain_modulus: u64, offset: u64, message: &[u64], out: &mut [u64]) {
    let threshold = plain_modulus.div_ceil(2);
    for (out, &m) in out.iter_mut().zip(message) {
        let below = (m.wrapping_sub(threshold).cast_signed() >> 63).cast_unsigned();
        *out = m + (offset & !below);
    }
}

/// [`Magnitudes::of`].
#[inline(always)]
pub(crate) fn magnitudes(plain_modulus: u64, words: &[u64]) -> Magnitudes {
    // Halves of words, so that sums of up to 2^32 of them fit.
    let (mut largest, mut high, mut low) = (0, 0_u64, 0_u64);
    for &word in words {
        let magnitude = word.min(plain_modulus.wrapping_sub(word));
        largest = largest.max(magnitude);
        high += magnitude >> 32;
        low += magnitude & 0xffff_ffff;
    }
    Magnitudes { largest, sum: (u128::from(high) << 32) + u128::from(low) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::RingError;

    #[test]
    fn roundings_agree_with_division() -> Result<(), RingError> {
        for t in [2, 3, 4, 17, 65537, (1 << 32) - 5, (1 << 32) - 1, (1 << 32) + 15, (1 << 60) - 93] {
            let modulus = Modulus::new(t)?;
            let message = [0, 1, t / 3, (t - 1) / 2, t / 2, t - 2 + t % 2, t - 1];
            for r in [0, 1, t / 2, t - 1] {
                let mut out = [0; 7];
                modulus.scaled_roundings_into(&mut out, &message, modulus.shoup(r));
                let (wide, t) = (|x: u64| u128::from(x), u128::from(t));
                let expected = message.map(|m| ((wide(m) * wide(r) + t.div_ceil(2)) / t) as u64);
                assert_eq!(out, expected, "t = {t}, r = {r}");
            }
        }
        Ok(())
    }

    #[test]
    fn lifts_and_magnitudes_are_those_of_centred_representatives() -> Result<(), RingError> {
        for t in [2_u64, 3, 97, 98, 1 << 20, (1 << 60) - 93] {
            let message = [0, 1, (t - 1) / 2, t / 2, t.div_ceil(2) % t, t - 1];
            let centred =
                message.map(|m| if m < t.div_ceil(2) { i128::from(m) } else { i128::from(m) - i128::from(t) });
            for q in [2, 97, 65537, (1 << 61) - 1] {
                let mut out = [0; 6];
                Modulus::new(q)?.lift_centered_into(&mut out, &message, t);
                assert_eq!(out.map(i128::from), centred.map(|c| c.rem_euclid(i128::from(q))), "{t}, {q}");
            }
            let sizes = centred.map(i128::unsigned_abs);
            let largest = sizes.into_iter().max().unwrap_or(0) as u64;
            assert_eq!(Magnitudes::of(t, &message), Magnitudes { largest, sum: sizes.iter().sum() });
        }
        Ok(())
    }
}
