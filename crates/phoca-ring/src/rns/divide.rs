//! Division by one or two moduli of a basis, with rounding.
//!
//! Let `D` be the product of the moduli that are dropped, and for `x` modulo `q_0⋯q_{l-1}·D` let `u` be the centred
//! representative of `x mod D`. Then `x - u` is a multiple of `D`, and `(x - u)/D = floor((x + floor(D/2))/D)` is the
//! rounded quotient; its residues are `(x_j - u)·D^{-1} mod q_j`. For one modulus this is the rounding of Microsoft SEAL,
//! bit for bit. Two at once are the end of a key switch that is followed by rescaling: one rounding instead of two, and
//! a transform less for each limb.
//!
//! BGV divides exactly instead: with `u` the centred representative of `x·t^{-1} mod D`, `x - t·u` is a multiple of `D`
//! as well and congruent to `x` modulo `t`, so `(x - t·u)/D ≡ D^{-1}·x (mod t)`; it differs from `x/D` by at most `t/2`,
//! which is the least that a correction in multiples of `t` can do. This is the modulus switching of Brakerski, Gentry
//! and Vaikuntanathan, "Fully Homomorphic Encryption without Bootstrapping" (ePrint 2011/277).
//!
//! The work has two parts, so that limbs can be divided apart from each other: [`Division::digits`] turns the residues
//! modulo the dropped moduli into the digits of `u + floor(D/2)`, and [`Division::limb_into`] lifts them to one remaining
//! modulus.

use alloc::vec::Vec;

use crate::{Modulus, NttTables, RingError, Shoup};

/// Coefficients that are lifted at a time.
const BLOCK: usize = 512;

/// Division with rounding by `D`, the product of one or two moduli.
///
/// The remaining moduli and the dropped ones are any coprime ones: for rescaling they are a prefix of the chain and the
/// next prime, for key switching a prefix and the special prime. The tables have `O(l)` words.
///
/// ```
/// use phoca_ring::Modulus;
/// use phoca_ring::rns::Division;
///
/// let (q, last) = (Modulus::new(97)?, Modulus::new(193)?);
/// let divide = Division::new(&[q], &[last], None)?;
/// let mut digits = [1000 % 193];
/// divide.digits(&mut digits);
/// let mut quotient = [0];
/// divide.limb_into(0, None, &digits, &[1000 % 97], &mut quotient, &mut []);
/// assert_eq!(quotient, [5]); // 1000/193 = 5.18
/// # Ok::<(), phoca_ring::RingError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Division {
    remaining: Vec<RemainingLimb>,
    dropped: Vec<DroppedLimb>,
}

#[derive(Clone, Debug)]
struct RemainingLimb {
    modulus: Modulus,
    /// `D^{-1} mod q_j`.
    inverse: Shoup,
    /// `t·d_0⋯d_{i-1} mod q_j`: the weight of digit `i` in `t·u`, with `t = 1` where there is none.
    weights: [Shoup; MAX_DROPPED],
    /// `-t·floor(D/2) mod q_j`, in `(0, q_j]`.
    offset: u64,
    /// Whether `t = 1`.
    plain: bool,
}

#[derive(Clone, Debug)]
struct DroppedLimb {
    modulus: Modulus,
    /// `t^{-1} mod d_i`, if there is a `t`.
    inverse_of_t: Option<Shoup>,
    /// `floor(D/2) mod d_i`.
    half: u64,
    /// `d_0^{-1} mod d_i`, for the second.
    inverse_of_first: Shoup,
}

/// The most moduli that are dropped at once.
const MAX_DROPPED: usize = 2;

impl Division {
    /// Division by the product of `dropped`, one or two moduli, of polynomials modulo `remaining` and `dropped`; with BGV's
    /// congruence modulo `t` where it is given.
    ///
    /// # Errors
    ///
    /// [`RingError::NotCoprime`] where one of `dropped` shares a factor with `t` or another modulus.
    ///
    /// # Panics
    ///
    /// Unless one or two moduli are dropped.
    pub fn new(remaining: &[Modulus], dropped: &[Modulus], t: Option<&Modulus>) -> Result<Self, RingError> {
        assert!((1..=MAX_DROPPED).contains(&dropped.len()), "one or two moduli can be dropped at once");
        Ok(Self {
            remaining: remaining.iter().map(|q| RemainingLimb::new(*q, dropped, t)).collect::<Result<_, _>>()?,
            dropped: (0..dropped.len()).map(|i| DroppedLimb::new(i, dropped, t)).collect::<Result<_, _>>()?,
        })
    }

    /// How many limbs a quotient has.
    pub fn remaining_len(&self) -> usize {
        self.remaining.len()
    }

    /// How many moduli are dropped.
    pub fn dropped_len(&self) -> usize {
        self.dropped.len()
    }

    /// The moduli that are dropped.
    pub fn dropped(&self) -> impl ExactSizeIterator<Item = &Modulus> {
        self.dropped.iter().map(|limb| &limb.modulus)
    }

    /// `D^{-1}` modulo the remaining modulus `j`.
    ///
    /// # Panics
    ///
    /// If there is no such modulus.
    pub fn inverse(&self, j: usize) -> Shoup {
        self.remaining[j].inverse
    }

    /// The words of scratch memory that one limb of a quotient takes.
    pub fn scratch_len(&self, degree: usize) -> usize {
        self.dropped.len() * degree
    }

    /// Replaces the dropped limbs, in coefficient form and one after another, by the digits `v_0, v_1` of
    /// `u + floor(D/2) = v_0 + d_0·v_1`.
    ///
    /// # Panics
    ///
    /// If the length is no multiple of the number of dropped moduli.
    pub fn digits(&self, limbs: &mut [u64]) {
        assert_eq!(limbs.len() % self.dropped.len(), 0, "{} words are not the dropped limbs", limbs.len());
        let degree = limbs.len() / self.dropped.len();
        for (dropped, limb) in self.dropped.iter().zip(limbs.chunks_exact_mut(degree.max(1))) {
            if let Some(inverse) = dropped.inverse_of_t {
                dropped.modulus.mul_scalar_assign(limb, inverse);
            }
            dropped.modulus.add_scalar_assign(limb, dropped.half);
        }
        if let [_, second] = &self.dropped[..] {
            let (first, limb) = limbs.split_at_mut(degree);
            let mut reduced = [0; BLOCK];
            for (limb, first) in limb.chunks_mut(BLOCK).zip(first.chunks(BLOCK)) {
                let reduced = &mut reduced[..first.len()];
                second.modulus.reduce_into(reduced, first);
                second.modulus.sub_assign(limb, reduced);
                second.modulus.mul_scalar_assign(limb, second.inverse_of_first);
            }
        }
    }

    /// Limb `j` of the quotient: `out ← (x_j - t·u)·D^{-1}` for the limb `values` of `x`.
    ///
    /// With the transform modulo `q_j` the limb is in NTT form before and after, else in coefficient form. `digits` are from
    /// [`digits`](Self::digits). `scratch` has at least [`scratch_len`](Self::scratch_len) words; coefficient form needs
    /// none.
    ///
    /// # Panics
    ///
    /// If a length is wrong.
    pub fn limb_into(
        &self,
        j: usize,
        table: Option<&NttTables>,
        digits: &[u64],
        values: &[u64],
        out: &mut [u64],
        scratch: &mut [u64],
    ) {
        let (limb, degree) = (&self.remaining[j], out.len());
        assert_eq!(digits.len(), self.dropped.len() * degree, "a digit for each coefficient and dropped modulus");
        assert_eq!(values.len(), degree, "a value for each coefficient");
        if let Some(table) = table {
            assert_eq!(table.modulus(), &limb.modulus, "the transform is modulo the limb's prime");
            let (correction, rest) = scratch[..self.scratch_len(degree)].split_at_mut(degree);
            self.lift_transformed(limb, table, digits, correction, rest);
            return limb.modulus.sub_mul_scalar_into(out, values, correction, limb.inverse);
        }
        let mut block = [0; BLOCK];
        for (index, (out, values)) in out.chunks_mut(BLOCK).zip(values.chunks(BLOCK)).enumerate() {
            let correction = &mut block[..out.len()];
            self.lift(limb, digits, degree, index * BLOCK, correction);
            limb.modulus.sub_mul_scalar_into(out, values, correction, limb.inverse);
        }
    }

    /// The bits of the digits.
    fn digit_bits(&self) -> u32 {
        self.dropped().map(Modulus::bits).max().unwrap_or(0)
    }

    /// `t·u mod q_j` in NTT form.
    fn lift_transformed(
        &self,
        limb: &RemainingLimb,
        table: &NttTables,
        digits: &[u64],
        out: &mut [u64],
        scratch: &mut [u64],
    ) {
        let first_bound = self.dropped[0].modulus.value();
        if let Some((first, second)) = digits.split_at_checked(out.len()).filter(|(_, second)| !second.is_empty()) {
            let weights = limb.weights.map(|weight| weight.value);
            limb.modulus.linear_combination_into(scratch, &[first, second], &weights, self.digit_bits());
            table.forward_lazy_from(out, scratch, limb.modulus.value(), limb.offset);
        } else if limb.plain {
            table.forward_lazy_from(out, digits, first_bound, limb.offset);
        } else {
            table.forward_lazy_scaled_from(out, digits, first_bound, limb.weights[0], limb.offset);
        }
    }

    /// Coefficients `start..` of `t·u mod q_j`.
    fn lift(&self, limb: &RemainingLimb, digits: &[u64], degree: usize, start: usize, out: &mut [u64]) {
        let (modulus, offset) = (&limb.modulus, limb.offset);
        let digit = |i: usize| &digits[i * degree + start..][..out.len()];
        if self.dropped.len() == MAX_DROPPED {
            let inputs = [digit(0), digit(1)];
            let weights = limb.weights.map(|weight| weight.value);
            modulus.linear_combination_into(out, &inputs, &weights, self.digit_bits());
        } else if limb.plain && self.dropped[0].modulus.value() <= 3 * modulus.value() {
            out.copy_from_slice(&digits[start..start + out.len()]);
        } else {
            modulus.mul_scalar_into(out, &digits[start..start + out.len()], limb.weights[0]);
        }
        out.iter_mut().for_each(|word| *word += offset);
    }
}

impl RemainingLimb {
    fn new(modulus: Modulus, dropped: &[Modulus], t: Option<&Modulus>) -> Result<Self, RingError> {
        let t = t.map(Modulus::value);
        let mut product = modulus.reduce(1);
        let mut weight = modulus.reduce(t.unwrap_or(1));
        let mut weights = [Shoup::default(); MAX_DROPPED];
        for (dropped, slot) in dropped.iter().zip(&mut weights) {
            *slot = modulus.shoup(weight);
            weight = modulus.mul(weight, dropped.value());
            product = modulus.mul(product, dropped.value());
        }
        let inverse = modulus.inverse_vartime(product).ok_or_else(|| {
            let shares = |dropped: &&Modulus| modulus.inverse_vartime(dropped.value()).is_none();
            let second = dropped.iter().find(shares).map_or(product, Modulus::value);
            RingError::NotCoprime { first: modulus.value(), second }
        })?;
        // floor(D/2) = (D - 1)/2 or D/2, modulo q_j.
        let half = modulus.reduce_u128(half_of_product(dropped));
        let offset = modulus.value() - modulus.mul(modulus.reduce(t.unwrap_or(1)), half);
        Ok(Self { modulus, inverse: modulus.shoup(inverse), weights, offset, plain: t.is_none() })
    }
}

impl DroppedLimb {
    fn new(i: usize, dropped: &[Modulus], t: Option<&Modulus>) -> Result<Self, RingError> {
        let modulus = dropped[i];
        let inverse = |other: &Modulus| {
            let inverse = modulus.inverse_vartime(other.value());
            inverse.ok_or(RingError::NotCoprime { first: other.value(), second: modulus.value() })
        };
        Ok(Self {
            modulus,
            inverse_of_t: t.map(inverse).transpose()?.map(|inverse| modulus.shoup(inverse)),
            half: modulus.reduce_u128(half_of_product(dropped)),
            inverse_of_first: match i {
                0 => Shoup::default(),
                _ => modulus.shoup(inverse(&dropped[0])?),
            },
        })
    }
}

/// `floor(D/2)`: the moduli are below `2^61`, so `D` is below `2^122`.
fn half_of_product(dropped: &[Modulus]) -> u128 {
    dropped.iter().map(|modulus| u128::from(modulus.value())).product::<u128>() / 2
}
