//! What a plan costs and needs, in numbers and in words.

use std::collections::BTreeSet;
use std::fmt::Write;

use phoca::{GaloisKeys, Scheme};

use super::{Plan, StepKind};
use crate::expression::graph::Shape;
use crate::ui::counted;

/// How many operations on single ciphertexts a plan takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Additions, subtractions and negations, with ciphertexts or constants.
    pub additions: usize,
    /// Products of ciphertexts.
    pub products: usize,
    /// Products with constants and masks.
    pub plain_products: usize,
    /// Relinearizations.
    pub relinearizations: usize,
    /// CKKS: divisions by a prime. BGV: switches of the modulus.
    pub rescalings: usize,
    /// Rotations and swaps of rows.
    pub rotations: usize,
}

impl Plan {
    /// Counts the operations.
    pub fn counts(&self) -> Counts {
        let mut counts = Counts::default();
        for step in &self.steps {
            let blocks = self.blocks(step.state.shape);
            match &step.kind {
                StepKind::Input(_) | StepKind::DeclareScale(_) | StepKind::Drop(_) => {}
                StepKind::Add(..) | StepKind::AddConstant(..) | StepKind::Negate(_) | StepKind::Subtract(..) => {
                    counts.additions += blocks;
                }
                StepKind::Multiply(..) => counts.products += blocks,
                StepKind::MultiplyConstant(..) | StepKind::MultiplyInteger(..) | StepKind::Raise(..) => {
                    counts.plain_products += blocks;
                }
                StepKind::Relinearize(_) => counts.relinearizations += blocks,
                StepKind::Rescale(_) | StepKind::SwitchModulus(_) => counts.rescalings += blocks,
                StepKind::SumSlots(a) => {
                    let turns = self.row().ilog2() as usize + usize::from(self.has_rows());
                    counts.rotations += turns;
                    counts.additions += self.blocks(self.steps[*a].state.shape) - 1 + turns;
                }
                StepKind::Move(_, moves) => {
                    counts.rotations += moves
                        .moves
                        .iter()
                        .map(|step| usize::from(step.steps != 0) + usize::from(step.swap))
                        .sum::<usize>();
                    counts.plain_products += if moves.masked { moves.moves.len() } else { 0 };
                    counts.additions += moves.moves.len() - blocks;
                }
            }
        }
        counts
    }

    /// The rotations that the plan makes, and whether it swaps rows (BFV, BGV).
    pub fn rotations(&self) -> (BTreeSet<i64>, bool) {
        let mut steps = BTreeSet::new();
        let mut swap = false;
        for step in &self.steps {
            match &step.kind {
                StepKind::SumSlots(_) => {
                    steps.extend(self.sum_steps());
                    swap |= self.has_rows();
                }
                StepKind::Move(_, moves) => {
                    steps.extend(moves.moves.iter().map(|step| step.steps).filter(|&steps| steps != 0));
                    swap |= moves.moves.iter().any(|step| step.swap);
                }
                _ => {}
            }
        }
        (steps, swap)
    }

    /// The rotations by which all slots of a row are summed.
    pub fn sum_steps(&self) -> impl Iterator<Item = i64> {
        let row = self.row() as i64;
        std::iter::successors(Some(1), |step| Some(2 * step)).take_while(move |&step| step < row)
    }

    /// The rotations for which `keys` have neither a key nor keys of which they are made, and whether the key for
    /// the swap of rows is missing.
    pub fn missing_rotations(&self, keys: Option<&GaloisKeys>) -> (Vec<i64>, bool) {
        let (steps, swap) = self.rotations();
        let missing = steps.into_iter().filter(|&step| self.rotation_by_keys(step, keys).is_none());
        // Step 0 stands for the swap.
        (missing.collect(), swap && !self.has_key(0, keys))
    }

    /// The rotations, each with a key of its own, that together rotate by `steps`; the fewest that are found among the
    /// rotation itself either way round and sums of powers of two.
    pub fn rotation_by_keys(&self, steps: i64, keys: Option<&GaloisKeys>) -> Option<Vec<i64>> {
        let row = self.row() as i64;
        let left = steps.rem_euclid(row);
        let bits = |turn: i64| (0..63).map(|bit| 1 << bit).filter(move |power| turn & power != 0);
        let naf = |turn: i64| -> Vec<i64> {
            // A term of a whole row is a full turn.
            let terms = phoca::ring::galois::steps_naf(turn).into_iter();
            terms.filter(|term| term.abs() != row).collect()
        };
        let candidates = [
            vec![left],
            vec![left - row],
            naf(steps),
            naf(left),
            naf(left - row),
            bits(left).collect(),
            bits(row - left).map(|power| -power).collect(),
        ];
        let usable = |terms: &Vec<i64>| terms.iter().all(|&term| self.has_key(term, keys));
        candidates.into_iter().filter(usable).min_by_key(Vec::len)
    }

    /// Whether there is a key for exactly this rotation; 0 stands for the swap of rows.
    fn has_key(&self, step: i64, keys: Option<&GaloisKeys>) -> bool {
        let element = phoca::ring::galois::element_from_step(self.degree, step);
        element.is_ok_and(|element| keys.is_some_and(|keys| keys.has_key(element)))
    }

    /// Whether slots form two rows.
    pub fn has_rows(&self) -> bool {
        self.scheme != Scheme::Ckks
    }

    /// The plan for people: levels, operations, keys, and each step.
    pub fn explain(&self) -> String {
        let mut text = String::new();
        let result = &self.steps[self.result].state;
        let counts = self.counts();
        let shape = match result.shape {
            Shape::Scalar => "one number".to_string(),
            Shape::Vector(length) => {
                let blocks = self.blocks(result.shape);
                format!("{} in {}", counted(length, "number"), counted(blocks, "ciphertext"))
            }
        };
        // Writing to a string cannot fail.
        let _ = writeln!(text, "result          {shape}, {} left", counted(result.level, "prime"));
        if self.scheme == Scheme::Ckks {
            let used = self.levels_used();
            let room = self.result_modulus_bits - result.scale.log2() - 1.0;
            let _ = writeln!(text, "levels          {used} used of {}", self.levels_available);
            let _ = writeln!(text, "scale           2^{:.2}, room for values up to 2^{room:.0}", result.scale.log2());
        }
        let _ = writeln!(
            text,
            "operations      {}, {}, {}, {}, {}, {}",
            counted(counts.products, "product"),
            counted(counts.plain_products, "plain product"),
            counted(counts.additions, "sum"),
            counted(counts.relinearizations, "relinearization"),
            counted(counts.rescalings, if self.scheme == Scheme::Ckks { "rescaling" } else { "modulus switch" }),
            counted(counts.rotations, "rotation"),
        );
        let (steps, swap) = self.rotations();
        if !steps.is_empty() || swap {
            let list: Vec<String> = steps.iter().map(i64::to_string).collect();
            let _ =
                writeln!(text, "rotation keys   {}{}", list.join(" "), if swap { " and the swap of rows" } else { "" });
        }
        text.push_str("steps\n");
        for (register, step) in self.steps.iter().enumerate() {
            let _ =
                writeln!(text, "  {:<40} {}", format!("r{register} = {}", describe(&step.kind)), self.tail(register));
        }
        text
    }

    /// Levels between the highest input and the result.
    pub fn levels_used(&self) -> usize {
        let inputs = self.steps.iter().filter(|step| matches!(step.kind, StepKind::Input(_)));
        let highest = inputs.map(|step| step.state.level).max().unwrap_or(0);
        highest.saturating_sub(self.steps[self.result].state.level)
    }

    fn tail(&self, register: usize) -> String {
        let state = &self.steps[register].state;
        let blocks = self.blocks(state.shape);
        let mut tail = counted(state.level, "prime");
        if self.scheme == Scheme::Ckks {
            let _ = write!(tail, ", scale 2^{:.2}", state.scale.log2());
        }
        if state.size > 2 {
            let _ = write!(tail, ", {} polynomials", state.size);
        }
        if blocks > 1 {
            let _ = write!(tail, ", {blocks} ciphertexts");
        }
        tail
    }
}

fn describe(kind: &StepKind) -> String {
    match kind {
        StepKind::Input(index) => format!("input {index}"),
        StepKind::Add(a, b) => format!("r{a} + r{b}"),
        StepKind::AddConstant(a, _) => format!("r{a} + constant"),
        StepKind::Raise(a, factor) => format!("r{a} · 1 at scale 2^{:.2}", factor.log2()),
        StepKind::DeclareScale(a) => format!("r{a} with its scale declared"),
        StepKind::Drop(a) => format!("r{a} at a lower level"),
        StepKind::Multiply(a, b) if a == b => format!("r{a}²"),
        StepKind::Multiply(a, b) => format!("r{a} · r{b}"),
        StepKind::MultiplyConstant(a, ..) => format!("r{a} · constant"),
        StepKind::MultiplyInteger(a, integer) => format!("r{a} · {integer}"),
        StepKind::Move(a, moves) => format!("r{a} rotated, in {}", counted(moves.moves.len(), "move")),
        StepKind::Negate(a) => format!("−r{a}"),
        StepKind::Relinearize(a) => format!("relinearize r{a}"),
        StepKind::Rescale(a) => format!("rescale r{a}"),
        StepKind::Subtract(a, b) => format!("r{a} − r{b}"),
        StepKind::SumSlots(a) => format!("sum of all slots of r{a}"),
        StepKind::SwitchModulus(a) => format!("switch r{a} to the next modulus"),
    }
}
