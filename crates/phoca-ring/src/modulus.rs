//! Arithmetic modulo one integer `q` with `2 ≤ q < 2^61`.
//!
//! Residues are `u64` words in `[0, q)` unless a function is named `_lazy`, which states its own range. Nothing here
//! branches on the values of residues, so timing depends on `q` alone, except where a name ends in `_vartime`.
//!
//! Reduction is Barrett's with `floor(2^128 / q)`; a product with a known operand `w` uses Shoup's quotient
//! `floor(w·2^64 / q)` (Harvey, "Faster arithmetic for number-theoretic transforms", 2014, section 2).

use core::fmt;

use crate::RingError;
use crate::arch::{Arch, Kernels, portable};

/// An integer `q` of 2 to 61 bits with the constants for fast reduction modulo `q`.
///
/// It also holds the kernels for slices that suit the processor and the width of `q`; they are chosen once, when the
/// modulus is built, and give the same results on every processor.
#[derive(Clone, Copy)]
pub struct Modulus {
    value: u64,
    bits: u32,
    /// `floor(2^128 / value)`, high word first.
    ratio: [u64; 2],
    /// `floor(2^(bits + 62) / value)`, at most `2^63`.
    product_ratio: u64,
    /// `2^52` and `2^104` modulo `value`, for sums in digits of 52 bits.
    digit_weights: [Shoup; 2],
    kernels: &'static Kernels,
}

/// A residue `w` with the quotient `floor(w·2^64 / q)`, for many products with the same `w`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Shoup {
    /// `w` in `[0, q)`.
    pub value: u64,
    /// `floor(w·2^64 / q)`.
    pub quotient: u64,
}

impl Modulus {
    /// The constants of `value`, with the kernels of [`Arch::selected`].
    ///
    /// # Errors
    ///
    /// [`RingError::InvalidModulus`] unless `2 ≤ value < 2^61`.
    pub fn new(value: u64) -> Result<Self, RingError> {
        Self::with_arch(value, Arch::selected())
    }

    /// The constants of `value`, with the kernels of `arch`.
    ///
    /// # Errors
    ///
    /// [`RingError::InvalidModulus`] unless `2 ≤ value < 2^61`; [`RingError::UnavailableArch`] where this processor
    /// lacks the instructions of `arch`.
    pub fn with_arch(value: u64, arch: Arch) -> Result<Self, RingError> {
        Self::with_kernels(value, |bits| arch.kernels(bits))
    }

    /// The constants of `value`, with the kernels that `choose` gives for its number of bits.
    pub(crate) fn with_kernels(
        value: u64,
        choose: impl FnOnce(u32) -> Result<&'static Kernels, RingError>,
    ) -> Result<Self, RingError> {
        if value < 2 || value >> 61 != 0 {
            return Err(RingError::InvalidModulus { value });
        }
        // floor(2^128 / q) = floor((2^128 - 1) / q) unless q divides 2^128, where it is one more.
        let mut ratio = u128::MAX / value as u128;
        if value.is_power_of_two() {
            ratio += 1;
        }
        let bits = 64 - value.leading_zeros();
        let product_ratio = ((1_u128 << (bits + 62)) / u128::from(value)) as u64;
        let kernels = choose(bits)?;
        let ratio = [(ratio >> 64) as u64, ratio as u64];
        let mut modulus = Self { value, bits, ratio, product_ratio, digit_weights: [Shoup::default(); 2], kernels };
        let [first, second] = [52, 104].map(|bits| modulus.shoup(modulus.reduce_u128(1 << bits)));
        modulus.digit_weights = [first, second];
        Ok(modulus)
    }

    /// `q`.
    #[inline]
    pub const fn value(&self) -> u64 {
        self.value
    }

    /// The number of bits of `q`.
    #[inline]
    pub const fn bits(&self) -> u32 {
        self.bits
    }

    /// `floor(2^128 / q)`, high word first: Barrett's constant.
    #[inline]
    pub const fn ratio(&self) -> [u64; 2] {
        self.ratio
    }

    /// The instruction set whose kernels the operations on slices use.
    #[inline]
    pub fn arch(&self) -> Arch {
        self.kernels.arch
    }

    /// `floor(2^(bits + 62) / q)`: the Barrett constant of [`mul_residues`](Self::mul_residues).
    #[inline]
    pub(crate) const fn product_ratio(&self) -> u64 {
        self.product_ratio
    }

    /// `2^52` and `2^104` modulo `q`.
    #[inline]
    #[cfg_attr(not(target_arch = "x86_64"), allow(dead_code, reason = "only AVX-512 and AVX2 sum in digits"))]
    pub(crate) const fn digit_weights(&self) -> [Shoup; 2] {
        self.digit_weights
    }

    /// `x mod q` for any word.
    #[inline]
    pub const fn reduce(&self, x: u64) -> u64 {
        let quotient = high_product(x, self.ratio[0]);
        self.reduce_once(x.wrapping_sub(quotient.wrapping_mul(self.value)))
    }

    /// `x mod q` for any double word.
    #[inline]
    pub const fn reduce_u128(&self, x: u128) -> u64 {
        let (high, low) = ((x >> 64) as u64, x as u64);
        // The middle word of x·ratio / 2^128; only its low 64 bits matter, and the error is below 2.
        let carry = high_product(low, self.ratio[1]);
        let first = low as u128 * self.ratio[0] as u128 + carry as u128;
        let second = high as u128 * self.ratio[1] as u128 + (first as u64) as u128;
        let quotient =
            high.wrapping_mul(self.ratio[0]).wrapping_add((first >> 64) as u64).wrapping_add((second >> 64) as u64);
        self.reduce_once(low.wrapping_sub(quotient.wrapping_mul(self.value)))
    }

    /// `x mod q` for `x` in `[0, 2q)`.
    #[inline]
    pub const fn reduce_once(&self, x: u64) -> u64 {
        let reduced = x.wrapping_sub(self.value);
        // All ones where the subtraction wrapped: 2q < 2^62, so the sign bit tells.
        let wrapped = ((reduced as i64) >> 63) as u64;
        reduced.wrapping_add(self.value & wrapped)
    }

    /// `x mod q` for any signed word.
    #[inline]
    pub const fn reduce_i64(&self, x: i64) -> u64 {
        let residue = self.reduce(x.unsigned_abs());
        let negative = (x >> 63) as u64;
        (residue & !negative) | (self.neg(residue) & negative)
    }

    /// `a + b` for residues.
    #[inline]
    pub const fn add(&self, a: u64, b: u64) -> u64 {
        self.reduce_once(a + b)
    }

    /// `a - b` for residues.
    #[inline]
    pub const fn sub(&self, a: u64, b: u64) -> u64 {
        self.reduce_once(a + self.value - b)
    }

    /// `-a` for a residue.
    #[inline]
    pub const fn neg(&self, a: u64) -> u64 {
        self.reduce_once(self.value - a)
    }

    /// `a·b` for any two words whose product is wanted modulo `q`.
    #[inline]
    pub const fn mul(&self, a: u64, b: u64) -> u64 {
        self.reduce_u128(a as u128 * b as u128)
    }

    /// `a·b` for two residues: faster than [`mul`](Self::mul).
    ///
    /// With `z = a·b < 2^(2·bits)` the quotient is `floor(floor(z / 2^(bits-2)) · product_ratio / 2^64)`. The two
    /// inner roundings cost at most 1/2 each, the outer one less than 1, so one correction is left.
    #[inline]
    pub const fn mul_residues(&self, a: u64, b: u64) -> u64 {
        debug_assert!(a < self.value && b < self.value);
        let scaled = high_product(a << (64 - self.bits), b << 2);
        let quotient = high_product(scaled, self.product_ratio);
        self.reduce_once(a.wrapping_mul(b).wrapping_sub(quotient.wrapping_mul(self.value)))
    }

    /// `a·b + c` for any three words.
    #[inline]
    pub const fn mul_add(&self, a: u64, b: u64, c: u64) -> u64 {
        self.reduce_u128(a as u128 * b as u128 + c as u128)
    }

    /// `w` with its Shoup quotient; `w` is a residue.
    #[inline]
    pub const fn shoup(&self, w: u64) -> Shoup {
        debug_assert!(w < self.value);
        Shoup { value: w, quotient: (((w as u128) << 64) / self.value as u128) as u64 }
    }

    /// `x·w` in `[0, q)` for any word `x`.
    #[inline]
    pub const fn mul_shoup(&self, x: u64, w: Shoup) -> u64 {
        self.reduce_once(self.mul_shoup_lazy(x, w))
    }

    /// `x·w` in `[0, 2q)` for any word `x`.
    #[inline]
    pub const fn mul_shoup_lazy(&self, x: u64, w: Shoup) -> u64 {
        let quotient = high_product(x, w.quotient);
        x.wrapping_mul(w.value).wrapping_sub(quotient.wrapping_mul(self.value))
    }

    /// `base^exponent`. The time depends on the exponent, never on the base.
    pub const fn pow_vartime(&self, base: u64, mut exponent: u64) -> u64 {
        let mut power = self.reduce(base);
        let mut result = self.reduce(1);
        while exponent != 0 {
            if exponent & 1 == 1 {
                result = self.mul(result, power);
            }
            power = self.mul(power, power);
            exponent >>= 1;
        }
        result
    }

    /// The inverse of `a` modulo `q`, or `None` where `gcd(a, q) ≠ 1`. For public values.
    pub const fn inverse_vartime(&self, a: u64) -> Option<u64> {
        let (mut r0, mut r1) = (self.value as i128, self.reduce(a) as i128);
        let (mut t0, mut t1) = (0_i128, 1_i128);
        while r1 != 0 {
            let quotient = r0 / r1;
            (r0, r1) = (r1, r0 - quotient * r1);
            (t0, t1) = (t1, t0 - quotient * t1);
        }
        if r0 != 1 {
            return None;
        }
        Some(if t0 < 0 { t0 + self.value as i128 } else { t0 } as u64)
    }

    /// The representative of `a` in `(-q/2, q/2]`.
    #[inline]
    pub const fn centered(&self, a: u64) -> i64 {
        let above = (((self.value / 2).wrapping_sub(a) as i64) >> 63) as u64;
        a.wrapping_sub(self.value & above) as i64
    }
}

/// Operations on slices, coefficient by coefficient.
///
/// Residues are in `[0, q)` on input and output unless stated. All slices of one call have the same length.
///
/// # Panics
///
/// Slices of different lengths are a programming error and panic.
impl Modulus {
    /// `a ← a + b`.
    pub fn add_assign(&self, a: &mut [u64], b: &[u64]) {
        assert_eq!(a.len(), b.len());
        debug_assert!(self.all_below(1, a) && self.all_below(1, b));
        (self.kernels.add_assign)(self, a, b);
    }

    /// `a ← a - b`.
    pub fn sub_assign(&self, a: &mut [u64], b: &[u64]) {
        assert_eq!(a.len(), b.len());
        debug_assert!(self.all_below(1, a) && self.all_below(1, b));
        (self.kernels.sub_assign)(self, a, b);
    }

    /// `a ← -a`.
    pub fn negate_assign(&self, a: &mut [u64]) {
        debug_assert!(self.all_below(1, a));
        (self.kernels.negate_assign)(self, a);
    }

    /// `a ← a + c` for a residue `c`.
    pub fn add_scalar_assign(&self, a: &mut [u64], c: u64) {
        debug_assert!(c < self.value && self.all_below(1, a));
        (self.kernels.add_scalar_assign)(self, a, c);
    }

    /// `a ← a∘b`.
    pub fn mul_assign(&self, a: &mut [u64], b: &[u64]) {
        assert_eq!(a.len(), b.len());
        debug_assert!(self.all_below(1, a) && self.all_below(1, b));
        (self.kernels.mul_assign)(self, a, b);
    }

    /// `out ← a∘b`.
    pub fn mul_into(&self, out: &mut [u64], a: &[u64], b: &[u64]) {
        assert_eq!(out.len(), a.len());
        assert_eq!(out.len(), b.len());
        debug_assert!(self.all_below(1, a) && self.all_below(1, b));
        (self.kernels.mul_into)(self, out, a, b);
    }

    /// `acc ← acc + a∘b`.
    pub fn mul_add_assign(&self, acc: &mut [u64], a: &[u64], b: &[u64]) {
        assert_eq!(acc.len(), a.len());
        assert_eq!(acc.len(), b.len());
        debug_assert!([&*acc, a, b].iter().all(|operand| self.all_below(1, operand)));
        (self.kernels.mul_add_assign)(self, acc, a, b);
    }

    /// `a ← a·w` for any words `a`; `w` is from [`shoup`](Self::shoup).
    pub fn mul_scalar_assign(&self, a: &mut [u64], w: Shoup) {
        (self.kernels.mul_scalar_assign)(self, a, w);
    }

    /// `out ← a·w` for any words `a`; `w` is from [`shoup`](Self::shoup).
    pub fn mul_scalar_into(&self, out: &mut [u64], a: &[u64], w: Shoup) {
        assert_eq!(out.len(), a.len());
        (self.kernels.mul_scalar_into)(self, out, a, w);
    }

    /// `acc ← acc + (a·w + b)` for `a` in `[0, 4q)`; `w` is from [`shoup`](Self::shoup).
    pub fn add_scaled_assign(&self, acc: &mut [u64], a: &[u64], w: Shoup, b: &[u64]) {
        assert_eq!(acc.len(), a.len());
        assert_eq!(acc.len(), b.len());
        debug_assert!(self.all_below(1, acc) && self.all_below(4, a) && self.all_below(1, b));
        (self.kernels.add_scaled_assign)(self, acc, a, w, b);
    }

    /// `acc ← acc - (a·w + b)` for `a` in `[0, 4q)`; `w` is from [`shoup`](Self::shoup).
    pub fn sub_scaled_assign(&self, acc: &mut [u64], a: &[u64], w: Shoup, b: &[u64]) {
        assert_eq!(acc.len(), a.len());
        assert_eq!(acc.len(), b.len());
        debug_assert!(self.all_below(1, acc) && self.all_below(4, a) && self.all_below(1, b));
        (self.kernels.sub_scaled_assign)(self, acc, a, w, b);
    }

    /// `out ← a mod q` for any words `a`.
    pub fn reduce_into(&self, out: &mut [u64], a: &[u64]) {
        assert_eq!(out.len(), a.len());
        (self.kernels.reduce_into)(self, out, a);
    }

    /// `out ← (a - b)·w` for `a` in `[0, q)` and `b` in `[0, 4q)`; `w` is from [`shoup`](Self::shoup).
    pub fn sub_mul_scalar_into(&self, out: &mut [u64], a: &[u64], b: &[u64], w: Shoup) {
        assert_eq!(out.len(), a.len());
        assert_eq!(out.len(), b.len());
        debug_assert!(self.all_below(1, a) && self.all_below(4, b));
        (self.kernels.sub_mul_scalar_into)(self, out, a, b, w);
    }

    /// `acc ← acc + a·w` for residues; `w` is from [`shoup`](Self::shoup).
    pub fn mul_scalar_add_assign(&self, acc: &mut [u64], a: &[u64], w: Shoup) {
        assert_eq!(acc.len(), a.len());
        debug_assert!(self.all_below(1, acc) && self.all_below(1, a));
        (self.kernels.mul_scalar_add_assign)(self, acc, a, w);
    }

    /// `out ← a·w` for `a` in `[0, 4q)`, faster than [`mul_scalar_into`](Self::mul_scalar_into); `w` is from
    /// [`shoup`](Self::shoup).
    pub fn scale_into(&self, out: &mut [u64], a: &[u64], w: Shoup) {
        assert_eq!(out.len(), a.len());
        debug_assert!(self.all_below(4, a));
        (self.kernels.scale_into)(self, out, a, w);
    }

    /// `out ← Σ_j a_j∘b_j` for any number of pairs, `a_j` in `[0, 4q)` and `b_j` in `[0, q)`.
    ///
    /// Products are summed in double words and reduced once, so this is faster than repeated
    /// [`mul_add_assign`](Self::mul_add_assign).
    pub fn dot_into(&self, out: &mut [u64], a: &[&[u64]], b: &[&[u64]]) {
        assert_eq!(a.len(), b.len());
        assert!(a.iter().chain(b).all(|input| input.len() == out.len()));
        debug_assert!(a.iter().all(|input| self.all_below(4, input)) && b.iter().all(|input| self.all_below(1, input)));
        (self.kernels.dot_into)(self, out, a, b);
    }

    /// `out ← x + a∘b` for `x` and `a` in `[0, 4q)` and `b` in `[0, q)`.
    pub fn add_product_into(&self, out: &mut [u64], x: &[u64], a: &[u64], b: &[u64]) {
        self.check_product(out, x, a, b);
        (self.kernels.add_product_into)(self, out, x, [a, b]);
    }

    /// `out ← x - a∘b` for `x` and `a` in `[0, 4q)` and `b` in `[0, q)`.
    pub fn sub_product_into(&self, out: &mut [u64], x: &[u64], a: &[u64], b: &[u64]) {
        self.check_product(out, x, a, b);
        (self.kernels.sub_product_into)(self, out, x, [a, b]);
    }

    /// `out0 ← Σ_j a_j∘b0_j` and `out1 ← Σ_j a_j∘b1_j` in one pass over the `a_j`: both halves of a key switch.
    ///
    /// The ranges are those of [`dot_into`](Self::dot_into): `a_j` in `[0, 4q)`, `b0_j` and `b1_j` in `[0, q)`, results in
    /// `[0, q)`.
    pub fn dot_pair_into(&self, out0: &mut [u64], out1: &mut [u64], a: &[&[u64]], b0: &[&[u64]], b1: &[&[u64]]) {
        assert_eq!(a.len(), b0.len());
        assert_eq!(a.len(), b1.len());
        assert_eq!(out0.len(), out1.len());
        assert!([a, b0, b1].into_iter().flatten().all(|input| input.len() == out0.len()));
        debug_assert!(a.iter().all(|input| self.all_below(4, input)));
        debug_assert!(b0.iter().chain(b1).all(|input| self.all_below(1, input)));
        (self.kernels.dot_pair_into)(self, [out0, out1], a, [b0, b1]);
    }

    /// [`dot_pair_into`](Self::dot_pair_into) with `b0_j` and `b1_j` in words of 32 bits, for factors that are kept: half the
    /// bytes from memory. The modulus has at most 32 bits.
    ///
    /// ```
    /// use phoca_ring::Modulus;
    ///
    /// let modulus = Modulus::new(17)?;
    /// let (mut out0, mut out1) = ([0; 2], [0; 2]);
    /// modulus.dot_pair_narrow_into(&mut out0, &mut out1, &[&[2, 3], &[4, 5]], &[&[1, 2], &[3, 4]], &[&[5, 6], &[7, 8]]);
    /// assert_eq!((out0, out1), ([14, 9], [4, 7]));
    /// # Ok::<(), phoca_ring::RingError>(())
    /// ```
    pub fn dot_pair_narrow_into(&self, out0: &mut [u64], out1: &mut [u64], a: &[&[u64]], b0: &[&[u32]], b1: &[&[u32]]) {
        assert!(self.bits <= 32, "residues of {} bits are too wide", self.bits);
        assert_eq!(a.len(), b0.len());
        assert_eq!(a.len(), b1.len());
        assert_eq!(out0.len(), out1.len());
        assert!(a.iter().all(|input| input.len() == out0.len()));
        assert!(b0.iter().chain(b1).all(|input| input.len() == out0.len()));
        debug_assert!(a.iter().all(|input| self.all_below(4, input)));
        debug_assert!(b0.iter().chain(b1).copied().flatten().all(|&word| u64::from(word) < self.value));
        let kernel = self.kernels.dot_pair_narrow_into.unwrap_or(portable::dot_pair_into);
        kernel(self, [out0, out1], a, [b0, b1]);
    }

    /// Whether [`dot_pair_narrow_into`](Self::dot_pair_narrow_into) is faster than [`dot_pair_into`](Self::dot_pair_into): for
    /// moduli of at most 32 bits, where the products keep up with the memory.
    pub fn prefers_narrow_factors(&self) -> bool {
        self.bits <= 32 && self.kernels.dot_pair_narrow_into.is_some()
    }

    /// The product of two linear polynomials: `out ← (a0∘b0, a0∘b1 + a1∘b0, a1∘b1)` in one pass.
    pub fn tensor_into(&self, out: [&mut [u64]; 3], a: [&[u64]; 2], b: [&[u64]; 2]) {
        let len = out[0].len();
        assert!(out.iter().all(|out| out.len() == len) && [a, b].iter().flatten().all(|input| input.len() == len));
        debug_assert!([a, b].iter().flatten().all(|input| self.all_below(1, input)));
        (self.kernels.tensor_into)(self, out, a, b);
    }

    /// `out ← Σ_j inputs_j·weights_j` for words below `2^input_bits ≤ 2^61` that need not be reduced, and weights in
    /// `[0, q)`: one row of a conversion between RNS bases. An empty sum is zero.
    pub fn linear_combination_into(&self, out: &mut [u64], inputs: &[&[u64]], weights: &[u64], input_bits: u32) {
        assert_eq!(inputs.len(), weights.len());
        assert!(input_bits <= 61, "inputs of {input_bits} bits are too wide");
        assert!(inputs.iter().all(|input| input.len() == out.len()));
        debug_assert!(inputs.iter().flat_map(|input| *input).all(|word| word >> input_bits == 0));
        debug_assert!(self.all_below(1, weights));
        (self.kernels.linear_combination_into)(self, out, inputs, weights, input_bits);
    }

    /// `out ← ceil(S/2^bits - 1/2)` with `S = Σ_j inputs_j·reciprocals_j`: the rounded sum of fractions `inputs_j/q_j` of
    /// which the reciprocals are `floor(2^bits/q_j)`.
    ///
    /// The inputs are the residues modulo one `q_j` after the other, `out.len()` of each; no `q_j` has more bits than this
    /// modulus. `bits` is 104, or from 104 to 126 if this modulus has more than 50 bits; `S` is below `2^127`.
    pub(crate) fn round_fractions_into(&self, out: &mut [u64], inputs: &[u64], reciprocals: &[u128], bits: u32) {
        assert_eq!(inputs.len(), out.len() * reciprocals.len());
        debug_assert!(if self.bits <= 50 { bits == 104 } else { (104..=126).contains(&bits) });
        debug_assert!(inputs.iter().all(|input| input >> self.bits == 0));
        (self.kernels.round_fractions_into)(out, inputs, reciprocals, bits);
    }

    fn check_product(&self, out: &[u64], x: &[u64], a: &[u64], b: &[u64]) {
        assert!([x, a, b].iter().all(|input| input.len() == out.len()));
        debug_assert!(self.all_below(4, x) && self.all_below(4, a) && self.all_below(1, b));
    }

    /// Whether all words are below `factor·q`: for the checks of debug builds.
    fn all_below(&self, factor: u64, words: &[u64]) -> bool {
        words.iter().all(|&word| word < factor * self.value)
    }
}

impl PartialEq for Modulus {
    fn eq(&self, other: &Self) -> bool {
        self.value == other.value
    }
}

impl Eq for Modulus {}

impl fmt::Debug for Modulus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Modulus({})", self.value)
    }
}

/// The high word of `a·b`.
#[inline]
pub(crate) const fn high_product(a: u64, b: u64) -> u64 {
    ((a as u128 * b as u128) >> 64) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The smallest, largest and some odd moduli of every width, powers of two among them.
    fn moduli() -> impl Iterator<Item = Modulus> {
        let values = (2..=61).flat_map(|bits| {
            let lowest = 1_u64 << (bits - 1);
            [lowest, lowest + 1, lowest + lowest / 3, 2 * lowest - 1]
        });
        values.map(|value| Modulus::new(value).expect("2 to 61 bits are in range"))
    }

    /// Words of every size, with those around multiples of the modulus.
    fn words(q: u64) -> impl Iterator<Item = u64> {
        let powers = (0..64).flat_map(|bit| [1_u64 << bit, u64::MAX >> bit, 0x9e37_79b9_7f4a_7c15 >> bit]);
        let multiples = [1, 2, 3, u64::MAX / q].into_iter().filter_map(move |multiple| q.checked_mul(multiple));
        powers.chain(multiples.flat_map(|m| [m - 1, m, m.saturating_add(1)])).chain([0])
    }

    #[test]
    fn reductions_agree_with_division() {
        for modulus in moduli() {
            let q = modulus.value();
            for x in words(q) {
                assert_eq!(modulus.reduce(x), x % q, "{x} mod {q}");
                assert_eq!(
                    modulus.reduce_i64(x as i64),
                    (x as i64).rem_euclid(q as i64) as u64,
                    "{} mod {q}",
                    x as i64
                );
                for y in [0, 1, q, x.rotate_left(17), u64::MAX] {
                    let double = (u128::from(x) << 64) | u128::from(y);
                    assert_eq!(modulus.reduce_u128(double), (double % u128::from(q)) as u64, "{double} mod {q}");
                }
            }
        }
    }

    #[test]
    fn products_agree_with_division() {
        for modulus in moduli() {
            let q = modulus.value();
            let product = |x: u64, y: u64| (u128::from(x) * u128::from(y) % u128::from(q)) as u64;
            for x in words(q) {
                for y in [0, 1, q / 2, q - 1, x.rotate_left(29) % q] {
                    assert_eq!(modulus.mul(x, y), product(x, y), "{x}·{y} mod {q}");
                    assert_eq!(modulus.mul_residues(x % q, y), product(x % q, y), "{}·{y} mod {q}", x % q);
                    assert_eq!(modulus.mul_shoup(x, modulus.shoup(y)), product(x, y), "{x}·{y} mod {q}");
                    assert!(modulus.mul_shoup_lazy(x, modulus.shoup(y)) < 2 * q);
                    let sum = u128::from(x) * u128::from(y) + u128::from(u64::MAX);
                    assert_eq!(modulus.mul_add(x, y, u64::MAX), (sum % u128::from(q)) as u64);
                }
            }
        }
    }

    #[test]
    fn centered_residues_are_the_nearest_to_zero() {
        for modulus in moduli() {
            let q = modulus.value() as i64;
            for residue in [0, 1, q / 2 - 1, q / 2, q / 2 + 1, q - 1].map(|x| x.rem_euclid(q)) {
                let centered = modulus.centered(residue as u64);
                assert_eq!(centered.rem_euclid(q), residue);
                assert!(2 * centered > -q && 2 * centered <= q, "{residue} mod {q}");
            }
        }
    }

    #[test]
    fn inverses_and_powers_by_search() {
        for q in 2..60 {
            let modulus = Modulus::new(q).expect("in range");
            for a in 0..q {
                let inverse = (0..q).find(|x| a * x % q == 1);
                assert_eq!(modulus.inverse_vartime(a), inverse, "1/{a} mod {q}");
                let power = (0..13).fold(1 % q, |power, _| power * a % q);
                assert_eq!(modulus.pow_vartime(a, 13), power, "{a}^13 mod {q}");
            }
        }
        let modulus = Modulus::new((1 << 61) - 1).expect("in range");
        let inverse = modulus.inverse_vartime(1 << 60).expect("the modulus is prime");
        assert_eq!(modulus.mul(inverse, 1 << 60), 1);
    }

    #[test]
    fn moduli_out_of_range_are_refused() {
        for value in [0, 1, 1 << 61, u64::MAX] {
            assert_eq!(Modulus::new(value), Err(RingError::InvalidModulus { value }));
        }
        assert!(Modulus::new(2).is_ok() && Modulus::new((1 << 61) - 1).is_ok());
    }
}
