use crate::Error;

/// An unsigned number of 256 bits: words, least significant first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct U256(pub [u64; 4]);

/// A signed number of 256 bits in two's complement: words, least significant first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct I256(pub [u64; 4]);

/// A clear number for integers that are signed, or not.
pub trait Clear<const SIGNED: bool>: Copy {
    /// The number in two's complement of 256 bits.
    fn to_words(self) -> [u64; 4];
    /// The number of the lowest bits.
    fn from_words(words: [u64; 4]) -> Self;
}

macro_rules! unsigned {
    ($($type:ty),*) => {
        $(impl Clear<false> for $type {
            fn to_words(self) -> [u64; 4] {
                let wide = self as u128;
                [wide as u64, (wide >> 64) as u64, 0, 0]
            }

            fn from_words(words: [u64; 4]) -> Self {
                (u128::from(words[0]) | u128::from(words[1]) << 64) as $type
            }
        })*
    };
}

macro_rules! signed {
    ($($type:ty),*) => {
        $(impl Clear<true> for $type {
            fn to_words(self) -> [u64; 4] {
                let wide = self as i128;
                let sign = (wide >> 127) as u64;
                [wide as u64, (wide >> 64) as u64, sign, sign]
            }

            fn from_words(words: [u64; 4]) -> Self {
                (u128::from(words[0]) | u128::from(words[1]) << 64) as $type
            }
        })*
    };
}

unsigned!(u8, u16, u32, u64, u128);
signed!(i8, i16, i32, i64, i128);

impl Clear<false> for U256 {
    fn to_words(self) -> [u64; 4] {
        self.0
    }

    fn from_words(words: [u64; 4]) -> Self {
        Self(words)
    }
}

impl Clear<true> for I256 {
    fn to_words(self) -> [u64; 4] {
        self.0
    }

    fn from_words(words: [u64; 4]) -> Self {
        Self(words)
    }
}

/// The words of a number that fits in so many bits.
pub(super) fn fitting<const SIGNED: bool>(value: impl Clear<SIGNED>, bits: usize) -> Result<[u64; 4], Error> {
    let words = value.to_words();
    if extended(words, bits, SIGNED) == words { Ok(words) } else { Err(Error::TooWide { bits, signed: SIGNED }) }
}

/// The lowest bits, continued with the sign or with zeros.
pub(super) fn extended(words: [u64; 4], bits: usize, signed: bool) -> [u64; 4] {
    let sign = signed && words[(bits - 1) / 64] >> ((bits - 1) % 64) & 1 == 1;
    let mut extended = words;
    for (index, word) in extended.iter_mut().enumerate() {
        let kept = match bits.saturating_sub(64 * index) {
            0 => 0,
            kept @ 1..64 => (1 << kept) - 1,
            _ => u64::MAX,
        };
        *word = *word & kept | if sign { !kept } else { 0 };
    }
    extended
}
