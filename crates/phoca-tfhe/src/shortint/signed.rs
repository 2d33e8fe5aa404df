//! Values that take the bit of padding as their sign, on which operations of integers are built.

use alloc::vec;

use super::Ciphertext;
use super::server::{ServerKey, Table, combination};
use crate::Error;
use crate::lookup::LookupTable;
use crate::params::Parameters;
use crate::params::noise_model::{Margin, log2_failure_within};

/// Whether bootstraps of packed differences of independent blocks fail as rarely as the set promises: below `2^-128`, or below
/// `2^-64` where the set's others do so only.
pub(super) fn allows_packed_differences(parameters: &Parameters) -> bool {
    let base = parameters.message_modulus() as f64;
    let packed = Margin { norm_squared: 2.0 * (base * base + 1.0), ..Margin::of(parameters) };
    let most = if parameters.log2_failure <= -128.0 { -128.0 } else { -64.0 };
    log2_failure_within(parameters, packed) <= most
}

impl ServerKey {
    /// `left - right`, which may be negative.
    pub(crate) fn difference(&self, left: &Ciphertext, right: &Ciphertext) -> Result<Ciphertext, Error> {
        let mut lwe = left.lwe.clone();
        lwe.sub_assign(&right.lwe)?;
        Ok(Ciphertext { lwe, degree: left.degree.max(right.degree), noise: left.noise + right.noise })
    }

    /// `base·high + low` of two differences.
    pub(crate) fn joined_differences(&self, low: &Ciphertext, high: &Ciphertext) -> Result<Ciphertext, Error> {
        let base = self.parameters().message_modulus();
        Ok(Ciphertext {
            lwe: combination(&high.lwe, base as i64, &low.lwe)?,
            degree: base * high.degree + low.degree,
            noise: base * high.noise + low.noise,
        })
    }

    /// A block and the difference to another one, which is the other one.
    pub(crate) fn sum_of_difference(&self, difference: &Ciphertext, block: &Ciphertext) -> Result<Ciphertext, Error> {
        let sum = self.unchecked_add(difference, block)?;
        Ok(Ciphertext { degree: self.parameters().message_modulus() - 1, ..sum })
    }

    /// `value - block`, which the caller knows not to be negative.
    pub(crate) fn subtracted_from(&self, value: u64, block: &Ciphertext) -> Ciphertext {
        let mut lwe = block.lwe.clone();
        lwe.negate_assign();
        *lwe.body_mut() = lwe.body().wrapping_add(value.wrapping_mul(self.parameters().delta()));
        Ciphertext { lwe, degree: value, noise: block.noise }
    }

    /// The table of a function of signed values, in halves: `halves(d)` for `d` from 0 to `p - 1`, and, as tables are
    /// negacyclic, `-halves(p + d)` for `d` from `-p` to -1.
    pub(crate) fn halves_table(&self, halves: impl Fn(i64) -> i64) -> Table {
        let parameters = self.parameters();
        let half = parameters.delta() / 2;
        let value = |_: usize, d: usize| (halves(d as i64) as u64).wrapping_mul(half);
        let boxes = parameters.total_modulus() as usize;
        Table { lookup: LookupTable::new(parameters.polynomial_size, boxes, 1, value), degrees: vec![1] }
    }

    /// The table of a function with signed values.
    pub(crate) fn signed_table(&self, function: impl Fn(u64) -> i64) -> Table {
        self.halves_table(|x| 2 * function(x as u64))
    }

    /// The block plus one half: the flag 0 or 1 of a half with a sign.
    pub(crate) fn plus_half(&self, block: &Ciphertext) -> Ciphertext {
        let mut lwe = block.lwe.clone();
        *lwe.body_mut() = lwe.body().wrapping_add(self.parameters().delta() / 2);
        Ciphertext { lwe, degree: 1, noise: block.noise }
    }
}
