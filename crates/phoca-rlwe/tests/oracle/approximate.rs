//! CKKS: what encrypted numbers become, by naive decryption and decoding.

use num_complex::Complex64;
use phoca_rlwe::{Ciphertext, CkksEncoder, GaloisSelection, Parameters, Scheme};

use crate::encoders::decode_by_definition;
use crate::parameters;
use crate::party::Party;

const SCALE_BITS: i32 = 40;

/// Every operation on slots gives what it should within 2^-20: the noise is far below a scale of 2^40.
#[test]
fn encrypted_numbers_become_the_results() {
    for degree in [2, 4, 8, 32, 128] {
        let party = Party::new(&chain(degree), 18);
        let (xs, ys) = (party.random_slots(), party.random_slots());
        let (x, y) = (encrypt(&party, &xs), encrypt(&party, &ys));
        check_sums(&party, (&x, &xs), (&y, &ys));
        check_products(&party, (&x, &xs), (&y, &ys));
        check_rotations(&party, &x, &xs);
    }
}

/// Primes close to the scale, so that rescaling keeps it.
fn chain(degree: usize) -> Parameters {
    let primes = [(60, 0), (41, 0), (41, 1), (41, 2), (60, 1)];
    parameters::parameters(Scheme::Ckks, degree, parameters::odd_chain(degree, &primes), 0)
}

fn encrypt(party: &Party, values: &[Complex64]) -> Ciphertext {
    let encoder = CkksEncoder::new(&party.context).unwrap();
    party.encrypt(&encoder.encode_complex(values, 2_f64.powi(SCALE_BITS)).unwrap())
}

fn expect(party: &Party, ciphertext: &Ciphertext, expected: impl IntoIterator<Item = Complex64>) {
    let decoded = decode_by_definition(&party.phase(ciphertext), ciphertext.scale());
    let expected: Vec<Complex64> = expected.into_iter().collect();
    assert_eq!(decoded.len(), expected.len());
    for (decoded, expected) in decoded.iter().zip(expected) {
        assert!((decoded - expected).l1_norm() < 2_f64.powi(-20), "{decoded} is not {expected}");
    }
    party.check_decryption(ciphertext);
}

fn map<'a>(
    xs: &'a [Complex64],
    ys: &'a [Complex64],
    f: impl Fn(Complex64, Complex64) -> Complex64 + 'a,
) -> impl Iterator<Item = Complex64> + 'a {
    xs.iter().zip(ys).map(move |(&x, &y)| f(x, y))
}

fn check_sums(party: &Party, (x, xs): (&Ciphertext, &[Complex64]), (y, ys): (&Ciphertext, &[Complex64])) {
    let evaluator = &party.evaluator;
    let encoder = CkksEncoder::new(&party.context).unwrap();
    let plain = encoder.encode_complex(ys, x.scale()).unwrap();
    expect(party, x, xs.iter().copied());
    expect(party, &evaluator.negate(x).unwrap(), xs.iter().map(|x| -x));
    expect(party, &evaluator.add(x, y).unwrap(), map(xs, ys, |x, y| x + y));
    expect(party, &evaluator.sub(x, y).unwrap(), map(xs, ys, |x, y| x - y));
    expect(party, &evaluator.add_plain(x, &plain).unwrap(), map(xs, ys, |x, y| x + y));
    expect(party, &evaluator.sub_plain(x, &plain).unwrap(), map(xs, ys, |x, y| x - y));
    let many = [x.clone(), y.clone(), x.clone()];
    expect(party, &evaluator.add_many(&many).unwrap(), map(xs, ys, |x, y| x + y + x));
}

fn check_products(party: &Party, (x, xs): (&Ciphertext, &[Complex64]), (y, ys): (&Ciphertext, &[Complex64])) {
    let evaluator = &party.evaluator;
    let encoder = CkksEncoder::new(&party.context).unwrap();
    let keys = party.keys.relin_keys_up_to(3).unwrap();
    let product = evaluator.multiply(x, y).unwrap();
    assert_eq!(product.scale(), 2_f64.powi(2 * SCALE_BITS));
    expect(party, &product, map(xs, ys, |x, y| x * y));
    expect(party, &evaluator.square(x).unwrap(), xs.iter().map(|x| x * x));
    let cube = evaluator.multiply(&product, x).unwrap();
    expect(party, &cube, map(xs, ys, |x, y| x * y * x));
    expect(party, &evaluator.relinearize(&cube, &keys).unwrap(), map(xs, ys, |x, y| x * y * x));
    let relinearized = evaluator.relinearize(&product, &keys).unwrap();
    let rescaled = evaluator.rescale_to_next(&relinearized).unwrap();
    expect(party, &rescaled, map(xs, ys, |x, y| x * y));
    let last = party.context.parameters().coeff_modulus[3];
    assert_eq!(rescaled.scale(), product.scale() / last as f64);
    let low = evaluator.mod_switch_to(x, rescaled.parms_id()).unwrap();
    expect(party, &low, xs.iter().copied());
    expect(party, &evaluator.multiply(&rescaled, &low).unwrap(), map(xs, ys, |x, y| x * y * x));
    let plain = encoder.encode_complex_at(ys, x.scale(), low.parms_id()).unwrap();
    expect(party, &evaluator.multiply_plain(&low, &plain).unwrap(), map(xs, ys, |x, y| x * y));
    let three = encoder.encode_integer(-3, low.parms_id()).unwrap();
    expect(party, &evaluator.multiply_plain(&low, &three).unwrap(), xs.iter().map(|x| x * -3.0));
    assert_eq!(evaluator.multiply_plain(&low, &three).unwrap().scale(), low.scale());
}

fn check_rotations(party: &Party, x: &Ciphertext, xs: &[Complex64]) {
    let evaluator = &party.evaluator;
    let keys = party.keys.galois_keys(GaloisSelection::All).unwrap();
    let slots = xs.len() as i64;
    for steps in [1 - slots, -1, 0, 1, slots / 3, slots - 1] {
        if steps.abs() >= slots {
            continue;
        }
        let mut rotated = xs.to_vec();
        rotated.rotate_left(steps.rem_euclid(slots) as usize);
        expect(party, &evaluator.rotate_vector(x, steps, &keys).unwrap(), rotated);
    }
    expect(party, &evaluator.conjugate(x, &keys).unwrap(), xs.iter().map(Complex64::conj));
}
