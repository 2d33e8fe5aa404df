//! What a benchmark found: one shape for every row of every suite, and its Markdown.

mod hosts;
mod markdown;

use std::borrow::Cow;

use serde::Serialize;

use crate::bars;
use crate::chart;
use crate::run::Suite;
use crate::sample::Sample;

/// One row of a table: the same work done by Phoca and, where it can, by the peer. Times are in microseconds.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Entry {
    /// `seal`, `h33`, `he-benchmark`, `tfhe`, or `seal-hosts` for rows of `seal` in other hosts.
    pub suite: &'static str,
    /// `BFV`, `BGV` or `CKKS`; in suite `tfhe` `boolean`, `shortint` or `integer`.
    pub scheme: String,
    /// What is timed, by its published name where it has one.
    pub op: String,
    /// The ring degree; in suite `tfhe` the bits of an operand.
    pub n: usize,
    /// Bits of the whole coefficient modulus, with the special prime; those of the torus in suite `tfhe`.
    pub log_q: u32,
    /// Phoca's threads.
    pub threads: usize,
    /// Phoca's kernels.
    pub arch: String,
    /// The machine; in suite `seal-hosts` the engine and its version.
    pub host: String,
    /// Phoca's median.
    pub ours_us: f64,
    /// The peer and its version.
    pub peer: Option<String>,
    /// The peer's median.
    pub peer_us: Option<f64>,
    /// How many times faster Phoca is, by the medians.
    pub ratio: Option<f64>,
    /// Phoca's quartiles, mean and count.
    pub ours: Sample,
    /// The peer's.
    pub peer_sample: Option<Sample>,
    /// Phoca's times with one thread, where it has several.
    pub one_thread: Option<Sample>,
    /// How many times faster the threads are than one of them.
    pub scaling: Option<f64>,
    /// What exactly the peer's time covers.
    pub peer_form: Option<String>,
    /// The published row that this one repeats.
    pub published: Option<String>,
    /// Its time.
    pub published_us: Option<f64>,
    /// Published time over Phoca's.
    pub published_ratio: Option<f64>,
    /// What the project wants this row's ratio to be at least.
    pub target: Option<Target>,
    /// The time that the arithmetic alone would take; see the docs.
    pub floor_us: Option<f64>,
    /// What this machine's own butterflies would take, from registers.
    pub machine_floor_us: Option<f64>,
    /// Errors and sizes, for suites that measure them.
    pub quality: Option<Quality>,
    /// What suite `tfhe` adds to a row.
    #[serde(flatten)]
    pub bootstrapping: Option<Bootstrapping>,
    /// What a reader must know about the row.
    pub note: Option<String>,
}

/// Parameters, bootstraps and sizes of a row of suite `tfhe`.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Bootstrapping {
    /// Phoca's parameter set.
    pub parameters: String,
    /// The peer's name for it.
    pub peer_parameters: String,
    /// `log2` of the probability that a bootstrap fails, by Phoca's noise model.
    pub log2_failure: f64,
    /// What the peer states.
    pub peer_log2_failure: Option<f64>,
    /// How many items are done at once; times are for one.
    pub items: usize,
    /// Phoca's bootstraps of all items.
    pub bootstraps: u64,
    /// The peer's, where it counts them.
    pub peer_bootstraps: Option<u64>,
    /// Bytes of Phoca's server key in memory.
    pub key_bytes: u64,
    /// The peer's.
    pub peer_key_bytes: Option<u64>,
    /// Bytes of one of Phoca's ciphertexts of a bit or a digit.
    pub ciphertext_bytes: u64,
    /// The peer's.
    pub peer_ciphertext_bytes: Option<u64>,
}

/// A ratio that the project wants to reach.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Target {
    /// The rows that share it.
    pub name: &'static str,
    /// The time that is divided by Phoca's.
    pub against: Against,
    /// The wanted ratio.
    pub at_least: f64,
    /// Whether it is reached.
    pub met: bool,
}

/// The numerator of a [`Target`]'s ratio.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Against {
    /// The peer's time in the same run.
    Peer,
    /// The published time.
    Published,
    /// Phoca's own time with one thread.
    #[serde(rename = "one thread")]
    OneThread,
}

/// How right a result is and how large; or another number, with the limit that it is held to.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Quality {
    /// What the errors are.
    pub measure: Cow<'static, str>,
    /// Phoca's measured error, or what was measured in its place.
    pub ours: f64,
    /// The peer's.
    pub peer: Option<f64>,
    /// The published one, or the published bound.
    pub published: Option<f64>,
    /// Phoca's own bound on the error, which it states without the key.
    pub own_bound: Option<f64>,
    /// What the project wants it to be at most.
    pub limit: Option<f64>,
    /// Bytes of a fresh ciphertext as Phoca saves it, uncompressed.
    pub bytes: Option<u64>,
    /// The peer's.
    pub peer_bytes: Option<u64>,
    /// The published size, in bytes.
    pub published_bytes: Option<u64>,
}

impl Entry {
    pub(crate) fn set_times(&mut self, ours: Sample, peer: Option<(&str, Sample)>) {
        self.ours_us = ours.median;
        self.ours = ours;
        if let Some((name, sample)) = peer {
            self.peer = Some(name.to_owned());
            self.peer_us = Some(sample.median);
            self.ratio = Some(sample.median / ours.median);
            self.peer_sample = Some(sample);
        }
        self.scaling = self.one_thread.map(|one| one.median / ours.median);
        self.published_ratio = self.published_us.map(|published| published / ours.median);
        self.target = bars::target(self);
    }

    /// The ratio that a target concerns.
    pub(crate) fn against(&self, against: Against) -> Option<f64> {
        match against {
            Against::Peer => self.ratio,
            Against::Published => self.published_ratio,
            Against::OneThread => self.scaling,
        }
    }

    /// The column of a row of several hosts: the host, or `native`.
    pub(crate) fn column(&self) -> &str {
        if self.suite == Suite::SealHosts.name() { &self.host } else { "native" }
    }

    /// The row's name in messages.
    pub fn name(&self) -> String {
        let host = if self.suite == Suite::SealHosts.name() { format!("{} ", self.host) } else { String::new() };
        format!("{host}{} {} {}", self.n, self.scheme, self.op)
    }
}

/// The rows of one run with what is needed to read them.
#[derive(Clone, Debug)]
pub struct Report {
    /// The suite.
    pub suite: Suite,
    /// The peer and its version.
    pub peer: String,
    /// The machine.
    pub host: String,
    /// Phoca's kernels.
    pub arch: &'static str,
    /// Phoca's threads.
    pub threads: usize,
    /// The rows.
    pub entries: Vec<Entry>,
    /// What a reader must know about all of them.
    pub notes: Vec<String>,
}

impl Report {
    /// The rows in which Phoca is slower than the peer.
    pub fn slower_rows(&self) -> impl Iterator<Item = &Entry> {
        self.entries.iter().filter(|entry| entry.ratio.is_some_and(|ratio| ratio < 1.0))
    }

    /// The table and the targets.
    pub fn markdown(&self) -> String {
        match self.suite {
            Suite::SealHosts => hosts::write(self),
            _ => markdown::write(self),
        }
    }

    /// A chart of the ratios, legible on light and dark pages.
    pub fn svg(&self) -> String {
        chart::draw(self)
    }
}

/// The processor's name, where the system tells it.
pub(crate) fn host() -> String {
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let field = |name: &str| {
        let line = info.lines().find_map(|line| line.strip_prefix(name))?;
        line.trim_start().strip_prefix(':').map(str::trim)
    };
    let model = field("model name").unwrap_or(std::env::consts::ARCH);
    let family =
        field("cpu family").zip(field("model")).map(|(family, model)| format!(" family {family} model {model}"));
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    format!("{model}{}, {cores} cores, {}", family.unwrap_or_default(), std::env::consts::OS)
}
