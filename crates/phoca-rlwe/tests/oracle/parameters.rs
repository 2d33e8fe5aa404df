//! The parameter sets: a table of odd shapes, and random ones.

use phoca_ring::primes::is_prime;
use phoca_rlwe::{Context, Parameters, Scheme, Security};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

pub const EXACT: [Scheme; 2] = [Scheme::Bfv, Scheme::Bgv];
pub const ALL: [Scheme; 3] = [Scheme::Bfv, Scheme::Bgv, Scheme::Ckks];

/// Degree, shapes of the primes as [`odd_chain`] takes them, and plain modulus.
type Row = (usize, Vec<(u32, u8)>, u64);

/// The least prime from `start` that is 1 modulo `2n`.
pub fn prime_from(degree: usize, start: u64) -> u64 {
    let order = 2 * degree as u64;
    let first = (start - 1).div_ceil(order) * order + 1;
    (0..).map(|i| first + i * order).find(|&candidate| is_prime(candidate)).unwrap()
}

/// A prime for each of `shapes`: bits, and how far into the numbers of so many bits, in 256ths.
pub fn odd_chain(degree: usize, shapes: &[(u32, u8)]) -> Vec<u64> {
    let mut chain: Vec<u64> = Vec::new();
    for &(bits, place) in shapes {
        let lowest = 1_u64 << (bits - 1);
        let mut prime = prime_from(degree, lowest + (lowest >> 8) * u64::from(place));
        while chain.contains(&prime) || prime >> bits != 0 {
            let next = if prime >> bits != 0 { lowest } else { prime + 1 };
            prime = prime_from(degree, next);
        }
        chain.push(prime);
    }
    chain
}

pub fn parameters(scheme: Scheme, degree: usize, coeff_modulus: Vec<u64>, plain_modulus: u64) -> Parameters {
    let plain_modulus = if scheme == Scheme::Ckks { 0 } else { plain_modulus };
    Parameters { scheme, degree, coeff_modulus, plain_modulus }
}

pub fn context(parameters: &Parameters) -> Context {
    builder(parameters).build().unwrap()
}

/// A context that lets transparent ciphertexts pass.
pub fn lenient_context(parameters: &Parameters) -> Context {
    builder(parameters).allow_transparent(true).build().unwrap()
}

fn builder(parameters: &Parameters) -> phoca_rlwe::ContextBuilder {
    parameters.clone().builder().security(Security::Insecure)
}

/// Tiny and odd-shaped parameters, with and without a special prime.
pub fn table(scheme: Scheme) -> Vec<Parameters> {
    let rows: Vec<Row> = vec![
        (2, vec![(20, 0)], 2),
        (2, vec![(60, 255)], 3),
        (4, vec![(60, 0)], (1 << 59) - 1), // t close to Q
        (4, vec![(30, 128), (30, 128)], 17),
        (8, vec![(20, 7), (60, 200)], 16), // t a power of two
        (8, vec![(60, 200), (20, 7)], 97),
        (8, vec![(21, 1), (22, 2), (23, 3)], 6),
        (16, vec![(20, 0), (20, 0), (60, 0), (40, 90)], (1 << 22) - 3), // t above some of the primes
        (16, vec![(60, 255), (60, 255), (60, 255)], (1 << 60) - 93),
        (32, vec![(45, 33), (31, 250), (57, 99), (50, 255), (50, 0)], 1 << 59),
        (32, vec![(36, 0), (36, 0), (37, 0)], 65537),
        (64, vec![(40, 10), (41, 20), (42, 30), (43, 40), (44, 50), (55, 60)], 786_433),
        (64, vec![(60, 128), (25, 128), (60, 128)], 4_093 * 4_091),
        (64, vec![(28, 0), (31, 255), (33, 0), (32, 255), (28, 255), (31, 0)], 257), // keys with words of 32 bits
    ];
    let rows = rows.into_iter();
    rows.map(|(degree, shapes, plain)| parameters(scheme, degree, odd_chain(degree, &shapes), plain)).collect()
}

/// Parameters under which a product of two fresh ciphertexts decrypts: at least three primes, `t` at most 17 bits.
pub fn roomy(scheme: Scheme) -> Vec<Parameters> {
    let rows: Vec<Row> = vec![
        (2, vec![(59, 0), (59, 9), (60, 0)], 2),
        (4, vec![(40, 1), (50, 77), (33, 3), (60, 5)], 257),
        (8, vec![(60, 255), (58, 0), (60, 254)], 1 << 16),
        (16, vec![(36, 0), (36, 128), (36, 255), (37, 0)], 97),
        (32, vec![(60, 0), (47, 200), (60, 90), (60, 1)], 65537),
        (64, vec![(55, 200), (50, 100), (50, 0), (60, 0)], 255),
    ];
    let rows = rows.into_iter();
    rows.map(|(degree, shapes, plain)| parameters(scheme, degree, odd_chain(degree, &shapes), plain)).collect()
}

/// Any parameters: degrees 2 to 64, `primes` primes of 20 to 60 bits anywhere in their range, `t` of 2 to 60 bits.
pub fn random(
    schemes: &'static [Scheme],
    primes: core::ops::RangeInclusive<usize>,
) -> impl Strategy<Value = Parameters> {
    let shapes = proptest::collection::vec((20..=60_u32, any::<u8>()), primes);
    let plain = (0..6_u8, 2..=60_u32, any::<u64>());
    (proptest::sample::select(schemes), 1..=6_u32, shapes, plain).prop_map(|(scheme, log_degree, shapes, plain)| {
        let degree = 1 << log_degree;
        let chain = odd_chain(degree, &shapes);
        let plain = plain_modulus(degree, &chain, plain);
        parameters(scheme, degree, chain, plain)
    })
}

/// A plain modulus below `Q` and coprime to it: 2, a power of two, a batching prime, just below `Q`, or any.
fn plain_modulus(degree: usize, chain: &[u64], (kind, bits, random): (u8, u32, u64)) -> u64 {
    let product = chain.iter().fold(1, |product: u64, &prime| product.saturating_mul(prime));
    let limit = product.min(1 << 60);
    let lowest = 1 << (bits - 1);
    let candidate = match kind {
        0 => 2,
        1 => lowest.max(2),
        2 => prime_from(degree, lowest.max(2)),
        3 => limit - 1 - random % 64,
        _ => lowest.max(2) + random % lowest,
    };
    let fits = |t: &u64| (2..limit).contains(t) && chain.iter().all(|&prime| !t.is_multiple_of(prime));
    [candidate, candidate % limit, candidate + 1, 3].into_iter().find(fits).unwrap()
}

/// The same cases on every run.
pub fn config(cases: u32) -> ProptestConfig {
    ProptestConfig { cases, failure_persistence: None, rng_seed: RngSeed::Fixed(0x5EA1), ..ProptestConfig::default() }
}
