//! Kernels for AVX-512 with IFMA.
//!
//! Up to 50 bits products are of 52 bits: `vpmadd52luq` and `vpmadd52huq` multiply the low 52 bits of eight lanes and add the low or the high 52 bits of the
//! products to 64-bit lanes. A product with a known `w` is Shoup's with the quotient `w' = floor(w·2^52 / q)`:
//! `T = lo(y·w) - lo(hi(y·w')·q)` is in `[0, 2q)` for any `y` below `2^52`, and right modulo `2^52` when the bits above
//! are ignored. In place of a subtraction the second product is added with the multiplier `2^52 - q`.
//!
//! Wider moduli take products of 64 bits from four of 32 bits, with estimates of the high words.

use core::arch::x86_64::*;

use crate::arch::{Kernels, NttKernels};
use crate::modulus::Modulus;

mod ntt;
mod plain;
mod slices;
mod wide;

/// Loops over slices.
mod loops {
    use core::arch::x86_64::__m512i;

    crate::arch::x86_64::loops::vector_loops!("avx512f,avx512dq,avx512vl,avx512ifma", __m512i, 8);
}

/// All kernels for slices, fastest first.
pub(crate) static SLICE_KERNELS: &[&Kernels] = &[&slices::KERNELS, &wide::KERNELS];

/// Conversion to plain moduli.
pub(crate) use plain::{KERNELS as PLAIN_KERNELS, WIDE_KERNELS as WIDE_PLAIN_KERNELS};

/// All transforms, fastest first.
pub(crate) static TRANSFORMS: &[&NttKernels] = &[
    &ntt::SHORT_KERNELS,
    &ntt::LOOSE_KERNELS,
    &ntt::FREE_KERNELS,
    &ntt::TIGHT_KERNELS,
    &ntt::CORRECTED_KERNELS,
    &ntt::WIDE_LOOSE_KERNELS,
    &ntt::WIDE_FREE_KERNELS,
    &ntt::WIDE_TIGHT_KERNELS,
    &ntt::WIDE_CORRECTED_KERNELS,
];

/// Eight lanes in memory.
type Words = [u64; 8];

/// The constants of one modulus in every lane.
#[derive(Clone, Copy)]
struct Lanes {
    q: __m512i,
    twice: __m512i,
    /// `2^52 - q`, of use up to 50 bits.
    negated: __m512i,
    /// `2^52 - 1`.
    mask: __m512i,
}

impl Lanes {
    #[inline]
    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
    fn new(modulus: &Modulus) -> Self {
        let q = modulus.value();
        Self {
            q: splat(q),
            twice: splat(2 * q),
            negated: splat((1_u64 << 52).wrapping_sub(q)),
            mask: splat((1 << 52) - 1),
        }
    }

    /// `acc + y·w` modulo `2^52`, where the product is lazily reduced to `[0, 2q)`; `y` counts modulo `2^52`.
    #[inline]
    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
    fn product_add(&self, acc: __m512i, y: __m512i, w: Factor) -> __m512i {
        let quotient = _mm512_madd52hi_epu64(_mm512_setzero_si512(), y, w.quotient);
        _mm512_madd52lo_epu64(_mm512_madd52lo_epu64(acc, y, w.value), quotient, self.negated)
    }

    /// `y·w` in `[0, 2q)` for `y` modulo `2^52`.
    #[inline]
    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
    fn product(&self, y: __m512i, w: Factor) -> __m512i {
        self.clean(self.product_add(_mm512_setzero_si512(), y, w))
    }

    /// `y·w` in `[0, 4q)` for any word `y`; the factor has its quotient `floor(w·2^64 / q)`.
    ///
    /// Shoup's quotient is too small by less than 2, and its estimate by at most 2 more.
    #[inline]
    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
    fn product_wide(&self, y: __m512i, w: Factor) -> __m512i {
        let quotient = high_product_estimate(y, w.quotient);
        _mm512_sub_epi64(_mm512_mullo_epi64(y, w.value), _mm512_mullo_epi64(quotient, self.q))
    }

    /// The lanes modulo `2^52`.
    #[inline]
    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
    fn clean(&self, x: __m512i) -> __m512i {
        _mm512_and_si512(x, self.mask)
    }

    /// `[0, 4q)` to `[0, 2q)`.
    #[inline]
    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
    fn halve(&self, x: __m512i) -> __m512i {
        _mm512_min_epu64(x, _mm512_sub_epi64(x, self.twice))
    }

    /// `[0, 2q)` to `[0, q)`.
    #[inline]
    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
    fn finish(&self, x: __m512i) -> __m512i {
        _mm512_min_epu64(x, _mm512_sub_epi64(x, self.q))
    }
}

/// The high word of `x·y`, or up to 2 less: without the low product and the carries of the low halves.
#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
fn high_product_estimate(x: __m512i, y: __m512i) -> __m512i {
    let (x_high, y_high) = (_mm512_srli_epi64::<32>(x), _mm512_srli_epi64::<32>(y));
    let first = _mm512_srli_epi64::<32>(_mm512_mul_epu32(x_high, y));
    let second = _mm512_srli_epi64::<32>(_mm512_mul_epu32(x, y_high));
    _mm512_add_epi64(_mm512_add_epi64(_mm512_mul_epu32(x_high, y_high), first), second)
}

/// Residues in lanes with their quotients, `floor(w·2^52 / q)` or where wide `floor(w·2^64 / q)`.
#[derive(Clone, Copy)]
struct Factor {
    value: __m512i,
    quotient: __m512i,
}

#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
fn splat(x: u64) -> __m512i {
    _mm512_set1_epi64(x as i64)
}

#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
fn load(words: &Words) -> __m512i {
    // SAFETY: the reference is valid for reads of 64 bytes, and the load has no alignment requirement.
    unsafe { _mm512_loadu_epi64(words.as_ptr().cast()) }
}

/// Eight words of 32 bits in lanes of 64.
#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
fn load_narrow(words: &[u32; 8]) -> __m512i {
    // SAFETY: the reference is valid for reads of 32 bytes, and the load has no alignment requirement.
    _mm512_cvtepu32_epi64(unsafe { _mm256_loadu_si256(words.as_ptr().cast()) })
}

#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
fn store(words: &mut Words, x: __m512i) {
    // SAFETY: the reference is valid for writes of 64 bytes, and the store has no alignment requirement.
    unsafe { _mm512_storeu_epi64(words.as_mut_ptr().cast(), x) }
}
