//! What all suites share: the options, the peer, and taking turns.

use std::path::{Path, PathBuf};

use phoca::ring::arch::Arch;
use phoca::{Context, Parameters};
use serde_json::{Value, json};

use crate::error::BenchError;
use crate::hosts::{self, Host};
use crate::peer::Peer;
use crate::report::{Entry, Report, host};
use crate::sample::Sample;
use crate::{h33, he_benchmark, seal, tfhe};

/// What there is to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Suite {
    /// Every row of SEAL's own benchmark, as node-seal publishes it.
    Seal,
    /// The six encrypted workloads that H33 publishes.
    H33,
    /// The operations, errors and sizes that he-benchmark publishes.
    HeBenchmark,
    /// The rows of TFHE-rs's published tables, next to TFHE-rs.
    Tfhe,
    /// Suite `seal` in the hosts that the options name.
    SealHosts,
}

impl Suite {
    /// The name on the command line and in results.
    pub fn name(self) -> &'static str {
        match self {
            Self::Seal => "seal",
            Self::H33 => "h33",
            Self::HeBenchmark => "he-benchmark",
            Self::Tfhe => "tfhe",
            Self::SealHosts => "seal-hosts",
        }
    }

    /// The peer's name in tables.
    pub(crate) fn peer_name(self) -> &'static str {
        if self == Self::Tfhe { "TFHE-rs" } else { "SEAL" }
    }

    /// Whether the peer has as many threads as Phoca; else it has one.
    pub(crate) fn peer_has_threads(self) -> bool {
        self == Self::Tfhe
    }

    /// The peer's driver.
    fn driver(self) -> &'static str {
        if self == Self::Tfhe { "tfhe-rs" } else { "seal" }
    }
}

/// How to run a suite.
#[derive(Clone, Debug)]
pub struct Options {
    /// The folder of the peers' drivers.
    pub peers: PathBuf,
    /// Fewer degrees and repetitions.
    pub quick: bool,
    /// Ring degrees, in suite `tfhe` bits of integers, in place of the suite's own choice.
    pub degrees: Option<Vec<usize>>,
    /// Only rows whose `n/scheme/operation` contains one of these; all rows where there are none.
    pub filters: Vec<String>,
    /// Turns of each side in a row.
    pub rounds: usize,
    /// Phoca's threads, in suite `tfhe` the peer's too. SEAL has one.
    pub threads: usize,
    /// Where suite `seal-hosts` runs.
    pub hosts: Vec<Host>,
}

impl Options {
    /// One thread and all rows.
    pub fn new(peers: &Path, quick: bool) -> Self {
        let rounds = if quick { 3 } else { 5 };
        Self {
            peers: peers.to_owned(),
            quick,
            degrees: None,
            filters: Vec::new(),
            rounds,
            threads: 1,
            hosts: Vec::new(),
        }
    }

    /// The degrees to measure, of those that the suite has.
    pub(crate) fn degrees(&self, suite: Suite, quick: &[usize], all: &[usize]) -> Result<Vec<usize>, BenchError> {
        let chosen = self.degrees.as_deref().unwrap_or(if self.quick { quick } else { all });
        if let Some(&degree) = chosen.iter().find(|degree| !all.contains(degree)) {
            let known = all.iter().map(usize::to_string).collect::<Vec<_>>().join(", ");
            return Err(BenchError::UnknownDegree { suite: suite.name(), degree, known });
        }
        Ok(all.iter().copied().filter(|degree| chosen.contains(degree)).collect())
    }
}

/// Runs a suite; `progress` hears of each row as it is done.
///
/// # Errors
///
/// [`BenchError`] where the peer cannot be used or a result is wrong on either side.
pub fn run(suite: Suite, options: &Options, progress: impl FnMut(&Entry)) -> Result<Report, BenchError> {
    let report = match suite {
        Suite::Seal => Runner::measure(suite, options, progress, seal::run)?,
        Suite::H33 => Runner::measure(suite, options, progress, h33::run)?,
        Suite::HeBenchmark => Runner::measure(suite, options, progress, he_benchmark::run)?,
        Suite::Tfhe => Runner::measure(suite, options, progress, tfhe::run)?,
        Suite::SealHosts => hosts::run(options, progress)?,
    };
    if report.entries.is_empty() {
        return Err(BenchError::NoRow { suite: suite.name(), filters: options.filters.join(", ") });
    }
    Ok(report)
}

/// A suite in progress.
pub(crate) struct Runner<'a> {
    pub(crate) options: &'a Options,
    pub(crate) report: Report,
    /// In place of as many as fill a turn's time.
    pub(crate) operations_per_turn: Option<usize>,
    peer: Peer,
    progress: Box<dyn FnMut(&Entry) + 'a>,
}

/// Times of one turn should add up to about this, so that a row takes a fraction of a second.
const TURN_NS: u64 = 20_000_000;

/// What runs before them in a turn without being timed, until caches are full and cores are awake.
const WARM_UP_NS: u64 = 10_000_000;

/// The same with several threads: those that have slept share one core at first, for up to 60 ms on Linux.
const THREADS_WARM_UP_NS: u64 = 150_000_000;

impl<'a> Runner<'a> {
    fn measure(
        suite: Suite,
        options: &'a Options,
        progress: impl FnMut(&Entry) + 'a,
        rows: fn(&mut Self) -> Result<(), BenchError>,
    ) -> Result<Report, BenchError> {
        let mut runner = Self::start(suite, options, progress)?;
        rows(&mut runner)?;
        Ok(runner.report)
    }

    fn start(suite: Suite, options: &'a Options, progress: impl FnMut(&Entry) + 'a) -> Result<Self, BenchError> {
        let mut peer = Peer::start(&options.peers, suite.driver(), options.threads)?;
        let version = peer.ask(&json!({ "command": "version" }))?;
        let name = |field: &str| version[field].as_str().unwrap_or("?").to_owned();
        let report = Report {
            suite,
            peer: format!("{} ({} {})", suite.peer_name(), name("library"), name("version")),
            host: host(),
            arch: Arch::selected().name(),
            threads: options.threads,
            entries: Vec::new(),
            notes: Vec::new(),
        };
        Ok(Self { options, report, operations_per_turn: None, peer, progress: Box::new(progress) })
    }

    /// Phoca's context, with the threads that were asked for.
    pub(crate) fn context(&self, parameters: &Parameters) -> Result<Context, BenchError> {
        Ok(parameters.clone().builder().threads(self.options.threads).build()?)
    }

    /// The context with one thread, where [`Runner::context`] has several.
    pub(crate) fn single_context(&self, parameters: &Parameters) -> Result<Option<Context>, BenchError> {
        Ok((self.options.threads > 1).then(|| parameters.clone().build()).transpose()?)
    }

    /// A row without its times.
    pub(crate) fn entry(&self, context: &Context, operation: impl Into<String>) -> Entry {
        Entry {
            n: context.degree(),
            log_q: context.key_level().modulus_bits(),
            ..self.bare_entry(context.scheme().name(), operation)
        }
    }

    /// A row without its times and parameters.
    pub(crate) fn bare_entry(&self, scheme: &str, operation: impl Into<String>) -> Entry {
        let Report { suite, host, arch, threads, .. } = &self.report;
        Entry {
            suite: suite.name(),
            scheme: scheme.to_owned(),
            op: operation.into(),
            threads: *threads,
            arch: (*arch).to_owned(),
            host: host.clone(),
            ..Entry::default()
        }
    }

    /// Whether the filters let a row through.
    pub(crate) fn wants(&self, entry: &Entry) -> bool {
        let name = format!("{}/{}/{}", entry.n, entry.scheme, entry.op).to_lowercase();
        let filters = &self.options.filters;
        filters.is_empty() || filters.iter().any(|filter| name.contains(&filter.to_lowercase()))
    }

    /// Lets the peer, Phoca, and where it has several threads Phoca with a `single` one take turns, after a trial of each,
    /// which checks the peer's result. The answer is the peer's to the trial.
    pub(crate) fn compare(
        &mut self,
        entry: &mut Entry,
        request: &Value,
        ours: impl Fn(usize) -> Result<Vec<u64>, BenchError>,
        single: Option<impl Fn(usize) -> Result<Vec<u64>, BenchError>>,
    ) -> Result<Value, BenchError> {
        let trial = self.peer_turn(request, Turn { warm_up: 1, timed: 2 })?;
        let warm_up = if self.options.threads > 1 { THREADS_WARM_UP_NS } else { WARM_UP_NS };
        let turn = |trial: &[u64]| Turn::after(trial, warm_up, self.operations_per_turn);
        let (peer_turn, own_turn) = (turn(&times(&trial)), turn(&ours(2)?));
        let (mut theirs, mut own, mut one) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..self.options.rounds {
            theirs.extend(times(&self.peer_turn(request, peer_turn)?));
            own.extend(own_turn.take(&ours)?);
            if let Some(single) = &single {
                one.extend(own_turn.take(single)?);
            }
        }
        entry.one_thread = single.map(|_| Sample::of(one));
        entry.set_times(Sample::of(own), Some((&self.report.peer, Sample::of(theirs))));
        entry.peer_form = trial["form"].as_str().map(str::to_owned);
        Ok(trial)
    }

    /// Lets the peer and Phoca take turns after a trial of one operation each: the times of Phoca, those of the peer, and its
    /// answer to the trial. Operations that take longer than a turn run once in it, with nothing before them.
    pub(crate) fn take_turns(
        &mut self,
        request: &Value,
        ours: impl Fn(usize) -> Result<Vec<u64>, BenchError>,
    ) -> Result<(Vec<u64>, Vec<u64>, Value), BenchError> {
        let trial = self.peer_turn(request, Turn { warm_up: 0, timed: 1 })?;
        let turn = |trial: &[u64]| match trial.iter().min() {
            Some(&fastest) if fastest > TURN_NS => Turn { warm_up: 0, timed: 1 },
            _ => Turn::after(trial, WARM_UP_NS, None),
        };
        let (peer_turn, own_turn) = (turn(&times(&trial)), turn(&ours(1)?));
        let (mut theirs, mut own) = (Vec::new(), Vec::new());
        for _ in 0..self.options.rounds {
            theirs.extend(times(&self.peer_turn(request, peer_turn)?));
            own.extend(own_turn.take(&ours)?);
        }
        Ok((own, theirs, trial))
    }

    /// The peer's answer to any other request.
    pub(crate) fn ask(&mut self, request: &Value) -> Result<Value, BenchError> {
        self.peer.ask(request)
    }

    /// Keeps a finished row.
    pub(crate) fn done(&mut self, entry: Entry) {
        (self.progress)(&entry);
        self.report.entries.push(entry);
    }

    /// Frees the peer's keys.
    pub(crate) fn reset_peer(&mut self) -> Result<(), BenchError> {
        self.peer.ask(&json!({ "command": "time_reset" })).map(drop)
    }

    fn peer_turn(&mut self, request: &Value, turn: Turn) -> Result<Value, BenchError> {
        let mut request = request.clone();
        request["warmup"] = turn.warm_up.into();
        request["iterations"] = turn.timed.into();
        self.peer.ask(&request)
    }
}

/// What the driver needs to time a row at these parameters.
pub(crate) fn request(suite: Suite, parameters: &Parameters, scale: f64, row: &str) -> Value {
    let primes: Vec<String> = parameters.coeff_modulus.iter().map(u64::to_string).collect();
    json!({
        "command": "time",
        "suite": suite.name(),
        "scheme": parameters.scheme.name().to_lowercase(),
        "n": parameters.degree,
        "coeff_modulus": primes,
        "plain_modulus": parameters.plain_modulus.to_string(),
        "security": 128,
        "scale": scale,
        "row": row,
    })
}

fn times(answer: &Value) -> Vec<u64> {
    answer["nanoseconds"].as_array().into_iter().flatten().filter_map(Value::as_u64).collect()
}

/// How many operations one side does before the other one is on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Turn {
    /// Before the timed ones.
    warm_up: usize,
    timed: usize,
}

impl Turn {
    /// By the times of a trial: so many nanoseconds and a turn's, unless the number of timed operations is given.
    fn after(trial: &[u64], warm_up: u64, timed: Option<usize>) -> Self {
        let fastest = trial.iter().copied().min().unwrap_or(TURN_NS).max(1);
        let timed = timed.unwrap_or_else(|| (TURN_NS / fastest).clamp(2, 200) as usize);
        Self { warm_up: (warm_up / fastest).clamp(1, 1000) as usize, timed }
    }

    /// The times of the timed operations.
    fn take(self, side: impl Fn(usize) -> Result<Vec<u64>, BenchError>) -> Result<Vec<u64>, BenchError> {
        Ok(side(self.warm_up + self.timed)?.split_off(self.warm_up))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_turn_has_from_2_to_200_operations_after_a_warm_up() {
        let turn = |trial: &[u64]| Turn::after(trial, WARM_UP_NS, None);
        assert_eq!(turn(&[TURN_NS * 10]), Turn { warm_up: 1, timed: 2 });
        assert_eq!(turn(&[1_000_000, 2_000_000]), Turn { warm_up: 10, timed: 20 });
        assert_eq!(turn(&[0]), Turn { warm_up: 1000, timed: 200 });
        assert_eq!(turn(&[]), Turn { warm_up: 1, timed: 2 });
        assert_eq!(Turn::after(&[1_000_000], THREADS_WARM_UP_NS, Some(20)), Turn { warm_up: 150, timed: 20 });
    }

    #[test]
    fn operations_that_warm_up_are_not_counted() {
        let side = |count: usize| Ok((0..count as u64).collect());
        assert_eq!(Turn { warm_up: 3, timed: 2 }.take(side).unwrap(), [3, 4]);
    }

    #[test]
    fn degrees_are_those_of_the_suite_in_its_order() {
        let mut options = Options::new(Path::new("peers"), true);
        assert_eq!(options.degrees(Suite::Seal, &[4096], &[1024, 4096]).unwrap(), [4096]);
        options.degrees = Some(vec![4096, 1024]);
        assert_eq!(options.degrees(Suite::Seal, &[4096], &[1024, 4096]).unwrap(), [1024, 4096]);
        options.degrees = Some(vec![512]);
        let error = options.degrees(Suite::Seal, &[4096], &[1024, 4096]).unwrap_err();
        assert!(error.to_string().contains("n = 512; it has 1024, 4096"), "{error}");
    }
}
