//! Pairs of doubles in plain Rust, which compilers turn into vectors of 128 bits. Products and sums are rounded apart.

use super::{FourierKernels, Lanes, passes};

pub(crate) static KERNELS: FourierKernels = FourierKernels {
    name: "portable",
    width: 2,
    longest_pass: 2,
    fused: false,
    forward: passes::forward::<Pair, 2>,
    backward_add: passes::backward_add::<Pair, 2>,
    select_rotated: passes::select_rotated::<Pair, 2>,
};

#[derive(Clone, Copy)]
struct Pair([f64; 2]);

/// `1.5·2^52`: adding and subtracting it rounds numbers below `2^51` to integers.
const ROUNDER: f64 = 6_755_399_441_055_744.0;

/// `2^32`.
const HALF_WORD: f64 = 4_294_967_296.0;

impl Pair {
    #[inline(always)]
    fn with(self, other: Self, operation: impl Fn(f64, f64) -> f64) -> Self {
        Self([operation(self.0[0], other.0[0]), operation(self.0[1], other.0[1])])
    }
}

impl Lanes<2> for Pair {
    type Words = [u64; 2];

    #[inline(always)]
    fn splat(x: f64) -> Self {
        Self([x; 2])
    }

    #[inline(always)]
    fn load(from: &[f64; 2]) -> Self {
        Self(*from)
    }

    #[inline(always)]
    fn store(self, to: &mut [f64; 2]) {
        *to = self.0;
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        self.with(other, |a, b| a + b)
    }

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        self.with(other, |a, b| a - b)
    }

    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        self.with(other, |a, b| a * b)
    }

    #[inline(always)]
    fn mul_add(self, factor: Self, addend: Self) -> Self {
        addend.add(self.mul(factor))
    }

    #[inline(always)]
    fn neg_mul_add(self, factor: Self, addend: Self) -> Self {
        addend.sub(self.mul(factor))
    }

    #[inline(always)]
    fn transpose([a, b]: [Self; 2]) -> [Self; 2] {
        [Self([a.0[0], b.0[0]]), Self([a.0[1], b.0[1]])]
    }

    #[inline(always)]
    fn prefetch(_: &f64) {}

    #[inline(always)]
    fn splat_words(x: u64) -> [u64; 2] {
        [x; 2]
    }

    #[inline(always)]
    fn load_words(from: &[u64; 2]) -> [u64; 2] {
        *from
    }

    #[inline(always)]
    fn store_words(words: [u64; 2], to: &mut [u64; 2]) {
        *to = words;
    }

    #[inline(always)]
    fn add_words(a: [u64; 2], b: [u64; 2]) -> [u64; 2] {
        [a[0].wrapping_add(b[0]), a[1].wrapping_add(b[1])]
    }

    #[inline(always)]
    fn sub_words(a: [u64; 2], b: [u64; 2]) -> [u64; 2] {
        [a[0].wrapping_sub(b[0]), a[1].wrapping_sub(b[1])]
    }

    #[inline(always)]
    fn digit(words: [u64; 2], shift: u32, bits: u32) -> Self {
        let mask = (1_u64 << bits) - 1;
        let half = 1_i64 << (bits - 1);
        Self(words.map(|word| (((word >> shift) & mask) as i64 - half) as f64))
    }

    #[inline(always)]
    fn from_words(words: [u64; 2]) -> Self {
        Self(words.map(|word| word as i64 as f64))
    }

    #[inline(always)]
    fn fraction(self) -> [u64; 2] {
        self.0.map(|x| {
            let reduced = x - ((x + ROUNDER) - ROUNDER);
            let scaled = reduced * HALF_WORD;
            let high = (scaled + ROUNDER) - ROUNDER;
            let low = (scaled - high) * HALF_WORD + ROUNDER;
            let low = low.to_bits().wrapping_sub(ROUNDER.to_bits());
            let high = (high + ROUNDER).to_bits().wrapping_sub(ROUNDER.to_bits());
            (high << 32).wrapping_add(low)
        })
    }
}
