//! Measured noise against the model: with fixed seeds, and intervals that true values leave once in a thousand runs.

use phoca_ring::fourier::{FourierTransform, GgswShape, Position};
use phoca_ring::random::SecretRng;
use rand_core::Rng;

use super::*;
use crate::bootstrap::{BootstrapKey, Job, SeededBootstrapKey, Workspace};
use crate::glwe::GlweSecretKey;
use crate::key_switch::{KeySwitchKey, SeededKeySwitchKey};
use crate::lookup::LookupTable;
use crate::lwe::{LweCiphertext, LweSecretKey};
use crate::modulus_switch::modulus_switch as switch_modulus;
use crate::params::*;
use crate::{Error, Torus};

const SETS: [&Parameters; 6] = [
    &MESSAGE_1_CARRY_1,
    &MESSAGE_2_CARRY_2,
    &MESSAGE_2_CARRY_2_GAUSSIAN_2M64,
    &BOOLEAN_DEFAULT,
    &BOOLEAN_2M165_KS_PBS,
    &BOOLEAN_TFHE_LIB,
];

/// The two-sided 99.9 % quantile of the normal distribution.
const QUANTILE: f64 = 3.2905;

/// The variance of this crate's transform over that of the published fit, about: it is from 1.0 to 1.5 for these sets.
const TRANSFORM: f64 = 1.3;

/// Errors relative to the standard deviation of the model.
#[derive(Default)]
struct Moments {
    count: f64,
    sum: f64,
    squares: f64,
}

impl Moments {
    fn add(&mut self, error: f64, model: f64) {
        self.count += 1.0;
        self.sum += error / sqrt(model);
        self.squares += error * error / model;
    }

    /// The measured variance over that of the model must be in the chi-square interval of so many degrees of freedom (Wilson and
    /// Hilferty, 1931).
    fn check_variance(&self, what: &str, set: &Parameters, freedom: f64) {
        let ratio = self.squares / self.count;
        let width = 2.0 / (9.0 * freedom);
        let [low, high] = [-QUANTILE, QUANTILE].map(|z| pow(1.0 - width + z * sqrt(width), 3.0));
        std::eprintln!("{what:28} {:32} measured/model {ratio:.4} in [{low:.4}, {high:.4}]", set.name);
        assert!((low..high).contains(&ratio), "{what}, {}: {ratio} is not in [{low}, {high}]", set.name);
    }

    /// The mean of independent errors must be zero, but for a part `bias` of the variance that is the same for all errors of one
    /// key, of `keys`.
    fn check_mean(&self, what: &str, set: &Parameters, bias: f64, keys: usize) {
        let mean = self.sum / self.count;
        let bound = QUANTILE * sqrt(1.0 / self.count + bias / keys as f64);
        assert!(mean.abs() < bound, "{what}, {}: mean {mean}, not below {bound}", set.name);
    }
}

struct Secrets {
    small: LweSecretKey,
    big: GlweSecretKey,
    ones: Ones,
}

impl Secrets {
    fn new(set: &Parameters, rng: &mut SecretRng) -> Self {
        let small = LweSecretKey::generate(set.lwe_dimension, rng);
        let big = GlweSecretKey::generate(set.glwe_dimension, set.polynomial_size, rng);
        let [small_ones, big_ones] = [&small, big.as_lwe()].map(|key| key.bits().iter().sum::<u64>() as f64);
        Self { small, big, ones: Ones { small: small_ones, big: big_ones } }
    }

    fn key_switch_key(&self, set: &Parameters, rng: &mut SecretRng) -> Result<KeySwitchKey<u32>, Error> {
        let (input, noise) = (self.big.as_lwe(), set.lwe_noise);
        Ok(SeededKeySwitchKey::generate(input, &self.small, set.key_switch, noise, rng)?.expand())
    }

    fn bootstrap_key(&self, set: &Parameters, rng: &mut SecretRng) -> Result<BootstrapKey, Error> {
        SeededBootstrapKey::generate(&self.small, &self.big, set.bootstrap, set.glwe_noise, rng)?.expand()
    }

    /// The phase of a ciphertext with its modulus switched, in multiples of `1/(2N)` and in `[-N, N)`.
    fn switched_phase(&self, set: &Parameters, input: &LweCiphertext<u32>) -> i64 {
        let mut words = Vec::new();
        let size = set.polynomial_size as i64;
        switch_modulus(input, size.ilog2() + 1, set.modulus_switch, &mut words);
        let mask = words.iter().zip(self.small.bits()).map(|(word, bit)| *word as i64 * *bit as i64).sum::<i64>();
        (words[set.lwe_dimension] as i64 - mask + size).rem_euclid(2 * size) - size
    }
}

fn torus(word: u64) -> f64 {
    ldexp(word as i64 as f64, -64)
}

/// Rounding gives errors of the model's variance, and the box of a message fails on both sides alike.
#[test]
fn modulus_switches() -> Result<(), Error> {
    const SAMPLES: usize = 1 << 16;
    let mut rng = SecretRng::insecure_from_seed([11; 32]);
    for set in SETS {
        let (mut errors, mut above, mut below, mut expected) = (Moments::default(), 0.0, 0.0, 0.0);
        // About 1.7 standard deviations.
        let half_box = (1.7 * sqrt(modulus_switch(set)) * 2.0 * set.polynomial_size as f64).round() as i64;
        for _ in 0..4 {
            let secrets = Secrets::new(set, &mut rng);
            // The mask's part decides on failures, and the body's rounding is one more.
            let body = 1.0 / (48.0 * pow(set.polynomial_size as f64, 2.0));
            let variance = modulus_switch_with(set, secrets.ones)
                - if set.modulus_switch == ModulusSwitch::Plain { body } else { 0.0 };
            let tail = half_box as f64 / (2.0 * set.polynomial_size as f64) / sqrt(2.0 * variance);
            expected += 0.5 * libm::erfc(tail) * SAMPLES as f64;
            for _ in 0..SAMPLES {
                let noiseless = Noise::Gaussian { standard_deviation: 0.0 };
                let input = secrets.small.encrypt(0_u32, noiseless, &mut rng)?;
                let error = secrets.switched_phase(set, &input);
                // A result `i` stands for phases from `i` to `i + 1`.
                errors.add((error as f64 + 0.5) / (2.0 * set.polynomial_size as f64), variance + body);
                above += f64::from(error >= half_box);
                below += f64::from(error < -half_box);
            }
        }
        errors.check_variance("modulus switch", set, errors.count);
        errors.check_mean("modulus switch", set, 0.0, 1);
        for (side, count) in [("above", above), ("below", below)] {
            let ratio: f64 = count / expected;
            std::eprintln!("{side:28} {:32} measured/model {ratio:.4}", set.name);
            assert!((ratio - 1.0).abs() < QUANTILE / sqrt(expected), "{side}, {}: {ratio}", set.name);
        }
    }
    Ok(())
}

#[test]
fn key_switches() -> Result<(), Error> {
    const KEYS: usize = 16;
    const SAMPLES: usize = 256;
    let mut rng = SecretRng::insecure_from_seed([12; 32]);
    for set in SETS {
        let mut errors = Moments::default();
        for _ in 0..KEYS {
            let secrets = Secrets::new(set, &mut rng);
            let key = secrets.key_switch_key(set, &mut rng)?;
            let variance = key_switch_with(set, secrets.ones);
            let encrypt = |rng: &mut _| secrets.big.as_lwe().encrypt(random_word(rng), set.glwe_noise, rng);
            let inputs = (0..SAMPLES).map(|_| encrypt(&mut rng)).collect::<Result<Vec<_>, _>>()?;
            let mut outputs = vec![LweCiphertext::zero(set.lwe_dimension); SAMPLES];
            key.switch_batch(&inputs.iter().collect::<Vec<_>>(), &mut outputs)?;
            for (input, output) in inputs.iter().zip(&outputs) {
                let before = secrets.big.as_lwe().phase(input)?;
                let after = secrets.small.phase(output)?.to_u64();
                errors.add(torus(after.wrapping_sub(before)), variance);
            }
        }
        // Digits have the mean -1/2, whose products with the key's errors are the same for all ciphertexts.
        let bias = 0.25 / digit_square(set.key_switch);
        let freedom = 1.0 / (1.0 / errors.count + bias * bias / KEYS as f64);
        errors.check_variance("key switch", set, freedom);
        errors.check_mean("key switch", set, bias, KEYS);
    }
    Ok(())
}

fn random_word(rng: &mut SecretRng) -> u64 {
    rng.next_u64()
}

/// Coefficients taken of each bootstrap's result.
const COEFFICIENTS: usize = 64;

/// The results of `count` bootstraps of a table whose values are all `1/8`, at coefficients that are `N/64` apart. The phase is
/// `1/4`, so that half of these have the message `1/8` and the others `-1/8`.
fn bootstrapped(
    set: &Parameters,
    secrets: &Secrets,
    key: &BootstrapKey,
    count: usize,
    rng: &mut SecretRng,
) -> Result<Vec<LweCiphertext<u64>>, Error> {
    let table = LookupTable::new(set.polynomial_size, COEFFICIENTS, COEFFICIENTS, |_, _| 1 << 61);
    let encrypt = |rng: &mut _| secrets.small.encrypt(1_u32 << 30, set.lwe_noise, rng);
    let inputs = (0..count).map(|_| encrypt(rng)).collect::<Result<Vec<_>, _>>()?;
    let jobs: Vec<_> = inputs.iter().map(|input| Job { input, table: &table }).collect();
    key.bootstrap_batch(&jobs, set.modulus_switch, &mut Workspace::default())
}

/// The distance from the nearer one of `1/8` and `-1/8`.
fn error_of_bootstrap(phase: u64) -> f64 {
    torus(phase.wrapping_sub(1 << 61) << 2) / 4.0
}

/// What the values of `count` bootstraps are worth, in independent ones. Of the noise of two coefficients at a distance `d` the
/// part that comes from rounding has the correlation `(1 - 2d/N)/2`, as both are sums of random words times the coefficients of
/// one binary polynomial, whose mean square is twice the square of their mean. Squared it has the mean 1/12; other parts have none.
fn freedom(count: usize, rounding_part: f64) -> f64 {
    count as f64 / (1.0 / COEFFICIENTS as f64 + rounding_part * rounding_part / 12.0)
}

/// The noise of bootstraps, and what comes out before the next rotation for the largest norm of the set.
fn check_bootstraps(set: &Parameters, seed: u8, keys: usize, count: usize) -> Result<(), Error> {
    let mut rng = SecretRng::insecure_from_seed([seed; 32]);
    let (mut errors, mut first, mut sums) = (Moments::default(), Moments::default(), Moments::default());
    let norm = i64::from(set.max_norm);
    for _ in 0..keys {
        let secrets = Secrets::new(set, &mut rng);
        let [keys, ks, ms] = [bootstrap_with, key_switch_with, modulus_switch_with].map(|part| part(set, secrets.ones));
        let pbs = keys + TRANSFORM * fourier(set);
        let key = secrets.bootstrap_key(set, &mut rng)?;
        let results = bootstrapped(set, &secrets, &key, count, &mut rng)?;
        for (index, result) in results.iter().enumerate() {
            let error = error_of_bootstrap(secrets.big.as_lwe().phase(result)?);
            errors.add(error, pbs);
            if index % COEFFICIENTS == 0 {
                first.add(error, pbs);
            }
        }
        let switch = secrets.key_switch_key(set, &mut rng)?;
        let square = (norm * norm) as f64;
        for result in results.iter().step_by(COEFFICIENTS / 4) {
            let (mut sum, mut switched);
            let model;
            match set.order {
                Order::KeySwitchFirst => {
                    sum = result.clone();
                    sum.scale_assign(norm);
                    switched = switch.switch(&sum)?;
                    model = square * pbs + ks + ms;
                }
                Order::BootstrapFirst => {
                    switched = switch.switch(result)?;
                    switched.scale_assign(norm);
                    model = square * (pbs + ks) + ms;
                }
            }
            // The message is ±norm/8.
            let positive = secrets.big.as_lwe().phase(result)? >> 63 == 0;
            let message = (if positive { norm } else { -norm } as u64) << 61;
            *switched.body_mut() = switched.body().minus(u32::from_u64(message));
            let phase = secrets.switched_phase(set, &switched) as f64 + 0.5;
            sums.add(phase / (2.0 * set.polynomial_size as f64), model);
        }
    }
    let all = keys * count;
    let part = Ones::mean(set).small * rounding(set.bootstrap) * (1.0 + Ones::mean(set).big)
        / bootstrap_with(set, Ones::mean(set));
    errors.check_variance("bootstrap", set, freedom(all, part));
    first.check_mean("bootstrap", set, 0.25 / digit_square(set.bootstrap), keys);
    // Four coefficients have correlations of at most 1/4, 0 and -1/4.
    sums.check_variance("before rotation", set, 4.0 * all as f64 / (1.0 + 0.125));
    Ok(())
}

#[test]
fn bootstraps_of_one_bit() -> Result<(), Error> {
    check_bootstraps(&MESSAGE_1_CARRY_1, 13, 4, 96)
}

#[test]
fn bootstraps_of_two_bits() -> Result<(), Error> {
    check_bootstraps(&MESSAGE_2_CARRY_2, 14, 4, 192)
}

#[test]
fn bootstraps_of_two_bits_with_gaussian_noise() -> Result<(), Error> {
    check_bootstraps(&MESSAGE_2_CARRY_2_GAUSSIAN_2M64, 15, 4, 96)
}

#[test]
fn bootstraps_of_booleans() -> Result<(), Error> {
    check_bootstraps(&BOOLEAN_DEFAULT, 16, 4, 96)?;
    check_bootstraps(&BOOLEAN_2M165_KS_PBS, 17, 4, 64)
}

#[test]
fn bootstraps_of_tfhe_lib() -> Result<(), Error> {
    check_bootstraps(&BOOLEAN_TFHE_LIB, 18, 4, 96)
}

/// The transform's own error: steps of a blind rotation against products in integers.
#[test]
fn the_transform_adds_about_what_the_published_one_does() -> Result<(), Error> {
    let mut rng = SecretRng::insecure_from_seed([19; 32]);
    for (set, steps) in SETS.into_iter().map(|set| (set, 100)).chain([(&MESSAGE_3_CARRY_3, 2)]) {
        let mut errors = Moments::default();
        let model = fourier(set) / set.lwe_dimension as f64;
        let secrets = Secrets::new(set, &mut rng);
        for _ in 0..steps {
            for error in step_error(set, &secrets, &mut rng)? {
                errors.add(error, model);
            }
        }
        let ratio = errors.squares / errors.count;
        std::eprintln!("{:28} {:32} measured/model {ratio:.4}", "transform", set.name);
        assert!((0.8..1.6).contains(&ratio), "{}: {ratio}", set.name);
    }
    Ok(())
}

/// The phase of what one step with random words gets wrong.
fn step_error(set: &Parameters, secrets: &Secrets, rng: &mut SecretRng) -> Result<Vec<f64>, Error> {
    let size = set.polynomial_size;
    let transform = FourierTransform::new(size)?;
    let shape = GgswShape { polynomials: set.glwe_dimension + 1, decomposition: set.bootstrap };
    let random = |len: usize, rng: &mut SecretRng| (0..len).map(|_| rng.next_u64()).collect::<Vec<_>>();
    let words = random(shape.len() * size, rng);
    let mut acc = random(shape.polynomials * size, rng);
    let exponent = rng.next_u64() as usize % (2 * size - 1) + 1;
    let mut exact = acc.clone();
    let (mut key, mut values) = (vec![0.0; words.len()], vec![0.0; size]);
    let (before, mut digits) = (acc.clone(), vec![0; size]);
    for row in 0..shape.rows() {
        let (level, polynomial) = (row / shape.polynomials, row % shape.polynomials);
        let polynomial = &before[polynomial * size..][..size];
        for (index, digit) in digits.iter_mut().enumerate() {
            let from = (index + 2 * size - exponent) % (2 * size);
            let rotated = if from < size { polynomial[from] } else { polynomial[from - size].wrapping_neg() };
            *digit = set.bootstrap.digit(rotated.wrapping_sub(polynomial[index]), level as u32) as u64;
        }
        for column in 0..shape.polynomials {
            let words = &words[(row * shape.polynomials + column) * size..][..size];
            transform.forward(words, &mut values);
            transform.pack(&values, shape, Position { row, column }, &mut key);
            add_product(&mut exact[column * size..][..size], &digits, words);
        }
    }
    let mut scratch = vec![0.0; transform.scratch_len(shape)];
    transform.select_rotated(shape, &key, &[], exponent, &mut acc, &mut scratch);
    let mut errors: Vec<u64> = exact.iter().zip(&acc).map(|(exact, acc)| acc.wrapping_sub(*exact)).collect();
    let body = errors.split_off(set.glwe_dimension * size);
    let mut phase: Vec<u64> = body.iter().map(|word| word.wrapping_neg()).collect();
    for (mask, bits) in errors.chunks_exact(size).zip(secrets.big.polynomials()) {
        add_product(&mut phase, bits, mask);
    }
    Ok(phase.into_iter().map(torus).collect())
}

/// `sum += a·b` modulo `X^N + 1`.
fn add_product(sum: &mut [u64], a: &[u64], b: &[u64]) {
    let size = sum.len();
    for (index, a) in a.iter().enumerate().filter(|(_, a)| **a != 0) {
        let (wrapped, straight) = sum.split_at_mut(index);
        for (sum, b) in straight.iter_mut().zip(b) {
            *sum = sum.wrapping_add(a.wrapping_mul(*b));
        }
        for (sum, b) in wrapped.iter_mut().zip(&b[size - index..]) {
            *sum = sum.wrapping_sub(a.wrapping_mul(*b));
        }
    }
}

/// Failures that can be counted: eight times as many boxes, at the noise of the set.
#[test]
fn failures_of_narrow_boxes() -> Result<(), Error> {
    const COUNT: usize = 32;
    let mut rng = SecretRng::insecure_from_seed([20; 32]);
    let set = Parameters { message_bits: 5, ..MESSAGE_2_CARRY_2 };
    let secrets = Secrets::new(&set, &mut rng);
    let (key, switch) = (secrets.bootstrap_key(&set, &mut rng)?, secrets.key_switch_key(&set, &mut rng)?);
    let boxes = set.total_modulus();
    let table = LookupTable::new(set.polynomial_size, boxes as usize, 1, |_, message| message as u64 * set.delta());
    let mut inputs = Vec::new();
    for (index, mut result) in bootstrapped(&set, &secrets, &key, COUNT, &mut rng)?.into_iter().enumerate() {
        let positive = secrets.big.as_lwe().phase(&result)? >> 63 == 0;
        let eighth = if positive { 1_u64 << 61 } else { 7 << 61 };
        *result.body_mut() = result.body().wrapping_sub(eighth);
        result.scale_assign(i64::from(set.max_norm));
        let message = index as u64 % boxes;
        *result.body_mut() = result.body().wrapping_add(message * set.delta());
        inputs.push((message, switch.switch(&result)?));
    }
    let jobs: Vec<_> = inputs.iter().map(|(_, input)| Job { input, table: &table }).collect();
    let outputs = key.bootstrap_batch(&jobs, set.modulus_switch, &mut Workspace::default())?;
    let mut failures = 0.0;
    for ((message, _), output) in inputs.iter().zip(&outputs) {
        let phase = secrets.big.as_lwe().phase(output)?;
        let found = phase.wrapping_add(set.delta() / 2) / set.delta();
        failures += f64::from(found != *message);
    }
    let (count, probability) = (inputs.len() as f64, exp2(log2_failure(&set)));
    let width = QUANTILE * sqrt(count * probability * (1.0 - probability));
    std::eprintln!("failures: {failures} of {count}, {} in the model, ± {width}", count * probability);
    assert!((failures - count * probability).abs() < width);
    Ok(())
}
