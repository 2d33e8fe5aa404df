//! Tokens to a syntax tree, by recursive descent. Chains of one operator stay flat, so that depth is that of parentheses.
//!
//! ```text
//! program    = { "let" name "=" expression ";" } expression [ ";" ]
//! expression = product { ("+" | "-") product }
//! product    = unary { "*" unary }
//! unary      = "-" unary | power                          so −x^2 is −(x^2)
//! power      = primary [ "^" integer ]                    the exponent is at least 1
//! primary    = number | "[" signed { "," signed } "]" | name | name "(" arguments ")" | "(" expression ")"
//! ```

use super::error::ExpressionError;
use super::lexer::{Token, TokenKind, tokens};

/// The deepest nesting that is taken, so that no text exhausts the stack.
const MAX_DEPTH: usize = 200;
/// The largest exponent.
const MAX_EXPONENT: u32 = 1 << 16;

/// A part of the syntax tree and where it starts.
#[derive(Clone, Debug, PartialEq)]
pub struct Expression {
    /// The byte at which it starts.
    pub position: usize,
    /// What it is.
    pub kind: ExpressionKind,
}

/// What a part of the syntax tree is.
#[derive(Clone, Debug, PartialEq)]
pub enum ExpressionKind {
    /// A function of arguments.
    Call(String, Vec<Expression>),
    /// The name of an input or of a definition.
    Name(String),
    /// `−operand`.
    Negate(Box<Expression>),
    /// A number as it was written, perhaps with a sign.
    Number(String),
    /// `base^exponent`.
    Power(Box<Expression>, u32),
    /// The product of two or more factors.
    Product(Vec<Expression>),
    /// The sum of two or more terms; those with `true` are subtracted.
    Sum(Vec<(bool, Expression)>),
    /// A plain vector.
    Vector(Vec<String>),
}

/// Definitions by `let`, then the result.
#[derive(Clone, Debug, PartialEq)]
pub struct Program {
    /// Names with what they stand for, in the order of the text.
    pub definitions: Vec<(String, Expression)>,
    /// The result.
    pub result: Expression,
}

/// Parses a program.
///
/// # Errors
///
/// [`ExpressionError::Syntax`] with the byte at which the text stops making sense.
pub fn parse(text: &str) -> Result<Program, ExpressionError> {
    let mut parser = Parser { tokens: tokens(text)?, next: 0, depth: 0 };
    parser.program()
}

struct Parser<'a> {
    tokens: Vec<Token<'a>>,
    /// The token that comes next; the last token is the end and is never passed.
    next: usize,
    depth: usize,
}

impl<'a> Parser<'a> {
    fn program(&mut self) -> Result<Program, ExpressionError> {
        let mut definitions: Vec<(String, Expression)> = Vec::new();
        while self.peek() == TokenKind::Name("let") {
            self.next += 1;
            let position = self.position();
            let name = self.name()?;
            if is_function(&name) || definitions.iter().any(|(known, _)| *known == name) {
                return Err(error(position, format!("`{name}` is taken; choose another name")));
            }
            self.expect('=')?;
            let value = self.expression()?;
            self.expect(';')?;
            definitions.push((name, value));
        }
        let result = self.expression()?;
        if self.peek() == TokenKind::Symbol(';') {
            self.next += 1;
        }
        match self.peek() {
            TokenKind::End => Ok(Program { definitions, result }),
            _ => Err(self.unexpected("an operator or the end")),
        }
    }

    fn expression(&mut self) -> Result<Expression, ExpressionError> {
        self.enter()?;
        let first = self.product()?;
        let mut terms = vec![(false, first)];
        while let TokenKind::Symbol(operator @ ('+' | '-')) = self.peek() {
            self.next += 1;
            terms.push((operator == '-', self.product()?));
        }
        self.depth -= 1;
        let position = terms[0].1.position;
        Ok(match terms.len() {
            1 => terms.remove(0).1,
            _ => Expression { position, kind: ExpressionKind::Sum(terms) },
        })
    }

    fn product(&mut self) -> Result<Expression, ExpressionError> {
        let mut factors = vec![self.unary()?];
        while self.peek() == TokenKind::Symbol('*') {
            self.next += 1;
            factors.push(self.unary()?);
        }
        let position = factors[0].position;
        Ok(match factors.len() {
            1 => factors.remove(0),
            _ => Expression { position, kind: ExpressionKind::Product(factors) },
        })
    }

    fn unary(&mut self) -> Result<Expression, ExpressionError> {
        let position = self.position();
        if self.peek() != TokenKind::Symbol('-') {
            return self.power();
        }
        self.next += 1;
        self.enter()?;
        let operand = self.unary()?;
        self.depth -= 1;
        let kind = match operand.kind {
            ExpressionKind::Number(text) if !text.starts_with('-') => ExpressionKind::Number(format!("-{text}")),
            kind => ExpressionKind::Negate(Box::new(Expression { kind, ..operand })),
        };
        Ok(Expression { position, kind })
    }

    fn power(&mut self) -> Result<Expression, ExpressionError> {
        let base = self.primary()?;
        if self.peek() != TokenKind::Symbol('^') {
            return Ok(base);
        }
        self.next += 1;
        let at = self.position();
        let bad = || error(at, format!("an exponent is an integer from 1 to {MAX_EXPONENT}"));
        let TokenKind::Number(text) = self.peek() else {
            return Err(bad());
        };
        let exponent = text.parse().ok().filter(|exponent| (1..=MAX_EXPONENT).contains(exponent));
        let exponent = exponent.ok_or_else(bad)?;
        self.next += 1;
        if self.peek() == TokenKind::Symbol('^') {
            return Err(error(self.position(), "a power of a power needs parentheses: `(x^2)^3`".to_string()));
        }
        Ok(Expression { position: base.position, kind: ExpressionKind::Power(Box::new(base), exponent) })
    }

    fn primary(&mut self) -> Result<Expression, ExpressionError> {
        let position = self.position();
        let kind = match self.peek() {
            TokenKind::Number(text) => {
                self.next += 1;
                ExpressionKind::Number(text.to_string())
            }
            TokenKind::Name(name) if name != "let" => {
                self.next += 1;
                match self.peek() {
                    TokenKind::Symbol('(') => ExpressionKind::Call(name.to_string(), self.arguments()?),
                    _ => ExpressionKind::Name(name.to_string()),
                }
            }
            TokenKind::Symbol('[') => ExpressionKind::Vector(self.vector()?),
            TokenKind::Symbol('(') => {
                self.next += 1;
                let inner = self.expression()?;
                self.expect(')')?;
                inner.kind
            }
            _ => return Err(self.unexpected("a number, a name, a vector or `(`")),
        };
        Ok(Expression { position, kind })
    }

    fn arguments(&mut self) -> Result<Vec<Expression>, ExpressionError> {
        self.expect('(')?;
        let mut arguments = vec![self.expression()?];
        while self.peek() == TokenKind::Symbol(',') {
            self.next += 1;
            arguments.push(self.expression()?);
        }
        self.expect(')')?;
        Ok(arguments)
    }

    fn vector(&mut self) -> Result<Vec<String>, ExpressionError> {
        self.expect('[')?;
        let mut values = vec![self.signed_number()?];
        while self.peek() == TokenKind::Symbol(',') {
            self.next += 1;
            values.push(self.signed_number()?);
        }
        self.expect(']')?;
        Ok(values)
    }

    fn signed_number(&mut self) -> Result<String, ExpressionError> {
        let negative = self.peek() == TokenKind::Symbol('-');
        self.next += usize::from(negative);
        match self.peek() {
            TokenKind::Number(text) => {
                self.next += 1;
                Ok(format!("{}{text}", if negative { "-" } else { "" }))
            }
            _ => Err(self.unexpected("a number")),
        }
    }

    fn name(&mut self) -> Result<String, ExpressionError> {
        match self.peek() {
            TokenKind::Name(name) if name != "let" => {
                self.next += 1;
                Ok(name.to_string())
            }
            _ => Err(self.unexpected("a name")),
        }
    }

    fn expect(&mut self, symbol: char) -> Result<(), ExpressionError> {
        match self.peek() {
            TokenKind::Symbol(found) if found == symbol => {
                self.next += 1;
                Ok(())
            }
            _ => Err(self.unexpected(&format!("`{symbol}`"))),
        }
    }

    fn enter(&mut self) -> Result<(), ExpressionError> {
        self.depth += 1;
        match self.depth <= MAX_DEPTH {
            true => Ok(()),
            false => Err(error(
                self.position(),
                format!("the expression is nested more than {MAX_DEPTH} deep; use `let` to name parts of it"),
            )),
        }
    }

    fn peek(&self) -> TokenKind<'a> {
        self.tokens[self.next].kind
    }

    fn position(&self) -> usize {
        self.tokens[self.next].position
    }

    fn unexpected(&self, expected: &str) -> ExpressionError {
        error(self.position(), format!("expected {expected}, got {}", self.peek().describe()))
    }
}

/// The functions, with how many arguments each takes.
pub(super) const FUNCTIONS: [(&str, usize); 6] =
    [("dot", 2), ("mean", 1), ("rotate", 2), ("square", 1), ("sum", 1), ("var", 1)];

fn is_function(name: &str) -> bool {
    FUNCTIONS.iter().any(|(function, _)| *function == name)
}

fn error(position: usize, cause: String) -> ExpressionError {
    ExpressionError::Syntax { position, cause }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> String {
        fn show(expression: &Expression) -> String {
            match &expression.kind {
                ExpressionKind::Sum(terms) => {
                    let signed = |(minus, term): &(bool, Expression)| {
                        format!("{}{}", if *minus { "-" } else { "+" }, show(term))
                    };
                    format!("({})", terms.iter().map(signed).collect::<Vec<_>>().join(" "))
                }
                ExpressionKind::Product(factors) => {
                    format!("({})", factors.iter().map(show).collect::<Vec<_>>().join(" * "))
                }
                ExpressionKind::Negate(a) => format!("neg({})", show(a)),
                ExpressionKind::Power(a, e) => format!("({}^{e})", show(a)),
                ExpressionKind::Number(text) | ExpressionKind::Name(text) => text.clone(),
                ExpressionKind::Vector(values) => format!("[{}]", values.join(" ")),
                ExpressionKind::Call(name, arguments) => {
                    format!("{name}({})", arguments.iter().map(show).collect::<Vec<_>>().join(" "))
                }
            }
        }
        show(&parse(text).unwrap().result)
    }

    #[test]
    fn operators_bind_as_in_mathematics() {
        assert_eq!(shown("a + b * c - d"), "(+a +(b * c) -d)");
        assert_eq!(shown("a - b - c"), "(+a -b -c)");
        assert_eq!(shown("-x^2 * 3"), "(neg((x^2)) * 3)");
        assert_eq!(shown("2 - -3"), "(+2 --3)");
        assert_eq!(shown("(a + b)^3"), "((+a +b)^3)");
        assert_eq!(shown("dot(x, [1, -2.5e-3, .5]) + 1"), "(+dot(x [1 -2.5e-3 .5]) +1)");
        assert_eq!(shown("let y = x; # a comment\n sum(y·y) − 1;"), "(+sum((y * y)) -1)");
    }

    #[test]
    fn errors_name_the_byte() {
        for (text, at) in [
            ("", 0),
            ("x +", 3),
            ("x ^ 0", 4),
            ("x^2.5", 2),
            ("x^2^3", 3),
            ("2x", 1),
            ("x y", 2),
            ("(x", 2),
            ("[1, x]", 4),
            ("x / 2", 2),
            ("é + $", 5),
            ("1e+", 1),
            ("let sum = x; x", 4),
            ("let x = 1 x", 10),
            (".", 0),
        ] {
            match parse(text) {
                Err(ExpressionError::Syntax { position, .. }) => assert_eq!(position, at, "{text}"),
                other => panic!("{text}: {other:?}"),
            }
        }
        let deep = format!("{}x{}", "(".repeat(100_000), ")".repeat(100_000));
        assert!(matches!(parse(&deep), Err(ExpressionError::Syntax { .. })));
        assert!(matches!(parse(&"-".repeat(100_000)), Err(ExpressionError::Syntax { .. })));
    }
}
