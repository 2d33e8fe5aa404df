//! Every documented failure of the evaluator, with what it names; `both` sees to it that operands stay as they were.

use phoca_ring::RingError;
use phoca_rlwe::{
    Ciphertext, CkksEncoder, Error, GaloisKeys, GaloisSelection, Parameters, Plaintext, RelinKeys, Scheme, Security,
};

use crate::checks::{both, failure};
use crate::parameters;
use crate::party::Party;

/// Asserts that a result is this error.
macro_rules! fails {
    ($result:expr, $pattern:pat $(if $guard:expr)?) => {
        let error = $crate::checks::failure($result);
        assert!(matches!(error, $pattern $(if $guard)?), "{error:?} for {}", stringify!($result));
    };
}
pub(crate) use fails;

type Outcomes = Vec<(&'static str, Result<Ciphertext, Error>)>;

struct Keys {
    relin: RelinKeys,
    galois: GaloisKeys,
}

pub fn small(scheme: Scheme) -> Parameters {
    let chain = parameters::odd_chain(8, &[(50, 1), (45, 7), (40, 3), (60, 9)]);
    parameters::parameters(scheme, 8, chain, 97)
}

/// Parameters of one prime: no key switching, one level.
pub fn single(scheme: Scheme) -> Parameters {
    parameters::parameters(scheme, 8, parameters::odd_chain(8, &[(55, 80)]), 97)
}

fn keys(party: &Party) -> Keys {
    Keys { relin: party.keys.relin_keys().unwrap(), galois: party.keys.galois_keys(GaloisSelection::All).unwrap() }
}

/// What takes operands in the scheme's own form only, applied to `a` in both forms of the operation.
fn strict_operations(party: &Party, a: &Ciphertext, keys: &Keys) -> Outcomes {
    let e = &party.evaluator;
    let (own, last) = (party.random_ciphertext(), party.context.last_level().parms_id());
    let plain = party.random_plaintext();
    let mut outcomes: Outcomes = vec![
        ("multiply", both(a, |a| e.multiply(a, &own), |a| e.multiply_assign(a, &own))),
        ("square", both(a, |a| e.square(a), |a| e.square_assign(a))),
        ("relinearize", both(a, |a| e.relinearize(a, &keys.relin), |a| e.relinearize_assign(a, &keys.relin))),
        ("add_plain", both(a, |a| e.add_plain(a, &plain), |a| e.add_plain_assign(a, &plain))),
        ("sub_plain", both(a, |a| e.sub_plain(a, &plain), |a| e.sub_plain_assign(a, &plain))),
        ("galois", both(a, |a| e.apply_galois(a, 3, &keys.galois), |a| e.apply_galois_assign(a, 3, &keys.galois))),
    ];
    if party.scheme() == Scheme::Ckks {
        outcomes.extend([
            ("rescale", both(a, |a| e.rescale_to_next(a), |a| e.rescale_to_next_assign(a))),
            ("rescale_to", both(a, |a| e.rescale_to(a, last), |a| e.rescale_to_assign(a, last))),
            (
                "rotate",
                both(a, |a| e.rotate_vector(a, 1, &keys.galois), |a| e.rotate_vector_assign(a, 1, &keys.galois)),
            ),
            ("conjugate", both(a, |a| e.conjugate(a, &keys.galois), |a| e.conjugate_assign(a, &keys.galois))),
        ]);
        return outcomes;
    }
    outcomes.extend([
        ("switch", both(a, |a| e.mod_switch_to_next(a), |a| e.mod_switch_to_next_assign(a))),
        ("switch_to", both(a, |a| e.mod_switch_to(a, last), |a| e.mod_switch_to_assign(a, last))),
        ("rows", both(a, |a| e.rotate_rows(a, 1, &keys.galois), |a| e.rotate_rows_assign(a, 1, &keys.galois))),
        ("columns", both(a, |a| e.rotate_columns(a, &keys.galois), |a| e.rotate_columns_assign(a, &keys.galois))),
        ("power", both(a, |a| e.exponentiate(a, 2, &keys.relin), |a| e.exponentiate_assign(a, 2, &keys.relin))),
        ("many", e.multiply_many(&[a.clone(), own.clone()], &keys.relin)),
    ]);
    outcomes
}

/// What takes operands in both forms.
fn lax_operations(party: &Party, a: &Ciphertext) -> Outcomes {
    let e = &party.evaluator;
    let last = party.context.last_level().parms_id();
    let plain = party.random_plaintext();
    vec![
        ("negate", both(a, |a| e.negate(a), |a| e.negate_assign(a))),
        ("reduce", both(a, |a| e.mod_reduce_to_next(a), |a| e.mod_reduce_to_next_assign(a))),
        ("reduce_to", both(a, |a| e.mod_reduce_to(a, last), |a| e.mod_reduce_to_assign(a, last))),
        ("multiply_plain", both(a, |a| e.multiply_plain(a, &plain), |a| e.multiply_plain_assign(a, &plain))),
    ]
}

fn sums(party: &Party, a: &Ciphertext, b: &Ciphertext) -> Outcomes {
    let e = &party.evaluator;
    vec![
        ("add", both(a, |a| e.add(a, b), |a| e.add_assign(a, b))),
        ("sub", both(a, |a| e.sub(a, b), |a| e.sub_assign(a, b))),
        ("add_many", e.add_many(&[a.clone(), b.clone()])),
    ]
}

#[test]
fn operands_of_other_parameters_are_refused() {
    for scheme in parameters::ALL {
        let party = Party::new(&small(scheme), 20);
        let mut other = small(scheme);
        other.coeff_modulus.swap(0, 1);
        let other = Party::new(&other, 20);
        let (foreign, own, keys) = (other.random_ciphertext(), party.random_ciphertext(), keys(&party));
        let expected = party.context.key_level().parms_id();
        let is_refusal = |outcomes: Outcomes| {
            for (name, result) in outcomes {
                let error = failure(result);
                let named = matches!(error, Error::ParametersMismatch { expected: e, levels: 4, got, .. }
                    if e == expected && got == foreign.parms_id());
                assert!(named, "{name}: {error:?}");
            }
        };
        is_refusal(strict_operations(&party, &foreign, &keys));
        is_refusal(lax_operations(&party, &foreign));
        is_refusal(sums(&party, &own, &foreign));
        is_refusal(sums(&party, &foreign, &own));
        let e = &party.evaluator;
        is_refusal(vec![
            ("to_ntt", both(&foreign, |a| e.to_ntt(a), |a| e.to_ntt_assign(a))),
            ("from_ntt", both(&foreign, |a| e.from_ntt(a), |a| e.from_ntt_assign(a))),
            ("target", e.mod_switch_to(&own, foreign.parms_id())),
            ("target", e.mod_reduce_to(&own, foreign.parms_id())),
            ("add_many", e.add_many(core::slice::from_ref(&foreign))),
        ]);
        fails!(party.decryptor.decrypt(&foreign), Error::ParametersMismatch { object: "the ciphertext", .. });
        check_foreign_keys(&party, &other);
    }
}

fn check_foreign_keys(party: &Party, other: &Party) {
    let (e, own, foreign) = (&party.evaluator, party.random_ciphertext(), keys(other));
    for size in [2, 3] {
        let a = party.random_of_size(size);
        let relinearize = |a: &Ciphertext| e.relinearize(a, &foreign.relin);
        let result = both(&a, relinearize, |a| e.relinearize_assign(a, &foreign.relin));
        fails!(result, Error::ParametersMismatch { object: "the relinearization keys", .. });
    }
    fails!(e.apply_galois(&own, 3, &foreign.galois), Error::ParametersMismatch { object: "the Galois keys", .. });
}

#[test]
fn operands_of_different_levels_are_refused() {
    for scheme in parameters::ALL {
        let party = Party::new(&small(scheme), 21);
        let (a, e) = (party.random_of_size(2), &party.evaluator);
        let low = e.mod_reduce_to_next(&a).unwrap();
        for (left, right, levels) in [(&a, &low, (2, 1)), (&low, &a, (1, 2))] {
            let multiply = both(left, |a| e.multiply(a, right), |a| e.multiply_assign(a, right));
            for (_, result) in sums(&party, left, right).into_iter().chain([("multiply", multiply)]) {
                fails!(result, Error::LevelMismatch { left, right } if (left, right) == levels);
            }
        }
        let plain = match scheme {
            Scheme::Ckks => party.random_plaintext(),
            _ => e.plain_to_ntt(&party.random_plaintext(), a.parms_id()).unwrap(),
        };
        let multiply = |a: &Ciphertext| e.multiply_plain(a, &plain);
        let product = both(&low, multiply, |a| e.multiply_plain_assign(a, &plain));
        fails!(product, Error::LevelMismatch { left: 1, right: 2 });
        if scheme != Scheme::Bfv {
            let sum = both(&low, |a| e.add_plain(a, &plain), |a| e.add_plain_assign(a, &plain));
            fails!(sum, Error::LevelMismatch { left: 1, right: 2 });
            let difference = both(&low, |a| e.sub_plain(a, &plain), |a| e.sub_plain_assign(a, &plain));
            fails!(difference, Error::LevelMismatch { left: 1, right: 2 });
        }
    }
}

#[test]
fn operands_in_the_wrong_form_are_refused() {
    for scheme in parameters::ALL {
        let party = Party::new(&small(scheme), 22);
        let (a, e, keys) = (party.random_ciphertext(), &party.evaluator, keys(&party));
        let (other, expected) = match scheme {
            Scheme::Bfv => (e.to_ntt(&a).unwrap(), "coefficient"),
            _ => (e.from_ntt(&a).unwrap(), "NTT"),
        };
        for (name, result) in strict_operations(&party, &other, &keys) {
            let error = failure(result);
            let named = matches!(error, Error::FormMismatch { expected: e, got, .. } if e == expected && got != e);
            assert!(named, "{name}: {error:?}");
        }
        for (name, result) in sums(&party, &a, &other).into_iter().chain([("multiply", e.multiply(&a, &other))]) {
            let error = failure(result);
            assert!(matches!(error, Error::FormMismatch { expected: e, .. } if e == expected), "{name}: {error:?}");
        }
        fails!(party.decryptor.decrypt(&other), Error::FormMismatch { expected: e, .. } if e == expected);
        let again = match scheme {
            Scheme::Bfv => both(&other, |a| e.to_ntt(a), |a| e.to_ntt_assign(a)),
            _ => both(&other, |a| e.from_ntt(a), |a| e.from_ntt_assign(a)),
        };
        fails!(again, Error::FormMismatch { expected: e, .. } if e == expected);
        for (_, result) in lax_operations(&party, &other) {
            assert!(result.is_ok());
        }
    }
}

#[test]
fn plaintexts_that_do_not_fit_are_refused() {
    for scheme in parameters::EXACT {
        let party = Party::new(&small(scheme), 23);
        let (a, e) = (party.random_ciphertext(), &party.evaluator);
        let mut wrong = party.random_coefficients();
        wrong[5] = 97;
        let wrong = Plaintext::from_coefficients(&wrong);
        let long = Plaintext::from_coefficients(&[0; 9]);
        let attempts = |plain: &Plaintext| {
            vec![
                both(&a, |a| e.add_plain(a, plain), |a| e.add_plain_assign(a, plain)).map(drop),
                both(&a, |a| e.sub_plain(a, plain), |a| e.sub_plain_assign(a, plain)).map(drop),
                both(&a, |a| e.multiply_plain(a, plain), |a| e.multiply_plain_assign(a, plain)).map(drop),
                e.plain_to_ntt(plain, a.parms_id()).map(drop),
                party.encryptor.encrypt(plain).map(drop),
                party.encryptor.encrypt_symmetric(plain).map(drop),
            ]
        };
        for result in attempts(&wrong) {
            fails!(result, Error::ValueOutOfRange { index: 5, value: 97, minimum: 0, maximum: 96, plain_modulus: 97 });
        }
        for result in attempts(&long) {
            fails!(result, Error::TooManyValues { capacity: 8, got: 9 });
        }
        let plain = party.random_plaintext();
        let transformed = e.plain_to_ntt(&plain, a.parms_id()).unwrap();
        fails!(e.plain_to_ntt(&transformed, a.parms_id()), Error::FormMismatch { expected: "coefficient", .. });
        fails!(e.plain_to_ntt(&plain, Default::default()), Error::ParametersMismatch { object: "the level", .. });
        fails!(party.encryptor.encrypt(&transformed), Error::FormMismatch { expected: "coefficient", got: "NTT", .. });
        fails!(e.plain_mod_switch_to_next(&plain), Error::FormMismatch { expected: "NTT", .. });
        fails!(e.plain_mod_switch_to(&plain, a.parms_id()), Error::FormMismatch { expected: "NTT", .. });
        if scheme == Scheme::Bfv {
            fails!(e.add_plain(&a, &transformed), Error::FormMismatch { expected: "coefficient", .. });
        }
    }
}

#[test]
fn scales_that_do_not_fit_are_refused() {
    let party = Party::new(&small(Scheme::Ckks), 24);
    let e = &party.evaluator;
    let encoder = CkksEncoder::new(&party.context).unwrap();
    let a = party.random_ciphertext();
    let mut b = party.random_ciphertext();
    b.set_scale(a.scale() * 1.5);
    for (_, result) in sums(&party, &a, &b) {
        fails!(result, Error::ScaleMismatch { left, right } if (left, right) == (a.scale(), b.scale()));
    }
    let mut plain = party.random_plaintext();
    plain.set_scale(b.scale());
    for result in [
        both(&a, |a| e.add_plain(a, &plain), |a| e.add_plain_assign(a, &plain)),
        both(&a, |a| e.sub_plain(a, &plain), |a| e.sub_plain_assign(a, &plain)),
    ] {
        fails!(result, Error::ScaleMismatch { left, right } if (left, right) == (a.scale(), b.scale()));
    }
    // 135 bits of modulus; then 95 and 50.
    let mut large = a.clone();
    large.set_scale(2_f64.powi(120));
    let attempts = [
        both(&large, |a| e.multiply(a, &b), |a| e.multiply_assign(a, &b)),
        both(&large, |a| e.square(a), |a| e.square_assign(a)),
        both(&large, |a| e.multiply_plain(a, &plain), |a| e.multiply_plain_assign(a, &plain)),
    ];
    for result in attempts {
        fails!(result, Error::ScaleOutOfRange { modulus_bits, scale_bits: 135.. } if modulus_bits == party.level_of(&a).modulus_bits());
    }
    let low = party.context.last_level().parms_id();
    let attempts = [
        both(&large, |a| e.mod_switch_to_next(a), |a| e.mod_switch_to_next_assign(a)),
        both(&large, |a| e.mod_reduce_to_next(a), |a| e.mod_reduce_to_next_assign(a)),
        both(&large, |a| e.mod_switch_to(a, low), |a| e.mod_switch_to_assign(a, low)),
        both(&large, |a| e.mod_reduce_to(a, low), |a| e.mod_reduce_to_assign(a, low)),
    ];
    for result in attempts {
        fails!(result, Error::ScaleOutOfRange { scale_bits: 120, modulus_bits: 50 | 94..=96 });
    }
    let mut plain = encoder.encode_scalar(1.0, 2_f64.powi(100), a.parms_id()).unwrap();
    fails!(e.plain_mod_switch_to_next(&plain), Error::ScaleOutOfRange { scale_bits: 100, .. });
    for scale in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        plain.set_scale(scale);
        fails!(e.multiply_plain(&a, &plain), Error::InvalidScale { .. });
        fails!(encoder.decode(&plain), Error::InvalidScale { .. });
        fails!(party.encryptor.encrypt(&plain), Error::InvalidScale { .. });
    }
}

#[test]
fn sizes_that_do_not_fit_are_refused() {
    for scheme in parameters::ALL {
        let party = Party::new(&small(scheme), 25);
        let (e, keys) = (&party.evaluator, keys(&party));
        let (eight, ten) = (party.random_of_size(8), party.random_of_size(10));
        let multiply = both(&eight, |a| e.multiply(a, &ten), |a| e.multiply_assign(a, &ten));
        fails!(multiply, Error::SizeOutOfRange { got: 17, .. });
        fails!(e.square(&ten), Error::SizeOutOfRange { got: 19, .. });
        let three = party.random_of_size(3);
        fails!(e.apply_galois(&three, 3, &keys.galois), Error::SizeOutOfRange { expected: "2", got: 3 });
        let four = party.random_of_size(4);
        let relinearize = |a: &Ciphertext| e.relinearize(a, &keys.relin);
        let result = both(&four, relinearize, |a| e.relinearize_assign(a, &keys.relin));
        fails!(result, Error::MissingRelinKey { power: 3 });
    }
}

#[test]
fn ends_of_the_chain_are_named() {
    for scheme in parameters::ALL {
        let party = Party::new(&small(scheme), 26);
        let e = &party.evaluator;
        let first = party.random_of_size(2);
        let last = e.mod_switch_to(&first, party.context.last_level().parms_id()).unwrap();
        fails!(both(&last, |a| e.mod_switch_to_next(a), |a| e.mod_switch_to_next_assign(a)), Error::EndOfChain);
        fails!(both(&last, |a| e.mod_reduce_to_next(a), |a| e.mod_reduce_to_next_assign(a)), Error::EndOfChain);
        let up = first.parms_id();
        fails!(e.mod_switch_to(&last, up), Error::CannotRaiseLevel { from: 0, to: 2 });
        fails!(e.mod_reduce_to(&last, up), Error::CannotRaiseLevel { from: 0, to: 2 });
        let key_level = party.context.key_level().parms_id();
        fails!(e.mod_switch_to(&first, key_level), Error::CannotRaiseLevel { from: 2, to: 3 });
        if scheme == Scheme::Ckks {
            fails!(both(&last, |a| e.rescale_to_next(a), |a| e.rescale_to_next_assign(a)), Error::EndOfChain);
            fails!(e.rescale_to(&last, up), Error::CannotRaiseLevel { from: 0, to: 2 });
        } else {
            let low = e.plain_to_ntt(&party.random_plaintext(), last.parms_id()).unwrap();
            fails!(e.plain_mod_switch_to_next(&low), Error::EndOfChain);
            fails!(e.plain_mod_switch_to(&low, up), Error::CannotRaiseLevel { from: 0, to: 2 });
        }
    }
}

#[test]
fn missing_galois_keys_are_named() {
    for scheme in parameters::ALL {
        let party = Party::new(&small(scheme), 27);
        let (e, a) = (&party.evaluator, party.random_ciphertext());
        let keys = party.keys.galois_keys(GaloisSelection::Steps(&[1])).unwrap();
        let rotate = |steps: i64| match scheme {
            Scheme::Ckks => both(&a, |a| e.rotate_vector(a, steps, &keys), |a| e.rotate_vector_assign(a, steps, &keys)),
            _ => both(&a, |a| e.rotate_rows(a, steps, &keys), |a| e.rotate_rows_assign(a, steps, &keys)),
        };
        assert!(rotate(1).is_ok());
        fails!(rotate(2), Error::MissingGaloisKey { element: 9 });
        fails!(rotate(-1), Error::MissingGaloisKey { element: 11 });
        fails!(rotate(4), Error::Ring(RingError::InvalidRotation { step: 4, limit: 4 }));
        fails!(rotate(i64::MIN), Error::Ring(RingError::InvalidRotation { step: i64::MIN, limit: 4 }));
        let apply =
            |element| both(&a, |a| e.apply_galois(a, element, &keys), |a| e.apply_galois_assign(a, element, &keys));
        fails!(apply(5), Error::MissingGaloisKey { element: 5 });
        for element in [0, 2, 16, 17, u64::MAX] {
            fails!(apply(element), Error::Ring(RingError::InvalidGaloisElement { limit: 16, .. }));
        }
        match scheme {
            Scheme::Ckks => {
                fails!(e.conjugate(&a, &keys), Error::MissingGaloisKey { element: 15 });
            }
            _ => {
                fails!(e.rotate_columns(&a, &keys), Error::MissingGaloisKey { element: 15 });
            }
        }
    }
}

#[test]
fn too_many_threads_are_refused() {
    let parameters = parameters::table(Scheme::Ckks).remove(0);
    for threads in [1025, usize::MAX] {
        let builder = parameters.clone().builder().security(Security::Insecure).threads(threads);
        let refused = failure(builder.build());
        assert!(matches!(refused, Error::Threads { threads: asked, .. } if asked == threads));
    }
}
