//! The negacyclic number-theoretic transform over `Z_q[X]/(X^n + 1)`.
//!
//! With `ψ` the smallest primitive `2n`-th root of unity modulo the prime `q`, the forward transform takes coefficients in
//! natural order to values in bit-reversed order: word `bitrev(i)` becomes the value of the polynomial at `ψ^(2i+1)`. The
//! inverse takes them back and divides by `n`. This is Microsoft SEAL's convention, so its files load without a
//! permutation. Products of polynomials become products of words.
//!
//! The butterflies are lazy (Harvey, "Faster arithmetic for number-theoretic transforms", 2014, section 3).

use core::fmt;
use core::sync::atomic::{AtomicUsize, Ordering};

use alloc::vec::Vec;

use crate::RingError;
use crate::arch::{Arch, NttKernels, Prologue, TransformFrom, Twiddles};
use crate::modulus::{Modulus, Shoup};
use crate::primes::minimal_primitive_root;

/// The largest ring degree.
pub const MAX_DEGREE: usize = 131_072;

/// What the transform of one degree modulo one prime needs.
///
/// All transforms take constant time: it depends on the degree, the prime and the kernels only.
pub struct NttTables {
    modulus: Modulus,
    degree: usize,
    root: u64,
    kernels: &'static NttKernels,
    twiddles: Twiddles,
    count: AtomicUsize,
}

impl NttTables {
    /// The tables of degree `n` (a power of two from 2 to 131072) modulo a prime `q ≡ 1 (mod 2n)`.
    ///
    /// The kernels are of the instruction set that the modulus was built with.
    ///
    /// # Errors
    ///
    /// [`RingError::InvalidDegree`] or [`RingError::NoRootOfUnity`].
    ///
    /// ```
    /// use phoca_ring::{Modulus, NttTables};
    /// let tables = NttTables::new(8, Modulus::new(97)?)?;
    /// // X^4·X^5 = -X
    /// let mut product = [0, 0, 0, 0, 1, 0, 0, 0];
    /// let mut factor = [0, 0, 0, 0, 0, 1, 0, 0];
    /// tables.forward(&mut product);
    /// tables.forward(&mut factor);
    /// tables.modulus().mul_assign(&mut product, &factor);
    /// tables.inverse(&mut product);
    /// assert_eq!(product, [0, 96, 0, 0, 0, 0, 0, 0]);
    /// # Ok::<(), phoca_ring::RingError>(())
    /// ```
    pub fn new(degree: usize, modulus: Modulus) -> Result<Self, RingError> {
        if !degree.is_power_of_two() || !(2..=MAX_DEGREE).contains(&degree) {
            return Err(RingError::InvalidDegree { degree });
        }
        let root = minimal_primitive_root(&modulus, 2 * degree as u64)?;
        let kernels = Arch::ntt_kernels(&modulus, degree);
        Ok(Self::with_kernels(degree, modulus, root, kernels))
    }

    /// The prime.
    pub fn modulus(&self) -> &Modulus {
        &self.modulus
    }

    /// `n`.
    pub fn degree(&self) -> usize {
        self.degree
    }

    /// `ψ`, the smallest primitive `2n`-th root of unity.
    pub fn root(&self) -> u64 {
        self.root
    }

    /// The name of the transform's implementation, for reports.
    pub fn kernel_name(&self) -> &'static str {
        self.kernels.name
    }

    /// How many transforms were done with these tables, for tests and reports of cost; it wraps.
    pub fn transform_count(&self) -> usize {
        self.count.load(Ordering::Relaxed)
    }

    /// Coefficients to values, in place; residues in `[0, q)` in and out.
    ///
    /// # Panics
    ///
    /// Unless `a` has `n` words.
    pub fn forward(&self, a: &mut [u64]) {
        assert_eq!(a.len(), self.degree);
        self.count.fetch_add(1, Ordering::Relaxed);
        (self.kernels.forward)(&self.modulus, &self.twiddles, a);
    }

    /// Coefficients to values, in place; words in `[0, 4q)` in and out.
    ///
    /// # Panics
    ///
    /// Unless `a` has `n` words.
    pub fn forward_lazy(&self, a: &mut [u64]) {
        assert_eq!(a.len(), self.degree);
        debug_assert!(a.iter().all(|&x| x < 4 * self.modulus.value()));
        self.count.fetch_add(1, Ordering::Relaxed);
        (self.kernels.forward_lazy)(&self.modulus, &self.twiddles, a);
    }

    /// The values of `x + offset`, where the coefficients `x` are words of another modulus, or of this one.
    ///
    /// Takes words in `[0, bound)`, for any `bound`, and an `offset` in `[0, q]`; gives residues in `[0, q)`. Where
    /// `bound + offset ≤ 4q` the first pass adds, else it also reduces.
    ///
    /// # Panics
    ///
    /// Unless `out` and `input` have `n` words and `offset ≤ q`.
    ///
    /// ```
    /// use phoca_ring::{Modulus, NttTables};
    /// let tables = NttTables::new(8, Modulus::new(97)?)?;
    /// let mut out = [0; 8];
    /// // 1000 + 70 = 3 (mod 97)
    /// tables.forward_from(&mut out, &[1000, 0, 0, 0, 0, 0, 0, 0], 1 << 60, 70);
    /// let mut expected = [3, 70, 70, 70, 70, 70, 70, 70];
    /// tables.forward(&mut expected);
    /// assert_eq!(out, expected);
    /// # Ok::<(), phoca_ring::RingError>(())
    /// ```
    pub fn forward_from(&self, out: &mut [u64], input: &[u64], bound: u64, offset: u64) {
        self.forward_after(self.kernels.forward_from, out, input, self.addition(bound, offset));
    }

    /// As [`Self::forward_from`], but gives words in `[0, 4q)`.
    ///
    /// # Panics
    ///
    /// As [`Self::forward_from`].
    pub fn forward_lazy_from(&self, out: &mut [u64], input: &[u64], bound: u64, offset: u64) {
        self.forward_after(self.kernels.forward_lazy_from, out, input, self.addition(bound, offset));
    }

    /// As [`Self::forward_lazy_from`], the values of `factor·x + offset`, with a factor of this modulus.
    ///
    /// # Panics
    ///
    /// As [`Self::forward_from`].
    pub fn forward_lazy_scaled_from(&self, out: &mut [u64], input: &[u64], bound: u64, factor: Shoup, offset: u64) {
        let prologue = Prologue { bound, factor: Some(factor), offset };
        self.forward_after(self.kernels.forward_lazy_from, out, input, prologue);
    }

    /// The prologue that adds, and reduces where it must.
    fn addition(&self, bound: u64, offset: u64) -> Prologue {
        let fits = bound <= 4 * self.modulus.value() - offset.min(self.modulus.value());
        Prologue { bound, factor: (!fits).then(|| self.modulus.shoup(1)), offset }
    }

    fn forward_after(&self, transform: TransformFrom, out: &mut [u64], input: &[u64], prologue: Prologue) {
        assert_eq!((out.len(), input.len()), (self.degree, self.degree));
        assert!(prologue.offset <= self.modulus.value(), "an offset of {} is too large", prologue.offset);
        debug_assert!(input.iter().all(|&x| x < prologue.bound));
        self.count.fetch_add(1, Ordering::Relaxed);
        transform(&self.modulus, &self.twiddles, out, input, prologue);
    }

    /// Values to coefficients, in place; residues in `[0, q)` in and out.
    ///
    /// # Panics
    ///
    /// Unless `a` has `n` words.
    pub fn inverse(&self, a: &mut [u64]) {
        assert_eq!(a.len(), self.degree);
        self.count.fetch_add(1, Ordering::Relaxed);
        (self.kernels.inverse)(&self.modulus, &self.twiddles, a);
    }

    /// Values to coefficients, in place; words in `[0, 2q)` in and out.
    ///
    /// # Panics
    ///
    /// Unless `a` has `n` words.
    pub fn inverse_lazy(&self, a: &mut [u64]) {
        assert_eq!(a.len(), self.degree);
        debug_assert!(a.iter().all(|&x| x < 2 * self.modulus.value()));
        self.count.fetch_add(1, Ordering::Relaxed);
        (self.kernels.inverse_lazy)(&self.modulus, &self.twiddles, a);
    }

    /// As many forward butterflies as a transform takes, without its memory and permutations: in registers, as far as the
    /// processor has enough. The time is the floor for [`Self::forward_lazy`], which benchmarks report it against.
    ///
    /// Returns a word without a meaning that depends on all of them.
    pub fn butterflies(&self) -> u64 {
        (self.kernels.butterflies)(&self.modulus, &self.twiddles, self.degree / 2 * self.degree.ilog2() as usize)
    }

    /// The tables for given kernels, which must suit the processor, the modulus and the degree.
    pub(crate) fn with_kernels(degree: usize, modulus: Modulus, root: u64, kernels: &'static NttKernels) -> Self {
        let inverse_root = modulus.pow_vartime(root, 2 * degree as u64 - 1);
        // n^-1 = -(q - 1)/n, because n divides q - 1.
        let inverse_degree = modulus.value() - (modulus.value() - 1) / degree as u64;
        let forward = bit_reversed_powers(&modulus, root, degree);
        let mut inverse = bit_reversed_powers(&modulus, inverse_root, degree);
        inverse[0] = inverse_degree;
        inverse[1] = modulus.mul_residues(inverse[1], inverse_degree);
        let twiddles =
            Twiddles { forward: (kernels.prepare)(&modulus, &forward), inverse: (kernels.prepare)(&modulus, &inverse) };
        Self { modulus, degree, root, kernels, twiddles, count: AtomicUsize::new(0) }
    }
}

impl fmt::Debug for NttTables {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NttTables")
            .field("modulus", &self.modulus.value())
            .field("degree", &self.degree)
            .field("root", &self.root)
            .field("kernel", &self.kernels.name)
            .finish()
    }
}

/// `root^bitrev(k)` for `k` from 0 to `n - 1`.
fn bit_reversed_powers(modulus: &Modulus, root: u64, n: usize) -> Vec<u64> {
    let root = modulus.shoup(root);
    let shift = usize::BITS - n.ilog2();
    let mut powers = alloc::vec![0; n];
    let mut power = 1;
    for exponent in 0..n {
        powers[exponent.reverse_bits() >> shift] = power;
        power = modulus.mul_shoup(power, root);
    }
    powers
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn degrees_and_primes_without_a_transform_are_refused() -> Result<(), RingError> {
        let modulus = Modulus::new(97)?;
        for degree in [0, 1, 3, 12, 2 * MAX_DEGREE, usize::MAX] {
            assert_eq!(NttTables::new(degree, modulus).err(), Some(RingError::InvalidDegree { degree }));
        }
        // 97 is 1 modulo 32, but not modulo 64.
        assert!(NttTables::new(16, modulus).is_ok());
        let error = RingError::NoRootOfUnity { modulus: 97, order: 64 };
        assert_eq!(NttTables::new(32, modulus).err(), Some(error));
        Ok(())
    }

    #[test]
    fn roots_are_those_of_seal() -> Result<(), RingError> {
        let tables = NttTables::new(4096, Modulus::new(68_719_230_977)?)?;
        assert_eq!((tables.degree(), tables.modulus().value(), tables.root()), (4096, 68_719_230_977, 29_008_497));
        Ok(())
    }
}
