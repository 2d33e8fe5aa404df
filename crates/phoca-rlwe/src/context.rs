//! Checked parameters with all that is computed from them.

mod level;
mod validate;

use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt;

use once_cell::race::OnceBox;
use phoca_ring::embedding::Embedding;
use phoca_ring::slots::SlotOrder;
use phoca_ring::{BufferPool, Modulus, NttTables};

pub use level::Level;

use crate::error::Error;
use crate::noise::NoiseConstants;
use crate::parallel::Workers;
use crate::params::{Parameters, ParmsId, Scheme, Security};

/// Checked parameters, their levels, and every table that operations need.
///
/// A context is a handle: cloning it is cheap, and clones are the same context. It is immutable and can be shared
/// between threads. Keys, encoders, encryptors, evaluators and decryptors hold one.
#[derive(Clone)]
pub struct Context(Arc<Inner>);

/// Polynomials with all primes for which the context keeps memory.
const KEPT_POLYNOMIALS: usize = 64;

struct Inner {
    parameters: Parameters,
    security: Security,
    allow_transparent: bool,
    /// One table for each prime, the special prime last.
    tables: Vec<NttTables>,
    /// Key level first, then the data levels from the most primes to the fewest.
    levels: Vec<Level>,
    by_id: BTreeMap<ParmsId, usize>,
    plain: Option<PlainRing>,
    embedding: OnceBox<Embedding>,
    noise: NoiseConstants,
    buffers: BufferPool,
    workers: Workers,
}

/// The plaintext ring `Z_t[X]/(X^n + 1)` of BFV and BGV.
pub(crate) struct PlainRing {
    pub(crate) modulus: Modulus,
    /// The transform and the slots' order where `t` is a prime that is 1 modulo `2n`.
    pub(crate) batching: Option<Batching>,
}

pub(crate) struct Batching {
    pub(crate) tables: NttTables,
    pub(crate) slots: SlotOrder,
}

/// Settings under which a [`Context`] is made.
#[derive(Clone, Debug)]
pub struct ContextBuilder {
    parameters: Parameters,
    security: Security,
    allow_transparent: bool,
    expand_chain: bool,
    #[cfg(feature = "threads")]
    threads: usize,
    #[cfg(feature = "threads")]
    thread_pool: Option<Arc<rayon::ThreadPool>>,
}

impl ContextBuilder {
    pub(crate) fn new(parameters: Parameters) -> Self {
        Self {
            parameters,
            security: Security::default(),
            allow_transparent: false,
            expand_chain: true,
            #[cfg(feature = "threads")]
            threads: 1,
            #[cfg(feature = "threads")]
            thread_pool: None,
        }
    }

    /// The security check; [`Security::SEAL_128`] unless set.
    pub fn security(mut self, security: Security) -> Self {
        self.security = security;
        self
    }

    /// Whether operations may give ciphertexts that decrypt without a key, such as a value minus itself. Off unless set:
    /// such a result is almost always a mistake.
    pub fn allow_transparent(mut self, allow: bool) -> Self {
        self.allow_transparent = allow;
        self
    }

    /// Whether to make a level for each number of primes (the default), or the key level and the first data level only.
    pub fn expand_chain(mut self, expand: bool) -> Self {
        self.expand_chain = expand;
        self
    }

    /// How many threads work together on one operation or one batch, at most 1024; 1 unless set, and then none is started.
    ///
    /// The context owns them; there are none beside. Results do not depend on their number.
    #[cfg(feature = "threads")]
    pub fn threads(mut self, threads: usize) -> Self {
        self.threads = threads;
        self
    }

    /// Threads that the caller has started, in the place of the context's own: for a host on which only it can start some, such
    /// as WebAssembly.
    #[cfg(feature = "threads")]
    pub fn thread_pool(mut self, pool: Arc<rayon::ThreadPool>) -> Self {
        self.thread_pool = Some(pool);
        self
    }

    /// Checks the parameters and makes the context.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidParameters`] with the cause; [`Error::Threads`] where threads cannot be started.
    pub fn build(self) -> Result<Context, Error> {
        let parameters = &self.parameters;
        validate::check(parameters, self.security)?;
        let tables = parameters
            .coeff_modulus
            .iter()
            .map(|&prime| NttTables::new(parameters.degree, Modulus::new(prime)?))
            .collect::<Result<Vec<_>, _>>()?;
        let plain = PlainRing::new(parameters)?;
        let levels = level::chain(parameters, &tables, self.expand_chain)?;
        // Where one level is both key and first data level it is found by its one id.
        let by_id = levels.iter().enumerate().map(|(position, level)| (level.parms_id(), position)).collect();
        #[cfg(feature = "threads")]
        let workers = match self.thread_pool {
            Some(pool) => Workers::shared(pool),
            None => Workers::start(self.threads)?,
        };
        #[cfg(not(feature = "threads"))]
        let workers = Workers::default();
        let noise = NoiseConstants::new(parameters.degree, parameters.plain_modulus);
        let buffers = BufferPool::new(KEPT_POLYNOMIALS * parameters.degree * parameters.coeff_modulus.len());
        Ok(Context(Arc::new(Inner {
            parameters: self.parameters,
            security: self.security,
            allow_transparent: self.allow_transparent,
            tables,
            levels,
            by_id,
            plain,
            embedding: OnceBox::new(),
            noise,
            buffers,
            workers,
        })))
    }
}

impl Context {
    /// The parameters.
    pub fn parameters(&self) -> &Parameters {
        &self.0.parameters
    }

    /// The scheme.
    pub fn scheme(&self) -> Scheme {
        self.0.parameters.scheme
    }

    /// Degree `n` of the ring.
    pub fn degree(&self) -> usize {
        self.0.parameters.degree
    }

    /// The plain modulus `t`; 0 for CKKS.
    pub fn plain_modulus(&self) -> u64 {
        self.0.parameters.plain_modulus
    }

    /// The check that the parameters passed.
    pub fn security(&self) -> Security {
        self.0.security
    }

    /// Whether operations may give transparent ciphertexts.
    pub fn allows_transparent(&self) -> bool {
        self.0.allow_transparent
    }

    /// All levels: the key level first, then the data levels from the most primes to the fewest.
    ///
    /// Parameters with one prime have one level, which is both.
    pub fn levels(&self) -> &[Level] {
        &self.0.levels
    }

    /// The level of the keys, which has all primes.
    pub fn key_level(&self) -> &Level {
        &self.0.levels[0]
    }

    /// The level of fresh ciphertexts.
    pub fn first_level(&self) -> &Level {
        self.0.levels.get(1).filter(|_| self.supports_key_switching()).unwrap_or(&self.0.levels[0])
    }

    /// The level with the fewest primes.
    pub fn last_level(&self) -> &Level {
        &self.0.levels[self.0.levels.len() - 1]
    }

    /// The level with this id.
    ///
    /// # Errors
    ///
    /// [`Error::ParametersMismatch`], which names `object`.
    pub fn level(&self, id: ParmsId, object: &'static str) -> Result<&Level, Error> {
        let position = self.0.by_id.get(&id).ok_or_else(|| Error::ParametersMismatch {
            object,
            expected: self.key_level().parms_id(),
            levels: self.0.levels.len(),
            got: id,
        })?;
        Ok(&self.0.levels[*position])
    }

    /// The level below, with one prime fewer.
    pub fn next_level(&self, level: &Level) -> Option<&Level> {
        self.0.levels.get(level.position() + 1)
    }

    /// The level above, with one prime more; none above the key level.
    pub fn previous_level(&self, level: &Level) -> Option<&Level> {
        self.0.levels.get(level.position().checked_sub(1)?)
    }

    /// The parameters with the primes of one level only; their hash is the level's id.
    pub fn level_parameters(&self, level: &Level) -> Parameters {
        let coeff_modulus = level.moduli().iter().map(Modulus::value).collect();
        Parameters { coeff_modulus, ..self.0.parameters.clone() }
    }

    /// Whether there is a special prime, so that relinearization and rotations exist.
    pub fn supports_key_switching(&self) -> bool {
        self.0.levels.len() > 1
    }

    /// Whether plaintexts have slots: CKKS always, BFV and BGV where `t` is a prime that is 1 modulo `2n`.
    pub fn supports_batching(&self) -> bool {
        self.0.plain.as_ref().is_none_or(|plain| plain.batching.is_some())
    }

    /// How many values one plaintext holds: `n/2` for CKKS, `n` for BFV and BGV with batching, else 0.
    pub fn slot_count(&self) -> usize {
        match (self.scheme(), self.supports_batching()) {
            (Scheme::Ckks, _) => self.degree() / 2,
            (_, true) => self.degree(),
            (_, false) => 0,
        }
    }

    /// Whether both are the same context or have equal parameters.
    pub fn is_same_as(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || self.parameters() == other.parameters()
    }

    /// The transforms of all primes, the special prime last; a prefix serves a data level.
    pub fn tables(&self) -> &[NttTables] {
        &self.0.tables
    }

    /// The plaintext ring; BFV and BGV only.
    pub(crate) fn plain_ring(&self) -> Option<&PlainRing> {
        self.0.plain.as_ref()
    }

    /// The plaintext ring, for an operation that CKKS does not have.
    pub(crate) fn require_plain_ring(&self, operation: &'static str) -> Result<&PlainRing, Error> {
        self.plain_ring().ok_or(Error::UnsupportedScheme { operation, scheme: self.scheme() })
    }

    /// The canonical embedding, made at its first use.
    pub(crate) fn embedding(&self) -> Result<&Embedding, Error> {
        Ok(self.0.embedding.get_or_try_init(|| Embedding::new(self.degree()).map(Box::new))?)
    }

    /// What the noise formulas take from the parameters.
    pub(crate) fn noise_constants(&self) -> &NoiseConstants {
        &self.0.noise
    }

    /// Frees the memory that waits for the next operation.
    ///
    /// Results and intermediate values come from buffers that the context keeps for reuse, up to about 64 polynomials
    /// with all primes, so that warm operations do not ask the system for memory. They are freed with the context and
    /// everything that belongs to it, or here.
    pub fn free_unused_memory(&self) {
        self.0.buffers.clear();
    }

    /// How many transforms modulo the primes were done in this context, by all threads; it wraps.
    pub fn transform_count(&self) -> usize {
        self.0.tables.iter().fold(0, |sum, table| sum.wrapping_add(table.transform_count()))
    }

    /// How many threads work together on one operation or one batch.
    #[cfg(feature = "threads")]
    pub fn threads(&self) -> usize {
        self.0.workers.count()
    }

    /// Those who share the work of an operation.
    pub(crate) fn workers(&self) -> &Workers {
        &self.0.workers
    }

    /// Whence results and intermediate values come.
    pub(crate) fn buffers(&self) -> &BufferPool {
        &self.0.buffers
    }

    /// The transforms of the data primes, and that of the special prime. Only where there is a special prime.
    pub(crate) fn split_special(&self) -> (&[NttTables], &NttTables) {
        let (special, data) = self.0.tables.split_last().expect("checked parameters have a prime");
        (data, special)
    }

    /// Checks that a key is one of this context.
    pub(crate) fn check_key_level(&self, id: ParmsId, object: &'static str) -> Result<(), Error> {
        match self.level(id, object)?.position() {
            0 => Ok(()),
            _ => Err(Error::ParametersMismatch {
                object,
                expected: self.key_level().parms_id(),
                levels: self.0.levels.len(),
                got: id,
            }),
        }
    }
}

impl PlainRing {
    fn new(parameters: &Parameters) -> Result<Option<Self>, Error> {
        if parameters.scheme == Scheme::Ckks {
            return Ok(None);
        }
        let modulus = Modulus::new(parameters.plain_modulus)?;
        let batches =
            phoca_ring::primes::is_prime(modulus.value()) && modulus.value() % (2 * parameters.degree as u64) == 1;
        let batching = match batches {
            true => Some(Batching {
                tables: NttTables::new(parameters.degree, modulus)?,
                slots: SlotOrder::new(parameters.degree)?,
            }),
            false => None,
        };
        Ok(Some(Self { modulus, batching }))
    }
}

impl fmt::Debug for Context {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Context")
            .field("parameters", &self.0.parameters)
            .field("security", &self.0.security)
            .field("allow_transparent", &self.0.allow_transparent)
            .finish_non_exhaustive()
    }
}
