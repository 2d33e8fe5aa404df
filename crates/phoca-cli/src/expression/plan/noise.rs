//! The error of a plan's result before the run: each step on bounds instead of ciphertexts.

use std::collections::HashMap;

use phoca::noise::{MessageBound, NoiseModel};
use phoca::ring::Modulus;
use phoca::{Context, GaloisKeys, Level, NoiseBound, Scheme};

use super::{Moves, Plan, Register, Step, StepKind};
use crate::expression::constant::{Constant, Values};
use crate::expression::error::ExpressionError;

/// What is known of an input's error before the run.
#[derive(Clone, Copy, Debug)]
pub struct InputNoise {
    /// The bound on its error.
    pub bound: NoiseBound,
    /// BGV: its correction factor. Otherwise 1.
    pub correction_factor: u64,
}

/// The error of the result, known before the run.
#[derive(Clone, Copy, Debug)]
pub struct Promise {
    /// The bound itself.
    pub bound: NoiseBound,
    /// CKKS: what each value errs at most, with a probability of failure below 2^-40. BFV and BGV: the noise budget in
    /// bits that is left.
    pub likely: f64,
    /// The same for every outcome of the randomness.
    pub worst_case: f64,
}

impl Plan {
    /// Bounds the error of the result. Without keys, rotations count as if made of powers of two.
    ///
    /// # Errors
    ///
    /// BFV and BGV: [`ExpressionError::NoiseExhausted`] where the result might not decrypt.
    /// [`ExpressionError::Scheme`] where `context` is not that of the plan.
    pub fn promise(
        &self,
        context: &Context,
        keys: Option<&GaloisKeys>,
        inputs: &[InputNoise],
    ) -> Result<Promise, ExpressionError> {
        let mut predictor = Predictor::new(self, context, keys)?;
        for step in &self.steps {
            let noise = predictor.step(step, inputs)?;
            predictor.noises.push(noise);
        }
        let bound = predictor.noises[self.result].bound;
        let state = self.steps[self.result].state;
        let (model, level) = (&predictor.model, predictor.level(state.level)?);
        let (likely, worst_case) = match self.scheme {
            Scheme::Ckks => {
                (model.likely_error(&bound, level, state.scale), model.worst_case_error(&bound, level, state.scale))
            }
            Scheme::Bfv | Scheme::Bgv => (model.likely_budget(&bound, level), model.worst_case_budget(&bound, level)),
        };
        if self.scheme != Scheme::Ckks && likely <= 0.0 {
            return Err(ExpressionError::NoiseExhausted {
                noise_bits: model.likely_noise(&bound).log2(),
                limit_bits: model.modulus(level).log2() - 1.0,
            });
        }
        Ok(Promise { bound, likely, worst_case })
    }
}

/// The bound of a register, and for BGV the correction factor.
#[derive(Clone, Copy)]
struct Noise {
    bound: NoiseBound,
    correction_factor: u64,
}

struct Predictor<'a> {
    plan: &'a Plan,
    keys: Option<&'a GaloisKeys>,
    model: NoiseModel<'a>,
    levels: HashMap<usize, &'a Level>,
    /// BFV and BGV.
    plain_modulus: Option<Modulus>,
    noises: Vec<Noise>,
}

impl<'a> Predictor<'a> {
    fn new(plan: &'a Plan, context: &'a Context, keys: Option<&'a GaloisKeys>) -> Result<Self, ExpressionError> {
        let plain_modulus = match context.scheme() {
            Scheme::Ckks => None,
            Scheme::Bfv | Scheme::Bgv => Some(Modulus::new(context.plain_modulus()).map_err(phoca::Error::from)?),
        };
        Ok(Self {
            plan,
            keys,
            model: NoiseModel::new(context),
            levels: context.levels().iter().map(|level| (level.prime_count(), level)).collect(),
            plain_modulus,
            noises: Vec::with_capacity(plan.steps.len()),
        })
    }

    fn step(&self, step: &Step, inputs: &[InputNoise]) -> Result<Noise, ExpressionError> {
        let level = self.level(step.state.level)?;
        let model = &self.model;
        Ok(match &step.kind {
            StepKind::Input(index) => {
                Noise { bound: inputs[*index].bound, correction_factor: inputs[*index].correction_factor }
            }
            StepKind::Add(a, b) | StepKind::Subtract(a, b) => self.sum(self.noises[*a], self.noises[*b]),
            StepKind::AddConstant(a, constant) => {
                let message = self.message(constant, step.state.scale);
                self.changed(*a, |bound| model.plus_plain(bound, &message))
            }
            StepKind::Raise(a, factor) => {
                self.changed(*a, |bound| model.times_plain(bound, &MessageBound::of_constant(1.0, *factor)))
            }
            StepKind::DeclareScale(a) => {
                let ratio = step.state.scale / self.plan.steps[*a].state.scale;
                self.changed(*a, |bound| model.sum(bound, &share_of_message(bound, (ratio - 1.0).abs())))
            }
            StepKind::Drop(a) if self.plan.scheme == Scheme::Ckks => self.changed(*a, |bound| model.dropped(bound)),
            StepKind::Drop(a) | StepKind::SwitchModulus(a) | StepKind::Rescale(a) => {
                self.divided(self.noises[*a], &self.plan.steps[*a], step.state.level)?
            }
            StepKind::Multiply(a, b) => self.product(*a, *b, level),
            StepKind::MultiplyConstant(a, constant, scale) => {
                let message = self.message(constant, *scale);
                self.changed(*a, |bound| model.times_plain(bound, &message))
            }
            StepKind::MultiplyInteger(a, integer) => {
                let message = MessageBound::of_integer(integer.unsigned_abs());
                self.changed(*a, |bound| model.times_plain(bound, &message))
            }
            StepKind::Move(a, moves) => self.changed(*a, |bound| self.moved(bound, moves, level)),
            StepKind::Negate(a) => self.noises[*a],
            StepKind::Relinearize(a) => self.changed(*a, |bound| model.key_switched(bound, level)),
            StepKind::SumSlots(a) => {
                let blocks = self.plan.blocks(self.plan.steps[*a].state.shape);
                self.changed(*a, |bound| self.summed(bound, blocks, level))
            }
        })
    }

    fn changed(&self, a: Register, change: impl FnOnce(&NoiseBound) -> NoiseBound) -> Noise {
        let noise = self.noises[a];
        Noise { bound: change(&noise.bound), ..noise }
    }

    /// BGV multiplies operands of different correction factors by integers of at most `2·sqrt(t)` together: Euclid's
    /// algorithm passes a pair whose members are both at most `sqrt(t)`.
    fn sum(&self, a: Noise, b: Noise) -> Noise {
        let model = &self.model;
        let (left, right) = match (a.correction_factor == b.correction_factor, &self.plain_modulus) {
            (false, Some(modulus)) => {
                let factor = 2.0 * (modulus.value() as f64).sqrt();
                (model.scaled(&a.bound, factor), model.scaled(&b.bound, factor))
            }
            _ => (a.bound, b.bound),
        };
        Noise { bound: model.sum(&left, &right), ..a }
    }

    fn product(&self, a: Register, b: Register, level: &Level) -> Noise {
        let (left, right) = (self.noises[a], self.noises[b]);
        let (left_size, right_size) = (self.plan.steps[a].state.size, self.plan.steps[b].state.size);
        Noise {
            bound: self.model.product(&left.bound, left_size, &right.bound, right_size, level),
            correction_factor: match &self.plain_modulus {
                Some(modulus) if self.plan.scheme == Scheme::Bgv => {
                    modulus.mul(left.correction_factor, right.correction_factor)
                }
                _ => 1,
            },
        }
    }

    /// Division by one prime after the other down to `target`.
    fn divided(&self, mut noise: Noise, from: &Step, target: usize) -> Result<Noise, ExpressionError> {
        for primes in (target..from.state.level).rev() {
            let next = self.level(primes)?;
            noise.bound = self.model.divided(&noise.bound, from.state.size, next);
            if let (Some(modulus), Scheme::Bgv) = (&self.plain_modulus, self.plan.scheme) {
                let last = self.model.context().parameters().coeff_modulus[primes];
                let inverse = modulus.inverse_vartime(modulus.reduce(last)).unwrap_or(1);
                noise.correction_factor = modulus.mul(noise.correction_factor, inverse);
            }
        }
        Ok(noise)
    }

    fn summed(&self, bound: &NoiseBound, blocks: usize, level: &Level) -> NoiseBound {
        let mut sum = (1..blocks).fold(*bound, |sum, _| self.model.sum(&sum, bound));
        for steps in self.plan.sum_steps() {
            let turned = self.turned(&sum, steps, level);
            sum = self.model.sum(&sum, &turned);
        }
        match self.plan.has_rows() {
            true => self.model.sum(&sum, &self.model.key_switched(&sum, level)),
            false => sum,
        }
    }

    fn turned(&self, bound: &NoiseBound, steps: i64, level: &Level) -> NoiseBound {
        let by_keys = self.plan.rotation_by_keys(steps, self.keys);
        let rotations = by_keys.map_or_else(|| phoca::ring::galois::steps_naf(steps).len(), |terms| terms.len());
        (0..rotations).fold(*bound, |bound, _| self.model.key_switched(&bound, level))
    }

    /// The bound of the ciphertext into which the most moves go, as if each were the noisiest.
    fn moved(&self, bound: &NoiseBound, moves: &Moves, level: &Level) -> NoiseBound {
        let model = &self.model;
        let mut counts: HashMap<usize, usize> = HashMap::new();
        moves.moves.iter().for_each(|part| *counts.entry(part.target).or_default() += 1);
        let after = moves.moves.iter().map(|part| {
            let mut moved = self.turned(bound, part.steps, level);
            if part.swap {
                moved = model.key_switched(&moved, level);
            }
            match (moves.masked, self.plan.scheme) {
                (false, _) => moved,
                (true, Scheme::Ckks) => model.times_plain(&moved, &MessageBound::of_values(model, 1.0, moves.scale)),
                (true, _) => model.times_plain(&moved, &MessageBound::any(model)),
            }
        });
        let noisiest = after.max_by(|a, b| a.worst_case().log2().total_cmp(&b.worst_case().log2()));
        let noisiest = noisiest.unwrap_or(*bound);
        let most = counts.into_values().max().unwrap_or(1);
        (1..most).fold(noisiest, |sum, _| model.sum(&sum, &noisiest))
    }

    fn message(&self, constant: &Constant, scale: f64) -> MessageBound {
        match (&constant.values, constant.length) {
            (Values::Real(_), None) => MessageBound::of_constant(constant.magnitude(), scale),
            (Values::Real(_), Some(_)) => MessageBound::of_values(&self.model, constant.magnitude(), scale),
            (Values::Integer(values), None) => MessageBound::of_coefficients(&self.model, &[values[0].unsigned_abs()]),
            (Values::Integer(_), Some(_)) => MessageBound::any(&self.model),
        }
    }

    fn level(&self, primes: usize) -> Result<&'a Level, ExpressionError> {
        let level = self.levels.get(&primes).copied();
        level.ok_or(phoca::Error::EndOfChain.into())
    }
}

/// An error of `share` of the message, and no message.
fn share_of_message(bound: &NoiseBound, share: f64) -> NoiseBound {
    let error = bound.message().log2() + share.log2();
    NoiseBound::from_log2([f64::NEG_INFINITY, error, error, error, f64::NEG_INFINITY, f64::NEG_INFINITY])
}
