//! Look-up tables that a bootstrap evaluates.

use alloc::vec;
use alloc::vec::Vec;

/// The test polynomial of one or more functions of a message.
///
/// A message `m` among `p` lies in the middle of the box of `N/p` phases around `m/(2p)`. With `c` functions in one table
/// messages must be below `p/c`, and bootstrapping gives all values at the price of one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LookupTable {
    /// `N` words.
    polynomial: Vec<u64>,
    functions: usize,
}

impl LookupTable {
    /// The table of `functions` functions, with `value(function, message)` on the torus for messages below `boxes/functions`.
    ///
    /// # Panics
    ///
    /// Unless `functions` divides `boxes`, `2·boxes` divides `polynomial_size`, and none is zero.
    pub fn new(polynomial_size: usize, boxes: usize, functions: usize, value: impl Fn(usize, usize) -> u64) -> Self {
        assert!(functions > 0 && boxes.is_multiple_of(functions), "functions share the boxes");
        assert!(boxes > 0 && polynomial_size.is_multiple_of(2 * boxes), "a box has an even number of phases");
        let box_len = polynomial_size / boxes;
        let messages = boxes / functions;
        let at = |index: usize| {
            let number = (index + box_len / 2) / box_len;
            match number == boxes {
                // Half of the box of message 0 lies before 0, where the polynomial continues negated.
                true => value(0, 0).wrapping_neg(),
                false => value(number / messages, number % messages),
            }
        };
        Self { polynomial: (0..polynomial_size).map(at).collect(), functions }
    }

    /// The table of the sign: `value` for phases in `[0, 1/2)`, and `-value` for others.
    pub fn sign(polynomial_size: usize, value: u64) -> Self {
        Self { polynomial: vec![value; polynomial_size], functions: 1 }
    }

    /// `N`.
    pub fn polynomial_size(&self) -> usize {
        self.polynomial.len()
    }

    /// The number of functions.
    pub fn functions(&self) -> usize {
        self.functions
    }

    /// The coefficients.
    pub fn polynomial(&self) -> &[u64] {
        &self.polynomial
    }
}
