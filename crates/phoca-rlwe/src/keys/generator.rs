//! Key generation.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use phoca_ring::Modulus;
use phoca_ring::galois::{self, NttPermutation};
use phoca_ring::random::{SealGenerator, SecretRng};
use zeroize::Zeroizing;

use super::{GaloisKeys, KeySwitchKey, KeySwitchKeys, PublicKey, RelinKeys, SecretKey};
use crate::context::Context;
use crate::encrypt::small::{self, BLOCK, Small};
use crate::encrypt::zero;
use crate::error::Error;
use crate::randomness::Randomness;

/// Which Galois keys to make.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GaloisSelection<'a> {
    /// The conjugation (or column swap) and every rotation by a power of two in both directions: `2·log2(n) − 2` keys.
    /// Any rotation is then some of them in turn.
    All,
    /// These elements, each odd and below `2n`.
    Elements(&'a [u64]),
    /// Rotations by these steps, positive to the left, each below `n/2` in magnitude; 0 stands for the conjugation or
    /// column swap.
    Steps(&'a [i64]),
}

/// Makes a secret key and the keys that belong to it.
///
/// Public and key-switching keys remember the seeds of their uniform halves, so that files of them take half the space.
#[derive(Debug)]
pub struct KeyGenerator {
    context: Context,
    secret_key: SecretKey,
    randomness: Randomness,
    expansion: SealGenerator,
}

impl KeyGenerator {
    /// A generator with a fresh secret key: uniform ternary coefficients.
    ///
    /// # Errors
    ///
    /// [`Error::Ring`] where the operating system has no randomness.
    pub fn new(context: &Context) -> Result<Self, Error> {
        Self::with_randomness(context, Randomness::System)
    }

    /// A generator whose keys all follow from `seed`: for tests only.
    ///
    /// # Errors
    ///
    /// As [`KeyGenerator::new`].
    pub fn insecure_from_seed(context: &Context, seed: [u8; 32]) -> Result<Self, Error> {
        Self::with_randomness(context, Randomness::insecure_seed(seed))
    }

    /// A generator of further keys for an existing secret key.
    ///
    /// # Errors
    ///
    /// [`Error::ParametersMismatch`] where the key belongs to other parameters.
    pub fn from_secret_key(context: &Context, secret_key: SecretKey) -> Result<Self, Error> {
        context.check_key_level(secret_key.parms_id, "the secret key")?;
        let randomness = Randomness::System;
        Ok(Self { context: context.clone(), secret_key, randomness, expansion: SealGenerator::Blake2xb })
    }

    /// Sets how seeds expand to uniform polynomials; BLAKE2Xb, SEAL's default, unless set.
    pub fn expansion(mut self, generator: SealGenerator) -> Self {
        self.expansion = generator;
        self
    }

    /// The secret key.
    pub fn secret_key(&self) -> &SecretKey {
        &self.secret_key
    }

    /// A public key: an encryption of zero at the key level.
    ///
    /// # Errors
    ///
    /// [`Error::Ring`] where the operating system has no randomness.
    pub fn public_key(&self) -> Result<PublicKey, Error> {
        let mut rng = self.randomness.generator()?;
        Ok(self.zero(&mut rng))
    }

    /// The relinearization key for `s²`: enough where every product is relinearized.
    ///
    /// # Errors
    ///
    /// As [`KeyGenerator::relin_keys_up_to`].
    pub fn relin_keys(&self) -> Result<RelinKeys, Error> {
        self.relin_keys_up_to(2)
    }

    /// Relinearization keys for `s², …, s^max_power`: for ciphertexts of up to `max_power + 1` polynomials.
    ///
    /// # Errors
    ///
    /// [`Error::KeySwitchingUnsupported`] without a special prime; [`Error::SizeOutOfRange`] unless
    /// `2 ≤ max_power ≤ 15`, the largest that a ciphertext can use; [`Error::Ring`] without randomness.
    pub fn relin_keys_up_to(&self, max_power: usize) -> Result<RelinKeys, Error> {
        self.check_key_switching()?;
        if !(2..=15).contains(&max_power) {
            return Err(Error::SizeOutOfRange { expected: "3 to 16", got: max_power.saturating_add(1) });
        }
        let secret = &self.secret_key.data;
        let mut power = Zeroizing::new(secret.clone());
        let mut keys = BTreeMap::new();
        for index in 0..max_power - 1 {
            self.for_each_limb(&mut power, secret, |modulus, power, secret| modulus.mul_assign(power, secret));
            keys.insert(index, self.key_switch_key(&power)?);
        }
        Ok(RelinKeys(KeySwitchKeys { parms_id: self.secret_key.parms_id, outer_count: max_power - 1, keys }))
    }

    /// Galois keys for rotations and conjugation.
    ///
    /// # Errors
    ///
    /// [`Error::KeySwitchingUnsupported`] without a special prime; [`Error::Ring`] where an element is even or too
    /// large, or without randomness.
    pub fn galois_keys(&self, selection: GaloisSelection<'_>) -> Result<GaloisKeys, Error> {
        self.check_key_switching()?;
        let degree = self.context.degree();
        let elements = match selection {
            GaloisSelection::All => galois::default_elements(degree),
            GaloisSelection::Elements(elements) => elements.to_vec(),
            GaloisSelection::Steps(steps) => {
                steps.iter().map(|&step| galois::element_from_step(degree, step)).collect::<Result<Vec<_>, _>>()?
            }
        };
        let mut keys = BTreeMap::new();
        let mut image = Zeroizing::new(self.secret_key.data.clone());
        for element in elements {
            // First, since an even element has the index of the odd one after it.
            let permutation = NttPermutation::new(degree, element)?;
            let index = (element / 2) as usize;
            if keys.contains_key(&index) {
                continue;
            }
            self.for_each_limb(&mut image, &self.secret_key.data, |_, image, secret| permutation.apply(secret, image));
            keys.insert(index, self.key_switch_key(&image)?);
        }
        Ok(GaloisKeys(KeySwitchKeys { parms_id: self.secret_key.parms_id, outer_count: degree, keys }))
    }

    fn with_randomness(context: &Context, randomness: Randomness) -> Result<Self, Error> {
        let mut rng = randomness.generator()?;
        let secret_key = random_secret_key(context, &mut rng);
        Ok(Self { context: context.clone(), secret_key, randomness, expansion: SealGenerator::Blake2xb })
    }

    fn check_key_switching(&self) -> Result<(), Error> {
        match self.context.supports_key_switching() {
            true => Ok(()),
            false => Err(Error::KeySwitchingUnsupported),
        }
    }

    /// The key that switches from `target`, a polynomial in NTT form at the key level.
    ///
    /// Digit `j` is an encryption of zero with `P·target` added in limb `j` alone, `P` the special prime: in RNS form
    /// this is `P` times the `j`-th basis element times `target`.
    fn key_switch_key(&self, target: &[u64]) -> Result<KeySwitchKey, Error> {
        let mut rng = self.randomness.generator()?;
        let degree = self.context.degree();
        let (data, special) = self.context.split_special();
        let mut scaled = Zeroizing::new(self.context.buffers().take(BLOCK.min(degree)));
        let digits = data.iter().zip(target.chunks_exact(degree)).enumerate().map(|(j, (table, target))| {
            let mut digit = self.zero(&mut rng);
            let modulus = table.modulus();
            let factor = modulus.shoup(modulus.reduce(special.modulus().value()));
            let sum = &mut digit.0.data[j * degree..(j + 1) * degree];
            for (sum, target) in sum.chunks_mut(BLOCK).zip(target.chunks(BLOCK)) {
                modulus.mul_scalar_into(&mut scaled, target, factor);
                modulus.add_assign(sum, &scaled);
            }
            digit
        });
        Ok(KeySwitchKey::new(digits.collect()))
    }

    fn zero(&self, rng: &mut SecretRng) -> PublicKey {
        let level = self.context.key_level();
        PublicKey(zero::symmetric(&self.context, level, &self.secret_key, true, self.expansion, &[], rng))
    }

    /// Calls `operation` with each prime's modulus and limbs of both polynomials.
    fn for_each_limb(&self, a: &mut [u64], b: &[u64], operation: impl Fn(&Modulus, &mut [u64], &[u64])) {
        let degree = self.context.degree();
        let limbs = a.chunks_exact_mut(degree).zip(b.chunks_exact(degree));
        for (table, (a, b)) in self.context.tables().iter().zip(limbs) {
            operation(table.modulus(), a, b);
        }
    }
}

fn random_secret_key(context: &Context, rng: &mut SecretRng) -> SecretKey {
    let degree = context.degree();
    let words = small::ternary_words(context, rng);
    let mut data = context.buffers().take(degree * context.tables().len());
    for (table, limb) in context.tables().iter().zip(data.chunks_exact_mut(degree)) {
        Small::ternary(&words).transform_strict(table, limb);
    }
    SecretKey { parms_id: context.key_level().parms_id(), data }
}
