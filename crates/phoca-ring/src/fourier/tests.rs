use alloc::vec;
use alloc::vec::Vec;

use super::{Decomposition, FourierTransform, GgswShape, Position};
use crate::RingError;
use crate::arch::Arch;

const DEGREES: [usize; 10] = [16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192];

/// SplitMix64.
struct Words(u64);

impl Words {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn take(&mut self, len: usize) -> Vec<u64> {
        (0..len).map(|_| self.next()).collect()
    }

    /// Signed numbers of at most `bits` bits.
    fn small(&mut self, len: usize, bits: u32) -> Vec<u64> {
        (0..len).map(|_| ((self.next() as i64) >> (64 - bits)) as u64).collect()
    }
}

fn transforms() -> impl Iterator<Item = FourierTransform> {
    let available = Arch::all().iter().filter(|arch| arch.is_available());
    available.flat_map(|&arch| DEGREES.iter().filter_map(move |&degree| FourierTransform::with_arch(degree, arch).ok()))
}

/// The exact product modulo `X^n + 1` and `2^64`.
fn product(a: &[u64], b: &[u64]) -> Vec<u64> {
    let n = a.len();
    let mut out = vec![0_u64; n];
    for (i, &x) in a.iter().enumerate().filter(|(_, x)| **x != 0) {
        for (j, &y) in b.iter().enumerate() {
            let term = x.wrapping_mul(y);
            let place = &mut out[(i + j) % n];
            *place = if i + j < n { place.wrapping_add(term) } else { place.wrapping_sub(term) };
        }
    }
    out
}

/// `X^exponent·a`.
fn rotated(a: &[u64], exponent: usize) -> Vec<u64> {
    let n = a.len();
    let mut out = vec![0; n];
    for (i, &x) in a.iter().enumerate() {
        let at = i + exponent;
        out[at % n] = if (at / n).is_multiple_of(2) { x } else { x.wrapping_neg() };
    }
    out
}

fn distance(a: u64, b: u64) -> u64 {
    (a.wrapping_sub(b) as i64).unsigned_abs()
}

#[test]
fn small_words_come_back() {
    let mut words = Words(1);
    for transform in transforms() {
        let n = transform.degree();
        for bits in [2, 20, 47] {
            let (x, y) = (words.small(n, bits), words.take(n));
            let (mut values, mut back) = (vec![0.0; n], y.clone());
            transform.forward(&x, &mut values);
            transform.backward_add(&mut values, &mut back);
            let sum: Vec<u64> = x.iter().zip(&y).map(|(x, y)| x.wrapping_add(*y)).collect();
            assert_eq!(back, sum, "n = {n}, {bits} bits, {}", transform.kernel_name());
        }
    }
}

#[test]
fn values_are_those_at_the_roots() {
    for transform in transforms() {
        let n = transform.degree();
        // The values of X are the roots of X^M - i, each once.
        let mut x = vec![0; n];
        x[1] = 1;
        let mut values = vec![0.0; n];
        transform.forward(&x, &mut values);
        // A vector of real parts, then one of imaginary parts.
        let width = transform.kernels.width;
        let mut turns: Vec<i64> = values
            .chunks_exact(2 * width)
            .flat_map(|pair| (0..width).map(|lane| (pair[lane], pair[width + lane])))
            .map(|(re, im)| {
                let turn = libm::atan2(im, re) / core::f64::consts::PI * n as f64;
                assert!((turn - libm::round(turn)).abs() < 1e-9, "n = {n}: {re} + {im}i is no root of unity");
                (turn.round() as i64).rem_euclid(2 * n as i64)
            })
            .collect();
        turns.sort_unstable();
        assert!(turns.iter().copied().eq((0..n as i64 / 2).map(|k| 4 * k + 1)), "n = {n}: {turns:?}");
    }
}

#[test]
fn kernels_that_fuse_agree_to_the_bit() -> Result<(), RingError> {
    let mut words = Words(3);
    for degree in DEGREES {
        let (small, large) = (words.small(degree, 20), words.take(degree));
        let mut seen: [Option<(Vec<u64>, Vec<u64>)>; 2] = [None, None];
        for arch in Arch::all().iter().copied().filter(|arch| arch.is_available()) {
            let transform = FourierTransform::with_arch(degree, arch)?;
            let (mut a, mut back) = (vec![0.0; degree], vec![0; degree]);
            transform.forward(&large, &mut a);
            transform.backward_add(&mut a, &mut back);
            let result = (back, step_of(&transform, &small, &large));
            let expected = seen[usize::from(transform.is_fused())].get_or_insert_with(|| result.clone());
            assert!(*expected == result, "n = {degree}, {}", transform.kernel_name());
        }
    }
    Ok(())
}

/// A step with an arbitrary key.
fn step_of(transform: &FourierTransform, acc: &[u64], key: &[u64]) -> Vec<u64> {
    let n = transform.degree();
    let shape = GgswShape { polynomials: 2, decomposition: Decomposition { bits: 10, levels: 2 } };
    let mut packed = vec![0.0; shape.len() * n];
    let mut values = vec![0.0; n];
    for row in 0..shape.rows() {
        for column in 0..2 {
            transform.forward(&rotated(key, row * 2 + column), &mut values);
            transform.pack(&values, shape, Position { row, column }, &mut packed);
        }
    }
    let mut sums = [acc, &rotated(acc, 5)].concat();
    let mut scratch = vec![0.0; transform.scratch_len(shape)];
    transform.select_rotated(shape, &packed, &[], n + 3, &mut sums, &mut scratch);
    sums
}

/// One step against exact arithmetic, for every rotation that is an edge.
#[test]
fn steps_are_exact_external_products() {
    let mut words = Words(4);
    let shapes = [(2, 23, 1), (4, 10, 2), (3, 18, 1), (2, 7, 3), (2, 15, 2)];
    for transform in transforms().filter(|transform| transform.degree() <= 1024) {
        let n = transform.degree();
        for (polynomials, bits, levels) in shapes {
            let decomposition = Decomposition { bits, levels };
            let shape = GgswShape { polynomials, decomposition };
            // Keys of 53 bits are doubles; the others' last bits are lost.
            let rows: Vec<Vec<Vec<u64>>> =
                (0..shape.rows()).map(|_| (0..polynomials).map(|_| words.take(n)).collect()).collect();
            let mut key = vec![0.0; shape.len() * n];
            let mut values = vec![0.0; n];
            for (row, columns) in rows.iter().enumerate() {
                for (column, polynomial) in columns.iter().enumerate() {
                    transform.forward(polynomial, &mut values);
                    transform.pack(&values, shape, Position { row, column }, &mut key);
                }
            }
            let exponents = [0, 1, 7, 8, 9, n / 2, n - 1, n, n + 1, 2 * n - 3, 2 * n - 1];
            let exponent = exponents[(words.next() % exponents.len() as u64) as usize];
            let acc: Vec<Vec<u64>> = (0..polynomials).map(|_| words.take(n)).collect();
            let mut expected = acc.clone();
            for (row, columns) in rows.iter().enumerate() {
                let (level, polynomial) = (row / polynomials, row % polynomials);
                let turned = rotated(&acc[polynomial], exponent);
                let digits: Vec<u64> = (turned.iter().zip(&acc[polynomial]))
                    .map(|(a, b)| decomposition.digit(a.wrapping_sub(*b), level as u32) as u64)
                    .collect();
                for (expected, column) in expected.iter_mut().zip(columns) {
                    for (word, term) in expected.iter_mut().zip(product(&digits, column)) {
                        *word = word.wrapping_add(term);
                    }
                }
            }
            let mut sums = acc.concat();
            let mut scratch = vec![f64::NAN; transform.scratch_len(shape)];
            transform.select_rotated(shape, &key, &[], exponent, &mut sums, &mut scratch);
            // The root mean square of a product is 2^(63 - 0.8 + bits - 1.8)·√(n·rows); its error is some units in the last
            // place of that, and a sum of n·rows of them is far from ten times as much.
            let scale = libm::sqrt((n * shape.rows()) as f64) * libm::exp2(f64::from(bits) + 60.0);
            let bound = (scale * libm::exp2(-53.0) * 40.0) as u64 + 1;
            for (expected, found) in expected.iter().zip(sums.chunks_exact(n)) {
                let worst = expected.iter().zip(found).map(|(a, b)| distance(*a, *b)).max().unwrap_or(0);
                assert!(
                    worst <= bound,
                    "n = {n}, {shape:?}, X^{exponent}, {}: {worst} > {bound}",
                    transform.kernel_name()
                );
            }
        }
    }
}

#[test]
fn digits_are_balanced_and_close() {
    let mut words = Words(5);
    for (bits, levels) in [(1, 1), (2, 8), (4, 4), (7, 3), (10, 2), (23, 1), (15, 2), (51, 1)] {
        let decomposition = Decomposition { bits, levels };
        let half = 1_i64 << (bits - 1);
        let edges = [0, 1, u64::MAX, 1 << 63, (1 << 63) - 1, (1 << 63) + 1];
        for word in edges.into_iter().chain(words.take(1000)) {
            let mut sum = 0_u64;
            for level in 0..levels {
                let digit = decomposition.digit(word, level);
                assert!((-half..half).contains(&digit), "{digit} of {word:#x}");
                sum = sum.wrapping_add((digit as u64) << (64 - bits * (level + 1)));
            }
            assert!(distance(sum, word) <= 1 << (63 - bits * levels), "{word:#x} became {sum:#x}");
        }
    }
}

#[test]
fn what_is_no_degree_is_refused() {
    for degree in [0, 1, 8, 24, 262_144] {
        assert!(matches!(FourierTransform::new(degree), Err(RingError::InvalidDegree { .. })), "{degree}");
    }
    assert_eq!([Decomposition::new(0, 1), Decomposition::new(1, 0), Decomposition::new(13, 4)], [None; 3]);
    assert!(Decomposition::new(17, 3).is_some());
}
