//! Random expressions as text, from a fixed seed.

/// A generator of numbers (Marsaglia's xorshift) and of expressions.
pub(super) struct Random(u64);

impl Random {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    pub(super) fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 33) as usize % limit
    }

    /// An expression over vectors `x`, `y`, `z` of this length.
    pub(super) fn expression(&mut self, length: usize, real: bool) -> String {
        let first = self.vector(3, length, real);
        match self.below(4) {
            0 => format!("let w = {first}; w * {} - w", self.vector(1, length, real)),
            1 => self.scalar(2, length, real),
            _ => first,
        }
    }

    fn vector(&mut self, depth: usize, length: usize, real: bool) -> String {
        if depth == 0 {
            return ["x", "y", "z"][self.below(3)].to_string();
        }
        match self.below(12) {
            0 | 1 => format!("({} + {})", self.vector(depth - 1, length, real), self.vector(depth - 1, length, real)),
            2 | 3 => format!("({} - {})", self.vector(depth - 1, length, real), self.vector(depth - 1, length, real)),
            4 | 5 => format!("{} * {}", self.vector(depth - 1, length, real), self.vector(depth - 1, length, real)),
            6 => format!("{} * {}", self.number(real), self.vector(depth - 1, length, real)),
            7 => format!("({} - {})", self.number(real), self.vector(depth - 1, length, real)),
            8 => format!("({} + {})", self.vector(depth - 1, length, real), self.scalar(depth - 1, length, real)),
            9 => format!("(-{})^{}", self.vector(depth - 1, length, real), 2 + self.below(2)),
            10 => {
                let steps = self.below(2 * length + 1) as i64 - length as i64;
                format!("rotate({}, {steps})", self.vector(depth - 1, length, real))
            }
            _ if length < 9 => {
                let values: Vec<String> = (0..length).map(|_| self.number(real)).collect();
                format!("([{}] + {})", values.join(", "), self.vector(depth - 1, length, real))
            }
            _ => self.vector(depth - 1, length, real),
        }
    }

    fn scalar(&mut self, depth: usize, length: usize, real: bool) -> String {
        let depth = depth.saturating_sub(1);
        match self.below(4) {
            0 => format!("sum({})", self.vector(depth, length, real)),
            1 if real => format!("mean({})", self.vector(depth, length, real)),
            2 if real => format!("var({})", self.vector(depth, length, real)),
            _ => format!("dot({}, {})", self.vector(depth, length, real), self.vector(depth, length, real)),
        }
    }

    fn number(&mut self, real: bool) -> String {
        match real && self.below(2) == 0 {
            true => format!("{:.3}", self.below(2000) as f64 / 1000.0 + 0.001),
            false => (self.below(5) + 1).to_string(),
        }
    }
}
