//! Integers from public seeds.

use phoca_tfhe::Error;

use super::{count_bootstraps, keys, toy_keys};

/// The statistic of counts that should be equal.
fn chi_square(counts: &[u64]) -> f64 {
    let mean = counts.iter().sum::<u64>() as f64 / counts.len() as f64;
    counts.iter().map(|count| (*count as f64 - mean).powi(2) / mean).sum()
}

#[test]
fn digits_are_uniform() -> Result<(), Error> {
    let keys = toy_keys();
    let (mut digits, mut pairs) = ([0; 4], [0; 16]);
    for seed in 0..128 {
        let random = keys.servers[seed % 2].random([seed as u8; 32], 32)?;
        let value = keys.client.decrypt(&random)?[0];
        for place in 0..32 {
            digits[((value >> (2 * place)) & 3) as usize] += 1;
        }
        for place in 0..16 {
            pairs[((value >> (4 * place)) & 15) as usize] += 1;
        }
    }
    // Exceeded once in 10000 with 3 and 15 degrees of freedom.
    assert!(chi_square(&digits) < 21.1, "{digits:?}");
    assert!(chi_square(&pairs) < 44.3, "{pairs:?}");
    Ok(())
}

#[test]
fn bounded_ones_are_uniform_and_below_the_bound() -> Result<(), Error> {
    let keys = toy_keys();
    let mut counts = [0; 8];
    for seed in 0..=255 {
        let random = keys.servers[0].random_bits([seed; 32], 3, 4)?;
        assert_eq!(random.len(), 4);
        counts[keys.client.decrypt(&random)?[0] as usize] += 1;
        // Messages are exact, so that other operations work on them.
        for block in random.blocks() {
            assert!(keys.client.key().decrypt_message_and_carry(block)? <= block.degree());
        }
    }
    // Exceeded once in 10000 with 7 degrees of freedom.
    assert!(chi_square(&counts) < 29.9, "{counts:?}");
    let server = &keys.servers[0];
    assert_eq!(keys.client.decrypt(&server.random_bits([1; 32], 0, 4)?)?, [0]);
    assert_eq!(server.random_bits([1; 32], 9, 4), Err(Error::OutOfRange { value: 9, bound: 9 }));
    Ok(())
}

#[test]
fn seeds_and_keys_determine_random_integers() -> Result<(), Error> {
    let keys = keys();
    let first = keys.servers[0].random([7; 32], 8)?;
    assert_eq!(first, keys.servers[1].random([7; 32], 8)?);
    let others: Vec<_> = (8..11)
        .map(|seed| keys.client.decrypt(&keys.servers[1].random([seed; 32], 8)?))
        .collect::<Result<_, Error>>()?;
    assert!(others.iter().any(|other| *other != others[0]));
    assert_eq!(count_bootstraps(&|server| server.random([7; 32], 32))?, 32);
    assert_eq!(count_bootstraps(&|server| server.random_bits([7; 32], 3, 32))?, 2);
    Ok(())
}
