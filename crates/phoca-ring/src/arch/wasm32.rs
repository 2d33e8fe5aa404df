//! Kernels for WebAssembly with vectors of 128 bits.
//!
//! There is no instruction for a double word and none, without the relaxed vectors, that rounds a product and a sum once.
//! Here the products of doubles are made exact by splitting the factors in halves (Dekker, "A floating-point technique
//! for extending the available precision", 1971); [`relaxed`] has the shorter ones. Which instructions an artefact uses is
//! decided when it is compiled; an engine that lacks one of them refuses the whole module.
#![allow(unsafe_code)]

use core::arch::wasm32::*;

use super::pairs::{Doubles, Pair, Words, ntt, slices};
use super::{Arch, Kernels, NttKernels, portable};
use crate::modulus::Modulus;
use sums::Sums;

pub(crate) mod fourier;
mod halves;
#[cfg(target_feature = "relaxed-simd")]
pub(crate) mod relaxed;
mod remainders;
mod sums;
mod words;

/// All kernels for slices, fastest first.
pub(crate) static SLICE_KERNELS: &[&Kernels] = &[&PRODUCTS, &WIDE];

/// All transforms, fastest first.
pub(crate) static TRANSFORMS: &[&NttKernels] =
    &[&halves::NTT_KERNELS, &SHORT, &FREE, &REDUCED, &words::NTT_KERNELS, &portable::NTT_KERNELS];

static PRODUCTS: Kernels = products::<Split<false>>(words::kernels(Arch::Simd128));
static WIDE: Kernels = words::kernels(Arch::Simd128);
static SHORT: NttKernels = ntt::free::<Split<true>>("simd128, short");
static FREE: NttKernels = ntt::free::<Split<false>>("simd128, free");
static REDUCED: NttKernels = ntt::reduced::<Split<false>>("simd128, reduced");

/// These kernels with products and their sums in doubles, for moduli of at most 50 bits.
const fn products<V: Sums>(wide: Kernels) -> Kernels {
    Kernels {
        scale_into: sums::scale_into::<V>,
        reduce_into: remainders::reduce_into,
        dot_into: sums::dot_into::<V>,
        add_product_into: remainders::add_product_into::<false>,
        sub_product_into: remainders::add_product_into::<true>,
        dot_pair_into: sums::dot_pair_into::<V>,
        linear_combination_into: sums::linear_combination_into::<V>,
        ..slices::with_products::<V>(wide)
    }
}

/// Two doubles whose products are made exact by splitting. Where `SHORT`, for up to 46 bits, quotients come from high
/// digits alone.
#[derive(Clone, Copy)]
struct Split<const SHORT: bool>(v128);

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

impl<const SHORT: bool> Pair for Split<SHORT> {
    /// A multiple of `2^24` and a rest of at most half of that.
    type Exact = [Self; 2];
    /// High and low digits of `w` and of `2^k·w mod q`, these divided by `2^k`, for values split at `2^k`.
    type Factor = [[Self; 2]; 2];
    type Digits = Digits<Self>;

    const COMPONENTS: usize = 4;
    const LONG_PRODUCTS: bool = true;
    const FREE_BITS: u32 = if SHORT { 46 } else { 48 };

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

    #[inline(always)]
    fn digits(modulus: &Modulus) -> Digits<Self> {
        Digits::new(modulus)
    }

    #[inline(always)]
    fn components(modulus: &Modulus, residue: u64) -> [f64; 4] {
        let (power, unit) = (1_u64 << value_bits(modulus), factor_unit(modulus));
        let [low, high] = [residue, modulus.mul(residue, power)].map(|w| modulus.centered(w) as f64);
        let digits = |w: f64, scale: f64| {
            let upper = libm::rint(w / unit) * unit;
            [upper * scale, (w - upper) * scale]
        };
        let ([w0, w1], [w2, w3]) = (digits(low, 1.0), digits(high, 1.0 / power as f64));
        [w0, w1, w2, w3]
    }

    #[inline(always)]
    fn factor(component: impl Fn(usize) -> Self) -> [[Self; 2]; 2] {
        [[component(0), component(1)], [component(2), component(3)]]
    }

    #[inline(always)]
    fn product(self, [w_low, w_high]: [[Self; 2]; 2], doubles: &Doubles<Self>) -> Self {
        let digits = &doubles.digits;
        let [y_high, y_low] = self.split_with(digits.magic);
        let high = y_high.mul(w_high[0]).add(y_low.mul(w_low[0]));
        let low = y_high.mul(w_high[1]).add(y_low.mul(w_low[1]));
        let sum = if SHORT { high } else { high.add(low) };
        let c = sum.mul(doubles.inverse).round();
        high.sub(c.mul(digits.q[0])).add(low.sub(c.mul(digits.q[1])))
    }
}

/// How values and factors are split for products modulo a `q` of `b` bits.
///
/// A value of magnitude up to `2^m = min(16·2^b, 2^52)` is `y1·2^k + y0` with `k = ceil(m/2)`, so that `|y1| + |y0|` is at
/// most `D = 3/2·2^k`. Its product with `w` is congruent to `y1·w1 + y0·w0` for `w1 = 2^k·w mod q` and `w0 = w`, both
/// balanced, a sum of magnitude at most `D·q/2` with a quotient of little more than `D/2`. The factors are split at `2^s`
/// with `s = b + k - 53`. The sum of the products with high digits is a multiple of `2^s` up to `D·2^(b-1)` and thus a
/// double, and so is the high part of the multiple of `q`. The sums with low digits are at most `2^s·D < 2^52`, which is at
/// most `3/8·q` up to 46 bits, so that a quotient that leaves out half of that is off by at most `3/16` more.
#[derive(Clone, Copy)]
struct Digits<V> {
    /// What splits values at `2^k`.
    magic: V,
    q: [V; 2],
}

impl<const SHORT: bool> Digits<Split<SHORT>> {
    fn new(modulus: &Modulus) -> Self {
        let [magic, unit] = [(1_u64 << value_bits(modulus)) as f64, factor_unit(modulus)].map(|x| 1.5 * MAGIC * x);
        let q = Split::splat(modulus.value() as f64).split_with(Split::splat(unit));
        Self { magic: Split::splat(magic), q }
    }
}

/// `k`.
fn value_bits(modulus: &Modulus) -> u32 {
    (modulus.bits() + 4).min(52).div_ceil(2)
}

/// `2^s`.
fn factor_unit(modulus: &Modulus) -> f64 {
    (1_u64 << (modulus.bits() + value_bits(modulus)).saturating_sub(53)) as f64
}

impl<const SHORT: bool> Split<SHORT> {
    /// The nearest multiple of `2^k` and the rest, where `magic` is `3·2^(51 + k)`.
    #[inline(always)]
    fn split(self, magic: f64) -> [Self; 2] {
        self.split_with(Self::splat(magic))
    }

    #[inline(always)]
    fn split_with(self, magic: Self) -> [Self; 2] {
        let high = self.add(magic).sub(magic);
        [high, self.sub(high)]
    }
}

/// A sum of products: exactly, but modulo `2^64`, and as a double.
///
/// For a sum `S` of `T` products below `2^p` the double is off by less than `f·2^(p-52)` with `f = T²/4 + T/2 - 1/2`, and
/// the quotient by `G`, of at most 52 bits, by `T·2^p·2^-52/G` and 1/2 more. With `T = 2^floor((102 - p) / 2)` and `G`, a
/// multiple of `q` below `2^50`, the exact rest is less than `2^51`.
#[derive(Clone, Copy)]
struct Sum {
    exact: v128,
    rounded: v128,
}

/// A word and the same as a double.
#[derive(Clone, Copy)]
struct Term {
    word: v128,
    double: v128,
}

impl Sums for Split<false> {
    type Term = Term;
    type Sum = Sum;
    /// `G`, the largest multiple of `q` by a power of two that is below `2^50`, and `1/G`.
    type Reduction = [v128; 2];

    #[inline(always)]
    fn reduction(modulus: &Modulus) -> [v128; 2] {
        let multiple = modulus.value() << (50 - modulus.bits());
        [u64x2_splat(multiple), f64x2_splat(1.0 / multiple as f64)]
    }

    fn room(product_bits: u32) -> usize {
        1 << ((102 - product_bits) / 2).min(16)
    }

    #[inline(always)]
    fn term(words: &Words) -> Term {
        Term { word: load(words), double: Self::load_words(words).0 }
    }

    #[inline(always)]
    fn empty(_: usize) -> Sum {
        Sum { exact: u64x2_splat(0), rounded: f64x2_splat(0.0) }
    }

    #[inline(always)]
    fn add_product(sum: Sum, a: Term, b: Term) -> Sum {
        let exact = i64x2_add(sum.exact, i64x2_mul(a.word, b.word));
        Sum { exact, rounded: f64x2_add(sum.rounded, f64x2_mul(a.double, b.double)) }
    }

    #[inline(always)]
    fn reduce(sum: Sum, [multiple, inverse]: &[v128; 2], doubles: &Doubles<Self>) -> Self {
        let (magic, signed) = (f64x2_splat(MAGIC), f64x2_splat(1.5 * MAGIC));
        let quotient = v128_xor(f64x2_add(f64x2_mul(sum.rounded, *inverse), magic), magic);
        let rest = i64x2_sub(sum.exact, i64x2_mul(quotient, *multiple));
        doubles.balance(Self(f64x2_sub(i64x2_add(rest, signed), signed)))
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
