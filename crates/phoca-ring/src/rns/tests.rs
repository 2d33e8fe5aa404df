//! Everything of this folder against arbitrary-precision integers.

mod basis;
mod block;
mod convert;
mod divide;
mod plain;
mod scale;

use alloc::vec::Vec;

use num_bigint::{BigInt, BigUint, Sign};
use proptest::prelude::*;

use super::RnsBasis;
use crate::Modulus;

/// Small, odd-shaped and wide moduli, pairwise coprime: one even, some not prime, of 2 to 61 bits.
const MODULI: [u64; 20] = [
    3,
    2,
    (1 << 61) - 1,
    7,
    17,
    0x7ff_fffd_8001,
    5 * 11,
    257,
    (1 << 50) - 27,
    0x7ff_fffc_8001,
    0xfff_ffeb_c001,
    65537,
    0xfff_ffff_c001,
    (1 << 31) - 1,
    (1 << 44) - 17,
    (1 << 59) - 55,
    1_152_921_504_606_830_593,
    (1 << 47) - 115,
    (1 << 54) - 33,
    (1 << 53) - 111,
];

pub(super) fn modulus(value: u64) -> Modulus {
    Modulus::new(value).expect("from 2 to 61 bits")
}

pub(super) fn basis(values: &[u64]) -> RnsBasis {
    let moduli: Vec<_> = values.iter().map(|&value| modulus(value)).collect();
    RnsBasis::new(&moduli).expect("coprime")
}

/// The `count` largest primes of `bits` bits.
pub(super) fn primes(bits: u32, count: usize) -> Vec<u64> {
    crate::primes::ntt_primes(2, bits, count).expect("enough primes")
}

/// A basis of 1 to 8 of [`MODULI`] in any order.
pub(super) fn any_basis() -> impl Strategy<Value = RnsBasis> {
    (1..=8_usize)
        .prop_flat_map(|len| proptest::sample::subsequence(MODULI.to_vec(), len))
        .prop_shuffle()
        .prop_map(|values| basis(&values))
}

/// A basis with polynomials of `len` integers in `[0, Q)`, near ties and the ends more often than chance has it.
pub(super) fn any_poly(
    basis: impl Strategy<Value = RnsBasis>,
    len: usize,
) -> impl Strategy<Value = (RnsBasis, Vec<BigUint>)> {
    (basis, proptest::collection::vec((0..8_u8, any::<[u64; 10]>(), -3..=3_i64), 1..=len)).prop_map(|(basis, seeds)| {
        let q = product(&basis);
        let value = |(kind, words, offset): (u8, [u64; 10], i64)| match kind {
            0 => wrap(&BigInt::from(offset), &q),
            1 => wrap(&(BigInt::from(q.clone()) / 2 + offset), &q),
            2 => wrap(&BigInt::from(words[0] as i64), &q),
            _ => from_words(&words) % &q,
        };
        let values = seeds.into_iter().map(value).collect();
        (basis, values)
    })
}

pub(super) fn from_words(words: &[u64]) -> BigUint {
    words.iter().rev().fold(BigUint::ZERO, |sum, &word| (sum << 64) + word)
}

pub(super) fn product(basis: &RnsBasis) -> BigUint {
    basis.moduli().iter().map(|modulus| BigUint::from(modulus.value())).product()
}

/// `x mod q` in `[0, q)`.
pub(super) fn wrap(x: &BigInt, q: &BigUint) -> BigUint {
    let q = BigInt::from(q.clone());
    (((x % &q) + &q) % &q).to_biguint().expect("not negative")
}

/// The representative in `(-Q/2, Q/2]`.
pub(super) fn centered(x: &BigUint, q: &BigUint) -> BigInt {
    let x = BigInt::from(x.clone());
    if &x * 2 > BigInt::from(q.clone()) { x - BigInt::from(q.clone()) } else { x }
}

/// `floor(a/b)` for positive `b`.
pub(super) fn div_floor(a: &BigInt, b: &BigInt) -> BigInt {
    let quotient = a / b;
    if (a - &quotient * b).sign() == Sign::Minus { quotient - 1 } else { quotient }
}

/// The limb-major residues of `values`.
pub(super) fn residues(basis: &RnsBasis, values: &[BigInt]) -> Vec<u64> {
    let limb = |modulus: &Modulus| {
        let q = BigUint::from(modulus.value());
        values.iter().map(move |value| u64::try_from(wrap(value, &q)).expect("one word")).collect::<Vec<_>>()
    };
    basis.moduli().iter().flat_map(limb).collect()
}

pub(super) fn signed(values: &[BigUint]) -> Vec<BigInt> {
    values.iter().map(|value| BigInt::from(value.clone())).collect()
}

/// `(Σ_i q_i, b)`, of which the margin of the rounded sums of fractions is `δ = 2^-b·Σ_i q_i`.
pub(super) fn margin(basis: &RnsBasis) -> (BigUint, u32) {
    let narrow = basis.moduli().iter().all(|modulus| modulus.bits() <= 50);
    let bits = if narrow { 104 } else { 127 - (usize::BITS - basis.len().leading_zeros()) };
    (basis.moduli().iter().map(|modulus| BigUint::from(modulus.value())).sum(), bits)
}

/// The values at the ends, around zero and around the ties of a modulus `q`.
pub(super) fn edges(q: &BigUint) -> Vec<BigUint> {
    let ends = [BigInt::ZERO, BigInt::from(q.clone()) / 2, BigInt::from(q.clone()) / 3, BigInt::from(q.clone()) / 4];
    let around = |end: BigInt| (-3..=3).map(move |offset| &end + offset);
    ends.into_iter().flat_map(around).map(|value| wrap(&value, q)).collect()
}
