//! Complex roots of unity, each correct to the last place or nearly so.

use alloc::vec::Vec;
use core::f64::consts::PI;

use num_complex::Complex64;

/// The `2n`-th roots of unity `ζ^k = exp(iπk/n)`.
///
/// Only angles up to `π/4` are computed; all others follow by exact symmetries, so that conjugate and opposite roots
/// are exactly so.
pub(crate) struct Roots {
    degree: usize,
    /// `ζ^k` for `k` from 0 to `n/4`, rounded up.
    octant: Vec<Complex64>,
}

impl Roots {
    pub(crate) fn new(degree: usize) -> Self {
        let root = |k: usize| {
            // The argument has one rounding, of PI; π·k/n differs by a relative error of 2^-53 at most.
            let (sine, cosine) = libm::sincos(PI * k as f64 / degree as f64);
            Complex64::new(cosine, sine)
        };
        Self { degree, octant: (0..=degree.div_ceil(4)).map(root).collect() }
    }

    /// `ζ^exponent`.
    pub(crate) fn power(&self, exponent: usize) -> Complex64 {
        let n = self.degree;
        let exponent = exponent % (2 * n);
        if exponent >= n {
            return -self.power(exponent - n);
        }
        if 2 * exponent > n {
            let mirrored = self.power(n - exponent);
            return Complex64::new(-mirrored.re, mirrored.im);
        }
        if 4 * exponent > n {
            let mirrored = self.octant[n / 2 - exponent];
            return Complex64::new(mirrored.im, mirrored.re);
        }
        self.octant[exponent]
    }
}
