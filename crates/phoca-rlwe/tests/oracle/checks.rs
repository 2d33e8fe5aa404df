//! What the tests compare: opened ciphertexts, decryption by definition, and the two forms of every operation.

use core::fmt::Debug;

use num_bigint::BigInt;
use phoca_rlwe::{Ciphertext, Error, Plaintext, Scheme};

use crate::big::{self, Poly};
use crate::party::Party;

/// What a ciphertext must be, word for word.
#[derive(Clone, Debug, PartialEq)]
pub struct Expected {
    /// Coefficients in `[0, Q)`.
    pub polynomials: Vec<Poly>,
    pub primes: usize,
    pub scale: f64,
    pub factor: u64,
    pub ntt_form: bool,
}

impl Expected {
    pub fn with(&self, polynomials: Vec<Poly>) -> Self {
        let primes = self.primes;
        Self { polynomials, primes, ..*self }
    }
}

impl Party {
    /// Everything that a ciphertext holds. Its level, length and words must be legal.
    pub fn open(&self, ciphertext: &Ciphertext) -> Expected {
        let level = self.context.level(ciphertext.parms_id(), "the ciphertext").unwrap();
        assert_eq!(ciphertext.prime_count(), level.prime_count());
        assert_eq!(ciphertext.degree(), self.degree());
        let ring = self.ring_of(ciphertext);
        let opened = (0..ciphertext.size()).map(|i| {
            let words = ciphertext.polynomial(i).unwrap();
            ring.compose(words, ciphertext.is_ntt_form())
        });
        assert_eq!(ciphertext.words().len(), ciphertext.size() * self.degree() * level.prime_count());
        Expected {
            polynomials: opened.collect(),
            primes: level.prime_count(),
            scale: ciphertext.scale(),
            factor: ciphertext.correction_factor(),
            ntt_form: ciphertext.is_ntt_form(),
        }
    }

    /// Compares coefficient for coefficient, with the metadata.
    pub fn expect(&self, ciphertext: &Ciphertext, expected: &Expected) {
        let ring = self.ring(expected.primes);
        let polynomials = expected.polynomials.iter().map(|polynomial| ring.reduce(polynomial));
        assert_eq!(self.open(ciphertext), expected.with(polynomials.collect()), "{:?}", self.context.parameters());
    }

    /// `Σ_i c_i·s^i` with coefficients in `(−Q/2, Q/2]`.
    pub fn phase(&self, ciphertext: &Ciphertext) -> Poly {
        let ring = self.ring_of(ciphertext);
        let polynomials = self.open(ciphertext).polynomials;
        let zero = vec![BigInt::ZERO; self.degree()];
        let horner = |sum: Poly, c: &Poly| big::add(&big::mul(&sum, &self.secret), c);
        ring.center(&polynomials.iter().rev().fold(zero, horner))
    }

    /// BFV and BGV: the message by the scheme's definition, `n` coefficients in `[0, t)`.
    pub fn message(&self, ciphertext: &Ciphertext) -> Vec<u64> {
        let (t, q) = (self.t(), &self.ring_of(ciphertext).modulus);
        let phase = self.phase(ciphertext);
        let message = match self.scheme() {
            Scheme::Bfv => big::each(&phase, |x| big::div_round(&(x * &t), q)),
            Scheme::Bgv => big::scale(&phase, &big::inverse(&ciphertext.correction_factor().into(), &t)),
            Scheme::Ckks => panic!("CKKS has no exact message"),
        };
        message.iter().map(|m| big::word(&big::modulo(m, &t))).collect()
    }

    /// Compares the crate's decryption with the definition.
    pub fn check_decryption(&self, ciphertext: &Ciphertext) {
        let plaintext = self.decryptor.decrypt(ciphertext).unwrap();
        if self.scheme() == Scheme::Ckks {
            assert_eq!(plaintext.parms_id(), ciphertext.parms_id());
            assert_eq!(plaintext.scale(), ciphertext.scale());
            assert_eq!(self.centered_plaintext(&plaintext), self.phase(ciphertext));
            return;
        }
        let message = self.message(ciphertext);
        assert!(!plaintext.is_ntt_form());
        assert_eq!(plaintext.len(), plaintext.significant_len().max(1));
        assert_eq!(padded(&plaintext, self.degree()), message);
        let budget = self.decryptor.invariant_noise_budget(ciphertext).unwrap();
        assert_eq!(budget, self.noise_budget(ciphertext));
    }

    /// Bits of `Q`, less bits of the noise, less one: the noise is `t·phase mod Q` for BFV, the phase for BGV.
    fn noise_budget(&self, ciphertext: &Ciphertext) -> u32 {
        let ring = self.ring_of(ciphertext);
        let phase = self.phase(ciphertext);
        let noise = match self.scheme() {
            Scheme::Bfv => ring.center(&big::scale(&phase, &self.t())),
            _ => phase,
        };
        (ring.bits() - 1).saturating_sub(big::largest(&noise).bits() as u32)
    }

    /// Products of messages modulo `X^n + 1` and `t`.
    pub fn message_product(&self, a: &[u64], b: &[u64]) -> Vec<u64> {
        self.message_map(big::mul(&polynomial(a), &polynomial(b)))
    }

    /// Coefficients modulo `t`.
    pub fn message_map(&self, polynomial: Poly) -> Vec<u64> {
        polynomial.iter().map(|m| big::word(&big::modulo(m, &self.t()))).collect()
    }
}

/// Words as a polynomial.
pub fn polynomial(words: &[u64]) -> Poly {
    words.iter().map(|&word| word.into()).collect()
}

/// A plaintext's coefficients with the zeros that it leaves out.
pub fn padded(plaintext: &Plaintext, degree: usize) -> Vec<u64> {
    let mut words = plaintext.words().to_vec();
    words.resize(degree, 0);
    words
}

/// Runs an operation in both forms. They must agree, and a failure must leave the operand as it was.
pub fn both(
    operand: &Ciphertext,
    operation: impl Fn(&Ciphertext) -> Result<Ciphertext, Error>,
    assign: impl Fn(&mut Ciphertext) -> Result<(), Error>,
) -> Result<Ciphertext, Error> {
    let before = operand.clone();
    let result = operation(operand);
    assert!(same(operand, &before), "an operation changed its operand");
    let mut changed = operand.clone();
    match (&result, assign(&mut changed)) {
        (Ok(result), Ok(())) => assert!(same(result, &changed), "the forms differ: {result:?} and {changed:?}"),
        (Err(error), Err(assign_error)) => {
            assert_eq!(format!("{error:?}"), format!("{assign_error:?}"));
            assert!(same(&changed, &before), "a failed operation changed its operand");
        }
        (result, assigned) => panic!("the forms differ: {result:?} and {assigned:?}"),
    }
    result
}

fn same(a: &Ciphertext, b: &Ciphertext) -> bool {
    a == b && a.is_seeded() == b.is_seeded() && a.noise() == b.noise()
}

/// The error of an operation that must fail.
pub fn failure<T: Debug>(result: Result<T, Error>) -> Error {
    result.expect_err("the operation must fail")
}
