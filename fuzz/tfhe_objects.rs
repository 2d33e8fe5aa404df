//! What the fuzz target of TFHE's files does with its input; the tests of `phoca-tfhe` replay its corpus with the same function.

use phoca_tfhe::files::{Limits, Stored, load, save};
use phoca_tfhe::noise::Noise;
use phoca_tfhe::params::{MESSAGE_2_CARRY_2, Parameters};
use phoca_tfhe::{boolean, integer, shortint};

/// A set whose objects are small, and not secure.
pub const TINY: Parameters = Parameters {
    name: "TINY",
    lwe_dimension: 9,
    polynomial_size: 32,
    lwe_noise: Noise::TUniform { bound_log2: 32 },
    ..MESSAGE_2_CARRY_2
};

/// Loads the input as every kind of object. What loads is written as the same bytes, and keys compute.
pub fn tfhe_objects(data: &[u8]) -> bool {
    let limits = Limits { set: Some(&TINY), most_bytes: 1 << 20 };
    let any = Limits { set: None, ..limits };
    let mut accepted = accept::<shortint::Ciphertext>(data, &limits).is_some();
    accepted |= accept::<shortint::SeededCiphertext>(data, &limits).is_some_and(|seeded| !seeded.expand().is_trivial());
    accepted |= accept::<integer::Radix>(data, &limits).is_some();
    accepted |= accept::<boolean::Ciphertext>(data, &limits).is_some();
    accepted |= accept::<shortint::ClientKey>(data, &any).is_some_and(|key| key.encrypt(1).is_ok());
    if let Some(key) = accept::<shortint::SeededServerKey>(data, &limits) {
        accepted |= key.expand().and_then(|key| key.message(&key.trivial(7)?)).is_ok();
    }
    accepted
}

fn accept<T: Stored>(data: &[u8], limits: &Limits<'_>) -> Option<T> {
    let mut rest = data;
    let object = load::<T>(&mut rest, limits).ok()?;
    let read = &data[..data.len() - rest.len()];
    let mut written = Vec::new();
    save(&object, &mut written).expect("memory takes bytes");
    assert_eq!(written, read, "an object is written as it was read");
    Some(object)
}
