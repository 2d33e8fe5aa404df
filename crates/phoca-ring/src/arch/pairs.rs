//! Kernels in vectors of two doubles, for NEON and WebAssembly.
//!
//! They are those of AVX2 with half of the lanes: up to 50 bits a residue is an exact double, the quotient `c` of `y·w` by
//! `q` is rounded from doubles, and the remainder `y·w - c·q` is exact. The source is one; an instruction set is a type
//! with the trait [`Pair`], whose features are those of the whole build, so that no function needs an attribute for them.

use crate::modulus::Modulus;

pub(crate) mod ntt;
pub(crate) mod slices;

/// Two lanes in memory: words, or doubles as their bits.
pub(crate) type Words = [u64; 2];

/// A vector of two doubles.
pub(crate) trait Pair: Copy {
    /// A factor of exact products.
    type Exact: Copy;
    /// A residue as a factor of many products.
    type Factor: Copy;
    /// What products with such factors need of the modulus besides [`Doubles`].
    type Digits: Copy;

    /// The doubles of which a factor consists, at most 4.
    const COMPONENTS: usize;
    /// Whether products take so many operations one after the other that processors do not look far enough ahead to
    /// overlap those of two stages: then transforms have one stage in each pass.
    const LONG_PRODUCTS: bool;
    /// The widest moduli of transforms whose values are not reduced before the end.
    const FREE_BITS: u32;

    fn splat(x: f64) -> Self;
    /// Doubles from their bits.
    fn load(words: &Words) -> Self;
    /// The bits of doubles.
    fn store(self, words: &mut Words);
    /// Words below `2^52` as doubles.
    fn load_words(words: &Words) -> Self;
    /// Integers in `[0, 2^52)` as words.
    fn store_words(self, words: &mut Words);
    fn add(self, other: Self) -> Self;
    fn sub(self, other: Self) -> Self;
    fn mul(self, other: Self) -> Self;
    /// The nearest integers, ties to even.
    fn round(self) -> Self;
    /// `self + addend` in the lanes where `self` is negative.
    fn add_if_negative(self, addend: Self) -> Self;
    /// The lower lanes of two vectors.
    fn lower(self, other: Self) -> Self;
    /// The upper lanes of two vectors.
    fn upper(self, other: Self) -> Self;

    /// `self`, an integer of magnitude at most `2^50`, as a factor.
    fn exact(self) -> Self::Exact;
    /// `self·w - c·q` exactly, for integers with `|self|, |c| ≤ 2^53`, both products of magnitude at most `2^102`, and a
    /// difference of magnitude at most `2^52`.
    fn remainder(self, w: Self::Exact, c: Self, q: Self::Exact) -> Self;

    fn digits(modulus: &Modulus) -> Self::Digits;
    /// The components of a residue as a factor, then zeros.
    fn components(modulus: &Modulus, residue: u64) -> [f64; 4];
    /// A factor from the vector of each component.
    fn factor(component: impl Fn(usize) -> Self) -> Self::Factor;
    /// `self·w` minus the nearest multiple of `q` as far as the quotient is right: for a magnitude of at most `B·q` the
    /// result's is at most `(1/2 + max(B·q / 2^53, 3/16))·q`, and a little for the quotient's last rounding. `B·q` is at
    /// most `20q` with a quotient of `w`, else at most `16q`, and `2^52`.
    fn product(self, w: Self::Factor, doubles: &Doubles<Self>) -> Self;
}

/// A balanced residue and its quotient by `q`, rounded: the components of factors whose products have no other digits.
#[cfg(any(not(target_arch = "wasm32"), target_feature = "relaxed-simd"))]
pub(crate) fn with_quotient(modulus: &Modulus, residue: u64) -> [f64; 4] {
    let balanced = modulus.centered(residue) as f64;
    [balanced, balanced / modulus.value() as f64, 0.0, 0.0]
}

/// The constants of one modulus of at most 50 bits in every lane.
#[derive(Clone, Copy)]
pub(crate) struct Doubles<V: Pair> {
    pub(crate) q: V,
    pub(crate) exact: V::Exact,
    /// `1 / q`, rounded.
    pub(crate) inverse: V,
    #[cfg_attr(not(target_arch = "wasm32"), allow(dead_code, reason = "NEON does not split factors"))]
    pub(crate) digits: V::Digits,
}

impl<V: Pair> Doubles<V> {
    #[inline(always)]
    pub(crate) fn new(modulus: &Modulus) -> Self {
        let q = modulus.value() as f64;
        let digits = V::digits(modulus);
        Self { q: V::splat(q), exact: V::splat(q).exact(), inverse: V::splat(1.0 / q), digits }
    }

    /// A residue in both lanes.
    #[inline(always)]
    pub(crate) fn factor(modulus: &Modulus, residue: u64) -> V::Factor {
        let components = V::components(modulus, residue);
        V::factor(|index| V::splat(components[index]))
    }

    /// `a·b` for `|a| ≤ B·q` and a residue `b`, within `(1/2 + B·3/8)·q`: the quotient is off by at most 1/2 for rounding
    /// it to an integer and `3·2^-53·B·q < B·3/8` for the others.
    #[inline(always)]
    fn product_of_two(&self, a: V, b: V) -> V {
        a.remainder(b.exact(), a.mul(b).mul(self.inverse).round(), self.exact)
    }

    /// `x` minus the nearest multiple of `q`, for `|x| ≤ 2^53`. That multiple is an exact double.
    #[inline(always)]
    pub(crate) fn balance(&self, x: V) -> V {
        x.sub(x.mul(self.inverse).round().mul(self.q))
    }

    /// `(-q, q)` to residues in `[0, q)`.
    #[inline(always)]
    pub(crate) fn residues(&self, x: V) -> V {
        x.add_if_negative(self.q)
    }
}
