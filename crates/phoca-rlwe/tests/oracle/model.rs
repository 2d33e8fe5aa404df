//! The ring modulo the primes of one level: words to integers and back by definition.

use num_bigint::BigInt;

use crate::big::{self, Poly};

/// `Z_Q[X]/(X^n + 1)` with `Q` a product of primes that are 1 modulo `2n`.
#[derive(Clone, Debug)]
pub struct Ring {
    pub degree: usize,
    pub primes: Vec<u64>,
    pub modulus: BigInt,
    /// The smallest primitive `2n`-th root of unity modulo each prime.
    roots: Vec<u64>,
    /// For each prime the integer modulo `Q` that is 1 modulo it and 0 modulo the others.
    units: Vec<BigInt>,
}

impl Ring {
    pub fn new(degree: usize, primes: &[u64]) -> Self {
        let modulus: BigInt = primes.iter().map(|&prime| BigInt::from(prime)).product();
        let unit = |&prime: &u64| {
            let others = &modulus / prime;
            &others * big::inverse(&others, &BigInt::from(prime))
        };
        Self {
            degree,
            primes: primes.to_vec(),
            roots: primes.iter().map(|&prime| smallest_root(degree, prime)).collect(),
            units: primes.iter().map(unit).collect(),
            modulus,
        }
    }

    /// The polynomial in `[0, Q)` with these words, `n` for each prime.
    pub fn compose(&self, words: &[u64], ntt_form: bool) -> Poly {
        assert_eq!(words.len(), self.degree * self.primes.len(), "words of one polynomial");
        let mut sum = vec![BigInt::ZERO; self.degree];
        for (limb, ((&prime, &root), unit)) in
            words.chunks_exact(self.degree).zip(self.primes.iter().zip(&self.roots).zip(&self.units))
        {
            assert!(limb.iter().all(|&word| word < prime), "a word is not reduced modulo {prime}");
            let limb = if ntt_form { interpolate(limb, prime, root) } else { limb.to_vec() };
            for (sum, word) in sum.iter_mut().zip(limb) {
                *sum += unit * word;
            }
        }
        self.reduce(&sum)
    }

    /// The words of a polynomial.
    pub fn decompose(&self, polynomial: &[BigInt], ntt_form: bool) -> Vec<u64> {
        let mut words = Vec::new();
        for (&prime, &root) in self.primes.iter().zip(&self.roots) {
            let residues = polynomial.iter().map(|x| big::word(&big::modulo(x, &BigInt::from(prime))));
            let residues: Vec<u64> = residues.collect();
            words.extend(if ntt_form { evaluate(&residues, prime, root) } else { residues });
        }
        words
    }

    /// Every coefficient in `[0, Q)`.
    pub fn reduce(&self, polynomial: &[BigInt]) -> Poly {
        big::each(polynomial, |x| big::modulo(x, &self.modulus))
    }

    /// Every coefficient in `(−Q/2, Q/2]`.
    pub fn center(&self, polynomial: &[BigInt]) -> Poly {
        big::each(polynomial, |x| big::centered(x, &self.modulus))
    }

    pub fn bits(&self) -> u32 {
        self.modulus.bits() as u32
    }
}

/// The smallest of the primitive `2n`-th roots of unity modulo a prime, each of which is an odd power of any other.
pub fn smallest_root(degree: usize, prime: u64) -> u64 {
    let order = 2 * degree as u64;
    let any = (2..prime)
        .map(|base| big::power(base, (prime - 1) / order, prime))
        .find(|&root| big::power(root, order / 2, prime) == prime - 1)
        .expect("the prime is 1 modulo 2n");
    (1..order).step_by(2).map(|exponent| big::power(any, exponent, prime)).min().unwrap()
}

/// Position `bitrev(i)` has the value at `root^(2i+1)`.
pub fn evaluate(coefficients: &[u64], prime: u64, root: u64) -> Vec<u64> {
    let n = coefficients.len();
    let mut values = vec![0; n];
    for i in 0..n {
        let x = big::power(root, 2 * i as u64 + 1, prime);
        let horner =
            |sum: u64, &c: &u64| ((u128::from(sum) * u128::from(x) + u128::from(c)) % u128::from(prime)) as u64;
        values[reversed(i, n)] = coefficients.iter().rev().fold(0, horner);
    }
    values
}

/// The inverse of [`evaluate`]: coefficient `j` is `1/n·Σ_i value_i·root^(−(2i+1)j)`.
pub fn interpolate(values: &[u64], prime: u64, root: u64) -> Vec<u64> {
    let n = values.len();
    let order = 2 * n as u64;
    let powers: Vec<u64> = (0..order).map(|exponent| big::power(root, exponent, prime)).collect();
    let inverse_degree = big::power(n as u64, prime - 2, prime);
    let coefficient = |j: usize| {
        let terms = (0..n).map(|i| {
            let exponent = (2 * i + 1) * j % (2 * n);
            let weight = powers[(2 * n - exponent) % (2 * n)];
            u128::from(big::product(values[reversed(i, n)], weight, prime))
        });
        big::product((terms.sum::<u128>() % u128::from(prime)) as u64, inverse_degree, prime)
    };
    (0..n).map(coefficient).collect()
}

/// The bits of `i` below `n` in reverse.
pub fn reversed(i: usize, n: usize) -> usize {
    let bits = n.trailing_zeros();
    (0..bits).filter(|bit| i >> bit & 1 == 1).map(|bit| 1 << (bits - 1 - bit)).sum()
}

#[test]
fn model_transforms_are_inverse_and_multiply() {
    let ring = Ring::new(8, &[97, 193, 257]);
    let poly = |seed: i64| -> Poly { (0..8).map(|i| BigInt::from((i * i * 31 + seed * 7919) % 100_003)).collect() };
    let (a, b) = (poly(1), poly(2));
    for ntt_form in [false, true] {
        assert_eq!(ring.compose(&ring.decompose(&a, ntt_form), ntt_form), a);
    }
    let product = ring.reduce(&big::mul(&a, &b));
    let (values_a, values_b) = (ring.decompose(&a, true), ring.decompose(&b, true));
    let words = values_a.iter().zip(&values_b).enumerate();
    let words: Vec<u64> = words.map(|(i, (&a, &b))| big::product(a, b, ring.primes[i / 8])).collect();
    assert_eq!(ring.compose(&words, true), product);
}
