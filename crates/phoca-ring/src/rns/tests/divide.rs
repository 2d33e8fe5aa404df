//! Division by the last one or two moduli.

use alloc::vec;
use alloc::vec::Vec;

use num_bigint::{BigInt, BigUint};
use proptest::prelude::*;

use super::*;
use crate::primes::ntt_primes;
use crate::rns::Division;
use crate::{Modulus, NttTables, RingError};

/// Whether `a` and `b` have no common factor.
fn coprime(a: u64, b: u64) -> bool {
    if b == 0 { a == 1 } else { coprime(b, a % b) }
}

/// Whether `t` shares no factor with any of the moduli.
fn coprime_to_all(moduli: &[Modulus], t: u64) -> bool {
    moduli.iter().all(|modulus| coprime(modulus.value(), t))
}

/// `floor((x + floor(d/2))/d)`.
fn rounded(x: &BigUint, d: &BigUint) -> BigInt {
    BigInt::from((x + d / 2_u32) / d)
}

/// `(x - t·u)/d` with the centred `u = x·t^{-1} mod d`, from `u`'s definition.
fn congruent(x: &BigUint, d: &BigUint, t: u64) -> BigInt {
    let half = BigInt::from(d / 2_u32);
    let (x, d) = (BigInt::from(x.clone()), BigInt::from(d.clone()));
    let inverse = BigInt::from(t).modinv(&d).expect("coprime");
    // As everywhere, u + floor(d/2) is in [0, d).
    let u = ((&x * inverse + &half) % &d) - half;
    let exact = &x - &u * t;
    assert_eq!(&exact % &d, BigInt::ZERO);
    exact / d
}

/// The quotient of a polynomial in coefficient form, limb by limb, by the last `dropped` moduli.
fn divided(basis: &RnsBasis, dropped: usize, t: Option<&Modulus>, poly: &[u64]) -> Vec<u64> {
    let (remaining, last) = basis.moduli().split_at(basis.len() - dropped);
    let divide = Division::new(remaining, last, t).expect("coprime");
    let degree = poly.len() / basis.len();
    let (values, digits) = poly.split_at(remaining.len() * degree);
    let mut digits = digits.to_vec();
    divide.digits(&mut digits);
    let mut quotient = vec![0; values.len()];
    for j in 0..remaining.len() {
        let limb = j * degree..(j + 1) * degree;
        divide.limb_into(j, None, &digits, &values[limb.clone()], &mut quotient[limb], &mut []);
    }
    quotient
}

fn check(basis: &RnsBasis, values: &[BigUint], t: u64) {
    (1..=2).filter(|&dropped| dropped < basis.len()).for_each(|dropped| check_dropped(basis, dropped, values, t));
}

fn check_dropped(basis: &RnsBasis, dropped: usize, values: &[BigUint], t: u64) {
    let (remaining, last) = basis.moduli().split_at(basis.len() - dropped);
    let remaining = RnsBasis::new(remaining).expect("coprime");
    let d = last.iter().map(|modulus| BigUint::from(modulus.value())).product();
    let poly = residues(basis, &signed(values));
    let expected: Vec<_> = values.iter().map(|value| rounded(value, &d)).collect();
    assert_eq!(divided(basis, dropped, None, &poly), residues(&remaining, &expected), "{basis:?} by {d}");
    if coprime_to_all(last, t) {
        let expected: Vec<_> = values.iter().map(|value| congruent(value, &d, t)).collect();
        let quotient = divided(basis, dropped, Some(&modulus(t)), &poly);
        assert_eq!(quotient, residues(&remaining, &expected), "{basis:?} by {d}, t = {t}");
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
    fn keeps_the_value_modulo_t(x in any::<i128>(), t in 2..1_u64 << 20, kept in 2..4_usize) {
        let basis = basis(&[(1 << 61) - 1, (1 << 59) - 55, 0x7ff_fffd_8001, 0x7ff_fffc_8001]);
        let dropped = basis.len() - kept;
        let (remaining, last) = basis.moduli().split_at(kept);
        let remaining = RnsBasis::new(remaining).expect("coprime");
        prop_assume!(coprime_to_all(last, t));
        let q: BigUint = last.iter().map(|modulus| BigUint::from(modulus.value())).product();
        let q = BigInt::from(q);
        let x = BigInt::from(x);
        let quotient = divided(&basis, dropped, Some(&modulus(t)), &residues(&basis, core::slice::from_ref(&x)));
        let found = centered(&from_words(&remaining.compose(&quotient)), &product(&remaining));
        prop_assert_eq!(wrap(&(&found * &q), &BigUint::from(t)), wrap(&x, &BigUint::from(t)));
        let distance = &found * &q - &x;
        prop_assert!((distance * 2_u32).magnitude() <= &(q.magnitude() * t));
    }
}

/// NTT form against coefficient form: the tables' moduli, of which the last `dropped` are dropped.
fn check_ntt(tables: &[&NttTables], dropped: usize, t: u64) {
    let degree = tables[0].degree();
    let moduli: Vec<_> = tables.iter().map(|table| *table.modulus()).collect();
    let basis = RnsBasis::new(&moduli).expect("coprime");
    let mut all = edges(&product(&basis));
    all.extend(edges(&BigUint::from(moduli[moduli.len() - 1].value())));
    if product(&basis) < BigUint::from(3000_u32) {
        all = (0..basis.product()[0]).map(BigUint::from).collect();
    }
    let polys = all.len().div_ceil(degree);
    let values: Vec<_> = all.iter().cycle().take(polys * degree).cloned().collect();
    for values in values.chunks(degree) {
        check_one_ntt(tables, dropped, None, &basis, values);
        if coprime_to_all(&moduli[moduli.len() - dropped..], t) {
            check_one_ntt(tables, dropped, Some(&modulus(t)), &basis, values);
        }
    }
}

fn check_one_ntt(tables: &[&NttTables], dropped: usize, t: Option<&Modulus>, basis: &RnsBasis, values: &[BigUint]) {
    let (degree, remaining) = (values.len(), tables.len() - dropped);
    let divide = Division::new(&basis.moduli()[..remaining], &basis.moduli()[remaining..], t).expect("coprime");
    let poly = residues(basis, &signed(values));
    let mut digits = poly[remaining * degree..].to_vec();
    divide.digits(&mut digits);
    let mut scratch = vec![u64::MAX; divide.scratch_len(degree)];
    let mut quotient = Vec::new();
    for (j, table) in tables[..remaining].iter().enumerate() {
        let mut values = poly[j * degree..(j + 1) * degree].to_vec();
        let mut out = vec![0; degree];
        table.forward(&mut values);
        divide.limb_into(j, Some(table), &digits, &values, &mut out, &mut scratch);
        table.inverse(&mut out);
        quotient.extend(out);
    }
    assert_eq!(quotient, divided(basis, dropped, t, &poly), "the last {dropped} of {basis:?}, t = {t:?}");
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
            let all: Vec<_> = tables[..=last].iter().collect();
            check_ntt(&all, 1, 65537);
            check_ntt(&[&tables[0], &tables[last]], 1, (1 << 61) - 1);
            if last > 1 {
                check_ntt(&all, 2, 65537);
                check_ntt(&[&tables[last], &tables[0], &tables[last - 1]], 2, (1 << 61) - 1);
            }
        }
    }
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
        let [first, last] =
            [17, last].map(|prime| NttTables::new(2, modulus(prime)).expect("a prime that is 1 modulo 4"));
        check_ntt(&[&first, &last], 1, 65537);
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
    let error = |remaining: &[u64], dropped: &[u64], t: Option<u64>| {
        let moduli = |values: &[u64]| values.iter().map(|&value| modulus(value)).collect::<Vec<_>>();
        Division::new(&moduli(remaining), &moduli(dropped), t.map(modulus).as_ref()).err()
    };
    assert_eq!(error(&[7, 15], &[9], None), Some(RingError::NotCoprime { first: 15, second: 9 }));
    assert_eq!(error(&[7, 15], &[11, 9], None), Some(RingError::NotCoprime { first: 15, second: 9 }));
    assert_eq!(error(&[7], &[15, 9], None), Some(RingError::NotCoprime { first: 15, second: 9 }));
    assert_eq!(error(&[7], &[15, 4], Some(10)), Some(RingError::NotCoprime { first: 10, second: 15 }));
    assert_eq!(error(&[7], &[15, 4], Some(11)), None);
}
