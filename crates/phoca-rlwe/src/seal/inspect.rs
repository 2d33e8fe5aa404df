//! What a file is, without a context and without a key.

use alloc::vec::Vec;
use std::io::Read;

use super::objects::{read_modulus, read_ntt_form, read_parameters_head, read_size, skip_seed};
use super::source::{self, Source};
use super::{Compression, FileError, Header};
use crate::params::{DEGREE_RANGE, MAX_COEFF_MODULUS_COUNT, ParmsId, Scheme};

/// What [`inspect`] found.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Inspection {
    /// The outermost header.
    pub header: Header,
    /// The object's bytes without compression, header included.
    pub uncompressed_len: u64,
    /// The object.
    pub contents: Contents,
}

/// An object as far as its layout tells what it is.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Contents {
    /// A modulus.
    Modulus {
        /// Its value.
        value: u64,
    },
    /// Encryption parameters.
    #[non_exhaustive]
    Parameters {
        /// The scheme; none where it was never set.
        scheme: Option<Scheme>,
        /// Degree `n`.
        degree: usize,
        /// The coefficient primes, the special prime last.
        coeff_modulus: Vec<u64>,
        /// The plain modulus; 0 for CKKS.
        plain_modulus: u64,
        /// The id of the key level; none where the scheme is none.
        parms_id: Option<ParmsId>,
    },
    /// A plaintext, or a secret key, whose layout is the same.
    #[non_exhaustive]
    Plaintext {
        /// The level's id; zero in coefficient form.
        parms_id: ParmsId,
        /// Words.
        coeff_count: u64,
        /// The scale.
        scale: f64,
        /// Whether it may as well be a secret key: it is in NTT form with scale 1. Treat it as one.
        maybe_secret_key: bool,
    },
    /// A ciphertext, or a public key, whose layout is the same.
    Ciphertext(CiphertextSummary),
    /// Relinearization or Galois keys.
    #[non_exhaustive]
    KeySwitchKeys {
        /// Which of the two, as far as the layout tells.
        kind: KeySwitchKind,
        /// The id of the key level.
        parms_id: ParmsId,
        /// Entries of the outer list, most of which are empty in Galois keys.
        outer_count: u64,
        /// The entries that hold a key.
        entries: Vec<u64>,
        /// Digits of all keys.
        digit_count: u64,
        /// Digits in seeded form.
        seeded_digit_count: u64,
        /// The first digit; all others have the same degree and primes in a file that loads.
        first_digit: Option<CiphertextSummary>,
    },
}

/// Which key-switching keys a file holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum KeySwitchKind {
    /// As many entries as coefficients: entry `i` is for Galois element `2i + 1`.
    Galois,
    /// Few entries: entry `i` is for the power `i + 2` of the secret.
    Relinearization,
    /// There is no key from which to tell.
    Unknown,
}

/// The head of a ciphertext.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct CiphertextSummary {
    /// The level's id.
    pub parms_id: ParmsId,
    /// Whether the polynomials are in NTT form.
    pub ntt_form: bool,
    /// Polynomials.
    pub size: usize,
    /// Degree `n`.
    pub degree: usize,
    /// Primes of the level.
    pub prime_count: usize,
    /// The scale; 1 outside of CKKS.
    pub scale: f64,
    /// BGV's correction factor, else 1.
    pub correction_factor: u64,
    /// Whether the second polynomial is stored as a seed.
    pub seeded: bool,
}

/// Says what the object in `reader` is.
///
/// It reads the whole object in chunks, checks that headers, counts and sizes fit each other, and looks at no word of a
/// polynomial; [`Load`](super::Load) checks the rest. A compressed object is decompressed only as far as its layout
/// says that it goes.
///
/// # Errors
///
/// [`FileError`], which names the field.
///
/// ```
/// use phoca_rlwe::seal::{Contents, Modulus, Save, SaveOptions, inspect};
///
/// let mut file = Vec::new();
/// Modulus(65537).save(&mut file, &SaveOptions::default())?;
/// assert_eq!(inspect(&mut file.as_slice())?.contents, Contents::Modulus { value: 65537 });
/// # Ok::<(), phoca_rlwe::seal::FileError>(())
/// ```
pub fn inspect(mut reader: impl Read) -> Result<Inspection, FileError> {
    source::load(&mut reader, "object", |source, header| {
        let at = source.at("members");
        let prefix = source.peek(PREFIX_LEN)?;
        let is_cut = (prefix.len() as u64) < (header.size - Header::LEN).min(PREFIX_LEN as u64);
        if header.compression == Compression::None && is_cut {
            return Err(FileError::Truncated { at });
        }
        let contents = match guess(prefix, header) {
            Layout::Modulus => {
                source.set_object("modulus");
                Contents::Modulus { value: read_modulus(source)?.0 }
            }
            Layout::Parameters => {
                source.set_object("parameters");
                parameters(source)?
            }
            Layout::Plaintext => {
                source.set_object("plaintext");
                plaintext(source)?
            }
            Layout::Ciphertext => {
                source.set_object("ciphertext");
                Contents::Ciphertext(ciphertext(source, header)?)
            }
            Layout::KeySwitchKeys => {
                source.set_object("key-switching keys");
                key_switch_keys(source)?
            }
        };
        Ok(Inspection { header: *header, uncompressed_len: source.offset(), contents })
    })
}

enum Layout {
    Modulus,
    Parameters,
    Plaintext,
    Ciphertext,
    KeySwitchKeys,
}

/// The members up to the nested header that comes last: that of a ciphertext's array.
const PREFIX_LEN: usize = CIPHERTEXT_ARRAY + 3;
/// Where the first nested header is.
const PARAMETERS_MODULUS: usize = 1 + 8 + 8;
const PLAINTEXT_ARRAY: usize = 32 + 8 + 8;
const CIPHERTEXT_ARRAY: usize = 32 + 1 + 8 + 8 + 8 + 8 + 8;

/// Tells layouts apart by where the first nested header is.
///
/// Plaintexts and key-switching keys with a first key have it at the same place: before it is a scale, which as a word
/// is at least `2^52`, or a count of at most 256.
fn guess(prefix: &[u8], header: &Header) -> Layout {
    let header_at = |start: usize| {
        let bytes = prefix.get(start..start + 3);
        bytes.is_some_and(|bytes| bytes == [0x5e, 0xa1, 0x10] || bytes == [0x5e, 0xa1, 0])
    };
    let before_array = prefix.get(PLAINTEXT_ARRAY - 8..PLAINTEXT_ARRAY);
    let is_scale = before_array.is_some_and(|bytes| bytes[6..] != [0, 0]);
    let array = match header.is_version_4() {
        true => CIPHERTEXT_ARRAY,
        false => CIPHERTEXT_ARRAY - 8,
    };
    match prefix {
        _ if prefix.len() == 8 => Layout::Modulus,
        _ if header_at(PARAMETERS_MODULUS) && prefix[0] <= Scheme::Bgv as u8 => Layout::Parameters,
        _ if header_at(PLAINTEXT_ARRAY) && is_scale => Layout::Plaintext,
        _ if header_at(array) => Layout::Ciphertext,
        _ => Layout::KeySwitchKeys,
    }
}

fn parameters(source: &mut Source<'_>) -> Result<Contents, FileError> {
    let (scheme, parameters) = read_parameters_head(source)?;
    let scheme = Scheme::from_byte(scheme);
    let parms_id = scheme.map(|scheme| crate::Parameters { scheme, ..parameters.clone() }.parms_id());
    Ok(Contents::Parameters {
        scheme,
        degree: parameters.degree,
        coeff_modulus: parameters.coeff_modulus,
        plain_modulus: parameters.plain_modulus,
        parms_id,
    })
}

fn plaintext(source: &mut Source<'_>) -> Result<Contents, FileError> {
    let parms_id = source.parms_id()?;
    let coeff_count = source.at_most("coeff_count", *DEGREE_RANGE.end() * MAX_COEFF_MODULUS_COUNT)? as u64;
    let scale = source.f64("scale")?;
    source.nested("coefficient array", |source, _| {
        source.exactly("count", coeff_count as usize)?;
        source.skip("words", 8 * coeff_count)
    })?;
    Ok(Contents::Plaintext { parms_id, coeff_count, scale, maybe_secret_key: !parms_id.is_zero() && scale == 1.0 })
}

fn ciphertext(source: &mut Source<'_>, header: &Header) -> Result<CiphertextSummary, FileError> {
    let parms_id = source.parms_id()?;
    let mut summary = CiphertextSummary {
        parms_id,
        ntt_form: read_ntt_form(source)?,
        size: read_size(source)?,
        degree: source.at_most("poly_modulus_degree", *DEGREE_RANGE.end())?,
        prime_count: source.at_most("coeff_modulus_size", MAX_COEFF_MODULUS_COUNT)?,
        scale: source.f64("scale")?,
        correction_factor: match header.is_version_4() {
            true => source.u64("correction_factor")?,
            false => 1,
        },
        seeded: false,
    };
    // Below 2^29 words.
    let polynomial = summary.degree * summary.prime_count;
    source.nested("polynomial array", |source, _| {
        let (at, got) = (source.at("count"), source.u64("count")?);
        summary.seeded = summary.size == 2 && polynomial != 0 && got == polynomial as u64;
        if !summary.seeded && got != (summary.size * polynomial) as u64 {
            let expected =
                alloc::format!("{} polynomials of {polynomial} words, or a seed for the second", summary.size);
            return Err(FileError::Count { at, expected, got });
        }
        source.skip("words", 8 * got)
    })?;
    if summary.seeded {
        skip_seed(source, header)?;
    }
    Ok(summary)
}

fn key_switch_keys(source: &mut Source<'_>) -> Result<Contents, FileError> {
    let parms_id = source.parms_id()?;
    let outer_count = source.at_most("outer count", *DEGREE_RANGE.end())? as u64;
    let (mut entries, mut first_digit) = (Vec::new(), None);
    let (mut digit_count, mut seeded_digit_count) = (0, 0);
    for entry in 0..outer_count {
        let digits = source.at_most("inner count", MAX_COEFF_MODULUS_COUNT)?;
        if digits > 0 {
            entries.push(entry);
        }
        for digit in 0..digits {
            source.set_entry(Some((entry as usize, digit)));
            let summary = source.nested("public key", ciphertext)?;
            source.check_inflation()?;
            digit_count += 1;
            seeded_digit_count += u64::from(summary.seeded);
            first_digit.get_or_insert(summary);
        }
        source.set_entry(None);
    }
    let kind = match first_digit {
        None => KeySwitchKind::Unknown,
        Some(digit) if digit.degree as u64 == outer_count => KeySwitchKind::Galois,
        Some(_) => KeySwitchKind::Relinearization,
    };
    Ok(Contents::KeySwitchKeys { kind, parms_id, outer_count, entries, digit_count, seeded_digit_count, first_digit })
}
