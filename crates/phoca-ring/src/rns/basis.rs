//! The basis itself: coprime moduli, their product, and the mixed-radix constants.
//!
//! Mixed radix (Garner): with `W_j = q_0⋯q_{j-1}`, every `x` in `[0, Q)` is `Σ_j v_j·W_j` with digits `v_j` in
//! `[0, q_j)`, and modulo `q_j`
//!
//! ```text
//! v_j = x_j·W_j^{-1} - Σ_{i<j} v_i·(W_i·W_j^{-1}).
//! ```
//!
//! The constants of row `j` depend on the first `j + 1` moduli only, so all prefixes of a chain share one table.

use alloc::sync::Arc;
use alloc::vec;
use alloc::vec::Vec;
use core::fmt;

use zeroize::Zeroizing;

use crate::{Modulus, RingError};

/// Pairwise coprime moduli `q_0, …, q_{k-1}` with the constants to go from residues to integers.
///
/// ```
/// use phoca_ring::Modulus;
/// use phoca_ring::rns::RnsBasis;
///
/// let basis = RnsBasis::new(&[Modulus::new(97)?, Modulus::new(193)?])?;
/// assert_eq!(basis.product(), [97 * 193]);
/// assert_eq!(basis.compose(&[12345 % 97, 12345 % 193]), [12345]);
/// # Ok::<(), phoca_ring::RingError>(())
/// ```
#[derive(Clone)]
pub struct RnsBasis {
    moduli: Vec<Modulus>,
    product: Vec<u64>,
    pub(super) digits: Arc<Vec<DigitRow>>,
}

/// The constants of one mixed-radix digit.
pub(super) struct DigitRow {
    /// `-W_i·W_j^{-1} mod q_j` for `i < j`, then `W_j^{-1} mod q_j`: the weights of `v_0, …, v_{j-1}, x_j`.
    pub(super) weights: Vec<u64>,
    /// `floor((q_j - 1)/2)`: the offset between the digit in `[0, q_j)` and the balanced digit.
    pub(super) offset: u64,
    /// `W_j^{-1}·Σ_{i≤j} offset_i·W_i mod q_j`: what to add to `v_j` to get the digit of `x + Σ_i offset_i·W_i`.
    pub(super) shift: u64,
}

impl RnsBasis {
    /// The basis of `moduli`, in this order.
    ///
    /// # Errors
    ///
    /// [`RingError::EmptyBasis`] without moduli; [`RingError::NotCoprime`] where two of them share a factor.
    pub fn new(moduli: &[Modulus]) -> Result<Self, RingError> {
        if moduli.is_empty() {
            return Err(RingError::EmptyBasis);
        }
        let rows = (0..moduli.len()).map(|j| DigitRow::new(moduli, j)).collect::<Result<Vec<_>, _>>()?;
        Ok(Self { moduli: moduli.to_vec(), product: product(moduli), digits: Arc::new(rows) })
    }

    /// The moduli `q_0, …, q_{k-1}`.
    pub fn moduli(&self) -> &[Modulus] {
        &self.moduli
    }

    /// The number `k` of moduli, at least 1.
    #[allow(clippy::len_without_is_empty, reason = "a basis is never empty")]
    pub fn len(&self) -> usize {
        self.moduli.len()
    }

    /// `Q = q_0⋯q_{k-1}` in little-endian words, the highest of them not zero.
    pub fn product(&self) -> &[u64] {
        &self.product
    }

    /// The basis of the first `k` moduli; it shares the constants of this one.
    ///
    /// # Panics
    ///
    /// Unless `1 ≤ k ≤ len()`.
    pub fn prefix(&self, k: usize) -> Self {
        assert!((1..=self.len()).contains(&k), "a prefix of {k} of {} moduli", self.len());
        let moduli = self.moduli[..k].to_vec();
        Self { product: product(&moduli), moduli, digits: Arc::clone(&self.digits) }
    }

    /// The `x` in `[0, Q)` with these residues, in as many little-endian words as [`Self::product`].
    ///
    /// # Panics
    ///
    /// Unless there are `len()` residues.
    pub fn compose(&self, residues: &[u64]) -> Vec<u64> {
        assert_eq!(residues.len(), self.len(), "one residue for each modulus");
        let mut digits = Zeroizing::new(vec![0; self.len()]);
        for (j, (modulus, row)) in self.moduli.iter().zip(self.digits.iter()).enumerate() {
            let (lower, weight) = (&row.weights[..j], row.weights[j]);
            let start = modulus.mul(residues[j], weight);
            digits[j] = lower.iter().zip(digits.iter()).fold(start, |sum, (&w, &digit)| modulus.mul_add(w, digit, sum));
        }
        let mut words = vec![0; self.product.len()];
        for (modulus, &digit) in self.moduli.iter().zip(digits.iter()).rev() {
            mul_add_word(&mut words, modulus.value(), digit);
        }
        words
    }

    /// The residues of the integer with these little-endian words, of any length.
    pub fn decompose(&self, words: &[u64]) -> Vec<u64> {
        let residue = |modulus: &Modulus| {
            words.iter().rev().fold(0, |high, &word| modulus.reduce_u128(u128::from(high) << 64 | u128::from(word)))
        };
        self.moduli.iter().map(residue).collect()
    }

    /// `(Q/q_i)^{-1} mod q_i` for each `i`.
    pub(super) fn punctured_inverses(&self) -> Vec<u64> {
        let inverse = |(i, modulus): (usize, &Modulus)| {
            let others = self.moduli.iter().enumerate().filter(|&(other, _)| other != i);
            let punctured = others.fold(modulus.reduce(1), |product, (_, other)| modulus.mul(product, other.value()));
            modulus.inverse_vartime(punctured).expect("the moduli of a basis are coprime")
        };
        self.moduli.iter().enumerate().map(inverse).collect()
    }

    /// `Q/q_i mod p` for each `i`, then `Q mod p`; `p` may share factors with `Q`.
    pub(super) fn punctured_products(&self, p: &Modulus) -> Vec<u64> {
        let mut products = Vec::with_capacity(self.len() + 1);
        let mut before = p.reduce(1);
        for modulus in &self.moduli {
            products.push(before);
            before = p.mul(before, modulus.value());
        }
        let mut after = p.reduce(1);
        for (product, modulus) in products.iter_mut().zip(&self.moduli).rev() {
            *product = p.mul(*product, after);
            after = p.mul(after, modulus.value());
        }
        products.push(after);
        products
    }
}

/// Shows the moduli.
impl fmt::Debug for RnsBasis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RnsBasis").field("moduli", &self.moduli).finish_non_exhaustive()
    }
}

impl PartialEq for RnsBasis {
    fn eq(&self, other: &Self) -> bool {
        self.moduli == other.moduli
    }
}

impl Eq for RnsBasis {}

impl DigitRow {
    /// Row `j`; it reads the first `j + 1` moduli.
    fn new(moduli: &[Modulus], j: usize) -> Result<Self, RingError> {
        let modulus = &moduli[j];
        let mut weights = Vec::with_capacity(j + 1);
        let (mut radix, mut offsets) = (modulus.reduce(1), 0);
        for lower in &moduli[..j] {
            weights.push(radix);
            offsets = modulus.mul_add(balanced_offset(lower), radix, offsets);
            radix = modulus.mul(radix, lower.value());
        }
        let inverse = modulus.inverse_vartime(radix).ok_or_else(|| not_coprime(moduli, j))?;
        weights.iter_mut().for_each(|weight| *weight = modulus.neg(modulus.mul(*weight, inverse)));
        weights.push(inverse);
        let offset = balanced_offset(modulus);
        Ok(Self { weights, offset, shift: modulus.mul_add(offsets, inverse, offset) })
    }
}

/// `floor((q - 1)/2)`.
fn balanced_offset(modulus: &Modulus) -> u64 {
    (modulus.value() - 1) / 2
}

/// The error that names the first modulus before `j` which shares a factor with modulus `j`.
fn not_coprime(moduli: &[Modulus], j: usize) -> RingError {
    let second = &moduli[j];
    let shares_factor = |first: &&Modulus| second.inverse_vartime(first.value()).is_none();
    let first = moduli[..j].iter().find(shares_factor).map_or(second.value(), Modulus::value);
    RingError::NotCoprime { first, second: second.value() }
}

/// The product of `moduli` in little-endian words without leading zeros.
pub(super) fn product(moduli: &[Modulus]) -> Vec<u64> {
    let bits: u32 = moduli.iter().map(Modulus::bits).sum();
    let mut words = vec![0; bits.div_ceil(64).max(1) as usize];
    words[0] = 1;
    for modulus in moduli {
        mul_add_word(&mut words, modulus.value(), 0);
    }
    while words.len() > 1 && words.last() == Some(&0) {
        words.pop();
    }
    words
}

/// `words = words·factor + addend`; what does not fit is lost.
pub(super) fn mul_add_word(words: &mut [u64], factor: u64, addend: u64) {
    let mut carry = addend;
    for word in words {
        let sum = u128::from(*word) * u128::from(factor) + u128::from(carry);
        (*word, carry) = (sum as u64, (sum >> 64) as u64);
    }
}
