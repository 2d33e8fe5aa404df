//! From the syntax tree to the graph, with the checks of names, shapes and constants.

use std::collections::HashMap;

use super::{Builder, Constant, Domain, Graph, NodeId, Operation, Shape};
use crate::expression::constant::Values;
use crate::expression::error::ExpressionError;
use crate::expression::graph::InputShape;
use crate::expression::parser::{Expression, ExpressionKind, FUNCTIONS, Program};

/// Builds the graph of `program` over inputs with these names and shapes.
///
/// # Errors
///
/// [`ExpressionError::UnknownName`], [`ExpressionError::Type`], [`ExpressionError::ConstantOutOfRange`] or
/// [`ExpressionError::Syntax`] with the byte; [`ExpressionError::PlainResult`].
pub fn build(
    program: &Program,
    inputs: &[(String, InputShape)],
    domain: Domain,
    slots: usize,
) -> Result<Graph, ExpressionError> {
    let builder = Builder { graph: Graph { nodes: Vec::new(), result: 0, slots }, domain, known: HashMap::new() };
    let mut scope = Scope { builder, inputs, defined: HashMap::new() };
    for (name, value) in &program.definitions {
        let node = scope.value(value)?;
        scope.defined.insert(name, node);
    }
    let result = scope.value(&program.result)?;
    let mut builder = scope.builder;
    if builder.graph.constant(result).is_some() {
        return Err(ExpressionError::PlainResult);
    }
    builder.graph.result = match builder.shape(result) {
        Shape::Scalar => result,
        // What is written to a file has zero padding, so that it can be summed later.
        Shape::Vector(length) => builder.masked(result, length),
    };
    Ok(builder.graph)
}

struct Scope<'a> {
    builder: Builder,
    inputs: &'a [(String, InputShape)],
    defined: HashMap<&'a str, NodeId>,
}

impl Scope<'_> {
    fn value(&mut self, expression: &Expression) -> Result<NodeId, ExpressionError> {
        let position = expression.position;
        match &expression.kind {
            ExpressionKind::Number(text) => self.constant(position, None, std::slice::from_ref(text)),
            ExpressionKind::Vector(texts) => self.constant(position, Some(texts.len()), texts),
            ExpressionKind::Name(name) => self.name(position, name),
            ExpressionKind::Negate(inner) => {
                let inner = self.value(inner)?;
                Ok(self.builder.negate(inner))
            }
            ExpressionKind::Sum(terms) => self.sum_of_terms(terms),
            ExpressionKind::Product(_) => {
                let mut factors = Vec::new();
                self.factors(expression, &mut factors)?;
                Ok(self.builder.product(factors))
            }
            ExpressionKind::Power(base, exponent) => {
                let base = self.value(base)?;
                Ok(self.builder.power(base, *exponent))
            }
            ExpressionKind::Call(function, arguments) => self.call(position, function, arguments),
        }
    }

    fn constant(
        &mut self,
        position: usize,
        length: Option<usize>,
        texts: &[String],
    ) -> Result<NodeId, ExpressionError> {
        let constant = self.builder.domain.constant(position, length, texts)?;
        Ok(self.builder.constant(constant))
    }

    fn name(&mut self, position: usize, name: &str) -> Result<NodeId, ExpressionError> {
        if let Some(&node) = self.defined.get(name) {
            return Ok(node);
        }
        if let Some(index) = self.inputs.iter().position(|(known, _)| known == name) {
            let input = Operation::Input(index);
            return Ok(match self.inputs[index].1 {
                InputShape::Repeated => self.builder.node(input, Shape::Scalar, false),
                InputShape::Vector(length) => self.builder.node(input, Shape::Vector(length), true),
                InputShape::Single => {
                    let single = self.builder.node(input, Shape::Vector(1), true);
                    self.builder.sum(single, 1)
                }
            });
        }
        let mut known: Vec<&str> = self.inputs.iter().map(|(name, _)| name.as_str()).collect();
        known.extend(self.defined.keys());
        known.sort_unstable();
        let known = match known.is_empty() {
            true => "give an encrypted input as `name=file`".to_string(),
            false => format!("there are `{}`", known.join("`, `")),
        };
        Err(ExpressionError::UnknownName { position, name: name.to_string(), known })
    }

    fn sum_of_terms(&mut self, terms: &[(bool, Expression)]) -> Result<NodeId, ExpressionError> {
        let mut sum: Option<NodeId> = None;
        for (subtracted, term) in terms {
            let value = self.value(term)?;
            sum = Some(match sum {
                None => value,
                Some(sum) => {
                    self.check_lengths(term.position, sum, value)?;
                    match subtracted {
                        true => self.builder.subtract(sum, value),
                        false => self.builder.add(sum, value),
                    }
                }
            });
        }
        sum.ok_or_else(|| type_error(0, "a sum needs a term".to_string()))
    }

    /// All factors of nested products, with lengths that agree.
    fn factors(&mut self, expression: &Expression, factors: &mut Vec<NodeId>) -> Result<(), ExpressionError> {
        let ExpressionKind::Product(operands) = &expression.kind else {
            let factor = self.value(expression)?;
            for &other in factors.iter() {
                self.check_lengths(expression.position, other, factor)?;
            }
            factors.push(factor);
            return Ok(());
        };
        operands.iter().try_for_each(|operand| self.factors(operand, factors))
    }

    fn call(&mut self, position: usize, function: &str, arguments: &[Expression]) -> Result<NodeId, ExpressionError> {
        let Some((_, count)) = FUNCTIONS.iter().find(|(name, _)| *name == function) else {
            let names = FUNCTIONS.map(|(name, _)| name).join("`, `");
            return Err(ExpressionError::UnknownName {
                position,
                name: function.to_string(),
                known: format!("the functions are `{names}`"),
            });
        };
        if arguments.len() != *count {
            let cause = format!("`{function}` takes {count} arguments, got {}", arguments.len());
            return Err(type_error(position, cause));
        }
        let first = self.value(&arguments[0])?;
        match function {
            "square" => Ok(self.builder.power(first, 2)),
            "rotate" => {
                let steps = self.steps(&arguments[1])?;
                self.rotate(arguments[0].position, first, steps)
            }
            "dot" => {
                let second = self.value(&arguments[1])?;
                self.check_lengths(arguments[1].position, first, second)?;
                let shape = self.builder.joined_shape(first, second);
                let length = self.length(position, function, shape)?;
                let product = self.builder.multiply(first, second);
                Ok(self.builder.sum(product, length))
            }
            _ => {
                let length = self.length(arguments[0].position, function, self.builder.shape(first))?;
                match function {
                    "sum" => Ok(self.builder.sum(first, length)),
                    "mean" => self.mean(position, first, length),
                    _ => {
                        let square = self.builder.power(first, 2);
                        let mean_of_squares = self.mean(position, square, length)?;
                        let mean = self.mean(position, first, length)?;
                        let square_of_mean = self.builder.power(mean, 2);
                        Ok(self.builder.subtract(mean_of_squares, square_of_mean))
                    }
                }
            }
        }
    }

    fn mean(&mut self, position: usize, a: NodeId, length: usize) -> Result<NodeId, ExpressionError> {
        if self.builder.domain != Domain::Real {
            let cause = "BFV and BGV have integers only, so there are no means; use `sum` and divide after decryption";
            return Err(type_error(position, cause.to_string()));
        }
        let sum = self.builder.sum(a, length);
        let inverse = self.builder.constant(Constant { length: None, values: Values::Real(vec![1.0 / length as f64]) });
        Ok(self.builder.multiply(sum, inverse))
    }

    fn rotate(&mut self, position: usize, a: NodeId, steps: i64) -> Result<NodeId, ExpressionError> {
        let length = self.length(position, "rotate", self.builder.shape(a))?;
        let steps = steps.rem_euclid(length as i64) as usize;
        if let Some(constant) = self.builder.graph.constant(a) {
            let mut turned = constant.clone();
            match &mut turned.values {
                Values::Real(values) => values.rotate_left(steps),
                Values::Integer(values) => values.rotate_left(steps),
            }
            return Ok(self.builder.constant(turned));
        }
        let clean = self.builder.masked(a, length);
        Ok(match steps {
            0 => a,
            _ => self.builder.node(Operation::Rotate(clean, steps), Shape::Vector(length), true),
        })
    }

    fn steps(&self, argument: &Expression) -> Result<i64, ExpressionError> {
        let steps = match &argument.kind {
            ExpressionKind::Number(text) => text.parse().ok(),
            _ => None,
        };
        steps.ok_or_else(|| {
            type_error(argument.position, "`rotate` turns by an integer, such as `rotate(x, -2)`".to_string())
        })
    }

    fn length(&self, position: usize, function: &str, shape: Shape) -> Result<usize, ExpressionError> {
        match shape {
            Shape::Vector(length) if length > 0 => Ok(length),
            _ => Err(type_error(position, format!("`{function}` needs a vector, got a single number"))),
        }
    }

    fn check_lengths(&self, position: usize, a: NodeId, b: NodeId) -> Result<(), ExpressionError> {
        match (self.builder.shape(a), self.builder.shape(b)) {
            (Shape::Vector(left), Shape::Vector(right)) if left != right => {
                Err(type_error(position, format!("vectors of {left} and {right} values do not go together")))
            }
            _ => Ok(()),
        }
    }
}

fn type_error(position: usize, cause: String) -> ExpressionError {
    ExpressionError::Type { position, cause }
}
