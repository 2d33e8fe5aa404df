//! Seeded computations, word for word the same with every kernel.
//!
//! The digests were recorded with `PHOCA_ARCH=portable`. A change of what keys, encryption or evaluation compute changes
//! them; a kernel that differs from the portable one must not.

use std::process::Command;

use phoca_ring::arch::Arch;
use phoca_rlwe::{Ciphertext, CkksEncoder, GaloisSelection, Parameters, Plaintext, Scheme, Security};

use crate::parameters;
use crate::party::Party;

/// The kernels are chosen once in a process, so each instruction set that this processor has gets one.
#[test]
fn every_kernel_computes_the_recorded_words() {
    for arch in Arch::all().iter().filter(|arch| arch.is_available()) {
        let mut test = Command::new(std::env::current_exe().unwrap());
        test.args(["--exact", "digests::the_selected_kernel_computes_the_recorded_words"]);
        let output = test.env("PHOCA_ARCH", arch.name()).output().unwrap();
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success() && text.contains("1 passed"), "{}: {text}", arch.name());
    }
}

#[test]
fn the_selected_kernel_computes_the_recorded_words() {
    for threads in [1, 2, 3, 8] {
        check_digests(threads);
    }
}

fn check_digests(threads: usize) {
    let computed = [Scheme::Bfv, Scheme::Bgv, Scheme::Ckks].map(|scheme| {
        let digests = shapes(scheme).into_iter().map(|parameters| {
            let builder = parameters.builder().security(Security::Insecure).threads(threads);
            digest(&Party::with_context(builder.build().unwrap(), 50))
        });
        digests.collect::<Vec<_>>()
    });
    let recorded = [
        [
            "c65bf50e271ff665f26196cbf62543b7",
            "94e8e303cd1ce204ace9d02ed664ae28",
            "cf5f05a4e09d426a57375ddcea90eae2",
            "e9f5ce5158aef78682efcdef6256bc93",
        ],
        [
            "e1a7e22edbf7383cfdbc2f0d0f8d2498",
            "b8fd3b9988d0e46395142e9af3355e35",
            "6ea5ab8f116b4f3eacc4630b876d91d4",
            "428b5da46fa1e6790699952a0877eb87",
        ],
        [
            "f7af750d7709f980db47d15295ebcbb6",
            "90f0b5fe03c335308dee1aec12a13d36",
            "0ac295c89c020002ba02ae6a84e12fec",
            "f0553f8237809026e3c2d8bdb622d56c",
        ],
    ];
    assert_eq!(computed, recorded, "{threads} threads");
}

/// Narrow and wide primes, at degrees with and without whole vectors.
fn shapes(scheme: Scheme) -> [Parameters; 4] {
    let narrow = [(36, 200), (50, 255), (49, 9), (50, 0)];
    let wide = [(60, 255), (51, 0), (60, 0), (60, 254)];
    let mixed = [(60, 100), (33, 1), (50, 100), (55, 3)];
    // Keys have their words modulo the first three in 32 bits too.
    let narrowest = [(28, 0), (31, 255), (32, 255), (33, 9)];
    [(4, narrow), (64, mixed), (1024, wide), (64, narrowest)].map(|(degree, shapes)| {
        let chain = parameters::odd_chain(degree, &shapes);
        parameters::parameters(scheme, degree, chain, parameters::prime_from(degree, 1 << 16))
    })
}

fn digest(party: &Party) -> String {
    let mut state = blake2b_simd::Params::new().hash_length(16).to_state();
    for words in computation(party) {
        for word in words {
            state.update(&word.to_le_bytes());
        }
    }
    state.finalize().to_hex().to_string()
}

/// Each operation once, on what the operations before it gave.
fn computation(party: &Party) -> Vec<Vec<u64>> {
    let e = &party.evaluator;
    let relin = party.keys.relin_keys_up_to(3).unwrap();
    let galois = party.keys.galois_keys(GaloisSelection::All).unwrap();
    let (x, y) = (party.random_ciphertext(), party.random_ciphertext());
    let plain = plaintext(party);
    let product = e.multiply(&x, &y).unwrap();
    let cube = e.multiply(&product, &scaled_down(&x)).unwrap();
    let relinearized = e.relinearize(&cube, &relin).unwrap();
    let square = e.square(&x).unwrap();
    let low = match party.scheme() {
        Scheme::Ckks => e.rescale_to_next(&relinearized).unwrap(),
        _ => e.mod_switch_to_next(&relinearized).unwrap(),
    };
    let rotated = e.apply_galois(&low, 3, &galois).unwrap();
    let reduced = e.mod_reduce_to_next(&x).unwrap();
    let difference = e.sub(&e.negate(&y).unwrap(), &x).unwrap();
    let shifted = e.add_plain(&x, &plain).unwrap();
    let weighted = e.multiply_plain(&y, &plain).unwrap();
    let transformed = match x.is_ntt_form() {
        true => e.from_ntt(&x).unwrap(),
        false => e.to_ntt(&x).unwrap(),
    };
    let ciphertexts =
        [x, y, product, cube, relinearized, square, low, rotated, reduced, difference, shifted, weighted, transformed];
    let mut words: Vec<Vec<u64>> = ciphertexts.iter().map(|ciphertext| ciphertext.words().to_vec()).collect();
    let decrypted = party.decryptor.decrypt(&ciphertexts[7]).unwrap();
    words.push(decrypted.words().to_vec());
    words.push(plain.words().to_vec());
    words
}

fn scaled_down(x: &Ciphertext) -> Ciphertext {
    let mut x = x.clone();
    x.set_scale(1.0);
    x
}

/// CKKS constants, so that no rounding of doubles enters.
fn plaintext(party: &Party) -> Plaintext {
    match party.scheme() {
        Scheme::Ckks => {
            let encoder = CkksEncoder::new(&party.context).unwrap();
            let level = party.context.first_level();
            encoder.encode_scalar(-1.625, party.scale_at(level), level.parms_id()).unwrap()
        }
        _ => party.random_plaintext(),
    }
}
