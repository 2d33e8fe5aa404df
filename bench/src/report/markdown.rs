//! A report as Markdown: only the columns that some row fills.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::{Against, Bootstrapping, Entry, Report};
use crate::sample::Sample;

/// A column: its title and the cell of a row.
struct Column {
    title: &'static str,
    cell: fn(&Entry) -> Option<String>,
}

const LABEL: &str = "n / log q / scheme / operation";

const COLUMNS: &[Column] = &[
    Column { title: LABEL, cell: |entry| Some(label(entry)) },
    Column { title: "SEAL µs", cell: |entry| entry.peer_sample.as_ref().map(spread) },
    Column { title: "Phoca µs", cell: |entry| Some(spread(&entry.ours)) },
    Column {
        title: "SEAL bootstraps",
        cell: |entry| entry.bootstrapping.as_ref()?.peer_bootstraps.map(|count| count.to_string()),
    },
    Column { title: "Phoca bootstraps", cell: |entry| Some(entry.bootstrapping.as_ref()?.bootstraps.to_string()) },
    Column { title: "ratio", cell: |entry| entry.ratio.map(|ratio| format!("{ratio:.2}")) },
    Column { title: "one thread / Phoca", cell: |entry| entry.scaling.map(|scaling| format!("{scaling:.2}")) },
    Column { title: "published µs", cell: |entry| entry.published_us.map(microseconds) },
    Column {
        title: "published / Phoca",
        cell: |entry| entry.published_ratio.filter(|_| entry.suite != "seal").map(|ratio| format!("{ratio:.1}")),
    },
    Column { title: "target", cell: |entry| entry.target.map(|target| verdict(target.at_least, target.met)) },
    Column {
        title: "Phoca / floor",
        cell: |entry| entry.floor_us.map(|floor| format!("{:.2}", entry.ours_us / floor)),
    },
    Column {
        title: "Phoca / this machine's butterflies",
        cell: |entry| entry.machine_floor_us.map(|floor| format!("{:.2}", entry.ours_us / floor)),
    },
    Column { title: "Phoca error", cell: |entry| entry.quality.as_ref().map(|quality| error(quality.ours)) },
    Column { title: "SEAL error", cell: |entry| entry.quality.as_ref()?.peer.map(error) },
    Column { title: "published error", cell: |entry| entry.quality.as_ref()?.published.map(error) },
    Column { title: "Phoca's bound", cell: |entry| entry.quality.as_ref()?.own_bound.map(error) },
    Column { title: "Phoca bytes", cell: |entry| entry.quality.as_ref()?.bytes.map(|bytes| bytes.to_string()) },
    Column { title: "SEAL bytes", cell: |entry| entry.quality.as_ref()?.peer_bytes.map(|bytes| bytes.to_string()) },
    Column {
        title: "published bytes",
        cell: |entry| entry.quality.as_ref()?.published_bytes.map(|bytes| bytes.to_string()),
    },
];

pub(super) fn write(report: &Report) -> String {
    let Report { suite, peer, host, arch, threads, entries, notes } = report;
    let mut text = format!("# Suite `{}`: {peer} and Phoca\n\n", suite.name());
    let name = suite.peer_name();
    let peer_threads = if suite.peer_has_threads() { "as many" } else { "one thread" };
    text.push_str(&format!("{host}; Phoca: {arch} kernels, {threads} thread(s); {name}: {peer_threads}.\n\n"));
    text.push_str(&format!("Medians with quartiles; ratio = {name} / Phoca, both in turns in one run.\n\n"));
    for note in notes {
        text.push_str(&format!("* {note}\n"));
    }
    if !notes.is_empty() {
        text.push('\n');
    }
    table(&mut text, entries, suite.peer_name());
    sizes(&mut text, entries, suite.peer_name());
    footnotes(&mut text, entries);
    threads_against_one(&mut text, entries);
    targets(&mut text, entries);
    text
}

fn table(text: &mut String, entries: &[Entry], peer: &str) {
    let used = |column: &&Column| entries.iter().any(|entry| (column.cell)(entry).is_some());
    let columns: Vec<&Column> = COLUMNS.iter().filter(used).collect();
    let title = |column: &&Column| match column.title {
        LABEL if entries.iter().any(|entry| entry.bootstrapping.is_some()) => "bits / layer / operation".to_owned(),
        title => title.replace("SEAL", peer),
    };
    let line = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
    text.push_str(&line(columns.iter().map(title).collect()));
    text.push_str(&line(columns.iter().map(|_| "---".to_owned()).collect()));
    for entry in entries {
        text.push_str(&line(columns.iter().map(|column| (column.cell)(entry).unwrap_or_default()).collect()));
    }
}

/// Parameter sets with the sizes of their keys and ciphertexts, once each.
fn sizes(text: &mut String, entries: &[Entry], peer: &str) {
    let mut known: Vec<&Bootstrapping> = Vec::new();
    for set in entries.iter().filter_map(|entry| entry.bootstrapping.as_ref()) {
        if !known.iter().any(|old| (&old.parameters, &old.peer_parameters) == (&set.parameters, &set.peer_parameters)) {
            known.push(set);
        }
    }
    if known.is_empty() {
        return;
    }
    // Writing to a string does not fail.
    let _ = write!(
        text,
        "\n## Parameter sets\n\nServer keys in memory and one ciphertext, in bytes.\n\n\
         | Phoca | {peer} | log2 p_fail | {peer} states | key | {peer} key | ciphertext | {peer} ciphertext |\n\
         | --- | --- | --- | --- | --- | --- | --- | --- |\n"
    );
    for set in known {
        let number = |value: Option<u64>| value.map_or_else(String::new, |value| value.to_string());
        let stated = set.peer_log2_failure.map_or_else(String::new, |value| format!("{value:.1}"));
        let cells = [
            set.parameters.clone(),
            set.peer_parameters.clone(),
            format!("{:.1}", set.log2_failure),
            stated,
            set.key_bytes.to_string(),
            number(set.peer_key_bytes),
            set.ciphertext_bytes.to_string(),
            number(set.peer_ciphertext_bytes),
        ];
        let _ = writeln!(text, "| {} |", cells.join(" | "));
    }
}

/// What operations need to have said, once for all that share it.
pub(super) fn footnotes(text: &mut String, entries: &[Entry]) {
    let mut notes: Vec<(&str, Vec<&str>)> = Vec::new();
    for entry in entries {
        let Some(note) = entry.note.as_deref() else { continue };
        let position = notes.iter().position(|(known, _)| *known == note).unwrap_or(notes.len());
        if position == notes.len() {
            notes.push((note, Vec::new()));
        }
        let operations = &mut notes[position].1;
        if !operations.contains(&entry.op.as_str()) {
            operations.push(&entry.op);
        }
    }
    if !notes.is_empty() {
        text.push('\n');
    }
    for (note, operations) in notes {
        text.push_str(&format!("* {}: {note}.\n", operations.join(", ")));
    }
}

/// The rows that have to gain from threads.
fn threads_against_one(text: &mut String, entries: &[Entry]) {
    let concerned = |entry: &&Entry| entry.target.is_some_and(|target| target.against == Against::OneThread);
    let rows: Vec<&Entry> = entries.iter().filter(concerned).collect();
    let Some(first) = rows.first() else { return };
    // Writing to a string does not fail.
    let _ = write!(
        text,
        "\n## {0} threads against one\n\nBoth in turns in one run.\n\n\
         | row | one thread µs | {0} threads µs | gain | target |\n| --- | --- | --- | --- | --- |\n",
        first.threads
    );
    for entry in rows {
        let (Some(one), Some(gain), Some(target)) = (&entry.one_thread, entry.scaling, entry.target) else { continue };
        let cells = [label(entry), spread(one), spread(&entry.ours), format!("{gain:.2}")];
        let _ = writeln!(text, "| {} | {} |", cells.join(" | "), verdict(target.at_least, target.met));
    }
}

/// Each target with the worst of its rows.
fn targets(text: &mut String, entries: &[Entry]) {
    let mut worst: BTreeMap<(&str, usize, &str), &Entry> = BTreeMap::new();
    let reached = |entry: &Entry| entry.against(entry.target?.against);
    for entry in entries {
        let Some(target) = entry.target else { continue };
        // Workloads are targets of their own.
        let own = if target.against == Against::Published { entry.op.as_str() } else { "" };
        let slot = worst.entry((target.name, entry.n, own)).or_insert(entry);
        if reached(entry) < reached(slot) {
            *slot = entry;
        }
    }
    if worst.is_empty() {
        return;
    }
    text.push_str(
        "\n## Targets\n\nEach with the row that is furthest from it.\n\n| rows | n | target | ratio | row |\n",
    );
    text.push_str("| --- | --- | --- | --- | --- |\n");
    for ((name, n, _), entry) in &worst {
        let (Some(target), Some(ratio)) = (entry.target, reached(entry)) else { continue };
        // Writing to a string does not fail.
        let _ = writeln!(
            text,
            "| {name} | {n} | {} | {ratio:.2} | {} / {} |",
            verdict(target.at_least, target.met),
            entry.scheme,
            entry.op
        );
    }
    let met = worst.values().filter(|entry| entry.target.is_some_and(|target| target.met)).count();
    text.push_str(&format!("\n{met} of {} met.\n", worst.len()));
}

/// The published label where there is one, so that a reader finds it there.
fn label(entry: &Entry) -> String {
    if entry.bootstrapping.is_some() {
        return format!("{} bits / {} / {}", entry.n, entry.scheme, entry.op);
    }
    let own = || format!("n={} / log(q)={} / {} / {}", entry.n, entry.log_q, entry.scheme, entry.op);
    entry.published.clone().filter(|_| entry.suite == "seal").unwrap_or_else(own)
}

pub(super) fn spread(sample: &Sample) -> String {
    format!("{} ({}–{})", microseconds(sample.median), microseconds(sample.lower), microseconds(sample.upper))
}

pub(super) fn microseconds(time: f64) -> String {
    if time < 10.0 { format!("{time:.2}") } else { format!("{time:.1}") }
}

pub(super) fn verdict(at_least: f64, met: bool) -> String {
    format!("≥ {at_least} {}", if met { "met" } else { "missed" })
}

/// Small numbers as powers of two; an exact result is 0.
fn error(value: f64) -> String {
    if value == 0.0 { "0".to_owned() } else { format!("{value:.2e} (2^{:.1})", value.log2()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::Suite;

    fn entry(op: &str, peer: f64, note: Option<&str>) -> Entry {
        let mut entry = Entry {
            suite: "seal",
            scheme: "CKKS".into(),
            op: op.into(),
            n: 8192,
            log_q: 218,
            arch: "ifma".into(),
            note: note.map(str::to_owned),
            ..Entry::default()
        };
        let times = |median| Sample { median, lower: median, upper: 2.0 * median, ..Sample::default() };
        entry.set_times(times(2.0), Some(("SEAL", times(peer))));
        entry
    }

    fn markdown(entries: Vec<Entry>) -> String {
        let (peer, host) = ("SEAL".into(), "a machine".into());
        write(&Report {
            suite: Suite::Seal,
            peer,
            host,
            arch: "ifma",
            threads: 1,
            entries,
            notes: vec!["Read this.".into()],
        })
    }

    #[test]
    fn a_row_has_medians_quartiles_ratio_and_target() {
        let text = markdown(vec![entry("EvaluateMulCt", 20.0, None), entry("EvaluateSquare", 8.0, None)]);
        assert!(text.contains("a machine; Phoca: ifma kernels, 1 thread(s)"), "{text}");
        let row =
            "| n=8192 / log(q)=218 / CKKS / EvaluateMulCt | 20.0 (20.0–40.0) | 2.00 (2.00–4.00) | 10.00 | ≥ 9 met |";
        assert!(text.contains(row), "{text}");
        assert!(text.contains("EvaluateSquare | 8.00 (8.00–16.0) | 2.00 (2.00–4.00) | 4.00 |  |"), "{text}");
        assert!(!text.contains("published"), "no row fills that column: {text}");
    }

    #[test]
    fn targets_show_the_worst_row_and_how_many_are_met() {
        let rows = vec![
            entry("EvaluateMulCt", 20.0, None),
            entry("EvaluateMulCtInplace", 12.0, None),
            entry("EncodeDouble", 18.0, None),
        ];
        let text = markdown(rows);
        assert!(
            text.contains("| CKKS and BGV multiply | 8192 | ≥ 9 missed | 6.00 | CKKS / EvaluateMulCtInplace |"),
            "{text}"
        );
        assert!(text.contains("| CKKS encode, decode | 8192 | ≥ 8 met | 9.00 | CKKS / EncodeDouble |"), "{text}");
        assert!(text.ends_with("1 of 2 met.\n"), "{text}");
    }

    #[test]
    fn rows_that_have_to_gain_from_threads_show_both_times() {
        let mut rotate = entry("EvaluateRotate", 20.0, None);
        let times = |median| Sample { median, lower: median, upper: median, ..Sample::default() };
        (rotate.n, rotate.threads, rotate.one_thread) = (16384, 2, Some(times(3.5)));
        rotate.set_times(times(2.0), Some(("SEAL", times(20.0))));
        let text = markdown(vec![rotate, entry("EvaluateRescaleInplace", 20.0, None)]);
        let row = "CKKS / EvaluateRotate | 3.50 (3.50–3.50) | 2.00 (2.00–2.00) | 1.75 | ≥ 1.6 met |\n";
        assert!(text.contains("## 2 threads against one\n") && text.contains(row), "{text}");
        assert!(!text[text.find("against one").unwrap()..].contains("EvaluateRescale / "), "{text}");
        assert!(!markdown(vec![entry("EvaluateRotate", 20.0, None)]).contains("against one"));
    }

    #[test]
    fn a_note_is_said_once() {
        let text =
            markdown(vec![entry("A", 1.0, Some("long")), entry("B", 1.0, Some("long")), entry("A", 1.0, Some("long"))]);
        assert_eq!(text.matches("* A, B: long.\n").count(), 1, "{text}");
        assert_eq!(text.matches("long").count(), 1, "{text}");
    }
}
