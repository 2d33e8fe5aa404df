//! Parameter sets: published ones, as data.
//!
//! Security is a claim of their publishers: at least 128 bits by the lattice estimator with the MATZOV cost model, unless a set
//! says otherwise. See `docs/tfhe-parameters.md`.

use phoca_ring::fourier::Decomposition;

use crate::Error;
use crate::modulus_switch::ModulusSwitch;
use crate::noise::Noise;

/// Constants and the list of all of them.
macro_rules! sets {
    ($list:ident, $($(#[$doc:meta])* $name:ident = { $($field:ident: $value:expr),* $(,)? })*) => {
        $($(#[$doc])* pub const $name: Parameters = Parameters { name: stringify!($name), $($field: $value),* };)*

        pub(super) const $list: &[Parameters] = &[$($name),*];
    };
}

mod boolean;
pub mod noise_model;
mod shortint;
mod sizes;

pub use boolean::*;
pub use shortint::*;

/// All sets.
pub fn all() -> impl Iterator<Item = &'static Parameters> {
    SHORTINT.iter().chain(BOOLEAN)
}

/// The set of a name.
///
/// ```
/// use phoca_tfhe::params;
///
/// assert_eq!(params::by_name("MESSAGE_2_CARRY_2"), Some(&params::MESSAGE_2_CARRY_2));
/// ```
pub fn by_name(name: &str) -> Option<&'static Parameters> {
    all().find(|set| set.name == name)
}

/// Which of its two parts an operation begins with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Order {
    /// Ciphertexts are under the key of extracted GLWE ciphertexts, with `k·N` words.
    KeySwitchFirst,
    /// Ciphertexts are under the small key, with `n` words.
    BootstrapFirst,
}

/// Everything that defines keys and ciphertexts of bootstrapping.
///
/// Sets are data: each has a name and the failure probability that [`noise_model`] computes for it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parameters {
    /// The name of the set.
    pub name: &'static str,
    /// `n`, the dimension of the small key.
    pub lwe_dimension: usize,
    /// `k`.
    pub glwe_dimension: usize,
    /// `N`.
    pub polynomial_size: usize,
    /// The noise of encryptions under the small key.
    pub lwe_noise: Noise,
    /// The noise of encryptions under the GLWE key.
    pub glwe_noise: Noise,
    /// The decomposition of external products.
    pub bootstrap: Decomposition,
    /// The decomposition of the key switch.
    pub key_switch: Decomposition,
    /// How the modulus is switched.
    pub modulus_switch: ModulusSwitch,
    /// Which part comes first.
    pub order: Order,
    /// Bits of a message.
    pub message_bits: u32,
    /// Bits above the message that take carries.
    pub carry_bits: u32,
    /// The largest 2-norm of the coefficients of sums of bootstrapped ciphertexts that may enter a bootstrap. For booleans, whose
    /// sums are those of gates, what [`noise_model::Margin`] says.
    pub max_norm: u32,
    /// `log2` of the probability that a bootstrap of such a sum fails.
    pub log2_failure: f64,
}

impl Parameters {
    /// `p`: the values of message and carry.
    pub const fn total_modulus(&self) -> u64 {
        1 << (self.message_bits + self.carry_bits)
    }

    /// The values of a message.
    pub const fn message_modulus(&self) -> u64 {
        1 << self.message_bits
    }

    /// The torus element that stands for 1: there is a bit of padding above message and carry.
    pub const fn delta(&self) -> u64 {
        1 << (63 - self.message_bits - self.carry_bits)
    }

    /// `k·N`, the dimension of extracted LWE ciphertexts.
    pub const fn big_dimension(&self) -> usize {
        self.glwe_dimension * self.polynomial_size
    }

    /// The dimension of ciphertexts.
    pub const fn ciphertext_dimension(&self) -> usize {
        match self.order {
            Order::KeySwitchFirst => self.big_dimension(),
            Order::BootstrapFirst => self.lwe_dimension,
        }
    }

    /// Checks that keys can be made.
    ///
    /// # Errors
    ///
    /// [`Error::Parameters`] with the value that is out of range.
    pub fn validate(&self) -> Result<(), Error> {
        let refuse = |what| Err(Error::Parameters { name: self.name, what });
        if !(1..=1 << 14).contains(&self.lwe_dimension) {
            return refuse("the LWE dimension is not from 1 to 16384");
        }
        if !(1..=16).contains(&self.glwe_dimension) {
            return refuse("the GLWE dimension is not from 1 to 16");
        }
        if !self.polynomial_size.is_power_of_two() || !(16..=1 << 17).contains(&self.polynomial_size) {
            return refuse("the polynomial size is not a power of two from 16 to 131072");
        }
        if self.message_bits == 0 || self.message_bits + self.carry_bits > 8 {
            return refuse("message and carry do not have from 1 to 8 bits");
        }
        if (2 << (self.message_bits + self.carry_bits)) > self.polynomial_size {
            return refuse("the polynomial has fewer than two coefficients for each value of message and carry");
        }
        Ok(())
    }
}

/// A decomposition of a set.
const fn decomposition(bits: u32, levels: u32) -> Decomposition {
    match Decomposition::new(bits, levels) {
        Some(decomposition) => decomposition,
        None => panic!("a set has a valid decomposition"),
    }
}

const fn gaussian(standard_deviation: f64) -> Noise {
    Noise::Gaussian { standard_deviation }
}

const fn bounded(bound_log2: u32) -> Noise {
    Noise::TUniform { bound_log2 }
}
