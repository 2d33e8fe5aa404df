//! The kernels of the Fourier transform with NEON, which fuses products and sums.

use core::arch::aarch64::*;

use super::neon;
use crate::arch::fourier::{FourierKernels, Lanes, passes};

pub(crate) static KERNELS: FourierKernels = FourierKernels {
    name: "neon",
    width: 2,
    longest_pass: 3,
    fused: true,
    forward: passes::forward::<Pair, 2>,
    backward_add: passes::backward_add::<Pair, 2>,
    select_rotated: passes::select_rotated::<Pair, 2>,
};

#[derive(Clone, Copy)]
struct Pair(float64x2_t);

impl Lanes<2> for Pair {
    type Words = uint64x2_t;

    #[inline(always)]
    fn splat(x: f64) -> Self {
        Self(neon!(vdupq_n_f64(x)))
    }

    #[inline(always)]
    fn load(from: &[f64; 2]) -> Self {
        Self(neon!(vld1q_f64(from.as_ptr())))
    }

    #[inline(always)]
    fn store(self, to: &mut [f64; 2]) {
        neon!(vst1q_f64(to.as_mut_ptr(), self.0));
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self(neon!(vaddq_f64(self.0, other.0)))
    }

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Self(neon!(vsubq_f64(self.0, other.0)))
    }

    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        Self(neon!(vmulq_f64(self.0, other.0)))
    }

    #[inline(always)]
    fn mul_add(self, factor: Self, addend: Self) -> Self {
        Self(neon!(vfmaq_f64(addend.0, self.0, factor.0)))
    }

    #[inline(always)]
    fn neg_mul_add(self, factor: Self, addend: Self) -> Self {
        Self(neon!(vfmsq_f64(addend.0, self.0, factor.0)))
    }

    #[inline(always)]
    fn transpose([a, b]: [Self; 2]) -> [Self; 2] {
        [Self(neon!(vzip1q_f64(a.0, b.0))), Self(neon!(vzip2q_f64(a.0, b.0)))]
    }

    #[inline(always)]
    fn prefetch(_: &f64) {}

    #[inline(always)]
    fn splat_words(x: u64) -> uint64x2_t {
        neon!(vdupq_n_u64(x))
    }

    #[inline(always)]
    fn load_words(from: &[u64; 2]) -> uint64x2_t {
        neon!(vld1q_u64(from.as_ptr()))
    }

    #[inline(always)]
    fn store_words(words: uint64x2_t, to: &mut [u64; 2]) {
        neon!(vst1q_u64(to.as_mut_ptr(), words));
    }

    #[inline(always)]
    fn add_words(a: uint64x2_t, b: uint64x2_t) -> uint64x2_t {
        neon!(vaddq_u64(a, b))
    }

    #[inline(always)]
    fn sub_words(a: uint64x2_t, b: uint64x2_t) -> uint64x2_t {
        neon!(vsubq_u64(a, b))
    }

    #[inline(always)]
    fn digit(words: uint64x2_t, shift: u32, bits: u32) -> Self {
        let shifted = neon!(vshlq_u64(words, vdupq_n_s64(-i64::from(shift))));
        let digit = neon!(vandq_u64(shifted, vdupq_n_u64((1 << bits) - 1)));
        let balanced = neon!(vsubq_s64(vreinterpretq_s64_u64(digit), vdupq_n_s64(1 << (bits - 1))));
        Self(neon!(vcvtq_f64_s64(balanced)))
    }

    #[inline(always)]
    fn from_words(words: uint64x2_t) -> Self {
        Self(neon!(vcvtq_f64_s64(vreinterpretq_s64_u64(words))))
    }

    #[inline(always)]
    fn fraction(self) -> uint64x2_t {
        // 2^32 times the number less its nearest integer, as an integer and the rest of it: a conversion of 2^63 would stop
        // short of it.
        let half_word = neon!(vdupq_n_f64(4_294_967_296.0));
        let reduced = neon!(vsubq_f64(self.0, vrndnq_f64(self.0)));
        let scaled = neon!(vmulq_f64(reduced, half_word));
        let high = neon!(vrndnq_f64(scaled));
        let low = neon!(vmulq_f64(vsubq_f64(scaled, high), half_word));
        let (high, low) = (neon!(vcvtnq_s64_f64(high)), neon!(vcvtnq_s64_f64(low)));
        neon!(vreinterpretq_u64_s64(vaddq_s64(vshlq_n_s64::<32>(high), low)))
    }
}
