//! Bounds on the error inside of ciphertexts.

use crate::ciphertext::Ciphertext;
use crate::context::{Context, Level};
use crate::plaintext::Plaintext;

/// What is known about the error inside of a ciphertext, as a power of two.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NoiseBound {
    worst: f64,
}

impl NoiseBound {
    /// Nothing is known, as for a ciphertext that came from a file.
    pub const UNKNOWN: Self = Self { worst: f64::INFINITY };

    pub(crate) fn fresh_symmetric(_context: &Context) -> Self {
        Self::UNKNOWN
    }

    pub(crate) fn fresh_public(_context: &Context) -> Self {
        Self::UNKNOWN
    }

    pub(crate) fn with_message(self, _context: &Context, _plaintext: &Plaintext) -> Self {
        self
    }

    pub(crate) fn sum(a: Self, b: Self) -> Self {
        Self {
            worst: a.worst + b.worst,
        }
    }

    pub(crate) fn scaled(self, _factor: f64) -> Self {
        self
    }

    pub(crate) fn product(_a: &Ciphertext, _b: &Ciphertext, _context: &Context, _level: &Level) -> Self {
        Self::UNKNOWN
    }

    pub(crate) fn key_switched(self, _context: &Context, _level: &Level) -> Self {
        self
    }

    pub(crate) fn divided(self, _context: &Context, _next: &Level, _size: usize) -> Self {
        self
    }

    pub(crate) fn dropped(self, _context: &Context, _next: &Level) -> Self {
        self
    }

    pub(crate) fn plus_plain(self, _context: &Context, _plaintext: &Plaintext) -> Self {
        self
    }

    pub(crate) fn times_plain(self, _context: &Context, _plaintext: &Plaintext) -> Self {
        self
    }
}
