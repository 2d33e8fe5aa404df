//! Running the program in a directory of its own.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;
use tempfile::TempDir;

/// Small and insecure, so that tests are fast: n = 64, two data primes.
pub const TINY_BFV: &[&str] =
    &["keygen", "bfv", "-n", "64", "--moduli-bits", "50,50,51", "--plain-modulus", "12289", "--insecure"];
/// As [`TINY_BFV`].
pub const TINY_BGV: &[&str] =
    &["keygen", "bgv", "-n", "64", "--moduli-bits", "50,50,51", "--plain-modulus", "12289", "--insecure"];
/// As [`TINY_BFV`], with 32 slots.
pub const TINY_CKKS: &[&str] = &["keygen", "ckks", "-n", "64", "--moduli-bits", "50,40,40,51", "--insecure"];

/// A temporary directory in which the program runs.
pub struct Sandbox(TempDir);

/// What a run gave.
pub struct Run {
    pub code: i32,
    pub stdout: Vec<u8>,
    pub stderr: String,
}

impl Sandbox {
    pub fn new() -> Self {
        Self(TempDir::new().unwrap())
    }

    /// A sandbox with keys of these arguments in `directory`.
    pub fn with_keys(arguments: &[&str], directory: &str) -> Self {
        let sandbox = Self::new();
        sandbox.keys(arguments, directory);
        sandbox
    }

    pub fn keys(&self, arguments: &[&str], directory: &str) {
        self.ok(&[arguments, &["-q", "-o", directory]].concat());
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub fn write(&self, name: &str, bytes: impl AsRef<[u8]>) {
        fs::write(self.path(name), bytes).unwrap();
    }

    pub fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).unwrap()
    }

    /// The names in a directory, sorted.
    pub fn names(&self, directory: &str) -> Vec<String> {
        let entries = fs::read_dir(self.path(directory)).unwrap();
        let mut names: Vec<String> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_phoca"));
        command.args(arguments).current_dir(self.0.path()).env_remove("PHOCA_ARCH").env("NO_COLOR", "1");
        command
    }

    pub fn run(&self, arguments: &[&str]) -> Run {
        Run::new(self.command(arguments).stdin(Stdio::null()).output().unwrap())
    }

    /// Runs with these bytes on standard input.
    pub fn run_with_input(&self, arguments: &[&str], input: &[u8]) -> Run {
        let mut child = self
            .command(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdin = child.stdin.take().unwrap();
        let input = input.to_vec();
        // A program that fails early does not read everything.
        let writer = std::thread::spawn(move || drop(stdin.write_all(&input)));
        let output = child.wait_with_output().unwrap();
        writer.join().unwrap();
        Run::new(output)
    }

    /// Runs, demands success, and gives standard output.
    #[track_caller]
    pub fn ok(&self, arguments: &[&str]) -> Vec<u8> {
        self.run(arguments).expect_code(0).stdout
    }

    /// As [`Sandbox::ok`], as text.
    #[track_caller]
    pub fn text(&self, arguments: &[&str]) -> String {
        String::from_utf8(self.ok(arguments)).unwrap()
    }

    /// As [`Sandbox::ok`], as one JSON object.
    #[track_caller]
    pub fn json(&self, arguments: &[&str]) -> Value {
        serde_json::from_slice(&self.ok(&[arguments, &["--json"]].concat())).unwrap()
    }

    /// Decrypts to JSON numbers.
    #[track_caller]
    pub fn decrypt(&self, key: &str, file: &str) -> Value {
        serde_json::from_slice(&self.ok(&["decrypt", "-k", key, file, "-f", "json"])).unwrap()
    }
}

impl Run {
    fn new(output: Output) -> Self {
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert!(!stderr.contains("panicked"), "{stderr}");
        Self { code: output.status.code().unwrap_or(-1), stdout: output.stdout, stderr }
    }

    #[track_caller]
    pub fn expect_code(self, code: i32) -> Self {
        assert_eq!(self.code, code, "{}", self.stderr);
        self
    }

    /// Demands that the message has all of these.
    #[track_caller]
    pub fn expect_message(self, parts: &[&str]) -> Self {
        for part in parts {
            assert!(self.stderr.contains(part), "{part:?} is not in {}", self.stderr);
        }
        self
    }
}

/// A file that other libraries made.
pub fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data/seal").join(name)
}

/// Two lists of numbers that agree within a tolerance.
#[track_caller]
pub fn assert_close(got: &Value, expected: &[f64], tolerance: f64) {
    let got: Vec<f64> = got.as_array().unwrap().iter().map(|value| value.as_f64().unwrap()).collect();
    assert_eq!(got.len(), expected.len());
    for (index, (got, expected)) in got.iter().zip(expected).enumerate() {
        assert!((got - expected).abs() <= tolerance, "value {index}: {got} is not {expected}");
    }
}
