//! Polynomials as text, in SEAL's notation.
//!
//! Terms come from high to low, `1Fx^3 + 2x^1 + 7`, with coefficients in upper-case hexadecimal, exponents in decimal,
//! no terms of coefficient zero, and `0` for the zero polynomial.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::Write;

use zeroize::Zeroizing;

use crate::error::Error;
use crate::params::DEGREE_RANGE;
use crate::plaintext::Plaintext;

/// The plaintext in coefficient form that `text` denotes.
///
/// Lower-case digits and any spaces around `+` are taken as well. The range of coefficients is checked where the
/// plaintext is used.
///
/// ```
/// use phoca_rlwe::encode::text;
///
/// let plaintext = text::parse("1Fx^3 + 2x^1 + 7")?;
/// assert_eq!(plaintext.words(), [7, 2, 0, 0x1F]);
/// assert_eq!(text::format(&plaintext)?, "1Fx^3 + 2x^1 + 7");
/// # Ok::<(), phoca_rlwe::Error>(())
/// ```
///
/// # Errors
///
/// [`Error::PolynomialText`] with the position.
pub fn parse(text: &str) -> Result<Plaintext, Error> {
    let mut parser = Parser { text: text.as_bytes(), position: 0 };
    let mut coefficients = Zeroizing::new(Vec::new());
    let mut previous = None;
    loop {
        parser.skip_spaces();
        let start = parser.position;
        let coefficient = parser.coefficient()?;
        let exponent = parser.exponent()?;
        if previous.is_some_and(|previous| exponent >= previous) {
            return Err(Error::PolynomialText { position: start, cause: "exponents do not fall from term to term" });
        }
        if previous.is_none() {
            coefficients.resize(exponent + 1, 0);
        }
        coefficients[exponent] = coefficient;
        previous = Some(exponent);
        parser.skip_spaces();
        if parser.position == parser.text.len() {
            return Ok(Plaintext::from_coefficients(&coefficients));
        }
        parser.expect(b'+', "expected `+` or the end")?;
    }
}

/// The text of a plaintext in coefficient form.
///
/// # Errors
///
/// [`Error::FormMismatch`] in NTT form.
pub fn format(plaintext: &Plaintext) -> Result<String, Error> {
    if plaintext.is_ntt_form() {
        return Err(Error::FormMismatch { operand: "the plaintext", expected: "coefficient", got: "NTT" });
    }
    let mut text = String::new();
    for (exponent, &coefficient) in plaintext.words().iter().enumerate().rev() {
        if coefficient == 0 {
            continue;
        }
        let separator = if text.is_empty() { "" } else { " + " };
        // Writing to a string does not fail.
        let _ = match exponent {
            0 => write!(text, "{separator}{coefficient:X}"),
            _ => write!(text, "{separator}{coefficient:X}x^{exponent}"),
        };
    }
    if text.is_empty() {
        text.push('0');
    }
    Ok(text)
}

struct Parser<'a> {
    text: &'a [u8],
    position: usize,
}

impl Parser<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.get(self.position).copied()
    }

    fn skip_spaces(&mut self) {
        while self.peek() == Some(b' ') {
            self.position += 1;
        }
    }

    fn expect(&mut self, byte: u8, cause: &'static str) -> Result<(), Error> {
        if self.peek() != Some(byte) {
            return Err(self.error(cause));
        }
        self.position += 1;
        Ok(())
    }

    fn coefficient(&mut self) -> Result<u64, Error> {
        let mut value = None;
        while let Some(digit) = self.peek().and_then(|byte| char::from(byte).to_digit(16)) {
            let high = value.unwrap_or(0_u64);
            if high >> 60 != 0 {
                return Err(self.error("the coefficient has more than 64 bits"));
            }
            value = Some(high << 4 | u64::from(digit));
            self.position += 1;
        }
        value.ok_or_else(|| self.error("expected a hexadecimal coefficient"))
    }

    /// `x^` and a decimal exponent, or nothing for 0.
    fn exponent(&mut self) -> Result<usize, Error> {
        if self.peek() != Some(b'x') {
            return Ok(0);
        }
        self.position += 1;
        self.expect(b'^', "expected `^` after `x`")?;
        let mut value = None;
        while let Some(digit) = self.peek().and_then(|byte| char::from(byte).to_digit(10)) {
            let next = value.unwrap_or(0) * 10 + digit as usize;
            if next >= *DEGREE_RANGE.end() {
                return Err(self.error("the exponent is not below 131072"));
            }
            value = Some(next);
            self.position += 1;
        }
        value.ok_or_else(|| self.error("expected a decimal exponent"))
    }

    fn error(&self, cause: &'static str) -> Error {
        Error::PolynomialText { position: self.position, cause }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_round_trips() {
        for text in ["0", "7", "1x^1", "FFFFFFFFFFFFFFFFx^131071 + 1", "1Fx^3 + 2x^1 + 7"] {
            assert_eq!(format(&parse(text).unwrap()).unwrap(), text);
        }
        assert_eq!(parse("1fx^2+  3 ").unwrap().words(), [3, 0, 0x1F]);
    }

    #[test]
    fn bad_text_names_its_place() {
        let place = |text: &str| match parse(text) {
            Err(Error::PolynomialText { position, .. }) => position,
            other => panic!("{text} gave {other:?}"),
        };
        assert_eq!(place(""), 0);
        assert_eq!(place("1x^2 + "), 7);
        assert_eq!(place("1x2"), 2);
        assert_eq!(place("1x^131072"), 8);
        assert_eq!(place("1x^1 + 2x^1"), 7);
        assert_eq!(place("11112222333344445"), 16);
        assert_eq!(place("1 - 2"), 2);
        assert_eq!(place("1x^1 + 2x^3"), 7);
    }
}
