use alloc::vec::Vec;

use super::Ciphertext;
use super::signed::allows_packed_differences;
use crate::Error;
use crate::evaluation::{Evaluation, EvaluationKey, SeededEvaluationKey};
use crate::lookup::LookupTable;
use crate::lwe::LweCiphertext;
use crate::params::Parameters;

/// The seeded form of a server key, which is what is stored and sent: a quarter of the size or less.
#[derive(Clone, Debug, PartialEq)]
pub struct SeededServerKey {
    pub(crate) key: SeededEvaluationKey,
}

impl SeededServerKey {
    /// The set.
    pub fn parameters(&self) -> &Parameters {
        self.key.parameters()
    }

    /// The key that computes.
    ///
    /// # Errors
    ///
    /// [`Error::Ring`] where the polynomial size is no degree of a transform.
    pub fn expand(&self) -> Result<ServerKey, Error> {
        ServerKey::new(self.key.expand()?)
    }
}

/// A table of one or more functions of message and carry, for one server key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    pub(super) lookup: LookupTable,
    /// The largest value of each function.
    pub(super) degrees: Vec<u64>,
}

/// The public key of short integers. It computes; it cannot decrypt.
#[derive(Debug)]
pub struct ServerKey {
    key: EvaluationKey,
    message: Table,
    carry: Table,
    packs_differences: bool,
}

impl ServerKey {
    fn new(key: EvaluationKey) -> Result<Self, Error> {
        let modulus = key.parameters().message_modulus();
        let message = table_of(key.parameters(), &[&|x| x % modulus]);
        let carry = table_of(key.parameters(), &[&|x| x / modulus]);
        let packs_differences = allows_packed_differences(key.parameters());
        Ok(Self { key, message, carry, packs_differences })
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

    /// The number of threads that share the ciphertexts of a batch.
    pub fn threads(&self) -> usize {
        self.key.threads()
    }

    /// Starts threads that share the ciphertexts of each batch. Results do not depend on it.
    ///
    /// # Errors
    ///
    /// [`Error::Threads`] where the system does not start them.
    #[cfg(feature = "threads")]
    pub fn set_threads(&mut self, threads: usize) -> Result<(), Error> {
        self.key.set_threads(threads)
    }

    /// An encryption of a value without secrecy, for constants.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfRange`] unless it is below the product of message and carry modulus.
    pub fn trivial(&self, value: u64) -> Result<Ciphertext, Error> {
        let parameters = self.parameters();
        check_below(value, parameters.total_modulus())?;
        let lwe = LweCiphertext::trivial(parameters.ciphertext_dimension(), value * parameters.delta());
        Ok(Ciphertext { lwe, degree: value, noise: 0 })
    }

    /// The table of a function of message and carry; its values count modulo the product of both moduli.
    pub fn table(&self, function: impl Fn(u64) -> u64) -> Table {
        table_of(self.parameters(), &[&function])
    }

    /// The table of several functions, whose values cost one bootstrap together.
    ///
    /// Their operand must be below the product of message and carry modulus divided by their number.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfRange`] unless their number is a power of two that divides that product.
    pub fn tables(&self, functions: &[&dyn Fn(u64) -> u64]) -> Result<Table, Error> {
        let (count, bound) = (functions.len() as u64, self.parameters().total_modulus());
        match count.is_power_of_two() && count <= bound {
            true => Ok(table_of(self.parameters(), functions)),
            false => Err(Error::OutOfRange { value: count, bound: bound + 1 }),
        }
    }

    /// The table of a function of two messages, for [`apply_pair`](Self::apply_pair).
    pub fn pair_table(&self, function: impl Fn(u64, u64) -> u64) -> Table {
        let modulus = self.parameters().message_modulus();
        self.table(|packed| function(packed / modulus % modulus, packed % modulus))
    }

    /// The function of a ciphertext. One bootstrap.
    ///
    /// # Errors
    ///
    /// As [`apply_all`](Self::apply_all).
    pub fn apply(&self, ciphertext: &Ciphertext, table: &Table) -> Result<Ciphertext, Error> {
        Ok(self.apply_all(&[(ciphertext, table)])?.swap_remove(0))
    }

    /// The functions of many ciphertexts; those of one table follow each other. One bootstrap each, which together read the keys
    /// once for every few of them and split over the threads.
    ///
    /// # Errors
    ///
    /// [`Error::NoRoom`] where the noise of a ciphertext is above what the set allows, or its degree above what the table has;
    /// [`Error::LweDimension`] or [`Error::TableSize`] where something is of another set.
    pub fn apply_all(&self, operands: &[(&Ciphertext, &Table)]) -> Result<Vec<Ciphertext>, Error> {
        for (ciphertext, table) in operands {
            let most_value = self.parameters().total_modulus() / table.degrees.len() as u64 - 1;
            self.check_room("bootstrapping", ciphertext.degree, ciphertext.noise, most_value)?;
        }
        self.apply_unchecked(operands)
    }

    /// [`apply_all`](Self::apply_all) for what was shown to fit.
    pub(crate) fn apply_unchecked(&self, operands: &[(&Ciphertext, &Table)]) -> Result<Vec<Ciphertext>, Error> {
        let evaluations: Vec<_> =
            operands.iter().map(|(input, table)| Evaluation { input: &input.lwe, table: &table.lookup }).collect();
        let outputs = self.key.evaluate(&evaluations)?;
        let degrees = operands.iter().flat_map(|(_, table)| &table.degrees);
        Ok(outputs
            .into_iter()
            .zip(degrees)
            .map(|(lwe, degree)| Ciphertext { lwe, degree: *degree, noise: 1 })
            .collect())
    }

    /// The function of two messages, whose carries must be empty. One bootstrap.
    ///
    /// # Errors
    ///
    /// As [`pack`](Self::pack) and [`apply_all`](Self::apply_all).
    pub fn apply_pair(&self, left: &Ciphertext, right: &Ciphertext, table: &Table) -> Result<Ciphertext, Error> {
        self.apply(&self.pack(left, right)?, table)
    }

    /// `left·M + right` with the message modulus `M`: two messages in one ciphertext.
    ///
    /// # Errors
    ///
    /// [`Error::NoRoom`] unless `right` is a message and `left` fits the carry; [`Error::LweDimension`] where one is of another
    /// set.
    pub fn pack(&self, left: &Ciphertext, right: &Ciphertext) -> Result<Ciphertext, Error> {
        let modulus = self.parameters().message_modulus();
        if right.degree >= modulus {
            let most_value = modulus - 1;
            return Err(self.no_room("packing two messages", right.degree, right.noise, most_value));
        }
        let packed = Ciphertext {
            lwe: combination(&left.lwe, modulus as i64, &right.lwe)?,
            degree: left.degree.saturating_mul(modulus).saturating_add(right.degree),
            noise: left.noise.saturating_mul(modulus).saturating_add(right.noise),
        };
        self.check_room("packing two messages", packed.degree, packed.noise, self.parameters().total_modulus() - 1)?;
        Ok(packed)
    }

    /// The message without the carry. One bootstrap.
    ///
    /// # Errors
    ///
    /// As [`apply_all`](Self::apply_all).
    pub fn message(&self, ciphertext: &Ciphertext) -> Result<Ciphertext, Error> {
        self.apply(ciphertext, &self.message)
    }

    /// The carry as a message. One bootstrap.
    ///
    /// # Errors
    ///
    /// As [`apply_all`](Self::apply_all).
    pub fn carry(&self, ciphertext: &Ciphertext) -> Result<Ciphertext, Error> {
        self.apply(ciphertext, &self.carry)
    }

    /// Extracts the message in place, unless the carry is empty and the noise that of a bootstrap.
    ///
    /// # Errors
    ///
    /// As [`apply_all`](Self::apply_all).
    pub fn clean(&self, ciphertext: &mut Ciphertext) -> Result<(), Error> {
        if !self.is_clean(ciphertext) {
            *ciphertext = self.message(ciphertext)?;
        }
        Ok(())
    }

    /// Whether the carry is empty and the noise at most that of a bootstrap.
    pub fn is_clean(&self, ciphertext: &Ciphertext) -> bool {
        ciphertext.degree < self.parameters().message_modulus() && ciphertext.noise <= 1
    }

    /// Whether the differences of two blocks may share a ciphertext.
    pub(crate) fn packs_differences(&self) -> bool {
        self.packs_differences
    }

    pub(crate) fn check_room(
        &self,
        operation: &'static str,
        value: u64,
        noise: u64,
        most_value: u64,
    ) -> Result<(), Error> {
        match value <= most_value && noise <= u64::from(self.parameters().max_norm) {
            true => Ok(()),
            false => Err(self.no_room(operation, value, noise, most_value)),
        }
    }

    fn no_room(&self, operation: &'static str, value: u64, noise: u64, most_value: u64) -> Error {
        let most_noise = u64::from(self.parameters().max_norm);
        Error::NoRoom { operation, value, most_value, noise, most_noise }
    }
}

/// `factor·a + b`.
pub(crate) fn combination(
    a: &LweCiphertext<u64>,
    factor: i64,
    b: &LweCiphertext<u64>,
) -> Result<LweCiphertext<u64>, Error> {
    let mut sum = b.clone();
    sum.add_multiple_assign(a, factor)?;
    Ok(sum)
}

pub(crate) fn check_below(value: u64, bound: u64) -> Result<(), Error> {
    if value < bound { Ok(()) } else { Err(Error::OutOfRange { value, bound }) }
}

fn table_of(parameters: &Parameters, functions: &[&dyn Fn(u64) -> u64]) -> Table {
    let (boxes, count) = (parameters.total_modulus() as usize, functions.len());
    let value = |function: usize, message: usize| functions[function](message as u64) % parameters.total_modulus();
    let degree = |function| (0..boxes / count).map(|message| value(function, message)).max().unwrap_or(0);
    Table {
        lookup: LookupTable::new(parameters.polynomial_size, boxes, count, |function, message| {
            value(function, message) * parameters.delta()
        }),
        degrees: (0..count).map(degree).collect(),
    }
}
