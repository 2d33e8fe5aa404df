//! Suite `seal`: the rows of SEAL's own benchmark, as node-seal publishes them, and a few more.

mod oracle;
mod rows;
mod session;
mod values;

use phoca::{Parameters, Scheme, SecurityLevel, coeff_modulus, plain_modulus};

use crate::error::BenchError;
use crate::published;
use crate::report::Entry;
use crate::run::{Runner, Suite, request};
use rows::Row;
use session::Session;

const QUICK: [usize; 3] = [4096, 8192, 16384];
const ALL: [usize; 6] = [1024, 2048, 4096, 8192, 16384, 32768];

/// The smallest degree, whose one prime leaves no room for products: see [`sets`].
const TINY: usize = 1024;
/// A plain modulus under which products decrypt even there.
const TINY_PLAIN_MODULUS: u64 = 17;

pub(crate) fn run(runner: &mut Runner<'_>) -> Result<(), BenchError> {
    runner.report.notes = notes();
    for degree in runner.options.degrees(Suite::Seal, &QUICK, &ALL)? {
        for scheme in [Scheme::Bfv, Scheme::Bgv, Scheme::Ckks] {
            for set in sets(scheme, degree)? {
                run_set(runner, &set)?;
            }
            runner.reset_peer()?;
        }
    }
    Ok(())
}

fn notes() -> Vec<String> {
    [
        "SEAL's default chain for 128 bits at each n, and for BFV and BGV a plain modulus of 20 bits (14 below n = 4096).",
        "Rows without `Inplace` return a new ciphertext on either side; rows with it work in place, on a copy that is made \
         before the clock starts.",
        "Published: node-seal 5.1's README, SEAL 4.1 without HEXL on an Apple M1 Pro.",
        "Floor: `(n/16)·log2(n)` butterflies of eight lanes at 1.5 cycles and 4.2 GHz, for primes of at most 47 bits.",
    ]
    .map(str::to_owned)
    .into()
}

/// Parameters and the rows to measure under them.
struct Set {
    parameters: Parameters,
    rows: Vec<Row>,
    /// Largest root mean square error of CKKS slots that passes a check.
    tolerance: f64,
}

/// The sets of one scheme and degree. At n = 1024, BFV and BGV products decrypt under no plain modulus that allows
/// batching. Their times do not depend on it, so they are checked and timed under a small one, with polynomials in
/// place of slots.
fn sets(scheme: Scheme, degree: usize) -> Result<Vec<Set>, BenchError> {
    let coeff_modulus = coeff_modulus::seal_default(degree, SecurityLevel::Bits128)?;
    let rows = rows::of(scheme, coeff_modulus.len());
    let tolerance = if degree == TINY { 0.5 } else { 1e-2 };
    let set = |plain_modulus, rows| {
        let parameters = Parameters { scheme, degree, coeff_modulus: coeff_modulus.clone(), plain_modulus };
        Set { parameters, rows, tolerance }
    };
    if scheme == Scheme::Ckks {
        return Ok(vec![set(0, rows)]);
    }
    let batching = plain_modulus::batching(degree, if degree < 4096 { 14 } else { 20 })?;
    if degree != TINY {
        return Ok(vec![set(batching, rows)]);
    }
    let (products, others) = rows.into_iter().partition(|row: &Row| row.is_product());
    Ok(vec![set(batching, others), set(TINY_PLAIN_MODULUS, products)])
}

fn run_set(runner: &mut Runner<'_>, set: &Set) -> Result<(), BenchError> {
    let context = runner.context(&set.parameters)?;
    let wanted: Vec<(Entry, Row)> = set
        .rows
        .iter()
        .map(|&row| (described(runner.entry(&context, row.op()), row), row))
        .filter(|(entry, _)| runner.wants(entry))
        .collect();
    if wanted.is_empty() {
        return Ok(());
    }
    let scale = scale(&set.parameters);
    let session = Session::new(context, scale)?;
    let single = runner.single_context(&set.parameters)?.map(|context| Session::new(context, scale)).transpose()?;
    for (mut entry, row) in wanted {
        let mut request = request(Suite::Seal, &set.parameters, scale, row.peer_operation());
        request["tolerance"] = set.tolerance.into();
        session.check(row.operation, set.tolerance)?;
        entry.machine_floor_us = row.is_one_transform().then(|| session.butterflies_us());
        let single = single.as_ref().map(|single| |count| single.time(row.operation, count));
        runner.compare(&mut entry, &request, |count| session.time(row.operation, count), single)?;
        runner.done(entry);
    }
    Ok(())
}

fn described(mut entry: Entry, row: Row) -> Entry {
    if let Some(published) = published::seal_row(entry.n, row.group, row.name) {
        entry.published = Some(published.label);
        entry.published_us = Some(published.native_us);
    }
    if row.is_one_transform() {
        entry.floor_us = crate::bars::ntt_floor(entry.n);
    }
    entry.note = row.note.map(str::to_owned);
    entry
}

/// The CKKS scale: about the width of the primes, so that a product still fits, and half the bits of a single prime.
fn scale(parameters: &Parameters) -> f64 {
    let primes = &parameters.coeff_modulus;
    let data = primes.len().saturating_sub(1).max(1);
    let bits: u32 = primes[..data].iter().map(|prime| 64 - prime.leading_zeros()).sum();
    let spare = if parameters.degree == TINY { 0 } else { 4 };
    f64::from((bits / 2 - spare).min(40)).exp2()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every published row is measured, under its own name, and no row twice.
    #[test]
    fn no_published_row_is_missing() {
        let mut measured = Vec::new();
        for degree in ALL {
            for scheme in [Scheme::Bfv, Scheme::Bgv, Scheme::Ckks] {
                for set in sets(scheme, degree).expect("parameters") {
                    measured.extend(set.rows.iter().map(|row| (degree, row.group, row.name)));
                }
            }
        }
        for row in published::seal_rows() {
            assert_eq!(measured.iter().filter(|&&known| known == row).count(), 1, "{row:?}");
        }
        let extra = measured.iter().filter(|row| !published::seal_rows().any(|known| known == **row)).count();
        assert_eq!(measured.len(), 378 + extra);
    }

    #[test]
    fn scales_leave_room_for_a_product() {
        for degree in ALL {
            for set in sets(Scheme::Ckks, degree).expect("parameters") {
                let data = set.parameters.coeff_modulus.len().saturating_sub(1).max(1);
                let product: f64 = set.parameters.coeff_modulus[..data].iter().map(|&prime| prime as f64).product();
                assert!(scale(&set.parameters).powi(2) < product, "n = {degree}");
            }
        }
    }
}
