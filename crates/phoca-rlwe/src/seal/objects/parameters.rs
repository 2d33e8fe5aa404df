//! Moduli and encryption parameters, which need no context.

use alloc::vec::Vec;
use std::io::Read;

use super::Object;
use crate::params::{DEGREE_RANGE, MAX_COEFF_MODULUS_COUNT, Parameters, Scheme};
use crate::seal::sink::Sink;
use crate::seal::source::{self, Source};
use crate::seal::{FileError, Header, SaveOptions};

/// SEAL's largest modulus.
const MAX_MODULUS_BITS: u32 = 61;

/// A modulus as an object of its own: 0 for none, or 2 to 61 bits.
///
/// ```
/// use phoca_rlwe::seal::{Modulus, Save, SaveOptions};
///
/// let mut file = Vec::new();
/// Modulus(65537).save(&mut file, &SaveOptions::default())?;
/// assert_eq!(Modulus::load(&mut file.as_slice())?, Modulus(65537));
/// # Ok::<(), phoca_rlwe::seal::FileError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Modulus(pub u64);

impl Modulus {
    /// Reads one modulus.
    ///
    /// # Errors
    ///
    /// [`FileError`], which names the field.
    pub fn load(mut reader: impl Read) -> Result<Self, FileError> {
        source::load(&mut reader, Self::NAME, |source, _| read_modulus(source))
    }
}

impl Object for Modulus {
    const NAME: &'static str = "modulus";

    fn members_len(&self, _options: &SaveOptions) -> u64 {
        8
    }

    fn write_members(&self, sink: &mut Sink<'_>) -> Result<(), FileError> {
        sink.u64(self.0)
    }
}

/// The one member of a modulus.
pub(in crate::seal) fn read_modulus(source: &mut Source<'_>) -> Result<Modulus, FileError> {
    let at = source.at("value");
    let value = source.u64("value")?;
    if value == 1 || value >> MAX_MODULUS_BITS != 0 {
        return Err(FileError::Count { at, expected: "0, or from 2 to 61 bits".into(), got: value });
    }
    Ok(Modulus(value))
}

impl Parameters {
    /// Reads parameters from a file of SEAL. They are as unchecked as any: [`Parameters::build`] checks them.
    ///
    /// # Errors
    ///
    /// [`FileError`], which names the field.
    pub fn load(mut reader: impl Read) -> Result<Self, FileError> {
        source::load(&mut reader, Self::NAME, |source, _| {
            let at = source.at("scheme");
            let (scheme, parameters) = read_parameters_head(source)?;
            let scheme = Scheme::from_byte(scheme).ok_or(FileError::Unknown {
                at,
                what: "scheme",
                expected: "there are 1 (BFV), 2 (CKKS) and 3 (BGV)",
                got: u64::from(scheme),
            })?;
            Ok(Self { scheme, ..parameters })
        })
    }
}

/// All members of parameters, with the scheme as a byte; the returned parameters' scheme means nothing.
pub(in crate::seal) fn read_parameters_head(source: &mut Source<'_>) -> Result<(u8, Parameters), FileError> {
    let scheme = source.u8("scheme")?;
    let at = source.at("poly_modulus_degree");
    // 0 stands for a degree that was never set.
    let degree = source.at_most("poly_modulus_degree", *DEGREE_RANGE.end())?;
    if degree != 0 && !degree.is_power_of_two() {
        return Err(FileError::Count { at, expected: "a power of two".into(), got: degree as u64 });
    }
    let count = source.at_most("coeff_modulus_size", MAX_COEFF_MODULUS_COUNT)?;
    let mut coeff_modulus = Vec::new();
    for _ in 0..count {
        coeff_modulus.push(source.nested("coefficient modulus", |source, _| read_modulus(source))?.0);
    }
    let plain_modulus = source.nested("plain modulus", |source, _| read_modulus(source))?.0;
    let parameters = Parameters { scheme: Scheme::Bfv, degree, coeff_modulus, plain_modulus };
    Ok((scheme, parameters))
}

impl Object for Parameters {
    const NAME: &'static str = "parameters";

    fn members_len(&self, options: &SaveOptions) -> u64 {
        let modulus = Header::LEN + Modulus(0).members_len(options);
        1 + 8 + 8 + modulus * (self.coeff_modulus.len() as u64 + 1)
    }

    fn write_members(&self, sink: &mut Sink<'_>) -> Result<(), FileError> {
        sink.bytes(&[self.scheme as u8])?;
        sink.u64(self.degree as u64)?;
        sink.u64(self.coeff_modulus.len() as u64)?;
        for &prime in &self.coeff_modulus {
            sink.nested(&Modulus(prime))?;
        }
        sink.nested(&Modulus(self.plain_modulus))
    }
}
