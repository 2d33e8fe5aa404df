//! Ciphertexts, and public keys, which have the same layout.

use phoca_ring::random::{SealGenerator, SealStream, Seed};
use phoca_ring::{Buffer, sample};

use super::{ContextObject, Object, array_len, data_level, key_level};
use crate::ciphertext::{Ciphertext, ExpansionSeed, SIZE_RANGE};
use crate::context::{Context, Level};
use crate::keys::PublicKey;
use crate::noise::NoiseBound;
use crate::params::Scheme;
use crate::seal::sink::Sink;
use crate::seal::source::{Bounds, Source};
use crate::seal::{FileError, Header, SaveOptions, Seeding};

/// Bytes of the seed's object: header, generator, seed.
const SEED_LEN: u64 = Header::LEN + 1 + Seed::LEN as u64;
/// SEAL marks a seeded ciphertext in memory by one word and the seed's object in place of the second polynomial, and
/// writes polynomials that are too short for that in full.
const MIN_SEEDED_WORDS: usize = 1 + SEED_LEN.div_ceil(8) as usize;

impl Ciphertext {
    /// The seed to write in place of the second polynomial.
    fn saved_seed(&self, options: &SaveOptions) -> Option<&ExpansionSeed> {
        let seed = self.seed.as_ref().filter(|_| options.seeding == Seeding::Keep)?;
        (self.size() == 2 && self.polynomial_len() >= MIN_SEEDED_WORDS).then_some(seed)
    }
}

impl Object for Ciphertext {
    const NAME: &'static str = "ciphertext";

    fn members_len(&self, options: &SaveOptions) -> u64 {
        let head = 32 + 1 + 8 + 8 + 8 + 8 + 8;
        match self.saved_seed(options) {
            Some(_) => head + array_len(self.polynomial_len()) + SEED_LEN,
            None => head + array_len(self.data.len()),
        }
    }

    fn write_members(&self, sink: &mut Sink<'_>) -> Result<(), FileError> {
        sink.parms_id(self.parms_id)?;
        sink.bytes(&[u8::from(self.ntt_form)])?;
        sink.u64(self.size() as u64)?;
        sink.u64(self.degree as u64)?;
        sink.u64(self.prime_count as u64)?;
        sink.f64(self.scale)?;
        sink.u64(self.correction_factor)?;
        match self.saved_seed(sink.options()) {
            None => sink.array(&self.data),
            Some(ExpansionSeed { generator, seed }) => {
                sink.array(&self.data[..self.polynomial_len()])?;
                sink.header(SEED_LEN - Header::LEN)?;
                sink.bytes(&[generator.id()])?;
                sink.bytes(seed.as_bytes())
            }
        }
    }
}

impl ContextObject for Ciphertext {
    fn read_members(source: &mut Source<'_>, header: &Header, context: &Context) -> Result<Self, FileError> {
        let at = source.at("parms_id");
        let parms_id = source.parms_id()?;
        let level = data_level(context, parms_id, at)?;
        let mut ciphertext = read_at_level(source, header, context, level, Role::Ciphertext)?;
        // SEAL 4.0 stores BGV in coefficient form; everything else, and Phoca, works in NTT form. What is empty has either.
        if context.scheme() == Scheme::Bgv && !ciphertext.ntt_form && !ciphertext.data.is_empty() {
            let tables = context.tables()[..level.prime_count()].iter().cycle();
            for (limb, table) in ciphertext.data.chunks_exact_mut(context.degree()).zip(tables) {
                table.forward(limb);
            }
            ciphertext.ntt_form = true;
            ciphertext.seed = None;
        }
        Ok(ciphertext)
    }
}

impl Object for PublicKey {
    const NAME: &'static str = "public key";

    fn members_len(&self, options: &SaveOptions) -> u64 {
        self.0.members_len(options)
    }

    fn write_members(&self, sink: &mut Sink<'_>) -> Result<(), FileError> {
        self.0.write_members(sink)
    }
}

impl ContextObject for PublicKey {
    fn read_members(source: &mut Source<'_>, header: &Header, context: &Context) -> Result<Self, FileError> {
        let at = source.at("parms_id");
        let parms_id = source.parms_id()?;
        let level = key_level(context, parms_id, at)?;
        let key = read_at_level(source, header, context, level, Role::PublicKey)?;
        Ok(Self(key))
    }
}

/// What a ciphertext must be.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    Ciphertext,
    PublicKey,
}

/// The members after the id of a ciphertext at `level`, with all checks but those of the level itself.
fn read_at_level(
    source: &mut Source<'_>,
    header: &Header,
    context: &Context,
    level: &Level,
    role: Role,
) -> Result<Ciphertext, FileError> {
    let (degree, prime_count) = (context.degree(), level.prime_count());
    let at = source.at("is_ntt_form");
    let ntt_form = read_ntt_form(source)?;
    if role == Role::PublicKey && !ntt_form {
        return Err(FileError::NttForm { at, expected: "1, as all keys", got: 0 });
    }
    let size = match role {
        Role::Ciphertext => read_size(source)?,
        Role::PublicKey => source.exactly("size", 2).map(|()| 2)?,
    };
    source.exactly("poly_modulus_degree", degree)?;
    source.exactly("coeff_modulus_size", prime_count)?;
    let scale = source.scale(context.scheme())?;
    let correction_factor = match header.is_version_4() {
        true => read_correction_factor(source, context)?,
        false => 1,
    };
    let (data, seeded) = read_polynomials(source, level, degree, size)?;
    let mut ciphertext = Ciphertext {
        parms_id: level.parms_id(),
        degree,
        prime_count,
        ntt_form,
        scale,
        correction_factor,
        data,
        seed: None,
        noise: NoiseBound::UNKNOWN,
    };
    if seeded {
        let expansion = Expansion::of(header);
        let seed = expansion.read_seed(source)?;
        expansion.expand(&seed, level, &mut ciphertext);
        // Later versions would expand the seeds of 3.4 and 3.5 to something else.
        ciphertext.seed = (expansion == Expansion::Bulk).then_some(seed);
    }
    Ok(ciphertext)
}

/// Whether the words are NTT values.
pub(in crate::seal) fn read_ntt_form(source: &mut Source<'_>) -> Result<bool, FileError> {
    let at = source.at("is_ntt_form");
    match source.u8("is_ntt_form")? {
        0 => Ok(false),
        1 => Ok(true),
        got => Err(FileError::NttForm { at, expected: "0 or 1", got }),
    }
}

/// How many polynomials there are.
pub(in crate::seal) fn read_size(source: &mut Source<'_>) -> Result<usize, FileError> {
    let at = source.at("size");
    match source.u64("size")? {
        0 => Ok(0),
        got if usize::try_from(got).is_ok_and(|size| SIZE_RANGE.contains(&size)) => Ok(got as usize),
        got => Err(FileError::Count { at, expected: "0 or 2 to 16".into(), got }),
    }
}

/// 1 in BFV and CKKS. In BGV a unit modulo `t`, since decryption divides by it.
fn read_correction_factor(source: &mut Source<'_>, context: &Context) -> Result<u64, FileError> {
    let at = source.at("correction_factor");
    let got = source.u64("correction_factor")?;
    let plain = context.plain_ring().filter(|_| context.scheme() == Scheme::Bgv);
    let valid = match plain {
        Some(plain) => got < plain.modulus.value() && plain.modulus.inverse_vartime(got).is_some(),
        None => got == 1,
    };
    if valid {
        return Ok(got);
    }
    let expected = match plain {
        Some(plain) => alloc::format!("from 1 to {} and coprime to the plain modulus", plain.modulus.value() - 1),
        None => "1 outside of BGV".into(),
    };
    Err(FileError::Count { at, expected, got })
}

/// The words of all polynomials; where the second stands for a seed, they are zero and the flag is set.
fn read_polynomials(
    source: &mut Source<'_>,
    level: &Level,
    degree: usize,
    size: usize,
) -> Result<(Buffer, bool), FileError> {
    let polynomial = degree * level.prime_count();
    let full = size * polynomial;
    source.nested("polynomial array", |source, _| {
        let at = source.at("count");
        let got = source.u64("count")?;
        let seeded = size == 2 && got == polynomial as u64;
        if !seeded && got != full as u64 {
            let expected = match size {
                2 => alloc::format!("{full} words, or {polynomial} before a seed"),
                _ => alloc::format!("{full} words"),
            };
            return Err(FileError::Count { at, expected, got });
        }
        let count = if seeded { polynomial } else { full };
        let bounds = Bounds { moduli: level.moduli(), run: degree };
        Ok((source.words("words", count, full, &bounds)?, seeded))
    })
}

/// How a version of SEAL stores and expands seeds.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Expansion {
    /// From 3.6 on: an object with the generator, expanded all at once.
    Bulk,
    /// 3.5: the bare seed, expanded word after word of 64 bits.
    Words64,
    /// 3.4: the bare seed, expanded word after word of 63 bits.
    Words63,
}

impl Expansion {
    fn of(header: &Header) -> Self {
        match (header.major, header.minor) {
            (3, 4) => Self::Words63,
            (3, 5) => Self::Words64,
            _ => Self::Bulk,
        }
    }

    fn read_seed(self, source: &mut Source<'_>) -> Result<ExpansionSeed, FileError> {
        let mut seed = [0; Seed::LEN];
        if self != Self::Bulk {
            source.bytes("seed", &mut seed)?;
            return Ok(ExpansionSeed { generator: SealGenerator::Blake2xb, seed: Seed::from_bytes(seed) });
        }
        source.nested("seed", |source, _| {
            let generator = read_generator(source)?;
            source.bytes("seed", &mut seed)?;
            Ok(ExpansionSeed { generator, seed: Seed::from_bytes(seed) })
        })
    }

    /// Fills the second polynomial.
    fn expand(self, seed: &ExpansionSeed, level: &Level, ciphertext: &mut Ciphertext) {
        let (degree, start) = (ciphertext.degree, ciphertext.polynomial_len());
        let mut stream = SealStream::new(seed.generator, &seed.seed);
        let expand = match self {
            Self::Bulk => sample::uniform_seal,
            Self::Words64 => sample::uniform_seal_3_5,
            Self::Words63 => sample::uniform_seal_3_4,
        };
        expand(&mut stream, level.moduli(), degree, &mut ciphertext.data[start..]);
    }
}

/// Takes the seed after an array without expanding it.
pub(in crate::seal) fn skip_seed(source: &mut Source<'_>, header: &Header) -> Result<(), FileError> {
    Expansion::of(header).read_seed(source).map(drop)
}

/// The generator that expands a seed.
fn read_generator(source: &mut Source<'_>) -> Result<SealGenerator, FileError> {
    let at = source.at("prng_type");
    let id = source.u8("prng_type")?;
    SealGenerator::from_id(id).ok_or(FileError::Unknown {
        at,
        what: "generator",
        expected: "there are 1 (BLAKE2Xb) and 2 (SHAKE256)",
        got: u64::from(id),
    })
}
