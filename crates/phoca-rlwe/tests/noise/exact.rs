//! Random circuits of BFV and BGV.

use phoca_rlwe::{BatchEncoder, Ciphertext, Plaintext, Scheme, plain_modulus};

use crate::common::{Choices, Party, STEPS};

/// A ciphertext with the message it must decrypt to.
#[derive(Clone)]
struct Encrypted {
    ciphertext: Ciphertext,
    message: Vec<u64>,
}

/// The plaintext ring, in slots where there are some, else in coefficients.
struct Plain<'a> {
    party: &'a Party,
    batch: Option<BatchEncoder>,
    t: u64,
    n: usize,
}

impl<'a> Plain<'a> {
    fn new(party: &'a Party) -> Self {
        Self {
            batch: BatchEncoder::new(&party.context).ok(),
            t: party.context.plain_modulus(),
            n: party.context.degree(),
            party,
        }
    }

    fn mul_word(&self, a: u64, b: u64) -> u64 {
        (u128::from(a) * u128::from(b) % u128::from(self.t)) as u64
    }

    fn add(&self, a: &[u64], b: &[u64]) -> Vec<u64> {
        a.iter().zip(b).map(|(&a, &b)| ((u128::from(a) + u128::from(b)) % u128::from(self.t)) as u64).collect()
    }

    fn negate(&self, a: &[u64]) -> Vec<u64> {
        a.iter().map(|&a| (self.t - a) % self.t).collect()
    }

    fn mul(&self, a: &[u64], b: &[u64]) -> Vec<u64> {
        if self.batch.is_some() {
            return a.iter().zip(b).map(|(&a, &b)| self.mul_word(a, b)).collect();
        }
        let mut product = vec![0_u64; self.n];
        for (i, &a) in a.iter().enumerate().filter(|(_, a)| **a != 0) {
            for (j, &b) in b.iter().enumerate() {
                let term = self.mul_word(a, b);
                let (index, term) = match i + j < self.n {
                    true => (i + j, term),
                    false => (i + j - self.n, (self.t - term) % self.t),
                };
                product[index] = ((u128::from(product[index]) + u128::from(term)) % u128::from(self.t)) as u64;
            }
        }
        product
    }

    fn encode(&self, message: &[u64]) -> Plaintext {
        match &self.batch {
            Some(batch) => batch.encode(message).unwrap(),
            None => Plaintext::from_coefficients(message),
        }
    }

    fn decrypt(&self, ciphertext: &Ciphertext) -> Vec<u64> {
        let plaintext = self.party.decryptor.decrypt(ciphertext).unwrap();
        match &self.batch {
            Some(batch) => batch.decode(&plaintext).unwrap(),
            None => {
                let mut coefficients = plaintext.words().to_vec();
                coefficients.resize(self.n, 0);
                coefficients
            }
        }
    }

    /// A message of one of several kinds: any, small, one term, all equal.
    fn message(&self, choices: &mut Choices) -> Vec<u64> {
        match choices.below(4) {
            0 => (0..self.n).map(|_| choices.residue(self.t)).collect(),
            1 => (0..self.n).map(|_| choices.residue(self.t.min(3))).collect(),
            2 => {
                let mut message = vec![0; self.n];
                message[choices.below(self.n)] = 1 + choices.residue(self.t - 1);
                message
            }
            _ => vec![1 + choices.residue(self.t - 1); self.n],
        }
    }

    fn fresh(&self, choices: &mut Choices) -> Encrypted {
        let message = self.message(choices);
        let plaintext = self.encode(&message);
        let ciphertext = match choices.below(2) {
            0 => self.party.encryptor.encrypt(&plaintext),
            _ => self.party.encryptor.encrypt_symmetric(&plaintext),
        };
        Encrypted { ciphertext: ciphertext.unwrap(), message }
    }

    /// Brings both to the lower of their levels.
    fn align(&self, a: &Encrypted, b: &Encrypted) -> (Ciphertext, Ciphertext) {
        let level = match a.ciphertext.prime_count() < b.ciphertext.prime_count() {
            true => a.ciphertext.parms_id(),
            false => b.ciphertext.parms_id(),
        };
        let switch = |x: &Encrypted| self.party.evaluator.mod_switch_to(&x.ciphertext, level).unwrap();
        (switch(a), switch(b))
    }

    /// The result of a random operation on random operands of the pool; none where the choice does not fit.
    fn step(&self, pool: &[Encrypted], choices: &mut Choices) -> Option<(&'static str, Encrypted)> {
        let a = &pool[choices.below(pool.len())];
        let b = &pool[choices.below(pool.len())];
        let operation = choices.below(14);
        match operation {
            0..=3 => self.binary(operation, a, b),
            4..=6 => self.with_plain(operation, a, choices),
            12 | 13 => self.compound(a, b, choices),
            _ => self.unary(operation, a, choices),
        }
    }

    fn binary(&self, operation: usize, a: &Encrypted, b: &Encrypted) -> Option<(&'static str, Encrypted)> {
        let evaluator = &self.party.evaluator;
        let (x, y) = self.align(a, b);
        let (name, ciphertext, message) = match operation {
            0 => ("add", evaluator.add(&x, &y), self.add(&a.message, &b.message)),
            1 => {
                let negative = self.negate(&b.message);
                ("sub", evaluator.sub(&x, &y), self.add(&a.message, &negative))
            }
            _ if x.size() + y.size() > 5 => return None,
            _ => ("multiply", evaluator.multiply(&x, &y), self.mul(&a.message, &b.message)),
        };
        // A ciphertext less itself is transparent.
        let ciphertext = ciphertext.ok()?;
        Some((name, Encrypted { ciphertext, message }))
    }

    /// Operations that consist of several.
    fn compound(&self, a: &Encrypted, b: &Encrypted, choices: &mut Choices) -> Option<(&'static str, Encrypted)> {
        let evaluator = &self.party.evaluator;
        let (x, y) = self.align(a, b);
        let square = self.mul(&a.message, &a.message);
        let (name, ciphertext, message) = match choices.below(3) {
            0 => {
                let sum = self.add(&self.add(&a.message, &b.message), &b.message);
                ("add_many", evaluator.add_many(&[x, y.clone(), y]), sum)
            }
            _ if x.size() > 2 || y.size() > 2 => return None,
            1 => {
                let product = self.mul(&square, &b.message);
                ("multiply_many", evaluator.multiply_many(&[x.clone(), x, y], self.party.relin.as_ref()?), product)
            }
            _ => {
                let cube = self.mul(&square, &a.message);
                ("exponentiate", evaluator.exponentiate(&x, 3, self.party.relin.as_ref()?), cube)
            }
        };
        let ciphertext = ciphertext.ok()?;
        Some((name, Encrypted { ciphertext, message }))
    }

    fn with_plain(&self, operation: usize, a: &Encrypted, choices: &mut Choices) -> Option<(&'static str, Encrypted)> {
        let evaluator = &self.party.evaluator;
        let operand = self.message(choices);
        let mut plaintext = self.encode(&operand);
        let bgv = self.party.context.scheme() == Scheme::Bgv;
        if choices.below(2) == 0 && (operation == 6 || bgv) {
            plaintext = evaluator.plain_to_ntt(&plaintext, a.ciphertext.parms_id()).unwrap();
            // BFV takes a plaintext in NTT form with a ciphertext in NTT form.
            if !bgv {
                let transformed = evaluator.to_ntt(&a.ciphertext).unwrap();
                let product = evaluator.multiply_plain(&transformed, &plaintext).ok()?;
                let ciphertext = evaluator.from_ntt(&product).unwrap();
                let message = self.mul(&a.message, &operand);
                return Some(("multiply_plain", Encrypted { ciphertext, message }));
            }
        }
        let (name, ciphertext, message) = match operation {
            4 => ("add_plain", evaluator.add_plain(&a.ciphertext, &plaintext), self.add(&a.message, &operand)),
            5 => (
                "sub_plain",
                evaluator.sub_plain(&a.ciphertext, &plaintext),
                self.add(&a.message, &self.negate(&operand)),
            ),
            _ => {
                ("multiply_plain", evaluator.multiply_plain(&a.ciphertext, &plaintext), self.mul(&a.message, &operand))
            }
        };
        let ciphertext = ciphertext.ok()?;
        Some((name, Encrypted { ciphertext, message }))
    }

    fn unary(&self, operation: usize, a: &Encrypted, choices: &mut Choices) -> Option<(&'static str, Encrypted)> {
        let evaluator = &self.party.evaluator;
        let x = &a.ciphertext;
        let (name, ciphertext, message) = match operation {
            7 => ("negate", evaluator.negate(x), self.negate(&a.message)),
            8 if x.size() == 2 => ("square", evaluator.square(x), self.mul(&a.message, &a.message)),
            9 => ("relinearize", evaluator.relinearize(x, self.party.relin.as_ref()?), a.message.clone()),
            10 if x.size() == 2 && self.batch.is_some() => self.rotate(a, choices)?,
            11 if choices.below(4) == 0 && self.party.context.scheme() == Scheme::Bgv => {
                ("mod_reduce", evaluator.mod_reduce_to_next(x), a.message.clone())
            }
            11 => ("mod_switch", evaluator.mod_switch_to_next(x), a.message.clone()),
            _ => return None,
        };
        let ciphertext = ciphertext.ok()?;
        Some((name, Encrypted { ciphertext, message }))
    }

    #[allow(clippy::type_complexity)]
    fn rotate(
        &self,
        a: &Encrypted,
        choices: &mut Choices,
    ) -> Option<(&'static str, Result<Ciphertext, phoca_rlwe::Error>, Vec<u64>)> {
        let keys = self.party.galois.as_ref()?;
        let mut message = a.message.clone();
        let step = choices.below(STEPS.len() + 1);
        let Some(&step) = STEPS.get(step) else {
            message.rotate_left(self.n / 2);
            let rotated = self.party.evaluator.rotate_columns(&a.ciphertext, keys);
            return Some(("rotate_columns", rotated, message));
        };
        for row in message.chunks_exact_mut(self.n / 2) {
            match step > 0 {
                true => row.rotate_left(step as usize),
                false => row.rotate_right(step.unsigned_abs() as usize),
            }
        }
        let rotated = self.party.evaluator.rotate_rows(&a.ciphertext, step, keys);
        Some(("rotate_rows", rotated, message))
    }

    /// Checks noise against both bounds, and the message where the likely bound promises it. Says whether it does.
    fn check(&self, name: &str, encrypted: &Encrypted) -> bool {
        let Encrypted { ciphertext, message } = encrypted;
        let context = &self.party.context;
        let level = context.level(ciphertext.parms_id(), "the ciphertext").unwrap();
        let modulus: f64 = level.moduli().iter().map(|q| (q.value() as f64).log2()).sum();
        let measured = modulus - 1.0 - self.party.decryptor.noise_log2(ciphertext).unwrap();
        let likely = ciphertext.likely_budget(context).unwrap();
        let worst = ciphertext.worst_case_budget(context).unwrap();
        let scheme = context.scheme();
        assert!(likely <= measured.max(0.0), "{scheme} {name}: likely {likely}, measured {measured}");
        assert!(worst <= likely, "{scheme} {name}: worst {worst}, likely {likely}");
        if likely > 0.0 {
            assert_eq!(&self.decrypt(ciphertext), message, "{scheme} {name} with a budget of {likely}");
        }
        likely > 0.0
    }

    /// A circuit of up to `length` operations; gives how many results were checked.
    fn circuit(&self, length: usize, choices: &mut Choices) -> usize {
        let mut pool: Vec<Encrypted> = (0..2).map(|_| self.fresh(choices)).collect();
        let mut checked = 0;
        for encrypted in &pool {
            assert!(self.check("fresh", encrypted));
        }
        for _ in 0..length {
            let Some((name, result)) = self.step(&pool, choices) else {
                continue;
            };
            checked += 1;
            if self.check(name, &result) {
                if pool.len() > 4 {
                    pool.swap_remove(choices.below(4));
                }
                // The newest result is the likelier operand of the next: circuits get deep.
                pool.push(result);
            }
        }
        checked
    }
}

/// Degree, bits of the primes (none for SEAL's default), plain modulus, circuits, operations.
type Set = (usize, &'static [u32], fn(usize) -> u64, usize, usize);

fn batching<const BITS: u32>(degree: usize) -> u64 {
    plain_modulus::batching(degree, BITS).unwrap()
}

const SETS: [Set; 8] = [
    (64, &[50, 50, 50, 50, 50], batching::<17>, 700, 12),
    (64, &[40, 36, 33, 50], |_| 256, 150, 8),
    (128, &[60, 60, 60, 60, 60, 60, 60], batching::<30>, 200, 14),
    (128, &[30, 30, 30, 30, 30, 30, 30, 30], |_| 3, 150, 10),
    (256, &[55, 45, 60], batching::<20>, 250, 10),
    (512, &[60], batching::<16>, 200, 6),
    (1024, &[36, 36, 37, 38, 50], batching::<15>, 120, 10),
    (4096, &[], batching::<17>, 6, 8),
];

fn run(scheme: Scheme) {
    let (mut circuits, mut checked) = (0, 0);
    for (index, &(degree, bits, plain_modulus, count, length)) in SETS.iter().enumerate() {
        // BGV's plain modulus has to be coprime to the primes, which both kinds are.
        let party = Party::new(scheme, degree, bits, plain_modulus(degree), index as u8);
        let plain = Plain::new(&party);
        for circuit in 0..count {
            let mut choices = Choices::new((index * 100_000 + circuit) as u64);
            checked += plain.circuit(length, &mut choices);
            circuits += 1;
        }
    }
    println!("{scheme}: {circuits} circuits, {checked} results");
    assert!(circuits > 1500 && checked > 9000, "{circuits} circuits, {checked} results");
}

#[test]
fn bfv_noise_stays_under_its_bounds() {
    run(Scheme::Bfv);
}

#[test]
fn bgv_noise_stays_under_its_bounds() {
    run(Scheme::Bgv);
}
