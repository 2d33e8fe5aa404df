//! What people see beside the data: messages, progress and tables, all on standard error.

use std::io::{IsTerminal, Write, stderr, stdout};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde::Serialize;
use serde_json::json;

use crate::error::{CliError, Result};

/// How long work runs silently.
const SILENCE: Duration = Duration::from_millis(300);
/// How often progress is reported as JSON.
const JSON_PERIOD: Duration = Duration::from_millis(500);

/// The settings for all messages.
#[derive(Clone, Copy, Debug, Default)]
pub struct Ui {
    /// Reports are JSON, one object a line.
    pub json: bool,
    /// Errors only.
    pub quiet: bool,
    /// Details too.
    pub verbose: bool,
}

impl Ui {
    /// A message for people; silent with `--quiet` and `--json`.
    pub fn note(&self, message: impl AsRef<str>) {
        if !self.quiet && !self.json {
            // Failing to write to standard error leaves nobody to be told.
            let _ = writeln!(anstream::stderr(), "{}", printable(message.as_ref()));
        }
    }

    /// A detail for people who asked for it with `-v`.
    pub fn detail(&self, message: impl AsRef<str>) {
        if self.verbose {
            self.note(message);
        }
    }

    /// A warning; silent with `--quiet` only.
    pub fn warn(&self, message: impl AsRef<str>) {
        if self.quiet {
            return;
        }
        let message = message.as_ref();
        let _ = match self.json {
            true => writeln!(stderr(), "{}", json!({"schema": "phoca.warning/1", "message": message})),
            false => writeln!(anstream::stderr(), "\u{1b}[1;33mwarning:\u{1b}[0m {}", printable(message)),
        };
    }

    /// The machine-readable report of a command, in one line: on standard output, or on standard error where data goes
    /// to standard output. Only with `--json`.
    pub fn report(&self, report: &impl Serialize, stdout_has_data: bool) -> Result<()> {
        if !self.json {
            return Ok(());
        }
        let line = to_json(report)?;
        match stdout_has_data {
            true => writeln!(stderr(), "{line}")?,
            false => writeln!(stdout(), "{line}")?,
        }
        Ok(())
    }

    /// Reports a failed command.
    pub fn error(&self, error: &CliError) {
        let _ = match self.json {
            true => writeln!(
                stderr(),
                "{}",
                json!({
                    "schema": "phoca.error/1",
                    "code": error.code as u8,
                    "message": error.message,
                    "file": error.file.as_ref().map(|file| file.display().to_string()),
                    "fingerprint": error.fingerprint,
                    "hint": error.hint,
                })
            ),
            false => self.error_text(error),
        };
    }

    fn error_text(&self, error: &CliError) -> std::io::Result<()> {
        let mut stderr = anstream::stderr();
        writeln!(stderr, "\u{1b}[1;31merror:\u{1b}[0m {}", printable(&error.to_string()))?;
        if let Some(fingerprint) = &error.fingerprint {
            writeln!(stderr, "  parameters: {fingerprint}")?;
        }
        if let Some(hint) = &error.hint {
            writeln!(stderr, "  try: {hint}")?;
        }
        Ok(())
    }

    /// Progress of `total` steps of some work.
    pub fn progress(&self, what: &'static str, total: u64) -> Progress {
        Progress {
            what,
            total,
            done: 0,
            started: Instant::now(),
            reported: Instant::now(),
            json: self.json && !self.quiet,
            visible: !self.quiet && !self.json && stderr().is_terminal(),
            bar: None,
        }
    }
}

/// Text with control characters other than newlines escaped, so that what files say cannot drive the terminal.
pub fn printable(text: &str) -> String {
    text.chars().fold(String::with_capacity(text.len()), |mut printable, character| {
        match character.is_control() && character != '\n' {
            true => printable.extend(character.escape_default()),
            false => printable.push(character),
        }
        printable
    })
}

/// A count with its noun, which takes an s or es unless there is one.
pub fn counted(count: usize, noun: &str) -> String {
    let plural = if noun.ends_with("ch") { "es" } else { "s" };
    match count {
        1 => format!("1 {noun}"),
        _ => format!("{count} {noun}{plural}"),
    }
}

/// One line of JSON.
pub fn to_json(value: &impl Serialize) -> Result<String> {
    serde_json::to_string(value).map_err(|error| CliError::failed(format!("cannot write JSON: {error}")))
}

/// Progress of long work: a bar on a terminal, or events as JSON; nothing in the first 300 ms.
pub struct Progress {
    what: &'static str,
    total: u64,
    done: u64,
    started: Instant,
    reported: Instant,
    json: bool,
    visible: bool,
    bar: Option<ProgressBar>,
}

impl Progress {
    /// One more step is done.
    pub fn step(&mut self) {
        self.done += 1;
        if self.started.elapsed() < SILENCE {
            return;
        }
        if self.visible {
            let (what, total) = (self.what, self.total);
            self.bar.get_or_insert_with(|| new_bar(what, total)).set_position(self.done);
        }
        if self.json && self.reported.elapsed() >= JSON_PERIOD {
            self.reported = Instant::now();
            let event = json!({
                "schema": "phoca.progress/1", "task": self.what, "done": self.done, "total": self.total,
            });
            let _ = writeln!(stderr(), "{event}");
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

fn new_bar(what: &'static str, total: u64) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(Some(total), ProgressDrawTarget::stderr());
    if let Ok(style) = ProgressStyle::with_template("{msg} {wide_bar} {pos}/{len} {eta}") {
        bar.set_style(style);
    }
    bar.with_message(what)
}
