//! Suite `tfhe`: boolean gates, short integers and integers next to TFHE-rs, at the same parameter sets.
//!
//! The rows are those of TFHE-rs's published tables and a few more: [`rows`] has them. Each side encrypts the same operands under
//! its own keys; both results are decrypted and compared with the computation in the clear before anything is timed.

mod clear;
mod keys;
mod rows;

use serde_json::{Value, json};

use crate::error::BenchError;
use crate::report::{Bootstrapping, Entry};
use crate::run::{Runner, Suite};
use crate::sample::Sample;
use clear::Words;
use keys::Keys;
use rows::Row;

const QUICK: [usize; 2] = [8, 16];
const ALL: [usize; 6] = [8, 16, 32, 64, 128, 256];

pub(crate) fn run(runner: &mut Runner<'_>) -> Result<(), BenchError> {
    runner.report.notes = notes();
    let widths = runner.options.degrees(Suite::Tfhe, &QUICK, &ALL)?;
    for set in rows::sets(runner.options.quick, &widths) {
        let rows: Vec<Row> = set.rows.iter().copied().filter(|row| wanted(runner, row)).collect();
        if rows.is_empty() {
            continue;
        }
        let keys = Keys::generate(set.layer, set.parameters, runner.options.threads)?;
        for peer_set in set.peer_sets {
            let rows = rows.iter().filter(|row| row.peer_set == *peer_set);
            let mut sizes = None;
            for row in rows {
                if sizes.is_none() {
                    let request = json!({ "command": "sizes", "layer": row.layer.name(), "set": row.peer_set });
                    sizes = Some(runner.ask(&request)?);
                }
                measure(runner, row, &keys, sizes.as_ref().unwrap_or(&Value::Null))?;
            }
        }
        runner.reset_peer()?;
    }
    Ok(())
}

fn notes() -> Vec<String> {
    [
        "Both sides have the same parameter set. Phoca's key switches have 32-bit words whatever the set; rows with `KS32` have \
         the peer's set that does the same.",
        "Bootstraps are those of one operation. TFHE-rs counts none for boolean gates.",
        "Failures: Phoca's are what its noise model gives for a bootstrap, the peer's what it states for its set; for boolean \
         sets these follow different conventions, at equal parameters.",
        "A clear operand of a comparison, `max` or `min` is a trivial ciphertext for Phoca.",
        "Times of rows of 64 items are for one item.",
    ]
    .map(str::to_owned)
    .into()
}

/// Sets whose keys take gigabytes are measured when a filter names them.
fn wanted(runner: &Runner<'_>, row: &Row) -> bool {
    let named = |filter: &String| filter.to_lowercase().contains("4/shortint");
    runner.wants(&entry(runner, row)) && (!row.is_huge() || runner.options.filters.iter().any(named))
}

fn entry(runner: &Runner<'_>, row: &Row) -> Entry {
    let mut entry = runner.bare_entry(row.layer.name(), row.op());
    entry.n = row.bits as usize;
    entry.log_q = 64;
    entry
}

fn measure(runner: &mut Runner<'_>, row: &Row, keys: &Keys, sizes: &Value) -> Result<(), BenchError> {
    let items = row.items();
    let expected: Vec<Words> = items.iter().map(|item| clear::result(row, item)).collect();
    let operation = keys.prepare(row, &items)?;
    let wrong =
        |cause: String| BenchError::WrongResult { row: row.op(), parameters: keys.parameters().name.to_owned(), cause };
    let before = keys.bootstrap_count();
    let results = keys.decrypt(row, &operation.run()?)?;
    let bootstraps = keys.bootstrap_count() - before;
    if results != expected {
        return Err(wrong(format!("{results:x?}, not {expected:x?}")));
    }
    let request = json!({
        "command": "time", "layer": row.layer.name(), "set": row.peer_set, "operation": row.operation,
        "bits": row.bits, "items": items,
    });
    let mut entry = entry(runner, row);
    let (ours, theirs, trial) = runner.take_turns(&request, |count| operation.time(count))?;
    let peer_results: Vec<Words> = serde_json::from_value(trial["results"].clone())?;
    if peer_results != expected {
        return Err(BenchError::PeerRefused {
            request: row.op(),
            cause: format!("its result is {peer_results:x?}, not {expected:x?}"),
        });
    }
    let per_item = |times: Vec<u64>| Sample::of(times.iter().map(|time| time / items.len() as u64).collect());
    let peer = format!("{}, {}", runner.report.peer, row.peer_set);
    entry.bootstrapping = Some(bootstrapping(row, keys, bootstraps, &trial, sizes));
    entry.set_times(per_item(ours), Some((&peer, per_item(theirs))));
    runner.done(entry);
    Ok(())
}

fn bootstrapping(row: &Row, keys: &Keys, bootstraps: u64, trial: &Value, sizes: &Value) -> Bootstrapping {
    let parameters = keys.parameters();
    Bootstrapping {
        parameters: parameters.name.to_owned(),
        peer_parameters: row.peer_set.to_owned(),
        log2_failure: parameters.log2_failure,
        peer_log2_failure: sizes["log2_failure"].as_f64().or_else(|| row.stated_log2_failure()),
        items: row.count,
        bootstraps,
        peer_bootstraps: trial["bootstraps"].as_u64(),
        key_bytes: keys.byte_len() as u64,
        peer_key_bytes: sizes["key_bytes"].as_u64(),
        ciphertext_bytes: parameters.ciphertext_bytes() as u64,
        peer_ciphertext_bytes: sizes["ciphertext_bytes"].as_u64(),
    }
}
