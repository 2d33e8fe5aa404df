use super::Ciphertext;

/// A gate with two operands. All are symmetric.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Gate {
    /// Both.
    And,
    /// Not both.
    Nand,
    /// At least one.
    Or,
    /// None.
    Nor,
    /// Exactly one.
    Xor,
    /// Both or none.
    Xnor,
}

impl Gate {
    /// Every gate.
    pub const ALL: [Self; 6] = [Self::And, Self::Nand, Self::Or, Self::Nor, Self::Xor, Self::Xnor];

    /// The gate's value for clear operands.
    pub const fn of_clear(self, left: bool, right: bool) -> bool {
        match self {
            Self::And => left & right,
            Self::Nand => !(left & right),
            Self::Or => left | right,
            Self::Nor => !(left | right),
            Self::Xor => left ^ right,
            Self::Xnor => !(left ^ right),
        }
    }

    /// The operation of this gate, for [`ServerKey::batch`](super::ServerKey::batch).
    pub fn of<'a>(self, left: impl Into<Operand<'a>>, right: impl Into<Operand<'a>>) -> Operation<'a> {
        Operation::Binary { gate: self, left: left.into(), right: right.into() }
    }

    /// The factor of both operands, and the eighths to add: their sum is in `[0, 1/2)` where the gate is true.
    pub(crate) const fn sum(self) -> (i64, i64) {
        match self {
            Self::And => (1, -1),
            Self::Nand => (-1, 1),
            Self::Or => (1, 1),
            Self::Nor => (-1, -1),
            Self::Xor => (2, 2),
            Self::Xnor => (-2, -2),
        }
    }
}

/// An operand: a ciphertext, or a boolean in the clear.
#[derive(Clone, Copy, Debug)]
pub enum Operand<'a> {
    /// Encrypted, or trivial.
    Encrypted(&'a Ciphertext),
    /// In the clear.
    Clear(bool),
}

impl<'a> From<&'a Ciphertext> for Operand<'a> {
    fn from(ciphertext: &'a Ciphertext) -> Self {
        Self::Encrypted(ciphertext)
    }
}

impl From<bool> for Operand<'_> {
    fn from(value: bool) -> Self {
        Self::Clear(value)
    }
}

/// One operation of a batch.
#[derive(Clone, Copy, Debug)]
pub enum Operation<'a> {
    /// A gate.
    Binary {
        /// Which one.
        gate: Gate,
        /// An operand.
        left: Operand<'a>,
        /// An operand.
        right: Operand<'a>,
    },
    /// The negation.
    Not(Operand<'a>),
    /// One of two operands.
    Mux {
        /// Which one.
        condition: Operand<'a>,
        /// The result where the condition is true.
        if_true: Operand<'a>,
        /// The result where it is false.
        if_false: Operand<'a>,
    },
}

impl<'a> Operation<'a> {
    /// The negation.
    pub fn not(operand: impl Into<Operand<'a>>) -> Self {
        Self::Not(operand.into())
    }

    /// `if_true` where `condition` is true, else `if_false`.
    pub fn mux(
        condition: impl Into<Operand<'a>>,
        if_true: impl Into<Operand<'a>>,
        if_false: impl Into<Operand<'a>>,
    ) -> Self {
        Self::Mux { condition: condition.into(), if_true: if_true.into(), if_false: if_false.into() }
    }
}
