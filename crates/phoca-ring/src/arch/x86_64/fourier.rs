//! The kernels of the Fourier transform with AVX2 and with AVX-512, both with fused products and sums.
//!
//! The methods of the vectors have no target features, because those of a trait cannot; they are inlined into the functions of
//! [`kernels!`], which have.

use core::arch::x86_64::*;

use super::entry;
use crate::arch::fourier::{FourierKernels, Lanes, Step, passes};
use crate::fourier::Tables;

/// The kernels with a vector type and its target features.
macro_rules! kernels {
    ($kernels:ident, $module:ident, $name:literal, $features:literal, $vector:ty, $width:literal, $longest_pass:literal) => {
        pub(crate) static $kernels: FourierKernels = FourierKernels {
            name: $name,
            width: $width,
            longest_pass: $longest_pass,
            fused: true,
            forward: $module::forward,
            backward_add: $module::backward_add,
            select_rotated: $module::select_rotated,
        };

        mod $module {
            use super::*;

            entry! {
                pub(super) fn forward(tables: &Tables, words: &[u64], values: &mut [f64]) = compiled::forward;
                pub(super) fn backward_add(tables: &Tables, values: &mut [f64], words: &mut [u64]) = compiled::backward_add;
                pub(super) fn select_rotated(
                    tables: &Tables, step: &Step<'_>, acc: &mut [u64], scratch: &mut [f64]
                ) = compiled::select_rotated;
            }

            mod compiled {
                use super::*;

                #[target_feature(enable = $features)]
                pub(super) fn forward(tables: &Tables, words: &[u64], values: &mut [f64]) {
                    passes::forward::<$vector, $width>(tables, words, values);
                }

                #[target_feature(enable = $features)]
                pub(super) fn backward_add(tables: &Tables, values: &mut [f64], words: &mut [u64]) {
                    passes::backward_add::<$vector, $width>(tables, values, words);
                }

                #[target_feature(enable = $features)]
                pub(super) fn select_rotated(tables: &Tables, step: &Step<'_>, acc: &mut [u64], scratch: &mut [f64]) {
                    passes::select_rotated::<$vector, $width>(tables, step, acc, scratch);
                }
            }
        }
    };
}

kernels!(AVX2, avx2, "avx2", "avx2,fma", Four, 4, 2);
kernels!(AVX512, avx512, "avx512", "avx512f,avx512dq,avx512vl", Eight, 8, 3);

/// Calls an intrinsic of the instruction set of the module's kernels.
macro_rules! call {
    ($intrinsic:ident $(::<$parameter:tt>)? ($($argument:expr),*)) => {
        // SAFETY: only kernels of this instruction set use the vector type, and `Arch` gives those out only on processors
        // that have it; a pointer is that of an array with the size of the vector.
        unsafe { $intrinsic$(::<$parameter>)?($($argument),*) }
    };
}

/// The bits of `2^52`: a word below `2^52` or-ed to them is that much more than it.
const EXPONENT: i64 = 0x4330 << 48;

#[derive(Clone, Copy)]
struct Eight(__m512d);

impl Lanes<8> for Eight {
    type Words = __m512i;

    #[inline(always)]
    fn splat(x: f64) -> Self {
        Self(call!(_mm512_set1_pd(x)))
    }

    #[inline(always)]
    fn load(from: &[f64; 8]) -> Self {
        Self(call!(_mm512_loadu_pd(from.as_ptr())))
    }

    #[inline(always)]
    fn store(self, to: &mut [f64; 8]) {
        call!(_mm512_storeu_pd(to.as_mut_ptr(), self.0));
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self(call!(_mm512_add_pd(self.0, other.0)))
    }

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Self(call!(_mm512_sub_pd(self.0, other.0)))
    }

    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        Self(call!(_mm512_mul_pd(self.0, other.0)))
    }

    #[inline(always)]
    fn mul_add(self, factor: Self, addend: Self) -> Self {
        Self(call!(_mm512_fmadd_pd(self.0, factor.0, addend.0)))
    }

    #[inline(always)]
    fn neg_mul_add(self, factor: Self, addend: Self) -> Self {
        Self(call!(_mm512_fnmadd_pd(self.0, factor.0, addend.0)))
    }

    #[inline(always)]
    fn transpose(rows: [Self; 8]) -> [Self; 8] {
        let [r0, r1, r2, r3, r4, r5, r6, r7] = rows;
        let (r0, r1, r2, r3, r4, r5, r6, r7) = (r0.0, r1.0, r2.0, r3.0, r4.0, r5.0, r6.0, r7.0);
        // Row 2i and 2i + 1, column pairs: `t[2i]` has columns 0, 2, 4, 6 and `t[2i + 1]` has columns 1, 3, 5, 7.
        let (t0, t1, t2, t3) = (low(r0, r1), high(r0, r1), low(r2, r3), high(r2, r3));
        let (t4, t5, t6, t7) = (low(r4, r5), high(r4, r5), low(r6, r7), high(r6, r7));
        // Columns 0 and 4, 2 and 6, 1 and 5, 3 and 7 of four rows.
        let (u0, u2, u1, u3) = (even(t0, t2), odd(t0, t2), even(t1, t3), odd(t1, t3));
        let (u4, u6, u5, u7) = (even(t4, t6), odd(t4, t6), even(t5, t7), odd(t5, t7));
        let (v0, v1, v2, v3) = (even(u0, u4), even(u1, u5), even(u2, u6), even(u3, u7));
        let (v4, v5, v6, v7) = (odd(u0, u4), odd(u1, u5), odd(u2, u6), odd(u3, u7));
        [Self(v0), Self(v1), Self(v2), Self(v3), Self(v4), Self(v5), Self(v6), Self(v7)]
    }

    #[inline(always)]
    fn prefetch(at: &f64) {
        call!(_mm_prefetch::<_MM_HINT_T1>(core::ptr::from_ref(at).cast()));
    }

    #[inline(always)]
    fn splat_words(x: u64) -> __m512i {
        call!(_mm512_set1_epi64(x as i64))
    }

    #[inline(always)]
    fn load_words(from: &[u64; 8]) -> __m512i {
        call!(_mm512_loadu_si512(from.as_ptr().cast()))
    }

    #[inline(always)]
    fn store_words(words: __m512i, to: &mut [u64; 8]) {
        call!(_mm512_storeu_si512(to.as_mut_ptr().cast(), words));
    }

    #[inline(always)]
    fn add_words(a: __m512i, b: __m512i) -> __m512i {
        call!(_mm512_add_epi64(a, b))
    }

    #[inline(always)]
    fn sub_words(a: __m512i, b: __m512i) -> __m512i {
        call!(_mm512_sub_epi64(a, b))
    }

    #[inline(always)]
    fn digit(words: __m512i, shift: u32, bits: u32) -> Self {
        let mask = (1_i64 << bits) - 1;
        let shifted = call!(_mm512_srl_epi64(words, _mm_cvtsi64_si128(i64::from(shift))));
        // (a & b) | c
        let double = call!(_mm512_ternarylogic_epi64::<0b1110_1010>(
            shifted,
            _mm512_set1_epi64(mask),
            _mm512_set1_epi64(EXPONENT)
        ));
        Self(call!(_mm512_sub_pd(_mm512_castsi512_pd(double), _mm512_set1_pd(excess(bits)))))
    }

    #[inline(always)]
    fn from_words(words: __m512i) -> Self {
        Self(call!(_mm512_cvtepi64_pd(words)))
    }

    #[inline(always)]
    fn fraction(self) -> __m512i {
        // The number minus its nearest integer. 2^63 becomes -2^63, as does every number that is too large.
        let reduced = call!(_mm512_reduce_pd::<8>(self.0));
        call!(_mm512_cvtpd_epi64(_mm512_mul_pd(reduced, _mm512_set1_pd(18_446_744_073_709_551_616.0))))
    }
}

#[inline(always)]
fn low(a: __m512d, b: __m512d) -> __m512d {
    call!(_mm512_unpacklo_pd(a, b))
}

#[inline(always)]
fn high(a: __m512d, b: __m512d) -> __m512d {
    call!(_mm512_unpackhi_pd(a, b))
}

/// The lanes of 128 bits with even numbers, of both.
#[inline(always)]
fn even(a: __m512d, b: __m512d) -> __m512d {
    call!(_mm512_shuffle_f64x2::<0b10_00_10_00>(a, b))
}

/// The lanes of 128 bits with odd numbers, of both.
#[inline(always)]
fn odd(a: __m512d, b: __m512d) -> __m512d {
    call!(_mm512_shuffle_f64x2::<0b11_01_11_01>(a, b))
}

/// What [`EXPONENT`] and the balance of a digit add to it.
#[inline(always)]
fn excess(bits: u32) -> f64 {
    (4_503_599_627_370_496_u64 + (1 << (bits - 1))) as f64
}

#[derive(Clone, Copy)]
struct Four(__m256d);

impl Lanes<4> for Four {
    type Words = __m256i;

    #[inline(always)]
    fn splat(x: f64) -> Self {
        Self(call!(_mm256_set1_pd(x)))
    }

    #[inline(always)]
    fn load(from: &[f64; 4]) -> Self {
        Self(call!(_mm256_loadu_pd(from.as_ptr())))
    }

    #[inline(always)]
    fn store(self, to: &mut [f64; 4]) {
        call!(_mm256_storeu_pd(to.as_mut_ptr(), self.0));
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self(call!(_mm256_add_pd(self.0, other.0)))
    }

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Self(call!(_mm256_sub_pd(self.0, other.0)))
    }

    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        Self(call!(_mm256_mul_pd(self.0, other.0)))
    }

    #[inline(always)]
    fn mul_add(self, factor: Self, addend: Self) -> Self {
        Self(call!(_mm256_fmadd_pd(self.0, factor.0, addend.0)))
    }

    #[inline(always)]
    fn neg_mul_add(self, factor: Self, addend: Self) -> Self {
        Self(call!(_mm256_fnmadd_pd(self.0, factor.0, addend.0)))
    }

    #[inline(always)]
    fn transpose([r0, r1, r2, r3]: [Self; 4]) -> [Self; 4] {
        let (t0, t1) = (call!(_mm256_unpacklo_pd(r0.0, r1.0)), call!(_mm256_unpackhi_pd(r0.0, r1.0)));
        let (t2, t3) = (call!(_mm256_unpacklo_pd(r2.0, r3.0)), call!(_mm256_unpackhi_pd(r2.0, r3.0)));
        [
            Self(call!(_mm256_permute2f128_pd::<0x20>(t0, t2))),
            Self(call!(_mm256_permute2f128_pd::<0x20>(t1, t3))),
            Self(call!(_mm256_permute2f128_pd::<0x31>(t0, t2))),
            Self(call!(_mm256_permute2f128_pd::<0x31>(t1, t3))),
        ]
    }

    #[inline(always)]
    fn prefetch(at: &f64) {
        call!(_mm_prefetch::<_MM_HINT_T1>(core::ptr::from_ref(at).cast()));
    }

    #[inline(always)]
    fn splat_words(x: u64) -> __m256i {
        call!(_mm256_set1_epi64x(x as i64))
    }

    #[inline(always)]
    fn load_words(from: &[u64; 4]) -> __m256i {
        call!(_mm256_loadu_si256(from.as_ptr().cast()))
    }

    #[inline(always)]
    fn store_words(words: __m256i, to: &mut [u64; 4]) {
        call!(_mm256_storeu_si256(to.as_mut_ptr().cast(), words));
    }

    #[inline(always)]
    fn add_words(a: __m256i, b: __m256i) -> __m256i {
        call!(_mm256_add_epi64(a, b))
    }

    #[inline(always)]
    fn sub_words(a: __m256i, b: __m256i) -> __m256i {
        call!(_mm256_sub_epi64(a, b))
    }

    #[inline(always)]
    fn digit(words: __m256i, shift: u32, bits: u32) -> Self {
        let mask = (1_i64 << bits) - 1;
        let shifted = call!(_mm256_srl_epi64(words, _mm_cvtsi64_si128(i64::from(shift))));
        let digit = call!(_mm256_and_si256(shifted, _mm256_set1_epi64x(mask)));
        let double = call!(_mm256_or_si256(digit, _mm256_set1_epi64x(EXPONENT)));
        Self(call!(_mm256_sub_pd(_mm256_castsi256_pd(double), _mm256_set1_pd(excess(bits)))))
    }

    #[inline(always)]
    fn from_words(words: __m256i) -> Self {
        let mut lanes = [0_u64; 4];
        Self::store_words(words, &mut lanes);
        Self::load(&lanes.map(|word| word as i64 as f64))
    }

    #[inline(always)]
    fn fraction(self) -> __m256i {
        const NEAREST: i32 = _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC;
        // Adding 1.5·2^52 leaves an integer of magnitude up to 2^51 in the low bits.
        let rounder = call!(_mm256_set1_pd(6_755_399_441_055_744.0));
        let half_word = call!(_mm256_set1_pd(4_294_967_296.0));
        let reduced = call!(_mm256_sub_pd(self.0, _mm256_round_pd::<NEAREST>(self.0)));
        let scaled = call!(_mm256_mul_pd(reduced, half_word));
        let high = call!(_mm256_round_pd::<NEAREST>(scaled));
        let low = call!(_mm256_mul_pd(_mm256_sub_pd(scaled, high), half_word));
        let low = call!(_mm256_castpd_si256(_mm256_add_pd(low, rounder)));
        let low = call!(_mm256_sub_epi64(low, _mm256_castpd_si256(rounder)));
        let high = call!(_mm256_castpd_si256(_mm256_add_pd(high, rounder)));
        call!(_mm256_add_epi64(_mm256_slli_epi64::<32>(high), low))
    }
}
