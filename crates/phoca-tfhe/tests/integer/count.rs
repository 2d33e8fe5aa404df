//! Numbers of bits, and other widths.

use phoca_tfhe::Error;
use phoca_tfhe::integer::Radix;

use super::{Keys, Numbers, count_bootstraps, flag, keys, signed, toy_keys};

fn check(keys: &Keys, value: u64, blocks: usize, threads: usize) -> Result<(), Error> {
    let bits = 2 * blocks as u32;
    let mask = u64::MAX >> (64 - bits);
    let (client, server) = (&keys.client, &keys.servers[threads - 1]);
    let x = client.encrypt(&[value], blocks)?;
    let expect = |result: Radix, wanted: u32, name: &str| -> Result<(), Error> {
        assert_eq!(client.decrypt(&result)?, [u64::from(wanted)], "{name} of {value}, {bits} bits, {threads} threads");
        Ok(())
    };
    let leading = |value: u64| value.leading_zeros() + bits - 64;
    let trailing = |value: u64| value.trailing_zeros().min(bits);
    expect(server.count_ones(&x)?, value.count_ones(), "count of ones")?;
    expect(server.count_zeros(&x)?, bits - value.count_ones(), "count of zeros")?;
    expect(server.leading_zeros(&x)?, leading(value), "leading zeros")?;
    expect(server.trailing_zeros(&x)?, trailing(value), "trailing zeros")?;
    expect(server.leading_ones(&x)?, leading(!value & mask), "leading ones")?;
    expect(server.trailing_ones(&x)?, trailing(!value & mask), "trailing ones")?;
    let (log, found) = server.checked_ilog2(&x)?;
    expect(log, value.checked_ilog2().unwrap_or(0), "ilog2")?;
    expect(server.ilog2(&x)?, value.checked_ilog2().unwrap_or(0), "ilog2")?;
    assert_eq!(flag(client, &found)?, value > 0);
    assert_eq!(flag(client, &server.is_odd(&x)?)?, value % 2 == 1);
    assert_eq!(flag(client, &server.is_even(&x)?)?, value.is_multiple_of(2));
    assert_eq!(client.decrypt(&server.reverse_bits(&x)?)?[0], value.reverse_bits() >> (64 - bits));
    let flags = server.to_bits(&x)?;
    for (place, bit) in flags.iter().enumerate() {
        assert_eq!(flag(client, bit)?, (value >> place) & 1 == 1, "bit {place} of {value}");
    }
    assert_eq!(client.decrypt(&server.from_bits(&flags)?)?[0], value);
    let wider = server.resize(&x, blocks + 3, true)?;
    let wide_mask = if bits + 6 < 64 { (1 << (bits + 6)) - 1 } else { u64::MAX };
    assert_eq!(client.decrypt(&wider)?[0], signed(value, bits) as u64 & wide_mask);
    assert!(flag(client, &server.eq(&wider, &server.resize(&wider, blocks + 3, true)?)?)?);
    assert_eq!(client.decrypt(&server.resize(&x, blocks + 3, false)?)?[0], value);
    assert_eq!(client.decrypt(&server.resize(&x, 1, true)?)?, [value & 3]);
    assert_eq!(client.decrypt(&server.from_flag(&found, 2)?)?, [u64::from(value > 0)]);
    Ok(())
}

#[test]
fn all_counts_of_two_four_and_six_bits() -> Result<(), Error> {
    for blocks in 1..=3 {
        for value in 0..1 << (2 * blocks) {
            check(toy_keys(), value, blocks, 1 + value as usize % 2)?;
        }
    }
    Ok(())
}

#[test]
fn random_counts_of_every_width() -> Result<(), Error> {
    let mut numbers = Numbers(61);
    for blocks in 4..=32 {
        let [value, other] = numbers.pair(2 * blocks as u32);
        let zeros = numbers.next() % (2 * blocks as u64);
        check(toy_keys(), value, blocks, 1)?;
        check(toy_keys(), other >> zeros, blocks, 2)?;
    }
    check(keys(), 0x68, 4, 2)
}

#[test]
fn bootstraps_of_counts() -> Result<(), Error> {
    let keys = toy_keys();
    for (blocks, wanted) in [(4, [4, 6, 6]), (8, [8, 12, 12]), (16, [18, 24, 24]), (32, [35, 48, 48])] {
        let x = keys.client.encrypt(&[0x1234_5678_9abc_def0], blocks)?;
        let counts = [
            count_bootstraps(&|server| server.count_ones(&x))?,
            count_bootstraps(&|server| server.leading_zeros(&x))?,
            count_bootstraps(&|server| server.ilog2(&x))?,
        ];
        assert_eq!(counts, wanted, "{blocks} blocks");
        assert_eq!(count_bootstraps(&|server| server.to_bits(&x))?, blocks as u64);
        assert_eq!(count_bootstraps(&|server| server.resize(&x, blocks + 5, false))?, 0);
        assert_eq!(count_bootstraps(&|server| server.resize(&x, blocks + 5, true))?, 1);
    }
    // Repeated blocks against different ones: two differences, not one of both.
    let repeated = keys.servers[0].repeat(&keys.client.encrypt(&[3], 1)?.blocks()[0], 2);
    let different = keys.client.encrypt(&[15], 2)?;
    assert_eq!(count_bootstraps(&|server| server.eq(&repeated, &different))?, 3);
    assert_eq!(count_bootstraps(&|server| server.eq(&different, &keys.client.encrypt(&[15], 2)?))?, 1);
    Ok(())
}
