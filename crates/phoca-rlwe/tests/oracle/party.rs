//! A key owner whose secret the model knows, and its encryptions.

use core::cell::Cell;

use num_bigint::BigInt;
use num_complex::Complex64;
use phoca_ring::random::SecretRng;
use phoca_ring::sample;
use phoca_rlwe::{
    Ciphertext, CkksEncoder, Context, Decryptor, Encryptor, Evaluator, KeyGenerator, Level, Parameters, Plaintext,
    PublicKey, Scheme,
};

use crate::big::{self, Poly};
use crate::model::Ring;
use crate::parameters;

/// The largest error: 21 coin tosses against 21.
pub const ERROR_BOUND: u64 = 21;

pub struct Party {
    pub context: Context,
    pub keys: KeyGenerator,
    pub public: PublicKey,
    pub encryptor: Encryptor,
    pub evaluator: Evaluator,
    pub decryptor: Decryptor,
    /// Ternary.
    pub secret: Poly,
    /// The ring of the first `k + 1` primes, for each `k`.
    rings: Vec<Ring>,
    random: Cell<u64>,
}

impl Party {
    pub fn new(parameters: &Parameters, seed: u64) -> Self {
        Self::with_context(parameters::context(parameters), seed)
    }

    /// With a context that lets transparent ciphertexts pass.
    pub fn lenient(parameters: &Parameters, seed: u64) -> Self {
        Self::with_context(parameters::lenient_context(parameters), seed)
    }

    pub fn with_context(context: Context, seed: u64) -> Self {
        let seed_bytes = bytes(seed);
        let keys = KeyGenerator::insecure_from_seed(&context, seed_bytes).unwrap();
        let public = keys.public_key().unwrap();
        let secret_key = keys.secret_key().clone();
        let encryptor = Encryptor::with_keys(&context, Some(public.clone()), Some(secret_key.clone())).unwrap();
        let (degree, chain) = (context.degree(), &context.parameters().coeff_modulus);
        let party = Self {
            evaluator: Evaluator::new(&context),
            decryptor: Decryptor::new(&context, secret_key).unwrap(),
            encryptor: encryptor.insecure_from_seed(bytes(!seed)),
            secret: ternary_of_seed(degree, seed_bytes),
            rings: (1..=chain.len()).map(|primes| Ring::new(degree, &chain[..primes])).collect(),
            random: Cell::new(seed),
            context,
            keys,
            public,
        };
        party.check_secret();
        party
    }

    pub fn scheme(&self) -> Scheme {
        self.context.scheme()
    }

    pub fn degree(&self) -> usize {
        self.context.degree()
    }

    /// `t`; 1 for CKKS.
    pub fn t(&self) -> BigInt {
        self.context.plain_modulus().max(1).into()
    }

    pub fn ring(&self, primes: usize) -> &Ring {
        &self.rings[primes - 1]
    }

    pub fn ring_of(&self, ciphertext: &Ciphertext) -> &Ring {
        self.ring(ciphertext.prime_count())
    }

    pub fn level_of(&self, ciphertext: &Ciphertext) -> &Level {
        self.context.level(ciphertext.parms_id(), "").unwrap()
    }

    /// By how much a fresh ciphertext's noise is larger than in the other schemes: `t` for BGV, else 1.
    pub fn noise_unit(&self) -> BigInt {
        if self.scheme() == Scheme::Bgv { self.t() } else { 1.into() }
    }

    /// The next random word (SplitMix64).
    pub fn random(&self) -> u64 {
        self.random.set(self.random.get().wrapping_add(0x9E37_79B9_7F4A_7C15));
        let mut z = self.random.get();
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// `n` coefficients in `[0, t)`, the ends and the middle among them more often than chance has it.
    pub fn random_coefficients(&self) -> Vec<u64> {
        let t = self.context.plain_modulus();
        let coefficient = |_| match self.random() % 8 {
            0 => 0,
            1 => t - 1,
            2 => t / 2,
            3 => t.div_ceil(2) % t,
            _ => self.random() % t,
        };
        (0..self.degree()).map(coefficient).collect()
    }

    /// Complex numbers with parts in `(−1, 1)`.
    pub fn random_slots(&self) -> Vec<Complex64> {
        let part = || (self.random() >> 11) as f64 / 2_f64.powi(52) - 1.0;
        (0..self.degree() / 2).map(|_| Complex64::new(part(), part())).collect()
    }

    /// A scale whose square still fits the level.
    pub fn scale_at(&self, level: &Level) -> f64 {
        2_f64.powi((level.modulus_bits() as i32 / 2 - 3).clamp(1, 40))
    }

    /// A random plaintext that may be encrypted at the first level.
    pub fn random_plaintext(&self) -> Plaintext {
        self.random_plaintext_at(self.context.first_level())
    }

    /// A random plaintext; BFV and BGV ones have no level.
    pub fn random_plaintext_at(&self, level: &Level) -> Plaintext {
        if self.scheme() != Scheme::Ckks {
            return Plaintext::from_coefficients(&self.random_coefficients());
        }
        let encoder = CkksEncoder::new(&self.context).unwrap();
        encoder.encode_complex_at(&self.random_slots(), self.scale_at(level), level.parms_id()).unwrap()
    }

    /// A fresh encryption, with the public or the secret key, of a random plaintext.
    pub fn random_ciphertext(&self) -> Ciphertext {
        self.encrypt(&self.random_plaintext())
    }

    pub fn encrypt(&self, plaintext: &Plaintext) -> Ciphertext {
        match self.random() % 2 {
            0 => self.encryptor.encrypt(plaintext).unwrap(),
            _ => self.encryptor.encrypt_symmetric(plaintext).unwrap(),
        }
    }

    /// A ciphertext of any size from 2, of scale 1, with meaningless contents and random factors of BGV.
    pub fn random_of_size(&self, size: usize) -> Ciphertext {
        let fresh = || {
            let mut fresh = self.random_ciphertext();
            fresh.set_scale(1.0);
            fresh
        };
        (2..size).fold(fresh(), |product, _| self.evaluator.multiply(&product, &fresh()).unwrap())
    }

    /// The plaintext's polynomial with centred coefficients, as it multiplies.
    pub fn centered_plaintext(&self, plaintext: &Plaintext) -> Poly {
        if plaintext.is_ntt_form() {
            let level = self.context.level(plaintext.parms_id(), "").unwrap();
            let ring = self.ring(level.prime_count());
            return ring.center(&ring.compose(plaintext.words(), true));
        }
        let t = self.context.plain_modulus();
        let centered = |&m: &u64| {
            if m < t.div_ceil(2) { m.into() } else { BigInt::from(m) - t }
        };
        let mut polynomial: Poly = plaintext.words().iter().map(centered).collect();
        polynomial.resize(self.degree(), BigInt::ZERO);
        polynomial
    }

    /// The public key is an encryption of zero under the secret that the model has.
    fn check_secret(&self) {
        let key = self.public.as_ciphertext();
        let noise = self.phase(key);
        let unit = self.noise_unit();
        assert!(self.secret.iter().all(|s| s.magnitude() <= BigInt::from(1).magnitude()), "the secret is ternary");
        if &unit * 2 * ERROR_BOUND < self.ring_of(key).modulus {
            assert!(noise.iter().all(|e| big::modulo(e, &unit) == BigInt::ZERO));
            assert!(big::largest(&noise) <= unit * ERROR_BOUND, "the public key encrypts zero");
        }
    }
}

pub fn bytes(seed: u64) -> [u8; 32] {
    let mut bytes = [0xA5; 32];
    bytes[8..16].copy_from_slice(&seed.to_le_bytes());
    bytes
}

/// The secret of a generator that was made from `seed`: its first draw.
fn ternary_of_seed(degree: usize, seed: [u8; 32]) -> Poly {
    let mut coefficients = vec![0; degree];
    sample::ternary(&mut SecretRng::insecure_from_seed(seed), &mut coefficients);
    coefficients.into_iter().map(BigInt::from).collect()
}
