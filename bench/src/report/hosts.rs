//! A report of several hosts as Markdown: a table for each scheme and degree with a column for each host.

use std::fmt::Write;

use super::markdown::{footnotes, microseconds, spread, verdict};
use super::{Entry, Report, Suite};

pub(super) fn write(report: &Report) -> String {
    let Report { suite, peer, host, arch, entries, notes, .. } = report;
    let mut text = format!("# Suite `{}`: {peer} and Phoca\n\n", suite.name());
    text.push_str(&format!("{host}; native kernels: {arch}; one thread on either side.\n\n"));
    text.push_str("Medians; both sides in turns in one run.\n\n");
    for note in notes {
        text.push_str(&format!("* {note}\n"));
    }
    columns(&mut text, entries);
    let rows: Vec<&Entry> = entries.iter().filter(|entry| entry.quality.is_none() && entry.threads == 1).collect();
    let mut tables: Vec<(usize, &str, u32)> = Vec::new();
    for row in &rows {
        let table = (row.n, row.scheme.as_str(), row.log_q);
        if !tables.contains(&table) {
            tables.push(table);
        }
    }
    for (n, scheme, log_q) in tables {
        let concerned: Vec<&Entry> = rows.iter().copied().filter(|row| row.n == n && row.scheme == scheme).collect();
        text.push_str(&format!("\n## {scheme}, n = {n}, log q = {log_q}\n\n"));
        table(&mut text, &concerned);
    }
    footnotes(&mut text, entries);
    threads(&mut text, entries);
    facts(&mut text, entries);
    targets(&mut text, entries);
    text
}

/// Which libraries and kernels a column has.
fn columns(text: &mut String, entries: &[Entry]) {
    for column in names(entries.iter().filter(|entry| entry.peer.is_some())) {
        let Some(entry) = entries.iter().find(|entry| entry.column() == column) else { continue };
        let peer = entry.peer.as_deref().unwrap_or_default();
        text.push_str(&format!("* `{column}`: {peer}; Phoca with {} kernels.\n", entry.arch));
    }
}

fn names<'a>(entries: impl Iterator<Item = &'a Entry>) -> Vec<&'a str> {
    let mut names = Vec::new();
    for name in entries.map(Entry::column) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

fn table(text: &mut String, rows: &[&Entry]) {
    let columns = names(rows.iter().copied());
    let mut operations: Vec<&str> = Vec::new();
    for row in rows {
        if !operations.contains(&row.op.as_str()) {
            operations.push(&row.op);
        }
    }
    text.push_str(&format!("| operation | {} |\n| --- |{}\n", columns.join(" | "), " --- |".repeat(columns.len())));
    for operation in operations {
        let cell = |column: &&str| {
            let row = rows.iter().find(|row| row.op == operation && row.column() == *column);
            row.map_or(String::new(), |row| cell(row))
        };
        let cells: Vec<String> = columns.iter().map(cell).collect();
        text.push_str(&format!("| {operation} | {} |\n", cells.join(" | ")));
    }
}

fn cell(row: &Entry) -> String {
    let ratio = row.ratio.map_or(String::new(), |ratio| format!(" · {ratio:.2}×"));
    format!("{}{ratio}", microseconds(row.ours_us))
}

fn threads(text: &mut String, entries: &[Entry]) {
    let mut rows =
        entries.iter().filter(|entry| entry.one_thread.is_some() && entry.suite == Suite::SealHosts.name()).peekable();
    let Some(first) = rows.peek() else { return };
    // Writing to a string does not fail.
    let _ = write!(
        text,
        "\n## {0} threads against one\n\n| host | n / scheme / operation | one thread µs | {0} threads µs | gain | target |\n\
         | --- | --- | --- | --- | --- | --- |\n",
        first.threads
    );
    for row in rows {
        let (Some(one), Some(gain)) = (&row.one_thread, row.scaling) else { continue };
        let target = row.target.map_or(String::new(), |target| verdict(target.at_least, target.met));
        let (one, two) = (spread(one), spread(&row.ours));
        let _ = writeln!(
            text,
            "| {} | {} / {} / {} | {one} | {two} | {gain:.2} | {target} |",
            row.host, row.n, row.scheme, row.op
        );
    }
}

/// Sizes, times and memory with their limits.
fn facts(text: &mut String, entries: &[Entry]) {
    let mut facts = entries.iter().filter_map(|entry| entry.quality.as_ref().map(|fact| (entry, fact))).peekable();
    if facts.peek().is_none() {
        return;
    }
    text.push_str("\n## The package\n\n| host | what | value | limit |\n| --- | --- | --- | --- |\n");
    for (entry, fact) in facts {
        let limit = fact
            .limit
            .map_or(String::new(), |limit| format!("≤ {limit} {}", if fact.ours <= limit { "met" } else { "missed" }));
        let _ = writeln!(text, "| {} | {}: {} | {:.2} | {limit} |", entry.host, entry.op, fact.measure, fact.ours);
    }
}

/// Each target in each host with the worst of its rows.
fn targets(text: &mut String, entries: &[Entry]) {
    let mut worst: Vec<&Entry> = Vec::new();
    let key = |entry: &Entry| entry.target.map(|target| (target.name, entry.n, entry.column().to_owned()));
    let reached = |entry: &Entry| entry.target.and_then(|target| entry.against(target.against));
    for entry in entries.iter().filter(|entry| entry.target.is_some() && entry.suite == Suite::SealHosts.name()) {
        match worst.iter_mut().find(|known| key(known) == key(entry)) {
            Some(known) if reached(entry) < reached(known) => *known = entry,
            Some(_) => {}
            None => worst.push(entry),
        }
    }
    if worst.is_empty() {
        return;
    }
    text.push_str(
        "\n## Targets\n\nEach with the row that is furthest from it.\n\n| host | rows | n | target | ratio | row |\n",
    );
    text.push_str("| --- | --- | --- | --- | --- | --- |\n");
    for entry in &worst {
        let (Some(target), Some(ratio)) = (entry.target, reached(entry)) else { continue };
        let verdict = verdict(target.at_least, target.met);
        let (host, name, n) = (&entry.host, target.name, entry.n);
        let _ = writeln!(text, "| {host} | {name} | {n} | {verdict} | {ratio:.2} | {} / {} |", entry.scheme, entry.op);
    }
    let met = worst.iter().filter(|entry| entry.target.is_some_and(|target| target.met)).count();
    text.push_str(&format!("\n{met} of {} met.\n", worst.len()));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::Quality;
    use crate::sample::Sample;

    fn entry(host: &str, op: &str, peer: f64) -> Entry {
        let suite = if host.is_empty() { "seal" } else { "seal-hosts" };
        let mut entry = Entry {
            suite,
            scheme: "BFV".into(),
            op: op.into(),
            n: 4096,
            log_q: 109,
            threads: 1,
            arch: "simd128".into(),
            host: host.into(),
            ..Entry::default()
        };
        let times = |median| Sample { median, ..Sample::default() };
        entry.set_times(times(2.0), Some(("node-seal 6.0.3", times(peer))));
        entry
    }

    fn report(entries: Vec<Entry>) -> String {
        let notes = vec!["Read this.".to_owned()];
        let (peer, host) = ("node-seal".to_owned(), "a machine".to_owned());
        write(&Report { suite: Suite::SealHosts, peer, host, arch: "ifma", threads: 1, entries, notes })
    }

    #[test]
    fn each_host_has_a_column() {
        let text = report(vec![
            entry("", "EvaluateMulCt", 20.0),
            entry("", "EvaluatePlainToNTT", 20.0),
            entry("node-20.20", "EvaluateMulCt", 8.0),
            entry("firefox-153", "EvaluateMulCt", 5.0),
        ]);
        assert!(text.contains("* Read this.\n* `native`: node-seal 6.0.3; Phoca with simd128 kernels.\n"), "{text}");
        let table = "## BFV, n = 4096, log q = 109\n\n| operation | native | node-20.20 | firefox-153 |\n| --- | --- | --- | --- |\n\
                     | EvaluateMulCt | 2.00 · 10.00× | 2.00 · 4.00× | 2.00 · 2.50× |\n| EvaluatePlainToNTT | 2.00 · 10.00× |  |  |\n";
        assert!(text.contains(table), "{text}");
        assert!(text.contains("| node-20.20 | BFV multiply | 4096 | ≥ 3 met | 4.00 | BFV / EvaluateMulCt |"), "{text}");
        assert!(text.contains("| firefox-153 | BFV multiply | 4096 | ≥ 3 missed | 2.50 |"), "{text}");
        assert!(text.ends_with("\n1 of 2 met.\n") && !text.contains("The package"), "{text}");
    }

    #[test]
    fn threads_and_facts_have_tables_of_their_own() {
        let mut rotate = entry("node-20.20", "EvaluateRotateRows", 8.0);
        (rotate.n, rotate.threads, rotate.one_thread) = (16384, 2, Some(Sample { median: 3.0, ..Sample::default() }));
        rotate.set_times(rotate.ours, None);
        let quality =
            Quality { measure: "kB after gzip".into(), ours: 612.0, limit: Some(500.0), ..Quality::default() };
        let fact =
            Entry { suite: "seal-hosts", op: "Size/simd.wasm".into(), quality: Some(quality), ..Entry::default() };
        let text = report(vec![rotate, fact]);
        assert!(text.contains("## 2 threads against one\n") && text.contains("| 1.50 | ≥ 1.5 met |"), "{text}");
        assert!(text.contains("Size/simd.wasm: kB after gzip | 612.00 | ≤ 500 missed |"), "{text}");
        assert!(!text.contains("## BFV"), "{text}");
    }
}
