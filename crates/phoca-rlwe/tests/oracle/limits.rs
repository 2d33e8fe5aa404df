//! Arguments at the ends of their types: indices, sizes, exponents, scales and values.

use phoca_rlwe::noise::{Encryption, Magnitude, MessageBound, NoiseModel};
use phoca_rlwe::{CkksEncoder, Error, GaloisSelection, Parameters, Scheme, coeff_modulus};

use crate::errors::{fails, small};
use crate::parameters;
use crate::party::Party;

#[test]
fn there_are_no_polynomials_past_the_last() {
    for scheme in parameters::ALL {
        let ciphertext = Party::new(&small(scheme), 60).random_ciphertext();
        let words = ciphertext.degree() * ciphertext.prime_count();
        assert_eq!(ciphertext.polynomial(1), Some(&ciphertext.words()[words..]));
        for index in (1..usize::BITS).map(|bit| 1 << bit).chain([usize::MAX / words, usize::MAX]) {
            assert_eq!(ciphertext.polynomial(index), None, "{index}");
        }
    }
}

/// Each squaring doubles the exponents of the bounds.
#[test]
fn bounds_of_the_largest_powers_promise_nothing() {
    for scheme in parameters::EXACT {
        let party = Party::new(&small(scheme), 61);
        let relin = party.keys.relin_keys().unwrap();
        for exponent in [1 << 62, u64::MAX] {
            let power = party.evaluator.exponentiate(&party.random_ciphertext(), exponent, &relin).unwrap();
            assert_eq!(power.noise().worst_case(), Magnitude::INFINITE);
            assert_eq!(power.worst_case_budget(&party.context).unwrap(), 0.0);
            assert_eq!(power.likely_budget(&party.context).unwrap(), 0.0);
        }
    }
}

#[test]
fn nothing_is_known_of_ciphertexts_of_impossible_sizes() {
    for scheme in parameters::ALL {
        let party = Party::new(&small(scheme), 62);
        let (model, level) = (NoiseModel::new(&party.context), party.context.first_level());
        let fresh = model.fresh(level, Encryption::PublicKey, &MessageBound::ZERO);
        let next = party.context.next_level(level).unwrap();
        assert!(model.divided(&fresh, 16, next).is_known() && !model.divided(&fresh, usize::MAX, next).is_known());
        assert!(model.product(&fresh, 16, &fresh, 16, level).is_known());
        if scheme == Scheme::Bfv {
            assert!(!model.product(&fresh, usize::MAX, &fresh, usize::MAX, level).is_known());
        }
    }
}

fn wide_ckks() -> Parameters {
    parameters::parameters(Scheme::Ckks, 8, coeff_modulus::create(8, &[60; 20]).unwrap(), 0)
}

/// Scales may be far below 1; that they are all small does not make them equal.
#[test]
fn scales_below_one_agree_only_where_they_are_equal() {
    let party = Party::new(&wide_ckks(), 63);
    let encoder = CkksEncoder::new(&party.context).unwrap();
    let encoded = |scale: f64| encoder.encode(&[1e30, -3e30], scale).unwrap();
    let [a, b] = [1e-20, 2e-20].map(|scale| party.encrypt(&encoded(scale)));
    fails!(party.evaluator.add(&a, &b), Error::ScaleMismatch { left: 1e-20, right: 2e-20 });
    fails!(party.evaluator.sub(&b, &a), Error::ScaleMismatch { left: 2e-20, right: 1e-20 });
    fails!(party.evaluator.add_plain(&a, &encoded(2e-20)), Error::ScaleMismatch { left: 1e-20, right: 2e-20 });
    let sum = party.evaluator.add(&a, &party.encrypt(&encoded(1e-20))).unwrap();
    let values = encoder.decode(&party.decryptor.decrypt(&sum).unwrap()).unwrap();
    let bound = sum.worst_case_error(&party.context).unwrap();
    assert!((values[0] - 2e30).abs() <= bound && (values[1] + 6e30).abs() <= bound && bound < 1e24);
}

/// The squares of such values are no normal doubles.
#[test]
fn bounds_hold_for_values_whose_squares_vanish_or_overflow() {
    let party = Party::new(&wide_ckks(), 64);
    let (context, encoder) = (&party.context, CkksEncoder::new(&party.context).unwrap());
    let one = party.encrypt(&encoder.encode(&[1.0; 4], 1e20).unwrap());
    for (value, scale) in [(1e-170, 1e280), (1.7e-161, 1e280), (1e-150, 1e200), (1e160, 1e20), (1e200, 1e-10)] {
        let encoded = encoder.encode(&[value, -value], scale).unwrap();
        let message = encoded.message_bound().unwrap();
        assert!(message.canonical >= Magnitude::new(value) * Magnitude::new(scale * (1.0 - 1e-12)), "{value:e}");
        let product = party.evaluator.multiply(&party.encrypt(&encoded), &one).unwrap();
        let decoded = encoder.decode(&party.decryptor.decrypt(&product).unwrap()).unwrap();
        let error = (decoded[0] - value).abs().max((decoded[1] + value).abs());
        let bound = product.worst_case_error(context).unwrap() + value * 1e-13;
        assert!(error <= bound && bound < value * 1e-9, "{value:e}: {error:e} with a bound of {bound:e}");
    }
}

#[test]
fn key_switching_begins_at_the_first_data_level() {
    for scheme in parameters::ALL {
        let party = Party::new(&small(scheme), 65);
        let (e, key_level) = (&party.evaluator, party.context.key_level().parms_id());
        let (relin, galois) = (party.keys.relin_keys().unwrap(), party.keys.galois_keys(GaloisSelection::All).unwrap());
        let zero = party.encryptor.encrypt_zero_at(key_level).unwrap();
        let square = e.square(&zero).unwrap();
        fails!(e.relinearize(&square, &relin), Error::KeySwitchingAtKeyLevel);
        fails!(e.apply_galois(&zero, 3, &galois), Error::KeySwitchingAtKeyLevel);
        let square = e.relinearize(&e.mod_switch_to_next(&square).unwrap(), &relin).unwrap();
        let result = e.apply_galois(&square, 3, &galois).unwrap();
        assert_eq!(party.decryptor.decrypt(&result).unwrap().is_zero(), scheme != Scheme::Ckks);
    }
}
