//! Ciphertexts of all three schemes.

use core::fmt;

use phoca_ring::Buffer;
use phoca_ring::random::{SealGenerator, Seed};

use crate::context::{Context, Level};
use crate::error::Error;
use crate::noise::NoiseBound;
use crate::params::ParmsId;

/// The fewest and most polynomials of a ciphertext that is not empty.
pub const SIZE_RANGE: core::ops::RangeInclusive<usize> = 2..=16;

/// Polynomials `c_0, …, c_{s-1}` with `c_0 + c_1·s + … + c_{s-1}·s^{s-1} = message + noise` modulo the level's primes.
///
/// The words are polynomial-major, then prime, then coefficient: word `(p·k + j)·n + i` is coefficient `i` of
/// polynomial `p` modulo prime `j`, or the NTT value in SEAL's bit-reversed order.
#[derive(Clone)]
pub struct Ciphertext {
    pub(crate) parms_id: ParmsId,
    /// Degree `n`.
    pub(crate) degree: usize,
    /// Primes of the level, `k`.
    pub(crate) prime_count: usize,
    pub(crate) ntt_form: bool,
    pub(crate) scale: f64,
    /// BGV: the plaintext is this factor's inverse times the phase modulo `t`. Otherwise 1.
    pub(crate) correction_factor: u64,
    pub(crate) data: Buffer,
    /// Whence `c_1` was expanded, while it still is that expansion.
    pub(crate) seed: Option<ExpansionSeed>,
    pub(crate) noise: NoiseBound,
}

/// The public seed from which the uniform half of a fresh symmetric ciphertext or key is expanded.
#[derive(Clone)]
#[cfg_attr(not(feature = "std"), allow(dead_code, reason = "only files hold seeds"))]
pub(crate) struct ExpansionSeed {
    pub(crate) generator: SealGenerator,
    pub(crate) seed: Seed,
}

impl Ciphertext {
    /// A ciphertext of `size` polynomials at `level` with unspecified words: whoever makes it writes them all.
    pub(crate) fn unwritten(context: &Context, level: &Level, size: usize, ntt_form: bool) -> Self {
        let (degree, prime_count) = (context.degree(), level.prime_count());
        Self {
            parms_id: level.parms_id(),
            degree,
            prime_count,
            ntt_form,
            scale: 1.0,
            correction_factor: 1,
            data: context.buffers().take(size * prime_count * degree),
            seed: None,
            noise: NoiseBound::UNKNOWN,
        }
    }

    /// The id of the level.
    pub fn parms_id(&self) -> ParmsId {
        self.parms_id
    }

    /// How many polynomials there are; 2 when fresh, 3 after one multiplication.
    pub fn size(&self) -> usize {
        match self.degree * self.prime_count {
            0 => 0,
            words => self.data.len() / words,
        }
    }

    /// Degree `n` of the ring.
    pub fn degree(&self) -> usize {
        self.degree
    }

    /// How many primes the level has.
    pub fn prime_count(&self) -> usize {
        self.prime_count
    }

    /// Whether the polynomials are in NTT form.
    pub fn is_ntt_form(&self) -> bool {
        self.ntt_form
    }

    /// CKKS: the factor between the encrypted values and the encoded numbers. Otherwise 1.
    pub fn scale(&self) -> f64 {
        self.scale
    }

    /// Declares another scale, for callers who know better: the words stay.
    pub fn set_scale(&mut self, scale: f64) {
        self.scale = scale;
    }

    /// Drops the last polynomials, or appends zero ones, which change no message: the `resize` of SEAL.
    ///
    /// # Errors
    ///
    /// [`Error::SizeOutOfRange`] unless `size` is 0 or 2 to 16.
    pub fn resize(&mut self, size: usize) -> Result<(), Error> {
        if size != 0 && !SIZE_RANGE.contains(&size) {
            return Err(Error::SizeOutOfRange { expected: "0 or 2 to 16", got: size });
        }
        if size < self.size() {
            self.noise = NoiseBound::UNKNOWN;
        }
        if size < 2 {
            self.seed = None;
        }
        self.data.resize(size * self.polynomial_len());
        Ok(())
    }

    /// BGV: decryption multiplies by this factor's inverse modulo `t`. Otherwise 1.
    pub fn correction_factor(&self) -> u64 {
        self.correction_factor
    }

    /// Whether all polynomials but the first are zero, so that it decrypts without a key.
    pub fn is_transparent(&self) -> bool {
        let words = self.degree * self.prime_count;
        self.data.len() <= words || self.data[words..].iter().all(|&word| word == 0)
    }

    /// Whether the second polynomial is known to be the expansion of a seed, so that files can be half as long.
    pub fn is_seeded(&self) -> bool {
        self.seed.is_some()
    }

    /// What is known about the error inside.
    pub fn noise(&self) -> NoiseBound {
        self.noise
    }

    /// All words.
    pub fn words(&self) -> &[u64] {
        &self.data
    }

    /// Polynomial `index`, `n` words for each prime.
    pub fn polynomial(&self, index: usize) -> Option<&[u64]> {
        let words = self.polynomial_len();
        let start = index.checked_mul(words)?;
        self.data.get(start..start.checked_add(words)?)
    }

    /// Words of one polynomial: `n·k`.
    pub(crate) fn polynomial_len(&self) -> usize {
        self.degree * self.prime_count
    }

    /// All polynomials in order.
    pub(crate) fn polynomials(&self) -> core::slice::ChunksExact<'_, u64> {
        self.data.chunks_exact(self.polynomial_len())
    }

    /// All polynomials in order; whoever writes to them takes care of `seed` and `noise`.
    pub(crate) fn polynomials_mut(&mut self) -> core::slice::ChunksExactMut<'_, u64> {
        let len = self.polynomial_len();
        self.data.chunks_exact_mut(len)
    }

    pub(crate) fn form(&self) -> &'static str {
        if self.ntt_form { "NTT" } else { "coefficient" }
    }
}

/// Compares what SEAL's files hold; the noise bound is not part of it.
impl PartialEq for Ciphertext {
    fn eq(&self, other: &Self) -> bool {
        self.parms_id == other.parms_id
            && self.degree == other.degree
            && self.prime_count == other.prime_count
            && self.ntt_form == other.ntt_form
            && self.scale == other.scale
            && self.correction_factor == other.correction_factor
            && self.data == other.data
    }
}

impl fmt::Debug for Ciphertext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ciphertext")
            .field("size", &self.size())
            .field("degree", &self.degree)
            .field("prime_count", &self.prime_count)
            .field("form", &self.form())
            .field("scale", &self.scale)
            .field("correction_factor", &self.correction_factor)
            .field("seeded", &self.is_seeded())
            .finish_non_exhaustive()
    }
}
