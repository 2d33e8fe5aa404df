use alloc::vec;
use alloc::vec::Vec;
use core::f64::consts::PI;

use num_complex::Complex64;
use rand_core::Rng;

use super::Embedding;
use crate::random::SecretRng;
use crate::{RingError, galois};

fn embedding(degree: usize) -> Embedding {
    Embedding::new(degree).expect("a power of two")
}

fn rng() -> SecretRng {
    SecretRng::insecure_from_seed([9; 32])
}

/// A uniform value of [−1, 1).
fn real(rng: &mut SecretRng) -> f64 {
    rng.next_u64().cast_signed() as f64 / 2_f64.powi(63)
}

fn reals(rng: &mut SecretRng, count: usize) -> Vec<f64> {
    (0..count).map(|_| real(rng)).collect()
}

fn complexes(rng: &mut SecretRng, count: usize) -> Vec<Complex64> {
    (0..count).map(|_| Complex64::new(real(rng), real(rng))).collect()
}

fn to_slots(coefficients: &[f64]) -> Vec<Complex64> {
    let mut slots = vec![Complex64::ZERO; coefficients.len() / 2];
    embedding(coefficients.len()).to_slots(coefficients, &mut slots);
    slots
}

fn to_coefficients(slots: &[Complex64]) -> Vec<f64> {
    let mut coefficients = vec![0.0; 2 * slots.len()];
    embedding(coefficients.len()).to_coefficients(slots, &mut coefficients);
    coefficients
}

/// `f(exp(iπ·3^i/n))` for each slot `i`, by the definition.
fn naive(coefficients: &[f64]) -> Vec<Complex64> {
    let n = coefficients.len();
    let mut exponent = 1;
    let slot = |_| {
        let power = |j: usize| Complex64::cis(PI * (exponent * j % (2 * n)) as f64 / n as f64);
        let value = coefficients.iter().enumerate().map(|(j, &c)| power(j) * c).sum();
        exponent = 3 * exponent % (2 * n);
        value
    };
    (0..n / 2).map(slot).collect()
}

fn largest_difference(a: &[Complex64], b: &[Complex64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).norm()).fold(0.0, f64::max)
}

/// The product in `R[X]/(X^n + 1)`.
fn negacyclic_product(a: &[f64], b: &[f64]) -> Vec<f64> {
    let n = a.len();
    let mut product = vec![0.0; n];
    for (i, &x) in a.iter().enumerate() {
        for (j, &y) in b.iter().enumerate() {
            let sign = if i + j < n { 1.0 } else { -1.0 };
            product[(i + j) % n] += sign * x * y;
        }
    }
    product
}

#[test]
fn slots_are_the_values_at_powers_of_three() {
    for log in 1..=10 {
        let coefficients = reals(&mut rng(), 1 << log);
        let error = largest_difference(&to_slots(&coefficients), &naive(&coefficients));
        // The error of the naive sum dominates: n terms below 1, and angles with an error of 2^-52.
        assert!(error < 1e-15 * f64::from(1 << log), "degree 2^{log}: {error}");
    }
}

#[test]
fn a_monomial_gives_its_roots() {
    for log in [1, 2, 3, 6, 7] {
        let n = 1_usize << log;
        for power in 0..n {
            let mut coefficients = vec![0.0; n];
            coefficients[power] = 1.0;
            let error = largest_difference(&to_slots(&coefficients), &naive(&coefficients));
            assert!(error < 2e-15, "X^{power} of degree {n}: {error}");
        }
    }
}

#[test]
fn both_ways_give_the_input_for_every_degree() {
    for log in 1..=17 {
        let slots = complexes(&mut rng(), 1 << (log - 1));
        let error = largest_difference(&to_slots(&to_coefficients(&slots)), &slots);
        assert!(error < 1e-15 * f64::from(log + 2), "degree 2^{log}: {error}");

        let coefficients = reals(&mut rng(), 1 << log);
        let back = to_coefficients(&to_slots(&coefficients));
        let error = back.iter().zip(&coefficients).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(error < 1e-15 * f64::from(log + 2), "degree 2^{log}: {error}");
    }
}

#[test]
fn products_of_polynomials_are_products_of_slots() {
    for n in [2, 4, 8, 64, 128] {
        let mut rng = rng();
        let (a, b) = (reals(&mut rng, n), reals(&mut rng, n));
        let slots: Vec<_> = to_slots(&a).iter().zip(to_slots(&b)).map(|(x, y)| x * y).collect();
        assert!(largest_difference(&to_slots(&negacyclic_product(&a, &b)), &slots) < 1e-13 * n as f64);
    }
}

#[test]
fn galois_elements_rotate_and_conjugate() {
    let n = 64_usize;
    let coefficients = reals(&mut rng(), n);
    let slots = to_slots(&coefficients);
    let automorphism = |element: u64| {
        let mut image = vec![0.0; n];
        for (i, &coefficient) in coefficients.iter().enumerate() {
            let exponent = i * element as usize % (2 * n);
            image[exponent % n] = if exponent < n { coefficient } else { -coefficient };
        }
        to_slots(&image)
    };
    for step in [1, 2, 5, 31, -1, -8, -31] {
        let element = galois::element_from_step(n, step).expect("a step below n/2");
        let mut rotated = slots.clone();
        rotated.rotate_left(step.rem_euclid(32) as usize);
        assert!(largest_difference(&automorphism(element), &rotated) < 1e-13);
    }
    let conjugates: Vec<_> = slots.iter().map(Complex64::conj).collect();
    assert!(largest_difference(&automorphism(galois::conjugation_element(n)), &conjugates) < 1e-13);
}

#[test]
fn powers_of_two_scale_exactly() {
    for n in [2, 4, 8, 4096] {
        let slots = complexes(&mut rng(), n / 2);
        let mut scaled = vec![0.0; n];
        embedding(n).to_coefficients_scaled(&slots, 2_f64.powi(40), &mut scaled);
        let expected: Vec<_> = to_coefficients(&slots).iter().map(|c| c * 2_f64.powi(40)).collect();
        assert_eq!(scaled, expected);
    }
}

#[test]
fn the_transform_in_place_is_the_same() {
    for n in [2, 4, 8, 2048, 4096] {
        let mut coefficients = reals(&mut rng(), n);
        let expected = to_slots(&coefficients);
        let mut slots = vec![Complex64::ZERO; n / 2];
        embedding(n).to_slots_in_place(&mut coefficients, &mut slots);
        assert_eq!(slots, expected);
    }
}

#[test]
fn other_degrees_are_errors() {
    for degree in [0, 1, 3, 12, 262_144] {
        assert_eq!(Embedding::new(degree).err(), Some(RingError::InvalidDegree { degree }));
    }
    assert_eq!((embedding(8).degree(), embedding(8).slot_count()), (8, 4));
}
