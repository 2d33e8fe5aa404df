//! Each scheme from keys to decrypted values, at SEAL's default parameters.
#![allow(missing_docs, clippy::unwrap_used)]

use phoca_rlwe::{
    BatchEncoder, Ciphertext, CkksEncoder, Context, Decryptor, Encryptor, Evaluator, GaloisSelection, KeyGenerator,
    Parameters, Plaintext, Scheme, Security, SecurityLevel, coeff_modulus, plain_modulus,
};

fn context(scheme: Scheme, degree: usize) -> Context {
    let parameters = Parameters {
        scheme,
        degree,
        coeff_modulus: coeff_modulus::seal_default(degree, SecurityLevel::Bits128).unwrap(),
        plain_modulus: if scheme == Scheme::Ckks { 0 } else { plain_modulus::batching(degree, 20).unwrap() },
    };
    parameters.build().unwrap()
}

struct Party {
    keys: KeyGenerator,
    encryptor: Encryptor,
    evaluator: Evaluator,
    decryptor: Decryptor,
}

fn party(context: &Context) -> Party {
    let keys = KeyGenerator::new(context).unwrap();
    let public = keys.public_key().unwrap();
    Party {
        encryptor: Encryptor::with_keys(context, Some(public), Some(keys.secret_key().clone())).unwrap(),
        evaluator: Evaluator::new(context),
        decryptor: Decryptor::new(context, keys.secret_key().clone()).unwrap(),
        keys,
    }
}

#[test]
fn exact_schemes_compute_slot_by_slot() {
    for scheme in [Scheme::Bfv, Scheme::Bgv] {
        let context = context(scheme, 8192);
        let t = context.plain_modulus();
        let p = party(&context);
        let encoder = BatchEncoder::new(&context).unwrap();
        let decode = |ciphertext: &Ciphertext| encoder.decode(&p.decryptor.decrypt(ciphertext).unwrap()).unwrap();
        let n = encoder.slot_count();
        let xs: Vec<u64> = (0..n as u64).map(|i| i * 7919 % t).collect();
        let ys: Vec<u64> = (0..n as u64).map(|i| (i * i + 5) % t).collect();
        let x = p.encryptor.encrypt(&encoder.encode(&xs).unwrap()).unwrap();
        let y = p.encryptor.encrypt_symmetric(&encoder.encode(&ys).unwrap()).unwrap();
        let map =
            |f: &dyn Fn(u64, u64) -> u64| -> Vec<u64> { xs.iter().zip(&ys).map(|(&x, &y)| f(x, y) % t).collect() };
        assert_eq!(decode(&x), xs, "{scheme}");
        assert_eq!(decode(&y), ys);
        println!(
            "{scheme} budgets {:?} {:?}",
            p.decryptor.invariant_noise_budget(&x),
            p.decryptor.invariant_noise_budget(&y)
        );
        assert_eq!(decode(&p.evaluator.add(&x, &y).unwrap()), map(&|x, y| x + y));
        assert_eq!(decode(&p.evaluator.sub(&x, &y).unwrap()), map(&|x, y| x + t - y));
        let product = p.evaluator.multiply(&x, &y).unwrap();
        assert_eq!(decode(&product), map(&|x, y| x * y), "{scheme} product");
        assert_eq!(decode(&p.evaluator.square(&x).unwrap()), map(&|x, _| x * x));
        let relin = p.keys.relin_keys().unwrap();
        let product = p.evaluator.relinearize(&product, &relin).unwrap();
        assert_eq!(decode(&product), map(&|x, y| x * y), "{scheme} relinearized");
        let product = p.evaluator.mod_switch_to_next(&product).unwrap();
        assert_eq!(decode(&product), map(&|x, y| x * y), "{scheme} switched");
        println!("{scheme} product budget {:?}", p.decryptor.invariant_noise_budget(&product));
        let lower = p.evaluator.mod_switch_to(&y, product.parms_id()).unwrap();
        assert_eq!(decode(&p.evaluator.add(&product, &lower).unwrap()), map(&|x, y| x * y % t + y));
        let plain = encoder.encode(&ys).unwrap();
        assert_eq!(decode(&p.evaluator.multiply_plain(&x, &plain).unwrap()), map(&|x, y| x * y));
        assert_eq!(decode(&p.evaluator.sub_plain(&product, &plain).unwrap()), map(&|x, y| x * y % t + t - y));
        let galois = p.keys.galois_keys(GaloisSelection::Steps(&[1, 0, -3])).unwrap();
        let mut rotated = xs.clone();
        rotated[..n / 2].rotate_left(1);
        rotated[n / 2..].rotate_left(1);
        assert_eq!(decode(&p.evaluator.rotate_rows(&x, 1, &galois).unwrap()), rotated, "{scheme} rotated");
        rotated.rotate_left(n / 2);
        let both = p.evaluator.rotate_columns(&p.evaluator.rotate_rows(&x, 1, &galois).unwrap(), &galois).unwrap();
        assert_eq!(decode(&both), rotated);
        let cube = p.evaluator.exponentiate(&x, 3, &relin).unwrap();
        assert_eq!(decode(&cube), map(&|x, _| x * x % t * x), "{scheme} cube");
    }
}

#[test]
fn ckks_computes_slot_by_slot() {
    let context = context(Scheme::Ckks, 8192);
    let p = party(&context);
    let encoder = CkksEncoder::new(&context).unwrap();
    let decode = |ciphertext: &Ciphertext| encoder.decode(&p.decryptor.decrypt(ciphertext).unwrap()).unwrap();
    let close = |got: Vec<f64>, expected: &[f64], tolerance: f64| {
        let worst = got.iter().zip(expected).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        println!("error 2^{:.1}", worst.log2());
        assert!(worst < tolerance, "{worst}");
    };
    let scale = 2_f64.powi(44);
    let xs: Vec<f64> = (0..4096).map(|i| (i as f64 / 100.0).sin()).collect();
    let ys: Vec<f64> = (0..4096).map(|i| (i as f64 / 37.0).cos() * 3.0).collect();
    let map = |f: &dyn Fn(f64, f64) -> f64| -> Vec<f64> { xs.iter().zip(&ys).map(|(&x, &y)| f(x, y)).collect() };
    let x = p.encryptor.encrypt(&encoder.encode(&xs, scale).unwrap()).unwrap();
    let y = p.encryptor.encrypt_symmetric(&encoder.encode(&ys, scale).unwrap()).unwrap();
    close(decode(&x), &xs, 1e-7);
    close(decode(&y), &ys, 1e-7);
    close(decode(&p.evaluator.add(&x, &y).unwrap()), &map(&|x, y| x + y), 1e-7);
    let relin = p.keys.relin_keys().unwrap();
    let product = p.evaluator.relinearize(&p.evaluator.multiply(&x, &y).unwrap(), &relin).unwrap();
    close(decode(&product), &map(&|x, y| x * y), 1e-6);
    let product = p.evaluator.rescale_to_next(&product).unwrap();
    close(decode(&product), &map(&|x, y| x * y), 1e-6);
    let plain = encoder.encode_at(&xs, scale, product.parms_id()).unwrap();
    let more = p.evaluator.rescale_to_next(&p.evaluator.multiply_plain(&product, &plain).unwrap()).unwrap();
    close(decode(&more), &map(&|x, y| x * y * x), 1e-6);
    let galois = p.keys.galois_keys(GaloisSelection::Steps(&[5, 0])).unwrap();
    let mut rotated = xs.clone();
    rotated.rotate_left(5);
    close(decode(&p.evaluator.rotate_vector(&x, 5, &galois).unwrap()), &rotated, 1e-6);
    close(decode(&p.evaluator.conjugate(&x, &galois).unwrap()), &xs, 1e-6);
}

/// Squares, relinearizes and switches a constant at parameters of any shape, where slots may not exist.
fn square_a_constant(parameters: Parameters) {
    // At degree 2 the ternary mask of a public-key encryption is zero in one case of nine.
    let builder = parameters.builder().security(Security::Insecure).allow_transparent(true);
    let context = builder.build().unwrap();
    let p = party(&context);
    let relin = p.keys.relin_keys().unwrap();
    if context.scheme() == Scheme::Ckks {
        let encoder = CkksEncoder::new(&context).unwrap();
        let plain = encoder.encode(&vec![1.5; encoder.slot_count()], 2_f64.powi(40)).unwrap();
        let x = p.encryptor.encrypt(&plain).unwrap();
        let y = p.evaluator.relinearize(&p.evaluator.square(&x).unwrap(), &relin).unwrap();
        let y = p.evaluator.rescale_to_next(&y).unwrap();
        let values = encoder.decode(&p.decryptor.decrypt(&y).unwrap()).unwrap();
        assert!(values.iter().all(|value| (value - 2.25).abs() < 1e-3), "{}", context.degree());
        return;
    }
    let x = p.encryptor.encrypt(&Plaintext::from_coefficients(&[3])).unwrap();
    let y = p.evaluator.relinearize(&p.evaluator.square(&x).unwrap(), &relin).unwrap();
    let y = p.evaluator.mod_switch_to_next(&y).unwrap();
    assert_eq!(p.decryptor.decrypt(&y).unwrap().words(), [9]);
    assert!(p.decryptor.invariant_noise_budget(&y).unwrap() > 0);
}

#[test]
fn the_smallest_and_the_largest_degree_work() {
    for degree in [2, 131_072] {
        for (scheme, plain_modulus) in [(Scheme::Bfv, 17), (Scheme::Bgv, 17), (Scheme::Ckks, 0)] {
            let coeff_modulus = coeff_modulus::create(degree, &[50, 50, 50, 60]).unwrap();
            square_a_constant(Parameters { scheme, degree, coeff_modulus, plain_modulus });
        }
    }
}

#[test]
fn a_chain_of_256_primes_works() {
    for (scheme, plain_modulus) in [(Scheme::Bfv, 17), (Scheme::Bgv, 17), (Scheme::Ckks, 0)] {
        let coeff_modulus = coeff_modulus::create(16, &[40; 256]).unwrap();
        square_a_constant(Parameters { scheme, degree: 16, coeff_modulus, plain_modulus });
    }
}
