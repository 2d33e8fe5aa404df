//! Division by the last modulus.

use alloc::vec::Vec;

use num_bigint::{BigInt, BigUint};
use proptest::prelude::*;

use super::*;
use crate::RingError;
use crate::rns::DivideLast;

/// Whether `a` and `b` have no common factor.
fn coprime(a: u64, b: u64) -> bool {
    if b == 0 { a == 1 } else { coprime(b, a % b) }
}

fn split(basis: &RnsBasis) -> (RnsBasis, DivideLast) {
    let (last, remaining) = basis.moduli().split_last().expect("not empty");
    (
        RnsBasis::new(remaining).expect("coprime"),
        DivideLast::new(remaining, *last).expect("coprime"),
    )
}

/// `floor((x + floor(q/2))/q)`.
fn rounded(x: &BigUint, q: u64) -> BigInt {
    BigInt::from((x + q / 2) / q)
}

/// `(x - t·u)/q` with the centred `u = x·t^{-1} mod q`, from `u`'s definition.
fn congruent(x: &BigUint, q: u64, t: u64) -> BigInt {
    let x = BigInt::from(x.clone());
    let inverse = modulus(q).inverse_vartime(t).expect("coprime");
    let u = wrap(&(&x * inverse), &BigUint::from(q));
    // As everywhere, u + floor(q/2) is in [0, q).
    let u = BigInt::from((u + q / 2) % q) - q / 2;
    let exact = &x - &u * t;
    assert_eq!(&exact % q, BigInt::ZERO);
    exact / q
}

fn check(basis: &RnsBasis, values: &[BigUint], t: u64) {
    let (remaining, divide) = split(basis);
    let q = divide.last().value();
    let mut poly = residues(basis, &signed(values));
    let len = remaining.len() * values.len();
    divide.coefficients(&mut poly);
    let expected: Vec<_> = values.iter().map(|value| rounded(value, q)).collect();
    assert_eq!(&poly[..len], residues(&remaining, &expected), "{basis:?}");
    if coprime(q, t) {
        let mut poly = residues(basis, &signed(values));
        divide.coefficients_mod_t(&modulus(t), &mut poly);
        let expected: Vec<_> = values.iter().map(|value| congruent(value, q, t)).collect();
        assert_eq!(&poly[..len], residues(&remaining, &expected), "{basis:?}, t = {t}");
    }
}

proptest! {
    #[test]
    fn any_basis_by_its_last(
        (basis, values) in any_poly(any_basis().prop_filter("two moduli", |basis| basis.len() > 1), 20),
        t in 2..1_u64 << 61,
        bits in 2..=61_u32,
    ) {
        let t = (t >> (61 - bits)).max(2);
        check(&basis, &values, t);
        check(&basis, &edges(&product(&basis)), t);
        check(&basis, &edges(&BigUint::from(basis.moduli()[basis.len() - 1].value())), t);
    }

    /// What BGV needs: congruence modulo t up to the factor, and a result near x/q.
    #[test]
    fn keeps_the_value_modulo_t(x in any::<i128>(), t in 2..1_u64 << 20) {
        let basis = basis(&[(1 << 61) - 1, (1 << 59) - 55, 0x7ff_fffd_8001, 0x7ff_fffc_8001]);
        let (remaining, divide) = split(&basis);
        let q = divide.last().value();
        prop_assume!(coprime(q, t));
        let x = BigInt::from(x);
        let mut poly = residues(&basis, &[x.clone()]);
        divide.coefficients_mod_t(&modulus(t), &mut poly);
        let found = centered(&from_words(&remaining.compose(&poly[..3])), &product(&remaining));
        prop_assert_eq!(wrap(&(&found * q), &BigUint::from(t)), wrap(&x, &BigUint::from(t)));
        let distance = &found * q - &x;
        prop_assert!((distance * 2_u32).magnitude() <= &(BigUint::from(q) * t));
    }
}

#[test]
fn every_value_of_small_bases() {
    for values in [
        &[3_u64, 2][..],
        &[2, 3],
        &[5, 4],
        &[3, 4, 5],
        &[5, 3, 8, 7],
        &[7, 5, 3, 8],
    ] {
        let basis = basis(values);
        let all: Vec<_> = (0..basis.product()[0]).map(BigUint::from).collect();
        for t in [2, 3, 5, 16, 65537] {
            check(&basis, &all, t);
        }
    }
}

#[test]
fn last_modulus_much_larger_or_smaller_and_long_chains() {
    let mut values = primes(20, 255);
    values.push((1 << 61) - 1);
    check(&basis(&values), &edges(&product(&basis(&values))), 65537);
    let mut values = primes(61, 255);
    values.push(3);
    check(&basis(&values), &edges(&product(&basis(&values))), (1 << 60) + 1);
}

#[test]
fn refuses_common_factors() {
    let error = DivideLast::new(&[modulus(7), modulus(15)], modulus(9)).err();
    assert_eq!(error, Some(RingError::NotCoprime { first: 15, second: 9 }));
}
