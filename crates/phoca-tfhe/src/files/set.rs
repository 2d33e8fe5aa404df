//! Parameter sets in files.

use std::io::{Read, Write};

use phoca_ring::fourier::Decomposition;

use super::stream::{Sink, Source};
use super::{FileError, Limits};
use crate::modulus_switch::ModulusSwitch;
use crate::noise::Noise;
use crate::params::{self, Order, Parameters};

/// The bytes of a set.
pub(super) const SET_LEN: u64 = 56;

pub(super) fn write_set<W: Write>(sink: &mut Sink<W>, set: &Parameters) -> Result<(), FileError> {
    for number in [set.lwe_dimension as u32, set.glwe_dimension as u32, set.polynomial_size as u32, set.max_norm] {
        sink.u32(number)?;
    }
    for decomposition in [set.bootstrap, set.key_switch] {
        sink.u8(decomposition.bits() as u8)?;
        sink.u8(decomposition.levels() as u8)?;
    }
    sink.u8(set.message_bits as u8)?;
    sink.u8(set.carry_bits as u8)?;
    sink.u8(u8::from(set.order == Order::BootstrapFirst))?;
    sink.u8(u8::from(set.modulus_switch == ModulusSwitch::CenteredMean))?;
    for noise in [set.lwe_noise, set.glwe_noise] {
        let (kind, number) = match noise {
            Noise::Gaussian { standard_deviation } => (0, standard_deviation.to_bits()),
            Noise::TUniform { bound_log2 } => (1, u64::from(bound_log2)),
        };
        sink.u32(kind)?;
        sink.u64(number)?;
    }
    sink.u64(set.log2_failure.to_bits())
}

/// A set that keys can be of, with its name where it is a published one.
pub(super) fn read_set<R: Read>(source: &mut Source<R>, limits: &Limits<'_>) -> Result<Parameters, FileError> {
    let [lwe_dimension, glwe_dimension, polynomial_size, max_norm] =
        [source.u32()?, source.u32()?, source.u32()?, source.u32()?];
    let (bootstrap, key_switch) = (read_decomposition(source)?, read_decomposition(source)?);
    let (message_bits, carry_bits) = (source.u8()?, source.u8()?);
    let order = if read_flag(source)? { Order::BootstrapFirst } else { Order::KeySwitchFirst };
    let modulus_switch = if read_flag(source)? { ModulusSwitch::CenteredMean } else { ModulusSwitch::Plain };
    let (lwe_noise, glwe_noise) = (read_noise(source)?, read_noise(source)?);
    let log2_failure = f64::from_bits(source.u64()?);
    let mut set = Parameters {
        name: "unnamed",
        lwe_dimension: lwe_dimension as usize,
        glwe_dimension: glwe_dimension as usize,
        polynomial_size: polynomial_size as usize,
        lwe_noise,
        glwe_noise,
        bootstrap,
        key_switch,
        modulus_switch,
        order,
        message_bits: message_bits.into(),
        carry_bits: carry_bits.into(),
        max_norm,
        log2_failure,
    };
    if set.validate().is_err() {
        return Err(FileError::Damaged { what: "no keys have its parameter set" });
    }
    if let Some(known) = params::all().find(|known| is_same(known, &set)) {
        set.name = known.name;
    }
    match limits.set {
        Some(expected) if !is_same(expected, &set) => {
            Err(FileError::Set { expected: expected.name.into(), what: "its values are others" })
        }
        Some(expected) => Ok(*expected),
        None => Ok(set),
    }
}

fn is_same(a: &Parameters, b: &Parameters) -> bool {
    Parameters { name: "", ..*a } == Parameters { name: "", ..*b }
}

fn read_flag<R: Read>(source: &mut Source<R>) -> Result<bool, FileError> {
    match source.u8()? {
        0 => Ok(false),
        1 => Ok(true),
        _ => Err(FileError::Damaged { what: "a flag of its parameter set is neither 0 nor 1" }),
    }
}

fn read_decomposition<R: Read>(source: &mut Source<R>) -> Result<Decomposition, FileError> {
    let (bits, levels) = (source.u8()?.into(), source.u8()?.into());
    Decomposition::new(bits, levels).ok_or(FileError::Damaged { what: "its parameter set has no valid decomposition" })
}

fn read_noise<R: Read>(source: &mut Source<R>) -> Result<Noise, FileError> {
    let what = "its parameter set has no noise that can be sampled";
    match (source.u32()?, source.u64()?) {
        (0, bits) => match f64::from_bits(bits) {
            standard_deviation if (0.0..1.0 / 64.0).contains(&standard_deviation) => {
                Ok(Noise::Gaussian { standard_deviation })
            }
            _ => Err(FileError::Damaged { what }),
        },
        (1, bound_log2 @ 0..60) => Ok(Noise::TUniform { bound_log2: bound_log2 as u32 }),
        _ => Err(FileError::Damaged { what }),
    }
}
