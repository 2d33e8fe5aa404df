//! A running driver of another library (`bench/peers`): one JSON object a line in, one a line out.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

use phoca_rlwe::seal::{Compression, Version};
use serde_json::{Map, Value};

use crate::Result;

pub const NAMES: [&str; 4] = ["seal", "node-seal6", "node-seal7", "tenseal"];

const ALL: &[Compression] = &[Compression::None, Compression::Zlib, Compression::Zstd];
/// A driver that says nothing for so long hangs.
const PATIENCE: Duration = Duration::from_secs(120);

pub struct Peer {
    /// One of [`NAMES`].
    pub name: &'static str,
    /// The library and its version.
    pub title: String,
    /// The version in the headers that it writes.
    pub stamp: Version,
    /// The compressions that it writes; the first serves where the compression does not matter.
    pub writes: Vec<Compression>,
    /// The compressions that it reads.
    pub reads: &'static [Compression],
    child: Child,
    stdin: Option<ChildStdin>,
    answers: Receiver<String>,
}

/// Whether `bench/peers/setup.sh` has run to its end.
pub fn installed() -> bool {
    root().join(".peers/stamp").exists()
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

impl Peer {
    pub fn start(name: &'static str) -> Result<Self> {
        let mut child = Command::new(root().join("bench/peers/run.sh"))
            .arg(name)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let stdin = child.stdin.take();
        let stdout = child.stdout.take().ok_or("the driver has no stdout")?;
        let (sender, answers) = channel();
        thread::spawn(move || {
            BufReader::new(stdout).lines().map_while(|line| line.ok()).try_for_each(|l| sender.send(l))
        });
        let reads = if name == "seal" { &ALL[..1] } else { ALL };
        let (title, stamp, writes) = (name.into(), Version::default(), Vec::new());
        let mut peer = Self { name, title, stamp, writes, reads, child, stdin, answers };
        peer.introduce()?;
        Ok(peer)
    }

    fn introduce(&mut self) -> Result {
        let answer = self.ask("version", Value::Object(Map::new()))?;
        let text = |field: &str| answer[field].as_str().unwrap_or("?").to_owned();
        self.stamp = match text("seal_version").as_str() {
            "4.1" => Version::V4_1,
            "4.3" => Version::V4_3,
            "4.4" => Version::V4_4,
            other => return Err(format!("{} writes files of SEAL {other}", self.name).into()),
        };
        self.title = format!("{} {}", text("library"), text("version"));
        let modes = answer["compression_modes"].as_array().ok_or("no compression_modes")?;
        self.writes = ALL.iter().copied().filter(|mode| modes.contains(&mode.to_string().into())).collect();
        match self.writes.is_empty() {
            true => Err("no compression_modes".into()),
            false => Ok(()),
        }
    }

    /// The answer to a command with these fields; an error carries the library's own text.
    pub fn ask(&mut self, command: &str, mut fields: Value) -> Result<Value> {
        fields["command"] = command.into();
        let stdin = self.stdin.as_mut().ok_or("the driver was stopped")?;
        writeln!(stdin, "{fields}").and_then(|()| stdin.flush())?;
        let line = match self.answers.recv_timeout(PATIENCE) {
            Ok(line) => line,
            Err(error) => {
                self.stop();
                return Err(format!("{} gave no answer to {command}: {error}", self.name).into());
            }
        };
        let answer: Value = serde_json::from_str(&line)?;
        match answer["ok"].as_bool() {
            Some(true) => Ok(answer),
            _ => Err(format!("{} {command}: {}", self.name, answer["error"].as_str().unwrap_or(&line)).into()),
        }
    }

    fn stop(&mut self) {
        self.stdin = None;
        // It may have ended by itself, and then there is nothing to stop.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The end of its input ends a driver.
impl Drop for Peer {
    fn drop(&mut self) {
        if self.stdin.take().is_some() {
            let _ = self.child.wait();
        }
    }
}
