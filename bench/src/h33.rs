//! Suite `h33`: the six encrypted workloads that H33 publishes with times for one core of a Graviton4, in CKKS at
//! n = 8192 with five levels at 128 bits.

mod workloads;

use phoca::{Context, Parameters, Scheme, coeff_modulus};

use crate::error::BenchError;
use crate::report::{Entry, Quality};
use crate::run::{Runner, Suite, request};
use workloads::{Form, Workloads};

const DEGREE: usize = 8192;
/// Five rescalings by 28 bits; with the special prime 214 of the 218 bits that 128-bit security allows.
const CHAIN: [u32; 7] = [37, 28, 28, 28, 28, 28, 37];

/// One published workload and the ways to compute it.
struct Workload {
    name: &'static str,
    published_ms: f64,
    /// The published bound on the relative error is two to minus this.
    bound_bits: i32,
    /// Inputs are encrypted at two to this.
    scale_bits: i32,
    forms: &'static [Form],
}

const WORKLOADS: [Workload; 6] = [
    Workload { name: "Multiply", published_ms: 61.0, bound_bits: 20, scale_bits: 40, forms: &[Form::Multiply] },
    Workload { name: "Add", published_ms: 0.68, bound_bits: 40, scale_bits: 58, forms: &[Form::Add] },
    Workload {
        name: "SlotSum",
        published_ms: 293.0,
        bound_bits: 15,
        scale_bits: 28,
        forms: &[Form::SlotSum, Form::SlotSumRadix4],
    },
    Workload {
        name: "DotProduct",
        published_ms: 333.0,
        bound_bits: 12,
        scale_bits: 28,
        forms: &[Form::DotProduct, Form::DotProductRadix4],
    },
    Workload {
        name: "Polynomial",
        published_ms: 133.0,
        bound_bits: 15,
        scale_bits: 40,
        forms: &[Form::Horner, Form::SplitPolynomial],
    },
    Workload {
        name: "DenseLayer",
        published_ms: 1555.0,
        bound_bits: 10,
        scale_bits: 34,
        forms: &[Form::Diagonals, Form::HoistedDiagonals, Form::BabyGiant],
    },
];

pub(crate) fn run(runner: &mut Runner<'_>) -> Result<(), BenchError> {
    runner.options.degrees(Suite::H33, &[DEGREE], &[DEGREE])?;
    let parameters = parameters()?;
    runner.report.notes = notes(&parameters);
    let (context, single) = (runner.context(&parameters)?, runner.single_context(&parameters)?);
    for workload in &WORKLOADS {
        for &form in workload.forms {
            let entry = described(runner.entry(&context, name(workload, form)), workload, form);
            if runner.wants(&entry) {
                // Keys are made for one workload at a time: those of the dense layer take hundreds of megabytes.
                let prepare = |context: &Context| Workloads::new(context, f64::from(workload.scale_bits).exp2(), form);
                let single = single.as_ref().map(prepare).transpose()?;
                measure(runner, &parameters, workload, (&prepare(&context)?, single.as_ref()), entry)?;
                runner.reset_peer()?;
            }
        }
    }
    Ok(())
}

fn parameters() -> Result<Parameters, BenchError> {
    let coeff_modulus = coeff_modulus::create(DEGREE, &CHAIN)?;
    Ok(Parameters { scheme: Scheme::Ckks, degree: DEGREE, coeff_modulus, plain_modulus: 0 })
}

fn name(workload: &Workload, form: Form) -> String {
    match form.better() {
        None => workload.name.to_owned(),
        Some(how) => format!("{}, {how}", workload.name),
    }
}

fn described(mut entry: Entry, workload: &Workload, form: Form) -> Entry {
    entry.published = Some(workload.name.to_owned());
    entry.published_us = Some(workload.published_ms * 1000.0);
    entry.note = Some(format!("{}; inputs at scale 2^{}", form.description(), workload.scale_bits));
    entry
}

fn measure(
    runner: &mut Runner<'_>,
    parameters: &Parameters,
    workload: &Workload,
    (prepared, single): (&Workloads, Option<&Workloads>),
    mut entry: Entry,
) -> Result<(), BenchError> {
    let bound = f64::from(-workload.bound_bits).exp2();
    let quality = prepared.quality()?;
    if !quality.ours.le(&bound) {
        let cause = format!("its relative error is {:.1e}, the published bound {bound:.1e}", quality.ours);
        return Err(BenchError::WrongResult { row: entry.op, parameters: format!("n = {DEGREE}"), cause });
    }
    let scale = f64::from(workload.scale_bits).exp2();
    let mut request = request(Suite::H33, parameters, scale, prepared.form().peer_row());
    request["tolerance"] = bound.into();
    let single = single.map(|single| |count| single.time(count));
    let answer = runner.compare(&mut entry, &request, |count| prepared.time(count), single)?;
    entry.quality = Some(Quality { peer: answer["error"].as_f64(), published: Some(bound), ..quality });
    runner.done(entry);
    Ok(())
}

fn notes(parameters: &Parameters) -> Vec<String> {
    let primes: Vec<String> = parameters.coeff_modulus.iter().map(u64::to_string).collect();
    vec![
        format!(
            "CKKS, n = {DEGREE}, 4096 slots, five levels; primes of {CHAIN:?} bits (the last is the special one): {}; 214 of \
             the 218 bits that 128-bit security allows.",
            primes.join(", ")
        ),
        "Published: one core of an AWS Graviton4 (c8g.metal-48xl), with relinearization and rescaling where they apply; the \
         published error is a bound."
            .to_owned(),
        "Errors are the largest over all slots, over the largest wanted value, and are checked against the published bound \
         before anything is timed. Phoca's bound is what it states without the key; it fails with a probability below 2^-40."
            .to_owned(),
        "Primes of 28 bits leave fresh inputs at scale 2^28 an error near 2^-12, above the bounds published for single \
         operations; where that is so, inputs have the larger scale that is noted. No time depends on the scale."
            .to_owned(),
        format!(
            "The page does not give the dense layer's size. Its own slot sum takes 293/12 = 24.4 ms a rotation, so 1555 ms are \
             63.7 rotations: the {0} of a {1} x {1} layer by diagonals, which is what is measured here.",
            workloads::DIMENSION - 1,
            workloads::DIMENSION
        ),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_chain_is_secure_and_has_five_levels() {
        let context = parameters().unwrap().build().expect("128 bits of security");
        assert_eq!(context.key_level().modulus_bits(), 214);
        assert_eq!(context.first_level().prime_count(), 6);
    }
}
