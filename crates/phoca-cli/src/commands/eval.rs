//! `phoca eval`: an expression over files of ciphertexts.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use clap::Args;
use phoca::noise::{Encryption, MessageBound, NoiseModel};
use phoca::{Ciphertext, Context, NoiseBound, Scheme};
use serde_json::json;

use crate::array::EncryptedArray;
use crate::container::{ArrayInfo, Dtype, Encoding, Manifest};
use crate::error::{CliError, ExitCode, Result};
use crate::expression::{self, ExpressionError, InputNoise, InputShape, InputState, Plan, Shape};
use crate::keys::{self, Loaded};
use crate::output::{Output, Purpose};
use crate::ui::{Ui, counted};
use crate::values::limit::Limited;

/// The member of a manifest's `info` that says how a single number fills its ciphertext.
const SLOTS: &str = "slots";
/// Its value where every slot holds the number.
const REPEATED: &str = "repeated";
/// The member of a manifest's `info` with the bound of the noise, as base-2 logarithms: BFV and BGV, whose bounds tell
/// nothing about the values.
const NOISE: &str = "noise_log2";
/// The bound of a result that was computed in spite of its noise.
const UNKNOWN_NOISE: [f64; 6] = [f64::INFINITY; 6];

/// The most bytes of an expression in a file.
const MAX_PROGRAM: u64 = 1 << 20;

/// Arguments of `eval`.
#[derive(Args, Debug)]
#[command(after_help = GRAMMAR)]
pub struct EvalArgs {
    /// Evaluation key
    #[arg(short, long, value_name = "FILE")]
    key: PathBuf,
    /// The expression, such as `sum(x * x) + 1`
    #[arg(allow_hyphen_values = true, required_unless_present = "program", value_name = "EXPRESSION")]
    expression: Option<String>,
    /// Encrypted inputs, each as `name=file`, with `-` for standard input; `name.column` is a column of a table
    #[arg(value_name = "NAME=FILE")]
    inputs: Vec<String>,
    /// Read the expression from a file
    #[arg(long, value_name = "FILE")]
    program: Option<PathBuf>,
    /// Show the plan and compute nothing
    #[arg(long)]
    explain: bool,
    /// BFV and BGV: compute even where the noise may become too large; decrypt still notices if it does
    #[arg(long)]
    ignore_noise: bool,
    /// File for the result, `-` for standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

const GRAMMAR: &str = "\
Expressions:
  x + y  x - y  x * y  -x  x^3     element by element; a single number goes with every element
  1.5  1e-3  [1, 2.5, -3]          plain numbers and vectors
  sum(x)  mean(x)  dot(x, y)       one number from a vector
  square(x)  var(x)                x^2, and mean(x^2) - mean(x)^2
  rotate(x, k)                     the vector turned left by k places within its length
  let d = x - mean(x); sum(d * d)  names for parts; `#` starts a comment

Relinearization, rescaling and level alignment are inserted by themselves. mean and var are for
CKKS; BFV and BGV compute with integers modulo the plain modulus.";

/// One encrypted vector of an input file, under the name that the expression uses.
struct Input {
    name: String,
    /// The name of the file that it is from: its own, or the part before the column's.
    file: String,
    shape: InputShape,
    state: InputState,
    noise: InputNoise,
    ciphertexts: Vec<Ciphertext>,
    array: ArrayInfo,
}

/// Plans, checks and evaluates.
pub fn run(args: &EvalArgs, ui: &Ui) -> Result<()> {
    let loaded = keys::load_evaluation_keys(&args.key)?;
    let (text, files) = args.text_and_files()?;
    let mut inputs = Vec::new();
    for file in &files {
        read_inputs(file, &loaded.context, &loaded.manifest, &mut inputs)?;
    }
    let plan = plan(&text, &inputs, &loaded.context).map_err(|error| expression_error(error, &text))?;
    warn_of_unused(&plan, &inputs, ui);
    let keys = expression::EvaluationKeys { relin: loaded.key.relin.as_ref(), galois: loaded.key.galois.as_ref() };
    let promise = promise(args, &plan, &loaded, &inputs).map_err(|error| expression_error(error, &text))?;
    if args.explain {
        return explain(&plan, ui, expression::check_keys(&plan, keys).err());
    }
    let result = execute(&plan, &loaded, keys, &inputs, ui).map_err(|error| expression_error(error, &text))?;
    let array = result_array(&plan, &inputs);
    let mut result = EncryptedArray::new(&loaded.context, &loaded.manifest, array, result);
    if plan.result_shape() == Shape::Scalar {
        result.manifest.info.insert(SLOTS.to_owned(), REPEATED.into());
    }
    if let Some(bound) = promise {
        // JSON has no infinities.
        let logarithms = bound.to_log2().map(|logarithm| logarithm.to_string());
        result.manifest.info.insert(NOISE.to_owned(), json!(logarithms));
    }
    result.write(args.output.as_deref())?;
    report(args, &plan, &result, ui)
}

fn plan(text: &str, inputs: &[Input], context: &Context) -> std::result::Result<Plan, ExpressionError> {
    let inputs: Vec<_> = inputs.iter().map(|input| (input.name.clone(), input.shape, input.state)).collect();
    expression::prepare(text, &inputs, context)
}

/// Warns about files of which the plan takes nothing.
fn warn_of_unused(plan: &Plan, inputs: &[Input], ui: &Ui) {
    let used: BTreeSet<&str> = plan.inputs().map(|index| inputs[index].file.as_str()).collect();
    let files: BTreeSet<&str> = inputs.iter().map(|input| input.file.as_str()).collect();
    for name in files.difference(&used) {
        ui.warn(format!("the result does not depend on the input `{name}`"));
    }
}

/// What is known before the run about the result's noise: BFV and BGV.
fn promise(
    args: &EvalArgs,
    plan: &Plan,
    loaded: &Loaded<keys::EvaluationKeys>,
    inputs: &[Input],
) -> std::result::Result<Option<NoiseBound>, ExpressionError> {
    if loaded.context.scheme() == Scheme::Ckks {
        return Ok(None);
    }
    let noises: Vec<InputNoise> = inputs.iter().map(|input| input.noise).collect();
    match plan.promise(&loaded.context, loaded.key.galois.as_ref(), &noises) {
        // The file must not pass for a fresh encryption when it is an input later.
        Err(ExpressionError::NoiseExhausted { .. }) if args.ignore_noise => {
            Ok(Some(NoiseBound::from_log2(UNKNOWN_NOISE)))
        }
        promise => promise.map(|promise| Some(promise.bound)),
    }
}

/// The bound that the file states; without one, that of a fresh encryption, as `phoca encrypt` makes it.
fn input_noise(manifest: &Manifest, context: &Context, first: &Ciphertext) -> InputNoise {
    let stated = manifest.info.get(NOISE).and_then(|value| {
        let texts = value.as_array()?.iter().map(|text| text.as_str()?.parse().ok());
        let logarithms: Vec<f64> = texts.collect::<Option<_>>()?;
        Some(NoiseBound::from_log2(logarithms.try_into().ok()?))
    });
    let fresh = || {
        let model = NoiseModel::new(context);
        model.fresh(context.first_level(), Encryption::PublicKey, &MessageBound::any(&model))
    };
    InputNoise { bound: stated.unwrap_or_else(fresh), correction_factor: first.correction_factor() }
}

fn execute(
    plan: &Plan,
    loaded: &Loaded<keys::EvaluationKeys>,
    keys: expression::EvaluationKeys<'_>,
    inputs: &[Input],
    ui: &Ui,
) -> std::result::Result<Vec<Ciphertext>, ExpressionError> {
    let ciphertexts: Vec<&[Ciphertext]> = inputs.iter().map(|input| input.ciphertexts.as_slice()).collect();
    let mut progress = ui.progress("evaluate", plan.steps.len() as u64);
    expression::execute(plan, &loaded.context, keys, &ciphertexts, &mut |_| progress.step())
}

fn explain(plan: &Plan, ui: &Ui, missing: Option<ExpressionError>) -> Result<()> {
    let counts = plan.counts();
    let (rotations, swap) = plan.rotations();
    if ui.json {
        return ui.report(
            &json!({
                "schema": "phoca.eval-plan/1",
                "levels_used": plan.levels_used(),
                "levels_available": plan.levels_available,
                "products": counts.products,
                "plain_products": counts.plain_products,
                "additions": counts.additions,
                "relinearizations": counts.relinearizations,
                "rescalings": counts.rescalings,
                "rotations": counts.rotations,
                "rotation_steps": rotations,
                "row_swap": swap,
                "missing": missing.map(|error| error.to_string()),
            }),
            false,
        );
    }
    let mut output = Output::create(None, Purpose::Text)?;
    std::io::Write::write_all(&mut output, plan.explain().as_bytes())?;
    output.commit()?;
    if let Some(error) = missing {
        ui.warn(error.to_string());
    }
    Ok(())
}

fn report(args: &EvalArgs, plan: &Plan, result: &EncryptedArray, ui: &Ui) -> Result<()> {
    let counts = plan.counts();
    ui.note(format!(
        "{}; {} of {} used, {}, {}",
        counted(result.ciphertexts.len(), "ciphertext"),
        plan.levels_used(),
        counted(plan.levels_available, "level"),
        counted(counts.products, "product"),
        counted(counts.rotations, "rotation"),
    ));
    let output = args.output.as_deref().unwrap_or(Path::new("-"));
    let report = json!({
        "schema": "phoca.eval/1",
        "output": output.display().to_string(),
        "shape": result.array()?.shape,
        "ciphertexts": result.ciphertexts.len(),
        "levels_used": plan.levels_used(),
        "levels_available": plan.levels_available,
        "products": counts.products,
        "relinearizations": counts.relinearizations,
        "rescalings": counts.rescalings,
        "rotations": counts.rotations,
        "fingerprint": result.manifest.fingerprint,
    });
    ui.report(&report, output.as_os_str() == "-")
}

/// Appends the vectors of one `name=file`.
fn read_inputs(
    (name, path): &(String, PathBuf),
    context: &Context,
    key: &Manifest,
    inputs: &mut Vec<Input>,
) -> Result<()> {
    let EncryptedArray { manifest, ciphertexts, .. } =
        EncryptedArray::read(path, context, key).map_err(|error| with_column_hint(error, path))?;
    let bad = |message: String| Err(CliError::bad_file(message).file(path));
    let Some(array) = manifest.array.clone() else {
        return bad("the manifest has no array".to_owned());
    };
    if array.encoding == Encoding::Polynomial {
        return bad("this holds polynomials, but expressions are over numbers in slots".to_owned());
    }
    let Some(noise) = ciphertexts.first().map(|first| input_noise(&manifest, context, first)) else {
        return bad("this holds no ciphertext".to_owned());
    };
    let chunks = array.chunks(context.slot_count()) as usize;
    let repeated = manifest.info.get(SLOTS).is_some_and(|slots| slots == REPEATED);
    let shape = match (array.shape.is_empty(), repeated) {
        (true, true) => InputShape::Repeated,
        (true, false) => InputShape::Single,
        (false, _) => InputShape::Vector(array.length() as usize),
    };
    let mut rest = ciphertexts.into_iter();
    for column in 0..array.vectors as usize {
        let ciphertexts: Vec<Ciphertext> = rest.by_ref().take(chunks).collect();
        let state = match common_state(&ciphertexts) {
            Some(state) => state,
            None => return bad("its ciphertexts have different levels, scales or more than two polynomials".to_owned()),
        };
        let file = name.clone();
        let name = match (array.vectors, array.columns.get(column)) {
            (1, _) => name.clone(),
            (_, Some(label)) => format!("{name}.{}", expression::to_name(label)),
            (_, None) => format!("{name}.{column}"),
        };
        if inputs.iter().any(|input| input.name == name) {
            return Err(CliError::usage(format!("the name `{name}` is given twice")));
        }
        inputs.push(Input { name, file, shape, state, noise, ciphertexts, array: array.clone() });
    }
    Ok(())
}

/// Tells how a column is written, where a missing file's name is that of a file with a column's after it.
fn with_column_hint(error: CliError, path: &Path) -> CliError {
    let split = path.to_str().and_then(|path| path.rsplit_once('.'));
    match split {
        Some((file, column)) if !path.exists() && Path::new(file).is_file() => {
            error.hint(format!("for a column write t={file} and t.{}", expression::to_name(column)))
        }
        _ => error,
    }
}

/// Level and scale that all have, where they are fit for the operations.
fn common_state(ciphertexts: &[Ciphertext]) -> Option<InputState> {
    let first = ciphertexts.first()?;
    let same = |other: &Ciphertext| {
        (other.parms_id(), other.scale(), other.correction_factor(), other.size())
            == (first.parms_id(), first.scale(), first.correction_factor(), 2)
    };
    ciphertexts.iter().all(same).then(|| InputState { level: first.prime_count(), scale: first.scale() })
}

/// What the result is: the shape of the inputs, where one has as many values.
fn result_array(plan: &Plan, inputs: &[Input]) -> ArrayInfo {
    let dtypes: Vec<Dtype> = inputs.iter().map(|input| input.array.dtype).collect();
    let encoding = inputs.first().map_or(Encoding::Ckks, |input| input.array.encoding);
    let dtype = match encoding {
        Encoding::Ckks if dtypes.contains(&Dtype::Complex128) => Dtype::Complex128,
        Encoding::Ckks => Dtype::Float64,
        _ if dtypes.iter().all(|&dtype| dtype == Dtype::Uint64) => Dtype::Uint64,
        _ => Dtype::Int64,
    };
    let shape = match plan.result_shape() {
        Shape::Scalar => Vec::new(),
        Shape::Vector(length) => inputs
            .iter()
            .filter(|input| input.array.vectors == 1)
            .map(|input| &input.array.shape)
            .find(|shape| !shape.is_empty() && shape.iter().product::<u64>() == length as u64)
            .cloned()
            .unwrap_or_else(|| vec![length as u64]),
    };
    ArrayInfo { encoding, dtype, shape, vectors: 1, columns: Vec::new() }
}

impl EvalArgs {
    /// The expression's text, and names with their files.
    fn text_and_files(&self) -> Result<(String, Vec<(String, PathBuf)>)> {
        let mut files: Vec<&String> = self.inputs.iter().collect();
        let text = match (&self.program, &self.expression) {
            (Some(path), first) => {
                // With --program, what stands in the expression's place is an input.
                files.splice(0..0, first);
                read_program(path).map_err(|error| error.file(path))?
            }
            (None, Some(text)) => text.clone(),
            (None, None) => return Err(CliError::usage("an expression is missing")),
        };
        let files: Vec<_> = files.into_iter().map(|file| named_file(file)).collect::<Result<_>>()?;
        let mut seen = BTreeMap::new();
        for (name, path) in &files {
            if seen.insert(name, path).is_some() {
                return Err(CliError::usage(format!("the name `{name}` is given twice")));
            }
        }
        if files.iter().filter(|(_, path)| path.as_os_str() == "-").count() > 1 {
            return Err(CliError::usage("standard input can be one input only"));
        }
        Ok((text, files))
    }
}

fn named_file(argument: &str) -> Result<(String, PathBuf)> {
    match argument.split_once('=') {
        Some((name, path)) if expression::is_name(name) && !path.is_empty() => Ok((name.to_owned(), path.into())),
        _ => Err(CliError::usage(format!("`{argument}` is no input; write name=file, such as x=x.phoca"))),
    }
}

/// The command's error for an expression's.
fn expression_error(error: ExpressionError, text: &str) -> CliError {
    use ExpressionError as E;
    let message = error.to_string();
    let (code, hint) = match &error {
        E::Scheme(_) => {
            let E::Scheme(error) = error else {
                return CliError::failed(message);
            };
            return (*error).into();
        }
        E::Syntax { position, .. }
        | E::Type { position, .. }
        | E::UnknownName { position, .. }
        | E::ConstantOutOfRange { position, .. } => {
            let caret = text.get(..*position).map(|before| before.chars().rev().take_while(|&c| c != '\n').count());
            let line = text.get(..*position).and_then(|before| text.lines().nth(before.matches('\n').count()));
            let pointed = match (line, caret) {
                (Some(line), Some(caret)) => format!("{message}\n  {line}\n  {}^", " ".repeat(caret)),
                _ => message,
            };
            return CliError::usage(pointed);
        }
        E::PlainResult => (ExitCode::Usage, None),
        E::LevelsExhausted { .. } | E::NoiseExhausted { .. } => {
            (ExitCode::Exhausted, Some("phoca keygen with a greater --depth, then encrypt again".to_owned()))
        }
        E::MissingRotationKeys { steps, swap } => {
            // Step 0 is the swap of the rows, for keygen and for SEAL.
            let steps = steps.iter().copied().chain(swap.then_some(0));
            let steps = steps.map(|step| step.to_string()).collect::<Vec<_>>().join(",");
            let hint = format!("make Galois keys for these steps (keygen --rotations {steps}, or in SEAL)");
            (ExitCode::Mismatch, Some(hint))
        }
        E::MissingRelinKey => {
            (ExitCode::Mismatch, Some("phoca keygen makes eval.key with a relinearization key".to_owned()))
        }
    };
    let error = CliError::new(code, message);
    match hint {
        Some(hint) => error.hint(hint),
        None => error,
    }
}

/// The text of an expression.
fn read_program(path: &Path) -> Result<String> {
    let mut text = String::new();
    Limited::new(File::open(path)?, MAX_PROGRAM, "--program takes the text of one expression")
        .read_to_string(&mut text)?;
    Ok(text)
}
