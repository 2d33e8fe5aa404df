//! Conversion between bases.

use alloc::vec;
use alloc::vec::Vec;

use num_bigint::{BigInt, BigUint};
use proptest::prelude::*;

use super::*;
use crate::rns::BaseConverter;

fn convert(from: &RnsBasis, to: &RnsBasis, values: &[BigUint], centered: bool) -> Vec<u64> {
    let converter = BaseConverter::new(from, to);
    let mut output = vec![u64::MAX; to.len() * values.len()];
    let mut scratch = vec![u64::MAX; converter.scratch_len(values.len())];
    let input = residues(from, &signed(values));
    if centered {
        converter.convert_centered(&input, &mut output, &mut scratch);
    } else {
        converter.convert_fast(&input, &mut output, &mut scratch);
    }
    output
}

/// Coefficient `c` of a limb-major polynomial.
fn coefficient(limbs: &[u64], degree: usize, c: usize) -> Vec<u64> {
    limbs.iter().skip(c).step_by(degree).copied().collect()
}

fn check_centered(from: &RnsBasis, to: &RnsBasis, values: &[BigUint]) {
    let q = product(from);
    let output = convert(from, to, values, true);
    for (c, value) in values.iter().enumerate() {
        let value = centered(value, &q);
        let found = coefficient(&output, values.len(), c);
        if found != residues(to, core::slice::from_ref(&value)) {
            // The exception that the documentation allows: within δQ above -Q/2.
            let above: BigInt = &value * 2 + BigInt::from(q.clone());
            let (sum, bits) = margin(from);
            assert!((above << bits) < BigInt::from(&q * sum * 2_u32), "{value} from {from:?} to {to:?}");
            assert!(from.len() > 1);
            assert_eq!(found, residues(to, &[value + BigInt::from(q.clone())]), "from {from:?} to {to:?}");
        }
    }
}

fn check_fast(from: &RnsBasis, to: &RnsBasis, values: &[BigUint]) {
    let q = product(from);
    let output = convert(from, to, values, false);
    for (c, value) in values.iter().enumerate() {
        let found = coefficient(&output, values.len(), c);
        let alpha = (0..from.len()).find(|&alpha| found == residues(to, &[BigInt::from(value + &q * alpha)]));
        assert!(alpha.is_some(), "{value} from {from:?} to {to:?}");
    }
}

proptest! {
    #[test]
    fn any_two_bases((from, values) in any_poly(any_basis(), 20), to in any_basis()) {
        check_centered(&from, &to, &values);
        check_fast(&from, &to, &values);
        check_centered(&from, &to, &edges(&product(&from)));
    }
}

#[test]
fn exact_for_every_value_of_small_bases() {
    let to = basis(&[65537, 2, (1 << 61) - 1]);
    for from in [&[2_u64][..], &[3], &[2, 3], &[3, 4, 5], &[5, 3, 8, 7]] {
        let from = basis(from);
        let q = product(&from);
        let all: Vec<_> = (0..from.product()[0]).map(BigUint::from).collect();
        let expected: Vec<_> = all.iter().map(|value| centered(value, &q)).collect();
        assert_eq!(convert(&from, &to, &all, true), residues(&to, &expected));
        check_fast(&from, &to, &all);
    }
}

#[test]
fn one_modulus_is_exact_up_to_the_tie() {
    for value in [(1 << 61) - 1, 1_u64 << 60, 0x7ff_fffd_8001] {
        let (from, to) = (basis(&[value]), basis(&[3, 65537, (1 << 59) - 55]));
        let q = product(&from);
        let values = edges(&q);
        let expected: Vec<_> = values.iter().map(|value| centered(value, &q)).collect();
        assert_eq!(convert(&from, &to, &values, true), residues(&to, &expected));
        assert_eq!(convert(&from, &to, &values, false), residues(&to, &signed(&values)));
    }
}

/// Just outside of the margin below the tie the result has no excuse.
#[test]
fn exact_outside_of_the_margin() {
    for (bits, count) in [(61, 4), (44, 4), (61, 256), (20, 256), (61, 64), (61, 63)] {
        let (from, to) = (basis(&primes(bits, count)), basis(&[65537, (1 << 60) - 93]));
        let q = BigInt::from(product(&from));
        let (sum, bits) = margin(&from);
        let margin: BigInt = ((&q * BigInt::from(sum)) >> bits) + 1;
        let values: Vec<_> = [-&q / 2 + &margin, -&q / 2 + margin * 2, &q / 2, &q / 2 - 1].to_vec();
        let wrapped: Vec<_> = values.iter().map(|value| wrap(value, q.magnitude())).collect();
        assert_eq!(convert(&from, &to, &wrapped, true), residues(&to, &values), "{count} moduli of {bits} bits");
        check_fast(&from, &to, &wrapped);
    }
}

#[test]
fn blocks_cover_every_length() {
    let (from, to) = (basis(&primes(43, 4)), basis(&primes(47, 5)));
    for len in [1, 7, 8, 815, 816, 817, 1632, 2000] {
        let values: Vec<_> = (0..len).map(|i: u64| BigUint::from(i + 1).pow(12)).collect();
        check_centered(&from, &to, &values);
    }
}
