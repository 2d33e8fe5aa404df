//! Expressions on ciphertexts against the same text evaluated on plain numbers.

mod oracle;
mod random;

use oracle::Oracle;
use phoca::noise::{Encryption, MessageBound, NoiseModel};
use phoca::{
    BatchEncoder, Ciphertext, CkksEncoder, Context, Decryptor, Encryptor, GaloisKeys, GaloisSelection, KeyGenerator,
    Parameters, RelinKeys, Scheme, Security, coeff_modulus, plain_modulus,
};
use random::Random;

use super::plan::StepKind;
use super::*;

const SCALE: f64 = (1_u64 << 40) as f64;

struct Party {
    context: Context,
    encryptor: Encryptor,
    decryptor: Decryptor,
    keys: KeyGenerator,
    relin: RelinKeys,
    galois: GaloisKeys,
}

impl Party {
    fn new(scheme: Scheme, degree: usize, bits: &[u32]) -> Self {
        let context = Parameters {
            scheme,
            degree,
            coeff_modulus: coeff_modulus::create(degree, bits).unwrap(),
            plain_modulus: if scheme == Scheme::Ckks { 0 } else { plain_modulus::batching(degree, 17).unwrap() },
        };
        let context = context.builder().security(Security::Insecure).build().unwrap();
        let keys = KeyGenerator::insecure_from_seed(&context, [7; 32]).unwrap();
        Self {
            encryptor: Encryptor::with_keys(&context, Some(keys.public_key().unwrap()), None).unwrap(),
            decryptor: Decryptor::new(&context, keys.secret_key().clone()).unwrap(),
            relin: keys.relin_keys().unwrap(),
            galois: keys.galois_keys(GaloisSelection::All).unwrap(),
            keys,
            context,
        }
    }

    fn evaluation_keys(&self) -> EvaluationKeys<'_> {
        EvaluationKeys { relin: Some(&self.relin), galois: Some(&self.galois) }
    }

    fn encrypt(&self, values: &[f64]) -> Vec<Ciphertext> {
        let blocks = values.chunks(self.context.slot_count()).map(|block| match self.context.scheme() {
            Scheme::Ckks => CkksEncoder::new(&self.context).unwrap().encode(block, SCALE).unwrap(),
            _ => {
                let block: Vec<i64> = block.iter().map(|&value| value as i64).collect();
                BatchEncoder::new(&self.context).unwrap().encode_signed(&block).unwrap()
            }
        });
        blocks.map(|plaintext| self.encryptor.encrypt(&plaintext).unwrap()).collect()
    }

    /// All slots, padding included.
    fn decrypt(&self, blocks: &[Ciphertext]) -> Vec<f64> {
        let mut values = Vec::new();
        for block in blocks {
            let plaintext = self.decryptor.decrypt(block).unwrap();
            match self.context.scheme() {
                Scheme::Ckks => values.extend(CkksEncoder::new(&self.context).unwrap().decode(&plaintext).unwrap()),
                _ => {
                    let decoded = BatchEncoder::new(&self.context).unwrap().decode_signed(&plaintext).unwrap();
                    values.extend(decoded.into_iter().map(|value| value as f64));
                }
            }
        }
        values
    }

    fn plan(&self, text: &str, inputs: &[(String, Vec<f64>)]) -> Result<Plan, ExpressionError> {
        let shapes: Vec<_> =
            inputs.iter().map(|(name, values)| (name.clone(), InputShape::Vector(values.len()))).collect();
        let graph = build(&parse(text)?, &shapes, Domain::of(&self.context), self.context.slot_count())?;
        let state = InputState {
            level: self.context.first_level().prime_count(),
            scale: if self.context.scheme() == Scheme::Ckks { SCALE } else { 1.0 },
        };
        plan(&graph, &Chain::of(&self.context), &vec![state; inputs.len()])
    }

    /// Evaluates `text` on ciphertexts and on plain numbers, and compares all slots. False where the library refuses
    /// because the result is no secret, such as `(x + 1) - (x + 2)`.
    fn check(&self, text: &str, inputs: &[(String, Vec<f64>)]) -> bool {
        let plan = self.plan(text, inputs).unwrap_or_else(|error| panic!("{text}: {error}"));
        let encrypted: Vec<_> = inputs.iter().map(|(_, values)| self.encrypt(values)).collect();
        let encrypted: Vec<&[Ciphertext]> = encrypted.iter().map(Vec::as_slice).collect();
        let result = execute(&plan, &self.context, self.evaluation_keys(), &encrypted, &mut |_| {});
        if let Err(ExpressionError::Scheme(error)) = &result
            && matches!(**error, phoca::Error::TransparentCiphertext)
        {
            return false;
        }
        let result = result.unwrap_or_else(|error| panic!("{text}: {error}\n{}", plan.explain()));
        let state = plan.steps[plan.result].state;
        for block in &result {
            assert_eq!((block.prime_count(), block.size()), (state.level, 2), "{text}");
            assert!((block.scale() / state.scale - 1.0).abs() < 1e-12, "{text}");
        }
        let oracle = Oracle::new(&self.context, inputs);
        let expected = oracle.evaluate(&parse(text).unwrap());
        let promised = self.promised(&plan, inputs, &result);
        let mut slots = expected.values.clone();
        let fill = if state.shape == Shape::Scalar { slots[0] } else { 0.0 };
        slots.resize(result.len() * self.context.slot_count(), fill);
        for (index, (got, wanted)) in self.decrypt(&result).into_iter().zip(slots).enumerate() {
            let error = (got - wanted).abs();
            assert!(
                error <= expected.error,
                "{text}: slot {index} is {got}, not {wanted}; error {error:e}, bound {:e}\n{}",
                expected.error,
                plan.explain()
            );
            assert!(error <= promised, "{text}: slot {index} errs by {error:e}, promised {promised:e}");
        }
        true
    }

    /// What the plan promises before the run: the error of CKKS, or 0 for the others, whose noise budget is checked.
    fn promised(&self, plan: &Plan, inputs: &[(String, Vec<f64>)], result: &[Ciphertext]) -> f64 {
        let model = NoiseModel::new(&self.context);
        let exact = self.context.scheme() != Scheme::Ckks;
        let noises: Vec<InputNoise> = inputs
            .iter()
            .map(|(_, values)| {
                let largest = values.iter().fold(0.0, |most: f64, value| most.max(value.abs()));
                let message = match exact {
                    true => MessageBound::any(&model),
                    false => MessageBound::of_values(&model, largest, SCALE),
                };
                InputNoise {
                    bound: model.fresh(self.context.first_level(), Encryption::PublicKey, &message),
                    correction_factor: 1,
                }
            })
            .collect();
        let promise = plan.promise(&self.context, Some(&self.galois), &noises).unwrap();
        if exact {
            for block in result {
                let left = self.decryptor.invariant_noise_budget(block).unwrap();
                assert!(f64::from(left) + 1.0 >= promise.likely, "{left} of {} bits", promise.likely);
            }
            return 0.0;
        }
        // Decoding and the plain computation round doubles too.
        promise.likely + 1e-9
    }
}

fn inputs(names: &[&str], length: usize, integers: bool) -> Vec<(String, Vec<f64>)> {
    let value = |i: usize, k: usize| match integers {
        true => ((i * 7 + k * 13) % 50) as f64 - 25.0,
        false => (i as f64 * 0.37 + k as f64).sin() * 1.2,
    };
    let vector = |k| (0..length).map(|i| value(i, k)).collect();
    names.iter().enumerate().map(|(k, name)| (name.to_string(), vector(k))).collect()
}

fn ckks() -> Party {
    Party::new(Scheme::Ckks, 256, &[60, 40, 40, 40, 40, 60])
}

#[test]
fn each_function_is_right_on_vectors_of_every_kind() {
    let parties = [
        ckks(),
        Party::new(Scheme::Bfv, 256, &[55, 55, 55, 55, 55, 56]),
        Party::new(Scheme::Bgv, 256, &[55, 55, 55, 55, 55, 56]),
    ];
    for party in &parties {
        let real = party.context.scheme() == Scheme::Ckks;
        let slots = party.context.slot_count();
        for length in [1, 5, slots - 1, slots, slots + 1, 2 * slots + 9] {
            let inputs = inputs(&["x", "y"], length, !real);
            let texts = [
                "x + y - 3",
                "-x * y",
                "2 - x",
                "x^3",
                "sum(x + 1)",
                "sum(x * y + x)",
                "dot(x, y) * x",
                "x + sum(y)",
                "sum(x - sum(y))",
                "sum((x + sum(y)) * (y + sum(x)))",
                "rotate(x, 1) + rotate(x, -2) * 3",
                "rotate(x + sum(x), 3)",
                "let d = x - y; square(d) + d",
            ];
            let means = [
                "mean(x)",
                "x - mean(x)",
                "var(x) + 0.25",
                "x * 0.3 + y",
                "sum(square(x - mean(x)))",
                "1e-3 * x^2 * y",
            ];
            for text in texts.into_iter().chain(means.into_iter().filter(|_| real)) {
                assert!(party.check(text, &inputs), "{text}");
            }
        }
    }
}

#[test]
fn random_expressions_are_those_of_plain_numbers() {
    let parties = [
        (ckks(), 250),
        (Party::new(Scheme::Bfv, 256, &[55, 55, 55, 55, 55, 56]), 120),
        (Party::new(Scheme::Bgv, 256, &[55, 55, 55, 55, 55, 56]), 120),
    ];
    for (party, count) in &parties {
        let scheme = party.context.scheme();
        let slots = party.context.slot_count();
        let mut random = Random::new(scheme as u64 + 1);
        let mut done = 0;
        for _ in 0..*count {
            let length = [1, 3, slots / 2, slots, slots + 7, 2 * slots][random.below(6)];
            let inputs = inputs(&["x", "y", "z"], length, scheme != Scheme::Ckks);
            let text = random.expression(length, scheme == Scheme::Ckks);
            let reference = Oracle::new(&party.context, &inputs).evaluate(&parse(&text).unwrap());
            match party.plan(&text, &inputs) {
                Err(ExpressionError::LevelsExhausted { .. } | ExpressionError::PlainResult) => continue,
                Err(error) => panic!("{text}: {error}"),
                Ok(_) if reference.largest > 1e5 && scheme == Scheme::Ckks => continue,
                Ok(_) => done += usize::from(party.check(&text, &inputs)),
            }
        }
        assert!(done * 2 > *count, "{scheme}: only {done} of {count} expressions could run");
    }
}

#[test]
fn shared_parts_are_computed_once_and_sums_of_products_relinearized_once() {
    let party = ckks();
    let inputs = inputs(&["x", "y", "z"], 20, false);
    let counts = |text: &str| party.plan(text, &inputs).unwrap().counts();
    let sum = counts("x*y + y*z + x*z");
    assert_eq!((sum.products, sum.relinearizations, sum.rescalings), (3, 1, 1));
    assert_eq!(counts("(x + y)^2 + (y + x)*(x + y)").products, 1);
    assert_eq!(counts("(-x)^2 + x^2 - (-x)*y").products, 2);
    assert_eq!(counts("x*x*x*x*x*x*x*x").products, 3);
    assert_eq!(party.plan("x^8", &inputs).unwrap().levels_used(), 3);
    assert_eq!(party.plan("x*y*z*x*y*z*x*y", &inputs).unwrap().levels_used(), 3);
    assert_eq!(party.plan("x*2 + y*3", &inputs).unwrap().levels_used(), 0);
    assert_eq!(party.plan("x*y + z", &inputs).unwrap().levels_used(), 1);
    assert_eq!(counts("sum(x + 1)").plain_products, 0);
}

/// Each `let` doubles what a sum would visit if it went through shared parts again.
#[test]
fn sums_go_through_shared_and_deep_parts_once() {
    let party = ckks();
    let inputs = inputs(&["x"], 20, false);
    let mut text = "let s0 = x + sum(x); ".to_owned();
    (0..60).for_each(|i| text.push_str(&format!("let s{} = s{i} + s{i}; ", i + 1)));
    let plan = party.plan(&(text + "sum(s60)"), &inputs).unwrap();
    assert!(plan.steps.len() < 200, "{} steps", plan.steps.len());
    let deep = format!("sum(sum(x){})", " + x".repeat(100_000));
    assert!(party.plan(&deep, &inputs).is_ok());
    assert!(party.check("let a = x + sum(x); let b = a - x*0.5; let c = b + a; sum(c - b) + sum(a)", &inputs));
}

#[test]
fn constants_leave_room_for_values_up_to_one() {
    let party = Party::new(Scheme::Ckks, 256, &[60, 40, 60]);
    let inputs = inputs(&["x"], 20, false);
    assert!(party.plan("x * 2000000000", &inputs).is_ok());
    assert!(matches!(party.plan("x * 2e9 * 2e9", &inputs), Err(ExpressionError::LevelsExhausted { .. })));
    assert!(matches!(party.plan("x^2 * 2000000000", &inputs), Err(ExpressionError::LevelsExhausted { .. })));
}

#[test]
fn what_is_missing_is_known_before_the_run() {
    let party = ckks();
    let inputs = inputs(&["x"], 20, false);
    match party.plan("x^32 * 0.5", &inputs) {
        Err(ExpressionError::LevelsExhausted { needed, available }) => {
            assert_eq!((needed.0, available.0), (Some(6), 4));
        }
        other => panic!("{other:?}"),
    }
    let plan = party.plan("sum(x^2) + rotate(x, 5)", &inputs).unwrap();
    let galois = party.keys.galois_keys(GaloisSelection::Steps(&[1, 2, 4, 8])).unwrap();
    let keys = EvaluationKeys { relin: Some(&party.relin), galois: Some(&galois) };
    match check_keys(&plan, keys) {
        // 5 = 1 + 4 is there; the 20 values also come back from the left by 15 = 16 − 1.
        Err(ExpressionError::MissingRotationKeys { steps, swap }) => {
            assert_eq!((steps, swap), (vec![-15, 16, 32, 64], false))
        }
        other => panic!("{other:?}"),
    }
    let keys = EvaluationKeys { relin: None, ..keys };
    assert!(matches!(check_keys(&plan, keys), Err(ExpressionError::MissingRelinKey)));
}

#[test]
fn noise_that_grows_too_large_is_known_before_the_run() {
    let party = Party::new(Scheme::Bfv, 256, &[40, 40, 41]);
    let inputs = inputs(&["x"], 20, true);
    let model = NoiseModel::new(&party.context);
    let fresh = InputNoise {
        bound: model.fresh(party.context.first_level(), Encryption::PublicKey, &MessageBound::any(&model)),
        correction_factor: 1,
    };
    let promise = |text: &str| {
        let plan = party.plan(text, &inputs).unwrap();
        plan.promise(&party.context, Some(&party.galois), &[fresh])
    };
    assert!(promise("x * 3 + 1").unwrap().likely > 10.0);
    match promise("x^8") {
        Err(ExpressionError::NoiseExhausted { noise_bits, limit_bits }) => assert!(noise_bits >= limit_bits),
        other => panic!("{other:?}"),
    }
}

#[test]
fn wrong_expressions_are_refused_with_the_byte() {
    let real = ckks();
    let exact = Party::new(Scheme::Bfv, 256, &[55, 55]);
    let inputs = inputs(&["x", "y"], 20, true);
    let position = |party: &Party, text: &str| match party.plan(text, &inputs) {
        Err(
            ExpressionError::Type { position, .. }
            | ExpressionError::UnknownName { position, .. }
            | ExpressionError::ConstantOutOfRange { position, .. }
            | ExpressionError::Syntax { position, .. },
        ) => position,
        other => panic!("{text}: {other:?}"),
    };
    assert_eq!(position(&real, "x + w"), 4);
    assert_eq!(position(&real, "x + [1, 2]"), 4);
    assert_eq!(position(&real, "sum(3)"), 4);
    assert_eq!(position(&real, "dot(x)"), 0);
    assert_eq!(position(&real, "max(x)"), 0);
    assert_eq!(position(&real, "rotate(x, y)"), 10);
    assert_eq!(position(&real, "x + 1e999"), 4);
    assert_eq!(position(&exact, "x + 0.5"), 4);
    assert_eq!(position(&exact, "x * 99999999"), 4);
    assert_eq!(position(&exact, "mean(x)"), 0);
    for text in ["x - x", "2 + 3", "x * 0", "sum(x) - sum(x)"] {
        assert!(matches!(real.plan(text, &inputs), Err(ExpressionError::PlainResult)), "{text}");
    }
}

#[test]
fn scales_of_any_chain_are_kept() {
    // Primes far from the scale: rescaling must wait until it leaves enough of the scale.
    let party = Party::new(Scheme::Ckks, 256, &[60, 52, 45, 40, 36, 60]);
    let inputs = inputs(&["x", "y"], 20, false);
    for text in ["x*y + x", "(x*y + x)*y + x*0.7", "x^4 + x^2 + x", "(x + 0.5*y)*(x - 0.25)"] {
        assert!(party.check(text, &inputs), "{text}");
    }
    let plan = party.plan("x^2 + x", &inputs).unwrap();
    assert!(plan.steps.iter().any(|step| matches!(step.kind, StepKind::Raise(..))));
}
