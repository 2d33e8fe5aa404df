//! What the server computes: expressions over columns, known to both sides.

use phoca::noise::{Encryption, MessageBound, NoiseModel};
use phoca::{Context, Parameters, Scheme, SecurityLevel, coeff_modulus, plain_modulus};

use super::data::{LARGEST_FEATURE, Model, ROWS};
use crate::error::{CliError, Result};
use crate::expression::{InputNoise, InputShape, InputState, Plan, prepare};

/// CKKS: the scale of features, which has the size of the primes that rescaling divides by.
pub const SCALE: f64 = (1_u64 << 40) as f64;
/// The name of the column of diagnoses.
pub const MALIGNANT: &str = "malignant";

/// One result of the server: a container with a vector for each program.
pub struct Job {
    /// What it is, for people and in reports.
    pub name: &'static str,
    /// The scheme of its input and output.
    pub scheme: Scheme,
    /// The programs, each with a name for its result.
    pub programs: Vec<Program>,
}

/// One expression over some columns of the scheme's input.
pub struct Program {
    /// The name of the result.
    pub name: String,
    /// The columns that it uses, by number and by the names in the expression.
    pub columns: Vec<(usize, String)>,
    /// The expression.
    pub text: String,
}

/// All jobs, in the order in which the server does them.
pub fn jobs(model: &Model) -> Vec<Job> {
    let all: Vec<(usize, String)> = model.features.iter().cloned().enumerate().collect();
    let each = |function: &str| {
        let program = |column: &(usize, String)| Program {
            name: column.1.clone(),
            text: format!("{function}({})", column.1),
            columns: vec![column.clone()],
        };
        all.iter().map(program).collect()
    };
    let (weights, bias) = model.integers();
    let scores = |weights: Vec<String>, bias: String| {
        let terms = weights.iter().zip(&model.features).map(|(weight, name)| format!("{weight}*{name}"));
        vec![Program {
            name: "score".to_owned(),
            text: format!("{} + {bias}", terms.collect::<Vec<_>>().join(" + ")),
            columns: all.clone(),
        }]
    };
    let real = |value: &f64| format!("{value:?}");
    let linear = &model.standardized;
    vec![
        Job {
            name: "scores",
            scheme: Scheme::Ckks,
            programs: scores(linear.weights.iter().map(real).collect(), real(&linear.bias)),
        },
        Job { name: "means", scheme: Scheme::Ckks, programs: each("mean") },
        Job { name: "variances", scheme: Scheme::Ckks, programs: each("var") },
        Job {
            name: "malignant rows",
            scheme: Scheme::Bfv,
            programs: vec![Program {
                name: MALIGNANT.to_owned(),
                text: format!("sum({MALIGNANT})"),
                columns: vec![(0, MALIGNANT.to_owned())],
            }],
        },
        Job {
            name: "integer scores",
            scheme: Scheme::Bgv,
            programs: scores(weights.iter().map(i64::to_string).collect(), bias.to_string()),
        },
    ]
}

/// The parameters of each scheme: 128-bit secure by the table of HomomorphicEncryption.org.
pub fn context(scheme: Scheme) -> Result<Context> {
    let default = |degree| coeff_modulus::seal_default(degree, SecurityLevel::Bits128);
    let parameters = match scheme {
        // Two levels: the weights or 1/n, and the squares before that.
        Scheme::Ckks => Parameters {
            scheme,
            degree: 8192,
            coeff_modulus: coeff_modulus::create(8192, &[60, 40, 40, 60])?,
            plain_modulus: 0,
        },
        Scheme::Bfv => Parameters {
            scheme,
            degree: 4096,
            coeff_modulus: default(4096)?,
            plain_modulus: plain_modulus::batching(4096, 20)?,
        },
        // Integer scores are below 2^28 in magnitude.
        Scheme::Bgv => Parameters {
            scheme,
            degree: 4096,
            coeff_modulus: default(4096)?,
            plain_modulus: plain_modulus::batching(4096, 30)?,
        },
    };
    Ok(parameters.build()?)
}

impl Job {
    /// The file of the result.
    pub fn output(&self) -> String {
        format!("{}-{}.phoca", self.scheme.name().to_lowercase(), self.name.replace(' ', "-"))
    }

    /// What is promised before the run about the worst value of the result.
    pub fn promise(&self, context: &Context) -> Result<Promise> {
        let model = NoiseModel::new(context);
        let message = match self.scheme {
            Scheme::Ckks => MessageBound::of_values(&model, LARGEST_FEATURE, SCALE),
            Scheme::Bfv | Scheme::Bgv => MessageBound::any(&model),
        };
        let fresh = InputNoise {
            bound: model.fresh(context.first_level(), Encryption::SecretKey, &message),
            correction_factor: 1,
        };
        let state = fresh_state(context);
        let exact = self.scheme != Scheme::Ckks;
        let mut promise: Option<Promise> = None;
        for program in &self.programs {
            let plan = program.plan(context, state)?;
            let bound = plan.promise(context, None, &vec![fresh; program.columns.len()]);
            let bound = bound.map_err(|error| CliError::failed(format!("{}: {error}", program.name)))?;
            let (likely, worst_case) = (bound.likely, bound.worst_case);
            promise = Some(match promise {
                None => Promise { likely, worst_case },
                Some(other) if exact => {
                    Promise { likely: likely.min(other.likely), worst_case: worst_case.min(other.worst_case) }
                }
                Some(other) => {
                    Promise { likely: likely.max(other.likely), worst_case: worst_case.max(other.worst_case) }
                }
            });
        }
        promise.ok_or_else(|| CliError::failed("the job has no program"))
    }
}

/// A bound that is known before the run. CKKS: the error of each value. BFV and BGV: the noise budget that is left, in
/// bits; above 0 every value is exact.
#[derive(Clone, Copy)]
pub struct Promise {
    /// Fails with a probability below 2^-40.
    pub likely: f64,
    /// Holds for every outcome of the randomness.
    pub worst_case: f64,
}

impl Program {
    /// The steps for columns in this state.
    pub fn plan(&self, context: &Context, state: InputState) -> Result<Plan> {
        let inputs: Vec<_> =
            self.columns.iter().map(|(_, name)| (name.clone(), InputShape::Vector(ROWS), state)).collect();
        prepare(&self.text, &inputs, context).map_err(|error| CliError::failed(format!("{}: {error}", self.name)))
    }
}

/// Level and scale of a fresh ciphertext.
pub fn fresh_state(context: &Context) -> InputState {
    InputState {
        level: context.first_level().prime_count(),
        scale: if context.scheme() == Scheme::Ckks { SCALE } else { 1.0 },
    }
}
