//! Turning a vector that spans ciphertexts, as rotations inside of ciphertexts and masks.

use std::collections::BTreeMap;

/// All moves of one rotation of a vector.
#[derive(Clone, Debug, PartialEq)]
pub struct Moves {
    /// The moves; together they write every value once.
    pub moves: Vec<Move>,
    /// Whether what is moved must be multiplied by masks, because ciphertexts hold values that do not move along.
    pub masked: bool,
    /// CKKS: the scale of the masks. Otherwise 1.
    pub scale: f64,
}

/// Some slots of one ciphertext that go to slots of another together.
#[derive(Clone, Debug, PartialEq)]
pub struct Move {
    /// The ciphertext from which the values come.
    pub source: usize,
    /// The ciphertext to which they go.
    pub target: usize,
    /// BFV and BGV: whether the rows are swapped after the rotation.
    pub swap: bool,
    /// The rotation to the left, of smallest magnitude.
    pub steps: i64,
    /// The target's slots that are written, ascending.
    pub slots: Vec<u32>,
}

impl Moves {
    /// The moves that turn a vector of `length` values, with zero padding, left by `steps` places.
    ///
    /// A ciphertext has `slots` slots in rows of `row`.
    pub(super) fn of_rotation(length: usize, steps: usize, slots: usize, row: usize) -> Self {
        let mut groups: BTreeMap<(usize, usize, bool, usize), Vec<u32>> = BTreeMap::new();
        for target in 0..length {
            let source = (target + steps) % length;
            let (to, from) = (target % slots, source % slots);
            let swap = to / row != from / row;
            let turn = (from % row + row - to % row) % row;
            groups.entry((target / slots, source / slots, swap, turn)).or_default().push(to as u32);
        }
        let held = |block: usize| slots.min(length - block * slots);
        // Without a mask, all that the source holds goes along: right only if all of it is meant to.
        let masked = groups.iter().any(|((_, source, ..), written)| written.len() < held(*source));
        let moves = groups.into_iter().map(|((target, source, swap, turn), slots)| Move {
            source,
            target,
            swap,
            steps: if turn > row / 2 { turn as i64 - row as i64 } else { turn as i64 },
            slots,
        });
        Self { moves: moves.collect(), masked, scale: 1.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Applies moves to plain blocks.
    fn apply(moves: &Moves, values: &[i64], slots: usize, row: usize) -> Vec<i64> {
        let mut padded = values.to_vec();
        padded.resize(values.len().div_ceil(slots) * slots, 0);
        let mut out = vec![0; padded.len()];
        for step in &moves.moves {
            let mut block = padded[step.source * slots..][..slots].to_vec();
            let turn = step.steps.rem_euclid(row as i64) as usize;
            block.chunks_exact_mut(row).for_each(|row| row.rotate_left(turn));
            if step.swap {
                block.rotate_left(row);
            }
            if moves.masked {
                let kept: Vec<i64> = (0..slots as u32).map(|slot| i64::from(step.slots.contains(&slot))).collect();
                block.iter_mut().zip(kept).for_each(|(value, kept)| *value *= kept);
            }
            out[step.target * slots..][..slots].iter_mut().zip(block).for_each(|(out, value)| *out += value);
        }
        out
    }

    #[test]
    fn moves_turn_vectors_of_any_length() {
        for (slots, row) in [(8, 8), (8, 4)] {
            for length in 1..=27 {
                let values: Vec<i64> = (1..=length as i64).collect();
                for steps in 0..length {
                    let moves = Moves::of_rotation(length, steps, slots, row);
                    let mut expected = values.clone();
                    expected.rotate_left(steps);
                    expected.resize(length.div_ceil(slots) * slots, 0);
                    assert_eq!(apply(&moves, &values, slots, row), expected, "{length} {steps} {row}");
                }
            }
        }
        let full = Moves::of_rotation(8, 3, 8, 8);
        assert!(!full.masked && full.moves.len() == 1 && full.moves[0].steps == 3);
        assert_eq!(Moves::of_rotation(8, 7, 8, 8).moves[0].steps, -1);
    }
}
