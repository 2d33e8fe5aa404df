//! Node by node: which steps, at which level and scale.

use std::collections::HashMap;

use phoca::Scheme;

use super::{Chain, InputState, Moves, Plan, Register, State, Step, StepKind};
use crate::expression::constant::Constant;
use crate::expression::graph::{Graph, Operation, Shape};

/// Bits between a scale and the modulus that must stay free: the sign and values of up to 1.
const MARGIN_BITS: f64 = 2.0;

/// The chain ends before the expression does.
#[derive(Debug)]
pub(super) struct Exhausted;

pub(super) struct Planner<'a> {
    graph: &'a Graph,
    pub(super) chain: &'a Chain,
    /// log2 of the product of the first so many primes.
    modulus_bits: Vec<f64>,
    /// log2 of the scale below which no rescaling goes.
    waterline: f64,
    pub(super) steps: Vec<Step>,
    /// Register of a node's value as it comes, perhaps with three polynomials and a high scale.
    raw: Vec<Option<Register>>,
    /// Relinearized and rescaled forms.
    normal: HashMap<Register, Register>,
}

/// Plans all nodes that the result needs.
pub(super) fn plan(graph: &Graph, chain: &Chain, inputs: &[InputState]) -> Result<Plan, Exhausted> {
    let mut bits = vec![0.0];
    for prime in &chain.primes {
        bits.push(bits[bits.len() - 1] + prime.log2());
    }
    let lowest_scale = inputs.iter().map(|input| input.scale).fold(f64::INFINITY, f64::min);
    let mut planner = Planner {
        graph,
        chain,
        modulus_bits: bits,
        waterline: lowest_scale.log2() - 1.0,
        steps: Vec::new(),
        raw: vec![None; graph.nodes.len()],
        normal: HashMap::new(),
    };
    let mut needed = vec![false; graph.nodes.len()];
    needed[graph.result] = true;
    for node in (0..=graph.result).rev().filter(|&node| node <= graph.result) {
        if needed[node] {
            operands(&graph.nodes[node].operation).for_each(|operand| needed[operand] = true);
        }
    }
    for node in (0..graph.nodes.len()).filter(|&node| needed[node]) {
        planner.raw[node] = planner.node(node, inputs)?;
    }
    let result = planner.raw[graph.result].ok_or(Exhausted)?;
    let result = planner.normalized(result)?;
    Ok(Plan {
        scheme: chain.scheme,
        degree: chain.degree,
        slots: graph.slots,
        result_modulus_bits: planner.modulus_bits[planner.steps[result].state.level],
        steps: planner.steps,
        result,
        levels_available: 0,
    })
}

fn operands(operation: &Operation) -> impl Iterator<Item = usize> {
    let (first, second) = match *operation {
        Operation::Input(_) | Operation::Constant(_) => (None, None),
        Operation::Negate(a) | Operation::Sum(a) | Operation::Rotate(a, _) => (Some(a), None),
        Operation::Add(a, b) | Operation::Subtract(a, b) | Operation::Multiply(a, b) => (Some(a), Some(b)),
    };
    first.into_iter().chain(second)
}

impl Planner<'_> {
    /// The register of a node's value; none for constants.
    fn node(&mut self, node: usize, inputs: &[InputState]) -> Result<Option<Register>, Exhausted> {
        let shape = self.graph.nodes[node].shape;
        let register = match &self.graph.nodes[node].operation {
            Operation::Constant(_) => return Ok(None),
            Operation::Input(index) => {
                let InputState { level, scale } = inputs[*index];
                let state = State { level, scale, size: 2, unswitched: false, shape };
                self.push(StepKind::Input(*index), state)
            }
            Operation::Negate(a) => {
                let a = self.raw(*a)?;
                self.push(StepKind::Negate(a), self.state(a))
            }
            Operation::Add(a, b) => match self.graph.constant(*b).cloned() {
                Some(constant) => self.add_constant(*a, constant, shape)?,
                None => self.combine(*a, *b, shape, StepKind::Add)?,
            },
            Operation::Subtract(a, b) => self.combine(*a, *b, shape, StepKind::Subtract)?,
            Operation::Multiply(a, b) => match self.graph.constant(*b).cloned() {
                Some(constant) => self.multiply_constant(*a, constant, shape)?,
                None => self.multiply(*a, *b, shape)?,
            },
            Operation::Sum(a) => {
                let a = self.raw(*a)?;
                let a = self.normalized(a)?;
                self.push(StepKind::SumSlots(a), State { shape, ..self.state(a) })
            }
            Operation::Rotate(a, steps) => self.rotate(*a, *steps, shape)?,
        };
        Ok(Some(register))
    }

    fn multiply(&mut self, a: usize, b: usize, shape: Shape) -> Result<Register, Exhausted> {
        let (a, b) = (self.raw(a)?, self.raw(b)?);
        let (a, b) = (self.normalized(a)?, self.normalized(b)?);
        let level = self.state(a).level.min(self.state(b).level);
        let (a, b) = (self.dropped(a, level), self.dropped(b, level));
        let scale = self.state(a).scale * self.state(b).scale;
        self.check_scale(scale, level)?;
        let state = State { level, scale, size: 3, unswitched: true, shape };
        Ok(self.push(StepKind::Multiply(a, b), state))
    }

    fn multiply_constant(&mut self, a: usize, constant: Constant, shape: Shape) -> Result<Register, Exhausted> {
        let a = self.raw(a)?;
        if let Some(integer) = constant.small_integer() {
            let state = self.state(a);
            self.check_scale(state.scale * integer.unsigned_abs().max(1) as f64, state.level)?;
            return Ok(self.push(StepKind::MultiplyInteger(a, integer), State { shape, ..self.state(a) }));
        }
        let a = self.normalized(a)?;
        let state = self.state(a);
        if self.chain.scheme != Scheme::Ckks {
            let state = State { shape, ..state };
            return Ok(self.push(StepKind::MultiplyConstant(a, constant, 1.0), state));
        }
        let factor = state.scale;
        self.check_scale(state.scale * factor * constant.magnitude().max(1.0), state.level)?;
        let state = State { scale: state.scale * factor, shape, ..state };
        Ok(self.push(StepKind::MultiplyConstant(a, constant, factor), state))
    }

    fn add_constant(&mut self, a: usize, constant: Constant, shape: Shape) -> Result<Register, Exhausted> {
        let a = self.raw(a)?;
        let state = self.state(a);
        self.check_scale(state.scale * constant.magnitude().max(1.0), state.level)?;
        Ok(self.push(StepKind::AddConstant(a, constant), State { shape, ..state }))
    }

    fn rotate(&mut self, a: usize, steps: usize, shape: Shape) -> Result<Register, Exhausted> {
        let a = self.raw(a)?;
        let a = self.normalized(a)?;
        let mut state = self.state(a);
        let Shape::Vector(length) = shape else {
            return Ok(a);
        };
        let mut moves = Moves::of_rotation(length, steps, self.graph.slots, self.chain.degree / 2);
        if moves.masked && self.chain.scheme == Scheme::Ckks {
            moves.scale = state.scale;
            state.scale *= moves.scale;
            self.check_scale(state.scale, state.level)?;
        }
        Ok(self.push(StepKind::Move(a, moves), state))
    }

    fn combine(
        &mut self,
        a: usize,
        b: usize,
        shape: Shape,
        kind: fn(Register, Register) -> StepKind,
    ) -> Result<Register, Exhausted> {
        let (a, b) = (self.raw(a)?, self.raw(b)?);
        let (a, b) = self.aligned(a, b)?;
        let (left, right) = (self.state(a), self.state(b));
        let state =
            State { size: left.size.max(right.size), unswitched: left.unswitched || right.unswitched, shape, ..left };
        Ok(self.push(kind(a, b), state))
    }

    /// The value with two polynomials and the lowest scale that the waterline allows.
    pub(super) fn normalized(&mut self, register: Register) -> Result<Register, Exhausted> {
        if let Some(&known) = self.normal.get(&register) {
            return Ok(known);
        }
        let mut current = register;
        if self.state(current).size > 2 {
            let state = State { size: 2, ..self.state(current) };
            current = self.push(StepKind::Relinearize(current), state);
        }
        while self.can_rescale(current) {
            current = self.rescaled(current);
        }
        let state = self.state(current);
        if self.chain.scheme == Scheme::Bgv && state.unswitched && state.level > self.chain.fewest {
            current = self.switched(current);
        }
        self.normal.insert(register, current);
        self.normal.insert(current, current);
        Ok(current)
    }

    /// BGV: a product's value down by as many primes as its noise outgrew that of its operands, and by one at least.
    fn switched(&mut self, register: Register) -> Register {
        let mut current = register;
        let mut excess = self.chain.product_bits;
        loop {
            let state = self.state(current);
            let state = State { level: state.level - 1, unswitched: false, ..state };
            current = self.push(StepKind::SwitchModulus(current), state);
            excess -= self.chain.primes[state.level].log2();
            if state.level == self.chain.fewest || self.chain.primes[state.level - 1].log2() > excess {
                return current;
            }
        }
    }

    /// Whether rescaling leaves a scale that is not below the waterline.
    pub(super) fn can_rescale(&self, register: Register) -> bool {
        let State { level, scale, .. } = self.state(register);
        self.chain.scheme == Scheme::Ckks
            && level > self.chain.fewest
            && scale.log2() - self.chain.primes[level - 1].log2() >= self.waterline
    }

    pub(super) fn rescaled(&mut self, register: Register) -> Register {
        let state = self.state(register);
        let prime = self.chain.primes[state.level - 1];
        let state = State { level: state.level - 1, scale: state.scale / prime, ..state };
        self.push(StepKind::Rescale(register), state)
    }

    pub(super) fn dropped(&mut self, register: Register, level: usize) -> Register {
        let state = self.state(register);
        match state.level == level {
            true => register,
            false => self.push(StepKind::Drop(register), State { level, ..state }),
        }
    }

    /// Whether a scale fits below the modulus of a level.
    pub(super) fn check_scale(&self, scale: f64, level: usize) -> Result<(), Exhausted> {
        let fits = self.chain.scheme != Scheme::Ckks || scale.log2() + MARGIN_BITS <= self.modulus_bits[level];
        fits.then_some(()).ok_or(Exhausted)
    }

    pub(super) fn state(&self, register: Register) -> State {
        self.steps[register].state
    }

    pub(super) fn push(&mut self, kind: StepKind, state: State) -> Register {
        self.steps.push(Step { kind, state });
        self.steps.len() - 1
    }

    /// The register of an operand, which was planned before.
    fn raw(&self, node: usize) -> Result<Register, Exhausted> {
        self.raw[node].ok_or(Exhausted)
    }
}
