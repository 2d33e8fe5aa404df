//! One level and one scale for the operands of a sum.

use phoca::Scheme;

use super::planner::{Exhausted, Planner};
use super::{Register, State, StepKind};

/// Relative difference of scales below which they are declared equal: 2^-40.
const NEGLIGIBLE: f64 = 9.094_947_017_729_282e-13;
/// The encoded 1 that changes a scale is rounded to an integer: at or above 2^30 the relative error is at most 2^-31,
/// and as a rule, with scales of 40 bits, 2^-41.
const SMALLEST_FACTOR: f64 = 1_073_741_824.0;

impl Planner<'_> {
    /// Both values at one level and with one scale.
    pub(super) fn aligned(&mut self, a: Register, b: Register) -> Result<(Register, Register), Exhausted> {
        if self.chain.scheme != Scheme::Ckks {
            return self.aligned_levels(a, b);
        }
        let (left, right) = (self.state(a), self.state(b));
        if left.level == right.level && agree(left.scale, right.scale) {
            return Ok((a, self.declared(b, left.scale)));
        }
        // The value of lower level or, at one level, of higher scale stays; the other comes to it.
        let a_stays = left.level < right.level || (left.level == right.level && left.scale > right.scale);
        let (stays, comes) = if a_stays { (a, b) } else { (b, a) };
        let (stays, comes) = self.brought_together(stays, comes)?;
        Ok(if a_stays { (stays, comes) } else { (comes, stays) })
    }

    fn aligned_levels(&mut self, a: Register, b: Register) -> Result<(Register, Register), Exhausted> {
        if self.state(a).level == self.state(b).level {
            return Ok((a, b));
        }
        let (a, b) = (self.normalized(a)?, self.normalized(b)?);
        let level = self.state(a).level.min(self.state(b).level);
        Ok((self.dropped(a, level), self.dropped(b, level)))
    }

    fn brought_together(&mut self, stays: Register, comes: Register) -> Result<(Register, Register), Exhausted> {
        let (target, source) = (self.state(stays), self.state(comes));
        if source.level > target.level && self.can_rescale(comes) {
            let comes = self.normalized(comes)?;
            return self.aligned(stays, comes);
        }
        if agree(target.scale, source.scale) {
            let comes = self.dropped(comes, target.level);
            return Ok((stays, self.declared(comes, target.scale)));
        }
        let mut factor = target.scale / source.scale;
        for level in target.level..=source.level {
            if level > target.level {
                factor *= self.chain.primes[level - 1];
            }
            if factor >= SMALLEST_FACTOR {
                return Ok((stays, self.raised(comes, level, factor, target)));
            }
        }
        if self.can_rescale(stays) {
            let stays = self.normalized(stays)?;
            return self.aligned(stays, comes);
        }
        // The scales are so close that only one more prime makes room for the factor between them.
        if target.level <= self.chain.fewest {
            return Err(Exhausted);
        }
        let target = State { level: target.level - 1, ..target };
        self.check_scale(target.scale, target.level)?;
        let factor = target.scale / source.scale * self.chain.primes[target.level];
        if factor < SMALLEST_FACTOR {
            return Err(Exhausted);
        }
        let comes = self.raised(comes, target.level + 1, factor, target);
        Ok((self.dropped(stays, target.level), comes))
    }

    /// `register` at `level`, multiplied by 1 with scale `factor`, then rescaled to the level and scale of `target`.
    fn raised(&mut self, register: Register, level: usize, factor: f64, target: State) -> Register {
        let dropped = self.dropped(register, level);
        let state = self.state(dropped);
        let state = State { scale: state.scale * factor, ..state };
        let mut current = self.push(StepKind::Raise(dropped, factor), state);
        while self.state(current).level > target.level {
            current = self.rescaled(current);
        }
        self.declared(current, target.scale)
    }

    /// The same value with the scale `scale`, from which its own differs by rounding or next to nothing.
    fn declared(&mut self, register: Register, scale: f64) -> Register {
        let state = self.state(register);
        match state.scale == scale {
            true => register,
            false => self.push(StepKind::DeclareScale(register), State { scale, ..state }),
        }
    }
}

fn agree(a: f64, b: f64) -> bool {
    (a / b - 1.0).abs() < NEGLIGIBLE
}
