//! The distributions of encryption noise.

use alloc::vec::Vec;

use phoca_ring::sample::rounded_gaussian;
use rand_core::CryptoRng;
use zeroize::Zeroize;

use crate::Error;
use crate::Torus;

/// The distribution of the noise of an encryption, on the torus.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Noise {
    /// A rounded normal distribution. Its sampler is not constant time.
    Gaussian {
        /// The standard deviation on the torus, that is divided by the modulus.
        standard_deviation: f64,
    },
    /// Uniform on the multiples of the unit from `-2^bound_log2` to `2^bound_log2`, with half the weight at both ends, where the
    /// unit is `2^-64`, or `2^-32` for words of 32 bits where the bound allows. Constant time.
    TUniform {
        /// The bound's logarithm in units of `2^-64`.
        bound_log2: u32,
    },
}

impl Noise {
    /// The variance on the torus.
    pub fn variance(self) -> f64 {
        match self {
            Self::Gaussian { standard_deviation } => standard_deviation * standard_deviation,
            Self::TUniform { bound_log2 } => {
                let bound = libm::ldexp(1.0, bound_log2 as i32);
                (2.0 * bound * bound + 1.0) / 6.0 * libm::ldexp(1.0, -128)
            }
        }
    }

    /// Adds noise to every word.
    ///
    /// # Errors
    ///
    /// [`Error::Noise`] unless a standard deviation is in `[0, 1/64)` or a bound below `2^60`.
    pub fn add_to<T: Torus>(self, rng: &mut impl CryptoRng, words: &mut [T]) -> Result<(), Error> {
        match self {
            Self::Gaussian { standard_deviation } => {
                let deviation = libm::ldexp(standard_deviation, T::BITS as i32);
                if !(0.0..1.0 / 64.0).contains(&standard_deviation) {
                    return Err(Error::Noise { noise: self });
                }
                let mut noise = alloc::vec![0_i64; words.len()];
                // Eight standard deviations or more, and below the sampler's 2^62.
                let sampled = rounded_gaussian(rng, deviation, libm::ldexp(0.125, T::BITS as i32), &mut noise);
                for (word, noise) in words.iter_mut().zip(&noise) {
                    *word = word.plus(T::from_u64((*noise as u64) << (64 - T::BITS)));
                }
                noise.zeroize();
                sampled.map_err(Error::from)
            }
            Self::TUniform { bound_log2 } => {
                if bound_log2 >= 60 {
                    return Err(Error::Noise { noise: self });
                }
                // Of 2^(b + 2) equally likely numbers, two become each value, and one each of the ends.
                let unit = (64 - T::BITS).min(bound_log2);
                let bits = bound_log2 - unit;
                let mut draws: Vec<u64> = alloc::vec![0; words.len()];
                for draw in &mut draws {
                    *draw = rng.next_u64();
                }
                for (word, draw) in words.iter_mut().zip(&draws) {
                    let value = (((draw >> (62 - bits)) + 1) >> 1).wrapping_sub(1 << bits);
                    *word = word.plus(T::from_u64(value << unit));
                }
                draws.zeroize();
                Ok(())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use phoca_ring::random::SecretRng;

    /// Both kinds have the variance that they state, in both widths.
    fn check<T: Torus>(noise: Noise) {
        let mut words = alloc::vec![T::default(); 20_000];
        noise.add_to(&mut SecretRng::insecure_from_seed([1; 32]), &mut words).unwrap();
        let square = |word: &T| {
            let value = libm::ldexp(word.to_u64() as i64 as f64, -64);
            value * value
        };
        let ratio = words.iter().map(square).sum::<f64>() / words.len() as f64 / noise.variance();
        assert!((ratio - 1.0).abs() < 0.05, "{noise:?} has {ratio} times its variance with {} bits", T::BITS);
    }

    #[test]
    fn samples_have_the_variance() {
        for standard_deviation in [1.0 / 65.0, 1e-5, 3e-8] {
            check::<u32>(Noise::Gaussian { standard_deviation });
            check::<u64>(Noise::Gaussian { standard_deviation });
        }
        for bound_log2 in [58, 45, 40] {
            check::<u32>(Noise::TUniform { bound_log2 });
            check::<u64>(Noise::TUniform { bound_log2 });
        }
        check::<u64>(Noise::TUniform { bound_log2: 17 });
    }

    #[test]
    fn too_wide_noise_is_refused() {
        for noise in [1.0 / 64.0, -1.0, f64::NAN]
            .map(|standard_deviation| Noise::Gaussian { standard_deviation })
            .into_iter()
            .chain([Noise::TUniform { bound_log2: 60 }])
        {
            let refused = noise.add_to(&mut SecretRng::insecure_from_seed([1; 32]), &mut [0_u64]);
            assert!(matches!(refused, Err(Error::Noise { .. })));
        }
    }
}
