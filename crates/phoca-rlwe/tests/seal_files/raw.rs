//! A second writer of the layouts, which can write anything: an oracle for ours and a source of broken files.

use phoca_rlwe::{Ciphertext, ParmsId};

/// How headers are written.
#[derive(Clone, Copy)]
pub enum Style {
    /// 16 bytes with a version, as from SEAL 3.5 on.
    Version(u8, u8),
    /// That of SEAL 3.4.
    Legacy,
}

pub const V4_1: Style = Style::Version(4, 1);

impl Style {
    fn major(self) -> u8 {
        match self {
            Self::Version(major, _) => major,
            Self::Legacy => 3,
        }
    }
}

/// A header with any compression and size.
pub fn header(style: Style, compression: u8, size: u64) -> Vec<u8> {
    match style {
        Style::Version(major, minor) => {
            let start = [0x5e, 0xa1, 16, major, minor, compression, 0, 0];
            [&start[..], &size.to_le_bytes()].concat()
        }
        Style::Legacy => {
            let size = u32::try_from(size).unwrap();
            [&[0x5e, 0xa1, 0, compression][..], &size.to_le_bytes(), &[0; 8]].concat()
        }
    }
}

/// An uncompressed object.
pub fn object(style: Style, members: &[u8]) -> Vec<u8> {
    [&header(style, 0, 16 + members.len() as u64), members].concat()
}

pub fn words(words: &[u64]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// An array with a count of its own.
pub fn array(style: Style, count: u64, data: &[u64]) -> Vec<u8> {
    object(style, &[words(&[count]), words(data)].concat())
}

pub fn plaintext(style: Style, id: ParmsId, coeff_count: u64, scale: f64, array: &[u8]) -> Vec<u8> {
    let head = [words(&id.0), words(&[coeff_count, scale.to_bits()])].concat();
    object(style, &[&head, array].concat())
}

pub fn parameters(style: Style, scheme: u8, degree: u64, primes: &[u64], plain_modulus: u64) -> Vec<u8> {
    let mut members = vec![scheme];
    members.extend(words(&[degree, primes.len() as u64]));
    for &value in primes.iter().chain([&plain_modulus]) {
        members.extend(object(style, &words(&[value])));
    }
    object(style, &members)
}

/// All fields of a ciphertext.
#[derive(Clone)]
pub struct RawCiphertext {
    pub style: Style,
    pub id: ParmsId,
    pub ntt_form: u8,
    pub size: u64,
    pub degree: u64,
    pub prime_count: u64,
    pub scale: f64,
    pub correction_factor: u64,
    pub count: u64,
    pub words: Vec<u64>,
    /// What follows the array.
    pub tail: Vec<u8>,
}

impl RawCiphertext {
    /// The full form of a ciphertext.
    pub fn of(ciphertext: &Ciphertext) -> Self {
        Self {
            style: V4_1,
            id: ciphertext.parms_id(),
            ntt_form: u8::from(ciphertext.is_ntt_form()),
            size: ciphertext.size() as u64,
            degree: ciphertext.degree() as u64,
            prime_count: ciphertext.prime_count() as u64,
            scale: ciphertext.scale(),
            correction_factor: ciphertext.correction_factor(),
            count: ciphertext.words().len() as u64,
            words: ciphertext.words().to_vec(),
            tail: Vec::new(),
        }
    }

    /// The same with these bytes in place of the second polynomial.
    pub fn seeded(mut self, tail: Vec<u8>) -> Self {
        self.words.truncate(self.words.len() / 2);
        self.count = self.words.len() as u64;
        self.tail = tail;
        self
    }

    pub fn bytes(&self) -> Vec<u8> {
        let mut members = words(&self.id.0);
        members.push(self.ntt_form);
        members.extend(words(&[self.size, self.degree, self.prime_count, self.scale.to_bits()]));
        if self.style.major() >= 4 {
            members.extend(words(&[self.correction_factor]));
        }
        members.extend(array(self.style, self.count, &self.words));
        members.extend(&self.tail);
        object(self.style, &members)
    }
}

/// A generator's object.
pub fn seed(style: Style, generator: u8, seed: &[u8; 64]) -> Vec<u8> {
    object(style, &[&[generator][..], seed].concat())
}

/// Key-switching keys with these entries, each a list of public keys as bytes.
pub fn key_switch_keys(style: Style, id: ParmsId, outer_count: u64, entries: &[Vec<Vec<u8>>]) -> Vec<u8> {
    let mut members = words(&id.0);
    members.extend(words(&[outer_count]));
    for entry in entries {
        members.extend(words(&[entry.len() as u64]));
        members.extend(entry.concat());
    }
    object(style, &members)
}
