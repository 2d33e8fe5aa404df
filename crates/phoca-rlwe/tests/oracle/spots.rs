//! Larger rings: whole vectors, several blocks, and one default chain of SEAL.

use phoca_rlwe::{GaloisSelection, Parameters, Scheme, SecurityLevel, coeff_modulus, plain_modulus};

use crate::checks::polynomial;
use crate::parameters;
use crate::party::Party;
use crate::{big, levels, linear, plain, products, switching};

#[test]
fn rings_of_whole_vectors_are_exact() {
    for scheme in parameters::ALL {
        for (degree, shapes) in [(128, [(50, 255), (49, 0), (50, 7)]), (256, [(60, 255), (33, 9), (60, 0)])] {
            let chain = parameters::odd_chain(degree, &shapes);
            let parameters = parameters::parameters(scheme, degree, chain, (1 << 20) - 3);
            let party = Party::new(&parameters, 60);
            let (a, b) = (party.random_of_size(2), party.random_of_size(2));
            linear::check_combinations(&party, &a, &b);
            let product = party.evaluator.multiply(&a, &b).unwrap();
            products::check_product(&party, &product, &a, &b);
            let keys = party.keys.relin_keys().unwrap();
            switching::check_relinearization(&party, &product, &keys);
            let keys = party.keys.galois_keys(GaloisSelection::Steps(&[-5])).unwrap();
            let element = keys.elements().next().unwrap();
            switching::check_automorphism(&party, &a, element, &keys);
            levels::check_step(&party, &product);
            let mut plaintext = party.random_plaintext();
            plaintext.set_scale(1.0);
            plain::check_sums(&party, &a, &plaintext);
        }
    }
}

/// The default chain of degree 4096. Messages are sparse, so that their product is quick; ciphertexts are not.
#[test]
fn default_parameters_multiply_and_relinearize() {
    let parameters = Parameters {
        scheme: Scheme::Bfv,
        degree: 4096,
        coeff_modulus: coeff_modulus::seal_default(4096, SecurityLevel::Bits128).unwrap(),
        plain_modulus: plain_modulus::batching(4096, 20).unwrap(),
    };
    let party = Party::with_context(parameters.build().unwrap(), 61);
    let evaluator = &party.evaluator;
    let message = |shift: usize| {
        let mut message = vec![0; 4096];
        (0..9).for_each(|i| message[(i * 455 + shift) % 4096] = party.random() % 1_032_193);
        message
    };
    let (left, right) = (message(4095), message(17));
    let encrypt = |message: &[u64]| party.encrypt(&phoca_rlwe::Plaintext::from_coefficients(message));
    let product = evaluator.multiply(&encrypt(&left), &encrypt(&right)).unwrap();
    let relinearized = evaluator.relinearize(&product, &party.keys.relin_keys().unwrap()).unwrap();
    let switched = evaluator.mod_switch_to_next(&relinearized).unwrap();
    let expected = party.message_map(big::mul(&polynomial(&left), &polynomial(&right)));
    for ciphertext in [&relinearized, &switched] {
        assert_eq!(party.message(ciphertext), expected);
    }
}

/// Noise past the range of doubles, in a modulus of 1200 bits.
#[test]
fn long_chains_decrypt_and_see_their_noise() {
    let shapes: Vec<(u32, u8)> = (0..21).map(|i| (60, 12 * i)).collect();
    for scheme in parameters::ALL {
        let chain = parameters::odd_chain(4, &shapes);
        let party = Party::lenient(&parameters::parameters(scheme, 4, chain, 65_537), 62);
        let fresh = party.random_ciphertext();
        party.check_decryption(&fresh);
        // BFV's message means nothing without the last prime: the noise is as large as the modulus.
        let dropped = party.evaluator.mod_reduce_to_next(&fresh).unwrap();
        party.check_decryption(&dropped);
        let (a, b) = (party.random_of_size(3), party.random_of_size(2));
        let product = party.evaluator.multiply(&a, &b).unwrap();
        products::check_product(&party, &product, &a, &b);
        party.check_decryption(&product);
    }
}
