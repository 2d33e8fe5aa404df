//! Kernels for AVX2 with FMA.
//!
//! Up to 50 bits a residue is an exact double. The product of `y` and `w` is `h + l` with `h` its rounding and
//! `l = fma(y, w, -h)`; with the rounded quotient `c` near `y·w / q` the remainder is `fma(-c, q, h) + l`, where every step
//! but the quotient is exact. The remainder is balanced around zero.

use core::arch::x86_64::*;

use crate::arch::{Kernels, NttKernels, portable};
use crate::modulus::Modulus;

mod ntt;
mod slices;
mod sums;

/// Loops over slices.
mod loops {
    use core::arch::x86_64::__m256i;

    crate::arch::x86_64::loops::vector_loops!("avx2,fma", __m256i, 4);
}

/// All kernels for slices, fastest first.
pub(crate) static SLICE_KERNELS: &[&Kernels] = &[&slices::KERNELS, &slices::WIDE];

/// All transforms, fastest first.
pub(crate) static TRANSFORMS: &[&NttKernels] =
    &[&ntt::FREE, &ntt::REDUCED, &ntt::WIDE_FREE, &ntt::WIDE_TIGHT, &portable::NTT_KERNELS];

/// Four lanes in memory.
type Words = [u64; 4];

/// `2^52` as a double; words below `2^52` are the mantissas of the doubles from there to `2^53`.
const MAGIC: f64 = 4_503_599_627_370_496.0;

/// The constants of one modulus of at most 50 bits in every lane.
#[derive(Clone, Copy)]
struct Doubles {
    q: __m256d,
    /// `1 / q`, rounded.
    inverse: __m256d,
}

/// Residues in `(-q/2, q/2]` with their quotients by `q`, rounded.
#[derive(Clone, Copy)]
struct Factor {
    value: __m256d,
    quotient: __m256d,
}

impl Doubles {
    #[inline]
    #[target_feature(enable = "avx2,fma")]
    fn new(modulus: &Modulus) -> Self {
        let q = modulus.value() as f64;
        Self { q: _mm256_set1_pd(q), inverse: _mm256_set1_pd(1.0 / q) }
    }

    /// `y·w` minus the nearest multiple of `q` as far as the quotient is right: for `|y| ≤ B·q` the magnitude is at most
    /// `(1/2 + B·q / 2^53)·q`, and a little for the quotient's last rounding.
    #[inline]
    #[target_feature(enable = "avx2,fma")]
    fn product(&self, y: __m256d, w: Factor) -> __m256d {
        let high = _mm256_mul_pd(y, w.value);
        let quotient = round(_mm256_mul_pd(y, w.quotient));
        let low = _mm256_fmsub_pd(y, w.value, high);
        _mm256_add_pd(_mm256_fnmadd_pd(quotient, self.q, high), low)
    }

    /// `a·b` within `7/8·q` for residues below `q < 2^50`: the quotient is off by at most 1/2 for rounding it to an integer
    /// and `2^-52·q + 2^-53·q < 3/8` for the others.
    #[inline]
    #[target_feature(enable = "avx2,fma")]
    fn product_of_residues(&self, a: __m256d, b: __m256d) -> __m256d {
        let high = _mm256_mul_pd(a, b);
        let low = _mm256_fmsub_pd(a, b, high);
        let quotient = round(_mm256_mul_pd(high, self.inverse));
        _mm256_add_pd(_mm256_fnmadd_pd(quotient, self.q, high), low)
    }

    /// `x` minus the nearest multiple of `q`, for `|x| ≤ 2^53`.
    #[inline]
    #[target_feature(enable = "avx2,fma")]
    fn balance(&self, x: __m256d) -> __m256d {
        _mm256_fnmadd_pd(round(_mm256_mul_pd(x, self.inverse)), self.q, x)
    }

    /// `(-q, q)` to words in `[0, q)`.
    #[inline]
    #[target_feature(enable = "avx2,fma")]
    fn residues(&self, x: __m256d) -> __m256i {
        let raised = _mm256_add_pd(x, self.q);
        to_words(_mm256_blendv_pd(x, raised, _mm256_cmp_pd::<_CMP_LT_OQ>(x, _mm256_setzero_pd())))
    }
}

#[inline]
#[target_feature(enable = "avx2,fma")]
fn round(x: __m256d) -> __m256d {
    _mm256_round_pd::<{ _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC }>(x)
}

/// Words below `2^52` as doubles.
#[inline]
#[target_feature(enable = "avx2,fma")]
fn to_doubles(x: __m256i) -> __m256d {
    let magic = _mm256_set1_pd(MAGIC);
    _mm256_sub_pd(_mm256_or_pd(_mm256_castsi256_pd(x), magic), magic)
}

/// Integers in `[0, 2^52)` as words.
#[inline]
#[target_feature(enable = "avx2,fma")]
fn to_words(x: __m256d) -> __m256i {
    let magic = _mm256_set1_pd(MAGIC);
    _mm256_castpd_si256(_mm256_xor_pd(_mm256_add_pd(x, magic), magic))
}

#[inline]
#[target_feature(enable = "avx2,fma")]
fn splat(x: u64) -> __m256i {
    _mm256_set1_epi64x(x as i64)
}

#[inline]
#[target_feature(enable = "avx2,fma")]
fn load(words: &Words) -> __m256i {
    // SAFETY: the reference is valid for reads of 32 bytes, and the load has no alignment requirement.
    unsafe { _mm256_loadu_si256(words.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "avx2,fma")]
fn store(words: &mut Words, x: __m256i) {
    // SAFETY: the reference is valid for writes of 32 bytes, and the store has no alignment requirement.
    unsafe { _mm256_storeu_si256(words.as_mut_ptr().cast(), x) }
}
