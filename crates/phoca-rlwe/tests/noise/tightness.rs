//! How far the bounds are above what is measured, and what planning without ciphertexts tells.

use phoca_rlwe::noise::{Encryption, MessageBound, NoiseModel};
use phoca_rlwe::seal::{Load, Save, SaveOptions};
use phoca_rlwe::{BatchEncoder, Ciphertext, CkksEncoder, NoiseBound, Scheme, plain_modulus};

use crate::common::{Choices, Party};

/// Runs of each circuit.
const RUNS: usize = 20;

/// The mean gaps in bits of one circuit between measured noise, likely bound and worst case.
#[derive(Default)]
struct Gaps {
    likely: f64,
    worst: f64,
}

impl Gaps {
    fn add(&mut self, measured: f64, likely: f64, worst: f64) {
        assert!(measured <= likely && likely <= worst, "{measured} {likely} {worst}");
        self.likely += (likely - measured) / RUNS as f64;
        self.worst += (worst - measured) / RUNS as f64;
    }
}

/// Prints the gaps, and checks those of the likely bound against the bits that the documentation states.
fn report(scheme: Scheme, degree: usize, rows: &[(&str, Gaps, f64)]) {
    for (name, gaps, stated) in rows {
        println!(
            "{scheme} n = {degree}, {name}: likely bound {:.1} bits above the measured noise, worst case {:.1}",
            gaps.likely, gaps.worst
        );
        assert!(gaps.likely < *stated, "{scheme} {degree} {name}: {} bits", gaps.likely);
    }
}

fn exact(scheme: Scheme, degree: usize, bits: &[u32]) {
    let party = Party::new(scheme, degree, bits, plain_modulus::batching(degree, 17).unwrap(), 50);
    let encoder = BatchEncoder::new(&party.context).unwrap();
    let (relin, galois) = (party.relin.as_ref().unwrap(), party.galois.as_ref().unwrap());
    let mut choices = Choices::new(degree as u64);
    let [mut public, mut secret, mut switched, mut rotated, mut product, mut square, mut depth, mut by_plain] =
        core::array::from_fn::<_, 8, _>(|_| Gaps::default());
    let record = |gaps: &mut Gaps, ciphertext: &Ciphertext| {
        let measured = party.decryptor.noise_log2(ciphertext).unwrap();
        let bound = ciphertext.noise();
        let likely = NoiseModel::new(&party.context).likely_noise(&bound).log2();
        gaps.add(measured, likely, bound.worst_case().log2());
    };
    for _ in 0..RUNS {
        let mut encode = || {
            let values: Vec<u64> = (0..degree).map(|_| choices.residue(party.context.plain_modulus())).collect();
            encoder.encode(&values).unwrap()
        };
        let a = party.encryptor.encrypt(&encode()).unwrap();
        let b = party.encryptor.encrypt(&encode()).unwrap();
        record(&mut public, &a);
        record(&mut secret, &party.encryptor.encrypt_symmetric(&encode()).unwrap());
        record(&mut rotated, &party.evaluator.rotate_rows(&a, 1, galois).unwrap());
        let ab = party.evaluator.multiply(&a, &b).unwrap();
        let ab = party.evaluator.relinearize(&ab, relin).unwrap();
        record(&mut product, &ab);
        let aa = party.evaluator.relinearize(&party.evaluator.square(&a).unwrap(), relin).unwrap();
        record(&mut square, &aa);
        record(&mut switched, &party.evaluator.mod_switch_to_next(&ab).unwrap());
        record(&mut depth, &party.evaluator.multiply(&ab, &aa).unwrap());
        let mut plaintext = encode();
        plaintext.measure(&party.context).unwrap();
        record(&mut by_plain, &party.evaluator.multiply_plain(&a, &plaintext).unwrap());
    }
    report(
        scheme,
        degree,
        &[
            ("fresh, public key", public, 2.5),
            ("fresh, secret key", secret, 1.5),
            ("rotated", rotated, 3.0),
            ("product, relinearized", product, 8.0),
            ("square, relinearized", square, 8.0),
            ("product, switched", switched, 2.5),
            ("product of products", depth, 18.0),
            ("multiplied by a plaintext", by_plain, 6.0),
        ],
    );
}

#[test]
fn bounds_of_bfv_and_bgv_are_tight() {
    for scheme in [Scheme::Bfv, Scheme::Bgv] {
        exact(scheme, 256, &[50, 50, 50, 50]);
        exact(scheme, 1024, &[50, 50, 50, 50]);
        exact(scheme, 8192, &[]);
    }
}

fn approximate(degree: usize, bits: &[u32], scale: f64) {
    let party = Party::new(Scheme::Ckks, degree, bits, 0, 60);
    let encoder = CkksEncoder::new(&party.context).unwrap();
    let (relin, galois) = (party.relin.as_ref().unwrap(), party.galois.as_ref().unwrap());
    let mut choices = Choices::new(degree as u64);
    let [mut public, mut secret, mut rotated, mut product, mut rescaled, mut depth] =
        core::array::from_fn::<_, 6, _>(|_| Gaps::default());
    let record = |gaps: &mut Gaps, ciphertext: &Ciphertext, values: &[f64]| {
        let decoded = encoder.decode(&party.decryptor.decrypt(ciphertext).unwrap()).unwrap();
        let error = decoded.iter().zip(values).fold(0.0_f64, |largest, (a, b)| largest.max((a - b).abs()));
        let likely = ciphertext.likely_error(&party.context).unwrap();
        gaps.add(error.log2(), likely.log2(), ciphertext.worst_case_error(&party.context).unwrap().log2());
    };
    for _ in 0..RUNS {
        let mut values = || -> Vec<f64> { (0..degree / 2).map(|_| choices.real()).collect() };
        let (x, y) = (values(), values());
        let products: Vec<f64> = x.iter().zip(&y).map(|(x, y)| x * y).collect();
        let a = party.encryptor.encrypt(&encoder.encode(&x, scale).unwrap()).unwrap();
        let b = party.encryptor.encrypt(&encoder.encode(&y, scale).unwrap()).unwrap();
        record(&mut public, &a, &x);
        let symmetric = party.encryptor.encrypt_symmetric(&encoder.encode(&x, scale).unwrap());
        record(&mut secret, &symmetric.unwrap(), &x);
        let mut turned = x.clone();
        turned.rotate_left(1);
        record(&mut rotated, &party.evaluator.rotate_vector(&a, 1, galois).unwrap(), &turned);
        let ab = party.evaluator.multiply(&a, &b).unwrap();
        let ab = party.evaluator.relinearize(&ab, relin).unwrap();
        record(&mut product, &ab, &products);
        let ab = party.evaluator.rescale_to_next(&ab).unwrap();
        record(&mut rescaled, &ab, &products);
        let squares: Vec<f64> = products.iter().map(|x| x * x).collect();
        record(&mut depth, &party.evaluator.square(&ab).unwrap(), &squares);
    }
    report(
        Scheme::Ckks,
        degree,
        &[
            ("fresh, public key", public, 5.0),
            ("fresh, secret key", secret, 3.0),
            ("rotated", rotated, 5.0),
            ("product, relinearized", product, 6.0),
            ("product, rescaled", rescaled, 6.0),
            ("square of a product", depth, 7.0),
        ],
    );
}

#[test]
fn bounds_of_ckks_are_tight() {
    approximate(256, &[50, 40, 40, 50], 2_f64.powi(40));
    approximate(1024, &[50, 40, 40, 50], 2_f64.powi(40));
    approximate(8192, &[], 2_f64.powi(40));
}

/// A bound that operations computed is what the model tells beforehand.
#[test]
fn planning_needs_no_ciphertexts() {
    for scheme in [Scheme::Bfv, Scheme::Bgv, Scheme::Ckks] {
        let t = if scheme == Scheme::Ckks { 0 } else { plain_modulus::batching(256, 17).unwrap() };
        let party = Party::new(scheme, 256, &[50, 40, 40, 50], t, 70);
        let (context, evaluator) = (&party.context, &party.evaluator);
        let model = NoiseModel::new(context);
        let (first, scale) = (context.first_level(), 2_f64.powi(40));
        let (plaintext, message) = match scheme {
            Scheme::Ckks => (
                CkksEncoder::new(context).unwrap().encode(&[0.5, -3.0], scale).unwrap(),
                MessageBound::of_values(&model, 3.0, scale),
            ),
            _ => (BatchEncoder::new(context).unwrap().encode(&[1, 2]).unwrap(), MessageBound::any(&model)),
        };
        let a = party.encryptor.encrypt(&plaintext).unwrap();
        let planned = model.fresh(first, Encryption::PublicKey, &message);
        assert_eq!(a.noise(), planned, "{scheme}");
        let b = party.encryptor.encrypt_symmetric(&plaintext).unwrap();
        let planned_b = model.fresh(first, Encryption::SecretKey, &message);
        assert_eq!(b.noise(), planned_b, "{scheme}");
        let product = evaluator.multiply(&a, &evaluator.add(&a, &b).unwrap()).unwrap();
        let planned = model.product(&planned, 2, &model.sum(&planned, &planned_b), 2, first);
        assert_eq!(product.noise(), planned, "{scheme}");
        let product = evaluator.relinearize(&product, party.relin.as_ref().unwrap()).unwrap();
        let planned = model.key_switched(&planned, first);
        assert_eq!(product.noise(), planned, "{scheme}");
        let next = context.next_level(first).unwrap();
        let planned = model.divided(&planned, 2, next);
        if scheme == Scheme::Ckks {
            let product = evaluator.rescale_to_next(&product).unwrap();
            assert_eq!(product.noise(), planned);
            let promised = model.likely_error(&planned, next, product.scale());
            assert_eq!(product.likely_error(context).unwrap(), promised);
            assert!(promised < 1e-4 && promised < model.worst_case_error(&planned, next, product.scale()));
            assert!(product.likely_budget(context).is_err());
        } else {
            let product = evaluator.mod_switch_to_next(&product).unwrap();
            assert_eq!(product.noise(), planned, "{scheme}");
            let promised = model.likely_budget(&planned, next);
            assert_eq!(product.likely_budget(context).unwrap(), promised);
            assert!(promised > 15.0 && promised > model.worst_case_budget(&planned, next));
            assert!(product.likely_error(context).is_err());
        }
    }
}

#[test]
fn ciphertexts_of_unknown_origin_promise_nothing_until_told() {
    for scheme in [Scheme::Bfv, Scheme::Ckks] {
        let t = if scheme == Scheme::Ckks { 0 } else { plain_modulus::batching(256, 17).unwrap() };
        let party = Party::new(scheme, 256, &[50, 40, 40, 50], t, 80);
        let context = &party.context;
        let plaintext = match scheme {
            Scheme::Ckks => CkksEncoder::new(context).unwrap().encode(&[2.0], 2_f64.powi(30)).unwrap(),
            _ => BatchEncoder::new(context).unwrap().encode(&[1]).unwrap(),
        };
        let known = party.encryptor.encrypt(&plaintext).unwrap();
        let mut file = Vec::new();
        known.save(&mut file, &SaveOptions::default()).unwrap();
        let mut loaded = Ciphertext::load(file.as_slice(), context).unwrap();
        assert_eq!(loaded.noise(), NoiseBound::UNKNOWN);
        assert!(known.noise().is_known() && !loaded.noise().is_known());
        for loaded in [
            &loaded,
            &party.evaluator.multiply(&loaded, &known).unwrap(),
            &party.evaluator.add(&known, &loaded).unwrap(),
            &party.evaluator.multiply_plain(&loaded, &plaintext).unwrap(),
            &party.evaluator.mod_switch_to_next(&loaded).unwrap(),
        ] {
            assert!(!loaded.noise().is_known());
            match scheme {
                Scheme::Ckks => assert_eq!(loaded.likely_error(context).unwrap(), f64::INFINITY),
                _ => assert_eq!(loaded.likely_budget(context).unwrap(), 0.0),
            }
        }
        loaded.assume_fresh(context, Encryption::PublicKey, 2.0).unwrap();
        assert_eq!(loaded.noise(), known.noise());
        // A bound that was written down is the same but for rounding upwards.
        let logarithms = known.noise().to_log2();
        let restored = NoiseBound::from_log2(logarithms);
        assert!(restored.worst_case() >= known.noise().worst_case());
        for (written, again) in logarithms.iter().zip(restored.to_log2()) {
            assert!(*written == again || (again - written).abs() < 1e-9);
        }
    }
}

/// Digits that are not centred would make the mean square error of the slot nearest to 1 some 80 times that of all.
#[test]
fn key_switching_treats_all_slots_alike() {
    let (mut first, mut all) = (0.0, 0.0);
    for seed in 0..12 {
        let party = Party::new(Scheme::Ckks, 256, &[40, 40, 40, 40], 0, 90 + seed);
        let encoder = CkksEncoder::new(&party.context).unwrap();
        let zero = encoder.encode(&[0.0], 2_f64.powi(40)).unwrap();
        for _ in 0..5 {
            let a = party.encryptor.encrypt_symmetric(&zero).unwrap();
            let rotated = party.evaluator.rotate_vector(&a, 1, party.galois.as_ref().unwrap()).unwrap();
            let errors = encoder.decode_complex(&party.decryptor.decrypt(&rotated).unwrap()).unwrap();
            // Slot 0 is the value at exp(iπ/n).
            first += errors[0].norm_sqr();
            all += errors.iter().map(|error| error.norm_sqr()).sum::<f64>() / errors.len() as f64;
        }
    }
    assert!(first < 5.0 * all, "mean square {first} in the first slot, {all} in all");
}
