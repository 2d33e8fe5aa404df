//! Small contexts and objects that all tests of files share.

use std::path::{Path, PathBuf};

use phoca_rlwe::encode::{BatchEncoder, CkksEncoder};
use phoca_rlwe::seal::{Compression, Save, SaveOptions, Seeding, Version};
use phoca_rlwe::{
    Ciphertext, Context, Encryptor, Evaluator, GaloisKeys, GaloisSelection, KeyGenerator, Parameters, Plaintext,
    PublicKey, RelinKeys, Scheme, SecretKey, Security, coeff_modulus,
};

pub const SCHEMES: [Scheme; 3] = [Scheme::Bfv, Scheme::Bgv, Scheme::Ckks];
pub const COMPRESSIONS: [Compression; 3] = [Compression::None, Compression::Zlib, Compression::Zstd];
pub const VERSIONS: [Version; 4] = [Version::V4_0, Version::V4_1, Version::V4_3, Version::V4_4];
pub const PLAIN: SaveOptions =
    SaveOptions { compression: Compression::None, version: Version::V4_1, seeding: Seeding::Keep };
pub const FULL: SaveOptions = SaveOptions { seeding: Seeding::Full, ..PLAIN };

/// A file or folder of `data/seal`.
pub fn data(path: impl AsRef<Path>) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data/seal").join(path)
}

/// A context of 36-bit primes that no one should use.
pub fn context(scheme: Scheme, degree: usize, primes: usize) -> Context {
    let parameters = Parameters {
        scheme,
        degree,
        coeff_modulus: coeff_modulus::create(degree, &vec![36; primes]).unwrap(),
        plain_modulus: if scheme == Scheme::Ckks { 0 } else { 12_289 },
    };
    parameters.builder().security(Security::Insecure).build().unwrap()
}

/// One object of each kind.
pub struct Objects {
    pub context: Context,
    pub secret_key: SecretKey,
    pub public_key: PublicKey,
    pub relin_keys: RelinKeys,
    pub galois_keys: GaloisKeys,
    pub plaintext: Plaintext,
    /// Under the public key, which has no seed.
    pub ciphertext: Ciphertext,
    pub seeded: Ciphertext,
    pub product: Ciphertext,
}

impl Objects {
    pub fn new(scheme: Scheme, degree: usize, primes: usize) -> Self {
        let context = context(scheme, degree, primes);
        let generator = KeyGenerator::insecure_from_seed(&context, [1; 32]).unwrap();
        let public_key = generator.public_key().unwrap();
        let secret_key = generator.secret_key().clone();
        let plaintext = match scheme {
            Scheme::Ckks => CkksEncoder::new(&context).unwrap().encode(&[1.5, -2.0, 0.25], 2_f64.powi(20)).unwrap(),
            _ => BatchEncoder::new(&context).unwrap().encode_signed(&[1, -2, 3]).unwrap(),
        };
        let encryptor = Encryptor::with_keys(&context, Some(public_key.clone()), Some(secret_key.clone())).unwrap();
        let encryptor = encryptor.insecure_from_seed([2; 32]);
        let ciphertext = encryptor.encrypt(&plaintext).unwrap();
        Self {
            product: Evaluator::new(&context).square(&ciphertext).unwrap(),
            seeded: encryptor.encrypt_symmetric(&plaintext).unwrap(),
            relin_keys: generator.relin_keys_up_to(3).unwrap(),
            galois_keys: generator.galois_keys(GaloisSelection::Steps(&[0, 1])).unwrap(),
            context,
            secret_key,
            public_key,
            plaintext,
            ciphertext,
        }
    }
}

pub fn saved(object: &impl Save, options: &SaveOptions) -> Vec<u8> {
    let mut bytes = Vec::new();
    let len = object.save(&mut bytes, options).unwrap();
    assert_eq!(len, bytes.len() as u64);
    bytes
}
