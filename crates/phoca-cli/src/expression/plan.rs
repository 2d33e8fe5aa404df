//! From the graph to steps that ciphertexts go through: levels, scales, relinearization, rescaling, rotations.
//!
//! CKKS: every register has an exact scale that is known before the run. Products are relinearized and rescaled only
//! when a product, a rotation or the result needs it, so that a sum of products is relinearized and rescaled once. A
//! product is rescaled while the scale stays at or above half of the inputs' scale. Operands of a sum are brought to one
//! level and one scale exactly, by a product with an encoded 1 of the right scale; scales that differ by less than a
//! relative 2^-40 are declared equal. Plain factors are encoded at the ciphertext's scale, so that they follow the same
//! ladder of scales as products of ciphertexts.
//!
//! BGV switches down after each relinearized product, by as many primes as bring its noise back, which keeps it small. BFV stays at its level.

mod align;
mod explain;
mod moves;
mod noise;
mod planner;

use phoca::Scheme;

pub use moves::Moves;
pub use noise::InputNoise;

use super::constant::Constant;
use super::error::{ExpressionError, Levels, Needed};
use super::graph::{Graph, Shape};

/// Index of a step, whose result it names.
pub type Register = usize;

/// The primes of the data levels and what the planner must know of the inputs.
#[derive(Clone, Debug)]
pub struct Chain {
    /// The scheme.
    pub scheme: Scheme,
    /// Degree of the ring.
    pub degree: usize,
    /// The primes that ciphertexts can have, in the order of the chain; a level keeps the first so many.
    pub primes: Vec<f64>,
    /// Primes of the last level.
    pub fewest: usize,
    /// BGV: log2 of what the noise of a product has more than that of fresh operands. Otherwise 0.
    pub product_bits: f64,
}

/// Level and scale of an encrypted input.
#[derive(Clone, Copy, Debug)]
pub struct InputState {
    /// Primes of its level.
    pub level: usize,
    /// Its scale; 1 for BFV and BGV.
    pub scale: f64,
}

/// What is known before the run about the value in a register.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct State {
    /// Primes of the level.
    pub level: usize,
    /// CKKS: the scale. Otherwise 1.
    pub scale: f64,
    /// Polynomials of each ciphertext: 2, or 3 for a product that is not yet relinearized.
    pub size: usize,
    /// BGV: a product came in since the last switch of the modulus.
    pub unswitched: bool,
    /// The values.
    pub shape: Shape,
}

/// One step; all ciphertexts of its operands go through it.
#[derive(Clone, Debug)]
pub struct Step {
    /// What is done.
    pub kind: StepKind,
    /// What comes out.
    pub state: State,
}

/// What a step does.
#[derive(Clone, Debug)]
pub enum StepKind {
    /// Takes the encrypted input of this number.
    Input(usize),
    /// `a + b`.
    Add(Register, Register),
    /// `a + constant`, encoded at the level and scale of `a`.
    AddConstant(Register, Constant),
    /// Multiplies by 1, encoded with this scale: raises the scale and changes no value.
    Raise(Register, f64),
    /// Declares the scale of the state, which differs by less than a relative 2^-40.
    DeclareScale(Register),
    /// Drops primes down to the level of the state.
    Drop(Register),
    /// `a·b`, not relinearized.
    Multiply(Register, Register),
    /// `a·constant`, encoded with this scale (1 for BFV and BGV).
    MultiplyConstant(Register, Constant, f64),
    /// CKKS: `a` times an integer, exactly, at the same scale.
    MultiplyInteger(Register, i64),
    /// Moves values between slots and ciphertexts.
    Move(Register, Moves),
    /// `−a`.
    Negate(Register),
    /// Back to two polynomials.
    Relinearize(Register),
    /// CKKS: divides by the last prime of the level.
    Rescale(Register),
    /// `a − b`.
    Subtract(Register, Register),
    /// The sum of all slots of all ciphertexts, in every slot of one.
    SumSlots(Register),
    /// BGV: divides by the last prime of the level, for less noise.
    SwitchModulus(Register),
}

/// Steps in order; each uses earlier ones only.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The scheme.
    pub scheme: Scheme,
    /// Degree of the ring.
    pub degree: usize,
    /// Slots of a ciphertext.
    pub slots: usize,
    /// The steps.
    pub steps: Vec<Step>,
    /// The register of the result.
    pub result: Register,
    /// log2 of the modulus that the result has left.
    pub result_modulus_bits: f64,
    /// Levels that the inputs have.
    pub levels_available: usize,
}

/// The most levels that [`plan`] looks for when it says how many an expression needs.
const SEARCHED_LEVELS: usize = 254;

/// Plans the steps of `graph`.
///
/// # Errors
///
/// [`ExpressionError::LevelsExhausted`] with the levels that it takes.
pub fn plan(graph: &Graph, chain: &Chain, inputs: &[InputState]) -> Result<Plan, ExpressionError> {
    let lowest_input = inputs.iter().map(|input| input.level).min().unwrap_or(chain.fewest);
    let available = lowest_input.saturating_sub(chain.fewest);
    if let Ok(mut plan) = planner::plan(graph, chain, inputs) {
        plan.levels_available = available;
        return Ok(plan);
    }
    // The same with longer chains, until one suffices.
    let delta = inputs.iter().map(|input| input.scale).fold(f64::INFINITY, f64::min);
    let enough = (1..=SEARCHED_LEVELS.saturating_sub(available)).find(|&extra| {
        let mut longer = chain.clone();
        let base = 1.min(longer.primes.len());
        longer.primes.splice(base..base, std::iter::repeat_n(delta, extra));
        let raised: Vec<InputState> =
            inputs.iter().map(|input| InputState { level: input.level + extra, ..*input }).collect();
        planner::plan(graph, &longer, &raised).is_ok()
    });
    Err(ExpressionError::LevelsExhausted {
        needed: Needed(enough.map(|extra| available + extra)),
        available: Levels(available),
    })
}

impl Plan {
    /// The ciphertexts of a value.
    pub fn blocks(&self, shape: Shape) -> usize {
        match shape {
            Shape::Scalar => 1,
            Shape::Vector(length) => length.div_ceil(self.slots).max(1),
        }
    }

    /// The inputs that the steps take.
    pub fn inputs(&self) -> impl Iterator<Item = usize> {
        self.steps.iter().filter_map(|step| match step.kind {
            StepKind::Input(index) => Some(index),
            _ => None,
        })
    }

    /// The values of the result.
    pub fn result_shape(&self) -> Shape {
        self.steps[self.result].state.shape
    }

    /// Slots that one rotation turns: all of CKKS, one of two rows for BFV and BGV.
    pub fn row(&self) -> usize {
        self.degree / 2
    }
}

impl StepKind {
    /// The registers that the step uses.
    pub fn operands(&self) -> impl Iterator<Item = Register> {
        let (first, second) = match *self {
            Self::Input(_) => (None, None),
            Self::Add(a, b) | Self::Subtract(a, b) | Self::Multiply(a, b) => (Some(a), Some(b)),
            Self::AddConstant(a, _)
            | Self::Raise(a, _)
            | Self::DeclareScale(a)
            | Self::Drop(a)
            | Self::MultiplyConstant(a, ..)
            | Self::MultiplyInteger(a, _)
            | Self::Move(a, _)
            | Self::Negate(a)
            | Self::Relinearize(a)
            | Self::Rescale(a)
            | Self::SumSlots(a)
            | Self::SwitchModulus(a) => (Some(a), None),
        };
        first.into_iter().chain(second)
    }
}
