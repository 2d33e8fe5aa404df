//! Shifts and rotations.

use phoca_tfhe::Error;
use phoca_tfhe::integer::Radix;

use super::{Keys, Numbers, count_bootstraps, keys, signed, toy_keys};

fn rotated(value: u64, amount: u32, bits: u32) -> u64 {
    let (wide, mask) = (u128::from(value), u64::MAX >> (64 - bits));
    ((wide << amount | wide >> (bits - amount)) as u64) & mask
}

/// All moves of a value, by a clear and by the same encrypted amount.
fn check(keys: &Keys, value: u64, amount: u64, blocks: usize, threads: usize) -> Result<(), Error> {
    let bits = 2 * blocks as u32;
    let mask = u64::MAX >> (64 - bits);
    let (client, server) = (&keys.client, &keys.servers[threads - 1]);
    let expect = |result: Radix, wanted: u64, name: &str| -> Result<(), Error> {
        assert_eq!(
            client.decrypt(&result)?[0],
            wanted,
            "{name} of {value} by {amount}, {bits} bits, {threads} threads"
        );
        // Results are good for a sum.
        assert_eq!(client.decrypt(&server.add(&result, &result)?)?[0], (wanted << 1) & mask, "twice {name}");
        Ok(())
    };
    let x = client.encrypt(&[value], blocks)?;
    let clear = (amount % u64::from(bits)) as u32;
    expect(server.scalar_shl(&x, amount)?, value << clear & mask, "scalar shl")?;
    expect(server.scalar_shr(&x, amount, false)?, value >> clear, "scalar shr")?;
    expect(server.scalar_shr(&x, amount, true)?, (signed(value, bits) >> clear) as u64 & mask, "scalar signed shr")?;
    expect(server.scalar_rotate_left(&x, amount)?, rotated(value, clear, bits), "scalar rol")?;
    expect(server.scalar_rotate_right(&x, amount)?, rotated(value, (bits - clear) % bits, bits), "scalar ror")?;
    let y = client.encrypt(&[amount], blocks.max(4))?;
    let steps = amount % u64::from(bits.next_power_of_two());
    let shl = value.checked_shl(steps as u32).unwrap_or(0) & mask;
    let wide = steps.min(63) as u32;
    expect(server.shl(&x, &y)?, shl, "shl")?;
    expect(server.shr(&x, &y, false)?, value.checked_shr(steps as u32).unwrap_or(0), "shr")?;
    expect(server.shr(&x, &y, true)?, (signed(value, bits) >> wide) as u64 & mask, "signed shr")?;
    let turn = (steps % u64::from(bits)) as u32;
    expect(server.rotate_left(&x, &y)?, rotated(value, turn, bits), "rol")?;
    expect(server.rotate_right(&x, &y)?, rotated(value, (bits - turn) % bits, bits), "ror")?;
    Ok(())
}

#[test]
fn all_shifts_of_two_and_four_bits() -> Result<(), Error> {
    for value in 0..4 {
        for amount in 0..5 {
            check(toy_keys(), value, amount, 1, 1)?;
        }
    }
    for value in 0..16 {
        for amount in 0..10 {
            check(toy_keys(), value, amount, 2, 1 + amount as usize % 2)?;
        }
    }
    Ok(())
}

#[test]
fn random_shifts_of_every_width() -> Result<(), Error> {
    let mut numbers = Numbers(31);
    for blocks in 3..=32 {
        for round in 0..4 {
            let bits = 2 * blocks as u32;
            let amount = numbers.next() % (2 * u64::from(bits));
            check(toy_keys(), numbers.pair(bits)[round % 2], amount, blocks, 1 + round % 2)?;
        }
    }
    check(keys(), 0x9234_5678, 13, 16, 1)?;
    check(keys(), 0x9a, 7, 4, 2)
}

#[test]
fn bootstraps_of_shifts() -> Result<(), Error> {
    let keys = toy_keys();
    for (blocks, whole) in [(4, 18), (8, 42), (16, 99), (32, 227)] {
        let x = keys.client.encrypt(&[0x1234_5678_9abc_def0], blocks)?;
        let amount = keys.client.encrypt(&[5], 4)?;
        let count = |operation: &dyn Fn(&super::ServerKey) -> Result<Radix, Error>| count_bootstraps(operation);
        assert_eq!(count(&|server| server.scalar_shl(&x, 4))?, 0);
        assert_eq!(count(&|server| server.scalar_rotate_left(&x, 3))?, blocks as u64);
        assert_eq!(count(&|server| server.scalar_shl(&x, 3))?, blocks as u64 - 1);
        assert_eq!(count(&|server| server.scalar_shr(&x, 3, true))?, blocks as u64);
        assert_eq!(count(&|server| server.rotate_left(&x, &amount))?, whole);
        assert_eq!(count(&|server| server.shl(&x, &amount))?, whole - 1);
    }
    Ok(())
}
