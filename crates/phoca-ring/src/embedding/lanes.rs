//! Several complex numbers side by side, in a form that compilers turn into vector instructions.

use core::array::from_fn;

use num_complex::Complex64;

/// `L` complex numbers, real and imaginary parts apart.
#[derive(Clone, Copy)]
pub(crate) struct Lanes<const L: usize> {
    pub(super) re: [f64; L],
    pub(super) im: [f64; L],
}

impl<const L: usize> Lanes<L> {
    #[inline(always)]
    pub(super) fn plus(self, other: Self) -> Self {
        Self { re: from_fn(|l| self.re[l] + other.re[l]), im: from_fn(|l| self.im[l] + other.im[l]) }
    }

    #[inline(always)]
    pub(super) fn minus(self, other: Self) -> Self {
        Self { re: from_fn(|l| self.re[l] - other.re[l]), im: from_fn(|l| self.im[l] - other.im[l]) }
    }

    #[inline(always)]
    pub(super) fn times(self, w: Complex64) -> Self {
        let re = from_fn(|l| self.re[l] * w.re - self.im[l] * w.im);
        Self { re, im: from_fn(|l| self.re[l] * w.im + self.im[l] * w.re) }
    }

    /// `self + i·other`.
    #[inline(always)]
    pub(super) fn plus_i(self, other: Self) -> Self {
        Self { re: from_fn(|l| self.re[l] - other.im[l]), im: from_fn(|l| self.im[l] + other.re[l]) }
    }

    /// `self − i·other`.
    #[inline(always)]
    pub(super) fn minus_i(self, other: Self) -> Self {
        Self { re: from_fn(|l| self.re[l] + other.im[l]), im: from_fn(|l| self.im[l] - other.re[l]) }
    }
}
