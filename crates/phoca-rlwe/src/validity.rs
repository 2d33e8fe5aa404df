//! Whether objects belong to a context.
//!
//! Loading and every operation check this by themselves, and an object that one context made or loaded is always valid
//! for it: these functions are for callers that hold objects of several contexts and want to ask first.

use phoca_ring::Modulus;

use crate::ciphertext::{Ciphertext, SIZE_RANGE};
use crate::context::{Context, Level};
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

/// Whether all words, limb-major for one or more polynomials, are below their primes.
fn are_reduced(level: &Level, context: &Context, words: &[u64]) -> bool {
    let limbs = words.chunks_exact(context.degree()).zip(level.moduli().iter().map(Modulus::value).cycle());
    limbs.into_iter().all(|(limb, prime)| limb.iter().all(|&word| word < prime))
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
