//! Suite `seal` in other hosts: Phoca's npm package next to node-seal, in Node and in browsers, and the native rows beside them.
//!
//! The scripts of `bench/hosts` check and time the rows and print a line of JSON for each; here they are started, and their
//! lines become rows of the one shape.

use std::io::{BufRead, BufReader, ErrorKind};
use std::process::{Command, Stdio};

use phoca::ring::arch::Arch;
use serde::Deserialize;
use serde_json::json;

use crate::error::BenchError;
use crate::peer::script;
use crate::report::{Entry, Quality, Report, host};
use crate::run::{self, Options, Suite};
use crate::sample::Sample;

/// Where rows can be measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Host {
    /// This process, next to SEAL.
    Native,
    /// Node 20, a current Node, and those that `PHOCA_NODE` lists.
    Node,
    /// Chromium.
    Chromium,
    /// Firefox.
    Firefox,
    /// WebKitGTK.
    WebKit,
}

impl Host {
    /// Every host.
    pub const ALL: [Self; 5] = [Self::Native, Self::Node, Self::Chromium, Self::Firefox, Self::WebKit];

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Native => "native",
            Self::Node => "node",
            Self::Chromium => "chromium",
            Self::Firefox => "firefox",
            Self::WebKit => "webkit",
        }
    }

    /// The host of a name.
    ///
    /// # Errors
    ///
    /// [`BenchError::UnknownHost`] for any other name.
    pub fn from_name(name: &str) -> Result<Self, BenchError> {
        let known = Self::ALL.into_iter().find(|host| host.name() == name);
        known.ok_or_else(|| BenchError::UnknownHost { name: name.to_owned() })
    }
}

const QUICK: [usize; 1] = [4096];
const USUAL: [usize; 2] = [4096, 8192];
const ALL: [usize; 6] = [1024, 2048, 4096, 8192, 16384, 32768];

/// What two threads are measured with.
const THREADS_DEGREE: usize = 16384;
const THREADS_ROWS: [&str; 2] = ["/evaluaterelin", "/evaluaterot"];

/// The rows in every host of the options, in their order. A host that this machine lacks is named in the notes.
pub(crate) fn run(options: &Options, mut progress: impl FnMut(&Entry)) -> Result<Report, BenchError> {
    let usual = || if options.quick { QUICK.to_vec() } else { USUAL.to_vec() };
    let chosen = Options { degrees: Some(options.degrees.clone().unwrap_or_else(usual)), ..options.clone() };
    let degrees = chosen.degrees(Suite::SealHosts, &QUICK, &ALL)?;
    let mut measured = Hosts { options, entries: Vec::new(), skipped: Vec::new(), progress: &mut progress };
    for &host in &options.hosts {
        match host {
            Host::Native => measured.native(&degrees)?,
            _ => measured.script(host.name(), &measured.request(&degrees, 1, &options.filters))?,
        }
        if host == Host::Node && measured.wants_extras() {
            let rows = THREADS_ROWS.map(str::to_owned);
            measured.script("node", &measured.request(&[THREADS_DEGREE], 2, &rows))?;
            measured.script("package", "{}")?;
        }
    }
    let Hosts { entries, skipped, .. } = measured;
    if entries.is_empty() && !skipped.is_empty() {
        return Err(BenchError::NoHost { reasons: skipped.join("; ") });
    }
    let mut notes = notes();
    notes.extend(skipped.into_iter().map(|reason| format!("Skipped: {reason}.")));
    Ok(Report {
        suite: Suite::SealHosts,
        peer: "node-seal".to_owned(),
        host: host(),
        arch: Arch::selected().name(),
        threads: 1,
        entries,
        notes,
    })
}

fn notes() -> Vec<String> {
    [
        "SEAL's default chain for 128 bits at each n, and for BFV and BGV a plain modulus of 20 bits (14 below n = 4096).",
        "A cell has Phoca's median in µs and the ratio: node-seal's median over Phoca's in the same host, SEAL's in `native`.",
        "Hosts other than `native`: node-seal writes to destinations that are made before; Phoca makes a new object, also in rows \
         named `…Inplace`, and deletes it, both inside of the clock.",
    ]
    .map(str::to_owned)
    .into()
}

struct Hosts<'a> {
    options: &'a Options,
    entries: Vec<Entry>,
    /// Hosts with reasons.
    skipped: Vec<String>,
    progress: &'a mut dyn FnMut(&Entry),
}

/// A line that a script prints.
#[derive(Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
enum Line {
    /// Whose rows follow.
    Host(Engine),
    Row(Row),
    /// A number with its limit.
    Fact {
        op: String,
        n: usize,
        measure: String,
        value: f64,
        limit: f64,
    },
    Skipped {
        host: String,
        reason: String,
    },
    Error {
        message: String,
    },
}

#[derive(Default, Deserialize)]
struct Engine {
    host: String,
    /// Phoca's kernels.
    arch: String,
    threads: usize,
    #[serde(default)]
    peer: String,
}

/// Nanoseconds of a call, for each batch of calls.
#[derive(Deserialize)]
struct Row {
    scheme: String,
    op: String,
    n: usize,
    log_q: u32,
    ours: Vec<u64>,
    peer: Vec<u64>,
    #[serde(default)]
    one: Vec<u64>,
}

impl Hosts<'_> {
    /// Threads, sizes and memory are measured only where nothing less is asked for.
    fn wants_extras(&self) -> bool {
        !self.options.quick && self.options.filters.is_empty() && self.options.degrees.is_none()
    }

    fn native(&mut self, degrees: &[usize]) -> Result<(), BenchError> {
        let options = Options { degrees: Some(degrees.to_vec()), ..self.options.clone() };
        let report = run::run(Suite::Seal, &options, &mut *self.progress)?;
        self.entries.extend(report.entries);
        Ok(())
    }

    fn request(&self, degrees: &[usize], threads: usize, filters: &[String]) -> String {
        let Options { rounds, quick, .. } = self.options;
        json!({ "degrees": degrees, "filters": filters, "rounds": rounds, "quick": quick, "threads": threads })
            .to_string()
    }

    /// Runs a script to its end; `name` is what it measures.
    fn script(&mut self, name: &'static str, request: &str) -> Result<(), BenchError> {
        let failed = |cause: String| BenchError::Host { host: name, cause };
        let started = Command::new("node")
            .arg(script(self.options.peers.join("../hosts/run.mjs"))?)
            .args([name, request])
            .stdout(Stdio::piped())
            .spawn();
        let mut child = match started {
            Ok(child) => child,
            Err(error) if error.kind() == ErrorKind::NotFound => {
                self.skip(name, "`node` is not installed");
                return Ok(());
            }
            Err(error) => return Err(failed(error.to_string())),
        };
        let output = child.stdout.take().map(BufReader::new);
        let mut engine = Engine::default();
        for line in output.into_iter().flat_map(BufRead::lines) {
            let line = line.map_err(|error| failed(error.to_string()))?;
            self.line(name, &line, &mut engine)?;
        }
        let status = child.wait().map_err(|error| failed(error.to_string()))?;
        if status.success() { Ok(()) } else { Err(failed(format!("the script ended with {status}"))) }
    }

    fn line(&mut self, name: &'static str, line: &str, engine: &mut Engine) -> Result<(), BenchError> {
        match serde_json::from_str(line)? {
            Line::Host(host) => *engine = host,
            Line::Row(row) => self.done(entry(row, engine)),
            Line::Fact { op, n, measure, value, limit } => {
                let quality =
                    Quality { measure: measure.into(), ours: value, limit: Some(limit), ..Quality::default() };
                let host = engine.host.clone();
                self.done(Entry {
                    suite: Suite::SealHosts.name(),
                    op,
                    n,
                    host,
                    threads: 1,
                    quality: Some(quality),
                    ..Entry::default()
                });
            }
            Line::Skipped { host, reason } => self.skip(&host, &reason),
            Line::Error { message } => return Err(BenchError::Host { host: name, cause: message }),
        }
        Ok(())
    }

    fn skip(&mut self, name: &str, reason: &str) {
        let line = format!("{name} ({reason})");
        if !self.skipped.contains(&line) {
            self.skipped.push(line);
        }
    }

    fn done(&mut self, entry: Entry) {
        (self.progress)(&entry);
        self.entries.push(entry);
    }
}

fn entry(row: Row, engine: &Engine) -> Entry {
    let Row { scheme, op, n, log_q, ours, peer, one } = row;
    let mut entry = Entry {
        suite: Suite::SealHosts.name(),
        scheme,
        op,
        n,
        log_q,
        threads: engine.threads,
        arch: engine.arch.clone(),
        host: engine.host.clone(),
        ..Entry::default()
    };
    entry.peer_form = Some("one call, to a destination that is made before; keys are new objects".to_owned());
    if entry.op == "EvaluateMulRelinRescale" {
        entry.peer_form = Some("three calls, to destinations that are made before".to_owned());
    }
    entry.one_thread = (!one.is_empty()).then(|| Sample::of(one));
    entry.set_times(Sample::of(ours), Some((&engine.peer, Sample::of(peer))));
    entry
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    fn lines(lines: &[&str]) -> Result<(Vec<Entry>, Vec<String>), BenchError> {
        let options = Options::new(Path::new("peers"), true);
        let mut progress = |_: &Entry| ();
        let mut hosts = Hosts { options: &options, entries: Vec::new(), skipped: Vec::new(), progress: &mut progress };
        let mut engine = Engine::default();
        for line in lines {
            hosts.line("node", line, &mut engine)?;
        }
        Ok((hosts.entries, hosts.skipped))
    }

    #[test]
    fn lines_become_rows() {
        let (entries, skipped) = lines(&[
            r#"{"kind":"skipped","host":"webkit","reason":"it is not installed"}"#,
            r#"{"kind":"host","host":"node-20.20","arch":"simd128","threads":1,"peer":"node-seal 6.0.3"}"#,
            r#"{"kind":"row","scheme":"BFV","op":"EvaluateMulCt","n":4096,"log_q":109,"ours":[2000,1000],"peer":[6000]}"#,
            r#"{"kind":"fact","op":"Size/simd.wasm","n":0,"measure":"kB after gzip","value":400.5,"limit":500}"#,
        ])
        .unwrap();
        assert_eq!(skipped, ["webkit (it is not installed)"]);
        let [row, fact] = &entries[..] else { panic!("{entries:?}") };
        assert_eq!((row.ours_us, row.peer_us, row.ratio), (2.0, Some(6.0), Some(3.0)));
        assert_eq!(
            (row.arch.as_str(), row.host.as_str(), row.peer.as_deref()),
            ("simd128", "node-20.20", Some("node-seal 6.0.3"))
        );
        assert!(row.target.is_some_and(|target| target.met) && row.one_thread.is_none());
        assert_eq!(fact.quality.as_ref().map(|fact| (fact.ours, fact.limit)), Some((400.5, Some(500.0))));
    }

    #[test]
    fn an_error_or_an_unknown_line_ends_the_run() {
        let error = lines(&[r#"{"kind":"error","message":"the result of ours is wrong"}"#]).unwrap_err();
        assert!(error.to_string().contains("node failed: the result of ours is wrong"), "{error}");
        assert!(matches!(lines(&["hello"]), Err(BenchError::PeerAnswer(_))));
    }

    #[test]
    fn hosts_have_names() {
        for host in Host::ALL {
            assert_eq!(Host::from_name(host.name()).unwrap(), host);
        }
        assert!(Host::from_name("netscape").is_err());
    }
}
