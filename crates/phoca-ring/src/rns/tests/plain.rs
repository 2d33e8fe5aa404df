//! Conversion to a plain modulus, with the kernels of every instruction set.

use alloc::vec;
use alloc::vec::Vec;

use num_bigint::{BigInt, BigUint};
use proptest::prelude::*;

use super::scale::{any_plain, half_up, near_ties};
use super::*;
use crate::arch::Arch;
use crate::rns::PlainConverter;

/// The same results by all instruction sets.
fn convert(q: &RnsBasis, t: u64, values: &[BigUint], method: fn(&PlainConverter, &[u64], &mut [u64])) -> Vec<u64> {
    let run = |arch: Arch| {
        let plain = Modulus::with_arch(t, arch).expect("an available instruction set");
        let mut output = vec![u64::MAX; values.len()];
        method(&PlainConverter::new(q, &plain), &residues(q, &signed(values)), &mut output);
        output
    };
    let expected = run(Arch::Portable);
    for &arch in Arch::all().iter().filter(|arch| arch.is_available()) {
        assert_eq!(run(arch), expected, "{} {q:?} t = {t}", arch.name());
    }
    expected
}

fn round_to_plain(q: &RnsBasis, t: u64, values: &[BigUint]) -> Vec<u64> {
    convert(q, t, values, PlainConverter::round_scaled)
}

fn check_plain(basis: &RnsBasis, t: u64, values: &[BigUint]) {
    let q = BigInt::from(product(basis));
    for (value, found) in values.iter().zip(round_to_plain(basis, t, values)) {
        let value = BigInt::from(value.clone());
        let exact = half_up(&value, t, &q) % t;
        if BigInt::from(found) != exact {
            // The exception that the documentation allows: t·x/Q is in [1/2 - 2^-62, 1/2) modulo 1.
            let numerator = &value * t % &q;
            let below: BigInt = &q - numerator * 2;
            assert!(below > BigInt::ZERO && (below << 61) <= q, "{value}·{t}/{basis:?}");
            assert_eq!(BigInt::from(found), (exact + 1) % t);
        }
    }
}

fn reduce_centered(q: &RnsBasis, t: u64, values: &[BigUint]) -> Vec<u64> {
    convert(q, t, values, PlainConverter::reduce_centered)
}

fn check_centered(basis: &RnsBasis, t: u64, values: &[BigUint]) {
    let q = product(basis);
    let sum: BigUint = basis.moduli().iter().map(|modulus| BigUint::from(modulus.value())).sum();
    for (value, found) in values.iter().zip(reduce_centered(basis, t, values)) {
        let exact = centered(value, &q);
        if BigInt::from(found) != residue(&exact, t) {
            // The exception that the documentation allows: x/Q is in (1/2, 1/2 + δ).
            let above = BigInt::from(value.clone()) * 2 - BigInt::from(q.clone());
            assert!(
                above > BigInt::ZERO && (above << 127) < BigInt::from(&q * (&sum + 1_u32)),
                "{value} mod {basis:?}"
            );
            assert_eq!(BigInt::from(found), residue(&BigInt::from(value.clone()), t));
        }
    }
}

fn residue(x: &BigInt, t: u64) -> BigInt {
    ((x % t) + t) % t
}

/// The values next to `Q/2`.
fn near_half(q: &BigUint) -> Vec<BigUint> {
    (0..12_u32).map(|i| (q / 2_u32 + i + q - 5_u32 % q) % q).collect()
}

proptest! {
    #[test]
    fn decryption((basis, values) in any_poly(any_basis(), 20), t in any_plain()) {
        check_plain(&basis, t, &values);
        check_plain(&basis, t, &edges(&product(&basis)));
        check_plain(&basis, t, &near_ties(&product(&basis), t));
    }

    #[test]
    fn reduction((basis, values) in any_poly(any_basis(), 20), t in any_plain()) {
        check_centered(&basis, t, &values);
        check_centered(&basis, t, &edges(&product(&basis)));
        check_centered(&basis, t, &near_half(&product(&basis)));
    }

    #[test]
    fn conversion_in_vectors(bits in 40..=61_u32, count in 1..=9_usize, t in 2..1_u64 << 50, len in 1..40_usize, seed: u64) {
        let basis = basis(&primes(bits, count));
        let q = product(&basis);
        let value = |i: usize| (&q * (seed >> 1) * (2 * i + 1) / (len as u64 + 7)) % &q;
        let mut values: Vec<_> = (0..len).map(value).collect();
        values.extend(near_ties(&q, t));
        values.extend(near_half(&q));
        values.extend(edges(&q));
        check_plain(&basis, t, &values);
        check_centered(&basis, t, &values);
    }
}

#[test]
fn decryption_of_every_value_of_small_bases() {
    for values in [&[2_u64][..], &[3], &[3, 2], &[2, 3], &[3, 4, 5], &[5, 3, 8, 7]] {
        let basis = basis(values);
        let q = BigInt::from(product(&basis));
        let all: Vec<_> = (0..basis.product()[0]).map(BigUint::from).collect();
        for t in [2, 3, 6, 7, 64, 65537, (1 << 61) - 1] {
            let expected: Vec<_> = all.iter().map(|x| half_up(&BigInt::from(x.clone()), t, &q) % t).collect();
            let found: Vec<_> = round_to_plain(&basis, t, &all).into_iter().map(BigInt::from).collect();
            assert_eq!(found, expected, "{values:?}, t = {t}");
        }
    }
}

#[test]
fn decryption_with_the_widest_of_everything() {
    let basis = basis(&primes(61, 256));
    let q = product(&basis);
    for t in [2, (1 << 20) - 3, (1 << 61) - 1] {
        check_plain(&basis, t, &near_ties(&q, t));
        // Messages with noise up to a hair below the limit.
        let messages = [0, 1, t / 2, t - 1];
        let noise = BigInt::from(&q / (2 * t)) - BigInt::from(&q >> 62);
        for noise in [noise.clone(), -noise] {
            let value = |&m: &u64| wrap(&(BigInt::from(&q * m / t) + &noise), &q);
            let values: Vec<_> = messages.iter().map(value).collect();
            assert_eq!(round_to_plain(&basis, t, &values), messages, "t = {t}");
        }
    }
}

#[test]
fn reduction_of_every_value_of_small_bases() {
    for values in [&[2_u64][..], &[3], &[3, 2], &[2, 3], &[3, 4, 5], &[5, 3, 8, 7]] {
        let basis = basis(values);
        let all: Vec<_> = (0..basis.product()[0]).map(BigUint::from).collect();
        for t in [2, 3, 6, 7, 64, 65537, (1 << 61) - 1] {
            let expected: Vec<_> = all.iter().map(|x| residue(&centered(x, &product(&basis)), t)).collect();
            let found: Vec<_> = reduce_centered(&basis, t, &all).into_iter().map(BigInt::from).collect();
            assert_eq!(found, expected, "{values:?}, t = {t}");
        }
    }
}

#[test]
fn the_longest_chains() {
    // The last two have as many moduli as the vector code takes for wide ones.
    let chains =
        [(50, 256, (1 << 50) - 27), (50, 256, 2), (61, 256, (1 << 61) - 1), (61, 4, (1 << 50) - 27), (55, 256, 65537)];
    for (bits, count, t) in chains {
        let basis = basis(&primes(bits, count));
        let q = product(&basis);
        let values: Vec<_> = edges(&q).into_iter().chain(near_half(&q)).chain(near_ties(&q, t)).collect();
        check_plain(&basis, t, &values);
        check_centered(&basis, t, &values);
    }
}
