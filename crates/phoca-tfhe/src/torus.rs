use core::fmt::Debug;

use phoca_ring::random::PublicStream;

/// A word of the discretised torus: `u32` or `u64`.
pub trait Torus: Copy + Default + Debug + PartialEq + Send + Sync + sealed::Sealed + 'static {
    /// The width in bits.
    const BITS: u32;

    /// The nearest element, for one with 64 bits.
    fn from_u64(word: u64) -> Self;
    /// The same element with 64 bits.
    fn to_u64(self) -> u64;
    /// The sum modulo 1.
    fn plus(self, other: Self) -> Self;
    /// The difference modulo 1.
    fn minus(self, other: Self) -> Self;
    /// `self` where `bit` is 1, zero where it is 0. Constant time.
    fn times_bit(self, bit: u64) -> Self;
    /// An integer multiple modulo 1.
    fn times(self, factor: i64) -> Self;
    /// The first elements of a part of a stream.
    fn expand(stream: &PublicStream, part: u32, out: &mut [Self]);
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for u32 {}
    impl Sealed for u64 {}
}

impl Torus for u64 {
    const BITS: u32 = 64;

    fn from_u64(word: u64) -> Self {
        word
    }

    fn to_u64(self) -> u64 {
        self
    }

    fn plus(self, other: Self) -> Self {
        self.wrapping_add(other)
    }

    fn minus(self, other: Self) -> Self {
        self.wrapping_sub(other)
    }

    fn times_bit(self, bit: u64) -> Self {
        self & bit.wrapping_neg()
    }

    fn times(self, factor: i64) -> Self {
        self.wrapping_mul(factor as u64)
    }

    fn expand(stream: &PublicStream, part: u32, out: &mut [Self]) {
        stream.words(part, out);
    }
}

impl Torus for u32 {
    const BITS: u32 = 32;

    fn from_u64(word: u64) -> Self {
        (word.wrapping_add(1 << 31) >> 32) as u32
    }

    fn to_u64(self) -> u64 {
        u64::from(self) << 32
    }

    fn plus(self, other: Self) -> Self {
        self.wrapping_add(other)
    }

    fn minus(self, other: Self) -> Self {
        self.wrapping_sub(other)
    }

    fn times_bit(self, bit: u64) -> Self {
        self & (bit as u32).wrapping_neg()
    }

    fn times(self, factor: i64) -> Self {
        self.wrapping_mul(factor as u32)
    }

    fn expand(stream: &PublicStream, part: u32, out: &mut [Self]) {
        stream.words32(part, out);
    }
}
