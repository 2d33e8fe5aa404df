//! Broken files: each is refused with an error that names the field, never with a panic.

use std::io::{self, Read, Write};
use std::slice::from_ref;

use phoca_rlwe::seal::{Compression, FileError, Load, Modulus, SaveOptions, inspect};
use phoca_rlwe::{
    Ciphertext, GaloisKeys, KeyGenerator, Parameters, ParmsId, Plaintext, PublicKey, RelinKeys, Scheme, SecretKey,
};

use crate::raw::{self, RawCiphertext, Style, V4_1};
use crate::support::{COMPRESSIONS, FULL, Objects, PLAIN, SCHEMES, context, saved};

/// What loading says, for an object of any type.
type Loader<'a> = Box<dyn Fn(&[u8]) -> Result<Vec<u8>, FileError> + 'a>;

/// A loader that gives the object's full form.
fn loader<'a, T: Load>(objects: &'a Objects) -> Loader<'a> {
    Box::new(|bytes| Ok(saved(&T::load(bytes, &objects.context)?, &FULL)))
}

/// Every kind of object with its loader.
fn files<'a>(objects: &'a Objects, options: &SaveOptions) -> Vec<(Vec<u8>, Loader<'a>)> {
    vec![
        (saved(&Modulus(65_537), options), Box::new(|bytes| Ok(saved(&Modulus::load(bytes)?, &FULL)))),
        (saved(objects.context.parameters(), options), Box::new(|bytes| Ok(saved(&Parameters::load(bytes)?, &FULL)))),
        (saved(&objects.plaintext, options), loader::<Plaintext>(objects)),
        (saved(&objects.secret_key, options), loader::<SecretKey>(objects)),
        (saved(&objects.public_key, options), loader::<PublicKey>(objects)),
        (saved(&objects.relin_keys, options), loader::<RelinKeys>(objects)),
        (saved(&objects.galois_keys, options), loader::<GaloisKeys>(objects)),
        (saved(&objects.ciphertext, options), loader::<Ciphertext>(objects)),
        (saved(&objects.seeded, options), loader::<Ciphertext>(objects)),
        (saved(&objects.product, options), loader::<Ciphertext>(objects)),
    ]
}

/// The message of the error that loading must give.
#[track_caller]
fn refusal<T: Load>(objects: &Objects, bytes: &[u8]) -> String {
    match T::load(bytes, &objects.context) {
        Ok(_) => panic!("a broken file was loaded"),
        Err(error) => error.to_string(),
    }
}

#[track_caller]
fn assert_contains(message: &str, parts: &[&str]) {
    for part in parts {
        assert!(message.contains(part), "{message:?} does not name {part:?}");
    }
}

#[test]
fn every_cut_is_refused() {
    for scheme in SCHEMES {
        let objects = Objects::new(scheme, 8, 3);
        for compression in COMPRESSIONS {
            for (file, load) in files(&objects, &SaveOptions { compression, ..PLAIN }) {
                assert!(load(&file).is_ok() && inspect(file.as_slice()).is_ok());
                for len in 0..file.len() {
                    let error = load(&file[..len]).unwrap_err();
                    assert!(matches!(error, FileError::Truncated { .. }), "{len} bytes: {error}");
                    assert!(matches!(inspect(&file[..len]), Err(FileError::Truncated { .. })));
                }
            }
        }
    }
}

#[test]
fn every_flipped_bit_gives_an_error_or_a_valid_object() {
    for scheme in SCHEMES {
        let objects = Objects::new(scheme, 8, 3);
        // Decompression does not depend on the scheme.
        let compressions = if scheme == Scheme::Bgv { &COMPRESSIONS[..] } else { &COMPRESSIONS[..1] };
        for &compression in compressions {
            for (mut file, load) in files(&objects, &SaveOptions { compression, ..PLAIN }) {
                for bit in 0..8 * file.len() {
                    file[bit / 8] ^= 1 << (bit % 8);
                    if let Ok(full) = load(&file) {
                        assert_eq!(load(&full).unwrap(), full, "bit {bit}");
                    }
                    // Most flips in words are invisible without a context: it must only not panic.
                    drop(inspect(file.as_slice()));
                    file[bit / 8] ^= 1 << (bit % 8);
                }
            }
        }
    }
}

/// Only words, seeds, reserved bytes and readable versions can change without a context's noticing.
#[test]
fn flips_outside_of_words_are_all_refused() {
    let objects = Objects::new(Scheme::Bfv, 8, 3);
    let mut file = saved(&objects.ciphertext, &PLAIN);
    let nested = 16 + 73;
    for bit in 0..8 * (nested + 24) {
        let byte = bit / 8;
        let reserved = matches!(byte, 6 | 7) || matches!(byte - nested.min(byte), 6 | 7) && byte > nested;
        let version = byte == 4 || byte == nested + 4;
        // The form: BFV ciphertexts have both.
        if reserved || version || bit == 8 * (16 + 32) {
            continue;
        }
        file[byte] ^= 1 << (bit % 8);
        assert!(Ciphertext::load(file.as_slice(), &objects.context).is_err(), "bit {bit} of byte {byte}");
        file[byte] ^= 1 << (bit % 8);
    }
}

#[test]
fn our_writer_agrees_with_the_second_one() {
    for scheme in SCHEMES {
        let objects = Objects::new(scheme, 8, 3);
        for ciphertext in [&objects.ciphertext, &objects.seeded, &objects.product] {
            assert_eq!(saved(ciphertext, &FULL), RawCiphertext::of(ciphertext).bytes());
        }
        let parameters = objects.context.parameters();
        let primes = &parameters.coeff_modulus;
        assert_eq!(saved(parameters, &PLAIN), raw::parameters(V4_1, scheme as u8, 8, primes, parameters.plain_modulus));
        let plaintext = &objects.plaintext;
        let array = raw::array(V4_1, plaintext.len() as u64, plaintext.words());
        let count = plaintext.len() as u64;
        assert_eq!(
            saved(plaintext, &PLAIN),
            raw::plaintext(V4_1, plaintext.parms_id(), count, plaintext.scale(), &array)
        );
        let digits = |power| objects.relin_keys.key(power).unwrap().digits();
        let raw_digits = |power| {
            let digits = digits(power).iter();
            digits.map(|digit| RawCiphertext::of(digit.as_ciphertext()).bytes()).collect()
        };
        let entries = [raw_digits(2), raw_digits(3)];
        let id = objects.relin_keys.parms_id();
        assert_eq!(saved(&objects.relin_keys, &FULL), raw::key_switch_keys(V4_1, id, 2, &entries));
    }
}

#[test]
fn exactly_the_known_versions_are_read() {
    let objects = Objects::new(Scheme::Bfv, 8, 3);
    let plaintext = Plaintext::from_coefficients(&[7]);
    for major in 0..=255 {
        for minor in 0..=255 {
            let style = Style::Version(major, minor);
            let known = matches!((major, minor), (3, 4..=7) | (4, 0..=4));
            let inner = raw::array(style, 1, &[7]);
            let all = raw::plaintext(style, ParmsId::ZERO, 1, 1.0, &inner);
            let nested = raw::plaintext(V4_1, ParmsId::ZERO, 1, 1.0, &inner);
            for file in [all, nested] {
                match Plaintext::load(file.as_slice(), &objects.context) {
                    Ok(loaded) => assert!(known && loaded == plaintext),
                    Err(error) => {
                        assert!(!known, "{error}");
                        assert_contains(
                            &error.to_string(),
                            &["incompatible version", &format!("{major}.{minor}"), "4.4"],
                        );
                    }
                }
            }
        }
    }
}

#[test]
fn headers_are_checked_in_order() {
    let context = context(Scheme::Bfv, 8, 3);
    let load = |header: &[u8]| Plaintext::load([header, &[0; 80]].concat().as_slice(), &context).unwrap_err();
    let error = load(b"%PDF-1.7, not an object");
    assert!(matches!(error, FileError::Version { has_magic: false, .. }));
    assert_contains(&error.to_string(), &["not an object of SEAL", "byte 0"]);
    let good = raw::header(V4_1, 0, 96);
    for (byte, value, part) in [(0, 0x5f, "5e a1"), (2, 15, "16"), (5, 3, "compression")] {
        let mut header = good.clone();
        header[byte] = value;
        assert_contains(&load(&header).to_string(), &["header of the plaintext", part]);
    }
    for size in [0, 1, 15] {
        assert!(matches!(load(&raw::header(V4_1, 0, size)), FileError::Size { declared, .. } if declared == size));
    }
    // A header of SEAL 3.4 knows zlib only.
    assert!(matches!(load(&raw::header(Style::Legacy, 2, 96)), FileError::Version { .. } | FileError::Header { .. }));
}

#[test]
fn sizes_must_be_what_the_members_take() {
    let objects = Objects::new(Scheme::Ckks, 8, 3);
    for (file, load) in files(&objects, &PLAIN) {
        let real = file.len() as u64;
        for size in [16, 17, real - 8, real - 1, real + 1, real + 8, u64::MAX] {
            let mut file = file.clone();
            file[8..16].copy_from_slice(&size.to_le_bytes());
            file.extend([0; 8]);
            let error = load(&file).unwrap_err();
            // Where the outer size ends inside of a nested object, its header is the first that does not fit.
            assert!(matches!(error, FileError::Size { .. }), "{size}: {error}");
        }
    }
}

#[test]
fn each_field_of_a_ciphertext_is_named() {
    let objects = Objects::new(Scheme::Bgv, 8, 3);
    let good = RawCiphertext::of(&objects.ciphertext);
    let context = &objects.context;
    assert!(Ciphertext::load(good.bytes().as_slice(), context).is_ok());
    let check = |change: &dyn Fn(&mut RawCiphertext), parts: &[&str]| {
        let mut broken = good.clone();
        change(&mut broken);
        let message = refusal::<Ciphertext>(&objects, &broken.bytes());
        assert_contains(&message, parts);
    };
    check(&|c| c.id.0[3] ^= 1, &["field parms_id of the ciphertext", "byte 16", "none of the context's levels"]);
    check(&|c| c.id = context.key_level().parms_id(), &["field parms_id", "level 2", "below the key level"]);
    check(&|c| c.id = ParmsId::ZERO, &["field parms_id"]);
    check(&|c| c.ntt_form = 2, &["field is_ntt_form", "2", "0 or 1", "byte 48"]);
    check(&|c| c.size = 1, &["field size", "it is 1", "0 or 2 to 16"]);
    check(&|c| c.size = 17, &["field size", "it is 17", "0 or 2 to 16", "byte 49"]);
    check(&|c| c.size = u64::MAX, &["field size"]);
    check(&|c| c.degree = 16, &["field poly_modulus_degree", "it is 16", "8"]);
    check(&|c| c.prime_count = 3, &["field coeff_modulus_size", "it is 3", "2"]);
    check(&|c| c.scale = 2.0, &["field scale", "2e0", "exactly 1"]);
    check(&|c| c.correction_factor = 0, &["field correction_factor", "1 to 12288"]);
    check(&|c| c.correction_factor = 12_289, &["field correction_factor", "12289"]);
    check(&|c| c.count -= 1, &["field count of the polynomial array", "31", "32 words, or 16 before a seed"]);
    check(&|c| c.count = 1 << 40, &["field count", "1099511627776"]);
    check(&|c| c.size = 3, &["field count", "48 words"]);
    check(&|c| c.size = 0, &["field count", "0 words"]);
    let modulus = context.parameters().coeff_modulus[1];
    check(&|c| c.words[9] = modulus, &["field words", "word 9", &modulus.to_string()]);
    check(&|c| c.words[31] = u64::MAX, &["word 31", "byte 113"]);
    check(&|c| c.tail.push(0), &["field end of the ciphertext", "370", "take 369"]);
}

#[test]
fn schemes_have_their_own_ranges() {
    for scheme in [Scheme::Bfv, Scheme::Ckks] {
        let objects = Objects::new(scheme, 8, 3);
        let mut broken = RawCiphertext::of(&objects.ciphertext);
        broken.correction_factor = 2;
        assert_contains(&refusal::<Ciphertext>(&objects, &broken.bytes()), &["correction_factor", "1 outside of BGV"]);
    }
    let objects = Objects::new(Scheme::Ckks, 8, 3);
    for scale in [0.0, -1.0, f64::NAN, f64::INFINITY, f64::MIN_POSITIVE / 2.0] {
        let mut broken = RawCiphertext::of(&objects.ciphertext);
        broken.scale = scale;
        assert_contains(&refusal::<Ciphertext>(&objects, &broken.bytes()), &["field scale", "positive normal"]);
    }
    // With t = 6 the factor 2 has no inverse.
    let parameters = Parameters { plain_modulus: 6, ..Objects::new(Scheme::Bgv, 8, 3).context.parameters().clone() };
    let context = parameters.builder().security(phoca_rlwe::Security::Insecure).build().unwrap();
    let encryptor =
        phoca_rlwe::Encryptor::symmetric(&context, KeyGenerator::new(&context).unwrap().secret_key().clone());
    let mut file = RawCiphertext::of(&encryptor.unwrap().encrypt_zero_symmetric().unwrap());
    for (factor, valid) in [(1, true), (2, false), (3, false), (4, false), (5, true)] {
        file.correction_factor = factor;
        assert_eq!(Ciphertext::load(file.bytes().as_slice(), &context).is_ok(), valid);
    }
}

#[test]
fn each_field_of_a_plaintext_is_named() {
    let objects = Objects::new(Scheme::Bfv, 8, 3);
    let level = objects.context.first_level();
    let array = |words: &[u64]| raw::array(V4_1, words.len() as u64, words);
    let check = |id, count, scale, array: &[u8], parts: &[&str]| {
        let file = raw::plaintext(V4_1, id, count, scale, array);
        assert_contains(&refusal::<Plaintext>(&objects, &file), parts);
    };
    check(ParmsId::ZERO, 9, 1.0, &array(&[0; 9]), &["field coeff_count of the plaintext", "9", "at most 8"]);
    check(ParmsId::ZERO, 1 << 61, 1.0, &array(&[0; 8]), &["field coeff_count"]);
    check(ParmsId::ZERO, 8, 0.5, &array(&[0; 8]), &["field scale", "5e-1"]);
    check(ParmsId::ZERO, 7, 1.0, &array(&[0; 8]), &["field count of the coefficient array", "it is 8", "7"]);
    check(ParmsId::ZERO, 2, 1.0, &array(&[0, 12_289]), &["word 1", "12289"]);
    check(level.parms_id(), 8, 1.0, &array(&[0; 8]), &["field coeff_count", "it is 8", "16"]);
    let key_level = objects.context.key_level().parms_id();
    check(key_level, 24, 1.0, &array(&[0; 24]), &["field parms_id", "below the key level"]);
    let long = raw::header(V4_1, 0, 1 << 40);
    check(ParmsId::ZERO, 8, 1.0, &[long, vec![0; 72]].concat(), &["header of the coefficient array", "1099511627776"]);
    let short = raw::header(V4_1, 0, 20);
    check(ParmsId::ZERO, 8, 1.0, &[short, vec![0; 72]].concat(), &["field count", "20"]);
    // CKKS has no plaintexts in coefficient form.
    let objects = Objects::new(Scheme::Ckks, 8, 3);
    let file = raw::plaintext(V4_1, ParmsId::ZERO, 1, 1.0, &array(&[0]));
    assert_contains(&refusal::<Plaintext>(&objects, &file), &["field coeff_count", "at most 0"]);
}

#[test]
fn keys_must_be_at_the_key_level_in_ntt_form() {
    let objects = Objects::new(Scheme::Bfv, 8, 3);
    let good = RawCiphertext::of(objects.public_key.as_ciphertext());
    let check = |change: &dyn Fn(&mut RawCiphertext), parts: &[&str]| {
        let mut broken = good.clone();
        change(&mut broken);
        assert_contains(&refusal::<PublicKey>(&objects, &broken.bytes()), parts);
    };
    check(&|c| c.ntt_form = 0, &["field is_ntt_form of the public key", "1, as all keys"]);
    check(&|c| c.size = 3, &["field size", "it is 3", "2"]);
    let first = objects.context.first_level().parms_id();
    check(&|c| c.id = first, &["field parms_id", "level 1", "at the key level"]);
    let array = raw::array(V4_1, 16, &[0; 16]);
    let file = raw::plaintext(V4_1, first, 16, 1.0, &array);
    assert_contains(&refusal::<SecretKey>(&objects, &file), &["parms_id of the secret key", "at the key level"]);
    let file = raw::plaintext(V4_1, objects.public_key.parms_id(), 24, 1.0, &raw::array(V4_1, 24, &[u64::MAX; 24]));
    let message = refusal::<SecretKey>(&objects, &file);
    assert_contains(&message, &["word 0 is not below its modulus"]);
    assert!(!message.contains(&u64::MAX.to_string()), "words of a secret key are not told");
}

#[test]
fn key_switching_keys_name_the_entry() {
    let objects = Objects::new(Scheme::Ckks, 8, 3);
    let id = objects.relin_keys.parms_id();
    let digit = RawCiphertext::of(objects.public_key.as_ciphertext());
    let good = digit.bytes();
    let check = |id, outer, entries: &[Vec<Vec<u8>>], parts: &[&str]| {
        let file = raw::key_switch_keys(V4_1, id, outer, entries);
        assert_contains(&refusal::<RelinKeys>(&objects, &file), parts);
    };
    let pair = vec![good.clone(), good.clone()];
    let load = |file: &[u8]| RelinKeys::load(file, &objects.context);
    assert!(load(&raw::key_switch_keys(V4_1, id, 1, from_ref(&pair))).is_ok());
    check(id, 15, &[], &["field outer count of the relinearization keys", "15", "at most 14"]);
    check(id, 1, &[vec![good.clone()]], &["field inner count", "it is 1", "0, or 2"]);
    check(objects.ciphertext.parms_id(), 1, from_ref(&pair), &["field parms_id", "key level"]);
    let mut newer = digit.clone();
    newer.style = Style::Version(5, 1);
    let broken = vec![good.clone(), newer.bytes()];
    check(id, 2, &[pair, broken], &["header of the public key at entry 1, digit 1", "SEAL 5.1"]);
    let mut wrong = digit.clone();
    wrong.words[0] = u64::MAX;
    let broken = vec![good.clone(), wrong.bytes()];
    check(id, 1, &[broken], &["words of the polynomial array at entry 0, digit 1"]);
    let mut compressed = good.clone();
    compressed[5] = 2;
    check(id, 1, &[vec![compressed, good.clone()]], &["entry 0, digit 0", "only the outermost object"]);
    let file = raw::key_switch_keys(V4_1, id, 9, &[]);
    assert_contains(&refusal::<GaloisKeys>(&objects, &file), &["outer count of the Galois keys", "at most 8"]);

    let one_prime = context(Scheme::Ckks, 8, 1);
    let error = RelinKeys::load(saved(&objects.relin_keys, &PLAIN).as_slice(), &one_prime).unwrap_err();
    assert!(matches!(error, FileError::KeySwitchingUnsupported { .. }));
}

#[test]
fn parameters_are_checked_as_far_as_they_go() {
    let primes = [65_537, 97];
    let load = |file: Vec<u8>| Parameters::load(file.as_slice());
    assert!(load(raw::parameters(V4_1, 1, 8, &primes, 17)).is_ok());
    let check = |file: Vec<u8>, parts: &[&str]| assert_contains(&load(file).unwrap_err().to_string(), parts);
    check(raw::parameters(V4_1, 0, 8, &primes, 17), &["field scheme of the parameters", "number 0", "BFV"]);
    check(raw::parameters(V4_1, 4, 8, &primes, 17), &["field scheme", "number 4"]);
    check(raw::parameters(V4_1, 1, 12, &primes, 17), &["field poly_modulus_degree", "12", "power of two"]);
    check(raw::parameters(V4_1, 1, 1 << 18, &primes, 17), &["field poly_modulus_degree", "at most 131072"]);
    check(raw::parameters(V4_1, 1, 8, &[3; 257], 17), &["field coeff_modulus_size", "257", "at most 256"]);
    check(raw::parameters(V4_1, 1, 8, &[1], 17), &["field value of the coefficient modulus", "it is 1"]);
    check(raw::parameters(V4_1, 1, 8, &primes, 1 << 61), &["field value of the plain modulus"]);
}

#[test]
fn unknown_generators_are_refused() {
    let objects = Objects::new(Scheme::Bfv, 8, 3);
    for generator in [0, 3, 255] {
        let file = RawCiphertext::of(&objects.seeded).seeded(raw::seed(V4_1, generator, &[0; 64])).bytes();
        assert_contains(&refusal::<Ciphertext>(&objects, &file), &["prng_type of the seed", "BLAKE2Xb"]);
    }
    let mut short = raw::seed(V4_1, 1, &[0; 64]);
    short.pop();
    short[8] -= 1;
    let file = RawCiphertext::of(&objects.seeded).seeded(short).bytes();
    assert_contains(&refusal::<Ciphertext>(&objects, &file), &["field seed of the seed"]);
}

/// A compressed object with a body that is not what a writer would make.
fn compressed(compression: Compression, body: &[u8], junk: &[u8]) -> Vec<u8> {
    let stream = match compression {
        Compression::None => panic!("not a compression"),
        Compression::Zlib => {
            let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::best());
            encoder.write_all(body).unwrap();
            encoder.finish().unwrap()
        }
        Compression::Zstd => zstd::bulk::compress(body, 3).unwrap(),
    };
    let len = 16 + stream.len() + junk.len();
    [&raw::header(V4_1, compression as u8, len as u64), &stream, junk].concat()
}

#[test]
fn bytes_after_a_stream_are_skipped_and_bytes_inside_are_not() {
    let objects = Objects::new(Scheme::Bfv, 8, 3);
    let body = &saved(&objects.ciphertext, &PLAIN)[16..];
    for compression in [Compression::Zlib, Compression::Zstd] {
        let mut file = compressed(compression, body, b"junk that is skipped");
        file.extend(b"next");
        let mut reader = file.as_slice();
        assert!(Ciphertext::load(&mut reader, &objects.context).unwrap() == objects.ciphertext);
        assert_eq!(reader, b"next");
        let mut reader = file.as_slice();
        assert!(inspect(&mut reader).is_ok());
        assert_eq!(reader, b"next");

        for (more, long) in [(&[0][..], true), (&[], false)] {
            let file = compressed(compression, &[body, more].concat(), &[]);
            let result = Ciphertext::load(file.as_slice(), &objects.context);
            assert_eq!(matches!(result, Err(FileError::LongStream { .. })), long);
        }
        let file = compressed(compression, &body[..body.len() - 1], b"junk");
        let error = Ciphertext::load(file.as_slice(), &objects.context).unwrap_err();
        assert!(matches!(error, FileError::Truncated { .. }), "{error}");
    }
}

/// Counts what is read.
struct Counted<R> {
    reader: R,
    read: usize,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let read = self.reader.read(out)?;
        self.read += read;
        Ok(read)
    }
}

/// A gigabyte of zeros in one and a half million (zlib) or thirty thousand bytes (Zstandard).
#[test]
fn zip_bombs_are_not_inflated() {
    let objects = Objects::new(Scheme::Bfv, 8, 3);
    let members = &saved(&objects.plaintext, &PLAIN)[16..];
    let zeros = vec![0; 1 << 20];
    let mut zlib = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::fast());
    let mut zstd = zstd::stream::write::Encoder::new(Vec::new(), 1).unwrap();
    zlib.write_all(members).unwrap();
    zstd.write_all(members).unwrap();
    for _ in 0..256 {
        zlib.write_all(&zeros).unwrap();
        zstd.write_all(&zeros).unwrap();
    }
    for (compression, stream) in [(1, zlib.finish().unwrap()), (2, zstd.finish().unwrap())] {
        let file = [raw::header(V4_1, compression, 16 + stream.len() as u64), stream].concat();
        let mut reader = Counted { reader: file.as_slice(), read: 0 };
        let error = Plaintext::load(&mut reader, &objects.context).unwrap_err();
        assert!(matches!(error, FileError::LongStream { .. }), "{error}");
        assert!(reader.read <= 16 + (1 << 16), "{} bytes were read", reader.read);
        assert!(matches!(inspect(file.as_slice()), Err(FileError::LongStream { .. })));
    }
}

/// A hundred megabytes of keys without a secret, every word zero, in a hundred thousand bytes (zlib) or ten thousand
/// (Zstandard). At the largest parameters as many bytes would ask for gigabytes.
#[test]
fn lists_of_keys_that_compress_too_well_are_refused() {
    let objects = Objects::new(Scheme::Ckks, 1024, 3);
    let mut digit = RawCiphertext::of(objects.public_key.as_ciphertext());
    digit.words.fill(0);
    let (id, digit) = (digit.id, digit.bytes());
    let entry = [&raw::words(&[2])[..], &digit, &digit].concat();
    let mut zlib = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::fast());
    let mut zstd = zstd::stream::write::Encoder::new(Vec::new(), 1).unwrap();
    let head = [raw::words(&id.0), raw::words(&[1024])].concat();
    for part in [&head].into_iter().chain(std::iter::repeat_n(&entry, 1024)) {
        zlib.write_all(part).unwrap();
        zstd.write_all(part).unwrap();
    }
    for (compression, stream) in [(1, zlib.finish().unwrap()), (2, zstd.finish().unwrap())] {
        let file = [raw::header(V4_1, compression, 16 + stream.len() as u64), stream].concat();
        let loaded = GaloisKeys::load(file.as_slice(), &objects.context).map(drop);
        for error in [loaded, inspect(file.as_slice()).map(drop)].map(Result::unwrap_err) {
            assert!(
                matches!(&error, FileError::CorruptStream { cause, .. } if cause.contains("bytes of keys")),
                "{error}"
            );
            assert_contains(&error.to_string(), &["at entry 6", "digit"]);
        }
    }
    // What real keys of this size compress to is far from the limit.
    for compression in [Compression::Zlib, Compression::Zstd] {
        let file = saved(&objects.galois_keys, &SaveOptions { compression, ..FULL });
        assert!(saved(&objects.galois_keys, &FULL).len() < 3 * file.len());
    }
}

#[test]
fn windows_above_8_mib_are_refused() {
    let objects = Objects::new(Scheme::Bfv, 8, 3);
    let members = &saved(&objects.plaintext, &PLAIN)[16..];
    for (window_log, refused) in [(23, false), (24, true), (27, true)] {
        let mut encoder = zstd::stream::write::Encoder::new(Vec::new(), 3).unwrap();
        encoder.window_log(window_log).unwrap();
        encoder.write_all(members).unwrap();
        let stream = encoder.finish().unwrap();
        let file = [raw::header(V4_1, 2, 16 + stream.len() as u64), stream].concat();
        match Plaintext::load(file.as_slice(), &objects.context) {
            Ok(plaintext) => assert!(!refused && plaintext == objects.plaintext),
            Err(FileError::CorruptStream { cause, .. }) => assert!(refused && cause.contains("memory"), "{cause}"),
            Err(error) => panic!("{error}"),
        }
    }
}

#[test]
fn streams_of_another_kind_are_corrupt() {
    let objects = Objects::new(Scheme::Bfv, 8, 3);
    for compression in [Compression::Zlib, Compression::Zstd] {
        let mut file = saved(&objects.plaintext, &SaveOptions { compression, ..PLAIN });
        file[5] = 3 - file[5];
        let error = Plaintext::load(file.as_slice(), &objects.context).unwrap_err();
        assert!(matches!(error, FileError::CorruptStream { .. }), "{error}");
        // The checksum of zlib is part of the stream.
        if compression == Compression::Zlib {
            file[5] = 1;
            *file.last_mut().unwrap() ^= 1;
            let error = Plaintext::load(file.as_slice(), &objects.context).unwrap_err();
            assert!(matches!(error, FileError::CorruptStream { .. }), "{error}");
        }
    }
}

#[test]
fn readers_that_fail_are_reported_with_the_field() {
    struct Failing<'a>(&'a [u8]);
    impl Read for Failing<'_> {
        fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
            match self.0.read(out)? {
                0 => Err(io::Error::other("the disk is gone")),
                read => Ok(read),
            }
        }
    }
    let objects = Objects::new(Scheme::Bfv, 8, 3);
    for compression in COMPRESSIONS {
        let file = saved(&objects.ciphertext, &SaveOptions { compression, ..PLAIN });
        assert!(Ciphertext::load(Failing(&file), &objects.context).is_ok());
        for len in [0, 10, 16, 40, file.len() - 1] {
            let error = Ciphertext::load(Failing(&file[..len]), &objects.context).unwrap_err();
            assert!(matches!(error, FileError::Read { .. }), "{error}");
            assert_contains(&error.to_string(), &["the disk is gone"]);
        }
    }
}

/// Files of SEAL 3: no correction factor, other seeds, and in 3.4 another header.
#[test]
fn files_of_seal_3_load() {
    use phoca_ring::random::{SealGenerator, SealStream, Seed};
    use phoca_ring::sample::{uniform_seal, uniform_seal_3_4, uniform_seal_3_5};

    for scheme in [Scheme::Bfv, Scheme::Ckks] {
        let objects = Objects::new(scheme, 8, 3);
        let context = &objects.context;
        let seed_bytes: [u8; 64] = std::array::from_fn(|i| i as u8);
        let moduli = context.first_level().moduli();
        let bare = seed_bytes.to_vec();
        type Expand = fn(&mut SealStream, &[phoca_ring::Modulus], usize, &mut [u64]);
        let cases: [(Style, Expand, Vec<u8>); 5] = [
            (Style::Legacy, uniform_seal_3_4, bare.clone()),
            (Style::Version(3, 4), uniform_seal_3_4, bare.clone()),
            (Style::Version(3, 5), uniform_seal_3_5, bare),
            (Style::Version(3, 6), uniform_seal, raw::seed(Style::Version(3, 6), 1, &seed_bytes)),
            (Style::Version(3, 7), uniform_seal, raw::seed(Style::Version(3, 7), 2, &seed_bytes)),
        ];
        for (index, (style, expand, tail)) in cases.into_iter().enumerate() {
            let mut full = RawCiphertext::of(&objects.ciphertext);
            full.style = style;
            let loaded = Ciphertext::load(full.bytes().as_slice(), context).unwrap();
            assert!(loaded == objects.ciphertext);
            let found = inspect(full.bytes().as_slice()).unwrap();
            assert_eq!(found.header.major, 3);

            let file = RawCiphertext { ..full.clone() }.seeded(tail).bytes();
            assert_eq!(inspect(file.as_slice()).unwrap().uncompressed_len, file.len() as u64);
            let loaded = Ciphertext::load(file.as_slice(), context).unwrap();
            let generator = if index == 4 { SealGenerator::Shake256 } else { SealGenerator::Blake2xb };
            let mut stream = SealStream::new(generator, &Seed::from_bytes(seed_bytes));
            let mut expected = vec![0; full.words.len() / 2];
            expand(&mut stream, moduli, 8, &mut expected);
            assert_eq!(loaded.polynomial(1).unwrap(), expected);
            // Versions from 3.6 on expand as 4 does, so that the seed can be written again.
            assert_eq!(loaded.is_seeded(), index >= 3);
        }
        let file = raw::plaintext(Style::Legacy, ParmsId::ZERO, 0, 1.0, &raw::array(Style::Legacy, 0, &[]));
        assert!(Plaintext::load(file.as_slice(), context).unwrap().is_empty());
        let parameters = context.parameters();
        let primes = &parameters.coeff_modulus;
        let file = raw::parameters(Style::Legacy, scheme as u8, 8, primes, parameters.plain_modulus);
        assert_eq!(&Parameters::load(file.as_slice()).unwrap(), parameters);
        assert!(inspect(file.as_slice()).is_ok());
    }
}

#[test]
fn errors_become_errors_of_the_crate() {
    let error = Modulus::load(&[][..]).unwrap_err();
    let text = error.to_string();
    assert_eq!(text, "field header of the modulus (byte 0): the file ends inside of it; it was cut off");
    assert_eq!(phoca_rlwe::Error::from(error).to_string(), text);
}
