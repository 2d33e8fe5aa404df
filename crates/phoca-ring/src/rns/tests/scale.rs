//! Scaling by `t/Q` with rounding, and the basis for it.

use alloc::vec;
use alloc::vec::Vec;

use num_bigint::{BigInt, BigUint};
use proptest::prelude::*;

use super::*;
use crate::RingError;
use crate::rns::{Limbs, ScaleRounder, auxiliary_basis};

/// A plain modulus of 2 to 61 bits.
pub(super) fn any_plain() -> impl Strategy<Value = u64> {
    (2..1_u64 << 61, 2..=61_u32).prop_map(|(t, bits)| (t >> (61 - bits)).max(2))
}

/// `floor(t·x/Q + 1/2)`.
pub(super) fn half_up(x: &BigInt, t: u64, q: &BigInt) -> BigInt {
    rounded(&(x * t), q)
}

/// `floor(x/Q + 1/2)`.
fn rounded(x: &BigInt, q: &BigInt) -> BigInt {
    div_floor(&(x * 2_u32 + q), &(q * 2_u32))
}

/// Values whose product with `t/Q` is next to a tie.
pub(super) fn near_ties(q: &BigUint, t: u64) -> Vec<BigUint> {
    let tie = |m: u64| ((BigUint::from(m) * 2_u32 + 1_u32) * q) / (BigUint::from(t) * 2_u32);
    let ms = [0, 1, t / 3, t / 2, t - 1];
    ms.into_iter().flat_map(|m| (0..4_u32).map(move |i| (tie(m) + i) % q)).collect()
}

/// Scaling from `q` to `p` by `t/Q`, or where `t` is `None` by `P/Q`, of limbs with words between them.
fn check_scaling(q: &RnsBasis, p: &RnsBasis, t: Option<u64>, values: &[BigInt]) {
    let (len, stride) = (values.len(), values.len() + 3);
    let spread = |basis: &RnsBasis| {
        let limbs = residues(basis, values);
        limbs.chunks(len).flat_map(|limb| limb.iter().copied().chain([u64::MAX; 3])).collect::<Vec<_>>()
    };
    let (input_q, input_p) = (spread(q), spread(p));
    let (input_q, input_p) = (Limbs::new(&input_q, stride), Limbs::new(&input_p, stride));
    let mut output = vec![u64::MAX; p.len() * len];
    let numerator = match t {
        Some(t) => {
            let rounder = ScaleRounder::with_auxiliary(q, &modulus(t), p).expect("coprime");
            let mut scratch = vec![u64::MAX; rounder.scratch_len(len)];
            rounder.round_to_auxiliary(input_q, input_p, &mut output, &mut scratch);
            BigInt::from(t)
        }
        None => {
            let rounder = ScaleRounder::between(q, p).expect("coprime");
            let mut scratch = vec![u64::MAX; rounder.scratch_len(len)];
            rounder.change_modulus(input_q, &mut output, &mut scratch);
            BigInt::from(product(p))
        }
    };
    let big_q = BigInt::from(product(q));
    for (c, value) in values.iter().enumerate() {
        let found: Vec<_> = output.iter().skip(c).step_by(len).copied().collect();
        let scaled = value * &numerator;
        let exact = -rounded(&-&scaled, &big_q);
        if found != residues(p, core::slice::from_ref(&exact)) {
            // The exception that the documentation allows: w·x/Q is in (1/2, 1/2 + δ) modulo 1.
            let above: BigInt = BigInt::from(wrap(&scaled, big_q.magnitude())) * 2 - &big_q;
            let (sum, bits) = margin(q);
            assert!(above > BigInt::ZERO && (above << bits) <= &big_q * BigInt::from(sum) * 2, "{scaled}/{q:?}");
            assert_eq!(found, residues(p, &[exact - 1]));
        }
    }
}

fn exact_bound(degree: usize, q: &RnsBasis, t: u64) -> BigUint {
    product(q) * t * degree * 8_u32
}

proptest! {
    #[test]
    fn multiplication((basis, values) in any_poly(any_basis(), 10), t in any_plain(), degree in 1..8_u32) {
        let degree = 1 << degree;
        let primes = auxiliary_basis(degree, &basis, &modulus(t)).expect("enough primes");
        let p = super::basis(&primes.all);
        prop_assert!(product(&p) > exact_bound(degree, &basis, t));
        // Products of any size up to that which the basis is made for, of both signs.
        let q = product(&basis);
        let last = &values[values.len() - 1];
        let products = values.iter().map(|x| centered(x, &q) * centered(last, &q) * degree * 15 + centered(x, &q));
        let mut products: Vec<_> = products.collect();
        products.extend(signed(&near_ties(&q, t)));
        check_scaling(&basis, &p, Some(t), &products);
        // Both ways of the shorter basis.
        let p = super::basis(&primes.all[..primes.above_modulus]);
        prop_assert!(product(&p) > q);
        check_scaling(&basis, &p, None, &products);
        products.extend(signed(&near_ties(&product(&p), t)));
        check_scaling(&p, &basis, Some(t), &products);
    }
}

#[test]
fn multiplication_with_long_chains() {
    for (bits, count) in [(61, 63), (61, 70), (30, 130)] {
        let q = basis(&primes(bits, count));
        let t = (1 << 20) - 3;
        let p = basis(&auxiliary_basis(8, &q, &modulus(t)).expect("enough primes").all);
        let big_q = BigInt::from(product(&q));
        let values: Vec<_> = (0..20).map(|i| &big_q * &big_q / (i + 3) - &big_q * i + i).collect();
        check_scaling(&q, &p, Some(t), &values);
        check_scaling(&q, &p, None, &values);
        check_scaling(&p, &q, Some(t), &values);
    }
}

#[test]
fn auxiliary_primes_follow_the_rules() {
    let default_8192 = [0x7ff_fffd_8001, 0x7ff_fffc_8001, 0xfff_ffff_c001, 0xfff_fff6_c001];
    for (degree, q, t) in [
        (8192, &default_8192[..], 1_032_193),
        (2, &[2, 3], 2),
        (2, &[17], 2),
        (131_072, &[(1 << 61) - 1], (1 << 61) - 1),
        (1024, &primes(61, 64), 65537),
        (4096, &primes(50, 255), (1 << 60) + 33),
    ] {
        let q = basis(q);
        let found = auxiliary_basis(degree, &q, &modulus(t)).expect("enough primes");
        let above = basis(&found.all[..found.above_modulus]);
        let found = found.all;
        let p = basis(&found);
        assert!(found.is_sorted());
        assert!(product(&above) > product(&q) && product(&above) >> 48 < product(&q));
        assert!(product(&p) > exact_bound(degree, &q, t));
        assert!(found.iter().all(|&p| p % (2 * degree as u64) == 1 && p >> 47 == 0));
        assert!(q.moduli().iter().all(|q| !found.contains(&q.value())));
        // One prime fewer would not do.
        assert!(product(&p) / (1_u64 << 47) < exact_bound(degree, &q, t));
        assert!(ScaleRounder::with_auxiliary(&q, &modulus(t), &p).is_ok());
    }
    assert_eq!(
        auxiliary_basis(8192, &basis(&default_8192), &modulus(1_032_193)).map(|p| (p.all.len(), p.above_modulus)),
        Ok((5, 4))
    );
}

#[test]
fn refuses_what_cannot_be() {
    let q = basis(&[15, 7]);
    let error = ScaleRounder::with_auxiliary(&q, &modulus(2), &basis(&[11, 9])).err();
    assert_eq!(error, Some(RingError::NotCoprime { first: 15, second: 9 }));
    assert_eq!(ScaleRounder::between(&q, &basis(&[11, 9])).err(), error);
    assert_eq!(auxiliary_basis(12, &q, &modulus(2)), Err(RingError::InvalidDegree { degree: 12 }));
}
