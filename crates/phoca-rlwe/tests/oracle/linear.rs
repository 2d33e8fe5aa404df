//! Negation, addition and subtraction: exact modulo `Q`.

use num_bigint::BigInt;
use phoca_rlwe::{Ciphertext, Evaluator, Scheme};
use proptest::prelude::*;

use crate::big::{self, Poly};
use crate::checks::{Expected, both};
use crate::parameters;
use crate::party::Party;

proptest! {
    #![proptest_config(parameters::config(120))]

    #[test]
    fn sums_are_exact(parameters in parameters::random(&parameters::ALL, 1..=6), seed: u64) {
        let party = Party::lenient(&parameters, seed);
        check_linear(&party);
    }
}

#[test]
fn sums_are_exact_for_the_table() {
    for scheme in parameters::ALL {
        for parameters in parameters::table(scheme) {
            check_linear(&Party::lenient(&parameters, 1));
        }
    }
}

fn check_linear(party: &Party) {
    for (left, right) in [(2, 2), (2, 4), (3, 2)] {
        let (a, b) = (party.random_of_size(left), party.random_of_size(right));
        check_negation(party, &a);
        check_combinations(party, &a, &b);
        if party.scheme() == Scheme::Bfv {
            // BFV's other form, in which plaintexts multiply.
            let (a, b) = (party.evaluator.to_ntt(&a).unwrap(), party.evaluator.to_ntt(&b).unwrap());
            check_negation(party, &a);
            check_combinations(party, &a, &b);
        }
    }
    let operands: Vec<Ciphertext> = [2, 4, 2, 3].map(|size| party.random_of_size(size)).into();
    check_many(party, &operands);
    check_many(party, &operands[1..2]);
}

fn check_negation(party: &Party, a: &Ciphertext) {
    let evaluator = &party.evaluator;
    let opened = party.open(a);
    let negated = both(a, |a| evaluator.negate(a), |a| evaluator.negate_assign(a)).unwrap();
    let minus = opened.polynomials.iter().map(|c| big::scale(c, &BigInt::from(-1)));
    party.expect(&negated, &opened.with(minus.collect()));
    assert!(!negated.is_seeded());
}

pub fn check_combinations(party: &Party, a: &Ciphertext, b: &Ciphertext) {
    let evaluator = &party.evaluator;
    let sum = both(a, |a| evaluator.add(a, b), |a| evaluator.add_assign(a, b)).unwrap();
    check_combination(party, &sum, a, b, 1);
    let difference = both(a, |a| evaluator.sub(a, b), |a| evaluator.sub_assign(a, b)).unwrap();
    check_combination(party, &difference, a, b, -1);
}

/// `result = x·a ± y·b`, where BGV's `x` and `y` make the correction factors equal, and are 1 in the other schemes.
fn check_combination(party: &Party, result: &Ciphertext, a: &Ciphertext, b: &Ciphertext, sign: i64) {
    let (x, y) = balance(party, result, a, b);
    let (left, right) = (party.open(a), party.open(b));
    let zero: Poly = vec![BigInt::ZERO; party.degree()];
    let term = |opened: &Expected, i: usize, factor: &BigInt| -> Poly {
        opened.polynomials.get(i).map_or(zero.clone(), |c| big::scale(c, factor))
    };
    let size = a.size().max(b.size());
    let polynomials = (0..size).map(|i| big::add(&term(&left, i, &x), &term(&right, i, &(&y * sign))));
    let mut expected = left.with(polynomials.collect());
    expected.factor = result.correction_factor();
    party.expect(result, &expected);
    assert!(!result.is_seeded());
}

/// The small integers with `x·f_a ≡ y·f_b ≡ f_result` modulo `t`, and that they are small.
fn balance(party: &Party, result: &Ciphertext, a: &Ciphertext, b: &Ciphertext) -> (BigInt, BigInt) {
    if a.correction_factor() == b.correction_factor() {
        assert_eq!(result.correction_factor(), a.correction_factor());
        return (1.into(), 1.into());
    }
    assert_eq!(party.scheme(), Scheme::Bgv);
    let t = party.t();
    let factor = |operand: &Ciphertext| {
        let inverse = big::inverse(&operand.correction_factor().into(), &t);
        big::centered(&(inverse * result.correction_factor()), &t)
    };
    let (x, y) = (factor(a), factor(b));
    let cost = BigInt::from(x.magnitude() + y.magnitude());
    if phoca_ring::primes::is_prime(party.context.plain_modulus()) {
        assert!(cost <= t.sqrt() * 2 + 3, "{x} and {y} are not small against {t}");
    }
    // Never worse than scaling one operand alone.
    let ratio = big::inverse(&a.correction_factor().into(), &t) * b.correction_factor();
    assert!(cost <= BigInt::from(big::centered(&ratio, &t).magnitude() + 1_u32));
    (x, y)
}

fn check_many(party: &Party, operands: &[Ciphertext]) {
    let evaluator: &Evaluator = &party.evaluator;
    let sum = evaluator.add_many(operands).unwrap();
    let (first, rest) = operands.split_first().unwrap();
    let folded = rest.iter().fold(first.clone(), |sum, operand| evaluator.add(&sum, operand).unwrap());
    assert_eq!(sum, folded);
}

/// BGV operands from different ways down the chain, with different factors: the messages still add up.
#[test]
fn balanced_sums_keep_the_message() {
    let mut balanced = 0;
    for parameters in parameters::roomy(Scheme::Bgv) {
        let party = Party::new(&parameters, 3);
        let evaluator = &party.evaluator;
        let (a, b) = (party.random_ciphertext(), party.random_ciphertext());
        let (left, right) = (party.message(&a), party.message(&b));
        let switched = evaluator.mod_switch_to_next(&a).unwrap();
        let dropped = evaluator.mod_reduce_to_next(&b).unwrap();
        balanced += u32::from(switched.correction_factor() != dropped.correction_factor());
        check_combinations(&party, &switched, &dropped);
        let sum = evaluator.add(&switched, &dropped).unwrap();
        let expected = big::add(&crate::checks::polynomial(&left), &crate::checks::polynomial(&right));
        assert_eq!(party.message(&sum), party.message_map(expected));
        party.check_decryption(&sum);
    }
    assert!(balanced >= 3, "the factors differed only {balanced} times");
}
