//! Composition, decomposition, doubles.

use alloc::vec;
use alloc::vec::Vec;

use num_bigint::{BigInt, BigUint};
use proptest::prelude::*;

use super::*;
use crate::RingError;
use crate::embedding::largest_magnitude;

/// The exact value of an integral double.
fn exact(value: f64) -> BigInt {
    let bits = value.to_bits();
    let exponent = (bits >> 52 & 0x7ff) as i32 - 1075;
    let mantissa = BigInt::from(bits & ((1 << 52) - 1) | 1 << 52);
    let magnitude = match exponent {
        -1075 => BigInt::ZERO,
        0.. => mantissa << exponent,
        _ => mantissa >> -exponent,
    };
    if value < 0.0 { -magnitude } else { magnitude }
}

fn check_doubles(basis: &RnsBasis, values: &[BigUint]) {
    let q = product(basis);
    let mut out = vec![0.0; values.len()];
    basis.to_f64_centered(&residues(basis, &signed(values)), &mut out);
    for (value, &double) in values.iter().zip(&out) {
        let value = centered(value, &q);
        if value.bits() <= 52 {
            assert_eq!(exact(double), value, "{basis:?}");
            continue;
        }
        let mut radix = BigInt::from(1);
        let needed = basis.moduli().iter().take_while(|modulus| {
            let needed = value.magnitude() * 2_u32 > *radix.magnitude();
            radix *= modulus.value();
            needed
        });
        let bound: BigInt = (BigInt::from(value.magnitude().clone()) * 4 * needed.count()) >> 53;
        let error = exact(double) - &value;
        assert!(error.magnitude() <= bound.magnitude(), "{basis:?}: {value} became {double:e}");
    }
}

proptest! {
    #[test]
    fn residues_and_integers((basis, values) in any_poly(any_basis(), 4)) {
        prop_assert_eq!(from_words(basis.product()), product(&basis));
        for value in &values {
            let words: Vec<u64> = value.iter_u64_digits().collect();
            let limbs = basis.decompose(&words);
            prop_assert_eq!(&limbs, &residues(&basis, &[BigInt::from(value.clone())]));
            let composed = basis.compose(&limbs);
            prop_assert_eq!(composed.len(), basis.product().len());
            prop_assert_eq!(&from_words(&composed), value);
        }
    }

    #[test]
    fn prefixes_are_bases_of_their_own((basis, values) in any_poly(any_basis(), 3), cut in any::<prop::sample::Index>()) {
        let k = 1 + cut.index(basis.len());
        let (prefix, fresh) = (basis.prefix(k), RnsBasis::new(&basis.moduli()[..k]).expect("coprime"));
        prop_assert_eq!(&prefix, &fresh);
        prop_assert_eq!(prefix.product(), fresh.product());
        let values: Vec<_> = values.iter().map(|value| value % product(&fresh)).collect();
        for value in &values {
            let limbs = residues(&fresh, &[BigInt::from(value.clone())]);
            prop_assert_eq!(&from_words(&prefix.compose(&limbs)), value);
        }
        check_doubles(&prefix, &values);
    }

    #[test]
    fn doubles_of_residues((basis, values) in any_poly(any_basis(), 20)) {
        check_doubles(&basis, &values);
        check_doubles(&basis, &edges(&product(&basis)));
    }

    #[test]
    fn residues_of_doubles(
        basis in any_basis(),
        top in -1074..1024_i32,
        seeds in prop::collection::vec((any::<i64>(), 0..1100_i32), 1..40),
    ) {
        // From one power of two down, so that each of the three methods comes up.
        let value = |(mantissa, down): (i64, i32)| libm::trunc(libm::ldexp(mantissa as f64, top.max(0) - 63 - down % 70));
        let values: Vec<f64> = seeds.into_iter().map(value).collect();
        check_residues(&basis, &values);
    }
}

/// The residues of integral doubles, out of place and in place.
fn check_residues(basis: &RnsBasis, values: &[f64]) {
    let expected = residues(basis, &values.iter().map(|&value| exact(value)).collect::<Vec<_>>());
    let mut out = vec![0; basis.len() * values.len()];
    basis.from_f64_into(values, &mut out);
    assert_eq!(out, expected, "{values:?}");
    out.fill(u64::MAX);
    let last = out.len() - values.len();
    out[last..].iter_mut().zip(values).for_each(|(word, value)| *word = value.to_bits());
    basis.from_bounded_f64_in_place(largest_magnitude(values), &mut out);
    assert_eq!(out, expected, "{values:?} in place");
}

#[test]
fn residues_of_doubles_at_the_limits_of_each_method() {
    let basis = basis(&MODULI);
    let two = |exponent| libm::ldexp(1.0, exponent);
    for limit in [51, 52, 53, 63, 64, 127, 128, 1023] {
        for value in [two(limit), two(limit) * (1.0 - two(-53)), two(limit) * (1.0 + two(-52)), two(limit - 1)] {
            let values = [value, -value, value / 3.0, 0.0, -0.0, 1.0, -1.0].map(libm::trunc);
            check_residues(&basis, &values);
            // More than the words of a block.
            check_residues(&basis, &values.repeat(80));
        }
    }
    check_residues(&basis, &[f64::MAX, f64::MIN]);
}

#[test]
fn every_value_of_small_bases_is_centred() {
    for values in [&[2_u64][..], &[3], &[3, 2], &[2, 3], &[3, 4, 5], &[5, 3, 8, 7], &[8, 7, 3], &[7, 5, 2, 9]] {
        let basis = basis(values);
        let all: Vec<_> = (0..basis.product()[0]).map(BigUint::from).collect();
        check_doubles(&basis, &all);
    }
}

/// No result is promised then, but residues they are.
#[test]
fn values_that_are_no_integers_give_residues() {
    let basis = basis(&MODULI);
    let bad = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1.5, 96.7, -2.5, 256.6, 1e300, 1e30, 2.5e15];
    for value in bad {
        let mut out = vec![0; 3 * basis.len()];
        basis.from_f64_into(&[1.0, value, -1.0], &mut out);
        for (modulus, limb) in basis.moduli().iter().zip(out.chunks(3)) {
            assert!(limb.iter().all(|&residue| residue < modulus.value()), "{value} modulo {modulus:?}");
        }
    }
}

#[test]
fn long_chains() {
    for (bits, count) in [(61, 256), (20, 256), (44, 65), (20, 600)] {
        let basis = basis(&primes(bits, count));
        let q = product(&basis);
        let values = edges(&q);
        let limbs = residues(&basis, &signed(&values));
        for (c, value) in values.iter().enumerate() {
            let one: Vec<_> = limbs.iter().skip(c).step_by(values.len()).copied().collect();
            assert_eq!(&from_words(&basis.compose(&one)), value);
        }
        let small: Vec<_> = (0..1000_u32).map(|i| wrap(&((BigInt::from(i) - 500) << (i / 10)), &q)).collect();
        check_doubles(&basis, &small);
    }
}

#[test]
fn refuses_common_factors_and_nothing() {
    assert_eq!(RnsBasis::new(&[]).err(), Some(RingError::EmptyBasis));
    let moduli = [modulus(7), modulus(15), modulus(22), modulus(9)];
    assert_eq!(RnsBasis::new(&moduli).err(), Some(RingError::NotCoprime { first: 15, second: 9 }));
    assert_eq!(RnsBasis::new(&[modulus(17), modulus(17)]).err(), Some(RingError::NotCoprime { first: 17, second: 17 }));
}
