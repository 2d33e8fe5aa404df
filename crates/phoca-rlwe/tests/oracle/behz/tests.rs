//! The three methods against each other, against the clear, and against integers.

use num_bigint::BigInt;
use phoca_rlwe::{Ciphertext, Parameters, Plaintext, Scheme, SecurityLevel, coeff_modulus, plain_modulus};
use proptest::prelude::*;

use super::{Behz, Product, Words};
use crate::big::{self, Poly};
use crate::checks::padded;
use crate::model::Ring;
use crate::parameters;
use crate::party::Party;
use crate::products::switching_modulus;

/// `m̃` as in SEAL, and one so small that some lifts are off by `Q`.
const M_TILDE: [u64; 2] = [1 << 32, 1 << 7];

/// Bits of the stated noise budget from which on another method decrypts too: its roundings are at most `2k` times as
/// large.
const MARGIN: f64 = 8.0;

proptest! {
    #![proptest_config(parameters::config(60))]

    #[test]
    fn products_are_those_of_behz(parameters in parameters::random(&[Scheme::Bfv], 1..=5), seed: u64) {
        let party = Party::lenient(&parameters, seed);
        check(&party, &party.random_ciphertext(), &party.random_of_size(3));
        check(&party, &party.random_ciphertext(), &party.random_ciphertext());
    }
}

#[test]
fn products_are_those_of_behz_for_the_table() {
    for parameters in parameters::table(Scheme::Bfv) {
        let party = Party::lenient(&parameters, 70);
        check(&party, &party.random_ciphertext(), &party.random_ciphertext());
    }
}

/// Here the products decrypt, by every method.
#[test]
fn products_by_all_methods_decrypt_to_products() {
    let chains = (1..=5).map(|primes| {
        let shapes: Vec<(u32, u8)> = (0..primes).map(|i| (60 - i, 40 * i as u8)).collect();
        // The last one is the special prime, where there are several.
        let chain =
            parameters::odd_chain(16, &if primes == 1 { vec![(60, 9)] } else { [&shapes[..], &[(60, 77)]].concat() });
        parameters::parameters(Scheme::Bfv, 16, chain, [2, 3, 1 << 8, 97, 255][primes as usize - 1])
    });
    for parameters in parameters::roomy(Scheme::Bfv).into_iter().chain(chains) {
        let party = Party::new(&parameters, 71);
        let decrypted = check(&party, &party.random_ciphertext(), &party.random_ciphertext());
        assert_eq!(decrypted, 2, "{parameters:?}");
    }
}

/// The default chain of degree 4096; the integers are checked for some of the coefficients.
#[test]
fn products_are_those_of_behz_for_default_parameters() {
    let parameters = Parameters {
        scheme: Scheme::Bfv,
        degree: 4096,
        coeff_modulus: coeff_modulus::seal_default(4096, SecurityLevel::Bits128).unwrap(),
        plain_modulus: plain_modulus::batching(4096, 20).unwrap(),
    };
    let party = Party::with_context(parameters.build().unwrap(), 72);
    // Sparse, so that its product in the clear is quick.
    let mut message = vec![0; 4096];
    (0..9).for_each(|i| message[i * 455 + 17] = party.random() % party.context.plain_modulus());
    let sparse = party.encrypt(&Plaintext::from_coefficients(&message));
    assert_eq!(check(&party, &sparse, &party.random_ciphertext()), 2);
}

/// Lifts that are off by `Q` do occur, where `m̃` is small.
#[test]
fn lifts_are_centered_up_to_a_multiple_of_the_modulus() {
    let parameters = &parameters::roomy(Scheme::Bfv)[5];
    let party = Party::new(parameters, 73);
    let shifted = M_TILDE.map(|m_tilde| {
        let ciphertexts = (0..8).map(|_| party.random_ciphertext());
        let lifts = ciphertexts.map(|a| {
            let behz = Behz::new(party.ring_of(&a), parameters.plain_modulus, m_tilde, 2);
            let lifted: Vec<Words> = words(&a).iter().map(|c| behz.lifted(c)).collect();
            let centered = polynomials(&party, &a);
            let lifted = integers(&behz, party.ring_of(&a), &lifted, &centered);
            lifted
                .iter()
                .flatten()
                .zip(centered.iter().flatten())
                .filter(|(lifted, centered)| lifted != centered)
                .count()
        });
        lifts.sum::<usize>()
    });
    assert_eq!(shifted[0], 0);
    assert!(shifted[1] > 0);
}

/// Compares the product and the square of `a`; how many of the two have room to decrypt.
fn check(party: &Party, a: &Ciphertext, b: &Ciphertext) -> usize {
    let product = party.evaluator.multiply(a, b).unwrap();
    let square = party.evaluator.square(a).unwrap();
    let mut decrypted = 0;
    for (own, b, is_square) in [(&product, b, false), (&square, a, true)] {
        let ring = party.ring_of(a);
        check_own_error(party, own, [a, b], is_square);
        let clear = |a: &Ciphertext| padded(&party.decryptor.decrypt(a).unwrap(), party.degree());
        let has_room = own.likely_budget(&party.context).unwrap() >= MARGIN;
        if has_room {
            assert_eq!(clear(own), party.message_product(&clear(a), &clear(b)));
            decrypted += 1;
        }
        for m_tilde in M_TILDE {
            let behz = Behz::new(ring, party.context.plain_modulus(), m_tilde, a.size().min(b.size()));
            let other = behz.product(&words(a), &words(b));
            check_error(party, &behz, &other, [a, b]);
            if has_room {
                assert_eq!(behz.message(party, &other.polynomials), clear(own), "{:?}", party.context.parameters());
            }
        }
    }
    decrypted
}

/// BEHZ is `floor(t/Q·x) − u` with `0 ≤ u < k`, for the tensor product `x` of the lifts.
fn check_error(party: &Party, behz: &Behz, product: &Product, operands: [&Ciphertext; 2]) {
    let ring = party.ring_of(operands[0]);
    let lifts = [0, 1].map(|i| integers(behz, ring, &product.lifted[i], &polynomials(party, operands[i])));
    let primes = ring.primes.len();
    for (index, words) in product.polynomials.iter().enumerate() {
        let got = ring.compose(words, false);
        for i in positions(party.degree()) {
            let exact = big::div_floor(&(coefficient(&lifts, index, i) * party.t()), &ring.modulus);
            let error = big::centered(&(&got[i] - exact), &ring.modulus);
            assert!(error > BigInt::from(-(primes as i64)) && error <= BigInt::ZERO, "{error} for {primes} primes");
        }
    }
}

/// HPS is `round(t/Q·x)`; HPSPOVERQ, which first rounds `P/Q·b`, differs from it by what half a unit in each coefficient
/// there makes of `t/P·a`.
fn check_own_error(party: &Party, product: &Ciphertext, operands: [&Ciphertext; 2], is_square: bool) {
    let ring = party.ring_of(product);
    let centered = operands.map(|operand| polynomials(party, operand));
    let switching = switching_modulus(party, ring.primes.len());
    for (index, got) in polynomials(party, product).iter().enumerate() {
        let terms = terms(&centered, index).count();
        let bound = match is_square {
            true => BigInt::ZERO,
            false => &ring.modulus * party.t() * (party.degree() * terms) / (&switching * 4) + 1,
        };
        for i in positions(party.degree()) {
            let exact = big::div_round(&(coefficient(&centered, index, i) * party.t()), &ring.modulus);
            let error = big::centered(&(&got[i] - exact), &ring.modulus);
            assert!(error.magnitude() <= bound.magnitude(), "{error}, at most {bound}");
        }
    }
}

/// The lifts as integers, checked: what they are modulo `Q`, and their range.
fn integers(behz: &Behz, ring: &Ring, lifted: &[Words], centered: &[Poly]) -> Vec<Poly> {
    let auxiliary = Ring::new(behz.degree, &behz.b_sk);
    let (k, m_tilde) = (behz.q.len(), behz.m_tilde);
    let integers = lifted.iter().zip(centered).map(|(words, centered)| {
        let (q, b) = words.split_at(behz.degree * k);
        assert_eq!(ring.center(&ring.compose(q, false)), *centered);
        let lift = auxiliary.center(&auxiliary.compose(b, false));
        for (lift, centered) in lift.iter().zip(centered) {
            assert_eq!(big::modulo(&(lift - centered), &ring.modulus), BigInt::ZERO);
            assert!(lift * 2 >= -&ring.modulus && lift * 2 * m_tilde < &ring.modulus * (m_tilde + 2 * k as u64));
        }
        lift
    });
    integers.collect()
}

/// Coefficient `i` of polynomial `index` of the tensor product.
fn coefficient(operands: &[Vec<Poly>; 2], index: usize, i: usize) -> BigInt {
    let n = operands[0][0].len();
    let product = |(a, b): (&Poly, &Poly)| -> BigInt {
        let low = (0..=i).map(|j| &a[j] * &b[i - j]).sum::<BigInt>();
        low - (i + 1..n).map(|j| &a[j] * &b[n + i - j]).sum::<BigInt>()
    };
    terms(operands, index).map(product).sum()
}

/// The pairs of polynomials whose products make up polynomial `index`.
fn terms(operands: &[Vec<Poly>; 2], index: usize) -> impl Iterator<Item = (&Poly, &Poly)> {
    operands[0].iter().enumerate().filter_map(move |(i, a)| Some((a, operands[1].get(index.checked_sub(i)?)?)))
}

/// The coefficients to check: all, of large rings some.
fn positions(degree: usize) -> impl Iterator<Item = usize> {
    (0..degree).step_by((degree / 64).max(1)).take(64).chain([degree - 1])
}

fn words(ciphertext: &Ciphertext) -> Vec<Words> {
    (0..ciphertext.size()).map(|i| ciphertext.polynomial(i).unwrap().to_vec()).collect()
}

/// Coefficients in `(−Q/2, Q/2]`.
fn polynomials(party: &Party, ciphertext: &Ciphertext) -> Vec<Poly> {
    let ring = party.ring_of(ciphertext);
    party.open(ciphertext).polynomials.iter().map(|polynomial| ring.center(polynomial)).collect()
}
