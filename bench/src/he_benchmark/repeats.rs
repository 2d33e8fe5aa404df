//! Phoca's side: fresh inputs, and each operation on them.

use std::hint::black_box;
use std::time::Instant;

use phoca::seal::{Save, SaveOptions};
use phoca::{
    BatchEncoder, Ciphertext, CkksEncoder, Context, Decryptor, Encryptor, Error, Evaluator, KeyGenerator, Plaintext,
    RelinKeys, Scheme,
};

use crate::error::BenchError;

/// Largest integer in a slot.
const LARGEST: u64 = 100;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operation {
    Encrypt,
    AddPlain,
    AddPlainEncoded,
    Add,
    MultiplyPlain,
    MultiplyPlainEncoded,
    Multiply,
    MultiplyOnly,
    Decrypt,
}

impl Operation {
    pub(super) const ALL: [Self; 9] = [
        Self::Encrypt,
        Self::AddPlain,
        Self::AddPlainEncoded,
        Self::Add,
        Self::MultiplyPlain,
        Self::MultiplyPlainEncoded,
        Self::Multiply,
        Self::MultiplyOnly,
        Self::Decrypt,
    ];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Encrypt => "Encrypt",
            Self::AddPlain => "C+P",
            Self::AddPlainEncoded => "C+P, encoded before",
            Self::Add => "C+C",
            Self::MultiplyPlain => "C*P",
            Self::MultiplyPlainEncoded => "C*P, encoded before",
            Self::Multiply => "C*C",
            Self::MultiplyOnly => "C*C, neither relinearized nor rescaled",
            Self::Decrypt => "Decrypt",
        }
    }

    /// Encrypt, C+P, C+C, C*P, C*C, Decrypt.
    pub(super) fn published_column(self) -> Option<usize> {
        [Self::Encrypt, Self::AddPlain, Self::Add, Self::MultiplyPlain, Self::Multiply, Self::Decrypt]
            .iter()
            .position(|&published| published == self)
    }

    pub(super) fn description(self, rescaled: bool) -> String {
        let rescale = if rescaled { ", rescale" } else { "" };
        match self {
            Self::Encrypt => "encode, encrypt under the public key".to_owned(),
            Self::AddPlain => "encode, add".to_owned(),
            Self::AddPlainEncoded | Self::Add => "add".to_owned(),
            Self::MultiplyPlain => format!("encode, multiply{rescale}"),
            Self::MultiplyPlainEncoded => format!("multiply{rescale}"),
            Self::Multiply => format!("multiply, relinearize{rescale}"),
            Self::MultiplyOnly => "multiply".to_owned(),
            Self::Decrypt => "decrypt, decode".to_owned(),
        }
    }

    pub(super) fn peer_row(self) -> &'static str {
        match self {
            Self::Encrypt => "encrypt",
            Self::AddPlain => "add_plain",
            Self::AddPlainEncoded => "add_plain_encoded",
            Self::Add => "add",
            Self::MultiplyPlain => "multiply_plain",
            Self::MultiplyPlainEncoded => "multiply_plain_encoded",
            Self::Multiply => "multiply",
            Self::MultiplyOnly => "multiply_only",
            Self::Decrypt => "decrypt",
        }
    }

    fn wanted(self, x: f64, y: f64) -> f64 {
        match self {
            Self::Encrypt | Self::Decrypt => x,
            Self::AddPlain | Self::AddPlainEncoded | Self::Add => x + y,
            _ => x * y,
        }
    }
}

/// Keys and the inputs of one run.
pub(super) struct Repeats {
    context: Context,
    encoder: Encoder,
    encryptor: Encryptor,
    decryptor: Decryptor,
    evaluator: Evaluator,
    relin: RelinKeys,
    inputs: Inputs,
    random: SplitMix,
}

enum Encoder {
    Reals(CkksEncoder, f64),
    Integers(BatchEncoder),
}

/// Slot values as their scheme takes them.
enum Values {
    Reals(Vec<f64>),
    Integers(Vec<u64>),
}

struct Inputs {
    x: Values,
    y: Values,
    /// `y`, encoded.
    plain: Plaintext,
    cipher_x: Ciphertext,
    cipher_y: Ciphertext,
}

/// What an operation gives.
#[expect(clippy::large_enum_variant, reason = "a box would be allocated while the clock runs")]
enum Output {
    Cipher(Ciphertext),
    Values(Values),
}

impl Repeats {
    pub(super) fn new(context: Context, scale: f64) -> Result<Self, BenchError> {
        let keys = KeyGenerator::new(&context)?;
        let encoder = match context.scheme() {
            Scheme::Ckks => Encoder::Reals(CkksEncoder::new(&context)?, scale),
            _ => Encoder::Integers(BatchEncoder::new(&context)?),
        };
        let encryptor = Encryptor::new(&context, keys.public_key()?)?;
        let mut random = SplitMix(1);
        Ok(Self {
            decryptor: Decryptor::new(&context, keys.secret_key().clone())?,
            evaluator: Evaluator::new(&context),
            relin: keys.relin_keys()?,
            inputs: Inputs::draw(&encoder, &encryptor, context.slot_count(), &mut random)?,
            context,
            encoder,
            encryptor,
            random,
        })
    }

    /// Nanoseconds of each of `iterations` operations on the same inputs.
    pub(super) fn time(&self, operation: Operation, iterations: usize) -> Result<Vec<u64>, BenchError> {
        let once = || {
            let start = Instant::now();
            let output = black_box(self.output(operation)?);
            let time = start.elapsed().as_nanos();
            drop(output);
            Ok(u64::try_from(time).unwrap_or(u64::MAX))
        };
        (0..iterations).map(|_| once()).collect()
    }

    /// The mean absolute percentage error, as a fraction of 1, over this many fresh inputs.
    ///
    /// # Errors
    ///
    /// [`BenchError::WrongResult`] where a CKKS value is further than `tolerance` from what it should be, or one of BFV
    /// differs.
    pub(super) fn error(&mut self, operation: Operation, runs: usize, tolerance: f64) -> Result<f64, BenchError> {
        let mut total = 0.0;
        for _ in 0..runs {
            self.inputs = Inputs::draw(&self.encoder, &self.encryptor, self.context.slot_count(), &mut self.random)?;
            let got = match self.output(operation)? {
                Output::Cipher(cipher) => self.decoded(&cipher)?,
                Output::Values(values) => values,
            };
            total += self.run_error(operation, &got.as_reals(), tolerance)?;
        }
        Ok(total / runs as f64)
    }

    fn run_error(&self, operation: Operation, got: &[f64], tolerance: f64) -> Result<f64, BenchError> {
        let (x, y) = (self.inputs.x.as_reals(), self.inputs.y.as_reals());
        let wanted: Vec<f64> = x.iter().zip(&y).map(|(&x, &y)| operation.wanted(x, y)).collect();
        let tolerance = if self.context.scheme() == Scheme::Ckks { tolerance } else { 0.0 };
        let right = |(got, wanted): (&f64, &f64)| (got - wanted).abs() <= tolerance;
        if got.len() != wanted.len() || !got.iter().zip(&wanted).all(right) {
            let parameters = format!("{} at n = {}", self.context.scheme(), self.context.degree());
            let cause = format!("some value is further than {tolerance} from the wanted one");
            return Err(BenchError::WrongResult { row: operation.name().to_owned(), parameters, cause });
        }
        let relative = |(got, wanted): (&f64, &f64)| (got - wanted).abs() / wanted.abs();
        let errors: Vec<f64> = got.iter().zip(&wanted).filter(|(_, wanted)| **wanted != 0.0).map(relative).collect();
        Ok(errors.iter().sum::<f64>() / errors.len().max(1) as f64)
    }

    /// Of a fresh ciphertext, saved uncompressed.
    pub(super) fn bytes(&self) -> u64 {
        self.inputs.cipher_x.saved_len(&SaveOptions::default())
    }

    fn output(&self, operation: Operation) -> Result<Output, Error> {
        let (e, inputs) = (&self.evaluator, &self.inputs);
        let x = &inputs.cipher_x;
        let cipher = match operation {
            Operation::Encrypt => self.encryptor.encrypt(&self.encoder.encode(&inputs.x)?)?,
            Operation::AddPlain => e.add_plain(x, &self.encoder.encode(&inputs.y)?)?,
            Operation::AddPlainEncoded => e.add_plain(x, &inputs.plain)?,
            Operation::Add => e.add(x, &inputs.cipher_y)?,
            Operation::MultiplyPlain => self.rescaled(e.multiply_plain(x, &self.encoder.encode(&inputs.y)?)?)?,
            Operation::MultiplyPlainEncoded => self.rescaled(e.multiply_plain(x, &inputs.plain)?)?,
            Operation::Multiply => {
                let mut product = e.multiply(x, &inputs.cipher_y)?;
                e.relinearize_assign(&mut product, &self.relin)?;
                self.rescaled(product)?
            }
            Operation::MultiplyOnly => e.multiply(x, &inputs.cipher_y)?,
            Operation::Decrypt => return Ok(Output::Values(self.decoded(x)?)),
        };
        Ok(Output::Cipher(cipher))
    }

    fn decoded(&self, cipher: &Ciphertext) -> Result<Values, Error> {
        self.encoder.decode(&self.decryptor.decrypt(cipher)?)
    }

    /// In CKKS.
    fn rescaled(&self, mut product: Ciphertext) -> Result<Ciphertext, Error> {
        if self.context.scheme() == Scheme::Ckks {
            self.evaluator.rescale_to_next_assign(&mut product)?;
        }
        Ok(product)
    }
}

impl Inputs {
    fn draw(encoder: &Encoder, encryptor: &Encryptor, slots: usize, random: &mut SplitMix) -> Result<Self, Error> {
        let (x, y) = (encoder.draw(slots, random), encoder.draw(slots, random));
        let plain = encoder.encode(&y)?;
        let cipher_x = encryptor.encrypt(&encoder.encode(&x)?)?;
        Ok(Self { x, y, cipher_y: encryptor.encrypt(&plain)?, plain, cipher_x })
    }
}

impl Encoder {
    fn draw(&self, slots: usize, random: &mut SplitMix) -> Values {
        match self {
            Self::Reals(..) => Values::Reals((0..slots).map(|_| random.unit()).collect()),
            Self::Integers(_) => Values::Integers((0..slots).map(|_| random.next() % (LARGEST + 1)).collect()),
        }
    }

    fn encode(&self, values: &Values) -> Result<Plaintext, Error> {
        match (self, values) {
            (Self::Reals(encoder, scale), Values::Reals(values)) => encoder.encode(values, *scale),
            (Self::Integers(encoder), Values::Integers(values)) => encoder.encode(values),
            // An encoder gets the values that it drew.
            (Self::Reals(encoder, scale), Values::Integers(_)) => encoder.encode(&values.as_reals(), *scale),
            (Self::Integers(encoder), Values::Reals(values)) => {
                encoder.encode(&values.iter().map(|&value| value as u64).collect::<Vec<_>>())
            }
        }
    }

    fn decode(&self, plain: &Plaintext) -> Result<Values, Error> {
        match self {
            Self::Reals(encoder, _) => encoder.decode(plain).map(Values::Reals),
            Self::Integers(encoder) => encoder.decode(plain).map(Values::Integers),
        }
    }
}

impl Values {
    fn as_reals(&self) -> Vec<f64> {
        match self {
            Self::Reals(values) => values.clone(),
            Self::Integers(values) => values.iter().map(|&value| value as f64).collect(),
        }
    }
}

/// Test values, no secrets: Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014.
struct SplitMix(u64);

impl SplitMix {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// From 0 to 1.
    fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }
}
