use alloc::vec;
use alloc::vec::Vec;

use phoca_ring::random::SecretRng;

use super::ciphertext::Word;
use super::plan::Plan;
use super::{Ciphertext, ClientKey, Gate, Operation, eighths, or_panic};
use crate::Error;
use crate::bootstrap::{Job, Workspace};
use crate::evaluation::{EvaluationKey, SeededEvaluationKey};
use crate::lookup::LookupTable;
use crate::lwe::LweCiphertext;
use crate::params::{Order, Parameters};

/// The seeded form of a server key, which is what is generated, stored and sent: a quarter of the size or less.
#[derive(Clone, Debug, PartialEq)]
pub struct CompressedServerKey {
    pub(crate) key: SeededEvaluationKey,
}

impl CompressedServerKey {
    /// A fresh key.
    ///
    /// # Panics
    ///
    /// Where the system gives no random bytes or the set's noise cannot be sampled; [`generate`](Self::generate) returns an error
    /// instead.
    #[track_caller]
    pub fn new(client_key: &ClientKey) -> Self {
        or_panic(Self::generate(client_key))
    }

    /// A fresh key. Constant time if the set's noise is.
    ///
    /// # Errors
    ///
    /// [`Error::Ring`] where the system gives no random bytes, [`Error::Noise`] where the set's noise cannot be sampled.
    pub fn generate(client_key: &ClientKey) -> Result<Self, Error> {
        Self::generate_with(client_key, &mut SecretRng::from_os()?)
    }

    /// A key whose masks and noise come from a generator.
    ///
    /// # Errors
    ///
    /// [`Error::Noise`] where the set's noise cannot be sampled.
    pub fn generate_with(client_key: &ClientKey, rng: &mut SecretRng) -> Result<Self, Error> {
        Ok(Self { key: SeededEvaluationKey::generate(client_key.secret(), rng)? })
    }

    /// The set.
    pub fn parameters(&self) -> &Parameters {
        self.key.parameters()
    }

    /// The key that computes.
    ///
    /// # Panics
    ///
    /// Where the polynomial size is no degree of a transform; [`expand`](Self::expand) returns an error instead.
    #[track_caller]
    pub fn decompress(&self) -> ServerKey {
        or_panic(self.expand())
    }

    /// The key that computes.
    ///
    /// # Errors
    ///
    /// [`Error::Ring`] where the polynomial size is no degree of a transform.
    pub fn expand(&self) -> Result<ServerKey, Error> {
        let key = self.key.expand()?;
        let sign = LookupTable::sign(key.parameters().polynomial_size, eighths(1));
        Ok(ServerKey { key, sign })
    }
}

/// The public key that computes; it cannot decrypt.
#[derive(Debug)]
pub struct ServerKey {
    key: EvaluationKey,
    /// `1/8` for positive phases, `-1/8` for others.
    sign: LookupTable,
}

impl ServerKey {
    /// A fresh key.
    ///
    /// # Panics
    ///
    /// As [`CompressedServerKey::new`]; [`CompressedServerKey::generate`] and [`CompressedServerKey::expand`] return errors.
    #[track_caller]
    pub fn new(client_key: &ClientKey) -> Self {
        CompressedServerKey::new(client_key).decompress()
    }

    /// The set.
    pub fn parameters(&self) -> &Parameters {
        self.key.parameters()
    }

    /// The keys that bootstrap.
    pub fn key(&self) -> &EvaluationKey {
        &self.key
    }

    /// How many bootstraps were done with this key.
    pub fn bootstrap_count(&self) -> u64 {
        self.key.bootstrap_count()
    }

    /// The number of threads that share the bootstraps of a batch.
    pub fn threads(&self) -> usize {
        self.key.threads()
    }

    /// Starts threads that share the bootstraps of each batch. Results do not depend on it.
    ///
    /// # Errors
    ///
    /// [`Error::Threads`] where the system does not start them.
    #[cfg(feature = "threads")]
    pub fn set_threads(&mut self, threads: usize) -> Result<(), Error> {
        self.key.set_threads(threads)
    }

    /// A boolean in the clear as an operand.
    pub fn trivial_encrypt(&self, value: bool) -> Ciphertext {
        Ciphertext::trivial(value)
    }

    /// The result of one operation.
    ///
    /// # Errors
    ///
    /// As [`batch`](Self::batch).
    pub fn evaluate(&self, operation: &Operation<'_>) -> Result<Ciphertext, Error> {
        Ok(self.batch(core::slice::from_ref(operation))?.swap_remove(0))
    }

    /// One gate of many pairs of ciphertexts.
    ///
    /// # Errors
    ///
    /// [`Error::CountMismatch`] unless there are as many on the left as on the right, and as [`batch`](Self::batch).
    pub fn gate_batch(&self, gate: Gate, left: &[Ciphertext], right: &[Ciphertext]) -> Result<Vec<Ciphertext>, Error> {
        if left.len() != right.len() {
            return Err(Error::CountMismatch { left: left.len(), right: right.len() });
        }
        let operations: Vec<_> = left.iter().zip(right).map(|(left, right)| gate.of(left, right)).collect();
        self.batch(&operations)
    }

    /// The results of many operations, of one kind or of several. Their bootstraps together read the keys once for every few of
    /// them and split over the threads; every result has the words that it would have alone.
    ///
    /// # Errors
    ///
    /// [`Error::Order`] or [`Error::LweDimension`] where an operand is of another set.
    pub fn batch(&self, operations: &[Operation<'_>]) -> Result<Vec<Ciphertext>, Error> {
        match self.parameters().order {
            Order::KeySwitchFirst => self.batch_words::<u64>(operations),
            Order::BootstrapFirst => self.batch_words::<u32>(operations),
        }
    }

    fn batch_words<W: Bootstrapped>(&self, operations: &[Operation<'_>]) -> Result<Vec<Ciphertext>, Error> {
        let dimension = self.parameters().ciphertext_dimension();
        let plans =
            operations.iter().map(|operation| Plan::new(operation, dimension)).collect::<Result<Vec<_>, _>>()?;
        let sums: Vec<&LweCiphertext<W>> = plans.iter().flat_map(Plan::sums).collect();
        let mut signs = self.map_parts(&sums, |part| W::signs(self, part))?.into_iter();
        let mut next_sign = || signs.next().expect("each sum has a sign");
        let mut results = Vec::with_capacity(plans.len());
        for plan in &plans {
            match plan {
                Plan::Done(_) => {}
                Plan::Sign(_) => results.push(next_sign()),
                Plan::Either(_) => results.push(either(next_sign(), &next_sign())?),
            }
        }
        let mut results = W::finish(self, results)?.into_iter();
        let take = |plan| match plan {
            Plan::Done(ciphertext) => ciphertext,
            Plan::Sign(_) | Plan::Either(_) => W::wrap(results.next().expect("each sign is in a result")),
        };
        Ok(plans.into_iter().map(take).collect())
    }

    /// The results of parts of `items`, of which each thread does one.
    fn map_parts<T: Sync, W: Word>(
        &self,
        items: &[T],
        task: impl Fn(&[T]) -> Result<Vec<LweCiphertext<W>>, Error> + Sync,
    ) -> Result<Vec<LweCiphertext<W>>, Error> {
        let mut results = Vec::with_capacity(items.len());
        for part in self.key.workers.map_parts(items, task) {
            results.append(&mut part?);
        }
        Ok(results)
    }

    /// The signs of ciphertexts under the small key, under the big one.
    fn bootstrap<W: Word>(&self, inputs: &[&LweCiphertext<W>]) -> Result<Vec<LweCiphertext<u64>>, Error> {
        let jobs: Vec<_> = inputs.iter().map(|input| Job { input, table: &self.sign }).collect();
        self.key.bootstrap.bootstrap_batch(&jobs, self.parameters().modulus_switch, &mut Workspace::default())
    }

    /// Ciphertexts under the big key, under the small one.
    fn switch(&self, inputs: &[&LweCiphertext<u64>]) -> Result<Vec<LweCiphertext<u32>>, Error> {
        let mut outputs = vec![LweCiphertext::zero(self.parameters().lwe_dimension); inputs.len()];
        self.key.key_switch.switch_batch(inputs, &mut outputs)?;
        Ok(outputs)
    }
}

/// `1/8` where one of two signs is, which are not both: their sum is `-1/4` or `0`, and `1/8` more is the result.
fn either(mut first: LweCiphertext<u64>, second: &LweCiphertext<u64>) -> Result<LweCiphertext<u64>, Error> {
    first.add_assign(second)?;
    *first.body_mut() = first.body().wrapping_add(eighths(1));
    Ok(first)
}

/// What comes before and after the sums of signs, which are under the big key.
trait Bootstrapped: Word {
    /// The signs of ciphertexts.
    fn signs(key: &ServerKey, sums: &[&LweCiphertext<Self>]) -> Result<Vec<LweCiphertext<u64>>, Error>;
    /// The results as ciphertexts.
    fn finish(key: &ServerKey, results: Vec<LweCiphertext<u64>>) -> Result<Vec<LweCiphertext<Self>>, Error>;
}

impl Bootstrapped for u64 {
    fn signs(key: &ServerKey, sums: &[&LweCiphertext<u64>]) -> Result<Vec<LweCiphertext<u64>>, Error> {
        let switched = key.switch(sums)?;
        key.bootstrap(&switched.iter().collect::<Vec<_>>())
    }

    fn finish(_: &ServerKey, results: Vec<LweCiphertext<u64>>) -> Result<Vec<LweCiphertext<u64>>, Error> {
        Ok(results)
    }
}

impl Bootstrapped for u32 {
    fn signs(key: &ServerKey, sums: &[&LweCiphertext<u32>]) -> Result<Vec<LweCiphertext<u64>>, Error> {
        key.bootstrap(sums)
    }

    fn finish(key: &ServerKey, results: Vec<LweCiphertext<u64>>) -> Result<Vec<LweCiphertext<u32>>, Error> {
        key.map_parts(&results.iter().collect::<Vec<_>>(), |part| key.switch(part))
    }
}
