//! The noise model: variances on the torus, and the probability that a bootstrap fails.
//!
//! Between two bootstraps a ciphertext goes through a sum whose coefficients have a 2-norm `ν`, the key switch and the modulus
//! switch. Errors of the parts are taken as independent and their sum as normal, so that with a margin `d` to the nearest
//! phase that gives another result
//!
//! ```text
//! V = ν²·V_pbs + V_ks + V_ms            key switch first
//! V = ν²·(V_pbs + V_ks) + V_ms          bootstrap first
//! failure = erfc(d / √(2V))
//! ```
//!
//! Secrets are uniform binary, digits of a base `B` uniform in `[-B/2, B/2)`. Sources: CGGI (ePrint 2018/421, section 4) and
//! Chillotti, Ligier, Orfila and Tap (ePrint 2021/729) for the variances; ePrint 2025/809 for the centred
//! modulus switch; the term of the Fourier transform is a fit that is published with the sets. `docs/tfhe-parameters.md` compares
//! the model with measured noise.

use core::f64::consts::{LOG2_E, PI};

use libm::{exp2, ldexp, log2, pow, sqrt};
use phoca_ring::fourier::Decomposition;

use super::{Order, Parameters};
use crate::modulus_switch::ModulusSwitch;

/// How far the phase of a bootstrap's input is from one with another result, and the sum that it is the phase of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Margin {
    /// The distance on the torus.
    pub distance: f64,
    /// The square of the 2-norm of the sum's coefficients, times the number of bootstraps whose noise each operand has.
    pub norm_squared: f64,
}

impl Margin {
    /// AND, NAND, OR, NOR: `±a ± b ± 1/8`.
    pub const AND: Self = Self { distance: 0.125, norm_squared: 2.0 };
    /// The same of one operand with itself, or of two results of multiplexers, which are sums of two bootstraps. Of all gates it
    /// has the most failures, so that it is what sets for booleans have as their margin.
    pub const AND_CORRELATED: Self = Self { distance: 0.125, norm_squared: 4.0 };
    /// XOR and XNOR: `±2a ± 2b ± 1/4`.
    pub const XOR: Self = Self { distance: 0.25, norm_squared: 8.0 };
    /// What the published failure probabilities of sets for booleans are computed with. No gate is this bad.
    pub const STATED_GATE: Self = Self { distance: 0.0625, norm_squared: 8.0 };

    /// Half of a box of the look-up table, at the largest norm of a set.
    pub fn of(parameters: &Parameters) -> Self {
        let norm = f64::from(parameters.max_norm);
        Self { distance: ldexp(parameters.delta() as f64, -65), norm_squared: norm * norm }
    }
}

/// The variance of the error of a fresh ciphertext.
pub fn encryption(parameters: &Parameters) -> f64 {
    match parameters.order {
        Order::KeySwitchFirst => parameters.glwe_noise.variance(),
        Order::BootstrapFirst => parameters.lwe_noise.variance(),
    }
}

/// `V_pbs`, the variance of the error of a bootstrap's result: `n` external products and [`fourier`].
///
/// `n·l·(k + 1)·N·(B² + 2)/12·V_glwe + n·B^(-2l)/24·(1 + k·N/2) + V_fft`: the errors of the key's rows times digits, and what the
/// digits leave out times the key, where the bits of the key are 1, half of them.
pub fn bootstrap(parameters: &Parameters) -> f64 {
    let ones = Ones::mean(parameters);
    bootstrap_with(parameters, ones) + fourier(parameters)
}

/// `V_fft`, the part of [`bootstrap`] that comes from products in doubles:
/// `0.00705·n·B²·2^(22 - 128)·l^1.018·k^1.22·N^2.22·(k + 1)^1.018`.
///
/// It is a published fit for another transform, and part of the published failure probabilities. The transform of this crate has
/// from 1.0 to 1.5 times as much by measurement, which adds less than 0.5 to the `log2` of the failure probability of any set.
pub fn fourier(parameters: &Parameters) -> f64 {
    let Parameters { bootstrap, .. } = parameters;
    let [n, k, size] = dimensions(parameters);
    let scale = ldexp(0.00705 * n, 22 - 128 + 2 * bootstrap.bits() as i32);
    scale * pow(f64::from(bootstrap.levels()), 1.018) * pow(k, 1.22) * pow(size, 2.22) * pow(k + 1.0, 1.018)
}

/// `V_ks`, what the key switch adds: `k·N·l·V_lwe·(B² + 2)/12 + k·N·B^(-2l)/24`.
pub fn key_switch(parameters: &Parameters) -> f64 {
    key_switch_with(parameters, Ones::mean(parameters))
}

/// `V_ms`, what rounding to multiples of `1/(2N)` adds: with `u` the variance `1/(12·(2N)²)` of one rounding, `u·n/4` for the
/// centred switch, and `u·(n/2 + 1)` for the plain one.
pub fn modulus_switch(parameters: &Parameters) -> f64 {
    modulus_switch_with(parameters, Ones::mean(parameters))
}

/// The variance of the phase that blind rotation sees, for a sum of bootstrapped ciphertexts whose coefficients have this squared
/// 2-norm.
pub fn before_rotation(parameters: &Parameters, norm_squared: f64) -> f64 {
    let (pbs, ks, ms) = (bootstrap(parameters), key_switch(parameters), modulus_switch(parameters));
    match parameters.order {
        Order::KeySwitchFirst => norm_squared * pbs + ks + ms,
        Order::BootstrapFirst => norm_squared * (pbs + ks) + ms,
    }
}

/// `log2` of the probability that a bootstrap fails at the margin of a set.
///
/// ```
/// use phoca_tfhe::params::{MESSAGE_2_CARRY_2, noise_model};
///
/// let log2_failure = noise_model::log2_failure(&MESSAGE_2_CARRY_2);
/// assert!((log2_failure - MESSAGE_2_CARRY_2.log2_failure).abs() < 0.1);
/// ```
pub fn log2_failure(parameters: &Parameters) -> f64 {
    log2_failure_within(parameters, Margin::of(parameters))
}

/// `log2` of the probability that a bootstrap fails at a margin.
///
/// ```
/// use phoca_tfhe::params::{MESSAGE_2_CARRY_2, noise_model};
///
/// // Two blocks packed into one, and the difference of two of these: 4² + 1² + 4² + 1².
/// let packed = noise_model::Margin { distance: 1.0 / 64.0, norm_squared: 34.0 };
/// assert!(noise_model::log2_failure_within(&MESSAGE_2_CARRY_2, packed) < -128.0);
/// ```
pub fn log2_failure_within(parameters: &Parameters, margin: Margin) -> f64 {
    log2_erfc(margin.distance / sqrt(2.0 * before_rotation(parameters, margin.norm_squared)))
}

/// `log2` of the complementary error function for `x ≥ 0`, also where that is below the least double.
pub fn log2_erfc(x: f64) -> f64 {
    if x < 3.0 {
        return log2(libm::erfc(x));
    }
    // erfc(x) = exp(-x²)/(x·√π) / (1 + q/(1 + 2q/(1 + 3q/(1 + …)))) with q = 1/(2x²) (DLMF 7.9.2). At x = 3 sixty terms leave
    // an error below 2^-50.
    let q = 0.5 / (x * x);
    let fraction = (1..=60).rev().fold(1.0, |fraction, term| 1.0 + f64::from(term) * q / fraction);
    -x * x * LOG2_E - log2(x * sqrt(PI) * fraction)
}

/// The number of ones in the keys, which the part of the noise that is rounding depends on.
#[derive(Clone, Copy, Debug)]
struct Ones {
    small: f64,
    big: f64,
}

impl Ones {
    /// Half of all bits.
    fn mean(parameters: &Parameters) -> Self {
        let [n, k, size] = dimensions(parameters);
        Self { small: n / 2.0, big: k * size / 2.0 }
    }
}

fn bootstrap_with(parameters: &Parameters, ones: Ones) -> f64 {
    let [n, k, size] = dimensions(parameters);
    let rows = n * f64::from(parameters.bootstrap.levels()) * (k + 1.0) * size;
    let keys = rows * digit_square(parameters.bootstrap) * parameters.glwe_noise.variance();
    keys + ones.small * rounding(parameters.bootstrap) * (1.0 + ones.big)
}

fn key_switch_with(parameters: &Parameters, ones: Ones) -> f64 {
    let [_, k, size] = dimensions(parameters);
    let rows = k * size * f64::from(parameters.key_switch.levels());
    rows * digit_square(parameters.key_switch) * parameters.lwe_noise.variance()
        + ones.big * rounding(parameters.key_switch)
}

fn modulus_switch_with(parameters: &Parameters, ones: Ones) -> f64 {
    let [n, _, size] = dimensions(parameters);
    let unit = 1.0 / (12.0 * 4.0 * size * size);
    match parameters.modulus_switch {
        ModulusSwitch::Plain => unit * (ones.small + 1.0),
        ModulusSwitch::CenteredMean => unit * n / 4.0,
    }
}

/// `n`, `k` and `N`.
fn dimensions(parameters: &Parameters) -> [f64; 3] {
    let Parameters { lwe_dimension, glwe_dimension, polynomial_size, .. } = *parameters;
    [lwe_dimension, glwe_dimension, polynomial_size].map(|dimension| dimension as f64)
}

/// The mean square of a digit: `(B² + 2)/12`.
fn digit_square(decomposition: Decomposition) -> f64 {
    (exp2(2.0 * f64::from(decomposition.bits())) + 2.0) / 12.0
}

/// The variance of what a decomposition leaves out of a word: `B^(-2l)/12`.
fn rounding(decomposition: Decomposition) -> f64 {
    exp2(-2.0 * f64::from(decomposition.bits() * decomposition.levels())) / 12.0
}

#[cfg(test)]
mod measured;
#[cfg(test)]
mod tests;
