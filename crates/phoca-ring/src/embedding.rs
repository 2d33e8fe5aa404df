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
mod roots;

use alloc::vec;
use alloc::vec::Vec;

use num_complex::Complex64;

use crate::RingError;
use lanes::Lanes;
use roots::Roots;

/// Values that the inner loops work on together.
const LANES: usize = 2;

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
    /// The factor of the leading radix-2 pass, where `log2(n/2)` is odd.
    radix2: Option<Complex64>,
    /// The factors of each radix-4 pass, from the longest blocks to blocks of four.
    passes: Vec<Vec<Twiddle>>,
    /// For each position after the last pass: twice its slot, plus one where the slot has the conjugate.
    order: Vec<u32>,
}

/// `u`, `u²` and `u³` of one block of a radix-4 pass.
#[derive(Clone, Copy, Debug)]
struct Twiddle([Complex64; 3]);

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
        Ok(Self {
            degree,
            radix2,
            passes,
            order: slot_order(degree, &exponents),
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
        self.to_coefficients_scaled(slots, 1.0, out);
    }

    /// `scale` times the real polynomial with the values `slots`, for the price of [`Self::to_coefficients`].
    ///
    /// # Panics
    ///
    /// Unless there are `n/2` slots and `n` coefficients.
    pub fn to_coefficients_scaled(&self, slots: &[Complex64], scale: f64, out: &mut [f64]) {
        assert_eq!(slots.len(), self.slot_count(), "there are n/2 slots");
        assert_eq!(out.len(), self.degree, "there are n coefficients");
        let (re, im) = out.split_at_mut(slots.len());
        // Exact for a scale that is a power of two.
        let factor = scale / slots.len() as f64;
        let value = |entry: u32| {
            let slot = slots[(entry >> 1) as usize & (slots.len() - 1)] * factor;
            conjugate_if(slot, entry & 1)
        };
        let Some((last, passes)) = self.passes.split_last() else {
            return self.small_to_coefficients(value, re, im);
        };
        self.gather_pass(last, value, re, im);
        for twiddles in passes.iter().rev() {
            inverse_pass(twiddles, re, im);
        }
        if let Some(root) = self.radix2 {
            inverse_radix2(root, re, im);
        }
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
        if let Some(root) = self.radix2 {
            forward_radix2(root, re, im);
        }
        let Some((last, passes)) = self.passes.split_last() else {
            return self.place(re, im, out);
        };
        for twiddles in passes {
            forward_pass(twiddles, re, im);
        }
        self.scatter_pass(last, re, im, out);
    }
}

impl Embedding {
    /// The last forward pass, on blocks of four, with its output put in the order of the slots.
    fn scatter_pass(&self, twiddles: &[Twiddle], re: &[f64], im: &[f64], out: &mut [Complex64]) {
        let mask = out.len() - 1;
        let blocks = re.as_chunks::<4>().0.iter().zip(im.as_chunks::<4>().0);
        for (((re, im), twiddle), order) in blocks.zip(twiddles).zip(self.order.as_chunks::<4>().0) {
            let values = forward_butterfly(
                core::array::from_fn(|i| Lanes {
                    re: [re[i]],
                    im: [im[i]],
                }),
                twiddle,
            );
            for (value, &entry) in values.into_iter().zip(order) {
                out[(entry >> 1) as usize & mask] = conjugate_if(Complex64::new(value.re[0], value.im[0]), entry & 1);
            }
        }
    }

    /// The first inverse pass, on blocks of four, with its input taken from the slots.
    fn gather_pass(&self, twiddles: &[Twiddle], value: impl Fn(u32) -> Complex64, re: &mut [f64], im: &mut [f64]) {
        let blocks = re.as_chunks_mut::<4>().0.iter_mut().zip(im.as_chunks_mut::<4>().0);
        for (((re, im), twiddle), order) in blocks.zip(twiddles).zip(self.order.as_chunks::<4>().0) {
            let lane = |entry| {
                let value = value(entry);
                Lanes {
                    re: [value.re],
                    im: [value.im],
                }
            };
            let lanes = [lane(order[0]), lane(order[1]), lane(order[2]), lane(order[3])];
            let values = inverse_butterfly(lanes, twiddle);
            for (i, value) in values.into_iter().enumerate() {
                (re[i], im[i]) = (value.re[0], value.im[0]);
            }
        }
    }

    /// The slots of degrees 2 and 4, which have no radix-4 pass.
    fn place(&self, re: &[f64], im: &[f64], out: &mut [Complex64]) {
        for ((&re, &im), &entry) in re.iter().zip(im).zip(&self.order) {
            out[(entry >> 1) as usize] = conjugate_if(Complex64::new(re, im), entry & 1);
        }
    }

    fn small_to_coefficients(&self, value: impl Fn(u32) -> Complex64, re: &mut [f64], im: &mut [f64]) {
        for ((re, im), &entry) in re.iter_mut().zip(&mut *im).zip(&self.order) {
            let value = value(entry);
            (*re, *im) = (value.re, value.im);
        }
        if let Some(root) = self.radix2 {
            inverse_radix2(root, re, im);
        }
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

/// `p(Y) = Σ p_k·Z^k` at `Z = u, −u, iu, −iu`, in every lane.
#[inline(always)]
fn forward_butterfly<const L: usize>(p: [Lanes<L>; 4], twiddle: &Twiddle) -> [Lanes<L>; 4] {
    let [u1, u2, u3] = twiddle.0;
    let (p1, p2, p3) = (p[1].times(u1), p[2].times(u2), p[3].times(u3));
    let (s0, s1) = (p[0].plus(p2), p[0].minus(p2));
    let (t0, t1) = (p1.plus(p3), p1.minus(p3));
    [s0.plus(t0), s0.minus(t0), s1.plus_i(t1), s1.minus_i(t1)]
}

/// Four times the inverse of [`forward_butterfly`].
#[inline(always)]
fn inverse_butterfly<const L: usize>(v: [Lanes<L>; 4], twiddle: &Twiddle) -> [Lanes<L>; 4] {
    let [u1, u2, u3] = twiddle.0;
    let (s0, t0) = (v[0].plus(v[1]), v[0].minus(v[1]));
    let (s1, t1) = (v[2].plus(v[3]), v[2].minus(v[3]));
    [
        s0.plus(s1),
        t0.minus_i(t1).times(u1.conj()),
        s0.minus(s1).times(u2.conj()),
        t0.plus_i(t1).times(u3.conj()),
    ]
}

/// One radix-4 pass over blocks of `4L` with `L` a multiple of [`LANES`].
fn forward_pass(twiddles: &[Twiddle], re: &mut [f64], im: &mut [f64]) {
    radix4_pass(twiddles, re, im, forward_butterfly);
}

/// Four times the inverse of [`forward_pass`].
fn inverse_pass(twiddles: &[Twiddle], re: &mut [f64], im: &mut [f64]) {
    radix4_pass(twiddles, re, im, inverse_butterfly);
}

#[inline(always)]
fn radix4_pass(
    twiddles: &[Twiddle],
    re: &mut [f64],
    im: &mut [f64],
    butterfly: impl Fn([Lanes<LANES>; 4], &Twiddle) -> [Lanes<LANES>; 4],
) {
    let block = re.len() / twiddles.len();
    let blocks = re.chunks_exact_mut(block).zip(im.chunks_exact_mut(block));
    for ((re, im), twiddle) in blocks.zip(twiddles) {
        let [a, b, c, d] = quarters(re);
        let [e, f, g, h] = quarters(im);
        let real = a.iter_mut().zip(b).zip(c.iter_mut().zip(d));
        let imaginary = e.iter_mut().zip(f).zip(g.iter_mut().zip(h));
        for (((a, b), (c, d)), ((e, f), (g, h))) in real.zip(imaginary) {
            let lanes = [(&a, &e), (&b, &f), (&c, &g), (&d, &h)].map(|(re, im)| Lanes { re: **re, im: **im });
            let [v0, v1, v2, v3] = butterfly(lanes, twiddle);
            (*a, *b, *c, *d) = (v0.re, v1.re, v2.re, v3.re);
            (*e, *f, *g, *h) = (v0.im, v1.im, v2.im, v3.im);
        }
    }
}

/// The four quarters of a block, in groups of lanes.
#[inline(always)]
fn quarters(block: &mut [f64]) -> [&mut [[f64; LANES]]; 4] {
    let (low, high) = block.split_at_mut(block.len() / 2);
    let (a, b) = low.split_at_mut(low.len() / 2);
    let (c, d) = high.split_at_mut(high.len() / 2);
    [a, b, c, d].map(|quarter| quarter.as_chunks_mut().0)
}

/// `p(Y) = p_0 + p_1·Z` at `Z = ±u`, for the single block of the first pass.
fn forward_radix2(root: Complex64, re: &mut [f64], im: &mut [f64]) {
    radix2_pass(re, im, |[p0, p1]| {
        let p1 = p1 * root;
        [p0 + p1, p0 - p1]
    });
}

/// Twice the inverse of [`forward_radix2`].
fn inverse_radix2(root: Complex64, re: &mut [f64], im: &mut [f64]) {
    radix2_pass(re, im, |[v0, v1]| [v0 + v1, (v0 - v1) * root.conj()]);
}

#[inline(always)]
fn radix2_pass(re: &mut [f64], im: &mut [f64], butterfly: impl Fn([Complex64; 2]) -> [Complex64; 2]) {
    let half = re.len() / 2;
    let (re0, re1) = re.split_at_mut(half);
    let (im0, im1) = im.split_at_mut(half);
    for ((a, b), (e, f)) in re0.iter_mut().zip(re1).zip(im0.iter_mut().zip(im1)) {
        let [v0, v1] = butterfly([Complex64::new(*a, *e), Complex64::new(*b, *f)]);
        (*a, *b) = (v0.re, v1.re);
        (*e, *f) = (v0.im, v1.im);
    }
}

#[cfg(test)]
mod tests;
