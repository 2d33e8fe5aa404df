//! The meaning of an expression on plain numbers, read from the syntax tree alone.

use phoca::{Context, Scheme};

use crate::expression::parser::{Expression, ExpressionKind, Program};

/// Error of one encryption or one operation on values of about 1, in these tests' parameters: scale 2^40, degree 256.
const UNIT_ERROR: f64 = 1.0 / (1 << 26) as f64;

/// Values with a bound of what a CKKS evaluation may err.
#[derive(Clone)]
pub(super) struct Numbers {
    pub(super) values: Vec<f64>,
    pub(super) scalar: bool,
    pub(super) error: f64,
    /// The largest value on the way.
    pub(super) largest: f64,
}

pub(super) struct Oracle<'a> {
    modulus: Option<i128>,
    inputs: &'a [(String, Vec<f64>)],
}

impl<'a> Oracle<'a> {
    pub(super) fn new(context: &Context, inputs: &'a [(String, Vec<f64>)]) -> Self {
        let modulus = (context.scheme() != Scheme::Ckks).then(|| i128::from(context.plain_modulus()));
        Self { modulus, inputs }
    }

    pub(super) fn evaluate(&self, program: &Program) -> Numbers {
        let mut defined = Vec::new();
        for (name, value) in &program.definitions {
            let value = self.value(value, &defined);
            defined.push((name.as_str(), value));
        }
        self.value(&program.result, &defined)
    }

    fn value(&self, expression: &Expression, defined: &[(&str, Numbers)]) -> Numbers {
        let of = |inner: &Expression| self.value(inner, defined);
        match &expression.kind {
            ExpressionKind::Number(text) => self.plain(std::slice::from_ref(text), true),
            ExpressionKind::Vector(texts) => self.plain(texts, false),
            ExpressionKind::Name(name) => match defined.iter().find(|(known, _)| known == name) {
                Some((_, value)) => value.clone(),
                None => self.input(name),
            },
            ExpressionKind::Negate(inner) => self.map(of(inner), |value| -value),
            ExpressionKind::Sum(terms) => {
                let mut terms = terms.iter().map(|(minus, term)| {
                    let term = of(term);
                    if *minus { self.map(term, |value| -value) } else { term }
                });
                let first = terms.next().unwrap();
                terms.fold(first, |sum, term| self.combine(&sum, &term, false))
            }
            ExpressionKind::Product(factors) => {
                let factors: Vec<Numbers> = factors.iter().map(of).collect();
                factors[1..].iter().fold(factors[0].clone(), |product, factor| self.combine(&product, factor, true))
            }
            ExpressionKind::Power(base, exponent) => {
                let base = of(base);
                (1..*exponent).fold(base.clone(), |power, _| self.combine(&power, &base, true))
            }
            ExpressionKind::Call(function, arguments) => self.call(function, &arguments[0], arguments.get(1), defined),
        }
    }

    fn call(
        &self,
        function: &str,
        first: &Expression,
        second: Option<&Expression>,
        defined: &[(&str, Numbers)],
    ) -> Numbers {
        let x = self.value(first, defined);
        let count = x.values.len() as f64;
        match (function, second) {
            ("sum", _) => self.sum(&x),
            ("mean", _) => self.map(self.sum(&x), |sum| sum / count),
            ("square", _) => self.combine(&x, &x, true),
            ("dot", Some(y)) => self.sum(&self.combine(&x, &self.value(y, defined), true)),
            ("rotate", Some(steps)) => {
                let steps = self.value(steps, defined).values[0] as i64;
                let mut turned = x.clone();
                turned.values.rotate_left(steps.rem_euclid(x.values.len() as i64) as usize);
                turned.error += UNIT_ERROR * x.largest;
                turned
            }
            ("var", _) => {
                let squares = self.map(self.sum(&self.combine(&x, &x, true)), |sum| sum / count);
                let mean = self.map(self.sum(&x), |sum| sum / count);
                let square = self.combine(&mean, &mean, true);
                self.combine(&squares, &self.map(square, |value| -value), false)
            }
            other => panic!("{other:?}"),
        }
    }

    fn input(&self, name: &str) -> Numbers {
        let (_, values) = self.inputs.iter().find(|(known, _)| known == name).unwrap();
        self.numbers(values.clone(), false, UNIT_ERROR)
    }

    fn plain(&self, texts: &[String], scalar: bool) -> Numbers {
        let values = texts.iter().map(|text| text.parse().unwrap()).collect();
        self.numbers(values, scalar, 0.0)
    }

    fn sum(&self, x: &Numbers) -> Numbers {
        let sum = x.values.iter().sum();
        let mut sum = self.numbers(vec![sum], true, (x.error + UNIT_ERROR) * x.values.len() as f64);
        sum.largest = sum.largest.max(x.largest);
        sum
    }

    fn combine(&self, a: &Numbers, b: &Numbers, product: bool) -> Numbers {
        let length = a.values.len().max(b.values.len());
        let at = |x: &Numbers, i: usize| x.values[if x.scalar { 0 } else { i }];
        let values = (0..length).map(|i| if product { at(a, i) * at(b, i) } else { at(a, i) + at(b, i) });
        let values = values.collect();
        // A constant, an encoded 1 or a mask errs by a share of the values it meets.
        let rounding = UNIT_ERROR * (1.0 + a.largest) * (1.0 + b.largest);
        let error = match product {
            true => a.largest * b.error + b.largest * a.error + a.error * b.error + rounding,
            false => a.error + b.error + UNIT_ERROR * (a.largest + b.largest),
        };
        let mut result = self.numbers(values, a.scalar && b.scalar, error);
        result.largest = result.largest.max(a.largest).max(b.largest);
        result
    }

    fn map(&self, mut x: Numbers, operation: impl Fn(f64) -> f64) -> Numbers {
        x.values.iter_mut().for_each(|value| *value = operation(*value));
        x.error += UNIT_ERROR * x.largest;
        self.reduced(x)
    }

    fn numbers(&self, values: Vec<f64>, scalar: bool, error: f64) -> Numbers {
        self.reduced(Numbers { values, scalar, error, largest: 0.0 })
    }

    /// Integers modulo `t`, centred, without error; they stay below 2^53 before the reduction.
    fn reduced(&self, mut x: Numbers) -> Numbers {
        if let Some(modulus) = self.modulus {
            for value in &mut x.values {
                let residue = (*value as i128).rem_euclid(modulus);
                *value = if 2 * residue > modulus { (residue - modulus) as f64 } else { residue as f64 };
            }
            x.error = 0.0;
        }
        x.largest = x.values.iter().fold(x.largest, |most, value| most.max(value.abs()));
        x
    }
}
