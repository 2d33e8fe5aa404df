//! Each kind of object.

use alloc::vec::Vec;
use std::io::{Read, Write};

use phoca_ring::fourier::GgswShape;
use zeroize::Zeroize;

use super::set::{SET_LEN, read_set, write_set};
use super::stream::{Sink, Source};
use super::{FileError, Kind, Limits};
use crate::boolean::Form;
use crate::bootstrap::SeededBootstrapKey;
use crate::evaluation::{SecretKeys, SeededEvaluationKey};
use crate::integer::{RADIX_NOISE, Radix};
use crate::key_switch::SeededKeySwitchKey;
use crate::lwe::LweCiphertext;
use crate::params::{Order, Parameters};
use crate::{boolean, high_level, integer, shortint};

/// The tag of an encrypted boolean.
const ENCRYPTED: u8 = 2;

/// The most blocks of an integer: 2048 bits in blocks of one bit.
const MOST_BLOCKS: u32 = 2048;

/// An object that files hold.
pub trait Stored: Sized + private::Sealed {
    /// The kind of its files.
    const KIND: Kind;

    /// The bytes of its payload.
    #[doc(hidden)]
    fn payload_len(&self) -> u64;

    #[doc(hidden)]
    fn write<W: Write>(&self, sink: &mut Sink<W>) -> Result<(), FileError>;

    #[doc(hidden)]
    fn read<R: Read>(source: &mut Source<R>, limits: &Limits<'_>) -> Result<Self, FileError>;
}

mod private {
    pub trait Sealed {}
}

impl private::Sealed for SecretKeys {}

/// The bits of both secrets, eight in a byte, after the set.
impl Stored for SecretKeys {
    const KIND: Kind = Kind::SecretKeys;

    fn payload_len(&self) -> u64 {
        let set = self.parameters();
        SET_LEN + (set.lwe_dimension.div_ceil(8) + set.big_dimension().div_ceil(8)) as u64
    }

    fn write<W: Write>(&self, sink: &mut Sink<W>) -> Result<(), FileError> {
        write_set(sink, self.parameters())?;
        for bits in self.bits() {
            for byte in bits.chunks(8) {
                sink.u8(byte.iter().rev().fold(0, |byte, bit| byte << 1 | *bit as u8))?;
            }
        }
        Ok(())
    }

    fn read<R: Read>(source: &mut Source<R>, limits: &Limits<'_>) -> Result<Self, FileError> {
        let set = read_set(source, limits)?;
        let small = read_bits(source, set.lwe_dimension)?;
        let big = read_bits(source, set.big_dimension())?;
        Ok(Self::from_bits(set, small, big))
    }
}

fn read_bits<R: Read>(source: &mut Source<R>, count: usize) -> Result<Vec<u64>, FileError> {
    let mut bytes = source.bytes(count.div_ceil(8))?;
    let bits = (0..count).map(|index| u64::from(bytes[index / 8] >> (index % 8) & 1)).collect();
    let spare = match count % 8 {
        0 => 0,
        used => bytes[count / 8] >> used,
    };
    bytes.zeroize();
    match spare {
        0 => Ok(bits),
        _ => Err(FileError::Damaged { what: "bits follow the last one of a secret" }),
    }
}

impl private::Sealed for SeededEvaluationKey {}

impl Stored for SeededEvaluationKey {
    const KIND: Kind = Kind::ServerKey;

    fn payload_len(&self) -> u64 {
        SET_LEN + 64 + 8 * self.bootstrap.bodies.len() as u64 + 4 * self.key_switch.bodies.len() as u64
    }

    fn write<W: Write>(&self, sink: &mut Sink<W>) -> Result<(), FileError> {
        write_set(sink, &self.parameters)?;
        sink.bytes(&self.bootstrap.seed)?;
        sink.words(&self.bootstrap.bodies)?;
        sink.bytes(&self.key_switch.seed)?;
        sink.words32(&self.key_switch.bodies)
    }

    fn read<R: Read>(source: &mut Source<R>, limits: &Limits<'_>) -> Result<Self, FileError> {
        let parameters = read_set(source, limits)?;
        let Parameters { lwe_dimension, glwe_dimension, polynomial_size, .. } = parameters;
        let shape = GgswShape { polynomials: glwe_dimension + 1, decomposition: parameters.bootstrap };
        let bootstrap = SeededBootstrapKey {
            decomposition: parameters.bootstrap,
            glwe_dimension,
            polynomial_size,
            seed: source.array()?,
            bodies: source.words(lwe_dimension * shape.rows() * polynomial_size)?,
        };
        let levels = parameters.key_switch.levels() as usize;
        let key_switch = SeededKeySwitchKey {
            decomposition: parameters.key_switch,
            output_dimension: lwe_dimension,
            seed: source.array()?,
            bodies: source.words32(parameters.big_dimension() * levels)?,
        };
        Ok(Self { parameters, bootstrap, key_switch })
    }
}

/// Types that are one other stored object.
macro_rules! wrapped {
    ($($type:ty, $inner:ty, $kind:expr, |$value:ident| $field:expr, |$made:ident| $make:expr;)*) => {
        $(
            impl private::Sealed for $type {}

            impl Stored for $type {
                const KIND: Kind = $kind;

                fn payload_len(&self) -> u64 {
                    let $value = self;
                    $field.payload_len()
                }

                fn write<W: Write>(&self, sink: &mut Sink<W>) -> Result<(), FileError> {
                    let $value = self;
                    $field.write(sink)
                }

                fn read<R: Read>(source: &mut Source<R>, limits: &Limits<'_>) -> Result<Self, FileError> {
                    let $made = <$inner>::read(source, limits)?;
                    Ok($make)
                }
            }
        )*
    };
}

wrapped! {
    shortint::ClientKey, SecretKeys, Kind::SecretKeys, |key| key.secret(), |secret| Self::from_secret(secret);
    boolean::ClientKey, SecretKeys, Kind::SecretKeys, |key| key.secret(), |secret| Self::from_secret(secret);
    shortint::SeededServerKey, SeededEvaluationKey, Kind::ServerKey, |server| server.key, |key| Self { key };
    integer::ClientKey, SecretKeys, Kind::SecretKeys, |key| key.key().secret(),
        |secret| Self::new(shortint::ClientKey::from_secret(secret));
    high_level::ClientKey, SecretKeys, Kind::SecretKeys, |key| key.key.key().secret(),
        |secret| Self { key: integer::ClientKey::new(shortint::ClientKey::from_secret(secret)) };
    high_level::CompressedServerKey, shortint::SeededServerKey, Kind::ServerKey, |server| server.key, |key| Self { key };
    boolean::CompressedServerKey, SeededEvaluationKey, Kind::ServerKey, |server| server.key, |key| Self { key };
}

impl private::Sealed for shortint::Ciphertext {}

impl Stored for shortint::Ciphertext {
    const KIND: Kind = Kind::ShortInteger;

    fn payload_len(&self) -> u64 {
        16 + 8 * self.lwe.words().len() as u64
    }

    fn write<W: Write>(&self, sink: &mut Sink<W>) -> Result<(), FileError> {
        sink.u64(self.degree)?;
        sink.u64(self.noise)?;
        sink.words(self.lwe.words())
    }

    fn read<R: Read>(source: &mut Source<R>, limits: &Limits<'_>) -> Result<Self, FileError> {
        let set = limits.set.ok_or(FileError::NoSet)?;
        let (degree, noise) = (source.u64()?, source.u64()?);
        if degree >= set.total_modulus() || noise > set.max_norm.into() {
            return Err(FileError::Set { expected: set.name.into(), what: "its value or noise does not fit" });
        }
        let words = source.words(set.ciphertext_dimension() + 1)?;
        let lwe = LweCiphertext::from_words(words).ok_or(FileError::Damaged { what: "a ciphertext has no words" })?;
        Ok(Self { lwe, degree, noise })
    }
}

impl private::Sealed for shortint::SeededCiphertext {}

impl Stored for shortint::SeededCiphertext {
    const KIND: Kind = Kind::SeededShortInteger;

    fn payload_len(&self) -> u64 {
        48
    }

    fn write<W: Write>(&self, sink: &mut Sink<W>) -> Result<(), FileError> {
        sink.bytes(&self.seed)?;
        sink.u64(self.body)?;
        sink.u64(self.degree)
    }

    fn read<R: Read>(source: &mut Source<R>, limits: &Limits<'_>) -> Result<Self, FileError> {
        let set = limits.set.ok_or(FileError::NoSet)?;
        let (seed, body, degree) = (source.array()?, source.u64()?, source.u64()?);
        if degree >= set.total_modulus() {
            return Err(FileError::Set { expected: set.name.into(), what: "its value does not fit" });
        }
        Ok(Self { seed, body, dimension: set.ciphertext_dimension(), degree })
    }
}

impl private::Sealed for Radix {}

impl Stored for Radix {
    const KIND: Kind = Kind::Integer;

    fn payload_len(&self) -> u64 {
        4 + self.blocks().iter().map(Stored::payload_len).sum::<u64>()
    }

    fn write<W: Write>(&self, sink: &mut Sink<W>) -> Result<(), FileError> {
        sink.u32(self.len() as u32)?;
        self.blocks().iter().try_for_each(|block| block.write(sink))
    }

    fn read<R: Read>(source: &mut Source<R>, limits: &Limits<'_>) -> Result<Self, FileError> {
        let set = limits.set.ok_or(FileError::NoSet)?;
        let count = source.u32()?;
        if count > MOST_BLOCKS {
            return Err(FileError::Damaged { what: "an integer has more than 2048 blocks" });
        }
        let blocks = (0..count).map(|_| shortint::Ciphertext::read(source, limits));
        let blocks = blocks.collect::<Result<Vec<_>, _>>()?;
        let is_block =
            |block: &shortint::Ciphertext| block.degree < set.message_modulus() && block.noise <= RADIX_NOISE;
        match blocks.iter().all(is_block) {
            true => Ok(Self::new(blocks)),
            false => Err(FileError::Damaged {
                what: "a block of an integer has a carry, or more noise than operations leave",
            }),
        }
    }
}

impl<const SIGNED: bool, const BITS: usize> private::Sealed for high_level::Fhe<SIGNED, BITS> {}

impl<const SIGNED: bool, const BITS: usize> Stored for high_level::Fhe<SIGNED, BITS> {
    const KIND: Kind = Kind::Integer;

    fn payload_len(&self) -> u64 {
        self.as_radix().payload_len()
    }

    fn write<W: Write>(&self, sink: &mut Sink<W>) -> Result<(), FileError> {
        self.as_radix().write(sink)
    }

    fn read<R: Read>(source: &mut Source<R>, limits: &Limits<'_>) -> Result<Self, FileError> {
        let radix = Radix::read(source, limits)?;
        match radix.len() == BITS / 2 {
            true => Ok(Self::from_radix(radix)),
            false => Err(FileError::Damaged { what: "the integer has another width" }),
        }
    }
}

impl private::Sealed for boolean::Ciphertext {}

/// A tag, 0 or 1 for one in the clear and 2 for others, and the words.
impl Stored for boolean::Ciphertext {
    const KIND: Kind = Kind::Boolean;

    fn payload_len(&self) -> u64 {
        1 + match &self.form {
            Form::Trivial(_) => 0,
            Form::Big(lwe) => 8 * lwe.words().len() as u64,
            Form::Small(lwe) => 4 * lwe.words().len() as u64,
        }
    }

    fn write<W: Write>(&self, sink: &mut Sink<W>) -> Result<(), FileError> {
        match &self.form {
            Form::Trivial(value) => sink.u8(u8::from(*value)),
            Form::Big(lwe) => {
                sink.u8(ENCRYPTED)?;
                sink.words(lwe.words())
            }
            Form::Small(lwe) => {
                sink.u8(ENCRYPTED)?;
                sink.words32(lwe.words())
            }
        }
    }

    fn read<R: Read>(source: &mut Source<R>, limits: &Limits<'_>) -> Result<Self, FileError> {
        let set = limits.set.ok_or(FileError::NoSet)?;
        let count = set.ciphertext_dimension() + 1;
        let empty = FileError::Damaged { what: "a ciphertext has no words" };
        let form = match (source.u8()?, set.order) {
            (0, _) => Form::Trivial(false),
            (1, _) => Form::Trivial(true),
            (ENCRYPTED, Order::KeySwitchFirst) => {
                Form::Big(LweCiphertext::from_words(source.words(count)?).ok_or(empty)?)
            }
            (ENCRYPTED, Order::BootstrapFirst) => {
                Form::Small(LweCiphertext::from_words(source.words32(count)?).ok_or(empty)?)
            }
            _ => return Err(FileError::Damaged { what: "a boolean is neither encrypted nor in the clear" }),
        };
        Ok(Self { form })
    }
}
