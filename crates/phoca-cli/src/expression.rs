//! Expressions over encrypted vectors: `sum(x * x) + 1` to the operations of a scheme.
//!
//! [`parse`] makes a syntax tree of the text, [`build`] a graph of it with shapes checked, constants folded and equal
//! parts shared, [`plan`] the steps with levels and scales, and [`execute`] runs them. Everything that can fail for want of
//! levels or keys fails before the first operation.
//!
//! Values are real numbers in CKKS and integers modulo `t` in BFV and BGV. `rotate(x, k)` turns the whole vector left,
//! also across ciphertexts: value `i` of the result is value `(i + k) mod length` of `x`.

mod constant;
mod error;
mod execute;
mod graph;
mod lexer;
mod parser;
mod plan;
#[cfg(test)]
mod tests;
pub mod workers;

pub use constant::Domain;
pub use error::ExpressionError;
pub use execute::{EvaluationKeys, check_keys, execute};
pub use graph::{InputShape, Shape, build};
pub use lexer::{is_name, to_name};
pub use parser::parse;
pub use plan::{Chain, InputNoise, InputState, Plan, plan};

use phoca::params::suggest;
use phoca::{Context, Scheme};

/// The plan of an expression's text for inputs with these names, shapes, levels and scales.
///
/// # Errors
///
/// As [`parse`], [`build`] and [`plan`]; [`ExpressionError::Scheme`] where plaintexts have no slots.
pub fn prepare(
    text: &str,
    inputs: &[(String, InputShape, InputState)],
    context: &Context,
) -> Result<Plan, ExpressionError> {
    if !context.supports_batching() {
        return Err(ExpressionError::from(phoca::Error::BatchingUnsupported {
            plain_modulus: context.plain_modulus(),
            order: 2 * context.degree() as u64,
        }));
    }
    let shapes: Vec<_> = inputs.iter().map(|(name, shape, _)| (name.clone(), *shape)).collect();
    let states: Vec<_> = inputs.iter().map(|(.., state)| *state).collect();
    let graph = build(&parse(text)?, &shapes, Domain::of(context), context.slot_count())?;
    plan(&graph, &Chain::of(context), &states)
}

impl Domain {
    /// The numbers of `context`'s plaintexts.
    pub fn of(context: &Context) -> Self {
        match context.scheme() {
            Scheme::Ckks => Self::Real,
            Scheme::Bfv | Scheme::Bgv => Self::Modular(context.plain_modulus()),
        }
    }
}

impl Chain {
    /// The chain of `context`'s data levels.
    pub fn of(context: &Context) -> Self {
        let first = context.first_level();
        Self {
            scheme: context.scheme(),
            degree: context.degree(),
            primes: first.moduli().iter().map(|prime| prime.value() as f64).collect(),
            fewest: context.last_level().prime_count(),
            product_bits: match context.scheme() {
                Scheme::Bgv => suggest::bgv_product_bits(context.degree(), context.plain_modulus()),
                Scheme::Bfv | Scheme::Ckks => 0.0,
            },
        }
    }
}
