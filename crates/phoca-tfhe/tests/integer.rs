//! Integers against Rust's own, at every width.

use std::sync::OnceLock;

use phoca_ring::random::SecretRng;
use phoca_tfhe::Error;
use phoca_tfhe::integer::{ClientKey, Radix, ServerKey};
use phoca_tfhe::noise::Noise;
use phoca_tfhe::params::{MESSAGE_2_CARRY_2, Parameters};
use phoca_tfhe::shortint::Ciphertext;

#[path = "integer/arithmetic.rs"]
mod arithmetic;
#[path = "integer/count.rs"]
mod count;
#[path = "integer/divide.rs"]
mod divide;
#[path = "integer/random.rs"]
mod random;
#[path = "integer/shift.rs"]
mod shift;

struct Keys {
    client: ClientKey,
    /// With one thread, and with two.
    servers: [ServerKey; 2],
}

/// Not secure at all, but with the default set's messages and room, and fast.
const TOY: Parameters = Parameters {
    name: "TOY",
    lwe_dimension: 60,
    polynomial_size: 512,
    lwe_noise: Noise::TUniform { bound_log2: 32 },
    ..MESSAGE_2_CARRY_2
};

fn keys() -> &'static Keys {
    static KEYS: OnceLock<Keys> = OnceLock::new();
    KEYS.get_or_init(|| make_keys(MESSAGE_2_CARRY_2).expect("the set is valid"))
}

fn toy_keys() -> &'static Keys {
    static KEYS: OnceLock<Keys> = OnceLock::new();
    KEYS.get_or_init(|| make_keys(TOY).expect("the set is valid"))
}

fn make_keys(parameters: Parameters) -> Result<Keys, Error> {
    let mut rng = SecretRng::insecure_from_seed([21; 32]);
    let client = phoca_tfhe::shortint::ClientKey::generate_with(parameters, &mut rng)?;
    let seeded = client.server_key_with(&mut rng)?;
    let mut servers = [ServerKey::new(seeded.expand()?)?, ServerKey::new(seeded.expand()?)?];
    servers[1].set_threads(2)?;
    Ok(Keys { client: ClientKey::new(client), servers })
}

/// SplitMix64.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Numbers of so many bits, often at the edges, and pairs that are equal or nearly so.
    fn pair(&mut self, bits: u32) -> [u64; 2] {
        let mask = u64::MAX >> (64 - bits);
        let a = match self.next() % 4 {
            0 => 0,
            1 => mask,
            _ => self.next() & mask,
        };
        let b = match self.next() % 4 {
            0 => a,
            1 => a.wrapping_add(1) & mask,
            2 => 1 << (bits - 1),
            _ => self.next() & mask,
        };
        [a, b]
    }
}

/// The bootstraps of an operation on one thread, with a key that no other test uses.
fn count_bootstraps<T>(operation: &dyn Fn(&ServerKey) -> Result<T, Error>) -> Result<u64, Error> {
    let mut rng = SecretRng::insecure_from_seed([22; 32]);
    let server = ServerKey::new(toy_keys().client.key().server_key_with(&mut rng)?.expand()?)?;
    operation(&server)?;
    Ok(server.bootstrap_count())
}

fn encrypt(value: u64, blocks: usize) -> Result<Radix, Error> {
    keys().client.encrypt(&[value], blocks)
}

fn flag(client: &ClientKey, block: &Ciphertext) -> Result<bool, Error> {
    let value = client.key().decrypt_message_and_carry(block)?;
    assert!(value < 2, "a flag is 0 or 1");
    Ok(value == 1)
}

fn signed(value: u64, bits: u32) -> i64 {
    (value << (64 - bits)) as i64 >> (64 - bits)
}

/// All operations on one pair.
fn check(keys: &Keys, [a, b]: [u64; 2], blocks: usize, threads: usize) -> Result<(), Error> {
    let bits = 2 * blocks as u32;
    let mask = u64::MAX >> (64 - bits);
    let (client, server) = (&keys.client, &keys.servers[threads - 1]);
    let decrypt = |integer: &Radix| Ok::<_, Error>(client.decrypt(integer)?[0]);
    let flag = |block: &Ciphertext| flag(client, block);
    let (x, y) = (client.encrypt(&[a], blocks)?, client.encrypt(&[b], blocks)?);
    let case = format!("{a}, {b}, {bits} bits, {} threads", server.threads());
    let (sum, carry) = server.add_with_carry(&x, &y)?;
    assert_eq!(decrypt(&sum)?, a.wrapping_add(b) & mask, "add {case}");
    assert_eq!(flag(&carry)?, u128::from(a) + u128::from(b) > u128::from(mask), "carry {case}");
    let (difference, carry) = server.sub_with_carry(&x, &y)?;
    assert_eq!(decrypt(&difference)?, a.wrapping_sub(b) & mask, "sub {case}");
    assert_eq!(flag(&carry)?, a >= b, "no borrow {case}");
    assert_eq!(decrypt(&server.neg(&x)?)?, a.wrapping_neg() & mask, "neg {case}");
    assert_eq!(decrypt(&server.bitnot(&x))?, !a & mask, "not {case}");
    assert_eq!(decrypt(&server.bitand(&x, &y)?)?, a & b, "and {case}");
    assert_eq!(decrypt(&server.bitor(&x, &y)?)?, a | b, "or {case}");
    assert_eq!(decrypt(&server.bitxor(&x, &y)?)?, a ^ b, "xor {case}");
    assert_eq!(decrypt(&server.scalar_bitxor(&x, &[b])?)?, a ^ b, "scalar xor {case}");
    assert_eq!(flag(&server.eq(&x, &y)?)?, a == b, "eq {case}");
    assert_eq!(flag(&server.ne(&x, &y)?)?, a != b, "ne {case}");
    let (c, d) = (signed(a, bits), signed(b, bits));
    for (is_signed, order) in [(false, a.cmp(&b)), (true, c.cmp(&d))] {
        assert_eq!(flag(&server.lt(&x, &y, is_signed)?)?, order.is_lt(), "lt {is_signed} {case}");
        assert_eq!(flag(&server.le(&x, &y, is_signed)?)?, order.is_le(), "le {is_signed} {case}");
        assert_eq!(flag(&server.gt(&x, &y, is_signed)?)?, order.is_gt(), "gt {is_signed} {case}");
        assert_eq!(flag(&server.ge(&x, &y, is_signed)?)?, order.is_ge(), "ge {is_signed} {case}");
    }
    let most = server.max(&x, &y, true)?;
    assert_eq!(decrypt(&most)?, c.max(d) as u64 & mask, "max {case}");
    let least = server.min(&x, &y, false)?;
    assert_eq!(decrypt(&least)?, a.min(b), "min {case}");
    // What a choice leaves is good for every other operation.
    let sum = server.add(&most, &least)?;
    assert_eq!(decrypt(&sum)?, (c.max(d) as u64).wrapping_add(a.min(b)) & mask, "sum of choices {case}");
    assert_eq!(flag(&server.eq(&most, &least)?)?, c.max(d) as u64 & mask == a.min(b), "choices {case}");
    Ok(())
}

#[test]
fn all_pairs_of_two_and_four_bits() -> Result<(), Error> {
    for pair in 0..16 {
        check(toy_keys(), [pair / 4, pair % 4], 1, 1)?;
    }
    for pair in 0..256 {
        check(toy_keys(), [pair / 16, pair % 16], 2, 1 + pair as usize % 2)?;
    }
    Ok(())
}

#[test]
fn random_pairs_of_every_width() -> Result<(), Error> {
    let mut numbers = Numbers(1);
    for round in 0..10 {
        for blocks in 1..=32 {
            check(toy_keys(), numbers.pair(2 * blocks as u32), blocks, 1 + round % 2)?;
        }
    }
    Ok(())
}

#[test]
fn random_pairs_under_real_parameters() -> Result<(), Error> {
    let mut numbers = Numbers(2);
    for (index, blocks) in [1, 2, 4, 8, 16].into_iter().enumerate() {
        check(keys(), numbers.pair(2 * blocks as u32), blocks, 1 + index % 2)?;
    }
    Ok(())
}

#[test]
fn few_bootstraps_on_one_thread() -> Result<(), Error> {
    let server = ServerKey::new(keys().client.key().server_key()?.expand()?)?;
    let (x, y) = (encrypt(0x1234_5678_9abc_def0, 32)?, encrypt(0x1234_5678_9abc_def1, 32)?);
    let count = |operation: &dyn Fn() -> Result<(), Error>| -> Result<u64, Error> {
        let before = server.bootstrap_count();
        operation()?;
        Ok(server.bootstrap_count() - before)
    };
    assert_eq!(count(&|| server.add(&x, &y).map(drop))?, 32);
    assert_eq!(count(&|| server.sub(&x, &y).map(drop))?, 32);
    assert_eq!(count(&|| server.bitand(&x, &y).map(drop))?, 32);
    assert_eq!(count(&|| server.eq(&x, &y).map(drop))?, 17);
    assert_eq!(count(&|| server.lt(&x, &y, false).map(drop))?, 21);
    let condition = server.eq(&x, &y)?;
    assert_eq!(count(&|| server.select(&condition, &x, &y).map(drop))?, 33);
    assert_eq!(count(&|| server.max(&x, &y, false).map(drop))?, 54);
    Ok(())
}

#[test]
fn blocks_that_are_one_ciphertext_are_not_packed() -> Result<(), Error> {
    let server = &keys().servers[0];
    let block = encrypt(3, 1)?.blocks()[0].clone();
    let ones = encrypt(15, 2)?;
    let repeated = server.repeat(&block, 2);
    let flag = |block: &Ciphertext| flag(&keys().client, block);
    assert!(flag(&server.eq(&repeated, &ones)?)? && !flag(&server.lt(&repeated, &ones, false)?)?);
    Ok(())
}

#[test]
fn wide_integers() -> Result<(), Error> {
    let (client, server) = (&toy_keys().client, &toy_keys().servers[1]);
    let flag = |block: &Ciphertext| flag(client, block);
    let (a, b) = ([u64::MAX, 1, 2, u64::MAX >> 1], [1, 0, u64::MAX, 0]);
    let (x, y) = (client.encrypt(&a, 128)?, client.encrypt(&b, 128)?);
    assert_eq!(client.decrypt(&x)?, a);
    assert_eq!(client.decrypt(&server.add(&x, &y)?)?, [0, 2, 1, 1 << 63]);
    assert!(!flag(&server.eq(&x, &y)?)? && flag(&server.eq(&x, &x)?)? && flag(&server.gt(&x, &y, true)?)?);
    assert_eq!(client.decrypt(&client.encrypt(&[u64::MAX], 40)?)?, [u64::MAX, 0xffff]);
    assert!(matches!(server.add(&x, &client.encrypt(&[1], 4)?), Err(Error::BlockCount { left: 128, right: 4 })));
    Ok(())
}
