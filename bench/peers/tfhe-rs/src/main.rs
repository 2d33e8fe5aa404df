//! TFHE-rs behind the peers' protocol: one JSON object a line on standard input, one a line on standard output.
//!
//! `time` prepares keys and operands, runs an operation, and answers with nanoseconds and the decrypted results. The keys of
//! the last layer and set are kept, and so are the operands of the last row.

mod boolean;
mod integer;
mod shortint;

use std::error::Error;
use std::hint::black_box;
use std::io::{BufRead, Write, stdin, stdout};
use std::time::Instant;

use serde_json::{Value, json};

/// A clear value: 64-bit words, least significant first.
pub type Words = [u64; 4];

/// What a request may fail with.
pub type Failure = Box<dyn Error>;

/// Keys of one parameter set.
pub trait Session {
    /// Runs and times the operation of a request.
    fn time(&mut self, row: &Row) -> Result<Value, Failure>;
    /// Bytes of keys and ciphertexts, and the stated failure probability.
    fn sizes(&self) -> Value;
}

/// A request to time something.
pub struct Row {
    pub operation: String,
    pub bits: u32,
    /// The operands of each item of a batch; a row that is no batch has one item.
    pub items: Vec<Vec<Words>>,
    warm_up: usize,
    timed: usize,
}

impl Row {
    fn parse(request: &Value) -> Result<Self, Failure> {
        let count = |name: &str, default: u64| request[name].as_u64().unwrap_or(default);
        Ok(Self {
            operation: text(request, "operation")?.to_owned(),
            bits: count("bits", 1) as u32,
            items: serde_json::from_value(request["items"].clone())?,
            warm_up: count("warmup", 0) as usize,
            timed: count("iterations", 1) as usize,
        })
    }

    /// Each item's operands, prepared.
    pub fn prepared<T>(&self, prepare: impl Fn(&Words) -> T) -> Vec<Vec<T>> {
        self.items.iter().map(|item| item.iter().map(&prepare).collect()).collect()
    }

    /// Runs `operation` and answers with its times, the bootstraps of one run where the library counts them, and the results of
    /// the last run.
    pub fn run<T>(&self, operation: impl Fn() -> T, words: impl Fn(&T) -> Vec<Words>) -> Value {
        tfhe::reset_pbs_count();
        for _ in 0..self.warm_up {
            black_box(operation());
        }
        let mut nanoseconds = Vec::with_capacity(self.timed);
        let mut last = None;
        for _ in 0..self.timed {
            let start = Instant::now();
            let result = black_box(operation());
            nanoseconds.push(start.elapsed().as_nanos() as u64);
            last = Some(result);
        }
        let runs = (self.warm_up + self.timed).max(1) as u64;
        let bootstraps = Some(tfhe::get_pbs_count() / runs).filter(|count| *count > 0);
        let results = last.as_ref().map(words).unwrap_or_default();
        json!({ "nanoseconds": nanoseconds, "results": results, "bootstraps": bootstraps })
    }
}

/// The error for what the driver does not know.
pub fn unknown<T>(what: &str, name: &str) -> Result<T, Failure> {
    Err(format!("unsupported: {what} {name:?}").into())
}

fn text<'a>(request: &'a Value, name: &str) -> Result<&'a str, Failure> {
    request[name].as_str().ok_or_else(|| format!("{name} is missing").into())
}

#[derive(Default)]
struct Driver {
    kept: Option<(String, Box<dyn Session>)>,
}

impl Driver {
    fn answer(&mut self, line: &str) -> Result<Value, Failure> {
        let request: Value = serde_json::from_str(line)?;
        match text(&request, "command")? {
            "version" => Ok(json!({ "library": "tfhe", "version": VERSION, "threads": rayon::current_num_threads() })),
            "time_reset" => {
                self.kept = None;
                Ok(json!({}))
            }
            "sizes" => Ok(self.session(&request)?.sizes()),
            "time" => {
                let row = Row::parse(&request)?;
                self.session(&request)?.time(&row)
            }
            other => unknown("command", other),
        }
    }

    fn session(&mut self, request: &Value) -> Result<&mut Box<dyn Session>, Failure> {
        let (layer, set) = (text(request, "layer")?, text(request, "set")?);
        let name = format!("{layer}/{set}");
        if self.kept.as_ref().is_none_or(|(kept, _)| *kept != name) {
            self.kept = None; // before the next keys are made
            let session = match layer {
                "boolean" => boolean::session(set)?,
                "shortint" => shortint::session(set)?,
                "integer" => integer::session(set)?,
                other => return unknown("layer", other),
            };
            self.kept = Some((name, session));
        }
        match &mut self.kept {
            Some((_, session)) => Ok(session),
            None => unknown("session", ""),
        }
    }
}

/// The version that `Cargo.toml` pins.
const VERSION: &str = "1.8.2";

fn main() -> Result<(), Failure> {
    let mut driver = Driver::default();
    for line in stdin().lock().lines() {
        let answer = match driver.answer(&line?) {
            Ok(mut answer) => {
                answer["ok"] = true.into();
                answer
            }
            Err(error) => json!({ "ok": false, "error": error.to_string() }),
        };
        let mut output = stdout().lock();
        writeln!(output, "{answer}")?;
        output.flush()?;
    }
    Ok(())
}
