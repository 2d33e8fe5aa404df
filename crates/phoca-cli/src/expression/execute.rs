//! Runs a plan on ciphertexts.

use std::collections::HashMap;

use phoca::{
    BatchEncoder, Ciphertext, CkksEncoder, Context, Evaluator, GaloisKeys, ParmsId, Plaintext, RelinKeys, Scheme,
};

use super::constant::{Constant, Values};
use super::error::ExpressionError;
use super::plan::{Moves, Plan, Register, Step, StepKind};
use super::workers;

/// The evaluation keys that there are.
#[derive(Clone, Copy, Default)]
pub struct EvaluationKeys<'a> {
    /// For products.
    pub relin: Option<&'a RelinKeys>,
    /// For rotations.
    pub galois: Option<&'a GaloisKeys>,
}

/// Checks that all keys are there, then runs the plan. `inputs` are the ciphertexts of each encrypted input; `progress` is
/// called after each step.
///
/// # Errors
///
/// [`ExpressionError::MissingRelinKey`] and [`ExpressionError::MissingRotationKeys`] before any work;
/// [`ExpressionError::Scheme`] where the library refuses an operation.
pub fn execute(
    plan: &Plan,
    context: &Context,
    keys: EvaluationKeys<'_>,
    inputs: &[&[Ciphertext]],
    progress: &mut dyn FnMut(usize),
) -> Result<Vec<Ciphertext>, ExpressionError> {
    check_keys(plan, keys)?;
    let machine = Machine::new(plan, context, keys)?;
    let mut last_use = vec![0; plan.steps.len()];
    for (index, step) in plan.steps.iter().enumerate() {
        step.kind.operands().for_each(|operand| last_use[operand] = index);
    }
    last_use[plan.result] = usize::MAX;
    let mut registers: Vec<Vec<Ciphertext>> = Vec::with_capacity(plan.steps.len());
    for (index, step) in plan.steps.iter().enumerate() {
        let value = match step.kind {
            StepKind::Input(input) => inputs[input].to_vec(),
            _ => machine.run(step, &registers)?,
        };
        registers.push(value);
        for operand in step.kind.operands().filter(|&operand| last_use[operand] == index) {
            registers[operand] = Vec::new();
        }
        progress(index + 1);
    }
    Ok(registers.swap_remove(plan.result))
}

/// Checks that the keys suffice for the plan.
///
/// # Errors
///
/// [`ExpressionError::MissingRelinKey`]; [`ExpressionError::MissingRotationKeys`] with all that is missing.
pub fn check_keys(plan: &Plan, keys: EvaluationKeys<'_>) -> Result<(), ExpressionError> {
    let relinearizes = plan.steps.iter().any(|step| matches!(step.kind, StepKind::Relinearize(_)));
    if relinearizes && keys.relin.is_none_or(|keys| keys.key(2).is_err()) {
        return Err(ExpressionError::MissingRelinKey);
    }
    match plan.missing_rotations(keys.galois) {
        (steps, false) if steps.is_empty() => Ok(()),
        (steps, swap) => Err(ExpressionError::MissingRotationKeys { steps, swap }),
    }
}

struct Machine<'a> {
    plan: &'a Plan,
    context: &'a Context,
    evaluator: Evaluator,
    encoder: Encoder,
    keys: EvaluationKeys<'a>,
    /// The ids of the data levels by how many primes they have.
    levels: HashMap<usize, ParmsId>,
}

enum Encoder {
    Batch(BatchEncoder),
    Ckks(CkksEncoder),
}

impl<'a> Machine<'a> {
    fn new(plan: &'a Plan, context: &'a Context, keys: EvaluationKeys<'a>) -> Result<Self, ExpressionError> {
        let encoder = match context.scheme() {
            Scheme::Ckks => Encoder::Ckks(CkksEncoder::new(context)?),
            Scheme::Bfv | Scheme::Bgv => Encoder::Batch(BatchEncoder::new(context)?),
        };
        let levels = context.levels().iter().map(|level| (level.prime_count(), level.parms_id()));
        Ok(Self { plan, context, evaluator: Evaluator::new(context), encoder, keys, levels: levels.collect() })
    }

    fn run(&self, step: &Step, registers: &[Vec<Ciphertext>]) -> Result<Vec<Ciphertext>, ExpressionError> {
        let evaluator = &self.evaluator;
        match &step.kind {
            StepKind::Input(_) => Ok(Vec::new()),
            StepKind::Add(a, b) => self.pairs(step, registers, *a, *b, |a, b| evaluator.add(a, b)),
            StepKind::Subtract(a, b) => self.pairs(step, registers, *a, *b, |a, b| evaluator.sub(a, b)),
            StepKind::Multiply(a, b) if a == b => self.each(step, registers, *a, |_, a| evaluator.square(a)),
            StepKind::Multiply(a, b) => self.pairs(step, registers, *a, *b, |a, b| evaluator.multiply(a, b)),
            StepKind::Negate(a) => self.each(step, registers, *a, |_, a| evaluator.negate(a)),
            StepKind::AddConstant(a, constant) => self.each(step, registers, *a, |block, a| {
                let plaintext = self.encode_block(constant, block, a.scale(), a.parms_id())?;
                evaluator.add_plain(a, &plaintext)
            }),
            StepKind::MultiplyConstant(a, constant, scale) => self.each(step, registers, *a, |block, a| {
                let plaintext = self.encode_block(constant, block, *scale, a.parms_id())?;
                evaluator.multiply_plain(a, &plaintext)
            }),
            StepKind::MultiplyInteger(a, integer) => self.each(step, registers, *a, |_, a| match &self.encoder {
                Encoder::Ckks(encoder) => evaluator.multiply_plain(a, &encoder.encode_integer(*integer, a.parms_id())?),
                Encoder::Batch(_) => Ok(a.clone()),
            }),
            StepKind::Raise(a, factor) => self.each(step, registers, *a, |_, a| match &self.encoder {
                Encoder::Ckks(encoder) => {
                    evaluator.multiply_plain(a, &encoder.encode_scalar(1.0, *factor, a.parms_id())?)
                }
                Encoder::Batch(_) => Ok(a.clone()),
            }),
            StepKind::DeclareScale(a) => self.each(step, registers, *a, |_, a| {
                let mut declared = a.clone();
                declared.set_scale(step.state.scale);
                Ok(declared)
            }),
            StepKind::Drop(a) => {
                self.each(step, registers, *a, |_, a| evaluator.mod_switch_to(a, self.level(step.state.level, a)))
            }
            StepKind::Relinearize(a) => match self.keys.relin {
                Some(keys) => self.each(step, registers, *a, |_, a| evaluator.relinearize(a, keys)),
                None => Err(ExpressionError::MissingRelinKey),
            },
            StepKind::Rescale(a) => self.each(step, registers, *a, |_, a| evaluator.rescale_to_next(a)),
            StepKind::SwitchModulus(a) => self.each(step, registers, *a, |_, a| evaluator.mod_switch_to_next(a)),
            StepKind::SumSlots(a) => Ok(vec![self.sum_slots(&registers[*a])?]),
            StepKind::Move(a, moves) => self.moved(moves, step, &registers[*a]),
        }
    }

    /// Applies `operation` to each ciphertext; a scalar's one goes through it once for each of the result's.
    fn each(
        &self,
        step: &Step,
        registers: &[Vec<Ciphertext>],
        a: Register,
        operation: impl Fn(usize, &Ciphertext) -> Result<Ciphertext, phoca::Error> + Sync,
    ) -> Result<Vec<Ciphertext>, ExpressionError> {
        let a = &registers[a];
        workers::map(self.plan.blocks(step.state.shape), |block| Ok(operation(block, &a[block.min(a.len() - 1)])?))
    }

    /// Applies `operation` to pairs of ciphertexts; a scalar's one meets each of a vector's.
    fn pairs(
        &self,
        step: &Step,
        registers: &[Vec<Ciphertext>],
        a: Register,
        b: Register,
        operation: impl Fn(&Ciphertext, &Ciphertext) -> Result<Ciphertext, phoca::Error> + Sync,
    ) -> Result<Vec<Ciphertext>, ExpressionError> {
        let (a, b) = (&registers[a], &registers[b]);
        workers::map(self.plan.blocks(step.state.shape), |block| {
            Ok(operation(&a[block.min(a.len() - 1)], &b[block.min(b.len() - 1)])?)
        })
    }

    fn encode_block(
        &self,
        constant: &Constant,
        block: usize,
        scale: f64,
        level: ParmsId,
    ) -> Result<Plaintext, phoca::Error> {
        let slots = self.plan.slots;
        if let (Encoder::Ckks(encoder), None, Values::Real(values)) = (&self.encoder, constant.length, &constant.values)
        {
            return encoder.encode_scalar(values[0], scale, level);
        }
        if let (Encoder::Batch(_), None, Values::Integer(values)) = (&self.encoder, constant.length, &constant.values) {
            // The constant polynomial: every slot holds its value, and products with it add least noise.
            let residue = i128::from(values[0]).rem_euclid(i128::from(self.context.plain_modulus()));
            return Ok(Plaintext::from_coefficients(&[residue as u64]));
        }
        self.encode(&constant.block(block * slots, slots), scale, level)
    }

    fn encode(&self, values: &Values, scale: f64, level: ParmsId) -> Result<Plaintext, phoca::Error> {
        match (&self.encoder, values) {
            (Encoder::Ckks(encoder), Values::Real(values)) => encoder.encode_at(values, scale, level),
            (Encoder::Batch(encoder), Values::Integer(values)) => encoder.encode_signed(values),
            // Constants have the domain of the scheme.
            _ => Err(phoca::Error::UnsupportedScheme { operation: "the encoding", scheme: self.context.scheme() }),
        }
    }

    /// The level with so many primes; the ciphertext's own where there is none, which does not happen in a plan.
    fn level(&self, primes: usize, a: &Ciphertext) -> ParmsId {
        self.levels.get(&primes).copied().unwrap_or(a.parms_id())
    }

    fn sum_slots(&self, blocks: &[Ciphertext]) -> Result<Ciphertext, ExpressionError> {
        let mut sum = self.evaluator.add_many(blocks)?;
        for steps in self.plan.sum_steps() {
            let turned = self.turned(&sum, steps)?;
            self.evaluator.add_assign(&mut sum, &turned)?;
        }
        if self.plan.has_rows() {
            let swapped = self.evaluator.rotate_columns(&sum, self.galois()?)?;
            self.evaluator.add_assign(&mut sum, &swapped)?;
        }
        Ok(sum)
    }

    fn moved(&self, moves: &Moves, step: &Step, blocks: &[Ciphertext]) -> Result<Vec<Ciphertext>, ExpressionError> {
        let moved = workers::map(moves.moves.len(), |index| -> Result<_, ExpressionError> {
            let part = &moves.moves[index];
            let mut block = self.turned(&blocks[part.source], part.steps)?;
            if part.swap {
                block = self.evaluator.rotate_columns(&block, self.galois()?)?;
            }
            if !moves.masked {
                return Ok(block);
            }
            let mask = self.encode(&self.mask(&part.slots), moves.scale, block.parms_id())?;
            Ok(self.evaluator.multiply_plain(&block, &mask)?)
        })?;
        let mut targets: Vec<Option<Ciphertext>> = vec![None; self.plan.blocks(step.state.shape)];
        for (part, block) in moves.moves.iter().zip(moved) {
            match &mut targets[part.target] {
                Some(sum) => self.evaluator.add_assign(sum, &block)?,
                empty => *empty = Some(block),
            }
        }
        // Every ciphertext of the vector holds a value, so each is written.
        Ok(targets.into_iter().flatten().collect())
    }

    /// Ones at `slots`, zeros elsewhere.
    fn mask(&self, slots: &[u32]) -> Values {
        let count = slots.last().map_or(0, |&last| last as usize + 1);
        match &self.encoder {
            Encoder::Ckks(_) => {
                let mut mask = vec![0.0; count];
                slots.iter().for_each(|&slot| mask[slot as usize] = 1.0);
                Values::Real(mask)
            }
            Encoder::Batch(_) => {
                let mut mask = vec![0; count];
                slots.iter().for_each(|&slot| mask[slot as usize] = 1);
                Values::Integer(mask)
            }
        }
    }

    fn turned(&self, a: &Ciphertext, steps: i64) -> Result<Ciphertext, ExpressionError> {
        let keys = self.galois()?;
        if steps == 0 {
            return Ok(a.clone());
        }
        let missing = || ExpressionError::MissingRotationKeys { steps: vec![steps], swap: false };
        let mut turned = a.clone();
        for term in self.plan.rotation_by_keys(steps, Some(keys)).ok_or_else(missing)? {
            match &self.encoder {
                Encoder::Ckks(_) => self.evaluator.rotate_vector_assign(&mut turned, term, keys)?,
                Encoder::Batch(_) => self.evaluator.rotate_rows_assign(&mut turned, term, keys)?,
            }
        }
        Ok(turned)
    }

    fn galois(&self) -> Result<&GaloisKeys, ExpressionError> {
        self.keys.galois.ok_or(ExpressionError::MissingRotationKeys { steps: Vec::new(), swap: true })
    }
}
