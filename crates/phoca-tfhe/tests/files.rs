//! Files of TFHE objects: round trips, and files that are damaged in every place.

use phoca_tfhe::boolean;
use phoca_tfhe::files::{FileError, Kind, Limits, Stored, load, save};
use phoca_tfhe::integer::{self, Radix};
use phoca_tfhe::noise::Noise;
use phoca_tfhe::params::{BOOLEAN_DEFAULT, MESSAGE_2_CARRY_2, Parameters};
use phoca_tfhe::prelude::*;
use phoca_tfhe::shortint::{Ciphertext, ClientKey, SeededCiphertext, SeededServerKey};
use phoca_tfhe::{FheInt8, FheUint8};

type Failure = Box<dyn std::error::Error>;

/// Not secure at all, but small.
const TOY: Parameters = Parameters {
    name: "TOY",
    lwe_dimension: 60,
    polynomial_size: 512,
    lwe_noise: Noise::TUniform { bound_log2: 32 },
    ..MESSAGE_2_CARRY_2
};

fn bytes_of(object: &impl Stored) -> Result<Vec<u8>, FileError> {
    let mut bytes = Vec::new();
    save(object, &mut bytes)?;
    Ok(bytes)
}

#[test]
fn objects_come_back() -> Result<(), Failure> {
    let limits = Limits::for_set(&TOY);
    let key = ClientKey::generate(TOY)?;
    let back: ClientKey = load(bytes_of(&key)?.as_slice(), &limits)?;
    assert_eq!(back.parameters(), &TOY);
    let ciphertext = key.encrypt(3)?;
    assert_eq!(back.decrypt(&ciphertext)?, 3);
    let again: Ciphertext = load(bytes_of(&ciphertext)?.as_slice(), &limits)?;
    assert_eq!(again, ciphertext);
    let seeded = key.encrypt_seeded(2)?;
    let bytes = bytes_of(&seeded)?;
    assert_eq!(bytes.len(), 24 + 48);
    assert_eq!(load::<SeededCiphertext>(bytes.as_slice(), &limits)?, seeded);
    let server = key.server_key()?;
    let stored: SeededServerKey = load(bytes_of(&server)?.as_slice(), &Limits::any_set())?;
    assert_eq!(stored.parameters().name, "unnamed");
    let stored: SeededServerKey = load(bytes_of(&server)?.as_slice(), &limits)?;
    assert_eq!(stored, server);
    let product = stored.expand()?.mul(&again, &seeded.expand())?;
    assert_eq!(key.decrypt(&product)?, 2);
    let integer = integer::ClientKey::new(key).encrypt(&[0xabcd], 8)?;
    assert_eq!(load::<Radix>(bytes_of(&integer)?.as_slice(), &limits)?, integer);
    Ok(())
}

#[test]
fn booleans_of_both_orders_come_back() -> Result<(), Failure> {
    let first = Parameters { lwe_dimension: 50, glwe_dimension: 1, polynomial_size: 256, ..BOOLEAN_DEFAULT };
    let second = Parameters { order: phoca_tfhe::params::Order::KeySwitchFirst, ..first };
    for set in [first, second] {
        let limits = Limits::for_set(&set);
        let key = boolean::ClientKey::generate(&set)?;
        let back: boolean::ClientKey = load(bytes_of(&key)?.as_slice(), &limits)?;
        for value in [false, true] {
            for ciphertext in [key.encrypt(value), boolean::Ciphertext::trivial(value)] {
                let again: boolean::Ciphertext = load(bytes_of(&ciphertext)?.as_slice(), &limits)?;
                assert!(again == ciphertext && back.decrypt(&again) == value);
            }
        }
        let server = boolean::CompressedServerKey::generate(&key)?;
        assert_eq!(load::<boolean::CompressedServerKey>(bytes_of(&server)?.as_slice(), &limits)?, server);
    }
    Ok(())
}

#[test]
fn published_sets_keep_their_names() -> Result<(), Failure> {
    let bytes = bytes_of(&ClientKey::generate(MESSAGE_2_CARRY_2)?)?;
    let key: ClientKey = load(bytes.as_slice(), &Limits::any_set())?;
    assert_eq!(key.parameters(), &MESSAGE_2_CARRY_2);
    assert!(matches!(load::<ClientKey>(bytes.as_slice(), &Limits::for_set(&TOY)), Err(FileError::Set { .. })));
    Ok(())
}

#[test]
fn typed_keys_come_back() -> Result<(), Failure> {
    let config = phoca_tfhe::ConfigBuilder::with_custom_parameters(TOY).build();
    let key = phoca_tfhe::ClientKey::try_generate(config)?;
    let limits = Limits::for_set(&TOY);
    let back: phoca_tfhe::ClientKey = load(bytes_of(&key)?.as_slice(), &limits)?;
    let server = phoca_tfhe::CompressedServerKey::try_new(&key)?;
    let stored: phoca_tfhe::CompressedServerKey = load(bytes_of(&server)?.as_slice(), &limits)?;
    phoca_tfhe::set_server_key(stored.try_decompress()?);
    let sum = FheUint8::try_encrypt(200_u8, &key)?.try_add_clear(50_u8)?;
    let clear: u8 = sum.try_decrypt(&back)?;
    assert_eq!(clear, 250);
    Ok(())
}

#[test]
fn typed_integers_have_their_width() -> Result<(), Failure> {
    let limits = Limits::for_set(&TOY);
    let key = integer::ClientKey::generate(TOY)?;
    let four = bytes_of(&key.encrypt(&[5], 4)?)?;
    let eight = bytes_of(&key.encrypt(&[5], 8)?)?;
    let byte: FheUint8 = load(four.as_slice(), &limits)?;
    assert_eq!(key.decrypt(byte.as_radix())?, [5]);
    assert!(matches!(load::<FheInt8>(eight.as_slice(), &limits), Err(FileError::Damaged { .. })));
    Ok(())
}

#[test]
fn damaged_files_are_refused() -> Result<(), Failure> {
    let limits = Limits::for_set(&TOY);
    let key = ClientKey::generate(TOY)?;
    let ciphertext = key.encrypt(1)?;
    let bytes = bytes_of(&ciphertext)?;
    // Cut anywhere, it ends early.
    for length in (0..bytes.len()).step_by(97) {
        assert!(matches!(load::<Ciphertext>(&bytes[..length], &limits), Err(FileError::Io(_))), "{length} bytes");
    }
    let with = |at: usize, value: u8| {
        let mut damaged = bytes.clone();
        damaged[at] = value;
        load::<Ciphertext>(damaged.as_slice(), &limits)
    };
    assert!(matches!(with(0, b'X'), Err(FileError::Magic { .. })));
    assert!(matches!(with(8, 2), Err(FileError::Version { found: 2 })));
    assert!(matches!(with(10, 4), Err(FileError::Kind { expected: Kind::ShortInteger, found: 4 })));
    assert!(matches!(with(12, 1), Err(FileError::Damaged { .. })));
    assert!(matches!(with(16, bytes[16] - 8), Err(FileError::Damaged { .. })), "a payload that is too short");
    assert!(matches!(with(16, bytes[16] + 8), Err(FileError::Damaged { .. })), "a payload that is too long");
    assert!(matches!(with(23, 1), Err(FileError::TooLarge { .. })));
    assert!(matches!(with(24, 16), Err(FileError::Set { .. })), "a degree that does not fit");
    assert!(matches!(with(32, 6), Err(FileError::Set { .. })), "noise that does not fit");
    assert!(matches!(load::<Ciphertext>(bytes.as_slice(), &Limits::any_set()), Err(FileError::NoSet)));
    assert!(matches!(
        load::<Ciphertext>(bytes.as_slice(), &Limits::for_set(&MESSAGE_2_CARRY_2)),
        Err(FileError::Damaged { .. })
    ));
    Ok(())
}

#[test]
fn no_byte_of_a_parameter_set_can_do_harm() -> Result<(), Failure> {
    let bytes = bytes_of(&ClientKey::generate(TOY)?)?;
    for at in 24..80 {
        for value in [0, 1, 2, 31, 127, 128, 255] {
            let mut damaged = bytes.clone();
            damaged[at] = value;
            // It loads, or says why not; it must not panic or ask for memory that is not there.
            if let Ok(key) = load::<ClientKey>(damaged.as_slice(), &Limits::any_set()) {
                key.parameters().validate()?;
            }
        }
    }
    let mut huge = bytes;
    huge[24..28].copy_from_slice(&16_384_u32.to_le_bytes());
    assert!(matches!(load::<ClientKey>(huge.as_slice(), &Limits::any_set()), Err(FileError::Damaged { .. })));
    Ok(())
}
