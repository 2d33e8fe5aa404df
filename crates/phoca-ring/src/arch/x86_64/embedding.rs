//! The passes of the embedding's FFT with AVX-512: those of [`passes`], operation by operation.
//!
//! Compilers do not make whole vectors of eight doubles of the portable source.

use core::arch::x86_64::*;

use num_complex::Complex64;

use crate::embedding::passes::{self, Stages, Twiddle, quarters};

/// Eight complex numbers.
#[derive(Clone, Copy)]
struct Lanes {
    re: __m512d,
    im: __m512d,
}

/// All forward passes but the last.
#[target_feature(enable = "avx512f,avx512dq,avx512vl")]
pub(crate) fn forward(stages: &Stages, re: &mut [f64], im: &mut [f64]) {
    if let Some(root) = stages.radix2 {
        radix2_pass::<true>(root, re, im);
    }
    for twiddles in &stages.radix4 {
        radix4_pass::<true>(twiddles, re, im);
    }
}

/// The inverse of [`forward`], times the length divided by four.
#[target_feature(enable = "avx512f,avx512dq,avx512vl")]
pub(crate) fn inverse(stages: &Stages, re: &mut [f64], im: &mut [f64]) {
    for twiddles in stages.radix4.iter().rev() {
        radix4_pass::<false>(twiddles, re, im);
    }
    if let Some(root) = stages.radix2 {
        radix2_pass::<false>(root, re, im);
    }
}

#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512vl")]
fn radix2_pass<const FORWARD: bool>(root: Complex64, re: &mut [f64], im: &mut [f64]) {
    if re.len() < 16 {
        return match FORWARD {
            true => passes::forward_radix2::<1>(root, re, im),
            false => passes::inverse_radix2::<1>(root, re, im),
        };
    }
    let root = Lanes::splat(if FORWARD { root } else { root.conj() });
    let half = re.len() / 2;
    let ((re0, re1), (im0, im1)) = (re.split_at_mut(half), im.split_at_mut(half));
    let real = re0.as_chunks_mut().0.iter_mut().zip(re1.as_chunks_mut().0);
    let imaginary = im0.as_chunks_mut().0.iter_mut().zip(im1.as_chunks_mut().0);
    for ((a, b), (e, f)) in real.zip(imaginary) {
        let (mut p, mut q) = (Lanes::load(a, e), Lanes::load(b, f));
        if FORWARD {
            q = q.times(root);
        }
        (p, q) = (p.plus(q), p.minus(q));
        if !FORWARD {
            q = q.times(root);
        }
        p.store(a, e);
        q.store(b, f);
    }
}

#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512vl")]
fn radix4_pass<const FORWARD: bool>(twiddles: &[Twiddle], re: &mut [f64], im: &mut [f64]) {
    let block = re.len() / twiddles.len();
    if block < 32 {
        return short_blocks::<FORWARD>(twiddles, re, im);
    }
    for ((re, im), twiddle) in re.chunks_exact_mut(block).zip(im.chunks_exact_mut(block)).zip(twiddles) {
        let twiddle = factors::<FORWARD>(twiddle);
        let ([a, b, c, d], [e, f, g, h]) = (quarters::<8>(re), quarters::<8>(im));
        let real = a.iter_mut().zip(b).zip(c.iter_mut().zip(d));
        let imaginary = e.iter_mut().zip(f).zip(g.iter_mut().zip(h));
        for (((a, b), (c, d)), ((e, f), (g, h))) in real.zip(imaginary) {
            let lanes = [Lanes::load(a, e), Lanes::load(b, f), Lanes::load(c, g), Lanes::load(d, h)];
            let [v0, v1, v2, v3] = butterfly::<FORWARD>(lanes, twiddle);
            v0.store(a, e);
            v1.store(b, f);
            v2.store(c, g);
            v3.store(d, h);
        }
    }
}

/// A radix-4 pass over blocks of 16, two at a time.
#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512vl")]
fn short_blocks<const FORWARD: bool>(twiddles: &[Twiddle], re: &mut [f64], im: &mut [f64]) {
    let (twiddles, last) = twiddles.as_chunks::<2>();
    let ((re, last_re), (im, last_im)) = (re.as_chunks_mut::<32>(), im.as_chunks_mut::<32>());
    for ((re, im), [first, second]) in re.iter_mut().zip(im).zip(twiddles) {
        let (first, second) = (factors::<FORWARD>(first), factors::<FORWARD>(second));
        let mut twiddle = first;
        for (factor, second) in twiddle.iter_mut().zip(second) {
            *factor = factor.low_with(second);
        }
        let real = halves(re);
        let imaginary = halves(im);
        let mut lanes = [Lanes::splat(Complex64::ZERO); 4];
        for (quarter, lanes) in lanes.iter_mut().enumerate() {
            *lanes = Lanes { re: join(real, quarter), im: join(imaginary, quarter) };
        }
        for (quarter, lanes) in butterfly::<FORWARD>(lanes, twiddle).into_iter().enumerate() {
            split(lanes.re, re, quarter);
            split(lanes.im, im, quarter);
        }
    }
    if !last.is_empty() {
        match FORWARD {
            true => passes::forward_radix4::<4>(last, last_re, last_im),
            false => passes::inverse_radix4::<4>(last, last_re, last_im),
        }
    }
}

/// As [`passes::forward_butterfly`] and [`passes::inverse_butterfly`].
#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512vl")]
fn butterfly<const FORWARD: bool>(v: [Lanes; 4], [u1, u2, u3]: [Lanes; 3]) -> [Lanes; 4] {
    if FORWARD {
        let (p1, p2, p3) = (v[1].times(u1), v[2].times(u2), v[3].times(u3));
        let (s0, s1) = (v[0].plus(p2), v[0].minus(p2));
        let (t0, t1) = (p1.plus(p3), p1.minus(p3));
        [s0.plus(t0), s0.minus(t0), s1.plus_i(t1), s1.minus_i(t1)]
    } else {
        let (s0, t0) = (v[0].plus(v[1]), v[0].minus(v[1]));
        let (s1, t1) = (v[2].plus(v[3]), v[2].minus(v[3]));
        [s0.plus(s1), t0.minus_i(t1).times(u1), s0.minus(s1).times(u2), t0.plus_i(t1).times(u3)]
    }
}

/// The factors of a block, or their conjugates for the inverse, in every lane.
#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512vl")]
fn factors<const FORWARD: bool>(twiddle: &Twiddle) -> [Lanes; 3] {
    let [u1, u2, u3] = if FORWARD { twiddle.0 } else { twiddle.0.map(|u| u.conj()) };
    [Lanes::splat(u1), Lanes::splat(u2), Lanes::splat(u3)]
}

impl Lanes {
    #[inline]
    #[target_feature(enable = "avx512f,avx512dq,avx512vl")]
    fn splat(value: Complex64) -> Self {
        Self { re: _mm512_set1_pd(value.re), im: _mm512_set1_pd(value.im) }
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512dq,avx512vl")]
    fn load(re: &[f64; 8], im: &[f64; 8]) -> Self {
        // SAFETY: the references are valid for reads of 64 bytes, and the loads have no alignment requirement.
        unsafe { Self { re: _mm512_loadu_pd(re.as_ptr()), im: _mm512_loadu_pd(im.as_ptr()) } }
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512dq,avx512vl")]
    fn store(self, re: &mut [f64; 8], im: &mut [f64; 8]) {
        // SAFETY: the references are valid for writes of 64 bytes, and the stores have no alignment requirement.
        unsafe {
            _mm512_storeu_pd(re.as_mut_ptr(), self.re);
            _mm512_storeu_pd(im.as_mut_ptr(), self.im);
        }
    }

    /// The low four lanes, and in the place of the others the low four of `high`.
    #[inline]
    #[target_feature(enable = "avx512f,avx512dq,avx512vl")]
    fn low_with(self, high: Self) -> Self {
        let joined = |low, high| _mm512_insertf64x4::<1>(low, _mm512_castpd512_pd256(high));
        Self { re: joined(self.re, high.re), im: joined(self.im, high.im) }
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512dq,avx512vl")]
    fn plus(self, other: Self) -> Self {
        Self { re: _mm512_add_pd(self.re, other.re), im: _mm512_add_pd(self.im, other.im) }
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512dq,avx512vl")]
    fn minus(self, other: Self) -> Self {
        Self { re: _mm512_sub_pd(self.re, other.re), im: _mm512_sub_pd(self.im, other.im) }
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512dq,avx512vl")]
    fn times(self, w: Self) -> Self {
        let re = _mm512_sub_pd(_mm512_mul_pd(self.re, w.re), _mm512_mul_pd(self.im, w.im));
        Self { re, im: _mm512_add_pd(_mm512_mul_pd(self.re, w.im), _mm512_mul_pd(self.im, w.re)) }
    }

    /// `self + i·other`.
    #[inline]
    #[target_feature(enable = "avx512f,avx512dq,avx512vl")]
    fn plus_i(self, other: Self) -> Self {
        Self { re: _mm512_sub_pd(self.re, other.im), im: _mm512_add_pd(self.im, other.re) }
    }

    /// `self − i·other`.
    #[inline]
    #[target_feature(enable = "avx512f,avx512dq,avx512vl")]
    fn minus_i(self, other: Self) -> Self {
        Self { re: _mm512_add_pd(self.re, other.im), im: _mm512_sub_pd(self.im, other.re) }
    }
}

/// The quarters of two blocks of 16.
#[inline]
fn halves(blocks: &[f64; 32]) -> &[[f64; 4]; 8] {
    blocks.as_chunks().0.first_chunk().expect("32 is 8 times 4")
}

/// One quarter of two blocks of 16.
#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512vl")]
fn join(blocks: &[[f64; 4]; 8], quarter: usize) -> __m512d {
    let (low, high) = (&blocks[quarter], &blocks[4 + quarter]);
    // SAFETY: the references are valid for reads of 32 bytes, and the loads have no alignment requirement.
    let (low, high) = unsafe { (_mm256_loadu_pd(low.as_ptr()), _mm256_loadu_pd(high.as_ptr())) };
    _mm512_insertf64x4::<1>(_mm512_castpd256_pd512(low), high)
}

/// The inverse of [`join`].
#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512vl")]
fn split(x: __m512d, blocks: &mut [f64; 32], quarter: usize) {
    let quarters = blocks.as_chunks_mut::<4>().0;
    let (low, high) = (_mm512_castpd512_pd256(x), _mm512_extractf64x4_pd::<1>(x));
    // SAFETY: the references are valid for writes of 32 bytes, and the stores have no alignment requirement.
    unsafe {
        _mm256_storeu_pd(quarters[quarter].as_mut_ptr(), low);
        _mm256_storeu_pd(quarters[4 + quarter].as_mut_ptr(), high);
    }
}
