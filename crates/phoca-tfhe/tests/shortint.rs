//! Short integers: every operation on every pair of messages.

use std::sync::OnceLock;

use phoca_ring::random::SecretRng;
use phoca_tfhe::Error;
use phoca_tfhe::params::MESSAGE_2_CARRY_2;
use phoca_tfhe::shortint::{Ciphertext, ClientKey, ServerKey};

type Pair = fn(&ServerKey, &Ciphertext, &Ciphertext) -> Result<Ciphertext, Error>;
type Clear = fn(u64, u64) -> u64;
type Scalar = fn(&ServerKey, &Ciphertext, u64) -> Result<Ciphertext, Error>;

fn keys() -> &'static (ClientKey, ServerKey) {
    static KEYS: OnceLock<(ClientKey, ServerKey)> = OnceLock::new();
    KEYS.get_or_init(|| {
        let mut rng = SecretRng::insecure_from_seed([11; 32]);
        let client = ClientKey::generate_with(MESSAGE_2_CARRY_2, &mut rng).expect("the set is valid");
        let server = client.server_key_with(&mut rng).and_then(|key| key.expand()).expect("the noise can be sampled");
        (client, server)
    })
}

fn encrypt(message: u64) -> Ciphertext {
    keys().0.encrypt(message).expect("a message below 4")
}

#[test]
fn pairs_of_messages_give_the_clear_results() -> Result<(), Error> {
    let (client, server) = keys();
    let operations: [(&str, Pair, Clear); 21] = [
        ("add", ServerKey::add, |a, b| (a + b) % 4),
        ("sub", ServerKey::sub, |a, b| (4 + a - b) % 4),
        ("mul", ServerKey::mul, |a, b| a * b % 4),
        ("mul_msb", ServerKey::mul_msb, |a, b| a * b / 4),
        ("unchecked_mul", ServerKey::unchecked_mul, |a, b| a * b % 4),
        ("checked_mul", ServerKey::checked_mul, |a, b| a * b % 4),
        ("div", ServerKey::div, |a, b| a.checked_div(b).unwrap_or(3)),
        ("rem", ServerKey::rem, |a, b| a.checked_rem(b).unwrap_or(a)),
        ("bitand", ServerKey::bitand, |a, b| a & b),
        ("bitor", ServerKey::bitor, |a, b| a | b),
        ("bitxor", ServerKey::bitxor, |a, b| a ^ b),
        ("eq", ServerKey::eq, |a, b| u64::from(a == b)),
        ("ne", ServerKey::ne, |a, b| u64::from(a != b)),
        ("lt", ServerKey::lt, |a, b| u64::from(a < b)),
        ("le", ServerKey::le, |a, b| u64::from(a <= b)),
        ("gt", ServerKey::gt, |a, b| u64::from(a > b)),
        ("ge", ServerKey::ge, |a, b| u64::from(a >= b)),
        ("max", ServerKey::max, |a, b| a.max(b)),
        ("min", ServerKey::min, |a, b| a.min(b)),
        ("shl", ServerKey::shl, |a, b| (a << (b % 2)) % 4),
        ("shr", ServerKey::shr, |a, b| a >> (b % 2)),
    ];
    for (name, operation, expected) in operations {
        for (a, b) in (0..16).map(|pair| (pair / 4, pair % 4)) {
            let result = operation(server, &encrypt(a), &encrypt(b))?;
            assert_eq!(client.decrypt_message_and_carry(&result)?, expected(a, b), "{name}({a}, {b})");
            assert!(server.is_clean(&result), "{name} leaves a clean result");
        }
    }
    Ok(())
}

#[test]
fn clear_operands_give_the_clear_results() -> Result<(), Error> {
    let (client, server) = keys();
    let operations: [(&str, Scalar, Clear); 16] = [
        ("scalar_add", ServerKey::scalar_add, |a, b| (a + b) % 4),
        ("scalar_sub", ServerKey::scalar_sub, |a, b| (4 + a - b) % 4),
        ("scalar_mul", ServerKey::scalar_mul, |a, b| a * b % 4),
        ("scalar_div", ServerKey::scalar_div, |a, b| a.checked_div(b).unwrap_or(3)),
        ("scalar_rem", ServerKey::scalar_rem, |a, b| a.checked_rem(b).unwrap_or(a)),
        ("scalar_bitand", ServerKey::scalar_bitand, |a, b| a & b),
        ("scalar_bitor", ServerKey::scalar_bitor, |a, b| a | b),
        ("scalar_bitxor", ServerKey::scalar_bitxor, |a, b| a ^ b),
        ("scalar_eq", ServerKey::scalar_eq, |a, b| u64::from(a == b)),
        ("scalar_ne", ServerKey::scalar_ne, |a, b| u64::from(a != b)),
        ("scalar_lt", ServerKey::scalar_lt, |a, b| u64::from(a < b)),
        ("scalar_le", ServerKey::scalar_le, |a, b| u64::from(a <= b)),
        ("scalar_gt", ServerKey::scalar_gt, |a, b| u64::from(a > b)),
        ("scalar_ge", ServerKey::scalar_ge, |a, b| u64::from(a >= b)),
        ("scalar_shl", ServerKey::scalar_shl, |a, b| (a << b) % 4),
        ("scalar_shr", ServerKey::scalar_shr, |a, b| a >> b),
    ];
    for (name, operation, expected) in operations {
        for (a, b) in (0..16).map(|pair| (pair / 4, pair % 4)) {
            let result = operation(server, &encrypt(a), b)?;
            assert_eq!(client.decrypt_message_and_carry(&result)?, expected(a, b), "{name}({a}, {b})");
        }
        assert!(matches!(operation(server, &encrypt(0), 4), Err(Error::OutOfRange { value: 4, bound: 4 })), "{name}");
    }
    Ok(())
}

#[test]
fn carries_are_tracked_and_cleaned() -> Result<(), Error> {
    let (client, server) = keys();
    let (three, two) = (encrypt(3), encrypt(2));
    let mut sum = server.checked_add(&three, &two)?;
    assert_eq!((sum.degree(), sum.noise_level()), (6, 2));
    for _ in 0..3 {
        sum = server.checked_add(&sum, &three)?;
    }
    assert_eq!((sum.degree(), sum.noise_level()), (15, 5));
    assert_eq!(client.decrypt_message_and_carry(&sum)?, 14);
    assert!(matches!(server.checked_add(&sum, &three), Err(Error::NoRoom { value: 18, most_value: 15, .. })));
    assert!(matches!(server.checked_mul(&three, &sum), Err(Error::NoRoom { .. })));
    let (mut left, mut right) = (sum.clone(), three.clone());
    let total = server.smart_add(&mut left, &mut right)?;
    assert_eq!((left.degree(), right), (3, three.clone()), "only the full operand was cleaned");
    assert_eq!(client.decrypt(&total)?, (14 + 3) % 4);
    assert_eq!(client.decrypt(&server.mul(&sum, &three)?)?, 14 % 4 * 3 % 4);
    assert_eq!(client.decrypt(&server.carry(&sum)?)?, 3);
    assert_eq!(client.decrypt(&server.sub(&two, &sum)?)?, 0);
    assert_eq!(client.decrypt(&server.neg(&three)?)?, 1);
    assert_eq!(client.decrypt(&server.bitnot(&two)?)?, 1);
    let shifted = server.unchecked_scalar_add(&server.unchecked_scalar_mul(&two, 3), 5);
    assert_eq!(client.decrypt_message_and_carry(&shifted)?, 11);
    assert_eq!((shifted.degree(), shifted.noise_level()), (14, 3));
    Ok(())
}

#[test]
fn values_beyond_all_bounds_are_refused_without_a_panic() {
    let server = &keys().1;
    let huge = server.unchecked_scalar_mul(&encrypt(3), u64::MAX);
    assert_eq!((huge.degree(), huge.noise_level()), (u64::MAX, u64::MAX));
    assert!(matches!(server.checked_add(&huge, &huge), Err(Error::NoRoom { .. })));
    assert!(matches!(server.checked_sub(&huge, &huge), Err(Error::NoRoom { .. })));
    assert!(matches!(server.pack(&huge, &encrypt(1)), Err(Error::NoRoom { .. })));
    assert!(matches!(server.message(&huge), Err(Error::NoRoom { .. })));
}

#[test]
fn tables_of_several_functions_cost_one_bootstrap() -> Result<(), Error> {
    let (client, server) = keys();
    let table = server.tables(&[&|x| x % 4, &|x| x / 4])?;
    for message in 0..8 {
        let trivial = server.trivial(message)?;
        let mut input = encrypt(message.min(3));
        input = server.unchecked_scalar_add(&input, message - message.min(3));
        let before = server.bootstrap_count();
        let outputs = server.apply_all(&[(&input, &table), (&trivial, &table)])?;
        // Other tests of this program count, too.
        assert!(server.bootstrap_count() >= before + 2);
        let found: Result<Vec<_>, _> = outputs.iter().map(|output| client.decrypt_message_and_carry(output)).collect();
        assert_eq!(found?, [message % 4, message / 4, message % 4, message / 4]);
        // A trivial operand runs the function in the clear.
        assert!(outputs[2].is_trivial() && !outputs[0].is_trivial());
    }
    let full = server.checked_add(&server.checked_add(&encrypt(3), &encrypt(3))?, &encrypt(3))?;
    assert!(matches!(server.apply(&full, &table), Err(Error::NoRoom { value: 9, most_value: 7, .. })));
    assert!(matches!(server.tables(&[&|x| x, &|x| x, &|x| x]), Err(Error::OutOfRange { value: 3, .. })));
    Ok(())
}

#[test]
fn threads_and_batches_give_the_same_words() -> Result<(), Error> {
    let mut rng = SecretRng::insecure_from_seed([12; 32]);
    let client = ClientKey::generate_with(MESSAGE_2_CARRY_2, &mut rng)?;
    let mut server = client.server_key_with(&mut rng)?.expand()?;
    let inputs: Vec<_> = (0..11).map(|i| client.encrypt_with(i % 4, &mut rng)).collect::<Result<_, _>>()?;
    let table = server.table(|x| 3 * x);
    let jobs: Vec<_> = inputs.iter().map(|input| (input, &table)).collect();
    let alone: Vec<_> = inputs.iter().map(|input| server.apply(input, &table)).collect::<Result<_, _>>()?;
    for threads in [1, 2, 3] {
        server.set_threads(threads)?;
        assert_eq!(server.threads(), threads);
        assert_eq!(server.apply_all(&jobs)?, alone, "{threads} threads");
    }
    assert!(matches!(server.set_threads(5000), Err(Error::Threads { threads: 5000, .. })));
    Ok(())
}

#[test]
fn what_does_not_belong_is_refused() -> Result<(), Error> {
    let (client, server) = keys();
    assert!(matches!(client.encrypt(4), Err(Error::OutOfRange { value: 4, bound: 4 })));
    assert!(matches!(server.trivial(16), Err(Error::OutOfRange { value: 16, bound: 16 })));
    let other = phoca_tfhe::params::Parameters { lwe_dimension: 20, polynomial_size: 256, ..MESSAGE_2_CARRY_2 };
    let stranger = ClientKey::generate(other)?;
    let foreign = stranger.encrypt(1)?;
    assert!(matches!(client.decrypt(&foreign), Err(Error::LweDimension { expected: 2048, found: 256 })));
    assert!(matches!(server.message(&foreign), Err(Error::LweDimension { .. })));
    assert!(matches!(server.add(&foreign, &encrypt(1)), Err(Error::LweDimension { .. })));
    let table = stranger.server_key()?.expand()?.table(|x| x);
    assert!(matches!(server.apply(&encrypt(1), &table), Err(Error::TableSize { expected: 2048, found: 256 })));
    let invalid = phoca_tfhe::params::Parameters { polynomial_size: 100, ..MESSAGE_2_CARRY_2 };
    assert!(matches!(ClientKey::generate(invalid), Err(Error::Parameters { .. })));
    Ok(())
}

#[test]
fn seeded_ciphertexts_expand() -> Result<(), Error> {
    let (client, server) = keys();
    for message in 0..4 {
        let seeded = client.encrypt_seeded(message)?;
        let expanded = seeded.expand();
        assert_eq!(client.decrypt(&expanded)?, message);
        assert_eq!(client.decrypt(&server.scalar_add(&expanded, 1)?)?, (message + 1) % 4);
    }
    Ok(())
}
