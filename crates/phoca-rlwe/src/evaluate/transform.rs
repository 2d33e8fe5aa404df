//! Transforms between coefficient and NTT form.

use super::Evaluator;
use crate::ciphertext::Ciphertext;
use crate::encrypt::small::{self, Small};
use crate::error::Error;
use crate::noise::NoiseModel;
use crate::params::ParmsId;
use crate::plaintext::Plaintext;

impl Evaluator {
    /// A BFV or BGV plaintext in NTT form at a level: coefficients are lifted, centred, and transformed modulo each prime.
    ///
    /// A plaintext that multiplies many ciphertexts is transformed once with this.
    ///
    /// # Errors
    ///
    /// [`Error::UnsupportedScheme`] for CKKS, whose plaintexts are in NTT form; [`Error::FormMismatch`] where it is in NTT
    /// form already; [`Error::TooManyValues`] or [`Error::ValueOutOfRange`] where it does not fit the context.
    pub fn plain_to_ntt(&self, plaintext: &Plaintext, level: ParmsId) -> Result<Plaintext, Error> {
        let plain = self.context.require_plain_ring("plain_to_ntt")?;
        self.context.check_coefficients(plaintext)?;
        let level = self.context.level(level, "the level")?;
        let degree = self.context.degree();
        let mut data = self.context.buffers().take(level.prime_count() * degree);
        let words = small::message_words(&self.context, &plain.modulus, plaintext.words());
        for (table, limb) in self.context.tables().iter().zip(data.chunks_exact_mut(degree)) {
            Small::message(&words, &plain.modulus).transform_strict(table, limb);
        }
        Ok(Plaintext {
            parms_id: level.parms_id(),
            scale: plaintext.scale,
            data,
            bound: Some(plaintext.bound_or_measured(&NoiseModel::new(&self.context), level)),
        })
    }

    /// The ciphertext in NTT form.
    ///
    /// # Errors
    ///
    /// [`Error::FormMismatch`] where it is in NTT form already; [`Error::TransparentCiphertext`].
    pub fn to_ntt(&self, a: &Ciphertext) -> Result<Ciphertext, Error> {
        let mut result = a.clone();
        self.to_ntt_assign(&mut result)?;
        Ok(result)
    }

    /// `a = ` [`to_ntt`](Self::to_ntt)`(a)`.
    ///
    /// # Errors
    ///
    /// As [`Evaluator::to_ntt`].
    pub fn to_ntt_assign(&self, a: &mut Ciphertext) -> Result<(), Error> {
        self.transform_assign(a, true)
    }

    /// The ciphertext in coefficient form.
    ///
    /// # Errors
    ///
    /// [`Error::FormMismatch`] where it is in coefficient form already; [`Error::TransparentCiphertext`].
    pub fn from_ntt(&self, a: &Ciphertext) -> Result<Ciphertext, Error> {
        let mut result = a.clone();
        self.from_ntt_assign(&mut result)?;
        Ok(result)
    }

    /// `a = ` [`from_ntt`](Self::from_ntt)`(a)`.
    ///
    /// # Errors
    ///
    /// As [`Evaluator::from_ntt`].
    pub fn from_ntt_assign(&self, a: &mut Ciphertext) -> Result<(), Error> {
        self.transform_assign(a, false)
    }

    fn transform_assign(&self, a: &mut Ciphertext, to_ntt: bool) -> Result<(), Error> {
        self.context.level_of(a, "the ciphertext")?;
        if a.ntt_form == to_ntt {
            let expected = if to_ntt { "coefficient" } else { "NTT" };
            return Err(Error::FormMismatch { operand: "the ciphertext", expected, got: a.form() });
        }
        self.refuse_transparent(a)?;
        let tables = self.context.tables()[..a.prime_count].iter().cycle();
        for (limb, table) in a.data.chunks_exact_mut(self.context.degree()).zip(tables) {
            if to_ntt {
                table.forward(limb);
            } else {
                table.inverse(limb);
            }
        }
        a.ntt_form = to_ntt;
        a.seed = None;
        Ok(())
    }
}
