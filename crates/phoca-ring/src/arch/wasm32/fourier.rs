//! The kernels of the Fourier transform with vectors of 128 bits; the relaxed ones fuse products and sums.

use core::arch::wasm32::*;

use crate::arch::fourier::{FourierKernels, Lanes, passes};

pub(crate) static SIMD128: FourierKernels = kernels::<false>("simd128");

/// Only for engines that [round a product and a sum once](super::relaxed::is_fused).
#[cfg(target_feature = "relaxed-simd")]
pub(crate) static RELAXED: FourierKernels = kernels::<true>("relaxed");

const fn kernels<const FUSED: bool>(name: &'static str) -> FourierKernels {
    FourierKernels {
        name,
        width: 2,
        longest_pass: 2,
        fused: FUSED,
        forward: passes::forward::<Pair<FUSED>, 2>,
        backward_add: passes::backward_add::<Pair<FUSED>, 2>,
        select_rotated: passes::select_rotated::<Pair<FUSED>, 2>,
    }
}

/// `1.5·2^52`: added to a number of magnitude below `2^51`, it leaves the nearest integer in the low bits.
const ROUNDER: f64 = 6_755_399_441_055_744.0;

/// The bits of `2^52`: a word below `2^52` or-ed to them is that much more than it.
const EXPONENT: u64 = 0x4330 << 48;

#[derive(Clone, Copy)]
struct Pair<const FUSED: bool>(v128);

impl<const FUSED: bool> Lanes<2> for Pair<FUSED> {
    type Words = v128;

    #[inline(always)]
    fn splat(x: f64) -> Self {
        Self(f64x2_splat(x))
    }

    #[inline(always)]
    fn load(from: &[f64; 2]) -> Self {
        // SAFETY: the array has the size of a vector, which needs no alignment.
        Self(unsafe { v128_load(from.as_ptr().cast()) })
    }

    #[inline(always)]
    fn store(self, to: &mut [f64; 2]) {
        // SAFETY: as above.
        unsafe { v128_store(to.as_mut_ptr().cast(), self.0) }
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
    fn mul_add(self, factor: Self, addend: Self) -> Self {
        #[cfg(target_feature = "relaxed-simd")]
        if FUSED {
            return Self(f64x2_relaxed_madd(self.0, factor.0, addend.0));
        }
        Self(f64x2_add(addend.0, f64x2_mul(self.0, factor.0)))
    }

    #[inline(always)]
    fn neg_mul_add(self, factor: Self, addend: Self) -> Self {
        #[cfg(target_feature = "relaxed-simd")]
        if FUSED {
            return Self(f64x2_relaxed_nmadd(self.0, factor.0, addend.0));
        }
        Self(f64x2_sub(addend.0, f64x2_mul(self.0, factor.0)))
    }

    #[inline(always)]
    fn transpose([a, b]: [Self; 2]) -> [Self; 2] {
        [Self(i64x2_shuffle::<0, 2>(a.0, b.0)), Self(i64x2_shuffle::<1, 3>(a.0, b.0))]
    }

    #[inline(always)]
    fn prefetch(_: &f64) {}

    #[inline(always)]
    fn splat_words(x: u64) -> v128 {
        u64x2_splat(x)
    }

    #[inline(always)]
    fn load_words(from: &[u64; 2]) -> v128 {
        // SAFETY: the array has the size of a vector, which needs no alignment.
        unsafe { v128_load(from.as_ptr().cast()) }
    }

    #[inline(always)]
    fn store_words(words: v128, to: &mut [u64; 2]) {
        // SAFETY: as above.
        unsafe { v128_store(to.as_mut_ptr().cast(), words) }
    }

    #[inline(always)]
    fn add_words(a: v128, b: v128) -> v128 {
        i64x2_add(a, b)
    }

    #[inline(always)]
    fn sub_words(a: v128, b: v128) -> v128 {
        i64x2_sub(a, b)
    }

    #[inline(always)]
    fn digit(words: v128, shift: u32, bits: u32) -> Self {
        let digit = v128_and(u64x2_shr(words, shift), u64x2_splat((1 << bits) - 1));
        let double = v128_or(digit, u64x2_splat(EXPONENT));
        Self(f64x2_sub(double, f64x2_splat(((1_u64 << 52) + (1 << (bits - 1))) as f64)))
    }

    #[inline(always)]
    fn from_words(words: v128) -> Self {
        let [low, high] = [i64x2_extract_lane::<0>(words), i64x2_extract_lane::<1>(words)];
        Self(f64x2(low as f64, high as f64))
    }

    #[inline(always)]
    fn fraction(self) -> v128 {
        let half_word = f64x2_splat(4_294_967_296.0);
        let scaled = f64x2_mul(f64x2_sub(self.0, f64x2_nearest(self.0)), half_word);
        let high = f64x2_nearest(scaled);
        let low = f64x2_mul(f64x2_sub(scaled, high), half_word);
        i64x2_add(i64x2_shl(integer(high), 32), integer(low))
    }
}

/// Integers of magnitude up to `2^51`, after rounding, as words.
#[inline(always)]
fn integer(x: v128) -> v128 {
    let rounder = f64x2_splat(ROUNDER);
    i64x2_sub(f64x2_add(x, rounder), rounder)
}
