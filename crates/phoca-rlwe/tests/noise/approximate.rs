//! Random circuits of CKKS.

use num_complex::Complex64;
use phoca_rlwe::{Ciphertext, CkksEncoder, Scheme};

use crate::common::{Choices, Party, STEPS};

/// A ciphertext with the exact values behind it, but for the rounding of doubles.
#[derive(Clone)]
struct Encrypted {
    ciphertext: Ciphertext,
    values: Vec<Complex64>,
}

struct Circuit<'a> {
    party: &'a Party,
    encoder: CkksEncoder,
    scale: f64,
}

type Outcome = Option<(&'static str, Encrypted)>;

impl Circuit<'_> {
    /// Values of one of several kinds: any, sparse, all equal, large.
    fn values(&self, choices: &mut Choices) -> Vec<Complex64> {
        let mut values: Vec<Complex64> =
            (0..self.encoder.slot_count()).map(|_| Complex64::new(choices.real(), choices.real())).collect();
        match choices.below(4) {
            0 => {}
            1 => {
                let kept = choices.below(values.len());
                let value = values[kept];
                values.fill(Complex64::ZERO);
                values[kept] = value;
            }
            2 => {
                let value = values[0];
                values.fill(value);
            }
            _ => values.iter_mut().for_each(|value| *value *= 40.0),
        }
        values
    }

    fn fresh(&self, choices: &mut Choices) -> Encrypted {
        let values = self.values(choices);
        let plaintext = self.encoder.encode_complex(&values, self.scale).unwrap();
        let ciphertext = match choices.below(2) {
            0 => self.party.encryptor.encrypt(&plaintext),
            _ => self.party.encryptor.encrypt_symmetric(&plaintext),
        };
        Encrypted { ciphertext: ciphertext.unwrap(), values }
    }

    fn step(&self, pool: &[Encrypted], choices: &mut Choices) -> Outcome {
        let a = &pool[choices.below(pool.len())];
        let b = &pool[choices.below(pool.len())];
        let operation = choices.below(14);
        match operation {
            0..=3 => self.binary(operation, a, b),
            4..=7 => self.with_plain(operation, a, choices),
            _ => self.unary(operation, a, choices),
        }
    }

    fn binary(&self, operation: usize, a: &Encrypted, b: &Encrypted) -> Outcome {
        let evaluator = &self.party.evaluator;
        let lower = match a.ciphertext.prime_count() < b.ciphertext.prime_count() {
            true => a.ciphertext.parms_id(),
            false => b.ciphertext.parms_id(),
        };
        let x = evaluator.mod_switch_to(&a.ciphertext, lower).ok()?;
        let y = evaluator.mod_switch_to(&b.ciphertext, lower).ok()?;
        let zip =
            |f: fn(Complex64, Complex64) -> Complex64| a.values.iter().zip(&b.values).map(|(&a, &b)| f(a, b)).collect();
        let (name, ciphertext, values): (_, _, Vec<_>) = match operation {
            0 => ("add", evaluator.add(&x, &y), zip(|a, b| a + b)),
            1 => ("sub", evaluator.sub(&x, &y), zip(|a, b| a - b)),
            _ if x.size() + y.size() > 5 => return None,
            _ => ("multiply", evaluator.multiply(&x, &y), zip(|a, b| a * b)),
        };
        let ciphertext = ciphertext.ok()?;
        Some((name, Encrypted { ciphertext, values }))
    }

    fn with_plain(&self, operation: usize, a: &Encrypted, choices: &mut Choices) -> Outcome {
        let (evaluator, encoder, x) = (&self.party.evaluator, &self.encoder, &a.ciphertext);
        let operand = self.values(choices);
        let (first, level) = (operand[0], x.parms_id());
        let map = |f: &dyn Fn(Complex64) -> Complex64| a.values.iter().map(|&value| f(value)).collect();
        let zip =
            |f: fn(Complex64, Complex64) -> Complex64| a.values.iter().zip(&operand).map(|(&a, &b)| f(a, b)).collect();
        let small_scale = 2_f64.powi(4 + choices.below(28) as i32);
        let (name, ciphertext, values): (_, _, Vec<_>) = match operation {
            4 => {
                let plaintext = encoder.encode_complex_at(&operand, x.scale(), level).ok()?;
                ("add_plain", evaluator.add_plain(x, &plaintext), zip(|a, b| a + b))
            }
            5 => {
                let plaintext = encoder.encode_complex_at(&operand, small_scale, level).ok()?;
                ("multiply_plain", evaluator.multiply_plain(x, &plaintext), zip(|a, b| a * b))
            }
            6 => {
                let plaintext = encoder.encode_scalar(first.re, small_scale, level).ok()?;
                ("multiply_plain by a number", evaluator.multiply_plain(x, &plaintext), map(&|a| a * first.re))
            }
            _ => {
                let integer = choices.below(2000) as i64 - 1000;
                let plaintext = encoder.encode_integer(integer, level).ok()?;
                ("multiply_plain by an integer", evaluator.multiply_plain(x, &plaintext), map(&|a| a * integer as f64))
            }
        };
        let ciphertext = ciphertext.ok()?;
        Some((name, Encrypted { ciphertext, values }))
    }

    fn unary(&self, operation: usize, a: &Encrypted, choices: &mut Choices) -> Outcome {
        let (evaluator, x) = (&self.party.evaluator, &a.ciphertext);
        let mut values = a.values.clone();
        let (name, ciphertext) = match operation {
            8 => {
                values.iter_mut().for_each(|value| *value = -*value);
                ("negate", evaluator.negate(x))
            }
            9 => ("relinearize", evaluator.relinearize(x, self.party.relin.as_ref()?)),
            10 if x.size() == 2 => {
                let keys = self.party.galois.as_ref()?;
                match STEPS.get(choices.below(STEPS.len() + 1)) {
                    Some(&step) => {
                        match step > 0 {
                            true => values.rotate_left(step as usize),
                            false => values.rotate_right(step.unsigned_abs() as usize),
                        }
                        ("rotate_vector", evaluator.rotate_vector(x, step, keys))
                    }
                    None => {
                        values.iter_mut().for_each(|value| *value = value.conj());
                        ("conjugate", evaluator.conjugate(x, keys))
                    }
                }
            }
            11 => ("mod_switch", evaluator.mod_switch_to_next(x)),
            // Rescaling what has a scale for it, so that something of the value is left.
            12 | 13 if x.scale() > 2_f64.powi(45) => ("rescale", evaluator.rescale_to_next(x)),
            _ => return None,
        };
        let ciphertext = ciphertext.ok()?;
        Some((name, Encrypted { ciphertext, values }))
    }

    /// Checks the error of every slot against both bounds; says whether the likely one promises anything.
    fn check(&self, name: &str, encrypted: &Encrypted) -> bool {
        let Encrypted { ciphertext, values } = encrypted;
        let context = &self.party.context;
        let worst = ciphertext.worst_case_error(context).unwrap();
        let likely = ciphertext.likely_error(context).unwrap();
        assert!(likely <= worst, "{name}: likely {likely}, worst {worst}");
        if !likely.is_finite() {
            return false;
        }
        let plaintext = self.party.decryptor.decrypt(ciphertext).unwrap();
        let Ok(decoded) = self.encoder.decode_complex(&plaintext) else {
            return false;
        };
        let largest = values.iter().fold(0.0_f64, |largest, value| largest.max(value.norm_sqr().sqrt()));
        let error = decoded.iter().zip(values).fold(0.0_f64, |largest, (a, b)| largest.max((a - b).norm_sqr().sqrt()));
        // Decoding and the computation of the values themselves are rounded.
        let rounding = largest.max(likely) * 1e-13;
        assert!(error <= likely + rounding, "{name}: error {error}, likely {likely}, values {largest}");
        true
    }

    fn run(&self, length: usize, choices: &mut Choices) -> usize {
        let mut pool: Vec<Encrypted> = (0..2).map(|_| self.fresh(choices)).collect();
        for encrypted in &pool {
            assert!(self.check("fresh", encrypted));
        }
        let mut checked = 0;
        for _ in 0..length {
            let Some((name, result)) = self.step(&pool, choices) else {
                continue;
            };
            checked += 1;
            if self.check(name, &result) {
                if pool.len() > 4 {
                    pool.swap_remove(choices.below(4));
                }
                pool.push(result);
            }
        }
        checked
    }
}

/// Degree, bits of the primes (none for SEAL's default), bits of the scale, circuits, operations.
type Set = (usize, &'static [u32], i32, usize, usize);

const SETS: [Set; 7] = [
    (64, &[50, 40, 40, 40, 40, 50], 40, 700, 14),
    (64, &[60, 50, 50, 50, 60], 50, 300, 14),
    (128, &[30, 30, 30, 30, 30, 30], 28, 250, 12),
    (256, &[60, 60, 60], 55, 250, 10),
    (512, &[60], 30, 150, 6),
    (1024, &[45, 33, 33, 33, 47], 33, 120, 12),
    (4096, &[], 30, 10, 8),
];

#[test]
fn ckks_errors_stay_under_their_bounds() {
    let (mut circuits, mut checked) = (0, 0);
    for (index, &(degree, bits, scale, count, length)) in SETS.iter().enumerate() {
        let party = Party::new(Scheme::Ckks, degree, bits, 0, 100 + index as u8);
        let circuit =
            Circuit { encoder: CkksEncoder::new(&party.context).unwrap(), scale: 2_f64.powi(scale), party: &party };
        for seed in 0..count {
            let mut choices = Choices::new((index * 100_000 + seed) as u64);
            checked += circuit.run(length, &mut choices);
            circuits += 1;
        }
    }
    println!("CKKS: {circuits} circuits, {checked} results");
    assert!(circuits > 1500 && checked > 9000, "{circuits} circuits, {checked} results");
}
