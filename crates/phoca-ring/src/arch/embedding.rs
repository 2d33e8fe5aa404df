//! The passes of the embedding's FFT, compiled for each instruction set.
//!
//! The source is one, in [`crate::embedding`], with vectors as arrays; only the width differs. All give the same bits.
#![allow(unsafe_code)]

use crate::arch::Arch;
use crate::embedding::passes::{self, Stages};

/// The passes for one instruction set: all but the one on blocks of four values.
#[derive(Debug)]
pub(crate) struct Passes {
    pub(crate) forward: fn(&Stages, &mut [f64], &mut [f64]),
    pub(crate) inverse: fn(&Stages, &mut [f64], &mut [f64]),
}

impl Passes {
    /// The passes for an instruction set; the portable ones where this processor does not have it.
    pub(crate) fn of(arch: Arch) -> &'static Self {
        match arch {
            #[cfg(target_arch = "x86_64")]
            Arch::Avx2 | Arch::Ifma if arch.is_available() => &x86_64::AVX2,
            _ => &PORTABLE,
        }
    }
}

/// Vectors of 128 bits, which every processor with vectors has.
static PORTABLE: Passes = Passes { forward: passes::forward::<2>, inverse: passes::inverse::<2> };

#[cfg(target_arch = "x86_64")]
mod x86_64 {
    use super::*;

    /// Vectors of 256 bits. IFMA comes with AVX2.
    pub(super) static AVX2: Passes = Passes { forward, inverse };

    fn forward(stages: &Stages, re: &mut [f64], im: &mut [f64]) {
        // SAFETY: `Passes::of` gives this function out only after it has found AVX2.
        unsafe { forward_avx2(stages, re, im) }
    }

    fn inverse(stages: &Stages, re: &mut [f64], im: &mut [f64]) {
        // SAFETY: `Passes::of` gives this function out only after it has found AVX2.
        unsafe { inverse_avx2(stages, re, im) }
    }

    #[target_feature(enable = "avx2")]
    fn forward_avx2(stages: &Stages, re: &mut [f64], im: &mut [f64]) {
        passes::forward::<4>(stages, re, im);
    }

    #[target_feature(enable = "avx2")]
    fn inverse_avx2(stages: &Stages, re: &mut [f64], im: &mut [f64]) {
        passes::inverse::<4>(stages, re, im);
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use num_complex::Complex64;

    use super::*;
    use crate::embedding::passes::Twiddle;

    /// Some stages for `length` values; the factors need not be roots of unity.
    fn stages(length: usize) -> Stages {
        let factor = |i: usize| Complex64::new(0.75 + i as f64 / 1024.0, 0.5 - i as f64 / 2048.0);
        let odd = length.trailing_zeros() % 2 == 1;
        let mut blocks = if odd { 2 } else { 1 };
        let mut radix4 = Vec::new();
        while length / blocks > 4 {
            radix4.push((0..blocks).map(|i| Twiddle([factor(3 * i), factor(3 * i + 1), factor(3 * i + 2)])).collect());
            blocks *= 4;
        }
        Stages { radix2: odd.then(|| factor(700)), radix4 }
    }

    fn run(pass: fn(&Stages, &mut [f64], &mut [f64]), length: usize) -> (Vec<u64>, Vec<u64>) {
        let mut re: Vec<_> = (0..length).map(|i| (i * i % 1009) as f64 / 7.0).collect();
        let mut im: Vec<_> = (0..length).map(|i| (i * 31 % 997) as f64 / -3.0).collect();
        pass(&stages(length), &mut re, &mut im);
        let bits = |values: Vec<f64>| values.into_iter().map(f64::to_bits).collect();
        (bits(re), bits(im))
    }

    #[test]
    fn every_kernel_gives_the_portable_bits() {
        for length in [4, 8, 16, 32, 64, 128, 512, 2048] {
            for &arch in Arch::all() {
                let kernels = Passes::of(arch);
                assert_eq!(run(kernels.forward, length), run(passes::forward::<1>, length), "{}", arch.name());
                assert_eq!(run(kernels.inverse, length), run(passes::inverse::<1>, length), "{}", arch.name());
            }
        }
    }
}
