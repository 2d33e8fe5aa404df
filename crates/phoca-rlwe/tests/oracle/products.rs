//! Products of ciphertexts: `round(t/P·a·round(P/Q·b))` and `round(t/Q·a²)` over the integers for BFV, exact modulo `Q` in
//! the other schemes.

use num_bigint::BigInt;
use phoca_ring::Modulus;
use phoca_ring::rns::{RnsBasis, auxiliary_basis};
use phoca_rlwe::{Ciphertext, Scheme};
use proptest::prelude::*;

use crate::big::{self, Poly};
use crate::checks::{Expected, both};
use crate::parameters;
use crate::party::Party;

proptest! {
    #![proptest_config(parameters::config(100))]

    #[test]
    fn products_are_exact(parameters in parameters::random(&parameters::ALL, 1..=5), seed: u64) {
        check_products(&Party::lenient(&parameters, seed));
    }
}

#[test]
fn products_are_exact_for_the_table() {
    for scheme in parameters::ALL {
        for parameters in parameters::table(scheme) {
            check_products(&Party::lenient(&parameters, 2));
        }
    }
}

/// The largest products that exist, of 16 polynomials.
#[test]
fn products_of_many_parts_are_exact() {
    for scheme in parameters::ALL {
        let chain = parameters::odd_chain(4, &[(60, 200), (33, 9)]);
        let party = Party::lenient(&parameters::parameters(scheme, 4, chain, (1 << 60) - 93), 5);
        let (a, b) = (party.random_of_size(8), party.random_of_size(9));
        let product = party.evaluator.multiply(&a, &b).unwrap();
        assert_eq!(product.size(), 16);
        check_product(&party, &product, &a, &b);
        party.check_decryption(&product);
    }
}

fn check_products(party: &Party) {
    let evaluator = &party.evaluator;
    for (left, right) in [(2, 2), (2, 3), (3, 3)] {
        let (a, b) = (party.random_of_size(left), party.random_of_size(right));
        let product = both(&a, |a| evaluator.multiply(a, &b), |a| evaluator.multiply_assign(a, &b)).unwrap();
        check_product(party, &product, &a, &b);
        party.check_decryption(&product);
        let square = both(&a, |a| evaluator.square(a), |a| evaluator.square_assign(a)).unwrap();
        assert_eq!(square, evaluator.multiply(&a, &a).unwrap());
        check_square(party, &square, &a);
    }
    if party.scheme() == Scheme::Ckks {
        let (a, b) = (party.random_ciphertext(), party.random_ciphertext());
        let product = evaluator.multiply(&a, &b).unwrap();
        assert_eq!(product.scale(), a.scale() * b.scale());
    }
}

pub fn check_product(party: &Party, product: &Ciphertext, a: &Ciphertext, b: &Ciphertext) {
    check(party, product, [a, b], false);
}

pub fn check_square(party: &Party, square: &Ciphertext, a: &Ciphertext) {
    check(party, square, [a, a], true);
}

fn check(party: &Party, product: &Ciphertext, [a, b]: [&Ciphertext; 2], is_square: bool) {
    let (left, right) = (party.open(a), party.open(b));
    let t = party.context.plain_modulus().max(1);
    let expected = Expected {
        polynomials: product_polynomials(party, &left, &right, is_square),
        scale: a.scale() * b.scale(),
        factor: big::product(a.correction_factor(), b.correction_factor(), t).max(1),
        ..left
    };
    party.expect(product, &expected);
    assert!(!product.is_seeded());
}

/// The second operand of a product is switched to a modulus `P` first, where it is not the first one.
fn product_polynomials(party: &Party, a: &Expected, b: &Expected, is_square: bool) -> Vec<Poly> {
    let ring = party.ring(a.primes);
    let centered = |opened: &Expected| -> Vec<Poly> { opened.polynomials.iter().map(|c| ring.center(c)).collect() };
    let (left, mut right) = (centered(a), centered(b));
    let mut divisor = ring.modulus.clone();
    if party.scheme() == Scheme::Bfv && !is_square {
        divisor = switching_modulus(party, a.primes);
        let switched = |x: &BigInt| big::centered(&big::div_round(&(x * &divisor), &ring.modulus), &divisor);
        right = right.iter().map(|polynomial| big::each(polynomial, switched)).collect();
    }
    let mut tensor = vec![vec![BigInt::ZERO; party.degree()]; left.len() + right.len() - 1];
    for (i, a) in left.iter().enumerate() {
        for (j, b) in right.iter().enumerate() {
            tensor[i + j] = big::add(&tensor[i + j], &big::mul(a, b));
        }
    }
    if party.scheme() != Scheme::Bfv {
        return tensor;
    }
    let t = party.t();
    let round = |x: &BigInt| big::div_round(&(x * &t), &divisor);
    tensor.iter().map(|polynomial| big::each(polynomial, round)).collect()
}

/// The product of the first auxiliary primes that is above the level's modulus.
pub fn switching_modulus(party: &Party, primes: usize) -> BigInt {
    let moduli: Vec<_> = party.context.tables()[..primes].iter().map(|table| *table.modulus()).collect();
    let t = Modulus::new(party.context.plain_modulus()).unwrap();
    let auxiliary = auxiliary_basis(party.degree(), &RnsBasis::new(&moduli).unwrap(), &t).unwrap();
    auxiliary.all[..auxiliary.above_modulus].iter().map(|&prime| BigInt::from(prime)).product()
}

/// Squares are formed in another way than products of equals: the noise differs, the message does not.
#[test]
fn squares_and_products_of_equals_decrypt_to_the_same() {
    for parameters in parameters::roomy(Scheme::Bfv) {
        let party = Party::new(&parameters, 9);
        let a = party.random_ciphertext();
        let (square, product) =
            (party.evaluator.square(&a).unwrap(), party.evaluator.multiply(&a, &a.clone()).unwrap());
        let message = party.message(&a);
        assert_eq!(party.message(&square), party.message_product(&message, &message));
        assert_eq!(party.message(&product), party.message(&square));
    }
}

#[test]
fn products_decrypt_to_products() {
    for scheme in parameters::EXACT {
        for parameters in parameters::roomy(scheme) {
            let party = Party::new(&parameters, 7);
            let keys = party.keys.relin_keys().unwrap();
            let evaluator = &party.evaluator;
            let operands: Vec<Ciphertext> = (0..4).map(|_| party.random_ciphertext()).collect();
            let messages: Vec<_> = operands.iter().map(|operand| party.message(operand)).collect();
            let one = {
                let mut one = vec![0; party.degree()];
                one[0] = 1;
                one
            };
            for count in 1..=4 {
                let product = evaluator.multiply_many(&operands[..count], &keys).unwrap();
                let expected = messages[..count].iter().fold(one.clone(), |p, m| party.message_product(&p, m));
                assert_eq!(party.message(&product), expected, "{count} of {parameters:?}");
                assert_eq!(product.size(), 2);
                party.check_decryption(&product);
                let power = evaluator.exponentiate(&operands[0], count as u64, &keys).unwrap();
                let expected = (0..count).fold(one.clone(), |p, _| party.message_product(&p, &messages[0]));
                assert_eq!(party.message(&power), expected, "power {count} of {parameters:?}");
            }
        }
    }
}

/// Trees of products and powers are what their documentation says, down to the word, also where the noise is too large.
#[test]
fn chains_of_products_are_those_of_single_products() {
    for scheme in parameters::EXACT {
        for parameters in parameters::table(scheme).into_iter().filter(|p| p.coeff_modulus.len() > 1) {
            let party = Party::lenient(&parameters, 8);
            if !party.context.supports_key_switching() {
                continue;
            }
            let keys = party.keys.relin_keys().unwrap();
            let evaluator = &party.evaluator;
            let multiply = |a: &Ciphertext, b: &Ciphertext| {
                evaluator.relinearize(&evaluator.multiply(a, b).unwrap(), &keys).unwrap()
            };
            let [a, b, c] = [2, 2, 2].map(|size| party.random_of_size(size));
            let operands = [a.clone(), b.clone(), c.clone()];
            let tree = evaluator.multiply_many(&operands, &keys).unwrap();
            assert_eq!(tree, multiply(&multiply(&a, &b), &c));
            let square = multiply(&a, &a);
            for (exponent, expected) in [(1, a.clone()), (2, square.clone()), (3, multiply(&a, &square))] {
                let exponentiate = |a: &Ciphertext| evaluator.exponentiate(a, exponent, &keys);
                let power = both(&a, exponentiate, |a| evaluator.exponentiate_assign(a, exponent, &keys));
                assert_eq!(power.unwrap(), expected);
            }
            let fourth = multiply(&square, &square);
            assert_eq!(evaluator.exponentiate(&a, 5, &keys).unwrap(), multiply(&a, &fourth));
        }
    }
}
