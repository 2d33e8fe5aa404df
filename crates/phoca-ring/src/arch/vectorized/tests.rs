//! Every instruction set against the portable loops, bit for bit. The loops themselves are tested where they are.

use alloc::vec;
use alloc::vec::Vec;

use num_complex::Complex64;

use super::*;
use crate::embedding::passes::Twiddle;

/// Lengths that leave every remainder of a vector.
const LENGTHS: [usize; 10] = [0, 1, 3, 7, 8, 9, 31, 64, 100, 1031];

/// The loops of every instruction set of this processor.
fn all() -> impl Iterator<Item = (&'static str, &'static Vectorized)> {
    Arch::all().iter().map(|&arch| (arch.name(), Vectorized::of(arch)))
}

/// SplitMix64.
fn words(seed: u64, len: usize) -> Vec<u64> {
    let mix = |i: u64| {
        let x = (seed + i).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x ^ (x >> 27)
    };
    (0..len as u64).map(mix).collect()
}

/// Numbers of both signs and all sizes up to `2^exponent`, halves among them.
fn doubles(exponent: u32, len: usize) -> Vec<f64> {
    let number = |word: u64| {
        let magnitude = (word >> 11) as f64 / 2_f64.powi((11 + word % 70) as i32 + 53 - 11 - exponent as i32 + 11);
        let magnitude = if word & 64 == 0 { magnitude } else { libm::floor(magnitude) + 0.5 };
        if word & 128 == 0 { magnitude } else { -magnitude }
    };
    words(u64::from(exponent), len).into_iter().map(number).collect()
}

fn bits(values: &[f64]) -> Vec<u64> {
    values.iter().map(|value| value.to_bits()).collect()
}

/// Some stages for `length` values; the factors need not be roots of unity.
fn stages(length: usize) -> Stages {
    let factor = |i: usize| Complex64::new(0.75 + i as f64 / 1024.0, 0.5 - i as f64 / 2048.0);
    let odd = length.trailing_zeros() % 2 == 1;
    let mut blocks = if odd { 2 } else { 1 };
    let mut radix4 = Vec::new();
    while length / blocks > 4 {
        radix4.push((0..blocks).map(|i| Twiddle([factor(3 * i), factor(3 * i + 1), factor(3 * i + 2)])).collect());
        blocks *= 4;
    }
    Stages { radix2: odd.then(|| factor(700)), radix4 }
}

fn run(pass: fn(&Stages, &mut [f64], &mut [f64]), length: usize) -> (Vec<u64>, Vec<u64>) {
    let mut re: Vec<_> = (0..length).map(|i| (i * i % 1009) as f64 / 7.0).collect();
    let mut im: Vec<_> = (0..length).map(|i| (i * 31 % 997) as f64 / -3.0).collect();
    pass(&stages(length), &mut re, &mut im);
    (bits(&re), bits(&im))
}

#[test]
fn the_passes_of_the_embedding_give_the_bits_of_single_lanes() {
    for length in [4, 8, 16, 32, 64, 128, 512, 1024, 2048, 4096] {
        for (name, loops) in all() {
            assert_eq!(run(loops.forward, length), run(passes::forward::<1>, length), "{name}");
            assert_eq!(run(loops.inverse, length), run(passes::inverse::<1>, length), "{name}");
        }
    }
}

#[test]
fn roundings_of_doubles_agree() {
    for exponent in [3, 40, 51, 53, 90] {
        for len in LENGTHS {
            let values = doubles(exponent, len);
            let mut expected = values.clone();
            let largest = (portable::LOOPS.round_half_away)(&mut expected);
            for (name, loops) in all() {
                let mut rounded = values.clone();
                assert_eq!((loops.round_half_away)(&mut rounded), largest, "{name}");
                assert_eq!(bits(&rounded), bits(&expected), "{name}");
                let expected = (portable::LOOPS.largest_magnitude)(&values);
                assert_eq!((loops.largest_magnitude)(&values), expected, "{name}");
            }
        }
    }
}

#[test]
fn integers_of_doubles_and_back_agree() {
    let q = (1 << 50) - 27;
    for len in LENGTHS {
        let mut values = doubles(49, len);
        (portable::LOOPS.round_half_away)(&mut values);
        let digits: Vec<_> = words(5, len).iter().map(|word| word % q).collect();
        let run = |loops: &Vectorized| {
            let (mut integers, mut residues, mut sums) = (vec![0; len], vec![0; len], values.clone());
            (loops.small_integers)(&values, &mut integers);
            (loops.lift_small)(q, &integers, &mut residues);
            for radix in [q, 1 << 60] {
                (loops.horner_step)(&digits, radix / 2, radix as f64, &mut sums);
            }
            (integers, residues, bits(&sums))
        };
        let expected = run(&portable::LOOPS);
        assert!(expected.0.iter().zip(&values).all(|(&integer, &value)| integer.cast_signed() == value as i64));
        all().for_each(|(name, loops)| assert_eq!(run(loops), expected, "{name}"));
    }
}

#[test]
fn loops_over_messages_agree() {
    for t in [2, 3, 17, 65537, (1 << 32) - 5, (1 << 32) - 1, (1 << 60) - 93] {
        for len in LENGTHS {
            let mut message: Vec<_> = words(t, len).iter().map(|word| word % t).collect();
            for (word, edge) in message.iter_mut().zip([0, t / 2, t.div_ceil(2), t - 1]) {
                *word = edge;
            }
            let run = |loops: &Vectorized| {
                let (mut lifted, mut roundings) = (vec![0; len], vec![0; len]);
                (loops.lift_centered)(t, (1 << 60) + 33 - t, &message, &mut lifted);
                if t >> 32 == 0 {
                    (loops.short_roundings)(t, t - 1, &message, &mut roundings);
                }
                (lifted, roundings, (loops.magnitudes)(t, &message))
            };
            let expected = run(&portable::LOOPS);
            all().for_each(|(name, loops)| assert_eq!(run(loops), expected, "{name}, t = {t}"));
        }
    }
}

#[test]
fn turned_words_are_negated_by_definition() {
    for (q, log) in [(3, 1), (97, 3), ((1 << 50) - 27, 4), ((1 << 61) - 1, 10)] {
        let n = 1_u64 << log;
        let mut input: Vec<_> = words(q, n as usize).iter().map(|word| word % q).collect();
        input.iter_mut().step_by(3).for_each(|word| *word = 0);
        for inverse in (1..2 * n).step_by(2).step_by(n as usize / 8 + 1) {
            let negated = |(j, &word): (u64, &u64)| if j * inverse % (2 * n) >= n { (q - word) % q } else { word };
            let expected: Vec<_> = (0..n).zip(&input).map(negated).collect();
            for (name, loops) in all() {
                let mut out = input.clone();
                (loops.negate_turned)(q, inverse, &mut out);
                assert_eq!(out, expected, "{name}");
            }
        }
    }
}

#[test]
fn a_word_above_the_largest_is_found_anywhere() {
    for largest in [0, 96, (1 << 60) - 94, (1 << 63) - 1] {
        for len in LENGTHS {
            let message: Vec<_> = words(largest, len).iter().map(|word| word % (largest + 1)).collect();
            for (name, loops) in all() {
                assert_eq!((loops.signs_of_excess)(largest, &message) >> 63, 0, "{name}");
                for index in 0..len.min(70) {
                    for word in [largest + 1, largest | 1 << 63, u64::MAX] {
                        let mut message = message.clone();
                        message[index] = word;
                        assert_eq!((loops.signs_of_excess)(largest, &message) >> 63, 1, "{name}");
                    }
                }
            }
        }
    }
}
