//! Division by the last modulus.

use alloc::vec;
use alloc::vec::Vec;

use num_bigint::{BigInt, BigUint};
use proptest::prelude::*;

use super::*;
use crate::primes::ntt_primes;
use crate::rns::DivideLast;
use crate::{NttTables, RingError};

/// Whether `a` and `b` have no common factor.
fn coprime(a: u64, b: u64) -> bool {
    if b == 0 { a == 1 } else { coprime(b, a % b) }
}

fn split(basis: &RnsBasis) -> (RnsBasis, DivideLast) {
    let (last, remaining) = basis.moduli().split_last().expect("not empty");
    (RnsBasis::new(remaining).expect("coprime"), DivideLast::new(remaining, *last).expect("coprime"))
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
        let mut poly = residues(&basis, core::slice::from_ref(&x));
        divide.coefficients_mod_t(&modulus(t), &mut poly);
        let found = centered(&from_words(&remaining.compose(&poly[..3])), &product(&remaining));
        prop_assert_eq!(wrap(&(&found * q), &BigUint::from(t)), wrap(&x, &BigUint::from(t)));
        let distance = &found * q - &x;
        prop_assert!((distance * 2_u32).magnitude() <= &(BigUint::from(q) * t));
    }
}

/// NTT form against coefficient form: `chain[..remaining]` and the modulus at `last`, with the tables of the whole chain.
fn check_ntt(tables: &[NttTables], remaining: usize, last: usize, t: u64) {
    let degree = tables[0].degree();
    let mut used: Vec<_> = tables[..remaining].iter().collect();
    used.push(&tables[last]);
    let moduli: Vec<_> = used.iter().map(|table| *table.modulus()).collect();
    let basis = RnsBasis::new(&moduli).expect("coprime");
    let divide = DivideLast::new(&moduli[..remaining], moduli[remaining]).expect("coprime");
    let mut all = edges(&product(&basis));
    all.extend(edges(&BigUint::from(moduli[remaining].value())));
    if product(&basis) < BigUint::from(3000_u32) {
        all = (0..basis.product()[0]).map(BigUint::from).collect();
    }
    let polys = all.len().div_ceil(degree);
    let values: Vec<_> = all.iter().cycle().take(polys * degree).cloned().collect();
    values.chunks(degree).for_each(|values| check_one_ntt(tables, &used, &divide, &basis, values, t));
}

fn check_one_ntt(
    tables: &[NttTables],
    used: &[&NttTables],
    divide: &DivideLast,
    basis: &RnsBasis,
    values: &[BigUint],
    t: u64,
) {
    let (degree, remaining) = (values.len(), used.len() - 1);
    let mut scratch = vec![u64::MAX; divide.scratch_len(degree)];
    let plain = Some(modulus(t)).filter(|t| coprime(divide.last().value(), t.value()));
    for t in [None].into_iter().chain(plain.map(Some)) {
        let mut coefficients = residues(basis, &signed(values));
        let mut transformed = coefficients.clone();
        used.iter().zip(transformed.chunks_mut(degree)).for_each(|(table, limb)| table.forward(limb));
        if let Some(t) = &t {
            divide.coefficients_mod_t(t, &mut coefficients);
            divide.ntt_mod_t(t, tables, &mut transformed, &mut scratch);
        } else {
            divide.coefficients(&mut coefficients);
            divide.ntt(tables, &mut transformed, &mut scratch);
        }
        tables[..remaining].iter().zip(transformed.chunks_mut(degree)).for_each(|(table, limb)| table.inverse(limb));
        assert_eq!(
            transformed[..remaining * degree],
            coefficients[..remaining * degree],
            "by {:?} in {basis:?}",
            divide.last()
        );
    }
}

#[test]
fn transformed_polynomials() {
    for degree in [2, 4, 64, 1024] {
        let factor = 2 * degree as u64;
        let tables: Vec<_> = [20, 61, 44, 43, 60, 17]
            .map(|bits| ntt_primes(factor, bits, 1).expect("enough primes")[0])
            .map(|prime| NttTables::new(degree, modulus(prime)).expect("a prime that is 1 modulo 2n"))
            .into_iter()
            .collect();
        for last in 1..tables.len() {
            check_ntt(&tables, last, last, 65537);
            check_ntt(&tables, 1, last, (1 << 61) - 1);
        }
    }
}

#[test]
#[should_panic(expected = "the transform of every modulus")]
fn missing_transforms_are_noticed() {
    let tables = [NttTables::new(2, modulus(17)).expect("a prime that is 1 modulo 4")];
    let divide = DivideLast::new(&[modulus(17)], modulus(13)).expect("coprime");
    divide.ntt(&tables, &mut [0; 4], &mut [0; 2]);
}

#[test]
fn every_value_of_small_bases() {
    for values in [&[3_u64, 2][..], &[2, 3], &[5, 4], &[3, 4, 5], &[5, 3, 8, 7], &[7, 5, 3, 8]] {
        let basis = basis(values);
        let all: Vec<_> = (0..basis.product()[0]).map(BigUint::from).collect();
        for t in [2, 3, 5, 16, 65537] {
            check(&basis, &all, t);
        }
    }
}

/// Last moduli of every ratio to the others, so that each way to lift its residues is at its limits.
#[test]
fn every_ratio_of_the_last_modulus() {
    for q in [3, 5, 16, 17] {
        for last in (2..120).filter(|&last| coprime(q, last)) {
            let basis = basis(&[q, last]);
            let all: Vec<_> = (0..basis.product()[0]).map(BigUint::from).collect();
            check(&basis, &all, 7);
        }
    }
    for last in [5, 13, 29, 37, 41, 53, 61, 73, 89, 97, 101, 109] {
        let tables = [17, last].map(|prime| NttTables::new(2, modulus(prime)).expect("a prime that is 1 modulo 4"));
        check_ntt(&tables, 1, 1, 65537);
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
