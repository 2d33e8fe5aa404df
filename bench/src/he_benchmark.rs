//! Suite `he-benchmark`: encryption, sums, products and decryption with their errors and the size of a ciphertext, at the
//! parameters of the table that is published under that name, each over 100 runs.

mod repeats;

use phoca::{Parameters, Scheme, SecurityLevel, coeff_modulus, plain_modulus};

use crate::error::BenchError;
use crate::report::{Entry, Quality};
use crate::run::{Runner, Suite, request};
use repeats::{Operation, Repeats};

/// Runs of each operation, as in the original; `--quick` measures errors over fewer.
const RUNS: usize = 100;
const QUICK_RUNS: usize = 10;

/// A published parameter set of CKKS.
struct Published {
    degree: usize,
    scale_bits: u32,
    chain: &'static [u32],
    /// Encrypt, C+P, C+C, C*P, C*C, Decrypt.
    milliseconds: [f64; 6],
    /// Mean absolute percentage errors of C+P, C+C, C*P, C*C, as fractions.
    errors: [f64; 4],
    /// In units of 2^20 bytes, which is what they fit.
    megabytes: f64,
    /// Largest error of any value that passes as right.
    tolerance: f64,
}

const PUBLISHED: [Published; 3] = [
    Published {
        degree: 4096,
        scale_bits: 24,
        chain: &[30, 24, 24, 30],
        milliseconds: [6.21131, 1.24118, 0.13797, 2.84830, 5.27865, 1.16159],
        errors: [1.30e-4, 1.87e-4, 0.39, 1.03],
        megabytes: 0.188,
        tolerance: 2e-2,
    },
    Published {
        degree: 8192,
        scale_bits: 40,
        chain: &[60, 40, 40, 60],
        milliseconds: [12.51202, 2.60122, 0.46410, 5.79688, 10.99037, 2.35254],
        errors: [6.81e-9, 1.53e-8, 5.70e-7, 5.55e-7],
        megabytes: 0.376,
        tolerance: 1e-5,
    },
    Published {
        degree: 16384,
        scale_bits: 50,
        chain: &[60, 50, 50, 50, 50, 50, 50, 60],
        milliseconds: [42.88685, 9.39863, 1.69185, 26.73753, 68.33356, 13.15035],
        errors: [8.64e-12, 1.20e-11, 1.16e-9, 9.69e-10],
        megabytes: 1.753,
        tolerance: 1e-8,
    },
];

/// A published error from which on the results are of no use.
const GARBAGE: f64 = 0.1;

pub(crate) fn run(runner: &mut Runner<'_>) -> Result<(), BenchError> {
    runner.report.notes = notes();
    runner.operations_per_turn = Some(RUNS.div_ceil(runner.options.rounds));
    let all = PUBLISHED.each_ref().map(|set| set.degree);
    for degree in runner.options.degrees(Suite::HeBenchmark, &all[..2], &all)? {
        for set in PUBLISHED.iter().filter(|set| set.degree == degree) {
            for scheme in [Scheme::Ckks, Scheme::Bfv] {
                run_set(runner, set, scheme)?;
                runner.reset_peer()?;
            }
        }
    }
    Ok(())
}

fn parameters(set: &Published, scheme: Scheme) -> Result<Parameters, BenchError> {
    let degree = set.degree;
    let (coeff_modulus, plain_modulus) = match scheme {
        Scheme::Ckks => (coeff_modulus::create(degree, set.chain)?, 0),
        _ => (coeff_modulus::seal_default(degree, SecurityLevel::Bits128)?, plain_modulus::batching(degree, 20)?),
    };
    Ok(Parameters { scheme, degree, coeff_modulus, plain_modulus })
}

fn run_set(runner: &mut Runner<'_>, set: &Published, scheme: Scheme) -> Result<(), BenchError> {
    let parameters = parameters(set, scheme)?;
    let context = runner.context(&parameters)?;
    let scale = f64::from(set.scale_bits).exp2();
    let wanted: Vec<(Entry, Operation)> = Operation::ALL
        .into_iter()
        .map(|operation| (described(runner.entry(&context, operation.name()), set, operation), operation))
        .filter(|(entry, _)| runner.wants(entry))
        .collect();
    if wanted.is_empty() {
        return Ok(());
    }
    let mut repeats = Repeats::new(context, scale)?;
    let single = runner.single_context(&parameters)?.map(|context| Repeats::new(context, scale)).transpose()?;
    let runs = if runner.options.quick { QUICK_RUNS } else { RUNS };
    for (mut entry, operation) in wanted {
        let error = repeats.error(operation, runs, set.tolerance)?;
        let mut request = request(Suite::HeBenchmark, &parameters, scale, operation.peer_row());
        request["runs"] = runs.into();
        request["tolerance"] = if scheme == Scheme::Ckks { set.tolerance } else { 0.0 }.into();
        let single = single.as_ref().map(|single| |count| single.time(operation, count));
        let answer = runner.compare(&mut entry, &request, |count| repeats.time(operation, count), single)?;
        entry.quality = Some(quality(entry.quality.take(), error, repeats.bytes(), &answer));
        runner.done(entry);
    }
    Ok(())
}

/// With what was published, which is for CKKS only.
fn described(mut entry: Entry, set: &Published, operation: Operation) -> Entry {
    let mut notes = vec![operation.description(entry.scheme == Scheme::Ckks.name())];
    let column = operation.published_column().filter(|_| entry.scheme == Scheme::Ckks.name());
    if let Some(column) = column {
        let chain: Vec<String> = set.chain.iter().map(u32::to_string).collect();
        entry.published =
            Some(format!("CKKS {}-{}-[{}] {}", set.degree, set.scale_bits, chain.join("_"), operation.name()));
        entry.published_us = Some(set.milliseconds[column] * 1000.0);
        let published = column.checked_sub(1).and_then(|column| set.errors.get(column)).copied();
        if published.is_some_and(|error| error > GARBAGE) {
            let set = set.degree;
            notes.push(format!(
                "the error published for n = {set} is garbage, no result of use has it; at these parameters \
                 both libraries compute rightly"
            ));
        }
        let published_bytes = (column == 0).then(|| (set.megabytes * f64::from(1 << 20)) as u64);
        entry.quality = Some(Quality { published, published_bytes, ..Quality::default() });
    }
    entry.note = Some(notes.join("; "));
    entry
}

fn quality(described: Option<Quality>, error: f64, bytes: u64, answer: &serde_json::Value) -> Quality {
    Quality {
        measure: "mean absolute percentage error, as a fraction of 1".into(),
        ours: error,
        peer: answer["error"].as_f64(),
        bytes: Some(bytes),
        peer_bytes: answer["bytes"].as_u64(),
        ..described.unwrap_or_default()
    }
}

fn notes() -> Vec<String> {
    [
        "CKKS at the published parameters `n-scale-[primes]`. No parameters or times are published for BFV: SEAL's default \
         chain and a plain modulus of 20 bits at the same n. Values from 0 to 1, integers from 0 to 100, in all slots; fresh \
         ones in each run of an error.",
        "Published: SEAL 3 through Python on a Xeon E5-2630 at 2.6 GHz, means of 100 runs.",
        "What an operation covers is inferred, since the page does not say: the published times are a constant few times \
         SEAL's here only if `Encrypt`, `C+P` and `C*P` encode, `Decrypt` decodes, `C*P` and `C*C` are rescaled and `C*C` is \
         relinearized. The rows that leave that out are beside them.",
        "Errors are means of |got - wanted| / |wanted| over slots and runs (wanted = 0 left out), as fractions of 1; where \
         wanted values come near 0 they vary from run to run. Before anything is timed every slot is within a fixed distance \
         of the wanted value; BFV is exact.",
        "The published sizes fit uncompressed ciphertexts in units of 2^20 bytes.",
    ]
    .map(str::to_owned)
    .into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_published_sets_are_secure_and_their_sizes_fit() {
        for set in &PUBLISHED {
            let context = parameters(set, Scheme::Ckks).unwrap().build().expect("128 bits of security");
            let bytes = 2 * 8 * set.degree * context.first_level().prime_count();
            let published = set.megabytes * f64::from(1 << 20);
            assert!((bytes as f64 / published - 1.0).abs() < 3e-3, "n = {}: {bytes} and {published}", set.degree);
        }
    }

    #[test]
    fn only_the_smallest_set_is_flagged() {
        let described = |set: &Published, operation| {
            let entry = Entry { scheme: "CKKS".into(), ..Entry::default() };
            described(entry, set, operation).note.unwrap_or_default()
        };
        for operation in [Operation::MultiplyPlain, Operation::Multiply] {
            assert!(described(&PUBLISHED[0], operation).contains("garbage"));
            assert!(!described(&PUBLISHED[1], operation).contains("garbage"));
        }
        assert!(!described(&PUBLISHED[0], Operation::Add).contains("garbage"));
    }
}
