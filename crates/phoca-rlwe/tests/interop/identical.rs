//! The same operation on the same files, by the peer and by Phoca: are the results the same words?

use std::fs;
use std::path::PathBuf;

use phoca_rlwe::seal::{SaveOptions, Seeding};
use phoca_rlwe::{Ciphertext, Error, Plaintext, Scheme};
use serde_json::{Value, json};

use crate::Result;
use crate::exchange::{Exchange, saved, uncompressed};
use crate::slots::Slots;

/// The operations by their names in the protocol.
pub const OPERATIONS: [&str; 20] = [
    "add",
    "add_many",
    "sub",
    "negate",
    "add_plain",
    "sub_plain",
    "multiply_plain",
    "to_ntt",
    "from_ntt",
    "mod_switch",
    "mod_reduce",
    "rescale",
    "multiply",
    "square",
    "relinearize",
    "exponentiate",
    "rotate",
    "rotate_columns",
    "conjugate",
    "apply_galois",
];

/// Where a ciphertext says that it is in NTT form: after the header and the level's identifier.
const NTT_FORM_OFFSET: usize = 16 + 32;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Neither side has it for this scheme, or the peer's binding lacks it.
    NotApplicable,
    /// Every byte of the result's file is the same.
    Identical,
    /// The same words, but the peer marks coefficients as NTT form and so cannot decrypt them.
    MarkedOtherwise,
    /// Other words, of the same message.
    SameMessage,
    Failed(String),
}

/// A folder that the peer wrote, with what all operations need.
pub struct Comparison<'a, 'b> {
    exchange: &'a mut Exchange<'b>,
    x: Ciphertext,
    y: Ciphertext,
    plain: Plaintext,
    /// `x·y`, three polynomials.
    product: Ciphertext,
    /// `x` in the form that its scheme does not compute in.
    other_form: Ciphertext,
}

impl<'a, 'b> Comparison<'a, 'b> {
    pub fn new(exchange: &'a mut Exchange<'b>) -> Result<Self> {
        let x: Ciphertext = exchange.load(&exchange.path("cipher"))?;
        let y: Ciphertext = exchange.load(&exchange.path("cipher.symmetric"))?;
        let product = exchange.party.evaluator.multiply(&x, &y)?;
        let other_form = match exchange.set.scheme() {
            Scheme::Bfv => exchange.party.evaluator.to_ntt(&x)?,
            _ => exchange.party.evaluator.from_ntt(&x)?,
        };
        exchange.write(&product, "operand.product", Seeding::Full)?;
        // Loading brings BGV back to NTT form, for the peers as for Phoca.
        let other_form = exchange.load(&exchange.write(&other_form, "operand.other_form", Seeding::Full)?)?;
        let plain = exchange.load(&exchange.path("plain"))?;
        Ok(Self { exchange, x, y, plain, product, other_form })
    }

    pub fn run(&mut self, operation: &str) -> Outcome {
        self.compare(operation).unwrap_or_else(|error| Outcome::Failed(error.to_string()))
    }

    fn compare(&mut self, operation: &str) -> Result<Outcome> {
        let theirs = self.peer(operation);
        let ours = match self.phoca(operation)? {
            Ok(ciphertext) => ciphertext,
            Err(ours) => {
                return match theirs {
                    Err(_) => Ok(Outcome::NotApplicable),
                    Ok(_) => Err(format!("the peer computes it, and Phoca says: {ours}").into()),
                };
            }
        };
        let (path, answer) = match theirs {
            Ok(theirs) => theirs,
            Err(error) if self.is_unbound(operation) && error.to_string().contains("unsupported:") => {
                return Ok(Outcome::NotApplicable);
            }
            Err(error) => return Err(format!("Phoca computes it, and the peer says: {error}").into()),
        };
        let expected = self.expected(operation);
        if let Some(expected) = &expected {
            self.exchange.party.check(&ours, expected).map_err(|error| format!("Phoca's own result: {error}"))?;
        }
        let options = SaveOptions { version: self.exchange.peer.stamp, seeding: Seeding::Full, ..Default::default() };
        let (ours_saved, mut theirs_saved) = (saved(&ours, &options)?, uncompressed(&fs::read(&path)?)?);
        if operation == "mod_reduce" && self.exchange.set.scheme() == Scheme::Bfv {
            let mark = std::mem::replace(&mut theirs_saved[NTT_FORM_OFFSET], 0);
            return match mark == 1 && ours_saved == theirs_saved {
                true => Ok(Outcome::MarkedOtherwise),
                false => Err("the words differ, or the peer marks them rightly now".into()),
            };
        }
        self.exchange.agree(&answer, &ours)?;
        if ours_saved == theirs_saved {
            return Ok(Outcome::Identical);
        }
        let theirs = self.exchange.load(&path)?;
        self.exchange.party.check(&theirs, &expected.ok_or("other words")?)?;
        self.exchange.compare_budgets(&ours, &theirs)?;
        Ok(Outcome::SameMessage)
    }

    /// What the peers' bindings leave out.
    fn is_unbound(&self, operation: &str) -> bool {
        matches!(
            (operation, self.exchange.peer.name),
            ("add_many", "node-seal6" | "node-seal7") | ("mod_reduce", "seal" | "tenseal")
        )
    }

    fn peer(&mut self, operation: &str) -> Result<(PathBuf, Value)> {
        let exchange = &mut *self.exchange;
        let path = |stem: &str| json!(exchange.path(stem));
        let (x, y) = (path("cipher"), path("cipher.symmetric"));
        let computes_in_ntt = exchange.set.scheme() != Scheme::Bfv;
        let inputs = match operation {
            "add" | "sub" | "multiply" => json!([x, y]),
            "add_many" => json!([x, y, x]),
            "relinearize" | "rescale" => json!([path("operand.product")]),
            "to_ntt" if computes_in_ntt => json!([path("operand.other_form")]),
            "from_ntt" if !computes_in_ntt => json!([path("operand.other_form")]),
            _ => json!([x]),
        };
        let out = exchange.path("computed");
        let fields = json!({
            "op": operation, "inputs": inputs, "out": out, "compression": exchange.peer_compression(),
            "plain": path("plain"), "relin_keys": path("relin_keys"), "galois_keys": path("galois_keys"),
            "exponent": 3, "steps": 1, "element": 3,
        });
        Ok((out, exchange.ask("compute", fields)?))
    }

    fn phoca(&self, operation: &str) -> Result<std::result::Result<Ciphertext, Error>> {
        let (exchange, x, y) = (&*self.exchange, &self.x, &self.y);
        let evaluator = &exchange.party.evaluator;
        let relin_keys = || exchange.load(&exchange.path("relin_keys"));
        let galois_keys = || exchange.load(&exchange.path("galois_keys"));
        let computes_in_ntt = exchange.set.scheme() != Scheme::Bfv;
        Ok(match operation {
            "add" => evaluator.add(x, y),
            "add_many" => evaluator.add_many(&[x.clone(), y.clone(), x.clone()]),
            "sub" => evaluator.sub(x, y),
            "negate" => evaluator.negate(x),
            "add_plain" => evaluator.add_plain(x, &self.plain),
            "sub_plain" => evaluator.sub_plain(x, &self.plain),
            "multiply_plain" => evaluator.multiply_plain(x, &self.plain),
            "to_ntt" => evaluator.to_ntt(if computes_in_ntt { &self.other_form } else { x }),
            "from_ntt" => evaluator.from_ntt(if computes_in_ntt { x } else { &self.other_form }),
            "mod_switch" => evaluator.mod_switch_to_next(x),
            "mod_reduce" => evaluator.mod_reduce_to_next(x),
            "rescale" => evaluator.rescale_to_next(&self.product),
            "multiply" => evaluator.multiply(x, y),
            "square" => evaluator.square(x),
            "relinearize" => evaluator.relinearize(&self.product, &relin_keys()?),
            "exponentiate" => evaluator.exponentiate(x, 3, &relin_keys()?),
            "rotate" => exchange.party.rotate(x, 1, &galois_keys()?),
            "rotate_columns" => evaluator.rotate_columns(x, &galois_keys()?),
            "conjugate" => evaluator.conjugate(x, &galois_keys()?),
            "apply_galois" => evaluator.apply_galois(x, 3, &galois_keys()?),
            _ => return Err(format!("no operation {operation}").into()),
        })
    }

    /// What the result decrypts to; none where it is in a form that is not decrypted, or of no known message.
    fn expected(&self, operation: &str) -> Option<Slots> {
        let slots = &self.exchange.set.slots;
        Some(match operation {
            "add" | "add_plain" => slots.times(2.0),
            "add_many" => slots.times(3.0),
            "sub" | "sub_plain" => slots.times(0.0),
            "negate" => slots.times(-1.0),
            "multiply" | "square" | "multiply_plain" | "relinearize" | "rescale" => slots.square(),
            "exponentiate" => slots.cube(),
            "mod_switch" => slots.clone(),
            "rotate" | "apply_galois" => slots.rotated(1),
            "rotate_columns" | "conjugate" => slots.swapped(),
            _ => return None,
        })
    }
}
