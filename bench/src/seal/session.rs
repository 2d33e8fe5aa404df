//! Phoca's side: prepared keys and operands, and every operation as something to check and to time.

use std::hint::black_box;
use std::time::Instant;

use phoca::ring::{Buffer, NttTables};
use phoca::{
    Ciphertext, Context, Decryptor, Encryptor, Error, Evaluator, GaloisKeys, GaloisSelection, KeyGenerator, Plaintext,
    PublicKey, RelinKeys, Scheme,
};

use super::oracle::is_transform;
use super::values::{Decoded, Values};
use crate::error::BenchError;

/// Steps of the row that rotates one ciphertext many times.
const MANY: [i64; 8] = [1, 2, 3, 4, 5, 6, 7, 8];

/// How often the butterflies of a transform run alone.
const BUTTERFLY_RUNS: usize = 500;

/// Keys and operands for one set of parameters.
pub(super) struct Session {
    context: Context,
    values: Values,
    keys: KeyGenerator,
    /// Keys for relinearization and rotation, where the parameters allow them.
    switching: Option<SwitchingKeys>,
    encryptor: Encryptor,
    decryptor: Decryptor,
    evaluator: Evaluator,
    /// The second operand, not encrypted.
    plain: Plaintext,
    first: Ciphertext,
    second: Ciphertext,
    product: Ciphertext,
}

struct SwitchingKeys {
    relin: RelinKeys,
    galois: GaloisKeys,
}

/// What is timed.
enum Operation<'a> {
    /// Makes something new.
    New(Box<dyn Fn() -> Result<Made, Error> + 'a>),
    /// Works on a copy of this ciphertext that is made before the clock starts.
    InPlace(Box<Ciphertext>, Box<dyn Run + 'a>),
    /// Transforms a copy of these words. The result is in the range that the transform promises.
    Transform(&'a NttTables, Buffer, fn(&NttTables, &mut [u64])),
}

/// An operation in place.
trait Run: Fn(&mut Ciphertext) -> Result<(), Error> {}

impl<F: Fn(&mut Ciphertext) -> Result<(), Error>> Run for F {}

/// What an operation makes.
enum Made {
    Cipher(Ciphertext),
    Ciphers(Vec<Ciphertext>),
    Plain(Plaintext),
    Decoded(Decoded),
    Secret(KeyGenerator),
    Public(PublicKey),
    Relin(RelinKeys),
    Galois(GaloisKeys),
}

impl Session {
    /// Operands are encrypted under the secret key, as the peer's are: at n = 1024 a public key leaves hardly a bit.
    pub(super) fn new(context: Context, scale: f64) -> Result<Self, BenchError> {
        let keys = KeyGenerator::new(&context)?;
        let secret = keys.secret_key();
        let encryptor = Encryptor::with_keys(&context, Some(keys.public_key()?), Some(secret.clone()))?;
        let values = Values::new(&context, scale)?;
        let evaluator = Evaluator::new(&context);
        let plain = values.encode(true)?;
        let first = encryptor.encrypt_symmetric(&values.encode(false)?)?;
        let second = encryptor.encrypt_symmetric(&plain)?;
        let product = evaluator.multiply(&first, &second)?;
        let decryptor = Decryptor::new(&context, secret.clone())?;
        let switching = match context.supports_key_switching() {
            true => Some(SwitchingKeys { relin: keys.relin_keys()?, galois: galois_keys(&keys, context.scheme())? }),
            false => None,
        };
        Ok(Self { context, values, keys, switching, encryptor, decryptor, evaluator, plain, first, second, product })
    }

    /// Times `iterations` operations in nanoseconds; setting up and dropping operands is outside of the clock.
    pub(super) fn time(&self, operation: &str, iterations: usize) -> Result<Vec<u64>, BenchError> {
        let timed = self.operation(operation)?;
        (0..iterations).map(|_| timed.time().map_err(BenchError::from)).collect()
    }

    /// What the butterflies of one transform under the first prime take on this machine, without memory and permutations,
    /// in microseconds: the least of many short runs.
    pub(super) fn butterflies_us(&self) -> f64 {
        let tables = &self.context.tables()[0];
        let runs = (0..BUTTERFLY_RUNS).map(|_| {
            let start = Instant::now();
            black_box(tables.butterflies());
            elapsed(start)
        });
        runs.min().unwrap_or_default() as f64 / 1000.0
    }

    /// Checks what the timed operation makes.
    pub(super) fn check(&self, operation: &str, tolerance: f64) -> Result<(), BenchError> {
        let mistake = match self.operation(operation)? {
            Operation::New(make) => self.mistake(operation, &make()?, tolerance)?,
            Operation::InPlace(mut operand, run) => {
                run(&mut operand)?;
                self.mistake(operation.trim_end_matches("_assign"), &Made::Cipher(*operand), tolerance)?
            }
            Operation::Transform(tables, input, run) => {
                let mut output = input.clone();
                run(tables, &mut output);
                let forward = operation.starts_with("ntt_forward");
                let right = match forward {
                    true => is_transform(tables, &input, &output),
                    false => is_transform(tables, &output, &input),
                };
                (!right).then(|| "it is not the transform".to_owned())
            }
        };
        match mistake {
            None => Ok(()),
            Some(cause) => Err(self.wrong(operation, cause)),
        }
    }

    fn wrong(&self, operation: &str, cause: String) -> BenchError {
        let parameters = format!("{} at n = {}", self.context.scheme(), self.context.degree());
        BenchError::WrongResult { row: operation.to_owned(), parameters, cause }
    }

    /// Compares values; keys are checked by using them.
    fn mistake(&self, operation: &str, made: &Made, tolerance: f64) -> Result<Option<String>, BenchError> {
        let e = &self.evaluator;
        let decoded = match made {
            Made::Decoded(Decoded::Integers(values)) => Decoded::Integers(values.clone()),
            Made::Decoded(Decoded::Reals(values)) => Decoded::Reals(values.clone()),
            Made::Plain(plain) if operation == "plain_to_ntt" => {
                self.decrypted(&e.multiply_plain(&transformed(e, &self.first)?, plain)?)?
            }
            Made::Plain(plain) => self.values.decode(plain)?,
            Made::Cipher(cipher) => self.decrypted(cipher)?,
            Made::Ciphers(ciphers) => {
                let all = ciphers.iter().map(|cipher| self.decrypted(cipher)).collect::<Result<Vec<_>, _>>()?;
                Decoded::Reals(all.into_iter().flat_map(Decoded::reals).collect())
            }
            Made::Secret(keys) => {
                let secret = keys.secret_key();
                let encryptor = Encryptor::symmetric(&self.context, secret.clone())?;
                let cipher = encryptor.encrypt_symmetric(&self.values.encode(false)?)?;
                self.values.decode(&Decryptor::new(&self.context, secret.clone())?.decrypt(&cipher)?)?
            }
            Made::Public(key) => {
                let encryptor = Encryptor::new(&self.context, key.clone())?;
                self.decrypted(&encryptor.encrypt(&self.values.encode(false)?)?)?
            }
            Made::Relin(keys) => self.decrypted(&e.relinearize(&self.product, keys)?)?,
            Made::Galois(keys) => self.decrypted(&self.rotate(&self.first, keys)?)?,
        };
        Ok(decoded.mistake(&self.values.expected(operation, self.context.plain_modulus()), tolerance))
    }

    /// Of a ciphertext in either form.
    fn decrypted(&self, cipher: &Ciphertext) -> Result<Decoded, BenchError> {
        let ntt_form = self.context.scheme() != Scheme::Bfv;
        let cipher = match (cipher.is_ntt_form(), ntt_form) {
            (true, false) => self.evaluator.from_ntt(cipher)?,
            (false, true) => self.evaluator.to_ntt(cipher)?,
            _ => cipher.clone(),
        };
        Ok(self.values.decode(&self.decryptor.decrypt(&cipher)?)?)
    }

    /// By one step.
    fn rotate(&self, a: &Ciphertext, keys: &GaloisKeys) -> Result<Ciphertext, Error> {
        match self.context.scheme() {
            Scheme::Ckks => self.evaluator.rotate_vector(a, 1, keys),
            Scheme::Bfv | Scheme::Bgv => self.evaluator.rotate_rows(a, 1, keys),
        }
    }

    fn operation<'a>(&'a self, name: &str) -> Result<Operation<'a>, BenchError> {
        let found = self.key_operation(name).or_else(|| self.new_operation(name));
        match found.or_else(|| self.switching_operation(name)) {
            Some(operation) => Ok(operation),
            None => self.in_place_operation(name)?.ok_or_else(|| self.wrong(name, "there is no such row".to_owned())),
        }
    }

    fn key_operation<'a>(&'a self, name: &str) -> Option<Operation<'a>> {
        let keys = &self.keys;
        Some(match name {
            "keygen_secret" => new(|| KeyGenerator::new(&self.context).map(Made::Secret)),
            "keygen_public" => new(|| keys.public_key().map(Made::Public)),
            "keygen_relin" => new(|| keys.relin_keys().map(Made::Relin)),
            "keygen_galois" => new(|| keys.galois_keys(GaloisSelection::Steps(&[1])).map(Made::Galois)),
            _ => return None,
        })
    }

    fn new_operation<'a>(&'a self, name: &str) -> Option<Operation<'a>> {
        let (e, a, b, plain) = (&self.evaluator, &self.first, &self.second, &self.plain);
        Some(match name {
            "encrypt_public" => {
                let plain = self.values.encode(false).ok()?;
                new(move || self.encryptor.encrypt(&plain).map(Made::Cipher))
            }
            "encrypt_symmetric" => {
                let plain = self.values.encode(false).ok()?;
                new(move || self.encryptor.encrypt_symmetric(&plain).map(Made::Cipher))
            }
            "decrypt" => new(|| self.decryptor.decrypt(a).map(Made::Plain)),
            "encode" => new(|| self.values.encode(false).map(Made::Plain)),
            "decode" => {
                let plain = self.values.encode(false).ok()?;
                new(move || self.values.decode(&plain).map(Made::Decoded))
            }
            "plain_to_ntt" => new(|| e.plain_to_ntt(plain, a.parms_id()).map(Made::Plain)),
            "negate" => new(|| e.negate(a).map(Made::Cipher)),
            "add" => new(|| e.add(a, b).map(Made::Cipher)),
            "sub" => new(|| e.sub(a, b).map(Made::Cipher)),
            "add_plain" => new(|| e.add_plain(a, plain).map(Made::Cipher)),
            "sub_plain" => new(|| e.sub_plain(a, plain).map(Made::Cipher)),
            "multiply" => new(|| e.multiply(a, b).map(Made::Cipher)),
            "multiply_plain" => new(|| e.multiply_plain(a, plain).map(Made::Cipher)),
            "square" => new(|| e.square(a).map(Made::Cipher)),
            _ => return None,
        })
    }

    /// Operations that need keys.
    fn switching_operation<'a>(&'a self, name: &str) -> Option<Operation<'a>> {
        let SwitchingKeys { relin, galois } = self.switching.as_ref()?;
        let (e, a, b) = (&self.evaluator, &self.first, &self.second);
        let ckks = self.context.scheme() == Scheme::Ckks;
        Some(match name {
            "rotate" => new(|| self.rotate(a, galois).map(Made::Cipher)),
            "rotate_assign" if ckks => in_place(a, |a| e.rotate_vector_assign(a, 1, galois)),
            "rotate_assign" => in_place(a, |a| e.rotate_rows_assign(a, 1, galois)),
            "rotate_columns" => new(|| e.rotate_columns(a, galois).map(Made::Cipher)),
            "rotate_columns_assign" => in_place(a, |a| e.rotate_columns_assign(a, galois)),
            "conjugate" => new(|| e.conjugate(a, galois).map(Made::Cipher)),
            "relinearize_assign" => in_place(&self.product, |a| e.relinearize_assign(a, relin)),
            "multiply_relinearize_rescale" => new(|| e.multiply_relinearize_rescale(a, b, relin).map(Made::Cipher)),
            "rotate_many" => new(|| e.rotate_many(a, &MANY, galois).map(Made::Ciphers)),
            _ => return None,
        })
    }

    fn in_place_operation<'a>(&'a self, name: &str) -> Result<Option<Operation<'a>>, BenchError> {
        let (e, a, b, plain) = (&self.evaluator, &self.first, &self.second, &self.plain);
        Ok(Some(match name {
            "negate_assign" => in_place(a, |a| e.negate_assign(a)),
            "add_assign" => in_place(a, |a| e.add_assign(a, b)),
            "add_plain_assign" => in_place(a, |a| e.add_plain_assign(a, plain)),
            "multiply_assign" => in_place(a, |a| e.multiply_assign(a, b)),
            "multiply_plain_assign" => in_place(a, |a| e.multiply_plain_assign(a, plain)),
            "square_assign" => in_place(a, |a| e.square_assign(a)),
            "mod_switch_assign" => in_place(a, |a| e.mod_switch_to_next_assign(a)),
            "rescale_assign" => match &self.switching {
                Some(keys) => in_place(&e.relinearize(&self.product, &keys.relin)?, |a| e.rescale_to_next_assign(a)),
                None => return Ok(None),
            },
            "to_ntt_assign" => in_place(&coefficients(e, a)?, |a| e.to_ntt_assign(a)),
            "from_ntt_assign" => in_place(&transformed(e, a)?, |a| e.from_ntt_assign(a)),
            "ntt_forward_one_prime" => self.transform(NttTables::forward),
            "ntt_inverse_one_prime" => self.transform(NttTables::inverse),
            "ntt_forward_one_prime_lazy" => self.transform(NttTables::forward_lazy),
            "ntt_inverse_one_prime_lazy" => self.transform(NttTables::inverse_lazy),
            _ => return Ok(None),
        }))
    }

    /// Of the first operand's first polynomial under the first prime, which is as good as random.
    fn transform(&self, run: fn(&NttTables, &mut [u64])) -> Operation<'_> {
        let tables = &self.context.tables()[0];
        let mut words = Buffer::zeroed(tables.degree());
        words.copy_from_slice(&self.first.words()[..tables.degree()]);
        Operation::Transform(tables, words, run)
    }
}

impl Operation<'_> {
    fn time(&self) -> Result<u64, Error> {
        match self {
            Self::New(make) => {
                let start = Instant::now();
                let made = black_box(make()?);
                let time = elapsed(start);
                drop(made);
                Ok(time)
            }
            Self::InPlace(operand, run) => {
                let mut operand = black_box(Ciphertext::clone(operand));
                let start = Instant::now();
                run(&mut operand)?;
                let time = elapsed(start);
                black_box(&operand);
                Ok(time)
            }
            Self::Transform(tables, input, run) => {
                let mut words = black_box(input.clone());
                let start = Instant::now();
                run(tables, &mut words);
                let time = elapsed(start);
                black_box(&words);
                Ok(time)
            }
        }
    }
}

impl Decoded {
    fn reals(self) -> Vec<f64> {
        match self {
            Self::Reals(values) => values,
            Self::Integers(values) => values.into_iter().map(|value| value as f64).collect(),
        }
    }
}

fn new<'a>(make: impl Fn() -> Result<Made, Error> + 'a) -> Operation<'a> {
    Operation::New(Box::new(make))
}

fn in_place<'a>(operand: &Ciphertext, run: impl Fn(&mut Ciphertext) -> Result<(), Error> + 'a) -> Operation<'a> {
    Operation::InPlace(Box::new(operand.clone()), Box::new(run))
}

fn elapsed(start: Instant) -> u64 {
    u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX)
}

/// Keys of one step, of the swap of rows or the conjugation, and for CKKS of all steps of [`MANY`].
fn galois_keys(keys: &KeyGenerator, scheme: Scheme) -> Result<GaloisKeys, Error> {
    match scheme {
        Scheme::Ckks => keys.galois_keys(GaloisSelection::Steps(&[&[0][..], &MANY].concat())),
        Scheme::Bfv | Scheme::Bgv => keys.galois_keys(GaloisSelection::Steps(&[0, 1])),
    }
}

/// A ciphertext in NTT form.
fn transformed(e: &Evaluator, a: &Ciphertext) -> Result<Ciphertext, Error> {
    if a.is_ntt_form() { Ok(a.clone()) } else { e.to_ntt(a) }
}

/// A ciphertext in coefficient form.
fn coefficients(e: &Evaluator, a: &Ciphertext) -> Result<Ciphertext, Error> {
    if a.is_ntt_form() { e.from_ntt(a) } else { Ok(a.clone()) }
}
