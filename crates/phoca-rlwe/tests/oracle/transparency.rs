//! Ciphertexts that decrypt without a key: refused unless the context lets them pass.

use num_bigint::BigInt;
use phoca_rlwe::seal::{Load, Save, SaveOptions, Seeding};
use phoca_rlwe::{Ciphertext, Error, GaloisSelection, Plaintext, Scheme};

use crate::big;
use crate::checks::both;
use crate::errors::{fails, small};
use crate::parameters;
use crate::party::Party;

/// Operations whose result is transparent, on operands that are not.
fn cancellations(party: &Party, a: &Ciphertext) -> Vec<Result<Ciphertext, Error>> {
    let e = &party.evaluator;
    let minus = e.negate(a).unwrap();
    let zero = match party.scheme() {
        Scheme::Ckks => {
            let encoder = phoca_rlwe::CkksEncoder::new(&party.context).unwrap();
            encoder.encode_integer(0, a.parms_id()).unwrap()
        }
        _ => Plaintext::from_coefficients(&[0]),
    };
    let mut results = vec![
        both(a, |a| e.sub(a, &a.clone()), |x| e.sub_assign(x, a)),
        both(a, |x| e.sub(x, a), |x| e.sub_assign(x, a)),
        both(a, |a| e.add(a, &minus), |a| e.add_assign(a, &minus)),
        both(a, |a| e.multiply_plain(a, &zero), |a| e.multiply_plain_assign(a, &zero)),
        e.add_many(&[a.clone(), minus.clone()]),
    ];
    if party.scheme() != Scheme::Ckks {
        let zero = e.plain_to_ntt(&zero, a.parms_id()).unwrap();
        results.push(both(a, |a| e.multiply_plain(a, &zero), |a| e.multiply_plain_assign(a, &zero)));
    }
    results
}

/// Every operation that can get a transparent operand; it came from a context that lets it pass.
fn consequences(party: &Party, transparent: &Ciphertext) -> Vec<(&'static str, Result<Ciphertext, Error>)> {
    let (e, a) = (&party.evaluator, transparent);
    let galois = party.keys.galois_keys(GaloisSelection::All).unwrap();
    let mut plain = party.random_plaintext();
    plain.set_scale(a.scale());
    let mut results = vec![
        ("negate", both(a, |a| e.negate(a), |a| e.negate_assign(a))),
        ("add", both(a, |x| e.add(x, a), |x| e.add_assign(x, a))),
        ("sub", both(a, |x| e.sub(x, a), |x| e.sub_assign(x, a))),
        ("add_plain", both(a, |a| e.add_plain(a, &plain), |a| e.add_plain_assign(a, &plain))),
        ("sub_plain", both(a, |a| e.sub_plain(a, &plain), |a| e.sub_plain_assign(a, &plain))),
        ("multiply_plain", both(a, |a| e.multiply_plain(a, &plain), |a| e.multiply_plain_assign(a, &plain))),
        ("switch", both(a, |a| e.mod_switch_to_next(a), |a| e.mod_switch_to_next_assign(a))),
        ("reduce", both(a, |a| e.mod_reduce_to_next(a), |a| e.mod_reduce_to_next_assign(a))),
        ("multiply", both(a, |x| e.multiply(x, a), |x| e.multiply_assign(x, a))),
        ("square", both(a, |a| e.square(a), |a| e.square_assign(a))),
        ("galois", both(a, |a| e.apply_galois(a, 15, &galois), |a| e.apply_galois_assign(a, 15, &galois))),
        (
            "transform",
            match a.is_ntt_form() {
                true => both(a, |a| e.from_ntt(a), |a| e.from_ntt_assign(a)),
                false => both(a, |a| e.to_ntt(a), |a| e.to_ntt_assign(a)),
            },
        ),
    ];
    if party.scheme() == Scheme::Ckks {
        results.push(("rescale", both(a, |a| e.rescale_to_next(a), |a| e.rescale_to_next_assign(a))));
    }
    results
}

#[test]
fn transparent_results_are_refused() {
    for scheme in parameters::ALL {
        let (party, lenient) = (Party::new(&small(scheme), 30), Party::lenient(&small(scheme), 30));
        assert!(!party.context.allows_transparent() && lenient.context.allows_transparent());
        for size in [2, 3] {
            for result in cancellations(&party, &party.random_of_size(size)) {
                fails!(result, Error::TransparentCiphertext);
            }
        }
        let a = lenient.random_of_size(2);
        let transparent = lenient.evaluator.sub(&a, &a).unwrap();
        for (name, result) in consequences(&party, &transparent) {
            assert!(matches!(result, Err(Error::TransparentCiphertext)), "{name}: {result:?}");
        }
        let three = lenient.random_of_size(3);
        let three = lenient.evaluator.sub(&three, &three).unwrap();
        let relin = party.keys.relin_keys().unwrap();
        fails!(party.evaluator.relinearize(&three, &relin), Error::TransparentCiphertext);
    }
}

#[test]
fn transparent_results_pass_where_they_may() {
    for scheme in parameters::ALL {
        let party = Party::lenient(&small(scheme), 31);
        let a = party.random_of_size(2);
        for result in cancellations(&party, &a) {
            let result = result.unwrap();
            assert!(result.is_transparent());
            assert_eq!(big::largest(&party.phase(&result)), BigInt::ZERO);
            party.check_decryption(&result);
        }
        let transparent = party.evaluator.sub(&a, &a).unwrap();
        for (name, result) in consequences(&party, &transparent) {
            assert!(result.unwrap().is_transparent(), "{name}");
        }
        // A sum with a transparent ciphertext is not transparent.
        let sum = Party::new(&small(scheme), 31).evaluator.add(&a, &transparent).unwrap();
        assert_eq!(party.open(&sum), party.open(&a));
    }
}

/// `a` with other words in its second polynomial, by way of a file, whose words are its last.
fn with_second_polynomial(party: &Party, a: &Ciphertext, words: &[u64]) -> Ciphertext {
    let mut file = Vec::new();
    a.save(&mut file, &SaveOptions { seeding: Seeding::Full, ..SaveOptions::default() }).unwrap();
    file.truncate(file.len() - 8 * words.len());
    file.extend(words.iter().flat_map(|word| word.to_le_bytes()));
    Ciphertext::load(file.as_slice(), &party.context).unwrap()
}

/// What is small rounds to zero, and what is a multiple of the remaining primes is zero modulo them.
#[test]
fn results_that_become_transparent_on_the_way_down_are_refused() {
    for scheme in parameters::ALL {
        let party = Party::new(&small(scheme), 32);
        let (e, a) = (&party.evaluator, party.random_of_size(2));
        let bottom = party.context.last_level().parms_id();
        let (degree, primes) = (a.degree(), a.prime_count());
        // Division leaves a multiple of `t` for BGV.
        let unit = if scheme == Scheme::Bgv { party.context.plain_modulus() } else { 1 };
        let rounds_to_zero = with_second_polynomial(&party, &a, &vec![unit; degree * primes]);
        let transparent = Error::TransparentCiphertext.to_string();
        let mut divided = vec![both(&rounds_to_zero, |a| e.mod_switch_to_next(a), |a| e.mod_switch_to_next_assign(a))];
        if scheme == Scheme::Ckks {
            divided = vec![
                both(&rounds_to_zero, |a| e.rescale_to_next(a), |a| e.rescale_to_next_assign(a)),
                both(&rounds_to_zero, |a| e.rescale_to(a, bottom), |a| e.rescale_to_assign(a, bottom)),
            ];
        }
        for (index, result) in divided.into_iter().enumerate() {
            assert_eq!(result.err().map(|error| error.to_string()).as_ref(), Some(&transparent), "{scheme} {index}");
        }
        // Zero modulo all primes but the last of two levels: not before the second step.
        for vanishing in [primes - 1, primes - 2] {
            let words: Vec<u64> = (0..degree * primes).map(|word| u64::from(word / degree >= vanishing)).collect();
            let vanishes = with_second_polynomial(&party, &a, &words);
            fails!(
                both(&vanishes, |a| e.mod_reduce_to(a, bottom), |a| e.mod_reduce_to_assign(a, bottom)),
                Error::TransparentCiphertext
            );
            let next = both(&vanishes, |a| e.mod_reduce_to_next(a), |a| e.mod_reduce_to_next_assign(a));
            assert_eq!(next.is_err(), vanishing == primes - 1, "{scheme}: {next:?}");
        }
    }
}
