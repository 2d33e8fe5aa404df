//! Programmable bootstrapping: blind rotation of a look-up table, and sample extraction ([CGGI], section 4; [CJP21]).
//!
//! [CGGI]: https://eprint.iacr.org/2018/421
//! [CJP21]: https://eprint.iacr.org/2021/091

use alloc::vec;
use alloc::vec::Vec;
use core::fmt;
use core::sync::atomic::{AtomicU64, Ordering};

use phoca_ring::Buffer;
use phoca_ring::fourier::{Decomposition, FourierTransform, GgswShape, Position};
use phoca_ring::random::PublicStream;
use rand_core::CryptoRng;

use crate::Error;
use crate::Torus;
use crate::glwe::{GlweEncryptor, GlweSecretKey};
use crate::lookup::LookupTable;
use crate::lwe::{LweCiphertext, LweSecretKey};
use crate::modulus_switch::{ModulusSwitch, modulus_switch};
use crate::noise::Noise;

/// Ciphertexts that are rotated together: their accumulators stay in the second-level cache while one part of the key passes.
const GROUP: usize = 8;

/// The seeded form of a bootstrapping key: the bodies of all rows, and a seed for the masks.
#[derive(Clone, PartialEq, Eq)]
pub struct SeededBootstrapKey {
    pub(crate) decomposition: Decomposition,
    pub(crate) glwe_dimension: usize,
    pub(crate) polynomial_size: usize,
    pub(crate) seed: [u8; 32],
    /// For each bit of the input key the bodies of the rows of a GGSW ciphertext.
    pub(crate) bodies: Vec<u64>,
}

impl SeededBootstrapKey {
    /// GGSW ciphertexts of each bit of `input` under `output`. Constant time if the noise is.
    ///
    /// # Errors
    ///
    /// [`Error::Noise`] as for [`Noise::add_to`], [`Error::Ring`] where the polynomial size is no degree of a transform.
    pub fn generate(
        input: &LweSecretKey,
        output: &GlweSecretKey,
        decomposition: Decomposition,
        noise: Noise,
        rng: &mut impl CryptoRng,
    ) -> Result<Self, Error> {
        let (glwe_dimension, polynomial_size) = (output.dimension(), output.polynomial_size());
        let transform = FourierTransform::new(polynomial_size)?;
        let mut encryptor = GlweEncryptor::new(output, &transform);
        let mut seed = [0; 32];
        rng.fill_bytes(&mut seed);
        let stream = PublicStream::new(seed);
        let shape = GgswShape { polynomials: glwe_dimension + 1, decomposition };
        let mut bodies = vec![0; input.dimension() * shape.rows() * polynomial_size];
        let mut masks = vec![0; shape.rows() * glwe_dimension * polynomial_size];
        let parts = input.bits().iter().zip(bodies.chunks_exact_mut(shape.rows() * polynomial_size));
        for (part, (bit, bodies)) in (0..).zip(parts) {
            stream.words(part, &mut masks);
            let rows = bodies.chunks_exact_mut(polynomial_size);
            for ((row, body), mask) in rows.enumerate().zip(masks.chunks_exact(glwe_dimension * polynomial_size)) {
                let (level, polynomial) = (row / shape.polynomials, row % shape.polynomials);
                let unit = bit << (64 - decomposition.bits() * (level as u32 + 1));
                write_message(output, polynomial, unit, body);
                encryptor.encrypt(mask, body, noise, rng)?;
            }
        }
        Ok(Self { decomposition, glwe_dimension, polynomial_size, seed, bodies })
    }

    /// The key in the form in which bootstrapping uses it.
    ///
    /// # Errors
    ///
    /// [`Error::Ring`] where the polynomial size is no degree of a transform.
    pub fn expand(&self) -> Result<BootstrapKey, Error> {
        let transform = FourierTransform::new(self.polynomial_size)?;
        let shape = GgswShape { polynomials: self.glwe_dimension + 1, decomposition: self.decomposition };
        let (degree, rows) = (self.polynomial_size, shape.rows());
        let stream = PublicStream::new(self.seed);
        let mut key = Buffer::zeroed(self.bodies.len() * shape.polynomials);
        let mut masks = vec![0; rows * self.glwe_dimension * degree];
        let mut values = vec![0.0; degree];
        let parts = self.bodies.chunks_exact(rows * degree);
        let ciphertexts = key.as_doubles_mut().chunks_exact_mut(shape.len() * degree);
        for (part, (bodies, ciphertext)) in (0..).zip(parts.zip(ciphertexts)) {
            stream.words(part, &mut masks);
            for row in 0..rows {
                let mask = masks[row * self.glwe_dimension * degree..].chunks_exact(degree).take(self.glwe_dimension);
                let body = &bodies[row * degree..(row + 1) * degree];
                for (column, words) in mask.chain([body]).enumerate() {
                    transform.forward(words, &mut values);
                    transform.pack(&values, shape, Position { row, column }, ciphertext);
                }
            }
        }
        Ok(BootstrapKey { transform, shape, key, bootstraps: AtomicU64::new(0) })
    }
}

/// The message of a row of a GGSW ciphertext of a bit: the bit times a power of the base, `unit`, times -1 and the polynomial of
/// the key, or times 1 in the rows of the body. Constant time.
fn write_message(key: &GlweSecretKey, polynomial: usize, unit: u64, body: &mut [u64]) {
    body.fill(0);
    match key.polynomials().nth(polynomial) {
        Some(bits) => {
            for (word, bit) in body.iter_mut().zip(bits) {
                *word = unit.times_bit(*bit).wrapping_neg();
            }
        }
        None => body[0] = unit,
    }
}

impl fmt::Debug for SeededBootstrapKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SeededBootstrapKey({} words, N {})", self.bodies.len(), self.polynomial_size)
    }
}

/// A bootstrapping key: GGSW ciphertexts of each bit of an LWE key, in Fourier form.
pub struct BootstrapKey {
    transform: FourierTransform,
    shape: GgswShape,
    key: Buffer,
    bootstraps: AtomicU64,
}

/// One bootstrap: the ciphertext and the functions to evaluate.
#[derive(Clone, Copy, Debug)]
pub struct Job<'a, T> {
    /// Under the input key.
    pub input: &'a LweCiphertext<T>,
    /// For the key's polynomial size.
    pub table: &'a LookupTable,
}

/// Memory for bootstraps, to be used again.
#[derive(Debug, Default)]
pub struct Workspace {
    accumulators: Buffer,
    scratch: Buffer,
    exponents: Vec<usize>,
}

impl BootstrapKey {
    /// The dimension of ciphertexts before.
    pub fn input_dimension(&self) -> usize {
        self.key.len() / (self.shape.len() * self.polynomial_size())
    }

    /// The dimension of ciphertexts after: `k·N`.
    pub fn output_dimension(&self) -> usize {
        (self.shape.polynomials - 1) * self.polynomial_size()
    }

    /// `N`.
    pub fn polynomial_size(&self) -> usize {
        self.transform.degree()
    }

    /// The bytes of the key in memory.
    pub fn byte_len(&self) -> usize {
        size_of_val(&*self.key)
    }

    /// How many ciphertexts were bootstrapped with this key.
    pub fn bootstrap_count(&self) -> u64 {
        self.bootstraps.load(Ordering::Relaxed)
    }

    /// Evaluates the table's functions of one ciphertext: an LWE ciphertext for each under the output key.
    ///
    /// # Errors
    ///
    /// As [`bootstrap_batch`](Self::bootstrap_batch).
    pub fn bootstrap<T: Torus>(
        &self,
        job: Job<'_, T>,
        kind: ModulusSwitch,
        workspace: &mut Workspace,
    ) -> Result<Vec<LweCiphertext<u64>>, Error> {
        self.bootstrap_batch(&[job], kind, workspace)
    }

    /// Evaluates the functions of many ciphertexts, reading the key once for every few of them; the results of all functions of
    /// one ciphertext follow each other. Every ciphertext gets the words that it would get alone.
    ///
    /// # Errors
    ///
    /// [`Error::LweDimension`] unless all ciphertexts have the dimension of the input key, [`Error::TableSize`] unless all
    /// tables have the key's polynomial size.
    pub fn bootstrap_batch<T: Torus>(
        &self,
        jobs: &[Job<'_, T>],
        kind: ModulusSwitch,
        workspace: &mut Workspace,
    ) -> Result<Vec<LweCiphertext<u64>>, Error> {
        for job in jobs {
            self.check(job)?;
        }
        let mut outputs = Vec::with_capacity(jobs.iter().map(|job| job.table.functions()).sum());
        for group in jobs.chunks(GROUP) {
            self.rotate(group, kind, workspace);
            let len = self.accumulator_len();
            for (job, accumulator) in group.iter().zip(workspace.accumulators.chunks_exact(len)) {
                let functions = job.table.functions();
                let step = self.polynomial_size() / functions;
                outputs.extend((0..functions).map(|function| self.extract(accumulator, function * step)));
            }
        }
        self.bootstraps.fetch_add(jobs.len() as u64, Ordering::Relaxed);
        Ok(outputs)
    }

    fn check<T: Torus>(&self, job: &Job<'_, T>) -> Result<(), Error> {
        let (expected, found) = (self.input_dimension(), job.input.dimension());
        if expected != found {
            return Err(Error::LweDimension { expected, found });
        }
        let (expected, found) = (self.polynomial_size(), job.table.polynomial_size());
        if expected != found {
            return Err(Error::TableSize { expected, found });
        }
        Ok(())
    }

    /// The words of `k + 1` polynomials.
    fn accumulator_len(&self) -> usize {
        self.shape.polynomials * self.polynomial_size()
    }

    /// Blind rotations: each accumulator becomes an encryption of `X^-phase` times its table.
    fn rotate<T: Torus>(&self, jobs: &[Job<'_, T>], kind: ModulusSwitch, workspace: &mut Workspace) {
        let (degree, len) = (self.polynomial_size(), self.accumulator_len());
        let Workspace { accumulators, scratch, exponents } = workspace;
        accumulators.resize(jobs.len() * len);
        scratch.resize(self.transform.scratch_len(self.shape));
        let log2_modulus = degree.ilog2() + 1;
        let words = self.input_dimension() + 1;
        let mut switched = Vec::with_capacity(words);
        exponents.clear();
        for (job, accumulator) in jobs.iter().zip(accumulators.chunks_exact_mut(len)) {
            modulus_switch(job.input, log2_modulus, kind, &mut switched);
            exponents.extend_from_slice(&switched);
            let (mask, body) = accumulator.split_at_mut(len - degree);
            mask.fill(0);
            write_rotated(job.table.polynomial(), (2 * degree - switched[words - 1]) % (2 * degree), body);
        }
        let bit_len = self.shape.len() * degree;
        for (bit, key) in self.key.as_doubles().chunks_exact(bit_len).enumerate() {
            let mut next = self.key.as_doubles().get((bit + 1) * bit_len..(bit + 2) * bit_len).unwrap_or_default();
            for (exponents, accumulator) in exponents.chunks_exact(words).zip(accumulators.chunks_exact_mut(len)) {
                // X^0 - 1 is zero.
                if exponents[bit] != 0 {
                    let scratch = scratch.as_doubles_mut();
                    self.transform.select_rotated(self.shape, key, next, exponents[bit], accumulator, scratch);
                    next = &[];
                }
            }
        }
    }

    /// The LWE ciphertext of a coefficient.
    fn extract(&self, accumulator: &[u64], coefficient: usize) -> LweCiphertext<u64> {
        let degree = self.polynomial_size();
        let mut output = LweCiphertext::zero(self.output_dimension());
        let (polynomials, body) = accumulator.split_at(self.accumulator_len() - degree);
        let masks = output.words_mut().chunks_exact_mut(degree);
        for (mask, polynomial) in masks.zip(polynomials.chunks_exact(degree)) {
            // Coefficient h of a·s is Σ_(i ≤ h) a_(h-i)·s_i - Σ_(i > h) a_(N+h-i)·s_i.
            let (before, after) = mask.split_at_mut(coefficient + 1);
            for (word, from) in before.iter_mut().zip(polynomial[..=coefficient].iter().rev()) {
                *word = *from;
            }
            for (word, from) in after.iter_mut().zip(polynomial[coefficient + 1..].iter().rev()) {
                *word = from.wrapping_neg();
            }
        }
        *output.body_mut() = body[coefficient];
        output
    }
}

impl fmt::Debug for BootstrapKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "BootstrapKey(from dimension {} to {})", self.input_dimension(), self.output_dimension())
    }
}

/// `X^exponent` times a polynomial.
fn write_rotated(polynomial: &[u64], exponent: usize, out: &mut [u64]) {
    let degree = polynomial.len();
    for (index, word) in (exponent..).zip(polynomial) {
        out[index % degree] = if (index / degree).is_multiple_of(2) { *word } else { word.wrapping_neg() };
    }
}
