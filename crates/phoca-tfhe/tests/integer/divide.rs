//! Quotients and remainders.

use phoca_tfhe::Error;

use super::{Keys, Numbers, count_bootstraps, keys, signed, toy_keys};

fn check(keys: &Keys, [a, b]: [u64; 2], blocks: usize, threads: usize) -> Result<(), Error> {
    let bits = 2 * blocks as u32;
    let mask = u64::MAX >> (64 - bits);
    let (client, server) = (&keys.client, &keys.servers[threads - 1]);
    let (x, y) = (client.encrypt(&[a], blocks)?, client.encrypt(&[b], blocks)?);
    let (c, d) = (i128::from(signed(a, bits)), i128::from(signed(b, bits)));
    let unsigned = [a.checked_div(b).unwrap_or(mask), a.checked_rem(b).unwrap_or(a)];
    let as_signed = [c.checked_div(d).unwrap_or(-1) as u64 & mask, c.checked_rem(d).unwrap_or(c) as u64 & mask];
    for (is_signed, wanted) in [(false, unsigned), (true, as_signed)] {
        let case = format!("{a}, {b}, {bits} bits, signed {is_signed}, {threads} threads");
        let (quotient, remainder) = server.div_rem(&x, &y, is_signed)?;
        assert_eq!([client.decrypt(&quotient)?[0], client.decrypt(&remainder)?[0]], wanted, "{case}");
        let (quotient, remainder) = server.scalar_div_rem(&x, &[b], is_signed)?;
        assert_eq!([client.decrypt(&quotient)?[0], client.decrypt(&remainder)?[0]], wanted, "clear {case}");
        // Results are good for other operations.
        let sum = server.add(&quotient, &remainder)?;
        assert_eq!(client.decrypt(&sum)?[0], wanted[0].wrapping_add(wanted[1]) & mask, "sum {case}");
    }
    Ok(())
}

#[test]
fn all_quotients_of_two_and_four_bits() -> Result<(), Error> {
    for pair in 0..16 {
        check(toy_keys(), [pair / 4, pair % 4], 1, 1 + pair as usize % 2)?;
    }
    for pair in 0..256 {
        check(toy_keys(), [pair / 16, pair % 16], 2, 1 + pair as usize / 16 % 2)?;
    }
    Ok(())
}

#[test]
fn random_quotients_of_every_width() -> Result<(), Error> {
    let mut numbers = Numbers(51);
    for blocks in 3..=32 {
        let bits = 2 * blocks as u32;
        let short = numbers.next() % u64::from(bits);
        let [a, b] = numbers.pair(bits);
        check(toy_keys(), [a, b], blocks, 1)?;
        if blocks <= 16 {
            check(toy_keys(), [numbers.next() % (1 << bits), b >> short], blocks, 2)?;
        }
    }
    check(keys(), [0xb7, 0x0b], 4, 2)
}

#[test]
fn bootstraps_of_quotients() -> Result<(), Error> {
    let keys = toy_keys();
    for (blocks, wanted) in [(4, [60, 99, 35]), (8, [184, 255, 91]), (16, [627, 762, 203]), (32, [2299, 2562, 427])] {
        let x = keys.client.encrypt(&[0x1234_5678_9abc_def0], blocks)?;
        let y = keys.client.encrypt(&[0xfedc_ba98_7654_3211], blocks)?;
        let counts = [
            count_bootstraps(&|server| server.div_rem(&x, &y, false))?,
            count_bootstraps(&|server| server.div_rem(&x, &y, true))?,
            count_bootstraps(&|server| server.scalar_div_rem(&x, &[10], false))?,
        ];
        assert_eq!(counts, wanted, "{blocks} blocks");
        assert_eq!(count_bootstraps(&|server| server.scalar_div_rem(&x, &[16], false))?, 0);
    }
    Ok(())
}
