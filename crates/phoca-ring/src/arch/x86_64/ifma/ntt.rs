//! Transforms with IFMA.
//!
//! Node `k` of the binary tree of blocks has the children `2k` and `2k + 1`; its butterflies have the factor `k`. A pass
//! joins up to three stages of a block in registers, then each part is finished before the next, so that parts soon fit
//! in the first-level cache. The last six stages, of 64 words, are one pass; three of them are within pairs of vectors.
//!
//! Words are reduced lazily and bounded in *units*: a product is below one unit, which is `2q` for the narrow butterfly, on
//! words modulo `2^52`, and `4q` for the wide one, on words of 64 bits. Forward, a stage adds one unit to the bound;
//! backward, a sum doubles it. The *limit* is the number of units that fit in a word.
//!
//! The short butterfly, for primes of up to 23 bits such as plain moduli, takes two multiplications where the narrow one
//! takes three: `y·w mod q` is `q` times the fraction of `y·w/q`, and 52 bits of the fraction are enough for `y·q ≤ 2^52`
//! (Lemire, Kaser and Kurz, "Faster remainder by direct computation", 2019, with a constant factor). Its unit is `q`, and
//! its limit the number of units with short enough a product.

use crate::arch::x86_64::entry;
use crate::arch::{NttKernels, Prologue, Twiddles};
use crate::modulus::Modulus;

mod forward;
mod inverse;
mod table;

use forward::{butterflies_alone, forward_after, forward_transform};
use inverse::inverse_transform;
use table::prepare;

/// Butterflies with exact products from fractions, on words below `2^52 / q`.
const SHORT: u8 = 0;
/// Butterflies with products of 52 bits.
const NARROW: u8 = 1;
/// Butterflies with products of 64 bits.
const WIDE: u8 = 2;

/// Limits of 32 units at least: backward, words are below four units between passes.
const LOOSE: u8 = 0;
/// Limits of 8 units at least: a pass of three stages does not overflow from one unit.
const FREE: u8 = 1;
/// Limits of 4 units at least: backward, a pass of three stages reduces within.
const TIGHT: u8 = 2;
/// Limits of 2 units at least: every butterfly reduces.
const CORRECTED: u8 = 3;

/// Defines a transform for primes of up to `$bits` bits and degrees of at least `$degree`: of a width, with so much room.
macro_rules! kernels {
    ($kernels:ident, $module:ident, $name:literal, $bits:literal, $degree:literal, $width:ident, $room:ident) => {
        pub(crate) static $kernels: NttKernels = NttKernels {
            name: $name,
            supports: |modulus, degree| {
                degree >= $degree && modulus.bits() <= $bits && ($width != WIDE || modulus.bits() > 50)
            },
            prepare: prepare::<$width>,
            forward: $module::forward,
            forward_lazy: $module::forward_lazy,
            forward_from: $module::forward_from,
            forward_lazy_from: $module::forward_lazy_from,
            inverse: $module::inverse,
            inverse_lazy: $module::inverse_lazy,
            butterflies: $module::butterflies,
        };

        mod $module {
            use super::*;

            entry! {
                pub(super) fn forward(modulus: &Modulus, twiddles: &Twiddles, a: &mut [u64])
                    = forward_transform::<$width, $room, true>;
                pub(super) fn forward_lazy(modulus: &Modulus, twiddles: &Twiddles, a: &mut [u64])
                    = forward_transform::<$width, $room, false>;
                pub(super) fn forward_from(
                    modulus: &Modulus, twiddles: &Twiddles, out: &mut [u64], input: &[u64], prologue: Prologue
                ) = forward_after::<$width, $room, true>;
                pub(super) fn forward_lazy_from(
                    modulus: &Modulus, twiddles: &Twiddles, out: &mut [u64], input: &[u64], prologue: Prologue
                ) = forward_after::<$width, $room, false>;
                pub(super) fn inverse(modulus: &Modulus, twiddles: &Twiddles, a: &mut [u64])
                    = inverse_transform::<$width, $room, true>;
                pub(super) fn inverse_lazy(modulus: &Modulus, twiddles: &Twiddles, a: &mut [u64])
                    = inverse_transform::<$width, $room, false>;
                pub(super) fn butterflies(modulus: &Modulus, twiddles: &Twiddles, count: usize) -> u64
                    = butterflies_alone::<$width, $room>;
            }
        }
    };
}

// Degrees 16 and 32 take corrected butterflies, which are for two units.
kernels!(SHORT_KERNELS, short, "ifma, short", 23, 64, SHORT, LOOSE);
kernels!(LOOSE_KERNELS, loose, "ifma, loose", 46, 16, NARROW, LOOSE);
kernels!(FREE_KERNELS, free, "ifma, free", 48, 16, NARROW, FREE);
kernels!(TIGHT_KERNELS, tight, "ifma, tight", 49, 16, NARROW, TIGHT);
kernels!(CORRECTED_KERNELS, corrected, "ifma, corrected", 50, 16, NARROW, CORRECTED);
kernels!(WIDE_LOOSE_KERNELS, wide_loose, "avx512, loose", 57, 16, WIDE, LOOSE);
kernels!(WIDE_FREE_KERNELS, wide_free, "avx512, free", 59, 16, WIDE, FREE);
kernels!(WIDE_TIGHT_KERNELS, wide_tight, "avx512, tight", 60, 16, WIDE, TIGHT);
kernels!(WIDE_CORRECTED_KERNELS, wide_corrected, "avx512, corrected", 61, 16, WIDE, CORRECTED);

/// Stages of the first of the passes that do `stages` together, where that of the last six is apart.
#[inline]
fn joined(stages: u32) -> u32 {
    match stages {
        1 => 1,
        _ if stages.is_multiple_of(3) => 3,
        _ => 2,
    }
}
