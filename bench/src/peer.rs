//! A peer behind its driver: one JSON object a line each way.

use std::io::{BufRead, BufReader, Error, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::Value;

use crate::error::BenchError;

/// A script of the repository, if it is there.
pub(crate) fn script(path: PathBuf) -> Result<PathBuf, BenchError> {
    match path.exists() {
        true => Ok(path),
        false => Err(BenchError::NoScript { script: path.display().to_string() }),
    }
}

/// A running driver; it ends when this is dropped.
pub(crate) struct Peer {
    driver: PathBuf,
    child: Child,
    requests: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
}

impl Peer {
    /// Starts `run.sh name` in the folder of the peers, with so many threads where the peer has any.
    pub(crate) fn start(peers: &Path, name: &str, threads: usize) -> Result<Self, BenchError> {
        let driver = script(peers.join("run.sh"))?;
        let unreachable = |source| BenchError::Peer { driver: driver.display().to_string(), source };
        let mut child = Command::new("bash")
            .arg(&driver)
            .arg(name)
            .env("RAYON_NUM_THREADS", threads.to_string())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(unreachable)?;
        let requests = child.stdin.take();
        let Some(answers) = child.stdout.take().map(BufReader::new) else {
            return Err(unreachable(Error::other("no output")));
        };
        Ok(Self { driver, child, requests, answers })
    }

    /// The answer to `request`, an object with `command`.
    pub(crate) fn ask(&mut self, request: &Value) -> Result<Value, BenchError> {
        let line = self
            .exchange(request)
            .map_err(|source| BenchError::Peer { driver: self.driver.display().to_string(), source })?;
        let answer: Value = serde_json::from_str(&line)?;
        match answer["ok"].as_bool() {
            Some(true) => Ok(answer),
            _ => Err(BenchError::PeerRefused {
                request: request["command"].as_str().unwrap_or("a request").to_owned(),
                cause: answer["error"].as_str().unwrap_or("no cause").to_owned(),
            }),
        }
    }

    fn exchange(&mut self, request: &Value) -> Result<String, Error> {
        let requests = self.requests.as_mut().ok_or_else(|| Error::other("no input"))?;
        writeln!(requests, "{request}")?;
        requests.flush()?;
        let mut line = String::new();
        match self.answers.read_line(&mut line)? {
            0 => Err(Error::other("the driver has ended")),
            _ => Ok(line),
        }
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        // The driver ends at the end of its input.
        drop(self.requests.take());
        let _ = self.child.wait();
    }
}
