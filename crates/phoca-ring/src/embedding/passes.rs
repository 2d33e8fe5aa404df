//! The passes of the embedding's FFT, on vectors of `L` lanes.
//!
//! They are written for any `L` and inlined into the kernels of each instruction set. No operation is fused or
//! reordered, so all give the same bits.

use alloc::vec::Vec;

use num_complex::Complex64;

use super::lanes::Lanes;

/// `u`, `u²` and `u³` of one block of a radix-4 pass.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Twiddle(pub(crate) [Complex64; 3]);

/// The factors of all passes but the one on blocks of four, in the order of the forward transform.
#[derive(Clone, Debug)]
pub(crate) struct Stages {
    /// The factor of the leading radix-2 pass, where the length is not a power of four.
    pub(crate) radix2: Option<Complex64>,
    /// The factors of each radix-4 pass, longest blocks first; no block is shorter than 16.
    pub(crate) radix4: Vec<Vec<Twiddle>>,
}

/// All forward passes but the last; `L` is at most 4.
#[inline(always)]
pub(crate) fn forward<const L: usize>(stages: &Stages, re: &mut [f64], im: &mut [f64]) {
    if let Some(root) = stages.radix2 {
        forward_radix2::<L>(root, re, im);
    }
    for twiddles in &stages.radix4 {
        forward_radix4::<L>(twiddles, re, im);
    }
}

/// The inverse of [`forward`], times the length divided by four.
#[inline(always)]
pub(crate) fn inverse<const L: usize>(stages: &Stages, re: &mut [f64], im: &mut [f64]) {
    for twiddles in stages.radix4.iter().rev() {
        inverse_radix4::<L>(twiddles, re, im);
    }
    if let Some(root) = stages.radix2 {
        inverse_radix2::<L>(root, re, im);
    }
}

/// One forward radix-4 pass.
#[inline(always)]
pub(crate) fn forward_radix4<const L: usize>(twiddles: &[Twiddle], re: &mut [f64], im: &mut [f64]) {
    radix4_pass(twiddles, re, im, forward_butterfly::<L>);
}

/// One inverse radix-4 pass.
#[inline(always)]
pub(crate) fn inverse_radix4<const L: usize>(twiddles: &[Twiddle], re: &mut [f64], im: &mut [f64]) {
    radix4_pass(twiddles, re, im, inverse_butterfly::<L>);
}

/// `p_0 + p_1·Z` at `Z = ±root`.
#[inline(always)]
pub(crate) fn forward_radix2<const L: usize>(root: Complex64, re: &mut [f64], im: &mut [f64]) {
    radix2_pass(re, im, |[p0, p1]: [Lanes<L>; 2]| {
        let p1 = p1.times(root);
        [p0.plus(p1), p0.minus(p1)]
    });
}

/// Twice the inverse of [`forward_radix2`].
#[inline(always)]
pub(crate) fn inverse_radix2<const L: usize>(root: Complex64, re: &mut [f64], im: &mut [f64]) {
    radix2_pass(re, im, |[v0, v1]: [Lanes<L>; 2]| [v0.plus(v1), v0.minus(v1).times(root.conj())]);
}

/// `p(Y) = Σ p_k·Z^k` at `Z = u, −u, iu, −iu`, in every lane.
#[inline(always)]
pub(crate) fn forward_butterfly<const L: usize>(p: [Lanes<L>; 4], twiddle: &Twiddle) -> [Lanes<L>; 4] {
    let [u1, u2, u3] = twiddle.0;
    let (p1, p2, p3) = (p[1].times(u1), p[2].times(u2), p[3].times(u3));
    let (s0, s1) = (p[0].plus(p2), p[0].minus(p2));
    let (t0, t1) = (p1.plus(p3), p1.minus(p3));
    [s0.plus(t0), s0.minus(t0), s1.plus_i(t1), s1.minus_i(t1)]
}

/// Four times the inverse of [`forward_butterfly`].
#[inline(always)]
pub(crate) fn inverse_butterfly<const L: usize>(v: [Lanes<L>; 4], twiddle: &Twiddle) -> [Lanes<L>; 4] {
    let [u1, u2, u3] = twiddle.0;
    let (s0, t0) = (v[0].plus(v[1]), v[0].minus(v[1]));
    let (s1, t1) = (v[2].plus(v[3]), v[2].minus(v[3]));
    [s0.plus(s1), t0.minus_i(t1).times(u1.conj()), s0.minus(s1).times(u2.conj()), t0.plus_i(t1).times(u3.conj())]
}

/// One radix-4 pass over blocks whose length is a multiple of `4L`.
#[inline(always)]
fn radix4_pass<const L: usize>(
    twiddles: &[Twiddle],
    re: &mut [f64],
    im: &mut [f64],
    butterfly: impl Fn([Lanes<L>; 4], &Twiddle) -> [Lanes<L>; 4],
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
pub(crate) fn quarters<const L: usize>(block: &mut [f64]) -> [&mut [[f64; L]]; 4] {
    let (low, high) = block.split_at_mut(block.len() / 2);
    let (a, b) = low.split_at_mut(low.len() / 2);
    let (c, d) = high.split_at_mut(high.len() / 2);
    [a, b, c, d].map(|quarter| quarter.as_chunks_mut().0)
}

/// The radix-2 pass over one block, whose length is a multiple of `2L`.
#[inline(always)]
fn radix2_pass<const L: usize>(re: &mut [f64], im: &mut [f64], butterfly: impl Fn([Lanes<L>; 2]) -> [Lanes<L>; 2]) {
    let half = re.len() / 2;
    let (re0, re1) = re.split_at_mut(half);
    let (im0, im1) = im.split_at_mut(half);
    let real = re0.as_chunks_mut().0.iter_mut().zip(re1.as_chunks_mut().0);
    let imaginary = im0.as_chunks_mut().0.iter_mut().zip(im1.as_chunks_mut().0);
    for ((a, b), (e, f)) in real.zip(imaginary) {
        let [v0, v1] = butterfly([Lanes { re: *a, im: *e }, Lanes { re: *b, im: *f }]);
        (*a, *b) = (v0.re, v1.re);
        (*e, *f) = (v0.im, v1.im);
    }
}
