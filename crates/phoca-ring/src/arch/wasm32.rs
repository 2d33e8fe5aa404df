//! Kernels for WebAssembly with vectors of 128 bits.
//!
//! There is no instruction for a double word and none, without the relaxed vectors, that rounds a product and a sum once.
//! Here the products of doubles are made exact by splitting the factors in halves (Dekker, "A floating-point technique
//! for extending the available precision", 1971); [`relaxed`] has the shorter ones. Which instructions an artefact uses is
//! decided when it is compiled; an engine that lacks one of them refuses the whole module.
#![allow(unsafe_code)]

use core::arch::wasm32::*;

use super::pairs::{Pair, Words, ntt, slices};
use super::{Arch, Kernels, NttKernels, portable};

mod halves;
#[cfg(target_feature = "relaxed-simd")]
pub(crate) mod relaxed;
mod words;

/// All kernels for slices, fastest first.
pub(crate) static SLICE_KERNELS: &[&Kernels] = &[&PRODUCTS, &WIDE];

/// All transforms, fastest first.
pub(crate) static TRANSFORMS: &[&NttKernels] =
    &[&halves::NTT_KERNELS, &FREE, &REDUCED, &words::NTT_KERNELS, &portable::NTT_KERNELS];

static PRODUCTS: Kernels = slices::with_products_and_sums::<Split>(words::kernels(Arch::Simd128));
static WIDE: Kernels = words::kernels(Arch::Simd128);
static FREE: NttKernels = ntt::free::<Split>("simd128, free");
static REDUCED: NttKernels = ntt::reduced::<Split>("simd128, reduced");

/// Two doubles whose products are made exact by splitting.
#[derive(Clone, Copy)]
struct Split(v128);

/// The operations of [`Pair`] that are the same for all vectors of WebAssembly, for a type around one.
macro_rules! common {
    () => {
        #[inline(always)]
        fn splat(x: f64) -> Self {
            Self(f64x2_splat(x))
        }

        #[inline(always)]
        fn load(words: &Words) -> Self {
            Self(load(words))
        }

        #[inline(always)]
        fn store(self, words: &mut Words) {
            store(words, self.0);
        }

        #[inline(always)]
        fn load_words(words: &Words) -> Self {
            // A word below 2^52 is the mantissa of a double from there to 2^53.
            let magic = f64x2_splat(MAGIC);
            Self(f64x2_sub(v128_or(load(words), magic), magic))
        }

        #[inline(always)]
        fn store_words(self, words: &mut Words) {
            let magic = f64x2_splat(MAGIC);
            store(words, v128_xor(f64x2_add(self.0, magic), magic));
        }

        #[inline(always)]
        fn add(self, other: Self) -> Self {
            Self(f64x2_add(self.0, other.0))
        }

        #[inline(always)]
        fn sub(self, other: Self) -> Self {
            Self(f64x2_sub(self.0, other.0))
        }

        #[inline(always)]
        fn mul(self, other: Self) -> Self {
            Self(f64x2_mul(self.0, other.0))
        }

        #[inline(always)]
        fn round(self) -> Self {
            Self(f64x2_nearest(self.0))
        }

        #[inline(always)]
        fn add_if_negative(self, addend: Self) -> Self {
            Self(f64x2_add(self.0, v128_and(f64x2_lt(self.0, f64x2_splat(0.0)), addend.0)))
        }

        #[inline(always)]
        fn lower(self, other: Self) -> Self {
            Self(u64x2_shuffle::<0, 2>(self.0, other.0))
        }

        #[inline(always)]
        fn upper(self, other: Self) -> Self {
            Self(u64x2_shuffle::<1, 3>(self.0, other.0))
        }
    };
}
#[cfg(target_feature = "relaxed-simd")]
use common;

impl Pair for Split {
    /// A multiple of `2^24` and a rest of at most half of that.
    type Exact = [Self; 2];

    common!();

    #[inline(always)]
    fn exact(self) -> [Self; 2] {
        self.split(EXACT_SPLIT)
    }

    #[inline(always)]
    fn remainder(self, [w_high, w_low]: [Self; 2], c: Self, [q_high, q_low]: [Self; 2]) -> Self {
        let ([y_high, y_low], [c_high, c_low]) = (self.split(VALUE_SPLIT), c.split(VALUE_SPLIT));
        // Multiples of 2^50 up to 2^103, of 2^26 up to 2^77, of 2^24 up to 2^76, and at most 2^49: all are doubles, and so
        // is each sum, which is what the rest of them and the small remainder leave.
        let highest = y_high.mul(w_high).sub(c_high.mul(q_high));
        let middle = y_high.mul(w_low).sub(c_high.mul(q_low));
        let lower = y_low.mul(w_high).sub(c_low.mul(q_high));
        let lowest = y_low.mul(w_low).sub(c_low.mul(q_low));
        highest.add(middle).add(lower).add(lowest)
    }
}

impl Split {
    /// The nearest multiple of `2^k` and the rest, where `magic` is `3·2^(51 + k)`.
    #[inline(always)]
    fn split(self, magic: f64) -> [Self; 2] {
        let magic = Self::splat(magic);
        let high = self.add(magic).sub(magic);
        [high, self.sub(high)]
    }
}

/// `2^52`.
const MAGIC: f64 = 4_503_599_627_370_496.0;
/// Splits factors at `2^24`.
const EXACT_SPLIT: f64 = 1.5 * MAGIC * 16_777_216.0;
/// Splits values at `2^26`.
const VALUE_SPLIT: f64 = 1.5 * MAGIC * 67_108_864.0;

#[inline(always)]
fn load(words: &Words) -> v128 {
    // SAFETY: the reference is valid for reads of 16 bytes, and the load has no alignment requirement.
    unsafe { v128_load(words.as_ptr().cast()) }
}

#[inline(always)]
fn store(words: &mut Words, x: v128) {
    // SAFETY: the reference is valid for writes of 16 bytes, and the store has no alignment requirement.
    unsafe { v128_store(words.as_mut_ptr().cast(), x) }
}

/// `x - m` where that is not negative as a signed word, else `x`; both are below `2^63`.
#[inline(always)]
fn subtract_once(x: v128, m: v128) -> v128 {
    let difference = i64x2_sub(x, m);
    i64x2_add(difference, v128_and(i64x2_lt(difference, i64x2_splat(0)), m))
}
