//! Integers of any size and polynomials over them modulo `X^n + 1`, by the schoolbook.

use num_bigint::{BigInt, Sign};

/// Coefficients from low to high; the length is the degree `n` of the ring.
pub type Poly = Vec<BigInt>;

/// The representative in `[0, q)`.
pub fn modulo(x: &BigInt, q: &BigInt) -> BigInt {
    let rest = x % q;
    if rest.sign() == Sign::Minus { rest + q } else { rest }
}

/// The representative in `(−q/2, q/2]`.
pub fn centered(x: &BigInt, q: &BigInt) -> BigInt {
    let rest = modulo(x, q);
    if &rest * 2 > *q { rest - q } else { rest }
}

/// `floor(a/b)` for positive `b`.
pub fn div_floor(a: &BigInt, b: &BigInt) -> BigInt {
    (a - modulo(a, b)) / b
}

/// The integer nearest to `a/b` for positive `b`, halves upwards.
pub fn div_round(a: &BigInt, b: &BigInt) -> BigInt {
    div_floor(&(a * 2 + b), &(b * 2))
}

/// The inverse of `a` modulo `q`; they must be coprime.
pub fn inverse(a: &BigInt, q: &BigInt) -> BigInt {
    modulo(a, q).modinv(q).expect("coprime by construction")
}

/// `base^exponent mod q` for words.
pub fn power(base: u64, mut exponent: u64, q: u64) -> u64 {
    let (mut square, mut result) = (base % q, 1 % q);
    while exponent > 0 {
        if exponent % 2 == 1 {
            result = product(result, square, q);
        }
        square = product(square, square, q);
        exponent /= 2;
    }
    result
}

/// `a·b mod q` for words.
pub fn product(a: u64, b: u64, q: u64) -> u64 {
    (u128::from(a) * u128::from(b) % u128::from(q)) as u64
}

pub fn word(x: &BigInt) -> u64 {
    u64::try_from(x).expect("one word")
}

pub fn each(a: &[BigInt], f: impl Fn(&BigInt) -> BigInt) -> Poly {
    a.iter().map(f).collect()
}

pub fn add(a: &[BigInt], b: &[BigInt]) -> Poly {
    a.iter().zip(b).map(|(a, b)| a + b).collect()
}

pub fn sub(a: &[BigInt], b: &[BigInt]) -> Poly {
    a.iter().zip(b).map(|(a, b)| a - b).collect()
}

pub fn scale(a: &[BigInt], factor: &BigInt) -> Poly {
    each(a, |a| a * factor)
}

/// `a·b mod X^n + 1`.
pub fn mul(a: &[BigInt], b: &[BigInt]) -> Poly {
    let n = a.len();
    let mut out = vec![BigInt::ZERO; n];
    for (i, a) in a.iter().enumerate().filter(|(_, a)| a.sign() != Sign::NoSign) {
        for (j, b) in b.iter().enumerate().filter(|(_, b)| b.sign() != Sign::NoSign) {
            if i + j < n {
                out[i + j] += a * b;
            } else {
                out[i + j - n] -= a * b;
            }
        }
    }
    out
}

/// `a(X^element) mod X^n + 1`.
pub fn automorphism(a: &[BigInt], element: u64) -> Poly {
    let n = a.len() as u64;
    let mut out = vec![BigInt::ZERO; a.len()];
    for (i, a) in (0..).zip(a) {
        let exponent = i * element % (2 * n);
        out[(exponent % n) as usize] = if exponent < n { a.clone() } else { -a };
    }
    out
}

/// The largest coefficient in absolute value.
pub fn largest(a: &[BigInt]) -> BigInt {
    a.iter().map(|a| BigInt::from(a.magnitude().clone())).max().unwrap_or_default()
}
