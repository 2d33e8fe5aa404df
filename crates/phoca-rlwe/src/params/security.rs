//! How many bits a coefficient modulus may have at a degree, by published tables.

use core::fmt;

/// Claimed bits of classical security against the best known lattice attacks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum SecurityLevel {
    /// 128 bits.
    Bits128,
    /// 192 bits.
    Bits192,
    /// 256 bits.
    Bits256,
}

impl SecurityLevel {
    /// All levels, weakest first.
    pub const ALL: [Self; 3] = [Self::Bits128, Self::Bits192, Self::Bits256];

    /// 128, 192 or 256.
    pub const fn bits(self) -> u32 {
        match self {
            Self::Bits128 => 128,
            Self::Bits192 => 192,
            Self::Bits256 => 256,
        }
    }
}

/// Where the limits come from. All are for uniform ternary secrets and errors of standard deviation about 3.2.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum SecurityTable {
    /// HomomorphicEncryption.org security standard of 2018, classical: the table that Microsoft SEAL enforces.
    #[default]
    Standard2018,
    /// Bossuat et al., "Security Guidelines for Implementing Homomorphic Encryption", ePrint 2024/463, table 5.2,
    /// classical: stricter by some bits, and it goes on to degree 131072.
    Guidelines2024,
}

impl SecurityTable {
    /// The name under which reports cite the table.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Standard2018 => "HomomorphicEncryption.org 2018",
            Self::Guidelines2024 => "ePrint 2024/463",
        }
    }

    /// The most bits that the product of all primes, the special prime included, may have at `degree`; `None` where the
    /// table has no entry, so that no modulus is known to be secure.
    pub const fn max_bits(self, degree: usize, level: SecurityLevel) -> Option<u32> {
        let row = match (self, degree) {
            (Self::Standard2018, 1024) => [27, 19, 14],
            (Self::Standard2018, 2048) => [54, 37, 29],
            (Self::Standard2018, 4096) => [109, 75, 58],
            (Self::Standard2018, 8192) => [218, 152, 118],
            (Self::Standard2018, 16384) => [438, 305, 237],
            (Self::Standard2018, 32768) => [881, 611, 476],
            (Self::Guidelines2024, 1024) => [26, 0, 0],
            (Self::Guidelines2024, 2048) => [53, 36, 27],
            (Self::Guidelines2024, 4096) => [106, 73, 56],
            (Self::Guidelines2024, 8192) => [214, 147, 114],
            (Self::Guidelines2024, 16384) => [430, 297, 230],
            (Self::Guidelines2024, 32768) => [868, 597, 462],
            (Self::Guidelines2024, 65536) => [1747, 1199, 929],
            (Self::Guidelines2024, 131_072) => [3523, 2411, 1866],
            _ => return None,
        };
        match row[level as usize] {
            0 => None,
            bits => Some(bits),
        }
    }
}

impl fmt::Display for SecurityTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The check that a context makes of its parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Security {
    /// Refuse parameters that the table does not hold to be as strong as the level.
    Checked {
        /// The level.
        level: SecurityLevel,
        /// The table.
        table: SecurityTable,
    },
    /// Check nothing. For tests, and for parameters that were judged by other means.
    Insecure,
}

impl Security {
    /// 128 bits in SEAL's table: the default.
    pub const SEAL_128: Self = Self::Checked { level: SecurityLevel::Bits128, table: SecurityTable::Standard2018 };
}

impl Default for Security {
    fn default() -> Self {
        Self::SEAL_128
    }
}
