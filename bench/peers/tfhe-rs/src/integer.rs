//! Integers in radix form, with the operations that `FheUint` performs in its default configuration.

use rayon::prelude::*;
use serde_json::Value;
use tfhe::integer::prelude::ServerKeyDefaultCMux;
use tfhe::integer::{BooleanBlock, ClientKey, RadixCiphertext, ServerKey, U256};

use crate::shortint::{parameters, sizes};
use crate::{Failure, Row, Session, Words, unknown};

struct Keys {
    client: ClientKey,
    server: ServerKey,
    row: Option<((u32, Vec<Vec<Words>>), Vec<Vec<RadixCiphertext>>)>,
}

pub fn session(set: &str) -> Result<Box<dyn Session>, Failure> {
    let client = ClientKey::new(parameters(set)?);
    let server = ServerKey::new_radix_server_key(&client);
    Ok(Box::new(Keys { client, server, row: None }))
}

/// Bits of a block's message.
const BLOCK_BITS: u32 = 2;

fn to_clear(words: &Words) -> U256 {
    let pair = |low: u64, high: u64| u128::from(low) | u128::from(high) << 64;
    U256::from((pair(words[0], words[1]), pair(words[2], words[3])))
}

fn from_clear(value: U256) -> Words {
    let (low, high) = value.to_low_high_u128();
    [low as u64, (low >> 64) as u64, high as u64, (high >> 64) as u64]
}

type Function<T> = fn(&ServerKey, &[RadixCiphertext]) -> T;

fn to_integer(name: &str) -> Option<Function<RadixCiphertext>> {
    Some(match name {
        "neg" => |key, x| key.neg_parallelized(&x[0]),
        "add" => |key, x| key.add_parallelized(&x[0], &x[1]),
        "sub" => |key, x| key.sub_parallelized(&x[0], &x[1]),
        "mul" => |key, x| key.mul_parallelized(&x[0], &x[1]),
        "div" => |key, x| key.div_parallelized(&x[0], &x[1]),
        "rem" => |key, x| key.rem_parallelized(&x[0], &x[1]),
        "bitand" => |key, x| key.bitand_parallelized(&x[0], &x[1]),
        "bitor" => |key, x| key.bitor_parallelized(&x[0], &x[1]),
        "bitxor" => |key, x| key.bitxor_parallelized(&x[0], &x[1]),
        "max" => |key, x| key.max_parallelized(&x[0], &x[1]),
        "min" => |key, x| key.min_parallelized(&x[0], &x[1]),
        "shl" => |key, x| key.left_shift_parallelized(&x[0], &x[1]),
        "shr" => |key, x| key.right_shift_parallelized(&x[0], &x[1]),
        "rotl" => |key, x| key.rotate_left_parallelized(&x[0], &x[1]),
        "rotr" => |key, x| key.rotate_right_parallelized(&x[0], &x[1]),
        "leading_zeros" => |key, x| key.leading_zeros_parallelized(&x[0]),
        "trailing_zeros" => |key, x| key.trailing_zeros_parallelized(&x[0]),
        "ilog2" => |key, x| key.ilog2_parallelized(&x[0]),
        _ => return None,
    })
}

fn to_boolean(name: &str) -> Option<Function<BooleanBlock>> {
    Some(match name {
        "eq" => |key, x| key.eq_parallelized(&x[0], &x[1]),
        "ne" => |key, x| key.ne_parallelized(&x[0], &x[1]),
        "lt" => |key, x| key.lt_parallelized(&x[0], &x[1]),
        "le" => |key, x| key.le_parallelized(&x[0], &x[1]),
        "gt" => |key, x| key.gt_parallelized(&x[0], &x[1]),
        "ge" => |key, x| key.ge_parallelized(&x[0], &x[1]),
        _ => return None,
    })
}

/// Operations with a clear number of the integer's own width.
macro_rules! scalar {
    ($row:expr, $keys:expr, $type:ty, $clear:expr, $left:expr) => {{
        let (row, clear, left, server, client): (&Row, $type, _, _, _) =
            ($row, $clear, $left, &$keys.server, &$keys.client);
        let integer = |result: &RadixCiphertext| vec![from_clear(client.decrypt_radix::<U256>(result))];
        let boolean = |result: &BooleanBlock| vec![[u64::from(client.decrypt_bool(result)), 0, 0, 0]];
        let amount = row.items[0][1][0];
        match row.operation.as_str() {
            "scalar_add" => row.run(|| server.scalar_add_parallelized(left, clear), integer),
            "scalar_sub" => row.run(|| server.scalar_sub_parallelized(left, clear), integer),
            "scalar_mul" => row.run(|| server.scalar_mul_parallelized(left, clear), integer),
            "scalar_div" => row.run(|| server.scalar_div_parallelized(left, clear), integer),
            "scalar_rem" => row.run(|| server.scalar_rem_parallelized(left, clear), integer),
            "scalar_bitand" => row.run(|| server.scalar_bitand_parallelized(left, clear), integer),
            "scalar_bitor" => row.run(|| server.scalar_bitor_parallelized(left, clear), integer),
            "scalar_bitxor" => row.run(|| server.scalar_bitxor_parallelized(left, clear), integer),
            "scalar_max" => row.run(|| server.scalar_max_parallelized(left, clear), integer),
            "scalar_min" => row.run(|| server.scalar_min_parallelized(left, clear), integer),
            "scalar_eq" => row.run(|| server.scalar_eq_parallelized(left, clear), boolean),
            "scalar_ne" => row.run(|| server.scalar_ne_parallelized(left, clear), boolean),
            "scalar_lt" => row.run(|| server.scalar_lt_parallelized(left, clear), boolean),
            "scalar_le" => row.run(|| server.scalar_le_parallelized(left, clear), boolean),
            "scalar_gt" => row.run(|| server.scalar_gt_parallelized(left, clear), boolean),
            "scalar_ge" => row.run(|| server.scalar_ge_parallelized(left, clear), boolean),
            "scalar_shl" => row.run(|| server.scalar_left_shift_parallelized(left, amount), integer),
            "scalar_shr" => row.run(|| server.scalar_right_shift_parallelized(left, amount), integer),
            "scalar_rotl" => row.run(|| server.scalar_rotate_left_parallelized(left, amount), integer),
            "scalar_rotr" => row.run(|| server.scalar_rotate_right_parallelized(left, amount), integer),
            other => return unknown("operation", other),
        }
    }};
}

impl Keys {
    fn prepare(&mut self, row: &Row) {
        let blocks = row.bits.div_ceil(BLOCK_BITS) as usize;
        if self.row.as_ref().is_none_or(|((bits, items), _)| *bits != row.bits || *items != row.items) {
            let operands = row.prepared(|words| self.client.encrypt_radix(to_clear(words), blocks));
            self.row = Some(((row.bits, row.items.clone()), operands));
        }
    }

    fn with_clear(&self, row: &Row, left: &RadixCiphertext) -> Result<Value, Failure> {
        let words = &row.items[0][1];
        Ok(match row.bits {
            8 => scalar!(row, self, u8, words[0] as u8, left),
            16 => scalar!(row, self, u16, words[0] as u16, left),
            32 => scalar!(row, self, u32, words[0] as u32, left),
            64 => scalar!(row, self, u64, words[0], left),
            128 => scalar!(row, self, u128, u128::from(words[0]) | u128::from(words[1]) << 64, left),
            256 => scalar!(row, self, U256, to_clear(words), left),
            bits => return unknown("width", &bits.to_string()),
        })
    }

    fn select(&self, row: &Row, operands: &[RadixCiphertext]) -> Value {
        let condition = self.client.encrypt_bool(row.items[0][0][0] == 1);
        let words = |result: &RadixCiphertext| vec![from_clear(self.client.decrypt_radix::<U256>(result))];
        row.run(|| self.server.if_then_else_parallelized(&condition, &operands[1], &operands[2]), words)
    }
}

impl Session for Keys {
    fn time(&mut self, row: &Row) -> Result<Value, Failure> {
        self.prepare(row);
        let Some((_, operands)) = &self.row else { return unknown("row", "") };
        if row.operation.starts_with("scalar_") {
            return self.with_clear(row, &operands[0][0]);
        }
        if row.operation == "select" {
            return Ok(self.select(row, &operands[0]));
        }
        if let Some(function) = to_boolean(&row.operation) {
            let words = |result: &BooleanBlock| vec![[u64::from(self.client.decrypt_bool(result)), 0, 0, 0]];
            return Ok(row.run(|| function(&self.server, &operands[0]), words));
        }
        let Some(function) = to_integer(&row.operation) else { return unknown("operation", &row.operation) };
        let words = |results: &Vec<RadixCiphertext>| {
            results.iter().map(|result| from_clear(self.client.decrypt_radix::<U256>(result))).collect()
        };
        if let [one] = operands.as_slice() {
            return Ok(row.run(|| vec![function(&self.server, one)], words));
        }
        Ok(row.run(|| operands.par_iter().map(|item| function(&self.server, item)).collect(), words))
    }

    fn sizes(&self) -> Value {
        sizes(self.client.as_ref(), self.server.as_ref())
    }
}
