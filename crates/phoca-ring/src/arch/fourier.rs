//! The kernels of [`crate::fourier`]: one source for every instruction set.
//!
//! A vector type has the trait [`Lanes`]; the functions of [`passes`] are generic over it and wholly inlined into a function
//! that has the target features (see `arch/x86_64/fourier.rs`). Every operation is done lane by lane in one order, so two
//! instruction sets that both fuse products with sums give the same bits, and so do any two that both do not.

pub(crate) mod passes;
mod portable;

use crate::fourier::{Decomposition, Tables};

pub(crate) use portable::KERNELS as PORTABLE;

/// One implementation of the transform and of what blind rotation does with it.
#[derive(Debug)]
pub(crate) struct FourierKernels {
    pub(crate) name: &'static str,
    /// Lanes in a vector. A transform has at least twice its square in points.
    pub(crate) width: usize,
    /// The most stages in a pass, which the number of registers limits.
    pub(crate) longest_pass: u32,
    /// Whether products and sums are rounded once.
    pub(crate) fused: bool,
    /// The values of a polynomial of signed words.
    pub(crate) forward: fn(&Tables, &[u64], &mut [f64]),
    /// Adds the polynomial with these values, rounded, to words. The values are overwritten.
    pub(crate) backward_add: fn(&Tables, &mut [f64], &mut [u64]),
    /// A step of a blind rotation, with scratch memory for a polynomial and a block for each row of the key.
    pub(crate) select_rotated: fn(&Tables, &Step<'_>, &mut [u64], &mut [f64]),
}

/// One step of a blind rotation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Step<'a> {
    /// The values of the `(k + 1)·l` rows of a GGSW ciphertext with `k + 1` columns, in the order of
    /// [`crate::fourier::FourierTransform::pack`].
    pub(crate) key: &'a [f64],
    /// Memory that the next step will read.
    pub(crate) next: &'a [f64],
    pub(crate) decomposition: Decomposition,
    /// `k + 1`.
    pub(crate) polynomials: usize,
    /// From 1 to `2n - 1`.
    pub(crate) exponent: usize,
}

/// A vector of `W` doubles. The methods are inlined where the target features are.
pub(crate) trait Lanes<const W: usize>: Copy {
    /// `W` words.
    type Words: Copy;

    fn splat(x: f64) -> Self;
    fn load(from: &[f64; W]) -> Self;
    fn store(self, to: &mut [f64; W]);
    fn add(self, other: Self) -> Self;
    fn sub(self, other: Self) -> Self;
    fn mul(self, other: Self) -> Self;
    /// `self·factor + addend`, rounded once where the instruction set does.
    fn mul_add(self, factor: Self, addend: Self) -> Self;
    /// `addend - self·factor`, rounded once where the instruction set does.
    fn neg_mul_add(self, factor: Self, addend: Self) -> Self;
    /// Lane `i` of vector `j` becomes lane `j` of vector `i`.
    fn transpose(rows: [Self; W]) -> [Self; W];
    /// Asks for the cache line at this place, which may be anywhere, to be read soon.
    fn prefetch(at: &f64);

    fn splat_words(x: u64) -> Self::Words;
    fn load_words(from: &[u64; W]) -> Self::Words;
    fn store_words(words: Self::Words, to: &mut [u64; W]);
    fn add_words(a: Self::Words, b: Self::Words) -> Self::Words;
    fn sub_words(a: Self::Words, b: Self::Words) -> Self::Words;
    /// `x` in every lane for `x = ((word >> shift) mod 2^bits) - 2^(bits - 1)`, with `bits` at most 51.
    fn digit(words: Self::Words, shift: u32, bits: u32) -> Self;
    /// Words as signed integers, rounded to the nearest double, ties to even.
    fn from_words(words: Self::Words) -> Self;
    /// `2^64·self` modulo `2^64`, rounded to an integer, ties to even.
    fn fraction(self) -> Self::Words;
}

/// `W` complex numbers.
#[derive(Clone, Copy)]
pub(crate) struct Complex<V> {
    pub(crate) re: V,
    pub(crate) im: V,
}
