//! Division by the last modulus of a basis, with rounding.
//!
//! For `x` modulo `q_0⋯q_{l-2}·q_last` let `u` be the centred representative of `x mod q_last`. Then `x - u` is a
//! multiple of `q_last`, and `(x - u)/q_last = floor((x + floor(q_last/2))/q_last)` is the rounded quotient; its
//! residues are `(x_j - u)·q_last^{-1} mod q_j`. This is the rounding of Microsoft SEAL, bit for bit.
//!
//! BGV divides exactly instead: with `u` the centred representative of `x·t^{-1} mod q_last`, `x - t·u` is a multiple
//! of `q_last` as well and congruent to `x` modulo `t`, so `(x - t·u)/q_last ≡ q_last^{-1}·x (mod t)`; it differs from
//! `x/q_last` by at most `t/2`, which is the least that a correction in multiples of `t` can do. This is the modulus
//! switching of Brakerski, Gentry and Vaikuntanathan, "Fully Homomorphic Encryption without Bootstrapping" (ePrint
//! 2011/277).

use alloc::vec::Vec;

use crate::{Modulus, NttTables, RingError, Shoup};

/// Coefficients that are lifted at a time.
const BLOCK: usize = 512;

/// Division with rounding by `q_last` of polynomials modulo `q_0⋯q_{l-2}·q_last`.
///
/// The remaining moduli and `q_last` are any coprime ones: for rescaling they are a prefix of the chain and the next
/// prime, for key switching a prefix and the special prime. The tables have `O(l)` words.
///
/// ```
/// use phoca_ring::Modulus;
/// use phoca_ring::rns::DivideLast;
///
/// let (q, last) = (Modulus::new(97)?, Modulus::new(193)?);
/// let divide = DivideLast::new(&[q], last)?;
/// let mut x = [1000 % 97, 1000 % 193];
/// divide.coefficients(&mut x);
/// assert_eq!(x[0], 5); // 1000/193 = 5.18
/// # Ok::<(), phoca_ring::RingError>(())
/// ```
#[derive(Clone, Debug)]
pub struct DivideLast {
    remaining: Vec<RemainingLimb>,
    last: Modulus,
}

#[derive(Clone, Debug)]
struct RemainingLimb {
    modulus: Modulus,
    /// `q_last^{-1} mod q_j`.
    inverse: Shoup,
}

/// The factor `t` of the correction modulo `q_j`, and what makes the lifted correction centred.
struct Lift {
    /// `t mod q_j`, or nothing for `t = 1`.
    factor: Option<Shoup>,
    /// `-t·floor(q_last/2) mod q_j`, in `(0, q_j]`.
    offset: u64,
}

impl DivideLast {
    /// Division by `last` of polynomials whose limbs are `remaining`, then `last`.
    ///
    /// # Errors
    ///
    /// [`RingError::NotCoprime`] where `last` shares a factor with one of `remaining`.
    pub fn new(remaining: &[Modulus], last: Modulus) -> Result<Self, RingError> {
        let limb = |modulus: &Modulus| -> Result<RemainingLimb, RingError> {
            let inverse = modulus.inverse_vartime(last.value());
            let inverse = inverse.ok_or(RingError::NotCoprime { first: modulus.value(), second: last.value() })?;
            Ok(RemainingLimb { modulus: *modulus, inverse: modulus.shoup(inverse) })
        };
        Ok(Self { remaining: remaining.iter().map(limb).collect::<Result<_, _>>()?, last })
    }

    /// The modulus that is divided by.
    pub fn last(&self) -> &Modulus {
        &self.last
    }

    /// `q_last^{-1}` modulo the remaining modulus `index`.
    ///
    /// # Panics
    ///
    /// If there is no such modulus.
    pub fn inverse(&self, index: usize) -> Shoup {
        self.remaining[index].inverse
    }

    /// The number `l` of limbs of an input, the last included.
    #[allow(clippy::len_without_is_empty, reason = "there is always the last limb")]
    pub fn len(&self) -> usize {
        self.remaining.len() + 1
    }

    /// The words of scratch memory that [`Self::ntt`] and [`Self::ntt_mod_t`] take.
    pub fn scratch_len(&self, degree: usize) -> usize {
        degree
    }

    /// `floor((x + floor(q_last/2))/q_last)` in coefficient form: always exact.
    ///
    /// `poly` has `l·n` words; the result is in its first `(l-1)·n`, and the last limb holds no meaning afterwards.
    ///
    /// # Panics
    ///
    /// If the length is no multiple of `l`.
    pub fn coefficients(&self, poly: &mut [u64]) {
        self.divide_coefficients(None, poly);
    }

    /// As [`Self::coefficients`], with all limbs in NTT form before and after.
    ///
    /// `tables` has the transform of every modulus, in any order and with any others between them: those of a whole
    /// chain will do. `scratch` has at least [`Self::scratch_len`] words.
    ///
    /// # Panics
    ///
    /// If a length is wrong or the transform of a modulus is missing.
    pub fn ntt(&self, tables: &[NttTables], poly: &mut [u64], scratch: &mut [u64]) {
        self.divide_ntt(None, tables, poly, scratch);
    }

    /// `(x - t·u)/q_last` with `u = x·t^{-1} mod q_last` centred: congruent to `q_last^{-1}·x` modulo `t`, at most
    /// `t/2` from `x/q_last`, always exact; coefficient form, as [`Self::coefficients`].
    ///
    /// The congruence is one of integers: for centred `x` with `|x| + t·q_last/2 < Q/2` the centred representative of
    /// the result has it, whatever multiple of `Q` the residues leave open.
    ///
    /// # Panics
    ///
    /// If the length is no multiple of `l` or `t` and `q_last` share a factor.
    pub fn coefficients_mod_t(&self, t: &Modulus, poly: &mut [u64]) {
        self.divide_coefficients(Some(t), poly);
    }

    /// As [`Self::coefficients_mod_t`], with all limbs in NTT form before and after; arguments as [`Self::ntt`].
    ///
    /// # Panics
    ///
    /// If a length is wrong, the transform of a modulus is missing, or `t` and `q_last` share a factor.
    pub fn ntt_mod_t(&self, t: &Modulus, tables: &[NttTables], poly: &mut [u64], scratch: &mut [u64]) {
        self.divide_ntt(Some(t), tables, poly, scratch);
    }

    fn divide_coefficients(&self, t: Option<&Modulus>, poly: &mut [u64]) {
        let degree = self.degree_of(poly.len());
        let (limbs, last) = poly.split_at_mut(degree * self.remaining.len());
        self.offset_last(t, last);
        let mut lifted = [0; BLOCK];
        for (limb, values) in self.remaining.iter().zip(limbs.chunks_exact_mut(degree.max(1))) {
            let lift = self.lift_to(limb, t);
            for (values, last) in values.chunks_mut(BLOCK).zip(last.chunks(BLOCK)) {
                let lifted = &mut lifted[..last.len()];
                lift.apply(&limb.modulus, &self.last, 2, last, lifted);
                limb.modulus.sub_mul_scalar_assign(values, lifted, limb.inverse);
            }
        }
    }

    fn divide_ntt(&self, t: Option<&Modulus>, tables: &[NttTables], poly: &mut [u64], scratch: &mut [u64]) {
        let degree = self.degree_of(poly.len());
        assert!(scratch.len() >= self.scratch_len(degree), "scratch of {} words is too short", scratch.len());
        let (limbs, last) = poly.split_at_mut(degree * self.remaining.len());
        find_table(tables, &self.last, self.remaining.len()).inverse(last);
        self.offset_last(t, last);
        let lifted = &mut scratch[..degree];
        for (j, (limb, values)) in self.remaining.iter().zip(limbs.chunks_exact_mut(degree.max(1))).enumerate() {
            self.lift_to(limb, t).apply(&limb.modulus, &self.last, 4, last, lifted);
            find_table(tables, &limb.modulus, j).forward_lazy(lifted);
            let twice = 2 * limb.modulus.value();
            for (values, lifted) in values.chunks_mut(BLOCK).zip(lifted.chunks_mut(BLOCK)) {
                // From [0, 4q) to [0, 2q).
                lifted.iter_mut().for_each(|value| *value = (*value).min(value.wrapping_sub(twice)));
                limb.modulus.sub_mul_scalar_assign(values, lifted, limb.inverse);
            }
        }
    }

    fn degree_of(&self, words: usize) -> usize {
        assert_eq!(words % self.len(), 0, "{words} words are no polynomial of {} limbs", self.len());
        words / self.len()
    }

    /// The last limb becomes `u + floor(q_last/2)` in `[0, q_last)`, for the centred `u`.
    fn offset_last(&self, t: Option<&Modulus>, last: &mut [u64]) {
        if let Some(t) = t {
            let inverse = self.last.inverse_vartime(t.value());
            let inverse = inverse.expect("the plain modulus must be coprime to the modulus that is divided by");
            self.last.mul_scalar_assign(last, self.last.shoup(inverse));
        }
        self.last.add_scalar_assign(last, self.last.value() / 2);
    }

    fn lift_to(&self, limb: &RemainingLimb, t: Option<&Modulus>) -> Lift {
        let modulus = &limb.modulus;
        let half = modulus.reduce(self.last.value() / 2);
        let factor = t.map(|t| modulus.reduce(t.value()));
        let offset = modulus.value() - factor.map_or(half, |factor| modulus.mul(factor, half));
        Lift { factor: factor.map(|factor| modulus.shoup(factor)), offset }
    }
}

impl Lift {
    /// `t·u mod q_j` from `u + floor(q_last/2)`, in `[0, bound·q_j)` for a `bound` of 2 or 4.
    fn apply(&self, modulus: &Modulus, last_modulus: &Modulus, bound: u64, last: &[u64], lifted: &mut [u64]) {
        let (q, offset) = (modulus.value(), self.offset);
        if let Some(factor) = self.factor {
            modulus.mul_scalar_into(lifted, last, factor);
            lifted.iter_mut().for_each(|value| *value += offset);
        } else if last_modulus.value() < bound * q {
            // With h = floor(q_last/2) < bound/2·q, the offset is at most bound/2·q - h; last - h is below bound/2·q.
            lifted.iter_mut().zip(last).for_each(|(lifted, &last)| *lifted = last + offset);
        } else {
            modulus.reduce_into(lifted, last);
            lifted.iter_mut().for_each(|value| *value += offset);
        }
    }
}

/// The transform modulo `modulus`; most likely at `index`.
fn find_table<'a>(tables: &'a [NttTables], modulus: &Modulus, index: usize) -> &'a NttTables {
    let is_it = |table: &&NttTables| table.modulus().value() == modulus.value();
    let table = tables.get(index).filter(is_it).or_else(|| tables.iter().rev().find(is_it));
    table.expect("the transform of every modulus must be given")
}
