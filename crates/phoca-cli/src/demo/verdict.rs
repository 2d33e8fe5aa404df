//! Decrypted results against plain computations and promises.

use super::data::{Model, Table};
use super::job::{Job, Promise};
use crate::error::{CliError, Result};

/// Decrypted vectors, one for each program of a job.
pub enum Decrypted {
    /// CKKS.
    Real(Vec<Vec<f64>>),
    /// BFV and BGV.
    Integer(Vec<Vec<i64>>),
}

/// How a result compares.
#[derive(Debug, PartialEq)]
pub struct Verdict {
    /// What the result says, in words.
    pub summary: String,
    /// The worst error against the plain computation.
    pub error: f64,
    /// What was promised before the run: the error's bound for CKKS, 0 for exact results.
    pub promised: f64,
    /// The bound that holds for every outcome of the randomness; 0 for exact results.
    pub worst_case: f64,
    /// BFV and BGV: the noise budget that was promised to be left, in bits.
    pub promised_budget: Option<f64>,
    /// Rows whose predictions agree, of how many.
    pub predictions: Option<(usize, usize)>,
    /// Whether all that was promised holds.
    pub kept: bool,
}

/// Compares a job's result with the same computation on plain numbers.
pub fn verdict(job: &Job, promise: Promise, decrypted: &Decrypted, model: &Model, table: &Table) -> Result<Verdict> {
    match (job.name, decrypted) {
        ("scores", Decrypted::Real(vectors)) => Ok(scores(promise, &vectors[0], model, table)),
        ("means", Decrypted::Real(vectors)) => Ok(columns("means", promise, vectors, table, mean)),
        ("variances", Decrypted::Real(vectors)) => Ok(columns("variances", promise, vectors, table, variance)),
        ("malignant rows", Decrypted::Integer(vectors)) => {
            let expected = vec![table.malignant.iter().sum::<i64>()];
            let summary = format!("{} of {} rows", vectors[0][0], table.malignant.len());
            Ok(exact(promise, &vectors[0], &expected, summary, None))
        }
        ("integer scores", Decrypted::Integer(vectors)) => {
            let expected = integer_scores(model, table);
            let agree = vectors[0].iter().zip(&expected).filter(|(a, b)| (**a > 0) == (**b > 0)).count();
            let summary = format!("{} sums", expected.len());
            Ok(exact(promise, &vectors[0], &expected, summary, Some((agree, expected.len()))))
        }
        (name, _) => Err(CliError::failed(format!("nothing is known about the job {name}"))),
    }
}

fn scores(promise: Promise, got: &[f64], model: &Model, table: &Table) -> Verdict {
    let expected = real_scores(model, table);
    let error = worst(got, &expected);
    let agree = got.iter().zip(&expected).filter(|(a, b)| (**a > 0.0) == (**b > 0.0)).count();
    // A score that is nearer to the threshold than the promise may fall on either side.
    let undecided = expected.iter().filter(|score| score.abs() <= promise.likely).count();
    let malignant = got.iter().filter(|&&score| score > 0.0).count();
    Verdict {
        summary: format!("{malignant} malignant"),
        error,
        promised: promise.likely,
        worst_case: promise.worst_case,
        promised_budget: None,
        predictions: Some((agree, expected.len())),
        kept: error <= promise.likely && agree + undecided >= expected.len() && got.len() == expected.len(),
    }
}

fn columns(what: &str, promise: Promise, got: &[Vec<f64>], table: &Table, plain: impl Fn(&[f64]) -> f64) -> Verdict {
    let expected: Vec<f64> = table.features.iter().map(|column| plain(column)).collect();
    let got: Vec<f64> = got.iter().map(|vector| vector[0]).collect();
    let error = worst(&got, &expected);
    Verdict {
        summary: format!("{} {what}", got.len()),
        error,
        promised: promise.likely,
        worst_case: promise.worst_case,
        promised_budget: None,
        predictions: None,
        kept: error <= promise.likely && got.len() == expected.len(),
    }
}

fn exact(
    promise: Promise,
    got: &[i64],
    expected: &[i64],
    summary: String,
    predictions: Option<(usize, usize)>,
) -> Verdict {
    let differences = got.iter().zip(expected).map(|(a, b)| a.abs_diff(*b) as f64);
    Verdict {
        summary,
        error: differences.fold(0.0, f64::max),
        promised: 0.0,
        worst_case: 0.0,
        promised_budget: Some(promise.worst_case),
        predictions,
        kept: got == expected && promise.worst_case > 0.0,
    }
}

fn worst(got: &[f64], expected: &[f64]) -> f64 {
    let differences = got.iter().zip(expected).map(|(a, b)| (a - b).abs());
    // A value that is no number is an infinite error.
    differences.fold(0.0, |most, error| if error.is_nan() { f64::INFINITY } else { error.max(most) })
}

fn real_scores(model: &Model, table: &Table) -> Vec<f64> {
    let linear = &model.standardized;
    (0..table.malignant.len())
        .map(|row| {
            let terms = linear.weights.iter().zip(&table.features).map(|(weight, column)| weight * column[row]);
            linear.bias + terms.sum::<f64>()
        })
        .collect()
}

fn integer_scores(model: &Model, table: &Table) -> Vec<i64> {
    let (weights, bias) = model.integers();
    let features = table.integers();
    (0..table.malignant.len())
        .map(|row| bias + weights.iter().zip(&features).map(|(weight, column)| weight * column[row]).sum::<i64>())
        .collect()
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

fn variance(values: &[f64]) -> f64 {
    let mean = mean(values);
    values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / values.len() as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::demo::job::jobs;

    fn promise(likely: f64) -> Promise {
        Promise { likely, worst_case: likely }
    }

    #[test]
    fn broken_promises_are_noticed() {
        let model = Model::load().unwrap();
        let table = Table::load(&model).unwrap();
        let jobs = jobs(&model);
        let check = |index: usize, likely: f64, decrypted: &Decrypted| {
            verdict(&jobs[index], promise(likely), decrypted, &model, &table).unwrap().kept
        };
        let mut scores = real_scores(&model, &table);
        assert!(check(0, 1e-6, &Decrypted::Real(vec![scores.clone()])));
        scores[3] += 1e-5;
        assert!(!check(0, 1e-6, &Decrypted::Real(vec![scores.clone()])));
        scores[3] = f64::NAN;
        assert!(!check(0, 1e-6, &Decrypted::Real(vec![scores])));
        assert!(check(3, 5.0, &Decrypted::Integer(vec![vec![212]])));
        assert!(!check(3, 5.0, &Decrypted::Integer(vec![vec![211]])));
        assert!(!check(3, 0.0, &Decrypted::Integer(vec![vec![212]])));
        let mut integers = integer_scores(&model, &table);
        assert!(check(4, 5.0, &Decrypted::Integer(vec![integers.clone()])));
        integers[568] -= 1;
        assert!(!check(4, 5.0, &Decrypted::Integer(vec![integers])));
    }
}
