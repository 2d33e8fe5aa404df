//! Every gate with every kind of operand, under small sets and the real ones.

use alloc::vec::Vec;
use alloc::{format, vec};

use phoca_ring::fourier::Decomposition;
use phoca_ring::random::SecretRng;
use rand_core::Rng;

use super::ciphertext::Form;
use super::{Ciphertext, ClientKey, CompressedServerKey, Gate, Operand, Operation, ServerKey, eighths, try_gen_keys};
use crate::Error;
use crate::modulus_switch::ModulusSwitch;
use crate::noise::Noise;
use crate::params::{
    BOOLEAN_2M165, BOOLEAN_2M165_KS_PBS, BOOLEAN_DEFAULT, BOOLEAN_DEFAULT_KS_PBS, BOOLEAN_TFHE_LIB, Order, Parameters,
    noise_model,
};

/// Insecure: tiny dimensions, for tests of everything but noise.
const TOY: Parameters = Parameters {
    name: "TOY",
    lwe_dimension: 20,
    glwe_dimension: 2,
    polynomial_size: 128,
    lwe_noise: Noise::TUniform { bound_log2: 44 },
    glwe_noise: Noise::TUniform { bound_log2: 17 },
    bootstrap: match Decomposition::new(10, 2) {
        Some(decomposition) => decomposition,
        None => unreachable!(),
    },
    modulus_switch: ModulusSwitch::CenteredMean,
    order: Order::KeySwitchFirst,
    ..BOOLEAN_DEFAULT
};

/// Insecure, in the other order.
const TOY_BOOTSTRAP_FIRST: Parameters = Parameters { name: "TOY_BOOTSTRAP_FIRST", order: Order::BootstrapFirst, ..TOY };

const BOTH: [bool; 2] = [false, true];

/// Keys, and a generator for the rest of a test.
struct Setup {
    client: ClientKey,
    server: ServerKey,
    rng: SecretRng,
}

impl Setup {
    fn new(parameters: &Parameters, seed: u8) -> Self {
        let mut rng = SecretRng::insecure_from_seed([seed; 32]);
        let client = ClientKey::generate_with(parameters, &mut rng).unwrap();
        let server = CompressedServerKey::generate_with(&client, &mut rng).unwrap().expand().unwrap();
        Self { client, server, rng }
    }

    fn encrypt(&mut self, value: bool) -> Ciphertext {
        self.client.encrypt_with(value, &mut self.rng).unwrap()
    }

    /// Fresh encryptions of both values, in order.
    fn encrypt_both(&mut self) -> [Ciphertext; 2] {
        BOTH.map(|value| self.encrypt(value))
    }

    fn bit(&mut self) -> bool {
        self.rng.next_u32() % 2 == 1
    }

    fn below(&mut self, bound: usize) -> usize {
        self.rng.next_u32() as usize % bound
    }
}

/// One of the ways to give a boolean to an operation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Encrypted,
    Trivial,
    Clear,
}

const KINDS: [Kind; 3] = [Kind::Encrypted, Kind::Trivial, Kind::Clear];

/// An operand of each kind and value.
struct Operands {
    encrypted: [Ciphertext; 2],
    trivial: [Ciphertext; 2],
}

impl Operands {
    fn new(encrypted: [Ciphertext; 2]) -> Self {
        Self { encrypted, trivial: BOTH.map(Ciphertext::trivial) }
    }

    fn of(&self, kind: Kind, value: bool) -> Operand<'_> {
        match kind {
            Kind::Encrypted => (&self.encrypted[usize::from(value)]).into(),
            Kind::Trivial => (&self.trivial[usize::from(value)]).into(),
            Kind::Clear => value.into(),
        }
    }
}

/// An operation with what it must give and how many bootstraps it may take.
struct Case<'a> {
    operation: Operation<'a>,
    expected: bool,
    bootstraps: u64,
}

/// Every operation on every combination of kinds and values. `left`, `middle` and `right` may be the same ciphertexts.
fn every_operation<'a>(left: &'a Operands, middle: &'a Operands, right: &'a Operands) -> Vec<Case<'a>> {
    let mut cases = vec![];
    let choices = || KINDS.into_iter().flat_map(|kind| BOTH.map(|value| (kind, value)));
    for (a_kind, a) in choices() {
        cases.push(Case { operation: Operation::not(left.of(a_kind, a)), expected: !a, bootstraps: 0 });
        for (b_kind, b) in choices() {
            let bootstraps = u64::from(a_kind == Kind::Encrypted && b_kind == Kind::Encrypted);
            for gate in Gate::ALL {
                let operation = gate.of(left.of(a_kind, a), right.of(b_kind, b));
                cases.push(Case { operation, expected: gate.of_clear(a, b), bootstraps });
            }
            for (c_kind, c) in choices() {
                let operation = Operation::mux(left.of(a_kind, a), middle.of(b_kind, b), right.of(c_kind, c));
                let encrypted = [b_kind, c_kind].iter().filter(|kind| **kind == Kind::Encrypted).count() as u64;
                let bootstraps = if a_kind == Kind::Encrypted { encrypted } else { 0 };
                cases.push(Case { operation, expected: if a { b } else { c }, bootstraps });
            }
        }
    }
    cases
}

/// Runs cases in one batch and checks values and bootstraps.
fn check_cases(setup: &Setup, cases: &[Case<'_>]) -> Vec<Ciphertext> {
    let before = setup.server.bootstrap_count();
    let operations: Vec<_> = cases.iter().map(|case| case.operation).collect();
    let results = setup.server.batch(&operations).unwrap();
    assert_eq!(results.len(), cases.len());
    for (case, result) in cases.iter().zip(&results) {
        assert_eq!(setup.client.decrypt(result), case.expected, "{:?}", case.operation);
    }
    let expected: u64 = cases.iter().map(|case| case.bootstraps).sum();
    assert_eq!(setup.server.bootstrap_count() - before, expected);
    results
}

/// Truth tables of fresh ciphertexts, of results of gates and multiplexers, and of one ciphertext as every operand.
fn check_truth_tables(setup: &mut Setup) {
    let mut sets = vec![];
    for _ in 0..3 {
        sets.push(Operands::new(setup.encrypt_both()));
    }
    check_cases(setup, &every_operation(&sets[0], &sets[1], &sets[2]));
    check_cases(setup, &every_operation(&sets[0], &sets[0], &sets[0]));
    let [a, b, c] = [&sets[0], &sets[1], &sets[2]].map(|operands| &operands.encrypted);
    let muxed = Operands::new(BOTH.map(|value| setup.server.mux(&a[1], &b[usize::from(value)], &c[0])));
    let gated = Operands::new(BOTH.map(|value| setup.server.xor(&a[1], &b[usize::from(!value)])));
    check_cases(setup, &every_operation(&muxed, &gated, &muxed));
}

/// A random circuit: in each of `depth` layers every wire becomes an operation of wires of the layer before.
fn check_circuit(setup: &mut Setup, wires: usize, depth: usize) {
    let mut values: Vec<bool> = (0..wires).map(|_| setup.bit()).collect();
    let mut ciphertexts: Vec<Ciphertext> = values.iter().map(|value| setup.encrypt(*value)).collect();
    let mut changed = 0;
    for layer in 0..depth {
        let mut operations = vec![];
        let mut next = vec![];
        for wire in 0..wires {
            let [a, b, c] = [setup.below(wires), setup.below(wires), setup.below(wires)];
            let clear = setup.bit();
            let (operation, value) = match setup.below(10) {
                0 => (Operation::not(&ciphertexts[a]), !values[a]),
                1 => (Gate::Xor.of(&ciphertexts[a], clear), values[a] ^ clear),
                2 | 3 => {
                    let operation = Operation::mux(&ciphertexts[a], &ciphertexts[b], &ciphertexts[c]);
                    (operation, if values[a] { values[b] } else { values[c] })
                }
                choice => {
                    let gate = Gate::ALL[choice - 4];
                    (gate.of(&ciphertexts[wire], &ciphertexts[b]), gate.of_clear(values[wire], values[b]))
                }
            };
            operations.push(operation);
            next.push(value);
        }
        ciphertexts = setup.server.batch(&operations).unwrap();
        changed += values.iter().zip(&next).filter(|(before, after)| before != after).count();
        values = next;
        let found: Vec<bool> = ciphertexts.iter().map(|ciphertext| setup.client.decrypt(ciphertext)).collect();
        assert_eq!(found, values, "layer {layer}");
    }
    assert!(changed > wires * depth / 8, "the circuit computes something");
}

/// Batches give the words that single operations give, for every number of threads.
fn check_batches(setup: &mut Setup) {
    let sets = [setup.encrypt_both(), setup.encrypt_both(), setup.encrypt_both()].map(Operands::new);
    let mut cases = every_operation(&sets[0], &sets[1], &sets[2]);
    // Cases with and without bootstraps, multiplexers among them, in numbers that no group or thread divides.
    cases.retain(|case| case.bootstraps > 0 || setup.rng.next_u32().is_multiple_of(8));
    while cases.len() > 37 {
        let index = setup.below(cases.len());
        cases.swap_remove(index);
    }
    let batch = check_cases(setup, &cases);
    for (case, result) in cases.iter().zip(&batch) {
        assert_eq!(setup.server.evaluate(&case.operation).unwrap(), *result, "{:?}", case.operation);
    }
    #[cfg(feature = "threads")]
    for threads in [2, 3, 1] {
        setup.server.set_threads(threads).unwrap();
        assert_eq!(setup.server.threads(), threads);
        assert_eq!(check_cases(setup, &cases), batch, "{threads} threads");
    }
    let mixed: Vec<Ciphertext> = (0..20).map(|index| setup.encrypt(index % 3 == 0)).collect();
    let (left, right) = mixed.split_at(10);
    let many = setup.server.gate_batch(Gate::Nand, left, right).unwrap();
    for ((left, right), result) in left.iter().zip(right).zip(&many) {
        assert_eq!(setup.server.nand(left, right), *result);
    }
    assert!(setup.server.gate_batch(Gate::Nand, &[], &[]).unwrap().is_empty());
}

/// The squared noise of results, as a share of that of a sign.
fn mean_square(setup: &Setup, results: &[Ciphertext]) -> f64 {
    let key = setup.client.secret().ciphertext_key();
    let square = |result: &Ciphertext| {
        let phase: u64 = match &result.form {
            Form::Trivial(_) => panic!("a trivial ciphertext has no noise"),
            Form::Big(lwe) => key.phase(lwe).unwrap(),
            Form::Small(lwe) => u64::from(key.phase(lwe).unwrap()) << 32,
        };
        let center = if phase >> 63 == 0 { eighths::<u64>(1) } else { eighths(-1) };
        let noise = phase.wrapping_sub(center) as i64 as f64 / 2.0_f64.powi(64);
        noise * noise
    };
    results.iter().map(square).sum::<f64>() / results.len() as f64
}

/// A gate's result has the noise of a bootstrap, and of a key switch where one follows; a multiplexer's has that of two
/// bootstraps.
fn check_noise(setup: &mut Setup) {
    let fresh: Vec<_> = (0..96).map(|index| [index % 2 == 0, true, false].map(|value| setup.encrypt(value))).collect();
    let gates: Vec<_> = fresh.iter().map(|[a, b, _]| Gate::And.of(a, b)).collect();
    let muxes: Vec<_> = fresh.iter().map(|[a, b, c]| Operation::mux(a, b, c)).collect();
    let parameters = setup.server.parameters();
    for (operations, bootstraps) in [(gates, 1.0), (muxes, 2.0)] {
        let found = mean_square(setup, &setup.server.batch(&operations).unwrap());
        let key_switch = match parameters.order {
            Order::KeySwitchFirst => 0.0,
            Order::BootstrapFirst => noise_model::key_switch(parameters),
        };
        let expected = bootstraps * noise_model::bootstrap(parameters) + key_switch;
        // The standard deviation of a mean of 96 squares is 0.14 of it.
        let ratio = found / expected;
        assert!(
            (0.5..1.5).contains(&ratio),
            "{}: {bootstraps} bootstraps have {ratio} times their noise",
            parameters.name
        );
    }
}

/// Everything for one set.
fn check_set(parameters: &Parameters, seed: u8) {
    let mut setup = Setup::new(parameters, seed);
    check_truth_tables(&mut setup);
    check_batches(&mut setup);
    check_circuit(&mut setup, 8, 52);
    check_noise(&mut setup);
}

#[test]
fn toy_sets_compute() {
    check_set(&TOY, 1);
    check_set(&TOY_BOOTSTRAP_FIRST, 2);
}

#[test]
fn forms_of_gates_agree() {
    for parameters in [TOY, TOY_BOOTSTRAP_FIRST] {
        let mut setup = Setup::new(&parameters, 8);
        for (a, b) in [(false, false), (false, true), (true, false), (true, true)] {
            let (left, right) = (setup.encrypt(a), setup.encrypt(b));
            let server = &setup.server;
            macro_rules! check {
                ($($gate:ident, $name:ident, $assign:ident, $try_name:ident, $try_assign:ident;)*) => {$(
                    let expected = server.evaluate(&Gate::$gate.of(&left, &right)).unwrap();
                    assert_eq!(setup.client.decrypt(&expected), Gate::$gate.of_clear(a, b));
                    assert_eq!(server.$name(&left, &right), expected);
                    assert_eq!(server.$try_name(&left, &right).unwrap(), expected);
                    let mut in_place = left.clone();
                    server.$assign(&mut in_place, &right);
                    assert_eq!(in_place, expected);
                    let mut in_place = left.clone();
                    server.$try_assign(&mut in_place, &right).unwrap();
                    assert_eq!(in_place, expected);
                    server.$assign(&mut in_place, true);
                    let clear = Gate::$gate.of_clear(Gate::$gate.of_clear(a, b), true);
                    assert_eq!(setup.client.decrypt(&in_place), clear);
                    assert_eq!(setup.client.decrypt(&server.$name(false, &left)), Gate::$gate.of_clear(false, a));
                )*};
            }
            check! {
                And, and, and_assign, try_and, try_and_assign;
                Nand, nand, nand_assign, try_nand, try_nand_assign;
                Or, or, or_assign, try_or, try_or_assign;
                Nor, nor, nor_assign, try_nor, try_nor_assign;
                Xor, xor, xor_assign, try_xor, try_xor_assign;
                Xnor, xnor, xnor_assign, try_xnor, try_xnor_assign;
            }
            let mut negated = left.clone();
            server.not_assign(&mut negated);
            assert_eq!(negated, server.not(&left));
            assert_eq!(setup.client.decrypt(&negated), !a);
            assert_eq!(server.mux(&left, &right, &negated), server.try_mux(&left, &right, &negated).unwrap());
            assert_eq!(setup.client.decrypt(&server.trivial_encrypt(a)), a);
            assert_eq!(server.trivial_encrypt(a).trivial_value(), Some(a));
        }
    }
}

#[test]
fn results_of_one_seed_are_equal() {
    let [first, again] = [0; 2].map(|_| {
        let mut setup = Setup::new(&TOY, 9);
        let [no, yes] = setup.encrypt_both();
        setup.server.nand(&no, &yes)
    });
    assert_eq!(first, again);
}

#[test]
fn fresh_ciphertexts_decrypt() {
    let (client, server) = try_gen_keys(&TOY_BOOTSTRAP_FIRST).unwrap();
    for value in BOTH {
        let (first, second) = (client.encrypt(value), client.encrypt(value));
        assert_ne!(first, second);
        assert_eq!(client.decrypt(&first), value);
        assert_eq!(client.try_decrypt(&server.not(&second)), Ok(!value));
        assert!(!first.is_trivial());
    }
}

/// Every way to give a key a ciphertext of another set is refused, and changes nothing.
#[test]
fn ciphertexts_of_other_sets_are_refused() {
    let larger = Parameters { name: "TOY_LARGER", lwe_dimension: 24, glwe_dimension: 3, ..TOY };
    let larger_bootstrap_first = Parameters { order: Order::BootstrapFirst, ..larger };
    // The ciphertexts of these two have one dimension but different words.
    let tall = Parameters { name: "TOY_TALL", lwe_dimension: 256, order: Order::BootstrapFirst, ..TOY };
    let sets = [TOY, TOY_BOOTSTRAP_FIRST, larger, larger_bootstrap_first, tall];
    let mut setups: Vec<_> = sets.iter().map(|set| Setup::new(set, 10)).collect();
    let ciphertexts: Vec<_> = setups.iter_mut().map(|setup| setup.encrypt(true)).collect();
    for (own, setup) in setups.iter().enumerate() {
        for (other, foreign) in ciphertexts.iter().enumerate().filter(|(other, _)| *other != own) {
            let (mine, server) = (&ciphertexts[own], &setup.server);
            let error = match sets[own].order == sets[other].order {
                true => Error::LweDimension {
                    expected: sets[own].ciphertext_dimension(),
                    found: sets[other].ciphertext_dimension(),
                },
                false => Error::Order { expected: sets[own].order, found: sets[other].order },
            };
            assert_eq!(setup.client.try_decrypt(foreign), Err(error.clone()));
            let operands: [Operand<'_>; 3] = [foreign.into(), mine.into(), true.into()];
            for operand in operands {
                for gate in Gate::ALL {
                    assert_eq!(server.evaluate(&gate.of(foreign, operand)), Err(error.clone()));
                    assert_eq!(server.evaluate(&gate.of(operand, foreign)), Err(error.clone()));
                }
                for last in operands {
                    assert_eq!(server.try_mux(foreign, operand, last), Err(error.clone()));
                    assert_eq!(server.try_mux(operand, foreign, last), Err(error.clone()));
                    assert_eq!(server.try_mux(operand, last, foreign), Err(error.clone()));
                }
            }
            assert_eq!(server.try_not(foreign), Err(error.clone()));
            let mut unchanged = foreign.clone();
            assert_eq!(server.try_not_assign(&mut unchanged), Err(error.clone()));
            assert_eq!(server.try_xor_assign(&mut unchanged, true), Err(error.clone()));
            assert_eq!(&unchanged, foreign);
            let batch = [Gate::And.of(mine, mine), Operation::not(foreign)];
            assert_eq!(server.batch(&batch), Err(error.clone()));
            assert_eq!(server.bootstrap_count(), 0);
        }
    }
}

#[test]
fn lists_of_different_lengths_are_refused() {
    let mut setup = Setup::new(&TOY, 11);
    let operands = setup.encrypt_both();
    let refused = setup.server.gate_batch(Gate::Or, &operands, &operands[..1]);
    assert_eq!(refused, Err(Error::CountMismatch { left: 2, right: 1 }));
}

#[test]
fn invalid_sets_are_refused() {
    let refused = ClientKey::generate(&Parameters { polynomial_size: 100, ..TOY });
    assert!(matches!(refused, Err(Error::Parameters { name: "TOY", .. })));
    let noisy = Parameters { lwe_noise: Noise::TUniform { bound_log2: 63 }, ..TOY };
    let client = ClientKey::new(&noisy);
    assert!(matches!(CompressedServerKey::generate(&client), Err(Error::Noise { .. })));
}

#[test]
#[should_panic(expected = "expected an LWE ciphertext of dimension 256, found 384")]
fn a_gate_panics_with_the_error() {
    let setup = Setup::new(&TOY, 12);
    let foreign = Setup::new(&Parameters { glwe_dimension: 3, ..TOY }, 13).encrypt(true);
    setup.server.and(&foreign, &foreign);
}

#[test]
fn debug_shows_no_contents() {
    let mut setup = Setup::new(&TOY, 14);
    let ciphertext = setup.encrypt(true);
    assert_eq!(format!("{ciphertext:?}"), "Ciphertext(dimension 256, ..)");
    assert_eq!(format!("{:?}", Ciphertext::trivial(true)), "Ciphertext(trivial true)");
    let client = format!("{:?}", setup.client);
    assert!(client.contains("LweSecretKey(dimension 20, ..)") && client.contains("GlweSecretKey(k 2, N 128, ..)"));
    assert!(!format!("{client}{:?}", setup.server.key()).contains('['));
}

#[test]
fn the_default_set_computes() {
    check_set(&BOOLEAN_DEFAULT, 3);
}

#[test]
fn the_default_set_with_key_switches_first_computes() {
    check_set(&BOOLEAN_DEFAULT_KS_PBS, 4);
}

#[test]
fn the_2m165_set_computes() {
    check_set(&BOOLEAN_2M165, 5);
}

#[test]
fn the_2m165_set_with_key_switches_first_computes() {
    check_set(&BOOLEAN_2M165_KS_PBS, 6);
}

#[test]
fn the_set_of_tfhe_lib_computes() {
    check_set(&BOOLEAN_TFHE_LIB, 7);
}
