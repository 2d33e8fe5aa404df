//! Operations that share work, word for word: one division after a key switch, rotations with shared digits, threads.

use num_bigint::BigInt;
use phoca_ring::galois;
use phoca_rlwe::{
    Ciphertext, CkksEncoder, Error, Evaluator, GaloisKeys, GaloisSelection, Level, Plaintext, RelinKeys, Scheme,
};
use proptest::prelude::*;

use crate::big::{self, Poly};
use crate::checks::failure;
use crate::levels::divide;
use crate::parameters;
use crate::party::Party;
use crate::switching::{extended_ring, key_sums};

proptest! {
    #![proptest_config(parameters::config(60))]

    #[test]
    fn fused_operations_are_exact(parameters in parameters::random(&parameters::ALL, 2..=5), seed: u64) {
        check_fused(&Party::lenient(&parameters, seed));
    }
}

#[test]
fn fused_operations_are_exact_for_the_table() {
    for scheme in parameters::ALL {
        for parameters in parameters::table(scheme) {
            check_fused(&Party::lenient(&parameters, 15));
        }
    }
}

#[test]
fn sums_of_rotations_are_exact() {
    for scheme in parameters::ALL {
        let shapes = [
            (4, [(50, 9), (60, 60), (35, 0)]),
            (32, [(45, 9), (44, 60), (47, 255)]),
            (32, [(31, 9), (28, 60), (32, 255)]),
        ];
        for (degree, chain) in shapes {
            let chain = parameters::odd_chain(degree, &chain);
            let t = parameters::prime_from(degree, 100);
            check_rotations(&Party::lenient(&parameters::parameters(scheme, degree, chain, t), 16));
        }
    }
}

fn check_fused(party: &Party) {
    if !party.context.supports_key_switching() {
        return;
    }
    let keys = party.keys.relin_keys_up_to(3).unwrap();
    let first = party.context.first_level();
    for level in [Some(first), party.context.next_level(first)].into_iter().flatten() {
        for size in 2..=4 {
            let a = party.evaluator.mod_switch_to(&party.random_of_size(size), level.parms_id()).unwrap();
            check_relinearization_to_next(party, level, &a, &keys);
        }
    }
}

/// `(P·c + Σ_j d_j·key_j)/(P·q_last)`, rounded once; powers above the square are switched before.
fn check_relinearization_to_next(party: &Party, level: &Level, a: &Ciphertext, keys: &RelinKeys) {
    let (evaluator, scheme) = (&party.evaluator, party.scheme());
    let fused = |a: &Ciphertext| match scheme {
        Scheme::Ckks => evaluator.relinearize_rescale(a, keys),
        _ => evaluator.relinearize_mod_switch(a, keys),
    };
    let Some(next) = party.context.next_level(level) else {
        assert!(matches!(failure(fused(a)), Error::EndOfChain));
        return;
    };
    let stepped = match scheme {
        Scheme::Ckks => evaluator.rescale_to_next(&evaluator.relinearize(a, keys).unwrap()).unwrap(),
        _ => evaluator.mod_switch_to_next(&evaluator.relinearize(a, keys).unwrap()).unwrap(),
    };
    let result = fused(a).unwrap();
    if a.size() == 2 {
        assert_eq!(result, stepped);
        return;
    }
    let chain = &party.context.parameters().coeff_modulus;
    let (special, last) = (BigInt::from(*chain.last().unwrap()), BigInt::from(chain[next.prime_count()]));
    let ring = extended_ring(party, a.prime_count());
    let polynomials = party.open(a).polynomials;
    let mut added = polynomials[..2].to_vec();
    for power in (3..a.size()).rev() {
        let sums = key_sums(party, a.prime_count(), &polynomials[power], keys.key(power).unwrap());
        for (added, sum) in added.iter_mut().zip(sums) {
            *added = big::add(added, &divide(party, &ring.reduce(&sum), special.clone()));
        }
    }
    let sums = key_sums(party, a.prime_count(), &polynomials[2], keys.key(2).unwrap());
    let quotients = sums.iter().zip(&added).map(|(sum, added)| {
        let sum = big::add(sum, &big::scale(added, &special));
        divide(party, &ring.reduce(&sum), &special * &last)
    });
    let mut expected = party.open(&stepped);
    expected.polynomials = quotients.collect();
    party.expect(&result, &expected);
    assert_eq!(result.noise(), stepped.noise());
}

/// Products with all that follows them are their parts in sequence.
#[test]
fn fused_products_are_products() {
    for scheme in parameters::ALL {
        let chain = parameters::odd_chain(16, &[(50, 9), (45, 60), (44, 3), (50, 0)]);
        let party = Party::new(&parameters::parameters(scheme, 16, chain, 17), 17);
        let (a, b) = (party.random_ciphertext(), party.random_ciphertext());
        let (e, keys) = (&party.evaluator, party.keys.relin_keys().unwrap());
        let product = e.multiply(&a, &b).unwrap();
        assert_eq!(e.multiply_relinearize(&a, &b, &keys).unwrap(), e.relinearize(&product, &keys).unwrap());
        let rescaled = e.multiply_relinearize_rescale(&a, &b, &keys);
        let switched = e.multiply_relinearize_mod_switch(&a, &b, &keys);
        if scheme == Scheme::Ckks {
            assert_eq!(rescaled.unwrap(), e.relinearize_rescale(&product, &keys).unwrap());
            assert!(matches!(failure(switched), Error::UnsupportedScheme { scheme: Scheme::Ckks, .. }));
        } else {
            assert_eq!(switched.unwrap(), e.relinearize_mod_switch(&product, &keys).unwrap());
            assert!(matches!(failure(rescaled), Error::UnsupportedScheme { .. }));
        }
    }
}

fn check_rotations(party: &Party) {
    let slots = party.degree() as i64 / 2;
    let steps: Vec<i64> = [0, 1, -1, 2, 0, slots - 1].into_iter().filter(|step| step.abs() < slots).collect();
    let keys = party.keys.galois_keys(GaloisSelection::Steps(&steps)).unwrap();
    let mut a = party.random_of_size(2);
    loop {
        let level = party.context.level(a.parms_id(), "").unwrap();
        check_many(party, &a, &steps, &keys);
        check_sum(party, &a, &steps, &keys);
        check_diagonals(party, &a, &steps, &keys);
        if party.context.next_level(level).is_none() {
            break;
        }
        a = party.evaluator.mod_switch_to_next(&a).unwrap();
    }
}

fn rotate(party: &Party, a: &Ciphertext, steps: i64, keys: &GaloisKeys) -> Result<Ciphertext, Error> {
    match party.scheme() {
        Scheme::Ckks => party.evaluator.rotate_vector(a, steps, keys),
        _ => party.evaluator.rotate_rows(a, steps, keys),
    }
}

fn check_many(party: &Party, a: &Ciphertext, steps: &[i64], keys: &GaloisKeys) {
    let together = party.evaluator.rotate_many(a, steps, keys).unwrap();
    assert_eq!(together.len(), steps.len());
    for (rotated, &step) in together.iter().zip(steps) {
        let alone = rotate(party, a, step, keys).unwrap();
        assert_eq!(rotated, &alone);
        assert_eq!(rotated.noise(), alone.noise());
    }
    // Steps without a key of their own are made of others where those have one, else named.
    let all = party.keys.galois_keys(GaloisSelection::All).unwrap();
    let slots = party.degree() as i64 / 2;
    let every: Vec<i64> = (1 - slots..slots).collect();
    for (rotated, &step) in party.evaluator.rotate_many(a, &every, &all).unwrap().iter().zip(&every) {
        assert_eq!(rotated, &rotate(party, a, step, &all).unwrap());
    }
    let none = party.keys.galois_keys(GaloisSelection::Elements(&[])).unwrap();
    assert!(matches!(failure(party.evaluator.rotate_many(a, &[0, 1], &none)), Error::MissingGaloisKey { .. }));
    assert!(matches!(failure(party.evaluator.sum_rotations(a, &[0, 1], &none)), Error::MissingGaloisKey { .. }));
    assert!(matches!(failure(party.evaluator.sum_rotations(a, &[], keys)), Error::EmptyInput { .. }));
    assert!(matches!(failure(party.evaluator.multiply_diagonals(a, &[], keys)), Error::EmptyInput { .. }));
}

/// `P·π(c_0) + Σ_j π(d_j)·key_{j,0}` and `Σ_j π(d_j)·key_{j,1}` for a rotation, `P·(c_0, c_1)` for a step of 0.
fn extended_rotation(party: &Party, a: &Ciphertext, step: i64, keys: &GaloisKeys) -> [Poly; 2] {
    let polynomials = party.open(a).polynomials;
    let special = BigInt::from(*party.context.parameters().coeff_modulus.last().unwrap());
    if step == 0 {
        return [0, 1].map(|i| big::scale(&polynomials[i], &special));
    }
    let element = galois::element_from_step(party.degree(), step).unwrap();
    let [image0, image1] = [0, 1].map(|i| big::automorphism(&polynomials[i], element));
    let target = party.ring_of(a).reduce(&image1);
    let [sum0, sum1] = key_sums(party, a.prime_count(), &target, keys.key(element).unwrap());
    [big::add(&sum0, &big::scale(&image0, &special)), sum1]
}

/// The sum of terms modulo `Q·P`, divided by `P` once.
fn divided_sum(party: &Party, a: &Ciphertext, terms: impl Iterator<Item = [Poly; 2]>) -> Vec<Poly> {
    let ring = extended_ring(party, a.prime_count());
    let special = *party.context.parameters().coeff_modulus.last().unwrap();
    let zero = [(); 2].map(|()| vec![BigInt::ZERO; party.degree()]);
    let sums = terms.fold(zero, |sums, terms| [0, 1].map(|i| big::add(&sums[i], &terms[i])));
    sums.iter().map(|sum| divide(party, &ring.reduce(sum), special)).collect()
}

fn check_sum(party: &Party, a: &Ciphertext, steps: &[i64], keys: &GaloisKeys) {
    let sum = party.evaluator.sum_rotations(a, steps, keys).unwrap();
    let terms = steps.iter().map(|&step| extended_rotation(party, a, step, keys));
    party.expect(&sum, &party.open(a).with(divided_sum(party, a, terms)));
}

fn check_diagonals(party: &Party, a: &Ciphertext, steps: &[i64], keys: &GaloisKeys) {
    let diagonals: Vec<(i64, Plaintext)> =
        steps.iter().map(|&step| (step, plain(party, party.context.key_level()))).collect();
    let mut a = a.clone();
    a.set_scale(1.0);
    let product = party.evaluator.multiply_diagonals(&a, &diagonals, keys).unwrap();
    let terms = diagonals.iter().map(|(step, plaintext)| {
        let factor = party.centered_plaintext(plaintext);
        extended_rotation(party, &a, *step, keys).map(|half| big::mul(&half, &factor))
    });
    let mut expected = party.open(&a).with(divided_sum(party, &a, terms));
    if party.scheme() == Scheme::Ckks {
        expected.scale = diagonals[0].1.scale();
    }
    party.expect(&product, &expected);
    check_diagonal_errors(party, &a, diagonals, keys);
}

fn check_diagonal_errors(party: &Party, a: &Ciphertext, diagonals: Vec<(i64, Plaintext)>, keys: &GaloisKeys) {
    let evaluator = &party.evaluator;
    let mut low = diagonals;
    low[1].1 = evaluator.plain_mod_switch_to_next(&low[1].1).unwrap();
    assert!(matches!(failure(evaluator.multiply_diagonals(a, &low, keys)), Error::LevelMismatch { .. }));
    if party.scheme() == Scheme::Ckks {
        let encoder = CkksEncoder::new(&party.context).unwrap();
        let key_level = party.context.key_level().parms_id();
        low[1].1 = encoder.encode_complex_at(&party.random_slots(), 512.0, key_level).unwrap();
        assert!(matches!(failure(evaluator.multiply_diagonals(a, &low, keys)), Error::ScaleMismatch { .. }));
    } else {
        low[1].1 = Plaintext::from_coefficients(&[1]);
        assert!(matches!(failure(evaluator.multiply_diagonals(a, &low, keys)), Error::FormMismatch { .. }));
    }
}

/// Sums of products reduced once are sums of products, and batches are their parts.
#[test]
fn dot_products_and_batches_are_their_parts() {
    for scheme in parameters::ALL {
        for (degree, shapes) in [
            (8, [(50, 9), (45, 60), (60, 3), (60, 200)]),
            (64, [(50, 9), (45, 60), (60, 3), (60, 200)]),
            (64, [(31, 9), (60, 60), (28, 3), (32, 200)]),
        ] {
            let chain = parameters::odd_chain(degree, &shapes);
            let t = parameters::prime_from(degree, 100);
            let party = Party::new(&parameters::parameters(scheme, degree, chain, t), 20);
            for count in [1, 2, 9, 40] {
                check_dot_products(&party, count);
            }
            check_batches(&party);
        }
    }
}

fn check_dot_products(party: &Party, count: usize) {
    let e = &party.evaluator;
    let draw = || (0..count).map(|_| party.random_ciphertext()).collect::<Vec<_>>();
    let (mut a, b) = (draw(), draw());
    let sum = |terms: Vec<Ciphertext>| e.add_many(&terms).unwrap();
    let expected = sum(a.iter().zip(&b).map(|(a, b)| e.multiply(a, b).unwrap()).collect());
    let dot = e.dot_product(&a, &b).unwrap();
    assert_eq!(dot, expected);
    assert_eq!(dot.noise(), expected.noise());
    let level = party.context.first_level();
    let plaintexts: Vec<_> = (0..count).map(|_| plain(party, level)).collect();
    if party.scheme() == Scheme::Bfv {
        assert!(matches!(failure(e.dot_product_plain(&a, &plaintexts)), Error::FormMismatch { .. }));
        a.iter_mut().for_each(|a| e.to_ntt_assign(a).unwrap());
    }
    let expected = sum(a.iter().zip(&plaintexts).map(|(a, p)| e.multiply_plain(a, p).unwrap()).collect());
    let dot = e.dot_product_plain(&a, &plaintexts).unwrap();
    assert_eq!(dot, expected);
    assert_eq!(dot.noise(), expected.noise());
    assert!(matches!(failure(e.dot_product(&a, &b[1..])), Error::CountMismatch { .. }));
    if party.scheme() == Scheme::Bgv {
        // Factors that differ change nothing about what is refused.
        let (one, other) = (e.mod_reduce_to_next(&a[0]).unwrap(), e.mod_switch_to_next(&b[0]).unwrap());
        let product = e.square(&other).unwrap();
        assert_ne!(one.correction_factor(), product.correction_factor());
        let next = party.context.next_level(level).unwrap();
        let plaintexts = [plain(party, next), plain(party, next)];
        let refused = failure(e.dot_product_plain(&[one, product], &plaintexts));
        assert!(matches!(refused, Error::SizeOutOfRange { got: 3, .. }));
    }
    assert!(matches!(failure(e.dot_product_plain(&[], &[])), Error::EmptyInput { .. }));
    let mut transformed = [b[0].clone()];
    let transform = if b[0].is_ntt_form() { Evaluator::from_ntt_assign } else { Evaluator::to_ntt_assign };
    transform(e, &mut transformed[0]).unwrap();
    for (a, b) in [(&transformed[..], &transformed[..]), (&b[..1], &transformed), (&transformed, &b[..1])] {
        assert!(matches!(failure(e.dot_product(a, b)), Error::FormMismatch { .. }));
    }
}

/// A plaintext in NTT form at `level`, of a small scale.
fn plain(party: &Party, level: &Level) -> Plaintext {
    if party.scheme() != Scheme::Ckks {
        let plaintext = Plaintext::from_coefficients(&party.random_coefficients());
        return party.evaluator.plain_to_ntt(&plaintext, level.parms_id()).unwrap();
    }
    let encoder = CkksEncoder::new(&party.context).unwrap();
    encoder.encode_complex_at(&party.random_slots(), 1024.0, level.parms_id()).unwrap()
}

fn check_batches(party: &Party) {
    let e = &party.evaluator;
    let keys = party.keys.relin_keys_up_to(3).unwrap();
    let galois = party.keys.galois_keys(GaloisSelection::Steps(&[1])).unwrap();
    let fresh: Vec<_> = (0..11).map(|_| party.random_ciphertext()).collect();
    let products: Vec<_> = fresh.iter().map(|a| e.multiply(a, &fresh[0]).unwrap()).collect();
    let mut mixed = products.clone();
    mixed[3] = e.mod_switch_to_next(&mixed[3]).unwrap();
    mixed[5] = fresh[5].clone();
    for batch in [&products, &mixed, &fresh] {
        let each: Vec<_> = batch.iter().map(|a| e.relinearize(a, &keys).unwrap()).collect();
        let together = e.relinearize_batch(batch, &keys).unwrap();
        assert_eq!(together, each);
        assert!(together.iter().zip(&each).all(|(a, b)| a.noise() == b.noise()));
    }
    let rotated: Vec<_> = fresh.iter().map(|a| rotate(party, a, 1, &galois).unwrap()).collect();
    assert_eq!(e.rotate_batch(&fresh, 1, &galois).unwrap(), rotated);
    assert_eq!(e.rotate_batch(&fresh, 0, &galois).unwrap(), fresh);
    assert!(matches!(failure(e.rotate_batch(&fresh, 2, &galois)), Error::MissingGaloisKey { .. }));
    if party.scheme() == Scheme::Ckks {
        let each = fresh.iter().map(|a| e.multiply_relinearize_rescale(a, &fresh[0], &keys).unwrap());
        let others = vec![fresh[0].clone(); fresh.len()];
        let together = e.multiply_relinearize_rescale_batch(&fresh, &others, &keys).unwrap();
        assert_eq!(together, each.collect::<Vec<_>>());
    }
}

/// A full product takes `l² + 3l + 2` transforms at `l` primes; in steps it takes `2l` more.
#[test]
fn merged_divisions_save_transforms() {
    for scheme in [Scheme::Ckks, Scheme::Bgv] {
        for primes in 2..=6 {
            let chain = parameters::odd_chain(16, &vec![(45, 7); primes + 1]);
            let party = Party::new(&parameters::parameters(scheme, 16, chain, 17), 18);
            let (a, b) = (party.random_ciphertext(), party.random_ciphertext());
            let (e, keys) = (&party.evaluator, party.keys.relin_keys().unwrap());
            let fused = transforms(e, || match scheme {
                Scheme::Ckks => e.multiply_relinearize_rescale(&a, &b, &keys).unwrap(),
                _ => e.multiply_relinearize_mod_switch(&a, &b, &keys).unwrap(),
            });
            let stepped = transforms(e, || {
                let product = e.relinearize(&e.multiply(&a, &b).unwrap(), &keys).unwrap();
                match scheme {
                    Scheme::Ckks => e.rescale_to_next(&product).unwrap(),
                    _ => e.mod_switch_to_next(&product).unwrap(),
                }
            });
            assert_eq!([fused, stepped], [primes * primes + 3 * primes + 2, primes * primes + 5 * primes + 2]);
        }
    }
}

/// Rotations of one ciphertext share the transforms of its digits.
#[test]
fn hoisting_saves_transforms() {
    let (primes, rotations) = (4, 5);
    let chain = parameters::odd_chain(32, &vec![(45, 7); primes + 1]);
    let party = Party::new(&parameters::parameters(Scheme::Ckks, 32, chain, 0), 19);
    let steps: Vec<i64> = (1..=rotations as i64).collect();
    let keys = party.keys.galois_keys(GaloisSelection::Steps(&steps)).unwrap();
    let (a, e) = (party.random_ciphertext(), &party.evaluator);
    let (decomposition, division) = (primes + primes * primes, 2 * (primes + 1));
    assert_eq!(transforms(e, || e.rotate_vector(&a, 1, &keys).unwrap()), decomposition + division);
    assert_eq!(transforms(e, || e.rotate_many(&a, &steps, &keys).unwrap()), decomposition + rotations * division);
    assert_eq!(transforms(e, || e.sum_rotations(&a, &steps, &keys).unwrap()), decomposition + division);
    let diagonals: Vec<_> = steps.iter().map(|&step| (step, plain(&party, party.context.key_level()))).collect();
    assert_eq!(transforms(e, || e.multiply_diagonals(&a, &diagonals, &keys).unwrap()), decomposition + division);
}

fn transforms<T>(evaluator: &Evaluator, operation: impl FnOnce() -> T) -> usize {
    let before = evaluator.context().transform_count();
    operation();
    evaluator.context().transform_count() - before
}
