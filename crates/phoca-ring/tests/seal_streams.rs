//! Known answers of SEAL's seed expansion.
//!
//! The polynomials were made by SEAL 4.4.0 (seal-python 4.4.0): for each case a seeded symmetric ciphertext with the
//! seed below was written by hand in SEAL's format (3.4, 3.5 or 4.4), loaded and saved in full; what is kept here is the
//! 32-byte BLAKE2b digest of the little-endian words of its second polynomial, and a few of these words. The primes far
//! from a power of two force the number of rejections that is stated.
//!
//! The digests of raw blocks are from Python's `hashlib.shake_256` and from a model of BLAKE2Xb in plain Python.

use phoca_ring::Modulus;
use phoca_ring::random::{SealGenerator, SealStream, Seed};
use phoca_ring::sample::{uniform_seal, uniform_seal_3_4, uniform_seal_3_5};

use SealGenerator::{Blake2xb, Shake256};

const ODD_PRIMES: [u64; 3] = [691_752_902_764_167_169, 599_519_182_395_627_521, 979_983_278_915_973_121];

fn counting_seed() -> Seed {
    Seed::from_bytes(core::array::from_fn(|i| i as u8))
}

/// `7i + 3 mod 256`.
fn affine_seed() -> Seed {
    Seed::from_bytes(core::array::from_fn(|i| (7 * i + 3) as u8))
}

fn digest(bytes: &[u8]) -> String {
    blake2b_simd::Params::new().hash_length(32).hash(bytes).to_hex().to_string()
}

fn digest_words(words: &[u64]) -> String {
    digest(&words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<_>>())
}

fn moduli(primes: &[u64]) -> Vec<Modulus> {
    primes.iter().map(|&prime| Modulus::new(prime).expect("at most 60 bits")).collect()
}

struct Case<'a> {
    generator: SealGenerator,
    seed: Seed,
    degree: usize,
    primes: &'a [u64],
    ends: [u64; 4],
    /// The word of the stream that follows all that were used.
    next: u64,
    digest: &'a str,
}

fn check(case: &Case<'_>) {
    let mut stream = SealStream::new(case.generator, &case.seed);
    let mut out = vec![0; case.degree * case.primes.len()];
    uniform_seal(&mut stream, &moduli(case.primes), case.degree, &mut out);
    let last = out.len() - 1;
    assert_eq!([out[0], out[1], out[last - 1], out[last]], case.ends);
    assert_eq!(digest_words(&out), case.digest);
    assert_eq!(stream.next_u64(), case.next);
}

#[test]
fn ckks_ciphertext_with_99_rejections() {
    check(&Case {
        generator: Blake2xb,
        seed: counting_seed(),
        degree: 1024,
        primes: &ODD_PRIMES,
        ends: [537_162_215_140_669_707, 493_202_236_468_170_537, 112_959_195_823_749_107, 623_330_817_339_481_010],
        next: 7_240_410_201_345_680_720,
        digest: "533e4ddae9afc0c2f246de31ff1cc3442af500f25f8783169c7306bbd7da5272",
    });
}

#[test]
fn ckks_ciphertext_by_shake_with_90_rejections() {
    check(&Case {
        generator: Shake256,
        seed: counting_seed(),
        degree: 1024,
        primes: &ODD_PRIMES,
        ends: [639_151_642_813_702_458, 578_772_463_060_869_888, 441_724_769_803_969_939, 390_624_943_928_535_499],
        next: 13_957_674_137_029_594_218,
        digest: "833f26276f02e1b47ad9416bd280ede7295282e53b2b8a6cadf25fa39f447b8d",
    });
}

#[test]
fn bfv_ciphertext_with_4_rejections() {
    check(&Case {
        generator: Blake2xb,
        seed: affine_seed(),
        degree: 4096,
        primes: &[68_718_428_161, 409_287_134_135_443_457],
        ends: [586_472_908, 16_430_118_989, 229_158_646_278_155_688, 225_922_744_031_615_811],
        next: 2_491_865_959_172_667_076,
        digest: "8566f92237b30f704d1be9675f208fd1f697f253aa7b2485b126345397378432",
    });
}

#[test]
fn bgv_ciphertext_of_one_small_prime() {
    check(&Case {
        generator: Shake256,
        seed: affine_seed(),
        degree: 1024,
        primes: &[751_650_817],
        ends: [66_366_499, 751_102_965, 297_520_134, 2_449_444],
        next: 3_842_718_350_678_143_068,
        digest: "83a4e29ea60f99308e207c9c089297a734bd12330901aafdff88731f47105a7f",
    });
}

/// A uniform sampler of some version of SEAL.
type Sampler = fn(&mut SealStream, &[Modulus], usize, &mut [u64]);

#[test]
fn files_of_seal_3_4_and_3_5() {
    let cases: [(Sampler, u64, &str); 2] = [
        (uniform_seal_3_5, 191_944_264_627_721_558, "42d528f17cc6c5ee431e1d5c40491e4c6e86a11cfdc85bd7106fedaca79647ee"),
        (uniform_seal_3_4, 441_848_583_695_944_363, "555b3558f0e41440ac5d0c4a6f7c193f0d4d6d594d36363139b8b3e515817972"),
    ];
    for (sampler, first, expected) in cases {
        let mut out = vec![0; 3 * 1024];
        // Rejects 106 times.
        sampler(&mut SealStream::new(Blake2xb, &counting_seed()), &moduli(&ODD_PRIMES), 1024, &mut out);
        assert_eq!(out[0], first);
        assert_eq!(digest_words(&out), expected);
    }
}

#[test]
fn raw_blocks() {
    let cases = [
        (
            Blake2xb,
            "e3d78389ae31f19a95faa6e8c0374af2fdf9b3eb1845f94b4d175325ce3950ac",
            "56837439594590715b0c3c3dd7bda722d83a593212f4bda4f02958b27e38a3de",
            "f46da863b9d99549b997167e644066cf36cfe051f3665b03c22c5c6734f2176e",
        ),
        (
            Shake256,
            "3b987edfe8af2313228ef3264303aa2db7204aed20c4774ee2f8b1afab4943a4",
            "407e05d606d9774e036484a5498b61e7ff5f7829c0ecd7d5dfdda77063d0ee36",
            "a440f88903028f31b0ef22720b41cac13fd91397e29ae12ed4513387cfed8c92",
        ),
    ];
    for (generator, first, sixth, nine) in cases {
        let mut bytes = vec![0; 9 * 4096];
        SealStream::new(generator, &counting_seed()).fill(&mut bytes);
        assert_eq!(digest(&bytes[..4096]), first);
        assert_eq!(digest(&bytes[5 * 4096..6 * 4096]), sixth);
        assert_eq!(digest(&bytes), nine);
    }
}

#[test]
fn pieces_of_any_length_make_the_same_stream() {
    for generator in [Blake2xb, Shake256] {
        let mut whole = vec![0; 60_000];
        SealStream::new(generator, &affine_seed()).fill(&mut whole);

        let mut stream = SealStream::new(generator, &affine_seed());
        let mut pieces = Vec::new();
        for length in [0, 1, 4095, 1, 4096, 4097, 3, 8192, 20_000, 5, 0, 12_288] {
            let mut piece = vec![0; length];
            stream.fill(&mut piece);
            pieces.extend(piece);
        }
        // The words straddle blocks, because the position is odd.
        while pieces.len() + 12 <= whole.len() {
            pieces.extend(stream.next_u64().to_le_bytes());
            pieces.extend(stream.next_u32().to_le_bytes());
        }
        assert_eq!(pieces, whole[..pieces.len()]);
    }
}

#[test]
fn ids_are_seals_bytes() {
    assert_eq!([Blake2xb.id(), Shake256.id()], [1, 2]);
    assert_eq!([0, 1, 2, 3].map(SealGenerator::from_id), [None, Some(Blake2xb), Some(Shake256), None]);
}
