//! Keys: secret, public, and those for key switching.
//!
//! All keys live at the key level (all primes, the special prime included) in NTT form, as in SEAL.

mod generator;
mod narrow;

use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use core::fmt;
use core::ops::Range;

use phoca_ring::Buffer;
use subtle::ConstantTimeEq;
use zeroize::Zeroize;

pub use generator::{GaloisSelection, KeyGenerator};

use crate::ciphertext::Ciphertext;
use crate::context::{Context, Level};
use crate::error::Error;
use crate::params::ParmsId;
pub(crate) use narrow::NarrowRows;
use narrow::NarrowWords;

/// The secret polynomial `s` with coefficients in {−1, 0, 1}, in NTT form at the key level.
///
/// A prefix of its limbs serves every level. Wiped on drop; neither shown nor compared in variable time.
#[derive(Clone)]
pub struct SecretKey {
    pub(crate) parms_id: ParmsId,
    pub(crate) data: Buffer,
}

impl SecretKey {
    /// The id of the key level.
    pub fn parms_id(&self) -> ParmsId {
        self.parms_id
    }
}

impl Drop for SecretKey {
    fn drop(&mut self) {
        self.data.zeroize();
    }
}

impl PartialEq for SecretKey {
    fn eq(&self, other: &Self) -> bool {
        self.parms_id == other.parms_id
            && self.data.len() == other.data.len()
            && bool::from(self.data.ct_eq(&other.data))
    }
}

impl Eq for SecretKey {}

impl fmt::Debug for SecretKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SecretKey").field("parms_id", &self.parms_id).finish_non_exhaustive()
    }
}

/// An encryption of zero under the secret key, at the key level in NTT form.
#[derive(Clone, Debug, PartialEq)]
pub struct PublicKey(pub(crate) Ciphertext);

impl PublicKey {
    /// The id of the key level.
    pub fn parms_id(&self) -> ParmsId {
        self.0.parms_id
    }

    /// Whether the uniform half is known to be the expansion of a seed, so that files can be half as long.
    pub fn is_seeded(&self) -> bool {
        self.0.is_seeded()
    }

    /// The encryption of zero itself.
    pub fn as_ciphertext(&self) -> &Ciphertext {
        &self.0
    }
}

/// Key switching from one secret `w` to the secret key: for each data prime, an encryption of zero plus
/// `P·w` in that prime's limb alone.
///
/// Where the processor gains from it, the first use also stores the words modulo primes below `2^32` in 32 bits each: up to
/// half of the key's size more, which a clone does not take along.
#[derive(Clone, Debug, PartialEq)]
pub struct KeySwitchKey {
    pub(crate) digits: Vec<PublicKey>,
    narrow: NarrowWords,
}

impl KeySwitchKey {
    pub(crate) fn new(digits: Vec<PublicKey>) -> Self {
        Self { digits, narrow: NarrowWords::default() }
    }

    /// One public key for each data prime of the first level.
    pub fn digits(&self) -> &[PublicKey] {
        &self.digits
    }

    /// Makes what only evaluation needs, once, after the check that there is a digit for each prime of `level`: for each data
    /// prime, that is.
    pub(crate) fn prepare(&self, context: &Context, level: &Level) -> Result<(), Error> {
        if self.digits.len() < level.prime_count() {
            return Err(Error::KeySwitchingAtKeyLevel);
        }
        self.narrow.prepare(context, &self.digits);
        Ok(())
    }

    /// Both halves of a range of digits modulo prime `limb` of the key level in words of 32 bits, where they are there.
    pub(crate) fn narrow_halves(
        &self,
        context: &Context,
        limb: usize,
        digits: Range<usize>,
    ) -> Option<[NarrowRows<'_>; 2]> {
        self.narrow.halves(context, limb, digits)
    }
}

/// Key-switching keys by index: what relinearization and Galois keys have in common, and SEAL's file layout of both.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct KeySwitchKeys {
    pub(crate) parms_id: ParmsId,
    /// How many entries, mostly empty, the file layout has.
    pub(crate) outer_count: usize,
    pub(crate) keys: BTreeMap<usize, KeySwitchKey>,
}

/// Keys that bring `s^2`, `s^3`, … back to `s`, so that products shrink to two polynomials.
#[derive(Clone, Debug, PartialEq)]
pub struct RelinKeys(pub(crate) KeySwitchKeys);

impl RelinKeys {
    /// The id of the key level.
    pub fn parms_id(&self) -> ParmsId {
        self.0.parms_id
    }

    /// How many powers have a key.
    pub fn len(&self) -> usize {
        self.0.keys.len()
    }

    /// Whether there is no key.
    pub fn is_empty(&self) -> bool {
        self.0.keys.is_empty()
    }

    /// The powers of the secret that have a key, ascending; each is at least 2.
    pub fn powers(&self) -> impl Iterator<Item = usize> {
        self.0.keys.keys().map(|index| index + 2)
    }

    /// Whether there is a key for `s^power`.
    pub fn has_key(&self, power: usize) -> bool {
        self.key(power).is_ok()
    }

    /// The key for `s^power`.
    ///
    /// # Errors
    ///
    /// [`Error::MissingRelinKey`].
    pub fn key(&self, power: usize) -> Result<&KeySwitchKey, Error> {
        let index = power.checked_sub(2);
        index.and_then(|index| self.0.keys.get(&index)).ok_or(Error::MissingRelinKey { power })
    }
}

/// Keys that bring `s(X^g)` back to `s`, for rotations and conjugation.
#[derive(Clone, Debug, PartialEq)]
pub struct GaloisKeys(pub(crate) KeySwitchKeys);

impl GaloisKeys {
    /// The id of the key level.
    pub fn parms_id(&self) -> ParmsId {
        self.0.parms_id
    }

    /// How many Galois elements have a key.
    pub fn len(&self) -> usize {
        self.0.keys.len()
    }

    /// Whether there is no key.
    pub fn is_empty(&self) -> bool {
        self.0.keys.is_empty()
    }

    /// The Galois elements that have a key, ascending; each is odd.
    pub fn elements(&self) -> impl Iterator<Item = u64> {
        self.0.keys.keys().map(|&index| 2 * index as u64 + 1)
    }

    /// Both sets of keys, which must belong to one secret key; where both have one for an element, that of `other` stays.
    ///
    /// # Errors
    ///
    /// [`Error::ParametersMismatch`] where the sets belong to different parameters.
    pub fn merged(mut self, other: Self) -> Result<Self, Error> {
        let (expected, got) = (self.parms_id(), other.parms_id());
        if expected != got {
            return Err(Error::ParametersMismatch {
                object: "the second set of Galois keys",
                expected,
                levels: 1,
                got,
            });
        }
        self.0.keys.extend(other.0.keys);
        Ok(self)
    }

    /// Whether there is a key for `element`.
    pub fn has_key(&self, element: u64) -> bool {
        self.key(element).is_ok()
    }

    /// The key for the Galois element `element`.
    ///
    /// # Errors
    ///
    /// [`Error::MissingGaloisKey`].
    pub fn key(&self, element: u64) -> Result<&KeySwitchKey, Error> {
        let index = (element & 1 == 1).then_some((element / 2) as usize);
        index.and_then(|index| self.0.keys.get(&index)).ok_or(Error::MissingGaloisKey { element })
    }
}
