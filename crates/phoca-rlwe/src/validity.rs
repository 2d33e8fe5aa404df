//! Whether objects belong to a context: the checks that operations make, and questions for callers.
//!
//! Loading and every operation check by themselves, and an object that one context made or loaded is always valid for
//! it: `is_valid_for` is for callers that hold objects of several contexts and want to ask first.

use phoca_ring::Modulus;
use phoca_ring::message::all_below;

use crate::ciphertext::{Ciphertext, SIZE_RANGE};
use crate::context::{Context, Level};
use crate::error::Error;
use crate::keys::{GaloisKeys, KeySwitchKeys, PublicKey, RelinKeys, SecretKey};
use crate::params::Scheme;
use crate::plaintext::Plaintext;

impl Plaintext {
    /// Whether operations of `context` take it: coefficients below `t` and at most `n` of them, or NTT values at one of
    /// its levels.
    pub fn is_valid_for(&self, context: &Context) -> bool {
        if !self.is_ntt_form() {
            return context.scheme() != Scheme::Ckks && context.check_coefficients(self).is_ok();
        }
        context.check_ntt_plaintext(self).is_ok_and(|level| are_reduced(level, context, self.words()))
    }
}

impl Ciphertext {
    /// Whether it is at a level of `context`, of a legal size, with reduced words.
    pub fn is_valid_for(&self, context: &Context) -> bool {
        context.level_of(self, "the ciphertext").is_ok_and(|level| {
            SIZE_RANGE.contains(&self.size())
                && self.degree == context.degree()
                && self.prime_count == level.prime_count()
                && are_reduced(level, context, self.words())
        })
    }
}

impl SecretKey {
    /// Whether it is a key of `context`.
    pub fn is_valid_for(&self, context: &Context) -> bool {
        let level = context.key_level();
        self.parms_id == level.parms_id()
            && self.data.len() == level.prime_count() * context.degree()
            && are_reduced(level, context, &self.data)
    }
}

impl PublicKey {
    /// Whether it is a key of `context`.
    pub fn is_valid_for(&self, context: &Context) -> bool {
        self.parms_id() == context.key_level().parms_id()
            && self.0.size() == 2
            && self.0.is_ntt_form()
            && self.0.is_valid_for(context)
    }
}

impl RelinKeys {
    /// Whether they are keys of `context`.
    pub fn is_valid_for(&self, context: &Context) -> bool {
        self.0.is_valid_for(context)
    }
}

impl GaloisKeys {
    /// Whether they are keys of `context`.
    pub fn is_valid_for(&self, context: &Context) -> bool {
        self.0.is_valid_for(context)
    }
}

impl KeySwitchKeys {
    fn is_valid_for(&self, context: &Context) -> bool {
        let digits = context.first_level().prime_count();
        context.supports_key_switching()
            && self.parms_id == context.key_level().parms_id()
            && self
                .keys
                .values()
                .all(|key| key.digits.len() == digits && key.digits.iter().all(|digit| digit.is_valid_for(context)))
    }
}

/// The checks that operations make of their operands.
impl Context {
    /// Checks a BFV or BGV plaintext in coefficient form: at most `n` coefficients, each below `t`.
    pub(crate) fn check_coefficients(&self, plaintext: &Plaintext) -> Result<(), Error> {
        if plaintext.is_ntt_form() {
            return Err(Error::FormMismatch { operand: "the plaintext", expected: "coefficient", got: "NTT" });
        }
        if plaintext.len() > self.degree() {
            return Err(Error::TooManyValues { capacity: self.degree(), got: plaintext.len() });
        }
        let plain_modulus = self.plain_modulus();
        let Some(index) = first_not_below(plain_modulus, plaintext.words()) else {
            return Ok(());
        };
        Err(Error::ValueOutOfRange {
            index,
            value: i128::from(plaintext.words()[index]),
            minimum: 0,
            maximum: i128::from(plain_modulus) - 1,
            plain_modulus,
        })
    }

    /// Checks a plaintext in NTT form and gives its level.
    pub(crate) fn check_ntt_plaintext(&self, plaintext: &Plaintext) -> Result<&Level, Error> {
        if !plaintext.is_ntt_form() {
            return Err(Error::FormMismatch { operand: "the plaintext", expected: "NTT", got: "coefficient" });
        }
        let level = self.level(plaintext.parms_id(), "the plaintext")?;
        let words = level.prime_count() * self.degree();
        match plaintext.len() == words {
            true => Ok(level),
            false => Err(Error::TooManyValues { capacity: words, got: plaintext.len() }),
        }
    }

    /// The level of a ciphertext that must be in the form in which its scheme multiplies.
    pub(crate) fn level_in_scheme_form(&self, ciphertext: &Ciphertext) -> Result<&Level, Error> {
        let level = self.level_of(ciphertext, "the ciphertext")?;
        let ntt_form = self.scheme() != Scheme::Bfv;
        if ciphertext.ntt_form != ntt_form {
            let expected = if ntt_form { "NTT" } else { "coefficient" };
            return Err(Error::FormMismatch { operand: "the ciphertext", expected, got: ciphertext.form() });
        }
        Ok(level)
    }

    /// The level of a ciphertext that may enter an operation: known, of a legal size, with words as its level says.
    pub(crate) fn level_of(&self, ciphertext: &Ciphertext, object: &'static str) -> Result<&Level, Error> {
        let level = self.level(ciphertext.parms_id(), object)?;
        if !SIZE_RANGE.contains(&ciphertext.size()) {
            return Err(Error::SizeOutOfRange { expected: "2 to 16", got: ciphertext.size() });
        }
        Ok(level)
    }
}

/// Whether all words, limb-major for one or more polynomials, are below their primes.
fn are_reduced(level: &Level, context: &Context, words: &[u64]) -> bool {
    let limbs = words.chunks_exact(context.degree()).zip(level.moduli().iter().map(Modulus::value).cycle());
    limbs.into_iter().all(|(limb, prime)| all_below(prime, limb))
}

/// The place of the first word of `bound` or more, for a `bound` from 1 to `2^63`. Constant time where there is none.
pub(crate) fn first_not_below(bound: u64, words: &[u64]) -> Option<usize> {
    match all_below(bound, words) {
        true => None,
        false => words.iter().position(|&word| word >= bound),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Encryptor, GaloisSelection, KeyGenerator, Parameters, Security, coeff_modulus};

    fn context(bits: &[u32]) -> Context {
        let coeff_modulus = coeff_modulus::create(16, bits).unwrap();
        let parameters = Parameters { scheme: Scheme::Bgv, degree: 16, coeff_modulus, plain_modulus: 97 };
        parameters.builder().security(Security::Insecure).build().unwrap()
    }

    #[test]
    fn objects_are_valid_for_their_context_alone() {
        let (own, other) = (context(&[30, 30, 31]), context(&[30, 30, 30, 31]));
        let keys = KeyGenerator::new(&own).unwrap();
        let public = keys.public_key().unwrap();
        let relin = keys.relin_keys().unwrap();
        let galois = keys.galois_keys(GaloisSelection::All).unwrap();
        let plaintext = Plaintext::from_coefficients(&[96]);
        let ciphertext = Encryptor::new(&own, public.clone()).unwrap().encrypt(&plaintext).unwrap();
        for (context, expected) in [(&own, true), (&other, false)] {
            assert_eq!(keys.secret_key().is_valid_for(context), expected);
            assert_eq!(public.is_valid_for(context), expected);
            assert_eq!(relin.is_valid_for(context), expected);
            assert_eq!(galois.is_valid_for(context), expected);
            assert_eq!(ciphertext.is_valid_for(context), expected);
            assert!(plaintext.is_valid_for(context));
        }
        assert!(!Plaintext::from_coefficients(&[97]).is_valid_for(&own));
        assert!(!Plaintext::from_coefficients(&[0; 17]).is_valid_for(&own));
    }

    #[test]
    fn levels_know_their_neighbours_and_parameters() {
        let context = context(&[30, 31, 30]);
        let first = context.first_level();
        assert_eq!(context.previous_level(first), Some(context.key_level()));
        assert_eq!(context.previous_level(context.key_level()), None);
        assert_eq!(context.level_parameters(first).parms_id(), first.parms_id());
        let product: u128 = first.moduli().iter().map(|modulus| u128::from(modulus.value())).product();
        assert_eq!(first.modulus(), [product as u64]);
        assert!(!first.has_descending_moduli() && context.last_level().has_descending_moduli());
        assert!(first.has_fast_plain_lift());
    }
}
