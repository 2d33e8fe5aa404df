//! The canonical embedding of CKKS: real polynomials of degree below `n` to `n/2` complex slots and back.
//!
//! Slot `i` of `f` is `f(ζ^(3^i))` with `ζ = exp(iπ/n)`, SEAL's order: the automorphism `X ↦ X^(3^s)` turns the slots
//! left by `s`. The values at the remaining odd powers of `ζ` are the conjugates of these.
//!
//! With `N = n/2`, the complex polynomial `c_j = f_j + i·f_(j+N)` agrees with `f` at all `ζ^(4k+1)`, the roots of
//! `Y^N − i`. Its values there come from one complex FFT of length `N` without a separate twist: as in a negacyclic
//! NTT, each pass splits `Y^(4L) − u^4` into `Y^L − u·i^t` (decimation in frequency, twiddle factors in the order of
//! use). A power `3^i` that is 3 modulo 4 takes the conjugate of the value at `−3^i`. Real and imaginary parts are
//! kept apart, so that the passes vectorise; the last pass (first for the inverse) puts slots in order.
//!
//! All arithmetic is in `f64`, in a fixed order, so results are the same on every machine. The root mean square error
//! of a transform is a few units in the last place of the output's root mean square.

mod lanes;
pub(crate) mod passes;

pub(crate) mod rounding;

use alloc::vec;
use alloc::vec::Vec;

use num_complex::Complex64;

use crate::RingError;
use crate::arch::Arch;
use crate::arch::vectorized::Vectorized;
use crate::roots::Roots;
use lanes::Lanes;
use passes::{Stages, Twiddle, forward_butterfly, inverse_butterfly};

/// The tables of the embedding for one degree.
///
/// ```
/// use num_complex::Complex64;
/// use phoca_ring::embedding::Embedding;
///
/// let embedding = Embedding::new(8)?;
/// let slots = [1.0, 2.0, 3.0, 4.0].map(Complex64::from);
/// let mut coefficients = [0.0; 8];
/// embedding.to_coefficients(&slots, &mut coefficients);
/// assert!((coefficients[0] - 2.5).abs() < 1e-15); // the mean
///
/// let mut back = [Complex64::ZERO; 4];
/// embedding.to_slots(&coefficients, &mut back);
/// assert!(slots.iter().zip(&back).all(|(a, b)| (a - b).norm_sqr() < 1e-28));
/// # Ok::<(), phoca_ring::RingError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Embedding {
    degree: usize,
    loops: &'static Vectorized,
    stages: Stages,
    /// The factors of the last forward pass, on blocks of four; none for degrees 2 and 4.
    last: Vec<Twiddle>,
    /// For each position after the last pass: twice its slot, plus one where the slot has the conjugate.
    order: Vec<u32>,
}

impl Embedding {
    /// The tables for polynomials of `degree` coefficients.
    ///
    /// # Errors
    ///
    /// [`RingError::InvalidDegree`] unless `degree` is a power of two from 2 to 131072.
    pub fn new(degree: usize) -> Result<Self, RingError> {
        if !degree.is_power_of_two() || !(2..=131_072).contains(&degree) {
            return Err(RingError::InvalidDegree { degree });
        }
        let roots = Roots::new(degree);
        let (slots, turn) = (degree / 2, 2 * degree);
        // Each block is Y^L − ζ^e for one exponent e; at first Y^N − ζ^N.
        let mut exponents = vec![slots];
        let mut length = slots;
        let radix2 = (slots.trailing_zeros() % 2 == 1).then(|| {
            exponents = vec![slots / 2, slots / 2 + degree];
            length /= 2;
            roots.power(slots / 2)
        });
        let mut passes = Vec::new();
        while length > 1 {
            let twiddle = |&e: &usize| Twiddle([e / 4, e / 2, 3 * e / 4].map(|power| roots.power(power)));
            passes.push(exponents.iter().map(twiddle).collect());
            let children = |e: usize| [0, degree, degree / 2, 3 * degree / 2].map(|turned| (e / 4 + turned) % turn);
            exponents = exponents.into_iter().flat_map(children).collect();
            length /= 4;
        }
        let last = passes.pop().unwrap_or_default();
        let order = slot_order(degree, &exponents);
        Ok(Self {
            degree,
            loops: Vectorized::of(Arch::selected()),
            stages: Stages { radix2, radix4: passes },
            last,
            order,
        })
    }

    /// `n`.
    pub fn degree(&self) -> usize {
        self.degree
    }

    /// `n/2`.
    pub fn slot_count(&self) -> usize {
        self.degree / 2
    }

    /// The real polynomial with the values `slots`.
    ///
    /// # Panics
    ///
    /// Unless there are `n/2` slots and `n` coefficients.
    pub fn to_coefficients(&self, slots: &[Complex64], out: &mut [f64]) {
        assert_eq!(slots.len(), self.slot_count(), "there are n/2 slots");
        self.to_coefficients_scaled(slots, 1.0, out);
    }

    /// `scale` times the real polynomial with the values `slots`, for the price of [`Self::to_coefficients`]; missing
    /// slots are zero.
    ///
    /// # Panics
    ///
    /// Unless there are at most `n/2` slots and `n` coefficients.
    pub fn to_coefficients_scaled(&self, slots: &[Complex64], scale: f64, out: &mut [f64]) {
        self.inverse(slots.len(), |index| slots.get(index).copied().unwrap_or_default(), scale, out);
    }

    /// As [`Self::to_coefficients_scaled`], for real values.
    ///
    /// # Panics
    ///
    /// Unless there are at most `n/2` slots and `n` coefficients.
    pub fn real_to_coefficients_scaled(&self, slots: &[f64], scale: f64, out: &mut [f64]) {
        self.inverse(slots.len(), |index| slots.get(index).copied().unwrap_or_default().into(), scale, out);
    }

    #[inline]
    fn inverse(&self, count: usize, slot: impl Fn(usize) -> Complex64, scale: f64, out: &mut [f64]) {
        assert!(count <= self.slot_count(), "there are n/2 slots");
        assert_eq!(out.len(), self.degree, "there are n coefficients");
        let (re, im) = out.split_at_mut(self.slot_count());
        // Exact for a scale that is a power of two.
        let factor = scale / self.slot_count() as f64;
        let value = |entry: u32| conjugate_if(slot((entry >> 1) as usize) * factor, entry & 1);
        if self.last.is_empty() {
            return self.small_to_coefficients(value, re, im);
        }
        self.gather_pass(value, re, im);
        (self.loops.inverse)(&self.stages, re, im);
    }

    /// The values of a real polynomial.
    ///
    /// # Panics
    ///
    /// Unless there are `n` coefficients and `n/2` slots.
    pub fn to_slots(&self, coefficients: &[f64], out: &mut [Complex64]) {
        self.to_slots_in_place(&mut coefficients.to_vec(), out);
    }

    /// As [`Self::to_slots`], but allocates nothing and leaves intermediate values in `coefficients`.
    ///
    /// # Panics
    ///
    /// Unless there are `n` coefficients and `n/2` slots.
    pub fn to_slots_in_place(&self, coefficients: &mut [f64], out: &mut [Complex64]) {
        assert_eq!(coefficients.len(), self.degree, "there are n coefficients");
        assert_eq!(out.len(), self.slot_count(), "there are n/2 slots");
        let (re, im) = coefficients.split_at_mut(out.len());
        if self.last.is_empty() {
            return self.small_to_slots(re, im, out);
        }
        (self.loops.forward)(&self.stages, re, im);
        self.scatter_pass(re, im, out);
    }
}

/// The largest absolute value; infinity where one is infinite or not a number.
pub fn largest_magnitude(values: &[f64]) -> f64 {
    (Vectorized::of(Arch::selected()).largest_magnitude)(values)
}

/// Rounds every value to the nearest integer, halves away from zero as in SEAL.
///
/// Gives the largest absolute value among the integers; infinity where a value is infinite or not a number.
///
/// ```
/// use phoca_ring::embedding::round_half_away;
/// let mut values = [0.5, -2.5, 1.25];
/// assert_eq!(round_half_away(&mut values), 3.0);
/// assert_eq!(values, [1.0, -3.0, 1.0]);
/// ```
pub fn round_half_away(values: &mut [f64]) -> f64 {
    (Vectorized::of(Arch::selected()).round_half_away)(values)
}

impl Embedding {
    /// The last forward pass, on blocks of four, with its output put in the order of the slots.
    fn scatter_pass(&self, re: &[f64], im: &[f64], out: &mut [Complex64]) {
        let mask = out.len() - 1;
        let blocks = re.as_chunks::<4>().0.iter().zip(im.as_chunks::<4>().0);
        for (((re, im), twiddle), order) in blocks.zip(&self.last).zip(self.order.as_chunks::<4>().0) {
            let values = forward_butterfly(core::array::from_fn(|i| Lanes { re: [re[i]], im: [im[i]] }), twiddle);
            for (value, &entry) in values.into_iter().zip(order) {
                out[(entry >> 1) as usize & mask] = conjugate_if(Complex64::new(value.re[0], value.im[0]), entry & 1);
            }
        }
    }

    /// The first inverse pass, on blocks of four, with its input taken from the slots.
    fn gather_pass(&self, value: impl Fn(u32) -> Complex64, re: &mut [f64], im: &mut [f64]) {
        let blocks = re.as_chunks_mut::<4>().0.iter_mut().zip(im.as_chunks_mut::<4>().0);
        for (((re, im), twiddle), order) in blocks.zip(&self.last).zip(self.order.as_chunks::<4>().0) {
            let lane = |entry| {
                let value = value(entry);
                Lanes { re: [value.re], im: [value.im] }
            };
            let lanes = [lane(order[0]), lane(order[1]), lane(order[2]), lane(order[3])];
            let values = inverse_butterfly(lanes, twiddle);
            for (i, value) in values.into_iter().enumerate() {
                (re[i], im[i]) = (value.re[0], value.im[0]);
            }
        }
    }

    /// [`Self::to_slots_in_place`] for degrees 2 and 4, which have no radix-4 pass and less than a vector of slots.
    fn small_to_slots(&self, re: &mut [f64], im: &mut [f64], out: &mut [Complex64]) {
        passes::forward::<1>(&self.stages, re, im);
        for ((&re, &im), &entry) in re.iter().zip(&*im).zip(&self.order) {
            out[(entry >> 1) as usize] = conjugate_if(Complex64::new(re, im), entry & 1);
        }
    }

    /// [`Self::to_coefficients`] for degrees 2 and 4.
    fn small_to_coefficients(&self, value: impl Fn(u32) -> Complex64, re: &mut [f64], im: &mut [f64]) {
        for ((re, im), &entry) in re.iter_mut().zip(&mut *im).zip(&self.order) {
            let value = value(entry);
            (*re, *im) = (value.re, value.im);
        }
        passes::inverse::<1>(&self.stages, re, im);
    }
}

/// For each position, whose value is that at `ζ^exponent`: twice its slot, plus one where that has the conjugate.
fn slot_order(degree: usize, exponents: &[usize]) -> Vec<u32> {
    let turn = 2 * degree;
    // By (exponent − 1)/4 for exponents that are 1 modulo 4.
    let mut entries = vec![0; exponents.len()];
    let mut power = 1;
    for slot in 0..exponents.len() as u32 {
        let conjugate = power % 4 == 3;
        let exponent = if conjugate { turn - power } else { power };
        entries[exponent / 4] = 2 * slot + u32::from(conjugate);
        power = 3 * power % turn;
    }
    exponents.iter().map(|exponent| entries[exponent / 4]).collect()
}

#[inline]
fn conjugate_if(value: Complex64, conjugate: u32) -> Complex64 {
    let sign = u64::from(conjugate) << 63;
    Complex64::new(value.re, f64::from_bits(value.im.to_bits() ^ sign))
}

#[cfg(test)]
mod tests;
