//! Polynomials modulo a product of primes, with every kernel, against integers of any size.
//!
//! Each test goes all the way: integers to residues, transforms, arithmetic on words, back to integers. The pieces have
//! tests of their own beside the code.
#![allow(missing_docs, clippy::unwrap_used)]

use num_bigint::{BigInt, BigUint, Sign};
use phoca_ring::arch::Arch;
use phoca_ring::galois::{CoefficientAutomorphism, NttPermutation};
use phoca_ring::rns::{BaseConverter, Division, RnsBasis};
use phoca_ring::{BufferPool, Modulus, NttTables, primes};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

/// A ring with kernels of one instruction set.
struct Ring {
    degree: usize,
    basis: RnsBasis,
    tables: Vec<NttTables>,
    modulus: BigInt,
}

impl Ring {
    fn new(degree: usize, moduli: &[u64], arch: Arch) -> Self {
        let moduli: Vec<Modulus> = moduli.iter().map(|&value| Modulus::with_arch(value, arch).unwrap()).collect();
        let tables = moduli.iter().map(|&modulus| NttTables::new(degree, modulus).unwrap()).collect();
        let modulus = moduli.iter().map(|modulus| BigInt::from(modulus.value())).product();
        Self { degree, basis: RnsBasis::new(&moduli).unwrap(), tables, modulus }
    }

    /// Limb-major residues.
    fn words(&self, polynomial: &[BigInt]) -> Vec<u64> {
        let mut words = Vec::new();
        for modulus in self.basis.moduli() {
            words.extend(polynomial.iter().map(|x| u64::try_from(modulo(x, &modulus.value().into())).unwrap()));
        }
        words
    }

    /// Coefficients in `[0, Q)`, with the crate's own composition.
    fn polynomial(&self, words: &[u64]) -> Vec<BigInt> {
        let coefficient = |i: usize| {
            let residues: Vec<u64> = words[i..].iter().step_by(self.degree).copied().collect();
            let words = self.basis.compose(&residues);
            assert_eq!(self.basis.decompose(&words), residues);
            BigInt::from(words.iter().rev().fold(BigUint::ZERO, |sum, &word| (sum << 64) + word))
        };
        (0..self.degree).map(coefficient).collect()
    }

    fn each_limb(&self, words: &mut [u64], operation: impl Fn(&NttTables, &mut [u64])) {
        for (table, limb) in self.tables.iter().zip(words.chunks_exact_mut(self.degree)) {
            operation(table, limb);
        }
    }

    fn transformed(&self, polynomial: &[BigInt]) -> Vec<u64> {
        let mut words = self.words(polynomial);
        self.each_limb(&mut words, |table, limb| table.forward(limb));
        words
    }

    fn reduced(&self, polynomial: impl IntoIterator<Item = BigInt>) -> Vec<BigInt> {
        polynomial.into_iter().map(|x| modulo(&x, &self.modulus)).collect()
    }
}

fn modulo(x: &BigInt, q: &BigInt) -> BigInt {
    let rest = x % q;
    if rest.sign() == Sign::Minus { rest + q } else { rest }
}

fn centered(x: &BigInt, q: &BigInt) -> BigInt {
    let rest = modulo(x, q);
    if &rest * 2 > *q { rest - q } else { rest }
}

/// `a·b mod X^n + 1` by the schoolbook.
fn product(a: &[BigInt], b: &[BigInt]) -> Vec<BigInt> {
    let n = a.len();
    let mut out = vec![BigInt::ZERO; n];
    for (i, a) in a.iter().enumerate() {
        for (j, b) in b.iter().enumerate() {
            let term = a * b;
            if i + j < n {
                out[i + j] += term;
            } else {
                out[i + j - n] -= term;
            }
        }
    }
    out
}

/// Distinct primes that are 1 modulo `2n`, the greatest of each size.
fn chain(degree: usize, sizes: &[u32]) -> Vec<u64> {
    primes::create_chain(2 * degree as u64, sizes).unwrap()
}

/// A degree, primes of 20 to 61 bits, and two polynomials below their product.
fn any_case() -> impl Strategy<Value = (usize, Vec<u64>, Vec<BigInt>, Vec<BigInt>)> {
    let words = || proptest::collection::vec(any::<[u64; 6]>(), 64);
    (1..=6_u32, proptest::collection::vec(20..=61_u32, 2..=5), words(), words()).prop_map(|(log, sizes, a, b)| {
        let degree = 1 << log;
        let moduli = chain(degree, &sizes);
        let modulus: BigInt = moduli.iter().map(|&q| BigInt::from(q)).product();
        let polynomial = |words: Vec<[u64; 6]>| -> Vec<BigInt> {
            let value = |w: [u64; 6]| BigInt::from(w.iter().fold(BigUint::ZERO, |sum, &word| (sum << 64) + word));
            words.into_iter().take(degree).map(|w| value(w) % &modulus).collect()
        };
        (degree, moduli.clone(), polynomial(a), polynomial(b))
    })
}

fn rings(degree: usize, moduli: &[u64]) -> Vec<Ring> {
    let available = Arch::all().iter().filter(|arch| arch.is_available());
    available.map(|&arch| Ring::new(degree, moduli, arch)).collect()
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 60, failure_persistence: None, rng_seed: RngSeed::Fixed(7), ..ProptestConfig::default()
    })]

    #[test]
    fn ring_operations((degree, moduli, a, b) in any_case()) {
        for ring in rings(degree, &moduli) {
            let (left, right) = (ring.transformed(&a), ring.transformed(&b));
            let combined = |operation: fn(&Modulus, &mut [u64], &[u64])| {
                let mut words = left.clone();
                for ((table, a), b) in ring.tables.iter().zip(words.chunks_exact_mut(degree)).zip(right.chunks_exact(degree)) {
                    operation(table.modulus(), a, b);
                    table.inverse(a);
                }
                ring.polynomial(&words)
            };
            prop_assert_eq!(combined(Modulus::mul_assign), ring.reduced(product(&a, &b)));
            prop_assert_eq!(combined(Modulus::add_assign), ring.reduced(a.iter().zip(&b).map(|(a, b)| a + b)));
            prop_assert_eq!(combined(Modulus::sub_assign), ring.reduced(a.iter().zip(&b).map(|(a, b)| a - b)));
            let fused = combined(|modulus, a, b| {
                let copy = a.to_vec();
                modulus.dot_into(a, &[&copy, &copy, b], &[b, &copy, b]);
            });
            let sum = product(&a, &b).into_iter().zip(product(&a, &a)).zip(product(&b, &b)).map(|((ab, aa), bb)| ab + aa + bb);
            prop_assert_eq!(fused, ring.reduced(sum));
        }
    }

    #[test]
    fn automorphisms((degree, moduli, a, _) in any_case(), random: u64) {
        let element = (random % (2 * degree as u64)) | 1;
        let mut image = vec![BigInt::ZERO; degree];
        for (i, a) in a.iter().enumerate() {
            let exponent = i * element as usize % (2 * degree);
            image[exponent % degree] = if exponent < degree { a.clone() } else { -a };
        }
        for ring in rings(degree, &moduli) {
            let mut output = vec![0; degree * moduli.len()];
            NttPermutation::new(degree, element).unwrap().apply(&ring.transformed(&a), &mut output);
            ring.each_limb(&mut output, |table, limb| table.inverse(limb));
            prop_assert_eq!(ring.polynomial(&output), ring.reduced(image.clone()));
            let input = ring.words(&a);
            let limbs = input.chunks_exact(degree).zip(output.chunks_exact_mut(degree));
            let automorphism = CoefficientAutomorphism::in_pool(&BufferPool::new(0), degree, element).unwrap();
            for (modulus, (input, output)) in ring.basis.moduli().iter().zip(limbs) {
                automorphism.apply(modulus, input, output);
            }
            prop_assert_eq!(ring.polynomial(&output), ring.reduced(image.clone()));
        }
    }

    /// `floor((x + floor(q/2))/q)`, and BGV's division, in NTT form.
    #[test]
    fn division_by_the_last_primes((degree, moduli, a, _) in any_case(), t in 2..1_u64 << 19, two: bool) {
        let kept = moduli.len() - (1 + usize::from(two && moduli.len() > 2));
        let (remaining, last) = moduli.split_at(kept);
        let q: BigInt = last.iter().map(|&prime| BigInt::from(prime)).product();
        let inverse = BigInt::from(t).modinv(&q).unwrap();
        for (ring, lower) in rings(degree, &moduli).iter().zip(rings(degree, remaining)) {
            let divided = |t: Option<&Modulus>| {
                let divide = Division::new(lower.basis.moduli(), &ring.basis.moduli()[kept..], t).unwrap();
                let words = ring.transformed(&a);
                let (values, digits) = words.split_at(kept * degree);
                let mut digits = digits.to_vec();
                let tables = &ring.tables[kept..];
                tables.iter().zip(digits.chunks_exact_mut(degree)).for_each(|(table, limb)| table.inverse(limb));
                divide.digits(&mut digits);
                let mut scratch = vec![0; divide.scratch_len(degree)];
                let mut quotient = vec![0; values.len()];
                for (j, table) in lower.tables.iter().enumerate() {
                    let limb = j * degree..(j + 1) * degree;
                    let out = &mut quotient[limb.clone()];
                    divide.limb_into(j, Some(table), &digits, &values[limb], out, &mut scratch);
                    table.inverse(out);
                }
                lower.polynomial(&quotient)
            };
            prop_assert_eq!(divided(None), lower.reduced(a.iter().map(|x| (x + &q / 2) / &q)));
            let exact = a.iter().map(|x| (x - centered(&(x * &inverse), &q) * t) / &q);
            prop_assert_eq!(divided(Some(&Modulus::new(t).unwrap())), lower.reduced(exact));
        }
    }

    /// The centred representative in another basis.
    #[test]
    fn base_conversion((degree, moduli, a, _) in any_case(), sizes in proptest::collection::vec(20..=61_u32, 1..=4)) {
        let targets = chain(degree, &sizes);
        for (from, to) in rings(degree, &moduli).iter().zip(rings(degree, &targets)) {
            let converter = BaseConverter::new(&from.basis, &to.basis);
            let mut scratch = vec![0; converter.scratch_len(degree)];
            let mut output = vec![0; degree * targets.len()];
            converter.convert_centered(&from.words(&a), &mut output, &mut scratch);
            let expected = a.iter().map(|x| centered(x, &from.modulus));
            prop_assert_eq!(to.polynomial(&output), to.reduced(expected));
        }
    }
}
