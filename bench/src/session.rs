//! Phoca's side of suite `seal`: prepared keys and operands, and every row as a check and a timed operation.

use std::hint::black_box;
use std::time::Instant;

use phoca::{
    BatchEncoder, Ciphertext, CkksEncoder, Context, Decryptor, Encryptor, Error, Evaluator, GaloisKeys,
    GaloisSelection, KeyGenerator, Parameters, Plaintext, RelinKeys, Scheme,
};

use crate::error::BenchError;

/// Largest error of a CKKS slot that passes the check; the peer's driver uses the same.
const TOLERANCE: f64 = 1e-2;

/// Keys and operands for one set of parameters.
pub(crate) struct Session {
    context: Context,
    scale: f64,
    keys: KeyGenerator,
    relin_keys: RelinKeys,
    galois_keys: GaloisKeys,
    encoder: Encoder,
    encryptor: Encryptor,
    decryptor: Decryptor,
    evaluator: Evaluator,
    plain: Plaintext,
    first: Ciphertext,
    second: Ciphertext,
    product: Ciphertext,
}

enum Encoder {
    Batch(BatchEncoder, Vec<u64>, Vec<u64>),
    Ckks(CkksEncoder, Vec<f64>, Vec<f64>),
}

impl Encoder {
    fn encode(&self, second: bool, scale: f64) -> Result<Plaintext, Error> {
        match self {
            Self::Batch(encoder, a, b) => encoder.encode(if second { b } else { a }),
            Self::Ckks(encoder, a, b) => encoder.encode(if second { b } else { a }, scale),
        }
    }
}

impl Session {
    /// The CKKS scale at which rows run: about the width of the primes, so that a product still fits.
    pub(crate) fn scale(parameters: &Parameters) -> f64 {
        let data = parameters.coeff_modulus.len().saturating_sub(1).max(1);
        let bits: u32 = parameters.coeff_modulus[..data].iter().map(|prime| 64 - prime.leading_zeros()).sum();
        f64::from((bits / 2).saturating_sub(4).min(40)).exp2()
    }

    pub(crate) fn new(parameters: Parameters) -> Result<Self, BenchError> {
        let scale = Self::scale(&parameters);
        let context = parameters.build()?;
        let keys = KeyGenerator::new(&context)?;
        let secret = keys.secret_key();
        let encryptor = Encryptor::with_keys(&context, Some(keys.public_key()?), Some(secret.clone()))?;
        let encoder = encoder(&context)?;
        let evaluator = Evaluator::new(&context);
        let plain = encoder.encode(true, scale)?;
        let first = encryptor.encrypt(&encoder.encode(false, scale)?)?;
        let second = encryptor.encrypt(&plain)?;
        let product = evaluator.multiply(&first, &second)?;
        Ok(Self {
            relin_keys: keys.relin_keys()?,
            galois_keys: keys.galois_keys(GaloisSelection::Steps(&[1, 0]))?,
            decryptor: Decryptor::new(&context, secret.clone())?,
            context,
            scale,
            keys,
            encoder,
            encryptor,
            evaluator,
            plain,
            first,
            second,
            product,
        })
    }

    pub(crate) fn context(&self) -> &Context {
        &self.context
    }

    /// The rows that exist for the scheme, by the names of the peer's driver.
    pub(crate) fn rows(&self) -> Vec<&'static str> {
        let mut rows = vec![
            "keygen_secret",
            "keygen_public",
            "keygen_relin",
            "keygen_galois",
            "encrypt_public",
            "encrypt_symmetric",
            "decrypt",
            "encode",
            "decode",
            "negate",
            "add",
            "sub",
            "add_plain",
            "sub_plain",
            "multiply",
            "square",
            "multiply_plain",
            "relinearize",
            "mod_switch",
            "to_ntt",
            "from_ntt",
        ];
        rows.extend::<&[_]>(match self.context.scheme() {
            Scheme::Ckks => &["rescale", "rotate", "conjugate"],
            Scheme::Bfv | Scheme::Bgv => &["plain_to_ntt", "rotate_rows", "rotate_columns"],
        });
        rows
    }

    /// Times `iterations` operations; setting up and dropping operands is outside of the clock.
    pub(crate) fn time(&self, row: &str, iterations: usize) -> Result<Vec<u64>, BenchError> {
        (0..iterations).map(|_| self.once(row)).collect()
    }

    /// Checks the values that a row's operation gives, where they can be decrypted.
    pub(crate) fn check(&self, row: &str) -> Result<(), BenchError> {
        let result = self.result(row)?;
        let plain = self.decryptor.decrypt(&result)?;
        let right = match &self.encoder {
            Encoder::Batch(encoder, a, b) => {
                let t = self.context.plain_modulus();
                expected_exact(row, a, b, t) == encoder.decode(&plain)?
            }
            Encoder::Ckks(encoder, a, b) => {
                let values = encoder.decode(&plain)?;
                expected_real(row, a, b).iter().zip(values).all(|(x, y)| (x - y).abs() < TOLERANCE)
            }
        };
        match right {
            true => Ok(()),
            false => Err(BenchError::WrongResult {
                row: row.to_owned(),
                parameters: format!("{} at n = {}", self.context.scheme(), self.context.degree()),
            }),
        }
    }

    /// A ciphertext that is right if the row's operation is; for encoding and decryption the first operand, which shows both.
    fn result(&self, row: &str) -> Result<Ciphertext, BenchError> {
        let e = &self.evaluator;
        let (a, b) = (&self.first, &self.second);
        Ok(match row {
            "negate" => e.negate(a)?,
            "add" => e.add(a, b)?,
            "sub" => e.sub(a, b)?,
            "add_plain" => e.add_plain(a, &self.plain)?,
            "sub_plain" => e.sub_plain(a, &self.plain)?,
            "multiply" => self.product.clone(),
            "multiply_plain" => e.multiply_plain(a, &self.plain)?,
            "square" => e.square(a)?,
            "relinearize" => e.relinearize(&self.product, &self.relin_keys)?,
            "rescale" => e.rescale_to_next(&self.product)?,
            "mod_switch" => e.mod_switch_to_next(a)?,
            "rotate" => e.rotate_vector(a, 1, &self.galois_keys)?,
            "rotate_rows" => e.rotate_rows(a, 1, &self.galois_keys)?,
            "rotate_columns" => e.rotate_columns(a, &self.galois_keys)?,
            "conjugate" => e.conjugate(a, &self.galois_keys)?,
            "encrypt_public" => self.encryptor.encrypt(&self.encoder.encode(false, self.scale)?)?,
            "encrypt_symmetric" => self.encryptor.encrypt_symmetric(&self.encoder.encode(false, self.scale)?)?,
            "keygen_public" => {
                let encryptor = Encryptor::new(&self.context, self.keys.public_key()?)?;
                encryptor.encrypt(&self.encoder.encode(false, self.scale)?)?
            }
            "keygen_relin" => e.relinearize(&self.product, &self.keys.relin_keys()?)?,
            "keygen_galois" => {
                let keys = self.keys.galois_keys(GaloisSelection::Steps(&[1]))?;
                match self.context.scheme() {
                    Scheme::Ckks => e.rotate_vector(a, 1, &keys)?,
                    Scheme::Bfv | Scheme::Bgv => e.rotate_rows(a, 1, &keys)?,
                }
            }
            "to_ntt" | "from_ntt" if a.is_ntt_form() => e.to_ntt(&e.from_ntt(a)?)?,
            "to_ntt" | "from_ntt" => e.from_ntt(&e.to_ntt(a)?)?,
            "plain_to_ntt" => {
                let plain = e.plain_to_ntt(&self.plain, a.parms_id())?;
                match a.is_ntt_form() {
                    true => e.multiply_plain(a, &plain)?,
                    false => e.from_ntt(&e.multiply_plain(&e.to_ntt(a)?, &plain)?)?,
                }
            }
            _ => a.clone(),
        })
    }

    fn once(&self, row: &str) -> Result<u64, BenchError> {
        let (keys, e) = (&self.keys, &self.evaluator);
        let ntt_form = self.context.scheme() != Scheme::Bfv;
        match row {
            "keygen_secret" => timed(|| KeyGenerator::new(&self.context)),
            "keygen_public" => timed(|| keys.public_key()),
            "keygen_relin" => timed(|| keys.relin_keys()),
            "keygen_galois" => timed(|| keys.galois_keys(GaloisSelection::Steps(&[1]))),
            "encrypt_public" => timed(|| self.encryptor.encrypt(&self.plain)),
            "encrypt_symmetric" => timed(|| self.encryptor.encrypt_symmetric(&self.plain)),
            "decrypt" => timed(|| self.decryptor.decrypt(&self.first)),
            "encode" => timed(|| self.encoder.encode(false, self.scale)),
            "decode" => match &self.encoder {
                Encoder::Batch(encoder, ..) => timed(|| encoder.decode(&self.plain)),
                Encoder::Ckks(encoder, ..) => timed(|| encoder.decode(&self.plain)),
            },
            "plain_to_ntt" => timed(|| e.plain_to_ntt(&self.plain, self.first.parms_id())),
            "negate" => self.in_place(&self.first, |a| e.negate_assign(a)),
            "add" => self.in_place(&self.first, |a| e.add_assign(a, &self.second)),
            "sub" => self.in_place(&self.first, |a| e.sub_assign(a, &self.second)),
            "add_plain" => self.in_place(&self.first, |a| e.add_plain_assign(a, &self.plain)),
            "sub_plain" => self.in_place(&self.first, |a| e.sub_plain_assign(a, &self.plain)),
            "multiply" => self.in_place(&self.first, |a| e.multiply_assign(a, &self.second)),
            "square" => self.in_place(&self.first, |a| e.square_assign(a)),
            "multiply_plain" => self.in_place(&self.first, |a| e.multiply_plain_assign(a, &self.plain)),
            "relinearize" => self.in_place(&self.product, |a| e.relinearize_assign(a, &self.relin_keys)),
            "rescale" => self.in_place(&self.first, |a| e.rescale_to_next_assign(a)),
            "mod_switch" => self.in_place(&self.first, |a| e.mod_switch_to_next_assign(a)),
            "rotate" => self.in_place(&self.first, |a| e.rotate_vector_assign(a, 1, &self.galois_keys)),
            "rotate_rows" => self.in_place(&self.first, |a| e.rotate_rows_assign(a, 1, &self.galois_keys)),
            "rotate_columns" => self.in_place(&self.first, |a| e.rotate_columns_assign(a, &self.galois_keys)),
            "conjugate" => self.in_place(&self.first, |a| e.conjugate_assign(a, &self.galois_keys)),
            "to_ntt" if ntt_form => {
                let coefficients = e.from_ntt(&self.first)?;
                self.in_place(&coefficients, |a| e.to_ntt_assign(a))
            }
            "from_ntt" if !ntt_form => {
                let transformed = e.to_ntt(&self.first)?;
                self.in_place(&transformed, |a| e.from_ntt_assign(a))
            }
            "to_ntt" => self.in_place(&self.first, |a| e.to_ntt_assign(a)),
            "from_ntt" => self.in_place(&self.first, |a| e.from_ntt_assign(a)),
            _ => {
                Err(BenchError::WrongResult { row: row.to_owned(), parameters: "a row that does not exist".to_owned() })
            }
        }
    }

    /// Times an operation on a copy that is made before the clock starts.
    fn in_place(
        &self,
        operand: &Ciphertext,
        operation: impl FnOnce(&mut Ciphertext) -> Result<(), Error>,
    ) -> Result<u64, BenchError> {
        let mut operand = black_box(operand.clone());
        let time = timed(|| operation(&mut operand))?;
        black_box(&operand);
        Ok(time)
    }
}

fn timed<T>(operation: impl FnOnce() -> Result<T, Error>) -> Result<u64, BenchError> {
    let start = Instant::now();
    let result = black_box(operation()?);
    let time = start.elapsed().as_nanos();
    drop(result);
    Ok(time as u64)
}

fn encoder(context: &Context) -> Result<Encoder, Error> {
    let count = context.slot_count();
    if context.scheme() == Scheme::Ckks {
        let values = |step: f64| (0..count).map(|i| (i as f64 * step).sin()).collect();
        return Ok(Encoder::Ckks(CkksEncoder::new(context)?, values(0.1), values(0.37)));
    }
    let t = context.plain_modulus();
    let values = |step: u64| (0..count as u64).map(|i| (i * step + 1) % t).collect();
    Ok(Encoder::Batch(BatchEncoder::new(context)?, values(7919), values(104_729)))
}

fn expected_exact(row: &str, a: &[u64], b: &[u64], t: u64) -> Vec<u64> {
    let half = a.len() / 2;
    let pairs = |f: &dyn Fn(u64, u64) -> u64| a.iter().zip(b).map(|(&a, &b)| f(a, b) % t).collect();
    match row {
        "negate" => pairs(&|a, _| t - a),
        "add" | "add_plain" => pairs(&|a, b| a + b),
        "sub" | "sub_plain" => pairs(&|a, b| a + t - b),
        "multiply" | "multiply_plain" | "plain_to_ntt" | "relinearize" | "keygen_relin" => pairs(&|a, b| a * b),
        "square" => pairs(&|a, _| a * a),
        "rotate_rows" | "keygen_galois" => {
            a.chunks(half).flat_map(|row| row[1..].iter().chain(&row[..1])).copied().collect()
        }
        "rotate_columns" => a[half..].iter().chain(&a[..half]).copied().collect(),
        _ => a.to_vec(),
    }
}

fn expected_real(row: &str, a: &[f64], b: &[f64]) -> Vec<f64> {
    let pairs = |f: &dyn Fn(f64, f64) -> f64| a.iter().zip(b).map(|(&a, &b)| f(a, b)).collect();
    match row {
        "negate" => pairs(&|a, _| -a),
        "add" | "add_plain" => pairs(&|a, b| a + b),
        "sub" | "sub_plain" => pairs(&|a, b| a - b),
        "multiply" | "multiply_plain" | "relinearize" | "keygen_relin" | "rescale" => pairs(&|a, b| a * b),
        "square" => pairs(&|a, _| a * a),
        "rotate" | "keygen_galois" => a[1..].iter().chain(&a[..1]).copied().collect(),
        _ => a.to_vec(),
    }
}
