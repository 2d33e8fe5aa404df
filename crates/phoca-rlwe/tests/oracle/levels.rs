//! Ways down the chain: division with rounding, BGV's division that keeps the message, dropped primes.

use num_bigint::BigInt;
use phoca_rlwe::{Ciphertext, Plaintext, Scheme};
use proptest::prelude::*;

use crate::big::{self, Poly};
use crate::checks::{Expected, both};
use crate::parameters;
use crate::party::Party;

/// `x` modulo `Q·last` to the nearest `x/last` modulo `Q`, halves upwards. BGV: to a nearby integer that is
/// `x/last` modulo `t` as well.
pub fn divide(party: &Party, polynomial: &[BigInt], last: impl Into<BigInt>) -> Poly {
    let last = last.into();
    let t = party.t();
    let quotient = |x: &BigInt| match party.scheme() {
        Scheme::Bgv => {
            let u = big::centered(&(x * big::inverse(&t, &last)), &last);
            let numerator = x - &t * u;
            assert_eq!(big::modulo(&numerator, &last), BigInt::ZERO);
            numerator / &last
        }
        _ => big::div_floor(&(x + &last / 2), &last),
    };
    big::each(polynomial, quotient)
}

proptest! {
    #![proptest_config(parameters::config(100))]

    #[test]
    fn ways_down_are_exact(parameters in parameters::random(&parameters::ALL, 2..=6), seed: u64) {
        check_all_levels(&Party::lenient(&parameters, seed));
    }
}

#[test]
fn ways_down_are_exact_for_the_table() {
    for scheme in parameters::ALL {
        for parameters in parameters::table(scheme) {
            check_all_levels(&Party::lenient(&parameters, 4));
        }
    }
}

#[test]
fn ways_down_a_chain_of_twelve_are_exact() {
    for scheme in parameters::ALL {
        let shapes: Vec<(u32, u8)> = (0..12).map(|i| (20 + 37 * i % 41, (i * 83 % 256) as u8)).collect();
        let chain = parameters::odd_chain(8, &shapes);
        check_all_levels(&Party::lenient(&parameters::parameters(scheme, 8, chain, 12_289), 6));
    }
}

fn check_all_levels(party: &Party) {
    for size in [2, 3] {
        let first = party.random_of_size(size);
        let mut current = first.clone();
        while let Some(next) = check_step(party, &current) {
            check_jumps(party, &first, &next);
            current = next;
        }
        assert_eq!(current.parms_id(), party.context.last_level().parms_id());
    }
    if party.scheme() != Scheme::Bfv {
        // The key level is the level above the first.
        check_step(party, party.public.as_ciphertext());
    }
    check_plain_levels(party);
}

/// Both steps from one level to the next; gives the divided ciphertext.
pub fn check_step(party: &Party, a: &Ciphertext) -> Option<Ciphertext> {
    let evaluator = &party.evaluator;
    let level = party.level_of(a);
    let next = party.context.next_level(level)?;
    assert_eq!(next.prime_count() + 1, level.prime_count());
    let opened = party.open(a);
    let dropped = Expected { primes: next.prime_count(), ..opened.clone() };
    let reduced = both(a, |a| evaluator.mod_reduce_to_next(a), |a| evaluator.mod_reduce_to_next_assign(a)).unwrap();
    party.expect(&reduced, &dropped);
    assert_eq!(reduced.parms_id(), next.parms_id());
    let switched = both(a, |a| evaluator.mod_switch_to_next(a), |a| evaluator.mod_switch_to_next_assign(a)).unwrap();
    let last = level.moduli().last().unwrap().value();
    let divided = Expected {
        polynomials: opened.polynomials.iter().map(|c| divide(party, c, last)).collect(),
        ..dropped.clone()
    };
    if party.scheme() == Scheme::Ckks {
        party.expect(&switched, &dropped);
        let rescaled = both(a, |a| evaluator.rescale_to_next(a), |a| evaluator.rescale_to_next_assign(a)).unwrap();
        let scale = a.scale() / last as f64;
        party.expect(&rescaled, &Expected { scale, ..divided });
        assert!(!rescaled.is_seeded());
        let mut rescaled = rescaled;
        rescaled.set_scale(1.0);
        return Some(rescaled);
    }
    let factor = match party.scheme() {
        Scheme::Bgv => BigInt::from(a.correction_factor()) * big::inverse(&last.into(), &party.t()),
        _ => 1.into(),
    };
    let factor = big::word(&big::modulo(&factor, &party.t()));
    party.expect(&switched, &Expected { factor, ..divided });
    assert!(!switched.is_seeded());
    Some(switched)
}

/// `_to` a level is `_to_next` as often as needed, also not at all.
fn check_jumps(party: &Party, first: &Ciphertext, target: &Ciphertext) {
    let evaluator = &party.evaluator;
    let level = target.parms_id();
    let steps = first.prime_count() - target.prime_count();
    let repeat = |step: &dyn Fn(&Ciphertext) -> Ciphertext| (0..steps).fold(first.clone(), |a, _| step(&a));
    let switched = both(first, |a| evaluator.mod_switch_to(a, level), |a| evaluator.mod_switch_to_assign(a, level));
    assert_eq!(switched.unwrap(), repeat(&|a| evaluator.mod_switch_to_next(a).unwrap()));
    let reduced = both(first, |a| evaluator.mod_reduce_to(a, level), |a| evaluator.mod_reduce_to_assign(a, level));
    assert_eq!(reduced.unwrap(), repeat(&|a| evaluator.mod_reduce_to_next(a).unwrap()));
    assert_eq!(evaluator.mod_switch_to(first, first.parms_id()).unwrap(), *first);
    assert_eq!(evaluator.mod_reduce_to(first, first.parms_id()).unwrap(), *first);
    if party.scheme() == Scheme::Ckks {
        let rescaled = both(first, |a| evaluator.rescale_to(a, level), |a| evaluator.rescale_to_assign(a, level));
        assert_eq!(rescaled.unwrap(), repeat(&|a| evaluator.rescale_to_next(a).unwrap()));
        assert_eq!(evaluator.rescale_to(first, first.parms_id()).unwrap(), *first);
    }
}

fn check_plain_levels(party: &Party) {
    let evaluator = &party.evaluator;
    let first = party.context.first_level();
    let mut plaintext: Plaintext = party.random_plaintext();
    if party.scheme() == Scheme::Ckks {
        plaintext.set_scale(1.0);
    } else {
        plaintext = evaluator.plain_to_ntt(&plaintext, first.parms_id()).unwrap();
    }
    let polynomial = party.ring(first.prime_count()).compose(plaintext.words(), true);
    let mut current = plaintext.clone();
    let mut level = first;
    while let Some(next) = party.context.next_level(level) {
        current = evaluator.plain_mod_switch_to_next(&current).unwrap();
        level = next;
        let ring = party.ring(level.prime_count());
        assert_eq!(current.parms_id(), level.parms_id());
        assert_eq!(current.scale(), plaintext.scale());
        assert_eq!(ring.compose(current.words(), true), ring.reduce(&polynomial));
        assert_eq!(evaluator.plain_mod_switch_to(&plaintext, level.parms_id()).unwrap(), current);
    }
    assert_eq!(evaluator.plain_mod_switch_to(&plaintext, first.parms_id()).unwrap(), plaintext);
}

/// Both BFV's and BGV's switch keep the message, and so does BGV's reduction.
#[test]
fn messages_survive_the_way_down() {
    for scheme in parameters::EXACT {
        for parameters in parameters::roomy(scheme) {
            let party = Party::new(&parameters, 9);
            let evaluator = &party.evaluator;
            let a = party.random_ciphertext();
            let message = party.message(&a);
            let mut levels = 0;
            let mut switched = a.clone();
            while party.context.next_level(party.level_of(&switched)).is_some() {
                switched = evaluator.mod_switch_to_next(&switched).unwrap();
                assert_eq!(party.message(&switched), message, "{parameters:?}");
                party.check_decryption(&switched);
                levels += 1;
                if scheme == Scheme::Bgv {
                    let reduced = evaluator.mod_reduce_to(&a, switched.parms_id()).unwrap();
                    assert_eq!(party.message(&reduced), message);
                }
            }
            assert!(levels > 0);
        }
    }
}
