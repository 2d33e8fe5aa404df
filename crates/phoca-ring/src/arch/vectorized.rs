//! Loops in plain Rust that compilers turn into vector instructions, compiled for each instruction set.
//!
//! The source of each loop is one inlined function, here and in [`crate::embedding`] and [`crate::message`]; only the
//! instructions differ. No floating-point operation is fused or reordered, so all give the same bits.
#![allow(unsafe_code)]

use crate::arch::Arch;
use crate::embedding::passes::{self, Stages};
use crate::embedding::rounding;
use crate::galois;
use crate::message;
use crate::rns::float;
use crate::torus;

/// Defines the table type and, for each instruction set, its table of the same functions.
macro_rules! vectorized {
    ($(fn $name:ident($($argument:ident: $type:ty),*) $(-> $result:ty)? = $source:expr;)*) => {
        /// The loops for one instruction set.
        #[derive(Debug)]
        pub(crate) struct Vectorized {
            $(pub(crate) $name: fn($($type),*) $(-> $result)?,)*
        }

        /// Vectors of 128 bits, which every processor with vectors has.
        mod portable {
            use super::*;

            #[inline(always)]
            fn forward_passes(stages: &Stages, re: &mut [f64], im: &mut [f64]) {
                passes::forward::<2>(stages, re, im);
            }

            #[inline(always)]
            fn inverse_passes(stages: &Stages, re: &mut [f64], im: &mut [f64]) {
                passes::inverse::<2>(stages, re, im);
            }

            pub(super) static LOOPS: Vectorized = Vectorized { $($name: $source),* };
        }

        /// Vectors of 256 bits.
        #[cfg(target_arch = "x86_64")]
        mod avx2 {
            use super::*;

            #[inline(always)]
            fn forward_passes(stages: &Stages, re: &mut [f64], im: &mut [f64]) {
                passes::forward::<4>(stages, re, im);
            }

            #[inline(always)]
            fn inverse_passes(stages: &Stages, re: &mut [f64], im: &mut [f64]) {
                passes::inverse::<4>(stages, re, im);
            }

            pub(super) static LOOPS: Vectorized = Vectorized { $($name),* };

            $(fn $name($($argument: $type),*) $(-> $result)? {
                #[target_feature(enable = "avx2")]
                fn compiled($($argument: $type),*) $(-> $result)? {
                    ($source)($($argument),*)
                }
                // SAFETY: `Vectorized::of` gives this function out only after it has found AVX2.
                unsafe { compiled($($argument),*) }
            })*
        }

        /// Vectors of 512 bits.
        #[cfg(target_arch = "x86_64")]
        mod avx512 {
            use super::*;
            use crate::arch::x86_64::embedding::{forward as forward_passes, inverse as inverse_passes};

            pub(super) static LOOPS: Vectorized = Vectorized { $($name),* };

            $(fn $name($($argument: $type),*) $(-> $result)? {
                #[target_feature(enable = "avx512f,avx512dq,avx512vl")]
                fn compiled($($argument: $type),*) $(-> $result)? {
                    ($source)($($argument),*)
                }
                // SAFETY: `Vectorized::of` gives this function out only after it has found these features.
                unsafe { compiled($($argument),*) }
            })*
        }
    };
}

vectorized! {
    fn forward(stages: &Stages, re: &mut [f64], im: &mut [f64]) = forward_passes;
    fn inverse(stages: &Stages, re: &mut [f64], im: &mut [f64]) = inverse_passes;
    fn largest_magnitude(values: &[f64]) -> f64 = rounding::largest_magnitude;
    fn round_half_away(values: &mut [f64]) -> f64 = rounding::round_half_away;
    fn small_integers(values: &[f64], integers: &mut [u64]) = float::small_integers;
    fn lift_small(q: u64, integers: &[u64], out: &mut [u64]) = float::lift_small;
    fn horner_step(digits: &[u64], offset: u64, radix: f64, out: &mut [f64]) = float::horner_step;
    fn lift_centered(plain_modulus: u64, offset: u64, message: &[u64], out: &mut [u64]) = message::lift_centered;
    fn short_roundings(t: u64, r: u64, message: &[u64], out: &mut [u64]) = message::short_roundings;
    fn block_sources(element: u32, blocks: &mut [u64]) = galois::block_sources;
    fn negate_turned(q: u64, inverse: u64, words: &mut [u64]) = galois::negate_turned;
    fn sub_multiples_u32(acc: &mut [u32], rows: &[u32], factors: &[u32]) = torus::loops::sub_multiples_u32;
    fn sub_multiples_u64(acc: &mut [u64], rows: &[u64], factors: &[u64]) = torus::loops::sub_multiples_u64;
    fn signs_of_excess(largest: u64, words: &[u64]) -> u64 = message::signs_of_excess;
    fn magnitudes(plain_modulus: u64, words: &[u64]) -> message::Magnitudes = message::magnitudes;
}

impl Vectorized {
    /// The loops for an instruction set; the portable ones where this processor does not have it.
    pub(crate) fn of(arch: Arch) -> &'static Self {
        match arch {
            #[cfg(target_arch = "x86_64")]
            Arch::Avx2 if arch.is_available() => &avx2::LOOPS,
            #[cfg(target_arch = "x86_64")]
            Arch::Ifma if arch.is_available() => &avx512::LOOPS,
            _ => &portable::LOOPS,
        }
    }
}

#[cfg(test)]
mod tests;
