//! GLWE secret keys, and encryption under them.

use core::fmt;

use phoca_ring::Buffer;
use phoca_ring::fourier::FourierTransform;
use rand_core::CryptoRng;
use zeroize::ZeroizeOnDrop;

use crate::Error;
use crate::lwe::LweSecretKey;
use crate::noise::Noise;

/// A secret of `k` binary polynomials of degree below `N`. `Debug` shows its shape only; it is wiped when dropped.
#[derive(Clone)]
pub struct GlweSecretKey {
    /// The polynomials one after the other: the key of LWE ciphertexts that are extracted from GLWE ones.
    bits: LweSecretKey,
    polynomial_size: usize,
}

impl GlweSecretKey {
    /// A uniform key.
    pub fn generate(dimension: usize, polynomial_size: usize, rng: &mut impl CryptoRng) -> Self {
        Self { bits: LweSecretKey::generate(dimension * polynomial_size, rng), polynomial_size }
    }

    /// The key with these bits, each 0 or 1, in whole polynomials.
    #[cfg(feature = "std")]
    pub(crate) fn from_bits(bits: Vec<u64>, polynomial_size: usize) -> Self {
        Self { bits: LweSecretKey::from_bits(bits), polynomial_size }
    }

    /// `k`.
    pub fn dimension(&self) -> usize {
        self.bits.dimension() / self.polynomial_size
    }

    /// `N`.
    pub fn polynomial_size(&self) -> usize {
        self.polynomial_size
    }

    /// The key of the LWE ciphertexts that sample extraction gives.
    pub fn as_lwe(&self) -> &LweSecretKey {
        &self.bits
    }

    /// The coefficients of each polynomial, zeros and ones.
    pub(crate) fn polynomials(&self) -> impl Iterator<Item = &[u64]> {
        self.bits.bits().chunks_exact(self.polynomial_size)
    }
}

impl fmt::Debug for GlweSecretKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "GlweSecretKey(k {}, N {}, ..)", self.dimension(), self.polynomial_size)
    }
}

/// Encrypts many polynomials under one key: the key's Fourier values and scratch memory, wiped when dropped.
pub(crate) struct GlweEncryptor<'a> {
    key: &'a GlweSecretKey,
    transform: &'a FourierTransform,
    /// The values of each polynomial of the key.
    values: Buffer,
    halves: Buffer,
}

impl<'a> GlweEncryptor<'a> {
    pub(crate) fn new(key: &'a GlweSecretKey, transform: &'a FourierTransform) -> Self {
        let degree = key.polynomial_size;
        let mut values = Buffer::zeroed(degree * key.dimension());
        for (bits, values) in key.polynomials().zip(values.as_doubles_mut().chunks_exact_mut(degree)) {
            transform.forward(bits, values);
        }
        Self { key, transform, values, halves: Buffer::zeroed(5 * degree) }
    }

    /// Makes `body` the body for these `k` mask polynomials: their product with the key, the message that it held, and noise.
    pub(crate) fn encrypt(
        &mut self,
        mask: &[u64],
        body: &mut [u64],
        noise: Noise,
        rng: &mut impl CryptoRng,
    ) -> Result<(), Error> {
        self.add_product(mask, body);
        noise.add_to(rng, body)
    }

    /// `body += Σ_i mask_i·s_i`, exactly: each mask is `low + 2^32·high` with signed halves, whose products are far below the
    /// precision of doubles.
    fn add_product(&mut self, mask: &[u64], body: &mut [u64]) {
        let degree = self.key.polynomial_size;
        let (words, values) = self.halves.split_at_mut(2 * degree);
        let (half, sum) = words.split_at_mut(degree);
        let values: &mut [f64] = bytemuck::cast_slice_mut(values);
        let (half_values, sums) = values.split_at_mut(degree);
        sums.fill(0.0);
        let (low_sum, high_sum) = sums.split_at_mut(degree);
        for (mask, key) in mask.chunks_exact(degree).zip(self.values.as_doubles().chunks_exact(degree)) {
            for (half, word) in half.iter_mut().zip(mask) {
                *half = i64::from(*word as i32) as u64;
            }
            self.transform.forward(half, half_values);
            self.transform.multiply_add(half_values, key, low_sum);
            for (half, word) in half.iter_mut().zip(mask) {
                let low = i64::from(*word as i32) as u64;
                *half = (word.wrapping_sub(low) as i64 >> 32) as u64;
            }
            self.transform.forward(half, half_values);
            self.transform.multiply_add(half_values, key, high_sum);
        }
        self.transform.backward_add(low_sum, body);
        sum.fill(0);
        self.transform.backward_add(high_sum, sum);
        for (body, high) in body.iter_mut().zip(sum) {
            *body = body.wrapping_add(*high << 32);
        }
    }
}

impl Drop for GlweEncryptor<'_> {
    fn drop(&mut self) {
        self.values.wipe();
        self.halves.wipe();
    }
}

impl ZeroizeOnDrop for GlweEncryptor<'_> {}
