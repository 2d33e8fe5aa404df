//! Key switching: relinearization and automorphisms, word for word from the keys, and their noise.

use num_bigint::BigInt;
use phoca_ring::galois;
use phoca_rlwe::{Ciphertext, GaloisKeys, GaloisSelection, KeySwitchKey, RelinKeys, Scheme};
use proptest::prelude::*;

use crate::big::{self, Poly};
use crate::checks::both;
use crate::levels::divide;
use crate::model::Ring;
use crate::parameters;
use crate::party::{ERROR_BOUND, Party};

proptest! {
    #![proptest_config(parameters::config(80))]

    #[test]
    fn key_switching_is_exact(parameters in parameters::random(&parameters::ALL, 2..=5), seed: u64) {
        check_switching(&Party::lenient(&parameters, seed));
    }
}

#[test]
fn key_switching_is_exact_for_the_table() {
    for scheme in parameters::ALL {
        for parameters in parameters::table(scheme) {
            check_switching(&Party::lenient(&parameters, 12));
        }
    }
}

fn check_switching(party: &Party) {
    if !party.context.supports_key_switching() {
        return;
    }
    let keys = party.keys.relin_keys_up_to(5).unwrap();
    check_relin_keys(party, &keys);
    for size in 3..=6 {
        check_relinearization(party, &party.random_of_size(size), &keys);
    }
    let order = 2 * party.degree() as u64;
    let elements: Vec<u64> = (0..3).map(|_| (party.random() % order) | 1).collect();
    let galois_keys = party.keys.galois_keys(GaloisSelection::Elements(&elements)).unwrap();
    for &element in &elements {
        check_galois_key(party, &galois_keys, element);
        check_automorphism(party, &party.random_of_size(2), element, &galois_keys);
    }
    if let Some(next) = party.context.next_level(party.context.first_level()) {
        let mut low = party.random_of_size(3);
        low = party.evaluator.mod_switch_to(&low, next.parms_id()).unwrap();
        check_relinearization(party, &low, &keys);
        let low = party.evaluator.mod_switch_to(&party.random_of_size(2), next.parms_id()).unwrap();
        check_automorphism(party, &low, elements[0], &galois_keys);
    }
}

/// All odd elements of small rings.
#[test]
fn every_automorphism_is_exact() {
    for scheme in parameters::ALL {
        for degree in [2, 4, 8, 16, 32] {
            let chain = parameters::odd_chain(degree, &[(50, 9), (60, 60), (35, 0), (60, 255)]);
            let party = Party::lenient(&parameters::parameters(scheme, degree, chain, 12), 13);
            let elements: Vec<u64> = (1..2 * degree as u64).step_by(2).collect();
            let keys = party.keys.galois_keys(GaloisSelection::Elements(&elements)).unwrap();
            assert_eq!(keys.elements().collect::<Vec<_>>(), elements);
            let a = party.random_of_size(2);
            for &element in &elements {
                check_automorphism(&party, &a, element, &keys);
            }
        }
    }
}

pub fn check_relinearization(party: &Party, a: &Ciphertext, keys: &RelinKeys) {
    let evaluator = &party.evaluator;
    let opened = party.open(a);
    let relinearized = both(a, |a| evaluator.relinearize(a, keys), |a| evaluator.relinearize_assign(a, keys)).unwrap();
    let mut polynomials = opened.polynomials[..2].to_vec();
    for power in 2..a.size() {
        let switched = switch(party, a.prime_count(), &opened.polynomials[power], keys.key(power).unwrap());
        for (sum, switched) in polynomials.iter_mut().zip(switched) {
            *sum = big::add(sum, &switched);
        }
    }
    party.expect(&relinearized, &opened.with(polynomials));
    check_noise(party, &relinearized, &party.phase(a), a.size() - 2);
    assert_eq!(evaluator.relinearize(&relinearized, keys).unwrap(), relinearized);
}

pub fn check_automorphism(party: &Party, a: &Ciphertext, element: u64, keys: &GaloisKeys) {
    let evaluator = &party.evaluator;
    let opened = party.open(a);
    let apply = |a: &Ciphertext| evaluator.apply_galois(a, element, keys);
    let result = both(a, apply, |a| evaluator.apply_galois_assign(a, element, keys)).unwrap();
    let [c0, c1] = [0, 1].map(|i| big::automorphism(&opened.polynomials[i], element));
    let c1 = party.ring_of(a).reduce(&c1);
    let [switched0, switched1] = switch(party, a.prime_count(), &c1, keys.key(element).unwrap());
    party.expect(&result, &opened.with(vec![big::add(&c0, &switched0), switched1]));
    check_noise(party, &result, &big::automorphism(&party.phase(a), element), 1);
}

/// `Σ_j d_j·key_j` modulo `Q·P`, divided by `P`, with `d_j` the centred residues of the target modulo `q_j`.
fn switch(party: &Party, primes: usize, target: &[BigInt], key: &KeySwitchKey) -> [Poly; 2] {
    let special = *party.context.parameters().coeff_modulus.last().unwrap();
    let ring = extended_ring(party, primes);
    key_sums(party, primes, target, key).map(|sum| divide(party, &ring.reduce(&sum), special))
}

/// The first primes and the special prime.
pub fn extended_ring(party: &Party, primes: usize) -> Ring {
    let chain = &party.context.parameters().coeff_modulus;
    Ring::new(party.degree(), &[&chain[..primes], &chain[chain.len() - 1..]].concat())
}

/// `Σ_j d_j·key_j`, to be taken modulo `Q·P`.
pub fn key_sums(party: &Party, primes: usize, target: &[BigInt], key: &KeySwitchKey) -> [Poly; 2] {
    let chain = &party.context.parameters().coeff_modulus;
    let ring = extended_ring(party, primes);
    let mut sums = [(); 2].map(|()| vec![BigInt::ZERO; party.degree()]);
    for (&prime, digit) in chain[..primes].iter().zip(key.digits()) {
        let residues = big::each(target, |x| big::centered(x, &prime.into()));
        for (half, sum) in sums.iter_mut().enumerate() {
            let words = digit.as_ciphertext().polynomial(half).unwrap();
            let limbs: Vec<&[u64]> = words.chunks_exact(party.degree()).collect();
            let words = [&limbs[..primes], &limbs[chain.len() - 1..]].concat().concat();
            *sum = big::add(sum, &big::mul(&residues, &ring.compose(&words, true)));
        }
    }
    sums
}

/// The phase is `expected` but for `switches` times the worst noise of a key switch, which is a multiple of `t` in BGV.
fn check_noise(party: &Party, result: &Ciphertext, expected: &[BigInt], switches: usize) {
    let chain = &party.context.parameters().coeff_modulus;
    let (special, ring) = (BigInt::from(*chain.last().unwrap()), party.ring_of(result));
    let digits: BigInt = ring.primes.iter().map(|&prime| BigInt::from(prime)).sum();
    let n = BigInt::from(party.degree());
    // Centred digits times errors, divided by P; then two roundings, one of them times the secret.
    let worst = (digits * &n * ERROR_BOUND / (special * 2) + (&n + 1) / 2 + 2) * party.noise_unit() * switches;
    let noise = ring.center(&big::sub(&party.phase(result), expected));
    assert!(big::largest(&noise) <= worst, "{:?}", party.context.parameters());
    if worst * 2 < ring.modulus {
        assert!(noise.iter().all(|e| big::modulo(e, &party.noise_unit()) == BigInt::ZERO));
    }
}

fn check_relin_keys(party: &Party, keys: &RelinKeys) {
    assert_eq!(keys.powers().collect::<Vec<_>>(), [2, 3, 4, 5]);
    let mut power = party.secret.clone();
    for exponent in 2..=5 {
        power = big::mul(&power, &party.secret);
        check_key(party, keys.key(exponent).unwrap(), &power);
    }
}

fn check_galois_key(party: &Party, keys: &GaloisKeys, element: u64) {
    check_key(party, keys.key(element).unwrap(), &big::automorphism(&party.secret, element));
}

/// Digit `j` encrypts `P·target` modulo `q_j` and zero modulo every other prime.
fn check_key(party: &Party, key: &KeySwitchKey, target: &[BigInt]) {
    let chain = &party.context.parameters().coeff_modulus;
    assert_eq!(key.digits().len(), chain.len() - 1);
    let ring = party.ring(chain.len());
    let special = BigInt::from(*chain.last().unwrap());
    for (&prime, digit) in chain.iter().zip(key.digits()) {
        let others = &ring.modulus / prime;
        let unit = &others * big::inverse(&others, &prime.into());
        let expected = big::scale(target, &(&special * unit));
        let noise = ring.center(&big::sub(&party.phase(digit.as_ciphertext()), &expected));
        assert!(big::largest(&noise) <= party.noise_unit() * ERROR_BOUND);
        assert!(noise.iter().all(|e| big::modulo(e, &party.noise_unit()) == BigInt::ZERO));
        assert!(digit.is_seeded());
    }
}

/// The default keys make every rotation, by the signed digits of the step; keys for the step itself come first.
#[test]
fn rotations_are_automorphisms() {
    for scheme in parameters::ALL {
        for degree in [2, 4, 8, 32] {
            let chain = parameters::odd_chain(degree, &[(50, 9), (60, 255)]);
            let t = parameters::prime_from(degree, 2);
            let party = Party::lenient(&parameters::parameters(scheme, degree, chain, t), 14);
            let keys = party.keys.galois_keys(GaloisSelection::All).unwrap();
            check_default_elements(degree, &keys);
            let a = party.random_of_size(2);
            let slots = degree as i64 / 2;
            for steps in 1 - slots..slots {
                check_rotation(&party, &a, steps, &keys);
                let own = party.keys.galois_keys(GaloisSelection::Steps(&[steps])).unwrap();
                check_rotation(&party, &a, steps, &own);
            }
            check_conjugation(&party, &a, &keys);
        }
    }
}

fn check_default_elements(degree: usize, keys: &GaloisKeys) {
    let order = 2 * degree as u64;
    let mut expected = vec![order - 1];
    let slots = degree as u64 / 2;
    for power in (0..).map(|i| 1_u64 << i).take_while(|&power| power < slots) {
        expected.extend([big::power(3, power, order), big::power(3, slots - power, order)]);
    }
    expected.sort_unstable();
    expected.dedup();
    assert_eq!(keys.elements().collect::<Vec<_>>(), expected);
}

fn rotate(party: &Party, a: &Ciphertext, steps: i64, keys: &GaloisKeys) -> Ciphertext {
    let evaluator = &party.evaluator;
    let rotated = match party.scheme() {
        Scheme::Ckks => {
            both(a, |a| evaluator.rotate_vector(a, steps, keys), |a| evaluator.rotate_vector_assign(a, steps, keys))
        }
        _ => both(a, |a| evaluator.rotate_rows(a, steps, keys), |a| evaluator.rotate_rows_assign(a, steps, keys)),
    };
    rotated.unwrap()
}

fn check_rotation(party: &Party, a: &Ciphertext, steps: i64, keys: &GaloisKeys) {
    let rotated = rotate(party, a, steps, keys);
    if steps == 0 {
        assert_eq!(rotated, *a);
        return;
    }
    let slots = party.degree() as i64 / 2;
    let element = big::power(3, steps.rem_euclid(slots) as u64, 2 * party.degree() as u64);
    let terms = if keys.has_key(element) { vec![steps] } else { galois::steps_naf(steps) };
    let terms = terms.into_iter().filter(|term| term.abs() != slots);
    let expected = terms.fold(a.clone(), |a, term| {
        let element = big::power(3, term.rem_euclid(slots) as u64, 2 * party.degree() as u64);
        party.evaluator.apply_galois(&a, element, keys).unwrap()
    });
    assert_eq!(rotated, expected);
}

fn check_conjugation(party: &Party, a: &Ciphertext, keys: &GaloisKeys) {
    let evaluator = &party.evaluator;
    let conjugated = match party.scheme() {
        Scheme::Ckks => both(a, |a| evaluator.conjugate(a, keys), |a| evaluator.conjugate_assign(a, keys)),
        _ => both(a, |a| evaluator.rotate_columns(a, keys), |a| evaluator.rotate_columns_assign(a, keys)),
    };
    let element = 2 * party.degree() as u64 - 1;
    assert_eq!(conjugated.unwrap(), evaluator.apply_galois(a, element, keys).unwrap());
}
