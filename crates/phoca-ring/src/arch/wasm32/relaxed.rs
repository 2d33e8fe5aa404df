//! Kernels for WebAssembly with relaxed vectors.
//!
//! The specification lets an engine round `a·b + c` once or twice, always in the same way while a program runs. Products
//! in doubles are right only if it is once, so [`is_fused`] decides whether these kernels are available.

use core::arch::wasm32::*;
use core::hint::black_box;

use super::sums::Sums;
use super::{MAGIC, Pair, Words, common, load, ntt, products, store, words};
use crate::arch::pairs::{self, Doubles};
use crate::arch::{Arch, Kernels, NttKernels, portable};
use crate::modulus::Modulus;

/// All kernels for slices, fastest first.
pub(crate) static SLICE_KERNELS: &[&Kernels] = &[&PRODUCTS, &WIDE];

/// All transforms, fastest first.
pub(crate) static TRANSFORMS: &[&NttKernels] = &[&FREE, &REDUCED, &words::NTT_KERNELS, &portable::NTT_KERNELS];

static PRODUCTS: Kernels = products::<Fused>(words::kernels(Arch::Relaxed));
static WIDE: Kernels = words::kernels(Arch::Relaxed);
static FREE: NttKernels = ntt::free::<Fused>("relaxed, free");
static REDUCED: NttKernels = ntt::reduced::<Fused>("relaxed, reduced");

/// Two doubles whose products and sums are rounded once.
#[derive(Clone, Copy)]
struct Fused(v128);

/// Whether `c - a·b` and `c + a·b` are rounded once in both lanes, in the two instructions that these kernels use for them.
pub(crate) fn is_fused() -> bool {
    // (2^27 + 1)² = 2^54 + 2^28 + 1 is no double: the last 1 is in what the rounded product leaves, and nowhere else.
    let factor = Fused::splat(black_box(134_217_729.0));
    let square = factor.mul(factor);
    let excess = black_box(square.minus_product(factor, factor));
    let same = black_box(Fused::splat(0.0).sub(square).plus_product(factor, factor));
    let is = |x: Fused, value| f64x2_extract_lane::<0>(x.0) == value && f64x2_extract_lane::<1>(x.0) == value;
    is(excess, -1.0) && is(same, 1.0)
}

impl Pair for Fused {
    type Exact = Self;
    /// The value and its quotient by `q`.
    type Factor = [Self; 2];
    type Digits = ();

    const COMPONENTS: usize = 2;
    const LONG_PRODUCTS: bool = false;
    const FREE_BITS: u32 = 48;

    common!();

    #[inline(always)]
    fn exact(self) -> Self {
        self
    }

    #[inline(always)]
    fn remainder(self, w: Self, c: Self, q: Self) -> Self {
        // What the rounded product is too large by is an exact double, and so is its difference to c·q.
        let high = self.mul(w);
        high.minus_product(c, q).sub(high.minus_product(self, w))
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

impl Fused {
    /// `self - a·b`, rounded once.
    #[inline(always)]
    fn minus_product(self, a: Self, b: Self) -> Self {
        Self(f64x2_relaxed_nmadd(a.0, b.0, self.0))
    }

    /// `self + a·b`, rounded once.
    #[inline(always)]
    fn plus_product(self, a: Self, b: Self) -> Self {
        Self(f64x2_relaxed_madd(a.0, b.0, self.0))
    }
}

/// `2^103`, whose last bit counts `2^51`.
const HIGH: f64 = MAGIC * MAGIC / 2.0;

/// `1.5·2^52`, for integers of either sign.
const LOW: f64 = 1.5 * MAGIC;

/// A sum of products `low + high·2^51`, with constants that make both parts what they should be after a number of products.
///
/// A product `p < 2^102` is split with one rounding (N. Emmart, F. Zheng, C. Weems, "Faster modular exponentiation using
/// double precision floating point arithmetic on the GPU", ARITH 2018, here for rounding to nearest): `2^103 + p` rounded is
/// `2^103 + h·2^51`, and `1.5·2^52 - h·2^51 + p` is exact, with a low part of at most `2^50` in magnitude. The binades are
/// fixed, so the words of the two doubles are `h` and the low part plus constants, and sums of products are sums of words.
#[derive(Clone, Copy)]
struct Parts {
    low: v128,
    high: v128,
}

impl Parts {
    /// The high part with the carry of the low one, then the rest of the low part in `[0, 2^51)`.
    #[inline(always)]
    fn carried(self) -> [v128; 2] {
        let high = i64x2_add(self.high, u64x2_shr(self.low, 51));
        [high, v128_and(self.low, u64x2_splat((1 << 51) - 1))]
    }
}

impl Sums for Fused {
    type Term = Self;
    type Sum = Parts;
    /// `2^51` as a factor.
    type Reduction = [Self; 2];

    fn reduction(modulus: &Modulus) -> [Self; 2] {
        Doubles::<Self>::factor(modulus, modulus.reduce(1 << 51))
    }

    /// The high part is to be below `2^52`, and the low one below `2^61`.
    fn room(product_bits: u32) -> usize {
        1 << (102 - product_bits).min(10)
    }

    #[inline(always)]
    fn term(words: &Words) -> Self {
        Self::load_words(words)
    }

    #[inline(always)]
    fn empty(terms: usize) -> Parts {
        let start = |bits: u64, offset: u64| u64x2_splat(offset.wrapping_sub(bits.wrapping_mul(terms as u64)));
        // 2^62 makes the sum of low parts, within 2^61, positive; the carry of it is 2^11.
        Parts { low: start(LOW.to_bits(), 1 << 62), high: start(HIGH.to_bits(), 0_u64.wrapping_sub(1 << 11)) }
    }

    #[inline(always)]
    fn add_product(sum: Parts, a: Self, b: Self) -> Parts {
        let high = Self::splat(HIGH).plus_product(a, b);
        let low = Self::splat(HIGH + LOW).sub(high).plus_product(a, b);
        Parts { low: i64x2_add(sum.low, low.0), high: i64x2_add(sum.high, high.0) }
    }

    /// Both parts share a quotient. It is off by at most 1/2 for rounding it to an integer, 1/8 for the factor's quotient and
    /// 1/4 for its own last bit, and where the low part counts, with `q < 2^40`, only by 3/8 for it in the place of these two:
    /// the rest is within `7/8·q`.
    #[inline(always)]
    fn reduce(sum: Parts, [shift, shift_quotient]: &[Self; 2], doubles: &Doubles<Self>) -> Self {
        let [high, low] = sum.carried().map(to_doubles);
        let quotient = low.mul(doubles.inverse).plus_product(high, *shift_quotient).round();
        let product = high.mul(*shift);
        let excess = product.minus_product(high, *shift);
        // All partial sums are integers below 2^53: the product less the multiple is within 2^52 + 2^50 + q.
        product.minus_product(quotient, doubles.q).sub(excess).add(low)
    }
}

/// Words below `2^52` as doubles.
#[inline(always)]
fn to_doubles(words: v128) -> Fused {
    let magic = f64x2_splat(MAGIC);
    Fused(f64x2_sub(v128_or(words, magic), magic))
}
