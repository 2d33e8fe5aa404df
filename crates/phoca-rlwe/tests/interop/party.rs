//! Parameter sets, and Phoca's side of an exchange.

use std::io::Read;

use phoca_rlwe::{
    BatchEncoder, Ciphertext, CkksEncoder, Context, Decryptor, Error, Evaluator, GaloisKeys, Parameters, Plaintext,
    Scheme, SecretKey, Security, SecurityLevel, coeff_modulus, plain_modulus,
};
use serde_json::{Value, json};

use crate::Result;
use crate::slots::Slots;

pub const SCHEMES: [Scheme; 3] = [Scheme::Bfv, Scheme::Bgv, Scheme::Ckks];
/// Steps of the Galois keys; 0 swaps the rows or conjugates.
pub const STEPS: [i64; 3] = [1, -3, 0];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Size {
    /// n = 1024, three data primes and a special prime.
    Small,
    /// n = 2048 with primes of 60, 33 and 47 bits and a special prime of 60, none of them near a power of two.
    Odd,
    /// n = 8192 with SEAL's default primes for 128 bits of security.
    Default,
}

/// Parameters and the message that is sent with them.
#[derive(Clone, Debug)]
pub struct Set {
    pub size: Size,
    pub parameters: Parameters,
    pub scale: f64,
    pub slots: Slots,
}

impl Set {
    pub fn new(size: Size, scheme: Scheme) -> Result<Self> {
        let (degree, coeff_modulus, plain_modulus, scale) = match size {
            Size::Small => (1024, coeff_modulus::create(1024, &[45, 36, 36, 45])?, 12_289, 36),
            Size::Odd => {
                (2048, vec![0x0999_9999_9999_9001, 0x1_1998_E001, 0x5999_9998_B001, 0x0D99_9999_9998_4001], 65_537, 40)
            }
            Size::Default => (
                8192,
                coeff_modulus::seal_default(8192, SecurityLevel::Bits128)?,
                plain_modulus::batching(8192, 20)?,
                40,
            ),
        };
        let exact = scheme != Scheme::Ckks;
        let plain_modulus = if exact { plain_modulus } else { 0 };
        Ok(Self {
            size,
            parameters: Parameters { scheme, degree, coeff_modulus, plain_modulus },
            scale: if exact { 1.0 } else { 2_f64.powi(scale) },
            slots: match exact {
                true => Slots::sample(degree, Some(plain_modulus)),
                false => Slots::sample(degree / 2, None),
            },
        })
    }

    pub fn scheme(&self) -> Scheme {
        self.parameters.scheme
    }

    pub fn context(&self) -> Result<Context> {
        let security = match self.size {
            Size::Default => Security::SEAL_128,
            _ => Security::Insecure,
        };
        Ok(self.parameters.clone().builder().security(security).build()?)
    }

    /// The bits of security that a peer should check.
    pub fn security_bits(&self) -> u64 {
        if self.size == Size::Default { 128 } else { 0 }
    }

    /// What a driver needs to make a set of files.
    pub fn request(&self) -> Value {
        let primes: Vec<String> = self.parameters.coeff_modulus.iter().map(u64::to_string).collect();
        json!({
            "scheme": self.scheme().name().to_lowercase(),
            "n": self.parameters.degree,
            "coeff_modulus": primes,
            "plain_modulus": self.parameters.plain_modulus.to_string(),
            "values": self.slots.to_json(),
            "scale": self.scale,
            "galois_steps": STEPS,
            "security": self.security_bits(),
        })
    }
}

/// Who holds the secret key and computes with Phoca.
pub struct Party {
    pub context: Context,
    pub evaluator: Evaluator,
    decryptor: Decryptor,
}

impl Party {
    pub fn new(context: &Context, secret_key: SecretKey) -> Result<Self> {
        let decryptor = Decryptor::new(context, secret_key)?;
        Ok(Self { context: context.clone(), evaluator: Evaluator::new(context), decryptor })
    }

    pub fn encode(&self, set: &Set) -> Result<Plaintext> {
        Ok(match set.scheme() {
            Scheme::Ckks => CkksEncoder::new(&self.context)?.encode(&set.slots.values, set.scale)?,
            _ => {
                let values: Vec<i64> = set.slots.values.iter().map(|&value| value as i64).collect();
                BatchEncoder::new(&self.context)?.encode_signed(&values)?
            }
        })
    }

    pub fn decode(&self, plaintext: &Plaintext) -> Result<Vec<f64>> {
        Ok(match self.context.scheme() {
            Scheme::Ckks => CkksEncoder::new(&self.context)?.decode(plaintext)?,
            _ => BatchEncoder::new(&self.context)?.decode(plaintext)?.iter().map(|&value| value as f64).collect(),
        })
    }

    /// Checks that the ciphertext decrypts to these slots.
    pub fn check(&self, ciphertext: &Ciphertext, expected: &Slots) -> Result {
        expected.expect(&self.decode(&self.decryptor.decrypt(ciphertext)?)?)
    }

    /// The noise budget in bits; none for CKKS.
    pub fn budget(&self, ciphertext: &Ciphertext) -> Result<Option<u32>> {
        match self.context.scheme() {
            Scheme::Ckks => Ok(None),
            _ => Ok(Some(self.decryptor.invariant_noise_budget(ciphertext)?)),
        }
    }

    /// Turns the rows left by so many slots; 0 swaps them or conjugates.
    pub fn rotate(&self, a: &Ciphertext, steps: i64, keys: &GaloisKeys) -> std::result::Result<Ciphertext, Error> {
        match (steps, self.context.scheme()) {
            (0, Scheme::Ckks) => self.evaluator.conjugate(a, keys),
            (0, _) => self.evaluator.rotate_columns(a, keys),
            (_, Scheme::Ckks) => self.evaluator.rotate_vector(a, steps, keys),
            _ => self.evaluator.rotate_rows(a, steps, keys),
        }
    }

    /// Down one level: CKKS rescales.
    pub fn switch(&self, ciphertext: &Ciphertext) -> Result<Ciphertext> {
        Ok(match self.context.scheme() {
            Scheme::Ckks => self.evaluator.rescale_to_next(ciphertext)?,
            _ => self.evaluator.mod_switch_to_next(ciphertext)?,
        })
    }
}

/// Gives bytes in pieces of uneven length, as a connection would.
pub struct Trickle<R> {
    reader: R,
    turn: usize,
}

impl<R: Read> Trickle<R> {
    pub fn new(reader: R) -> Self {
        Self { reader, turn: 0 }
    }
}

impl<R: Read> Read for Trickle<R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        const PIECES: [usize; 6] = [1, 7, 4096, 3, 10_007, 64];
        let len = buffer.len().min(PIECES[self.turn % PIECES.len()]);
        self.turn += 1;
        self.reader.read(&mut buffer[..len])
    }
}
