use alloc::vec;
use alloc::vec::Vec;
use core::convert::Infallible;

use rand_core::{Rng, TryCryptoRng, TryRng};

use super::*;
use crate::RingError;
use crate::random::SecretRng;

/// Statistics below have fixed seeds; the bounds are 5 standard deviations or the 0.9999 quantile of chi-squared.
fn rng(seed: u8) -> SecretRng {
    SecretRng::insecure_from_seed([seed; 32])
}

fn modulus(value: u64) -> Modulus {
    Modulus::new(value).expect("from 2 to 2^61 − 1")
}

/// Plays given words, then zeros.
struct Script(Vec<u64>);

impl TryRng for Script {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        self.try_next_u64().map(|word| word as u32)
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        Ok(if self.0.is_empty() { 0 } else { self.0.remove(0) })
    }

    fn try_fill_bytes(&mut self, out: &mut [u8]) -> Result<(), Infallible> {
        for chunk in out.chunks_mut(8) {
            chunk.copy_from_slice(&self.next_u64().to_le_bytes()[..chunk.len()]);
        }
        Ok(())
    }
}

impl TryCryptoRng for Script {}

/// Pearson's statistic of counts against expected counts.
fn chi_squared(counts: &[f64], expected: &[f64]) -> f64 {
    counts.iter().zip(expected).map(|(count, expected)| (count - expected).powi(2) / expected).sum()
}

#[test]
fn ternary_digits_are_uniform_and_independent_of_the_position() {
    let mut rng = rng(1);
    let mut counts = [0.0; 3];
    // Pairs of neighbours, and of digits from the same byte of the source (256 apart in a full chunk).
    let (mut neighbours, mut siblings) = ([0.0; 9], [0.0; 9]);
    for _ in 0..100 {
        let mut out = [0_i8; 1280];
        ternary(&mut rng, &mut out);
        assert!(out.iter().all(|value| (-1..=1).contains(value)));
        let index = |value: i8| (value + 1) as usize;
        out.iter().for_each(|&value| counts[index(value)] += 1.0);
        out.windows(2).for_each(|pair| neighbours[3 * index(pair[0]) + index(pair[1])] += 1.0);
        (0..256).for_each(|i| siblings[3 * index(out[i]) + index(out[i + 256])] += 1.0);
    }
    assert!(chi_squared(&counts, &[128_000.0 / 3.0; 3]) < 18.4); // 2 degrees of freedom
    assert!(chi_squared(&neighbours, &[127_900.0 / 9.0; 9]) < 31.8); // 8 degrees of freedom
    assert!(chi_squared(&siblings, &[25_600.0 / 9.0; 9]) < 31.8);
}

#[test]
fn ternary_takes_all_digits_of_a_byte_and_rejects_from_243() {
    for byte in 0..=255_u8 {
        let mut out = [9_i8; 5];
        ternary(&mut Script(vec![u64::from(byte)]), &mut out);
        // A rejected byte is replaced by the zero after it.
        let kept = if byte < 243 { byte } else { 0 };
        let value = out.iter().rev().fold(0, |sum, &digit| 3 * sum + i32::from(digit + 1));
        assert_eq!(value, i32::from(kept));
    }
}

#[test]
fn samplers_fill_any_length() {
    for length in [0, 1, 4, 5, 63, 64, 65, 511, 512, 513, 1279, 1280, 1281, 4096] {
        // Canaries that no sampler gives.
        let (mut digits, mut noise, mut normal) = (vec![99_i8; length], vec![99_i8; length], vec![99_i64; length]);
        ternary(&mut rng(2), &mut digits);
        centered_binomial(&mut rng(2), &mut noise);
        rounded_gaussian(&mut rng(2), 3.2, 19.2, &mut normal).expect("a valid width");
        assert!(!digits.contains(&99) && !noise.contains(&99) && !normal.contains(&99));
    }
}

#[test]
fn binomial_has_its_distribution() {
    const COUNT: usize = 1 << 18;
    let mut out = vec![0_i8; COUNT];
    centered_binomial(&mut rng(3), &mut out);
    let values: Vec<f64> = out.iter().map(|&value| f64::from(value)).collect();
    let moment = |power| values.iter().map(|value| value.powi(power)).sum::<f64>() / COUNT as f64;
    let root = (COUNT as f64).sqrt();
    assert!(moment(1).abs() < 5.0 * 10.5_f64.sqrt() / root);
    assert!((moment(2) - 10.5).abs() < 5.0 * (2.0 * 10.5 * 10.5_f64).sqrt() / root);

    // Probabilities C(42, k)/2^42, with both tails beyond 12 in one cell each.
    let probability =
        |value: i32| (0..21 + value).fold(2_f64.powi(-42), |p, k| p * f64::from(42 - k) / f64::from(k + 1));
    let cell = |value: i32| (value.clamp(-13, 13) + 13) as usize;
    let (mut counts, mut expected) = ([0.0; 27], [0.0; 27]);
    out.iter().for_each(|&value| counts[cell(i32::from(value))] += 1.0);
    (-21..=21).for_each(|value| expected[cell(value)] += COUNT as f64 * probability(value));
    assert!((expected.iter().sum::<f64>() - COUNT as f64).abs() < 1e-6);
    assert!(chi_squared(&counts, &expected) < 63.0); // 26 degrees of freedom
}

#[test]
fn binomial_counts_each_of_its_bits_once() {
    let sample = |words: Vec<u64>| {
        let mut out = [0_i8; 64];
        centered_binomial(&mut Script(words), &mut out);
        out
    };
    assert_eq!(sample(vec![0; 42]), [-21; 64]);
    assert_eq!(sample(vec![u64::MAX; 42]), [21; 64]);
    let mut uses = [0; 64];
    for bit in 0..64 * 42 {
        let mut words = vec![0; 42];
        words[bit / 64] = 1 << (bit % 64);
        let out = sample(words);
        let raised: Vec<_> = (0..64).filter(|&i| out[i] == -20).collect();
        assert_eq!(raised.len(), 1);
        assert_eq!(out.iter().filter(|&&value| value == -21).count(), 63);
        uses[raised[0]] += 1;
    }
    assert_eq!(uses, [42; 64]);
}

#[test]
fn gaussian_has_its_moments_and_bound() {
    const COUNT: usize = 1 << 17;
    let root = (COUNT as f64).sqrt();
    for sigma in [3.2, 1000.0, 2_f64.powi(40)] {
        let mut out = vec![0; COUNT];
        rounded_gaussian(&mut rng(4), sigma, 10.0 * sigma, &mut out).expect("a valid width");
        let values: Vec<f64> = out.iter().map(|&value| value as f64 / sigma).collect();
        let moment = |power| values.iter().map(|value| value.powi(power)).sum::<f64>() / COUNT as f64;
        assert!(moment(1).abs() < 5.0 / root);
        // Rounding adds a variance of 1/12.
        assert!((moment(2) - 1.0 - 1.0 / (12.0 * sigma * sigma)).abs() < 5.0 * 2_f64.sqrt() / root);
        assert!((moment(4) - 3.0 - 6.0 / (12.0 * sigma * sigma)).abs() < 5.0 * 96_f64.sqrt() / root + 1e-3);
    }
    let mut out = vec![0; 10_000];
    rounded_gaussian(&mut rng(5), 3.0, 4.0, &mut out).expect("a valid width");
    assert!(out.iter().all(|value| value.abs() <= 4) && out.contains(&4) && out.contains(&-4));
    rounded_gaussian(&mut rng(5), 0.0, 0.0, &mut out).expect("a valid width");
    assert!(out.iter().all(|&value| value == 0));
}

#[test]
fn gaussians_without_meaning_are_errors() {
    for (sigma, bound) in [(-1.0, 5.0), (3.0, 2.0), (1.0, f64::INFINITY), (2_f64.powi(62), 2_f64.powi(62))] {
        let expected = Err(RingError::InvalidGaussian { sigma, bound });
        assert_eq!(rounded_gaussian(&mut rng(6), sigma, bound, &mut [0; 4]), expected);
    }
    for (sigma, bound) in [(f64::NAN, 5.0), (1.0, f64::NAN)] {
        assert!(rounded_gaussian(&mut rng(6), sigma, bound, &mut [0; 4]).is_err());
    }
}

#[test]
fn uniform_residues_fill_the_interval_evenly() {
    // Values from small and odd-shaped moduli, in 16 equal cells.
    for q in [16, 48, 691_752_902_764_167_168, (1 << 61) - 16] {
        let mut out = vec![0; 1 << 16];
        uniform(&mut rng(7), &modulus(q), &mut out);
        assert!(out.iter().all(|&word| word < q));
        let mut counts = [0.0; 16];
        out.iter().for_each(|&word| counts[(u128::from(word) * 16 / u128::from(q)) as usize] += 1.0);
        assert!(chi_squared(&counts, &[4096.0; 16]) < 44.3, "{q}"); // 15 degrees of freedom
    }
}

#[test]
fn uniform_redraws_exactly_below_the_threshold() {
    let q = modulus(3 << 59);
    let threshold = ((1_u128 << 64) % u128::from(q.value())) as u64;
    assert_eq!(threshold, 1 << 60);
    // The low word of x·q is a multiple of 2^59, and below the threshold where 3x mod 32 is 0 or 1.
    for x in [0_u64, 1, 2, 10, 11, 12, 31, 32, 43, u64::MAX] {
        let product = u128::from(x) * u128::from(q.value());
        let mut out = [0];
        uniform(&mut Script(vec![x, u64::MAX]), &q, &mut out);
        assert_eq!((product as u64) < threshold, 3 * (x % 32) % 32 < 2);
        let kept = if (product as u64) < threshold { u64::MAX } else { x };
        assert_eq!(u128::from(out[0]), (u128::from(kept) * u128::from(q.value())) >> 64);
    }
}

#[test]
fn lifts_are_the_residues() {
    let bytes: Vec<i8> = (i8::MIN..=i8::MAX).collect();
    let mut words: Vec<i64> = vec![0, 1, -1, i64::MAX, i64::MIN, i64::MAX - 1, i64::MIN + 1, 1 << 61, -(1 << 61)];
    words.extend((0..1000).scan(rng(8), |rng, _| Some(rng.next_u64().cast_signed() >> (rng.next_u32() % 64))));
    for q in [2, 3, 127, 128, 129, 130, 12_289, (1 << 50) - 27, (1 << 61) - 1] {
        let residue = |value: i128| value.rem_euclid(i128::from(q)) as u64;
        let mut out = vec![0; bytes.len()];
        lift_i8_into(&bytes, &modulus(q), &mut out);
        assert!(out.iter().zip(&bytes).all(|(&word, &value)| word == residue(value.into())), "{q}");
        let mut out = vec![0; words.len()];
        lift_i64_into(&words, &modulus(q), &mut out);
        assert!(out.iter().zip(&words).all(|(&word, &value)| word == residue(value.into())), "{q}");
    }
}
