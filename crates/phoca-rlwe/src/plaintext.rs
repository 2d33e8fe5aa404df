//! Plaintexts: encoded messages.

use core::fmt;

use phoca_ring::Buffer;
use zeroize::Zeroize;

use crate::noise::MessageBound;
use crate::params::ParmsId;

/// A polynomial that holds an encoded message.
///
/// BFV and BGV: in coefficient form, coefficients in `[0, t)`, at most `n` of them (missing ones are zero), `parms_id`
/// zero and scale 1; or, after [`plain_to_ntt`](crate::Evaluator::plain_to_ntt), in NTT form at a level.
/// CKKS: always in NTT form at a level, limb-major, `n` words for each prime. The contents are wiped on drop.
#[derive(Clone)]
pub struct Plaintext {
    pub(crate) parms_id: ParmsId,
    pub(crate) scale: f64,
    pub(crate) data: Buffer,
    /// What the encoder knows about the message's size.
    pub(crate) bound: Option<MessageBound>,
}

impl Plaintext {
    /// A plaintext in coefficient form; `coefficients` come lowest degree first and are in `[0, t)`.
    ///
    /// Operations check the range against the context's `t`.
    pub fn from_coefficients(coefficients: &[u64]) -> Self {
        Self { parms_id: ParmsId::ZERO, scale: 1.0, data: Buffer::from_slice(coefficients), bound: None }
    }

    /// The words: coefficients lowest degree first, or NTT values limb-major.
    pub fn words(&self) -> &[u64] {
        &self.data
    }

    /// How many words there are: coefficients, or `n` times the primes of the level.
    pub fn len(&self) -> usize {
        self.data.len()
    }

    /// Whether there are no words.
    pub fn is_empty(&self) -> bool {
        self.data.is_empty()
    }

    /// Whether every word is zero.
    pub fn is_zero(&self) -> bool {
        self.data.iter().all(|&word| word == 0)
    }

    /// Words up to the last that is not zero.
    pub fn significant_len(&self) -> usize {
        self.data.iter().rposition(|&word| word != 0).map_or(0, |last| last + 1)
    }

    /// Words that are not zero.
    pub fn nonzero_count(&self) -> usize {
        self.data.iter().filter(|&&word| word != 0).count()
    }

    /// Whether this is in NTT form.
    pub fn is_ntt_form(&self) -> bool {
        !self.parms_id.is_zero()
    }

    /// The level's id, or [`ParmsId::ZERO`] in coefficient form.
    pub fn parms_id(&self) -> ParmsId {
        self.parms_id
    }

    /// The factor by which encoding multiplied the values; 1 for BFV and BGV.
    pub fn scale(&self) -> f64 {
        self.scale
    }

    /// Declares another scale, for callers who know better: the words stay.
    pub fn set_scale(&mut self, scale: f64) {
        self.scale = scale;
    }

    pub(crate) fn form(&self) -> &'static str {
        if self.is_ntt_form() { "NTT" } else { "coefficient" }
    }
}

/// Compares what SEAL's files hold; the bound on the message is not part of it.
impl PartialEq for Plaintext {
    fn eq(&self, other: &Self) -> bool {
        self.parms_id == other.parms_id && self.scale == other.scale && self.data == other.data
    }
}

/// Shows everything but the message.
impl fmt::Debug for Plaintext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Plaintext")
            .field("form", &self.form())
            .field("words", &self.len())
            .field("scale", &self.scale)
            .finish_non_exhaustive()
    }
}

impl Drop for Plaintext {
    fn drop(&mut self) {
        self.data.zeroize();
    }
}
