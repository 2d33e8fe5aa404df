//! Kernels for WebAssembly with relaxed vectors.
//!
//! The specification lets an engine round `a·b + c` once or twice, always in the same way while a program runs. Products
//! in doubles are right only if it is once, so [`is_fused`] decides whether these kernels are available.

use core::arch::wasm32::*;
use core::hint::black_box;

use super::{MAGIC, Pair, Words, common, load, ntt, slices, store, words};
use crate::arch::pairs::{self, Doubles};
use crate::arch::{Arch, Kernels, NttKernels, portable};
use crate::modulus::Modulus;

/// All kernels for slices, fastest first.
pub(crate) static SLICE_KERNELS: &[&Kernels] = &[&PRODUCTS, &WIDE];

/// All transforms, fastest first.
pub(crate) static TRANSFORMS: &[&NttKernels] = &[&FREE, &REDUCED, &words::NTT_KERNELS, &portable::NTT_KERNELS];

static PRODUCTS: Kernels = slices::with_products_and_sums::<Fused>(words::kernels(Arch::Relaxed));
static WIDE: Kernels = words::kernels(Arch::Relaxed);
static FREE: NttKernels = ntt::free::<Fused>("relaxed, free");
static REDUCED: NttKernels = ntt::reduced::<Fused>("relaxed, reduced");

/// Two doubles whose products and sums are rounded once.
#[derive(Clone, Copy)]
struct Fused(v128);

/// Whether `c - a·b` is rounded once in both lanes, in the one instruction that these kernels use for it.
pub(crate) fn is_fused() -> bool {
    // (2^27 + 1)² = 2^54 + 2^28 + 1 is no double: the last 1 is in what the rounded product leaves, and nowhere else.
    let factor = Fused::splat(black_box(134_217_729.0));
    let excess = black_box(factor.mul(factor).minus_product(factor, factor).0);
    f64x2_extract_lane::<0>(excess) == -1.0 && f64x2_extract_lane::<1>(excess) == -1.0
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
}
