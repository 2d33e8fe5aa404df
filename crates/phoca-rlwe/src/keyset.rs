//! All keys of one party at once, split by who may hold them.

use alloc::vec::Vec;

use crate::context::Context;
use crate::error::Error;
use crate::keys::{GaloisKeys, GaloisSelection, KeyGenerator, PublicKey, RelinKeys, SecretKey};

/// The keys that whoever computes on ciphertexts needs. They reveal nothing of the encrypted values.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EvaluationKeys {
    /// For products.
    pub relin: Option<RelinKeys>,
    /// For rotations and conjugation.
    pub galois: Option<GaloisKeys>,
}

impl EvaluationKeys {
    /// The relinearization keys.
    ///
    /// # Errors
    ///
    /// [`Error::MissingRelinKey`] where there are none.
    pub fn relin(&self) -> Result<&RelinKeys, Error> {
        self.relin.as_ref().ok_or(Error::MissingRelinKey { power: 2 })
    }

    /// The Galois keys, for an operation with `element`.
    ///
    /// # Errors
    ///
    /// [`Error::MissingGaloisKey`] where there are none.
    pub fn galois(&self, element: u64) -> Result<&GaloisKeys, Error> {
        self.galois.as_ref().ok_or(Error::MissingGaloisKey { element })
    }
}

/// What [`Keygen::generate`] makes.
#[derive(Clone, Debug)]
pub struct Keys {
    secret: SecretKey,
    public: PublicKey,
    evaluation: EvaluationKeys,
}

impl Keys {
    /// For decryption: stays with its owner.
    pub fn secret(&self) -> &SecretKey {
        &self.secret
    }

    /// For encryption.
    pub fn public(&self) -> &PublicKey {
        &self.public
    }

    /// For computation.
    pub fn evaluation(&self) -> &EvaluationKeys {
        &self.evaluation
    }
}

/// Says which keys to make.
#[derive(Clone, Debug)]
pub struct Keygen {
    context: Context,
    relin: bool,
    steps: Vec<i64>,
    all_rotations: bool,
}

impl Keygen {
    pub(crate) fn new(context: &Context) -> Self {
        Self { context: context.clone(), relin: false, steps: Vec::new(), all_rotations: false }
    }

    /// Makes the key that products need.
    pub fn relinearization(mut self) -> Self {
        self.relin = true;
        self
    }

    /// Makes keys for rotations by these steps, positive to the left; 0 is the conjugation or column swap.
    pub fn rotations(mut self, steps: impl IntoIterator<Item = i64>) -> Self {
        self.steps.extend(steps);
        self
    }

    /// Makes `2·log2(n) − 2` keys from which any rotation can be put together.
    pub fn all_rotations(mut self) -> Self {
        self.all_rotations = true;
        self
    }

    /// Makes the keys.
    ///
    /// # Errors
    ///
    /// [`Error::KeySwitchingUnsupported`] where keys for products or rotations are wanted and there is no special prime;
    /// [`Error::Ring`] for a step that is too large, or without randomness.
    pub fn generate(self) -> Result<Keys, Error> {
        let generator = KeyGenerator::new(&self.context)?;
        let mut evaluation = EvaluationKeys::default();
        if self.relin {
            evaluation.relin = Some(generator.relin_keys()?);
        }
        if self.all_rotations {
            evaluation.galois = Some(generator.galois_keys(GaloisSelection::All)?);
        }
        if !self.steps.is_empty() {
            let keys = generator.galois_keys(GaloisSelection::Steps(&self.steps))?;
            evaluation.galois = Some(match evaluation.galois.take() {
                Some(all) => all.merged(keys)?,
                None => keys,
            });
        }
        Ok(Keys { public: generator.public_key()?, secret: generator.secret_key().clone(), evaluation })
    }
}
