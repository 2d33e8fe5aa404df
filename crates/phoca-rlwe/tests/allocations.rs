//! A warm evaluator asks the system for no memory: intermediate values and results come from the context's buffers.
#![allow(clippy::unwrap_used, reason = "a failed unwrap in a test is a failed test")]

use phoca_rlwe::{
    Ciphertext, CkksEncoder, Context, Encryptor, Evaluator, GaloisSelection, KeyGenerator, Parameters, Plaintext,
    Scheme, SecurityLevel, coeff_modulus, plain_modulus,
};

const DEGREE: usize = 4096;

fn context(scheme: Scheme, coeff_modulus: Vec<u64>) -> Context {
    let plain_modulus = if scheme == Scheme::Ckks { 0 } else { plain_modulus::batching(DEGREE, 20).unwrap() };
    Parameters { scheme, degree: DEGREE, coeff_modulus, plain_modulus }.build().unwrap()
}

/// Runs the operation until it is warm, then once more while allocations are counted.
fn check(scheme: Scheme, name: &str, mut operation: impl FnMut() -> Ciphertext) {
    (0..3).for_each(|_| drop(operation()));
    let count = allocation_counter::measure(|| drop(operation())).count_total;
    assert_eq!(count, 0, "{scheme} {name} allocates");
}

fn plaintext(context: &Context) -> Plaintext {
    match context.scheme() {
        Scheme::Ckks => CkksEncoder::new(context).unwrap().encode(&[1.5, -2.0], 65536.0).unwrap(),
        _ => Plaintext::from_coefficients(&[1, 2, 3]),
    }
}

#[test]
fn warm_operations_do_not_allocate() {
    let usual = coeff_modulus::seal_default(DEGREE, SecurityLevel::Bits128).unwrap();
    // Keys store their words modulo the first two primes once more in 32 bits.
    let narrow = coeff_modulus::create(DEGREE, &[28, 31, 37]).unwrap();
    for scheme in [Scheme::Bfv, Scheme::Bgv, Scheme::Ckks] {
        check_operations(scheme, &context(scheme, usual.clone()));
        check_operations(scheme, &context(scheme, narrow.clone()));
    }
}

fn check_operations(scheme: Scheme, context: &Context) {
    let keys = KeyGenerator::new(context).unwrap();
    let relin = keys.relin_keys().unwrap();
    let galois = keys.galois_keys(GaloisSelection::Steps(&[0, 1])).unwrap();
    let encryptor = Encryptor::new(context, keys.public_key().unwrap()).unwrap();
    let plain = plaintext(context);
    let (a, b) = (encryptor.encrypt(&plain).unwrap(), encryptor.encrypt(&plain).unwrap());
    let e = Evaluator::new(context);
    let product = e.multiply(&a, &b).unwrap();
    check(scheme, "add", || e.add(&a, &b).unwrap());
    check(scheme, "sub", || e.sub(&a, &b).unwrap());
    check(scheme, "negate", || e.negate(&a).unwrap());
    check(scheme, "add_plain", || e.add_plain(&a, &plain).unwrap());
    check(scheme, "multiply_plain", || e.multiply_plain(&a, &plain).unwrap());
    check(scheme, "multiply", || e.multiply(&a, &b).unwrap());
    check(scheme, "square", || e.square(&a).unwrap());
    check(scheme, "relinearize", || e.relinearize(&product, &relin).unwrap());
    check(scheme, "mod_switch_to_next", || e.mod_switch_to_next(&a).unwrap());
    check(scheme, "apply_galois", || e.apply_galois(&a, 3, &galois).unwrap());
    match scheme {
        Scheme::Ckks => {
            check(scheme, "rescale", || e.rescale_to_next(&a).unwrap());
            check(scheme, "rotate_vector", || e.rotate_vector(&a, 1, &galois).unwrap());
            check(scheme, "conjugate", || e.conjugate(&a, &galois).unwrap());
            check(scheme, "fused", || e.multiply_relinearize_rescale(&a, &b, &relin).unwrap());
        }
        Scheme::Bfv | Scheme::Bgv => {
            check(scheme, "rotate_rows", || e.rotate_rows(&a, 1, &galois).unwrap());
            check(scheme, "rotate_columns", || e.rotate_columns(&a, &galois).unwrap());
            check(scheme, "fused", || e.multiply_relinearize_mod_switch(&a, &b, &relin).unwrap());
        }
    }
    let mut changed = a.clone();
    check(scheme, "assign", || {
        e.add_assign(&mut changed, &b).unwrap();
        e.negate_assign(&mut changed).unwrap();
        changed.clone()
    });
}
