//! Sums of many, products, clear operands and overflows.

use phoca_tfhe::Error;
use phoca_tfhe::integer::Radix;

use super::{Keys, Numbers, count_bootstraps, flag, keys, signed, toy_keys};

fn mask_of(blocks: usize) -> u64 {
    u64::MAX >> (64 - 2 * blocks)
}

fn outside(value: i128, bits: u32) -> bool {
    value < -(1 << (bits - 1)) || value >= 1 << (bits - 1)
}

fn check_products(keys: &Keys, [a, b]: [u64; 2], blocks: usize, threads: usize) -> Result<(), Error> {
    let (bits, mask) = (2 * blocks as u32, mask_of(blocks));
    let (client, server) = (&keys.client, &keys.servers[threads - 1]);
    let decrypt = |integer: &Radix| Ok::<_, Error>(client.decrypt(integer)?[0]);
    let (x, y) = (client.encrypt(&[a], blocks)?, client.encrypt(&[b], blocks)?);
    let case = format!("{a}, {b}, {bits} bits, {threads} threads");
    let wanted = a.wrapping_mul(b) & mask;
    assert_eq!(decrypt(&server.mul(&x, &y)?)?, wanted, "mul {case}");
    assert_eq!(decrypt(&server.scalar_mul(&x, &[b])?)?, wanted, "scalar mul {case}");
    let (product, overflow) = server.mul_with_overflow(&x, &y, false)?;
    assert_eq!(decrypt(&product)?, wanted, "mul with flag {case}");
    assert_eq!(flag(client, &overflow)?, u128::from(a) * u128::from(b) > u128::from(mask), "mul overflow {case}");
    let (product, overflow) = server.mul_with_overflow(&x, &y, true)?;
    assert_eq!(decrypt(&product)?, wanted, "signed mul {case}");
    let wide = i128::from(signed(a, bits)) * i128::from(signed(b, bits));
    assert_eq!(flag(client, &overflow)?, outside(wide, bits), "signed mul overflow {case}");
    Ok(())
}

fn check_sums(keys: &Keys, [a, b]: [u64; 2], blocks: usize, threads: usize) -> Result<(), Error> {
    let (bits, mask) = (2 * blocks as u32, mask_of(blocks));
    let (client, server) = (&keys.client, &keys.servers[threads - 1]);
    let decrypt = |integer: &Radix| Ok::<_, Error>(client.decrypt(integer)?[0]);
    let (x, y) = (client.encrypt(&[a], blocks)?, client.encrypt(&[b], blocks)?);
    let case = format!("{a}, {b}, {bits} bits, {threads} threads");
    assert_eq!(decrypt(&server.scalar_add(&x, &[b])?)?, a.wrapping_add(b) & mask, "scalar add {case}");
    assert_eq!(decrypt(&server.scalar_sub(&x, &[b])?)?, a.wrapping_sub(b) & mask, "scalar sub {case}");
    let (c, d) = (i128::from(signed(a, bits)), i128::from(signed(b, bits)));
    let (sum, overflow) = server.signed_add_with_overflow(&x, &y)?;
    assert_eq!(decrypt(&sum)?, a.wrapping_add(b) & mask, "signed add {case}");
    assert_eq!(flag(client, &overflow)?, outside(c + d, bits), "add overflow {case}");
    let (difference, overflow) = server.signed_sub_with_overflow(&x, &y)?;
    assert_eq!(decrypt(&difference)?, a.wrapping_sub(b) & mask, "signed sub {case}");
    assert_eq!(flag(client, &overflow)?, outside(c - d, bits), "sub overflow {case}");
    let (negated, overflow) = server.signed_neg_with_overflow(&x)?;
    assert_eq!(decrypt(&negated)?, a.wrapping_neg() & mask, "signed neg {case}");
    assert_eq!(flag(client, &overflow)?, outside(-c, bits), "neg overflow {case}");
    assert_eq!(decrypt(&server.abs(&x)?)?, c.unsigned_abs() as u64 & mask, "abs {case}");
    assert_eq!(flag(client, &server.scalar_eq(&x, &[b])?)?, a == b, "scalar eq {case}");
    assert_eq!(flag(client, &server.scalar_ne(&x, &[b])?)?, a != b, "scalar ne {case}");
    for (is_signed, order) in [(false, a.cmp(&b)), (true, c.cmp(&d))] {
        assert_eq!(flag(client, &server.scalar_lt(&x, &[b], is_signed)?)?, order.is_lt(), "scalar lt {case}");
        assert_eq!(flag(client, &server.scalar_le(&x, &[b], is_signed)?)?, order.is_le(), "scalar le {case}");
        assert_eq!(flag(client, &server.scalar_gt(&x, &[b], is_signed)?)?, order.is_gt(), "scalar gt {case}");
        assert_eq!(flag(client, &server.scalar_ge(&x, &[b], is_signed)?)?, order.is_ge(), "scalar ge {case}");
    }
    assert_eq!(decrypt(&server.scalar_max(&x, &[b], true)?)?, c.max(d) as u64 & mask, "scalar max {case}");
    assert_eq!(decrypt(&server.scalar_min(&x, &[b], false)?)?, a.min(b), "scalar min {case}");
    Ok(())
}

#[test]
fn all_products_and_sums_of_two_and_four_bits() -> Result<(), Error> {
    for pair in 0..16 {
        check_products(toy_keys(), [pair / 4, pair % 4], 1, 1)?;
        check_sums(toy_keys(), [pair / 4, pair % 4], 1, 2)?;
    }
    for pair in 0..256 {
        check_products(toy_keys(), [pair / 16, pair % 16], 2, 1 + pair as usize % 2)?;
        check_sums(toy_keys(), [pair / 16, pair % 16], 2, 1 + pair as usize % 2)?;
    }
    Ok(())
}

#[test]
fn random_products_and_sums_of_every_width() -> Result<(), Error> {
    let mut numbers = Numbers(41);
    for blocks in 3..=32 {
        for threads in 1..=2 {
            check_sums(toy_keys(), numbers.pair(2 * blocks as u32), blocks, threads)?;
        }
        // One pair near the edges, and one whose product is near the limit.
        let [a, _] = numbers.pair(2 * blocks as u32);
        check_products(toy_keys(), [a, numbers.next() & mask_of(blocks)], blocks, 1 + blocks % 2)?;
        let few = numbers.next() % 3 + blocks as u64 - 1;
        let small = [numbers.next() & (mask_of(blocks) >> few), numbers.next() & (mask_of(blocks) >> blocks)];
        check_products(toy_keys(), small, blocks, 1)?;
    }
    check_products(keys(), [0xfe, 0x83], 4, 2)?;
    check_sums(keys(), [0x80, 0x7f], 4, 1)
}

#[test]
fn sums_of_many() -> Result<(), Error> {
    let mut numbers = Numbers(42);
    let keys = toy_keys();
    for count in [0, 1, 2, 3, 4, 5, 6, 9, 17, 40] {
        for (blocks, server) in [(1, 0), (2, 1), (5, 0), (32, 1)] {
            let server = &keys.servers[server];
            let values: Vec<_> = (0..count).map(|_| numbers.pair(2 * blocks as u32)[0]).collect();
            let encrypted: Vec<_> =
                values.iter().map(|value| keys.client.encrypt(&[*value], blocks)).collect::<Result<_, _>>()?;
            let (sum, overflow) = server.sum_all_with_overflow(&encrypted.iter().collect::<Vec<_>>())?;
            let total: u128 = values.iter().map(|value| u128::from(*value)).sum();
            let digits = keys.client.decrypt(&sum)?;
            assert_eq!(digits.first().copied().unwrap_or(0), total as u64 & mask_of(blocks), "{values:?}");
            assert_eq!(flag(&keys.client, &overflow)?, total > u128::from(mask_of(blocks)), "{values:?}");
            let sum = server.sum_all(&encrypted.iter().collect::<Vec<_>>())?;
            assert_eq!(keys.client.decrypt(&sum)?, digits);
        }
    }
    // One ciphertext many times has noise that adds up.
    let one = keys.client.encrypt(&[0x5b], 4)?;
    assert_eq!(keys.client.decrypt(&keys.servers[0].sum_all(&[&one; 11])?)?, [0x5b * 11 % 256]);
    Ok(())
}

#[test]
fn bootstraps_of_arithmetic() -> Result<(), Error> {
    let keys = toy_keys();
    for (blocks, wanted) in [
        (4, [23, 38, 75, 10, 4]),
        (8, [97, 128, 191, 22, 23]),
        (16, [398, 458, 573, 46, 70]),
        (32, [1606, 1729, 1948, 94, 258]),
    ] {
        let x = keys.client.encrypt(&[0x1234_5678_9abc_def0], blocks)?;
        let y = keys.client.encrypt(&[0xfedc_ba98_7654_3211], blocks)?;
        let counts = [
            count_bootstraps(&|server| server.mul(&x, &y))?,
            count_bootstraps(&|server| server.mul_with_overflow(&x, &y, false))?,
            count_bootstraps(&|server| server.mul_with_overflow(&x, &y, true))?,
            count_bootstraps(&|server| server.sum_all(&[&x, &y, &x, &y, &x]))?,
            count_bootstraps(&|server| server.scalar_mul(&x, &[0x9e37_79b9_7f4a_7c15]))?,
        ];
        assert_eq!(counts, wanted, "{blocks} blocks");
        assert_eq!(count_bootstraps(&|server| server.scalar_mul(&x, &[16]))?, 0);
        assert_eq!(count_bootstraps(&|server| server.scalar_add(&x, &[16]))?, blocks as u64 - 2);
        assert_eq!(count_bootstraps(&|server| server.signed_add_with_overflow(&x, &y))?, blocks as u64 + 4);
    }
    Ok(())
}
