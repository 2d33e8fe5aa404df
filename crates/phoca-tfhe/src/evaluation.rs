//! The public keys that bootstrap, and their use for one ciphertext or many.

use alloc::vec::Vec;

use rand_core::CryptoRng;

use crate::Error;
use crate::bootstrap::{BootstrapKey, Job, SeededBootstrapKey, Workspace};
use crate::glwe::GlweSecretKey;
use crate::key_switch::{KeySwitchKey, SeededKeySwitchKey};
use crate::lookup::LookupTable;
use crate::lwe::{LweCiphertext, LweSecretKey};
use crate::noise::Noise;
use crate::parallel::Workers;
use crate::params::{Order, Parameters};

/// The secrets of a parameter set: both are wiped when dropped.
#[derive(Clone, Debug)]
pub struct SecretKeys {
    parameters: Parameters,
    small: LweSecretKey,
    big: GlweSecretKey,
}

impl SecretKeys {
    /// Fresh secrets.
    ///
    /// # Errors
    ///
    /// [`Error::Parameters`] where the set is not valid.
    pub fn generate(parameters: Parameters, rng: &mut impl CryptoRng) -> Result<Self, Error> {
        parameters.validate()?;
        let small = LweSecretKey::generate(parameters.lwe_dimension, rng);
        let big = GlweSecretKey::generate(parameters.glwe_dimension, parameters.polynomial_size, rng);
        Ok(Self { parameters, small, big })
    }

    /// The set.
    pub fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// The bits of the small secret and of the big one.
    #[cfg(feature = "std")]
    pub(crate) fn bits(&self) -> [&[u64]; 2] {
        [self.small.bits(), self.big.as_lwe().bits()]
    }

    /// The secrets with these bits, of which there are as many as the set has.
    #[cfg(feature = "std")]
    pub(crate) fn from_bits(parameters: Parameters, small: Vec<u64>, big: Vec<u64>) -> Self {
        let big = GlweSecretKey::from_bits(big, parameters.polynomial_size);
        Self { parameters, small: LweSecretKey::from_bits(small), big }
    }

    /// The key of ciphertexts.
    pub fn ciphertext_key(&self) -> &LweSecretKey {
        match self.parameters.order {
            Order::KeySwitchFirst => self.big.as_lwe(),
            Order::BootstrapFirst => &self.small,
        }
    }

    /// Encrypts a torus element.
    ///
    /// # Errors
    ///
    /// [`Error::Noise`] where the set's noise cannot be sampled.
    pub fn encrypt(&self, message: u64, rng: &mut impl CryptoRng) -> Result<LweCiphertext<u64>, Error> {
        self.ciphertext_key().encrypt(message, self.ciphertext_noise(), rng)
    }

    /// The noise of fresh ciphertexts.
    pub fn ciphertext_noise(&self) -> Noise {
        match self.parameters.order {
            Order::KeySwitchFirst => self.parameters.glwe_noise,
            Order::BootstrapFirst => self.parameters.lwe_noise,
        }
    }
}

/// The seeded form of [`EvaluationKey`], which is what is stored and sent.
#[derive(Clone, Debug, PartialEq)]
pub struct SeededEvaluationKey {
    pub(crate) parameters: Parameters,
    pub(crate) bootstrap: SeededBootstrapKey,
    pub(crate) key_switch: SeededKeySwitchKey<u32>,
}

impl SeededEvaluationKey {
    /// The public keys of some secrets. Constant time if the noise is.
    ///
    /// # Errors
    ///
    /// [`Error::Noise`] where the set's noise cannot be sampled.
    pub fn generate(secret: &SecretKeys, rng: &mut impl CryptoRng) -> Result<Self, Error> {
        let parameters = secret.parameters;
        let Parameters { glwe_noise, lwe_noise, .. } = parameters;
        Ok(Self {
            parameters,
            bootstrap: SeededBootstrapKey::generate(&secret.small, &secret.big, parameters.bootstrap, glwe_noise, rng)?,
            key_switch: SeededKeySwitchKey::generate(
                secret.big.as_lwe(),
                &secret.small,
                parameters.key_switch,
                lwe_noise,
                rng,
            )?,
        })
    }

    /// The set.
    pub fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// The key in the form that computes.
    ///
    /// # Errors
    ///
    /// [`Error::Ring`] where the polynomial size is no degree of a transform.
    pub fn expand(&self) -> Result<EvaluationKey, Error> {
        Ok(EvaluationKey {
            parameters: self.parameters,
            bootstrap: self.bootstrap.expand()?,
            key_switch: self.key_switch.expand(),
            workers: Workers::default(),
        })
    }
}

/// Both public keys, and the threads that share work.
#[derive(Debug)]
pub struct EvaluationKey {
    parameters: Parameters,
    pub(crate) bootstrap: BootstrapKey,
    pub(crate) key_switch: KeySwitchKey<u32>,
    pub(crate) workers: Workers,
}

/// One bootstrap: a ciphertext, and the functions to evaluate.
#[derive(Clone, Copy, Debug)]
pub struct Evaluation<'a> {
    /// Under the key of ciphertexts.
    pub input: &'a LweCiphertext<u64>,
    /// For the set's polynomial size.
    pub table: &'a LookupTable,
}

impl EvaluationKey {
    /// The set.
    pub fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// The bytes of both keys in memory.
    pub fn byte_len(&self) -> usize {
        self.bootstrap.byte_len() + self.key_switch.byte_len()
    }

    /// How many ciphertexts were bootstrapped with this key.
    pub fn bootstrap_count(&self) -> u64 {
        self.bootstrap.bootstrap_count()
    }

    /// The number of threads that work together.
    pub fn threads(&self) -> usize {
        self.workers.count()
    }

    /// Starts threads that share the ciphertexts of each batch; one is none beside the caller's. Results do not depend on it.
    ///
    /// # Errors
    ///
    /// [`Error::Threads`] where the system does not start them.
    #[cfg(feature = "threads")]
    pub fn set_threads(&mut self, threads: usize) -> Result<(), Error> {
        self.workers = Workers::start(threads)?;
        Ok(())
    }

    /// Bootstraps many ciphertexts, reading the keys once for every few of them. The results of all functions of one ciphertext
    /// follow each other; every ciphertext gets the words that it would get alone.
    ///
    /// # Errors
    ///
    /// [`Error::LweDimension`] or [`Error::TableSize`] where something is of another set.
    pub fn evaluate(&self, evaluations: &[Evaluation<'_>]) -> Result<Vec<LweCiphertext<u64>>, Error> {
        let parts = self.workers.map_parts(evaluations, |part| match self.parameters.order {
            Order::KeySwitchFirst => self.switch_and_bootstrap(part),
            Order::BootstrapFirst => self.bootstrap_and_switch(part),
        });
        let mut outputs = Vec::with_capacity(evaluations.len());
        for part in parts {
            outputs.extend(part?);
        }
        Ok(outputs)
    }

    fn switch_and_bootstrap(&self, part: &[Evaluation<'_>]) -> Result<Vec<LweCiphertext<u64>>, Error> {
        let inputs: Vec<_> = part.iter().map(|evaluation| evaluation.input).collect();
        let mut switched = alloc::vec![LweCiphertext::zero(self.key_switch.output_dimension()); part.len()];
        self.key_switch.switch_batch(&inputs, &mut switched)?;
        let jobs: Vec<_> =
            switched.iter().zip(part).map(|(input, evaluation)| Job { input, table: evaluation.table }).collect();
        self.bootstrap.bootstrap_batch(&jobs, self.parameters.modulus_switch, &mut Workspace::default())
    }

    fn bootstrap_and_switch(&self, part: &[Evaluation<'_>]) -> Result<Vec<LweCiphertext<u64>>, Error> {
        let jobs: Vec<_> = part.iter().map(|&Evaluation { input, table }| Job { input, table }).collect();
        let workspace = &mut Workspace::default();
        let outputs = self.bootstrap.bootstrap_batch(&jobs, self.parameters.modulus_switch, workspace)?;
        let inputs: Vec<_> = outputs.iter().collect();
        let mut switched = alloc::vec![LweCiphertext::zero(self.key_switch.output_dimension()); inputs.len()];
        self.key_switch.switch_batch(&inputs, &mut switched)?;
        Ok(switched.iter().map(LweCiphertext::widen).collect())
    }
}
