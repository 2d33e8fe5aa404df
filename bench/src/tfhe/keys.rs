//! Phoca's side: keys, operands, and every operation as something to check and to time.

use std::hint::black_box;
use std::time::Instant;

use phoca::tfhe::integer::Radix;
use phoca::tfhe::params::Parameters;
use phoca::tfhe::{Error, boolean, integer, shortint};

use super::clear::{self, Words};
use super::rows::{Layer, Row};
use crate::error::BenchError;

/// Bits of the message of a block of an integer.
const BLOCK_BITS: usize = 2;

/// Keys of one set.
pub(super) enum Keys {
    Boolean { client: boolean::ClientKey, server: Box<boolean::ServerKey> },
    Shortint { client: shortint::ClientKey, server: Box<shortint::ServerKey> },
    Integer { client: integer::ClientKey, server: Box<integer::ServerKey> },
}

/// What an operation gives.
pub(super) enum Output {
    Booleans(Vec<boolean::Ciphertext>),
    Short(shortint::Ciphertext),
    Flag(shortint::Ciphertext),
    Integer(Radix),
}

/// An operation with its operands.
pub(super) struct Prepared<'a> {
    operation: Box<dyn Fn() -> Result<Output, Error> + 'a>,
}

impl Prepared<'_> {
    pub(super) fn run(&self) -> Result<Output, Error> {
        (self.operation)()
    }

    /// Nanoseconds of each of `count` runs.
    pub(super) fn time(&self, count: usize) -> Result<Vec<u64>, BenchError> {
        let timed = |_| {
            let start = Instant::now();
            let result = black_box(self.run()?);
            let time = start.elapsed().as_nanos() as u64;
            drop(result);
            Ok(time)
        };
        (0..count).map(timed).collect()
    }
}

impl Keys {
    pub(super) fn generate(layer: Layer, parameters: &Parameters, threads: usize) -> Result<Self, BenchError> {
        match layer {
            Layer::Boolean => {
                let (client, mut server) = boolean::try_gen_keys(parameters)?;
                server.set_threads(threads)?;
                Ok(Self::Boolean { client, server: Box::new(server) })
            }
            Layer::Shortint => {
                let client = shortint::ClientKey::generate(*parameters)?;
                let mut server = client.server_key()?.expand()?;
                server.set_threads(threads)?;
                Ok(Self::Shortint { client, server: Box::new(server) })
            }
            Layer::Integer => {
                let client = integer::ClientKey::generate(*parameters)?;
                let mut server = integer::ServerKey::new(client.key().server_key()?.expand()?)?;
                server.set_threads(threads)?;
                Ok(Self::Integer { client, server: Box::new(server) })
            }
        }
    }

    pub(super) fn parameters(&self) -> &Parameters {
        match self {
            Self::Boolean { server, .. } => server.parameters(),
            Self::Shortint { server, .. } => server.parameters(),
            Self::Integer { server, .. } => server.key().parameters(),
        }
    }

    /// Bytes of the server key in memory.
    pub(super) fn byte_len(&self) -> usize {
        match self {
            Self::Boolean { server, .. } => server.key().byte_len(),
            Self::Shortint { server, .. } => server.key().byte_len(),
            Self::Integer { server, .. } => server.key().key().byte_len(),
        }
    }

    pub(super) fn bootstrap_count(&self) -> u64 {
        match self {
            Self::Boolean { server, .. } => server.bootstrap_count(),
            Self::Shortint { server, .. } => server.bootstrap_count(),
            Self::Integer { server, .. } => server.bootstrap_count(),
        }
    }

    /// Encrypts the operands of a row.
    pub(super) fn prepare<'a>(&'a self, row: &'a Row, items: &[Vec<Words>]) -> Result<Prepared<'a>, Error> {
        let operation: Box<dyn Fn() -> Result<Output, Error> + 'a> = match self {
            Self::Boolean { client, server } => {
                let (inputs, gates) = (transposed(items), server);
                let encrypt = |inputs: &Vec<Words>| inputs.iter().map(|x| client.try_encrypt(x[0] == 1)).collect();
                let x: Vec<Vec<_>> = inputs.iter().map(encrypt).collect::<Result<_, Error>>()?;
                Box::new(move || gate(gates, row.operation, &x).map(Output::Booleans))
            }
            Self::Shortint { client, server } => {
                let x: Vec<_> = items[0].iter().map(|x| client.encrypt(x[0])).collect::<Result<_, _>>()?;
                let modulus = server.parameters().message_modulus();
                let table = server.table(|x| clear::table(x, modulus));
                Box::new(move || short(server, row.operation, &x, &table).map(Output::Short))
            }
            Self::Integer { client, server } => {
                let blocks = (row.bits as usize).div_ceil(BLOCK_BITS) * items.len();
                let joined: Vec<_> = transposed(items).iter().map(|x| joined(x, row.bits)).collect();
                let x: Vec<_> = joined.iter().map(|x| client.encrypt(x, blocks)).collect::<Result<_, _>>()?;
                let condition = client.key().encrypt(joined[0][0] & 1)?;
                match row.operation.strip_prefix("scalar_") {
                    None => Box::new(move || integer(server, row.operation, &x, &condition)),
                    Some(operation) => {
                        let clear = joined[1].clone();
                        Box::new(move || with_clear(server, operation, &x[0], &clear))
                    }
                }
            }
        };
        Ok(Prepared { operation })
    }

    /// The values of each item.
    pub(super) fn decrypt(&self, row: &Row, output: &Output) -> Result<Vec<Words>, Error> {
        let one = |value: u64| vec![[value, 0, 0, 0]];
        Ok(match (self, output) {
            (Self::Boolean { client, .. }, Output::Booleans(all)) => {
                let bit = |ciphertext| Ok([u64::from(client.try_decrypt(ciphertext)?), 0, 0, 0]);
                all.iter().map(bit).collect::<Result<_, Error>>()?
            }
            (Self::Shortint { client, .. }, Output::Short(ciphertext)) => {
                one(client.decrypt_message_and_carry(ciphertext)?)
            }
            (Self::Integer { client, .. }, Output::Flag(flag)) => one(client.key().decrypt_message_and_carry(flag)?),
            (Self::Integer { client, .. }, Output::Integer(integer)) => {
                split(&client.decrypt(integer)?, row.bits, row.count)
            }
            _ => Vec::new(),
        })
    }
}

fn gate(
    key: &boolean::ServerKey,
    name: &str,
    x: &[Vec<boolean::Ciphertext>],
) -> Result<Vec<boolean::Ciphertext>, Error> {
    use boolean::{Gate, Operation};
    let gate = match name {
        "and" => Gate::And,
        "nand" => Gate::Nand,
        "or" => Gate::Or,
        "nor" => Gate::Nor,
        "xor" => Gate::Xor,
        "xnor" => Gate::Xnor,
        "mux" => return Ok(vec![key.evaluate(&Operation::mux(&x[0][0], &x[1][0], &x[2][0]))?]),
        other => unreachable!("there is no row {other}"),
    };
    key.gate_batch(gate, &x[0], &x[1])
}

fn short(
    key: &shortint::ServerKey,
    name: &str,
    x: &[shortint::Ciphertext],
    table: &shortint::Table,
) -> Result<shortint::Ciphertext, Error> {
    match name {
        "unchecked_add" => key.unchecked_add(&x[0], &x[1]),
        "add" => key.add(&x[0], &x[1]),
        "mul_lsb" => key.mul(&x[0], &x[1]),
        "keyswitch_programmable_bootstrap" => key.apply(&x[0], table),
        other => unreachable!("there is no row {other}"),
    }
}

fn integer(
    key: &integer::ServerKey,
    name: &str,
    x: &[Radix],
    condition: &shortint::Ciphertext,
) -> Result<Output, Error> {
    let (a, b) = (&x[0], &x[1]);
    let integer = match name {
        "neg" => key.neg(a),
        "select" => key.select(condition, b, &x[2]),
        "bitand" => key.bitand(a, b),
        "bitor" => key.bitor(a, b),
        "bitxor" => key.bitxor(a, b),
        "mul" => key.mul(a, b),
        "div" => key.div(a, b, false),
        "rem" => key.rem(a, b, false),
        "shl" => key.shl(a, b),
        "shr" => key.shr(a, b, false),
        "rotl" => key.rotate_left(a, b),
        "rotr" => key.rotate_right(a, b),
        _ => return arithmetic(key, name, a, b),
    };
    integer.map(Output::Integer)
}

/// Operations that take trivial operands too.
fn arithmetic(key: &integer::ServerKey, name: &str, a: &Radix, b: &Radix) -> Result<Output, Error> {
    let flag = match name {
        "add" => return key.add(a, b).map(Output::Integer),
        "sub" => return key.sub(a, b).map(Output::Integer),
        "max" => return key.max(a, b, false).map(Output::Integer),
        "min" => return key.min(a, b, false).map(Output::Integer),
        "eq" => key.eq(a, b),
        "ne" => key.ne(a, b),
        "lt" => key.lt(a, b, false),
        "le" => key.le(a, b, false),
        "gt" => key.gt(a, b, false),
        "ge" => key.ge(a, b, false),
        other => unreachable!("there is no row {other}"),
    };
    flag.map(Output::Flag)
}

fn with_clear(key: &integer::ServerKey, name: &str, a: &Radix, clear: &[u64]) -> Result<Output, Error> {
    let integer = match name {
        "add" => key.scalar_add(a, clear),
        "sub" => key.scalar_sub(a, clear),
        "mul" => key.scalar_mul(a, clear),
        "div" => key.scalar_div_rem(a, clear, false).map(|(quotient, _)| quotient),
        "rem" => key.scalar_div_rem(a, clear, false).map(|(_, remainder)| remainder),
        "bitand" => key.scalar_bitand(a, clear),
        "bitor" => key.scalar_bitor(a, clear),
        "bitxor" => key.scalar_bitxor(a, clear),
        "shl" => key.scalar_shl(a, clear[0]),
        "shr" => key.scalar_shr(a, clear[0], false),
        "rotl" => key.scalar_rotate_left(a, clear[0]),
        "rotr" => key.scalar_rotate_right(a, clear[0]),
        _ => return arithmetic(key, name, a, &key.trivial(clear, a.len())?),
    };
    integer.map(Output::Integer)
}

/// The items of each operand.
fn transposed(items: &[Vec<Words>]) -> Vec<Vec<Words>> {
    (0..items[0].len()).map(|place| items.iter().map(|item| item[place]).collect()).collect()
}

/// The numbers of a batch side by side, as one; their bits divide 64 where there are several.
fn joined(numbers: &[Words], bits: u32) -> Vec<u64> {
    let [one] = numbers else {
        let in_word = (64 / bits) as usize;
        let word = |numbers: &[Words]| numbers.iter().rev().fold(0, |word, number| word << bits | number[0]);
        return numbers.chunks(in_word).map(word).collect();
    };
    one.to_vec()
}

fn split(words: &[u64], bits: u32, count: usize) -> Vec<Words> {
    if count == 1 {
        return vec![std::array::from_fn(|index| words.get(index).copied().unwrap_or(0))];
    }
    let at = |item: usize| item * bits as usize;
    let number = |item| words[at(item) / 64] >> (at(item) % 64) & ((1 << bits) - 1);
    (0..count).map(|item| [number(item), 0, 0, 0]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_a_batch_come_apart_again() {
        let numbers: Vec<Words> = (0..64).map(|number| [number * 3 + 1, 0, 0, 0]).collect();
        let joined = joined(&numbers, 8);
        assert_eq!((joined.len(), joined[0]), (8, 0x1613_100d_0a07_0401));
        assert_eq!(split(&joined, 8, 64), numbers);
    }
}
