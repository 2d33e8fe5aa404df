//! Kernels for x86-64.
//!
//! All code that names vectors is in functions with the target features of its instruction set. The compiler checks
//! calls among them; the only `unsafe` code is the loads and stores of whole vectors from arrays of the same size, and
//! the entry into such a function from a safe function pointer of a kernel table. [`Arch`](crate::arch::Arch) gives a
//! table out only after it has found that the processor has the features.
#![allow(unsafe_code)]

use crate::modulus::Modulus;

pub(crate) mod avx2;
mod columns;
pub(crate) mod embedding;
pub(crate) mod fourier;
pub(crate) mod ifma;
mod loops;

/// Whether target features are there: on this processor with `std`, else in this build.
macro_rules! all_detected {
    ($($feature:tt),+) => {{
        #[cfg(feature = "std")]
        let detected = $(std::arch::is_x86_feature_detected!($feature))&&+;
        #[cfg(not(feature = "std"))]
        let detected = cfg!(all($(target_feature = $feature),+));
        detected
    }};
}

pub(crate) fn has_avx2() -> bool {
    all_detected!("avx2", "fma")
}

pub(crate) fn has_ifma() -> bool {
    all_detected!("avx512f", "avx512dq", "avx512vl", "avx512ifma")
}

/// A safe function for a kernel table that calls a function with target features.
macro_rules! entry {
    ($($visibility:vis fn $name:ident($($argument:ident: $type:ty),*) $(-> $output:ty)? = $inner:path;)*) => {
        $($visibility fn $name($($argument: $type),*) $(-> $output)? {
            // SAFETY: only the kernel tables of this module name this function, and `Arch` gives those out only on
            // processors that have the features of the inner function.
            unsafe { $inner($($argument),*) }
        })*
    };
}
pub(crate) use entry;

/// One word of a sum of products.
fn dot_word<W: Copy + Into<u64>>(modulus: &Modulus, index: usize, a: &[&[u64]], b: &[&[W]]) -> u64 {
    a.iter().zip(b).fold(0, |sum, (a, b)| modulus.mul_add(a[index], b[index].into(), sum))
}

/// One word of each sum of a tensor product.
fn tensor_word(modulus: &Modulus, index: usize, a: [&[u64]; 2], b: [&[u64]; 2]) -> [u64; 3] {
    let [a, b] = [a, b].map(|rows| rows.map(|row| row[index]));
    [modulus.mul(a[0], b[0]), modulus.mul_add(a[0], b[1], modulus.mul(a[1], b[0])), modulus.mul(a[1], b[1])]
}

/// `acc` and one word of a sum of weighted inputs.
fn linear_word(modulus: &Modulus, index: usize, acc: u64, inputs: &[&[u64]], weights: &[u64]) -> u64 {
    inputs.iter().zip(weights).fold(acc, |sum, (input, &weight)| modulus.mul_add(input[index], weight, sum))
}
