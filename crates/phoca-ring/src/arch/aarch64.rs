//! Kernels for 64-bit Arm with NEON.
//!
//! NEON multiplies doubles, with one rounding for a product and a sum, but has no products of 64-bit integers, while the
//! plain instructions `mul` and `umulh` give a double word in two. So primes of at most 50 bits are transformed and
//! multiplied in doubles, and wider ones and sums of products are the portable kernels. NEON is part of the target, so
//! that nothing has to be asked at run time.
#![allow(unsafe_code)]

use core::arch::aarch64::*;

use super::pairs::{self, Doubles, Pair, Words, ntt, slices};
use super::{Arch, Kernels, NttKernels, portable};
use crate::modulus::Modulus;

pub(crate) mod fourier;

/// All kernels for slices, fastest first.
pub(crate) static SLICE_KERNELS: &[&Kernels] = &[&PRODUCTS, &WIDE];

/// All transforms, fastest first.
pub(crate) static TRANSFORMS: &[&NttKernels] = &[&FREE, &REDUCED, &portable::NTT_KERNELS];

/// The portable sums are loops that the compiler turns into vectors itself.
const PORTABLE: Kernels = Kernels { arch: Arch::Neon, ..portable::KERNELS };

static PRODUCTS: Kernels = slices::with_products::<float64x2_t>(PORTABLE);
static WIDE: Kernels = PORTABLE;
static FREE: NttKernels = ntt::free::<float64x2_t>("neon, free");
static REDUCED: NttKernels = ntt::reduced::<float64x2_t>("neon, reduced");

/// Intrinsics of NEON.
macro_rules! neon {
    ($call:expr) => {
        // SAFETY: this module is compiled only where NEON is enabled for the whole build.
        unsafe { $call }
    };
}
use neon;

impl Pair for float64x2_t {
    type Exact = Self;
    /// The value and its quotient by `q`.
    type Factor = [Self; 2];
    type Digits = ();

    const COMPONENTS: usize = 2;
    const LONG_PRODUCTS: bool = false;
    const FREE_BITS: u32 = 48;

    #[inline(always)]
    fn splat(x: f64) -> Self {
        neon!(vdupq_n_f64(x))
    }

    #[inline(always)]
    fn load(words: &Words) -> Self {
        neon!(vreinterpretq_f64_u64(load(words)))
    }

    #[inline(always)]
    fn store(self, words: &mut Words) {
        store(words, neon!(vreinterpretq_u64_f64(self)));
    }

    #[inline(always)]
    fn load_words(words: &Words) -> Self {
        neon!(vcvtq_f64_u64(load(words)))
    }

    #[inline(always)]
    fn store_words(self, words: &mut Words) {
        store(words, neon!(vcvtq_u64_f64(self)));
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        neon!(vaddq_f64(self, other))
    }

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        neon!(vsubq_f64(self, other))
    }

    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        neon!(vmulq_f64(self, other))
    }

    #[inline(always)]
    fn round(self) -> Self {
        neon!(vrndnq_f64(self))
    }

    #[inline(always)]
    fn add_if_negative(self, addend: Self) -> Self {
        let masked = neon!(vandq_u64(vcltzq_f64(self), vreinterpretq_u64_f64(addend)));
        self.add(neon!(vreinterpretq_f64_u64(masked)))
    }

    #[inline(always)]
    fn lower(self, other: Self) -> Self {
        neon!(vzip1q_f64(self, other))
    }

    #[inline(always)]
    fn upper(self, other: Self) -> Self {
        neon!(vzip2q_f64(self, other))
    }

    #[inline(always)]
    fn exact(self) -> Self {
        self
    }

    #[inline(always)]
    fn remainder(self, w: Self, c: Self, q: Self) -> Self {
        // What the rounded product is too large by is an exact double, and so is its difference to c·q.
        let high = self.mul(w);
        let excess = neon!(vfmsq_f64(high, self, w));
        neon!(vfmsq_f64(high, c, q)).sub(excess)
    }

    #[inline(always)]
    fn digits(_: &Modulus) {}

    #[inline(always)]
    fn components(modulus: &Modulus, residue: u64) -> [f64; 4] {
        pairs::with_quotient(modulus, residue)
    }

    #[inline(always)]
    fn factor(component: impl Fn(usize) -> Self) -> [Self; 2] {
        [component(0), component(1)]
    }

    #[inline(always)]
    fn product(self, [w, quotient]: [Self; 2], doubles: &Doubles<Self>) -> Self {
        self.remainder(w, self.mul(quotient).round(), doubles.exact)
    }
}

#[inline(always)]
fn load(words: &Words) -> uint64x2_t {
    // SAFETY: the reference is valid for reads of 16 bytes, and the load needs no more than a word's alignment.
    unsafe { vld1q_u64(words.as_ptr()) }
}

#[inline(always)]
fn store(words: &mut Words, x: uint64x2_t) {
    // SAFETY: the reference is valid for writes of 16 bytes, and the store needs no more than a word's alignment.
    unsafe { vst1q_u64(words.as_mut_ptr(), x) }
}
