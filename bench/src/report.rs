//! What a benchmark found.

use std::fmt::Write;

use serde::Serialize;

/// The times of one side of one row, in nanoseconds for each operation.
#[derive(Clone, Debug, Serialize)]
pub struct Sample {
    /// The median.
    pub median_ns: u64,
    /// The lower quartile.
    pub lower_ns: u64,
    /// The upper quartile.
    pub upper_ns: u64,
    /// How many operations were timed.
    pub count: usize,
}

impl Sample {
    /// The quartiles of `times`; zeros for none.
    pub(crate) fn of(mut times: Vec<u64>) -> Self {
        times.sort_unstable();
        let at = |quarter: usize| times.get(times.len() * quarter / 4).or(times.last()).copied().unwrap_or(0);
        Self { median_ns: at(2), lower_ns: at(1), upper_ns: at(3), count: times.len() }
    }
}

/// One row of a table: the same work done by the peer and by Phoca.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// `BFV`, `BGV` or `CKKS`.
    pub scheme: &'static str,
    /// The ring degree.
    pub degree: usize,
    /// Bits of the whole coefficient modulus.
    pub modulus_bits: u32,
    /// What is timed.
    pub name: String,
    /// The peer's times.
    pub peer: Sample,
    /// Phoca's times.
    pub phoca: Sample,
}

impl Row {
    /// How many times faster Phoca is, by the medians.
    pub fn ratio(&self) -> f64 {
        self.peer.median_ns as f64 / self.phoca.median_ns.max(1) as f64
    }
}

/// A table with what is needed to read it.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// The version of this layout.
    pub schema: &'static str,
    /// The peer and its version.
    pub peer: String,
    /// The processor.
    pub machine: String,
    /// Phoca's kernels.
    pub arch: &'static str,
    /// Threads on either side.
    pub threads: usize,
    /// The rows.
    pub rows: Vec<Row>,
}

impl Report {
    /// The rows in which Phoca is slower than the peer.
    pub fn slower_rows(&self) -> impl Iterator<Item = &Row> {
        self.rows.iter().filter(|row| row.ratio() < 1.0)
    }

    /// A Markdown table.
    pub fn markdown(&self) -> String {
        let mut text = format!(
            "{} against Phoca ({} kernels), {} thread, {}\n\nMedians in µs with quartiles; ratio = peer / Phoca.\n\n",
            self.peer, self.arch, self.threads, self.machine
        );
        text.push_str("| n / log q / scheme / operation | SEAL | Phoca | ratio |\n|---|---|---|---|\n");
        for row in &self.rows {
            let side = |sample: &Sample| {
                let us = |ns: u64| ns as f64 / 1000.0;
                format!("{:.1} ({:.1}–{:.1})", us(sample.median_ns), us(sample.lower_ns), us(sample.upper_ns))
            };
            // Writing to a string does not fail.
            let _ = writeln!(
                text,
                "| {} / {} / {} / {} | {} | {} | {:.2} |",
                row.degree,
                row.modulus_bits,
                row.scheme,
                row.name,
                side(&row.peer),
                side(&row.phoca),
                row.ratio()
            );
        }
        text
    }
}

/// The processor's name, where the system tells it.
pub(crate) fn machine() -> String {
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = info.lines().find_map(|line| line.strip_prefix("model name")).and_then(|rest| rest.split_once(':'));
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let model = model.map_or(std::env::consts::ARCH, |(_, name)| name.trim());
    format!("{model}, {cores} cores, {}", std::env::consts::OS)
}
