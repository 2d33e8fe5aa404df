//! Parameters, keys and choices for the circuits.

use phoca_rlwe::{
    Context, Decryptor, Encryptor, Evaluator, GaloisKeys, GaloisSelection, KeyGenerator, Parameters, RelinKeys, Scheme,
    Security, SecurityLevel, coeff_modulus,
};

/// A small generator for choices (SplitMix64), the same on every machine.
pub struct Choices(u64);

impl Choices {
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number in `[0, bound)`.
    pub fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }

    pub fn residue(&mut self, modulus: u64) -> u64 {
        self.next() % modulus
    }

    /// A number in [−1, 1).
    pub fn real(&mut self) -> f64 {
        (self.next() as i64 as f64) / 9_223_372_036_854_775_808.0
    }
}

/// One set of keys with everything that works on it.
pub struct Party {
    pub context: Context,
    pub encryptor: Encryptor,
    pub evaluator: Evaluator,
    pub decryptor: Decryptor,
    pub relin: Option<RelinKeys>,
    pub galois: Option<GaloisKeys>,
}

/// Rotations for which the keys are made, besides the conjugation or column swap.
pub const STEPS: [i64; 3] = [1, -2, 7];

impl Party {
    pub fn new(scheme: Scheme, degree: usize, prime_bits: &[u32], plain_modulus: u64, seed: u8) -> Self {
        let coeff_modulus = match prime_bits {
            [] => coeff_modulus::seal_default(degree, SecurityLevel::Bits128).unwrap(),
            bits => coeff_modulus::create(degree, bits).unwrap(),
        };
        let parameters = Parameters { scheme, degree, coeff_modulus, plain_modulus };
        let context = parameters.builder().security(Security::Insecure).build().unwrap();
        let keys = KeyGenerator::insecure_from_seed(&context, [seed; 32]).unwrap();
        let encryptor =
            Encryptor::with_keys(&context, Some(keys.public_key().unwrap()), Some(keys.secret_key().clone()))
                .unwrap()
                .insecure_from_seed([seed.wrapping_add(1); 32]);
        let steps: Vec<i64> = STEPS.iter().copied().chain([0]).collect();
        let switching = context.supports_key_switching();
        Self {
            encryptor,
            evaluator: Evaluator::new(&context),
            decryptor: Decryptor::new(&context, keys.secret_key().clone()).unwrap(),
            relin: switching.then(|| keys.relin_keys_up_to(3).unwrap()),
            galois: switching.then(|| keys.galois_keys(GaloisSelection::Steps(&steps)).unwrap()),
            context,
        }
    }
}
