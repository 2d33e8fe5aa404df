//! What an operation comes to: nothing but a copy, or the signs of one or two sums.

use super::ciphertext::{Value, Word};
use super::{Ciphertext, Gate, Operand, Operation, eighths};
use crate::Error;
use crate::lwe::LweCiphertext;

/// How an operation is done.
pub(crate) enum Plan<W> {
    /// It needs no bootstrap.
    Done(Ciphertext),
    /// The sign of a sum.
    Sign(LweCiphertext<W>),
    /// The disjunction of two signs that are not both positive.
    Either([LweCiphertext<W>; 2]),
}

impl<W: Word> Plan<W> {
    /// The plan of an operation whose ciphertexts must have this dimension.
    pub(crate) fn new(operation: &Operation<'_>, dimension: usize) -> Result<Self, Error> {
        match operation {
            Operation::Binary { gate, left, right } => binary(*gate, &left.value(dimension)?, &right.value(dimension)?),
            Operation::Not(operand) => Ok(Self::Done(operand.value::<W>(dimension)?.negated())),
            Operation::Mux { condition, if_true, if_false } => {
                mux(&condition.value(dimension)?, &if_true.value(dimension)?, &if_false.value(dimension)?)
            }
        }
    }

    /// The sums to bootstrap.
    pub(crate) fn sums(&self) -> &[LweCiphertext<W>] {
        match self {
            Self::Done(_) => &[],
            Self::Sign(sum) => core::slice::from_ref(sum),
            Self::Either(sums) => sums,
        }
    }
}

impl<'a> Operand<'a> {
    fn value<W: Word>(self, dimension: usize) -> Result<Value<'a, W>, Error> {
        match self {
            Self::Clear(value) => Ok(Value::Clear(value)),
            Self::Encrypted(ciphertext) => ciphertext.value(dimension),
        }
    }
}

impl<W: Word> Value<'_, W> {
    fn to_ciphertext(&self) -> Ciphertext {
        match self {
            Self::Clear(value) => Ciphertext::trivial(*value),
            Self::Encrypted(lwe) => W::wrap((*lwe).clone()),
        }
    }

    fn negated(&self) -> Ciphertext {
        let mut ciphertext = self.to_ciphertext();
        ciphertext.negate_assign();
        ciphertext
    }
}

fn binary<W: Word>(gate: Gate, left: &Value<'_, W>, right: &Value<'_, W>) -> Result<Plan<W>, Error> {
    let (clear, other) = match (left, right) {
        (Value::Encrypted(left), Value::Encrypted(right)) => {
            let (factor, constant) = gate.sum();
            return Ok(Plan::Sign(sum(factor, left, factor, right, constant)?));
        }
        (Value::Clear(clear), other) | (other, Value::Clear(clear)) => (*clear, other),
    };
    Ok(Plan::Done(match [false, true].map(|other| gate.of_clear(clear, other)) {
        [false, true] => other.to_ciphertext(),
        [true, false] => other.negated(),
        [constant, _] => Ciphertext::trivial(constant),
    }))
}

fn mux<W: Word>(condition: &Value<'_, W>, a: &Value<'_, W>, b: &Value<'_, W>) -> Result<Plan<W>, Error> {
    let condition = match condition {
        Value::Clear(true) => return Ok(Plan::Done(a.to_ciphertext())),
        Value::Clear(false) => return Ok(Plan::Done(b.to_ciphertext())),
        Value::Encrypted(condition) => *condition,
    };
    Ok(match (a, b) {
        (Value::Clear(a), Value::Clear(b)) if a == b => Plan::Done(Ciphertext::trivial(*a)),
        (Value::Clear(true), Value::Clear(_)) => Plan::Done(Value::Encrypted(condition).to_ciphertext()),
        (Value::Clear(false), Value::Clear(_)) => Plan::Done(Value::Encrypted(condition).negated()),
        // c ∨ b, ¬c ∧ b, ¬c ∨ a, c ∧ a.
        (Value::Clear(true), Value::Encrypted(b)) => Plan::Sign(sum(1, condition, 1, b, 1)?),
        (Value::Clear(false), Value::Encrypted(b)) => Plan::Sign(sum(-1, condition, 1, b, -1)?),
        (Value::Encrypted(a), Value::Clear(true)) => Plan::Sign(sum(-1, condition, 1, a, 1)?),
        (Value::Encrypted(a), Value::Clear(false)) => Plan::Sign(sum(1, condition, 1, a, -1)?),
        (Value::Encrypted(a), Value::Encrypted(b)) => {
            Plan::Either([sum(1, condition, 1, a, -1)?, sum(-1, condition, 1, b, -1)?])
        }
    })
}

/// `left_factor·left + right_factor·right + constant/8`.
fn sum<W: Word>(
    left_factor: i64,
    left: &LweCiphertext<W>,
    right_factor: i64,
    right: &LweCiphertext<W>,
    constant: i64,
) -> Result<LweCiphertext<W>, Error> {
    let mut sum = left.clone();
    sum.scale_assign(left_factor);
    sum.add_multiple_assign(right, right_factor)?;
    *sum.body_mut() = sum.body().plus(eighths(constant));
    Ok(sum)
}
