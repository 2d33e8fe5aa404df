//! Ciphertexts with plaintexts, and changes of form.

use num_bigint::BigInt;
use phoca_rlwe::{Ciphertext, Plaintext, Scheme};
use proptest::prelude::*;

use crate::big::{self, Poly};
use crate::checks::{Expected, both, padded, polynomial};
use crate::parameters;
use crate::party::Party;

proptest! {
    #![proptest_config(parameters::config(120))]

    #[test]
    fn plain_operations_are_exact(parameters in parameters::random(&parameters::ALL, 1..=5), seed: u64) {
        check_plain_operations(&Party::lenient(&parameters, seed));
    }
}

#[test]
fn plain_operations_are_exact_for_the_table() {
    for scheme in parameters::ALL {
        for parameters in parameters::table(scheme) {
            check_plain_operations(&Party::lenient(&parameters, 10));
        }
    }
}

fn check_plain_operations(party: &Party) {
    let evaluator = &party.evaluator;
    let fresh = party.random_ciphertext();
    let mut operands = vec![fresh.clone(), party.random_of_size(3)];
    if let Some(next) = party.context.next_level(party.context.first_level()) {
        let mut low = party.random_of_size(2);
        low = evaluator.mod_switch_to(&low, next.parms_id()).unwrap();
        operands.push(low);
    }
    for a in &operands {
        check_transforms(party, a);
        let level = party.level_of(a);
        let mut plaintext = party.random_plaintext_at(level);
        if party.scheme() == Scheme::Ckks {
            plaintext.set_scale(a.scale());
        }
        check_sums(party, a, &plaintext);
        plaintext.set_scale(1.0);
        check_products(party, a, &plaintext);
        if party.scheme() != Scheme::Ckks {
            let short = Plaintext::from_coefficients(&[party.context.plain_modulus() - 1]);
            check_sums(party, a, &short);
            check_products(party, a, &short);
            let transformed = evaluator.plain_to_ntt(&plaintext, level.parms_id()).unwrap();
            check_transformed(party, &plaintext, &transformed, a);
            check_products(party, a, &transformed);
            if party.scheme() == Scheme::Bgv {
                check_sums(party, a, &transformed);
            }
        }
    }
}

/// `c_0 ± m`, with `m` as the scheme scales it.
pub fn check_sums(party: &Party, a: &Ciphertext, plaintext: &Plaintext) {
    let evaluator = &party.evaluator;
    let opened = party.open(a);
    let message = added_message(party, a, plaintext);
    let sum = both(a, |a| evaluator.add_plain(a, plaintext), |a| evaluator.add_plain_assign(a, plaintext)).unwrap();
    let difference =
        both(a, |a| evaluator.sub_plain(a, plaintext), |a| evaluator.sub_plain_assign(a, plaintext)).unwrap();
    for (result, sign) in [(sum, 1), (difference, -1)] {
        let mut polynomials = opened.polynomials.clone();
        polynomials[0] = big::add(&polynomials[0], &big::scale(&message, &sign.into()));
        party.expect(&result, &opened.with(polynomials));
    }
}

/// BFV: `floor((Q·m + floor((t+1)/2))/t)`. BGV: the centred message, times the correction factor. CKKS: as it is.
fn added_message(party: &Party, a: &Ciphertext, plaintext: &Plaintext) -> Poly {
    let (t, q) = (party.t(), &party.ring_of(a).modulus);
    let factor = BigInt::from(a.correction_factor());
    match party.scheme() {
        Scheme::Bfv => {
            let message = polynomial(&padded(plaintext, party.degree()));
            big::each(&message, |m| big::div_floor(&(q * m + (&t + 1) / 2), &t))
        }
        Scheme::Bgv if plaintext.is_ntt_form() => {
            big::scale(&party.centered_plaintext(plaintext), &big::centered(&factor, &t))
        }
        Scheme::Bgv => {
            let scaled = big::scale(&polynomial(&padded(plaintext, party.degree())), &factor);
            let scaled: Vec<u64> = scaled.iter().map(|m| big::word(&big::modulo(m, &t))).collect();
            party.centered_plaintext(&Plaintext::from_coefficients(&scaled))
        }
        Scheme::Ckks => party.centered_plaintext(plaintext),
    }
}

/// Every polynomial times the centred message, whichever form the ciphertext is in.
fn check_products(party: &Party, a: &Ciphertext, plaintext: &Plaintext) {
    let evaluator = &party.evaluator;
    let other = match a.is_ntt_form() {
        true => evaluator.from_ntt(a).unwrap(),
        false => evaluator.to_ntt(a).unwrap(),
    };
    let factor = party.centered_plaintext(plaintext);
    for a in [a, &other] {
        let multiply = |a: &Ciphertext| evaluator.multiply_plain(a, plaintext);
        let product = both(a, multiply, |a| evaluator.multiply_plain_assign(a, plaintext)).unwrap();
        let opened = party.open(a);
        let polynomials = opened.polynomials.iter().map(|c| big::mul(c, &factor));
        party.expect(&product, &opened.with(polynomials.collect()));
        assert!(!product.is_seeded());
    }
}

/// Both directions leave the polynomials as they are.
fn check_transforms(party: &Party, a: &Ciphertext) {
    let evaluator = &party.evaluator;
    let opened = party.open(a);
    let other = match a.is_ntt_form() {
        true => both(a, |a| evaluator.from_ntt(a), |a| evaluator.from_ntt_assign(a)),
        false => both(a, |a| evaluator.to_ntt(a), |a| evaluator.to_ntt_assign(a)),
    };
    let other = other.unwrap();
    let ntt_form = !a.is_ntt_form();
    party.expect(&other, &Expected { ntt_form, ..opened });
    let back = match a.is_ntt_form() {
        true => both(&other, |a| evaluator.to_ntt(a), |a| evaluator.to_ntt_assign(a)),
        false => both(&other, |a| evaluator.from_ntt(a), |a| evaluator.from_ntt_assign(a)),
    };
    assert_eq!(back.unwrap(), *a);
}

fn check_transformed(party: &Party, plaintext: &Plaintext, transformed: &Plaintext, a: &Ciphertext) {
    let ring = party.ring_of(a);
    assert!(transformed.is_ntt_form());
    assert_eq!(transformed.parms_id(), a.parms_id());
    assert_eq!(transformed.scale(), 1.0);
    let words = ring.decompose(&party.centered_plaintext(plaintext), true);
    assert_eq!(transformed.words(), words);
}

#[test]
fn plain_operations_act_on_the_message() {
    for scheme in parameters::EXACT {
        for parameters in parameters::roomy(scheme) {
            let party = Party::new(&parameters, 11);
            let evaluator = &party.evaluator;
            let mut a = party.random_ciphertext();
            let message = party.message(&a);
            if scheme == Scheme::Bgv {
                a = evaluator.mod_switch_to_next(&a).unwrap(); // a correction factor
            }
            let plaintext = party.random_plaintext();
            let (m, p) = (polynomial(&message), polynomial(plaintext.words()));
            let sum = evaluator.add_plain(&a, &plaintext).unwrap();
            assert_eq!(party.message(&sum), party.message_map(big::add(&m, &p)));
            let difference = evaluator.sub_plain(&a, &plaintext).unwrap();
            assert_eq!(party.message(&difference), party.message_map(big::sub(&m, &p)));
            let product = evaluator.multiply_plain(&a, &plaintext).unwrap();
            assert_eq!(party.message(&product), party.message_map(big::mul(&m, &p)), "{parameters:?}");
            for result in [&sum, &difference, &product] {
                party.check_decryption(result);
            }
        }
    }
}
