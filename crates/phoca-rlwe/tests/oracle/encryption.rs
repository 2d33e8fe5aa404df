//! Encryption: what it encrypts exactly, and its noise against the worst case.

use num_bigint::BigInt;
use phoca_rlwe::{Ciphertext, Encryptor, Level, Plaintext, Scheme};
use proptest::prelude::*;

use crate::big::{self, Poly};
use crate::checks::{padded, polynomial};
use crate::parameters;
use crate::party::{ERROR_BOUND, Party, bytes};

proptest! {
    #![proptest_config(parameters::config(100))]

    #[test]
    fn encryption_is_right(parameters in parameters::random(&parameters::ALL, 1..=6), seed: u64) {
        check_encryption(&Party::lenient(&parameters, seed));
    }
}

#[test]
fn encryption_is_right_for_the_table() {
    for scheme in parameters::ALL {
        for parameters in parameters::table(scheme).into_iter().chain(parameters::roomy(scheme)) {
            check_encryption(&Party::lenient(&parameters, 15));
        }
    }
}

fn check_encryption(party: &Party) {
    for level in party.context.levels() {
        check_zeros(party, level);
        check_messages(party, level);
    }
    let first = party.context.first_level().parms_id();
    assert_eq!(party.encryptor.encrypt_zero().unwrap().parms_id(), first);
    assert_eq!(party.encryptor.encrypt_zero_symmetric().unwrap().parms_id(), first);
    let plaintext = party.random_plaintext();
    for ciphertext in [party.encryptor.encrypt(&plaintext), party.encryptor.encrypt_symmetric(&plaintext)] {
        party.check_decryption(&ciphertext.unwrap());
    }
}

fn check_zeros(party: &Party, level: &Level) {
    let zero = party.encryptor.encrypt_zero_at(level.parms_id()).unwrap();
    check_fresh(party, level, &zero);
    check_noise(party, &zero, &public_bound(party, level));
    assert!(!zero.is_seeded());
    let zero = party.encryptor.encrypt_zero_symmetric_at(level.parms_id()).unwrap();
    check_fresh(party, level, &zero);
    check_noise(party, &zero, &ERROR_BOUND.into());
    assert!(zero.is_seeded());
}

fn check_fresh(party: &Party, level: &Level, zero: &Ciphertext) {
    let opened = party.open(zero);
    assert_eq!((zero.size(), zero.parms_id(), opened.primes), (2, level.parms_id(), level.prime_count()));
    assert_eq!((opened.scale, opened.factor), (1.0, 1));
    assert_eq!(opened.ntt_form, party.scheme() != Scheme::Bfv);
    // In the smallest rings the mask is zero now and then.
    assert!(party.degree() < 32 || !zero.is_transparent());
}

/// The noise before division by the prime above, `e_0 + e_1·s − e·u`; then two roundings, one of them times the secret.
fn public_bound(party: &Party, level: &Level) -> BigInt {
    let n = BigInt::from(party.degree());
    let wide = (&n * 2 + 1) * ERROR_BOUND;
    match party.context.parameters().coeff_modulus.get(level.prime_count()) {
        Some(&last) => wide / last + (n + 1) / 2 + 2,
        None => wide,
    }
}

fn check_noise(party: &Party, zero: &Ciphertext, bound: &BigInt) {
    let (noise, unit) = (party.phase(zero), party.noise_unit());
    if bound * &unit * 2 < party.ring_of(zero).modulus {
        assert!(noise.iter().all(|e| big::modulo(e, &unit) == BigInt::ZERO), "{:?}", party.context.parameters());
    }
    assert!(big::largest(&noise) <= bound * unit);
}

/// Equal seeds make equal zeros, so the difference of a message and a zero is the message alone.
fn check_messages(party: &Party, level: &Level) {
    let first = party.context.first_level().parms_id();
    let plaintext = match party.scheme() {
        Scheme::Ckks => party.random_plaintext_at(level),
        _ if level.parms_id() != first => return,
        _ => party.random_plaintext(),
    };
    let seed = party.random();
    let encryptor = || {
        let (public, secret) = (party.public.clone(), party.keys.secret_key().clone());
        let encryptor = Encryptor::with_keys(&party.context, Some(public), Some(secret)).unwrap();
        encryptor.insecure_from_seed(bytes(seed))
    };
    let zero = encryptor().encrypt_zero_at(level.parms_id()).unwrap();
    check_message(party, &encryptor().encrypt(&plaintext).unwrap(), &zero, &plaintext);
    let zero = encryptor().encrypt_zero_symmetric_at(level.parms_id()).unwrap();
    let ciphertext = encryptor().encrypt_symmetric(&plaintext).unwrap();
    assert!(ciphertext.is_seeded());
    check_message(party, &ciphertext, &zero, &plaintext);
}

fn check_message(party: &Party, ciphertext: &Ciphertext, zero: &Ciphertext, plaintext: &Plaintext) {
    let opened = party.open(zero);
    let mut expected = opened.clone();
    expected.scale = plaintext.scale();
    expected.polynomials[0] = big::add(&opened.polynomials[0], &scaled_message(party, ciphertext, plaintext));
    party.expect(ciphertext, &expected);
}

fn scaled_message(party: &Party, ciphertext: &Ciphertext, plaintext: &Plaintext) -> Poly {
    if party.scheme() != Scheme::Bfv {
        return party.centered_plaintext(plaintext);
    }
    let (t, q) = (party.t(), &party.ring_of(ciphertext).modulus);
    let message = polynomial(&padded(plaintext, party.degree()));
    big::each(&message, |m| big::div_floor(&(q * m + (&t + 1) / 2), &t))
}

/// With room for the noise, every message comes back.
#[test]
fn messages_come_back() {
    for scheme in parameters::EXACT {
        for parameters in parameters::roomy(scheme) {
            let party = Party::new(&parameters, 16);
            for _ in 0..4 {
                let plaintext = party.random_plaintext();
                for ciphertext in [party.encryptor.encrypt(&plaintext), party.encryptor.encrypt_symmetric(&plaintext)] {
                    let ciphertext = ciphertext.unwrap();
                    assert_eq!(party.message(&ciphertext), padded(&plaintext, party.degree()));
                    party.check_decryption(&ciphertext);
                }
            }
        }
    }
}
