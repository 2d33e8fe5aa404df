//! One runner that compares every kernel with the portable one, which itself is compared with plain formulas.

use alloc::vec;
use alloc::vec::Vec;

use super::{Arch, Kernels, NttKernels, portable};
use crate::modulus::Modulus;
use crate::ntt::NttTables;
use crate::primes::{minimal_primitive_root, ntt_primes};
use crate::{Buffer, RingError};

/// Lengths that leave every remainder of a vector.
const LENGTHS: [usize; 14] = [0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 33, 64, 127];

const DEGREES: [usize; 17] = [
    2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768, 65536, 131_072,
];

/// All kernels that this processor can run, also those that it would not choose.
fn available() -> impl Iterator<Item = Arch> {
    Arch::all().iter().copied().filter(|arch| arch.is_available())
}

/// SplitMix64: deterministic words for test data.
struct Words(u64);

impl Words {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// `len` words below `bound`, a third of them at its edges.
    fn below(&mut self, bound: u64, len: usize) -> Vec<u64> {
        let word = |words: &mut Self| match words.next() % 9 {
            0 => 0,
            1 => bound - 1,
            2 => bound / 2,
            _ => words.next() % bound,
        };
        (0..len).map(|_| word(self)).collect()
    }
}

/// Moduli of every width: the largest odd value, the smallest and a random one.
fn moduli(max_bits: u32) -> impl Iterator<Item = u64> {
    let mut words = Words(7);
    (2..=max_bits).flat_map(move |bits| {
        let lowest = 1_u64 << (bits - 1);
        [2 * lowest - 1, lowest, lowest + words.next() % lowest]
    })
}

#[test]
fn slice_kernels_agree_with_the_scalar_formulas() -> Result<(), RingError> {
    for kernels in available().flat_map(|arch| arch.slice_kernels()) {
        for q in moduli(kernels.max_bits) {
            let modulus = Modulus::with_kernels(q, |_| Ok(kernels))?;
            for len in LENGTHS {
                check_sums(&modulus, len);
                check_products(&modulus, len);
            }
            check_many_terms(&modulus, kernels);
        }
    }
    Ok(())
}

fn check_sums(modulus: &Modulus, len: usize) {
    let q = modulus.value();
    let mut words = Words(len as u64 ^ q);
    let (a, b) = (words.below(q, len), words.below(q, len));
    let c = words.below(q, 1)[0];
    let mut out = a.clone();
    modulus.add_assign(&mut out, &b);
    assert_eq!(out, zip(&a, &b, |a, b| (a + b) % q), "add {modulus:?}");
    let mut out = a.clone();
    modulus.sub_assign(&mut out, &b);
    assert_eq!(out, zip(&a, &b, |a, b| (a + q - b) % q), "sub {modulus:?}");
    let mut out = a.clone();
    modulus.negate_assign(&mut out);
    assert_eq!(out, zip(&a, &b, |a, _| (q - a) % q), "negate {modulus:?}");
    let mut out = a.clone();
    modulus.add_scalar_assign(&mut out, c);
    assert_eq!(out, zip(&a, &b, |a, _| (a + c) % q), "add_scalar {modulus:?}");
    let any = words.below(u64::MAX, len);
    let mut out = vec![0; len];
    modulus.reduce_into(&mut out, &any);
    assert_eq!(out, zip(&any, &b, |a, _| a % q), "reduce {modulus:?}");
}

fn check_products(modulus: &Modulus, len: usize) {
    let q = modulus.value();
    let product = |a: u64, b: u64| (u128::from(a) * u128::from(b) % u128::from(q)) as u64;
    let mut words = Words(len as u64 ^ q);
    let (a, b, c) = (words.below(q, len), words.below(q, len), words.below(q, len));
    let expected = zip(&a, &b, product);
    let mut out = a.clone();
    modulus.mul_assign(&mut out, &b);
    assert_eq!(out, expected, "mul {modulus:?}");
    let mut out = vec![0; len];
    modulus.mul_into(&mut out, &a, &b);
    assert_eq!(out, expected, "mul_into {modulus:?}");
    let mut out = c.clone();
    modulus.mul_add_assign(&mut out, &a, &b);
    assert_eq!(out, zip(&c, &expected, |c, p| (c + p) % q), "mul_add {modulus:?}");

    let (any, twice) = (words.below(u64::MAX, len), words.below(2 * q, len));
    for scalar in [0, 1, q - 1, words.next() % q] {
        let w = modulus.shoup(scalar);
        let expected = zip(&any, &b, |a, _| product(a % q, scalar));
        let mut out = any.clone();
        modulus.mul_scalar_assign(&mut out, w);
        assert_eq!(out, expected, "mul_scalar {modulus:?}");
        let mut out = vec![0; len];
        modulus.mul_scalar_into(&mut out, &any, w);
        assert_eq!(out, expected, "mul_scalar_into {modulus:?}");
        let mut out = a.clone();
        modulus.sub_mul_scalar_assign(&mut out, &twice, w);
        let expected = zip(&a, &twice, |a, b| product((a + 2 * q - b) % q, scalar));
        assert_eq!(out, expected, "sub_mul_scalar {modulus:?}");
    }
}

/// Sums of products, with the largest inputs in every place for the longest sum.
fn check_many_terms(modulus: &Modulus, kernels: &Kernels) {
    let q = modulus.value();
    let wide = 1_u64 << 61;
    for (terms, len) in [(1, 9), (2, 16), (3, 1), (4, 8), (5, 3), (6, 12), (7, 17), (8, 9), (33, 21), (256, 11)] {
        let mut words = Words(terms as u64 ^ q);
        for extreme in [false, true] {
            let mut rows = |bound: u64| -> Vec<Vec<u64>> {
                (0..terms)
                    .map(|_| {
                        if extreme {
                            vec![bound - 1; len]
                        } else {
                            words.below(bound, len)
                        }
                    })
                    .collect()
            };
            let (a, b, inputs, weights) = (rows(4 * q), rows(q), rows(wide), rows(q));
            let weights: Vec<u64> = weights.iter().map(|row| row[0]).collect();
            let mut out = vec![0; len];
            modulus.dot_into(&mut out, &slices(&a), &slices(&b));
            for (i, &sum) in out.iter().enumerate() {
                assert_eq!(
                    sum,
                    dot(q, a.iter().zip(&b).map(|(a, b)| (a[i], b[i]))),
                    "dot {q} {}",
                    kernels.arch.name()
                );
            }
            modulus.linear_combination_into(&mut out, &slices(&inputs), &weights);
            for (i, &sum) in out.iter().enumerate() {
                let terms = inputs.iter().zip(&weights).map(|(input, &weight)| (input[i], weight));
                assert_eq!(sum, dot(q, terms), "linear {q} {}", kernels.arch.name());
            }
        }
    }
}

#[test]
fn an_empty_sum_is_zero() -> Result<(), RingError> {
    for arch in available() {
        for q in [17, (1 << 44) - 1, (1 << 60) - 1] {
            let mut out = [5; 11];
            Modulus::with_arch(q, arch)?.linear_combination_into(&mut out, &[], &[]);
            assert_eq!(out, [0; 11]);
        }
    }
    Ok(())
}

fn dot(q: u64, terms: impl Iterator<Item = (u64, u64)>) -> u64 {
    let q = u128::from(q);
    terms.fold(0, |sum, (a, b)| (sum + u128::from(a) * u128::from(b) % q) % q) as u64
}

fn zip(a: &[u64], b: &[u64], f: impl Fn(u64, u64) -> u64) -> Vec<u64> {
    a.iter().zip(b).map(|(&a, &b)| f(a, b)).collect()
}

fn slices(rows: &[Vec<u64>]) -> Vec<&[u64]> {
    rows.iter().map(Vec::as_slice).collect()
}

#[test]
fn the_portable_transform_evaluates_at_odd_powers_of_the_root() -> Result<(), RingError> {
    for degree in [2, 4, 8, 16, 32, 64, 128] {
        for bits in [20, 36, 50, 61] {
            let modulus = Modulus::with_arch(ntt_primes(2 * degree as u64, bits, 1)?[0], Arch::Portable)?;
            let tables = NttTables::new(degree, modulus)?;
            let coefficients = Words(degree as u64).below(modulus.value(), degree);
            let mut values = coefficients.clone();
            tables.forward(&mut values);
            for i in 0..degree {
                let point = modulus.pow_vartime(tables.root(), 2 * i as u64 + 1);
                let value = coefficients
                    .iter()
                    .rev()
                    .fold(0, |sum, &c| modulus.mul_add(sum, point, c));
                let place = i.reverse_bits() >> (usize::BITS - degree.ilog2());
                assert_eq!(values[place], value, "degree {degree}, {bits} bits, point {i}");
            }
            tables.inverse(&mut values);
            assert_eq!(values, coefficients);
        }
    }
    Ok(())
}

#[test]
fn transforms_agree_with_the_portable_one() -> Result<(), RingError> {
    for arch in available() {
        for &kernels in arch.transforms() {
            for degree in DEGREES {
                // Every width where that is cheap, the edges of the kernels' ranges elsewhere.
                let all = degree == 64 || degree == 2048;
                for bits in (20..=61).filter(|bits| all || [20, 31, 36, 46, 47, 48, 49, 50, 51, 60, 61].contains(bits))
                {
                    check_transform(arch, kernels, degree, bits)?;
                }
            }
        }
    }
    Ok(())
}

fn check_transform(arch: Arch, kernels: &'static NttKernels, degree: usize, bits: u32) -> Result<(), RingError> {
    let order = 2 * degree as u64;
    let modulus = Modulus::with_arch(ntt_primes(order, bits, 1)?[0], arch)?;
    if !(kernels.supports)(&modulus, degree) {
        return Ok(());
    }
    let q = modulus.value();
    let root = minimal_primitive_root(&modulus, order)?;
    let tables = NttTables::with_kernels(degree, modulus, root, kernels);
    let reference = NttTables::with_kernels(degree, modulus, root, &portable::NTT_KERNELS);
    let mut words = Words(q);
    for pattern in 0..4 {
        let mut input = |bound: u64| {
            let words = match pattern {
                0 => vec![0; degree],
                1 => vec![bound - 1; degree],
                2 => (0..degree)
                    .map(|i| if (i & (i >> 1)) & 1 == 0 { bound - 1 } else { 0 })
                    .collect(),
                _ => words.below(bound, degree),
            };
            (words, bound)
        };
        let context = alloc::format!("{} n={degree} q={q} pattern {pattern}", kernels.name);
        compare(q, input(q), &context, |a| tables.forward(a), |a| reference.forward(a));
        compare(q, input(q), &context, |a| tables.inverse(a), |a| reference.inverse(a));
        compare(
            q,
            input(4 * q),
            &context,
            |a| tables.forward_lazy(a),
            |a| reference.forward(a),
        );
        compare(
            q,
            input(2 * q),
            &context,
            |a| tables.inverse_lazy(a),
            |a| reference.inverse(a),
        );
    }
    Ok(())
}

/// Both transforms agree modulo `q`, and the first stays below `bound`.
fn compare(
    q: u64,
    (input, bound): (Vec<u64>, u64),
    context: &str,
    fast: impl Fn(&mut [u64]),
    plain: impl Fn(&mut [u64]),
) {
    let mut actual = Buffer::from_slice(&input);
    let mut expected: Vec<u64> = input.iter().map(|x| x % q).collect();
    fast(&mut actual);
    plain(&mut expected);
    for (i, (&actual, &expected)) in actual.iter().zip(&expected).enumerate() {
        assert!(actual < bound, "{context}: word {i} is {actual}, not below {bound}");
        assert_eq!(actual % q, expected, "{context}: word {i}");
    }
}

#[test]
fn every_pair_of_kernels_multiplies_polynomials_alike() -> Result<(), RingError> {
    let degree = 64;
    for bits in [30, 45, 50, 60] {
        let q = ntt_primes(2 * degree as u64, bits, 1)?[0];
        let mut words = Words(q);
        let (a, b) = (words.below(q, degree), words.below(q, degree));
        let expected = negacyclic_product(&Modulus::new(q)?, &a, &b);
        for arch in available() {
            let tables = NttTables::new(degree, Modulus::with_arch(q, arch)?)?;
            let (mut a, mut b) = (a.clone(), b.clone());
            tables.forward(&mut a);
            tables.forward(&mut b);
            tables.modulus().mul_assign(&mut a, &b);
            tables.inverse(&mut a);
            assert_eq!(a, expected, "{} {bits} bits", arch.name());
        }
    }
    Ok(())
}

fn negacyclic_product(modulus: &Modulus, a: &[u64], b: &[u64]) -> Vec<u64> {
    let mut product = vec![0; a.len()];
    for (i, &a_i) in a.iter().enumerate() {
        for (j, &b_j) in b.iter().enumerate() {
            let term = modulus.mul(a_i, b_j);
            let term = if i + j < a.len() { term } else { modulus.neg(term) };
            let place = (i + j) % a.len();
            product[place] = modulus.add(product[place], term);
        }
    }
    product
}
