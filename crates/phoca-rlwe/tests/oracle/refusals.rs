//! Refusals outside of the evaluator's operands: schemes, keys, encoders and parameters.

use num_complex::Complex64;
use phoca_ring::RingError;
use phoca_rlwe::{
    BatchEncoder, CkksEncoder, Decryptor, Encryptor, Error, GaloisSelection, KeyGenerator, ParameterError, Parameters,
    ParmsId, Plaintext, Scheme, Security,
};

use crate::errors::{fails, single, small};
use crate::parameters;
use crate::party::Party;

#[test]
fn operations_of_other_schemes_are_refused() {
    let party = Party::new(&small(Scheme::Ckks), 40);
    let (e, a) = (&party.evaluator, party.random_ciphertext());
    let (relin, galois) = (party.keys.relin_keys().unwrap(), party.keys.galois_keys(GaloisSelection::All).unwrap());
    let ckks = Scheme::Ckks;
    fails!(e.multiply_many(&[], &relin), Error::UnsupportedScheme { operation: "multiply_many", scheme } if scheme == ckks);
    fails!(e.exponentiate(&a, 0, &relin), Error::UnsupportedScheme { operation: "exponentiate", .. });
    fails!(e.rotate_rows(&a, 1, &galois), Error::UnsupportedScheme { operation: "rotate_rows", .. });
    fails!(e.rotate_columns(&a, &galois), Error::UnsupportedScheme { operation: "rotate_columns", .. });
    let plain = Plaintext::from_coefficients(&[1]);
    fails!(e.plain_to_ntt(&plain, a.parms_id()), Error::UnsupportedScheme { operation: "plain_to_ntt", .. });
    fails!(e.multiply_plain(&a, &plain), Error::UnsupportedScheme { .. });
    fails!(e.add_plain(&a, &plain), Error::FormMismatch { expected: "NTT", got: "coefficient", .. });
    fails!(party.encryptor.encrypt(&plain), Error::FormMismatch { expected: "NTT", got: "coefficient", .. });
    fails!(party.decryptor.invariant_noise_budget(&a), Error::UnsupportedScheme { operation: "the noise budget", .. });
    fails!(BatchEncoder::new(&party.context), Error::UnsupportedScheme { operation: "batching", .. });
    for scheme in parameters::EXACT {
        let party = Party::new(&small(scheme), 40);
        let (e, a) = (&party.evaluator, party.random_ciphertext());
        let galois = party.keys.galois_keys(GaloisSelection::All).unwrap();
        fails!(e.rescale_to_next(&a), Error::UnsupportedScheme { operation: "rescaling", scheme: s } if s == scheme);
        fails!(e.rescale_to(&a, a.parms_id()), Error::UnsupportedScheme { operation: "rescaling", .. });
        fails!(e.rotate_vector(&a, 1, &galois), Error::UnsupportedScheme { operation: "rotate_vector", .. });
        fails!(e.conjugate(&a, &galois), Error::UnsupportedScheme { operation: "conjugation", .. });
        fails!(CkksEncoder::new(&party.context), Error::UnsupportedScheme { operation: "the CKKS encoding", .. });
    }
}

#[test]
fn empty_products_and_sums_are_refused() {
    for scheme in parameters::EXACT {
        let party = Party::new(&small(scheme), 41);
        let (e, a) = (&party.evaluator, party.random_ciphertext());
        let relin = party.keys.relin_keys().unwrap();
        fails!(e.exponentiate(&a, 0, &relin), Error::ZeroExponent);
        fails!(e.exponentiate_assign(&mut a.clone(), 0, &relin), Error::ZeroExponent);
        fails!(e.multiply_many(&[], &relin), Error::EmptyInput { operation: "multiply_many" });
        fails!(e.add_many(&[]), Error::EmptyInput { operation: "add_many" });
    }
}

#[test]
fn one_prime_has_no_key_switching() {
    for scheme in parameters::ALL {
        let (party, other) = (Party::new(&single(scheme), 42), Party::new(&small(scheme), 42));
        assert!(!party.context.supports_key_switching());
        fails!(party.keys.relin_keys(), Error::KeySwitchingUnsupported);
        fails!(party.keys.galois_keys(GaloisSelection::All), Error::KeySwitchingUnsupported);
        let three = party.random_of_size(3);
        let relin = other.keys.relin_keys().unwrap();
        fails!(party.evaluator.relinearize(&three, &relin), Error::KeySwitchingUnsupported);
        let galois = other.keys.galois_keys(GaloisSelection::All).unwrap();
        let two = party.random_of_size(2);
        fails!(party.evaluator.apply_galois(&two, 3, &galois), Error::KeySwitchingUnsupported);
        fails!(party.evaluator.mod_switch_to_next(&two), Error::EndOfChain);
    }
}

/// The key level is above the keys' own digits: there is nothing to switch with.
#[test]
fn ciphertexts_of_the_key_level_cannot_be_switched() {
    for scheme in parameters::ALL {
        let party = Party::new(&small(scheme), 43);
        let top = party.encryptor.encrypt_zero_at(party.context.key_level().parms_id()).unwrap();
        let galois = party.keys.galois_keys(GaloisSelection::All).unwrap();
        fails!(party.evaluator.apply_galois(&top, 15, &galois), Error::KeySwitchingAtKeyLevel);
        let product = party.evaluator.square(&top).unwrap();
        let relin = party.keys.relin_keys().unwrap();
        fails!(party.evaluator.relinearize(&product, &relin), Error::KeySwitchingAtKeyLevel);
        // A rotation by 0 switches no key, so it takes what others refuse, one by one and together.
        assert_eq!(party.evaluator.rotate_many(&top, &[0, 0], &galois).unwrap(), [top.clone(), top.clone()]);
        assert_eq!(party.evaluator.rotate_many(&product, &[0], &galois).unwrap(), core::slice::from_ref(&product));
        fails!(party.evaluator.rotate_many(&top, &[0, 1], &galois), Error::KeySwitchingAtKeyLevel);
        fails!(party.evaluator.rotate_many(&product, &[0, 1], &galois), Error::SizeOutOfRange { got: 3, .. });
    }
}

#[test]
fn keys_that_do_not_fit_are_refused() {
    for scheme in parameters::ALL {
        let (party, other) = (Party::new(&small(scheme), 44), Party::new(&single(scheme), 44));
        let (context, secret) = (&party.context, other.keys.secret_key().clone());
        fails!(
            Encryptor::new(context, other.public.clone()),
            Error::ParametersMismatch { object: "the public key", .. }
        );
        fails!(
            Encryptor::symmetric(context, secret.clone()),
            Error::ParametersMismatch { object: "the secret key", .. }
        );
        fails!(Decryptor::new(context, secret.clone()), Error::ParametersMismatch { object: "the secret key", .. });
        let generator = KeyGenerator::from_secret_key(context, secret);
        fails!(generator, Error::ParametersMismatch { object: "the secret key", .. });
        for power in [0, 1, 16, usize::MAX] {
            fails!(party.keys.relin_keys_up_to(power), Error::SizeOutOfRange { expected: "3 to 16", .. });
        }
        assert_eq!(party.keys.relin_keys_up_to(15).unwrap().len(), 14);
        for elements in [[3, 2], [2, 3], [3, 16], [3, 17], [1, u64::MAX]] {
            let keys = party.keys.galois_keys(GaloisSelection::Elements(&elements));
            fails!(keys, Error::Ring(RingError::InvalidGaloisElement { limit: 16, .. }));
        }
        let keys = party.keys.galois_keys(GaloisSelection::Steps(&[4]));
        fails!(keys, Error::Ring(RingError::InvalidRotation { step: 4, limit: 4 }));
        check_missing_keys(&party);
    }
}

fn check_missing_keys(party: &Party) {
    let public = Encryptor::new(&party.context, party.public.clone()).unwrap();
    let symmetric = Encryptor::symmetric(&party.context, party.keys.secret_key().clone()).unwrap();
    let (plain, level) = (party.random_plaintext(), party.context.last_level().parms_id());
    fails!(symmetric.encrypt(&plain), Error::MissingKey { kind: "public" });
    fails!(symmetric.encrypt_zero(), Error::MissingKey { kind: "public" });
    fails!(symmetric.encrypt_zero_at(level), Error::MissingKey { kind: "public" });
    fails!(public.encrypt_symmetric(&plain), Error::MissingKey { kind: "secret" });
    fails!(public.encrypt_zero_symmetric(), Error::MissingKey { kind: "secret" });
    fails!(public.encrypt_zero_symmetric_at(level), Error::MissingKey { kind: "secret" });
    fails!(public.encrypt_zero_at(ParmsId::ZERO), Error::ParametersMismatch { object: "the level", .. });
    fails!(symmetric.encrypt_zero_symmetric_at(ParmsId::ZERO), Error::ParametersMismatch { object: "the level", .. });
}

#[test]
fn batches_that_do_not_fit_are_refused() {
    let party = Party::new(&small(Scheme::Bgv), 45);
    let encoder = BatchEncoder::new(&party.context).unwrap();
    fails!(encoder.encode(&[0; 9]), Error::TooManyValues { capacity: 8, got: 9 });
    fails!(encoder.encode_signed(&[0; 9]), Error::TooManyValues { capacity: 8, got: 9 });
    fails!(encoder.encode(&[96, 97]), Error::ValueOutOfRange { index: 1, value: 97, minimum: 0, maximum: 96, .. });
    for value in [49, -49, i64::MIN, i64::MAX] {
        let result = encoder.encode_signed(&[48, -48, value]);
        fails!(result, Error::ValueOutOfRange { index: 2, value: v, minimum: -48, maximum: 48, .. } if v == value.into());
    }
    let long = Plaintext::from_coefficients(&[0; 9]);
    fails!(encoder.decode(&long), Error::TooManyValues { capacity: 8, got: 9 });
    let wrong = Plaintext::from_coefficients(&[97]);
    fails!(encoder.decode_signed(&wrong), Error::ValueOutOfRange { index: 0, value: 97, .. });
    for t in [2, 64, 97 * 193, 89] {
        let mut parameters = small(Scheme::Bfv);
        parameters.plain_modulus = t;
        let party = Party::new(&parameters, 45);
        assert_eq!((party.context.supports_batching(), party.context.slot_count()), (false, 0));
        fails!(BatchEncoder::new(&party.context), Error::BatchingUnsupported { plain_modulus, order: 16 } if plain_modulus == t);
        let keys = party.keys.galois_keys(GaloisSelection::All).unwrap();
        let a = party.random_ciphertext();
        fails!(party.evaluator.rotate_rows(&a, 1, &keys), Error::BatchingUnsupported { order: 16, .. });
        fails!(party.evaluator.rotate_columns(&a, &keys), Error::BatchingUnsupported { order: 16, .. });
    }
}

#[test]
fn numbers_that_do_not_fit_are_refused() {
    let party = Party::new(&small(Scheme::Ckks), 46);
    let encoder = CkksEncoder::new(&party.context).unwrap();
    let (level, last) = (party.context.first_level(), party.context.last_level());
    let (id, scale) = (level.parms_id(), 2_f64.powi(30));
    fails!(encoder.encode(&[0.0; 5], scale), Error::TooManyValues { capacity: 4, got: 5 });
    fails!(encoder.encode_at(&[0.0], scale, ParmsId::ZERO), Error::ParametersMismatch { object: "the level", .. });
    fails!(encoder.encode_integer(0, ParmsId::ZERO), Error::ParametersMismatch { object: "the level", .. });
    for value in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        fails!(encoder.encode(&[0.0, value], scale), Error::NotFinite { index: 1 });
        fails!(encoder.encode_complex(&[Complex64::new(0.0, value)], scale), Error::NotFinite { index: 0 });
        fails!(encoder.encode_scalar(value, scale, id), Error::NotFinite { index: 0 });
        fails!(encoder.encode_complex_scalar(value.into(), scale, id), Error::NotFinite { index: 0 });
    }
    for scale in [0.0, -0.0, -1.0, f64::NAN, f64::INFINITY, 1e-310] {
        let same = |s: f64| s.to_bits() == scale.to_bits();
        fails!(encoder.encode(&[1.0], scale), Error::InvalidScale { scale } if same(scale));
        fails!(encoder.encode_scalar(1.0, scale, id), Error::InvalidScale { scale } if same(scale));
    }
    // The scale leaves a bit for the sign.
    let bits = last.modulus_bits();
    let scale = 2_f64.powi(bits as i32 - 1);
    fails!(encoder.encode_at(&[0.0], scale, last.parms_id()), Error::ScaleOutOfRange { modulus_bits, .. } if modulus_bits == bits);
    assert!(encoder.encode_at(&[0.0], scale / 2.0, last.parms_id()).is_ok());
    fails!(encoder.encode_scalar(4.0, scale / 4.0, last.parms_id()), Error::EncodedTooLarge { modulus_bits, .. } if modulus_bits == bits);
    fails!(encoder.encode_integer(1 << (bits - 2), last.parms_id()), Error::EncodedTooLarge { value_bits, .. } if value_bits == bits - 1);
    fails!(encoder.encode_integer(i64::MIN, last.parms_id()), Error::EncodedTooLarge { value_bits: 64, .. });
}

/// Products past the range of doubles are too large for any modulus, however long the chain.
#[test]
fn numbers_past_the_doubles_are_refused() {
    let shapes: Vec<(u32, u8)> = (0..22).map(|i| (60, 10 * i)).collect();
    let long = parameters::parameters(Scheme::Ckks, 8, parameters::odd_chain(8, &shapes), 0);
    for parameters in [small(Scheme::Ckks), long] {
        let party = Party::new(&parameters, 47);
        let encoder = CkksEncoder::new(&party.context).unwrap();
        let id = party.context.first_level().parms_id();
        let scale = 2_f64.powi(60);
        for values in [[1e308, 0.0, 0.0, 0.0], [f64::MAX, -f64::MAX, f64::MAX, -f64::MAX], [f64::MAX; 4]] {
            fails!(encoder.encode(&values, scale), Error::EncodedTooLarge { .. });
            let complex = values.map(|value| Complex64::new(value, -value));
            fails!(encoder.encode_complex(&complex, scale), Error::EncodedTooLarge { .. });
        }
        fails!(encoder.encode_scalar(-1e300, scale, id), Error::EncodedTooLarge { .. });
        // Sums that overflow in both directions and are no numbers.
        fails!(encoder.encode(&[f64::MAX, -f64::MAX, -f64::MAX, f64::MAX], 4.0), Error::EncodedTooLarge { .. });
        fails!(encoder.encode_complex_scalar(1e300.into(), scale, id), Error::EncodedTooLarge { .. });
    }
}

fn invalid(change: impl Fn(&mut Parameters)) -> ParameterError {
    let mut parameters = small(Scheme::Bfv);
    change(&mut parameters);
    match parameters.builder().security(Security::Insecure).build() {
        Err(Error::InvalidParameters(cause)) => cause,
        other => panic!("{other:?}"),
    }
}

#[test]
fn invalid_parameters_name_the_cause() {
    use ParameterError as E;
    let chain = small(Scheme::Bfv).coeff_modulus;
    for degree in [0, 1, 3, 12, 1 << 18] {
        assert_eq!(invalid(|p| p.degree = degree), E::Degree { degree });
    }
    assert_eq!(invalid(|p| p.coeff_modulus.clear()), E::CoeffModulusCount { count: 0 });
    assert_eq!(invalid(|p| p.coeff_modulus = vec![17; 257]), E::CoeffModulusCount { count: 257 });
    assert_eq!(invalid(|p| p.coeff_modulus[2] = chain[0]), E::CoeffModulusRepeated { prime: chain[0] });
    assert_eq!(invalid(|p| p.coeff_modulus[1] = 1), E::CoeffModulusSize { value: 1, bits: 1 });
    let large = (1 << 60) + 1;
    assert_eq!(invalid(|p| p.coeff_modulus[1] = large), E::CoeffModulusSize { value: large, bits: 61 });
    assert_eq!(invalid(|p| p.coeff_modulus[1] = 33), E::CoeffModulusNotPrime { value: 33 });
    assert_eq!(invalid(|p| p.coeff_modulus[1] = 101), E::CoeffModulusNoNtt { prime: 101, order: 16 });
    let shared = 3 * chain[2];
    assert_eq!(
        invalid(|p| p.plain_modulus = shared),
        E::PlainModulusNotCoprime { plain_modulus: shared, prime: chain[2] }
    );
    for (plain_modulus, bits) in [(0, 0), (1, 1), (1 << 60, 61), (u64::MAX, 64)] {
        assert_eq!(invalid(|p| p.plain_modulus = plain_modulus), E::PlainModulusSize { plain_modulus, bits });
    }
    let tight = |p: &mut Parameters| (p.coeff_modulus, p.plain_modulus) = (vec![97], 98);
    assert_eq!(invalid(tight), E::PlainModulusTooLarge { plain_modulus: 98, modulus_bits: 7 });
    assert_eq!(invalid(|p| p.scheme = Scheme::Ckks), E::PlainModulusUnused { plain_modulus: 97 });
    let secure = small(Scheme::Bfv).build();
    fails!(
        secure,
        Error::InvalidParameters(E::Insecure { degree: 8, level: 128, max_bits: None, bits: 190..=195, .. })
    );
}
