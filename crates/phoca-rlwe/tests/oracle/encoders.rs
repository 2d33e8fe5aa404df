//! The encoders against the definitions of their slots.

use num_bigint::BigInt;
use num_complex::Complex64;
use phoca_rlwe::encode::text;
use phoca_rlwe::{BatchEncoder, CkksEncoder, Context, Level, Plaintext, Scheme};
use proptest::prelude::*;

use crate::big::{self, Poly};
use crate::checks::padded;
use crate::model;
use crate::parameters;
use crate::party::Party;

proptest! {
    #![proptest_config(parameters::config(150))]

    /// Slot `i` of row 0 is the value at `root^(3^i)`, slot `i` of row 1 the value at `root^(−3^i)`.
    #[test]
    fn batching_evaluates_at_powers_of_the_root(log_degree in 1..=7_u32, bits in 9..=60_u32, seed: u64) {
        let degree = 1 << log_degree;
        let party = batching_party(degree, bits, seed);
        let encoder = BatchEncoder::new(&party.context).unwrap();
        for count in [0, 1, degree / 2, degree] {
            let mut values = party.random_coefficients();
            values.truncate(count);
            let plaintext = encoder.encode(&values).unwrap();
            prop_assert_eq!((plaintext.len(), plaintext.is_ntt_form(), plaintext.scale()), (degree, false, 1.0));
            values.resize(degree, 0);
            prop_assert_eq!(slots(&party.context, plaintext.words()), values.clone());
            prop_assert_eq!(encoder.decode(&plaintext).unwrap(), values);
        }
        check_short(&party, &encoder);
        check_signed(&party, &encoder);
    }

    #[test]
    fn ckks_encodes_by_the_embedding(parameters in parameters::random(&[Scheme::Ckks], 1..=6), seed: u64) {
        let party = Party::lenient(&parameters, seed);
        for level in party.context.levels() {
            check_vectors(&party, level);
            check_scalars(&party, level);
            check_integers(&party, level);
        }
    }

    #[test]
    fn text_is_the_polynomial(words in proptest::collection::vec(any::<u64>(), 1..40), zeros: u64) {
        let words: Vec<u64> = words.iter().enumerate().map(|(i, &w)| if zeros >> i & 1 == 1 { 0 } else { w }).collect();
        let plaintext = Plaintext::from_coefficients(&words);
        let terms: Vec<String> = words.iter().enumerate().rev().filter(|&(_, &w)| w != 0).map(|(i, w)| match i {
            0 => format!("{w:X}"),
            _ => format!("{w:X}x^{i}"),
        }).collect();
        let expected = if terms.is_empty() { "0".to_owned() } else { terms.join(" + ") };
        let written = text::format(&plaintext).unwrap();
        prop_assert_eq!(&written, &expected);
        let read = text::parse(&written).unwrap();
        prop_assert_eq!(padded(&read, words.len()), words);
    }
}

fn batching_party(degree: usize, bits: u32, seed: u64) -> Party {
    let t = parameters::prime_from(degree, 1 << (bits - 1));
    let chain = parameters::odd_chain(degree, &[(60, 200), (60, 90), (60, 3)]);
    Party::lenient(&parameters::parameters(Scheme::Bfv, degree, chain, t), seed)
}

/// The values of a polynomial modulo `t` at the slots' points, row 0 first.
fn slots(context: &Context, coefficients: &[u64]) -> Vec<u64> {
    let (degree, t) = (context.degree(), context.plain_modulus());
    let order = 2 * degree as u64;
    let root = model::smallest_root(degree, t);
    let value = |exponent: u64| {
        let x = big::power(root, exponent, t);
        let horner = |sum: u64, &c: &u64| ((u128::from(sum) * u128::from(x) + u128::from(c)) % u128::from(t)) as u64;
        coefficients.iter().rev().fold(0, horner)
    };
    let exponents: Vec<u64> = (0..degree as u64 / 2).map(|i| big::power(3, i, order)).collect();
    let row = |sign: bool| exponents.iter().map(move |&e| value(if sign { e } else { order - e }));
    row(true).chain(row(false)).collect()
}

/// Plaintexts without their leading zeros decode too.
fn check_short(party: &Party, encoder: &BatchEncoder) {
    let plaintext = Plaintext::from_coefficients(&[party.context.plain_modulus() - 1]);
    let constant = vec![party.context.plain_modulus() - 1; party.degree()];
    assert_eq!(encoder.decode(&plaintext).unwrap(), constant);
    assert_eq!(encoder.decode_signed(&plaintext).unwrap(), vec![-1; party.degree()]);
}

fn check_signed(party: &Party, encoder: &BatchEncoder) {
    let t = party.context.plain_modulus();
    let half = (t / 2) as i64;
    let centered = |&m: &u64| if m > t / 2 { m as i64 - t as i64 } else { m as i64 };
    let mut values: Vec<i64> = party.random_coefficients().iter().map(centered).collect();
    values[0] = half;
    values[1] = -half;
    let plaintext = encoder.encode_signed(&values).unwrap();
    let words: Vec<u64> = values.iter().map(|&v| v.rem_euclid(t as i64) as u64).collect();
    assert_eq!(slots(&party.context, plaintext.words()), words);
    assert_eq!(encoder.decode_signed(&plaintext).unwrap(), values);
    assert_eq!(encoder.decode(&plaintext).unwrap(), words);
}

/// `exp(iπ·3^j/n)^k`.
fn embedding_point(degree: usize, slot: usize, exponent: usize) -> Complex64 {
    let order = 2 * degree as u64;
    let turns = big::power(3, slot as u64, order) * exponent as u64 % order;
    let (sine, cosine) = (core::f64::consts::PI * turns as f64 / degree as f64).sin_cos();
    Complex64::new(cosine, sine)
}

/// The value of a polynomial at each slot's point, divided by the scale.
pub fn decode_by_definition(polynomial: &[BigInt], scale: f64) -> Vec<Complex64> {
    let degree = polynomial.len();
    let coefficients: Vec<f64> = polynomial.iter().map(|c| to_f64(c) / scale).collect();
    let value = |slot| coefficients.iter().enumerate().map(|(k, &c)| embedding_point(degree, slot, k) * c).sum();
    (0..degree / 2).map(value).collect()
}

/// Coefficient `k` is `2/n·Re Σ_j z_j·exp(−iπ·3^j·k/n)`.
fn encode_by_definition(values: &[Complex64], degree: usize) -> Vec<f64> {
    let coefficient = |k| {
        let terms = values.iter().enumerate();
        let sum: f64 = terms.map(|(slot, z)| (z * embedding_point(degree, slot, k).conj()).re).sum();
        sum * 2.0 / degree as f64
    };
    (0..degree).map(coefficient).collect()
}

pub fn to_f64(x: &BigInt) -> f64 {
    x.to_string().parse().unwrap()
}

fn check_vectors(party: &Party, level: &Level) {
    let encoder = CkksEncoder::new(&party.context).unwrap();
    let (slots, scale) = (party.degree() / 2, party.scale_at(level));
    for count in [0, slots / 2, slots] {
        let mut values = party.random_slots();
        values.truncate(count);
        let complex = encoder.encode_complex_at(&values, scale, level.parms_id()).unwrap();
        check_encoding(party, level, &complex, &values, scale);
        let reals: Vec<f64> = values.iter().map(|z| z.re).collect();
        let real = encoder.encode_at(&reals, scale, level.parms_id()).unwrap();
        let values: Vec<Complex64> = reals.iter().map(|&re| re.into()).collect();
        check_encoding(party, level, &real, &values, scale);
        if level.parms_id() == party.context.first_level().parms_id() {
            assert_eq!(encoder.encode(&reals, scale).unwrap(), real);
            assert_eq!(encoder.encode_complex(&values, scale).unwrap(), real);
        }
    }
}

fn check_encoding(party: &Party, level: &Level, plaintext: &Plaintext, values: &[Complex64], scale: f64) {
    assert_eq!((plaintext.parms_id(), plaintext.scale()), (level.parms_id(), scale));
    let polynomial = party.centered_plaintext(plaintext);
    // One half for the rounding, the rest for doubles: 2^40·2^-46·n at most.
    let tolerance = 0.5 + scale * party.degree() as f64 * 2_f64.powi(-46);
    let expected = encode_by_definition(values, party.degree());
    for (coefficient, expected) in polynomial.iter().zip(expected) {
        assert!((to_f64(coefficient) - expected * scale).abs() <= tolerance, "{coefficient} for {}", expected * scale);
    }
    let encoder = CkksEncoder::new(&party.context).unwrap();
    let decoded = encoder.decode_complex(plaintext).unwrap();
    let by_definition = decode_by_definition(&polynomial, scale);
    assert_eq!(decoded.len(), party.degree() / 2);
    for (decoded, expected) in decoded.iter().zip(&by_definition) {
        assert!((decoded - expected).l1_norm() <= party.degree() as f64 * 2_f64.powi(-46));
    }
    let reals: Vec<f64> = decoded.iter().map(|z| z.re).collect();
    assert_eq!(encoder.decode(plaintext).unwrap(), reals);
}

/// Constants are exact: the product with the scale, halves away from zero.
fn check_scalars(party: &Party, level: &Level) {
    let encoder = CkksEncoder::new(&party.context).unwrap();
    let scale = party.scale_at(level);
    let random = party.random_slots()[0].re;
    for value in [0.0, 1.0, -1.0, random, 0.5 / scale, -0.5 / scale, 1.5 / scale, 0.499_999 / scale, -2.5 / scale] {
        let plaintext = encoder.encode_scalar(value, scale, level.parms_id()).unwrap();
        let constant = BigInt::from((value * scale).round() as i64);
        check_constant(party, level, &plaintext, &constant);
        assert_eq!(plaintext.scale(), scale);
    }
    let value = party.random_slots()[0];
    let plaintext = encoder.encode_complex_scalar(value, scale, level.parms_id()).unwrap();
    check_encoding(party, level, &plaintext, &vec![value; party.degree() / 2], scale);
}

fn check_integers(party: &Party, level: &Level) {
    let encoder = CkksEncoder::new(&party.context).unwrap();
    let limit = 1_i64 << (level.modulus_bits() - 2).min(62);
    for value in [0, 1, -1, limit - 1, 1 - limit, (party.random() as i64) % limit] {
        let plaintext = encoder.encode_integer(value, level.parms_id()).unwrap();
        assert_eq!(plaintext.scale(), 1.0);
        check_constant(party, level, &plaintext, &value.into());
    }
    if level.modulus_bits() > 66 {
        for value in [i64::MIN, i64::MAX] {
            let plaintext = encoder.encode_integer(value, level.parms_id()).unwrap();
            check_constant(party, level, &plaintext, &value.into());
        }
    }
}

fn check_constant(party: &Party, level: &Level, plaintext: &Plaintext, constant: &BigInt) {
    let mut expected: Poly = vec![BigInt::ZERO; party.degree()];
    expected[0] = constant.clone();
    assert_eq!(plaintext.parms_id(), level.parms_id());
    assert_eq!(party.centered_plaintext(plaintext), expected);
}

/// Coefficients far above 64 and 128 bits, which doubles hold with 53 bits only.
#[test]
fn ckks_encodes_large_scales() {
    let chain = parameters::odd_chain(8, &[(60, 1), (60, 2), (60, 3), (60, 4), (60, 5)]);
    let party = Party::new(&parameters::parameters(Scheme::Ckks, 8, chain, 0), 17);
    let encoder = CkksEncoder::new(&party.context).unwrap();
    let level = party.context.first_level();
    for bits in [50, 62, 63, 64, 100, 126, 127, 128, 200, 230] {
        let scale = 2_f64.powi(bits);
        let plaintext = encoder.encode_scalar(-1.25, scale, level.parms_id()).unwrap();
        let constant: BigInt = (BigInt::from(-5) << bits) >> 2;
        check_constant(&party, level, &plaintext, &constant);
        let values = party.random_slots();
        let plaintext = encoder.encode_complex(&values, scale).unwrap();
        let polynomial = party.centered_plaintext(&plaintext);
        for (coefficient, expected) in polynomial.iter().zip(encode_by_definition(&values, 8)) {
            assert!((to_f64(coefficient) / scale - expected).abs() <= 2_f64.powi(-43));
        }
    }
}
