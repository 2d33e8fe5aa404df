//! Automorphisms and what they do to slots: rotations, column swap, conjugation.

use phoca_ring::Modulus;
use phoca_ring::galois::{self, CoefficientAutomorphism, NttPermutation};

use super::Evaluator;
use super::key_switch::Sums;
use crate::ciphertext::Ciphertext;
use crate::context::Context;
use crate::error::Error;
use crate::keys::GaloisKeys;
use crate::params::Scheme;

impl Evaluator {
    /// The encryption of `m(X^element)`.
    ///
    /// # Errors
    ///
    /// [`Error::KeySwitchingUnsupported`] without a special prime; [`Error::MissingGaloisKey`]; [`Error::Ring`] for an
    /// even or too large element; [`Error::SizeOutOfRange`] unless the ciphertext has two polynomials;
    /// [`Error::FormMismatch`] where it is not in its scheme's form; [`Error::KeySwitchingAtKeyLevel`] above the first data
    /// level.
    pub fn apply_galois(&self, a: &Ciphertext, element: u64, keys: &GaloisKeys) -> Result<Ciphertext, Error> {
        let level = self.context.level_in_scheme_form(a)?;
        self.check_switching(keys.parms_id(), "the Galois keys")?;
        if a.size() != 2 {
            return Err(Error::SizeOutOfRange { expected: "2", got: a.size() });
        }
        // First, so that an element that no keys can have is refused as such.
        let automorphism = Automorphism::new(&self.context, element)?;
        let key = keys.key(element)?;
        key.prepare(&self.context, level)?;
        let mut images = self.context.buffers().take(a.data.len());
        self.image(&automorphism, a, &mut images);
        let (image0, image1) = images.split_at(a.polynomial_len());
        let mut result = self.switched_from(a, level, level);
        Sums::of(&self.context, level, image1, key).divide([Some(image0), None], &mut result.data);
        self.finish(result)
    }

    /// `a = ` [`apply_galois`](Self::apply_galois)`(a, element, keys)`.
    ///
    /// # Errors
    ///
    /// As [`Evaluator::apply_galois`].
    pub fn apply_galois_assign(&self, a: &mut Ciphertext, element: u64, keys: &GaloisKeys) -> Result<(), Error> {
        *a = self.apply_galois(a, element, keys)?;
        Ok(())
    }

    /// BFV and BGV: rotates both rows of slots by `steps` to the left, or to the right where negative.
    ///
    /// A step without a key of its own is made of steps by powers of two. A rotation by 0 switches no key, so it takes
    /// ciphertexts of any size and level.
    ///
    /// # Errors
    ///
    /// [`Error::UnsupportedScheme`] for CKKS; [`Error::BatchingUnsupported`] where plaintexts have no slots;
    /// [`Error::Ring`] unless `|steps| < n/2`; [`Error::MissingGaloisKey`]; otherwise as [`Evaluator::apply_galois`].
    pub fn rotate_rows(&self, a: &Ciphertext, steps: i64, keys: &GaloisKeys) -> Result<Ciphertext, Error> {
        self.check_slots("rotate_rows")?;
        self.rotate(a, steps, keys)
    }

    /// `a = ` [`rotate_rows`](Self::rotate_rows)`(a, steps, keys)`.
    ///
    /// # Errors
    ///
    /// As [`Evaluator::rotate_rows`].
    pub fn rotate_rows_assign(&self, a: &mut Ciphertext, steps: i64, keys: &GaloisKeys) -> Result<(), Error> {
        *a = self.rotate_rows(a, steps, keys)?;
        Ok(())
    }

    /// BFV and BGV: swaps the two rows of slots, so that each column of two is rotated.
    ///
    /// # Errors
    ///
    /// As [`Evaluator::rotate_rows`].
    pub fn rotate_columns(&self, a: &Ciphertext, keys: &GaloisKeys) -> Result<Ciphertext, Error> {
        self.check_slots("rotate_columns")?;
        self.apply_galois(a, galois::conjugation_element(self.context.degree()), keys)
    }

    /// `a = ` [`rotate_columns`](Self::rotate_columns)`(a, keys)`.
    ///
    /// # Errors
    ///
    /// As [`Evaluator::rotate_columns`].
    pub fn rotate_columns_assign(&self, a: &mut Ciphertext, keys: &GaloisKeys) -> Result<(), Error> {
        *a = self.rotate_columns(a, keys)?;
        Ok(())
    }

    /// CKKS: rotates the slots by `steps` to the left, or to the right where negative.
    ///
    /// # Errors
    ///
    /// [`Error::UnsupportedScheme`] for BFV and BGV; otherwise as [`Evaluator::rotate_rows`].
    pub fn rotate_vector(&self, a: &Ciphertext, steps: i64, keys: &GaloisKeys) -> Result<Ciphertext, Error> {
        self.require_scheme(Scheme::Ckks, "rotate_vector")?;
        self.rotate(a, steps, keys)
    }

    /// `a = ` [`rotate_vector`](Self::rotate_vector)`(a, steps, keys)`.
    ///
    /// # Errors
    ///
    /// As [`Evaluator::rotate_vector`].
    pub fn rotate_vector_assign(&self, a: &mut Ciphertext, steps: i64, keys: &GaloisKeys) -> Result<(), Error> {
        *a = self.rotate_vector(a, steps, keys)?;
        Ok(())
    }

    /// CKKS: conjugates each slot.
    ///
    /// # Errors
    ///
    /// As [`Evaluator::rotate_vector`].
    pub fn conjugate(&self, a: &Ciphertext, keys: &GaloisKeys) -> Result<Ciphertext, Error> {
        self.require_scheme(Scheme::Ckks, "conjugation")?;
        self.apply_galois(a, galois::conjugation_element(self.context.degree()), keys)
    }

    /// `a = ` [`conjugate`](Self::conjugate)`(a, keys)`.
    ///
    /// # Errors
    ///
    /// As [`Evaluator::conjugate`].
    pub fn conjugate_assign(&self, a: &mut Ciphertext, keys: &GaloisKeys) -> Result<(), Error> {
        *a = self.conjugate(a, keys)?;
        Ok(())
    }

    pub(super) fn rotate(&self, a: &Ciphertext, steps: i64, keys: &GaloisKeys) -> Result<Ciphertext, Error> {
        self.context.level_in_scheme_form(a)?;
        self.check_switching(keys.parms_id(), "the Galois keys")?;
        if steps == 0 {
            return Ok(a.clone());
        }
        let degree = self.context.degree();
        let element = galois::element_from_step(degree, steps)?;
        if keys.has_key(element) {
            return self.apply_galois(a, element, keys);
        }
        let terms = galois::steps_naf(steps);
        if terms.len() == 1 {
            return Err(Error::MissingGaloisKey { element });
        }
        let mut result = a.clone();
        // A term of n/2 is a full turn.
        for term in terms.into_iter().filter(|term| term.unsigned_abs() as usize != degree / 2) {
            let element = galois::element_from_step(degree, term)?;
            result = self.apply_galois(&result, element, keys)?;
        }
        Ok(result)
    }

    /// The images under an automorphism of as many polynomials of `a` as `output` has room for.
    pub(super) fn image(&self, automorphism: &Automorphism, a: &Ciphertext, output: &mut [u64]) {
        let degree = self.context.degree();
        self.context.workers().for_each_piece(output, degree, |index, output| {
            let modulus = self.context.tables()[index % a.prime_count].modulus();
            automorphism.apply(modulus, &a.data[index * degree..(index + 1) * degree], output);
        });
    }

    pub(super) fn check_slots(&self, operation: &'static str) -> Result<(), Error> {
        self.context.require_plain_ring(operation)?;
        match self.context.supports_batching() {
            true => Ok(()),
            false => Err(Error::BatchingUnsupported {
                plain_modulus: self.context.plain_modulus(),
                order: 2 * self.context.degree() as u64,
            }),
        }
    }
}

/// An automorphism of polynomials in the form of a scheme.
#[allow(clippy::large_enum_variant, reason = "there is one at a time, on the stack, and a box would ask the system")]
pub(super) enum Automorphism {
    /// BFV.
    Coefficients(CoefficientAutomorphism),
    /// BGV and CKKS.
    Values(NttPermutation),
}

impl Automorphism {
    /// `X ↦ X^element`; an error unless that is odd and below `2n`.
    pub(super) fn new(context: &Context, element: u64) -> Result<Self, Error> {
        let (buffers, degree) = (context.buffers(), context.degree());
        Ok(match context.scheme() {
            Scheme::Bfv => Self::Coefficients(CoefficientAutomorphism::in_pool(buffers, degree, element)?),
            _ => Self::Values(NttPermutation::in_pool(buffers, degree, element)?),
        })
    }

    fn apply(&self, modulus: &Modulus, input: &[u64], output: &mut [u64]) {
        match self {
            Self::Coefficients(automorphism) => automorphism.apply(modulus, input, output),
            Self::Values(permutation) => permutation.apply(input, output),
        }
    }
}
